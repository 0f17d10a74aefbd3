package main

import (
	"cmp"
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"plumbline/bot"
	"plumbline/channels/sms"
)

// twilioWait is how long Twilio, or our own public address, has for one answer.
const twilioWait = 10 * time.Second

// overrides are what our webhook URLs should end in: Twilio then asks again, all
// within its 15 seconds, where by default it does so only if it could not
// connect. They are no part of what is called or signed.
const overrides = "#ct=2000&rt=5000&rc=3&rp=5xx,ct,rt"

// A twilioDoctor looks at what is set up at Twilio, at each thing once, when
// the first of its checks asks. A check that has nothing to say, because texts
// are off or another check told why, returns the zero checkup.
type twilioDoctor struct {
	once sync.Once

	s          settings
	err        error // of the settings
	state      sms.State
	stateErr   error
	number     sms.Number
	numberErr  error
	service    sms.Service // that twilio.service names, else that the number is in
	serviceErr error       // bot.ErrNotFound if there is none
	senders    []string    // of service
	senderErr  error
	account    *sms.Account
}

func (d *twilioDoctor) look(a *app) {
	d.once.Do(func() {
		if d.s, d.err = a.Settings(); d.err != nil || !d.s.Twilio.on() {
			return
		}
		t := d.s.Twilio
		d.account = sms.NewAccount(t.credentials(), t.API)
		within(a.ctx, func(ctx context.Context) { d.state, d.stateErr = d.account.State(ctx) })
		if d.stateErr != nil && !(t.Key != "" && refusal(d.stateErr) != "") {
			return
		}
		d.serviceErr = bot.ErrNotFound
		within(a.ctx, func(ctx context.Context) { d.number, d.numberErr = d.account.Number(ctx, cmp.Or(t.Number, t.WhatsApp)) })
		if t.Number == "" && refused(d.numberErr) == "" {
			d.numberErr = bot.ErrNotFound
		}
		switch {
		case t.Service != "":
			within(a.ctx, func(ctx context.Context) { d.service, d.serviceErr = d.account.Service(ctx, t.Service) })
		case d.numberErr == nil:
			within(a.ctx, func(ctx context.Context) { d.service, d.serviceErr = d.account.ServiceOf(ctx, t.Number) })
		}
		if d.serviceErr == nil {
			within(a.ctx, func(ctx context.Context) { d.senders, d.senderErr = d.account.Senders(ctx, d.service.SID) })
		}
	})
}

func within(ctx context.Context, do func(ctx context.Context)) {
	ctx, cancel := context.WithTimeout(ctx, twilioWait)
	defer cancel()
	do(ctx)
}

// refusal is Twilio's code for what it refused; empty if it was something else.
func refusal(err error) string {
	if r, ok := errors.AsType[*bot.Refusal](err); ok {
		return r.Code
	}
	return ""
}

// open reports whether Twilio lets us look.
func (d *twilioDoctor) open(a *app) bool {
	d.look(a)
	return d.err == nil && d.s.Twilio.on() && (d.stateErr == nil || d.s.Twilio.Key != "" && refusal(d.stateErr) != "" && refused(d.numberErr) == "")
}

// refused is the code if err says that our credentials are not good enough.
func refused(err error) string {
	switch code := refusal(err); code {
	case "20003", "20008", "70051", "20403", "HTTP 401", "HTTP 403":
		return code
	}
	return ""
}

// unread is what is told of what could not be read.
func unread(what string, err error) checkup {
	if code := refused(err); code != "" {
		return checkup{"", "warning", fmt.Sprintf("%s cannot be read: Twilio refuses it (%s)", what, code), "a restricted API key needs leave to read numbers and Messaging Services; look at it in the console instead"}
	}
	return checkup{"", "warning", fmt.Sprintf("%s cannot be read: %s", what, bot.Why(err)), "run doctor again in a minute; Twilio's status page says whether it is down"}
}

