package sqlstore

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"time"

	"plumbline/bot"
)

// A letter is a text on its way into the outbox.
type letter struct {
	bot.Delivery
	despite bool // it goes to a person who opted out, for it says so
	erase   bool // nothing says whose it was once it is sent
}

// content is what of a text is sealed.
type content struct {
	To       bot.Address
	Text     string
	Language bot.Language
	Answer   string     `json:",omitempty"`
	Status   bot.Status `json:",omitempty"`
	Offers   []bot.Word `json:",omitempty"`
}

// compose adds a text. One to a person who opted out is failed at once. The
// caller lines the person's texts up.
func (s *Store) compose(ctx context.Context, tx *sql.Tx, l letter) error {
	sealed, err := s.seal(content{l.To, l.Text, l.Language, l.Answer, l.Status, l.Offers})
	if err != nil {
		return err
	}
	var out bool
	if !l.despite {
		if out, err = s.isOut(ctx, tx, l.Person); err != nil {
			return err
		}
	}
	state, why, finished := bot.Composed, "", int64(0)
	if out {
		state, why, finished, sealed = bot.Failed, optedOut, ms(l.Composed), nil
	}
	_, err = s.exec(ctx, tx, `INSERT INTO outbox
		(key, person, channel, content, urgent, unasked, despite, erase, composed, asked, state, due, stand, wake, done, why, finished, expires)
		VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $9, 0, $9, $12, $13, $14, $15) ON CONFLICT (key) DO NOTHING`,
		l.Key, l.Person, l.To.Channel, sealed, bit(l.Urgent), bit(l.Unasked), bit(l.despite), bit(l.erase), ms(l.Composed), ms(l.Asked),
		string(state), bit(out), why, finished, ms(l.Expires))
	return err
}

func (s *Store) isOut(ctx context.Context, tx *sql.Tx, person string) (out bool, err error) {
	_, err = found(s.row(ctx, tx, "SELECT opted_out FROM people WHERE person = $1", person), &out)
	return out, err
}

// Post implements [bot.Outbox]. A text to a person who opted out fails at once,
// which is not an error: [Store.Delivery] tells.
func (s *Store) Post(ctx context.Context, d bot.Delivery) error {
	if d.Key == "" || d.Person == "" || d.Text == "" || d.To.Channel == "" {
		return fmt.Errorf("post text: it has no key, person, text or channel: %w", bot.ErrInvalid)
	}
	err := s.change(ctx, func(ctx context.Context, tx *sql.Tx) error {
		d.Composed = s.opts.Now()
		if err := s.compose(ctx, tx, letter{Delivery: d}); err != nil {
			return err
		}
		return s.lineUpTexts(ctx, tx, d.Person)
	})
	if err != nil {
		return fmt.Errorf("post text: %w", err)
	}
	wake(s.outboxReady)
	return nil
}

// Take implements [bot.Outbox]. An urgent text does not wait for one of its
// person that is in hand and is not urgent, and one that nobody asked for and
// that is held back keeps no answer waiting.
func (s *Store) Take(ctx context.Context, channels []string, l bot.Lease) (d bot.Delivery, err error) {
	var more, none bool
	err = s.change(ctx, func(ctx context.Context, tx *sql.Tx) error {
		for {
			seq, n, err := s.firstText(ctx, tx, channels, l)
			if err != nil {
				return err
			}
			if more, none = n > 1, n == 0; none {
				return nil
			}
			d, err = s.handText(ctx, tx, seq, l)
			if !errors.Is(err, errUnreadable) && !errors.Is(err, errOut) && !errors.Is(err, errLate) {
				return err
			}
			if err := s.closeText(ctx, tx, seq, bot.Failed, err.Error(), "", l.Now); err != nil {
				return err
			}
		}
	})
	if err != nil {
		return bot.Delivery{}, fmt.Errorf("hand out text: %w", err)
	}
	if none {
		return bot.Delivery{}, fmt.Errorf("hand out text: nothing is due: %w", bot.ErrNotFound)
	}
	if more {
		wake(s.outboxReady)
	}
	return d, nil
}

// Why a text is not handed out: its person opted out, or it is too late for it.
var (
	errOut  = errors.New(optedOut)
	errLate = errors.New(tooLate)
)

// tooLate is why a text fails that was not to go out any more.
const tooLate = "too late"

