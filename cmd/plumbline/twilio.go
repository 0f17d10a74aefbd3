package main

import (
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"net"
	"net/http"
	"net/url"
	"regexp"
	"strings"
	"time"

	"plumbline/bot"
	"plumbline/channels/sms"
	"plumbline/internal/gsm7"
	"plumbline/internal/secret"
	"plumbline/pipeline"
	"plumbline/sessions/sqlstore"
)

// publicSettings are where the world reaches us: vendors' webhooks and the pages
// that carriers ask for, and nothing else.
type publicSettings struct {
	URL  string `yaml:"url" env:"URL"`   // as vendors call it
	Addr string `yaml:"addr" env:"ADDR"` // where a proxy hands it on to
}

// twilioSettings are the account that texts go through. Its secrets come from
// the environment (PLUMBLINE_TWILIO_TOKEN, _SECRET, _SHARED) or from files.
type twilioSettings struct {
	Account    string        `yaml:"account" env:"ACCOUNT"`         // AC…; empty for no text messages
	Number     string        `yaml:"number" env:"NUMBER"`           // that people text
	WhatsApp   string        `yaml:"whatsapp" env:"WHATSAPP"`       // the same on WhatsApp; empty for none
	Service    string        `yaml:"service" env:"SERVICE"`         // Messaging Service, MG…; empty to send from the number
	TokenFile  string        `yaml:"token_file" env:"TOKEN_FILE"`   // holds the auth token, which signs webhooks
	Key        string        `yaml:"key" env:"KEY"`                 // API key, SK…, to call with in place of the token
	SecretFile string        `yaml:"secret_file" env:"SECRET_FILE"` // holds its secret
	SharedKey  string        `yaml:"shared_key" env:"SHARED_KEY"`   // name of a shared key that signs webhooks
	SharedFile string        `yaml:"shared_file" env:"SHARED_FILE"` // holds it
	API        string        `yaml:"api" env:"API"`                 // where Twilio is
	Rate       float64       `yaml:"rate" env:"RATE"`               // segments a second that go out
	Fold       bool          `yaml:"fold"`                          // write Spanish without its accents where that saves a segment
	Quiet      quietSettings `yaml:"quiet"`                         // when nothing goes out that nobody just asked for

	token, secret, shared secret.Text
}

// quietSettings are hours of the day in house.zone. From may lie after Until.
type quietSettings struct {
	From  string `yaml:"from"`
	Until string `yaml:"until"`
}

// dutySettings are who answers for what real people meet: persons, by name.
type dutySettings struct {
	Hours     string `yaml:"hours"`     // who is there, and when
	Retention string `yaml:"retention"` // how long what people text is kept
	Threats   string `yaml:"threats"`   // what is done about threats
	Reporting string `yaml:"reporting"` // what must be reported, and to whom
	Numbers   string `yaml:"numbers"`   // who approved the telephone numbers that are given out
	Wordings  string `yaml:"wordings"`  // and the fixed texts
}

func defaultTwilio() twilioSettings {
	return twilioSettings{API: sms.API, Rate: 1, Fold: true, Quiet: quietSettings{"21:00", "08:00"}}
}

func (t *twilioSettings) fromEnv(getenv func(string) string) {
	for name, to := range map[string]*secret.Text{"TOKEN": &t.token, "SECRET": &t.secret, "SHARED": &t.shared} {
		if v := getenv(envPrefix + "TWILIO_" + name); v != "" {
			*to = secret.New(v)
		}
	}
}

// on reports whether texts go through Twilio.
func (t *twilioSettings) on() bool { return t.Account != "" }

// real reports whether they reach people: all but an address of this machine does.
func (t *twilioSettings) real() bool {
	if !t.on() {
		return false
	}
	u, err := url.Parse(t.API)
	return err != nil || !loopback(u.Hostname())
}

func loopback(host string) bool {
	ip := net.ParseIP(host)
	return host == "localhost" || ip != nil && ip.IsLoopback()
}

var (
	accountSID = regexp.MustCompile(`^AC[0-9a-f]{32}$`)
	serviceSID = regexp.MustCompile(`^MG[0-9a-f]{32}$`)
	keySID     = regexp.MustCompile(`^SK[0-9a-f]{32}$`)
	e164       = regexp.MustCompile(`^\+[1-9][0-9]{6,14}$`)
)

func (p *publicSettings) check(wrong func(bool, string, ...any)) {
	if u, err := url.Parse(p.URL); p.URL != "" {
		wrong(err != nil || u.Scheme != "https" && !(u.Scheme == "http" && loopback(u.Hostname())) || u.Host == "" || u.RawQuery != "" || u.Fragment != "" || u.User != nil,
			"public.url is %q; write one such as https://hotline.example.org", p.URL)
	}
	if _, _, err := net.SplitHostPort(p.Addr); err != nil {
		wrong(true, "public.addr is %q; write HOST:PORT, such as 127.0.0.1:8081", p.Addr)
	}
}

