package sessions

import (
	"context"
	"fmt"
	"slices"
	"time"

	"plumbline/bot"
)

// A letter is a text that waits in the outbox.
type letter struct {
	bot.Delivery
	hold
	despite bool      // it goes to a person who opted out, for it says so
	taken   time.Time // when it was last handed out
}

// A sentState is how far a text has got.
type sentState struct {
	state bot.DeliveryState
	why   string

	channel, vendor, person string // vendor is its name for the text; empty if it is not known to have it
}

// note writes down how far a text has got.
func (q *Queue) note(l *letter, state bot.DeliveryState, why string) {
	s := q.states[l.Key]
	s.state, s.why = state, why
	q.states[l.Key] = s
}

// compose adds a text to the outbox. One to a person who opted out has failed
// at once; one whose key is there changes nothing.
func (q *Queue) compose(l *letter) {
	if _, ok := q.states[l.Key]; ok {
		return
	}
	if q.person(l.Person).optedOut && !l.despite {
		q.states[l.Key] = sentState{bot.Failed, optedOut, l.To.Channel, "", l.Person}
		return
	}
	q.seq++
	l.Seq, l.Composed = q.seq, q.now()
	l.due = l.Composed
	q.letters = append(q.letters, l)
	q.states[l.Key] = sentState{bot.Composed, "", l.To.Channel, "", l.Person}
}

// optedOut is why a text to a person who opted out fails.
const optedOut = "opted out"

// tooLate is why a text fails that was not to go out any more.
const tooLate = "too late"

// decide enters a decision and lets it hold, unless it does already.
func (q *Queue) decide(key, channel string, c bot.Consent, cause string, now time.Time) {
	if q.person(key).optedOut == (c == bot.OptOut) {
		return
	}
	q.book = append(q.book, bot.Decision{Person: key, Channel: channel, Consent: c, Cause: cause, At: now})
	q.person(key).optedOut = c == bot.OptOut
	if c == bot.OptOut {
		q.optOut(key, now)
	}
}

// Decide implements [bot.ConsentBook].
func (q *Queue) Decide(_ context.Context, person, channel string, c bot.Consent, cause string) error {
	if person == "" || cause == "" || c != bot.OptOut && c != bot.OptIn {
		return fmt.Errorf("enter consent: it has no person or no cause, or there is no consent %q: %w", c, bot.ErrInvalid)
	}
	q.mu.Lock()
	defer q.mu.Unlock()
	q.decide(person, channel, c, cause, q.now())
	return nil
}

// Decisions implements [bot.ConsentBook].
func (q *Queue) Decisions(_ context.Context, person string) (list []bot.Decision, err error) {
	q.mu.Lock()
	defer q.mu.Unlock()
	for _, d := range q.book {
		if person == "" || d.Person == person {
			list = append(list, d)
		}
	}
	return list, nil
}

// optOut fails what waits for a person and is not in hand.
func (q *Queue) optOut(key string, now time.Time) {
	q.letters = slices.DeleteFunc(q.letters, func(l *letter) bool {
		if l.Person != key || l.despite || l.inHand(now) {
			return false
		}
		q.note(l, bot.Failed, optedOut)
		return true
	})
}

// Post implements [bot.Outbox].
func (q *Queue) Post(ctx context.Context, d bot.Delivery) error {
	if d.Key == "" || d.Person == "" || d.Text == "" || d.To.Channel == "" {
		return fmt.Errorf("post text: it has no key, person, text or channel: %w", bot.ErrInvalid)
	}
	if err := ctx.Err(); err != nil {
		return fmt.Errorf("post text: %w", err)
	}
	q.mu.Lock()
	defer q.mu.Unlock()
	q.compose(&letter{Delivery: d})
	wake(q.outboxReady)
	return nil
}

