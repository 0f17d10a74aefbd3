package llm_test

import (
	"context"
	"errors"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"plumbline/bot"
	"plumbline/pipeline/llm"
)

// steady returns a Steady around m.
func steady(t *testing.T, m llm.Model, c llm.SteadyConfig) *llm.Steady {
	t.Helper()
	s, err := llm.NewSteady(m, c)
	if err != nil {
		t.Fatalf("NewSteady: %v", err)
	}
	return s
}

// script is a model that answers its nth call, from 0 on, as a function says.
type script struct {
	calls  atomic.Int32
	answer func(ctx context.Context, n int, stream func(string) error) (llm.Reply, error)

	mu    sync.Mutex
	at    []time.Time // of each call
	now   int         // calls that run
	worst int         // most calls that ran at once
}

func (s *script) Complete(ctx context.Context, r llm.Request, stream func(string) error) (llm.Reply, error) {
	s.mu.Lock()
	s.at = append(s.at, time.Now())
	s.now++
	s.worst = max(s.worst, s.now)
	s.mu.Unlock()
	defer func() {
		s.mu.Lock()
		s.now--
		s.mu.Unlock()
	}()
	return s.answer(ctx, int(s.calls.Add(1))-1, stream)
}

// fails returns a model that fails with each reason in turn, "" being a reply,
// and the last of them ever after.
func fails(reasons ...llm.Reason) *script {
	return &script{answer: func(_ context.Context, n int, _ func(string) error) (llm.Reply, error) {
		r := reasons[min(n, len(reasons)-1)]
		if r == "" {
			return llm.Reply{Text: "a", Tries: 1}, nil
		}
		return llm.Reply{Tokens: bot.Tokens{In: 3}}, &llm.Failure{Reason: r}
	}}
}

// wait waits as a model does that takes d.
func wait(ctx context.Context, d time.Duration) error {
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-time.After(d):
		return nil
	}
}

// takes returns a model that takes d for each call.
func takes(d time.Duration) *script {
	return &script{answer: func(ctx context.Context, _ int, _ func(string) error) (llm.Reply, error) {
		return llm.Reply{Text: "a"}, wait(ctx, d)
	}}
}

func TestSteadyRetries(t *testing.T) {
	for _, tt := range []struct {
		reason llm.Reason
		calls  int
	}{
		{llm.Unreachable, 3}, {llm.TimedOut, 3}, {llm.Busy, 3}, {llm.Down, 3}, {llm.Garbled, 3},
		{llm.NoQuota, 1}, {llm.NotAllowed, 1}, {llm.NotFound, 1}, {llm.BadRequest, 1}, {llm.Filtered, 1},
		{llm.CutOff, 1}, {llm.Empty, 1}, {llm.Open, 1}, {llm.Malformed, 1}, {llm.OverBudget, 1}, {llm.NotRecorded, 1},
	} {
		t.Run(string(tt.reason), func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				m := fails(tt.reason)
				start := time.Now()
				reply, err := steady(t, m, llm.SteadyConfig{}).Complete(t.Context(), ask("m"), nil)
				if llm.ReasonOf(err) != tt.reason || len(m.at) != tt.calls || reply.Tries != tt.calls || reply.Tokens.In != 3 {
					t.Errorf("Complete = %+v, %v after %d calls, want %s after %d, with what was spent", reply, err, len(m.at), tt.reason, tt.calls)
				}
				if took := time.Since(start); tt.calls == 3 && (took < 750*time.Millisecond || took > 2250*time.Millisecond) {
					t.Errorf("3 tries took %v, want 0.5s and 1s between them, give or take half", took)
				}
			})
		})
	}
}

func TestSteadyRecovers(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		m := fails(llm.Down, llm.Garbled, "")
		reply, err := steady(t, m, llm.SteadyConfig{}).Complete(t.Context(), ask("m"), nil)
		if err != nil || reply.Text != "a" || reply.Tries != 3 {
			t.Errorf("Complete = %+v, %v, want a after 3 tries", reply, err)
		}
	})
	m := fails(llm.Down)
	if _, err := steady(t, m, llm.SteadyConfig{Retries: -1}).Complete(t.Context(), ask("m"), nil); err == nil || len(m.at) != 1 {
		t.Errorf("Complete with no retries: %v after %d calls, want an error after 1", err, len(m.at))
	}
}

