// Package budgettest is the contract of a ledger of what models cost, written
// as tests.
package budgettest

import (
	"context"
	"errors"
	"sync"
	"testing"
	"time"

	"plumbline/bot"
)

// A Store is a ledger, and what the tests need beside it.
type Store interface {
	bot.Ledger

	// Erase drops what the ledger knows of a person.
	Erase(ctx context.Context, person string) error

	// Sweep drops what need not be kept at the time now.
	Sweep(ctx context.Context, now time.Time) error
}

// Open returns an empty store that is closed with the test.
type Open func(t *testing.T) Store

// Run runs the contract.
func Run(t *testing.T, open Open) {
	Rules(t, open)
	t.Run("AtOnce", func(t *testing.T) { testAtOnce(t, open) })
	t.Run("Machine", func(t *testing.T) { testMachine(t, open) })
}

// start is on the day on which tests spend.
var start = time.Date(2026, 11, 30, 12, 0, 0, 0, time.UTC)

const day = 24 * time.Hour

// A desk is a store in a test, and words for what tests do often.
type desk struct {
	Store
	t *testing.T
}

// reserve wants tokens set aside.
func (d desk) reserve(person string, at time.Time, tokens int64, caps bot.Caps) bot.Reservation {
	d.t.Helper()
	r, err := d.Reserve(d.t.Context(), person, at, bot.Amount{Tokens: tokens}, caps)
	if err != nil {
		d.t.Fatalf("Reserve(%q, %d tokens) = %v", person, tokens, err)
	}
	return r
}

// refuse wants an amount refused.
func (d desk) refuse(person string, at time.Time, want bot.Amount, caps bot.Caps) *bot.SpentError {
	d.t.Helper()
	r, err := d.Reserve(d.t.Context(), person, at, want, caps)
	var e *bot.SpentError
	if !errors.As(err, &e) || !errors.Is(err, bot.ErrExhausted) {
		d.t.Fatalf("Reserve(%q, %v) = %+v, %v, want a SpentError that is ErrExhausted", person, want, r, err)
	}
	if r != (bot.Reservation{}) {
		d.t.Errorf("Reserve(%q, %v) is refused and returns %+v", person, want, r)
	}
	return e
}

func (d desk) settle(r bot.Reservation, cost bot.Amount) (before, after bot.Sums) {
	d.t.Helper()
	before, after, err := d.Settle(d.t.Context(), r, cost)
	if err != nil {
		d.t.Fatalf("Settle(%d, %v): %v", r.ID, cost, err)
	}
	return before, after
}

// spent wants what a person and the deployment have spent, in tokens.
func (d desk) spent(person string, at time.Time, personal, deployment int64) {
	d.t.Helper()
	s := d.sums(person, at)
	if s.Person.Spent.Tokens != personal || s.Day.Spent.Tokens != deployment {
		d.t.Errorf("Spent(%q, %s) = %d and %d tokens, want %d and %d", person, at.Format(time.DateTime), s.Person.Spent.Tokens, s.Day.Spent.Tokens, personal, deployment)
	}
}

func (d desk) sums(person string, at time.Time) bot.Sums {
	d.t.Helper()
	s, err := d.Spent(d.t.Context(), person, at)
	if err != nil {
		d.t.Fatalf("Spent(%q): %v", person, err)
	}
	return s
}

