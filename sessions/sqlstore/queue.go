package sqlstore

import (
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"plumbline/bot"
)

// What inbox and outbox share. Each row that waits has a stand. A row that is
// first of its person is held until wake and then ready; all others of its
// person stand behind it and are in no index that handing out looks at. So
// handing out costs the same however much waits. Whatever changes a row of a
// person lets that person's line up again.
const (
	behind = 0
	held   = 1
	ready  = 2
)

// promote makes what is due by $1 ready: what is urgent, and some of the rest, so
// that nobody waits while a great many come due at once.
func promote(table, where string) string {
	return "UPDATE " + table + ` SET stand = 2 WHERE seq IN (
		SELECT seq FROM ` + table + ` WHERE stand = 1 AND urgent = 1 AND wake <= $1 ` + where + `
		UNION ALL SELECT seq FROM (SELECT seq FROM ` + table + ` WHERE stand = 1 AND urgent = 0 AND wake <= $1 ` + where + ` ORDER BY wake LIMIT 256) due)`
}

var (
	promoteJobs  = promote("inbox", "")
	promoteTexts = promote("outbox", "AND channel = $2")
)

// What done says of a row.
const (
	waits    = 0
	finished = 1
	parked   = 2
)

// keepIDs is how long the id of a message is known at least.
const keepIDs = 48 * time.Hour

// InboxReady has a value when something became due in the inbox, as far as this
// process did it. One value may stand for many messages. What becomes due by
// the time alone, or by another process, is found by asking.
func (s *Store) InboxReady() <-chan struct{} { return s.inboxReady }

// OutboxReady is to the outbox what InboxReady is to the inbox.
func (s *Store) OutboxReady() <-chan struct{} { return s.outboxReady }

// wake signals c, unless a signal waits there already.
func wake(c chan struct{}) {
	select {
	case c <- struct{}{}:
	default:
	}
}

// Sweep deletes the history of messages and texts that were finished before
// the time before, but none of the last 48 hours, and returns how many. What
// waits or is parked stays.
func (s *Store) Sweep(ctx context.Context, before time.Time) (n int, err error) {
	if latest := s.opts.Now().Add(-keepIDs); before.After(latest) {
		before = latest
	}
	for _, table := range []string{"inbox", "outbox"} {
		for { // in parts, so that messages that come in do not wait
			var part int64
			err := s.change(ctx, func(ctx context.Context, tx *sql.Tx) (err error) {
				part, err = s.exec(ctx, tx, "DELETE FROM "+table+` WHERE seq IN (
					SELECT seq FROM `+table+` WHERE done = 1 AND finished < $1 ORDER BY finished LIMIT 1000)`, ms(before))
				return err
			})
			if err != nil {
				return n, fmt.Errorf("sweep %s: %w", table, err)
			}
			n += int(part)
			if part == 0 {
				break
			}
		}
	}
	return n, nil
}

// depth counts what waits in table, whose rows came at the times in column.
func (s *Store) depth(ctx context.Context, table, column string, now time.Time) (d bot.Depth, err error) {
	var oldest sql.NullInt64
	err = s.read.QueryRowContext(ctx, `SELECT
		(SELECT count(*) FROM `+table+` WHERE done = 0),
		(SELECT count(*) FROM `+table+` WHERE done = 0 AND urgent = 1),
		(SELECT count(*) FROM `+table+` WHERE leased = 1 AND due > $1),
		(SELECT min(`+column+`) FROM `+table+` WHERE done = 0)`, ms(now)).Scan(&d.Waiting, &d.Urgent, &d.Leased, &oldest)
	if err != nil {
		return bot.Depth{}, fmt.Errorf("count %s: %w", table, kind(err))
	}
	if oldest.Valid {
		d.Oldest = max(0, now.Sub(at(oldest.Int64)))
	}
	return d, nil
}

// found scans the first row of a query into dest and reports whether there is
// one.
func found(row *sql.Row, dest ...any) (bool, error) {
	err := row.Scan(dest...)
	if errors.Is(err, sql.ErrNoRows) {
		return false, nil
	}
	return err == nil, err
}

// bit is b as it is stored.
func bit(b bool) int {
	if b {
		return 1
	}
	return 0
}

func (s *Store) seal(v any) ([]byte, error) {
	b, err := json.Marshal(v)
	if err != nil {
		return nil, err
	}
	return s.opts.Keys.Seal(b), nil
}

func (s *Store) unseal(sealed []byte, v any) error {
	b, err := s.opts.Keys.Open(sealed)
	if err != nil {
		return err
	}
	return json.Unmarshal(b, v)
}
