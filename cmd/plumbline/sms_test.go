package main

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"plumbline/bot"
	"plumbline/channels/channeltest"
	"plumbline/channels/sms"
	"plumbline/channels/sms/smstest"
)

// The public fault cases of text messages that concern the whole service, by
// their ids; those of the adapter stand with it.

// A hotline is the service as it runs with Twilio, played on loopback.
type hotline struct {
	*smstest.Server
	t    *testing.T
	log  *channeltest.Log
	stop func() int
}

// newHotline starts a service with more settings, and Twilio with what edit makes
// of it.
func newHotline(t *testing.T, yaml string, edit func(*smstest.Config)) *hotline {
	t.Helper()
	ports, err := freePorts(1)
	if err != nil {
		t.Fatal(err)
	}
	public := ports[0]
	const base = "https://hotline.example.org"
	c := smstest.Config{
		Inbound: base + sms.MessagePath, Voice: base + sms.VoicePath, Dial: "http://" + public, Keywords: smstest.Off,
		Account: smstest.Account{SID: simAccount, Token: simToken, Numbers: []smstest.Number{{Phone: "+19735550100"}}, WhatsApp: []string{"+19735550100"}},
	}
	if edit != nil {
		edit(&c)
	}
	h := &hotline{t: t, Server: smstest.NewServer(t, c)}
	file := filepath.Join(t.TempDir(), "settings.yaml")
	settings := fmt.Sprintf(`house: {name: "Newark Water Coalition", phone: "973-555-0199", zone: America/New_York}
public: {url: %q, addr: %q}
twilio: {account: %s, number: "+19735550100", whatsapp: "+19735550100", api: %q, rate: 1000}
%s`, base, public, simAccount, h.URL(), yaml)
	if err := os.WriteFile(file, []byte(settings), 0o600); err != nil {
		t.Fatal(err)
	}
	_, log, stop := servingWith(t, map[string]string{"PLUMBLINE_TWILIO_TOKEN": simToken}, "serve", "--addr", "127.0.0.1:0", "--as-of", "2026-11-30", "--settings", file)
	h.log, h.stop = log, stop
	return h
}

// close stops the service, and wants nothing to have been wrong with it.
func (h *hotline) close() {
	h.t.Helper()
	if err := h.Drain(h.t.Context()); err != nil {
		h.t.Errorf("statuses were not taken: %v", err)
	}
	if code := h.stop(); code != exitDone {
		h.t.Errorf("serve exits with %d", code)
	}
	for _, f := range h.Faults() {
		h.t.Errorf("Twilio found wrong: %+v", f)
	}
	for line := range strings.Lines(h.log.String()) {
		if anyNumber.MatchString(line) || strings.Contains(line, simToken) {
			h.t.Errorf("the log holds a number or a key: %s", line)
		}
	}
}

// text has a person send a message.
func (h *hotline) text(from, body string) smstest.Sent {
	h.t.Helper()
	return h.send(from, smstest.Message{Body: body})
}

func (h *hotline) send(from string, m smstest.Message) smstest.Sent {
	h.t.Helper()
	sent, err := h.Phone(from).Send(h.t.Context(), m)
	if err != nil {
		h.t.Fatalf("%q was not taken: %v\n%s", m.Body, err, h.log)
	}
	return sent
}

// has waits until a phone has n texts, and returns the last.
func (h *hotline) has(address string, n int) string {
	h.t.Helper()
	ctx, cancel := context.WithTimeout(h.t.Context(), 30*time.Second)
	defer cancel()
	texts, err := h.Phone(address).Wait(ctx, func(l []smstest.Text) bool { return len(l) >= n })
	if err != nil || len(texts) != n {
		h.t.Fatalf("the phone has %d texts, want %d: %v\n%s", len(texts), n, texts, h.log)
	}
	return texts[n-1].Body
}

// until waits until something is so.
func (h *hotline) until(what string, is func() bool) {
	h.t.Helper()
	for deadline := time.Now().Add(30 * time.Second); !is(); <-time.After(5 * time.Millisecond) {
		if time.Now().After(deadline) {
			h.t.Fatalf("it is not so that %s\n%s", what, h.log)
		}
	}
}