// firstText returns the text to hand out, and how many there are: two stand
// for any number.
func (s *Store) firstText(ctx context.Context, tx *sql.Tx, channels []string, l bot.Lease) (first int64, n int, err error) {
	query := "SELECT urgent, seq FROM outbox WHERE stand = 2 AND channel = $1"
	if l.Urgent {
		query += " AND urgent = 1"
	}
	var best bool
	for _, c := range channels {
		if _, err := s.exec(ctx, tx, promoteTexts, ms(l.Now), c); err != nil {
			return 0, 0, err
		}
		rows, err := s.rows(ctx, tx, query+" ORDER BY urgent DESC, seq LIMIT 2", c)
		if err != nil {
			return 0, 0, err
		}
		for ; rows.Next(); n++ {
			var urgent bool
			var seq int64
			if err := rows.Scan(&urgent, &seq); err != nil {
				_ = rows.Close()
				return 0, 0, err
			}
			if n == 0 || urgent && !best || urgent == best && seq < first {
				first, best = seq, urgent
			}
		}
		if err := rows.Err(); err != nil {
			return 0, 0, err
		}
	}
	return first, n, nil
}

// handText leases a text. It returns errUnreadable or errOut if it is not to
// be sent.
func (s *Store) handText(ctx context.Context, tx *sql.Tx, seq int64, l bot.Lease) (d bot.Delivery, err error) {
	d.Seq = seq
	var despite bool
	var sealed []byte
	var composed, asked, tried, expires int64
	// What is leased still was not told of when the lease ended.
	err = s.row(ctx, tx, `UPDATE outbox SET tried = CASE leased WHEN 1 THEN taken ELSE tried END,
			leased = 1, owner = $1, fence = fence + 1, tries = tries + 1, taken = $2, due = $3, wake = $3, stand = 1, state = 'sending'
		WHERE seq = $4 RETURNING key, fence, tries, person, content, urgent, unasked, despite, composed, asked, tried, expires`,
		l.Owner, ms(l.Now), ms(l.Until), seq).
		Scan(&d.Key, &d.Fence, &d.Tries, &d.Person, &sealed, &d.Urgent, &d.Unasked, &despite, &composed, &asked, &tried, &expires)
	if err != nil {
		return d, err
	}
	if expires > 0 && expires <= ms(l.Now) {
		return d, errLate
	}
	if !despite {
		out, err := s.isOut(ctx, tx, d.Person)
		if err != nil {
			return d, err
		}
		if out {
			return d, errOut
		}
	}
	var c content
	if err := s.unseal(sealed, &c); err != nil {
		return d, errUnreadable
	}
	d.To, d.Text, d.Language = c.To, c.Text, c.Language
	d.Answer, d.Status, d.Offers = c.Answer, c.Status, c.Offers
	d.Composed, d.Asked, d.Expires, d.LastTried, d.Tried = at(composed), at(asked), at(expires), at(tried), tried > 0
	return d, s.lineUpTexts(ctx, tx, d.Person)
}

// lineUpTexts lets the first urgent text of a person, the first answer and the
// first that nobody asked for be handed out when they are due and nothing that
// goes before them is in hand or waits. What is in hand is always one of them.
func (s *Store) lineUpTexts(ctx context.Context, tx *sql.Tx, person string) error {
	rows, err := s.rows(ctx, tx, `SELECT seq, urgent, unasked, due, leased FROM outbox WHERE seq IN (
			SELECT min(seq) FROM outbox WHERE person = $1 AND done = 0 AND urgent = 1
			UNION ALL SELECT min(seq) FROM outbox WHERE person = $1 AND done = 0 AND urgent = 0 AND unasked = 0
			UNION ALL SELECT min(seq) FROM outbox WHERE person = $1 AND done = 0 AND urgent = 0 AND unasked = 1)`, person)
	if err != nil {
		return err
	}
	type text struct {
		seq, due                int64
		urgent, unasked, leased bool
	}
	var line []text
	for rows.Next() {
		var t text
		if err := rows.Scan(&t.seq, &t.urgent, &t.unasked, &t.due, &t.leased); err != nil {
			_ = rows.Close()
			return err
		}
		line = append(line, t)
	}
	if err := rows.Err(); err != nil {
		return err
	}
	for _, t := range line {
		wake, stand := t.due, held
		for _, o := range line {
			switch {
			case o.seq == t.seq || t.urgent && !o.urgent:
			case o.urgent && !t.urgent, o.leased:
				wake = max(wake, o.due)
			case t.unasked && o.seq < t.seq:
				stand = behind
			}
		}
		_, err := s.exec(ctx, tx, "UPDATE outbox SET stand = $1, wake = $2 WHERE seq = $3", stand, wake, t.seq)
		if err != nil {
			return err
		}
	}
	return nil
}

