package sqlstore

import (
	"context"
	"database/sql"
	"errors"
	"reflect"
	"time"

	"plumbline/bot"
	"plumbline/sessions/keyring"
)

// Now is the store's clock.
func (s *Store) Now() time.Time { return s.opts.Now() }

// Record records a turn by itself.
func (s *Store) Record(ctx context.Context, j bot.Job, o bot.Outcome) error {
	r, err := s.redacted(j, o)
	if err != nil {
		return err
	}
	return s.change(ctx, func(ctx context.Context, tx *sql.Tx) error { return s.record(ctx, tx, j, r) })
}

// Exec runs a statement.
func (s *Store) Exec(ctx context.Context, query string, args ...any) error {
	return s.change(ctx, func(ctx context.Context, tx *sql.Tx) error {
		_, err := tx.ExecContext(ctx, query, args...)
		return err
	})
}

// Query returns the first column of a query's rows.
func (s *Store) Query(ctx context.Context, query string, args ...any) (list []string, err error) {
	rows, err := s.read.QueryContext(ctx, query, args...)
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	for rows.Next() {
		var v string
		if err := rows.Scan(&v); err != nil {
			return nil, err
		}
		list = append(list, v)
	}
	return list, rows.Err()
}

// Adopt adopts by itself.
func (s *Store) Adopt(ctx context.Context, ring *keyring.Ring, a bot.Address) error {
	return s.change(ctx, func(ctx context.Context, tx *sql.Tx) error {
		_, err := adopt(ctx, tx, ring, a)
		return err
	})
}

// Ours reports whether a field of a type holds words of ours only.
func Ours(t reflect.Type, field string) bool { return contains(ours, t, field) }

// Told reports whether a field of a type holds what was written to be told.
func Told(t reflect.Type, field string) bool { return contains(told, t, field) }

func contains(fields map[reflect.Type][]string, t reflect.Type, field string) bool {
	for _, f := range fields[t] {
		if f == field {
			return true
		}
	}
	return false
}

// Named and Sealed are the columns that a rotation of keys changes.
func Named() (list []string) {
	for _, n := range named {
		list = append(list, n.table)
	}
	return list
}

func Sealed() (list []string) {
	for _, c := range sealed {
		list = append(list, c.table+"."+c.column)
	}
	return list
}

// Waits reports whether the last change waited for the disk.
func (s *Store) Waits(ctx context.Context) (bool, error) {
	var level int
	err := s.write.QueryRowContext(ctx, "PRAGMA synchronous").Scan(&level)
	return level == 2, err // FULL
}

// Together runs a change and, in the same commit, one that leaves the disk to it.
func (s *Store) Together(ctx context.Context) error {
	nothing := func(context.Context, *sql.Tx) error { return nil }
	begun, release := make(chan struct{}), make(chan struct{})
	all := []*change{
		{ctx: ctx, do: func(context.Context, *sql.Tx) error { close(begun); <-release; return nil }, err: make(chan error, 1)},
		{ctx: ctx, do: nothing, later: true, err: make(chan error, 1)},
		{ctx: ctx, do: nothing, err: make(chan error, 1)},
	}
	var errs []error
	for i, c := range all {
		errs = append(errs, s.enqueue(ctx, c))
		if i == 0 {
			<-begun
		}
	}
	close(release)
	for _, c := range all {
		errs = append(errs, <-c.err)
	}
	return errors.Join(errs...)
}
