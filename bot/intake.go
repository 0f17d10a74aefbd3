package bot

import (
	"context"
	"fmt"
	"log/slog"
	"strings"
	"unicode/utf8"
)

// MaxText is how many characters of one message are taken in. What is longer is
// cut: vendors send at most 1,600, a pasted page may be more.
const MaxText = 16000

// An Intake is the way into the inbox, the same for every channel. It
// implements [Receiver].
type Intake struct {
	Inbox  Inbox
	Person func(Address) string             // the keyed hash of an address
	Urgent func(text string) bool           // the safety rules' emergencies; nil for none
	Rules  func(channel string) IntakeRules // nil for no limits
	Log    *slog.Logger
	Seen   func(Message, Receipt) // told of each message taken in; may be nil
}

// Receive implements [Receiver].
func (in *Intake) Receive(ctx context.Context, m Message) error {
	if m.ID == "" || m.From.Channel == "" || m.From.User == "" {
		return fmt.Errorf("receive message: it has no id or no sender: %w", ErrInvalid)
	}
	m.Text = strings.ReplaceAll(strings.ToValidUTF8(m.Text, "\uFFFD"), "\x00", "")
	if utf8.RuneCountInString(m.Text) > MaxText {
		m.Text = string([]rune(m.Text)[:MaxText])
	}
	a := Arrival{Message: m, Urgent: in.Urgent != nil && in.Urgent(m.Text)}
	a.Word, _ = Hear(m.Text)
	if in.Rules != nil {
		a.Rules = in.Rules(m.From.Channel)
	}
	r, err := in.Inbox.Put(ctx, in.Person(m.From), a)
	if err != nil {
		return fmt.Errorf("receive message: %w", err)
	}
	in.Log.DebugContext(ctx, "message taken in", "from", m.From, "receipt", r, "urgent", a.Urgent)
	if in.Seen != nil {
		in.Seen(m, r)
	}
	return nil
}
