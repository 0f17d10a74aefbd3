package sqlstore

import (
	"context"
	"database/sql"
	"encoding/json"
	"fmt"
	"time"

	"plumbline/bot"
)

// MaxNotice is the longest that a notice may be in force.
const MaxNotice = 72 * time.Hour

// PostNotice puts n in force from n.Start on; it is live at once where that is
// now or earlier. Its error wraps [bot.ErrInvalid] if n is not whole or lasts
// longer than [MaxNotice], and [bot.ErrConflict] if there is one of that ID.
func (s *Store) PostNotice(ctx context.Context, n bot.Notice) error {
	switch {
	case n.ID == "" || n.Kind == "" || n.By == "":
		return fmt.Errorf("post notice: id, kind and by whom must be given: %w", bot.ErrInvalid)
	case n.Text[bot.English] == "" || n.Text[bot.Spanish] == "":
		return fmt.Errorf("post notice: it must be written in English and in Spanish: %w", bot.ErrInvalid)
	case !n.Expires.After(n.Start):
		return fmt.Errorf("post notice: it ends before it starts: %w", bot.ErrInvalid)
	case n.Expires.Sub(n.Start) > MaxNotice:
		return fmt.Errorf("post notice: it lasts longer than %v; post it again when that is over: %w", MaxNotice, bot.ErrInvalid)
	}
	texts, err := json.Marshal(n.Text)
	if err != nil {
		return fmt.Errorf("post notice: %w", err)
	}
	source, err := json.Marshal(n.Source)
	if err != nil {
		return fmt.Errorf("post notice: %w", err)
	}
	err = s.change(ctx, func(ctx context.Context, tx *sql.Tx) error {
		res, err := tx.ExecContext(ctx, `INSERT INTO notices (id, kind, area, texts, source, starts, expires, ended, by_name, ended_by, posted)
			VALUES ($1, $2, $3, $4, $5, $6, $7, 0, $8, '', $9) ON CONFLICT (id) DO NOTHING`,
			n.ID, n.Kind, n.Area, string(texts), string(source), ms(n.Start), ms(n.Expires), n.By, ms(s.opts.Now()))
		if err != nil {
			return err
		}
		if rows, err := res.RowsAffected(); err != nil || rows == 0 {
			return fmt.Errorf("there is a notice %s: %w", n.ID, bot.ErrConflict)
		}
		return nil
	})
	if err != nil {
		return fmt.Errorf("post notice: %w", err)
	}
	return nil
}

// EndNotice ends a notice before it lapses. Its error wraps [bot.ErrNotFound] if
// none of that id is in force or to come.
func (s *Store) EndNotice(ctx context.Context, id, by string) error {
	err := s.change(ctx, func(ctx context.Context, tx *sql.Tx) error {
		now := ms(s.opts.Now())
		res, err := tx.ExecContext(ctx, "UPDATE notices SET ended = $1, ended_by = $2 WHERE id = $3 AND ended = 0 AND expires > $4", now, by, id, now)
		if err != nil {
			return err
		}
		if rows, err := res.RowsAffected(); err != nil || rows == 0 {
			return fmt.Errorf("no notice %s is in force: %w", id, bot.ErrNotFound)
		}
		return nil
	})
	if err != nil {
		return fmt.Errorf("end notice: %w", err)
	}
	return nil
}

// InForce implements [bot.NoticeBoard].
func (s *Store) InForce(ctx context.Context, at time.Time) ([]bot.Notice, error) {
	return s.board(ctx, "WHERE starts <= $1 AND expires > $2 AND ended = 0 ORDER BY starts DESC, id DESC", ms(at), ms(at))
}

// Lapsed implements [bot.NoticeBoard].
func (s *Store) Lapsed(ctx context.Context, at time.Time, within time.Duration) ([]bot.Notice, error) {
	now, since := ms(at), ms(at.Add(-within))
	return s.board(ctx, `WHERE starts <= $1 AND (ended > $2 AND ended <= $3 OR ended = 0 AND expires > $4 AND expires <= $5)
		ORDER BY starts DESC, id DESC`, now, since, now, since, now)
}

func (s *Store) board(ctx context.Context, where string, args ...any) (list []bot.Notice, err error) {
	all, err := s.notices(ctx, where, args...)
	if err != nil {
		return nil, fmt.Errorf("read notices: %w", kind(err))
	}
	for _, n := range all {
		list = append(list, n.Notice)
	}
	return list, nil
}

// A PostedNotice is a notice and what became of it.
type PostedNotice struct {
	bot.Notice
	Posted  time.Time
	Ended   time.Time // zero if nobody ended it
	EndedBy string
}

// Notices lists all notices, newest first.
func (s *Store) Notices(ctx context.Context) ([]PostedNotice, error) {
	list, err := s.notices(ctx, "ORDER BY posted DESC, id DESC")
	if err != nil {
		return nil, fmt.Errorf("read notices: %w", kind(err))
	}
	return list, nil
}

func (s *Store) notices(ctx context.Context, where string, args ...any) (list []PostedNotice, err error) {
	rows, err := s.read.QueryContext(ctx, "SELECT id, kind, area, texts, source, starts, expires, ended, by_name, ended_by, posted FROM notices "+where, args...)
	if err != nil {
		return nil, err
	}
	defer func() { _ = rows.Close() }()
	for rows.Next() {
		var n PostedNotice
		var texts, source string
		var starts, expires, ended, posted int64
		if err := rows.Scan(&n.ID, &n.Kind, &n.Area, &texts, &source, &starts, &expires, &ended, &n.By, &n.EndedBy, &posted); err != nil {
			return nil, err
		}
		if err := json.Unmarshal([]byte(texts), &n.Text); err != nil {
			return nil, fmt.Errorf("notice %s: %w", n.ID, err)
		}
		if err := json.Unmarshal([]byte(source), &n.Source); err != nil {
			return nil, fmt.Errorf("notice %s: %w", n.ID, err)
		}
		n.Start, n.Expires, n.Ended, n.Posted = at(starts), at(expires), at(ended), at(posted)
		list = append(list, n)
	}
	return list, rows.Err()
}
