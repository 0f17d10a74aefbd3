package main

import (
	"context"
	"fmt"
	"sync"
	"sync/atomic"
	"time"

	"plumbline/tools/bench/measure"
)

const (
	crowd    = 2000 // visitors of the overload
	inFlight = 256  // texts on their way at once
)

// overload posts p.rate texts a second, or as many as are taken, and meanwhile
// an emergency each second, of somebody new.
func overload(ctx context.Context, s *measure.Service, p *plan) (f overloadFigures, err error) {
	before, err := s.Drained(ctx, channel, measure.Patience)
	if err != nil {
		return f, err
	}
	var mu sync.Mutex
	var acks, replies, whole []time.Duration
	fail := func(e error) {
		mu.Lock()
		defer mu.Unlock()
		f.Refused++
		err = e
	}
	var wg sync.WaitGroup
	began := time.Now()
	until := began.Add(p.long)
	for at := began.Add(time.Second); at.Before(until); at = at.Add(time.Second) {
		text := p.emergencies[f.Emergencies%len(p.emergencies)]
		f.Emergencies++
		wg.Go(func() {
			time.Sleep(time.Until(at))
			e, err := emergency(ctx, s, text)
			mu.Lock()
			defer mu.Unlock()
			switch {
			case err != nil:
				f.Unanswered++
				f.Why = err.Error()
			case !e.urgent:
				f.NotUrgent++
			}
			if err == nil {
				replies, whole = append(replies, max(0, e.at.Sub(e.acknowledged))), append(whole, e.at.Sub(e.sent))
			}
		})
	}
	phones := make([]phone, crowd)
	for i := range phones {
		phones[i] = newPhone(s.URL)
	}
	var posted atomic.Int64
	var posters sync.WaitGroup
	for range inFlight {
		posters.Go(func() {
			for {
				i := int(posted.Add(1) - 1)
				at := began.Add(time.Duration(i) * time.Second / time.Duration(p.rate))
				time.Sleep(time.Until(at))
				if at.After(until) || time.Now().After(until) {
					return
				}
				// Nobody says the same thing twice.
				sent, acknowledged, err := phones[i%crowd].post(ctx, p.questions[(i+i/crowd)%len(p.questions)])
				if err != nil {
					fail(err)
					continue
				}
				mu.Lock()
				acks = append(acks, acknowledged.Sub(sent))
				mu.Unlock()
			}
		})
	}
	posters.Wait()
	f.Posted, f.PerSecond = len(acks), measure.Round(float64(len(acks))/time.Since(began).Seconds())
	f.Ack = measure.SpreadOf(acks)
	then, e := s.Counts(ctx, channel)
	if e != nil {
		return f, e
	}
	f.QueuedAtEnd = then.Waiting
	wg.Wait()
	f.Reply, f.Whole = measure.SpreadOf(replies), measure.SpreadOf(whole)
	if err != nil {
		f.Why = err.Error()
	}

	ended := time.Now()
	after, err := s.Drained(ctx, channel, p.drain)
	if err != nil {
		return f, err
	}
	f.DrainPerSecond = measure.Round(float64(then.Waiting-after.Waiting) / time.Since(ended).Seconds())
	f.Waiting = after.Waiting
	// A job that ends while the counts are taken is seen in one of them only:
	// what is lost stays lost.
	for range 20 {
		f.Answered = after.Done - before.Done
		f.Lost = f.Posted + f.Emergencies - f.Unanswered - f.Answered - after.Waiting
		f.Parked = after.Parked
		if f.Lost == 0 {
			break
		}
		time.Sleep(250 * time.Millisecond)
		if after, err = s.Counts(ctx, channel); err != nil {
			return f, err
		}
		f.Waiting = after.Waiting
	}
	f.Uncounted = f.Posted + f.Emergencies - f.Unanswered - (after.Queued - before.Queued)
	return f, nil
}

// An outcry is what came of an emergency.
type outcry struct {
	reply
	sent, acknowledged time.Time
}

func emergency(ctx context.Context, s *measure.Service, text string) (o outcry, err error) {
	ctx, hangUp := context.WithTimeout(ctx, measure.Patience)
	defer hangUp()
	ph := newPhone(s.URL)
	replies, err := ph.open(ctx)
	if err != nil {
		return o, err
	}
	if o.sent, o.acknowledged, err = ph.post(ctx, text); err != nil {
		return o, fmt.Errorf("an emergency was not taken: %w", err)
	}
	o.reply, err = next(replies)
	return o, err
}
