package bot

import "errors"

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
