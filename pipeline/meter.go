package pipeline

import (
	"slices"
	"sync"
	"time"

	"plumbline/bot"
)

// A meter collects what stages say of themselves while they run. Two stages may
// run at once.
type meter struct {
	mu       sync.Mutex
	calls    []bot.Call
	spent    bot.Amount        // by calls that ended, and set aside for those that have not
	fellBack map[string]string // why, by stage
}

// Note records a call to a model. Two goroutines may call it.
func (d *Draft) Note(c bot.Call) {
	d.meter.mu.Lock()
	defer d.meter.mu.Unlock()
	d.meter.calls = append(d.meter.calls, c)
}

// FailCall says of a call, by its key, why its reply would not do.
func (d *Draft) FailCall(key, why string) {
	d.meter.mu.Lock()
	defer d.meter.mu.Unlock()
	for i := range slices.Backward(d.meter.calls) {
		if d.meter.calls[i].Key == key {
			d.meter.calls[i].Failed = why
			return
		}
	}
}

// Tighten says that a budget is spent: the reply is one segment.
func (d *Draft) Tighten() {
	d.meter.mu.Lock()
	defer d.meter.mu.Unlock()
	d.Tight = true
}

// Tightened reports whether a budget is spent.
func (d *Draft) Tightened() bool {
	d.meter.mu.Lock()
	defer d.meter.mu.Unlock()
	return d.Tight
}

// FallBack records that a stage's extractive twin does its work, and why.
func (d *Draft) FallBack(stage, why string) {
	d.meter.mu.Lock()
	defer d.meter.mu.Unlock()
	if d.meter.fellBack == nil {
		d.meter.fellBack = map[string]string{}
	}
	d.meter.fellBack[stage] = why
}

// Gate records what a gate made of something that a model said.
func (d *Draft) Gate(g bot.GateRecord) {
	d.meter.mu.Lock()
	defer d.meter.mu.Unlock()
	d.Trace.Gates = append(d.Trace.Gates, g)
}

// Pay sets want aside for a call if the answer's cap leaves room for it beside
// what other calls cost or may cost, and reports whether it did.
func (d *Draft) Pay(want, limit bot.Amount) bool {
	d.meter.mu.Lock()
	defer d.meter.mu.Unlock()
	sum := d.meter.spent.Plus(want)
	if !sum.Within(limit) {
		return false
	}
	d.meter.spent = sum
	return true
}

// Paid puts what a call cost in place of what was set aside for it.
func (d *Draft) Paid(want, cost bot.Amount) {
	d.meter.mu.Lock()
	defer d.meter.mu.Unlock()
	d.meter.spent = d.meter.spent.Minus(want).Plus(cost)
}

// asksAs names the stage of a model that works in a step of another name.
var asksAs = map[string]string{"fill": "audit"}

// finish records a step with what its stage said of itself.
func (d *Draft) finish(s bot.Step) {
	d.meter.mu.Lock()
	defer d.meter.mu.Unlock()
	stage := s.Stage
	if as := asksAs[stage]; as != "" {
		stage = as
	}
	d.meter.calls = slices.DeleteFunc(d.meter.calls, func(c bot.Call) bool {
		if c.Stage != stage {
			return false
		}
		s.Calls = append(s.Calls, c)
		s.Model = c.Model
		s.Tokens.In += c.Tokens.In
		s.Tokens.Out += c.Tokens.Out
		s.Cost += c.Cost
		return true
	})
	s.FellBack = d.meter.fellBack[stage]
	delete(d.meter.fellBack, stage)
	if len(s.Calls) > 0 && s.FellBack == "" {
		s.Family = "model"
	}
	d.Trace.Steps = append(d.Trace.Steps, s)
}

// reserve is what of the deadline is kept for the stages that ask no model.
const reserve = 2 * time.Second

// until is when models are asked no more, for an answer begun at start.
func (c Config) until(start time.Time) time.Time {
	if c.Deadline <= 0 {
		return time.Time{}
	}
	return start.Add(max(c.Deadline-reserve, c.Deadline/2))
}
