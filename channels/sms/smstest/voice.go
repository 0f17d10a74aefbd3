package smstest

import (
	"context"
	"fmt"
	"net/url"
)

// A Call is what a caller hears.
type Call struct {
	SID   string
	Verbs []Verb // in order; none if the call failed
	TwiML string // as the service wrote it
	Code  int    // Twilio's, if the call failed: the caller hears an application error
}

// Call calls a number of ours, the first if to is empty, and returns what the
// service has said to the caller. The error is [ErrNotTaken] if that is nothing
// that Twilio can say, with a Fault; or that of ctx.
func (p *Phone) Call(ctx context.Context, to string) (Call, error) {
	s := p.s
	s.mu.Lock()
	_, from := split(p.address)
	if to == "" && len(s.account.Numbers) > 0 {
		to = s.account.Numbers[0].Phone
	}
	n := s.account.number(to)
	if n == nil {
		s.mu.Unlock()
		return Call{}, fmt.Errorf("the account has no number %q to call", to)
	}
	voiceURL := n.VoiceURL
	if n.VoiceApplication != "" || n.Trunk != "" {
		voiceURL = ""
	}
	p.box.calls++
	s.stats.Calls++
	c := Call{SID: s.sid("CA", "call", p.address, p.box.calls)}
	h := hook{
		where: "voice", url: voiceURL, sid: c.SID, token: s.token("call", p.address, p.box.calls),
		params: url.Values{
			"CallSid": {c.SID}, "AccountSid": {s.account.SID}, "ApiVersion": {"2010-04-01"}, "From": {from}, "Caller": {from}, "To": {to},
			"Called": {to}, "Direction": {"inbound"}, "CallStatus": {"ringing"},
			"CallerCity": {""}, "CallerState": {"NJ"}, "CallerZip": {"07102"}, "CallerCountry": {"US"},
			"FromCity": {""}, "FromState": {"NJ"}, "FromZip": {"07102"}, "FromCountry": {"US"},
		},
		check: func(r reply) (code int, why string) {
			c.TwiML = string(r.body)
			c.Verbs, code, why = parseTwiML(r, calling)
			return code, why
		},
	}
	if voiceURL == "" {
		c.Code = 11210
		s.fault(Fault{Code: c.Code, Where: h.where, SID: c.SID, Why: "the number has no URL for calls"})
	}
	s.mu.Unlock()
	if c.Code == 0 {
		c.Code = s.post(ctx, h)
	}
	switch {
	case c.Code == 0:
		return c, nil
	case s.queue.ctx.Err() != nil:
		return c, errClosed
	case ctx.Err() != nil:
		return c, ctx.Err()
	}
	return c, fmt.Errorf("%w: Twilio's code %d", ErrNotTaken, c.Code)
}
