package sqlstore

import (
	"cmp"
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"strconv"

	"plumbline/bot"
	"plumbline/sessions/keyring"
)

// named are the tables whose column person holds the name of a person, empty
// once it is nobody's. Where a row o of the same person rules another out, as
// unique says, the one under the newer name counts, to which the statement add,
// if any, adds the other.
var named = []struct{ table, unique, add string }{
	{"sessions", "TRUE", ""}, {"turns", "", ""}, {"people", "TRUE", ""}, {"consent", "", ""}, {"inbox", "", ""}, {"outbox", "", ""},
	{"boxes", "o.key = boxes.key", ""}, {"costs", "o.day = costs.day", addCosts}, {"reservations", "", ""},
}

// sealed are the columns that hold sealed text, or NULL.
var sealed = []sealedColumn{
	{"sessions", "person", "value", false}, {"people", "person", "address", true}, {"inbox", "seq", "message", true}, {"outbox", "seq", "content", true}, {"boxes", "seq", "value", false},
}

type sealedColumn struct {
	table, id, column string
	address           bool // the text is JSON, and an address or something with one
}

// useKey brings that key into use which the database names. A new database
// takes the ring's newest.
func (s *Store) useKey(ctx context.Context) error {
	tx, err := s.write.BeginTx(ctx, nil)
	if err != nil {
		return err
	}
	defer func() { _ = tx.Rollback() }()
	var mark string
	err = tx.QueryRowContext(ctx, "SELECT mark FROM ring").Scan(&mark)
	if errors.Is(err, sql.ErrNoRows) {
		mark = s.opts.Keys.Last().Mark()
		_, err = tx.ExecContext(ctx, "INSERT INTO ring (mark) VALUES ($1)", mark)
	}
	if err != nil {
		return fmt.Errorf("read which key is in use: %w", err)
	}
	ring, err := s.opts.Keys.At(mark)
	if err != nil {
		return fmt.Errorf("the keys are not those of this database (%w): restore both from one backup: %w", err, bot.ErrInvalid)
	}
	s.opts.Keys = ring
	return tx.Commit()
}

// Rotated says what a rotation of keys did.
type Rotated struct {
	Persons int // who have a new name
	Sealed  int // texts that were sealed anew
	Lost    int // texts that no key opens; they stay as they are
}

// Rotate brings the newest key of ring into use: in one transaction, everything
// sealed is sealed with it, and everyone whose address is known gets the name
// that it makes. Others are still found by the old key. Write ring's key file
// before: until the transaction is on disk the database names the old key, and
// both are in the file. Nobody else may have the database open, and s is only
// closed after it. Its error wraps [bot.ErrInvalid] if ring lacks the key in
// use, or that is its newest.
func (s *Store) Rotate(ctx context.Context, ring *keyring.Ring) (r Rotated, err error) {
	if _, err := ring.At(s.opts.Keys.Mark()); err != nil {
		return r, fmt.Errorf("rotate keys: %w: %w", err, bot.ErrInvalid)
	}
	ring = ring.Last()
	if ring.Mark() == s.opts.Keys.Mark() {
		return r, fmt.Errorf("rotate keys: there is no newer key: %w", bot.ErrInvalid)
	}
	if r, err = s.rotate(ctx, ring); err != nil {
		return Rotated{}, fmt.Errorf("rotate keys: %w", kind(err))
	}
	return r, nil
}

// rotate has a transaction of its own: within a savepoint each of so many
// statements would cost more than the one before it.
func (s *Store) rotate(ctx context.Context, ring *keyring.Ring) (r Rotated, err error) {
	tx, err := s.write.BeginTx(ctx, nil)
	if err != nil {
		return r, err
	}
	defer func() { _ = tx.Rollback() }()
	for _, c := range sealed {
		if !c.address {
			continue
		}
		if err := rename(ctx, tx, ring, c, &r); err != nil {
			return r, fmt.Errorf("%s: %w", c.table, err)
		}
	}
	for _, c := range sealed {
		if err := s.reseal(ctx, tx, ring, c, &r); err != nil {
			return r, fmt.Errorf("%s: %w", c.table, err)
		}
	}
	if _, err := tx.ExecContext(ctx, "UPDATE ring SET mark = $1", ring.Mark()); err != nil {
		return r, err
	}
	return r, tx.Commit()
}

// rename gives new names to those whose addresses stand in a column.
func rename(ctx context.Context, tx *sql.Tx, ring *keyring.Ring, c sealedColumn, r *Rotated) error {
	done := map[string]bool{} // a person may have many rows
	return eachSealed(ctx, tx, c, func(_ any, text []byte) error {
		plain, err := ring.Open(text)
		if err != nil {
			return nil // reseal counts it
		}
		a := addressIn(plain)
		if name := ring.Person(a); a.User != "" && !done[name] {
			done[name] = true
			moved, err := adopt(ctx, tx, ring, a)
			if err != nil {
				return err
			}
			if moved {
				r.Persons++
			}
		}
		return nil
	})
}

// addressIn is the address that a sealed text held: it is an address, or a
// message from one, or a text to one.
func addressIn(plain []byte) bot.Address {
	var v struct {
		bot.Address
		From, To bot.Address
	}
	if err := json.Unmarshal(plain, &v); err != nil {
		return bot.Address{}
	}
	return cmp.Or(v.Address, v.From, v.To)
}

