// Command serve measures the real service through its page: answers a second,
// acknowledgements beside a bare handler's, and emergencies under more texts
// than it can answer. run.sh builds what it runs.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"path/filepath"
	"syscall"
	"time"

	"plumbline/tools/bench/measure"
)

// A plan is what to measure, and with what.
type plan struct {
	program     string
	dir         string
	questions   []string
	emergencies []string
	long        time.Duration // the steady load and the overload, each
	drain       time.Duration
	rate        int
}

func main() {
	var p plan
	var questions, emergencies string
	flag.StringVar(&p.program, "program", "plumbline", "the service's program")
	flag.StringVar(&p.dir, "dir", os.TempDir(), "folder for state and the bare handler's file: the same disk for both")
	flag.StringVar(&questions, "questions", "", "JSONL with the texts of ordinary questions")
	flag.StringVar(&emergencies, "emergencies", "", "JSONL with texts; those whose reply must begin with 911 are used")
	flag.DurationVar(&p.long, "for", 20*time.Second, "how long the steady load and the overload last")
	flag.DurationVar(&p.drain, "drain", 30*time.Second, "how long to wait for the queue to empty after the overload")
	flag.IntVar(&p.rate, "rate", 500, "texts a second of the overload")
	asJSON := flag.Bool("json", false, "print one JSON object")
	flag.Parse()

	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	r, err := run(ctx, &p, questions, emergencies)
	if err == nil {
		err = r.print(os.Stdout, *asJSON)
	}
	if err == nil {
		err = r.wrong()
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "serve:", err)
		os.Exit(1)
	}
}

func run(ctx context.Context, p *plan, questions, emergencies string) (r report, err error) {
	type row struct {
		Text  string `json:"text"`
		First string `json:"must_first"`
	}
	if p.questions, err = measure.Texts(questions, func(r row) (string, bool) { return r.Text, true }); err != nil {
		return r, err
	}
	if p.emergencies, err = measure.Texts(emergencies, func(r row) (string, bool) { return r.Text, r.First == "911" }); err != nil {
		return r, err
	}
	r.Machine = measure.ThisMachine()

	// Nothing is held back to be joined, and nobody is turned away.
	o := measure.Options{Program: p.program, Dir: p.dir, Data: filepath.Join(p.dir, "data"), Settings: "intake: {debounce: 0s, patience: 0s, limits: []}\n"}
	first, err := measure.Start(ctx, o)
	if err != nil {
		return r, err
	}
	r.Start.FirstMS = measure.MS(first.Ready)
	if err := first.Stop(); err != nil {
		return r, err
	}
	s, err := measure.Start(ctx, o)
	if err != nil {
		return r, err
	}
	defer func() { err = errors.Join(err, s.Stop()) }()
	r.Start.AgainMS = measure.MS(s.Ready)
	memory := func() int {
		c, _ := s.Counts(ctx, channel)
		return c.Memory
	}
	r.Memory.StartMB = memory()

	if r.Steady, err = steady(ctx, s, p); err != nil {
		return r, fmt.Errorf("steady load: %w", err)
	}
	r.Memory.SteadyMB = memory()
	if r.Taken, err = taken(ctx, s, p); err != nil {
		return r, fmt.Errorf("acknowledgements: %w", err)
	}
	if r.Overload, err = overload(ctx, s, p); err != nil {
		return r, fmt.Errorf("overload: %w", err)
	}
	r.Memory.OverloadMB = memory()
	return r, nil
}
