package sms_test

import (
	"bytes"
	"context"
	"crypto/hmac"
	"crypto/sha1"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"net/url"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"plumbline/bot"
	"plumbline/channels/sms"
	"plumbline/internal/secret"
)

const (
	account = "AC00000000000000000000000000000000"
	token   = "0f1e2d3c4b5a69788796a5b4c3d2e1f0"
	ours    = "+19735550100"
	theirs  = "+19735550101"
	public  = "https://bot.example.org"
)

// desk is what stands behind a hook.
type desk struct {
	got     []bot.Message
	settled []bot.Settlement
	err     error
	late    func(context.Context) // called before a message is received
}

func (d *desk) Receive(ctx context.Context, m bot.Message) error {
	if d.late != nil {
		d.late(ctx)
	}
	if d.err == nil {
		d.got = append(d.got, m)
	}
	return d.err
}

func (d *desk) Settle(_ context.Context, s bot.Settlement) error {
	d.settled = append(d.settled, s)
	return d.err
}

// A line is a hook on loopback, with what it wrote into its log.
type line struct {
	*desk
	t   *testing.T
	url string
	log *bytes.Buffer
}

func newLine(t *testing.T, publicURL string, edit ...func(*sms.HookConfig)) *line {
	t.Helper()
	l := &line{desk: new(desk), t: t, log: new(bytes.Buffer)}
	c := sms.HookConfig{
		PublicURL: publicURL, Account: account, Number: ours, Verifier: sms.Verifier{Token: secret.New(token)}, Receiver: l, Settler: l,
		Voice: []sms.Spoken{{Language: bot.English, Text: "Text us. Call 911."}, {Language: bot.Spanish, Text: "Mande un texto & llame al 911."}},
		Now:   func() time.Time { return time.Date(2026, 11, 30, 12, 0, 0, 0, time.UTC) },
		Log:   slog.New(slog.NewTextHandler(l.log, &slog.HandlerOptions{Level: slog.LevelDebug})),
	}
	for _, f := range edit {
		f(&c)
	}
	h, err := sms.NewHook(c)
	if err != nil {
		t.Fatal(err)
	}
	s := httptest.NewServer(h.Routes())
	t.Cleanup(s.Close)
	l.url = s.URL
	return l
}

// signature is what Twilio's documentation says that it is.
func signature(u string, params url.Values) string {
	var names []string
	for name := range params {
		names = append(names, name)
	}
	slices.Sort(names)
	s := u
	for _, name := range names {
		values := slices.Clone(params[name])
		slices.Sort(values)
		for _, v := range slices.Compact(values) {
			s += name + v
		}
	}
	mac := hmac.New(sha1.New, []byte(token))
	io.WriteString(mac, s)
	return base64.StdEncoding.EncodeToString(mac.Sum(nil))
}

// form is a message as Twilio posts it, with changes: pairs of name and value.
func form(pairs ...string) url.Values {
	v := url.Values{
		"MessageSid": {"SM00000000000000000000000000000001"}, "SmsSid": {"SM00000000000000000000000000000001"}, "AccountSid": {account},
		"From": {theirs}, "To": {ours}, "Body": {"Is my water safe?"}, "NumMedia": {"0"}, "NumSegments": {"1"}, "ApiVersion": {"2010-04-01"},
	}
	for i := 0; i < len(pairs); i += 2 {
		v.Set(pairs[i], pairs[i+1])
	}
	return v
}

