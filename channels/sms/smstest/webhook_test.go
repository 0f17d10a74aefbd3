package smstest_test

import (
	"errors"
	"io"
	"net/http"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"plumbline/channels/sms/smstest"
)

func TestSend(t *testing.T) {
	f := start(t, with(smstest.Service{}), func(c *smstest.Config) {
		c.Account.WhatsApp, c.Account.RCS = []string{"+19735550107"}, "rcs:agent"
		c.Headers = http.Header{"X-Forwarded-Proto": {"https"}}
	})
	service := f.Account().Services[0].SID
	for _, tt := range []struct {
		name, from string
		m          smstest.Message
		want       url.Values // empty for absent
	}{
		{"SMS", theirs, smstest.Message{Body: "¿Está bien?"}, url.Values{
			"To": {ours}, "Body": {"¿Está bien?"}, "NumMedia": {"0"}, "NumSegments": {"1"}, "SmsStatus": {"received"}, "ApiVersion": {"2010-04-01"}, "AccountSid": {f.Account().SID},
			"MessagingServiceSid": {service}, "FromState": {"NJ"}, "FromZip": {"07102"}, "FromCountry": {"US"}, "FromCity": {""}, "OptOutType": {}, "WaId": {}, "ProfileName": {},
		}},
		{"Long", theirs, smstest.Message{Body: strings.Repeat("x", 161)}, url.Values{"NumSegments": {"2"}}},
		{"MMS", theirs, smstest.Message{Media: []smstest.Media{{URL: "https://example.org/0", ContentType: "image/jpeg"}, {URL: "https://example.org/1", ContentType: "audio/amr"}}}, url.Values{
			"Body": {""}, "NumMedia": {"2"}, "MediaUrl0": {"https://example.org/0"}, "MediaContentType0": {"image/jpeg"}, "MediaUrl1": {"https://example.org/1"}, "MediaContentType1": {"audio/amr"},
		}},
		{"WhatsApp", "whatsapp:" + theirs, smstest.Message{Body: "hi"}, url.Values{"To": {"whatsapp:+19735550107"}, "WaId": {"19735550101"}, "MessagingServiceSid": {}, "FromCity": {}}},
		{"RCS", "rcs:" + theirs, smstest.Message{Body: "hi"}, url.Values{"To": {"rcs:agent"}, "FromCity": {}}},
		{"ShortCode", "68849", smstest.Message{Body: "hi"}, url.Values{"To": {ours}}},
		{"Extra", theirs, smstest.Message{Body: "hi", Extra: url.Values{"AddOns": {`{"status":"successful"}`}, "Tag": {"b", "a"}}}, url.Values{"AddOns": {`{"status":"successful"}`}, "Tag": {"b", "a"}}},
		{"Keyword", theirs, smstest.Message{Body: "Stop"}, url.Values{"OptOutType": {}}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			sent, err := f.Phone(tt.from).Send(t.Context(), tt.m)
			if err != nil {
				t.Fatal(err)
			}
			all := f.service.requests("/message")
			r := all[len(all)-1]
			prefix := "SM"
			if len(tt.m.Media) > 0 {
				prefix = "MM"
			}
			if !regexp.MustCompile("^"+prefix+"[0-9a-f]{32}$").MatchString(sent.SID) || sent.Acked.IsZero() || sent.Attempts != 1 || sent.Code != 0 || sent.From != tt.from {
				t.Errorf("Send = %+v, want it acknowledged at once", sent)
			}
			for _, name := range []string{"MessageSid", "SmsSid", "SmsMessageSid"} {
				if got := r.form.Get(name); got != sent.SID {
					t.Errorf("%s is %q, want %q", name, got, sent.SID)
				}
			}
			if r.form.Get("From") != tt.from {
				t.Errorf("From is %q, want %q", r.form.Get("From"), tt.from)
			}
			for name, want := range tt.want {
				if got := r.form[name]; len(want)+len(got) > 0 && !slices.Equal(got, want) {
					t.Errorf("%s is %q, want %q", name, got, want)
				}
			}
			if got, want := r.header.Get("X-Twilio-Signature"), smstest.Sign(f.Account().Token, smstest.SHA1, hookAt, r.form); got != want {
				t.Errorf("the signature is %q, want %q, over the public URL", got, want)
			}
			for name, want := range map[string]string{"User-Agent": "TwilioProxy/1.1", "X-Forwarded-Proto": "https", "X-Twilio-Webhooks-Signature-Settings": ""} {
				if got := r.header.Get(name); got != want {
					t.Errorf("%s is %q, want %q", name, got, want)
				}
			}
			if !regexp.MustCompile(`^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$`).MatchString(r.header.Get("I-Twilio-Idempotency-Token")) {
				t.Errorf("the idempotency token is %q, want a UUID", r.header.Get("I-Twilio-Idempotency-Token"))
			}
			if !strings.HasPrefix(r.host, "127.0.0.1:") || !strings.HasPrefix(r.header.Get("Content-Type"), "application/x-www-form-urlencoded") {
				t.Errorf("it is called as %q with %q, want the inner host and a form", r.host, r.header.Get("Content-Type"))
			}
		})
	}
	f.faultless()
	sent := f.Sent()
	if got := f.Stats(); len(sent) != 8 || got.Inbound != 8 || got.Acked != 8 || got.Webhooks != 8 || got.Lost != 0 {
		t.Errorf("%d were sent, Stats = %+v, want 8", len(sent), got)
	}
	if _, err := f.Phone(theirs).Send(t.Context(), smstest.Message{To: "+19735550188"}); err == nil {
		t.Error("a message to a number that is not ours was sent")
	}
	if err := f.Edit(func(a *smstest.Account) { a.WhatsApp, a.Services = nil, nil }); err != nil {
		t.Fatal(err)
	}
	if _, err := f.Phone("whatsapp:"+theirs).Text(t.Context(), "hi"); err == nil {
		t.Error("a message by WhatsApp was sent to an account without it")
	}
}