// worst joins what was found of one thing: the worst state, all the rest.
func worst(found []checkup, ok checkup) checkup {
	if len(found) == 0 {
		return ok
	}
	c := checkup{State: "warning"}
	var details, advice []string
	for _, f := range found {
		if f.State == "fault" {
			c.State = "fault"
		}
		details, advice = append(details, f.Detail), append(advice, f.Advice)
	}
	c.Detail, c.Advice = strings.Join(details, "; "), strings.Join(advice, "\n")
	return c
}

// short is a SID that can be told from others.
func short(sid string) string {
	if len(sid) < 8 {
		return sid
	}
	return sid[:2] + "…" + sid[len(sid)-4:]
}

// credentials checks that Twilio knows us, and how the account stands.
func (d *twilioDoctor) credentials(a *app) checkup {
	d.look(a)
	t := d.s.Twilio
	switch {
	case d.err != nil:
		return fault(d.err, "")
	case !t.on():
		return fine("not set up: nothing goes out by text message")
	}
	err := d.stateErr
	if err != nil && t.Key != "" && refusal(err) != "" {
		if err = d.numberErr; refused(err) == "" {
			return fine("account %s takes our API key, which may not read how the account stands", short(t.Account))
		}
	}
	if code := refused(err); code != "" {
		advice := "put the auth token of that account, as the console's first page shows it, into PLUMBLINE_TWILIO_TOKEN or twilio.token_file; after a rotation the old one is refused"
		if t.Key != "" {
			advice = "twilio.key and its secret must belong together and to that account; make another key in the console if the secret is lost"
		}
		return checkup{"", "fault", fmt.Sprintf("Twilio refuses our credentials for account %s (%s)", short(t.Account), code), advice}
	}
	switch {
	case errors.Is(err, bot.ErrNotFound):
		return checkup{"", "fault", "Twilio knows no account " + short(t.Account), "copy the account's SID from the console's first page into twilio.account"}
	case err != nil:
		return checkup{"", "fault", "Twilio cannot be asked: " + reason(err), "see that this machine may call " + t.API + " (twilio.api), then run doctor again"}
	case d.state.Status != "active":
		return checkup{"", "fault", fmt.Sprintf("account %s is %s: nothing goes out (30002)", short(t.Account), cmp.Or(d.state.Status, "in no known state")), "the console says why, such as an unpaid bill; mend that there or write to Twilio's support"}
	case strings.EqualFold(d.state.Type, "trial"):
		return checkup{"", "warning", fmt.Sprintf("account %s is a trial: only numbers verified in the console can be texted (21608)", short(t.Account)), "upgrade it in the console before residents are told the number"}
	case !t.real():
		return fine("account %s at %s, which is not Twilio: nobody is texted", short(t.Account), t.API)
	}
	return fine("account %s is active", short(t.Account))
}

// reason is why a call failed, without the URL.
func reason(err error) string {
	if errors.Is(err, context.DeadlineExceeded) {
		return fmt.Sprintf("no answer in %v", twilioWait)
	}
	var u *url.Error
	if errors.As(err, &u) {
		err = u.Err
	}
	return strings.ReplaceAll(err.Error(), "\n", "; ")
}

// own checks that the number is ours and can text.
func (d *twilioDoctor) own(a *app) checkup {
	if !d.open(a) {
		return checkup{}
	}
	n, phone, whatsApp := d.number, d.s.Twilio.Number, d.s.Twilio.WhatsApp
	sender := fmt.Sprintf("In the console set the WhatsApp sender's webhook to %s%s, HTTP POST, and put the sender into the Messaging Service that twilio.service names.", d.ours(sms.MessagePath), overrides)
	switch {
	case phone == "":
		return checkup{"", "ok", fmt.Sprintf("none: WhatsApp only, and the sender %s cannot be looked at", whatsApp), sender}
	case errors.Is(d.numberErr, bot.ErrNotFound):
		return checkup{"", "fault", fmt.Sprintf("%s is not a number of account %s (21606)", phone, short(d.s.Twilio.Account)), "buy or port it in the console, or mend twilio.number; a subaccount's number needs the subaccount's own SID and token"}
	case d.numberErr != nil:
		return unread("the number", d.numberErr)
	case !n.Capabilities.SMS:
		return checkup{"", "fault", phone + " cannot text: SMS is not among its capabilities", "buy a number whose capabilities name SMS (landlines can be hosted for SMS instead), and set twilio.number to it"}
	}
	if whatsApp != "" {
		return checkup{"", "ok", fmt.Sprintf("%s can text; the WhatsApp sender %s cannot be looked at", phone, whatsApp), sender}
	}
	return fine("%s can text", phone)
}

