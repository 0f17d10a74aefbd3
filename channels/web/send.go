package web

import (
	"context"
	"fmt"

	"plumbline/bot"
)

// Send implements [bot.Sender]: it puts d on the visitor's phone and wakes the
// pages that show it. A delivery whose Key is there already changes nothing.
func (p *Phone) Send(ctx context.Context, d bot.Delivery) (vendorID string, err error) {
	if d.To.Channel != "web" || d.To.User == "" || d.Key == "" || d.Text == "" {
		return "", fmt.Errorf("put delivery %d on a phone page: it lacks an address, a key or a text: %w", d.Seq, bot.ErrInvalid)
	}
	b := Bubble{
		Key: "out/" + d.Key, Text: d.Text, Language: d.Language, Status: d.Status, Offers: d.Offers, Answer: d.Answer, At: p.config.Now(),
	}
	if err := p.config.Mailbox.Add(ctx, d.To.User, b); err != nil {
		return "", fmt.Errorf("put delivery %d on a phone page: %w", d.Seq, err)
	}
	p.live.wake(d.To.User)
	return bubbleID(b.Key), nil
}
