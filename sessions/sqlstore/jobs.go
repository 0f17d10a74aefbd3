package sqlstore

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"strings"
	"time"

	"plumbline/bot"
)

// Next implements [bot.Inbox]. A job whose words no key opens is parked.
func (s *Store) Next(ctx context.Context, l bot.Lease) (j bot.Job, err error) {
	var more, none bool
	err = s.change(ctx, func(ctx context.Context, tx *sql.Tx) error {
		for {
			if _, err := s.exec(ctx, tx, promoteJobs, ms(l.Now)); err != nil {
				return err
			}
			seq, n, err := s.first(ctx, tx, l.Urgent)
			if err != nil {
				return err
			}
			if more, none = n > 1, n == 0; none {
				return nil // and not an error, which would undo what was made ready
			}
			j, err = s.hand(ctx, tx, seq, l)
			if !errors.Is(err, errUnreadable) {
				return err
			}
			if err := s.close(ctx, tx, bot.Job{Seq: seq, Person: j.Person}, parked, err.Error(), l.Now); err != nil {
				return err
			}
		}
	})
	if err != nil {
		return bot.Job{}, fmt.Errorf("hand out job: %w", err)
	}
	if none {
		return bot.Job{}, fmt.Errorf("hand out job: nothing is due: %w", bot.ErrNotFound)
	}
	if more { // for the next worker
		wake(s.inboxReady)
	}
	return j, nil
}

// errUnreadable is why a job or a text whose words cannot be opened is given up.
var errUnreadable = errors.New("its words cannot be opened: the key is missing or the database was changed")

// first returns the job to hand out, and how many more there are: two stand
// for any number.
func (s *Store) first(ctx context.Context, tx *sql.Tx, urgent bool) (seq int64, n int, err error) {
	query := "SELECT seq FROM inbox WHERE stand = 2"
	if urgent {
		query += " AND urgent = 1"
	}
	rows, err := s.rows(ctx, tx, query+" ORDER BY urgent DESC, turn, seq LIMIT 2")
	if err != nil {
		return 0, 0, err
	}
	defer func() { _ = rows.Close() }()
	for ; rows.Next(); n++ {
		var v int64
		if err := rows.Scan(&v); err != nil {
			return 0, 0, err
		}
		if n == 0 {
			seq = v
		}
	}
	return seq, n, rows.Err()
}

// hand leases a job. If its words cannot be opened it returns errUnreadable and
// a Job that has the person.
func (s *Store) hand(ctx context.Context, tx *sql.Tx, seq int64, l bot.Lease) (j bot.Job, err error) {
	j.Seq = seq
	var word, receipt, decided string
	var first bool
	var received, turn int64
	err = s.row(ctx, tx, `UPDATE inbox SET leased = 1, owner = $1, fence = fence + 1, tries = tries + 1, due = $2, wake = $2, stand = 1
		WHERE seq = $3 RETURNING fence, tries, person, urgent, word, receipt, received, turn, decided`, l.Owner, ms(l.Until), seq).
		Scan(&j.Fence, &j.Tries, &j.Person, &first, &word, &receipt, &received, &turn, &decided)
	if err != nil {
		return j, err
	}
	j.Word, j.Receipt, j.Received, j.Decided = bot.Word(word), bot.Receipt(receipt), at(received), bot.Consent(decided)
	j.Urgent = first && j.Decided != bot.OptOut
	if err := s.words(ctx, tx, &j); err != nil {
		return j, err
	}
	j.New = true
	_, err = found(s.row(ctx, tx, "SELECT opted_out, told = 0 FROM people WHERE person = $1", j.Person), &j.OptedOut, &j.New)
	if err != nil {
		return j, err
	}
	j.Session, err = s.load(ctx, tx, j.Person)
	if err != nil {
		return j, err
	}
	if first {
		return j, s.lineUp(ctx, tx, j.Person)
	}
	_, err = s.exec(ctx, tx, "UPDATE served SET turn = $1 WHERE turn < $1", turn)
	return j, err
}

// words reads the messages of a job into j.
func (s *Store) words(ctx context.Context, tx *sql.Tx, j *bot.Job) error {
	rows, err := s.rows(ctx, tx, "SELECT message FROM inbox WHERE seq = $1 OR joins = $1 ORDER BY seq", j.Seq)
	if err != nil {
		return err
	}
	defer func() { _ = rows.Close() }()
	var texts []string
	for rows.Next() {
		var sealed []byte
		var m bot.Message
		if err := rows.Scan(&sealed); err != nil {
			return err
		}
		if err := s.unseal(sealed, &m); err != nil {
			return errUnreadable
		}
		if j.Joined++; j.Joined == 1 {
			j.Message = m
		} else {
			j.Message.Media = append(j.Message.Media, m.Media...)
			if j.Message.Language == "" {
				j.Message.Language = m.Language
			}
		}
		if m.Text != "" {
			texts = append(texts, m.Text)
		}
	}
	j.Message.Text = strings.Join(texts, "\n")
	return rows.Err()
}

