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
	Workers  int               // 0 for 2; one more does urgent ones only
	Owner    string
	Lease    time.Duration // 0 for a minute
	Limit    time.Duration // the longest that one sending may take; 0 for 30 seconds
	MaxTries int           // a text that was tried more often has failed; 0 for 8
	Poll     time.Duration // 0 for half a second
	Wake     <-chan struct{}
	Now      func() time.Time
	Log      *slog.Logger
	Done     func(Delivery, DeliveryState, time.Duration, error) // told of each sending; may be nil
}

// Run sends until ctx is done, then finishes what is under way and returns. What
// waits stays in the outbox.
func (c *Courier) Run(ctx context.Context) {
	channels := slices.Sorted(maps.Keys(c.Senders))
	poll := cmp.Or(c.Poll, pollEvery)
	var wg sync.WaitGroup
	for i, w := range spread(ctx, &wg, c.Wake, cmp.Or(c.Workers, 2)+1) {
		wg.Go(func() { loop(ctx, w, poll, func() bool { return c.one(ctx, channels, i == 0) }) })
	}
	wg.Wait()
}

// one sends one text and reports whether there was one.
func (c *Courier) one(ctx context.Context, channels []string, urgent bool) bool {
	now := c.Now()
	d, err := c.Outbox.Take(ctx, channels, Lease{Owner: c.Owner, Now: now, Until: now.Add(cmp.Or(c.Lease, leaseFor)), Urgent: urgent})
	if err != nil {
		if !errors.Is(err, ErrNotFound) && ctx.Err() == nil {
			c.Log.ErrorContext(ctx, "outbox does not answer", "err", err)
		}
		return false
	}
	ctx = context.WithoutCancel(ctx)
	sendCtx, cancel := context.WithTimeout(ctx, cmp.Or(c.Limit, 30*time.Second))
	vendorID, err := c.Senders[d.To.Channel].Send(sendCtx, d)
	cancel()
	took := c.Now().Sub(now)
	state, mark := Accepted, error(nil)
	var wait RetryAfter
	switch {
	case err == nil:
		mark = c.Outbox.Accept(ctx, d, vendorID)
	case errors.Is(err, ErrDenied), errors.Is(err, ErrInvalid), errors.Is(err, ErrNotFound), d.Tries >= cmp.Or(c.MaxTries, 8):
		state, mark = Failed, c.Outbox.Fail(ctx, d, Kind(err))
		c.Log.ErrorContext(ctx, "text not delivered", "to", d.To, "tries", d.Tries, "err", err)
	default:
		pause := backoff(d.Tries)
		if errors.As(err, &wait) {
			pause = max(pause, wait.Wait)
		}
		state, mark = Composed, c.Outbox.Again(ctx, d, c.Now().Add(pause), Kind(err))
		c.Log.WarnContext(ctx, "text not sent yet", "to", d.To, "tries", d.Tries, "err", err)
	}
	if mark != nil {
		c.Log.ErrorContext(ctx, "outbox not told", "to", d.To, "state", state, "err", mark)
	} else {
		c.Log.DebugContext(ctx, "text handed over", "to", d.To, "state", state, "took", took)
	}
	if c.Done != nil {
		c.Done(d, state, took, err)
	}
	return true
}