// post posts a form to path of the hook, signed for the URL, and returns the
// status and the body.
func (l *line) post(path, signedURL string, params url.Values, edit ...func(*http.Request)) (int, string) {
	l.t.Helper()
	req, err := http.NewRequestWithContext(l.t.Context(), http.MethodPost, l.url, strings.NewReader(params.Encode()))
	if err != nil {
		l.t.Fatal(err)
	}
	req.URL.Opaque = path // as it is, whatever a URL parser makes of it
	req.Header.Set("Content-Type", "application/x-www-form-urlencoded; charset=utf-8")
	req.Header.Set("X-Twilio-Signature", signature(signedURL, params))
	for _, f := range edit {
		f(req)
	}
	res, err := http.DefaultClient.Do(req)
	if err != nil {
		l.t.Fatal(err)
	}
	defer res.Body.Close()
	b, err := io.ReadAll(res.Body)
	if err != nil {
		l.t.Fatal(err)
	}
	if res.StatusCode == http.StatusOK && path == sms.MessagePath {
		var doc struct {
			XMLName xml.Name
			Inner   string `xml:",innerxml"`
		}
		if kind := res.Header.Get("Content-Type"); !strings.HasPrefix(kind, "text/xml") {
			l.t.Errorf("the answer is %q, want text/xml", kind)
		}
		if err := xml.Unmarshal(b, &doc); err != nil || doc.XMLName.Local != "Response" || doc.Inner != "" {
			l.t.Errorf("the answer is %q, %v, want TwiML that says nothing", b, err)
		}
	}
	return res.StatusCode, string(b)
}

func TestHookMessage(t *testing.T) {
	at := time.Date(2026, 11, 30, 12, 0, 0, 0, time.UTC)
	from := bot.Address{Channel: "sms", User: theirs, Thread: ours}
	const id = "SM00000000000000000000000000000001"
	for _, tt := range []struct {
		name   string
		params url.Values
		want   bot.Message
	}{
		{"Plain", form(), bot.Message{ID: id, From: from, Text: "Is my water safe?"}},
		// Case T06: what Twilio adds without notice is signed and left alone.
		{"Unknown", form("AddOns", `{"status":"successful","results":{}}`, "FromCity", "", "New1", "x", "New2", "y", "ProfileName", "Ann"), bot.Message{ID: id, From: from, Text: "Is my water safe?"}},
		{"Empty", form("Body", ""), bot.Message{ID: id, From: from}},
		{"Long", form("Body", strings.Repeat("é", 1600)), bot.Message{ID: id, From: from, Text: strings.Repeat("é", 1600)}},
		{"Emoji", form("Body", "😢🚰"), bot.Message{ID: id, From: from, Text: "😢🚰"}},
		{"NotUTF8", form("Body", "caf\xe9"), bot.Message{ID: id, From: from, Text: "caf\xe9"}}, // the intake mends it
		// Case T12.
		{"Media", form("Body", "", "NumMedia", "4", "MediaUrl0", "https://example.org/x", "MediaContentType0", "image/jpeg", "MediaContentType1", "audio/amr", "MediaContentType2", "video/mp4", "MediaContentType3", "application/pdf"),
			bot.Message{ID: id, From: from, Media: []bot.Medium{bot.Image, bot.Audio, bot.Video, bot.File}}},
		{"ManyMedia", form("NumMedia", "99999"), bot.Message{ID: id, From: from, Text: "Is my water safe?", Media: slices.Repeat([]bot.Medium{bot.File}, 10)}},
		{"BadMedia", form("NumMedia", "-1"), bot.Message{ID: id, From: from, Text: "Is my water safe?"}},
		{"Place", form("Body", "", "Latitude", "40.7", "Longitude", "-74.1"), bot.Message{ID: id, From: from, Media: []bot.Medium{bot.File}}},
		// Case T18.
		{"HeardStop", form("Body", "sToP", "OptOutType", "STOP"), bot.Message{ID: id, From: from, Text: "sToP", Heard: bot.WordStop}},
		{"HeardStart", form("Body", "START", "OptOutType", "START"), bot.Message{ID: id, From: from, Text: "START", Heard: bot.WordStart}},
		{"HeardHelp", form("Body", "HELP", "OptOutType", "HELP"), bot.Message{ID: id, From: from, Text: "HELP", Heard: bot.WordHelp}},
		{"HeardNew", form("Body", "x", "OptOutType", "LATER"), bot.Message{ID: id, From: from, Text: "x"}},
		// Case T25.
		{"WhatsApp", form("From", "whatsapp:"+theirs, "To", "whatsapp:+19735550109", "WaId", "19735550101"), bot.Message{ID: id, From: bot.Address{Channel: "whatsapp", User: theirs, Thread: "+19735550109"}, Text: "Is my water safe?"}},
		{"WhatsAppName", form("From", "whatsapp:US.13491208655302741918", "To", "whatsapp:"+ours), bot.Message{ID: id, From: bot.Address{Channel: "whatsapp", User: "US.13491208655302741918", Thread: ours}, Text: "Is my water safe?"}},
		// An opt-out by SMS is one by RCS: they are one person.
		{"RCS", form("From", "rcs:"+theirs, "To", "rcs:coalition_agent"), bot.Message{ID: id, From: from, Text: "Is my water safe?"}},
		{"OldSid", func() url.Values { v := form(); v.Del("MessageSid"); return v }(), bot.Message{ID: id, From: from, Text: "Is my water safe?"}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			l := newLine(t, public)
			if status, body := l.post(sms.MessagePath, public+sms.MessagePath, tt.params); status != http.StatusOK {
				t.Fatalf("status %d, %q\n%s", status, body, l.log)
			}
			tt.want.At = at
			if len(l.got) != 1 || !reflect.DeepEqual(l.got[0], tt.want) {
				t.Errorf("took in %q %+v, want %q %+v", l.got[0].From.User, l.got, tt.want.From.User, tt.want)
			}
			for _, s := range []string{theirs[1:], "5550101", "water", "Ann"} {
				if strings.Contains(l.log.String(), s) {
					t.Errorf("the log holds %q: %s", s, l.log)
				}
			}
		})
	}
}

