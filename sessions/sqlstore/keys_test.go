package sqlstore_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"plumbline/bot"
	"plumbline/sessions/keyring"
	"plumbline/sessions/sqlstore"
)

// asPeople notes addresses as those of people who wrote.
func asPeople(t *testing.T, s *sqlstore.Store, addresses ...bot.Address) {
	t.Helper()
	for _, a := range addresses {
		b, err := json.Marshal(a)
		if err != nil {
			t.Fatal(err)
		}
		if err := s.Exec(t.Context(), "INSERT INTO people (person, channel, address) VALUES ($1, $2, $3)", s.Keys().Person(a), a.Channel, s.Keys().Seal(b)); err != nil {
			t.Fatal(err)
		}
	}
}

// put puts a session, a turn and an opt-out under the name of a.
func put(t *testing.T, s *sqlstore.Store, a bot.Address, persona string) {
	t.Helper()
	name := s.Keys().Person(a)
	if err := s.Update(t.Context(), name, func(s *bot.Session) error { s.Persona = persona; return nil }); err != nil {
		t.Fatal(err)
	}
	if err := s.Record(t.Context(), bot.Job{Person: name, Message: bot.Message{ID: persona + s.Keys().Mark(), From: a}}, bot.Outcome{}); err != nil {
		t.Fatal(err)
	}
	if err := s.Exec(t.Context(), "INSERT INTO consent (person, decision, at, cause, channel) VALUES ($1, 'opt_out', 0, 'stop', 'sms')", name); err != nil {
		t.Fatal(err)
	}
}

// kept is what stands under a name: the session's persona, turns and opt-outs.
func kept(t *testing.T, s *sqlstore.Store, name string) string {
	t.Helper()
	v, err := s.Load(t.Context(), name)
	if err != nil {
		t.Fatal(err)
	}
	list, err := s.Turns(t.Context(), bot.TurnFilter{Person: name})
	if err != nil {
		t.Fatal(err)
	}
	consent, err := s.Query(t.Context(), "SELECT decision FROM consent WHERE person = $1", name)
	if err != nil {
		t.Fatal(err)
	}
	return fmt.Sprint(v.Persona, " ", len(list), " ", len(consent))
}

// A rotation gives everyone whose address is known a new name, and seals
// everything anew; others stay under their old one. Whatever step it ends after,
// both files go together, and it can be done again.
func TestRotate(t *testing.T) {
	dir := t.TempDir()
	file, keys := filepath.Join(dir, "rotate.db"), filepath.Join(dir, "keys.json")
	reopen := func() *sqlstore.Store {
		t.Helper()
		o := options()
		var err error
		if o.Keys, err = keyring.Ensure(keys, noon); err != nil {
			t.Fatal(err)
		}
		o.Lost = func(err error) { t.Errorf("lost: %v", err) }
		return openFile(t, file, o)
	}
	s := reopen()
	asPeople(t, s, annAt)
	put(t, s, annAt, "known")
	put(t, s, bobAt, "unknown")
	annWas, bobWas := s.Keys().Person(annAt), s.Keys().Person(bobAt)
	check := func(when string, s *sqlstore.Store, key uint32) {
		t.Helper()
		if got := s.Keys().InUse().ID; got != key {
			t.Errorf("%s key %d is in use, want %d", when, got, key)
		}
		if got := kept(t, s, s.Keys().Person(annAt)); got != "known 1 1" {
			t.Errorf("%s under the name of one whose address is known stands %q", when, got)
		}
		if got := kept(t, s, bobWas); got != "unknown 1 1" {
			t.Errorf("%s under the old name of one whose address is gone stands %q", when, got)
		}
		if !slices.Contains(s.Keys().Persons(bobAt), bobWas) {
			t.Errorf("%s the old name is not found any more", when)
		}
	}
	check("at first", s, 1)

	// It ends before the key file is written: nothing has changed. It ends
	// after that, twice: the database still names the old key.
	for range 2 {
		if err := s.Keys().Rotate(noon).Write(keys); err != nil {
			t.Fatal(err)
		}
		s.Close()
		s = reopen()
		check("with a key only prepared", s, 1)
	}

	// It ends within the transaction: that is as if it had not begun.
	ring, err := keyring.Read(keys)
	if err != nil {
		t.Fatal(err)
	}
	if err := s.Exec(t.Context(), "CREATE TRIGGER fail BEFORE UPDATE ON ring BEGIN SELECT RAISE(ABORT, 'power cut'); END"); err != nil {
		t.Fatal(err)
	}
	if _, err := s.Rotate(t.Context(), ring); err == nil {
		t.Fatal("Rotate with a failing transaction is no error")
	}
	check("after a transaction that failed", s, 1)
	if err := s.Exec(t.Context(), "DROP TRIGGER fail"); err != nil {
		t.Fatal(err)
	}

	got, err := s.Rotate(t.Context(), ring)
	if want := (sqlstore.Rotated{Persons: 1, Sealed: 3}); err != nil || got != want {
		t.Errorf("Rotate = %+v, %v; want %+v", got, err, want)
	}
	s.Close()
	s = reopen()
	check("after it", s, 3)
	if got := kept(t, s, annWas); got != " 0 0" {
		t.Errorf("under the old name of one whose address is known stands %q", got)
	}
	uses, err := s.KeyUses(t.Context())
	if err != nil || uses[1] != (sqlstore.KeyUse{Persons: 1}) || uses[3] != (sqlstore.KeyUse{Persons: 1, Sealed: 3}) {
		t.Errorf("KeyUses = %+v, %v; want one name by key 1 and all else by key 3", uses, err)
	}
	if _, err := s.Rotate(t.Context(), ring); !errors.Is(err, bot.ErrInvalid) {
		t.Errorf("Rotate without a newer key = %v, want ErrInvalid", err)
	}
	if _, err := s.Rotate(t.Context(), keyring.New(noon).Rotate(noon)); !errors.Is(err, bot.ErrInvalid) {
		t.Errorf("Rotate to another ring = %v, want ErrInvalid", err)
	}

	// The one who was not known writes again, and is met with what was kept.
	if err := s.Adopt(t.Context(), s.Keys(), bobAt); err != nil {
		t.Fatal(err)
	}
	if got := kept(t, s, s.Keys().Person(bobAt)); got != "unknown 1 1" {
		t.Errorf("under the new name of one who wrote again stands %q", got)
	}
}