func TestSendSharedKey(t *testing.T) {
	key := smstest.SharedKey{Name: "CR1", Key: "shared"}
	f := start(t, func(c *smstest.Config) { c.Shared = key })
	if _, err := f.Phone(theirs).Text(t.Context(), "hi"); err != nil {
		t.Fatal(err)
	}
	r := f.service.requests("/message")[0]
	if got := r.header.Get("X-Twilio-Webhooks-Signature-Settings"); got != "key=CR1,algorithm=HMAC_SHA256" {
		t.Errorf("the settings are %q", got)
	}
	if got, want := r.header.Get("X-Twilio-Signature"), smstest.Sign(key.Key, smstest.SHA256, hookAt, r.form); got != want {
		t.Errorf("the signature is %q, want %q", got, want)
	}
}

// What is signed is the public URL as it is written, whatever is called.
func TestSendThroughProxy(t *testing.T) {
	for _, tt := range []struct {
		name, inbound, public string
		strip                 bool
		path                  string
	}{
		{"Query", public + "/message?site=7&note=Couldn%27t+find&o=O'Brien&at=sip:a@b", "", false, "/message?site=7&note=Couldn%27t+find&o=O'Brien&at=sip:a@b"},
		{"Port", public + ":8443/message", "", false, "/message"},
		{"Prefix", public + "/bot/message", public + "/bot/", false, "/bot/message"},
		{"PrefixStripped", public + "/bot/message", public + "/bot", true, "/message"},
		{"Overrides", public + "/message#rc=5&rp=all", "", false, "/message"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			f := start(t, func(c *smstest.Config) { c.Inbound, c.Public, c.Strip = tt.inbound, tt.public, tt.strip })
			if _, err := f.Phone(theirs).Text(t.Context(), "hi"); err != nil {
				t.Fatal(err)
			}
			path, _, _ := strings.Cut(tt.path, "?")
			got := f.service.requests(path)
			if len(got) != 1 || got[0].path != tt.path {
				t.Fatalf("requests %+v, want one of %s", got, tt.path)
			}
			signed, _, _ := strings.Cut(tt.inbound, "#")
			if got, want := got[0].header.Get("X-Twilio-Signature"), smstest.Sign(f.Account().Token, smstest.SHA1, signed, got[0].form); got != want {
				t.Errorf("the signature is %q, want %q", got, want)
			}
		})
	}
}

