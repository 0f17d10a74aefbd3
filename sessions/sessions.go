// Package sessions remembers conversations. Its stores implement
// [bot.SessionStore] and pass the contract in sessions/sessiontest.
package sessions

import (
	"context"
	"maps"
	"sync"
	"time"

	"plumbline/bot"
)

// Memory keeps sessions for as long as the program runs, encoded, so that
// nothing is shared between callers. The zero Memory is ready to use. Set its
// fields before that.
type Memory struct {
	TTL  time.Duration    // how long a session is remembered after its last change; 0 for ever
	Now  func() time.Time // nil for time.Now
	Lost func(error)      // is told of a session that could not be read and counts as new; may be nil

	mu       sync.Mutex
	sessions map[string]kept
	sweep    time.Time // when to look for expired sessions
}

type kept struct {
	value   []byte
	expires time.Time // zero for never
}

// Load implements [bot.SessionStore].
func (m *Memory) Load(ctx context.Context, key string) (bot.Session, error) {
	if err := ctx.Err(); err != nil {
		return bot.Session{}, err
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.load(key), nil
}

func (m *Memory) now() time.Time {
	if m.Now == nil {
		return time.Now()
	}
	return m.Now()
}

func (m *Memory) load(key string) bot.Session {
	k, ok := m.sessions[key]
	if !ok || !k.expires.IsZero() && !k.expires.After(m.now()) {
		return bot.Session{}
	}
	s, err := Decode(k.value)
	if err != nil && m.Lost != nil {
		m.Lost(err)
	}
	return s
}

// Update implements [bot.SessionStore].
func (m *Memory) Update(ctx context.Context, key string, fn func(*bot.Session) error) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	s := m.load(key)
	if err := fn(&s); err != nil {
		return err
	}
	b, err := Encode(s)
	if err != nil {
		return err
	}
	k := kept{value: b}
	if m.TTL > 0 {
		k.expires = m.now().Add(m.TTL)
		m.drop()
	}
	if m.sessions == nil {
		m.sessions = map[string]kept{}
	}
	m.sessions[key] = k
	return nil
}

// drop drops what has expired, once within a TTL.
func (m *Memory) drop() {
	now := m.now()
	if now.Before(m.sweep) {
		return
	}
	m.sweep = now.Add(m.TTL)
	maps.DeleteFunc(m.sessions, func(_ string, k kept) bool { return !k.expires.After(now) })
}

// Forget implements [bot.SessionStore].
func (m *Memory) Forget(ctx context.Context, key string) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	delete(m.sessions, key)
	return nil
}