// Take implements [bot.Outbox].
func (q *Queue) Take(ctx context.Context, channels []string, l bot.Lease) (bot.Delivery, error) {
	if err := ctx.Err(); err != nil {
		return bot.Delivery{}, fmt.Errorf("hand out text: %w", err)
	}
	q.mu.Lock()
	defer q.mu.Unlock()
	q.letters = slices.DeleteFunc(q.letters, func(x *letter) bool {
		switch {
		case x.inHand(l.Now):
		case !x.despite && q.person(x.Person).optedOut: // its lease ended, and the person opted out meanwhile
			q.note(x, bot.Failed, optedOut)
			return true
		case !x.Expires.IsZero() && !x.Expires.After(l.Now):
			q.note(x, bot.Failed, tooLate)
			return true
		}
		return false
	})
	var best *letter
	more := false
	for _, x := range q.letters {
		if l.Urgent && !x.Urgent || !slices.Contains(channels, x.To.Channel) || !x.free(l.Now) || q.waits(x, l.Now) {
			continue
		}
		more = more || best != nil
		if best == nil || x.Urgent && !best.Urgent {
			best = x
		}
	}
	if best == nil {
		return bot.Delivery{}, fmt.Errorf("hand out text: nothing is due: %w", bot.ErrNotFound)
	}
	if more {
		wake(q.outboxReady)
	}
	if best.leased { // nobody said what came of it
		best.Tried, best.LastTried = true, best.taken
	}
	best.leased, best.until, best.taken = true, l.Until, l.Now
	best.Fence++
	best.Tries++
	q.note(best, bot.Sending, "")
	return best.Delivery, nil
}

// waits reports whether another text of x's person goes first. An urgent one
// waits for urgent ones alone, one that was asked for only for its like.
func (q *Queue) waits(x *letter, now time.Time) bool {
	return slices.ContainsFunc(q.letters, func(o *letter) bool {
		switch {
		case o == x || o.Person != x.Person || x.Urgent && !o.Urgent:
			return false
		case o.Urgent && !x.Urgent, o.inHand(now):
			return true
		case o.Unasked && !x.Unasked:
			return false
		}
		return o.Seq < x.Seq
	})
}

// ownLetter returns the text that is still d's holder's, else [bot.ErrConflict].
func (q *Queue) ownLetter(d bot.Delivery) (*letter, error) {
	for _, l := range q.letters {
		if l.Seq == d.Seq && l.Fence == d.Fence && l.leased {
			return l, nil
		}
	}
	return nil, fmt.Errorf("text %d: another has it, or it is finished: %w", d.Seq, bot.ErrConflict)
}

// end takes a text out of the outbox.
func (q *Queue) end(l *letter, state bot.DeliveryState, why string) {
	q.letters = slices.DeleteFunc(q.letters, func(x *letter) bool { return x == l })
	q.note(l, state, why)
	wake(q.outboxReady)
}

// Accept implements [bot.Outbox].
func (q *Queue) Accept(_ context.Context, d bot.Delivery, vendorID string) error {
	q.mu.Lock()
	defer q.mu.Unlock()
	l, err := q.ownLetter(d)
	if err != nil {
		if vendorID != "" && q.vendors[name{d.To.Channel, vendorID}] == d.Key {
			return nil // the vendor itself told before us
		}
		return fmt.Errorf("note as accepted: %w", err)
	}
	if vendorID != "" {
		q.vendors[name{l.To.Channel, vendorID}] = l.Key
	}
	q.end(l, bot.Accepted, "")
	s := q.states[l.Key]
	s.vendor = vendorID
	q.states[l.Key] = s
	return nil
}

// Fail implements [bot.Outbox].
func (q *Queue) Fail(_ context.Context, d bot.Delivery, why string) error {
	q.mu.Lock()
	defer q.mu.Unlock()
	l, err := q.ownLetter(d)
	if err != nil {
		return fmt.Errorf("note as failed: %w", err)
	}
	q.end(l, bot.Failed, why)
	return nil
}