// set reports whether it is known where what people text goes.
func (d *twilioDoctor) set(a *app) bool {
	return d.open(a) && d.numberErr == nil && d.senderErr == nil && (d.serviceErr == nil || errors.Is(d.serviceErr, bot.ErrNotFound))
}

// comesIn says where what people text goes: to the number's own webhook, or to
// that of the Messaging Service that it is in.
func (d *twilioDoctor) comesIn() (at, method, fallback, of string) {
	if d.serviceErr == nil && !d.service.DefersToNumber && slices.Contains(d.senders, d.number.Phone) {
		return d.service.InboundURL, d.service.InboundMethod, d.service.FallbackURL, "Messaging Service " + short(d.service.SID)
	}
	return d.number.SMSURL, d.number.SMSMethod, d.number.SMSFallbackURL, "the number"
}

// ours is a webhook URL as it should stand at Twilio.
func (d *twilioDoctor) ours(path string) string {
	return strings.TrimRight(d.s.Public.URL, "/") + path
}

// same reports whether Twilio calls what we serve: the overrides behind a # and
// a query make no difference.
func same(at, ours string) bool {
	a, errA := url.Parse(at)
	b, errB := url.Parse(ours)
	return errA == nil && errB == nil && strings.EqualFold(a.Scheme, b.Scheme) && strings.EqualFold(named(a), named(b)) && a.EscapedPath() == b.EscapedPath()
}

// named is the host of a URL without the port that goes without saying.
func named(u *url.URL) string {
	if u.Scheme == "https" {
		return strings.TrimSuffix(u.Host, ":443")
	}
	return strings.TrimSuffix(u.Host, ":80")
}

// shown is a URL without what may be secret in it.
func shown(at string) string {
	u, err := url.Parse(at)
	if err != nil {
		return "something that is no URL"
	}
	return (&url.URL{Scheme: u.Scheme, Host: u.Host, Path: u.Path}).String()
}

// retries reports whether the overrides of a webhook URL let Twilio ask again
// when we answer 5xx or not in time.
func retries(at string) bool {
	_, fragment, _ := strings.Cut(at, "#")
	q, err := url.ParseQuery(fragment)
	if err != nil {
		return false
	}
	if count, err := strconv.Atoi(q.Get("rc")); err == nil && count == 0 {
		return false
	}
	policy := strings.Split(q.Get("rp"), ",")
	return slices.Contains(policy, "all") || slices.Contains(policy, "5xx") && slices.Contains(policy, "rt")
}

// webhook checks that what people text comes to us.
func (d *twilioDoctor) webhook(a *app) checkup {
	if !d.set(a) {
		return checkup{}
	}
	at, method, _, of := d.comesIn()
	ours := d.ours(sms.MessagePath)
	set := fmt.Sprintf("set %s's webhook for incoming messages to %s%s, HTTP POST", of, ours, overrides)
	switch {
	case of == "the number" && d.number.SMSApplication != "":
		return checkup{"", "fault", fmt.Sprintf("incoming texts go to TwiML app %s, not to the number's webhook", short(d.number.SMSApplication)), "configure the number with Webhook in place of TwiML App, and " + set}
	case at == "" && of != "the number":
		return checkup{"", "fault", fmt.Sprintf("%s drops incoming texts: they reach nobody", of), "under Integration choose Send a webhook, and " + set}
	case at == "":
		return checkup{"", "fault", "the number has no webhook: incoming texts reach nobody", set}
	case !same(at, ours):
		return checkup{"", "fault", fmt.Sprintf("incoming texts go to %s, not to us", shown(at)), set}
	case !strings.EqualFold(method, http.MethodPost):
		return checkup{"", "fault", fmt.Sprintf("%s calls us by %s, which we refuse", of, cmp.Or(method, "no method")), set}
	case !retries(at):
		return checkup{"", "warning", "a text that we cannot take at once is lost: Twilio does not ask again after a 5xx or a late answer", set}
	}
	return fine("%s of %s, asked again when we cannot answer", ours, of)
}

