package smstest_test

import (
	"net/http"
	"net/url"
	"strings"
	"testing"

	"plumbline/channels/sms/smstest"
)

func TestAccount(t *testing.T) {
	f := start(t, with(smstest.Service{
		Name: "Hotline", Senders: []string{ours}, InboundURL: public + "/of-service", StickySender: true, ValidityPeriod: 14400, Registered: true, OnNumber: true,
		Campaigns: []smstest.Campaign{{Status: "VERIFIED"}, {Status: "FAILED", Mock: true}},
	}), func(c *smstest.Config) {
		c.Account.Type = "Trial"
		c.Account.Numbers = []smstest.Number{{Phone: ours, StatusCallback: public + "/calls"}, {Phone: "+18335550100", SID: "PN" + strings.Repeat("1", 32), SMSURL: public + "/other"}}
		c.Account.Verifications = []smstest.Verification{{Number: "PN" + strings.Repeat("1", 32), Status: "TWILIO_REJECTED", Reason: "too short"}}
	})
	service := "/v1/Services/" + f.Account().Services[0].SID
	get := func(path string) map[string]any {
		t.Helper()
		res, body := f.call(http.MethodGet, path, nil)
		if res.StatusCode != 200 {
			t.Fatalf("GET %s: %d %v", path, res.StatusCode, body)
		}
		return body
	}
	first := func(page map[string]any, key string, n int) map[string]any {
		t.Helper()
		list, _ := page[key].([]any)
		if len(list) != n {
			t.Fatalf("%s are %v, want %d", key, list, n)
		}
		return list[0].(map[string]any)
	}
	has := func(what string, got map[string]any, want map[string]any) {
		t.Helper()
		for name, v := range want {
			if g, ok := got[name]; !ok || g != v {
				t.Errorf("%s has %s %v, want %v", what, name, g, v)
			}
		}
	}
	has("the account", get("/2010-04-01/Accounts/{}.json"), map[string]any{"sid": f.Account().SID, "status": "active", "type": "Trial"})
	n := first(get("/2010-04-01/Accounts/{}/IncomingPhoneNumbers.json?PhoneNumber="+url.QueryEscape(ours)), "incoming_phone_numbers", 1)
	has("the number", n, map[string]any{
		"sid": f.Account().Numbers[0].SID, "phone_number": ours, "sms_url": hookAt, "sms_method": "POST", "sms_fallback_url": "", "sms_application_sid": "",
		"voice_url": public + "/voice", "voice_method": "POST", "voice_application_sid": nil, "trunk_sid": nil, "status_callback": public + "/calls",
	})
	has("what it can", n["capabilities"].(map[string]any), map[string]any{"sms": true, "mms": true, "voice": true})
	first(get("/2010-04-01/Accounts/{}/IncomingPhoneNumbers.json?PhoneNumber="+url.QueryEscape("55501**")), "incoming_phone_numbers", 2)
	first(get("/2010-04-01/Accounts/{}/IncomingPhoneNumbers.json?PhoneNumber=833"), "incoming_phone_numbers", 1)

	want := map[string]any{
		"friendly_name": "Hotline", "inbound_request_url": public + "/of-service", "inbound_method": "POST", "fallback_url": nil, "use_inbound_webhook_on_number": true,
		"sticky_sender": true, "smart_encoding": false, "validity_period": 14400.0, "status_callback": nil, "us_app_to_person_registered": true, "usecase": "undeclared",
	}
	has("the service", get(service), want)
	page := get("/v1/Services?PageSize=50")
	has("the service", first(page, "services", 1), want)
	has("its page", page["meta"].(map[string]any), map[string]any{"key": "services", "page": 0.0, "page_size": 50.0, "next_page_url": nil, "previous_page_url": nil})
	has("its number", first(get(service+"/PhoneNumbers"), "phone_numbers", 1), map[string]any{"phone_number": ours, "sid": f.Account().Numbers[0].SID})
	has("its campaign", first(get(service+"/Compliance/Usa2p"), "compliance", 2), map[string]any{"campaign_status": "VERIFIED", "mock": false})
	has("the verification", first(get("/v1/Tollfree/Verifications?TollfreePhoneNumberSid=PN"+strings.Repeat("1", 32)), "verifications", 1),
		map[string]any{"status": "TWILIO_REJECTED", "tollfree_phone_number_sid": "PN" + strings.Repeat("1", 32), "rejection_reason": "too short"})
	if list := get("/v1/Tollfree/Verifications?TollfreePhoneNumberSid=PN0")["verifications"].([]any); len(list) != 0 {
		t.Errorf("verifications of another number are %v, want none", list)
	}
	f.faultless()

	for _, path := range []string{"/v1/Services/MG" + strings.Repeat("0", 32), "/v1/Services/MG1/PhoneNumbers", "/v1/Services/MG1/Compliance/Usa2p"} {
		if res, body := f.call(http.MethodGet, path, nil); res.StatusCode != 404 || body["code"] != 20404.0 {
			t.Errorf("GET %s: %d %v, want 404 with code 20404", path, res.StatusCode, body)
		}
	}
	for _, path := range []string{service + "?x=1", "/2010-04-01/Accounts/{}.json?x=1", "/2010-04-01/Accounts/{}/IncomingPhoneNumbers.json?Phone=1", "/v1/Tollfree/Verifications?x=1"} {
		if res, body := f.call(http.MethodGet, path, nil); res.StatusCode != 400 {
			t.Errorf("GET %s: %d %v, want 400", path, res.StatusCode, body)
		}
	}
}

// What is edited holds at once, if it can be.
func TestEdit(t *testing.T) {
	f := start(t)
	if err := f.Edit(func(a *smstest.Account) {
		a.Numbers = append(a.Numbers, smstest.Number{Phone: "+19735550109"})
		a.Services = append(a.Services, smstest.Service{Senders: []string{"+19735550109"}})
	}); err != nil {
		t.Fatal(err)
	}
	f.create("From", "+19735550109")
	for _, edit := range []func(*smstest.Account){
		func(a *smstest.Account) { a.SID = "AC1" },
		func(a *smstest.Account) { a.Numbers[0].Phone = "973-555-0100" },
		func(a *smstest.Account) { a.Services[0].SID = "MG1" },
		func(a *smstest.Account) { a.Services[0].Senders[0] = "+19735550188" },
	} {
		before := f.Account()
		if err := f.Edit(edit); err == nil {
			t.Error("an edit that cannot be is taken")
		}
		if after := f.Account(); after.SID != before.SID || after.Numbers[0] != before.Numbers[0] || after.Services[0].Senders[0] != "+19735550109" {
			t.Errorf("an edit that was refused left %+v", after)
		}
	}
}
