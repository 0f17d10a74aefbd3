package sms_test

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"
	"time"

	"plumbline/bot"
	"plumbline/channels/channeltest"
	"plumbline/channels/sms"
	"plumbline/channels/sms/smstest"
	"plumbline/internal/secret"
)

const service = "MG00000000000000000000000000000001"

// vendor is a fake of Twilio with our account, and a sender on it.
func vendor(t *testing.T, edit ...func(*sms.SenderConfig)) (*smstest.Server, *sms.Sender, *channeltest.Log) {
	t.Helper()
	s := smstest.NewServer(t, smstest.Config{Account: smstest.Account{
		SID: account, Token: token, Keys: map[string]smstest.Key{"SK00000000000000000000000000000000": {Secret: "key-secret"}}, WhatsApp: []string{ours},
		Numbers:  []smstest.Number{{Phone: ours}, {Phone: "+19735550109"}},
		Services: []smstest.Service{{SID: service, Senders: []string{ours, "+19735550109"}, OnNumber: true}},
	}})
	log := new(channeltest.Log)
	c := sms.SenderConfig{
		Credentials: sms.Credentials{Account: account, Token: secret.New(token)}, API: s.URL(), Number: ours, Now: time.Now,
		Log: slog.New(slog.NewTextHandler(log, &slog.HandlerOptions{Level: slog.LevelDebug})),
	}
	for _, f := range edit {
		f(&c)
	}
	return s, sms.NewSender(c), log
}

func delivery(text string) bot.Delivery {
	return bot.Delivery{Seq: 1, Fence: 1, Tries: 1, Key: "k1", Person: "p", To: bot.Address{Channel: sms.SMS, User: theirs, Thread: ours}, Text: text, Composed: time.Now()}
}

// The contract of every channel's sender, by SMS, from a Messaging Service and
// by WhatsApp.
func TestSenderContract(t *testing.T) {
	for _, tt := range []struct {
		name, channel, prefix, service string
	}{{"SMS", sms.SMS, "", ""}, {"Service", sms.SMS, "", service}, {"WhatsApp", sms.WhatsApp, "whatsapp:", ""}} {
		t.Run(tt.name, func(t *testing.T) {
			channeltest.Run(t, func(t *testing.T) channeltest.Harness {
				fake, sender, log := vendor(t, func(c *sms.SenderConfig) { c.Service = tt.service })
				if tt.channel == sms.WhatsApp { // opens the window of 24 hours; nobody is there to take it
					_, _ = fake.Phone("whatsapp:"+theirs).Text(t.Context(), "hi")
				}
				return channeltest.Harness{
					Sender: sender, To: bot.Address{Channel: tt.channel, User: theirs, Thread: ours}, Longest: sms.Longest, Wait: 7 * time.Second, Logged: log.String,
					Has: func() (list []channeltest.Text) {
						for _, f := range fake.Faults() {
							if f.Where == "create" {
								t.Errorf("Twilio found wrong: %+v", f)
							}
						}
						for _, x := range fake.Phone(tt.prefix + theirs).Texts() {
							list = append(list, channeltest.Text{Text: x.Body})
						}
						return list
					},
					Fail: func(f channeltest.Fault) {
						fake.Fail(map[channeltest.Fault]smstest.Trouble{
							channeltest.None: smstest.None, channeltest.Throttled: smstest.Throttled, channeltest.Wait: smstest.ThrottledWait(7 * time.Second), channeltest.Denied: smstest.OptedOut,
							channeltest.Permanent: smstest.NotMobile, channeltest.Broken: smstest.Broken, channeltest.Garbled: smstest.Garbled,
							channeltest.CutBefore: smstest.CutBefore, channeltest.CutAfter: smstest.CutAfter, channeltest.Hanging: smstest.Hang,
						}[f])
					},
				}
			})
		})
	}
}