// fallback checks that a person hears something while we are down.
func (d *twilioDoctor) fallback(a *app) checkup {
	if !d.set(a) {
		return checkup{}
	}
	at, _, fallback, of := d.comesIn()
	if !same(at, d.ours(sms.MessagePath)) {
		return checkup{} // told already
	}
	if fallback == "" || same(fallback, d.ours(sms.MessagePath)) {
		return checkup{"", "warning", "while we are down, a person who texts hears nothing: there is no fallback but us", fmt.Sprintf("make a TwiML Bin that says to text again later and to call 911 in an emergency (docs/sms.md has it), and set it as %s's fallback", of)}
	}
	return fine("%s answers while we are down", shown(fallback))
}

// voice checks that who calls the number hears the recording.
func (d *twilioDoctor) voice(a *app) checkup {
	if !d.open(a) || d.numberErr != nil {
		return checkup{}
	}
	n, ours := d.number, d.ours(sms.VoicePath)
	set := "set the number's webhook for a call that comes in to " + ours + ", HTTP POST: callers then hear 911, Poison Help and the staff's number"
	switch {
	case !n.Capabilities.Voice:
		return fine("the number takes no calls")
	case n.VoiceApplication != "" || n.Trunk != "":
		return checkup{"", "warning", "calls go to a TwiML app or a trunk", "see that callers are told that the number takes texts only, and 911; or configure it with Webhook, and " + set}
	case n.VoiceURL == "":
		return checkup{"", "warning", "who calls the number hears an error", set}
	case !same(n.VoiceURL, ours):
		return checkup{"", "warning", "calls go to " + shown(n.VoiceURL) + ", not to us", set}
	case !strings.EqualFold(n.VoiceMethod, http.MethodPost):
		return checkup{"", "warning", fmt.Sprintf("a call comes to us by %s, which we refuse", cmp.Or(n.VoiceMethod, "no method")), set}
	}
	return fine("callers hear the recording")
}

// messaging checks the Messaging Service that texts go out by.
func (d *twilioDoctor) messaging(a *app) checkup {
	if !d.open(a) {
		return checkup{}
	}
	t, sid := d.s.Twilio, short(d.service.SID)
	switch {
	case t.Service == "" && errors.Is(d.serviceErr, bot.ErrNotFound):
		return checkup{"", "warning", "none: without one Twilio answers STOP and HELP in words of its own, beside ours", "make one in the console, put the number into its sender pool, and set twilio.service to its SID"}
	case errors.Is(d.serviceErr, bot.ErrNotFound):
		return checkup{"", "fault", fmt.Sprintf("account %s has no Messaging Service %s: nothing can be sent (21701)", short(t.Account), short(t.Service)), "copy the SID that begins with MG from the console, Messaging, Services, into twilio.service"}
	case d.serviceErr != nil:
		return unread("the Messaging Service", d.serviceErr)
	case d.senderErr != nil:
		return unread("the Messaging Service's numbers", d.senderErr)
	}
	var found []checkup
	say := func(state, detail, advice string) {
		found = append(found, checkup{State: state, Detail: detail, Advice: advice})
	}
	switch {
	case t.Service == "":
		say("warning", fmt.Sprintf("%s holds the number, and twilio.service does not name it", sid), "set twilio.service to "+d.service.SID)
	case t.Number != "" && len(d.senders) == 0:
		say("fault", fmt.Sprintf("%s holds no number: nothing can be sent (21703)", sid), "put "+t.Number+" into its sender pool (console, Messaging, Services, Sender Pool)")
	case t.Number != "" && !slices.Contains(d.senders, t.Number):
		say("fault", fmt.Sprintf("%s does not hold %s: answers would come from another number", sid, t.Number), "put "+t.Number+" into its sender pool (console, Messaging, Services, Sender Pool), or set twilio.service to the one that holds it")
	}
	if len(d.senders) > 1 && !d.service.StickySender {
		say("warning", fmt.Sprintf("it has %d numbers, and a person may be answered from any", len(d.senders)), "turn its Sticky Sender on, or leave one number in its pool")
	}
	if d.service.SmartEncoding {
		say("warning", "Smart Encoding is on: Twilio may change what we send, and a text that it changed is not found again after a crash", "turn it off: what we send is folded for the wire already, with numbers and names kept")
	}
	return worst(found, fine("%s holds the number and sends what we send", sid))
}

