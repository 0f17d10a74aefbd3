package sqlstore

import (
	"context"
	"database/sql"
	"fmt"
)

// Keep puts value last into the box of person, sealed; a key that is there
// already changes nothing. Of a box the last most values are kept. The value
// outlives the process at once and the machine with the next change of anything:
// what a box shows is kept before that which it shows is taken in or accepted.
func (s *Store) Keep(ctx context.Context, person, key string, value []byte, most int) error {
	err := s.changeLater(ctx, func(ctx context.Context, tx *sql.Tx) error {
		_, err := s.exec(ctx, tx, `INSERT INTO boxes (person, key, value, added) VALUES ($1, $2, $3, $4)
			ON CONFLICT (person, key) DO NOTHING`, person, key, s.opts.Keys.Seal(value), ms(s.opts.Now()))
		if err != nil {
			return err
		}
		_, err = s.exec(ctx, tx, `DELETE FROM boxes WHERE person = $1 AND seq <= (
			SELECT seq FROM boxes WHERE person = $1 ORDER BY seq DESC LIMIT 1 OFFSET $2)`, person, most)
		return err
	})
	if err != nil {
		return fmt.Errorf("keep in box: %w", err)
	}
	return nil
}

// Kept returns what is in the box of person, in the order in which it came. What
// can no longer be opened is left out.
func (s *Store) Kept(ctx context.Context, person string) (values [][]byte, err error) {
	rows, err := s.read.QueryContext(ctx, "SELECT value FROM boxes WHERE person = $1 ORDER BY seq", person)
	if err != nil {
		return nil, fmt.Errorf("open box: %w", kind(err))
	}
	defer func() { _ = rows.Close() }()
	for rows.Next() {
		var sealed []byte
		if err := rows.Scan(&sealed); err != nil {
			return nil, fmt.Errorf("open box: %w", kind(err))
		}
		v, err := s.opts.Keys.Open(sealed)
		if err != nil {
			s.lost(fmt.Errorf("open box: %w", err))
			continue
		}
		values = append(values, v)
	}
	if err := rows.Err(); err != nil {
		return nil, fmt.Errorf("open box: %w", kind(err))
	}
	return values, nil
}

// Discard takes a value out of the box of person, or with no key all of them.
func (s *Store) Discard(ctx context.Context, person, key string) error {
	err := s.change(ctx, func(ctx context.Context, tx *sql.Tx) error {
		_, err := tx.ExecContext(ctx, "DELETE FROM boxes WHERE person = $1 AND ($2 = '' OR key = $2)", person, key)
		return err
	})
	if err != nil {
		return fmt.Errorf("discard from box: %w", err)
	}
	return nil
}
