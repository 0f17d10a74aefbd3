package web

import (
	"context"
	"slices"
	"sync"
	"time"

	"plumbline/bot"
)

// A Bubble is one message on a phone's screen.
type Bubble struct {
	Key      string       `json:"key"`  // names it on its phone
	Mine     bool         `json:"mine"` // the visitor's own
	Text     string       `json:"text"`
	Language bot.Language `json:"language,omitempty"`
	Status   bot.Status   `json:"status,omitempty"`
	Offers   []bot.Word   `json:"offers,omitempty"` // the words that would get more of it
	Answer   string       `json:"answer,omitempty"` // ID of the answer that it tells
	At       time.Time    `json:"at"`
}

// Aside reports whether b is a text of ours that stands beside an answer: what
// the answer offers is still offered below it.
func (b Bubble) Aside() bool { return !b.Mine && b.Status == "" && len(b.Offers) == 0 }

// MaxBubbles is how many bubbles a Mailbox keeps of one visitor, the newest.
const MaxBubbles = 100

// A Mailbox holds what phones show. The name of a visitor is a secret between
// us and their browser. Bubbles hold people's words: what is kept on disk is
// sealed. All methods may be called by several goroutines; their errors wrap
// bot.ErrUnavailable where trying again may help.
type Mailbox interface {
	// Add puts b last on the phone of visitor. If a bubble with its key is
	// there, Add changes nothing.
	Add(ctx context.Context, visitor string, b Bubble) error

	// Remove takes a bubble away; one that is not there is not an error.
	Remove(ctx context.Context, visitor, key string) error

	// List returns the bubbles in the order in which they were added, at most
	// the last MaxBubbles. The caller may change what it gets.
	List(ctx context.Context, visitor string) ([]Bubble, error)

	// Clear removes all bubbles of visitor.
	Clear(ctx context.Context, visitor string) error
}

// maxVisitors is how many visitors a Memory keeps.
const maxVisitors = 500

// Memory is a [Mailbox] that lasts as long as the process. It keeps the last
// 500 visitors to whom a bubble was added. The zero Memory is empty and ready.
type Memory struct {
	mu       sync.Mutex
	visitors map[string][]Bubble
	order    []string // by their last bubble, oldest first
}

// Add implements [Mailbox].
func (m *Memory) Add(ctx context.Context, visitor string, b Bubble) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.visitors == nil {
		m.visitors = map[string][]Bubble{}
	}
	bubbles := m.visitors[visitor]
	if slices.ContainsFunc(bubbles, func(have Bubble) bool { return have.Key == b.Key }) {
		return nil
	}
	bubbles = append(bubbles, b)
	m.visitors[visitor] = slices.Clone(bubbles[max(0, len(bubbles)-MaxBubbles):])
	m.leave(visitor)
	m.order = append(m.order, visitor)
	if len(m.order) > maxVisitors {
		delete(m.visitors, m.order[0])
		m.order = m.order[1:]
	}
	return nil
}

// Remove implements [Mailbox].
func (m *Memory) Remove(ctx context.Context, visitor, key string) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	if bubbles, ok := m.visitors[visitor]; ok {
		m.visitors[visitor] = slices.DeleteFunc(bubbles, func(b Bubble) bool { return b.Key == key })
	}
	return nil
}

// List implements [Mailbox].
func (m *Memory) List(ctx context.Context, visitor string) ([]Bubble, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	bubbles := slices.Clone(m.visitors[visitor])
	for i := range bubbles {
		bubbles[i].Offers = slices.Clone(bubbles[i].Offers)
	}
	return bubbles, nil
}

// Clear implements [Mailbox].
func (m *Memory) Clear(ctx context.Context, visitor string) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	delete(m.visitors, visitor)
	m.leave(visitor)
	return nil
}

func (m *Memory) leave(visitor string) {
	m.order = slices.DeleteFunc(m.order, func(v string) bool { return v == visitor })
}
