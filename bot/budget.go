package bot

import (
	"context"
	"fmt"
	"time"
)

// An Amount is what calls of a language model take. Neither part is negative.
type Amount struct {
	Tokens int64 // in and out
	Micros int64 // millionths of a US dollar
}

// Plus returns the sum of a and b.
func (a Amount) Plus(b Amount) Amount { return Amount{a.Tokens + b.Tokens, a.Micros + b.Micros} }

// Minus returns a without b.
func (a Amount) Minus(b Amount) Amount { return Amount{a.Tokens - b.Tokens, a.Micros - b.Micros} }

// Within reports whether a passes no part of limit. A part of limit that is zero
// is no limit.
func (a Amount) Within(limit Amount) bool {
	return (limit.Tokens == 0 || a.Tokens <= limit.Tokens) && (limit.Micros == 0 || a.Micros <= limit.Micros)
}

// String writes a as an operator reads it: "1200 tokens and $0.012500".
func (a Amount) String() string {
	return fmt.Sprintf("%d tokens and $%d.%06d", a.Tokens, a.Micros/1_000_000, a.Micros%1_000_000)
}

// most is the larger of a and b, part by part.
func (a Amount) most(b Amount) Amount {
	return Amount{max(a.Tokens, b.Tokens), max(a.Micros, b.Micros)}
}

// valid reports whether a is what a call may take, or a cap may be.
func (a Amount) valid() bool {
	return a.Tokens >= 0 && a.Micros >= 0 && a.Tokens <= MaxAmount && a.Micros <= MaxAmount
}

// MaxAmount is the most of tokens, and of millionths of a dollar, that is
// believed of one call or one cap: about a million dollars. No sum of a day's
// calls overflows.
const MaxAmount = 1 << 40

// A Cap is one of the limits of a budget.
type Cap string

// The caps.
const (
	AnswerCap Cap = "answer" // of one answer; whoever makes the answer counts it
	PersonCap Cap = "person" // of one person's day
	DayCap    Cap = "day"    // of the deployment's day
)

// Caps are the limits of a budget. A part that is zero is no limit. They do not
// concern emergencies, STOP and HELP, which take no model and reserve nothing.
type Caps struct {
	Answer Amount
	Person Amount // a day
	Day    Amount // all persons, a day
}

// A Tally is what one day comes to.
type Tally struct {
	// Spent is what calls took, and what is set aside for those that were not
	// settled. It falls when a call took less than was set aside.
	Spent Amount

	// Peak is the most that Spent was, or would have been had the cap let it.
	// It never falls, so that a threshold is crossed once a day.
	Peak Amount
}

func (t Tally) plus(a Amount) Tally {
	t.Spent = t.Spent.Plus(a)
	t.Peak = t.Peak.most(t.Spent)
	return t
}

// Sums are the tallies of a day.
type Sums struct {
	Person Tally // zero for nobody
	Day    Tally // of the deployment
}

// Reserve returns s with want set aside for person, empty for nobody. If a cap
// would be passed its error is a *[SpentError], and of s only peaks change. It
// wraps [ErrInvalid] if an amount is negative or past [MaxAmount]; then s stays
// as it is. A [Ledger] keeps what Reserve returns.
func (s Sums) Reserve(person string, want Amount, caps Caps) (Sums, error) {
	if !want.valid() || !caps.Person.valid() || !caps.Day.valid() {
		return s, fmt.Errorf("reserve %d tokens and %d millionths: an amount or a cap is negative or too large: %w", want.Tokens, want.Micros, ErrInvalid)
	}
	after, refused := s, (*SpentError)(nil)
	refuse := func(c Cap, t *Tally, limit Amount) {
		sum := t.Spent.Plus(want)
		if sum.Within(limit) {
			return
		}
		refused = &SpentError{Cap: c, Spent: t.Spent, Want: want, Limit: limit}
		t.Peak = t.Peak.most(sum)
	}
	if person != "" {
		refuse(PersonCap, &after.Person, caps.Person)
	}
	refuse(DayCap, &after.Day, caps.Day)
	if refused != nil {
		refused.Before, refused.After = s, after
		return after, refused
	}
	if person != "" {
		after.Person = after.Person.plus(want)
	}
	after.Day = after.Day.plus(want)
	return after, nil
}

// Settle returns s with cost in place of what was set aside for person. Its
// error wraps [ErrInvalid] if cost is negative or past [MaxAmount].
func (s Sums) Settle(person string, aside, cost Amount) (Sums, error) {
	if !cost.valid() {
		return s, fmt.Errorf("settle %d tokens and %d millionths: negative or too large: %w", cost.Tokens, cost.Micros, ErrInvalid)
	}
	if person != "" {
		s.Person = s.Person.plus(cost.Minus(aside))
	}
	s.Day = s.Day.plus(cost.Minus(aside))
	return s, nil
}

