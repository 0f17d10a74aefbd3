package sms

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"plumbline/bot"
	"plumbline/internal/secret"
)

const (
	testAccount = "AC00000000000000000000000000000001"
	testService = "MG00000000000000000000000000000001"
	testNumber  = "+19735550100"
	testToken   = "a-token-that-nobody-may-see"
)

// twilioSays is a Twilio that answers GETs of paths (with their query, where it
// matters) with what is written there, and nothing else.
func twilioSays(t *testing.T, replies map[string]string) *Account {
	t.Helper()
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		user, password, _ := r.BasicAuth()
		if r.Method != http.MethodGet || user != testAccount || password != testToken {
			w.WriteHeader(http.StatusUnauthorized)
			fmt.Fprint(w, `{"code": 20003, "message": "Authenticate", "status": 401}`)
			return
		}
		reply, ok := replies[r.URL.RequestURI()]
		if !ok {
			reply, ok = replies[r.URL.Path]
		}
		if !ok {
			w.WriteHeader(http.StatusNotFound)
			fmt.Fprint(w, `{"code": 20404, "message": "not found", "status": 404}`)
			return
		}
		if code, rest, ok := strings.Cut(reply, " "); ok && len(code) == 3 {
			status := 0
			fmt.Sscan(code, &status)
			w.WriteHeader(status)
			reply = rest
		}
		_, _ = io.WriteString(w, reply)
	}))
	t.Cleanup(srv.Close)
	return NewAccount(Credentials{Account: testAccount, Token: secret.New(testToken)}, srv.URL)
}

const accountPath = "/2010-04-01/Accounts/" + testAccount

func TestAccountReads(t *testing.T) {
	a := twilioSays(t, map[string]string{
		accountPath + ".json": `{"sid": "` + testAccount + `", "status": "active", "type": "Trial"}`,
		accountPath + "/IncomingPhoneNumbers.json?PhoneNumber=%2B19735550100": `{"incoming_phone_numbers": [
			{"sid": "PN2", "phone_number": "+197355501001", "sms_url": "https://wrong.example.org"},
			{"sid": "PN1", "phone_number": "+19735550100", "sms_url": "https://h.example.org/twilio/message#rc=3", "sms_method": "POST", "sms_application_sid": "", "trunk_sid": null, "capabilities": {"sms": true, "mms": false, "voice": true}}]}`,
		"/v1/Services":                                          `{"services": [{"sid": "MG0"}, {"sid": "` + testService + `", "smart_encoding": true, "use_inbound_webhook_on_number": true, "inbound_request_url": null, "validity_period": 36000}], "meta": {}}`,
		"/v1/Services/MG0/PhoneNumbers":                         `{"phone_numbers": [{"phone_number": "+19735550199"}]}`,
		"/v1/Services/" + testService + "/PhoneNumbers":         `{"phone_numbers": [{"phone_number": "+19735550100"}]}`,
		"/v1/Services/" + testService + "/Compliance/Usa2p":     `{"compliance": [{"campaign_status": "FAILED"}, {"campaign_status": "VERIFIED", "mock": true}, {"campaign_status": "VERIFIED"}]}`,
		"/v1/Services/MG0/Compliance/Usa2p":                     `{"compliance": []}`,
		"/v1/Tollfree/Verifications?TollfreePhoneNumberSid=PN1": `{"verifications": [{"status": "TWILIO_REJECTED"}, {"status": "TWILIO_APPROVED"}]}`,
		"/v1/Tollfree/Verifications":                            `{"verifications": []}`,
	})
	ctx := t.Context()
	if s, err := a.State(ctx); err != nil || s != (State{"active", "Trial"}) {
		t.Errorf("State = %+v, %v", s, err)
	}
	if n, err := a.Number(ctx, testNumber); err != nil || n.SID != "PN1" || n.SMSURL != "https://h.example.org/twilio/message#rc=3" || !n.Capabilities.SMS || n.Capabilities.MMS {
		t.Errorf("Number = %+v, %v", n, err)
	}
	if s, err := a.ServiceOf(ctx, testNumber); err != nil || s.SID != testService || !s.SmartEncoding || !s.DefersToNumber || s.InboundURL != "" {
		t.Errorf("ServiceOf = %+v, %v", s, err)
	}
	if _, err := a.ServiceOf(ctx, "+19735550123"); !errors.Is(err, bot.ErrNotFound) {
		t.Errorf("ServiceOf a number of none = %v, want ErrNotFound", err)
	}
	if c, err := a.Campaign(ctx, testService); err != nil || c != (Campaign{Status: CampaignVerified}) {
		t.Errorf("Campaign = %+v, %v, want the verified one that is no mock", c, err)
	}
	if _, err := a.Campaign(ctx, "MG0"); !errors.Is(err, bot.ErrNotFound) {
		t.Errorf("Campaign of a service without = %v, want ErrNotFound", err)
	}
	if v, err := a.Verification(ctx, "PN1"); err != nil || v.Status != TollFreeApproved {
		t.Errorf("Verification = %+v, %v", v, err)
	}
	if _, err := a.Verification(ctx, "PN2"); !errors.Is(err, bot.ErrNotFound) {
		t.Errorf("Verification of a number without = %v, want ErrNotFound", err)
	}
	if _, err := a.Service(ctx, "MG9"); !errors.Is(err, bot.ErrNotFound) {
		t.Errorf("Service that is not there = %v, want ErrNotFound", err)
	}
}

