package llm_test

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
	"time"

	"plumbline/pipeline/llm"
)

// A rig is a Steady whose model ends each call as it is told.
type rig struct {
	*llm.Steady
	t     *testing.T
	model *script
	next  llm.Reason // "" for a reply
}

func newRig(t *testing.T, c llm.SteadyConfig) *rig {
	r := &rig{t: t}
	r.model = &script{answer: func(context.Context, int, func(string) error) (llm.Reply, error) {
		if r.next == "" {
			return llm.Reply{Text: "a"}, nil
		}
		return llm.Reply{}, &llm.Failure{Reason: r.next}
	}}
	c.Retries = -1
	r.Steady = steady(t, r.model, c)
	return r
}

// call asks once while the model answers with next, and wants the reason and,
// after it, the state.
func (r *rig) call(next, want llm.Reason, state llm.State) {
	r.t.Helper()
	r.next = next
	_, err := r.Complete(r.t.Context(), ask("m"), nil)
	if got := llm.ReasonOf(err); got != want || (err == nil) != (want == "") {
		r.t.Errorf("Complete: %v, want %q", err, want)
	}
	if got := r.State(); got != state {
		r.t.Errorf("State = %s, want %s", got, state)
	}
}

func TestCircuitOpens(t *testing.T) {
	for _, reason := range []llm.Reason{llm.Unreachable, llm.TimedOut, llm.Busy, llm.NoQuota, llm.Down, llm.Garbled} {
		t.Run(string(reason), func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				r := newRig(t, llm.SteadyConfig{InARow: 3})
				r.call(reason, reason, llm.StateClosed)
				r.call("", "", llm.StateClosed) // ends the row
				r.call(reason, reason, llm.StateClosed)
				r.call(reason, reason, llm.StateClosed)
				r.call(reason, reason, llm.StateOpen)

				time.Sleep(10 * time.Second)
				n := len(r.model.at)
				_, err := r.Complete(t.Context(), ask("m"), nil)
				var f *llm.Failure
				if !errors.As(err, &f) || f.Reason != llm.Open || f.After != 20*time.Second || len(r.model.at) != n {
					t.Errorf("Complete: %#v after %d calls, want %s for 20s after none", err, len(r.model.at)-n, llm.Open)
				}
				time.Sleep(20 * time.Second)
				if got := r.State(); got != llm.StateHalfOpen {
					t.Errorf("State after 30s = %s, want %s", got, llm.StateHalfOpen)
				}
				r.call(reason, reason, llm.StateOpen) // the one that finds out
				r.call("", llm.Open, llm.StateOpen)
				time.Sleep(30 * time.Second)
				r.call("", "", llm.StateClosed)
				r.call(reason, reason, llm.StateClosed)
			})
		})
	}
}

func TestCircuitDoesNotCount(t *testing.T) {
	for _, reason := range []llm.Reason{llm.BadRequest, llm.NotFound, llm.NotAllowed, llm.NotRecorded} {
		t.Run(string(reason), func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				r := newRig(t, llm.SteadyConfig{InARow: 2})
				for range 10 {
					r.call(reason, reason, llm.StateClosed)
				}
				r.call(llm.Down, llm.Down, llm.StateClosed)
				r.call(reason, reason, llm.StateClosed) // nor does it end a row
				r.call(llm.Down, llm.Down, llm.StateOpen)
				time.Sleep(30 * time.Second)
				r.call(reason, reason, llm.StateHalfOpen) // finds out nothing, and the next may try
				r.call(reason, reason, llm.StateHalfOpen)
				r.call("", "", llm.StateClosed)
			})
		})
	}
	for _, reason := range []llm.Reason{llm.CutOff, llm.Filtered, llm.Empty} {
		synctest.Test(t, func(t *testing.T) {
			r := newRig(t, llm.SteadyConfig{InARow: 2})
			r.call(llm.Down, llm.Down, llm.StateClosed)
			r.call(reason, reason, llm.StateClosed) // the server is well
			r.call(llm.Down, llm.Down, llm.StateClosed)
			r.call(llm.Down, llm.Down, llm.StateOpen)
			time.Sleep(30 * time.Second)
			r.call(reason, reason, llm.StateClosed)
		})
	}
}