// Case T24, and messages of our own: nothing can be sent back, so nothing is
// taken in.
func TestHookLeavesAlone(t *testing.T) {
	for _, pairs := range [][]string{{"From", "68849"}, {"From", "SUPPORT"}, {"From", ""}, {"From", "whatsapp:"}, {"From", "whatsapp:whatsapp:" + theirs}, {"From", ours, "To", ours}, {"From", "+0123"}} {
		l := newLine(t, public)
		if status, _ := l.post(sms.MessagePath, public+sms.MessagePath, form(pairs...)); status != http.StatusOK || len(l.got) > 0 {
			t.Errorf("%q: status %d, took in %d messages, want 200 and none", pairs, status, len(l.got))
		}
	}
}

// Cases T01 to T04 and T07: the URL is the configured one with the request's path
// and query as they were sent, whatever a proxy says.
func TestHookURL(t *testing.T) {
	const odd = "?office=O'Brien&to=sip:a@b&site=7&lang=es&note=Couldn%27t+find"
	forged := func(r *http.Request) {
		r.Host = "evil.example"
		for _, h := range []string{"X-Forwarded-Host", "X-Forwarded-Server", "Forwarded"} {
			r.Header.Set(h, "evil.example")
		}
		r.Header.Set("X-Forwarded-Proto", "http")
		r.Header.Set("X-Forwarded-Path", "/other")
	}
	for _, tt := range []struct {
		name, public, path, signed string
		want                       int
	}{
		{"Plain", public, sms.MessagePath, public + sms.MessagePath, 200},
		{"Slash", public + "/", sms.MessagePath, public + sms.MessagePath, 200},
		{"AsTheProxySeesIt", public, sms.MessagePath, "http://app.internal" + sms.MessagePath, 403},
		{"Evil", public, sms.MessagePath, "https://evil.example" + sms.MessagePath, 403},
		{"Query", public, sms.MessagePath + odd, public + sms.MessagePath + odd, 200},
		{"QuerySwapped", public, sms.MessagePath + "?b=2&a=1", public + sms.MessagePath + "?a=1&b=2", 403},
		{"QueryEncoded", public, sms.MessagePath + odd, public + sms.MessagePath + strings.ReplaceAll(odd, "'", "%27"), 403},
		{"Port443", "https://bot.example.org:443", sms.MessagePath, public + sms.MessagePath, 200},
		{"Port443Signed", "https://bot.example.org:443", sms.MessagePath, "https://bot.example.org:443" + sms.MessagePath, 200},
		{"Port8443", "https://bot.example.org:8443", sms.MessagePath, "https://bot.example.org:8443" + sms.MessagePath, 200},
		{"OtherPort", "https://bot.example.org:8443", sms.MessagePath, "https://bot.example.org:9443" + sms.MessagePath, 403},
		{"PrefixKept", public + "/line", "/line" + sms.MessagePath, public + "/line" + sms.MessagePath, 200},
		{"PrefixTakenOff", public + "/line", sms.MessagePath, public + "/line" + sms.MessagePath, 200},
		{"WholeURL", public, "//bot.internal" + sms.MessagePath + "?a=1", public + sms.MessagePath + "?a=1", 200}, // as a request to a proxy
		{"PrefixNotSigned", public + "/line", sms.MessagePath, public + sms.MessagePath, 403},
	} {
		t.Run(tt.name, func(t *testing.T) {
			for _, edit := range []func(*http.Request){func(*http.Request) {}, forged} {
				l := newLine(t, tt.public)
				status, _ := l.post(tt.path, tt.signed, form(), edit)
				if status != tt.want || len(l.got) != map[bool]int{true: 1, false: 0}[tt.want == 200] {
					t.Errorf("status %d, took in %d; want %d\n%s", status, len(l.got), tt.want, l.log)
				}
			}
		})
	}
}

