package sessions_test

import (
	"errors"
	"testing"
	"time"

	"plumbline/bot"
	"plumbline/sessions"
	"plumbline/sessions/sessiontest"
)

func TestMemory(t *testing.T) {
	sessiontest.Run(t, func(t *testing.T, o sessiontest.Options) bot.SessionStore {
		return &sessions.Memory{TTL: o.TTL, Now: o.Now}
	})
}

// What has expired is dropped, not kept for those who never come back.
func TestMemoryDropsExpired(t *testing.T) {
	now := noon
	m := &sessions.Memory{TTL: time.Minute, Now: func() time.Time { return now }}
	for i := range 100 {
		now = noon.Add(time.Duration(i) * time.Second)
		if err := m.Update(t.Context(), now.String(), func(*bot.Session) error { return nil }); err != nil {
			t.Fatal(err)
		}
	}
	now = now.Add(time.Hour)
	if err := m.Update(t.Context(), "last", func(*bot.Session) error { return nil }); err != nil {
		t.Fatal(err)
	}
	if n := m.Len(); n != 1 {
		t.Errorf("%d sessions are kept an hour later, want the last alone", n)
	}
}

// A session that cannot be read counts as new; whoever asked is answered.
func TestMemoryReportsLost(t *testing.T) {
	var lost error
	m := &sessions.Memory{Lost: func(err error) { lost = err }}
	m.Damage("k")
	s, err := m.Load(t.Context(), "k")
	if err != nil || s.Persona != "" || !errors.Is(lost, bot.ErrInvalid) {
		t.Errorf("Load of a damaged session = %q, %v, and Lost was told %v; want a new one and ErrInvalid", s.Persona, err, lost)
	}
	if err := m.Update(t.Context(), "k", func(s *bot.Session) error { s.Persona = "a"; return nil }); err != nil {
		t.Errorf("Update of a damaged session = %v", err)
	}
	if s, _ := m.Load(t.Context(), "k"); s.Persona != "a" {
		t.Errorf("Load after Update = %q, want a", s.Persona)
	}
}
