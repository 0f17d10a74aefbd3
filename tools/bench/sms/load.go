package main

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"sync"
	"sync/atomic"
	"time"

	"plumbline/tools/bench/measure"
)

const inFlight = 256 // messages on their way at once

// taken measures acknowledgements in turns with the bare handler's, each message
// from a number that has not written before. What is worked on behind is done
// between the rounds, so that the bare handler has the machine for itself.
func taken(ctx context.Context, l *line, p *plan) (list []takenFigures, err error) {
	b, err := measure.NewBare(filepath.Join(p.dir, "bare"), acknowledge)
	if err != nil {
		return nil, err
	}
	defer b.Close()
	var numbers atomic.Int64
	numbers.Store(int64(p.crowd)) // the others are for intake
	to := func(base string, taken *atomic.Int64) measure.Post {
		return func(int, int) (time.Duration, error) {
			i := int(numbers.Add(1) - 1)
			m := newMessage(number(i), p.questions[i%len(p.questions)])
			sent, acknowledged, err := m.post(ctx, base)
			if err == nil {
				taken.Add(1)
			}
			return acknowledged.Sub(sent), err
		}
	}
	bare, service := to(b.URL, new(atomic.Int64)), to(l.public, &l.acknowledged)
	calm := func() error {
		if l.held {
			return nil
		}
		c, err := l.Drained(ctx, channel, 2*measure.Patience)
		if err == nil && c.Waiting > 0 {
			err = fmt.Errorf("%d messages wait still", c.Waiting)
		}
		return err
	}
	for _, post := range []measure.Post{bare, service} { // warm up
		if _, err := measure.Burst(64, 2, post); err != nil {
			return nil, err
		}
	}
	if err := calm(); err != nil {
		return nil, err
	}
	for _, posters := range []int{1, 8, 64} {
		before, err := l.Counts(ctx, channel)
		if err != nil {
			return nil, err
		}
		t, err := measure.InTurns(posters, bare, service, calm)
		if err != nil {
			return nil, err
		}
		after, err := l.Counts(ctx, channel)
		if err != nil {
			return nil, err
		}
		list = append(list, takenFigures{t, measure.MS((after.CPU - before.CPU) / time.Duration(t.Texts)), after.Done - before.Done})
	}
	return list, nil
}

// intake offers p.rate messages a second, or as many as are taken, while what
// was taken is answered.
func intake(ctx context.Context, l *line, p *plan) (f intakeFigures, err error) {
	before, err := l.Drained(ctx, channel, measure.Patience)
	if err != nil {
		return f, err
	}
	var mu sync.Mutex
	var acks, dues []time.Duration
	var again []message
	var failed error
	var last time.Time
	var offered atomic.Int64
	var posters sync.WaitGroup
	began := time.Now()
	until := began.Add(p.long)
	for range inFlight {
		posters.Go(func() {
			for {
				i := int(offered.Add(1) - 1)
				at := began.Add(time.Duration(i) * time.Second / time.Duration(p.rate))
				// Nobody says the same thing twice.
				m := newMessage(number(i%p.crowd), p.questions[(i+i/p.crowd)%len(p.questions)])
				time.Sleep(time.Until(at))
				if !at.Before(until) || time.Now().After(until) {
					return
				}
				sent, acknowledged, err := m.post(ctx, l.public)
				mu.Lock()
				switch _, refused := errors.AsType[busy](err); {
				case refused:
					again, f.Why = append(again, m), err.Error()
				case err != nil:
					failed = err
				default:
					acks, dues = append(acks, acknowledged.Sub(sent)), append(dues, acknowledged.Sub(at))
					last = acknowledged
				}
				mu.Unlock()
				if err != nil && ctx.Err() != nil {
					return
				}
			}
		})
	}
	posters.Wait()
	if failed = errors.Join(failed, ctx.Err()); failed != nil {
		return f, failed
	}
	l.acknowledged.Add(int64(len(acks)))
	f.Numbers, f.Offered, f.Acknowledged, f.Refused = p.crowd, len(acks)+len(again), len(acks), len(again)
	f.OfferedPerSecond = measure.Round(float64(f.Offered) / p.long.Seconds())
	f.PerSecond = measure.Round(float64(len(acks)) / last.Sub(began).Seconds())
	f.Ack, f.Due = measure.SpreadOf(acks), measure.SpreadOf(dues)
	then, err := l.Counts(ctx, channel)
	if err != nil {
		return f, err
	}
	took := time.Since(began)
	f.Answered, f.AnsweredPerSecond = then.Done-before.Done, measure.Round(float64(then.Done-before.Done)/took.Seconds())
	f.QueuedAtEnd, f.MemoryMB = then.Waiting, then.Memory
	f.Cores = measure.Round((then.CPU - before.CPU).Seconds() / took.Seconds())

	// What was refused comes again, as from Twilio: some of it may have been taken.
	for _, m := range again {
		for try := range 5 {
			time.Sleep(time.Duration(try) * time.Second)
			if _, _, err = m.post(ctx, l.public); err == nil {
				l.acknowledged.Add(1)
				break
			}
		}
		if err != nil {
			f.Never++
		}
	}

	ended := time.Now()
	if then, err = l.Counts(ctx, channel); err != nil {
		return f, err
	}
	after, err := l.Drained(ctx, channel, p.drain)
	if err != nil {
		return f, err
	}
	f.DrainPerSecond = measure.Round(float64(after.Done-then.Done) / time.Since(ended).Seconds())
	return f, nil
}