// What is not verified has no effect, and the log says why and nobody's words.
func TestHookRefuses(t *testing.T) {
	for _, tt := range []struct {
		name string
		edit func(*sms.HookConfig)
		req  func(*http.Request)
		with url.Values
		want int
	}{
		{"NoSignature", nil, func(r *http.Request) { r.Header.Del("X-Twilio-Signature") }, form(), 403},
		{"NoToken", func(c *sms.HookConfig) { c.Verifier = sms.Verifier{} }, nil, form(), 403},
		{"OtherAccount", nil, nil, form("AccountSid", "AC11111111111111111111111111111111"), 403},
		{"NoAccount", nil, nil, form("AccountSid", ""), 403},
		{"NoSid", nil, nil, form("MessageSid", "", "SmsSid", ""), 400},
		{"Get", nil, func(r *http.Request) { r.Method = http.MethodGet }, form(), 405},
		{"TooMuch", nil, nil, form("Body", strings.Repeat("x", 65<<10)), 413},
	} {
		t.Run(tt.name, func(t *testing.T) {
			var edits []func(*sms.HookConfig)
			if tt.edit != nil {
				edits = append(edits, tt.edit)
			}
			l := newLine(t, public, edits...)
			var reqs []func(*http.Request)
			if tt.req != nil {
				reqs = append(reqs, tt.req)
			}
			if status, _ := l.post(sms.MessagePath, public+sms.MessagePath, tt.with, reqs...); status != tt.want || len(l.got) > 0 {
				t.Errorf("status %d, took in %d messages; want %d and none", status, len(l.got), tt.want)
			}
			if strings.Contains(l.log.String(), "5550101") || strings.Contains(l.log.String(), "Is my water") || strings.Contains(l.log.String(), token) {
				t.Errorf("the log holds what it should not: %s", l.log)
			}
		})
	}
	t.Run("HungUp", func(t *testing.T) { // who does not wait may not come again
		l := newLine(t, public)
		taken := make(chan error, 1)
		l.late = func(ctx context.Context) {
			<-time.After(20 * time.Millisecond)
			taken <- ctx.Err()
		}
		params := form()
		ctx, cancel := context.WithTimeout(t.Context(), 5*time.Millisecond)
		defer cancel()
		req, err := http.NewRequestWithContext(ctx, http.MethodPost, l.url+sms.MessagePath, strings.NewReader(params.Encode()))
		if err != nil {
			t.Fatal(err)
		}
		req.Header.Set("Content-Type", "application/x-www-form-urlencoded")
		req.Header.Set("X-Twilio-Signature", signature(public+sms.MessagePath, params))
		if res, err := http.DefaultClient.Do(req); err == nil {
			_ = res.Body.Close()
			t.Fatal("the request was answered in time")
		}
		if err := <-taken; err != nil {
			t.Errorf("the message is recorded under a context that is %v", err)
		}
	})
	t.Run("NotRecorded", func(t *testing.T) { // it is not acknowledged either, so Twilio sends it again
		l := newLine(t, public)
		l.err = fmt.Errorf("take in message: %w", bot.ErrUnavailable)
		if status, _ := l.post(sms.MessagePath, public+sms.MessagePath, form()); status != http.StatusServiceUnavailable {
			t.Errorf("status %d, want 503", status)
		}
	})
	for _, bad := range []string{"", "bot.example.org", "ftp://bot.example.org", "https://bot.example.org/?x=1", "https://u:p@bot.example.org", "https://bot.example.org/#x"} {
		if _, err := sms.NewHook(sms.HookConfig{PublicURL: bad}); !errors.Is(err, bot.ErrInvalid) {
			t.Errorf("NewHook with the public URL %q = %v, want ErrInvalid", bad, err)
		}
	}
}