// Each of Twilio's codes says what is done next.
func TestSenderErrors(t *testing.T) {
	for _, tt := range []struct {
		fault smstest.Trouble
		kind  error
		why   string
		wait  time.Duration
	}{
		{smstest.OptedOut, bot.ErrOptedOut, "denied (21610)", 0},
		{smstest.InvalidNumber, bot.ErrInvalid, "invalid (21211)", 0},
		{smstest.NotMobile, bot.ErrInvalid, "invalid (21614)", 0},
		{smstest.TooLong, bot.ErrInvalid, "invalid (21617)", 0},
		{smstest.NotPermitted, bot.ErrDenied, "denied (21408)", 0},
		{smstest.Throttled, bot.ErrUnavailable, "unavailable (20429)", 0},
		{smstest.ThrottledWait(7 * time.Second), bot.ErrUnavailable, "unavailable (20429)", 7 * time.Second},
		{smstest.Refuse(20003), bot.ErrUnavailable, "unavailable (20003)", time.Minute}, // the operator's to mend
		{smstest.Broken, bot.ErrInDoubt, "unavailable (20500)", 0},
		{smstest.Garbled, bot.ErrInDoubt, "unavailable (HTTP 503)", 0}, // case T35
		{smstest.CutAfter, bot.ErrInDoubt, "unavailable", 0},
		{smstest.CutBefore, bot.ErrInDoubt, "unavailable", 0}, // who can tell
	} {
		fake, sender, _ := vendor(t)
		fake.Fail(tt.fault)
		_, err := sender.Send(t.Context(), delivery("hello"))
		var wait bot.RetryAfter
		errors.As(err, &wait)
		if !errors.Is(err, tt.kind) || bot.Why(err) != tt.why || wait.Wait != tt.wait {
			t.Errorf("%s: %v (%s, wait %v), want %v, %s, %v", tt.fault, err, bot.Why(err), wait.Wait, tt.kind, tt.why, tt.wait)
		}
		if doubt := errors.Is(err, bot.ErrInDoubt); doubt != errors.Is(tt.kind, bot.ErrInDoubt) {
			t.Errorf("%s: in doubt %t, want %t", tt.fault, doubt, !doubt)
		}
	}
	// A server that is not there was not handed anything.
	gone := httptest.NewServer(http.NotFoundHandler())
	gone.Close()
	_, sender, _ := vendor(t, func(c *sms.SenderConfig) { c.API = gone.URL })
	if _, err := sender.Send(t.Context(), delivery("hello")); !errors.Is(err, bot.ErrUnavailable) || errors.Is(err, bot.ErrInDoubt) {
		t.Errorf("no server there: %v, want ErrUnavailable and no doubt", err)
	}
	// One that takes too long may have taken it.
	fake, sender, _ := vendor(t)
	fake.Fail(smstest.HangAfter)
	ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
	defer cancel()
	if _, err := sender.Send(ctx, delivery("hello")); !errors.Is(err, bot.ErrInDoubt) || !errors.Is(err, context.DeadlineExceeded) || len(fake.Phone(theirs).Texts()) != 1 {
		t.Errorf("no answer in time: %v, want ErrInDoubt and the deadline", err)
	}
}

// Where Twilio may have a text already it is asked first, and what is another
// delivery's is not taken for it.
func TestSenderAsksFirst(t *testing.T) {
	known := map[string]bool{}
	fake, sender, log := vendor(t, func(c *sms.SenderConfig) {
		c.Known = func(_ context.Context, channel, id string) (bool, error) { return channel == sms.SMS && known[id], nil }
		c.Leads = []string{"Sorry for the delay."}
	})
	send := func(d bot.Delivery) string {
		t.Helper()
		id, err := sender.Send(t.Context(), d)
		if err != nil {
			t.Fatalf("Send = %v", err)
		}
		return id
	}
	texts := func(want int) {
		t.Helper()
		if got := fake.Phone(theirs).Texts(); len(got) != want {
			t.Errorf("the phone has %d texts %v, want %d", len(got), got, want)
		}
	}
	again := func(text string) bot.Delivery {
		d := delivery(text)
		d.Tried, d.LastTried = true, time.Now()
		return d
	}
	one := send(delivery("one"))
	if id := send(again("one")); id != one {
		t.Errorf("a text that Twilio has is called %s, want %s", id, one)
	}
	texts(1)
	if !strings.Contains(log.String(), "text was with the vendor already") {
		t.Errorf("the log does not tell: %s", log)
	}
	known[one] = true // it is another's: ours never arrived
	if id := send(again("one")); id == one {
		t.Error("another delivery's text was taken for this one")
	}
	texts(2)
	send(again("two")) // never arrived
	texts(3)
	late := delivery("three")
	late.Lead = "Sorry for the delay."
	three := send(late)
	if id := send(again("three")); id != three {
		t.Errorf("a text that went out late is called %s, want %s", id, three)
	}
	texts(4)
	if got := fake.Phone(theirs).Texts()[3].Body; got != "Sorry for the delay. three" {
		t.Errorf("a late text reads %q", got)
	}
	// Of the same words long ago none is taken for it.
	old := again("one")
	old.Composed, old.LastTried = time.Now().Add(time.Hour), time.Now().Add(time.Hour)
	known[one] = false
	if id := send(old); id == one {
		t.Error("a text of an hour ago was taken for this one")
	}
	texts(5)
	// Nor what somebody else has.
	other := again("one")
	other.To.User = "+19735550102"
	known[one] = false
	send(other)
	if n := len(fake.Phone("+19735550102").Texts()); n != 1 {
		t.Errorf("another phone has %d texts, want 1", n)
	}
	// Who cannot be asked is not sent it again.
	fake.Close()
	if _, err := sender.Send(t.Context(), again("one")); !errors.Is(err, bot.ErrUnavailable) || errors.Is(err, bot.ErrInDoubt) {
		t.Errorf("Send while Twilio cannot be asked = %v, want ErrUnavailable", err)
	}
}

