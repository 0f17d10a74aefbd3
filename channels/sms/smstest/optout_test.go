package smstest_test

import (
	"net/http"
	"slices"
	"testing"

	"plumbline/channels/sms/smstest"
)

func TestKeywords(t *testing.T) {
	// Each step is a message of the person: whether they are opted out then, what
	// OptOutType says, and whether Twilio answers.
	type step struct {
		body    string
		out     bool
		kind    string
		answers bool
	}
	course := []step{
		{"help", false, "HELP", true}, {"stop please", false, "", false}, {" sToP ", true, "STOP", true}, {"STOP", true, "STOP", false}, {"INFO", true, "HELP", false},
		{"yes", false, "START", true}, {"YES", false, "START", false},
		{"STOPALL", true, "STOP", true}, {"UNSTOP", false, "START", true}, {"Unsubscribe", true, "STOP", true}, {"START", false, "START", true},
		{"END", true, "STOP", true}, {"START", false, "START", true}, {"QUIT", true, "STOP", true}, {"START", false, "START", true}, {"CANCEL", true, "STOP", true},
		{"START", false, "START", true}, {"REVOKE", true, "STOP", true}, {"START", false, "START", true}, {"OPTOUT", true, "STOP", true}, {"START", false, "START", true},
		{"OPT OUT", false, "", false}, {"ALTO", false, "", false}, {"ARRET", false, "", false},
	}
	for _, tt := range []struct {
		name     string
		keywords smstest.Keywords
		service  bool
	}{
		{"Default", smstest.Default, false}, {"DefaultInService", smstest.Default, true}, {"Advanced", smstest.Advanced, true}, {"Off", smstest.Off, false},
	} {
		t.Run(tt.name, func(t *testing.T) {
			f := start(t, func(c *smstest.Config) {
				c.Keywords = tt.keywords
				c.Account.Numbers = []smstest.Number{{Phone: ours}, {Phone: "+19735550109"}}
				if tt.service {
					with(smstest.Service{Senders: []string{ours, "+19735550109"}})(c)
				}
			})
			p := f.Phone(theirs)
			vendor := 0
			for _, s := range course {
				out, kind := s.out, s.kind
				if tt.keywords != smstest.Advanced {
					kind = ""
				}
				if s.answers && tt.keywords != smstest.Off {
					vendor++
				}
				if tt.keywords == smstest.Off {
					out = false
				}
				if _, err := p.Text(t.Context(), s.body); err != nil {
					t.Fatal(err)
				}
				all := f.service.requests("/message")
				if r := all[len(all)-1]; r.form.Get("Body") != s.body || r.form.Get("OptOutType") != kind || r.form.Has("OptOutType") != (kind != "") {
					t.Errorf("the webhook of %q has %v, want OptOutType %q", s.body, r.form, kind)
				}
				if f.OptedOut(ours, theirs) != out || f.OptedOut("+19735550109", theirs) != (out && tt.service) {
					t.Errorf("after %q opted out is %t and of the other number %t, want %t; of both in a service", s.body, f.OptedOut(ours, theirs), f.OptedOut("+19735550109", theirs), out)
				}
				want := http.StatusCreated
				if out {
					want = http.StatusBadRequest
				}
				if res, body := f.call(http.MethodPost, messagesAt, form("Body", "after")); res.StatusCode != want || out && body["code"] != 21610.0 {
					t.Errorf("create after %q answers %d %v, want %d", s.body, res.StatusCode, body, want)
				}
			}
			got := 0
			for _, text := range p.Texts() {
				if text.Vendor {
					got++
				} else if text.Body != "after" {
					t.Errorf("text %+v is neither ours nor marked as Twilio's", text)
				}
			}
			if got != vendor {
				t.Errorf("Twilio answered %d times, want %d", got, vendor)
			}
			f.faultless()
		})
	}
	if _, err := smstest.New(smstest.Config{Keywords: smstest.Advanced}); err == nil {
		t.Error("Advanced Opt-Out without a Messaging Service is taken, want it refused")
	}
}

// WhatsApp has no keywords. RCS has those of SMS.
func TestKeywordsByChannel(t *testing.T) {
	f := start(t, with(smstest.Service{Senders: []string{ours, "rcs:agent", "whatsapp:" + ours}}), func(c *smstest.Config) {
		c.Account.WhatsApp, c.Account.RCS = []string{ours}, "rcs:agent"
	})
	if _, err := f.Phone("whatsapp:"+theirs).Text(t.Context(), "STOP"); err != nil {
		t.Fatal(err)
	}
	f.create()
	f.create("To", "whatsapp:"+theirs, "From", "whatsapp:"+ours)
	if _, err := f.Phone("rcs:"+theirs).Text(t.Context(), "STOP"); err != nil {
		t.Fatal(err)
	}
	if res, _ := f.call(http.MethodPost, messagesAt, form()); res.StatusCode != http.StatusBadRequest {
		t.Errorf("create after a STOP by RCS answers %d, want 400", res.StatusCode)
	}
	f.create("To", "whatsapp:"+theirs, "From", "whatsapp:"+ours)
	if n := len(f.Phone("whatsapp:" + theirs).Texts()); n != 2 {
		t.Errorf("by WhatsApp the phone has %d texts, want 2", n)
	}
}

// Whether a text was taken after the person's STOP was acknowledged is on
// record, whatever Twilio itself does about the word.
func TestAfterStop(t *testing.T) {
	f := start(t, func(c *smstest.Config) { c.Keywords = smstest.Off })
	p := f.Phone(theirs)
	send := func(m smstest.Message) {
		t.Helper()
		if _, err := p.Send(t.Context(), m); err != nil {
			t.Fatal(err)
		}
	}
	f.create("Body", "before")
	f.service.answers(func(w http.ResponseWriter, r request) {
		f.create("Body", "before the acknowledgement")
		twiml(empty)(w, r)
	})
	send(smstest.Message{Body: "leave me alone", Mark: smstest.Stop})
	f.create("Body", "after")
	f.create("Body", "to another", "To", "+19735550102")
	f.service.answers(twiml(empty))
	send(smstest.Message{Body: "come back", Mark: smstest.Start})
	f.create("Body", "again")
	var got []bool
	for _, c := range f.Creates() {
		got = append(got, c.AfterStop)
	}
	if want := []bool{false, false, true, false, false}; !slices.Equal(got, want) {
		t.Errorf("AfterStop = %v of before, before, after, another, again; want %v", got, want)
	}
	if n := f.Stats().AfterStop; n != 1 {
		t.Errorf("Stats count %d after STOP, want 1", n)
	}
	if sent := f.Sent(); len(sent) != 2 || sent[0].Mark != smstest.Stop || sent[0].Acked.IsZero() || sent[0].Acked.Before(sent[0].At) {
		t.Errorf("Sent = %+v", sent)
	}
}