func TestHookStatus(t *testing.T) {
	for _, tt := range []struct {
		name  string
		query string
		with  []string
		want  bot.Settlement
	}{
		{"Queued", "?channel=sms&key=k1", []string{"MessageStatus", "queued"}, bot.Settlement{Channel: "sms", Key: "k1", State: bot.Accepted}},
		{"Sent", "?channel=sms&key=k1", []string{"MessageStatus", "sent"}, bot.Settlement{Channel: "sms", Key: "k1", State: bot.Accepted}},
		{"Delivered", "?channel=whatsapp&key=k1", []string{"MessageStatus", "delivered", "RawDlrDoneDate", "2611301200"}, bot.Settlement{Channel: "whatsapp", Key: "k1", State: bot.Delivered}},
		{"Read", "?channel=whatsapp&key=k1", []string{"MessageStatus", "read"}, bot.Settlement{Channel: "whatsapp", Key: "k1", State: bot.Delivered}},
		{"Undelivered", "?channel=sms&key=k1", []string{"MessageStatus", "undelivered", "ErrorCode", "30003"}, bot.Settlement{Channel: "sms", Key: "k1", State: bot.Failed, Why: "invalid (30003)"}},
		{"Unregistered", "?channel=sms&key=k1", []string{"MessageStatus", "undelivered", "ErrorCode", "30034"}, bot.Settlement{Channel: "sms", Key: "k1", State: bot.Failed, Why: "denied (30034)"}},
		{"Window", "?channel=whatsapp&key=k1", []string{"MessageStatus", "failed", "ErrorCode", "63016"}, bot.Settlement{Channel: "whatsapp", Key: "k1", State: bot.Failed, Why: "invalid (63016)"}},
		{"OptedOut", "?channel=sms&key=k1", []string{"MessageStatus", "failed", "ErrorCode", "21610"}, bot.Settlement{Channel: "sms", Key: "k1", State: bot.Failed, Why: "denied (21610)", OptedOut: true}},
		{"OldName", "?channel=sms", []string{"MessageStatus", "", "SmsStatus", "delivered"}, bot.Settlement{Channel: "sms", State: bot.Delivered}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			l := newLine(t, public)
			params := form(tt.with...)
			tt.want.VendorID = params.Get("MessageSid")
			if status, _ := l.post(sms.StatusPath+tt.query, public+sms.StatusPath+tt.query, params); status != http.StatusNoContent {
				t.Errorf("status %d, want 204\n%s", status, l.log)
			}
			if len(l.settled) != 1 || l.settled[0] != tt.want {
				t.Errorf("settled %+v, want %+v", l.settled, tt.want)
			}
		})
	}
	t.Run("NewState", func(t *testing.T) {
		l := newLine(t, public)
		if status, _ := l.post(sms.StatusPath, public+sms.StatusPath, form("MessageStatus", "pondering")); status != http.StatusNoContent || len(l.settled) > 0 {
			t.Errorf("status %d, settled %+v, want 204 and nothing", status, l.settled)
		}
	})
	for err, want := range map[error]int{bot.ErrNotFound: 204, bot.ErrConflict: 204, bot.ErrUnavailable: 503} {
		l := newLine(t, public)
		l.err = err
		if status, _ := l.post(sms.StatusPath+"?channel=sms&key=k", public+sms.StatusPath+"?channel=sms&key=k", form("MessageStatus", "sent")); status != want {
			t.Errorf("%v: status %d, want %d", err, status, want)
		}
		if errors.Is(err, bot.ErrConflict) && !strings.Contains(l.log.String(), "a text went out twice") {
			t.Errorf("a text that went out twice is not told: %s", l.log)
		}
	}
	// Case T07: a JSON body holds if the URL has its hash.
	body := `{"AccountSid":"` + account + `","MessageSid":"SM1","MessageStatus":"delivered"}`
	sum := sha256.Sum256([]byte(body))
	path := sms.StatusPath + "?channel=sms&key=k&bodySHA256=" + hex.EncodeToString(sum[:])
	for sent, want := range map[string]int{body: 204, strings.Replace(body, "delivered", "delayed!!", 1): 403} {
		l := newLine(t, public)
		status, _ := l.post(path, public+path, nil, func(r *http.Request) {
			r.Header.Set("Content-Type", "application/json")
			r.Body, r.ContentLength = io.NopCloser(strings.NewReader(sent)), int64(len(sent))
		})
		if status != want || (len(l.settled) == 1) != (want == 204) {
			t.Errorf("JSON %s: status %d, settled %+v, want %d", sent, status, l.settled, want)
		}
	}
}

