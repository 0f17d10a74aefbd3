package sqlstore

import (
	"bytes"
	"compress/zlib"
	"context"
	"database/sql"
	"encoding/json"
	"fmt"
	"io"
	"strings"

	"plumbline/bot"
)

// A turn is a row of the record, ready to be written.
type turn struct {
	bot.TurnRecord
	said   []byte
	detail []byte // packed
}

// redacted makes the turn of j and o. That takes some milliseconds, so it is
// done before the transaction that writes it. There is none of one who asks to
// be forgotten.
func (s *Store) redacted(j bot.Job, o bot.Outcome) (*turn, error) {
	if o.Forget {
		return nil, nil
	}
	r := &turn{TurnRecord: s.turnOf(j, o)}
	var err error
	if r.said, err = json.Marshal(r.Said); err == nil {
		r.detail, err = pack(r.Detail)
	}
	if err != nil {
		return nil, fmt.Errorf("record turn: %w", err)
	}
	return r, nil
}

// record writes the turn of j, if there is one.
func (s *Store) record(ctx context.Context, tx *sql.Tx, j bot.Job, r *turn) error {
	if r == nil {
		return nil
	}
	id := r.ID
	for try := 0; ; try++ {
		n, err := s.exec(ctx, tx, `INSERT INTO turns
			(id, person, channel, received, finished, asked, said, word, status, route, language, persona, strategy, variant, pack, review, parked, detail)
			VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17, $18) ON CONFLICT (id) DO NOTHING`,
			id, j.Person, r.Channel, ms(r.Received), ms(r.Finished), r.Asked, string(r.said), string(r.Word), string(r.Status), string(r.Route),
			string(r.Language), r.Persona, string(r.Strategy), string(r.Variant), r.Pack, r.Review, r.Parked, r.detail)
		if err != nil {
			return fmt.Errorf("record turn: %w", err)
		}
		if n > 0 || try > 0 { // or this job has its turn
			return nil
		}
		id = fmt.Sprintf("%s@%s-%d", r.ID, r.Channel, j.Seq) // another channel's message has the same
	}
}

// turnOf is what the record keeps of j and o.
func (s *Store) turnOf(j bot.Job, o bot.Outcome) bot.TurnRecord {
	red := newRedactor(s.opts.Redact, j.Message)
	id := j.Message.ID
	if o.Answer != nil && o.Answer.ID != "" {
		id = o.Answer.ID
	}
	r := bot.TurnRecord{
		ID: red.id(id, j.Message.From, s.opts.Keys.Hash), Person: j.Person, Channel: j.Message.From.Channel, Received: j.Received, Finished: s.opts.Now(),
		Asked: red.asked, Said: []string{}, Word: j.Word, Review: red.words(o.Review), Parked: red.words(o.Parked),
	}
	for _, reply := range o.Replies {
		r.Said = append(r.Said, red.text(reply.Text))
		r.Language, r.Status = reply.Language, reply.Status
		if r.Review == "" {
			r.Review = red.words(reply.Review)
		}
	}
	a := o.Answer
	if a == nil {
		return r
	}
	r.Status, r.Route, r.Language, r.Persona, r.Strategy, r.Pack = a.Status, a.Route, a.Language, a.Persona, a.Strategy, a.Pack
	if r.Review == "" {
		r.Review = red.words(a.Reply.Review)
	}
	r.Detail = red.detail(bot.TurnDetail{More: a.Reply.More, Claims: a.Claims, Limitations: a.Limitations, Gaps: a.Gaps, Chunks: a.Chunks, Trace: a.Trace})
	if t := r.Detail.Trace; t != nil {
		r.Variant, t.Answer = t.Variant, r.ID
	}
	return r
}

// pack is d as it is stored.
func pack(d *bot.TurnDetail) ([]byte, error) {
	if d == nil {
		return nil, nil
	}
	var b bytes.Buffer
	w := zlib.NewWriter(&b)
	if err := json.NewEncoder(w).Encode(d); err != nil {
		return nil, err
	}
	if err := w.Close(); err != nil {
		return nil, err
	}
	return b.Bytes(), nil
}

// maxDetail is the most bytes of a detail that is read.
const maxDetail = 16 << 20