// got reports whether a phone has a text that holds words.
func (h *hotline) got(address, words string) bool {
	return slices.ContainsFunc(h.Phone(address).Texts(), func(x smstest.Text) bool { return strings.Contains(x.Body, words) })
}

// decided waits until so many more messages were decided on.
func (h *hotline) decided(n int) {
	h.t.Helper()
	h.until(fmt.Sprintf("%d messages were decided on", n), func() bool {
		return strings.Count(h.log.String(), "msg=\"message answered\"") >= n
	})
}

const (
	ann = "+19735550101"
	bob = "+19735550102"
	cyd = "+19735550103"
	dan = "+19735550104"
)

// A resident's day, by SMS and by WhatsApp.
func TestHotline(t *testing.T) {
	t.Parallel()
	h := newHotline(t, "intake: {debounce: 0s, patience: 0s}\n", nil)
	defer h.close()
	h.text(ann, "my water is brown is my baby ok??")
	if got := h.has(ann, 2); !strings.HasPrefix(got, "This is Newark Water Coalition's automated water line, not a person.") {
		t.Errorf("after the first answer a new person gets %q", got)
	}
	if got := h.Phone(ann).Texts()[0].Body; !strings.Contains(got, "973-733-3654") || len(got) > 306 {
		t.Errorf("the answer is %q", got)
	}
	// Cases T09: the same delivery again, at once and later, is one message.
	again := smstest.Message{Body: "what is pfas"}
	sent := h.send(ann, again)
	h.has(ann, 3)
	if sent.Attempts != 1 {
		t.Errorf("posted %d times", sent.Attempts)
	}
	// The same words at once are one message; case T06: what Twilio adds is left alone.
	var wg sync.WaitGroup
	for range 3 {
		wg.Go(func() { h.send(bob, smstest.Message{Body: "does boiling water remove lead"}) })
	}
	wg.Wait()
	h.has(bob, 2)
	// A picture, an emoji, a place.
	h.send(cyd, smstest.Message{Media: []smstest.Media{{ContentType: "image/jpeg", URL: "https://example.org/x"}}})
	if got := h.has(cyd, 1); !strings.HasPrefix(got, "I can't see pictures") {
		t.Errorf("a picture gets %q", got)
	}
	h.text(cyd, "😢🚰")
	if got := h.has(cyd, 2); !strings.HasPrefix(got, "Your text reached me with no words in it.") {
		t.Errorf("an emoji gets %q", got)
	}
	h.text(cyd, strings.Repeat("a", 1600))
	h.has(cyd, 4) // an answer, and who this is
	// WhatsApp has room, and keeps its accents.
	h.text("whatsapp:"+dan, "cuanto plomo es seguro en el agua")
	h.has("whatsapp:"+dan, 2)
	if got := h.Phone("whatsapp:" + dan).Texts()[0].Body; !strings.Contains(got, "límite legal") || !strings.Contains(got, "\n\n") {
		t.Errorf("by WhatsApp the answer is %q", got)
	}
	if n := len(h.Phone(dan).Texts()); n > 0 {
		t.Errorf("an answer to WhatsApp came by SMS: %d", n)
	}
	// Case T24: who cannot be answered is not, and stops nobody.
	for _, from := range []string{"68849", "SUPPORT"} {
		h.text(from, "hello")
	}
	h.text(dan, "my dad is not breathing")
	if got := h.has(dan, 1); !strings.HasPrefix(got, "Call 911 now.") {
		t.Errorf("an emergency gets %q", got)
	}
	// A call.
	call, err := h.Phone(ann).Call(t.Context(), "")
	if err != nil || !strings.Contains(fmt.Sprint(call), "911") || !strings.Contains(fmt.Sprint(call), "Poison Help") {
		t.Errorf("a call gets %+v, %v", call, err)
	}
}

