package sqlstore_test

import (
	"context"
	"errors"
	"path/filepath"
	"slices"
	"sync/atomic"
	"testing"
	"time"

	"plumbline/bot"
	"plumbline/sessions/budgettest"
	"plumbline/sessions/keyring"
	"plumbline/sessions/sqlstore"
)

// A ledger is that of a store, as the contract wants it.
type ledger struct {
	*sqlstore.Ledger
	store *sqlstore.Store
	now   *time.Time // of the store
}

func (l ledger) Erase(ctx context.Context, person string) error {
	_, err := l.store.Erase(ctx, []string{person})
	return err
}

func (l ledger) Sweep(ctx context.Context, now time.Time) error {
	*l.now = now
	_, err := l.store.Retain(ctx, sqlstore.Policy{})
	return err
}

func openLedger(t *testing.T, file string, keys *keyring.Ring) ledger {
	now := noon
	s := openAt(t, file, func() time.Time { return now }, keys)
	return ledger{s.Ledger(), s, &now}
}

func TestLedger(t *testing.T) {
	budgettest.Run(t, func(t *testing.T) budgettest.Store {
		return openLedger(t, filepath.Join(t.TempDir(), "p.db"), keyring.New(noon))
	})
}

// TestLedgerOutlivesRestarts has each call made by another process than the one
// before it.
func TestLedgerOutlivesRestarts(t *testing.T) {
	budgettest.Rules(t, func(t *testing.T) budgettest.Store {
		file, keys := filepath.Join(t.TempDir(), "p.db"), keyring.New(noon)
		var last *sqlstore.Store
		return each(func() ledger {
			if last != nil {
				must(t, last.Close())
			}
			l := openLedger(t, file, keys)
			last = l.store
			return l
		})
	})
}

// TestLedgerOfTwoProcesses has calls made by two processes in turn, and those at
// once by both.
func TestLedgerOfTwoProcesses(t *testing.T) {
	budgettest.Run(t, func(t *testing.T) budgettest.Store {
		file, keys := filepath.Join(t.TempDir(), "p.db"), keyring.New(noon)
		both := []ledger{openLedger(t, file, keys), openLedger(t, file, keys)}
		var n atomic.Int64
		return each(func() ledger { return both[n.Add(1)%2] })
	})
}

// each is a store that gets another ledger for each call.
type each func() ledger

func (e each) Reserve(ctx context.Context, person string, at time.Time, want bot.Amount, caps bot.Caps) (bot.Reservation, error) {
	return e().Reserve(ctx, person, at, want, caps)
}

func (e each) Settle(ctx context.Context, r bot.Reservation, cost bot.Amount) (before, after bot.Sums, err error) {
	return e().Settle(ctx, r, cost)
}

func (e each) Spent(ctx context.Context, person string, at time.Time) (bot.Sums, error) {
	return e().Spent(ctx, person, at)
}

func (e each) Erase(ctx context.Context, person string) error { return e().Erase(ctx, person) }

func (e each) Sweep(ctx context.Context, now time.Time) error { return e().Sweep(ctx, now) }

func reserve(t *testing.T, s *sqlstore.Store, person string, tokens int64) bot.Reservation {
	t.Helper()
	r, err := s.Ledger().Reserve(t.Context(), person, noon, bot.Amount{Tokens: tokens}, bot.Caps{})
	must(t, err)
	return r
}

func spent(t *testing.T, s *sqlstore.Store, person string) (personal, deployment int64) {
	t.Helper()
	v, err := s.Ledger().Spent(t.Context(), person, noon)
	must(t, err)
	return v.Person.Spent.Tokens, v.Day.Spent.Tokens
}

