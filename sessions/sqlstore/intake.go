package sqlstore

import (
	"context"
	"database/sql"
	"fmt"
	"strings"
	"time"
	"unicode/utf8"

	"plumbline/bot"
	"plumbline/internal/text"
)

// The most that is joined into one job.
const (
	maxTexts = 8
	maxRunes = 4000
)

// arrived is an arrival made ready to be stored.
type arrived struct {
	bot.Arrival
	person  string
	message []byte // sealed
	address []byte // sealed
	hash    string
	decided bot.Consent
	first   bool // goes before all others
	counted bool // towards the limits
	plain   bool // may be joined
	runes   int
}

// Put implements [bot.Inbox].
func (s *Store) Put(ctx context.Context, person string, a bot.Arrival) (r bot.Receipt, err error) {
	if person == "" || a.Message.ID == "" || a.Message.From.Channel == "" {
		return "", fmt.Errorf("take in message: it has no person, id or channel: %w", bot.ErrInvalid)
	}
	in := arrived{Arrival: a, person: person, runes: utf8.RuneCountInString(a.Message.Text)}
	if in.message, err = s.seal(a.Message); err == nil {
		in.address, err = s.seal(a.Message.From)
	}
	if err != nil {
		return "", fmt.Errorf("take in message: %w", err)
	}
	if words := strings.Join(strings.Fields(strings.ToLower(text.Normalize(a.Message.Text))), " "); words != "" {
		in.hash = s.opts.Keys.Hash(words)
	}
	switch a.Word {
	case bot.WordStop, bot.WordStart, bot.WordHelp, bot.WordForget, bot.WordPerson: // always heard
	default:
		in.counted = !a.Urgent
	}
	in.plain = a.Word == bot.WordNone && !a.Urgent && a.Rules.Debounce > 0

	err = s.change(ctx, func(ctx context.Context, tx *sql.Tx) (err error) {
		r, err = s.put(ctx, tx, &in)
		return err
	})
	if err != nil {
		return "", fmt.Errorf("take in message: %w", err)
	}
	if r == bot.Queued || r == bot.Limited {
		wake(s.inboxReady)
	}
	if in.decided == bot.OptOut {
		s.letGo(ctx, person)
	}
	return r, nil
}

// letGo waits until no text is in hand for a person who opted out: who had one
// before that may be handing it to a vendor.
func (s *Store) letGo(ctx context.Context, person string) {
	ctx, cancel := context.WithTimeout(ctx, bot.HandWait)
	defer cancel()
	for {
		var one int
		busy, err := found(s.read.QueryRowContext(ctx, "SELECT 1 FROM outbox WHERE person = $1 AND leased = 1 AND due > $2 AND despite = 0 LIMIT 1",
			person, ms(s.opts.Now())), &one)
		if err != nil || !busy {
			return
		}
		select {
		case <-ctx.Done():
		case <-time.After(10 * time.Millisecond):
		}
	}
}

func (s *Store) put(ctx context.Context, tx *sql.Tx, in *arrived) (bot.Receipt, error) {
	now := s.opts.Now()
	var seq int64
	here, err := found(s.row(ctx, tx, "SELECT seq FROM inbox WHERE channel = $1 AND id = $2", in.Message.From.Channel, in.Message.ID), &seq)
	if here || err != nil {
		return bot.Repeated, err
	}
	if err := s.recognise(ctx, tx, in.Message.From); err != nil {
		return "", err
	}
	p, err := s.meet(ctx, tx, in, now)
	if err != nil {
		return "", err
	}
	in.decided = in.Decides(p.optedOut)
	if p.optedOut {
		in.hash = "" // it is not answered, so that the same words later are no repeat of it
	}
	in.first = in.Urgent || in.decided == bot.OptOut
	if in.decided != "" { // whatever becomes of it, it holds
		if err := s.decide(ctx, tx, in.person, in.decided, in.Cause(), in.Message.From.Channel, now); err != nil {
			return "", err
		}
	}
	r, err := s.admit(ctx, tx, in, p, now)
	switch {
	case err != nil:
		return "", err
	case r == bot.Queued, r == bot.Limited:
		return r, s.enqueueMessage(ctx, tx, in, r, p, now)
	}
	// What is not answered leaves its id, so that it is known when it comes again.
	_, err = s.exec(ctx, tx, `INSERT INTO inbox
		(channel, id, person, hash, urgent, word, receipt, counted, received, plain, texts, runes, turn, due, stand, wake, done, finished)
		VALUES ($1, $2, $3, $4, $5, $6, $7, 0, $8, 0, 1, 0, 0, 0, 0, 0, 1, $8)`,
		in.Message.From.Channel, in.Message.ID, in.person, in.hash, bit(in.Urgent), string(in.Word), string(r), ms(now))
	return r, err
}

