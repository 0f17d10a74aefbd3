package web

import (
	"context"
	"fmt"
	"strings"
	"unicode/utf8"

	"plumbline/bot"
)

// Longest is how many characters a delivery may have.
const Longest = 4096

// Writing returns what shows on the visitor's phone, part by part, what of a
// reply is sure before it is sent. Nothing of it is kept.
func (p *Phone) Writing(visitor string) func(part string) {
	said := ""
	p.live.write(visitor, "")
	return func(part string) {
		said = strings.TrimSpace(said + " " + part)
		p.live.write(visitor, said)
	}
}

// Send implements [bot.Sender]: it puts d on the visitor's phone and wakes the
// pages that show it. A delivery whose Key is there already changes nothing.
func (p *Phone) Send(ctx context.Context, d bot.Delivery) (vendorID string, err error) {
	if d.To.Channel != "web" || d.To.User == "" || d.Key == "" || d.Text == "" {
		return "", fmt.Errorf("put delivery %d on a phone page: it lacks an address, a key or a text: %w", d.Seq, bot.ErrInvalid)
	}
	if n := utf8.RuneCountInString(d.Says()); n > Longest {
		return "", fmt.Errorf("put delivery %d on a phone page: it has %d characters, more than %d: %w", d.Seq, n, Longest, bot.ErrInvalid)
	}
	b := Bubble{
		Key: "out/" + d.Key, Text: d.Says(), Language: d.Language, Status: d.Status, Offers: d.Offers, Answer: d.Answer, At: p.config.Now(),
	}
	if err := p.config.Mailbox.Add(ctx, d.To.User, b); err != nil {
		return "", fmt.Errorf("put delivery %d on a phone page: %w", d.Seq, err)
	}
	p.live.write(d.To.User, "")
	p.live.wake(d.To.User)
	return bubbleID(b.Key), nil
}
