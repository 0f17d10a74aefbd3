package bot

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"runtime/debug"
	"sync"
	"time"
)

// A Desk takes jobs out of the inbox, has them decided on, and puts what comes
// of them back, with several at work. One more does nothing but emergencies, so
// that they wait for nobody.
type Desk struct {
	Inbox   Inbox
	Decide  func(context.Context, Job) (Outcome, error)
	Workers int           // beside the one for emergencies; 0 for 2
	Owner   string        // names this process in leases
	Lease   time.Duration // 0 for a minute; extended while the work goes on
	Limit   time.Duration // the longest that one job may take; 0 for two minutes
	Poll    time.Duration // how often to look when nothing woke us; 0 for half a second
	Wake    <-chan struct{}
	Now     func() time.Time
	Log     *slog.Logger
	Done    func(Job, Outcome, time.Duration, error) // told of each job; may be nil
}

// Run works until ctx is done, then finishes what is under way and returns. What
// waits stays in the inbox.
func (d *Desk) Run(ctx context.Context) {
	poll := cmp.Or(d.Poll, pollEvery)
	var wg sync.WaitGroup
	for i, w := range spread(ctx, &wg, d.Wake, cmp.Or(d.Workers, 2)+1) {
		wg.Go(func() { loop(ctx, w, poll, func() bool { return d.one(ctx, i == 0) }) })
	}
	wg.Wait()
}

// pollEvery is how often a desk or a courier looks when nothing woke it, and
// leaseFor how long it takes a job or a text for, if nothing else is said.
const (
	pollEvery = 500 * time.Millisecond
	leaseFor  = time.Minute
)

// one does one job and reports whether there was one.
func (d *Desk) one(ctx context.Context, urgent bool) bool {
	lease, now := cmp.Or(d.Lease, leaseFor), d.Now()
	j, err := d.Inbox.Next(ctx, Lease{Owner: d.Owner, Now: now, Until: now.Add(lease), Urgent: urgent})
	if err != nil {
		if !errors.Is(err, ErrNotFound) && ctx.Err() == nil {
			d.Log.ErrorContext(ctx, "inbox does not answer", "err", err)
		}
		return false
	}
	// What was begun is finished, even if we are told to stop meanwhile.
	ctx = context.WithoutCancel(ctx)
	o, err := d.work(ctx, j, lease)
	if err == nil {
		err = d.Inbox.Finish(ctx, j, o)
	}
	took := d.Now().Sub(now)
	switch {
	case err == nil:
		d.Log.InfoContext(ctx, "message answered", "from", j.Message.From, "tries", j.Tries, "took", took)
		if o.Parked != "" {
			d.Log.ErrorContext(ctx, "message given up", "from", j.Message.From, "seq", j.Seq, "why", o.Parked)
		}
	case errors.Is(err, ErrConflict):
		d.Log.WarnContext(ctx, "message was taken over", "from", j.Message.From, "err", err)
	default:
		d.Log.ErrorContext(ctx, "message not answered", "from", j.Message.From, "tries", j.Tries, "err", err)
		if e := d.Inbox.Return(ctx, j, d.Now().Add(backoff(j.Tries)), Kind(err)); e != nil && !errors.Is(e, ErrConflict) {
			d.Log.ErrorContext(ctx, "message not given back", "from", j.Message.From, "err", e)
		}
	}
	if d.Done != nil {
		d.Done(j, o, took, err)
	}
	return true
}

// work decides on j while its lease is kept alive. A panic is an error: one
// message must not take the service down with it.
func (d *Desk) work(ctx context.Context, j Job, lease time.Duration) (o Outcome, err error) {
	ctx, cancel := context.WithTimeout(ctx, cmp.Or(d.Limit, 2*time.Minute))
	defer cancel()
	var wg sync.WaitGroup
	defer wg.Wait()
	done := make(chan struct{})
	defer close(done)
	wg.Go(func() {
		t := time.NewTicker(lease / 3)
		defer t.Stop()
		for {
			select {
			case <-done:
				return
			case <-t.C:
				if err := d.Inbox.Extend(ctx, j, d.Now().Add(lease)); err != nil {
					if ctx.Err() == nil {
						d.Log.WarnContext(ctx, "lease not extended", "from", j.Message.From, "err", err)
					}
					if errors.Is(err, ErrConflict) {
						cancel() // another has it
						return
					}
				}
			}
		}
	})
	defer func() {
		if r := recover(); r != nil {
			// The value may hold the person's words; the stack holds none.
			d.Log.ErrorContext(ctx, "panic while deciding", "from", j.Message.From, "panic", fmt.Sprintf("%T", r), "stack", string(debug.Stack()))
			err = fmt.Errorf("decide: panic")
		}
	}()
	return d.Decide(ctx, j)
}

// backoff is how long to wait after so many tries: 1, 2, 4 s and so on, a minute
// at most.
func backoff(tries int) time.Duration {
	return min(time.Second<<min(max(tries-1, 0), 6), time.Minute)
}

// loop calls do until it finds nothing, waits until it is woken or for poll, and
// goes on until ctx is done.
func loop(ctx context.Context, wake <-chan struct{}, poll time.Duration, do func() bool) {
	t := time.NewTicker(poll)
	defer t.Stop()
	for ctx.Err() == nil {
		if do() {
			continue
		}
		select {
		case <-ctx.Done():
		case <-wake:
		case <-t.C:
		}
	}
}

// spread passes each signal of wake on to n listeners. A listener that has not
// heard the last one yet hears one for both.
func spread(ctx context.Context, wg *sync.WaitGroup, wake <-chan struct{}, n int) []chan struct{} {
	out := make([]chan struct{}, n)
	for i := range out {
		out[i] = make(chan struct{}, 1)
	}
	if wake == nil {
		return out
	}
	wg.Go(func() {
		for {
			select {
			case <-ctx.Done():
				return
			case <-wake:
			}
			for _, c := range out {
				select {
				case c <- struct{}{}:
				default:
				}
			}
		}
	})
	return out
}