// ownText returns whose the text d is if it is still its holder's, else
// [bot.ErrConflict].
func (s *Store) ownText(ctx context.Context, tx *sql.Tx, d bot.Delivery) (person string, despite bool, err error) {
	ours, err := found(s.row(ctx, tx, "SELECT person, despite FROM outbox WHERE seq = $1 AND fence = $2 AND leased = 1 AND done = 0",
		d.Seq, d.Fence), &person, &despite)
	if err == nil && !ours {
		err = fmt.Errorf("another has it, or it is finished: %w", bot.ErrConflict)
	}
	return person, despite, err
}

// closeText ends a text and drops its words.
func (s *Store) closeText(ctx context.Context, tx *sql.Tx, seq int64, state bot.DeliveryState, why, vendorID string, now time.Time) error {
	var person string
	if err := s.row(ctx, tx, "SELECT person FROM outbox WHERE seq = $1", seq).Scan(&person); err != nil {
		return err
	}
	_, err := s.exec(ctx, tx, `UPDATE outbox SET state = $1, why = $2, vendor = $3, finished = $4, done = 1, content = NULL,
			leased = 0, owner = '', stand = 0, person = CASE erase WHEN 1 THEN '' ELSE person END
		WHERE seq = $5`, string(state), why, vendorID, ms(now), seq)
	if err != nil {
		return err
	}
	return s.lineUpTexts(ctx, tx, person)
}

// Accept implements [bot.Outbox].
func (s *Store) Accept(ctx context.Context, d bot.Delivery, vendorID string) error {
	return s.end(ctx, d, bot.Accepted, "", vendorID)
}

// Fail implements [bot.Outbox].
func (s *Store) Fail(ctx context.Context, d bot.Delivery, why string) error {
	return s.end(ctx, d, bot.Failed, why, "")
}

func (s *Store) end(ctx context.Context, d bot.Delivery, state bot.DeliveryState, why, vendorID string) error {
	err := s.change(ctx, func(ctx context.Context, tx *sql.Tx) error {
		if _, _, err := s.ownText(ctx, tx, d); err != nil {
			if state == bot.Accepted && vendorID != "" {
				var one int
				if told, e := found(s.row(ctx, tx, "SELECT 1 FROM outbox WHERE seq = $1 AND vendor = $2 AND done = 1", d.Seq, vendorID), &one); told || e != nil {
					return e // the vendor itself told before us
				}
			}
			return err
		}
		return s.closeText(ctx, tx, d.Seq, state, why, vendorID, s.opts.Now())
	})
	if err != nil {
		return fmt.Errorf("note text %d as %s: %w", d.Seq, state, err)
	}
	wake(s.outboxReady)
	return nil
}

// Again implements [bot.Outbox]. If the person opted out meanwhile the text
// has failed.
func (s *Store) Again(ctx context.Context, d bot.Delivery, when time.Time, why string) error {
	var tried int64
	if d.Tried {
		tried = ms(d.LastTried)
	}
	err := s.change(ctx, func(ctx context.Context, tx *sql.Tx) error {
		person, despite, err := s.ownText(ctx, tx, d)
		if err != nil {
			return err
		}
		out, err := s.isOut(ctx, tx, person)
		if err != nil {
			return err
		}
		if out && !despite {
			return s.closeText(ctx, tx, d.Seq, bot.Failed, optedOut, "", s.opts.Now())
		}
		_, err = s.exec(ctx, tx, `UPDATE outbox SET leased = 0, owner = '', due = $1, why = $2, tried = CASE WHEN $3 > tried THEN $3 ELSE tried END WHERE seq = $4`,
			ms(when), why, tried, d.Seq)
		if err != nil {
			return err
		}
		return s.lineUpTexts(ctx, tx, person)
	})
	if err != nil {
		return fmt.Errorf("return text %d: %w", d.Seq, err)
	}
	wake(s.outboxReady)
	return nil
}

