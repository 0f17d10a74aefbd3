package smstest_test

import (
	"net/http"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"plumbline/channels/sms/smstest"
)

func TestCreate(t *testing.T) {
	f := start(t)
	res, m := f.call(http.MethodPost, messagesAt, form("Body", "¿Está bien? 🚰", "StatusCallback", public+"/status?key=1", "ValidityPeriod", "3600", "SmartEncoded", "true"))
	if res.StatusCode != http.StatusCreated || res.Header.Get("Twilio-Request-Id") == "" {
		t.Errorf("create answers %d with %v, want 201 and a Twilio-Request-Id", res.StatusCode, res.Header)
	}
	sid, _ := m["sid"].(string)
	if !regexp.MustCompile(`^SM[0-9a-f]{32}$`).MatchString(sid) {
		t.Errorf("the SID is %q", sid)
	}
	for name, want := range map[string]any{
		"to": theirs, "from": ours, "body": "¿Está bien? 🚰", "status": "queued", "num_segments": "1", "num_media": "0", "direction": "outbound-api",
		"error_code": nil, "error_message": nil, "date_sent": nil, "messaging_service_sid": nil, "price": nil, "price_unit": nil, "api_version": "2010-04-01",
		"account_sid": f.Account().SID, "uri": "/2010-04-01/Accounts/" + f.Account().SID + "/Messages/" + sid + ".json",
	} {
		got, ok := m[name]
		if !ok || got != want {
			t.Errorf("%s is %v, want %v", name, got, want)
		}
	}
	created, _ := m["date_created"].(string)
	if at, err := time.Parse(time.RFC1123Z, created); err != nil || time.Since(at) > time.Minute || !strings.HasSuffix(created, " +0000") {
		t.Errorf("date_created is %q, want now, as RFC 2822 in UTC", created)
	}
	texts := f.Phone(theirs).Texts()
	if len(texts) != 1 || texts[0].Body != "¿Está bien? 🚰" || texts[0].SID != sid || texts[0].From != ours || texts[0].Vendor {
		t.Errorf("the phone has %+v, want the message", texts)
	}
	got := f.Creates()
	if len(got) != 1 || got[0].SID != sid || got[0].Taken.Before(got[0].Arrived) || got[0].Callback != public+"/status?key=1" {
		t.Errorf("Creates = %+v, want the message", got)
	}
	f.drain()
	if _, m := f.call(http.MethodGet, "/2010-04-01/Accounts/{}/Messages/"+sid+".json", nil); m["status"] != "delivered" || m["date_sent"] == nil {
		t.Errorf("the message is then %v, want it delivered", m)
	}
	f.faultless()
}

func TestCreateByService(t *testing.T) {
	f := start(t, with(smstest.Service{StatusCallback: public + "/of-service"}), func(c *smstest.Config) { c.Account.Numbers = []smstest.Number{{Phone: ours}, {Phone: "+19735550109"}} })
	service := f.Account().Services[0].SID
	m := f.create("From", "", "MessagingServiceSid", service)
	for name, want := range map[string]any{"status": "accepted", "num_segments": "0", "from": nil, "messaging_service_sid": service} {
		if m[name] != want {
			t.Errorf("%s is %v, want %v", name, m[name], want)
		}
	}
	f.drain()
	if _, m := f.call(http.MethodGet, "/2010-04-01/Accounts/{}/Messages/"+m["sid"].(string)+".json", nil); m["from"] != ours || m["num_segments"] != "1" || m["status"] != "delivered" {
		t.Errorf("once sent the message is %v, want it from %s", m, ours)
	}
	var said []string
	for _, r := range f.service.requests("/of-service") {
		said = append(said, r.form.Get("MessageStatus"))
	}
	if want := []string{"queued", "sent", "delivered"}; !slices.Equal(said, want) {
		t.Errorf("callbacks said %q, want %q", said, want)
	}
	f.faultless()
}

