package smstest_test

import (
	"bufio"
	"encoding/json"
	"net/url"
	"os"
	"testing"

	"plumbline/channels/sms/smstest"
)

// TestSign holds the signer to the vectors of Twilio's Python package: what was
// signed there, is signed here with the same result, and what was altered since
// is not.
func TestSign(t *testing.T) {
	f, err := os.Open("testdata/twilio_signature.jsonl")
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	valid, refused := 0, 0
	for sc := bufio.NewScanner(f); sc.Scan(); {
		var v struct {
			ID, Method, Category, Altered, Signature string
			Params                                   [][2]string
			URL                                      string
			SignedURL                                string `json:"signed_url"`
			Key                                      string `json:"signing_key"`
			Algorithm                                string
			Valid                                    bool `json:"expect_valid"`
		}
		if err := json.Unmarshal(sc.Bytes(), &v); err != nil {
			t.Fatal(err)
		}
		params := url.Values{}
		for _, p := range v.Params {
			params.Add(p[0], p[1])
		}
		if got := smstest.Sign(v.Key, smstest.Algorithm(v.Algorithm), v.SignedURL, params); v.Valid && got != v.Signature {
			t.Errorf("%s (%s): Sign = %s, want %s", v.ID, v.Category, got, v.Signature)
		}
		if v.Valid {
			valid++
			continue
		}
		refused++
		if got := smstest.Sign(v.Key, smstest.Algorithm(v.Algorithm), v.URL, params); got == v.Signature && v.Category != "json" {
			t.Errorf("%s (%s): Sign = %s though it was altered: %s", v.ID, v.Category, got, v.Altered)
		}
	}
	if valid < 25 || refused < 10 {
		t.Errorf("%d vectors are valid and %d are not, want most of each", valid, refused)
	}
}

// The example of Twilio's documentation and packages.
func TestSignPublished(t *testing.T) {
	got := smstest.Sign("12345", smstest.SHA1, "https://mycompany.com/myapp.php?foo=1&bar=2", url.Values{
		"CallSid": {"CA1234567890ABCDE"}, "Digits": {"1234"}, "From": {"+14158675" + "309"}, "To": {"+18005551212"}, "Caller": {"+14158675" + "309"},
	})
	if want := "RSOYDt4T1cUTdK1PDd93/VVr8B8="; got != want {
		t.Errorf("Sign = %s, want %s", got, want)
	}
}