// Again implements [bot.Outbox]. If the person opted out meanwhile the text has
// failed.
func (q *Queue) Again(_ context.Context, d bot.Delivery, at time.Time, why string) error {
	q.mu.Lock()
	defer q.mu.Unlock()
	l, err := q.ownLetter(d)
	if err != nil {
		return fmt.Errorf("return text: %w", err)
	}
	if q.person(l.Person).optedOut && !l.despite {
		q.end(l, bot.Failed, optedOut)
		return nil
	}
	if d.Tried && d.LastTried.After(l.LastTried) {
		l.Tried, l.LastTried = true, d.LastTried
	}
	l.leased, l.due = false, at
	q.note(l, bot.Sending, why)
	wake(q.outboxReady)
	return nil
}

// Settle implements [bot.Outbox].
func (q *Queue) Settle(_ context.Context, v bot.Settlement) error {
	if v.State != bot.Accepted && v.State != bot.Delivered && v.State != bot.Failed {
		return fmt.Errorf("settle text: a vendor does not tell %q: %w", v.State, bot.ErrInvalid)
	}
	if v.Channel == "" || v.VendorID == "" {
		return fmt.Errorf("settle text: it has no channel or no vendor's name: %w", bot.ErrInvalid)
	}
	q.mu.Lock()
	defer q.mu.Unlock()
	id := name{v.Channel, v.VendorID}
	key := v.Key
	if key == "" {
		key = q.vendors[id]
	}
	s, ok := q.states[key]
	if !ok || s.channel != v.Channel {
		return fmt.Errorf("settle text: %w", bot.ErrNotFound)
	}
	switch {
	case s.vendor == "":
		for _, l := range q.letters {
			if l.Key == key {
				q.end(l, bot.Accepted, "")
				break
			}
		}
		s.state, s.why, s.vendor = bot.Accepted, "", v.VendorID
		q.vendors[id] = key
	case s.vendor != v.VendorID:
		return fmt.Errorf("settle text: the vendor took it twice: %w", bot.ErrConflict)
	}
	if s.state == bot.Accepted && v.State != bot.Accepted {
		s.state, s.why = v.State, v.Why
	}
	q.states[key] = s
	if v.OptedOut {
		q.decide(s.person, v.Channel, bot.OptOut, "vendor "+v.Why, q.now())
	}
	return nil
}

// Known implements [bot.Outbox].
func (q *Queue) Known(_ context.Context, channel, vendorID string) (bool, error) {
	q.mu.Lock()
	defer q.mu.Unlock()
	_, ok := q.vendors[name{channel, vendorID}]
	return ok, nil
}

// MaySend implements [bot.Outbox].
func (q *Queue) MaySend(_ context.Context, d bot.Delivery) error {
	q.mu.Lock()
	defer q.mu.Unlock()
	l, err := q.ownLetter(d)
	switch {
	case err != nil:
		return fmt.Errorf("check text: %w", err)
	case q.person(l.Person).optedOut && !l.despite:
		return fmt.Errorf("check text %d: %w", d.Seq, bot.ErrOptedOut)
	}
	return nil
}

// Delivery tells how far the text called key got, and why it is there if that
// is not plain. It returns [bot.ErrNotFound] if it is not known.
func (q *Queue) Delivery(_ context.Context, key string) (bot.DeliveryState, string, error) {
	q.mu.Lock()
	defer q.mu.Unlock()
	s, ok := q.states[key]
	if !ok {
		return "", "", fmt.Errorf("read state of text: %w", bot.ErrNotFound)
	}
	return s.state, s.why, nil
}

// Backlog implements [bot.Outbox].
func (q *Queue) Backlog(_ context.Context, now time.Time) (d bot.Depth, err error) {
	q.mu.Lock()
	defer q.mu.Unlock()
	for _, l := range q.letters {
		d = count(d, l.Urgent, l.inHand(now), now.Sub(l.Composed))
	}
	return d, nil
}
