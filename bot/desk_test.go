package bot_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"plumbline/bot"
)

// A tray is an inbox and an outbox of a few things, for what the desk and the
// courier do with them. What stores promise is in sessions/queuetest.
type tray struct {
	mu       sync.Mutex
	jobs     []bot.Job
	texts    []bot.Delivery
	finished []bot.Outcome
	log      []string // what was done, in order
	extended int
	err      error               // of Finish and Accept
	may      map[int64]error     // of MaySend
	due      map[int64]time.Time // of texts that were given back
}

func (tr *tray) note(format string, args ...any) {
	tr.log = append(tr.log, fmt.Sprintf(format, args...))
}

func (tr *tray) Put(context.Context, string, bot.Arrival) (bot.Receipt, error) {
	return bot.Queued, nil
}

func (tr *tray) Next(_ context.Context, l bot.Lease) (bot.Job, error) {
	tr.mu.Lock()
	defer tr.mu.Unlock()
	for i, j := range tr.jobs {
		if (j.Urgent || !l.Urgent) && !j.Received.After(l.Now) {
			tr.jobs = slices.Delete(tr.jobs, i, i+1)
			j.Tries++
			return j, nil
		}
	}
	return bot.Job{}, bot.ErrNotFound
}

func (tr *tray) Extend(context.Context, bot.Job, time.Time) error {
	tr.mu.Lock()
	defer tr.mu.Unlock()
	tr.extended++
	return nil
}

func (tr *tray) Finish(_ context.Context, j bot.Job, o bot.Outcome) error {
	tr.mu.Lock()
	defer tr.mu.Unlock()
	tr.finished = append(tr.finished, o)
	tr.note("finish %d", j.Seq)
	return tr.err
}

func (tr *tray) Return(_ context.Context, j bot.Job, at time.Time, why string) error {
	tr.mu.Lock()
	defer tr.mu.Unlock()
	tr.note("return %d: %s", j.Seq, why)
	j.Received = at
	tr.jobs = append(tr.jobs, j)
	return nil
}

func (tr *tray) Parked(context.Context) ([]bot.Parked, error) { return nil, nil }

func (tr *tray) Depth(context.Context, time.Time) (bot.Depth, error) { return bot.Depth{}, nil }

func (tr *tray) Post(context.Context, bot.Delivery) error { return nil }

func (tr *tray) Take(_ context.Context, channels []string, l bot.Lease) (bot.Delivery, error) {
	tr.mu.Lock()
	defer tr.mu.Unlock()
	for i, d := range tr.texts {
		if (d.Urgent || !l.Urgent) && slices.Contains(channels, d.To.Channel) && !tr.due[d.Seq].After(l.Now) {
			tr.texts = slices.Delete(tr.texts, i, i+1)
			d.Tries++
			return d, nil
		}
	}
	return bot.Delivery{}, bot.ErrNotFound
}

func (tr *tray) Accept(_ context.Context, d bot.Delivery, id string) error {
	tr.mu.Lock()
	defer tr.mu.Unlock()
	tr.note("accept %d as %s%s", d.Seq, id, tried(d))
	return tr.err
}

// tried says of a delivery that the vendor may have it.
func tried(d bot.Delivery) string {
	if d.Tried {
		return " (tried)"
	}
	return ""
}

func (tr *tray) Settle(context.Context, bot.Settlement) error { return nil }

func (tr *tray) Known(context.Context, string, string) (bool, error) { return false, nil }

func (tr *tray) MaySend(_ context.Context, d bot.Delivery) error { return tr.may[d.Seq] }

func (tr *tray) Fail(_ context.Context, d bot.Delivery, why string) error {
	tr.mu.Lock()
	defer tr.mu.Unlock()
	tr.note("fail %d: %s", d.Seq, why)
	return nil
}

func (tr *tray) Again(_ context.Context, d bot.Delivery, at time.Time, why string) error {
	tr.mu.Lock()
	defer tr.mu.Unlock()
	tr.note("again %d in %v: %s%s", d.Seq, time.Until(at), why, tried(d))
	if tr.due == nil {
		tr.due = map[int64]time.Time{}
	}
	tr.due[d.Seq] = at
	tr.texts = append(tr.texts, d)
	return nil
}

func (tr *tray) Backlog(context.Context, time.Time) (bot.Depth, error) { return bot.Depth{}, nil }

func (tr *tray) done() []string {
	tr.mu.Lock()
	defer tr.mu.Unlock()
	return slices.Clone(tr.log)
}

