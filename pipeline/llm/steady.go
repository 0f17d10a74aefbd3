package llm

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"sync"
	"sync/atomic"
	"time"

	"github.com/failsafe-go/failsafe-go"
	"github.com/failsafe-go/failsafe-go/bulkhead"
	"github.com/failsafe-go/failsafe-go/hedgepolicy"
	"github.com/failsafe-go/failsafe-go/retrypolicy"
	"github.com/failsafe-go/failsafe-go/timeout"

	"plumbline/bot"
)

// A SteadyConfig says how much a Steady bears. What is 0 is what the comment
// says.
type SteadyConfig struct {
	Try      time.Duration // the most that one try may take; 60s
	Retries  int           // the most tries after the first; 2, and none if negative
	Backoff  time.Duration // before the first retry, doubled with each, give or take half; 500ms
	Longest  time.Duration // the most that is waited before a retry: a server that asks for more is given up; 30s
	AtOnce   int           // the most tries at once, hedges included; 8
	Hedge    time.Duration // after which a second try is sent beside the first; none
	InARow   int           // failures after which the circuit opens; 5
	Rate     float64       // of failures within Window at which it opens, in place of InARow; none
	AtLeast  int           // tries within Window before Rate is heeded; 10
	Window   time.Duration // 1m
	LeaveFor time.Duration // how long the circuit stays open before one try is let through; 30s
}

// A Steady is a Model that makes the best of another which may be slow, busy or
// down. It is safe for concurrent use, and leaves no goroutine behind.
//
// It asks again what another try may answer, and waits as long as the server
// asks for, unless ctx ends before. It does not ask again once a part was
// streamed. While the circuit is open it does not ask at all. What is the
// request's fault, or the caller's who cancelled, does not open the circuit; nor
// does a deadline of the caller's that left the server less than half of Try.
//
// Reply.Tries counts every call of the model, those that failed and hedges too,
// and is told beside an error as well.
type Steady struct {
	model   Model
	c       SteadyConfig
	retry   failsafe.Executor[outcome]
	limit   failsafe.Executor[outcome]
	slots   bulkhead.Bulkhead[outcome]
	circuit *circuit
}

// outcome is what came of a try, and whether there is to be another.
type outcome struct {
	reply Reply
	asked bool // the model was
	again bool
	wait  time.Duration // before it
}

// NewSteady returns a Steady around m. Its error wraps bot.ErrInvalid.
func NewSteady(m Model, c SteadyConfig) (*Steady, error) {
	for _, d := range []time.Duration{c.Try, c.Backoff, c.Longest, c.Hedge, c.Window, c.LeaveFor} {
		if d < 0 {
			return nil, fmt.Errorf("%w limits of a model: give no duration below 0", bot.ErrInvalid)
		}
	}
	if c.AtOnce < 0 || c.InARow < 0 || c.AtLeast < 0 || !(c.Rate >= 0 && c.Rate <= 1) {
		return nil, fmt.Errorf("%w limits of a model: give no number below 0, and a rate of at most 1", bot.ErrInvalid)
	}
	orElse(&c.Try, 60*time.Second)
	orElse(&c.Retries, 2)
	orElse(&c.Backoff, 500*time.Millisecond)
	orElse(&c.Longest, 30*time.Second)
	orElse(&c.AtOnce, 8)
	orElse(&c.InARow, 5)
	orElse(&c.AtLeast, 10)
	orElse(&c.Window, time.Minute)
	orElse(&c.LeaveFor, 30*time.Second)
	c.Retries = max(c.Retries, 0)

	s := &Steady{model: m, c: c, circuit: newCircuit(c), slots: bulkhead.New[outcome](uint(c.AtOnce))}
	s.retry = failsafe.With(retrypolicy.NewBuilder[outcome]().
		HandleIf(func(o outcome, err error) bool { return o.again }).
		WithMaxRetries(c.Retries).
		WithDelayFunc(func(e failsafe.ExecutionAttempt[outcome]) time.Duration { return e.LastResult().wait }).
		ReturnLastFailure().
		Build())
	s.limit = failsafe.With[outcome](timeout.New[outcome](c.Try))
	return s, nil
}

func orElse[T comparable](v *T, otherwise T) {
	var zero T
	if *v == zero {
		*v = otherwise
	}
}

// State tells how the circuit is.
func (s *Steady) State() State { return s.circuit.state() }

// Complete implements Model.
func (s *Steady) Complete(ctx context.Context, r Request, stream func(part string) error) (Reply, error) {
	if err := ctx.Err(); err != nil {
		return Reply{}, ended(err)
	}
	c := &call{s: s, r: r, stream: stream}
	o, err := s.retry.WithContext(ctx).GetWithExecution(func(e failsafe.Execution[outcome]) (outcome, error) {
		c.last, c.err = c.round(e.Context(), e.Retries())
		return c.last, c.err
	})
	if over := ctx.Err(); over != nil { // failsafe then tells nothing else
		o, err = c.last, c.err
		if err != nil && (ReasonOf(err) == "" || errors.Is(over, context.Canceled)) {
			err = ended(over)
		}
	}
	if c.streamErr != nil {
		err = c.streamErr
	}
	o.reply.Tries = int(c.tries.Load())
	return o.reply, err
}