func TestCircuitRate(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t, llm.SteadyConfig{Rate: 0.5, AtLeast: 10, Window: time.Minute})
		for range 4 {
			r.call("", "", llm.StateClosed)
			r.call(llm.Down, llm.Down, llm.StateClosed)
		}
		r.call("", "", llm.StateClosed)
		r.call(llm.Down, llm.Down, llm.StateOpen) // 5 of 10
		time.Sleep(30 * time.Second)
		r.call("", "", llm.StateClosed)
	})
}

// While one finds out whether the server is well, others are turned away; if
// the one is cancelled, the next may.
func TestCircuitProbe(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		m := &script{answer: func(ctx context.Context, n int, _ func(string) error) (llm.Reply, error) {
			if n == 0 {
				return llm.Reply{}, &llm.Failure{Reason: llm.Down}
			}
			return llm.Reply{Text: "a"}, wait(ctx, 10*time.Second)
		}}
		s := steady(t, m, llm.SteadyConfig{InARow: 1, Retries: -1})
		s.Complete(t.Context(), ask("m"), nil)
		time.Sleep(30 * time.Second)

		ctx, cancel := context.WithCancel(t.Context())
		done := make(chan error, 1)
		go func() {
			_, err := s.Complete(ctx, ask("m"), nil)
			done <- err
		}()
		synctest.Wait()
		if _, err := s.Complete(t.Context(), ask("m"), nil); llm.ReasonOf(err) != llm.Open || len(m.at) != 2 {
			t.Errorf("Complete beside the one that finds out: %v after %d calls, want %s after 2", err, len(m.at), llm.Open)
		}
		cancel()
		if err := <-done; err != context.Canceled {
			t.Errorf("Complete of the one: %v, want %v", err, context.Canceled)
		}
		if got := s.State(); got != llm.StateHalfOpen {
			t.Errorf("State = %s, want %s", got, llm.StateHalfOpen)
		}
		if _, err := s.Complete(t.Context(), ask("m"), nil); err != nil || s.State() != llm.StateClosed {
			t.Errorf("Complete of the next: %v, state %s, want none, %s", err, s.State(), llm.StateClosed)
		}
	})
}

// A call from before the circuit opened says nothing of how the server is after.
func TestCircuitLateReply(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		m := &script{answer: func(ctx context.Context, n int, _ func(string) error) (llm.Reply, error) {
			switch n {
			case 0:
				return llm.Reply{Text: "late"}, wait(ctx, 50*time.Second)
			case 1:
				return llm.Reply{}, &llm.Failure{Reason: llm.Down}
			}
			return llm.Reply{Text: "a"}, wait(ctx, 40*time.Second)
		}}
		s := steady(t, m, llm.SteadyConfig{InARow: 1, Retries: -1})
		late, probe := make(chan error, 1), make(chan error, 1)
		go func() { _, err := s.Complete(t.Context(), ask("m"), nil); late <- err }()
		synctest.Wait()
		s.Complete(t.Context(), ask("m"), nil)
		time.Sleep(30 * time.Second)
		go func() { _, err := s.Complete(t.Context(), ask("m"), nil); probe <- err }()
		if err := <-late; err != nil {
			t.Errorf("Complete of the late one: %v", err)
		}
		if got := s.State(); got != llm.StateHalfOpen {
			t.Errorf("State after the late one = %s, want %s", got, llm.StateHalfOpen)
		}
		if err := <-probe; err != nil || s.State() != llm.StateClosed {
			t.Errorf("Complete of the probe: %v, state %s, want none, %s", err, s.State(), llm.StateClosed)
		}
	})
}
