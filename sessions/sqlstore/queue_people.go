package sqlstore

import (
	"context"
	"database/sql"
	"fmt"
	"time"

	"plumbline/bot"
)

// person is what intake needs to know of who wrote.
type person struct {
	blocked  bool
	optedOut bool
	turn     int64 // the last that they were given
	served   int64 // the highest that was handed out to anyone
}

// meet notes that whoever sent in wrote, and returns what is known of them.
func (s *Store) meet(ctx context.Context, tx *sql.Tx, in *arrived, now time.Time) (p person, err error) {
	var until int64
	err = s.row(ctx, tx, `INSERT INTO people (person, channel, address, seen) VALUES ($1, $2, $3, $4)
		ON CONFLICT (person) DO UPDATE SET channel = excluded.channel, address = COALESCE(people.address, excluded.address), seen = excluded.seen
		RETURNING turn, blocked_why IS NOT NULL, blocked_until, (SELECT turn FROM served), opted_out`,
		in.person, in.Message.From.Channel, in.address, ms(now)).Scan(&p.turn, &p.blocked, &until, &p.served, &p.optedOut)
	p.blocked = p.blocked && (until == 0 || until > ms(now))
	return p, err
}

// A Block keeps a person's messages, but for urgent ones, from being answered.
type Block struct {
	Person string
	Why    string
	Until  time.Time // zero: until it is taken away
}

// Block blocks a person until a time, or with the zero time until [Store.Unblock].
// What waits already is still answered. A block that is there is replaced.
func (s *Store) Block(ctx context.Context, person, why string, until time.Time) error {
	if person == "" || why == "" {
		return fmt.Errorf("block person: a person and a reason are needed: %w", bot.ErrInvalid)
	}
	err := s.change(ctx, func(ctx context.Context, tx *sql.Tx) error {
		_, err := s.exec(ctx, tx, `INSERT INTO people (person, channel, blocked_why, blocked_until) VALUES ($1, '', $2, $3)
			ON CONFLICT (person) DO UPDATE SET blocked_why = excluded.blocked_why, blocked_until = excluded.blocked_until`, person, why, ms(until))
		return err
	})
	if err != nil {
		return fmt.Errorf("block person: %w", err)
	}
	return nil
}

// Unblock takes a block away. One that is not there is not an error.
func (s *Store) Unblock(ctx context.Context, person string) error {
	err := s.change(ctx, func(ctx context.Context, tx *sql.Tx) error {
		_, err := s.exec(ctx, tx, "UPDATE people SET blocked_why = NULL, blocked_until = 0 WHERE person = $1", person)
		return err
	})
	if err != nil {
		return fmt.Errorf("unblock person: %w", err)
	}
	return nil
}

// Blocks lists the blocks that hold.
func (s *Store) Blocks(ctx context.Context) ([]Block, error) {
	rows, err := s.read.QueryContext(ctx, `SELECT person, blocked_why, blocked_until FROM people
		WHERE blocked_why IS NOT NULL AND (blocked_until = 0 OR blocked_until > $1) ORDER BY person`, ms(s.opts.Now()))
	if err != nil {
		return nil, fmt.Errorf("list blocks: %w", kind(err))
	}
	defer func() { _ = rows.Close() }()
	var list []Block
	for rows.Next() {
		var b Block
		var until int64
		if err := rows.Scan(&b.Person, &b.Why, &until); err != nil {
			return nil, fmt.Errorf("list blocks: %w", kind(err))
		}
		b.Until = at(until)
		list = append(list, b)
	}
	if err := rows.Err(); err != nil {
		return nil, fmt.Errorf("list blocks: %w", kind(err))
	}
	return list, nil
}