func TestSenderParameters(t *testing.T) {
	var got []map[string]string
	stub := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		_ = r.ParseForm()
		m := map[string]string{}
		for name := range r.PostForm {
			m[name] = r.PostForm.Get(name)
		}
		user, _, _ := r.BasicAuth()
		m["user"] = user
		got = append(got, m)
		w.WriteHeader(http.StatusCreated)
		fmt.Fprint(w, `{"sid":"SM1"}`)
	}))
	defer stub.Close()
	now := time.Now()
	for _, tt := range []struct {
		name string
		edit func(*sms.SenderConfig, *bot.Delivery)
		want map[string]string
	}{
		{"Number", func(*sms.SenderConfig, *bot.Delivery) {}, map[string]string{"From": ours, "MessagingServiceSid": "", "To": theirs, "ValidityPeriod": "14400", "user": account, "StatusCallback": public + "/twilio/status?channel=sms&key=k1"}},
		{"TheNumberTheyWroteTo", func(_ *sms.SenderConfig, d *bot.Delivery) { d.To.Thread = "+19735550109" }, map[string]string{"From": "+19735550109"}},
		{"NoThread", func(_ *sms.SenderConfig, d *bot.Delivery) { d.To.Thread = "" }, map[string]string{"From": ours}},
		{"Service", func(c *sms.SenderConfig, _ *bot.Delivery) { c.Service = service }, map[string]string{"From": "", "MessagingServiceSid": service}},
		{"APIKey", func(c *sms.SenderConfig, _ *bot.Delivery) { c.Credentials.Key = "SK1" }, map[string]string{"user": "SK1"}},
		{"Urgent", func(_ *sms.SenderConfig, d *bot.Delivery) { d.Urgent = true }, map[string]string{"ValidityPeriod": "3600"}},
		{"Expires", func(_ *sms.SenderConfig, d *bot.Delivery) { d.Urgent, d.Expires = true, now.Add(5*time.Minute) }, map[string]string{"ValidityPeriod": "300"}},
		{"ExpiresNow", func(_ *sms.SenderConfig, d *bot.Delivery) { d.Expires = now }, map[string]string{"ValidityPeriod": "5"}},
		// Case T25: one prefix on both.
		{"WhatsApp", func(_ *sms.SenderConfig, d *bot.Delivery) { d.To.Channel = sms.WhatsApp }, map[string]string{"From": "whatsapp:" + ours, "To": "whatsapp:" + theirs, "ValidityPeriod": "", "StatusCallback": public + "/twilio/status?channel=whatsapp&key=k1"}},
		{"NotTold", func(c *sms.SenderConfig, _ *bot.Delivery) { c.PublicURL = "" }, map[string]string{"StatusCallback": ""}},
	} {
		c := sms.SenderConfig{Credentials: sms.Credentials{Account: account, Token: secret.New(token)}, API: stub.URL, Number: ours, PublicURL: public + "/", Now: func() time.Time { return now }, Log: slog.New(slog.DiscardHandler)}
		d := delivery("hello")
		tt.edit(&c, &d)
		if _, err := sms.NewSender(c).Send(t.Context(), d); err != nil {
			t.Errorf("%s: %v", tt.name, err)
			continue
		}
		sent := got[len(got)-1]
		for name, want := range tt.want {
			if sent[name] != want {
				t.Errorf("%s: %s is %q, want %q", tt.name, name, sent[name], want)
			}
		}
	}
	// An answer without a name is no answer.
	for _, answer := range []string{`{}`, `{"sid":""}`, `[]`, `null`, `{"sid":`} {
		bad := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { fmt.Fprint(w, answer) }))
		c := sms.SenderConfig{Credentials: sms.Credentials{Account: account, Token: secret.New(token)}, API: bad.URL, Number: ours, Now: time.Now, Log: slog.New(slog.DiscardHandler)}
		if _, err := sms.NewSender(c).Send(t.Context(), delivery("hello")); !errors.Is(err, bot.ErrInDoubt) {
			t.Errorf("Send answered with %s = %v, want ErrInDoubt", answer, err)
		}
		bad.Close()
	}
}

// Every code of the issue has a kind, and those that an operator must mend are
// ones that are tried again.
func TestCodes(t *testing.T) {
	for code, want := range map[string]error{
		"21610": bot.ErrDenied, "21211": bot.ErrInvalid, "21614": bot.ErrInvalid, "30003": bot.ErrInvalid, "30004": bot.ErrDenied, "30005": bot.ErrInvalid, "30006": bot.ErrInvalid,
		"30007": bot.ErrDenied, "30008": bot.ErrInvalid, "30034": bot.ErrDenied, "63016": bot.ErrInvalid, "21617": bot.ErrInvalid, "20429": bot.ErrUnavailable, "99999": bot.ErrInvalid, "": bot.ErrInvalid,
	} {
		if got := sms.KindOf(code); !errors.Is(got, want) {
			t.Errorf("the kind of %q is %v, want %v", code, got, want)
		}
	}
	for _, code := range sms.Mends() {
		if !errors.Is(sms.KindOf(code), bot.ErrUnavailable) {
			t.Errorf("%s is the operator's to mend, and its kind is %v", code, sms.KindOf(code))
		}
	}
	if n := len(slices.Compact(sms.Mends())); n < 15 {
		t.Errorf("%d codes are the operator's to mend", n)
	}
}
