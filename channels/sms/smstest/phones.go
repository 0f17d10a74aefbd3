package smstest

import (
	"context"
	"slices"
	"time"
)

// A Phone is a person's, at one address: a number, a number with whatsapp: or
// rcs: before it, or what else may stand in From, such as a short code. It is
// safe for concurrent use.
type Phone struct {
	s       *Server
	address string
	box     *inbox
}

// Phone returns the phone of an address. Handles of one address are of one
// phone; what is sent to a number by SMS or RCS reaches one inbox.
func (s *Server) Phone(address string) *Phone {
	s.mu.Lock()
	defer s.mu.Unlock()
	return &Phone{s, address, s.box(address)}
}

// Address is what stands in From of what the phone sends.
func (p *Phone) Address() string { return p.address }

// A Text is one that a phone received.
type Text struct {
	SID    string
	From   string // the sender; the number that was written to, of Twilio's own
	Body   string
	At     time.Time
	Vendor bool // Twilio's own answer to a keyword: none of ours
	TwiML  bool // told in the reply to a webhook
}

// Texts returns what the phone received, in that order.
func (p *Phone) Texts() []Text {
	p.s.mu.Lock()
	defer p.s.mu.Unlock()
	return slices.Clone(p.box.texts)
}

// Wait waits until what the phone received is enough, and returns it; with the
// error of ctx, or of the fake's end, what there was till then. enough is called
// at each change, and must not change the texts.
func (p *Phone) Wait(ctx context.Context, enough func([]Text) bool) ([]Text, error) {
	for {
		p.s.mu.Lock()
		texts, changed := slices.Clone(p.box.texts), p.box.changed
		p.s.mu.Unlock()
		if enough(texts) {
			return texts, nil
		}
		select {
		case <-changed:
		case <-ctx.Done():
			return texts, ctx.Err()
		case <-p.s.queue.ctx.Done():
			return texts, errClosed
		}
	}
}

// An inbox is that of a number by SMS and RCS, or by WhatsApp.
type inbox struct {
	texts   []Text
	changed chan struct{} // closed at the next text

	wrote         time.Time // when the person last wrote
	wroteTo       string    // and to which sender
	stopped       time.Time // when a message marked as Stop was acknowledged; zero if not, or since Start
	started       int       // which of the person's messages was the last marked as Start
	undeliverable int

	writes, creates, taken, replies, calls int
}

// boxOf is the name of the inbox of an address.
func boxOf(address string) string {
	if channel, name := split(address); channel == rcs {
		return name
	}
	return address
}

// box is the inbox of an address. s.mu is held.
func (s *Server) box(address string) *inbox {
	name := boxOf(address)
	b := s.boxes[name]
	if b == nil {
		b = &inbox{changed: make(chan struct{})}
		s.boxes[name] = b
	}
	return b
}

// receive adds a text. The server's mu is held.
func (b *inbox) receive(t Text) {
	b.texts = append(b.texts, t)
	close(b.changed)
	b.changed = make(chan struct{})
}
