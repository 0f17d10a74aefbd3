package bot

import (
	"errors"
	"fmt"
)

// The kinds of error. Wrap one where it applies and test with errors.Is: the
// kind says what to do, the text says what we were doing.
var (
	ErrInvalid     = errors.New("invalid")     // asking again will not help
	ErrNotFound    = errors.New("not found")   // no such thing
	ErrDenied      = errors.New("denied")      // forged, opted out, or not permitted
	ErrConflict    = errors.New("conflict")    // someone else changed it first
	ErrUnavailable = errors.New("unavailable") // something that we lean on is down or busy
	ErrExhausted   = errors.New("exhausted")   // a budget or a limit is used up
)

// Kinds within kinds: what a vendor's answer means for what we do next.
var (
	// ErrOptedOut is the vendor's word that the person does not want to hear
	// from us: the ledger of consent takes it over.
	ErrOptedOut = fmt.Errorf("opted out: %w", ErrDenied)

	// ErrInDoubt says that the vendor may have taken what we handed it: it is
	// asked before it is handed that again.
	ErrInDoubt = fmt.Errorf("in doubt: %w", ErrUnavailable)
)

// A Refusal is a vendor's own code for why it did not take or deliver a text,
// and the kind of error that it is.
type Refusal struct {
	Code string // such as "30007"; it holds nobody's words
	Err  error
}

// Error implements error.
func (e *Refusal) Error() string { return "code " + e.Code + ": " + e.Err.Error() }

// Unwrap returns the kind.
func (e *Refusal) Unwrap() error { return e.Err }

// Why is the kind of err and, where a vendor gave one, its code, for staff:
// "denied (21610)".
func Why(err error) string {
	if r, ok := errors.AsType[*Refusal](err); ok && r.Code != "" {
		return Kind(err) + " (" + r.Code + ")"
	}
	return Kind(err)
}

// Kind is the kind of err in a word that holds nobody's words: "unavailable",
// or "failed" for an error of no kind.
func Kind(err error) string {
	for _, k := range []error{ErrInvalid, ErrNotFound, ErrDenied, ErrConflict, ErrUnavailable, ErrExhausted} {
		if errors.Is(err, k) {
			return k.Error()
		}
	}
	return "failed"
}