// A Reservation is what was set aside for a call.
type Reservation struct {
	ID            int64 // names it within its ledger
	Before, After Sums  // of its day; see [Alarms]
}

// A SpentError says which cap a call would have passed; the deployment's, if
// both. It names nobody.
type SpentError struct {
	Cap           Cap
	Spent         Amount // so far
	Want          Amount // for the call
	Limit         Amount
	Before, After Sums // of the day; see [Alarms]
}

// Error implements error.
func (e *SpentError) Error() string {
	return fmt.Sprintf("the budget of the %s is used up: %v of %v, and %v more are wanted", e.Cap, e.Spent, e.Limit, e.Want)
}

// Unwrap makes e an [ErrExhausted].
func (e *SpentError) Unwrap() error { return ErrExhausted }

// A Ledger keeps what models cost, durably. A day is one of UTC. persons are
// keyed hashes of addresses, empty for nobody: then only the deployment's sum
// counts. Several goroutines may call it and, where the database is shared,
// several processes.
//
// It keeps reservations and the sums of persons to the end of the day after
// theirs, and the deployment's sums for [LedgerDays]. When a person is erased
// their sums go, and what was spent for them stays in the deployment's.
type Ledger interface {
	// Reserve sets want aside for a call that is about to be made, on the day of
	// at. Where the sum of the person or of the deployment would pass its cap
	// it sets nothing aside, and its error is a *[SpentError]: of any number
	// that reserve at once, no more are let through than the caps hold. It
	// wraps [ErrInvalid] if an amount or a cap is negative or past [MaxAmount],
	// or at is zero. caps.Answer is not looked at.
	//
	// What is never settled, for the process was killed, stays spent.
	Reserve(ctx context.Context, person string, at time.Time, want Amount, caps Caps) (Reservation, error)

	// Settle puts cost in place of what r set aside, on the day of r, and
	// returns that day's sums before and after. Cost that is more than was set
	// aside was spent all the same: it is booked, whatever the caps. The error
	// wraps [ErrConflict] if r is settled, [ErrNotFound] if it is not known, or
	// not any more, and [ErrInvalid] if cost is negative or past [MaxAmount].
	//
	// A call that was cancelled may have cost something: settle it with a
	// context that was not.
	Settle(ctx context.Context, r Reservation, cost Amount) (before, after Sums, err error)

	// Spent returns the sums of the day of at.
	Spent(ctx context.Context, person string, at time.Time) (Sums, error)
}

// LedgerDays is for how many days a [Ledger] keeps the sums of the deployment,
// today included.
const LedgerDays = 35

// DayOf returns the midnight (UTC) at which the day of at began. Its error wraps
// [ErrInvalid] if at is zero: someone forgot the clock.
func DayOf(at time.Time) (time.Time, error) {
	if at.IsZero() {
		return time.Time{}, fmt.Errorf("day of no time: %w", ErrInvalid)
	}
	return at.UTC().Truncate(24 * time.Hour), nil
}

// thresholds are the percentages of a cap at which the operator is told.
var thresholds = []int{80, 100}

// An Alarm is a threshold of a cap that was crossed, for the operator.
type Alarm struct {
	Cap     Cap // PersonCap or DayCap
	Percent int // 80 or 100; at 100 someone is, or is about to be, answered without a model
}

// Alarms returns the thresholds that a step of a [Ledger] crossed, taking a
// day's sums from before to after: those of a reservation, of a refusal
// ([SpentError]) or of its settling. A refusal crosses 100 % of its cap, though
// less is spent. A threshold of a cap is crossed when the first of its parts
// is, once a day for as long as the caps are the same; a step may cross
// several.
func Alarms(before, after Sums, caps Caps) (list []Alarm) {
	for _, c := range []struct {
		cap           Cap
		before, after Amount
		limit         Amount
	}{{PersonCap, before.Person.Peak, after.Person.Peak, caps.Person}, {DayCap, before.Day.Peak, after.Day.Peak, caps.Day}} {
		for _, p := range thresholds {
			if !reaches(c.before, c.limit, p) && reaches(c.after, c.limit, p) {
				list = append(list, Alarm{c.cap, p})
			}
		}
	}
	return list
}

// reaches reports whether a part of a is percent of that part of limit, or more.
func reaches(a, limit Amount, percent int) bool {
	part := func(a, limit int64) bool {
		return limit > 0 && a >= (limit*int64(percent)+99)/100 // MaxAmount keeps it from overflowing
	}
	return part(a.Tokens, limit.Tokens) || part(a.Micros, limit.Micros)
}