// A reply that Twilio would not take is a fault, and the message is not lost
// from the record.
func TestSendFaults(t *testing.T) {
	for _, tt := range []struct {
		name   string
		answer func(http.ResponseWriter, request)
		code   int
		acked  bool
	}{
		{"500", replies(500, "text/plain", "no"), 11200, false},
		{"403", replies(403, "text/plain", "no"), 11200, false},
		{"Redirect", func(w http.ResponseWriter, r request) {
			w.Header().Set("Location", "/elsewhere")
			w.WriteHeader(http.StatusFound)
		}, 11200, false},
		{"JSON", replies(200, "application/json", "{}"), 12300, true},
		{"PlainText", replies(200, "text/plain", "Thanks!"), 12300, true},
		{"HTML", replies(200, "text/html", "<html></html>"), 12300, true},
		{"NoContent", func(w http.ResponseWriter, r request) { w.WriteHeader(http.StatusNoContent) }, 12300, true},
		{"Empty", twiml(""), 12100, true},
		{"NotXML", twiml("Thanks!"), 12100, true},
		{"CutOff", twiml("<Response><Message>hi"), 12100, true},
		{"NotUTF8", twiml("<Response>\xff</Response>"), 12100, true},
		{"OtherRoot", twiml("<response/>"), 12102, true},
		{"TwoRoots", twiml("<Response/><Response/>"), 12100, true},
		{"Doctype", twiml(`<!DOCTYPE Response><Response/>`), 12100, true},
		{"UnknownVerb", twiml("<Response><Sms>hi</Sms></Response>"), 12200, true},
		{"VerbOfCalls", twiml("<Response><Say>hi</Say></Response>"), 12200, true},
		{"BareText", twiml("<Response>hi</Response>"), 12200, true},
		{"UnknownAttribute", twiml(`<Response><Message lang="en">hi</Message></Response>`), 12200, true},
		{"TooLarge", twiml("<Response>" + strings.Repeat(" ", 64<<10) + "</Response>"), 11750, true},
		{"LongMessage", twiml("<Response><Message>" + strings.Repeat("x", 1601) + "</Message></Response>"), 21617, true},
	} {
		t.Run(tt.name, func(t *testing.T) {
			f := start(t)
			f.service.answers(tt.answer)
			sent, err := f.Phone(theirs).Text(t.Context(), "hi")
			if tt.code != 21617 && (!errors.Is(err, smstest.ErrNotTaken) || sent.Code != tt.code) {
				t.Errorf("Send = %+v, %v, want ErrNotTaken with code %d", sent, err, tt.code)
			}
			if sent.Acked.IsZero() == tt.acked {
				t.Errorf("acknowledged at %v, want that it is: %t", sent.Acked, tt.acked)
			}
			got := f.Faults()
			if len(got) != 1 || got[0].Code != tt.code || got[0].Where != "message" || got[0].SID != sent.SID || got[0].Retried {
				t.Errorf("faults %+v, want one of code %d", got, tt.code)
			}
			if n := len(f.service.requests("/message")); n != 1 {
				t.Errorf("%d requests, want 1: by default no reply is a reason to try again", n)
			}
		})
	}
}

func TestSendAcceptedReplies(t *testing.T) {
	for _, answer := range []func(http.ResponseWriter, request){
		twiml("<Response/>"), replies(200, "application/xml", empty), replies(201, "text/xml; charset=utf-8", " \n<Response><!-- nothing --></Response>\n"),
	} {
		f := start(t)
		f.service.answers(answer)
		if _, err := f.Phone(theirs).Text(t.Context(), "hi"); err != nil {
			t.Errorf("Send = %v", err)
		}
		f.faultless()
	}
}

// What TwiML says reaches the phone, and is on record.
func TestSendReplies(t *testing.T) {
	f := start(t)
	f.service.answers(twiml("<Response><Message>One &amp; only</Message><Message><Body>Two</Body></Message><Message to='+19735550102'>Three</Message></Response>"))
	if _, err := f.Phone(theirs).Text(t.Context(), "hi"); err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, text := range f.Phone(theirs).Texts() {
		if !text.TwiML || text.From != ours {
			t.Errorf("text %+v, want it marked as TwiML's", text)
		}
		got = append(got, text.Body)
	}
	if want := []string{"One & only", "Two"}; !slices.Equal(got, want) {
		t.Errorf("the phone has %q, want %q", got, want)
	}
	if n := len(f.Phone("+19735550102").Texts()); n != 1 {
		t.Errorf("another phone that is named has %d texts, want 1", n)
	}
	if c := f.Creates(); len(c) != 3 || c[0].Direction != "outbound-reply" {
		t.Errorf("Creates = %+v, want all", c)
	}
	f.faultless()
}