var quiet = slog.New(slog.NewTextHandler(io.Discard, nil))

func jobOf(seq int64, text string) bot.Job {
	return bot.Job{Seq: seq, Message: bot.Message{ID: fmt.Sprint(seq), From: bot.Address{Channel: "sms", User: "+19735550100"}, Text: text}}
}

// run runs do for as long as is given and waits until it has ended.
func run(t *testing.T, long time.Duration, do func(context.Context)) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), long)
	defer cancel()
	do(ctx)
}

func TestDesk(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var log strings.Builder
		tr := &tray{jobs: []bot.Job{jobOf(1, "fine"), jobOf(2, "fails twice"), jobOf(3, "makes us panic"), jobOf(4, "slow")}}
		fails := 2
		d := &bot.Desk{Inbox: tr, Now: time.Now, Log: slog.New(slog.NewTextHandler(&log, &slog.HandlerOptions{Level: slog.LevelDebug})), Lease: time.Minute, Limit: time.Hour,
			Decide: func(ctx context.Context, j bot.Job) (bot.Outcome, error) {
				switch {
				case j.Message.Text == "fails twice" && fails > 0:
					fails--
					return bot.Outcome{}, bot.ErrUnavailable
				case j.Message.Text == "makes us panic" && j.Tries < 3:
					panic(j.Message.Text)
				case j.Message.Text == "slow":
					time.Sleep(5 * time.Minute)
				}
				return bot.Outcome{}, nil
			}}
		run(t, 6*time.Minute, d.Run)
		got := tr.done()
		slices.Sort(got)
		want := []string{"finish 1", "finish 2", "finish 3", "finish 4", "return 2: unavailable", "return 2: unavailable", "return 3: failed", "return 3: failed"}
		if !slices.Equal(got, want) {
			t.Errorf("the desk did %q, want %q", got, want)
		}
		if tr.extended < 14 {
			t.Errorf("a lease of a minute was extended %d times in five, want each third of it", tr.extended)
		}
		if s := log.String(); strings.Contains(s, "fails twice") || strings.Contains(s, "makes us panic") || strings.Contains(s, "5550100") || !strings.Contains(s, "panic while deciding") {
			t.Errorf("the log holds a person's words or number:\n%s", s)
		}
	})
}

// An emergency is decided on while all other hands are busy, however many.
func TestDeskEmergencyWaitsForNobody(t *testing.T) {
	for workers, want := range map[int]int{0: 2, 1: 1, 2: 2, 3: 3} {
		t.Run(fmt.Sprint("Workers", workers), func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				urgent := jobOf(9, "urgent")
				urgent.Urgent, urgent.Received = true, time.Now().Add(time.Minute)
				tr := &tray{jobs: []bot.Job{jobOf(1, "slow"), jobOf(2, "slow"), jobOf(3, "slow"), jobOf(4, "slow"), urgent}}
				var at time.Duration
				start := time.Now()
				d := &bot.Desk{Inbox: tr, Now: time.Now, Log: quiet, Workers: workers, Limit: time.Hour, Decide: func(_ context.Context, j bot.Job) (bot.Outcome, error) {
					if j.Urgent {
						at = time.Since(start)
						return bot.Outcome{}, nil
					}
					time.Sleep(10 * time.Minute)
					return bot.Outcome{}, nil
				}}
				run(t, 5*time.Minute, d.Run)
				if at < time.Minute || at > time.Minute+time.Second {
					t.Errorf("an emergency that came after a minute was taken after %v", at)
				}
				if got := tr.done(); len(got) != want+1 {
					t.Errorf("stopped after %q, want the emergency and %d others under way finished and the rest left", got, want)
				}
			})
		})
	}
}

func TestDeskTellsWhatWasTakenOver(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		tr := &tray{jobs: []bot.Job{jobOf(1, "fine")}, err: bot.ErrConflict}
		var err error
		d := &bot.Desk{Inbox: tr, Now: time.Now, Log: quiet, Decide: func(context.Context, bot.Job) (bot.Outcome, error) { return bot.Outcome{}, nil },
			Done: func(_ bot.Job, _ bot.Outcome, _ time.Duration, e error) { err = e }}
		run(t, time.Second, d.Run)
		if got := tr.done(); !slices.Equal(got, []string{"finish 1"}) || !errors.Is(err, bot.ErrConflict) {
			t.Errorf("a job that another has: %q, %v; want it left to them", got, err)
		}
	})
}