func TestHookVoice(t *testing.T) {
	l := newLine(t, public)
	status, body := l.post(sms.VoicePath, public+sms.VoicePath, form("CallSid", "CA1", "Body", ""))
	want := `<?xml version="1.0" encoding="UTF-8"?>
<Response><Say language="en-US">Text us. Call 911.</Say><Pause length="1"></Pause><Say language="es-US">Mande un texto &amp; llame al 911.</Say><Pause length="1"></Pause>` +
		`<Say language="en-US">Text us. Call 911.</Say><Pause length="1"></Pause><Say language="es-US">Mande un texto &amp; llame al 911.</Say><Pause length="1"></Pause><Hangup></Hangup></Response>`
	if status != http.StatusOK || body != want {
		t.Errorf("a call gets %d %s\nwant %s", status, body, want)
	}
	if status, _ := l.post(sms.VoicePath, "https://evil.example"+sms.VoicePath, form()); status != http.StatusForbidden {
		t.Errorf("a forged call gets %d, want 403", status)
	}
}

func TestHookPing(t *testing.T) {
	res, err := http.Get(newLine(t, public+"/line").url + "/line" + sms.PingPath)
	if err != nil {
		t.Fatal(err)
	}
	defer res.Body.Close()
	if b, err := io.ReadAll(res.Body); string(b) != sms.Pong || err != nil {
		t.Errorf("%s says %q, %v, want %q", sms.PingPath, b, err, sms.Pong)
	}
}
