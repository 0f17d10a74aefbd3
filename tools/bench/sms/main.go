// Command sms measures the real service through its Twilio webhook: how soon
// signed messages are acknowledged beside a bare handler's, and how many a second
// are taken in while answers are worked on behind. Twilio is a stub on this
// machine. run.sh builds what it runs.
package main

import (
	"cmp"
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"path/filepath"
	"slices"
	"sync/atomic"
	"syscall"
	"time"

	"plumbline/tools/bench/measure"
)

// A plan is what to measure, and with what.
type plan struct {
	program   string
	dir       string
	questions []string
	long      time.Duration // that messages are offered
	drain     time.Duration
	rate      int
	crowd     int // numbers that write in that time
}

func main() {
	var p plan
	var questions string
	flag.StringVar(&p.program, "program", "plumbline", "the service's program")
	flag.StringVar(&p.dir, "dir", os.TempDir(), "folder for state and the bare handler's file: the same disk for both")
	flag.StringVar(&questions, "questions", "", "JSONL with the texts of ordinary questions")
	flag.DurationVar(&p.long, "for", 20*time.Second, "how long messages are offered")
	flag.DurationVar(&p.drain, "drain", 30*time.Second, "how long to wait for the queue to empty after that")
	flag.IntVar(&p.rate, "rate", 600, "messages a second that are offered")
	flag.IntVar(&p.crowd, "numbers", 2000, "numbers that they come from")
	asJSON := flag.Bool("json", false, "print one JSON object")
	flag.Parse()

	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	r, err := run(ctx, &p, questions)
	if err == nil {
		err = r.print(os.Stdout, *asJSON)
	}
	if err == nil {
		err = r.wrong()
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "sms:", err)
		os.Exit(1)
	}
}

func run(ctx context.Context, p *plan, questions string) (r report, err error) {
	if p.rate < 1 || p.crowd < 1 || p.crowd > mostNumbers/2 {
		return r, fmt.Errorf("-rate must be 1 or more, -numbers 1 to %d", mostNumbers/2)
	}
	type row struct {
		Text     string `json:"text"`
		Expected string `json:"expected"`
	}
	// Emergencies are never held back.
	if p.questions, err = measure.Texts(questions, func(r row) (string, bool) { return r.Text, r.Expected != "emergency" }); err != nil {
		return r, err
	}
	r.Machine = measure.ThisMachine()
	v, err := newVendor()
	if err != nil {
		return r, err
	}
	defer v.close()

	// Texts that wait to be joined with others are not answered meanwhile: here for
	// longer than the measurement lasts.
	err = with(ctx, p, v, "held", "1m", func(l *line) (err error) {
		if r.Held, err = taken(ctx, l, p); err == nil {
			r.HeldKept, err = l.kept(ctx)
		}
		return err
	})
	if err != nil {
		return r, fmt.Errorf("answering held back: %w", err)
	}
	err = with(ctx, p, v, "working", "0s", func(l *line) (err error) {
		if r.Working, err = taken(ctx, l, p); err != nil {
			return fmt.Errorf("acknowledgements: %w", err)
		}
		if r.Intake, err = intake(ctx, l, p); err == nil {
			r.Kept, err = l.kept(ctx)
		}
		if err != nil {
			return fmt.Errorf("intake: %w", err)
		}
		return nil
	})
	r.Vendor = v.count()
	return r, err
}

// A line is the service, and what it has acknowledged.
type line struct {
	*measure.Service
	public       string
	held         bool // its answers wait
	acknowledged atomic.Int64
}

// with has do use a service that holds each text back for so long.
func with(ctx context.Context, p *plan, v *vendor, name, held string, do func(*line) error) (err error) {
	dir := filepath.Join(p.dir, name)
	if err := os.Mkdir(dir, 0o700); err != nil {
		return err
	}
	// The questions that limits ask of the database are asked; nobody passes one.
	settings := fmt.Sprintf(`public: {url: %q, addr: "127.0.0.1:0"}
twilio: {account: %s, number: %q, api: %q, rate: 10000, quiet: {from: "", until: ""}}
intake: {debounce: %s, patience: %[5]s, same: {count: 1000, per: 1h}, limits: [{count: 1000, per: 10m}, {count: 1000, per: 24h}]}
`, publicURL, account, ours, v.url, held)
	s, err := measure.Start(ctx, measure.Options{Program: p.program, Dir: dir, Data: filepath.Join(dir, "data"), Settings: settings, Env: []string{"PLUMBLINE_TWILIO_TOKEN=" + token}})
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, s.Stop()) }()
	l := &line{Service: s, held: held != "0s"}
	if l.public, err = s.Address(); err != nil {
		return err
	}
	return do(l)
}

// kept compares what was acknowledged with what the service says of itself. A
// job that ends while the counts are taken is seen in both or in none of them, so
// the middle one of several comparisons holds: what is lost is so in each.
func (l *line) kept(ctx context.Context) (keptFigures, error) {
	list := make([]keptFigures, 9)
	for i := range list {
		time.Sleep(100 * time.Millisecond)
		c, err := l.Counts(ctx, channel)
		if err != nil {
			return keptFigures{}, err
		}
		n := int(l.acknowledged.Load())
		list[i] = keptFigures{Acknowledged: n, TakenIn: c.Queued, Answered: c.Done, Waiting: c.Waiting, Parked: c.Parked, HandedOver: c.Sent, Lost: n - c.Done - c.Waiting}
	}
	slices.SortFunc(list, func(a, b keptFigures) int { return cmp.Compare(a.Lost, b.Lost) })
	return list[len(list)/2], nil
}
