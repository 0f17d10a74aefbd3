package main

import (
	"context"
	"crypto/tls"
	"fmt"
	"io"
	"log"
	"net"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"plumbline/bot"
	"plumbline/channels/sms"
	"plumbline/channels/sms/smstest"
	"plumbline/kb"
)

// A setup is what an operator has set up at Twilio and in front of us.
type setup struct {
	smstest.Account
	public   http.HandlerFunc
	unheard  bool // nothing answers at the public URL
	distrust bool // no certificate is believed
}

const (
	ourURL     = "https://hotline.example.org"
	ourNumber  = "+19735550100"
	ourService = "MG00000000000000000000000000000001"
	ourKey     = "SK00000000000000000000000000000001"
)

// rightSetup is a setup that is as docs/sms.md says.
func rightSetup() *setup {
	s := &setup{public: func(w http.ResponseWriter, r *http.Request) {
		switch r.URL.Path {
		case sms.PingPath:
			_, _ = io.WriteString(w, sms.Pong)
		case privacyPath:
		default:
			http.NotFound(w, r)
		}
	}}
	s.Account = smstest.Account{
		SID: "AC00000000000000000000000000000001", Token: "right", Keys: map[string]smstest.Key{ourKey: {Secret: "right"}},
		Numbers: []smstest.Number{{Phone: ourNumber, VoiceURL: ourURL + sms.VoicePath}},
		Services: []smstest.Service{{
			SID: ourService, Senders: []string{ourNumber}, InboundURL: ourURL + sms.MessagePath + overrides, FallbackURL: "https://handler.twilio.com/twiml/EH00000000000000000000000000000001",
			StickySender: true, Campaigns: []smstest.Campaign{{Status: sms.CampaignVerified}},
		}},
	}
	return s
}

// serve is what a host that is called by TLS answers: the fake of Twilio, and
// what is in front of us.
func (s *setup) serve(t *testing.T) http.Handler {
	at, err := url.Parse(smstest.NewServer(t, smstest.Config{Account: s.Account}).URL())
	if err != nil {
		t.Fatal(err)
	}
	twilio := httputil.NewSingleHostReverseProxy(at)
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch api, messaging := strings.HasPrefix(r.URL.Path, "/2010-04-01/"), strings.HasPrefix(r.URL.Path, "/v1/"); {
		case r.Host == "hotline.example.org":
			s.public(w, r)
		case api && r.Host == "api.twilio.com", messaging && r.Host == "messaging.twilio.com":
			twilio.ServeHTTP(w, r)
		default:
			http.Error(w, "not here", http.StatusNotFound)
		}
	})
}

// world makes s all that can be reached by TLS until the test ends.
func (s *setup) world(t *testing.T) {
	srv := httptest.NewUnstartedServer(s.serve(t))
	srv.Config.ErrorLog = log.New(io.Discard, "", 0)
	srv.StartTLS()
	t.Cleanup(srv.Close)
	before := http.DefaultTransport
	t.Cleanup(func() { http.DefaultTransport = before })
	tr := before.(*http.Transport).Clone()
	tr.Proxy = nil
	tr.DisableKeepAlives = true
	tr.DialTLSContext = func(ctx context.Context, network, addr string) (net.Conn, error) {
		host, _, _ := net.SplitHostPort(addr)
		if host == "hotline.example.org" && s.unheard {
			return nil, &net.OpError{Op: "dial", Net: network, Err: fmt.Errorf("connection refused")}
		}
		d := tls.Dialer{Config: &tls.Config{ServerName: host, InsecureSkipVerify: host != "hotline.example.org" || !s.distrust}}
		return d.DialContext(ctx, network, srv.Listener.Addr().String())
	}
	http.DefaultTransport = tr
}

// guideSettings are the settings that docs/sms.md shows.
func guideSettings(t *testing.T) string {
	t.Helper()
	b, err := os.ReadFile("../../docs/sms.md")
	if err != nil {
		t.Fatal(err)
	}
	m := regexp.MustCompile("(?s)```yaml\n(.*?)```").FindSubmatch(b)
	if m == nil {
		t.Fatal("docs/sms.md shows no settings")
	}
	return string(m[1])
}

