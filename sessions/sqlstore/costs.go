package sqlstore

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"time"

	"plumbline/bot"
)

// A Ledger is the [bot.Ledger] of a [Store].
type Ledger struct{ store *Store }

// Ledger returns the ledger of what models cost. It is usable while s is open.
func (s *Store) Ledger() *Ledger { return &Ledger{s} }

// Reserve implements [bot.Ledger].
func (l *Ledger) Reserve(ctx context.Context, person string, at time.Time, want bot.Amount, caps bot.Caps) (bot.Reservation, error) {
	day, err := bot.DayOf(at)
	if err != nil {
		return bot.Reservation{}, fmt.Errorf("reserve budget: %w", err)
	}
	var r bot.Reservation
	var refused *bot.SpentError
	s := l.store
	err = s.change(ctx, func(ctx context.Context, tx *sql.Tx) (err error) {
		if r.Before, err = sums(person)(s.rows(ctx, tx, querySums, person, ms(day))); err != nil {
			return err
		}
		r.After, err = r.Before.Reserve(person, want, caps)
		if err != nil && !errors.As(err, &refused) {
			return err
		}
		if err := s.putSums(ctx, tx, person, day, r.Before, r.After); err != nil || refused != nil {
			return err // a refusal leaves its peak
		}
		return s.row(ctx, tx, "INSERT INTO reservations (person, day, tokens, micros) VALUES ($1, $2, $3, $4) RETURNING seq",
			person, ms(day), want.Tokens, want.Micros).Scan(&r.ID)
	})
	if err == nil && refused != nil {
		err = refused
	}
	if err != nil {
		return bot.Reservation{}, fmt.Errorf("reserve budget: %w", err)
	}
	return r, nil
}

// Settle implements [bot.Ledger].
func (l *Ledger) Settle(ctx context.Context, r bot.Reservation, cost bot.Amount) (before, after bot.Sums, err error) {
	s := l.store
	err = s.change(ctx, func(ctx context.Context, tx *sql.Tx) error {
		var person string
		var day int64
		var aside bot.Amount
		var settled bool
		known, err := found(s.row(ctx, tx, "SELECT person, day, tokens, micros, settled FROM reservations WHERE seq = $1", r.ID),
			&person, &day, &aside.Tokens, &aside.Micros, &settled)
		switch {
		case err != nil:
			return err
		case !known:
			return fmt.Errorf("reservation %d: %w", r.ID, bot.ErrNotFound)
		case settled:
			return fmt.Errorf("reservation %d is settled: %w", r.ID, bot.ErrConflict)
		}
		if _, err := s.exec(ctx, tx, "UPDATE reservations SET settled = 1 WHERE seq = $1", r.ID); err != nil {
			return err
		}
		if before, err = sums(person)(s.rows(ctx, tx, querySums, person, day)); err != nil {
			return err
		}
		if after, err = before.Settle(person, aside, cost); err != nil {
			return err
		}
		return s.putSums(ctx, tx, person, at(day), before, after)
	})
	if err != nil {
		return bot.Sums{}, bot.Sums{}, fmt.Errorf("settle budget: %w", err)
	}
	return before, after, nil
}

// Spent implements [bot.Ledger].
func (l *Ledger) Spent(ctx context.Context, person string, at time.Time) (bot.Sums, error) {
	day, err := bot.DayOf(at)
	if err != nil {
		return bot.Sums{}, fmt.Errorf("read budget: %w", err)
	}
	v, err := sums(person)(l.store.read.QueryContext(ctx, querySums, person, ms(day)))
	if err != nil {
		return bot.Sums{}, fmt.Errorf("read budget: %w", kind(err))
	}
	return v, nil
}

const querySums = "SELECT person, tokens, micros, peak_tokens, peak_micros FROM costs WHERE person IN ('', $1) AND day = $2"

// sums returns a function that reads the rows of querySums and closes them.
func sums(person string) func(rows *sql.Rows, err error) (bot.Sums, error) {
	return func(rows *sql.Rows, err error) (v bot.Sums, _ error) {
		if err != nil {
			return v, err
		}
		defer func() { _ = rows.Close() }()
		for rows.Next() {
			var name string
			var t bot.Tally
			if err := rows.Scan(&name, &t.Spent.Tokens, &t.Spent.Micros, &t.Peak.Tokens, &t.Peak.Micros); err != nil {
				return v, err
			}
			if name == "" {
				v.Day = t
			} else {
				v.Person = t
			}
		}
		return v, rows.Err()
	}
}

// putSums stores what changed of the sums of a day.
func (s *Store) putSums(ctx context.Context, tx *sql.Tx, person string, day time.Time, before, after bot.Sums) error {
	put := func(name string, before, after bot.Tally) error {
		if before == after {
			return nil
		}
		_, err := s.exec(ctx, tx, `INSERT INTO costs (person, day, tokens, micros, peak_tokens, peak_micros) VALUES ($1, $2, $3, $4, $5, $6)
			ON CONFLICT (person, day) DO UPDATE SET tokens = excluded.tokens, micros = excluded.micros, peak_tokens = excluded.peak_tokens, peak_micros = excluded.peak_micros`,
			name, ms(day), after.Spent.Tokens, after.Spent.Micros, after.Peak.Tokens, after.Peak.Micros)
		return err
	}
	if person != "" {
		if err := put(person, before.Person, after.Person); err != nil {
			return err
		}
	}
	return put("", before.Day, after.Day)
}

// addCosts adds the sums under an older name of a person, $2, to those of the
// same days under the newer, $1.
const addCosts = `UPDATE costs SET tokens = costs.tokens + o.tokens, micros = costs.micros + o.micros,
		peak_tokens = CASE WHEN o.peak_tokens > costs.peak_tokens THEN o.peak_tokens ELSE costs.peak_tokens END,
		peak_micros = CASE WHEN o.peak_micros > costs.peak_micros THEN o.peak_micros ELSE costs.peak_micros END
	FROM costs o WHERE costs.person = $1 AND o.person = $2 AND o.day = costs.day`
