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
	Held     []takenFigures `json:"held"` // with answering held back
	HeldKept keptFigures    `json:"held_kept"`
	Working  []takenFigures `json:"working"` // with answers being worked on
	Intake   intakeFigures  `json:"intake"`
	Kept     keptFigures    `json:"kept"` // of the service that worked
	Vendor   vendorFigures  `json:"vendor"`
}

type takenFigures struct {
	measure.Taken
	CPU      float64 `json:"cpu_ms"`   // of the service, a message; of one that works, its answer among it
	Answered int     `json:"answered"` // meanwhile, and between the rounds
}

type intakeFigures struct {
	Numbers           int            `json:"numbers"`
	Offered           int            `json:"offered"`
	OfferedPerSecond  float64        `json:"offered_per_second"`
	Acknowledged      int            `json:"acknowledged"`
	PerSecond         float64        `json:"per_second"`
	Refused           int            `json:"refused"` // with 503, or not answered in time; they came again
	Never             int            `json:"never"`   // of them, those that were refused again
	Ack               measure.Spread `json:"ack"`     // from sending
	Due               measure.Spread `json:"due"`     // from when it should have been sent
	Answered          int            `json:"answered"`
	AnsweredPerSecond float64        `json:"answered_per_second"`
	QueuedAtEnd       int            `json:"queued_at_end"`
	Cores             float64        `json:"cores"` // that the service kept busy
	MemoryMB          int            `json:"memory_mb"`
	DrainPerSecond    float64        `json:"drain_per_second"` // answers, afterwards
	Why               string         `json:"why,omitempty"`    // a message was refused
}

// keptFigures are what became of all that one service acknowledged.
type keptFigures struct {
	Acknowledged int `json:"acknowledged"`
	TakenIn      int `json:"taken_in"` // as the service counts
	Answered     int `json:"answered"`
	Waiting      int `json:"waiting"`
	Parked       int `json:"parked"`
	HandedOver   int `json:"handed_over"` // texts
	Lost         int `json:"lost"`        // acknowledged, neither answered nor waiting
}

type vendorFigures struct {
	Texts  int `json:"texts"`
	People int `json:"people"`
}

func (k keptFigures) String() string {
	return fmt.Sprintf("%d acknowledged = %d answered + %d waiting; %d lost", k.Acknowledged, k.Answered, k.Waiting, k.Lost)
}

// wrong is what must not be, however slow the machine is.
func (r *report) wrong() error {
	for _, k := range []keptFigures{r.HeldKept, r.Kept} {
		if k.Lost > 0 || k.Parked > 0 || k.Acknowledged > k.TakenIn {
			return fmt.Errorf("messages were lost: %s; %d counted as taken in, %d given up", k, k.TakenIn, k.Parked)
		}
	}
	return nil
}

func (r *report) print(w io.Writer, asJSON bool) error {
	if asJSON {
		return json.NewEncoder(w).Encode(r)
	}
	line := func(name, format string, args ...any) { measure.Line(w, name, format, args...) }
	line("machine", "%s", r.Machine)
	for _, part := range []struct {
		name string
		list []takenFigures
	}{{"answering held back", r.Held}, {"answers being worked on", r.Working}} {
		fmt.Fprintf(w, "\n%s\n", part.name)
		fmt.Fprintf(w, "%-9s %6s  %21s %8s  %21s %8s  %13s  %s\n", "posters", "texts", "ours p50 / p99, ms", "a second", "bare p50 / p99, ms", "a second", "ratio", "processor ms a text")
		for _, t := range part.list {
			fmt.Fprintf(w, "%-9d %6d  %11.2f / %7.2f %8.0f  %11.2f / %7.2f %8.0f  %5.2f / %5.2f  %.2f\n", t.Posters, t.Texts,
				t.Ours.P50, t.Ours.P99, t.PerSecond, t.Bare.P50, t.Bare.P99, t.BarePerSecond, t.RatioP50, t.RatioP99, t.CPU)
		}
	}
	fmt.Fprintln(w)
	for _, t := range r.Held {
		if t.Answered > 0 {
			line("held back", "not for long enough: %d were answered meanwhile", t.Answered)
		}
	}
	line("held back, kept", "%s", r.HeldKept)
	i := r.Intake
	line(fmt.Sprintf("intake from %d numbers", i.Numbers), "%.0f messages/s offered (%d), %.0f/s acknowledged (%d) after %s, max %.0f; from when due %s", i.OfferedPerSecond, i.Offered, i.PerSecond, i.Acknowledged, i.Ack, i.Ack.Max, i.Due)
	line("refused", "%d, and %d when they came again %s", i.Refused, i.Never, i.Why)
	line("meanwhile", "%.1f answers/s (%d); %d queued at its end; %.2f processors busy, %d MB", i.AnsweredPerSecond, i.Answered, i.QueuedAtEnd, i.Cores, i.MemoryMB)
	line("afterwards", "%.1f answers/s", i.DrainPerSecond)
	line("kept", "%s", r.Kept)
	line("the vendor has", "%d texts for %d people; %d were handed over", r.Vendor.Texts, r.Vendor.People, r.HeldKept.HandedOver+r.Kept.HandedOver)
	return nil
}
