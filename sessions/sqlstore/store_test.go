package sqlstore_test

import (
	"path/filepath"
	"testing"
	"time"

	"plumbline/bot"
	"plumbline/internal/redact"
	"plumbline/sessions/keyring"
	"plumbline/sessions/sessiontest"
	"plumbline/sessions/sqlstore"
)

var (
	noon  = time.Date(2026, 11, 30, 12, 0, 0, 0, time.UTC)
	annAt = bot.Address{Channel: "sms", User: "+19735550100"}
	bobAt = bot.Address{Channel: "sms", User: "+19735550101"}
)

// open opens a new store that closes with the test.
func open(t *testing.T) *sqlstore.Store {
	t.Helper()
	return openFile(t, filepath.Join(t.TempDir(), "odd name?#%.db"), options())
}

func options() sqlstore.Options {
	return sqlstore.Options{
		Keys: keyring.New(noon), Now: func() time.Time { return noon },
		Redact: func(s string) string { s, _ = redact.Redact(s, "973-733-3654"); return s },
	}
}

// openFile opens a store that closes with the test, if it is not closed then.
func openFile(t *testing.T, file string, o sqlstore.Options) *sqlstore.Store {
	t.Helper()
	s, err := sqlstore.Open(t.Context(), file, o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := s.Close(); err != nil {
			t.Errorf("Close: %v", err)
		}
	})
	return s
}

func TestSessions(t *testing.T) {
	sessiontest.Run(t, func(t *testing.T, so sessiontest.Options) bot.SessionStore {
		o := options()
		o.TTL, o.Now = so.TTL, so.Now
		return openFile(t, filepath.Join(t.TempDir(), "sessions.db"), o)
	})
}

// A session that cannot be read, for its key is gone or it is damaged, counts
// as new: whoever wrote is answered, and the operator is told.
func TestLostSessions(t *testing.T) {
	file := filepath.Join(t.TempDir(), "lost.db")
	o := options()
	var lost []error
	o.Lost = func(err error) { lost = append(lost, err) }
	set := func(s *sqlstore.Store, key, persona string) {
		t.Helper()
		if err := s.Update(t.Context(), key, func(s *bot.Session) error { s.Persona += persona; return nil }); err != nil {
			t.Errorf("Update(%s): %v", key, err)
		}
	}
	s := openFile(t, file, o)
	set(s, "whole", "a")
	set(s, "damaged", "b")
	set(s, "key gone", "c")
	other := keyring.New(noon).Rotate(noon).Rotate(noon)
	for key, value := range map[string][]byte{"damaged": o.Keys.Seal([]byte("no session")), "key gone": other.Seal([]byte("x"))} {
		if err := s.Exec(t.Context(), "UPDATE sessions SET value = $1 WHERE person = $2", value, key); err != nil {
			t.Fatal(err)
		}
	}
	for key, want := range map[string]string{"whole": "a", "damaged": "", "key gone": ""} {
		got, err := s.Load(t.Context(), key)
		if err != nil || got.Persona != want {
			t.Errorf("Load(%s) = %q, %v; want %q", key, got.Persona, err, want)
		}
	}
	if len(lost) != 2 {
		t.Errorf("Lost was told %v, want two errors", lost)
	}
	set(s, "damaged", "new")
	if got, err := s.Load(t.Context(), "damaged"); err != nil || got.Persona != "new" {
		t.Errorf("Load after Update = %q, %v; want new", got.Persona, err)
	}
}
