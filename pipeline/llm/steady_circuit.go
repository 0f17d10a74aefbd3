package llm

import (
	"errors"
	"sync"
	"time"

	"github.com/failsafe-go/failsafe-go/circuitbreaker"
)

// A State is how the circuit of a Steady is.
type State string

// The states.
const (
	StateClosed   State = "closed"    // the model is asked
	StateOpen     State = "open"      // it is left alone
	StateHalfOpen State = "half_open" // one try may find out whether it is well again
)

// A verdict is what a try says of the server.
type verdict int

const (
	notCounted verdict = iota // nothing
	good                      // it is well
	bad                       // it is not
)

// judge returns the verdict of a try that ended in err.
func judge(err error) verdict {
	if err == nil {
		return good
	}
	switch ReasonOf(err) {
	case Unreachable, TimedOut, Busy, NoQuota, Down, Garbled:
		return bad
	case CutOff, Filtered, Empty:
		return good // a whole reply, if not one that will do
	}
	return notCounted
}

// A circuit is a circuit breaker on which a try may also leave no mark, and on
// which one that began before the state changed leaves none. It is safe for
// concurrent use.
type circuit struct {
	mu      sync.Mutex
	breaker circuitbreaker.CircuitBreaker[any]
	last    circuitbreaker.State
	epoch   int // how often the state has changed
}

// A ticket is a try's, to be handed back.
type ticket struct {
	epoch int
	probe bool
}

func newCircuit(c SteadyConfig) *circuit {
	b := circuitbreaker.NewBuilder[any]().WithDelay(c.LeaveFor).WithSuccessThreshold(1)
	if c.Rate > 0 {
		b = b.WithFailureRateThreshold(c.Rate, uint(c.AtLeast), c.Window)
	} else {
		b = b.WithFailureThreshold(uint(c.InARow))
	}
	return &circuit{breaker: b.Build()}
}

// open reports whether a try would be turned away for being too soon, and how
// long that lasts.
func (c *circuit) open() (left time.Duration, open bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	left = c.breaker.RemainingDelay()
	return left, c.breaker.IsOpen() && left > 0
}

// enter lets a try through, or says how long to stay away: 0 if that depends on
// another try. Whoever is let through calls leave.
func (c *circuit) enter() (t ticket, left time.Duration, ok bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	ok = c.breaker.TryAcquirePermit()
	c.note()
	return ticket{c.epoch, c.last == circuitbreaker.HalfOpenState}, c.breaker.RemainingDelay(), ok
}

// leave ends a try.
func (c *circuit) leave(t ticket, v verdict) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if t.epoch != c.epoch {
		return
	}
	switch {
	case v == good:
		c.breaker.RecordResult(nil)
	case v == bad:
		c.breaker.RecordError(errBad)
	case t.probe: // another may try: the breaker gives a permit back in no other way
		c.breaker.Open()
		c.breaker.HalfOpen()
		c.epoch++
	}
	c.note()
}

var errBad = errors.New("bad")

// note counts changes of the state.
func (c *circuit) note() {
	if s := c.breaker.State(); s != c.last {
		c.last = s
		c.epoch++
	}
}

func (c *circuit) state() State {
	c.mu.Lock()
	defer c.mu.Unlock()
	switch {
	case c.breaker.IsClosed():
		return StateClosed
	case c.breaker.IsOpen() && c.breaker.RemainingDelay() > 0:
		return StateOpen
	}
	return StateHalfOpen
}