func TestSteadyHeedsAfter(t *testing.T) {
	busy := func(after time.Duration) *script {
		return &script{answer: func(_ context.Context, n int, _ func(string) error) (llm.Reply, error) {
			if n == 0 {
				return llm.Reply{}, &llm.Failure{Reason: llm.Busy, Status: 429, After: after}
			}
			return llm.Reply{Text: "a"}, nil
		}}
	}
	for _, tt := range []struct {
		name            string
		after, deadline time.Duration
		calls           int
	}{
		{"Waits", 5 * time.Second, time.Minute, 2},
		{"PastTheDeadline", 5 * time.Second, 4 * time.Second, 1},
		{"TooLong", time.Hour, 24 * time.Hour, 1},
	} {
		t.Run(tt.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				ctx, cancel := context.WithTimeout(t.Context(), tt.deadline)
				defer cancel()
				m := busy(tt.after)
				start := time.Now()
				_, err := steady(t, m, llm.SteadyConfig{}).Complete(ctx, ask("m"), nil)
				took := time.Since(start)
				if len(m.at) != tt.calls {
					t.Errorf("Complete: %v after %d calls, want %d", err, len(m.at), tt.calls)
				}
				if tt.calls == 1 && (took != 0 || llm.ReasonOf(err) != llm.Busy) {
					t.Errorf("Complete: %v after %v, want %s at once", err, took, llm.Busy)
				}
				if tt.calls == 2 && (took < tt.after || took > tt.after*11/10) {
					t.Errorf("asked again after %v, want %v and up to a tenth more", took, tt.after)
				}
			})
		})
	}
}

func TestSteadyTimesOut(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		m := takes(time.Hour)
		start := time.Now()
		reply, err := steady(t, m, llm.SteadyConfig{Try: 10 * time.Second, Retries: 1}).Complete(t.Context(), ask("m"), nil)
		if llm.ReasonOf(err) != llm.TimedOut || reply.Tries != 2 {
			t.Errorf("Complete = %+v, %v, want %s after 2 tries", reply, err, llm.TimedOut)
		}
		if took := time.Since(start); took < 20*time.Second || took > 21*time.Second {
			t.Errorf("Complete took %v, want 20s and the time between", took)
		}
	})
}

func TestSteadyCaller(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := steady(t, takes(time.Hour), llm.SteadyConfig{InARow: 1})
		ctx, cancel := context.WithCancel(t.Context())
		time.AfterFunc(time.Second, cancel)
		if _, err := s.Complete(ctx, ask("m"), nil); err != context.Canceled {
			t.Errorf("Complete of one who leaves: %v, want %v", err, context.Canceled)
		}
		if _, err := s.Complete(ctx, ask("m"), nil); err != context.Canceled {
			t.Errorf("Complete of one who has left: %v, want %v", err, context.Canceled)
		}
		ctx, cancel = context.WithTimeout(t.Context(), 10*time.Second)
		defer cancel()
		if _, err := s.Complete(ctx, ask("m"), nil); llm.ReasonOf(err) != llm.TimedOut || !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("Complete of one in haste: %v, want %s", err, llm.TimedOut)
		}
		if got := s.State(); got != llm.StateClosed {
			t.Errorf("State = %s, want %s: none of it is the server's fault", got, llm.StateClosed)
		}
		ctx, cancel = context.WithTimeout(t.Context(), 40*time.Second)
		defer cancel()
		s.Complete(ctx, ask("m"), nil)
		if got := s.State(); got != llm.StateOpen {
			t.Errorf("State = %s, want %s: the server had 40s of the 60s of a try", got, llm.StateOpen)
		}
	})
	// One who leaves while it waits to ask again is not kept.
	synctest.Test(t, func(t *testing.T) {
		s := steady(t, fails(llm.Down), llm.SteadyConfig{Backoff: 20 * time.Second})
		ctx, cancel := context.WithCancel(t.Context())
		time.AfterFunc(time.Second, cancel)
		start := time.Now()
		if reply, err := s.Complete(ctx, ask("m"), nil); err != context.Canceled || time.Since(start) != time.Second || reply.Tries != 1 {
			t.Errorf("Complete = %+v, %v after %v, want %v after 1s and 1 try", reply, err, time.Since(start), context.Canceled)
		}
	})
}

