package llm

import (
	"errors"
	"fmt"
	"time"

	"plumbline/bot"
)

// A Reason is why there is no reply that will do.
type Reason string

// The reasons.
const (
	Unreachable Reason = "unreachable"  // no connection, or it broke
	TimedOut    Reason = "timed_out"    // no whole reply in time
	Busy        Reason = "busy"         // 429, or too many at once here
	NoQuota     Reason = "no_quota"     // 429 for want of money: asking again will not help
	Down        Reason = "down"         // 5xx
	Open        Reason = "circuit_open" // it failed too often lately and is left alone
	NotAllowed  Reason = "not_allowed"  // 401 or 403: the key
	NotFound    Reason = "not_found"    // 404: the model or the path
	BadRequest  Reason = "bad_request"  // any other 4xx: the server does not take what we ask
	Garbled     Reason = "garbled"      // not what such a server says: HTML, no choices, an error under 200
	Empty       Reason = "empty"        // no text, or reasoning alone
	CutOff      Reason = "cut_off"      // finish_reason length
	Filtered    Reason = "filtered"     // finish_reason content_filter, or a refusal
	Malformed   Reason = "malformed"    // text that cannot be read as the schema asks, twice
	CutPrompt   Reason = "cut_prompt"   // the server read only a part of the prompt
	OverBudget  Reason = "over_budget"  // a budget is spent
	NotRecorded Reason = "not_recorded" // the player has no such reply
	Rejected    Reason = "rejected"     // a gate let nothing of it through
)

// A Failure is the error of a Model. It holds no text of the server's, which
// may quote the prompt or the key.
type Failure struct {
	Reason Reason
	Status int           // of HTTP; 0 for none
	Code   string        // of the server's error, if it is one that servers are known to send
	Param  string        // of our request that the server finds fault with, if it names one
	After  time.Duration // that the server asks to wait; 0 for nothing
	Err    error         // below it, for errors.Is; not told
}

// Error implements error.
func (f *Failure) Error() string {
	s := string(f.Reason)
	if f.Status != 0 {
		s += fmt.Sprintf(" (HTTP %d", f.Status)
		if f.Code != "" {
			s += ", " + f.Code
		}
		if f.Param != "" {
			s += ": " + f.Param
		}
		s += ")"
	}
	return s
}

// Unwrap says what kind of error it is: bot.ErrInvalid if asking again will not
// help, else bot.ErrUnavailable.
func (f *Failure) Unwrap() []error {
	kind := bot.ErrUnavailable
	switch f.Reason {
	case NotAllowed, NotFound, BadRequest:
		kind = bot.ErrInvalid
	}
	if f.Err == nil {
		return []error{kind}
	}
	return []error{kind, f.Err}
}

// ReasonOf returns the reason of an error, "" if it has none.
func ReasonOf(err error) Reason {
	var f *Failure
	if errors.As(err, &f) {
		return f.Reason
	}
	return ""
}
