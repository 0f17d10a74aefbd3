package smstest

import (
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"
)

// An Account is what an operator has set up at Twilio.
type Account struct {
	SID    string         // AC and 32 hexadecimal digits
	Token  string         // the auth token
	Keys   map[string]Key // API keys, by their SIDs: SK…
	Name   string
	Status string // active, suspended or closed
	Type   string // Full or Trial

	Numbers  []Number
	WhatsApp []string // numbers that are WhatsApp senders, such as +19735550100
	RCS      string   // the RCS agent, such as rcs:agent; empty for none
	Services []Service

	// Verifications are those of toll-free numbers.
	Verifications []Verification
}

// A Key is an API key.
type Key struct {
	Secret string
	Main   bool // may read the account itself, as other keys may not
}

// A Number is a telephone number of the account. What is empty of a SID, a URL
// for messages or calls, a method or the capabilities is filled in by [New].
type Number struct {
	SID              string // PN…
	Phone            string // such as +19735550100
	Name             string
	SMSURL           string
	SMSMethod        string // POST; the fake calls no URL by GET
	SMSFallbackURL   string
	SMSApplication   string // AP…; if set, SMSURL is not called
	VoiceURL         string
	VoiceMethod      string
	VoiceApplication string
	Trunk            string
	StatusCallback   string // of calls
	Incapable        bool   // of SMS, MMS and calls
}

// A Service is a Messaging Service.
type Service struct {
	SID            string // MG…
	Name           string
	Senders        []string // such as +19735550100, whatsapp:+19735550100 or rcs:agent
	InboundURL     string   // what comes in to a sender is posted here, unless OnNumber
	InboundMethod  string
	FallbackURL    string
	OnNumber       bool   // use_inbound_webhook_on_number
	StatusCallback string // of messages that name none
	SmartEncoding  bool
	StickySender   bool
	ValidityPeriod int // seconds; 36000 if zero
	Usecase        string
	Registered     bool // us_app_to_person_registered
	Campaigns      []Campaign
}

// A Campaign is an A2P 10DLC registration of a Messaging Service.
type Campaign struct {
	SID    string // QE…
	Status string // PENDING, IN_PROGRESS, VERIFIED, FAILED or SUSPENDED
	Mock   bool
}

// A Verification is the registration of a toll-free number.
type Verification struct {
	SID    string // HH…
	Number string // the number's SID, PN…
	Status string // PENDING_REVIEW, IN_REVIEW, TWILIO_APPROVED or TWILIO_REJECTED
	Reason string // of a rejection
}

// Account returns the account as it is. Its lists are not to be changed; see
// Edit.
func (s *Server) Account() Account {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.account
}

// Edit changes the account. The error says what is wrong with what edit made of
// it, which then does not hold.
func (s *Server) Edit(edit func(*Account)) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	a := s.account
	a.Keys = make(map[string]Key, len(s.account.Keys))
	for sid, key := range s.account.Keys {
		a.Keys[sid] = key
	}
	a.Numbers, a.WhatsApp, a.Verifications = slices.Clone(a.Numbers), slices.Clone(a.WhatsApp), slices.Clone(a.Verifications)
	a.Services = slices.Clone(a.Services)
	for i := range a.Services {
		a.Services[i].Senders = slices.Clone(a.Services[i].Senders)
		a.Services[i].Campaigns = slices.Clone(a.Services[i].Campaigns)
	}
	edit(&a)
	if err := s.complete(&a); err != nil {
		return err
	}
	s.account = a
	return nil
}

var (
	e164       = regexp.MustCompile(`^\+[1-9][0-9]{6,14}$`)
	accountSID = regexp.MustCompile(`^AC[0-9a-f]{32}$`)
	serviceSID = regexp.MustCompile(`^MG[0-9a-f]{32}$`)
)

// complete fills in what an account leaves out and says what is wrong with it.
func (s *Server) complete(a *Account) error {
	fill := func(v *string, value string) {
		if *v == "" {
			*v = value
		}
	}
	fill(&a.SID, s.sid("AC", "account", "", 0))
	fill(&a.Token, s.sid("", "token", "", 0))
	fill(&a.Name, "Hotline")
	fill(&a.Status, "active")
	fill(&a.Type, "Full")
	if a.Numbers == nil {
		a.Numbers = []Number{{Phone: "+19735550100"}}
	}
	if !accountSID.MatchString(a.SID) {
		return fmt.Errorf("account: %q is no account SID", a.SID)
	}
	for i := range a.Numbers {
		n := &a.Numbers[i]
		if !e164.MatchString(n.Phone) {
			return fmt.Errorf("account: number %d is not written as E.164", i)
		}
		fill(&n.SID, s.sid("PN", "number", n.Phone, 0))
		fill(&n.Name, n.Phone)
		fill(&n.SMSURL, s.config.Inbound)
		fill(&n.SMSMethod, "POST")
		fill(&n.VoiceURL, s.config.Voice)
		fill(&n.VoiceMethod, "POST")
	}
	for i := range a.Services {
		m := &a.Services[i]
		fill(&m.SID, s.sid("MG", "service", m.Name, i))
		fill(&m.Name, "Hotline")
		fill(&m.InboundMethod, "POST")
		fill(&m.Usecase, "undeclared")
		if m.ValidityPeriod == 0 {
			m.ValidityPeriod = 36000
		}
		if !serviceSID.MatchString(m.SID) {
			return fmt.Errorf("account: %q is no SID of a Messaging Service", m.SID)
		}
		for _, sender := range m.Senders {
			if !a.owns(sender) {
				return fmt.Errorf("account: a sender of Messaging Service %s is not the account's", m.SID)
			}
		}
		for j := range m.Campaigns {
			fill(&m.Campaigns[j].SID, s.sid("QE", "campaign", m.SID, j))
		}
	}
	for i := range a.Verifications {
		fill(&a.Verifications[i].SID, s.sid("HH", "verification", a.Verifications[i].Number, i))
	}
	if s.config.Keywords == Advanced && len(a.Services) == 0 {
		return errors.New("account: Advanced Opt-Out is of Messaging Services, and there is none")
	}
	return nil
}

// owns reports whether an address, with its prefix, is a sender of the account.
func (a *Account) owns(address string) bool {
	switch c, name := split(address); c {
	case whatsApp:
		return slices.Contains(a.WhatsApp, name)
	case rcs:
		return a.RCS != "" && a.RCS == address
	}
	return a.number(address) != nil
}

func (a *Account) number(phone string) *Number {
	if i := slices.IndexFunc(a.Numbers, func(n Number) bool { return n.Phone == phone }); i >= 0 {
		return &a.Numbers[i]
	}
	return nil
}

func (a *Account) service(sid string) *Service {
	if i := slices.IndexFunc(a.Services, func(m Service) bool { return m.SID == sid }); i >= 0 {
		return &a.Services[i]
	}
	return nil
}

// serviceOf is the Messaging Service that has a sender; nil for none.
func (a *Account) serviceOf(sender string) *Service {
	if i := slices.IndexFunc(a.Services, func(m Service) bool { return slices.Contains(m.Senders, sender) }); i >= 0 {
		return &a.Services[i]
	}
	return nil
}

// The channels, by their prefixes.
const (
	sms      = ""
	whatsApp = "whatsapp:"
	rcs      = "rcs:"
)

// split parts an address into the prefix of its channel and the rest.
func split(address string) (channel, name string) {
	for _, c := range []string{whatsApp, rcs} {
		if name, ok := strings.CutPrefix(address, c); ok {
			return c, name
		}
	}
	return sms, address
}