// recognise adopts what is kept of whoever writes from a, if they are known by
// an older name. An opt-out is kept when the address is not, and stands under
// the name by the key of its day: a rotation cannot find whose it is, only this.
func (s *Store) recognise(ctx context.Context, tx *sql.Tx, a bot.Address) error {
	for _, old := range s.opts.Keys.Persons(a)[1:] {
		var one int
		known, err := found(tx.QueryRowContext(ctx, "SELECT 1 FROM people WHERE person = $1", old), &one)
		if err != nil {
			return err
		}
		if known {
			_, err := adopt(ctx, tx, s.opts.Keys, a)
			return err
		}
	}
	return nil
}

// adopt puts what is kept under older names of whoever is at a under the name
// by the key in use, and reports whether there was anything.
func adopt(ctx context.Context, tx *sql.Tx, ring *keyring.Ring, a bot.Address) (moved bool, err error) {
	names := ring.Persons(a)
	for _, old := range names[1:] {
		for _, n := range named {
			if n.add != "" {
				if _, err := tx.ExecContext(ctx, n.add, names[0], old); err != nil {
					return false, err
				}
			}
			query := "UPDATE " + n.table + " SET person = $1 WHERE person = $2"
			if n.unique != "" {
				query += " AND NOT EXISTS (SELECT 1 FROM " + n.table + " o WHERE o.person = $1 AND " + n.unique + ")"
			}
			res, err := tx.ExecContext(ctx, query, names[0], old)
			if err != nil {
				return false, err
			}
			rows, err := res.RowsAffected()
			if err != nil {
				return false, err
			}
			moved = moved || rows > 0
			if n.unique != "" {
				if _, err := tx.ExecContext(ctx, "DELETE FROM "+n.table+" WHERE person = $1", old); err != nil {
					return false, err
				}
			}
		}
	}
	return moved, nil
}

// reseal seals the texts of a column with the key in use in ring.
func (s *Store) reseal(ctx context.Context, tx *sql.Tx, ring *keyring.Ring, c sealedColumn, r *Rotated) error {
	return eachSealed(ctx, tx, c, func(id any, text []byte) error {
		plain, err := ring.Open(text)
		if err != nil {
			r.Lost++
			s.lost(fmt.Errorf("seal %s anew: %w", c.table, err))
			return nil
		}
		r.Sealed++
		_, err = tx.ExecContext(ctx, "UPDATE "+c.table+" SET "+c.column+" = $1 WHERE "+c.id+" = $2", ring.Seal(plain), id)
		return err
	})
}

// eachSealed calls do with every text of a column that is not NULL, by its id.
func eachSealed(ctx context.Context, q querier, c sealedColumn, do func(id any, text []byte) error) error {
	type row struct {
		id   any
		text []byte
	}
	query := "SELECT " + c.id + ", " + c.column + " FROM " + c.table + " WHERE " + c.column + " IS NOT NULL"
	var last any
	for {
		if err := ctx.Err(); err != nil {
			return err
		}
		var args []any
		more := ""
		if last != nil {
			more, args = " AND "+c.id+" > $1", []any{last}
		}
		rows, err := q.QueryContext(ctx, query+more+" ORDER BY "+c.id+" LIMIT 500", args...)
		if err != nil {
			return err
		}
		var list []row
		for rows.Next() {
			var r row
			if err := rows.Scan(&r.id, &r.text); err != nil {
				return errors.Join(err, rows.Close())
			}
			list = append(list, r)
		}
		if err := errors.Join(rows.Err(), rows.Close()); err != nil {
			return err
		}
		if len(list) == 0 {
			return nil
		}
		for _, r := range list {
			if err := do(r.id, r.text); err != nil {
				return err
			}
		}
		last = list[len(list)-1].id
	}
}

// KeyUse counts what needs a key.
type KeyUse struct {
	Persons int // whose names it made
	Sealed  int // texts that it sealed
}

// KeyUses returns what needs each key, by the key's number.
func (s *Store) KeyUses(ctx context.Context) (map[uint32]KeyUse, error) {
	uses := map[uint32]KeyUse{}
	persons := map[string]bool{}
	for _, n := range named {
		err := s.each(ctx, "SELECT DISTINCT person FROM "+n.table, func(scan func(...any) error) error {
			var name string
			if err := scan(&name); err != nil {
				return err
			}
			if id, ok := keyring.NameKey(name); ok && !persons[name] {
				persons[name] = true
				u := uses[id]
				u.Persons++
				uses[id] = u
			}
			return nil
		})
		if err != nil {
			return nil, fmt.Errorf("count names in %s: %w", n.table, kind(err))
		}
	}
	for _, c := range sealed {
		query := fmt.Sprintf("SELECT hex(substr(%s, 1, 4)), count(*) FROM %s WHERE %[1]s IS NOT NULL GROUP BY 1", c.column, c.table)
		err := s.each(ctx, query, func(scan func(...any) error) error {
			var number string
			var n int
			if err := scan(&number, &n); err != nil {
				return err
			}
			id, err := strconv.ParseUint(number, 16, 32)
			if err != nil {
				return nil // not sealed by any key
			}
			u := uses[uint32(id)]
			u.Sealed += n
			uses[uint32(id)] = u
			return nil
		})
		if err != nil {
			return nil, fmt.Errorf("count texts in %s: %w", c.table, kind(err))
		}
	}
	return uses, nil
}

// each calls do with each row of a query.
func (s *Store) each(ctx context.Context, query string, do func(scan func(...any) error) error, args ...any) error {
	rows, err := s.read.QueryContext(ctx, query, args...)
	if err != nil {
		return err
	}
	defer func() { _ = rows.Close() }()
	for rows.Next() {
		if err := do(rows.Scan); err != nil {
			return err
		}
	}
	return rows.Err()
}
