package main

import (
	"context"
	"fmt"
	"net/http"
	"path/filepath"
	"sync"
	"sync/atomic"
	"time"

	"plumbline/tools/bench/measure"
)

const (
	channel  = "web"
	visitors = 4 // of the steady load
	turns    = 8 // texts of one conversation
)

// steady has visitors text, wait for the reply on the page and text again.
func steady(ctx context.Context, s *measure.Service, p *plan) (f steadyFigures, err error) {
	talk := func(until time.Time) (took []time.Duration, errs []error) {
		var mu sync.Mutex
		var wg sync.WaitGroup
		var next atomic.Int64
		for range visitors {
			wg.Go(func() {
				for time.Now().Before(until) {
					list, err := converse(ctx, s, func() string { return p.questions[int(next.Add(1))%len(p.questions)] }, until)
					mu.Lock()
					took = append(took, list...)
					if err != nil {
						errs = append(errs, err)
					}
					mu.Unlock()
					if err != nil {
						return
					}
				}
			})
		}
		wg.Wait()
		return took, errs
	}
	_, errs := talk(time.Now().Add(min(3*time.Second, p.long))) // warm up
	if len(errs) > 0 {
		return f, errs[0]
	}
	began := time.Now()
	took, errs := talk(began.Add(p.long))
	if len(errs) > 0 {
		return f, errs[0]
	}
	f.Visitors, f.Answers = visitors, len(took)
	f.PerSecond = measure.Round(float64(len(took)) / time.Since(began).Seconds())
	f.Reply = measure.SpreadOf(took)
	return f, nil
}

// converse is one conversation, and how long each reply took from the
// acknowledgement of its text.
func converse(ctx context.Context, s *measure.Service, text func() string, until time.Time) (took []time.Duration, err error) {
	ctx, hangUp := context.WithCancel(ctx)
	defer hangUp()
	ph := newPhone(s.URL)
	replies, err := ph.open(ctx)
	if err != nil {
		return nil, err
	}
	for range turns {
		if time.Now().After(until) {
			break
		}
		_, acknowledged, err := ph.post(ctx, text())
		if err != nil {
			return took, err
		}
		r, err := next(replies)
		if err != nil {
			return took, err
		}
		took = append(took, max(0, r.at.Sub(acknowledged)))
	}
	return took, nil
}

func next(replies <-chan reply) (reply, error) {
	select {
	case r, ok := <-replies:
		if !ok {
			return r, fmt.Errorf("the stream ended without a reply")
		}
		return r, nil
	case <-time.After(measure.Patience):
		return reply{}, fmt.Errorf("no reply in %v", measure.Patience)
	}
}

// taken measures acknowledgements in turns with the bare handler's. While texts
// come in the service answers those that it has; the bare handler has the
// machine for itself.
func taken(ctx context.Context, s *measure.Service, p *plan) (list []measure.Taken, err error) {
	b, err := measure.NewBare(filepath.Join(p.dir, "bare"), func(w http.ResponseWriter, r *http.Request) { http.Redirect(w, r, "/", http.StatusSeeOther) })
	if err != nil {
		return nil, err
	}
	defer b.Close()
	for _, posters := range []int{1, 8, 64} {
		to := func(base string) measure.Post {
			phones := make([]phone, posters)
			return func(poster, text int) (time.Duration, error) {
				if text%turns == 0 { // nobody says the same thing twice
					phones[poster] = newPhone(base)
				}
				sent, acknowledged, err := phones[poster].post(ctx, p.questions[(poster*turns+text)%len(p.questions)])
				return acknowledged.Sub(sent), err
			}
		}
		t, err := measure.InTurns(posters, to(b.URL), to(s.URL), func() error {
			c, err := s.Drained(ctx, channel, 2*measure.Patience)
			if err == nil && c.Waiting > 0 {
				err = fmt.Errorf("%d texts wait still", c.Waiting)
			}
			return err
		})
		if err != nil {
			return nil, err
		}
		list = append(list, t)
	}
	return list, nil
}
