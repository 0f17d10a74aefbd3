// Package queuetest is the contract of an inbox and an outbox, written as tests.
package queuetest

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"testing"
	"time"

	"plumbline/bot"
)

// A Store is an inbox and an outbox that share transactions, and what the tests
// need to see into them.
type Store interface {
	bot.Inbox
	bot.Outbox
	bot.SessionStore
	bot.ConsentBook

	// Requeue gives a parked job another chance.
	Requeue(ctx context.Context, seq int64) error

	// Sweep deletes the history of what was finished before a time, but none
	// of the last 48 hours.
	Sweep(ctx context.Context, before time.Time) (int, error)

	// Block keeps a person's messages from being answered, until a time if it
	// is not zero. Unblock takes that back.
	Block(ctx context.Context, person, why string, until time.Time) error
	Unblock(ctx context.Context, person string) error

	// Delivery tells how far the text called key got.
	Delivery(ctx context.Context, key string) (bot.DeliveryState, string, error)

	// InboxReady and OutboxReady have a value after something became due.
	InboxReady() <-chan struct{}
	OutboxReady() <-chan struct{}
}

// Start is when the clock of a test begins.
var Start = time.Date(2026, 11, 30, 12, 0, 0, 0, time.UTC)

// A Clock is moved by hand.
type Clock struct {
	mu    sync.Mutex
	since time.Duration
}

// Now is [Start] and what was added since.
func (c *Clock) Now() time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	return Start.Add(c.since)
}

// Add moves the clock.
func (c *Clock) Add(d time.Duration) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.since += d
}

// Open returns an empty store that tells the time by now and is closed with
// the test.
type Open func(t *testing.T, now func() time.Time) Store

// Run runs the contract.
func Run(t *testing.T, open Open) {
	t.Run("Inbox", func(t *testing.T) { testInbox(t, open) })
	t.Run("Rules", func(t *testing.T) { testRules(t, open) })
	t.Run("Limits", func(t *testing.T) { testLimits(t, open) })
	t.Run("Outcome", func(t *testing.T) { testOutcome(t, open) })
	t.Run("Consent", func(t *testing.T) { testConsent(t, open) })
	t.Run("Arrivals", func(t *testing.T) { testArrivals(t, open) })
	t.Run("Outbox", func(t *testing.T) { testOutbox(t, open) })
	t.Run("Load", func(t *testing.T) { testLoad(t, open) })
	t.Run("Machine", func(t *testing.T) { testMachine(t, open) })
}

// lease is how long a test's worker takes a job for.
const lease = time.Minute

// A desk is a store in a test, with a clock and words for what tests do often.
type desk struct {
	Store
	*Clock
	t *testing.T
	n int // of messages that were given an id
}

func newDesk(t *testing.T, open Open) *desk {
	c := new(Clock)
	return &desk{Store: open(t, c.Now), Clock: c, t: t}
}

// from is the address of a person in a test.
func from(person string) bot.Address { return bot.Address{Channel: "sms", User: "user of " + person} }

// said is a message with the next id.
func (d *desk) said(person, text string) bot.Arrival {
	d.n++
	return bot.Arrival{Message: bot.Message{ID: fmt.Sprint("m", d.n), From: from(person), Text: text, At: d.Now()}}
}

// put puts a and wants what becomes of it.
func (d *desk) put(person string, a bot.Arrival, want bot.Receipt) {
	d.t.Helper()
	got, err := d.Put(d.t.Context(), person, a)
	if err != nil || got != want {
		d.t.Fatalf("Put(%s, %q) = %q, %v, want %q", person, a.Message.Text, got, err, want)
	}
}

// say puts a text under no rules.
func (d *desk) say(person, text string) {
	d.t.Helper()
	d.put(person, d.said(person, text), bot.Queued)
}

// cry puts an urgent text.
func (d *desk) cry(person, text string) {
	d.t.Helper()
	a := d.said(person, text)
	a.Urgent = true
	d.put(person, a, bot.Queued)
}

func (d *desk) leased() bot.Lease {
	return bot.Lease{Owner: "worker", Now: d.Now(), Until: d.Now().Add(lease)}
}

// next wants a job with the text.
func (d *desk) next(want string) bot.Job {
	d.t.Helper()
	j, err := d.Next(d.t.Context(), d.leased())
	if err != nil || j.Message.Text != want {
		d.t.Fatalf("Next = %q, %v, want %q", j.Message.Text, err, want)
	}
	return j
}

// idle wants no job.
func (d *desk) idle() {
	d.t.Helper()
	if j, err := d.Next(d.t.Context(), d.leased()); !errors.Is(err, bot.ErrNotFound) {
		d.t.Fatalf("Next = %q, %v, want ErrNotFound", j.Message.Text, err)
	}
}

// finish finishes j with replies.
func (d *desk) finish(j bot.Job, texts ...string) {
	d.t.Helper()
	var o bot.Outcome
	for _, text := range texts {
		o.Replies = append(o.Replies, bot.Reply{Text: text, Language: bot.English})
	}
	d.end(j, o)
}

func (d *desk) end(j bot.Job, o bot.Outcome) {
	d.t.Helper()
	if err := d.Finish(d.t.Context(), j, o); err != nil {
		d.t.Fatalf("Finish(%q): %v", j.Message.Text, err)
	}
}

// answer has a person say a text and be answered.
func (d *desk) answer(person, text string, o bot.Outcome) {
	d.t.Helper()
	d.say(person, text)
	d.end(d.next(text), o)
}

// post posts a text to a person, named by its own words.
func (d *desk) post(person, text string) {
	d.t.Helper()
	d.send(bot.Delivery{Key: text, Person: person, To: from(person), Text: text})
}

func (d *desk) send(v bot.Delivery) {
	d.t.Helper()
	if err := d.Post(d.t.Context(), v); err != nil {
		d.t.Fatalf("Post(%q): %v", v.Text, err)
	}
}

// take wants the text from the outbox.
func (d *desk) take(want string) bot.Delivery {
	d.t.Helper()
	v, err := d.Take(d.t.Context(), []string{"sms"}, d.leased())
	if err != nil || v.Text != want {
		d.t.Fatalf("Take = %q, %v, want %q", v.Text, err, want)
	}
	return v
}

// quiet wants nothing from the outbox.
func (d *desk) quiet() {
	d.t.Helper()
	if v, err := d.Take(d.t.Context(), []string{"sms"}, d.leased()); !errors.Is(err, bot.ErrNotFound) {
		d.t.Fatalf("Take = %q, %v, want ErrNotFound", v.Text, err)
	}
}

// accept takes the text and has the vendor accept it.
func (d *desk) accept(want string) {
	d.t.Helper()
	v := d.take(want)
	if err := d.Accept(d.t.Context(), v, "vendor's "+want); err != nil {
		d.t.Fatalf("Accept(%q): %v", want, err)
	}
}

// state wants the state of the text called key.
func (d *desk) state(key string, want bot.DeliveryState) {
	d.t.Helper()
	if got, why, err := d.Delivery(d.t.Context(), key); err != nil || got != want {
		d.t.Fatalf("Delivery(%q) = %q (%s), %v, want %q", key, got, why, err, want)
	}
}

// conflict wants ErrConflict.
func (d *desk) conflict(call string, err error) {
	d.t.Helper()
	if !errors.Is(err, bot.ErrConflict) {
		d.t.Errorf("%s = %v, want ErrConflict", call, err)
	}
}
