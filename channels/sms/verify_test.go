package sms_test

import (
	"bufio"
	"encoding/json"
	"errors"
	"net/http"
	"net/url"
	"os"
	"strings"
	"testing"

	twilio "github.com/twilio/twilio-go/client"
	"pgregory.net/rapid"

	"plumbline/bot"
	"plumbline/channels/sms"
	"plumbline/internal/secret"
)

// A vector is a request that Twilio's own Python package signed, or one that
// was altered after it did.
type vector struct {
	ID          string     `json:"id"`
	Category    string     `json:"category"`
	Method      string     `json:"method"`
	URL         string     `json:"url"`
	Params      [][]string `json:"params"`
	Body        string     `json:"body"`
	ContentType string     `json:"content_type"`
	Key         string     `json:"signing_key"`
	Settings    string     `json:"signature_settings_header"`
	Signature   string     `json:"signature"`
	Valid       bool       `json:"expect_valid"`
	Note        string     `json:"note"`
	Altered     string     `json:"altered"`
	PeersAgree  bool       `json:"peers_agree"`
}

func vectors(t *testing.T) (list []vector) {
	t.Helper()
	f, err := os.Open("testdata/twilio_signature.jsonl")
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	for sc := bufio.NewScanner(f); sc.Scan(); {
		var v vector
		if err := json.Unmarshal(sc.Bytes(), &v); err != nil {
			t.Fatal(err)
		}
		list = append(list, v)
	}
	if len(list) < 50 {
		t.Fatalf("%d vectors, want all", len(list))
	}
	return list
}

func (v vector) request(t *testing.T) *http.Request {
	t.Helper()
	r, err := http.NewRequestWithContext(t.Context(), v.Method, "http://127.0.0.1/", strings.NewReader(v.Body))
	if err != nil {
		t.Fatal(err)
	}
	r.Header.Set("Content-Type", v.ContentType)
	r.Header.Set("X-Twilio-Signature", v.Signature)
	if v.Settings != "" {
		r.Header.Set("X-Twilio-Webhooks-Signature-Settings", v.Settings)
	}
	return r
}

func (v vector) verifier() sms.Verifier {
	if v.Settings == "" {
		return sms.Verifier{Token: secret.New(v.Key)}
	}
	name, _, _ := strings.Cut(strings.TrimPrefix(v.Settings, "key="), ",")
	return sms.Verifier{Token: secret.New("another"), Shared: map[string]secret.Text{name: secret.New(v.Key)}}
}

// The vectors hold case T05: of a name that stands twice both values are signed,
// and what was signed with one is refused with two.
func TestVerify(t *testing.T) {
	for _, v := range vectors(t) {
		params, err := v.verifier().Verify(v.request(t), v.URL, []byte(v.Body))
		if (err == nil) != v.Valid || err != nil && !errors.Is(err, bot.ErrDenied) {
			t.Errorf("%s (%s; %s; %s): %v, want valid %t", v.ID, v.Category, v.Altered, v.Note, err, v.Valid)
		}
		if err != nil {
			continue
		}
		want := url.Values{}
		for _, p := range v.Params {
			want.Add(p[0], p[1])
		}
		if got := params.Encode(); got != want.Encode() {
			t.Errorf("%s: parameters %q, want %q", v.ID, got, want.Encode())
		}
	}
}

// The library's verdict is a second opinion where peers agree: on requests
// signed by SHA-1.
func TestVerifyAsTheLibraryDoes(t *testing.T) {
	n := 0
	for _, v := range vectors(t) {
		if v.Settings != "" || !v.PeersAgree {
			continue
		}
		n++
		_, err := v.verifier().Verify(v.request(t), v.URL, []byte(v.Body))
		lib := twilio.NewRequestValidator(v.Key)
		body := v.Body
		params := map[string]string{}
		for _, p := range v.Params {
			params[p[0]] = p[1]
		}
		theirs := lib.Validate(v.URL, params, v.Signature)
		if strings.Contains(v.ContentType, "json") {
			theirs = lib.ValidateBody(v.URL, []byte(body), v.Signature)
		}
		if (err == nil) != theirs {
			t.Errorf("%s (%s): ours %v, twilio-go's %t", v.ID, v.Category, err, theirs)
		}
	}
	if n < 30 {
		t.Errorf("compared %d requests, want most", n)
	}
}

