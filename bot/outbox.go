package bot

import (
	"context"
	"time"
)

// A DeliveryState is how far a text to a person has got.
type DeliveryState string

// The states. A text moves from each to a later one only.
const (
	Composed  DeliveryState = "composed"  // it is in the outbox
	Sending   DeliveryState = "sending"   // a worker has it
	Accepted  DeliveryState = "accepted"  // the vendor took it and named it
	Delivered DeliveryState = "delivered" // the vendor says that the phone has it
	Failed    DeliveryState = "failed"    // it will not be delivered
)

// A Delivery is one text to one person.
type Delivery struct {
	Seq       int64 // names it within its outbox, with Fence
	Fence     int64
	Tries     int
	Key       string // names it to vendors; two deliveries with one key are one
	Person    string
	To        Address
	Lead      string // said before Text since it goes out late; the outbox does not keep it
	Text      string
	Language  Language
	Answer    string // ID of the Answer that it tells; empty for a fixed text
	Status    Status // of that answer
	Offers    []Word // the words that would get more of it
	Urgent    bool
	Unasked   bool      // nobody just asked for it: quiet hours hold it back
	Composed  time.Time // when it was put into the outbox
	Asked     time.Time // when the message that it answers was taken in; zero if it answers none
	Expires   time.Time // not handed out after that; zero for never
	Tried     bool      // the vendor may have it: a worker had it and did not say what came of it, or was in doubt
	LastTried time.Time
}

// Says is the whole of what the person is to read.
func (d Delivery) Says() string {
	if d.Lead == "" {
		return d.Text
	}
	return d.Lead + " " + d.Text
}

// A Settlement is what a vendor later tells of a text.
type Settlement struct {
	Channel  string
	Key      string // of the delivery, where the vendor was told it
	VendorID string
	State    DeliveryState // Accepted, Delivered or Failed
	Why      string        // of Failed
	OptedOut bool          // it failed since the person opted out with the vendor, which the ledger takes over
}

// An Outbox holds texts until a vendor has them. Texts of one person go out in
// order, urgent ones first; nothing is handed out for a person who opted out,
// but for the text that says so. Leases are as those of an [Inbox]. A text is
// dropped once it is accepted or has failed; what remains is its history.
type Outbox interface {
	// Post adds a text that no job answered. A Key that is there already changes
	// nothing and is not an error.
	Post(ctx context.Context, d Delivery) error

	// Take hands out the next text that is due on one of channels, or returns
	// ErrNotFound.
	Take(ctx context.Context, channels []string, l Lease) (Delivery, error)

	// Accept says that the vendor took d and calls it vendorID. Where Settle has
	// said so before it is not an error.
	Accept(ctx context.Context, d Delivery, vendorID string) error

	// Settle takes in what the vendor told of a text: that of the key or, without
	// one, that which the vendor calls so. A text that nobody said was accepted is
	// so now: whoever sent it was killed before, or says so later. A state that
	// comes late or twice changes nothing; a text that is not known is ErrNotFound,
	// and a key that the vendor has taken under another name is ErrConflict: it
	// went out twice.
	Settle(ctx context.Context, s Settlement) error

	// Known reports whether a text here has the vendor's name vendorID.
	Known(ctx context.Context, channel, vendorID string) (bool, error)

	// MaySend returns nil if d may still be sent by its holder, at once before it
	// is: ErrOptedOut if the person opted out since, ErrConflict if another has it.
	MaySend(ctx context.Context, d Delivery) error

	// Fail says that d will not be delivered.
	Fail(ctx context.Context, d Delivery, why string) error

	// Again gives d back, to be handed out from at on. Where d says that it was
	// Tried, that is kept.
	Again(ctx context.Context, d Delivery, at time.Time, why string) error

	// Backlog counts what waits at the time now.
	Backlog(ctx context.Context, now time.Time) (Depth, error)
}