// Cases T16, T18 and T26, and what Twilio's own words do: an opt-out is one
// whoever heard it, and confirmed once.
func TestHotlineConsent(t *testing.T) {
	t.Parallel()
	h := newHotline(t, "intake: {debounce: 0s, patience: 0s}\n", func(c *smstest.Config) {
		c.Keywords = smstest.Advanced
		c.Account.Services = []smstest.Service{{SID: "MG00000000000000000000000000000001", Senders: []string{"+19735550100"}, OnNumber: true}}
	})
	defer h.close()
	ours := func(address string) (n int) {
		for _, x := range h.Phone(address).Texts() {
			if !x.Vendor {
				n++
			}
		}
		return n
	}
	for _, word := range []string{"sToP", "HELP", "START"} {
		h.text(ann, word)
	}
	h.decided(3)
	if n := ours(ann); n != 0 {
		t.Errorf("words that Twilio answered got %d texts of ours, want none: %v", n, h.Phone(ann).Texts())
	}
	h.text(ann, "what is pfas") // back
	h.until("a question after START is answered", func() bool { return ours(ann) == 2 })
	// In our own words it is confirmed by us, once.
	h.text(ann, "please stop sending me these messages")
	h.text(ann, "stop texting me")
	h.text(ann, "is brown water safe")
	h.decided(7)
	h.until("an opt-out in other words is confirmed", func() bool { return h.got(ann, "you are unsubscribed") })
	// 21610: Twilio knows of an opt-out that we do not.
	h.text(cyd, "does boiling water remove lead")
	h.has(cyd, 2)
	h.Next(smstest.OptedOut)
	h.text(cyd, "what is pfas")
	h.until("the ledger has what Twilio knows", func() bool { return len(h.Rejections()) == 1 && h.Rejections()[0].To == cyd })
	h.until("the text failed", func() bool { return strings.Contains(h.log.String(), "code 21610") })
	tried := h.Stats().Creates
	h.text(cyd, "is brown water safe")
	h.text(cyd, "is there a safe amount of lead in water")
	h.decided(11)
	h.text(dan, "PERSON")
	h.has(dan, 1)
	if n := h.Stats().Creates; n != tried+1 || len(h.Phone(cyd).Texts()) != 2 {
		t.Errorf("after 21610 %d more texts were tried, want the one to somebody else", n-tried)
	}
	// Case T21: a yes that Twilio takes for START is the answer to what was offered.
	const eve = "+19735550105"
	h.text(eve, "is the wildfire smoke bad for my kid today outside")
	h.until("an offer is made", func() bool { return ours(eve) == 2 })
	h.text(eve, "YES")
	h.until("yes is answered", func() bool { return ours(eve) == 3 })
	if !h.got(eve, "AirNow") && !h.got(eve, "smoke") {
		t.Errorf("yes to an offer gets %v", h.Phone(eve).Texts())
	}
	if n := ours(ann); n != 3 {
		t.Errorf("an opt-out in other words, twice, and a question get %d texts in all: %v", n, h.Phone(ann).Texts())
	}
}

// Case T23: a phone that answers by itself is answered a few times, and the
// person who has it is heard.
func TestHotlineMachine(t *testing.T) {
	t.Parallel()
	h := newHotline(t, "intake: {debounce: 0s, patience: 0s, repeat: 0s}\n", nil)
	defer h.close()
	for range 20 {
		h.text(ann, "I'm driving and will reply later")
	}
	h.text(ann, "does boiling water remove lead")
	h.until("a question after that is answered", func() bool { return h.got(ann, "No. Boiling does not remove lead.") })
	if n := len(h.Phone(ann).Texts()); n > 6 || n < 3 {
		t.Errorf("a machine that sent 20 texts, and then a question, got %d texts, want 3 to 6 with who this is", n)
	}
}

