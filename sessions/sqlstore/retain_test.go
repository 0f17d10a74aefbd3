package sqlstore_test

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"
	"time"

	"plumbline/bot"
	"plumbline/sessions/sqlstore"
)

// receive has a message of one person's finished with o, the way the service does.
func receive(t *testing.T, s *sqlstore.Store, id, text string, word bot.Word, o bot.Outcome, before func()) {
	t.Helper()
	now := s.Now()
	person := s.Keys().Person(annAt)
	r, err := s.Put(t.Context(), person, bot.Arrival{Message: bot.Message{ID: id, From: annAt, Text: text, At: now}, Word: word})
	if err != nil || r != bot.Queued {
		t.Fatalf("Put(%s) = %s, %v", id, r, err)
	}
	before()
	j, err := s.Next(t.Context(), bot.Lease{Owner: "test", Now: now, Until: now.Add(time.Minute)})
	if err != nil || j.Message.Text != text {
		t.Fatalf("Next = %q, %v; want %s", j.Message.ID, err, id)
	}
	if err := s.Finish(t.Context(), j, o); err != nil {
		t.Fatalf("Finish(%s): %v", id, err)
	}
}

// At no moment from a message's arrival until its person is forgotten is any of
// its words on disk that only they know.
func TestNothingUnredactedIsOnDisk(t *testing.T) {
	file := filepath.Join(t.TempDir(), "disk.db")
	s := openFile(t, file, options())
	look := func(when string) func() {
		return func() {
			t.Helper()
			for _, suffix := range []string{"", "-wal", "-shm"} {
				b, err := os.ReadFile(file + suffix)
				if err != nil {
					t.Fatal(err)
				}
				if found := leaks(b); found != nil {
					t.Errorf("%s the file%s holds %q", when, suffix, found)
				}
			}
		}
	}
	remember := func(v *bot.Session) error {
		v.History = append(v.History, bot.Exchange{Asked: planted})
		return nil
	}
	a := answer(t, planted, true)
	receive(t, s, "m1", planted, bot.WordNone, bot.Outcome{Answer: a, Remember: remember, Replies: []bot.Reply{{Text: "Dear Keziah, call 973-733-3654."}}}, look("taken in"))
	look("finished")()
	receive(t, s, "m2", planted, bot.WordNone, bot.Outcome{Parked: "given up", Review: planted, Remember: remember}, look("taken in again"))
	look("given up")()
	if list, err := s.Turns(t.Context(), bot.TurnFilter{}); err != nil || len(list) != 2 {
		t.Errorf("Turns = %d, %v; want two", len(list), err)
	}
	receive(t, s, "m3", "FORGET", bot.WordForget, bot.Outcome{Forget: true, Replies: []bot.Reply{{Text: "gone"}}}, look("asked to forget"))
	look("forgotten")()
	if list, err := s.Turns(t.Context(), bot.TurnFilter{}); err != nil || len(list) != 0 {
		t.Errorf("Turns after FORGET = %+v, %v; want none", list, err)
	}
	receive(t, s, "m4", planted, bot.WordNone, bot.Outcome{Answer: a, Remember: remember}, look("taken in once more"))
	e, err := s.Erase(t.Context(), s.Keys().Persons(annAt))
	if err != nil || e["turns"] != 1 || e["sessions"] != 1 || e["people"] != 1 {
		t.Errorf("Erase = %v, %v; want a turn, a session and an address among it", e, err)
	}
	look("erased")()
}