// Cases T08 and T37: without a key, with none of the name, with another
// algorithm or an empty key all are refused.
func TestVerifyRefuses(t *testing.T) {
	all := vectors(t)
	var plain, shared vector
	for _, v := range all {
		if v.Valid && v.Category == "form" && plain.ID == "" {
			plain = v
		}
		if v.Valid && v.Category == "hmac-sha256" && shared.ID == "" {
			shared = v
		}
	}
	for _, tt := range []struct {
		name string
		v    vector
		by   sms.Verifier
		edit func(*http.Request)
	}{
		{"NoKeys", plain, sms.Verifier{}, nil},
		{"EmptyToken", plain, sms.Verifier{Token: secret.New("")}, nil},
		{"NoSignature", plain, plain.verifier(), func(r *http.Request) { r.Header.Del("X-Twilio-Signature") }},
		{"Random", plain, plain.verifier(), func(r *http.Request) { r.Header.Set("X-Twilio-Signature", "AAAAAAAAAAAAAAAAAAAAAAAAAAA=") }},
		{"NotBase64", plain, plain.verifier(), func(r *http.Request) { r.Header.Set("X-Twilio-Signature", "%%%") }},
		{"Two", plain, plain.verifier(), func(r *http.Request) { r.Header.Add("X-Twilio-Signature", plain.Signature) }},
		{"NoSharedKeys", shared, sms.Verifier{Token: secret.New(shared.Key)}, nil},
		{"OtherName", shared, sms.Verifier{Shared: map[string]secret.Text{"other": secret.New(shared.Key)}}, nil},
		{"EmptySharedKey", shared, sms.Verifier{Shared: map[string]secret.Text{"": {}}}, func(r *http.Request) {
			r.Header.Set("X-Twilio-Webhooks-Signature-Settings", "key=,algorithm=HMAC_SHA256")
		}},
		{"NoAlgorithm", shared, shared.verifier(), func(r *http.Request) {
			r.Header.Set("X-Twilio-Webhooks-Signature-Settings", strings.Split(shared.Settings, ",")[0])
		}},
		{"None", shared, shared.verifier(), func(r *http.Request) {
			r.Header.Set("X-Twilio-Webhooks-Signature-Settings", strings.Replace(shared.Settings, "HMAC_SHA256", "none", 1))
		}},
		{"MD5", shared, shared.verifier(), func(r *http.Request) {
			r.Header.Set("X-Twilio-Webhooks-Signature-Settings", strings.Replace(shared.Settings, "HMAC_SHA256", "HMAC_MD5", 1))
		}},
		{"SharedTakenForToken", shared, shared.verifier(), func(r *http.Request) { r.Header.Del("X-Twilio-Webhooks-Signature-Settings") }},
		{"OtherBodyType", plain, plain.verifier(), func(r *http.Request) { r.Header.Set("Content-Type", "text/plain") }},
		{"NoBodyType", plain, plain.verifier(), func(r *http.Request) { r.Header.Del("Content-Type") }},
	} {
		t.Run(tt.name, func(t *testing.T) {
			r := tt.v.request(t)
			if tt.edit != nil {
				tt.edit(r)
			}
			_, err := tt.by.Verify(r, tt.v.URL, []byte(tt.v.Body))
			if !errors.Is(err, bot.ErrDenied) {
				t.Fatalf("Verify = %v, want ErrDenied", err)
			}
			for _, secret := range []string{tt.v.Key, "5550101", "Is my water", "bot.example.org"} {
				if strings.Contains(err.Error(), secret) {
					t.Errorf("the error holds %q: %v", secret, err)
				}
			}
		})
	}
}

// What nobody signed is refused, whatever it is. (No fuzz target: that would
// instrument all of Twilio's library.)
func TestVerifyStrangers(t *testing.T) {
	v := sms.Verifier{Token: secret.New("a token that nobody guesses"), Shared: map[string]secret.Text{"a": secret.New("a key that nobody guesses")}}
	rapid.Check(t, func(t *rapid.T) {
		of := func(name string, some ...string) string {
			return rapid.OneOf(rapid.SampledFrom(some), rapid.String()).Draw(t, name)
		}
		r := &http.Request{Method: http.MethodPost, Header: http.Header{
			"Content-Type":       {of("type", "application/x-www-form-urlencoded", "application/json", "", "text/plain; charset=x")},
			"X-Twilio-Signature": {of("signature", "", "AAAA", "c2lnbmF0dXJl", "AAAAAAAAAAAAAAAAAAAAAAAAAAA=")},
		}}
		if settings := of("settings", "", "key=a,algorithm=HMAC_SHA256", "key=a,algorithm=none", "key=,algorithm=HMAC_SHA256"); settings != "" {
			r.Header["X-Twilio-Webhooks-Signature-Settings"] = []string{settings}
		}
		u := of("url", "https://bot.example.org/sms", "https://[::1]:8443", "http://u:p@h:80/?bodySHA256=00", "", "://", "a://b:c@d]:1")
		body := of("body", "Body=hello&From=%2B15555550101", "{}", "", "%zz", "a=1;b=2")
		if _, err := v.Verify(r, u, []byte(body)); !errors.Is(err, bot.ErrDenied) {
			t.Errorf("Verify of what nobody signed = %v, want ErrDenied", err)
		}
	})
}