func (d *dutySettings) check(wrong func(bool, string, ...any)) {
	for name, v := range d.all() {
		wrong(strings.TrimSpace(v) != v || len(v) > 200, "duty.%s is not a name", name)
	}
}

func (d *dutySettings) all() map[string]string {
	return map[string]string{"hours": d.Hours, "retention": d.Retention, "threats": d.Threats, "reporting": d.Reporting, "numbers": d.Numbers, "wordings": d.Wordings}
}

func (t *twilioSettings) check(wrong func(bool, string, ...any)) {
	wrong(t.on() && !accountSID.MatchString(t.Account), "twilio.account is not an account's SID: AC and 32 digits, as the console shows it")
	wrong(t.Service != "" && !serviceSID.MatchString(t.Service), "twilio.service is not a Messaging Service's SID: MG and 32 digits")
	wrong(t.Key != "" && !keySID.MatchString(t.Key), "twilio.key is not an API key's SID: SK and 32 digits")
	wrong(t.Number != "" && !e164.MatchString(t.Number), "twilio.number is %q; write it such as +19735550100", t.Number)
	wrong(t.WhatsApp != "" && !e164.MatchString(t.WhatsApp), "twilio.whatsapp is %q; write it such as +19735550100", t.WhatsApp)
	wrong(!(t.Rate > 0 && t.Rate <= 10000), "twilio.rate is %v; write segments a second, such as 1", t.Rate)
	if u, err := url.Parse(t.API); err != nil || u.Host == "" || u.Scheme != "https" && !(u.Scheme == "http" && loopback(u.Hostname())) {
		wrong(true, "twilio.api is %q; write %s", t.API, sms.API)
	}
	if _, _, err := t.Quiet.hours(); err != nil {
		wrong(true, "twilio.quiet: %v", err)
	}
	for _, f := range []struct {
		file string
		to   *secret.Text
		what string
	}{{t.TokenFile, &t.token, "token_file"}, {t.SecretFile, &t.secret, "secret_file"}, {t.SharedFile, &t.shared, "shared_file"}} {
		if f.file == "" || !f.to.IsZero() {
			continue
		}
		b, err := readFile(f.file, maxKey)
		if errors.Is(err, fs.ErrNotExist) {
			wrong(true, "twilio.%s: there is no file %s", f.what, f.file)
		} else if err != nil {
			wrong(true, "twilio.%s: %v", f.what, err)
		} else {
			*f.to = secret.New(strings.TrimSpace(string(b)))
		}
	}
	if !t.on() {
		return
	}
	wrong(t.Number == "" && t.WhatsApp == "", "twilio.number is not set: the number that people text")
	wrong(t.token.IsZero() && t.shared.IsZero(), "PLUMBLINE_TWILIO_TOKEN is not set, nor twilio.token_file: without it no webhook is believed")
	wrong(t.token.IsZero() && t.Key == "", "there is nothing to call Twilio with: set PLUMBLINE_TWILIO_TOKEN, or twilio.key and its secret")
	wrong(t.Key != "" && t.secret.IsZero(), "PLUMBLINE_TWILIO_SECRET is not set, nor twilio.secret_file: the secret of twilio.key")
	wrong((t.SharedKey == "") != t.shared.IsZero(), "twilio.shared_key and PLUMBLINE_TWILIO_SHARED go together: the name of a shared key, and the key")
}

// lacks lists what the settings must say before people are texted.
func (s *settings) lacks() (list []string) {
	if s.Public.URL == "" {
		list = append(list, "public.url is not set: where Twilio reaches us")
	}
	if !s.Twilio.real() {
		return list
	}
	if s.House.Name == "" {
		list = append(list, "house.name is not set: who texts")
	}
	if s.House.Phone == "" {
		list = append(list, "house.phone is not set: whom people call for a person")
	}
	for _, d := range []struct{ name, what string }{
		{"hours", "who answers for the hours in which staff are there"}, {"retention", "who answers for how long texts are kept"},
		{"threats", "who answers for what is done about threats"}, {"reporting", "who answers for what must be reported"},
		{"numbers", "who approved the telephone numbers that are given out (plumbline kb check)"}, {"wordings", "who approved the fixed texts (plumbline kb export)"},
	} {
		if s.Duty.all()[d.name] == "" {
			list = append(list, fmt.Sprintf("duty.%s is not set: %s, by name", d.name, d.what))
		}
	}
	return list
}

// hours are when quiet begins and ends, since midnight. Both are 0 for never.
func (q quietSettings) hours() (from, until time.Duration, err error) {
	if q.From == "" && q.Until == "" {
		return 0, 0, nil
	}
	for _, h := range []struct {
		said string
		to   *time.Duration
	}{{q.From, &from}, {q.Until, &until}} {
		t, err := time.Parse("15:04", h.said)
		if err != nil {
			return 0, 0, fmt.Errorf("%q is not an hour; write from and until such as 21:00", h.said)
		}
		*h.to = time.Duration(t.Hour())*time.Hour + time.Duration(t.Minute())*time.Minute
	}
	return from, until, nil
}