// What stands under a newer name counts, and both histories are kept.
func TestAdoptKeepsTheNewer(t *testing.T) {
	s := open(t)
	asPeople(t, s)
	put(t, s, annAt, "old")
	ring := s.Keys().Rotate(noon)
	name := ring.Person(annAt)
	if err := s.Update(t.Context(), name, func(s *bot.Session) error { s.Persona = "new"; return nil }); err != nil {
		t.Fatal(err)
	}
	for range 2 { // again changes nothing
		if err := s.Adopt(t.Context(), ring, annAt); err != nil {
			t.Fatal(err)
		}
		if got := kept(t, s, name); got != "new 1 1" {
			t.Errorf("after adopting stands %q, want the newer session and the older turn and opt-out", got)
		}
	}
	if got := kept(t, s, s.Keys().Person(annAt)); got != " 0 0" {
		t.Errorf("under the old name is left %q", got)
	}
}

// What no key opens does not stop a rotation.
func TestRotateReportsLost(t *testing.T) {
	o := options()
	lost := 0
	o.Lost = func(error) { lost++ }
	s := openFile(t, filepath.Join(t.TempDir(), "lost.db"), o)
	asPeople(t, s, annAt)
	put(t, s, annAt, "a")
	put(t, s, bobAt, "b")
	if err := s.Exec(t.Context(), "UPDATE sessions SET value = $1 WHERE person = $2", []byte("torn"), s.Keys().Person(bobAt)); err != nil {
		t.Fatal(err)
	}
	got, err := s.Rotate(t.Context(), s.Keys().Rotate(noon))
	if want := (sqlstore.Rotated{Persons: 1, Sealed: 2, Lost: 1}); err != nil || got != want || lost != 1 {
		t.Errorf("Rotate = %+v, %v, Lost told %d times; want %+v and once", got, err, lost, want)
	}
}

func TestRotateHeedsContext(t *testing.T) {
	s := open(t)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := s.Rotate(ctx, s.Keys().Rotate(noon)); !errors.Is(err, context.Canceled) {
		t.Errorf("Rotate with a cancelled context = %v", err)
	}
}

// Persons finds the names of all keys and of all threads of a user.
func TestPersons(t *testing.T) {
	s := open(t)
	thread := func(user, thread string) bot.Address {
		return bot.Address{Channel: "slack", User: user, Thread: thread}
	}
	asPeople(t, s, thread("T1/U1", "1"), thread("T1/U1", "2"), thread("T1/U2", "1"))
	got, err := s.Persons(t.Context(), thread("T1/U1", ""))
	var want []string
	for _, th := range []string{"", "1", "2"} {
		want = append(want, s.Keys().Person(thread("T1/U1", th)))
	}
	slices.Sort(want)
	if err != nil || !slices.Equal(got, want) {
		t.Errorf("Persons = %q, %v; want %q", got, err, want)
	}
	if got, err := s.Persons(t.Context(), thread("T1/U1", "1")); err != nil || !slices.Equal(got, []string{s.Keys().Person(thread("T1/U1", "1"))}) {
		t.Errorf("Persons of a thread = %q, %v; want its one name", got, err)
	}
}

// A rotation leaves nothing out: every column that names a person or is sealed
// is in its lists.
func TestRotationKnowsEveryColumn(t *testing.T) {
	s := open(t)
	columns, err := s.Query(t.Context(), `SELECT m.name || '.' || c.name || ' ' || c.type FROM sqlite_master m, pragma_table_info(m.name) c WHERE m.type = 'table'`)
	if err != nil || len(columns) == 0 {
		t.Fatal(columns, err)
	}
	for _, c := range columns {
		name, typ, _ := strings.Cut(c, " ")
		table, column, _ := strings.Cut(name, ".")
		switch {
		case column == "person" && !slices.Contains(sqlstore.Named(), table):
			t.Errorf("%s names a person and is not renamed in a rotation: add it to named", name)
		case typ == "BLOB" && name != "turns.detail" && !slices.Contains(sqlstore.Sealed(), name):
			t.Errorf("%s may be sealed and is not sealed anew in a rotation: add it to sealed", name)
		}
	}
}