// A failed webhook is sent again by the policy, with the same names.
func TestRetries(t *testing.T) {
	breaks := func(w http.ResponseWriter, r request) {
		conn, _, err := http.NewResponseController(w).Hijack()
		if err == nil {
			conn.Close()
		}
	}
	hangs := func(w http.ResponseWriter, r request) { <-r.ctx.Done() }
	for _, tt := range []struct {
		name     string
		retry    smstest.Retry
		override string
		answer   func(http.ResponseWriter, request)
		heals    int // from this attempt on the service is well; 0 for never
		attempts int
		code     int
	}{
		{"BrokenOnce", smstest.Retry{}, "", breaks, 2, 2, 0},
		{"Broken", smstest.Retry{}, "", breaks, 0, 2, 11205},
		{"Never", smstest.Retry{Never: true}, "", breaks, 2, 1, 11205},
		{"Thrice", smstest.Retry{Count: 3}, "", breaks, 4, 4, 0},
		{"Paused", smstest.Retry{Count: 2, Pause: time.Millisecond}, "", breaks, 0, 3, 11205},
		{"503ByDefault", smstest.Retry{Count: 5}, "", replies(503, "text/plain", ""), 2, 1, 11200},
		{"503", smstest.Retry{Count: 2, On: []string{"5xx"}}, "", replies(503, "text/plain", ""), 2, 2, 0},
		{"403Not", smstest.Retry{Count: 2, On: []string{"5xx"}}, "", replies(403, "text/plain", ""), 2, 1, 11200},
		{"403", smstest.Retry{Count: 2, On: []string{"4xx"}}, "", replies(403, "text/plain", ""), 2, 2, 0},
		{"All", smstest.Retry{Count: 2, On: []string{"all"}}, "", replies(503, "text/plain", ""), 3, 3, 0},
		{"HangsByDefault", smstest.Retry{}, "", hangs, 2, 1, 11200},
		{"ByOverride", smstest.Retry{}, "#rc=2&rp=5xx,4xx", replies(503, "text/plain", ""), 3, 3, 0},
		{"NoneByOverride", smstest.Retry{}, "#rc=0", breaks, 2, 1, 11205},
		{"NotTwiML", smstest.Retry{Count: 5, On: []string{"all"}}, "", twiml("no"), 2, 1, 12100},
	} {
		t.Run(tt.name, func(t *testing.T) {
			f := start(t, func(c *smstest.Config) {
				c.Retry, c.Inbound = tt.retry, c.Inbound+tt.override
				if strings.HasPrefix(tt.name, "Hangs") {
					c.Timeout = 50 * time.Millisecond
				}
			})
			f.service.answers(func(w http.ResponseWriter, r request) {
				if tt.heals > 0 && r.n >= tt.heals {
					twiml(empty)(w, r)
					return
				}
				tt.answer(w, r)
			})
			sent, err := f.Phone(theirs).Text(t.Context(), "hi")
			if (err == nil) != (tt.code == 0) || sent.Code != tt.code || sent.Attempts != tt.attempts {
				t.Errorf("Send = %+v, %v, want code %d after %d attempts", sent, err, tt.code, tt.attempts)
			}
			requests := f.service.requests("/message")
			if len(requests) != tt.attempts {
				t.Errorf("%d requests, want %d", len(requests), tt.attempts)
			}
			for _, r := range requests {
				if r.form.Encode() != requests[0].form.Encode() || r.header.Get("I-Twilio-Idempotency-Token") != requests[0].header.Get("I-Twilio-Idempotency-Token") {
					t.Errorf("an attempt differs: %v and %v", r.form, requests[0].form)
				}
			}
			want := tt.attempts
			if tt.code == 0 {
				want--
			}
			if got := f.Faults(); len(got) != want || tt.attempts > 1 && !got[0].Retried {
				t.Errorf("faults %+v, want %d", got, want)
			}
			if got := f.Stats(); got.Retries != tt.attempts-1 || got.Webhooks != tt.attempts || (got.Lost == 1) != (sent.Acked.IsZero()) {
				t.Errorf("Stats = %+v, want %d attempts", got, tt.attempts)
			}
		})
	}
}

