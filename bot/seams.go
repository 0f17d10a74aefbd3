package bot

import (
	"context"
	"time"
)

// An Answerer works out what to say to a question. It always returns an Answer
// that may be told, TechnicalFailure included, unless ctx is done or the
// question itself is ErrInvalid. Two goroutines may call it.
type Answerer interface {
	Answer(ctx context.Context, q Question) (Answer, error)
}

// A Receiver takes in messages. When Receive returns nil the message is ours,
// on disk: the channel may acknowledge it and need not send it again. Receive
// returns soon, without waiting for an answer. A message that was received
// before is not an error.
type Receiver interface {
	Receive(ctx context.Context, m Message) error
}

// A Sender hands texts to the vendor of one channel. It does not retry. Its
// errors wrap ErrDenied when the person has opted out or may not be written to,
// ErrInvalid when no retry will help, ErrUnavailable when one may, and then
// perhaps a [RetryAfter]; none of them holds the address or the text.
type Sender interface {
	// Send delivers d and returns the vendor's name for it. d.Key names the
	// delivery: a vendor that can is told it, so that two calls with one key
	// reach the person once.
	Send(ctx context.Context, d Delivery) (vendorID string, err error)
}

// A RetryAfter is an error of a vendor that says how long to wait.
type RetryAfter struct{ Wait time.Duration }

// Error implements error.
func (e RetryAfter) Error() string { return "try again in " + e.Wait.String() }

// Unwrap makes e an [ErrUnavailable].
func (e RetryAfter) Unwrap() error { return ErrUnavailable }

// A Session is what the bot remembers of one conversation: at most 2 KiB when
// encoded, oldest exchanges dropped first.
type Session struct {
	Language Language // of the last answer
	Choice   Language // chosen by the person; empty to go by the text
	Persona  string
	History  []Exchange
	Seen     []string // chunk ids, oldest first
	Pending  Reply    // what MORE, WHY and SOURCES would send
	Told     Reply    // the last emergency text
	Crisis   Route    // the last crisis route told, repeated on HELP until CrisisAt is 30 minutes old
	CrisisAt time.Time
	Standing Route  // a pinned route that holds for what follows
	Clarify  string // names what the last reply asked back, empty for nothing: never two in a row
	Offer    *Offer // that the last reply made; nil for none
	Pack     string // that answers, since an offer was taken; empty for the default
}

// A SessionStore remembers conversations. Keys are keyed hashes of addresses.
type SessionStore interface {
	// Load returns the session at key, or an empty one if there is none.
	Load(ctx context.Context, key string) (Session, error)

	// Update calls fn with the session stored at key, or with a new empty one,
	// and stores what fn leaves there. If fn returns an error, Update returns
	// it and stores nothing. Update may call fn more than once, so fn must do
	// nothing but change the session. Updates of one key never interleave.
	Update(ctx context.Context, key string, fn func(*Session) error) error

	// Forget drops the session at key. Forgetting one that is not there is not
	// an error.
	Forget(ctx context.Context, key string) error
}

// A Notice is a notice in force that staff posted: it leads every related
// answer until it lapses.
type Notice struct {
	ID      string
	Kind    string              // as the pack's safety rules name it
	Area    string              // a jurisdiction of the pack, or a part of one
	Text    map[Language]string // both languages
	Source  Source
	Start   time.Time
	Expires time.Time // within 72 hours of Start
	By      string
}

// A NoticeBoard tells which notices are in force.
type NoticeBoard interface {
	// InForce returns the notices in force, newest first.
	InForce(ctx context.Context, at time.Time) ([]Notice, error)

	// Lapsed returns those that lapsed, or were ended, within the time before at.
	Lapsed(ctx context.Context, at time.Time, within time.Duration) ([]Notice, error)
}
