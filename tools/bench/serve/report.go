package main

import (
	"encoding/json"
	"fmt"
	"io"

	"plumbline/tools/bench/measure"
)

// A report is everything that was measured. Times are in milliseconds.
type report struct {
	measure.Machine
	Start struct {
		FirstMS float64 `json:"first_ms"` // to /readyz, with no state yet
		AgainMS float64 `json:"again_ms"`
	} `json:"start"`
	Memory struct {
		StartMB    int `json:"start_mb"`
		SteadyMB   int `json:"steady_mb"`
		OverloadMB int `json:"overload_mb"`
	} `json:"memory"`
	Steady   steadyFigures   `json:"steady"`
	Taken    []measure.Taken `json:"taken"`
	Overload overloadFigures `json:"overload"`
}

type steadyFigures struct {
	Visitors  int            `json:"visitors"`
	Answers   int            `json:"answers"`
	PerSecond float64        `json:"per_second"`
	Reply     measure.Spread `json:"reply"` // from the acknowledgement to the page
}

type overloadFigures struct {
	Posted         int            `json:"posted"` // and acknowledged
	Refused        int            `json:"refused"`
	PerSecond      float64        `json:"per_second"`
	Ack            measure.Spread `json:"ack"`
	QueuedAtEnd    int            `json:"queued_at_end"`
	Emergencies    int            `json:"emergencies"`
	Unanswered     int            `json:"unanswered"`
	NotUrgent      int            `json:"not_urgent"` // answered as if they were none
	Reply          measure.Spread `json:"reply"`      // of emergencies, from the acknowledgement to the page
	Whole          measure.Spread `json:"whole"`      // of emergencies, from sending
	Answered       int            `json:"answered"`
	Waiting        int            `json:"waiting"`
	DrainPerSecond float64        `json:"drain_per_second"`
	Parked         int            `json:"parked"`
	Lost           int            `json:"lost"`      // acknowledged, neither answered nor waiting
	Uncounted      int            `json:"uncounted"` // acknowledged, and not counted as taken in
	Why            string         `json:"why,omitempty"`
}

// wrong is what must not be, however slow the machine is.
func (r *report) wrong() error {
	o := r.Overload
	if o.Refused+o.Unanswered+o.NotUrgent+o.Parked > 0 || o.Lost != 0 || o.Uncounted != 0 {
		return fmt.Errorf("overload: %d texts refused, %d lost, %d not counted, %d given up; %d emergencies unanswered, %d answered as none: %s",
			o.Refused, o.Lost, o.Uncounted, o.Parked, o.Unanswered, o.NotUrgent, o.Why)
	}
	return nil
}

func (r *report) print(w io.Writer, asJSON bool) error {
	if asJSON {
		return json.NewEncoder(w).Encode(r)
	}
	line := func(name, format string, args ...any) {
		measure.Line(w, name, format, args...)
	}
	line("machine", "%s", r.Machine)
	line("start to ready", "%.0f ms without state, %.0f ms with", r.Start.FirstMS, r.Start.AgainMS)
	line("resident memory", "%d MB at start, %d after the steady load, %d after the overload", r.Memory.StartMB, r.Memory.SteadyMB, r.Memory.OverloadMB)
	line(fmt.Sprintf("%d visitors, one text at a time", r.Steady.Visitors), "%.1f answers/s (%d); reply after %s", r.Steady.PerSecond, r.Steady.Answers, r.Steady.Reply)
	for _, t := range r.Taken {
		line(fmt.Sprintf("acknowledged, %d posters", t.Posters), "%s", t)
	}
	o := r.Overload
	line("overload", "%.0f texts/s (%d) acknowledged after %s; %d queued at its end", o.PerSecond, o.Posted, o.Ack, o.QueuedAtEnd)
	line(fmt.Sprintf("%d emergencies meanwhile", o.Emergencies), "reply after %s; from sending %s", o.Reply, o.Whole)
	line("afterwards", "%.1f answers/s; %d answered, %d waiting, %d lost", o.DrainPerSecond, o.Answered, o.Waiting, o.Lost)
	return nil
}