// A sender fails as told, by sequence number.
type sender map[int64][]error

func (s sender) Send(_ context.Context, d bot.Delivery) (string, error) {
	if errs := s[d.Seq]; d.Tries <= len(errs) {
		return "", errs[d.Tries-1]
	}
	return fmt.Sprintf("v%d", d.Seq), nil
}

func TestCourier(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		to := bot.Address{Channel: "sms", User: "+19735550100"}
		tr := &tray{}
		for seq := range int64(6) {
			tr.texts = append(tr.texts, bot.Delivery{Seq: seq, To: to, Text: "words", Composed: time.Now()})
		}
		tr.texts[5].To.Channel = "pigeon"
		always := slices.Repeat([]error{bot.ErrUnavailable}, 99)
		c := &bot.Courier{Outbox: tr, Now: time.Now, Log: quiet, Senders: map[string]bot.Sender{"sms": sender{
			1: {bot.ErrDenied}, 2: {fmt.Errorf("busy: %w", bot.RetryAfter{Wait: 10 * time.Second})}, 3: always, 4: {bot.ErrInvalid},
		}}}
		run(t, time.Hour, c.Run)
		got := tr.done()
		slices.Sort(got)
		for _, want := range []string{"accept 0 as v0", "fail 1: denied", "again 2 in 10s: unavailable", "accept 2 as v2", "again 3 in 1s: unavailable", "fail 3: unavailable", "fail 4: invalid"} {
			if !slices.Contains(got, want) {
				t.Errorf("the courier did %q, want %q among it", got, want)
			}
		}
		if n := len(got); n != 13 { // seven times again for text 3
			t.Errorf("the courier did %d things: %q; want 13", n, got)
		}
	})
}

// What a vendor says of a text decides what becomes of it.
func TestCourierHeedsTheVendor(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		to := bot.Address{Channel: "sms", User: "+19735550100"}
		tr := &tray{may: map[int64]error{4: bot.ErrOptedOut, 5: bot.ErrConflict}}
		for seq := range int64(6) {
			tr.texts = append(tr.texts, bot.Delivery{Seq: seq, Person: fmt.Sprint("p", seq), To: to, Text: "words", Composed: time.Now()})
		}
		book := &ledger{}
		c := &bot.Courier{Outbox: tr, Consent: book, Now: time.Now, Log: quiet, Doubt: 7 * time.Second, Senders: map[string]bot.Sender{"sms": sender{
			0: {fmt.Errorf("send: %w", &bot.Refusal{Code: "21610", Err: bot.ErrOptedOut})},
			1: {fmt.Errorf("cut off: %w", bot.ErrInDoubt)},
			2: {&bot.Refusal{Code: "30034", Err: bot.ErrDenied}},
			3: {&bot.Refusal{Code: "20429", Err: fmt.Errorf("%w: %w", bot.ErrUnavailable, bot.RetryAfter{Wait: 9 * time.Second})}},
		}}}
		run(t, time.Minute, c.Run)
		got := tr.done()
		slices.Sort(got)
		want := []string{"accept 1 as v1 (tried)", "accept 3 as v3", "again 1 in 7s: unavailable (tried)", "again 3 in 9s: unavailable (20429)", "fail 0: denied (21610)", "fail 2: denied (30034)", "fail 4: denied"}
		if !slices.Equal(got, want) {
			t.Errorf("the courier did %q, want %q", got, want)
		}
		if want := []string{"p0 sms opt_out vendor 21610"}; !slices.Equal(book.entries, want) {
			t.Errorf("the ledger has %q, want %q", book.entries, want)
		}
	})
}

type ledger struct {
	mu      sync.Mutex
	entries []string
}

func (l *ledger) Decide(_ context.Context, person, channel string, c bot.Consent, cause string) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.entries = append(l.entries, fmt.Sprintf("%s %s %s %s", person, channel, c, cause))
	return nil
}

func (l *ledger) Decisions(context.Context, string) ([]bot.Decision, error) { return nil, nil }