// lineUp lets the first of a person's line be handed out when it is due and
// nothing else of theirs is in hand. Urgent jobs stand for themselves.
func (s *Store) lineUp(ctx context.Context, tx *sql.Tx, person string) error {
	var seq, wake int64
	var urgent bool
	some, err := found(s.row(ctx, tx, "SELECT seq, urgent, due FROM inbox WHERE person = $1 AND done = 0 ORDER BY seq LIMIT 1", person), &seq, &urgent, &wake)
	if err != nil || !some || urgent {
		return err
	}
	var busy sql.NullInt64
	err = s.row(ctx, tx, "SELECT max(due) FROM inbox WHERE person = $1 AND leased = 1 AND seq <> $2", person, seq).Scan(&busy)
	if err != nil {
		return err
	}
	_, err = s.exec(ctx, tx, "UPDATE inbox SET stand = 1, wake = $1 WHERE seq = $2", max(wake, busy.Int64), seq)
	return err
}

// owned is what the database knows of a job that its holder brings back.
type owned struct {
	person, channel, id string
	urgent              bool
	received            int64
}

// own returns the job j if it is still its holder's, else [bot.ErrConflict].
func (s *Store) own(ctx context.Context, tx *sql.Tx, j bot.Job) (o owned, err error) {
	ours, err := found(s.row(ctx, tx, `SELECT person, channel, id, urgent, received FROM inbox
		WHERE seq = $1 AND fence = $2 AND leased = 1 AND done = 0`, j.Seq, j.Fence), &o.person, &o.channel, &o.id, &o.urgent, &o.received)
	if err == nil && !ours {
		err = fmt.Errorf("another has it, or it is finished: %w", bot.ErrConflict)
	}
	return o, err
}

// Extend implements [bot.Inbox].
func (s *Store) Extend(ctx context.Context, j bot.Job, until time.Time) error {
	err := s.change(ctx, func(ctx context.Context, tx *sql.Tx) error {
		o, err := s.own(ctx, tx, j)
		if err != nil {
			return err
		}
		return s.postpone(ctx, tx, j.Seq, o, until, "due = $1")
	})
	if err != nil {
		return fmt.Errorf("extend lease of job %d: %w", j.Seq, err)
	}
	return nil
}

// Return implements [bot.Inbox].
func (s *Store) Return(ctx context.Context, j bot.Job, until time.Time, why string) error {
	err := s.change(ctx, func(ctx context.Context, tx *sql.Tx) error {
		o, err := s.own(ctx, tx, j)
		if err != nil {
			return err
		}
		return s.postpone(ctx, tx, j.Seq, o, until, "due = $1, leased = 0, owner = '', why = $3", why)
	})
	if err != nil {
		return fmt.Errorf("return job %d: %w", j.Seq, err)
	}
	wake(s.inboxReady)
	return nil
}

// postpone sets when a job may be handed out.
func (s *Store) postpone(ctx context.Context, tx *sql.Tx, seq int64, o owned, until time.Time, set string, args ...any) error {
	if o.urgent {
		set += ", wake = $1, stand = 1"
	}
	_, err := s.exec(ctx, tx, "UPDATE inbox SET "+set+" WHERE seq = $2", append([]any{ms(until), seq}, args...)...)
	if err != nil {
		return err
	}
	return s.lineUp(ctx, tx, o.person)
}

// close ends a job as finished or parked. A parked one keeps its words.
func (s *Store) close(ctx context.Context, tx *sql.Tx, j bot.Job, done int, why string, now time.Time) error {
	set := "message = NULL"
	if done == parked {
		set = "message = message"
	}
	_, err := s.exec(ctx, tx, "UPDATE inbox SET "+set+`, done = $1, why = $2, finished = $3, leased = 0, owner = '', stand = 0
		WHERE seq = $4 OR joins = $4`, done, why, ms(now), j.Seq)
	if err != nil {
		return err
	}
	return s.lineUp(ctx, tx, j.Person)
}

// Finish implements [bot.Inbox]. After Forget nothing is remembered and no turn
// is recorded.
func (s *Store) Finish(ctx context.Context, j bot.Job, o bot.Outcome) error {
	r, err := s.redacted(j, o)
	if err == nil {
		err = s.change(ctx, func(ctx context.Context, tx *sql.Tx) error { return s.finish(ctx, tx, j, o, r) })
	}
	if err != nil {
		return fmt.Errorf("finish job %d: %w", j.Seq, err)
	}
	wake(s.inboxReady)
	if len(o.Replies) > 0 {
		wake(s.outboxReady)
	}
	return nil
}

