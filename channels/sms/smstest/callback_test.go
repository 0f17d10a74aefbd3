package smstest_test

import (
	"net/http"
	"regexp"
	"slices"
	"strconv"
	"sync"
	"testing"
	"time"

	"plumbline/channels/sms/smstest"
)

const statusAt = public + "/status?channel=sms&key=k%201"

// said lists the states that callbacks told of a message, in the order in which
// they came.
func (f *fake) said(sid string) (list []string) {
	for _, r := range f.service.requests("/status") {
		if r.form.Get("MessageSid") == sid {
			list = append(list, r.form.Get("MessageStatus"))
		}
	}
	return list
}

func TestCallbacks(t *testing.T) {
	f := start(t, func(c *smstest.Config) { c.Account.WhatsApp = []string{ours} })
	for _, tt := range []struct {
		to   string
		code int
		want []string
	}{
		{theirs, 0, []string{"sent", "delivered"}},
		{"+19735550103", 30003, []string{"sent", "undelivered"}},
		{"+19735550104", 30034, []string{"sent", "undelivered"}},
		{"+19735550105", 30001, []string{"failed"}},
		{"whatsapp:" + theirs, 63016, []string{"failed"}}, // they never wrote
	} {
		from := ours
		if tt.code >= 60000 {
			from = "whatsapp:" + ours
		} else {
			f.Undeliverable(tt.to, tt.code)
		}
		sid := f.create("To", tt.to, "From", from, "StatusCallback", statusAt)["sid"].(string)
		f.drain()
		if got := f.said(sid); !slices.Equal(got, tt.want) {
			t.Errorf("callbacks to one who fails with %d said %q, want %q", tt.code, got, tt.want)
		}
		all := f.service.requests("/status")
		last := all[len(all)-1]
		code := ""
		if tt.code != 0 {
			code = strconv.Itoa(tt.code)
		}
		for name, want := range map[string]string{
			"SmsSid": sid, "SmsStatus": last.form.Get("MessageStatus"), "AccountSid": f.Account().SID, "From": from, "To": tt.to, "ApiVersion": "2010-04-01", "ErrorCode": code,
		} {
			if got := last.form.Get(name); got != want {
				t.Errorf("%s is %q, want %q", name, got, want)
			}
		}
		if last.path != "/status?channel=sms&key=k%201" || last.header.Get("X-Twilio-Signature") != smstest.Sign(f.Account().Token, smstest.SHA1, statusAt, last.form) {
			t.Errorf("the callback is to %s and not signed for %s", last.path, statusAt)
		}
		if done := last.form.Get("RawDlrDoneDate"); regexp.MustCompile(`^[0-9]{10}$`).MatchString(done) != (len(tt.want) == 2) {
			t.Errorf("RawDlrDoneDate is %q", done)
		}
		_, m := f.call(http.MethodGet, "/2010-04-01/Accounts/{}/Messages/"+sid+".json", nil)
		if m["status"] != tt.want[len(tt.want)-1] || tt.code == 0 != (m["error_code"] == nil) || tt.code != 0 && m["error_code"] != float64(tt.code) {
			t.Errorf("the message is then %v", m)
		}
		if n := len(f.Phone(tt.to).Texts()); n == 1 != (tt.code == 0) {
			t.Errorf("the phone that fails with %d has %d texts", tt.code, n)
		}
	}
	if got := f.Stats(); got.Delivered != 1 || got.Failed != 4 || got.Taken != 5 || got.Callbacks != 8 {
		t.Errorf("Stats = %+v, want 1 delivered, 4 failed and 8 callbacks", got)
	}
	f.faultless()
}

