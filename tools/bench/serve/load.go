package main

import (
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"sync"
	"sync/atomic"
	"time"
)

const (
	visitors = 4                // of the steady load
	turns    = 8                // texts of one conversation
	patience = 60 * time.Second // for one reply
)

// steady has visitors text, wait for the reply on the page and text again.
func steady(ctx context.Context, s *service, p *plan) (f steadyFigures, err error) {
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
	f.PerSecond = round(float64(len(took)) / time.Since(began).Seconds())
	f.Reply = spreadOf(took)
	return f, nil
}

// converse is one conversation, and how long each reply took from the
// acknowledgement of its text.
func converse(ctx context.Context, s *service, text func() string, until time.Time) (took []time.Duration, err error) {
	ctx, hangUp := context.WithCancel(ctx)
	defer hangUp()
	ph := newPhone(s.url)
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
	case <-time.After(patience):
		return reply{}, fmt.Errorf("no reply in %v", patience)
	}
}

// taken measures acknowledgements in turns with the bare handler's. While texts
// come in the service answers those that it has; the bare handler has the
// machine for itself.
func taken(ctx context.Context, s *service, p *plan) (list []takenFigures, err error) {
	b, err := newBare(filepath.Join(p.dir, "bare"))
	if err != nil {
		return nil, err
	}
	defer b.close()
	const rounds = 3
	for _, hands := range []int{1, 8, 64} {
		f := takenFigures{Posters: hands}
		var ours, bare []time.Duration
		for range rounds {
			each := max(8, 160/hands)
			some, err := burst(ctx, b.url, hands, each, p)
			if err != nil {
				return nil, err
			}
			bare = append(bare, some...)
			if some, err = burst(ctx, s.url, hands, each, p); err != nil {
				return nil, err
			}
			ours = append(ours, some...)
			if c, err := s.drained(ctx, 2*patience); err != nil || c.waiting > 0 {
				return nil, fmt.Errorf("%d texts wait still: %w", c.waiting, err)
			}
		}
		f.Texts, f.Ours, f.Bare = len(ours), spreadOf(ours), spreadOf(bare)
		f.RatioP50, f.RatioP99 = round(f.Ours.P50/f.Bare.P50), round(f.Ours.P99/f.Bare.P99)
		list = append(list, f)
	}
	return list, nil
}

// burst has so many hands post each so many texts, one after the other.
func burst(ctx context.Context, base string, hands, each int, p *plan) (took []time.Duration, err error) {
	var mu sync.Mutex
	var wg sync.WaitGroup
	for h := range hands {
		wg.Go(func() {
			ph := newPhone(base)
			for i := range each {
				sent, acknowledged, e := ph.post(ctx, p.questions[(h*each+i)%len(p.questions)])
				mu.Lock()
				if e != nil {
					err = e
				} else {
					took = append(took, acknowledged.Sub(sent))
				}
				mu.Unlock()
			}
		})
	}
	wg.Wait()
	return took, err
}

// A bare handler puts what is posted on disk, and that is all.
type bare struct {
	url    string
	file   *os.File
	server *http.Server
}

func newBare(name string) (*bare, error) {
	f, err := os.OpenFile(name, os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600)
	if err != nil {
		return nil, err
	}
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return nil, err
	}
	b := &bare{url: "http://" + l.Addr().String(), file: f}
	b.server = &http.Server{Handler: http.HandlerFunc(b.take)}
	go func() { _ = b.server.Serve(l) }()
	return b, nil
}

func (b *bare) take(w http.ResponseWriter, r *http.Request) {
	text, err := io.ReadAll(r.Body)
	if err == nil {
		_, err = b.file.Write(text)
	}
	if err == nil {
		err = b.file.Sync()
	}
	if err != nil {
		http.Error(w, err.Error(), http.StatusInternalServerError)
		return
	}
	http.Redirect(w, r, "/", http.StatusSeeOther)
}

func (b *bare) close() {
	_ = b.server.Close()
	_ = b.file.Close()
}
