package main

import (
	"path/filepath"
	"testing"
	"time"

	"plumbline/channels/web"
	"plumbline/channels/web/webtest"
	"plumbline/sessions/keyring"
	"plumbline/sessions/sqlstore"
)

// What phones show outlives the process, by the contract of a mailbox.
func TestBoxes(t *testing.T) {
	webtest.Run(t, func(t *testing.T) web.Mailbox {
		st, err := sqlstore.Open(t.Context(), filepath.Join(t.TempDir(), "p.db"), sqlstore.Options{
			Keys: keyring.New(time.Now()), Now: time.Now, Redact: func(s string) string { return s },
		})
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() {
			if err := st.Close(); err != nil {
				t.Errorf("Close: %v", err)
			}
		})
		return boxes{st}
	})
}
