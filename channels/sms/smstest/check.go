package smstest

import (
	"net/url"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"plumbline/internal/gsm7"
)

// longest is how many characters, code points, a body may have.
const longest = 1600

// The parameters of a create that the fake knows, and those that Twilio knows
// besides. What the fake would not heed it refuses.
var (
	heeded = []string{"To", "From", "MessagingServiceSid", "Body", "StatusCallback", "ValidityPeriod", "SmartEncoded"}
	others = []string{
		"AddressRetention", "ApplicationSid", "Attempt", "ContentRetention", "ContentSid", "ContentVariables", "FallbackFrom",
		"ForceDelivery", "MaxPrice", "MediaUrl", "PersistentAction", "ProvideFeedback", "RiskCheck", "ScheduleType", "SendAsMms",
		"SendAt", "ShortenUrls", "TrafficType",
	}
)

// A draft is a create whose parameters are in order.
type draft struct {
	to, from string // from is empty if the service chooses
	service  *Service
	body     string
	callback string
	valid    int // seconds
	smart    bool
}

// check reads the parameters of a create as Twilio does, and more strictly
// where noted. s.mu is held.
func (s *Server) check(form url.Values) (draft, *refusal) {
	for name, values := range form {
		switch {
		case slices.Contains(others, name):
			return draft{}, refuse(20001, name).because("parameter " + name + " is Twilio's and not one that the fake heeds")
		case !slices.Contains(heeded, name): // Twilio ignores it
			return draft{}, refuse(20001, strconv.Quote(name)).because("a parameter that Twilio does not have")
		case len(values) > 1:
			return draft{}, refuse(20001, name).because("parameter " + name + " is given more than once")
		}
	}
	d := draft{to: form.Get("To"), from: form.Get("From"), body: form.Get("Body"), callback: form.Get("StatusCallback")}
	channel, number := split(d.to)
	switch {
	case d.to == "":
		return d, refuse(21604, "")
	case strings.HasPrefix(number, whatsApp) || strings.HasPrefix(number, rcs):
		return d, refuse(21211, d.to).because("the To number has two prefixes")
	case !e164.MatchString(number):
		return d, refuse(21211, d.to).because("the To number is not written as E.164")
	}
	if no := s.checkSender(&d, channel, form.Get("MessagingServiceSid")); no != nil {
		return d, no
	}
	if no := bodyFault(d.body); no != nil {
		return d, no
	}
	if form.Has("StatusCallback") {
		if u, err := url.Parse(d.callback); err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Hostname() == "" {
			return d, refuse(21609, d.callback)
		}
	} else if d.service != nil {
		d.callback = d.service.StatusCallback
	}
	d.valid = 36000
	if d.service != nil {
		d.valid = d.service.ValidityPeriod
	}
	if v := form.Get("ValidityPeriod"); form.Has("ValidityPeriod") {
		n, err := strconv.Atoi(v)
		if err != nil || n < 1 || n > 36000 {
			return d, refuse(21624, v)
		}
		d.valid = n
	}
	d.smart = d.service != nil && d.service.SmartEncoding
	if v := form.Get("SmartEncoded"); form.Has("SmartEncoded") {
		if v != "true" && v != "false" {
			return d, refuse(20001, "SmartEncoded").because("SmartEncoded is neither true nor false")
		}
		d.smart = v == "true"
	}
	if s.optOuts[s.scope(channel, number, d)] {
		return d, refuse(21610, "")
	}
	return d, nil
}

// bodyFault is what is wrong with the text of a message.
func bodyFault(body string) *refusal {
	switch n := gsm7.Characters(body); {
	case body == "":
		return refuse(21602, "")
	case !utf8.ValidString(body): // stricter than Twilio
		return refuse(21618, "").because("the body is not UTF-8")
	case strings.ContainsRune(body, utf8.RuneError): // stricter than Twilio
		return refuse(21618, "").because("the body has U+FFFD, the sign of a broken character")
	case n > longest:
		return refuse(21617, "").because("the body has " + strconv.Itoa(n) + " characters, more than 1600")
	}
	return nil
}

// checkSender checks From and MessagingServiceSid.
func (s *Server) checkSender(d *draft, channel, service string) *refusal {
	a := &s.account
	if a.Status != "active" {
		return refuse(20005, "")
	}
	if d.from == "" && service == "" {
		return refuse(21603, "")
	}
	if service != "" {
		if !serviceSID.MatchString(service) {
			return refuse(21705, service)
		}
		if d.service = a.service(service); d.service == nil {
			return refuse(21701, service)
		}
	}
	if d.from != "" {
		fromChannel, number := split(d.from)
		owned := a.owns(d.from)
		switch {
		case strings.HasPrefix(number, whatsApp) || strings.HasPrefix(number, rcs):
			return refuse(63007, "").because("the From address has two prefixes")
		case fromChannel != sms && !owned:
			return refuse(63007, "")
		case !owned:
			return refuse(21659, d.from)
		case fromChannel != channel && (fromChannel != rcs || channel != sms):
			return refuse(21910, "")
		case d.from == d.to:
			return refuse(21266, d.to)
		case fromChannel == sms && a.number(number).Incapable:
			return refuse(21661, d.from)
		case d.service != nil && !slices.Contains(d.service.Senders, d.from):
			return refuse(21711, d.from)
		}
		return nil
	}
	switch {
	case len(d.service.Senders) == 0:
		return refuse(21704, "")
	case s.choose(d.service, d.to) == "":
		return refuse(21703, "").because("the Messaging Service has no sender of the To number's channel")
	}
	return nil
}

// choose is the sender that a Messaging Service sends from: the one that the
// person wrote to last, or the first of the channel; empty if none is.
func (s *Server) choose(m *Service, to string) string {
	channel, _ := split(to)
	first := ""
	last := s.box(to).wroteTo
	for _, sender := range m.Senders {
		c, _ := split(sender)
		if c != channel && (c != rcs || channel != sms) {
			continue
		}
		if sender == last {
			return sender
		}
		if first == "" || c == sms && strings.HasPrefix(first, rcs) {
			first = sender
		}
	}
	return first
}