func unpack(b []byte) (*bot.TurnDetail, error) {
	if b == nil {
		return nil, nil
	}
	r, err := zlib.NewReader(bytes.NewReader(b))
	if err != nil {
		return nil, fmt.Errorf("%w: %w", bot.ErrInvalid, err)
	}
	d := new(bot.TurnDetail)
	if err := json.NewDecoder(io.LimitReader(r, maxDetail)).Decode(d); err != nil {
		return nil, fmt.Errorf("%w: %w", bot.ErrInvalid, err)
	}
	return d, nil
}

const turnColumns = `id, person, channel, received, finished, asked, said, word, status, route, language, persona, strategy, variant, pack, review, parked`

// scanTurn reads a row of turnColumns and detail.
func (s *Store) scanTurn(scan func(...any) error) (r bot.TurnRecord, err error) {
	var received, finished int64
	var said string
	var detail []byte
	err = scan(&r.ID, &r.Person, &r.Channel, &received, &finished, &r.Asked, &said, &r.Word, &r.Status, &r.Route, &r.Language,
		&r.Persona, &r.Strategy, &r.Variant, &r.Pack, &r.Review, &r.Parked, &detail)
	if err != nil {
		return r, err
	}
	r.Received, r.Finished = at(received), at(finished)
	if err := json.Unmarshal([]byte(said), &r.Said); err != nil {
		return r, fmt.Errorf("turn %s: %w: %w", r.ID, bot.ErrInvalid, err)
	}
	if r.Detail, err = unpack(detail); err != nil {
		return r, fmt.Errorf("turn %s: %w", r.ID, err)
	}
	return r, nil
}

// Turn returns a turn of the record with its detail. Its error wraps
// [bot.ErrNotFound] if there is none of that id.
func (s *Store) Turn(ctx context.Context, id string) (bot.TurnRecord, error) {
	r, err := s.scanTurn(s.read.QueryRowContext(ctx, "SELECT "+turnColumns+", detail FROM turns WHERE id = $1", id).Scan)
	if err != nil {
		return bot.TurnRecord{}, fmt.Errorf("read turn: %w", kind(err))
	}
	return r, nil
}

// Turns returns the turns of the record that f chooses, the last finished
// first. Its error wraps [bot.ErrNotFound] if f.Before is no turn.
func (s *Store) Turns(ctx context.Context, f bot.TurnFilter) ([]bot.TurnRecord, error) {
	var where []string
	var args []any
	want := func(cond string, arg any) { // cond has one %s
		args = append(args, arg)
		where = append(where, fmt.Sprintf(cond, fmt.Sprintf("$%d", len(args))))
	}
	if f.Person != "" {
		want("person = %s", f.Person)
	}
	if !f.Since.IsZero() {
		want("finished >= %s", ms(f.Since))
	}
	if !f.Until.IsZero() {
		want("finished < %s", ms(f.Until))
	}
	if f.Status != "" {
		want("status = %s", string(f.Status))
	}
	if f.Route != "" {
		want("route = %s", string(f.Route))
	}
	if f.Review {
		where = append(where, "review <> ''")
	}
	if f.Before != "" {
		var finished int64
		if err := s.read.QueryRowContext(ctx, "SELECT finished FROM turns WHERE id = $1", f.Before).Scan(&finished); err != nil {
			return nil, fmt.Errorf("read turns before another: %w", kind(err))
		}
		want("finished <= %s", finished)
		want("(finished, id) < ("+fmt.Sprint(finished)+", %s)", f.Before)
	}
	query := "SELECT " + turnColumns
	if f.Detail {
		query += ", detail"
	} else {
		query += ", NULL"
	}
	query += " FROM turns"
	if len(where) > 0 {
		query += " WHERE " + strings.Join(where, " AND ")
	}
	limit := f.Limit
	if limit <= 0 {
		limit = 100
	}
	args = append(args, limit)
	rows, err := s.read.QueryContext(ctx, fmt.Sprintf("%s ORDER BY finished DESC, id DESC LIMIT $%d", query, len(args)), args...)
	if err != nil {
		return nil, fmt.Errorf("read turns: %w", kind(err))
	}
	defer func() { _ = rows.Close() }()
	var list []bot.TurnRecord
	for rows.Next() {
		r, err := s.scanTurn(rows.Scan)
		if err != nil {
			return nil, fmt.Errorf("read turns: %w", kind(err))
		}
		list = append(list, r)
	}
	if err := rows.Err(); err != nil {
		return nil, fmt.Errorf("read turns: %w", kind(err))
	}
	return list, nil
}
