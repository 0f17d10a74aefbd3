package bot

import (
	"cmp"
	"context"
	"time"
)

// An Arrival is a message on its way into the [Inbox].
type Arrival struct {
	Message Message
	Urgent  bool // an emergency by the safety rules: it overtakes everything and is outside every limit
	Word    Word // the word that the whole message is, if any: it is never joined with others nor dropped as a repeat
	Rules   IntakeRules
}

// IntakeRules are what one person may send, and what is one message. The zero
// rules limit nothing and join nothing.
type IntakeRules struct {
	Debounce time.Duration // texts that follow each other within this are one message
	Patience time.Duration // the longest that debounce holds a text back
	Repeat   time.Duration // the same words of the same person within this are the same message
	Same     Limit         // the same words more often than this go unanswered, as those of a machine that replies to us; the zero Limit for any number
	Limits   []Limit       // what passes one of them is told so once
	Silence  time.Duration // and then nothing is said for this long
}

// A Limit is a count of messages within a time.
type Limit struct {
	Count int
	Per   time.Duration
}

// Decides says what a person decides about hearing from us by sending a, who
// opted out before or did not; empty for nothing.
func (a Arrival) Decides(out bool) Consent {
	switch said := cmp.Or(a.Message.Heard, a.Word); {
	case a.Urgent && a.Message.Heard == "":
	case said == WordStop && !out:
		return OptOut
	case (said == WordStart || a.Word == WordYes) && out:
		return OptIn
	}
	return ""
}

// Cause is how a decided: the word of it, or what the vendor heard.
func (a Arrival) Cause() string {
	if a.Message.Heard != "" {
		return "vendor " + string(a.Message.Heard)
	}
	return string(a.Word)
}

// A Receipt says what became of an arrival.
type Receipt string

// The receipts. Each means that the message is ours and need not be sent again.
const (
	Queued   Receipt = "queued"   // it will be answered
	Repeated Receipt = "repeated" // it was here already, by its id or, within IntakeRules.Repeat, by its words
	Limited  Receipt = "limited"  // it is the first past a limit: the person is told so
	Silenced Receipt = "silenced" // it is past a limit, and the person was told
	Blocked  Receipt = "blocked"  // staff blocked the person
)

// An Inbox holds messages until they are answered. It is the truth of what was
// taken in: a message that Put has returned for is on disk (fsynced), and every
// one of them is finished once. Messages of one person come out one at a time,
// in the order in which they came; persons take turns, so that one who sends
// much does not keep others waiting; an urgent message comes before all others,
// those of its own person included, and so does one by which a person opts out.
// All methods may be called by several
// goroutines and, where the database is shared, by several processes.
//
// A job that was handed out belongs to its holder until its lease ends. Then it
// is handed out again, with another fence; from then on the methods that take
// the old job return ErrConflict and change nothing.
type Inbox interface {
	// Put records a and says what became of it. person is the keyed hash of
	// a.Message.From. A message with the channel and id of one that is here, or
	// was in the last 48 hours, is Repeated.
	//
	// What a person decides by a (see [Arrival.Decides]) holds from then on and
	// stands in the ledger, whoever is blocked and whatever is limited. Put of an
	// opt-out returns once no text that was in hand for the person can go out any
	// more, or after three seconds.
	Put(ctx context.Context, person string, a Arrival) (Receipt, error)

	// Next hands out the next job that is due: texts that one person sent within
	// IntakeRules.Debounce of each other come as one. It returns ErrNotFound if
	// nothing is due.
	Next(ctx context.Context, l Lease) (Job, error)

	// Extend makes the lease of j last until.
	Extend(ctx context.Context, j Job, until time.Time) error

	// Finish marks j as done and, in the same transaction, puts what came of it
	// into the outbox, the session, the record and the ledger of consent. The
	// text of j is dropped.
	Finish(ctx context.Context, j Job, o Outcome) error

	// Return gives j back, to be handed out again from at on. why is for
	// operators and holds nobody's words.
	Return(ctx context.Context, j Job, at time.Time, why string) error

	// Parked lists the jobs that were given up ([Outcome].Parked), newest first.
	Parked(ctx context.Context) ([]Parked, error)

	// Depth counts what waits at the time now.
	Depth(ctx context.Context, now time.Time) (Depth, error)
}

// A Lease says who takes a job, and until when it is theirs.
type Lease struct {
	Owner  string
	Now    time.Time
	Until  time.Time
	Urgent bool // take only what is urgent
}

// A Job is a message to answer, and what is known of the person who sent it.
type Job struct {
	Seq      int64     // names the job within its inbox, with Fence
	Fence    int64     // grows each time that the job is handed out
	Tries    int       // how often it was handed out, this time included
	Person   string    // the keyed hash of Message.From
	Message  Message   // joined from several, with the id and time of the first
	Joined   int       // how many texts it was joined from
	Urgent   bool      // as it arrived
	Word     Word      // as it arrived
	Receipt  Receipt   // Queued or Limited
	Decided  Consent   // what the person decided by it; it holds since it arrived
	Received time.Time // when we took it in
	OptedOut bool      // the person texted STOP and not START since
	New      bool      // the person has not been told who this is
	Session  Session   // as it was when the job was handed out
}

// An Outcome is what came of a job.
type Outcome struct {
	Replies  []Reply              // what to send, in order; each one message
	Answer   *Answer              // nil if no question was answered; its Trace goes into the record
	Remember func(*Session) error // changes the session; nil for nothing. It may be called more than once
	Consent  Consent              // what the person turns out to have decided by it, beyond Job.Decided; empty for nothing
	Despite  bool                 // the replies say that the person opted out, and so go out: within five minutes (47 CFR 64.1200(a)(12)) or not at all
	Told     bool                 // the replies hold the notice to a new person
	Forget   bool                 // erase all of the person but the ledger of consent, before the replies go out
	Parked   string               // why the job is given up; empty if it is not. It holds nobody's words
	Review   string               // why a member of staff should look; empty if they need not
}

// Consent is what a person decided about hearing from us.
type Consent string

// The decisions.
const (
	OptOut Consent = "opt_out"
	OptIn  Consent = "opt_in"
)

// ConfirmWithin is how soon an opt-out may be confirmed; later it is not (47 CFR
// 64.1200(a)(12)).
const ConfirmWithin = 5 * time.Minute

// HandWait is the longest that Put of an opt-out waits for texts in hand.
const HandWait = 3 * time.Second

// A Decision is an entry of the ledger of consent: entries are only ever added.
type Decision struct {
	Person  string    `json:"person"`
	Channel string    `json:"channel"`
	Consent Consent   `json:"consent"`
	Cause   string    `json:"cause"` // the word that the person said, or what a vendor told us: "vendor 21610"
	At      time.Time `json:"at"`
}

// A ConsentBook is the ledger of what people decided about hearing from us, one
// for each address and sender of ours.
type ConsentBook interface {
	// Decide enters c and lets it hold. Where it holds already nothing is entered.
	Decide(ctx context.Context, person, channel string, c Consent, cause string) error

	// Decisions lists the entries of a person, or of all if person is empty, the
	// oldest first.
	Decisions(ctx context.Context, person string) ([]Decision, error)
}

// Parked is a job that was given up.
type Parked struct {
	Seq     int64
	Channel string
	Person  string
	Tries   int
	Why     string
	At      time.Time
}

// A Depth is how much waits in an inbox or an outbox.
type Depth struct {
	Waiting int           // due or not, not finished
	Urgent  int           // of them
	Leased  int           // of them
	Parked  int           // given up
	Oldest  time.Duration // age of the oldest that waits
}