// Settle implements [bot.Outbox].
func (s *Store) Settle(ctx context.Context, v bot.Settlement) error {
	if v.State != bot.Accepted && v.State != bot.Delivered && v.State != bot.Failed {
		return fmt.Errorf("settle text: a vendor does not tell %q: %w", v.State, bot.ErrInvalid)
	}
	if v.Channel == "" || v.VendorID == "" {
		return fmt.Errorf("settle text: it has no channel or no vendor's name: %w", bot.ErrInvalid)
	}
	woke := false
	err := s.change(ctx, func(ctx context.Context, tx *sql.Tx) (err error) {
		woke, err = s.settle(ctx, tx, v)
		return err
	})
	if err != nil {
		return fmt.Errorf("settle text: %w", err)
	}
	if woke {
		wake(s.outboxReady)
	}
	return nil
}

func (s *Store) settle(ctx context.Context, tx *sql.Tx, v bot.Settlement) (closed bool, err error) {
	where, name := "vendor = $2", v.VendorID
	if v.Key != "" {
		where, name = "key = $2", v.Key
	}
	var seq int64
	var person, vendor string
	var done bool
	err = s.row(ctx, tx, "SELECT seq, person, vendor, done FROM outbox WHERE channel = $1 AND "+where+" LIMIT 1", v.Channel, name).
		Scan(&seq, &person, &vendor, &done)
	if err != nil {
		return false, err
	}
	now := s.opts.Now()
	switch {
	case !done:
		if err := s.closeText(ctx, tx, seq, bot.Accepted, "", v.VendorID, now); err != nil {
			return false, err
		}
		closed = true
	case vendor == "": // it had failed for us, and the vendor has it all the same
		if _, err := s.exec(ctx, tx, "UPDATE outbox SET vendor = $1, state = 'accepted', why = '' WHERE seq = $2", v.VendorID, seq); err != nil {
			return false, err
		}
	case vendor != v.VendorID:
		return false, fmt.Errorf("the vendor took it twice: %w", bot.ErrConflict)
	}
	if v.State != bot.Accepted {
		_, err = s.exec(ctx, tx, "UPDATE outbox SET state = $1, why = $2, delivered = $3 WHERE seq = $4 AND state = 'accepted'",
			string(v.State), v.Why, ms(now), seq)
	}
	if err != nil || !v.OptedOut || person == "" {
		return closed, err
	}
	return closed, s.decide(ctx, tx, person, bot.OptOut, "vendor "+v.Why, v.Channel, now)
}

// Known implements [bot.Outbox].
func (s *Store) Known(ctx context.Context, channel, vendorID string) (bool, error) {
	var one int
	known, err := found(s.read.QueryRowContext(ctx, "SELECT 1 FROM outbox WHERE channel = $1 AND vendor = $2 AND vendor <> '' LIMIT 1", channel, vendorID), &one)
	if err != nil {
		return false, fmt.Errorf("look for a vendor's text: %w", kind(err))
	}
	return known, nil
}

// MaySend implements [bot.Outbox].
func (s *Store) MaySend(ctx context.Context, d bot.Delivery) error {
	var despite, out bool
	ours, err := found(s.read.QueryRowContext(ctx, `SELECT despite, COALESCE((SELECT opted_out FROM people p WHERE p.person = o.person), 0) FROM outbox o
		WHERE seq = $1 AND fence = $2 AND leased = 1 AND done = 0`, d.Seq, d.Fence), &despite, &out)
	switch {
	case err != nil:
		return fmt.Errorf("check text %d: %w", d.Seq, kind(err))
	case !ours:
		return fmt.Errorf("check text %d: another has it, or it is finished: %w", d.Seq, bot.ErrConflict)
	case out && !despite:
		return fmt.Errorf("check text %d: %w", d.Seq, bot.ErrOptedOut)
	}
	return nil
}

// Delivery tells how far the text called key got, and why it is there if that
// is not plain. It returns [bot.ErrNotFound] if it is not known.
func (s *Store) Delivery(ctx context.Context, key string) (state bot.DeliveryState, why string, err error) {
	err = s.read.QueryRowContext(ctx, "SELECT state, why FROM outbox WHERE key = $1", key).Scan(&state, &why)
	if err != nil {
		return "", "", fmt.Errorf("read state of text: %w", kind(err))
	}
	return state, why, nil
}

// Backlog implements [bot.Outbox].
func (s *Store) Backlog(ctx context.Context, now time.Time) (bot.Depth, error) {
	return s.depth(ctx, "outbox", "composed", now)
}