// Errors are told by kind, and hold neither what opens the account nor a number.
func TestAccountErrors(t *testing.T) {
	lists := accountPath + "/IncomingPhoneNumbers.json"
	for _, tt := range []struct {
		name, reply string
		kind        error
		code        string
	}{
		{"None", `{"incoming_phone_numbers": []}`, bot.ErrNotFound, ""},
		{"Refused", `401 {"code": 20003, "message": "Authenticate +19735550100"}`, bot.ErrUnavailable, "20003"},
		{"Throttled", `429 {"code": 20429}`, bot.ErrUnavailable, "20429"},
		{"Down", `503 +19735550100 is down`, bot.ErrUnavailable, "HTTP 503"},
		{"NotJSON", `+19735550100`, bot.ErrUnavailable, ""},
		{"OtherForm", `{"incoming_phone_numbers": "+19735550100"}`, bot.ErrUnavailable, ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			_, err := twilioSays(t, map[string]string{lists: tt.reply}).Number(t.Context(), testNumber)
			if !errors.Is(err, tt.kind) {
				t.Errorf("Number = %v, want kind %v", err, tt.kind)
			}
			code := ""
			if r, ok := errors.AsType[*bot.Refusal](err); ok {
				code = r.Code
			}
			if code != tt.code {
				t.Errorf("Number = %v, with code %q, want %q", err, code, tt.code)
			}
			if text := fmt.Sprintf("%v %+v %#v", err, err, err); strings.Contains(text, "9735550100") || strings.Contains(text, testToken) {
				t.Errorf("Number = %s, which holds a number or a secret", text)
			}
		})
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := twilioSays(t, nil).State(ctx); !errors.Is(err, context.Canceled) {
		t.Errorf("State after the end = %v, want context.Canceled", err)
	}
}

// The messaging API of a region is on a host of its own.
func TestAccountHosts(t *testing.T) {
	for base, want := range map[string]string{
		"": "", API: "https://messaging.twilio.com", "https://api.ie1.twilio.com": "https://messaging.ie1.twilio.com", "http://127.0.0.1:1": "http://127.0.0.1:1",
		"https://api.twilio.com.example.org": "https://api.twilio.com.example.org",
	} {
		if got := NewAccount(Credentials{}, base).messaging.base; got != want {
			t.Errorf("NewAccount at %q has messaging at %q, want %q", base, got, want)
		}
	}
}

func TestKindsOfNumbers(t *testing.T) {
	for phone, want := range map[string][2]bool{"+18005550100": {true, false}, "+18335550100": {true, false}, "+19735550100": {false, true}, "+442079460100": {}, "+18225550100": {false, true}} {
		if got := [2]bool{TollFree(phone), TenDigit(phone)}; got != want {
			t.Errorf("TollFree, TenDigit of %s = %v, want %v", phone, got, want)
		}
	}
}