// Rules runs the part of the contract in which one caller does one thing after
// the other.
func Rules(t *testing.T, open Open) {
	tokens := func(n int64) bot.Amount { return bot.Amount{Tokens: n} }
	for _, tt := range []struct {
		name string
		test func(t *testing.T, d desk)
	}{
		{"SettleReplacesWhatWasSetAside", func(t *testing.T, d desk) {
			want := bot.Amount{Tokens: 100, Micros: 5000}
			r, err := d.Reserve(t.Context(), "ann", start, want, bot.Caps{})
			if err != nil {
				t.Fatal(err)
			}
			set := bot.Tally{Spent: want, Peak: want}
			if after := (bot.Sums{Person: set, Day: set}); r.ID == 0 || r.Before != (bot.Sums{}) || r.After != after {
				t.Errorf("Reserve = %+v, want an ID and sums from none to %+v", r, after)
			}
			if got := d.sums("ann", start); got != r.After {
				t.Errorf("Spent = %+v, want %+v", got, r.After)
			}
			before, after := d.settle(r, bot.Amount{Tokens: 70, Micros: 6000})
			cost := bot.Tally{Spent: bot.Amount{Tokens: 70, Micros: 6000}, Peak: bot.Amount{Tokens: 100, Micros: 6000}}
			if before != r.After || after != (bot.Sums{Person: cost, Day: cost}) {
				t.Errorf("Settle = %+v, %+v, want %+v, %+v for both", before, after, r.After, cost)
			}
			if got := d.sums("ann", start); got != after {
				t.Errorf("Spent once settled = %+v, want %+v", got, after)
			}
		}},
		{"PersonsShareTheDay", func(t *testing.T, d desk) {
			d.reserve("ann", start, 10, bot.Caps{})
			d.reserve("bob", start, 20, bot.Caps{})
			d.spent("ann", start, 10, 30)
			d.spent("bob", start, 20, 30)
			d.spent("cyd", start, 0, 30)
		}},
		{"NobodyCountsForTheDayAlone", func(t *testing.T, d desk) {
			caps := bot.Caps{Person: tokens(5), Day: tokens(30)}
			r := d.reserve("", start, 20, caps)
			d.spent("", start, 0, 20)
			d.spent("ann", start, 0, 20)
			if r.After.Person != (bot.Tally{}) {
				t.Errorf("a reservation of nobody counts as %+v of a person", r.After.Person)
			}
			if e := d.refuse("", start, tokens(11), caps); e.Cap != bot.DayCap || e.Before.Person != e.After.Person {
				t.Errorf("refused by the cap of the %s, the person's sums from %+v to %+v, want the day's and no change", e.Cap, e.Before.Person, e.After.Person)
			}
			if _, after := d.settle(r, tokens(25)); after.Person != (bot.Tally{}) || after.Day.Spent != tokens(25) {
				t.Errorf("Settle of nobody's = %+v", after)
			}
			d.spent("", start, 0, 25)
		}},
		{"CapsHold", func(t *testing.T, d desk) {
			money := func(n int64) bot.Amount { return bot.Amount{Micros: n} }
			caps := bot.Caps{Person: tokens(100), Day: bot.Amount{Tokens: 150, Micros: 1000}}
			d.reserve("ann", start, 60, caps)
			d.reserve("ann", start, 40, caps) // all that the cap holds
			e := d.refuse("ann", start, tokens(1), caps)
			if e.Cap != bot.PersonCap || e.Spent != tokens(100) || e.Want != tokens(1) || e.Limit != tokens(100) {
				t.Errorf("SpentError = %+v, want the person's cap, 100 of 100 spent", e)
			}
			e = d.refuse("bob", start, tokens(51), caps)
			if e.Cap != bot.DayCap || e.Spent != tokens(100) || e.Limit != caps.Day {
				t.Errorf("SpentError = %+v, want the day's cap, 100 of 150 spent", e)
			}
			if e = d.refuse("ann", start, tokens(51), caps); e.Cap != bot.DayCap {
				t.Errorf("refused by both caps it names that of the %s, want the day's", e.Cap)
			}
			if e = d.refuse("bob", start, money(1001), caps); e.Cap != bot.DayCap {
				t.Errorf("money is refused by the cap of the %s, want the day's", e.Cap)
			}
			d.spent("ann", start, 100, 100) // what was refused is not spent
			d.spent("bob", start, 0, 100)
			d.reserve("bob", start, 50, caps)
			if _, err := d.Reserve(t.Context(), "ann", start, money(1000), caps); err != nil {
				t.Errorf("Reserve of the money that is left = %v", err)
			}
			d.reserve("ann", start, 1000, bot.Caps{}) // no caps
		}},
		{"SettlingMakesRoom", func(t *testing.T, d desk) {
			caps := bot.Caps{Person: tokens(100)}
			r := d.reserve("ann", start, 100, caps)
			d.refuse("ann", start, tokens(1), caps)
			d.settle(r, tokens(30))
			d.reserve("ann", start, 70, caps)
			d.spent("ann", start, 100, 100)
		}},
		{"CostAboveTheReservationIsBooked", func(t *testing.T, d desk) {
			caps := bot.Caps{Person: tokens(100), Day: tokens(100)}
			d.settle(d.reserve("ann", start, 100, caps), tokens(140))
			d.spent("ann", start, 140, 140)
			d.refuse("ann", start, tokens(0), caps)
			d.refuse("bob", start, tokens(0), caps)
		}},
		{"NeverSettledStaysSpentForItsDay", func(t *testing.T, d desk) {
			caps := bot.Caps{Person: tokens(100), Day: tokens(100)}
			d.reserve("ann", start, 100, caps)
			last := start.Truncate(day).Add(day - 1)
			d.refuse("ann", last, tokens(1), caps)
			d.reserve("ann", last.Add(1), 100, caps)
		}},
		{"DaysAreThoseOfUTC", func(t *testing.T, d desk) {
			midnight := start.Truncate(day).Add(day)
			zone := time.FixedZone("", -5*3600)
			r := d.reserve("ann", midnight.Add(-time.Nanosecond).In(zone), 10, bot.Caps{})
			d.reserve("ann", midnight.In(zone), 20, bot.Caps{})
			d.spent("ann", start, 10, 10)
			d.spent("ann", midnight.Add(day-1), 20, 20)
			if before, after := d.settle(r, tokens(5)); before.Day.Spent != tokens(10) || after.Day.Spent != tokens(5) {
				t.Errorf("settled after midnight, its day goes from %v to %v, want 10 to 5 tokens", before.Day.Spent, after.Day.Spent)
			}
			d.spent("ann", start, 5, 5)
			d.spent("ann", midnight, 20, 20)
		}},
		{"PeaksNeverFall", func(t *testing.T, d desk) {
			caps := bot.Caps{Person: tokens(100), Day: tokens(1000)}
			peaks := func(personal, deployment int64) {
				t.Helper()
				if s := d.sums("ann", start); s.Person.Peak != tokens(personal) || s.Day.Peak != tokens(deployment) {
					t.Errorf("peaks = %v and %v, want %d and %d tokens", s.Person.Peak, s.Day.Peak, personal, deployment)
				}
			}
			d.settle(d.reserve("ann", start, 90, caps), tokens(50))
			peaks(90, 90)
			d.settle(d.reserve("bob", start, 10, caps), tokens(10))
			peaks(90, 90)
			d.reserve("ann", start, 45, caps)
			peaks(95, 105)
			e := d.refuse("ann", start, tokens(10), caps) // 95 are spent
			peaks(105, 105)                               // the day did not refuse it
			if e.Before.Person.Peak != tokens(95) || e.After.Person.Peak != tokens(105) || e.After.Person.Spent != tokens(95) || e.Before.Day != e.After.Day {
				t.Errorf("SpentError goes from %+v to %+v, want the person's peak to rise", e.Before, e.After)
			}
			if e := d.refuse("ann", start, tokens(10), caps); e.Before != e.After {
				t.Errorf("refused again it goes from %+v to %+v, want no change", e.Before, e.After)
			}
		}},
		{"SettledOnce", func(t *testing.T, d desk) {
			r, other := d.reserve("ann", start, 10, bot.Caps{}), d.reserve("ann", start, 10, bot.Caps{})
			if r.ID == other.ID {
				t.Errorf("two reservations are called %d", r.ID)
			}
			d.settle(r, tokens(4))
			if before, after, err := d.Settle(t.Context(), r, tokens(5)); !errors.Is(err, bot.ErrConflict) || before != (bot.Sums{}) || after != before {
				t.Errorf("Settle twice = %+v, %+v, %v, want ErrConflict", before, after, err)
			}
			d.spent("ann", start, 14, 14)
			if _, _, err := d.Settle(t.Context(), bot.Reservation{ID: r.ID + 1000}, tokens(5)); !errors.Is(err, bot.ErrNotFound) {
				t.Errorf("Settle of an unknown reservation = %v, want ErrNotFound", err)
			}
			if _, _, err := d.Settle(t.Context(), bot.Reservation{}, tokens(5)); !errors.Is(err, bot.ErrNotFound) {
				t.Errorf("Settle of no reservation = %v, want ErrNotFound", err)
			}
			d.spent("ann", start, 14, 14)
		}},
		{"RefusesWhatIsNoAmount", func(t *testing.T, d desk) {
			r := d.reserve("ann", start, 10, bot.Caps{})
			for _, bad := range []bot.Amount{{Tokens: -1}, {Micros: -1}, {Tokens: bot.MaxAmount + 1}, {Micros: bot.MaxAmount + 1}} {
				for name, call := range map[string]func() error{
					"Reserve": func() error { _, err := d.Reserve(t.Context(), "ann", start, bad, bot.Caps{}); return err },
					"person cap": func() error {
						_, err := d.Reserve(t.Context(), "ann", start, tokens(1), bot.Caps{Person: bad})
						return err
					},
					"day cap": func() error {
						_, err := d.Reserve(t.Context(), "ann", start, tokens(1), bot.Caps{Day: bad})
						return err
					},
					"Settle": func() error { _, _, err := d.Settle(t.Context(), r, bad); return err },
				} {
					if err := call(); !errors.Is(err, bot.ErrInvalid) {
						t.Errorf("%s(%+v) = %v, want ErrInvalid", name, bad, err)
					}
				}
			}
			if _, err := d.Reserve(t.Context(), "ann", time.Time{}, tokens(1), bot.Caps{}); !errors.Is(err, bot.ErrInvalid) {
				t.Errorf("Reserve at no time = %v, want ErrInvalid", err)
			}
			if _, err := d.Spent(t.Context(), "ann", time.Time{}); !errors.Is(err, bot.ErrInvalid) {
				t.Errorf("Spent at no time = %v, want ErrInvalid", err)
			}
			d.spent("ann", start, 10, 10)
			d.settle(r, tokens(1)) // it is still open
			d.reserve("ann", start, bot.MaxAmount, bot.Caps{})
			d.reserve("ann", start, 0, bot.Caps{})
			d.spent("ann", start, bot.MaxAmount+1, bot.MaxAmount+1)
		}},
		{"HeedsContext", func(t *testing.T, d desk) {
			r := d.reserve("ann", start, 10, bot.Caps{})
			ctx, cancel := context.WithCancel(t.Context())
			cancel()
			if _, err := d.Reserve(ctx, "ann", start, tokens(1), bot.Caps{}); !errors.Is(err, context.Canceled) {
				t.Errorf("Reserve with a cancelled context = %v", err)
			}
			if _, _, err := d.Settle(ctx, r, tokens(1)); !errors.Is(err, context.Canceled) {
				t.Errorf("Settle with a cancelled context = %v", err)
			}
			if _, err := d.Spent(ctx, "ann", start); !errors.Is(err, context.Canceled) {
				t.Errorf("Spent with a cancelled context = %v", err)
			}
			d.spent("ann", start, 10, 10)
		}},
		{"ErasedPersonsCostStays", func(t *testing.T, d desk) {
			caps := bot.Caps{Person: tokens(100), Day: tokens(150)}
			d.settle(d.reserve("ann", start, 60, caps), tokens(60))
			open := d.reserve("ann", start, 40, caps)
			d.reserve("bob", start, 10, caps)
			for _, person := range []string{"ann", "nobody", ""} {
				if err := d.Erase(t.Context(), person); err != nil {
					t.Fatalf("Erase(%q): %v", person, err)
				}
			}
			d.spent("ann", start, 0, 110)
			d.spent("bob", start, 10, 110)
			if _, after := d.settle(open, tokens(30)); after.Person != (bot.Tally{}) {
				t.Errorf("Settle after its person was erased counts %+v as theirs", after.Person)
			}
			d.spent("ann", start, 0, 100)
			d.reserve("ann", start, 50, caps)
			d.spent("ann", start, 50, 150)
		}},
		{"SweptInTime", func(t *testing.T, d desk) {
			midnight := start.Truncate(day)
			r := d.reserve("ann", start, 10, bot.Caps{})
			sweep := func(at time.Time) {
				t.Helper()
				if err := d.Sweep(t.Context(), at); err != nil {
					t.Fatalf("Sweep: %v", err)
				}
			}
			sweep(midnight.Add(2*day - 1))
			d.spent("ann", start, 10, 10)
			d.settle(r, tokens(7))
			late := d.reserve("ann", start, 5, bot.Caps{})
			sweep(midnight.Add(2 * day))
			d.spent("ann", start, 0, 12)
			for _, r := range []bot.Reservation{r, late} {
				if _, _, err := d.Settle(t.Context(), r, tokens(1)); !errors.Is(err, bot.ErrNotFound) {
					t.Errorf("Settle two days late = %v, want ErrNotFound", err)
				}
			}
			sweep(midnight.Add(bot.LedgerDays*day - 1))
			d.spent("ann", start, 0, 12)
			sweep(midnight.Add(bot.LedgerDays * day))
			d.spent("ann", start, 0, 0)
		}},
	} {
		t.Run(tt.name, func(t *testing.T) { tt.test(t, desk{open(t), t}) })
	}
}

