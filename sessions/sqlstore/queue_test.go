package sqlstore_test

import (
	"path/filepath"
	"testing"
	"time"

	"plumbline/sessions/keyring"
	"plumbline/sessions/queuetest"
	"plumbline/sessions/sqlstore"
)

// openAt opens file, at a clock, and closes it with the test.
func openAt(t testing.TB, file string, now func() time.Time, keys *keyring.Ring) *sqlstore.Store {
	t.Helper()
	s, err := sqlstore.Open(t.Context(), file, sqlstore.Options{Keys: keys, Now: now, Redact: func(s string) string { return s }})
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

func TestQueue(t *testing.T) {
	queuetest.Run(t, func(t *testing.T, now func() time.Time) queuetest.Store {
		return openAt(t, filepath.Join(t.TempDir(), "p.db"), now, keyring.New(noon))
	})
}