// A channel rests after a text, urgent ones wait for nothing, what nobody asked
// for waits for its hour, and what is late says so, once it is sure that it
// has not gone out.
func TestCourierPace(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		to := bot.Address{Channel: "sms", User: "+19735550100"}
		start := time.Now()
		tr := &tray{}
		for seq := range int64(5) {
			tr.texts = append(tr.texts, bot.Delivery{Seq: seq, To: to, Text: "words", Composed: start})
		}
		tr.texts[2].Urgent = true
		tr.texts[3].Unasked = true
		tr.texts[4].To.Channel = "web"
		var mu sync.Mutex
		at := map[int64]time.Duration{}
		texts := map[int64]string{}
		note := func(d bot.Delivery) (string, error) {
			mu.Lock()
			defer mu.Unlock()
			at[d.Seq], texts[d.Seq] = time.Since(start), d.Says()
			return fmt.Sprint("v", d.Seq), nil
		}
		c := &bot.Courier{
			Outbox: tr, Now: time.Now, Log: quiet, Workers: 3,
			Pace: func(d bot.Delivery) time.Duration {
				if d.To.Channel == "web" {
					return 0
				}
				return 10 * time.Second
			},
			Hold: func(d bot.Delivery, now time.Time) time.Time {
				if d.Unasked {
					return start.Add(time.Hour)
				}
				return now
			},
			Lead: func(d bot.Delivery, now time.Time) string {
				if now.Sub(d.Composed) > 30*time.Minute {
					return "Sorry."
				}
				return ""
			},
			Senders: map[string]bot.Sender{"sms": sendFunc(note), "web": sendFunc(note)},
		}
		run(t, 2*time.Hour, c.Run)
		if at[2] > time.Second || at[4] > time.Second {
			t.Errorf("an urgent text and another channel's go out after %v and %v, want at once", at[2], at[4])
		}
		if gap := at[1] - at[0]; gap < 10*time.Second || gap > 31*time.Second {
			t.Errorf("two texts of a channel are %v apart, want its rest of 10s, and no more than two of them", gap)
		}
		if at[3] < time.Hour || texts[3] != "Sorry. words" || texts[0] != "words" {
			t.Errorf("what nobody asked for goes out after %v as %q, want after an hour and with what a late text begins with; the first is %q", at[3], texts[3], texts[0])
		}
	})
}

// A text that may have gone out is not changed.
func TestCourierLeavesATriedTextAsItWas(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		tr := &tray{texts: []bot.Delivery{{Seq: 1, To: bot.Address{Channel: "sms", User: "u"}, Text: "words", Tried: true}}}
		said := ""
		c := &bot.Courier{Outbox: tr, Now: time.Now, Log: quiet, Lead: func(bot.Delivery, time.Time) string { return "Sorry." },
			Senders: map[string]bot.Sender{"sms": sendFunc(func(d bot.Delivery) (string, error) { said = d.Says(); return "v", nil })}}
		run(t, time.Second, c.Run)
		if said != "words" {
			t.Errorf("a text that was tried goes out as %q, want %q", said, "words")
		}
	})
}

type sendFunc func(bot.Delivery) (string, error)

func (f sendFunc) Send(_ context.Context, d bot.Delivery) (string, error) { return f(d) }

// What no vendor takes for now is tried for as long as it is to be kept.
func TestCourierKeeps(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		tr := &tray{texts: []bot.Delivery{{Seq: 1, To: bot.Address{Channel: "sms", User: "u"}, Text: "words", Composed: time.Now()}}}
		start, failed := time.Now(), time.Duration(0)
		c := &bot.Courier{Outbox: tr, Now: time.Now, Log: quiet, Keep: 4 * time.Hour, Senders: map[string]bot.Sender{"sms": sendFunc(func(bot.Delivery) (string, error) { return "", bot.ErrUnavailable })},
			Done: func(_ bot.Delivery, s bot.DeliveryState, _ time.Duration, _ error) {
				if s == bot.Failed {
					failed = time.Since(start)
				}
			}}
		run(t, 5*time.Hour, c.Run)
		if failed < 4*time.Hour || failed > 4*time.Hour+2*time.Minute {
			t.Errorf("given up after %v, want after 4 hours", failed)
		}
	})
}

func TestWhy(t *testing.T) {
	for _, tt := range []struct {
		err  error
		want string
	}{
		{bot.ErrInvalid, "invalid"},
		{fmt.Errorf("send: %w", &bot.Refusal{Code: "30007", Err: bot.ErrDenied}), "denied (30007)"},
		{&bot.Refusal{Code: "21610", Err: bot.ErrOptedOut}, "denied (21610)"},
		{bot.ErrInDoubt, "unavailable"},
		{errors.New("x"), "failed"},
	} {
		if got := bot.Why(tt.err); got != tt.want {
			t.Errorf("Why(%v) = %q, want %q", tt.err, got, tt.want)
		}
	}
}