// Someone who opted out and was forgotten is known only by the name that the
// key of that day made. They are met again after it was rotated.
func TestOptOutOutlivesRotation(t *testing.T) {
	file := filepath.Join(t.TempDir(), "stop.db")
	o := options()
	s := openFile(t, file, o)
	nothing := func() {}
	receive(t, s, "m1", "STOP", bot.WordStop, bot.Outcome{Consent: bot.OptOut}, nothing)
	if _, err := s.Erase(t.Context(), s.Keys().Persons(annAt)); err != nil {
		t.Fatal(err)
	}
	o.Keys = s.Keys().Rotate(noon)
	if _, err := s.Rotate(t.Context(), o.Keys); err != nil {
		t.Fatal(err)
	}
	s.Close()
	s = openFile(t, file, o)
	if uses, err := s.KeyUses(t.Context()); err != nil || uses[1].Persons != 1 {
		t.Errorf("KeyUses = %+v, %v; want one person by key 1", uses, err)
	}
	name := s.Keys().Person(annAt)
	if _, err := s.Put(t.Context(), name, bot.Arrival{Message: bot.Message{ID: "m2", From: annAt, Text: "hello"}}); err != nil {
		t.Fatal(err)
	}
	j, err := s.Next(t.Context(), bot.Lease{Owner: "test", Now: noon, Until: noon.Add(time.Minute)})
	if err != nil || !j.OptedOut || j.Person != name {
		t.Errorf("Next = opted out %t as %s, %v; want true as %s", j.OptedOut, j.Person, err, name)
	}
	if uses, err := s.KeyUses(t.Context()); err != nil || uses[1].Persons != 0 {
		t.Errorf("KeyUses = %+v, %v; want nobody by key 1", uses, err)
	}
}

func TestRetain(t *testing.T) {
	o := options()
	now := noon
	o.Now, o.TTL = func() time.Time { return now }, 10*24*time.Hour
	s := openFile(t, filepath.Join(t.TempDir(), "retain.db"), o)
	days := func(n int) time.Duration { return time.Duration(n) * 24 * time.Hour }
	for i := range 40 {
		now = noon.Add(days(i))
		if err := s.Record(t.Context(), bot.Job{Person: "p", Message: bot.Message{ID: fmt.Sprint(i)}}, bot.Outcome{}); err != nil {
			t.Fatal(err)
		}
		if err := s.Update(t.Context(), fmt.Sprint(i), func(*bot.Session) error { return nil }); err != nil {
			t.Fatal(err)
		}
	}
	for _, tt := range []struct {
		p    sqlstore.Policy
		want sqlstore.Retained
	}{
		{sqlstore.Policy{DryRun: true}, sqlstore.Retained{Sessions: 30}}, // those past their TTL
		{sqlstore.Policy{Record: days(20), Sessions: days(5), DryRun: true}, sqlstore.Retained{Turns: 19, Sessions: 34}},
		{sqlstore.Policy{Record: days(20), Sessions: days(5)}, sqlstore.Retained{Turns: 19, Sessions: 34}},
		{sqlstore.Policy{Record: days(20), Sessions: days(5)}, sqlstore.Retained{}},
		{sqlstore.Policy{Record: days(1)}, sqlstore.Retained{Turns: 19}},
	} {
		if got, err := s.Retain(t.Context(), tt.p); err != nil || got != tt.want {
			t.Errorf("Retain(%+v) = %+v, %v; want %+v", tt.p, got, err, tt.want)
		}
	}

	// An address goes with the last of what is kept of its person; a message
	// that was given up goes with the record.
	for _, table := range []string{"turns", "sessions"} {
		if err := s.Exec(t.Context(), "DELETE FROM "+table); err != nil {
			t.Fatal(err)
		}
	}
	receive(t, s, "m1", "one", bot.WordNone, bot.Outcome{}, func() {})
	receive(t, s, "m2", "two", bot.WordNone, bot.Outcome{Parked: "why"}, func() {})
	receive(t, s, "m3", "STOP", bot.WordStop, bot.Outcome{Consent: bot.OptOut}, func() {})
	p := sqlstore.Policy{Record: days(1), Sessions: days(1)}
	for _, tt := range []struct {
		after int
		want  sqlstore.Retained
	}{{0, sqlstore.Retained{}}, {1, sqlstore.Retained{Turns: 3, Addresses: 1}}, {2, sqlstore.Retained{Messages: 3}}, {3, sqlstore.Retained{}}} {
		now = noon.Add(days(39 + tt.after)).Add(time.Millisecond)
		if got, err := s.Retain(t.Context(), p); err != nil || got != tt.want {
			t.Errorf("after %d days Retain = %+v, %v; want %+v", tt.after, got, err, tt.want)
		}
	}
	if left, err := s.Query(t.Context(), "SELECT person FROM people WHERE opted_out = 1 AND address IS NULL"); err != nil || len(left) != 1 {
		t.Errorf("%d people without an address are known to have opted out, %v; want 1", len(left), err)
	}
}