func (s *Store) finish(ctx context.Context, tx *sql.Tx, j bot.Job, o bot.Outcome, r *turn) error {
	had, err := s.own(ctx, tx, j)
	if err != nil {
		return err
	}
	now := s.opts.Now()
	j.Person = had.person
	done := finished
	if o.Parked != "" {
		done = parked
	}
	if err := s.close(ctx, tx, j, done, o.Parked, now); err != nil {
		return err
	}
	if o.Consent != "" {
		if err := s.decide(ctx, tx, had.person, o.Consent, string(j.Word), had.channel, now); err != nil {
			return err
		}
	}
	if o.Forget {
		err = s.erase(ctx, tx, had.person)
	} else {
		err = s.keep(ctx, tx, j, o, r)
	}
	if err != nil {
		return err
	}
	var expires time.Time
	if o.Despite {
		expires = now.Add(bot.ConfirmWithin)
	}
	for i, r := range o.Replies {
		err := s.compose(ctx, tx, letter{
			Delivery: bot.Delivery{
				Key: s.opts.Keys.Hash(fmt.Sprintf("%s/%q/%d/%d/%d", had.channel, had.id, j.Seq, j.Fence, i)), Person: had.person,
				To: j.Message.From, Text: r.Text, Language: r.Language, Answer: r.Answer, Status: r.Status, Offers: r.Offers(),
				Urgent: had.urgent || r.Status == bot.Emergency, Composed: now, Asked: at(had.received), Expires: expires,
			},
			despite: o.Despite, erase: o.Forget,
		})
		if err != nil {
			return err
		}
	}
	return s.lineUpTexts(ctx, tx, had.person)
}

// keep stores what a job leaves of the person.
func (s *Store) keep(ctx context.Context, tx *sql.Tx, j bot.Job, o bot.Outcome, r *turn) error {
	if o.Told {
		_, err := s.exec(ctx, tx, `INSERT INTO people (person, channel, told) VALUES ($1, $2, 1)
			ON CONFLICT (person) DO UPDATE SET told = 1`, j.Person, j.Message.From.Channel)
		if err != nil {
			return err
		}
	}
	if o.Remember != nil {
		if err := s.remember(ctx, tx, j.Person, o.Remember); err != nil {
			return err
		}
	}
	return s.record(ctx, tx, j, r)
}

// Parked implements [bot.Inbox].
func (s *Store) Parked(ctx context.Context) ([]bot.Parked, error) {
	rows, err := s.read.QueryContext(ctx, `SELECT seq, channel, person, tries, why, finished FROM inbox
		WHERE done = 2 AND joins IS NULL ORDER BY finished DESC, seq DESC`)
	if err != nil {
		return nil, fmt.Errorf("list parked jobs: %w", kind(err))
	}
	defer func() { _ = rows.Close() }()
	var list []bot.Parked
	for rows.Next() {
		var p bot.Parked
		var when int64
		if err := rows.Scan(&p.Seq, &p.Channel, &p.Person, &p.Tries, &p.Why, &when); err != nil {
			return nil, fmt.Errorf("list parked jobs: %w", kind(err))
		}
		p.At = at(when)
		list = append(list, p)
	}
	if err := rows.Err(); err != nil {
		return nil, fmt.Errorf("list parked jobs: %w", kind(err))
	}
	return list, nil
}

// Requeue gives a parked job another chance, at its old place in its person's
// line and with its tries counted from none. It returns [bot.ErrNotFound] if no
// such job is parked.
func (s *Store) Requeue(ctx context.Context, seq int64) error {
	err := s.change(ctx, func(ctx context.Context, tx *sql.Tx) error {
		var person string
		var urgent bool
		err := s.row(ctx, tx, "SELECT person, urgent FROM inbox WHERE seq = $1 AND done = 2 AND joins IS NULL", seq).Scan(&person, &urgent)
		if err != nil {
			return err
		}
		_, err = s.exec(ctx, tx, `UPDATE inbox SET done = 0, finished = 0, tries = 0, why = '', due = $1, wake = $1, stand = $2
			WHERE seq = $3`, ms(s.opts.Now()), map[bool]int{false: behind, true: held}[urgent], seq)
		if err != nil {
			return err
		}
		if _, err := s.exec(ctx, tx, "UPDATE inbox SET done = 0, finished = 0, why = '' WHERE joins = $1", seq); err != nil {
			return err
		}
		// Whoever stood first may stand behind it now.
		if _, err := s.exec(ctx, tx, "UPDATE inbox SET stand = 0 WHERE person = $1 AND done = 0 AND urgent = 0", person); err != nil {
			return err
		}
		return s.lineUp(ctx, tx, person)
	})
	if err != nil {
		return fmt.Errorf("requeue job %d: %w", seq, err)
	}
	wake(s.inboxReady)
	return nil
}

// Depth implements [bot.Inbox].
func (s *Store) Depth(ctx context.Context, now time.Time) (bot.Depth, error) {
	d, err := s.depth(ctx, "inbox", "received", now)
	if err != nil {
		return bot.Depth{}, err
	}
	if err := s.read.QueryRowContext(ctx, "SELECT count(*) FROM inbox WHERE done = 2 AND joins IS NULL").Scan(&d.Parked); err != nil {
		return bot.Depth{}, fmt.Errorf("count parked jobs: %w", kind(err))
	}
	return d, nil
}