// A call is one Complete.
type call struct {
	s         *Steady
	r         Request
	stream    func(part string) error
	tries     atomic.Int32
	streamed  bool  // a part was
	streamErr error // of the caller's stream function
	last      outcome
	err       error // of the last round
}

// round makes one try, or two of which the first good one counts.
func (c *call) round(ctx context.Context, retries int) (outcome, error) {
	if c.s.c.Hedge == 0 || c.stream != nil {
		return c.try(ctx, retries, false)
	}
	// failsafe does not wait for the one that loses.
	var running sync.WaitGroup
	var hedged atomic.Bool
	running.Add(1)
	policy := hedgepolicy.NewBuilderWithDelay[outcome](c.s.c.Hedge).
		OnHedge(func(failsafe.ExecutionEvent[outcome]) { hedged.Store(true); running.Add(1) }).
		// What fails before there is a second is for the retries to mend, and a
		// second that is not let through does not end the first.
		CancelIf(func(o outcome, err error) bool { return err == nil || !hedged.Load() || o.asked && !o.again }).
		Build()
	o, err := failsafe.With[outcome](policy).WithContext(ctx).GetWithExecution(func(e failsafe.Execution[outcome]) (outcome, error) {
		defer running.Done()
		return c.try(e.Context(), retries, e.IsHedge())
	})
	running.Wait()
	return o, err
}

// try asks the model once, if the limit and the circuit let it. A hedge does
// not wait for room: by the time there is some, the other may be done.
func (c *call) try(ctx context.Context, retries int, hedge bool) (outcome, error) {
	s := c.s
	if left, open := s.circuit.open(); open {
		return outcome{}, &Failure{Reason: Open, After: left}
	}
	if hedge {
		if !s.slots.TryAcquirePermit() {
			return outcome{}, &Failure{Reason: Busy}
		}
	} else if err := s.slots.AcquirePermit(ctx); err != nil {
		if errors.Is(err, context.DeadlineExceeded) {
			return outcome{}, &Failure{Reason: Busy, Err: err}
		}
		return outcome{}, err
	}
	defer s.slots.ReleasePermit()
	if err := ctx.Err(); err != nil {
		return outcome{}, ended(err)
	}
	ticket, left, ok := s.circuit.enter()
	if !ok {
		return outcome{}, &Failure{Reason: Open, After: left}
	}
	verdict := notCounted // if the model panics
	defer func() { s.circuit.leave(ticket, verdict) }()

	c.tries.Add(1)
	start := time.Now()
	o, err := s.limit.WithContext(ctx).GetWithExecution(func(e failsafe.Execution[outcome]) (outcome, error) {
		reply, err := s.model.Complete(e.Context(), c.r, c.pass())
		return outcome{reply: reply}, err
	})
	if errors.Is(err, timeout.ErrExceeded) {
		err = &Failure{Reason: TimedOut, Err: context.DeadlineExceeded}
	} else if over := ctx.Err(); over != nil && err != nil && (ReasonOf(err) == "" || ReasonOf(err) == Unreachable) {
		err = ended(over)
	}
	verdict = judge(err)
	if c.streamErr != nil || ctx.Err() != nil && time.Since(start) < s.c.Try/2 && verdict == bad {
		verdict = notCounted
	}
	o.asked = true
	o.wait, o.again = c.another(ctx, err, retries)
	return o, err
}

// pass returns the stream function that the model is given, nil for none.
func (c *call) pass() func(string) error {
	if c.stream == nil {
		return nil
	}
	return func(part string) error {
		c.streamed = true
		if err := c.stream(part); err != nil {
			c.streamErr = err
			return err
		}
		return nil
	}
}

// another says whether to ask again after err, and how long to wait before.
func (c *call) another(ctx context.Context, err error, retries int) (wait time.Duration, again bool) {
	var f *Failure
	if c.streamed || ctx.Err() != nil || !errors.As(err, &f) {
		return 0, false
	}
	switch f.Reason {
	case Unreachable, TimedOut, Busy, Down, Garbled:
	default:
		return 0, false
	}
	s := c.s.c
	wait = min(s.Backoff<<min(retries, 16), s.Longest)
	wait = wait/2 + rand.N(wait+1)
	if f.After > 0 {
		if f.After > s.Longest {
			return 0, false
		}
		wait = f.After + rand.N(f.After/10+1) // those who were told the same do not come back as one
	}
	if deadline, ok := ctx.Deadline(); ok && time.Until(deadline) <= wait {
		return 0, false
	}
	return wait, true
}
