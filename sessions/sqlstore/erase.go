package sqlstore

import (
	"context"
	"database/sql"
	"fmt"
	"maps"
	"slices"
	"time"

	"plumbline/bot"
)

// Persons returns the names under which things may be kept of whoever is at a:
// those that the keys make, and where a has no thread, those of the same user's
// threads as far as their addresses are known.
func (s *Store) Persons(ctx context.Context, a bot.Address) ([]string, error) {
	names := s.opts.Keys.Persons(a)
	if a.Thread != "" {
		return names, nil
	}
	for _, c := range sealed {
		if c.table != "people" {
			continue
		}
		err := eachSealed(ctx, s.read, c, func(id any, text []byte) error {
			plain, err := s.opts.Keys.Open(text)
			if err != nil {
				s.lost(fmt.Errorf("read address: %w", err))
				return nil
			}
			if other := addressIn(plain); other.Channel == a.Channel && other.User == a.User {
				names = append(names, s.opts.Keys.Persons(other)...)
			}
			return nil
		})
		if err != nil {
			return nil, fmt.Errorf("read addresses: %w", kind(err))
		}
	}
	slices.Sort(names)
	return slices.Compact(names), nil
}

// Erased counts what was erased, by the table that held it.
type Erased map[string]int

// Erase erases all that is kept under the names of a person, but what they
// decided about hearing from us. When it returns nothing of it is left in the
// database's files, unless another process reads at that moment; then the next
// [Store.Retain] sees to it.
func (s *Store) Erase(ctx context.Context, names []string) (e Erased, err error) {
	err = s.change(ctx, func(ctx context.Context, tx *sql.Tx) error {
		e = Erased{}
		for _, name := range names {
			for _, table := range []string{"turns", "sessions", "boxes"} {
				n, err := deleted(tx.ExecContext(ctx, "DELETE FROM "+table+" WHERE person = $1", name))
				if err != nil {
					return err
				}
				e[table] += n
			}
			if err := s.erase(ctx, tx, name); err != nil {
				return err
			}
		}
		return nil
	})
	if err == nil {
		err = s.checkpoint(ctx)
	}
	if err != nil {
		return nil, fmt.Errorf("erase person: %w", err)
	}
	maps.DeleteFunc(e, func(_ string, n int) bool { return n == 0 })
	return e, nil
}

func deleted(r sql.Result, err error) (int, error) {
	if err != nil {
		return 0, err
	}
	n, err := r.RowsAffected()
	return int(n), err
}

// checkpoint takes the write-ahead log into the database and empties it, so
// that what was deleted stands in neither.
func (s *Store) checkpoint(ctx context.Context) error {
	if _, err := s.write.ExecContext(ctx, "PRAGMA wal_checkpoint(TRUNCATE)"); err != nil {
		return fmt.Errorf("empty the log: %w", kind(err))
	}
	return nil
}

// A Policy is how long what is kept of people is kept. Zero is for ever.
type Policy struct {
	Record   time.Duration // turns, from when they finished
	Sessions time.Duration // sessions, from their last change; those past their TTL go in any case
	DryRun   bool          // only count
}

// Retained counts what went, or would.
type Retained struct {
	Turns    int `json:"turns"`
	Sessions int `json:"sessions"`
}

// Retain deletes what p no longer keeps. It works in small steps: messages do
// not wait for it.
func (s *Store) Retain(ctx context.Context, p Policy) (r Retained, err error) {
	now := s.opts.Now()
	before := func(d time.Duration) int64 {
		if d <= 0 {
			return -1 << 62
		}
		return ms(now.Add(-d))
	}
	for _, t := range []struct {
		table, id, where string
		args             []any
		n                *int
	}{
		{"turns", "id", "finished < $1", []any{before(p.Record)}, &r.Turns},
		{"sessions", "person", "expires > 0 AND expires <= $1 OR changed < $2", []any{ms(now), before(p.Sessions)}, &r.Sessions},
	} {
		if p.DryRun {
			if err := s.read.QueryRowContext(ctx, "SELECT count(*) FROM "+t.table+" WHERE "+t.where, t.args...).Scan(t.n); err != nil {
				return Retained{}, fmt.Errorf("count what is kept too long: %w", kind(err))
			}
			continue
		}
		for {
			var n int
			err := s.change(ctx, func(ctx context.Context, tx *sql.Tx) (err error) {
				n, err = deleted(tx.ExecContext(ctx, "DELETE FROM "+t.table+" WHERE "+t.id+" IN (SELECT "+t.id+" FROM "+t.table+" WHERE "+t.where+" LIMIT 500)", t.args...))
				return err
			})
			if err != nil {
				return r, fmt.Errorf("delete what is kept too long: %w", err)
			}
			*t.n += n
			if n == 0 {
				break
			}
		}
	}
	if p.DryRun {
		return r, nil
	}
	return r, s.checkpoint(ctx)
}

// A Conversation is what is kept of one person.
type Conversation struct {
	Person     string    `json:"person"`
	Channel    string    `json:"channel"`
	Turns      int       `json:"turns"`
	Review     int       `json:"review"` // of them, those that a member of staff should look at
	First      time.Time `json:"first,omitzero"`
	Last       time.Time `json:"last,omitzero"`
	Remembered bool      `json:"remembered"` // there is a session
}

// Conversations lists at most limit persons of whom something is kept, the last
// heard first.
func (s *Store) Conversations(ctx context.Context, limit int) (list []Conversation, err error) {
	err = s.each(ctx, "turns", `SELECT p.person, COALESCE(max(t.channel), ''), count(t.id), COALESCE(sum(CASE WHEN t.review <> '' THEN 1 ELSE 0 END), 0),
			COALESCE(min(t.received), 0), COALESCE(max(t.finished), max(s.changed), 0), count(s.person) > 0
		FROM (SELECT person FROM turns UNION SELECT person FROM sessions) p
		LEFT JOIN turns t ON t.person = p.person LEFT JOIN sessions s ON s.person = p.person AND (s.expires = 0 OR s.expires > $1)
		GROUP BY p.person ORDER BY 6 DESC, 1 LIMIT $2`, func(scan func(...any) error) error {
		var c Conversation
		var first, last int64
		if err := scan(&c.Person, &c.Channel, &c.Turns, &c.Review, &first, &last, &c.Remembered); err != nil {
			return err
		}
		c.First, c.Last = at(first), at(last)
		list = append(list, c)
		return nil
	}, ms(s.opts.Now()), limit)
	if err != nil {
		return nil, fmt.Errorf("list conversations: %w", kind(err))
	}
	return list, nil
}