// twilioLines asks the doctor about Twilio alone.
func twilioLines(t *testing.T, s *setup, yaml string, env map[string]string) map[string]checkup {
	t.Helper()
	s.world(t)
	file := filepath.Join(t.TempDir(), "settings.yaml")
	if err := os.WriteFile(file, []byte(yaml), 0o600); err != nil {
		t.Fatal(err)
	}
	a := &app{ctx: t.Context(), getenv: func(k string) string { return env[k] }}
	a.globals.Settings = file
	found := map[string]checkup{}
	list := checks()
	for _, c := range list[slices.IndexFunc(list, func(c check) bool { return c.name == "twilio" }):] {
		if f := c.look(a); f != (checkup{}) {
			found[c.name] = f
		}
	}
	return found
}

var rightEnv = map[string]string{"PLUMBLINE_TWILIO_TOKEN": "right"}

// What doctor prints for wrong configurations, whole.
func TestDoctorOfTwilio(t *testing.T) {
	service := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { _, _ = io.WriteString(w, "ready\n") }))
	defer service.Close()
	addr := service.Listener.Addr().String()
	whole := &app{ctx: t.Context(), getenv: func(string) string { return "" }}
	lib, err := whole.Library()
	if err != nil {
		t.Fatal(err)
	}
	seen := map[string]checkup{} // what does not differ is looked at once
	for _, c := range checks() {
		if c.name == "packs" || c.name == "safety" || c.name == "model" {
			seen[c.name] = c.look(whole)
		}
	}
	for name, wrong := range map[string]func(*setup){
		"right":       func(*setup) {},
		"wrong-token": func(s *setup) { s.Token = "another" },
		"webhook-elsewhere": func(s *setup) {
			s.Services[0].OnNumber = true
			s.Numbers[0].SMSURL, s.Numbers[0].VoiceURL = "https://demo.twilio.com/welcome/sms/reply", "https://demo.twilio.com/welcome/voice/"
		},
		"number-without-sms": func(s *setup) {
			s.Numbers[0].Incapable = true
			s.Services[0].InboundURL, s.Services[0].FallbackURL = ourURL+sms.MessagePath, ""
		},
		"service-without-number": func(s *setup) {
			s.Numbers = append(s.Numbers, smstest.Number{Phone: "+19735550177"}, smstest.Number{Phone: "+19735550178"})
			s.Services[0].Senders = []string{"+19735550177", "+19735550178"}
			s.Services[0].StickySender, s.Services[0].SmartEncoding = false, true
			s.Numbers[0].SMSURL, s.Numbers[0].SMSFallbackURL = ourURL+sms.MessagePath+"#rc=2&rp=all", ourURL+sms.MessagePath
		},
		"unregistered-campaign": func(s *setup) { s.Services[0].Campaigns = nil },
		"public-elsewhere": func(s *setup) {
			s.public = func(w http.ResponseWriter, _ *http.Request) { _, _ = io.WriteString(w, "<h1>It works!</h1>") }
		},
	} {
		t.Run(name, func(t *testing.T) {
			s := rightSetup()
			wrong(s)
			s.world(t)
			dir := t.TempDir()
			file := filepath.Join(dir, "settings.yaml")
			if err := os.WriteFile(file, []byte(guideSettings(t)+"serve:\n  addr: "+addr+"\n"), 0o600); err != nil {
				t.Fatal(err)
			}
			env := map[string]string{"PLUMBLINE_DATA": filepath.Join(dir, "state"), "PLUMBLINE_TWILIO_TOKEN": "right"}
			var out strings.Builder
			a := &app{ctx: t.Context(), std: stdio{Out: &out, Err: &out}, getenv: func(k string) string { return env[k] }}
			a.globals.Settings = file
			a.globals.AsOf.Time = time.Date(2026, time.December, 1, 0, 0, 0, 0, time.UTC)
			_, _ = a.library.get(func() (*kb.Library, error) { return lib, nil })
			list := checks()
			for i := range list {
				if found, ok := seen[list[i].name]; ok {
					list[i].look = func(*app) checkup { return found }
				}
			}
			if code := report(&out, examine(a, list)); code != exitRefused { // no number of the packs is confirmed for real people yet
				t.Errorf("doctor exits with %d, want %d", code, exitRefused)
			}
			got := strings.NewReplacer(dir, "/srv/plumbline", `\`, "/", addr, "127.0.0.1:8080").Replace(out.String())
			got = regexp.MustCompile(`\d+ of \d+ are approved`).ReplaceAllString(got, "N of N are approved")
			golden(t, filepath.Join("testdata", "doctor", name+".txt"), got)
		})
	}
}

// Each thing that can be wrong is told by the check that it belongs to, with its
// state and what to do.
func TestDoctorOfTwilioTells(t *testing.T) {
	const tollFreeNumber = "+18335550100"
	tollFree := func(status string) func(*setup) {
		return func(s *setup) {
			s.Numbers[0].Phone, s.Numbers[0].SID = tollFreeNumber, "PN00000000000000000000000000000001"
			s.Services[0].Senders, s.Services[0].Campaigns = []string{tollFreeNumber}, nil
			if status != "" {
				s.Verifications = []smstest.Verification{{Number: s.Numbers[0].SID, Status: status}}
			}
		}
	}
	number := func(change func(*smstest.Number)) func(*setup) {
		return func(s *setup) { change(&s.Numbers[0]) }
	}
	service := func(change func(*smstest.Service)) func(*setup) {
		return func(s *setup) { change(&s.Services[0]) }
	}
	none := func(s *setup) { s.Services = nil }
	unnamed := [2]string{"  service: " + ourService + "\n", ""}
	for name, tt := range map[string]struct {
		wrong        func(*setup)
		settings     [2]string // replaced in the guide's
		check, state string
		want         []string
	}{
		"Trial":     {func(s *setup) { s.Type = "Trial" }, [2]string{}, "twilio", "warning", []string{"21608", "upgrade"}},
		"Suspended": {func(s *setup) { s.Status = "suspended" }, [2]string{}, "twilio", "fault", []string{"is suspended", "30002"}},
		"NotOurs":   {func(s *setup) { s.Numbers[0].Phone, s.Services[0].Senders = "+19735550199", nil }, [2]string{}, "number", "fault", []string{"+19735550100", "21606"}},
		"App": {func(s *setup) {
			s.Services[0].OnNumber, s.Numbers[0].SMSApplication = true, "AP1234567"
		}, [2]string{}, "webhook", "fault", []string{"TwiML app", "in place of TwiML App"}},
		"NoWebhook":       {service(func(m *smstest.Service) { m.OnNumber = true }), [2]string{}, "webhook", "fault", []string{"no webhook", ourURL + sms.MessagePath + overrides}},
		"Dropped":         {service(func(m *smstest.Service) { m.InboundURL = "" }), [2]string{}, "webhook", "fault", []string{"drops incoming texts"}},
		"GET":             {service(func(m *smstest.Service) { m.InboundMethod = "GET" }), [2]string{}, "webhook", "fault", []string{"GET", "HTTP POST"}},
		"PlainHTTP":       {service(func(m *smstest.Service) { m.InboundURL = "http://hotline.example.org" + sms.MessagePath }), [2]string{}, "webhook", "fault", []string{"not to us"}},
		"SecretsNotShown": {service(func(m *smstest.Service) { m.InboundURL = "https://u:hidden@x.example.org/a?key=hidden" }), [2]string{}, "webhook", "fault", []string{"https://x.example.org/a,"}},
		"NoRetries":       {service(func(m *smstest.Service) { m.InboundURL = ourURL + sms.MessagePath }), [2]string{}, "webhook", "warning", []string{"does not ask again", "rp=5xx,ct,rt"}},
		"RetriesOff":      {service(func(m *smstest.Service) { m.InboundURL = ourURL + sms.MessagePath + "#rc=0&rp=all" }), [2]string{}, "webhook", "warning", []string{"does not ask again"}},
		"RetriesAll": {func(s *setup) {
			s.Services[0].InboundURL = "https://hotline.example.org:443" + sms.MessagePath + "#rp=all"
		}, [2]string{}, "webhook", "ok", nil},
		"NoFallback":       {service(func(m *smstest.Service) { m.FallbackURL = "" }), [2]string{}, "fallback", "warning", []string{"hears nothing", "TwiML Bin"}},
		"NoVoice":          {number(func(n *smstest.Number) { n.VoiceURL = "" }), [2]string{}, "voice", "warning", []string{ourURL + sms.VoicePath}},
		"Trunk":            {number(func(n *smstest.Number) { n.Trunk = "TK1" }), [2]string{}, "voice", "warning", []string{"trunk"}},
		"VoiceByGET":       {number(func(n *smstest.Number) { n.VoiceMethod = "GET" }), [2]string{}, "voice", "warning", []string{"GET"}},
		"NoCalls":          {number(func(n *smstest.Number) { n.Incapable = true }), [2]string{}, "voice", "ok", []string{"takes no calls"}},
		"NoService":        {none, unnamed, "messaging", "warning", []string{"none", "twilio.service"}},
		"NoServiceBlocked": {none, unnamed, "carriers", "fault", []string{"30034", ourURL + privacyPath}},
		"ServiceNotNamed":  {func(*setup) {}, unnamed, "messaging", "warning", []string{"set twilio.service to " + ourService}},
		"ServiceNotThere":  {none, [2]string{}, "messaging", "fault", []string{"21701"}},
		"ServiceEmpty":     {service(func(m *smstest.Service) { m.Senders = nil }), [2]string{}, "messaging", "fault", []string{"21703", "sender pool"}},
		"Several": {func(s *setup) {
			s.Numbers = append(s.Numbers, smstest.Number{Phone: "+19735550101"})
			s.Services[0].Senders, s.Services[0].StickySender = append(s.Services[0].Senders, "+19735550101"), false
		}, [2]string{}, "messaging", "warning", []string{"2 numbers", "Sticky Sender"}},
		"SmartEncoding":    {service(func(m *smstest.Service) { m.SmartEncoding = true }), [2]string{}, "messaging", "warning", []string{"turn it off"}},
		"InReview":         {service(func(m *smstest.Service) { m.Campaigns[0].Status = "IN_PROGRESS" }), [2]string{}, "carriers", "fault", []string{"30034", "IN_PROGRESS", "wait"}},
		"Rejected":         {service(func(m *smstest.Service) { m.Campaigns[0].Status = "FAILED" }), [2]string{}, "carriers", "fault", []string{"rejected", "hand it in again"}},
		"Mock":             {service(func(m *smstest.Service) { m.Campaigns[0].Mock = true }), [2]string{}, "carriers", "fault", []string{"mock"}},
		"TollFree":         {tollFree("TWILIO_APPROVED"), [2]string{ourNumber, tollFreeNumber}, "carriers", "ok", []string{"verified"}},
		"TollFreeNot":      {tollFree(""), [2]string{ourNumber, tollFreeNumber}, "carriers", "fault", []string{"30032", ourURL + termsPath}},
		"TollFreeWaits":    {tollFree("IN_REVIEW"), [2]string{ourNumber, tollFreeNumber}, "carriers", "fault", []string{"30032", "IN_REVIEW"}},
		"TollFreeRejected": {tollFree("TWILIO_REJECTED"), [2]string{ourNumber, tollFreeNumber}, "carriers", "fault", []string{"30032", "rejected"}},
		"OptOut":           {func(*setup) {}, [2]string{}, "optout", "ok", []string{"not AYUDA", "Newark Water Coalition: you are unsubscribed", "Staff: 973-555-0199", "OPTOUT"}},
		"Unheard":          {func(s *setup) { s.unheard = true }, [2]string{}, "public", "warning", []string{"not reached", "127.0.0.1:8081"}},
		"BadGateway": {func(s *setup) {
			s.public = func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusBadGateway) }
		}, [2]string{}, "public", "warning", []string{"proxy", "start the service"}},
		"Redirects": {func(s *setup) {
			s.public = func(w http.ResponseWriter, r *http.Request) {
				http.Redirect(w, r, "https://x.example.org/", http.StatusMovedPermanently)
			}
		}, [2]string{}, "public", "fault", []string{"redirects", "301"}},
		"NoPages": {func(s *setup) {
			s.public = func(w http.ResponseWriter, r *http.Request) {
				if r.URL.Path != sms.PingPath {
					http.NotFound(w, r)
					return
				}
				_, _ = io.WriteString(w, sms.Pong)
			}
		}, [2]string{}, "public", "warning", []string{privacyPath}},
		"NoCertificate": {func(s *setup) { s.distrust = true }, [2]string{}, "public", "fault", []string{"certificate"}},
		"WhatsAppOnly":  {func(*setup) {}, [2]string{`number: "`, `whatsapp: "`}, "number", "ok", []string{"WhatsApp only"}},
		"OtherCountry":  {func(s *setup) { s.Numbers[0].Phone, s.Services[0].Senders = "+442079460100", []string{"+442079460100"} }, [2]string{ourNumber, "+442079460100"}, "carriers", "ok", []string{"not looked at"}},
	} {
		t.Run(name, func(t *testing.T) {
			s := rightSetup()
			tt.wrong(s)
			yaml := guideSettings(t)
			if tt.settings[0] != "" {
				yaml = strings.ReplaceAll(yaml, tt.settings[0], tt.settings[1])
			}
			found := twilioLines(t, s, yaml, rightEnv)
			got := found[tt.check]
			if got.State != tt.state || (got.State != "ok") != (got.Advice != "") && tt.check != "optout" && tt.check != "number" {
				t.Errorf("%s is %+v, want %s, with advice if it is not ok", tt.check, got, tt.state)
			}
			for _, w := range tt.want {
				if !strings.Contains(got.Detail+"\n"+got.Advice, w) {
					t.Errorf("%s says %q and advises %q, want %q in it", tt.check, got.Detail, got.Advice, w)
				}
			}
			for check, c := range found {
				if all := c.Detail + c.Advice; strings.Contains(all, "hidden") || strings.Contains(all, "https:///") {
					t.Errorf("%s shows what it should not: %+v", check, c)
				}
			}
		})
	}
}

// An API key that may not read the account is no wrong one.
func TestDoctorOfTwilioWithAPIKey(t *testing.T) {
	yaml := strings.ReplaceAll(guideSettings(t), "twilio:\n", "twilio:\n  key: "+ourKey+"\n")
	env := map[string]string{"PLUMBLINE_TWILIO_TOKEN": "signs webhooks", "PLUMBLINE_TWILIO_SECRET": "right"}
	found := twilioLines(t, rightSetup(), yaml, env)
	if c := found["twilio"]; c.State != "ok" || !strings.Contains(c.Detail, "API key") {
		t.Errorf("twilio is %+v, want ok", c)
	}
	if c := found["carriers"]; c.State != "ok" {
		t.Errorf("carriers is %+v, want ok", c)
	}
	env["PLUMBLINE_TWILIO_SECRET"] = "wrong"
	found = twilioLines(t, rightSetup(), yaml, env)
	if c := found["twilio"]; c.State != "fault" || !strings.Contains(c.Advice, "twilio.key") {
		t.Errorf("twilio is %+v, want a fault of the key", c)
	}
	if _, ok := found["number"]; ok {
		t.Errorf("the number is looked at with a key that is refused")
	}
}

// Without Twilio there is one line, and nobody is called.
func TestDoctorWithoutTwilio(t *testing.T) {
	found := twilioLines(t, rightSetup(), "pack: drinking-water\n", nil)
	if c := found["twilio"]; len(found) != 1 || c.State != "ok" {
		t.Errorf("doctor says %+v, want one line that is ok", found)
	}
}

// What the guide shows is what serve takes, sends and counts.
func TestGuide(t *testing.T) {
	file := filepath.Join(t.TempDir(), "settings.yaml")
	if err := os.WriteFile(file, []byte(guideSettings(t)), 0o600); err != nil {
		t.Fatal(err)
	}
	s, err := loadSettings(file, func(k string) string { return rightEnv[k] })
	if err != nil {
		t.Fatal(err)
	}
	if lacks := s.lacks(); !s.Twilio.real() || s.Public.URL != ourURL || len(lacks) > 0 {
		t.Errorf("the guide's settings are for %q and lack %q", s.Public.URL, lacks)
	}
	b, err := os.ReadFile("../../docs/sms.md")
	if err != nil {
		t.Fatal(err)
	}
	guide := string(b)
	for _, want := range []string{ourURL + sms.MessagePath + overrides, ourURL + sms.VoicePath, ourURL + privacyPath, ourURL + termsPath, "prints the texts to paste"} {
		if !strings.Contains(guide, want) {
			t.Errorf("docs/sms.md lacks %q", want)
		}
	}
	for _, id := range []string{"fixed.first_contact", "fixed.stop", "fixed.start", "fixed.help"} {
		if want := s.house().Text(id, bot.English); !strings.Contains(guide, want) {
			t.Errorf("docs/sms.md lacks %s as it is sent: %q", id, want)
		}
	}
	counted, err := os.ReadFile("metrics.go")
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range regexp.MustCompile(`plumbline_[a-z_]+`).FindAllString(guide, -1) {
		if !strings.Contains(string(counted), name) {
			t.Errorf("docs/sms.md names %s, which is not counted", name)
		}
	}
}