// ends is when quiet ends if it is quiet at now, else now.
func (q quietSettings) ends(now time.Time, zone *time.Location) time.Time {
	from, until, err := q.hours()
	if err != nil || from == until {
		return now
	}
	if zone != nil {
		now = now.In(zone)
	}
	y, m, d := now.Date()
	at := time.Duration(now.Hour())*time.Hour + time.Duration(now.Minute())*time.Minute + time.Duration(now.Second())*time.Second
	h, min := int(until/time.Hour), int(until%time.Hour/time.Minute)
	switch {
	case from < until && at >= from && at < until, from > until && at < until:
		return time.Date(y, m, d, h, min, 0, 0, now.Location())
	case from > until && at >= from:
		return time.Date(y, m, d+1, h, min, 0, 0, now.Location())
	}
	return now
}

// askedFor is how long an answer is something that a person just asked for.
const askedFor = time.Hour

// hold is when a text may go out: what nobody just asked for waits for the end
// of the quiet hours.
func (s *settings) hold(d bot.Delivery, now time.Time) time.Time {
	if d.To.Channel != sms.SMS && d.To.Channel != sms.WhatsApp {
		return now
	}
	if asked := !d.Unasked && !d.Asked.IsZero() && now.Sub(d.Asked) < askedFor; asked || !d.Expires.IsZero() {
		return now
	}
	return s.Twilio.Quiet.ends(now, s.House.zone)
}

// pace is how long a channel rests after a text.
func (s *settings) pace(d bot.Delivery) time.Duration {
	switch d.To.Channel {
	case sms.SMS:
		return time.Duration(float64(gsm7.Count(d.Says()).Segments) / s.Twilio.Rate * float64(time.Second))
	case sms.WhatsApp:
		return time.Duration(float64(time.Second) / max(s.Twilio.Rate, 10)) // it takes many
	}
	return 0
}

// lead is what a text begins with that was ready long ago.
func (s *settings) lead(d bot.Delivery, now time.Time) string {
	if d.Asked.IsZero() || d.Composed.IsZero() || now.Sub(d.Composed) < late {
		return ""
	}
	return s.house().Text("fixed.late", d.Language)
}

// write is a text of our own as a channel is sent it.
func (s *settings) write(channel string, r bot.Reply) bot.Reply {
	if channel == sms.SMS {
		fit := pipeline.FitOf(channel)
		fit.Accents = !s.Twilio.Fold
		r.Text = fit.Send(r.Text, r.Language)
	}
	return r
}

func (t *twilioSettings) credentials() sms.Credentials {
	return sms.Credentials{Account: t.Account, Token: t.token, Key: t.Key, Secret: t.secret}
}

// texter is Twilio's side of the service.
type texter struct {
	sender *sms.Sender
	hook   *sms.Hook
	pages  *pages
}

func newTexter(s settings, in bot.Receiver, store *sqlstore.Store, m *meters, log *slog.Logger) (*texter, error) {
	t := s.Twilio
	shared := map[string]secret.Text{}
	if t.SharedKey != "" {
		shared[t.SharedKey] = t.shared
	}
	number := t.Number
	if number == "" {
		number = t.WhatsApp
	}
	house := s.house()
	hook, err := sms.NewHook(sms.HookConfig{
		PublicURL: s.Public.URL, Account: t.Account, Number: number, Verifier: sms.Verifier{Token: t.token, Shared: shared},
		Receiver: in, Settler: store, Settled: m.settled, Now: time.Now, Log: log,
		Voice: []sms.Spoken{{Language: bot.English, Text: house.Text("fixed.voice", bot.English)}, {Language: bot.Spanish, Text: house.Text("fixed.voice", bot.Spanish)}},
	})
	if err != nil {
		return nil, err
	}
	sender := sms.NewSender(sms.SenderConfig{
		Credentials: t.credentials(), API: t.API, Service: t.Service, Number: number, PublicURL: s.Public.URL,
		Leads: []string{house.Text("fixed.late", bot.English), house.Text("fixed.late", bot.Spanish)}, Known: store.Known, Now: time.Now, Log: log,
	})
	pages, err := newPages(s)
	if err != nil {
		return nil, err
	}
	return &texter{sender, hook, pages}, nil
}

// open is what the world sees of the service: webhooks, the pages that carriers
// ask for, and that it lives.
func (sv *service) open() http.Handler {
	mux := http.NewServeMux()
	mux.HandleFunc("GET /healthz", func(w http.ResponseWriter, r *http.Request) { fmt.Fprintln(w, "ok") })
	mux.Handle("/", sv.texter.pages.before(sv.texter.hook.Routes()))
	return mux
}
