// Package sessions remembers conversations. Its stores implement
// [bot.SessionStore] and pass the contract in sessions/sessiontest.
package sessions

import (
	"context"
	"sync"

	"plumbline/bot"
)

// Memory keeps sessions for as long as the program runs, encoded, so that
// nothing is shared between callers. The zero Memory is ready to use.
type Memory struct {
	mu       sync.Mutex
	sessions map[string][]byte
}

// Load implements [bot.SessionStore].
func (m *Memory) Load(ctx context.Context, key string) (bot.Session, error) {
	if err := ctx.Err(); err != nil {
		return bot.Session{}, err
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.load(key)
}

func (m *Memory) load(key string) (s bot.Session, err error) {
	if b, ok := m.sessions[key]; ok {
		return Decode(b)
	}
	return s, nil
}

// Update implements [bot.SessionStore].
func (m *Memory) Update(ctx context.Context, key string, fn func(*bot.Session) error) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	s, err := m.load(key)
	if err != nil {
		return err
	}
	if err := fn(&s); err != nil {
		return err
	}
	b, err := Encode(s)
	if err != nil {
		return err
	}
	if m.sessions == nil {
		m.sessions = map[string][]byte{}
	}
	m.sessions[key] = b
	return nil
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