// decide enters what a person decided into the ledger and lets it hold: after
// an opt-out what waits for the person fails. What holds already is not entered.
func (s *Store) decide(ctx context.Context, tx *sql.Tx, person string, c bot.Consent, cause, channel string, now time.Time) error {
	if c != bot.OptOut && c != bot.OptIn {
		return fmt.Errorf("decide: there is no consent %q: %w", c, bot.ErrInvalid)
	}
	out, err := s.isOut(ctx, tx, person)
	if err != nil || out == (c == bot.OptOut) {
		return err
	}
	_, err = s.exec(ctx, tx, "INSERT INTO consent (person, decision, at, cause, channel) VALUES ($1, $2, $3, $4, $5)",
		person, string(c), ms(now), cause, channel)
	if err != nil {
		return err
	}
	_, err = s.exec(ctx, tx, `INSERT INTO people (person, channel, opted_out) VALUES ($1, $2, $3)
		ON CONFLICT (person) DO UPDATE SET opted_out = excluded.opted_out`, person, channel, bit(c == bot.OptOut))
	if err != nil || c == bot.OptIn {
		return err
	}
	_, err = s.exec(ctx, tx, `UPDATE outbox SET state = 'failed', why = '`+optedOut+`', content = NULL, done = 1, stand = 0, leased = 0,
			finished = $1, person = CASE erase WHEN 1 THEN '' ELSE person END
		WHERE person = $2 AND done = 0 AND despite = 0 AND (leased = 0 OR due <= $1)`, ms(now), person)
	if err != nil {
		return err
	}
	return s.lineUpTexts(ctx, tx, person)
}

// Decide implements [bot.ConsentBook].
func (s *Store) Decide(ctx context.Context, person, channel string, c bot.Consent, cause string) error {
	if person == "" || cause == "" {
		return fmt.Errorf("enter consent: it has no person or no cause: %w", bot.ErrInvalid)
	}
	err := s.change(ctx, func(ctx context.Context, tx *sql.Tx) error {
		return s.decide(ctx, tx, person, c, cause, channel, s.opts.Now())
	})
	if err != nil {
		return fmt.Errorf("enter consent: %w", err)
	}
	return nil
}

// Decisions implements [bot.ConsentBook].
func (s *Store) Decisions(ctx context.Context, person string) (list []bot.Decision, err error) {
	err = s.each(ctx, "SELECT person, channel, decision, cause, at FROM consent WHERE $1 = '' OR person = $1 ORDER BY seq", func(scan func(...any) error) error {
		var d bot.Decision
		var when int64
		if err := scan(&d.Person, &d.Channel, &d.Consent, &d.Cause, &when); err != nil {
			return err
		}
		d.At = at(when)
		list = append(list, d)
		return nil
	}, person)
	if err != nil {
		return nil, fmt.Errorf("list consent: %w", kind(err))
	}
	return list, nil
}

// optedOut is why a text to a person who opted out fails.
const optedOut = "opted out"

// erase drops all that is known of a person but what they decided about
// hearing from us. Messages and texts that wait are still answered and sent;
// once they are, nothing says whose they were.
func (s *Store) erase(ctx context.Context, tx *sql.Tx, person string) error {
	for _, query := range []string{
		"UPDATE inbox SET person = '', hash = '', word = '', message = NULL, done = 1 WHERE person = $1 AND done <> 0",
		"UPDATE outbox SET person = '' WHERE person = $1 AND done = 1",
		"UPDATE outbox SET erase = 1 WHERE person = $1",
		"DELETE FROM turns WHERE person = $1",
		"DELETE FROM sessions WHERE person = $1",
		"DELETE FROM boxes WHERE person = $1",
		"DELETE FROM costs WHERE person = $1 AND person <> ''", // in the sum of all it stays
		"UPDATE reservations SET person = '' WHERE person = $1",
		"DELETE FROM people WHERE person = $1 AND opted_out = 0",
		`UPDATE people SET channel = '', address = NULL, told = 0, blocked_why = NULL, blocked_until = 0, turn = 0, seen = 0 WHERE person = $1`,
	} {
		if _, err := s.exec(ctx, tx, query, person); err != nil {
			return err
		}
	}
	return nil
}