// Cases T13, T14 and T35: a webhook is answered at once however long an answer
// takes; one that Twilio does not take is sent later, once.
func TestHotlineVendorFails(t *testing.T) {
	t.Parallel()
	h := newHotline(t, "intake: {debounce: 0s, patience: 0s}\n", nil)
	defer h.close()
	h.Next(smstest.Garbled)
	h.text(ann, "what is pfas")
	h.has(ann, 2)
	h.Next(smstest.CutAfter, smstest.None, smstest.CutBefore)
	h.text(bob, "what is pfas")
	h.has(bob, 2)
	h.Next(smstest.Throttled, smstest.Broken)
	sent := h.text(cyd, "does boiling water remove lead")
	h.has(cyd, 2)
	if took := sent.Acked.Sub(sent.At); took > 10*time.Second {
		t.Errorf("acknowledged after %v", took)
	}
	// Case T26: what WhatsApp no longer lets through is told, and not sent again.
	h.Undeliverable("whatsapp:"+ann, 63016)
	h.text("whatsapp:"+ann, "what is pfas")
	h.until("staff are told why", func() bool { return strings.Contains(h.log.String(), "invalid (63016)") })
	// Undeliverable is told, and not sent again.
	h.Undeliverable(dan, 30003)
	h.text(dan, "what is pfas")
	sends := func() (n int) {
		for _, c := range h.Creates() {
			if c.To == dan {
				n++
			}
		}
		return n
	}
	h.until("two texts were sent to a phone out of reach", func() bool { return sends() == 2 })
	if err := h.Drain(t.Context()); err != nil {
		t.Fatal(err)
	}
	h.text(ann, "MORE")
	h.has(ann, 3)
	if n := sends(); n != 2 || !strings.Contains(h.log.String(), "invalid (30003)") {
		t.Errorf("a phone out of reach was sent %d texts, want the answer and who this is, once each, and the log to tell", n)
	}
}

// What settings lack is told before anybody is texted, all at once.
func TestTwilioSettings(t *testing.T) {
	for _, tt := range []struct {
		name, yaml string
		env        map[string]string
		want       []string // that the error holds
	}{
		{"Off", "", nil, nil},
		{"Loopback", "public: {url: 'https://h.example.org'}\ntwilio: {account: AC00000000000000000000000000000000, number: '+19735550100', api: 'http://127.0.0.1:1'}\n", map[string]string{"PLUMBLINE_TWILIO_TOKEN": "t"}, nil},
		{"NothingButTheAccount", "twilio: {account: AC1}\n", nil, []string{"twilio.account is not", "twilio.number is not set", "PLUMBLINE_TWILIO_TOKEN is not set", "public.url is not set", "house.name", "house.phone", "duty.hours", "duty.retention", "duty.threats", "duty.reporting", "duty.numbers", "duty.wordings"}},
		{"Wrong", "twilio: {account: AC00000000000000000000000000000000, number: '973-555-0100', service: MG1, key: SK1, rate: 0, api: 'http://example.org', quiet: {from: '25:00', until: ''}, token_file: /nowhere, shared_key: k}\npublic: {url: 'hotline', addr: x}\n", nil,
			[]string{"twilio.number is", "twilio.service is not", "twilio.key is not", "twilio.rate is 0", "twilio.api is", "25:00", "there is no file /nowhere", "PLUMBLINE_TWILIO_SECRET is not set", "twilio.shared_key and", "public.url is", "public.addr is"}},
		{"Real", `house: {name: C, phone: 973-555-0199}
public: {url: 'https://h.example.org'}
twilio: {account: AC00000000000000000000000000000000, number: '+19735550100'}
duty: {hours: A, retention: B, threats: C, reporting: D, numbers: E, wordings: F}
`, map[string]string{"PLUMBLINE_TWILIO_TOKEN": "t"}, nil},
	} {
		t.Run(tt.name, func(t *testing.T) {
			file := filepath.Join(t.TempDir(), "s.yaml")
			if err := os.WriteFile(file, []byte(tt.yaml), 0o600); err != nil {
				t.Fatal(err)
			}
			s, err := loadSettings(file, func(k string) string { return tt.env[k] })
			if (err != nil) != (len(tt.want) > 0) {
				t.Fatalf("loadSettings = %v, want an error: %t", err, len(tt.want) > 0)
			}
			for _, want := range tt.want {
				if !strings.Contains(err.Error(), want) {
					t.Errorf("the error lacks %q: %v", want, err)
				}
			}
			if tt.name == "Real" && !s.Twilio.real() || tt.name == "Loopback" && s.Twilio.real() {
				t.Errorf("real is %t", s.Twilio.real())
			}
			if got := fmt.Sprintf("%+v %#v", s, s); strings.Contains(got, `"t"`) {
				t.Errorf("a secret is printed: %s", got)
			}
		})
	}
}