// Callbacks come after the answer to the create, are retried, and what is wrong
// with their reply is a fault.
func TestCallbackFaults(t *testing.T) {
	f := start(t)
	f.service.answers(func(w http.ResponseWriter, r request) { http.Error(w, "", http.StatusInternalServerError) })
	f.create("StatusCallback", statusAt)
	f.drain()
	got := f.Faults()
	if len(got) != 2 || got[0].Code != 11200 || got[0].Where != "status" || got[0].SID != f.Creates()[0].SID {
		t.Errorf("faults %+v, want 11200 for both callbacks", got)
	}
	f.service.answers(replies(204, "", ""))
	f.create("StatusCallback", statusAt)
	f.drain()
	if n := len(f.Faults()); n != 2 {
		t.Errorf("a callback answered with 204 makes %d faults, want none more", n-2)
	}
}

// So many callbacks are under way at once, and no more.
func TestCallbackWorkers(t *testing.T) {
	f := start(t, func(c *smstest.Config) { c.Workers = 3 })
	var mu sync.Mutex
	now, most := 0, 0
	f.service.answers(func(w http.ResponseWriter, r request) {
		mu.Lock()
		now++
		most = max(most, now)
		mu.Unlock()
		time.Sleep(time.Millisecond)
		mu.Lock()
		now--
		mu.Unlock()
	})
	for range 20 {
		f.create("StatusCallback", statusAt)
	}
	f.drain()
	if n := f.Stats().Callbacks; n != 40 || most > 3 || most < 1 {
		t.Errorf("%d callbacks, at most %d at once, want 40, at most 3", n, most)
	}
}

// WhatsApp's 24 hours are counted by the clock that is given.
func TestWhatsAppWindow(t *testing.T) {
	now := clock{now: time.Date(2026, 11, 30, 12, 0, 0, 0, time.UTC)}
	f := start(t, func(c *smstest.Config) { c.Account.WhatsApp, c.Now = []string{ours}, now.time })
	person := "whatsapp:" + theirs
	for _, tt := range []struct {
		writes bool
		after  time.Duration
		want   string
	}{
		{false, 0, "failed"}, {true, 0, "delivered"}, {false, 24 * time.Hour, "delivered"}, {false, time.Second, "failed"}, {true, 23 * time.Hour, "delivered"},
	} {
		if tt.writes {
			if _, err := f.Phone(person).Text(t.Context(), "hi"); err != nil {
				t.Fatal(err)
			}
		}
		now.set(now.time().Add(tt.after))
		m := f.create("To", person, "From", person[:9]+ours, "StatusCallback", statusAt)
		f.drain()
		said := f.said(m["sid"].(string))
		if got := said[len(said)-1]; got != tt.want {
			t.Errorf("%v later a text by WhatsApp is %s, want %s", tt.after, got, tt.want)
		}
	}
	if m := f.create(); m["date_created"] != "Wed, 02 Dec 2026 11:00:01 +0000" {
		t.Errorf("date_created is %v", m["date_created"])
	}
}

// A message waits for the latency, and for no longer than it is valid.
func TestLatency(t *testing.T) {
	f := start(t, func(c *smstest.Config) { c.Latency = time.Hour })
	m := f.create("ValidityPeriod", "36000", "StatusCallback", statusAt)
	if _, now := f.call(http.MethodGet, m["uri"].(string), nil); now["status"] != "queued" || now["date_sent"] != nil || now["error_code"] != nil {
		t.Errorf("the message is %v, want it queued", now)
	}
	if n := len(f.Phone(theirs).Texts()); n != 0 {
		t.Errorf("the phone has %d texts, want none yet", n)
	}
	f.Close() // drops what waits

	f = start(t, func(c *smstest.Config) { c.Latency = 1100 * time.Millisecond })
	f.create("ValidityPeriod", "1", "StatusCallback", statusAt)
	f.create("ValidityPeriod", "2")
	texts, err := f.Phone(theirs).Wait(t.Context(), func(texts []smstest.Text) bool { return len(texts) > 0 })
	if err != nil || len(texts) != 1 {
		t.Fatalf("Wait = %v, %v", texts, err)
	}
	f.drain()
	c := f.Creates()
	if c[0].Status != "failed" || c[0].Code != 30036 || c[1].Status != "delivered" || c[1].Delivered.IsZero() {
		t.Errorf("Creates = %+v, want the first failed with 30036", c)
	}
}