// carriers checks that the carriers know of us.
func (d *twilioDoctor) carriers(a *app) checkup {
	if !d.open(a) || d.numberErr != nil {
		return checkup{}
	}
	phone := d.number.Phone
	pages := fmt.Sprintf("its privacy policy is %s, its terms %s", d.ours(privacyPath), d.ours(termsPath))
	switch {
	case sms.TollFree(phone):
		var v sms.Verification
		var err error
		within(a.ctx, func(ctx context.Context) { v, err = d.account.Verification(ctx, d.number.SID) })
		switch {
		case errors.Is(err, bot.ErrNotFound):
			return checkup{"", "fault", "the toll-free number is not verified: every text is blocked (30032)", "ask for its verification in the console (Phone Numbers, Regulatory Compliance); " + pages}
		case err != nil:
			return unread("the toll-free verification", err)
		case v.Status == "TWILIO_REJECTED":
			return checkup{"", "fault", "the toll-free number's verification was rejected: every text is blocked (30032)", "the console says why; mend that and hand it in again; " + pages}
		case v.Status != sms.TollFreeApproved:
			return checkup{"", "fault", fmt.Sprintf("the toll-free number's verification is not done (%s): every text is blocked until then (30032)", v.Status), "wait for Twilio's mail; tell nobody the number before"}
		}
		return fine("the toll-free number is verified")
	case !sms.TenDigit(phone):
		return fine("not looked at: %s is no number of the United States", phone)
	case errors.Is(d.serviceErr, bot.ErrNotFound):
		return checkup{"", "fault", "the number is of no registered campaign (A2P 10DLC): carriers block its texts (30034)", "register a brand and a campaign in the console (Messaging, Regulatory Compliance), which makes or takes a Messaging Service; " + pages}
	case d.serviceErr != nil:
		return checkup{} // told already
	}
	var c sms.Campaign
	var err error
	within(a.ctx, func(ctx context.Context) { c, err = d.account.Campaign(ctx, d.service.SID) })
	sid := short(d.service.SID)
	switch {
	case errors.Is(err, bot.ErrNotFound):
		return checkup{"", "fault", fmt.Sprintf("%s has no registered campaign (A2P 10DLC): carriers block its texts (30034)", sid), "register a brand and a campaign for it in the console (Messaging, Regulatory Compliance); " + pages}
	case err != nil:
		return unread("the campaign", err)
	case c.Mock:
		return checkup{"", "fault", fmt.Sprintf("the campaign of %s is a mock one, which no carrier knows (30034)", sid), "register a real brand and campaign in the console; " + pages}
	case c.Status == "FAILED":
		return checkup{"", "fault", fmt.Sprintf("the campaign of %s was rejected: carriers block its texts (30034)", sid), "the console says why; mend that and hand it in again (each review costs a fee); " + pages}
	case c.Status != sms.CampaignVerified:
		return checkup{"", "fault", fmt.Sprintf("the campaign of %s is not approved yet (%s): carriers block its texts until then (30034)", sid, c.Status), "wait for Twilio's mail, which takes days to weeks; tell nobody the number before"}
	}
	return fine("the campaign of %s is approved", sid)
}

// optOut says what Advanced Opt-Out should say: no API tells what it does.
func (d *twilioDoctor) optOut(a *app) checkup {
	d.look(a)
	if d.err != nil || !d.s.Twilio.on() {
		return checkup{}
	}
	h := d.s.house()
	both := func(id string) string { return h.Text(id, bot.English) + " " + h.Text(id, bot.Spanish) }
	c := fine("Advanced Opt-Out cannot be read; turned on, Twilio answers its keywords itself, and we do not double that")
	lines := []string{
		"In the Messaging Service turn it on with these and no others: not AYUDA, ALTO or YES, which we answer by what was said before.",
		"STOP STOPALL UNSUBSCRIBE CANCEL END QUIT REVOKE OPTOUT: " + both("fixed.stop"),
		"START UNSTOP: " + both("fixed.start"),
		"HELP INFO: " + h.Text("fixed.help", bot.English),
	}
	if sms.TollFree(d.s.Twilio.Number) {
		lines = append(lines, "STOP and UNSTOP to a toll-free number are answered by the network first, in words that nobody can change.")
	}
	c.Advice = strings.Join(lines, "\n")
	return c
}