// A service that is gone is a fault; the fallback URL is tried, with what was
// wrong.
func TestFallback(t *testing.T) {
	f := start(t, func(c *smstest.Config) {
		c.Account.Numbers = []smstest.Number{{Phone: ours, SMSFallbackURL: public + "/fallback"}}
	})
	f.service.answers(func(w http.ResponseWriter, r request) {
		if r.path == "/message" {
			http.Error(w, "", http.StatusServiceUnavailable)
			return
		}
		twiml(empty)(w, r)
	})
	sent, err := f.Phone(theirs).Text(t.Context(), "hi")
	if err != nil || sent.Attempts != 2 {
		t.Errorf("Send = %+v, %v, want it taken by the fallback", sent, err)
	}
	r := f.service.requests("/fallback")
	if len(r) != 1 || r[0].form.Get("ErrorCode") != "11200" || r[0].form.Get("ErrorUrl") != hookAt || r[0].form.Get("MessageSid") != sent.SID {
		t.Fatalf("the fallback has %+v, want the message with ErrorCode and ErrorUrl", r)
	}
	if got, want := r[0].header.Get("X-Twilio-Signature"), smstest.Sign(f.Account().Token, smstest.SHA1, public+"/fallback", r[0].form); got != want {
		t.Errorf("its signature is %q, want %q", got, want)
	}
	f.SetDial("http://127.0.0.1:1") // nobody is there
	if sent, err := f.Phone(theirs).Text(t.Context(), "hi"); !errors.Is(err, smstest.ErrNotTaken) || sent.Code != 11205 || sent.Attempts != 4 {
		t.Errorf("Send to nobody = %+v, %v, want code 11205 after both URLs twice", sent, err)
	}
	f.SetDial(f.service.URL + "/")
	if _, err := f.Phone(theirs).Text(t.Context(), "hi"); err != nil {
		t.Errorf("Send once the service is back = %v", err)
	}
}

// Nothing but loopback is called, and no name is looked up.
func TestLoopbackOnly(t *testing.T) {
	f := start(t, func(c *smstest.Config) { c.Dial = "" })
	if sent, err := f.Phone(theirs).Text(t.Context(), "hi"); err == nil || sent.Code != 11210 {
		t.Errorf("Send = %+v, %v, want code 11210", sent, err)
	}
	f.create("StatusCallback", "https://192.0.2.1/status")
	f.drain()
	if got := f.codes(); !slices.Equal(got, []int{11210, 11210, 11210}) {
		t.Errorf("faults %v, want 11210 for the message and for both states", got)
	}
	if _, err := smstest.New(smstest.Config{Listen: "0.0.0.0:0"}); err == nil {
		t.Error("New listens on all addresses, want it refused")
	}
}

// With a TwiML app, or without any URL, what comes in goes nowhere.
func TestSendNowhere(t *testing.T) {
	f := start(t)
	for _, edit := range []func(*smstest.Account){
		func(a *smstest.Account) { a.Numbers[0].SMSApplication = "AP1" },
		func(a *smstest.Account) { a.Numbers[0].SMSApplication, a.Numbers[0].SMSURL = "", public+"/other" },
	} {
		if err := f.Edit(edit); err != nil {
			t.Fatal(err)
		}
		sent, err := f.Phone(theirs).Text(t.Context(), "hi")
		if sent.Code == 0 != (err == nil) {
			t.Errorf("Send = %+v, %v", sent, err)
		}
	}
	if n, other := len(f.service.requests("/message")), len(f.service.requests("/other")); n != 0 || other != 1 {
		t.Errorf("the service was called %d times, and %d at the number's own URL, want 0 and 1", n, other)
	}
}

func TestBurst(t *testing.T) {
	f := start(t)
	sent, err := f.Phone(theirs).Burst(t.Context(), smstest.Message{Body: "one"}, smstest.Message{Body: "two"}, smstest.Message{Body: "three"})
	if err != nil || len(sent) != 3 {
		t.Fatalf("Burst = %+v, %v", sent, err)
	}
	for i, want := range f.Sent() {
		if sent[i].SID != want.SID || want.Acked.IsZero() {
			t.Errorf("message %d is %+v on record, want %+v", i, want, sent[i])
		}
	}
}