// What Twilio refuses, with its code; and more. Each is a fault of the service
// but that a person opted out.
func TestCreateRefuses(t *testing.T) {
	const whatsApp, agent = "+19735550107", "rcs:agent"
	f := start(t, with(smstest.Service{}), func(c *smstest.Config) {
		c.Account.Numbers = []smstest.Number{{Phone: ours}, {Phone: "+19735550108", Incapable: true}, {Phone: "+19735550109"}}
		c.Account.WhatsApp, c.Account.RCS = []string{whatsApp}, agent
		c.Account.Services = append(c.Account.Services, smstest.Service{Name: "empty", Senders: []string{}})
	})
	service, none := f.Account().Services[0].SID, f.Account().Services[1].SID
	if _, err := f.Phone("+19735550102").Text(t.Context(), "stop"); err != nil {
		t.Fatal(err)
	}
	unknown := "MG" + strings.Repeat("0", 32)
	for _, tt := range []struct {
		name  string
		pairs []string
		code  int
		why   string
	}{
		{"NoTo", []string{"To", ""}, 21604, "To"},
		{"Local", []string{"To", "973-555-0101"}, 21211, "E.164"},
		{"Zero", []string{"To", "+09735550101"}, 21211, "E.164"},
		{"Spaces", []string{"To", "+1 973 555 0101"}, 21211, "E.164"},
		{"ShortCode", []string{"To", "68849"}, 21211, "E.164"},
		{"TwicePrefixed", []string{"To", "whatsapp:whatsapp:" + theirs, "From", "whatsapp:" + whatsApp}, 21211, "two prefixes"},
		{"MixedPrefixes", []string{"To", "rcs:whatsapp:" + theirs}, 21211, "two prefixes"},
		{"NoFrom", []string{"From", ""}, 21603, "From"},
		{"NotOurs", []string{"From", "+19735550199"}, 21659, "Twilio phone number"},
		{"Incapable", []string{"From", "+19735550108"}, 21661, "SMS-capable"},
		{"ToItself", []string{"To", ours}, 21266, "same"},
		{"FromSMSToWhatsApp", []string{"To", "whatsapp:" + theirs}, 21910, "channel"},
		{"FromWhatsAppToSMS", []string{"From", "whatsapp:" + whatsApp}, 21910, "channel"},
		{"NoWhatsAppSender", []string{"From", "whatsapp:" + ours, "To", "whatsapp:" + theirs}, 63007, "Channel"},
		{"FromTwicePrefixed", []string{"From", "whatsapp:whatsapp:" + whatsApp, "To", "whatsapp:" + theirs}, 63007, "two prefixes"},
		{"BadService", []string{"From", "", "MessagingServiceSid", "MG1"}, 21705, "invalid"},
		{"UnknownService", []string{"From", "", "MessagingServiceSid", unknown}, 21701, "exist"},
		{"EmptyService", []string{"From", "", "MessagingServiceSid", none}, 21704, "no phone numbers"},
		{"ServiceWithoutChannel", []string{"From", "", "MessagingServiceSid", service, "To", "whatsapp:" + theirs}, 21703, "channel"},
		{"NotInService", []string{"From", "+19735550109", "MessagingServiceSid", service}, 21711, "associated"},
		{"NoBody", []string{"Body", ""}, 21602, "body"},
		{"TooLong", []string{"Body", strings.Repeat("é", 1601)}, 21617, "1601"},
		{"NotUTF8", []string{"Body", "caf\xe9"}, 21618, "UTF-8"},
		{"Broken", []string{"Body", "half a \uFFFD"}, 21618, "U+FFFD"},
		{"RelativeCallback", []string{"StatusCallback", "/status"}, 21609, "StatusCallback"},
		{"NoHost", []string{"StatusCallback", "https:///status"}, 21609, "StatusCallback"},
		{"FTP", []string{"StatusCallback", "ftp://bot.example.org/status"}, 21609, "StatusCallback"},
		{"ValidNever", []string{"ValidityPeriod", "0"}, 21624, "validity"},
		{"ValidTooLong", []string{"ValidityPeriod", "36001"}, 21624, "validity"},
		{"ValidNoNumber", []string{"ValidityPeriod", "1h"}, 21624, "validity"},
		{"SmartMaybe", []string{"SmartEncoded", "yes"}, 20001, "SmartEncoded"},
		{"Unknown", []string{"body", "lower case"}, 20001, "does not have"},
		{"NotHeeded", []string{"SendAt", "2026-11-30T12:00:00Z"}, 20001, "SendAt"},
		{"OptedOut", []string{"To", "+19735550102"}, 21610, ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			faults, rejections, taken := len(f.Faults()), len(f.Rejections()), len(f.Creates())
			res, e := f.call(http.MethodPost, messagesAt, form(tt.pairs...))
			if res.StatusCode != http.StatusBadRequest || e["code"] != float64(tt.code) || e["status"] != 400.0 || e["message"] == "" || !strings.HasPrefix(e["more_info"].(string), "https://www.twilio.com/docs/errors/") {
				t.Errorf("create %v: %d %v, want 400 with code %d", tt.pairs, res.StatusCode, e, tt.code)
			}
			if now := f.Rejections()[rejections:]; len(now) != 1 || now[0].Code != tt.code || now[0].Trouble != "" {
				t.Errorf("create %v: rejections %+v, want one of code %d", tt.pairs, now, tt.code)
			}
			if len(f.Creates()) != taken {
				t.Errorf("create %v was taken", tt.pairs)
			}
			now := f.Faults()[faults:]
			if tt.why == "" {
				if len(now) != 0 {
					t.Errorf("create %v: faults %+v, want none", tt.pairs, now)
				}
				return
			}
			if len(now) != 1 || now[0].Code != tt.code || now[0].Where != "create" || !strings.Contains(now[0].Why, tt.why) {
				t.Errorf("create %v: faults %+v, want one of code %d that says %q", tt.pairs, now, tt.code, tt.why)
			}
			for _, fault := range now {
				if strings.Contains(fault.Why, "555") || strings.Contains(fault.Why, "half a") {
					t.Errorf("the fault %q holds a number or words", fault.Why)
				}
			}
		})
	}
	if got := f.Stats(); got.Refused != len(f.Rejections()) || got.Faults != len(f.Faults()) || got.Taken != 0 {
		t.Errorf("Stats = %+v, want what was refused", got)
	}
}