func TestQuietHours(t *testing.T) {
	zone, err := time.LoadLocation("America/New_York")
	if err != nil {
		t.Fatal(err)
	}
	at := func(day, hour, minute int) time.Time { return time.Date(2026, 11, day, hour, minute, 0, 0, zone) }
	for _, tt := range []struct {
		q         quietSettings
		now, want time.Time
	}{
		{quietSettings{"21:00", "08:00"}, at(30, 20, 59), at(30, 20, 59)},
		{quietSettings{"21:00", "08:00"}, at(29, 21, 0), at(30, 8, 0)},
		{quietSettings{"21:00", "08:00"}, at(30, 7, 59), at(30, 8, 0)},
		{quietSettings{"21:00", "08:00"}, at(30, 8, 0), at(30, 8, 0)},
		{quietSettings{"12:00", "13:30"}, at(30, 12, 30), at(30, 13, 30)},
		{quietSettings{"12:00", "13:30"}, at(30, 14, 0), at(30, 14, 0)},
		{quietSettings{"", ""}, at(30, 3, 0), at(30, 3, 0)},
		{quietSettings{"08:00", "08:00"}, at(30, 8, 0), at(30, 8, 0)},
		{quietSettings{"21:00", "08:00"}, at(1, 0, 30), at(1, 8, 0)}, // the clocks go back that night
	} {
		if got := tt.q.ends(tt.now.UTC(), zone); !got.Equal(tt.want) {
			t.Errorf("quiet %v at %v ends %v, want %v", tt.q, tt.now, got, tt.want)
		}
	}
	s := defaultSettings()
	s.House.zone = zone
	night, asked := at(30, 3, 0), at(30, 3, 0).Add(-time.Minute)
	for _, tt := range []struct {
		name string
		d    bot.Delivery
		held bool
	}{
		{"Answer", bot.Delivery{Asked: asked}, false},
		{"Unasked", bot.Delivery{Unasked: true}, true},
		{"LongAgo", bot.Delivery{Asked: asked.Add(-2 * time.Hour)}, true},
		{"StopConfirmed", bot.Delivery{Expires: night.Add(time.Minute)}, false},
		{"Web", bot.Delivery{Unasked: true, To: bot.Address{Channel: "web"}}, false},
	} {
		if tt.d.To.Channel == "" {
			tt.d.To.Channel = sms.SMS
		}
		if got := s.hold(tt.d, night); got.After(night) != tt.held {
			t.Errorf("%s: may go out %v, held %t, want %t", tt.name, got, got.After(night), tt.held)
		}
	}
	if d := (bot.Delivery{To: bot.Address{Channel: sms.SMS}, Text: strings.Repeat("a", 306)}); s.pace(d) != 2*time.Second {
		t.Errorf("two segments take %v, want 2s", s.pace(d))
	}
	late := bot.Delivery{Asked: asked, Composed: night.Add(-11 * time.Minute), Language: bot.Spanish}
	if got := s.lead(late, night); !strings.HasPrefix(got, "Perdone la demora.") {
		t.Errorf("a late text begins with %q", got)
	}
	late.Composed = night.Add(-time.Minute)
	if got := s.lead(late, night); got != "" {
		t.Errorf("a text in time begins with %q", got)
	}
}

// With senders that reach people, wordings that nobody approved are not told:
// the exact ones are.
func TestRealSendersTellApprovedWordings(t *testing.T) {
	a := devApp(t)
	lib, err := a.Library()
	if err != nil {
		t.Fatal(err)
	}
	var exact []string
	for c := range lib.Chunks() {
		for _, p := range c.Subsection.Paragraphs {
			exact = append(exact, p.Text("en"))
		}
	}
	lib.OnlyApproved()
	x := talkOf(t, a, "does boiling water remove lead")[0]
	if len(x.Claims) == 0 {
		t.Fatal("no claims")
	}
	for _, c := range x.Claims {
		if c.Role != bot.Next && len(c.Evidence) > 0 && !strings.HasPrefix(c.Evidence[0].Paragraph, "next.") && !slices.ContainsFunc(exact, func(e string) bool { return strings.Contains(e, c.Evidence[0].Quote) }) {
			t.Errorf("%s tells %q, which is no exact wording", c.Evidence[0].Paragraph, c.Evidence[0].Quote)
		}
	}
}
