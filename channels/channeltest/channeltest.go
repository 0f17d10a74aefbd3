// Package channeltest is the contract of a channel's [bot.Sender], written as
// tests. An adapter passes it against a fake of its vendor: a real server where
// the vendor is one, which shares no code with the adapter and can be told to
// fail.
package channeltest

import (
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	"plumbline/bot"
)

// A Fault is a way in which a vendor fails.
type Fault string

// The faults. A vendor has one until it is told another.
const (
	None      Fault = ""
	Throttled Fault = "throttled"           // too many calls, and it does not say for how long
	Wait      Fault = "throttled with wait" // too many calls, and it names a time: Harness.Wait
	Denied    Fault = "denied"              // the person opted out, or may not be written to
	Permanent Fault = "permanent"           // it refuses what no retry will make it take: no such number, say
	Broken    Fault = "broken"              // it answers that it is out of order: 500 or 503
	Garbled   Fault = "garbled"             // a page of HTML where an answer belongs, as a proxy sends
	CutBefore Fault = "cut before"          // the connection ends before the vendor took the text
	CutAfter  Fault = "cut after"           // it ends after the vendor took the text and before it said so
	Hanging   Fault = "hanging"             // it does not answer at all
)

// Faults lists the faults.
func Faults() []Fault {
	return []Fault{Throttled, Wait, Denied, Permanent, Broken, Garbled, CutBefore, CutAfter, Hanging}
}

// A Text is one that a person has: what the vendor would not show is not there.
type Text struct {
	Key  string // the key that the vendor was told; empty if it is told none
	Text string
}

// A Harness is an adapter with its vendor.
type Harness struct {
	Sender bot.Sender

	// To is someone whom the sender may write to. The contract gives its own
	// text to every delivery and looks for both in what the adapter says.
	To bot.Address

	// Longest is how many characters the adapter takes in one delivery.
	Longest int

	// Has returns what the person has, in the order in which it came.
	Has func() []Text

	// Fail lets the vendor's calls fail from now on. It is not called with a
	// fault of Cannot.
	Fail func(Fault)

	// Cannot says of each fault that the vendor cannot have why not.
	Cannot map[Fault]string

	// NotOnce says why the vendor cannot be kept from giving a person one
	// delivery twice; empty if the adapter sees to it.
	NotOnce string

	// Wait is how long the vendor says to wait at the fault of that name.
	Wait time.Duration

	// Logged returns what the adapter wrote into a log at debug level. Nil if
	// it has no log.
	Logged func() string
}

// A Log may be read while it is written.
type Log struct {
	mu sync.Mutex
	b  strings.Builder
}

// Write implements [io.Writer].
func (l *Log) Write(b []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.b.Write(b)
}

// String is what was written so far.
func (l *Log) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.b.String()
}

// Run runs the contract against what open returns, a new one each time.
func Run(t *testing.T, open func(t *testing.T) Harness) {
	for _, c := range contract {
		t.Run(c.name, func(t *testing.T) { c.check(&call{TB: t, h: open(t)}) })
	}
}

// contract is what every adapter promises.
var contract = []struct {
	name  string
	check func(*call)
}{
	{"Delivers", delivers},
	{"TooLong", tooLong},
	{"Throttled", throttled},
	{"Denied", denied},
	{"Permanent", permanent},
	{"Temporary", temporary},
	{"Cancelled", cancelled},
	{"Idempotent", idempotent},
	{"Order", order},
	{"NoAddressInErrors", noAddressInErrors},
	{"Concurrent", concurrent},
}

// A call is one test of the contract.
type call struct {
	testing.TB
	h Harness
	n int // deliveries made
}

// can reports whether the vendor can have f, and tells it to. What it cannot
// have is told.
func (c *call) can(f Fault) bool {
	c.Helper()
	if why, cannot := c.h.Cannot[f]; cannot {
		if why == "" {
			c.Errorf("the harness does not say why the vendor cannot be %q", f)
		}
		c.Logf("not applicable: %s: %s", f, why)
		return false
	}
	c.h.Fail(f)
	return true
}

// delivery is a new one of a text.
func (c *call) delivery(text string) bot.Delivery {
	c.n++
	return bot.Delivery{
		Seq: int64(c.n), Fence: 1, Tries: 1, Key: fmt.Sprintf("key-%s-%d", c.Name(), c.n), Person: "hash-of-person", To: c.h.To, Text: text,
		Language: bot.English, Answer: fmt.Sprintf("answer-%d", c.n), Status: bot.Answered, Composed: time.Now(), Asked: time.Now(),
	}
}

// again is d as it is handed out once more when it is not known whether the
// vendor has it.
func again(d bot.Delivery) bot.Delivery {
	d.Fence++
	d.Tries++
	d.Tried, d.LastTried = true, time.Now()
	return d
}

// send sends d and wants it to be taken.
func (c *call) send(d bot.Delivery) (vendorID string) {
	c.Helper()
	id, err := c.h.Sender.Send(c.Context(), d)
	if err != nil {
		c.Errorf("Send(%.40q) = %v, want it sent", d.Text, err)
	}
	if id == "" && err == nil {
		c.Errorf("Send(%.40q) names nothing, want the vendor's name for it", d.Text)
	}
	return id
}

// has wants the person to have these texts, in this order.
func (c *call) has(want ...string) {
	c.Helper()
	got := c.h.Has()
	if len(got) != len(want) {
		c.Errorf("the person has %d texts %.60q, want %d", len(got), got, len(want))
		return
	}
	for i, text := range want {
		if got[i].Text != text {
			c.Errorf("text %d is %.60q (%d bytes), want %.60q (%d bytes)", i, got[i].Text, len(got[i].Text), text, len(text))
		}
	}
}
