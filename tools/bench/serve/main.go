// Command serve measures the real service through its page: answers a second,
// acknowledgements beside a bare handler's, and emergencies under more texts
// than it can answer. run.sh builds what it runs.
package main

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"path/filepath"
	"syscall"
	"time"
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
	if p.questions, err = texts(questions, func(r row) (string, bool) { return r.Text, true }); err != nil {
		return r, err
	}
	if p.emergencies, err = texts(emergencies, func(r row) (string, bool) { return r.Text, r.First == "911" }); err != nil {
		return r, err
	}
	r.machine()

	data := filepath.Join(p.dir, "data")
	first, err := start(ctx, p.program, data, p.dir)
	if err != nil {
		return r, err
	}
	r.Start.FirstMS = ms(first.ready)
	if err := first.stop(); err != nil {
		return r, err
	}
	s, err := start(ctx, p.program, data, p.dir)
	if err != nil {
		return r, err
	}
	defer func() { err = errors.Join(err, s.stop()) }()
	r.Start.AgainMS = ms(s.ready)
	r.Memory.StartMB = s.memory(ctx)

	if r.Steady, err = steady(ctx, s, p); err != nil {
		return r, fmt.Errorf("steady load: %w", err)
	}
	r.Memory.SteadyMB = s.memory(ctx)
	if r.Taken, err = taken(ctx, s, p); err != nil {
		return r, fmt.Errorf("acknowledgements: %w", err)
	}
	if r.Overload, err = overload(ctx, s, p); err != nil {
		return r, fmt.Errorf("overload: %w", err)
	}
	r.Memory.OverloadMB = s.memory(ctx)
	return r, nil
}

// texts reads the texts of the rows of a JSONL file that want takes.
func texts[R any](file string, want func(R) (string, bool)) (list []string, err error) {
	b, err := os.ReadFile(file)
	if err != nil {
		return nil, err
	}
	for sc := bufio.NewScanner(bytes.NewReader(b)); sc.Scan(); {
		var r R
		if err := json.Unmarshal(sc.Bytes(), &r); err != nil {
			return nil, fmt.Errorf("%s: %w", file, err)
		}
		if text, ok := want(r); ok {
			list = append(list, text)
		}
	}
	if len(list) == 0 {
		return nil, fmt.Errorf("%s: no text in it can be used", file)
	}
	return list, nil
}