func testAtOnce(t *testing.T, open Open) {
	// atOnce has 30 reserve 10 tokens at once and counts those let through.
	atOnce := func(d desk, person func(i int) string, caps bot.Caps) (got []bot.Reservation, refused []*bot.SpentError) {
		var mu sync.Mutex
		var wg sync.WaitGroup
		for i := range 30 {
			wg.Go(func() {
				r, err := d.Reserve(d.t.Context(), person(i), start, bot.Amount{Tokens: 10}, caps)
				mu.Lock()
				defer mu.Unlock()
				var e *bot.SpentError
				switch {
				case err == nil:
					got = append(got, r)
				case errors.As(err, &e):
					refused = append(refused, e)
				default:
					d.t.Errorf("Reserve = %v", err)
				}
			})
		}
		wg.Wait()
		return got, refused
	}
	limit := bot.Amount{Tokens: 105}
	for _, tt := range []struct {
		name   string
		caps   bot.Caps
		person func(i int) string
	}{
		{"OnePerson", bot.Caps{Person: limit}, func(int) string { return "ann" }},
		{"ManyPersons", bot.Caps{Day: limit}, func(i int) string { return string(rune('a' + i)) }},
		{"Nobody", bot.Caps{Day: limit}, func(int) string { return "" }},
	} {
		t.Run(tt.name, func(t *testing.T) {
			d := desk{open(t), t}
			got, refused := atOnce(d, tt.person, tt.caps)
			if len(got) != 10 || len(refused) != 20 {
				t.Errorf("%d were let through and %d refused, want 10 and 20", len(got), len(refused))
			}
			if s := d.sums("", start); s.Day.Spent.Tokens != 100 {
				t.Errorf("%v are set aside, want 100 tokens", s.Day.Spent)
			}

			// Each threshold is crossed by one of them.
			alarms := map[bot.Alarm]int{}
			for _, r := range got {
				for _, a := range bot.Alarms(r.Before, r.After, tt.caps) {
					alarms[a]++
				}
			}
			for _, e := range refused {
				for _, a := range bot.Alarms(e.Before, e.After, tt.caps) {
					alarms[a]++
				}
			}
			c := bot.DayCap
			if tt.caps.Day == (bot.Amount{}) {
				c = bot.PersonCap
			}
			if len(alarms) != 2 || alarms[bot.Alarm{Cap: c, Percent: 80}] != 1 || alarms[bot.Alarm{Cap: c, Percent: 100}] != 1 {
				t.Errorf("alarms = %v, want 80 %% and 100 %% of the %s's cap, once each", alarms, c)
			}

			// One settles each, however many try.
			var mu sync.Mutex
			settled := 0
			var wg sync.WaitGroup
			for i := range 3 * len(got) {
				wg.Go(func() {
					_, _, err := d.Settle(t.Context(), got[i%len(got)], bot.Amount{Tokens: 3})
					if err != nil && !errors.Is(err, bot.ErrConflict) {
						t.Errorf("Settle = %v, want nil or ErrConflict", err)
					}
					mu.Lock()
					defer mu.Unlock()
					if err == nil {
						settled++
					}
				})
			}
			wg.Wait()
			if s := d.sums("", start); settled != len(got) || s.Day.Spent.Tokens != int64(3*len(got)) {
				t.Errorf("%d were settled, to %v, want %d, at 3 tokens each", settled, s.Day.Spent, len(got))
			}
		})
	}
}