func TestSteadyStreams(t *testing.T) {
	m := &script{answer: func(_ context.Context, n int, stream func(string) error) (llm.Reply, error) {
		if n == 0 { // nothing streamed yet
			return llm.Reply{}, &llm.Failure{Reason: llm.Down}
		}
		if err := stream("a"); err != nil {
			return llm.Reply{}, err
		}
		return llm.Reply{}, &llm.Failure{Reason: llm.Unreachable}
	}}
	synctest.Test(t, func(t *testing.T) {
		f, parts := collect()
		_, err := steady(t, m, llm.SteadyConfig{Hedge: time.Nanosecond}).Complete(t.Context(), ask("m"), f)
		if llm.ReasonOf(err) != llm.Unreachable || len(m.at) != 2 || !slices.Equal(*parts, []string{"a"}) {
			t.Errorf("Complete: %v after %d calls and parts %q, want %s after 2 and one part", err, len(m.at), *parts, llm.Unreachable)
		}
	})
	stop := &llm.Failure{Reason: llm.Down} // the caller's own, whatever it looks like
	s := steady(t, m, llm.SteadyConfig{InARow: 1})
	if _, err := s.Complete(t.Context(), ask("m"), func(string) error { return stop }); err != error(stop) || len(m.at) != 3 {
		t.Errorf("Complete: %v after %d calls more, want %v after 1", err, len(m.at)-2, stop)
	}
	if got := s.State(); got != llm.StateClosed {
		t.Errorf("State = %s, want %s: the caller ended it", got, llm.StateClosed)
	}
}

func TestSteadyLimit(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		m := takes(10 * time.Second)
		s := steady(t, m, llm.SteadyConfig{AtOnce: 3})
		var wg sync.WaitGroup
		for range 9 {
			wg.Go(func() {
				if _, err := s.Complete(t.Context(), ask("m"), nil); err != nil {
					t.Errorf("Complete: %v", err)
				}
			})
		}
		synctest.Wait()
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		if reply, err := s.Complete(ctx, ask("m"), nil); llm.ReasonOf(err) != llm.Busy || reply.Tries != 0 {
			t.Errorf("Complete of one who cannot wait = %+v, %v, want %s after no try", reply, err, llm.Busy)
		}
		ctx, cancel = context.WithCancel(t.Context())
		time.AfterFunc(time.Second, cancel)
		if _, err := s.Complete(ctx, ask("m"), nil); err != context.Canceled {
			t.Errorf("Complete of one who leaves the queue: %v, want %v", err, context.Canceled)
		}
		start := time.Now()
		wg.Wait()
		if m.worst != 3 || len(m.at) != 9 {
			t.Errorf("%d calls, %d at once, want 9 and 3", len(m.at), m.worst)
		}
		if took := time.Since(start); took != 28*time.Second {
			t.Errorf("the queue took %v more, want 28s", took)
		}
		if got := s.State(); got != llm.StateClosed {
			t.Errorf("State = %s, want %s", got, llm.StateClosed)
		}
	})
}

