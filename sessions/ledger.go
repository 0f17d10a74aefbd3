package sessions

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"sync"
	"time"

	"plumbline/bot"
)

// A Ledger is a [bot.Ledger] that lasts as long as the program runs, for a
// conversation at a terminal and for tests: with the process it forgets what
// was spent. The zero Ledger is ready to use.
type Ledger struct {
	mu       sync.Mutex
	sums     map[account]bot.Tally
	reserved map[int64]reserved
	seq      int64
	newest   time.Time // the latest day of a reservation
}

// An account is a person's day, or with no person the deployment's.
type account struct {
	person string
	day    time.Time
}

type reserved struct {
	account
	aside   bot.Amount
	settled bool
}

// Reserve implements [bot.Ledger].
func (l *Ledger) Reserve(ctx context.Context, person string, at time.Time, want bot.Amount, caps bot.Caps) (bot.Reservation, error) {
	day, err := bot.DayOf(at)
	if err == nil {
		err = ctx.Err()
	}
	if err != nil {
		return bot.Reservation{}, fmt.Errorf("reserve budget: %w", err)
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	if day.After(l.newest) {
		l.newest = day
		l.sweep(day)
	}
	a := account{person, day}
	before := l.of(a)
	after, err := before.Reserve(person, want, caps)
	l.put(a, after)
	if err != nil {
		return bot.Reservation{}, fmt.Errorf("reserve budget: %w", err)
	}
	l.seq++
	if l.reserved == nil {
		l.reserved = map[int64]reserved{}
	}
	l.reserved[l.seq] = reserved{account: a, aside: want}
	return bot.Reservation{ID: l.seq, Before: before, After: after}, nil
}

// Settle implements [bot.Ledger].
func (l *Ledger) Settle(ctx context.Context, r bot.Reservation, cost bot.Amount) (before, after bot.Sums, err error) {
	if err := ctx.Err(); err != nil {
		return before, after, fmt.Errorf("settle budget: %w", err)
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	v, ok := l.reserved[r.ID]
	if !ok {
		return before, after, fmt.Errorf("settle budget: reservation %d: %w", r.ID, bot.ErrNotFound)
	}
	if v.settled {
		return before, after, fmt.Errorf("settle budget: reservation %d is settled: %w", r.ID, bot.ErrConflict)
	}
	was := l.of(v.account)
	now, err := was.Settle(v.person, v.aside, cost)
	if err != nil {
		return before, after, fmt.Errorf("settle budget: %w", err)
	}
	v.settled = true
	l.reserved[r.ID] = v
	l.put(v.account, now)
	return was, now, nil
}

// Spent implements [bot.Ledger].
func (l *Ledger) Spent(ctx context.Context, person string, at time.Time) (bot.Sums, error) {
	day, err := bot.DayOf(at)
	if err = errors.Join(err, ctx.Err()); err != nil {
		return bot.Sums{}, fmt.Errorf("read budget: %w", err)
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.of(account{person, day}), nil
}

func (l *Ledger) of(a account) bot.Sums {
	s := bot.Sums{Day: l.sums[account{"", a.day}]}
	if a.person != "" {
		s.Person = l.sums[a]
	}
	return s
}

func (l *Ledger) put(a account, s bot.Sums) {
	if l.sums == nil {
		l.sums = map[account]bot.Tally{}
	}
	l.sums[account{"", a.day}] = s.Day
	if a.person != "" {
		l.sums[a] = s.Person
	}
}

// Erase drops a person's sums, and whose their reservations were.
func (l *Ledger) Erase(ctx context.Context, person string) error {
	if err := ctx.Err(); err != nil || person == "" {
		return err
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	maps.DeleteFunc(l.sums, func(a account, _ bot.Tally) bool { return a.person == person })
	for id, v := range l.reserved {
		if v.person == person {
			v.person = ""
			l.reserved[id] = v
		}
	}
	return nil
}

// Sweep drops what need not be kept at the time now. Reserve does it too, once
// a day.
func (l *Ledger) Sweep(ctx context.Context, now time.Time) error {
	day, err := bot.DayOf(now)
	if err = errors.Join(err, ctx.Err()); err != nil {
		return fmt.Errorf("sweep budget: %w", err)
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	l.sweep(day)
	return nil
}

func (l *Ledger) sweep(today time.Time) {
	yesterday, oldest := today.AddDate(0, 0, -1), today.AddDate(0, 0, 1-bot.LedgerDays)
	maps.DeleteFunc(l.sums, func(a account, _ bot.Tally) bool {
		return a.day.Before(oldest) || a.person != "" && a.day.Before(yesterday)
	})
	maps.DeleteFunc(l.reserved, func(_ int64, v reserved) bool { return v.day.Before(yesterday) })
}