// public checks that the public URL reaches us.
func (d *twilioDoctor) public(a *app) checkup {
	d.look(a)
	if d.err != nil || !d.s.Twilio.on() {
		return checkup{}
	}
	at := d.ours(sms.PingPath)
	status, body, err := peek(a.ctx, at)
	var cert *tls.CertificateVerificationError
	proxy := fmt.Sprintf("start the service, and see that the proxy hands /twilio/ on to %s (public.addr)", d.s.Public.Addr)
	switch {
	case errors.As(err, &cert):
		return checkup{"", "fault", fmt.Sprintf("%s has no valid certificate: %s", d.s.Public.URL, reason(cert.Err)), "Twilio calls no such address; get a certificate for that name"}
	case err != nil:
		return checkup{"", "warning", fmt.Sprintf("%s is not reached from here: %s", d.s.Public.URL, reason(err)), proxy}
	case status == http.StatusOK && body == sms.Pong:
	case status >= 300 && status < 400:
		return checkup{"", "fault", fmt.Sprintf("%s redirects elsewhere (%d): what Twilio posts would be lost", at, status), "set public.url to where it leads, or let the proxy hand /twilio/ on without a redirect"}
	case status == http.StatusBadGateway, status == http.StatusServiceUnavailable, status == http.StatusGatewayTimeout:
		return checkup{"", "warning", fmt.Sprintf("the proxy at %s does not reach us (%d)", d.s.Public.URL, status), proxy}
	default:
		return checkup{"", "fault", fmt.Sprintf("something else answers at %s (%d)", at, status), proxy + "; it may be another site, a login page or the proxy's own"}
	}
	if status, _, err := peek(a.ctx, d.ours(privacyPath)); err != nil || status != http.StatusOK {
		return checkup{"", "warning", fmt.Sprintf("%s reaches us, but not its page %s, which carriers look at", d.s.Public.URL, privacyPath), "let the proxy hand / , " + privacyPath + " and " + termsPath + " on as well"}
	}
	return fine("%s reaches us", d.s.Public.URL)
}

// peek gets a page and the first of its words.
func peek(ctx context.Context, at string) (status int, body string, err error) {
	ctx, cancel := context.WithTimeout(ctx, twilioWait)
	defer cancel()
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, at, nil)
	if err != nil {
		return 0, "", err
	}
	c := http.Client{CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
	res, err := c.Do(req)
	if err != nil {
		return 0, "", err
	}
	defer func() { _ = res.Body.Close() }()
	b, err := io.ReadAll(io.LimitReader(res.Body, 1<<10))
	return res.StatusCode, string(b), err
}

// wordings is checkWordings, where people are texted: they are told none that
// nobody approved, which is safe and may leave little to say.
func (d *twilioDoctor) wordings(a *app) checkup {
	c := checkWordings(a)
	if d.look(a); d.err == nil && d.s.Twilio.real() && c.State == "warning" {
		c.Advice = "people are texted the approved ones and the sources' own words; plumbline kb export lists what waits for approval"
	}
	return c
}

// phones is checkPhones. A number that is wrong when somebody needs it cannot be
// taken back, and to confirm one takes a call: where people are texted, one that
// wants it is a fault. The service does not stop for it.
func (d *twilioDoctor) phones(a *app) checkup {
	c := checkPhones(a)
	if d.look(a); d.err == nil && d.s.Twilio.real() && c.State == "warning" {
		c.State, c.Detail, c.Advice = "fault", c.Detail+", and residents are given them", "plumbline kb check lists them; call each and write the day into the pack's contacts"
	}
	return c
}