func TestCall(t *testing.T) {
	const doc = `<Response><Say language="en-US">Text us.</Say><Pause length="1"/><Say language="es-US">Mande un texto.</Say><Hangup/></Response>`
	f := start(t)
	f.service.answers(twiml(doc))
	c, err := f.Phone(theirs).Call(t.Context(), "")
	if err != nil || len(c.Verbs) != 4 || c.Verbs[2].Attrs["language"] != "es-US" || c.Verbs[2].Text != "Mande un texto." || c.TwiML != doc {
		t.Errorf("Call = %+v, %v", c, err)
	}
	r := f.service.requests("/voice")[0]
	for name, want := range map[string]string{"CallSid": c.SID, "From": theirs, "To": ours, "CallStatus": "ringing", "Direction": "inbound", "AccountSid": f.Account().SID} {
		if got := r.form.Get(name); got != want {
			t.Errorf("%s is %q, want %q", name, got, want)
		}
	}
	if got, want := r.header.Get("X-Twilio-Signature"), smstest.Sign(f.Account().Token, smstest.SHA1, public+"/voice", r.form); got != want {
		t.Errorf("the signature is %q, want %q", got, want)
	}
	f.faultless()
	for _, tt := range []struct {
		doc  string
		code int
	}{
		{`<Response><Message>hi</Message></Response>`, 12200},
		{`<Response><Say language="en">hi</Say></Response>`, 12200},
		{`<Response><Say language="tlh-US">hi</Say></Response>`, 12200},
		{`<Response><Say> </Say></Response>`, 13520},
		{`<Response><Say>` + strings.Repeat("x", 4097) + `</Say></Response>`, 13521},
		{`<Response><Say lang="en-US">hi</Say></Response>`, 12200},
		{`<Response><Say>a<b>c</b></Say></Response>`, 12200},
		{`<Response><Pause length="long"/></Response>`, 12200},
		{`<Response><Hangup>bye</Hangup></Response>`, 12200},
		{`<Response><Play/></Response>`, 12200},
		{`<Say>hi</Say>`, 12102},
	} {
		f.service.answers(twiml(tt.doc))
		before := len(f.Faults())
		c, err := f.Phone(theirs).Call(t.Context(), ours)
		if got := f.Faults()[before:]; !errors.Is(err, smstest.ErrNotTaken) || c.Code != tt.code || len(got) != 1 || got[0].Code != tt.code || got[0].Where != "voice" {
			t.Errorf("Call answered %.60s: %+v, %v, faults %+v, want code %d", tt.doc, c, err, got, tt.code)
		}
	}
	if _, err := f.Phone(theirs).Call(t.Context(), "+19735550188"); err == nil {
		t.Error("a number that is not ours was called")
	}
	if err := f.Edit(func(a *smstest.Account) { a.Numbers[0].Trunk = "TK1" }); err != nil {
		t.Fatal(err)
	}
	if c, err := f.Phone(theirs).Call(t.Context(), ours); err == nil || c.Code != 11210 {
		t.Errorf("Call of a number with a trunk = %+v, %v, want it not to reach the service", c, err)
	}
}

// Twilio waits for so long in all, and not for a reply that drips.
func TestSendDrips(t *testing.T) {
	f := start(t, func(c *smstest.Config) { c.Timeout = 80 * time.Millisecond })
	f.service.answers(func(w http.ResponseWriter, r request) {
		w.Header().Set("Content-Type", "text/xml")
		for r.ctx.Err() == nil {
			_, _ = io.WriteString(w, " ")
			_ = http.NewResponseController(w).Flush()
			select {
			case <-r.ctx.Done():
			case <-time.After(time.Millisecond):
			}
		}
	})
	if sent, err := f.Phone(theirs).Text(t.Context(), "hi"); !errors.Is(err, smstest.ErrNotTaken) || sent.Code != 11200 || !sent.Acked.IsZero() {
		t.Errorf("Send = %+v, %v, want code 11200", sent, err)
	}
}
