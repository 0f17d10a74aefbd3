package sms

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"regexp"
	"strings"

	"plumbline/bot"
)

// messagingAPI is where Messaging Services are.
const messagingAPI = "https://messaging.twilio.com"

// An Account reads what an operator has set up at Twilio. It changes nothing.
// Its errors are of the kinds of bot and hold neither secrets nor numbers; what
// Twilio refuses wraps [bot.Refusal] with Twilio's code. It is safe for
// concurrent use.
type Account struct {
	api, messaging *api
}

// NewAccount returns the account of creds, with Twilio at base; empty for [API].
func NewAccount(creds Credentials, base string) *Account {
	a := &Account{newAPI(creds, base), newAPI(creds, base)}
	if u, err := url.Parse(base); err == nil {
		if rest, ok := strings.CutPrefix(u.Host, "api."); ok && strings.HasSuffix("."+rest, ".twilio.com") { // a region
			a.messaging = newAPI(creds, u.Scheme+"://messaging."+rest)
		}
	}
	return a
}

// A State is how an account stands.
type State struct {
	Status string `json:"status"` // active, suspended or closed
	Type   string `json:"type"`   // Full or Trial
}

// State returns how the account stands. API keys other than main ones are
// refused it.
func (a *Account) State(ctx context.Context) (s State, err error) {
	err = a.api.get(ctx, API+"/2010-04-01/Accounts/"+a.api.creds.Account+".json", nil, &s)
	return s, asked("the account", err)
}

// A Number is a telephone number of the account, and what it is set up to do.
type Number struct {
	SID              string `json:"sid"`
	Phone            string `json:"phone_number"`
	SMSURL           string `json:"sms_url"`
	SMSMethod        string `json:"sms_method"`
	SMSFallbackURL   string `json:"sms_fallback_url"`
	SMSApplication   string `json:"sms_application_sid"` // a TwiML app, which takes precedence over SMSURL
	VoiceURL         string `json:"voice_url"`
	VoiceMethod      string `json:"voice_method"`
	VoiceApplication string `json:"voice_application_sid"` // the same over VoiceURL
	Trunk            string `json:"trunk_sid"`             // the same
	Capabilities     struct {
		SMS   bool `json:"sms"`
		MMS   bool `json:"mms"`
		Voice bool `json:"voice"`
	} `json:"capabilities"`
}

// Number returns a number of the account, written such as +19735550100, or
// bot.ErrNotFound if the account has no such number.
func (a *Account) Number(ctx context.Context, phone string) (Number, error) {
	var page struct {
		List []Number `json:"incoming_phone_numbers"`
	}
	err := a.api.get(ctx, API+"/2010-04-01/Accounts/"+a.api.creds.Account+"/IncomingPhoneNumbers.json", url.Values{"PhoneNumber": {phone}}, &page)
	if err != nil {
		return Number{}, asked("the number", err)
	}
	for _, n := range page.List {
		if n.Phone == phone { // Twilio takes the parameter for a pattern
			return n, nil
		}
	}
	return Number{}, asked("the number", bot.ErrNotFound)
}

// A Service is a Messaging Service.
type Service struct {
	SID             string `json:"sid"`
	Name            string `json:"friendly_name"`
	InboundURL      string `json:"inbound_request_url"`
	InboundMethod   string `json:"inbound_method"`
	FallbackURL     string `json:"fallback_url"`
	DefersToNumber  bool   `json:"use_inbound_webhook_on_number"` // for what comes in
	SmartEncoding   bool   `json:"smart_encoding"`
	StickySender    bool   `json:"sticky_sender"`
	ValidityPeriod  int    `json:"validity_period"`
	StatusCallback  string `json:"status_callback"`
	USA2PRegistered bool   `json:"us_app_to_person_registered"`
}

// Service returns a Messaging Service, or bot.ErrNotFound.
func (a *Account) Service(ctx context.Context, sid string) (s Service, err error) {
	err = a.messaging.get(ctx, messagingAPI+"/v1/Services/"+url.PathEscape(sid), nil, &s)
	return s, asked("the Messaging Service", err)
}

// maxServices is in how many Messaging Services a number is looked for.
const maxServices = 50

// ServiceOf returns the Messaging Service that a number belongs to, or
// bot.ErrNotFound if it is in none.
func (a *Account) ServiceOf(ctx context.Context, phone string) (Service, error) {
	var page struct {
		List []Service `json:"services"`
	}
	if err := a.messaging.get(ctx, messagingAPI+"/v1/Services", url.Values{"PageSize": {"50"}}, &page); err != nil {
		return Service{}, asked("the Messaging Services", err)
	}
	for i, s := range page.List {
		if i == maxServices {
			break
		}
		numbers, err := a.Senders(ctx, s.SID)
		if err != nil {
			return Service{}, err
		}
		for _, n := range numbers {
			if n == phone {
				return s, nil
			}
		}
	}
	return Service{}, asked("the Messaging Services", bot.ErrNotFound)
}

