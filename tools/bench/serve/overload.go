package main

import (
	"context"
	"fmt"
	"sync"
	"sync/atomic"
	"time"
)

const (
	crowd    = 2000 // visitors of the overload
	inFlight = 256  // texts on their way at once
)

// overload posts p.rate texts a second, or as many as are taken, and meanwhile
// an emergency each second, of somebody new.
func overload(ctx context.Context, s *service, p *plan) (f overloadFigures, err error) {
	before, err := s.drained(ctx, patience)
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
		phones[i] = newPhone(s.url)
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
	f.Posted, f.PerSecond = len(acks), round(float64(len(acks))/time.Since(began).Seconds())
	f.Ack = spreadOf(acks)
	then, e := s.counts(ctx)
	if e != nil {
		return f, e
	}
	f.QueuedAtEnd = then.waiting
	wg.Wait()
	f.Reply, f.Whole = spreadOf(replies), spreadOf(whole)
	if err != nil {
		f.Why = err.Error()
	}

	ended := time.Now()
	after, err := s.drained(ctx, p.drain)
	if err != nil {
		return f, err
	}
	f.DrainPerSecond = round(float64(then.waiting-after.waiting) / time.Since(ended).Seconds())
	f.Waiting = after.waiting
	// A job that ends while the counts are taken is seen in one of them only:
	// what is lost stays lost.
	for range 20 {
		f.Answered = after.done - before.done
		f.Lost = f.Posted + f.Emergencies - f.Unanswered - f.Answered - after.waiting
		f.Parked = after.parked
		if f.Lost == 0 {
			break
		}
		time.Sleep(250 * time.Millisecond)
		if after, err = s.counts(ctx); err != nil {
			return f, err
		}
		f.Waiting = after.waiting
	}
	f.Uncounted = f.Posted + f.Emergencies - f.Unanswered - (after.queued - before.queued)
	return f, nil
}

// An outcry is what came of an emergency.
type outcry struct {
	reply
	sent, acknowledged time.Time
}

func emergency(ctx context.Context, s *service, text string) (o outcry, err error) {
	ctx, hangUp := context.WithTimeout(ctx, patience)
	defer hangUp()
	ph := newPhone(s.url)
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
