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
}

// compose adds a text to the outbox. One to a person who opted out has failed
// at once; one whose key is there changes nothing.
func (q *Queue) compose(l *letter) {
	if _, ok := q.states[l.Key]; ok {
		return
	}
	if q.person(l.Person).optedOut && !l.despite {
		q.states[l.Key] = sentState{bot.Failed, optedOut}
		return
	}
	q.seq++
	l.Seq, l.Composed = q.seq, q.now()
	l.due = l.Composed
	q.letters = append(q.letters, l)
	q.states[l.Key] = sentState{state: bot.Composed}
}

// optedOut is why a text to a person who opted out fails.
const optedOut = "opted out"

// optOut fails what waits for a person and is not in hand.
func (q *Queue) optOut(key string, now time.Time) {
	q.letters = slices.DeleteFunc(q.letters, func(l *letter) bool {
		if l.Person != key || l.despite || l.inHand(now) {
			return false
		}
		q.states[l.Key] = sentState{bot.Failed, optedOut}
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
	q.letters = slices.DeleteFunc(q.letters, func(x *letter) bool { // its lease ended, and the person opted out meanwhile
		gone := !x.despite && !x.inHand(l.Now) && q.person(x.Person).optedOut
		if gone {
			q.states[x.Key] = sentState{bot.Failed, optedOut}
		}
		return gone
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
	q.states[best.Key] = sentState{state: bot.Sending}
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
func (q *Queue) end(l *letter, s sentState) {
	q.letters = slices.DeleteFunc(q.letters, func(x *letter) bool { return x == l })
	q.states[l.Key] = s
	wake(q.outboxReady)
}

// Accept implements [bot.Outbox].
func (q *Queue) Accept(_ context.Context, d bot.Delivery, vendorID string) error {
	q.mu.Lock()
	defer q.mu.Unlock()
	l, err := q.ownLetter(d)
	if err != nil {
		return fmt.Errorf("note as accepted: %w", err)
	}
	if vendorID != "" {
		q.vendors[name{l.To.Channel, vendorID}] = l.Key
	}
	q.end(l, sentState{state: bot.Accepted})
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
	q.end(l, sentState{bot.Failed, why})
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
		q.end(l, sentState{bot.Failed, optedOut})
		return nil
	}
	l.leased, l.due = false, at
	q.states[l.Key] = sentState{bot.Sending, why}
	wake(q.outboxReady)
	return nil
}

// Settle implements [bot.Outbox].
func (q *Queue) Settle(_ context.Context, channel, vendorID string, s bot.DeliveryState, why string) error {
	if s != bot.Delivered && s != bot.Failed {
		return fmt.Errorf("settle text: a vendor does not tell %q: %w", s, bot.ErrInvalid)
	}
	q.mu.Lock()
	defer q.mu.Unlock()
	key, ok := q.vendors[name{channel, vendorID}]
	if !ok {
		return fmt.Errorf("settle text: %w", bot.ErrNotFound)
	}
	if q.states[key].state == bot.Accepted {
		q.states[key] = sentState{s, why}
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