// admit judges an arrival that was not here before.
func (s *Store) admit(ctx context.Context, tx *sql.Tx, in *arrived, p person, now time.Time) (bot.Receipt, error) {
	if in.Urgent {
		return bot.Queued, nil
	}
	if p.blocked {
		return bot.Blocked, nil
	}
	var one int
	if in.Rules.Repeat > 0 && in.Word == bot.WordNone && in.hash != "" {
		same, err := found(s.row(ctx, tx, `SELECT 1 FROM inbox
			WHERE person = $1 AND received > $2 AND hash = $3 AND receipt = 'queued' LIMIT 1`,
			in.person, ms(now.Add(-in.Rules.Repeat)), in.hash), &one)
		if err != nil {
			return "", err
		}
		if same {
			return bot.Repeated, nil
		}
	}
	if same := in.Rules.Same; same.Count > 0 && in.Word == bot.WordNone && in.hash != "" {
		var n int
		err := s.row(ctx, tx, "SELECT count(*) FROM inbox WHERE person = $1 AND received > $2 AND hash = $3 AND receipt = 'queued'",
			in.person, ms(now.Add(-same.Per)), in.hash).Scan(&n)
		if err != nil {
			return "", err
		}
		if n >= same.Count {
			return bot.Silenced, nil
		}
	}
	if !in.counted {
		return bot.Queued, nil
	}
	told := func(within time.Duration) (bool, error) {
		return found(s.row(ctx, tx, "SELECT 1 FROM inbox WHERE person = $1 AND received > $2 AND receipt = 'limited' LIMIT 1",
			in.person, ms(now.Add(-within))), &one)
	}
	if in.Rules.Silence > 0 && len(in.Rules.Limits) > 0 {
		if silent, err := told(in.Rules.Silence); err != nil || silent {
			return bot.Silenced, err
		}
	}
	for _, l := range in.Rules.Limits {
		var n int
		err := s.row(ctx, tx, "SELECT count(*) FROM inbox WHERE person = $1 AND received > $2 AND counted = 1",
			in.person, ms(now.Add(-l.Per))).Scan(&n)
		if err != nil {
			return "", err
		}
		if n < l.Count {
			continue
		}
		if in.Rules.Silence <= 0 { // once, all the same
			if silent, err := told(l.Per); err != nil || silent {
				return bot.Silenced, err
			}
		}
		return bot.Limited, nil
	}
	return bot.Queued, nil
}

// enqueueMessage adds a message to its person's line, or to the job at the end
// of it.
func (s *Store) enqueueMessage(ctx context.Context, tx *sql.Tx, in *arrived, r bot.Receipt, p person, now time.Time) error {
	in.plain = in.plain && r == bot.Queued && !in.first
	last, err := s.last(ctx, tx, in.person)
	if err != nil {
		return err
	}
	var joins sql.NullInt64
	turn, stand, due := int64(0), behind, ms(now)
	switch {
	case in.first:
		// The first emergencies of all come before the second of anyone.
		stand = ready
		err = s.row(ctx, tx, "SELECT count(*) FROM inbox WHERE person = $1 AND done = 0 AND urgent = 1", in.person).Scan(&turn)
	case in.plain && last.takes(in, now):
		joins = sql.NullInt64{Int64: last.job, Valid: true}
		due = min(ms(now.Add(in.Rules.Debounce)), ms(at(last.began).Add(in.Rules.Patience)))
		_, err = s.exec(ctx, tx, `UPDATE inbox SET texts = texts + 1, runes = runes + 1 + $1, due = $2, wake = $2,
			stand = CASE stand WHEN 0 THEN 0 ELSE 1 END WHERE seq = $3`, in.runes, due, last.job)
	default:
		if in.plain {
			due = ms(now.Add(min(in.Rules.Debounce, in.Rules.Patience)))
		}
		switch {
		case last.seq > 0:
		case in.plain:
			stand = held
		default:
			stand = ready
		}
		turn = max(p.turn, p.served) + 1
		_, err = s.exec(ctx, tx, "UPDATE people SET turn = $1 WHERE person = $2", turn, in.person)
		if err == nil && last.plain && last.fence == 0 {
			// Nothing can join what came before it any more: nothing to wait for.
			_, err = s.exec(ctx, tx, `UPDATE inbox SET due = $1, wake = $1, stand = CASE stand WHEN 0 THEN 0 ELSE 1 END
				WHERE seq = $2 AND due > $1`, ms(now), last.job)
		}
	}
	if err != nil {
		return err
	}
	_, err = s.exec(ctx, tx, `INSERT INTO inbox
		(joins, channel, id, person, message, hash, urgent, word, receipt, counted, received, plain, texts, runes, turn, due, stand, wake, done, finished, decided)
		VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, 1, $13, $14, $15, $16, $15, 0, 0, $17)`,
		joins, in.Message.From.Channel, in.Message.ID, in.person, in.message, in.hash, bit(in.first), string(in.Word), string(r),
		bit(in.counted && r == bot.Queued), ms(now), bit(in.plain), in.runes, turn, due, stand, string(in.decided))
	return err
}

// tail is the last message that waits of a person, and its job.
type tail struct {
	seq, job        int64
	received, began int64 // of the message, of the first of the job
	plain           bool
	texts, runes    int
	fence           int64
}

func (s *Store) last(ctx context.Context, tx *sql.Tx, person string) (t tail, err error) {
	_, err = found(s.row(ctx, tx, `SELECT m.seq, j.seq, m.received, j.received, m.plain, j.texts, j.runes, j.fence
		FROM inbox m JOIN inbox j ON j.seq = COALESCE(m.joins, m.seq)
		WHERE m.person = $1 AND m.done = 0 ORDER BY m.seq DESC LIMIT 1`, person),
		&t.seq, &t.job, &t.received, &t.began, &t.plain, &t.texts, &t.runes, &t.fence)
	return t, err
}

// takes reports whether in joins the job of t: a job that was handed out is
// closed, so that what is answered is what was handed out.
func (t tail) takes(in *arrived, now time.Time) bool {
	return t.plain && t.fence == 0 && t.texts < maxTexts && t.runes+1+in.runes <= maxRunes &&
		ms(now)-t.received <= in.Rules.Debounce.Milliseconds()
}
