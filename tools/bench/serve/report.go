package main

import (
	"encoding/json"
	"fmt"
	"io"
	"math"
	"os"
	"runtime"
	"slices"
	"strings"
	"time"
)

// A report is everything that was measured. Times are in milliseconds.
type report struct {
	Processors int    `json:"processors"`
	Load       string `json:"load"` // average of 1, 5 and 15 minutes before the run; empty where the system does not say
	Start      struct {
		FirstMS float64 `json:"first_ms"` // to /readyz, with no state yet
		AgainMS float64 `json:"again_ms"`
	} `json:"start"`
	Memory struct {
		StartMB    int `json:"start_mb"`
		SteadyMB   int `json:"steady_mb"`
		OverloadMB int `json:"overload_mb"`
	} `json:"memory"`
	Steady   steadyFigures   `json:"steady"`
	Taken    []takenFigures  `json:"taken"`
	Overload overloadFigures `json:"overload"`
}

type steadyFigures struct {
	Visitors  int     `json:"visitors"`
	Answers   int     `json:"answers"`
	PerSecond float64 `json:"per_second"`
	Reply     spread  `json:"reply"` // from the acknowledgement to the page
}

type takenFigures struct {
	Posters  int     `json:"posters"`
	Texts    int     `json:"texts"`
	Ours     spread  `json:"ours"`
	Bare     spread  `json:"bare"`
	RatioP50 float64 `json:"ratio_p50"`
	RatioP99 float64 `json:"ratio_p99"`
}

type overloadFigures struct {
	Posted         int     `json:"posted"` // and acknowledged
	Refused        int     `json:"refused"`
	PerSecond      float64 `json:"per_second"`
	Ack            spread  `json:"ack"`
	QueuedAtEnd    int     `json:"queued_at_end"`
	Emergencies    int     `json:"emergencies"`
	Unanswered     int     `json:"unanswered"`
	NotUrgent      int     `json:"not_urgent"` // answered as if they were none
	Reply          spread  `json:"reply"`      // of emergencies, from the acknowledgement to the page
	Whole          spread  `json:"whole"`      // of emergencies, from sending
	Answered       int     `json:"answered"`
	Waiting        int     `json:"waiting"`
	DrainPerSecond float64 `json:"drain_per_second"`
	Parked         int     `json:"parked"`
	Lost           int     `json:"lost"`      // acknowledged, neither answered nor waiting
	Uncounted      int     `json:"uncounted"` // acknowledged, and not counted as taken in
	Why            string  `json:"why,omitempty"`
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

// machine notes what else the figures depend on.
func (r *report) machine() {
	r.Processors = runtime.NumCPU()
	if b, err := os.ReadFile("/proc/loadavg"); err == nil {
		r.Load = strings.Join(strings.Fields(string(b))[:3], " ")
	}
}

func (r *report) print(w io.Writer, asJSON bool) error {
	if asJSON {
		return json.NewEncoder(w).Encode(r)
	}
	line := func(name, format string, args ...any) {
		fmt.Fprintf(w, "%-34s "+format+"\n", append([]any{name}, args...)...)
	}
	line("machine", "%d processors, load average %s", r.Processors, r.Load)
	line("start to ready", "%.0f ms without state, %.0f ms with", r.Start.FirstMS, r.Start.AgainMS)
	line("resident memory", "%d MB at start, %d after the steady load, %d after the overload", r.Memory.StartMB, r.Memory.SteadyMB, r.Memory.OverloadMB)
	line(fmt.Sprintf("%d visitors, one text at a time", r.Steady.Visitors), "%.1f answers/s (%d); reply after %s", r.Steady.PerSecond, r.Steady.Answers, r.Steady.Reply)
	for _, t := range r.Taken {
		line(fmt.Sprintf("acknowledged, %d posters", t.Posters), "%s; bare %s; ratio %.2f / %.2f", t.Ours, t.Bare, t.RatioP50, t.RatioP99)
	}
	o := r.Overload
	line("overload", "%.0f texts/s (%d) acknowledged after %s; %d queued at its end", o.PerSecond, o.Posted, o.Ack, o.QueuedAtEnd)
	line(fmt.Sprintf("%d emergencies meanwhile", o.Emergencies), "reply after %s; from sending %s", o.Reply, o.Whole)
	line("afterwards", "%.1f answers/s; %d answered, %d waiting, %d lost", o.DrainPerSecond, o.Answered, o.Waiting, o.Lost)
	return nil
}

// A spread is how durations lie, in milliseconds.
type spread struct {
	P50 float64 `json:"p50"`
	P99 float64 `json:"p99"`
	Max float64 `json:"max"`
}

func (s spread) String() string { return fmt.Sprintf("%.1f ms (p99 %.1f)", s.P50, s.P99) }

// spreadOf takes the nearest ranks.
func spreadOf(took []time.Duration) (s spread) {
	if len(took) == 0 {
		return s
	}
	slices.Sort(took)
	at := func(share float64) float64 { return ms(took[int(math.Ceil(share*float64(len(took))))-1]) }
	return spread{at(0.5), at(0.99), at(1)}
}

func ms(d time.Duration) float64 { return round(float64(d) / float64(time.Millisecond)) }

func round(f float64) float64 { return math.Round(f*100) / 100 }
