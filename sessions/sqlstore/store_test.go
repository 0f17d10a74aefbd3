package sqlstore_test

import (
	"path/filepath"
	"testing"
	"time"

	"plumbline/bot"
	"plumbline/sessions/keyring"
	"plumbline/sessions/sessiontest"
	"plumbline/sessions/sqlstore"
)

var noon = time.Date(2026, 11, 30, 12, 0, 0, 0, time.UTC)

// open opens a new store that closes with the test.
func open(t *testing.T) *sqlstore.Store {
	t.Helper()
	s, err := sqlstore.Open(t.Context(), filepath.Join(t.TempDir(), "odd name?#%.db"), sqlstore.Options{
		Keys: keyring.New(noon), Now: func() time.Time { return noon }, Redact: func(s string) string { return s },
	})
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
	sessiontest.Run(t, func(t *testing.T) bot.SessionStore { return open(t) })
}