// Senders returns the numbers of a Messaging Service; it has 400 at most.
func (a *Account) Senders(ctx context.Context, service string) ([]string, error) {
	var page struct {
		List []struct {
			Phone string `json:"phone_number"`
		} `json:"phone_numbers"`
	}
	if err := a.messaging.get(ctx, messagingAPI+"/v1/Services/"+url.PathEscape(service)+"/PhoneNumbers", url.Values{"PageSize": {"400"}}, &page); err != nil {
		return nil, asked("the Messaging Service's numbers", err)
	}
	var list []string
	for _, n := range page.List {
		list = append(list, n.Phone)
	}
	return list, nil
}

// The states of a [Campaign] and of a [Verification] in which texts go out.
const (
	CampaignVerified = "VERIFIED"
	TollFreeApproved = "TWILIO_APPROVED"
)

// A Campaign is the registration of a Messaging Service with the carriers of
// the United States, which ten-digit numbers need (A2P 10DLC).
type Campaign struct {
	Status string `json:"campaign_status"` // such as IN_PROGRESS, FAILED or [CampaignVerified]
	Mock   bool   `json:"mock"`            // for tests: no carrier knows it
}

// Campaign returns the campaign of a Messaging Service, one that is verified if
// there are several, or bot.ErrNotFound if there is none.
func (a *Account) Campaign(ctx context.Context, service string) (c Campaign, err error) {
	var page struct {
		List []Campaign `json:"compliance"`
	}
	if err := a.messaging.get(ctx, messagingAPI+"/v1/Services/"+url.PathEscape(service)+"/Compliance/Usa2p", nil, &page); err != nil {
		return c, asked("the campaign", err)
	}
	for _, c := range page.List {
		if c.Status == CampaignVerified && !c.Mock {
			return c, nil
		}
	}
	if len(page.List) == 0 {
		return c, asked("the campaign", bot.ErrNotFound)
	}
	return page.List[0], nil
}

// A Verification is the registration of a toll-free number.
type Verification struct {
	Status string `json:"status"` // PENDING_REVIEW, IN_REVIEW, TWILIO_REJECTED or [TollFreeApproved]
}

// Verification returns that of a toll-free number, by its SID, or
// bot.ErrNotFound if none was asked for.
func (a *Account) Verification(ctx context.Context, number string) (v Verification, err error) {
	var page struct {
		List []Verification `json:"verifications"`
	}
	if err := a.messaging.get(ctx, messagingAPI+"/v1/Tollfree/Verifications", url.Values{"TollfreePhoneNumberSid": {number}}, &page); err != nil {
		return v, asked("the toll-free verification", err)
	}
	for _, v := range page.List {
		if v.Status == TollFreeApproved {
			return v, nil
		}
	}
	if len(page.List) == 0 {
		return v, asked("the toll-free verification", bot.ErrNotFound)
	}
	return page.List[0], nil
}

var (
	tollFree = regexp.MustCompile(`^\+18(00|33|44|55|66|77|88)[0-9]{7}$`)
	american = regexp.MustCompile(`^\+1[0-9]{10}$`)
)

// TollFree reports whether a number is one that the carriers of North America
// want verified.
func TollFree(phone string) bool { return tollFree.MatchString(phone) }

// TenDigit reports whether a number is one for which the carriers of the United
// States want a registered campaign.
func TenDigit(phone string) bool { return american.MatchString(phone) && !TollFree(phone) }

// get reads what is at a URL into v.
func (a *api) get(ctx context.Context, at string, q url.Values, v any) error {
	res, err := a.with(ctx).SendRequest(http.MethodGet, at, q, nil)
	if err != nil {
		if r, ok := errors.AsType[*bot.Refusal](err); ok && (r.Code == "20404" || r.Code == "HTTP 404") {
			return fmt.Errorf("call twilio: %w", &bot.Refusal{Code: r.Code, Err: bot.ErrNotFound})
		}
		return err
	}
	defer func() { _ = res.Body.Close() }()
	if err := json.NewDecoder(res.Body).Decode(v); err != nil {
		return fmt.Errorf("call twilio: its reply is of another form than expected: %w", bot.ErrUnavailable)
	}
	return nil
}

// asked says what was asked for.
func asked(what string, err error) error {
	if err == nil {
		return nil
	}
	return fmt.Errorf("look up %s: %w", what, err)
}