// What is right must be taken.
func TestCreateTakes(t *testing.T) {
	const whatsApp, agent = "+19735550107", "rcs:agent"
	f := start(t, with(smstest.Service{Senders: []string{"whatsapp:" + whatsApp, agent, ours}}), func(c *smstest.Config) {
		c.Account.WhatsApp, c.Account.RCS = []string{whatsApp}, agent
	})
	service := f.Account().Services[0].SID
	for _, tt := range []struct {
		name  string
		pairs []string
		from  string
	}{
		{"SMS", nil, ours},
		{"Longest", []string{"Body", strings.Repeat("é", 1600)}, ours},
		{"Emoji", []string{"Body", strings.Repeat("🚰", 1600)}, ours},
		{"WhatsApp", []string{"To", "whatsapp:" + theirs, "From", "whatsapp:" + whatsApp}, "whatsapp:" + whatsApp},
		{"RCS", []string{"To", "rcs:" + theirs, "From", agent}, agent},
		{"RCSToNumber", []string{"From", agent}, agent},
		{"Service", []string{"From", "", "MessagingServiceSid", service}, ours},
		{"ServiceWhatsApp", []string{"From", "", "MessagingServiceSid", service, "To", "whatsapp:" + theirs}, "whatsapp:" + whatsApp},
		{"ServiceRCS", []string{"From", "", "MessagingServiceSid", service, "To", "rcs:" + theirs}, agent},
		{"ServiceAndFrom", []string{"MessagingServiceSid", service}, ours},
		{"Port", []string{"StatusCallback", "http://127.0.0.1:1/status"}, ours},
	} {
		m := f.create(tt.pairs...)
		f.drain()
		if _, now := f.call(http.MethodGet, "/2010-04-01/Accounts/{}/Messages/"+m["sid"].(string)+".json", nil); now["from"] != tt.from {
			t.Errorf("%s is from %v, want %s", tt.name, now["from"], tt.from)
		}
	}
	if sms, wa := len(f.Phone(theirs).Texts()), len(f.Phone("whatsapp:"+theirs).Texts()); sms != 9 || wa != 0 {
		t.Errorf("the phone has %d texts and %d by WhatsApp, want 9 and, outside of the 24 hours, 0", sms, wa)
	}
}

