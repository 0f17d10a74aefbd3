package sqlstore

import (
	"context"
	"database/sql"
	"fmt"
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

// Erased counts what was kept of a person, by the table that held it.
type Erased map[string]int

// Erase erases all that is kept under the names of a person, but what they
// decided about hearing from us. Messages and texts that wait are still answered
// and sent; then nothing says whose they were. When Erase returns nothing of the
// rest is left in the database's files, unless another process reads at that
// moment: then the next [Store.Retain] sees to it.
func (s *Store) Erase(ctx context.Context, names []string) (e Erased, err error) {
	err = s.change(ctx, func(ctx context.Context, tx *sql.Tx) error {
		e = Erased{}
		for _, name := range names {
			for table, also := range map[string]string{"turns": "", "sessions": "", "boxes": "", "inbox": " AND done <> 0", "outbox": " AND done <> 0", "people": " AND address IS NOT NULL"} {
				var n int
				if err := tx.QueryRowContext(ctx, "SELECT count(*) FROM "+table+" WHERE person = $1"+also, name).Scan(&n); err != nil {
					return err
				}
				if n > 0 {
					e[table] += n
				}
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
	return e, nil
}

// checkpoint takes the write-ahead log into the database and empties it, so
// that what was deleted stands in neither.
func (s *Store) checkpoint(ctx context.Context) error {
	if _, err := s.write.ExecContext(ctx, "PRAGMA wal_checkpoint(TRUNCATE)"); err != nil {
		return fmt.Errorf("empty the log: %w", kind(err))
	}
	return nil
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
	err = s.each(ctx, `SELECT p.person, COALESCE(max(t.channel), ''), count(t.id), COALESCE(sum(CASE WHEN t.review <> '' THEN 1 ELSE 0 END), 0),
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
