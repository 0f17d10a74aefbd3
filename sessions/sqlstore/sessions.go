package sqlstore

import (
	"context"
	"database/sql"
	"errors"
	"fmt"

	"plumbline/bot"
	"plumbline/sessions"
)

// Load implements [bot.SessionStore].
func (s *Store) Load(ctx context.Context, key string) (bot.Session, error) {
	if err := ctx.Err(); err != nil {
		return bot.Session{}, err
	}
	v, err := s.load(ctx, s.read, key)
	return v, kind(err)
}

// Update implements [bot.SessionStore].
func (s *Store) Update(ctx context.Context, key string, fn func(*bot.Session) error) error {
	return s.change(ctx, func(ctx context.Context, tx *sql.Tx) error { return s.remember(ctx, tx, key, fn) })
}

// Forget implements [bot.SessionStore].
func (s *Store) Forget(ctx context.Context, key string) error {
	return s.change(ctx, func(ctx context.Context, tx *sql.Tx) error {
		_, err := tx.ExecContext(ctx, "DELETE FROM sessions WHERE person = $1", key)
		return err
	})
}

// A querier is a database or a transaction.
type querier interface {
	QueryRowContext(ctx context.Context, query string, args ...any) *sql.Row
	QueryContext(ctx context.Context, query string, args ...any) (*sql.Rows, error)
}

// load reads the session of person; a new one if there is none, it has
// expired, or it cannot be read: nobody waits for an answer because of that.
func (s *Store) load(ctx context.Context, q querier, person string) (bot.Session, error) {
	var sealed []byte
	err := q.QueryRowContext(ctx, "SELECT value FROM sessions WHERE person = $1 AND (expires = 0 OR expires > $2)", person, ms(s.opts.Now())).Scan(&sealed)
	if errors.Is(err, sql.ErrNoRows) {
		return bot.Session{}, nil
	}
	if err != nil {
		return bot.Session{}, fmt.Errorf("read session: %w", err)
	}
	v, err := s.decode(sealed)
	if err != nil {
		s.lost(fmt.Errorf("read session: %w", err))
	}
	return v, nil
}

func (s *Store) decode(sealed []byte) (bot.Session, error) {
	b, err := s.opts.Keys.Open(sealed)
	if err != nil {
		return bot.Session{}, err
	}
	return sessions.Decode(b)
}

// lost reports what could not be read.
func (s *Store) lost(err error) {
	if s.opts.Lost != nil {
		s.opts.Lost(err)
	}
}

// remember changes the session of person within a transaction.
func (s *Store) remember(ctx context.Context, tx *sql.Tx, person string, fn func(*bot.Session) error) error {
	v, err := s.load(ctx, tx, person)
	if err != nil {
		return err
	}
	if err := fn(&v); err != nil {
		return err
	}
	b, err := sessions.Encode(v)
	if err != nil {
		return err
	}
	now := s.opts.Now()
	var expires int64
	if s.opts.TTL > 0 {
		expires = ms(now.Add(s.opts.TTL))
	}
	_, err = tx.ExecContext(ctx, `INSERT INTO sessions (person, value, changed, expires) VALUES ($1, $2, $3, $4)
		ON CONFLICT (person) DO UPDATE SET value = excluded.value, changed = excluded.changed, expires = excluded.expires`, person, s.opts.Keys.Seal(b), ms(now), expires)
	return err
}