func TestAdmits(t *testing.T) {
	f := start(t, func(c *smstest.Config) {
		c.Account.Keys = map[string]smstest.Key{"SK1": {Secret: "one"}, "SK2": {Secret: "two", Main: true}, "SK3": {}}
	})
	other := "/2010-04-01/Accounts/AC" + strings.Repeat("0", 32)
	by := func(user, pass string) func(*http.Request) {
		return func(r *http.Request) { r.SetBasicAuth(user, pass) }
	}
	for _, tt := range []struct {
		name, path string
		edit       func(*http.Request)
		status     int
		code       any
	}{
		{"Token", messagesAt, nil, 200, nil},
		{"Key", messagesAt, by("SK1", "one"), 200, nil},
		{"MainKey", "/2010-04-01/Accounts/{}.json", by("SK2", "two"), 200, nil},
		{"KeyForAccount", "/2010-04-01/Accounts/{}.json", by("SK1", "one"), 401, 20003.0},
		{"NoAuth", messagesAt, func(r *http.Request) { r.Header.Del("Authorization") }, 401, 20003.0},
		{"WrongToken", messagesAt, by(f.Account().SID, "x"), 401, 20003.0},
		{"WrongSecret", messagesAt, by("SK1", "two"), 401, 20003.0},
		{"EmptySecret", messagesAt, by("SK3", ""), 401, 20003.0},
		{"OtherAccount", other + "/Messages.json", nil, 404, 20404.0},
		{"OtherAccountItself", other + ".json", nil, 404, 20404.0},
		{"NoSuchPath", "/2010-04-01/Accounts/{}/Calls.json", nil, 404, 20404.0},
		{"NoSuchMessage", "/2010-04-01/Accounts/{}/Messages/SM1.json", nil, 404, 20404.0},
	} {
		var edits []func(*http.Request)
		if tt.edit != nil {
			edits = append(edits, tt.edit)
		}
		if res, body := f.call(http.MethodGet, tt.path, nil, edits...); res.StatusCode != tt.status || body["code"] != tt.code {
			t.Errorf("%s: %d with code %v, want %d with %v", tt.name, res.StatusCode, body["code"], tt.status, tt.code)
		}
	}
	for _, edit := range []func(*http.Request){by("SK1", "two"), func(r *http.Request) { r.Header.Set("Content-Type", "application/json") }} {
		if res, _ := f.call(http.MethodPost, messagesAt, form(), edit); res.StatusCode < 400 {
			t.Errorf("create answers %d, want it refused", res.StatusCode)
		}
	}
	if err := f.Edit(func(a *smstest.Account) { a.Status = "suspended" }); err != nil {
		t.Fatal(err)
	}
	if res, body := f.call(http.MethodPost, messagesAt, form()); res.StatusCode != http.StatusForbidden {
		t.Errorf("create of a suspended account answers %d %v, want 403", res.StatusCode, body)
	}
	if got := f.Stats().Taken; got != 0 {
		t.Errorf("%d messages were taken, want none", got)
	}
}

// A message that is given twice is two messages: Twilio has no key that would
// make it one.
func TestCreateTwice(t *testing.T) {
	f := start(t)
	if a, b := f.create()["sid"], f.create()["sid"]; a == b {
		t.Errorf("two creates have one SID %v", a)
	}
	if n := len(f.Phone(theirs).Texts()); n != 2 {
		t.Errorf("the phone has %d texts, want 2", n)
	}
}

// A parameter given twice is refused: Twilio would take one of them.
func TestCreateRepeatedParameter(t *testing.T) {
	f := start(t)
	v := form()
	v["Body"] = []string{"one", "two"}
	if res, _ := f.call(http.MethodPost, messagesAt, v); res.StatusCode != http.StatusBadRequest {
		t.Errorf("create with two bodies answers %d, want 400", res.StatusCode)
	}
	if res, _ := f.call(http.MethodPost, messagesAt+"?To="+url.QueryEscape(theirs), form()); res.StatusCode != http.StatusBadRequest {
		t.Errorf("create with a query answers %d, want 400", res.StatusCode)
	}
}

func TestSmartEncoding(t *testing.T) {
	f := start(t, with(smstest.Service{SmartEncoding: true}))
	body := "Don’t drink it – boil it"
	if m := f.create("MessagingServiceSid", f.Account().Services[0].SID, "Body", body); m["body"] != body {
		t.Errorf("the body is told as %q, want it as it was given", m["body"])
	}
	if texts := f.Phone(theirs).Texts(); len(texts) != 1 || texts[0].Body != "Don't drink it - boil it" {
		t.Errorf("the phone has %+v, want it smart-encoded", texts)
	}
	if m := f.create("Body", body); m["num_segments"] != "1" {
		t.Errorf("num_segments is %v", m["num_segments"])
	}
	if texts := f.Phone(theirs).Texts(); texts[1].Body != body {
		t.Errorf("without the service the phone has %q, want %q", texts[1].Body, body)
	}
}