func TestSteadyHedges(t *testing.T) {
	const hedge = 2 * time.Second
	type step struct {
		takes  time.Duration
		reason llm.Reason
	}
	for _, tt := range []struct {
		name  string
		steps []step
		text  string // of the reply, the number of the call
		took  [2]time.Duration
		calls int
	}{
		{"NotIfFast", []step{{time.Second, ""}}, "0", [2]time.Duration{time.Second, time.Second}, 1},
		{"SecondWins", []step{{time.Minute, ""}, {time.Second, ""}}, "1", [2]time.Duration{3 * time.Second, 3 * time.Second}, 2},
		{"FirstWins", []step{{3 * time.Second, ""}, {time.Minute, ""}}, "0", [2]time.Duration{3 * time.Second, 3 * time.Second}, 2},
		{"BadSecondDoesNotWin", []step{{10 * time.Second, ""}, {time.Second, llm.Down}}, "0", [2]time.Duration{10 * time.Second, 10 * time.Second}, 2},
		{"FirstFailsLate", []step{{3 * time.Second, llm.Down}, {5 * time.Second, ""}}, "1", [2]time.Duration{7 * time.Second, 7 * time.Second}, 2},
		{"FirstFailsAtOnce", []step{{0, llm.Down}, {time.Second, ""}}, "1", [2]time.Duration{1250 * time.Millisecond, 1750 * time.Millisecond}, 2},
		{"BothFail", []step{{3 * time.Second, llm.Down}, {3 * time.Second, llm.Down}, {time.Second, ""}}, "2", [2]time.Duration{6250 * time.Millisecond, 6750 * time.Millisecond}, 3},
	} {
		t.Run(tt.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				m := &script{answer: func(ctx context.Context, n int, _ func(string) error) (llm.Reply, error) {
					if err := wait(ctx, tt.steps[n].takes); err != nil {
						return llm.Reply{}, err
					}
					if r := tt.steps[n].reason; r != "" {
						return llm.Reply{}, &llm.Failure{Reason: r}
					}
					return llm.Reply{Text: string(rune('0' + n))}, nil
				}}
				s := steady(t, m, llm.SteadyConfig{Hedge: hedge})
				start := time.Now()
				reply, err := s.Complete(t.Context(), ask("m"), nil)
				took := time.Since(start)
				if err != nil || reply.Text != tt.text || reply.Tries != tt.calls || len(m.at) != tt.calls {
					t.Errorf("Complete = %+v, %v after %d calls, want %s after %d", reply, err, len(m.at), tt.text, tt.calls)
				}
				if took < tt.took[0] || took > tt.took[1] {
					t.Errorf("Complete took %v, want between %v and %v", took, tt.took[0], tt.took[1])
				}
				if m.now != 0 {
					t.Errorf("%d calls still run", m.now)
				}
			})
		})
	}
	// A second that finds no room does not end the first, nor wait for room.
	synctest.Test(t, func(t *testing.T) {
		m := &script{answer: func(ctx context.Context, n int, stream func(string) error) (llm.Reply, error) {
			if stream != nil {
				return llm.Reply{Text: "b"}, wait(ctx, 3*time.Second)
			}
			return llm.Reply{Text: "a"}, wait(ctx, 10*time.Second)
		}}
		s := steady(t, m, llm.SteadyConfig{Hedge: hedge, AtOnce: 2})
		done := make(chan struct{})
		go func() {
			defer close(done)
			f, _ := collect()
			s.Complete(t.Context(), ask("m"), f)
		}()
		synctest.Wait()
		if reply, err := s.Complete(t.Context(), ask("m"), nil); err != nil || reply.Tries != 1 {
			t.Errorf("Complete = %+v, %v, want a reply after 1 try", reply, err)
		}
		<-done
	})
}

func TestNewSteady(t *testing.T) {
	for _, c := range []llm.SteadyConfig{{Try: -1}, {AtOnce: -1}, {Rate: 1.5}, {InARow: -1}} {
		if _, err := llm.NewSteady(fails(""), c); !errors.Is(err, bot.ErrInvalid) {
			t.Errorf("NewSteady(%+v): %v, want %v", c, err, bot.ErrInvalid)
		}
	}
}

// Many callers at once, each kind of trouble: for the race detector.
func TestSteadyManyAtOnce(t *testing.T) {
	noLeaks(t)
	m := &script{answer: func(ctx context.Context, n int, stream func(string) error) (llm.Reply, error) {
		switch n % 5 {
		case 0:
			return llm.Reply{}, &llm.Failure{Reason: llm.Down}
		case 1:
			return llm.Reply{}, wait(ctx, time.Millisecond)
		case 2:
			return llm.Reply{}, &llm.Failure{Reason: llm.BadRequest}
		}
		if stream != nil {
			return llm.Reply{Text: "a"}, stream("a")
		}
		return llm.Reply{Text: "a"}, nil
	}}
	s := steady(t, m, llm.SteadyConfig{
		Try: 500 * time.Microsecond, Backoff: 100 * time.Microsecond, Hedge: 100 * time.Microsecond,
		AtOnce: 4, Rate: 0.6, AtLeast: 20, Window: 20 * time.Millisecond, LeaveFor: time.Millisecond,
	})
	var wg sync.WaitGroup
	for i := range 16 {
		wg.Go(func() {
			for j := range 50 {
				ctx, cancel := context.WithTimeout(t.Context(), time.Duration(1+j%7)*time.Millisecond)
				var f func(string) error
				if i%2 == 0 {
					f, _ = collect()
				}
				if _, err := s.Complete(ctx, ask("m"), f); err != nil && llm.ReasonOf(err) == "" && !errors.Is(err, context.Canceled) {
					t.Errorf("Complete: %v, want a Failure or ctx's error", err)
				}
				s.State()
				cancel()
			}
		})
	}
	wg.Wait()
	if m.worst > 4 || m.now != 0 {
		t.Errorf("%d calls at once, %d still run, want at most 4 and 0", m.worst, m.now)
	}
}
