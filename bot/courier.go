package bot

import (
	"cmp"
	"context"
	"errors"
	"log/slog"
	"maps"
	"slices"
	"sync"
	"time"
)

// A Courier takes texts out of the outbox and has them sent.
type Courier struct {
	Outbox   Outbox
	Senders  map[string]Sender // by channel
	Consent  ConsentBook       // told of vendors' word that a person opted out; nil for none
	Workers  int               // 0 for 2; one more does urgent ones only
	Owner    string
	Lease    time.Duration // 0 for a minute
	Limit    time.Duration // the longest that one sending may take; 0 for 30 seconds
	MaxTries int           // a text that was tried more often has failed; 0 for 8
	Keep     time.Duration // but not before it is so old
	Doubt    time.Duration // how long a text in doubt waits, so that the vendor can tell what it has; 0 for 3 seconds
	Poll     time.Duration // 0 for half a second
	Wake     <-chan struct{}
	Now      func() time.Time
	Log      *slog.Logger
	Done     func(Delivery, DeliveryState, time.Duration, error) // told of each sending; may be nil

	Pace func(Delivery) time.Duration              // how long a channel rests after a text, urgent ones aside, which wait for nothing; nil for not at all
	Hold func(d Delivery, now time.Time) time.Time // when d may go out, if that is after now; nil for at once
	Lead func(d Delivery, now time.Time) string    // what a text that goes out late begins with; nil for nothing

	mu   sync.Mutex
	free map[string]time.Time // by channel, when its rest ends
}

// Run sends until ctx is done, then finishes what is under way and returns. What
// waits stays in the outbox.
func (c *Courier) Run(ctx context.Context) {
	channels := slices.Sorted(maps.Keys(c.Senders))
	poll := cmp.Or(c.Poll, pollEvery)
	var wg sync.WaitGroup
	for i, w := range spread(ctx, &wg, c.Wake, cmp.Or(c.Workers, 2)+1) {
		wg.Go(func() { loop(ctx, w, poll, func() bool { return c.one(ctx, w, channels, i == 0) }) })
	}
	wg.Wait()
}

// take returns the next text, and how long to wait if all that is due rests.
func (c *Courier) take(ctx context.Context, channels []string, urgent bool) (d Delivery, rest time.Duration, err error) {
	if c.Pace != nil {
		c.mu.Lock()
		defer c.mu.Unlock()
	}
	now := c.Now()
	awake := channels
	if c.Pace != nil && !urgent {
		awake = nil
		for _, ch := range channels {
			if wait := c.free[ch].Sub(now); wait <= 0 {
				awake = append(awake, ch)
			} else if rest == 0 || wait < rest {
				rest = wait
			}
		}
	}
	d, err = c.Outbox.Take(ctx, awake, Lease{Owner: c.Owner, Now: now, Until: now.Add(cmp.Or(c.Lease, leaseFor)), Urgent: urgent})
	if err == nil && c.Pace != nil {
		if c.free == nil {
			c.free = map[string]time.Time{}
		}
		from := c.free[d.To.Channel]
		if from.Before(now) {
			from = now
		}
		c.free[d.To.Channel] = from.Add(c.Pace(d))
	}
	return d, rest, err
}

// one sends one text and reports whether there was one.
func (c *Courier) one(ctx context.Context, woken <-chan struct{}, channels []string, urgent bool) bool {
	d, rest, err := c.take(ctx, channels, urgent)
	if err != nil {
		if !errors.Is(err, ErrNotFound) && ctx.Err() == nil {
			c.Log.ErrorContext(ctx, "outbox does not answer", "err", err)
		}
		return rest > 0 && sleep(ctx, rest, woken)
	}
	now := c.Now()
	ctx = context.WithoutCancel(ctx)
	if c.Hold != nil && !d.Urgent {
		if until := c.Hold(d, now); until.After(now) {
			c.put(ctx, d, Composed, now, c.Outbox.Again(ctx, d, until, "held back"), nil)
			return true
		}
	}
	if c.Lead != nil && !d.Urgent && !d.Tried { // what may have gone out is not changed
		d.Lead = c.Lead(d, now)
	}
	vendorID, err := "", c.Outbox.MaySend(ctx, d)
	if err == nil {
		sendCtx, cancel := context.WithTimeout(ctx, cmp.Or(c.Limit, 30*time.Second))
		vendorID, err = c.Senders[d.To.Channel].Send(sendCtx, d)
		cancel()
	}
	c.settle(ctx, d, vendorID, err, now)
	return true
}

// settle puts into the outbox what came of a sending.
func (c *Courier) settle(ctx context.Context, d Delivery, vendorID string, err error, began time.Time) {
	var wait RetryAfter
	switch {
	case err == nil:
		c.put(ctx, d, Accepted, began, c.Outbox.Accept(ctx, d, vendorID), nil)
	case errors.Is(err, ErrConflict):
		c.Log.WarnContext(ctx, "text was taken over", "to", d.To, "err", err)
	case errors.Is(err, ErrDenied), errors.Is(err, ErrInvalid), errors.Is(err, ErrNotFound), c.giveUp(d):
		level := slog.LevelError
		if errors.Is(err, ErrOptedOut) {
			level = slog.LevelInfo
		}
		c.Log.Log(ctx, level, "text not delivered", "to", d.To, "tries", d.Tries, "err", err)
		mark := c.Outbox.Fail(ctx, d, Why(err))
		if r, ok := errors.AsType[*Refusal](err); ok && c.Consent != nil && errors.Is(err, ErrOptedOut) {
			mark = errors.Join(mark, c.Consent.Decide(ctx, d.Person, d.To.Channel, OptOut, "vendor "+r.Code))
		}
		c.put(ctx, d, Failed, began, mark, err)
	default:
		c.Log.WarnContext(ctx, "text not sent yet", "to", d.To, "tries", d.Tries, "err", err)
		pause := backoff(d.Tries)
		if errors.As(err, &wait) {
			pause = max(pause, wait.Wait)
		}
		if errors.Is(err, ErrInDoubt) {
			d.Tried, d.LastTried = true, began
			pause = max(pause, cmp.Or(c.Doubt, 3*time.Second))
		}
		c.put(ctx, d, Composed, began, c.Outbox.Again(ctx, d, c.Now().Add(pause), Why(err)), err)
	}
}

// giveUp reports whether d was tried often and long enough.
func (c *Courier) giveUp(d Delivery) bool {
	return d.Tries >= cmp.Or(c.MaxTries, 8) && (c.Keep <= 0 || c.Now().Sub(d.Composed) >= c.Keep)
}

// put tells what was put into the outbox, or that it was not.
func (c *Courier) put(ctx context.Context, d Delivery, state DeliveryState, began time.Time, mark, err error) {
	took := c.Now().Sub(began)
	switch {
	case errors.Is(mark, ErrConflict): // the vendor told itself what came of it, or another has it
		c.Log.InfoContext(ctx, "text was settled by another", "to", d.To, "state", state)
	case mark != nil:
		c.Log.ErrorContext(ctx, "outbox not told", "to", d.To, "state", state, "err", mark)
	default:
		c.Log.DebugContext(ctx, "text handed over", "to", d.To, "state", state, "took", took)
	}
	if c.Done != nil {
		c.Done(d, state, took, err)
	}
}

// sleep waits for d, or until something woke us, and reports whether ctx is not
// done.
func sleep(ctx context.Context, d time.Duration, woken <-chan struct{}) bool {
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-ctx.Done():
		return false
	case <-woken:
	case <-t.C:
	}
	return true
}