// Whoever has a new name, by a new key, has spent what they had, and what was
// set aside for them is settled as theirs.
func TestRotationKeepsCosts(t *testing.T) {
	s := open(t)
	asPeople(t, s, annAt)
	was := s.Keys().Person(annAt)
	r := reserve(t, s, was, 40)
	ring := s.Keys().Rotate(noon)
	name := ring.Person(annAt)
	reserve(t, s, name, 3) // by someone who had the new key already
	if _, err := s.Ledger().Reserve(t.Context(), was, noon.Add(24*time.Hour), bot.Amount{Tokens: 5}, bot.Caps{}); err != nil {
		t.Fatal(err)
	}
	_, err := s.Rotate(t.Context(), ring)
	must(t, err)
	for range 2 { // adopting again adds nothing
		if p, d := spent(t, s, name); p != 43 || d != 43 {
			t.Errorf("after the rotation %d and %d tokens are spent, want 43 and 43", p, d)
		}
		must(t, s.Adopt(t.Context(), ring, annAt))
	}
	if p, d := spent(t, s, was); p != 0 || d != 43 {
		t.Errorf("under the old name %d and %d tokens are spent, want 0 and 43", p, d)
	}
	v, err := s.Ledger().Spent(t.Context(), name, noon)
	if want := (bot.Amount{Tokens: 40}); err != nil || v.Person.Peak != want {
		t.Errorf("peak after the rotation = %v, %v, want the higher of the two, %v", v.Person.Peak, err, want)
	}
	if v, err = s.Ledger().Spent(t.Context(), name, noon.Add(24*time.Hour)); err != nil || v.Person.Spent.Tokens != 5 {
		t.Errorf("on the next day %v, %v are spent, want 5 tokens", v.Person.Spent, err)
	}
	if _, after, err := s.Ledger().Settle(t.Context(), r, bot.Amount{Tokens: 10}); err != nil || after.Person.Spent.Tokens != 13 {
		t.Errorf("settled after the rotation %v, %v are spent, want 13 tokens", after.Person.Spent, err)
	}
}

// FORGET leaves no name in the ledger, nor on disk.
func TestForgetLeavesCostsOfNobody(t *testing.T) {
	file := filepath.Join(t.TempDir(), "p.db")
	s := openAt(t, file, func() time.Time { return noon }, keyring.New(noon))
	reserve(t, s, annHash, 40)
	reserve(t, s, "bob", 2)
	if _, err := s.Ledger().Reserve(t.Context(), "bob", noon, bot.Amount{Tokens: 1}, bot.Caps{Person: bot.Amount{Tokens: 2}}); !errors.Is(err, bot.ErrExhausted) {
		t.Fatalf("Reserve past the cap = %v, want ErrExhausted", err) // and no row of it
	}
	must(t, s.Finish(t.Context(), one(t, s, "m1", "FORGET", bot.WordForget), bot.Outcome{Forget: true}))
	db := raw(t, file)
	const query = "SELECT person || ' ' || tokens FROM costs UNION ALL SELECT person || ' ' || tokens FROM reservations ORDER BY 1"
	if got, want := rows(t, db, query), []string{" 40", " 42", "bob 2", "bob 2"}; !slices.Equal(got, want) {
		t.Errorf("costs and reservations after FORGET = %q, want %q", got, want)
	}
}

// Sums and reservations do not pile up, a dry run leaves them, and what the
// record keeps makes no difference.
func TestRetainSweepsCosts(t *testing.T) {
	now := noon
	file := filepath.Join(t.TempDir(), "p.db")
	s := openAt(t, file, func() time.Time { return now }, keyring.New(noon))
	for i := range 40 {
		now = noon.AddDate(0, 0, i)
		if _, err := s.Ledger().Reserve(t.Context(), "ann", now, bot.Amount{Tokens: 1}, bot.Caps{}); err != nil {
			t.Fatal(err)
		}
	}
	db := raw(t, file)
	for _, tt := range []struct {
		p    sqlstore.Policy
		want string
	}{{sqlstore.Policy{DryRun: true}, "40 40 40"}, {sqlstore.Policy{}, "35 2 2"}, {sqlstore.Policy{Record: time.Hour, Sessions: time.Hour}, "35 2 2"}} {
		if got, err := s.Retain(t.Context(), tt.p); err != nil || got != (sqlstore.Retained{}) {
			t.Errorf("Retain(%+v) = %+v, %v, want nothing counted", tt.p, got, err)
		}
		const query = `SELECT (SELECT count(*) FROM costs WHERE person = '') || ' ' || (SELECT count(*) FROM costs WHERE person <> '') || ' ' || (SELECT count(*) FROM reservations)`
		if got := rows(t, db, query); got[0] != tt.want {
			t.Errorf("after Retain(%+v) days, persons and reservations = %q, want %q", tt.p, got, tt.want)
		}
	}
}

// A closed store refuses; nobody is answered by a model that is not paid for.
func TestLedgerOfClosedStore(t *testing.T) {
	s := open(t)
	must(t, s.Close())
	if _, err := s.Ledger().Reserve(t.Context(), "ann", noon, bot.Amount{Tokens: 1}, bot.Caps{}); !errors.Is(err, bot.ErrUnavailable) {
		t.Errorf("Reserve in a closed store = %v, want ErrUnavailable", err)
	}
}
