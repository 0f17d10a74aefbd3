package sqlstore

import (
	"context"
	"database/sql"
	"fmt"
	"time"

	"plumbline/bot"
)

// A Policy is how long what is kept of people is kept. Zero is for ever.
type Policy struct {
	Record   time.Duration // turns, the history of messages and texts, and messages that were given up, from when they finished
	Sessions time.Duration // sessions, from their last change (those past their TTL go in any case), and what our own page shows
	DryRun   bool          // only count
}

// Retained counts what went, or would.
type Retained struct {
	Turns     int `json:"turns"`
	Sessions  int `json:"sessions"`
	Bubbles   int `json:"bubbles"`   // what phones of our own page show
	Messages  int `json:"messages"`  // and texts: their history, without words
	Addresses int `json:"addresses"` // of those of whom nothing else is kept; a dry run counts those of now
}

// expiry is what of a table goes.
type expiry struct {
	table, id, where string
	drop             string // the statement up to where
	args             []any
	n                *int
}

// Retain deletes what p no longer keeps, and what models cost as [bot.Ledger]
// says; that is not counted. It works in small steps: messages do not wait for
// it.
func (s *Store) Retain(ctx context.Context, p Policy) (r Retained, err error) {
	now := s.opts.Now()
	before := func(d time.Duration) int64 {
		if d <= 0 {
			return -1 << 62
		}
		return ms(now.Add(-d))
	}
	// An id is known for as long as a channel may send it again.
	history := min(before(p.Record), ms(now.Add(-keepIDs)))
	today := now.UTC().Truncate(24 * time.Hour)
	yesterday, oldest := ms(today.AddDate(0, 0, -1)), ms(today.AddDate(0, 0, 1-bot.LedgerDays))
	uncounted := new(int)
	for _, e := range []expiry{
		{"turns", "id", "finished < $1", "DELETE FROM turns", []any{before(p.Record)}, &r.Turns},
		{"sessions", "person", "expires > 0 AND expires <= $1 OR changed < $2", "DELETE FROM sessions", []any{ms(now), before(p.Sessions)}, &r.Sessions},
		{"boxes", "seq", "added < $1", "DELETE FROM boxes", []any{before(p.Sessions)}, &r.Bubbles},
		{"inbox", "seq", "done <> 0 AND finished < $1", "DELETE FROM inbox", []any{history}, &r.Messages},
		{"outbox", "seq", "done = 1 AND finished < $1", "DELETE FROM outbox", []any{history}, &r.Messages},
		{"reservations", "seq", "day < $1", "DELETE FROM reservations", []any{yesterday}, uncounted},
		{"costs", "seq", "day < $1 OR person <> '' AND day < $2", "DELETE FROM costs", []any{oldest, yesterday}, uncounted},
		{"people", "person", `address IS NOT NULL AND seen < $1
			AND NOT EXISTS (SELECT 1 FROM turns t WHERE t.person = people.person)
			AND NOT EXISTS (SELECT 1 FROM sessions s WHERE s.person = people.person)
			AND NOT EXISTS (SELECT 1 FROM inbox i WHERE i.person = people.person AND i.done = 0)
			AND NOT EXISTS (SELECT 1 FROM outbox o WHERE o.person = people.person AND o.done = 0)`,
			"UPDATE people SET address = NULL, channel = ''", []any{before(p.Record)}, &r.Addresses},
	} {
		var n int
		if p.DryRun {
			if err := s.read.QueryRowContext(ctx, "SELECT count(*) FROM "+e.table+" WHERE "+e.where, e.args...).Scan(&n); err != nil {
				return Retained{}, fmt.Errorf("count what is kept too long: %w", kind(err))
			}
			*e.n += n
			continue
		}
		for {
			err := s.change(ctx, func(ctx context.Context, tx *sql.Tx) error {
				res, err := tx.ExecContext(ctx, e.drop+" WHERE "+e.id+" IN (SELECT "+e.id+" FROM "+e.table+" WHERE "+e.where+" LIMIT 500)", e.args...)
				if err != nil {
					return err
				}
				rows, err := res.RowsAffected()
				n = int(rows)
				return err
			})
			if err != nil {
				return r, fmt.Errorf("delete what is kept too long: %w", err)
			}
			*e.n += n
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
