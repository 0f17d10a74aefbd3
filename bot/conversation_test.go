package bot_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"strings"
	"testing"
	"time"

	"plumbline/bot"
	"plumbline/sessions"
)

var noon = time.Date(2026, 11, 30, 12, 0, 0, 0, time.UTC)

// An oracle answers with what it was asked.
type oracle struct {
	asked []bot.Question
	err   error
}

func (o *oracle) Answer(_ context.Context, q bot.Question) (bot.Answer, error) {
	o.asked = append(o.asked, q)
	return bot.Answer{
		ID: q.ID, Status: bot.Answered, Language: bot.English,
		Reply:  bot.Reply{Text: "about " + q.Text, More: []string{"one", "two"}, Why: []string{"why"}, Sources: []string{"s1", "s2"}, Language: bot.English, Status: bot.Answered, Answer: q.ID},
		Chunks: []bot.Chunk{{ID: "kept", Kept: true}, {ID: "dropped"}},
	}, o.err
}

func talk(o *oracle) func(t *testing.T, user, text string) (bot.Turn, error) { return converse(o) }

func converse(a bot.Answerer) func(t *testing.T, user, text string) (bot.Turn, error) {
	c := &bot.Conversation{Answerer: a, Sessions: new(sessions.Memory), Key: bot.Address.Key, Now: func() time.Time { return noon }}
	n := 0
	return func(t *testing.T, user, text string) (bot.Turn, error) {
		t.Helper()
		n++
		return c.Handle(t.Context(), bot.Message{ID: fmt.Sprint(n), From: bot.Address{Channel: "sms", User: user}, Text: text, At: noon})
	}
}

func TestConversationWords(t *testing.T) {
	o := new(oracle)
	say := talk(o)
	for i, tt := range []struct {
		text, want string
		asked      int // questions asked in all
	}{
		{"MORE", "That is all I have on that. Text me another question.", 0},
		{"is lead bad", "about is lead bad", 1},
		{"more", "one", 1},
		{"¡MÁS!", "two", 1},
		{"More.", "That is all I have on that. Text me another question.", 1},
		{"why?", "why", 1},
		{"SOURCES", "s1", 1},
		{"fuentes", "s1", 1},
		{"tell me more about lead", "about tell me more about lead", 2},
		{"why is it brown", "about why is it brown", 3},
		{"more", "one", 3},
	} {
		turn, err := say(t, "555-0100", tt.text)
		if err != nil || turn.Reply.Text != tt.want || len(o.asked) != tt.asked {
			t.Errorf("%d: %q is answered %q, %v after %d questions; want %q after %d", i, tt.text, turn.Reply.Text, err, len(o.asked), tt.want, tt.asked)
		}
	}
	if turn, _ := say(t, "555-0101", "MORE"); turn.Reply.Text == "one" || turn.Reply.Text == "two" {
		t.Errorf("someone else's MORE gets %q", turn.Reply.Text)
	}
}

func TestConversationRemembers(t *testing.T) {
	o := new(oracle)
	say := talk(o)
	for i := range 9 {
		if _, err := say(t, "555-0100", fmt.Sprintf("question %d %s", i, strings.Repeat("x", 500))); err != nil {
			t.Fatal(err)
		}
	}
	last := o.asked[len(o.asked)-1]
	if n := len(last.History); n != 4 || !strings.HasPrefix(last.History[3].Asked, "question 7 ") || len(last.History[3].Asked) > 240 {
		t.Errorf("history has %d turns: %+v; want the last four, cut to 240", n, last.History)
	}
	if !slices.Contains(last.Seen, "kept") || slices.Contains(last.Seen, "dropped") || len(last.Seen) > 24 {
		t.Errorf("seen = %q, want only what was kept, at most 24", last.Seen)
	}
	if o.err = errors.New("down"); true {
		if _, err := say(t, "555-0100", "again"); !errors.Is(err, o.err) || strings.Contains(err.Error(), "555") {
			t.Errorf("Handle = %v, want the answerer's error without the address", err)
		}
	}
	o.err = nil
	if _, err := say(t, "555-0100", "and again"); err != nil {
		t.Fatal(err)
	}
	if h := o.asked[len(o.asked)-1].History; strings.HasPrefix(h[len(h)-1].Asked, "again") {
		t.Error("a turn that failed is remembered")
	}
}

// Neither a log nor a format verb shows whom a message is from or what it says.
func TestMessagesAreNotLogged(t *testing.T) {
	m := bot.Message{ID: "m1", From: bot.Address{Channel: "sms", User: "+19735550123"}, Text: "my kid is sick"}
	var out bytes.Buffer
	for _, log := range []*slog.Logger{slog.New(slog.NewTextHandler(&out, nil)), slog.New(slog.NewJSONHandler(&out, nil))} {
		log.Info("x", "message", m, "from", m.From)
	}
	fmt.Fprintf(&out, "%v %+v %#v %s", m.From, m.From, m.From, m.From)
	for _, shown := range []string{"5550123", "my kid"} {
		if strings.Contains(out.String(), shown) {
			t.Errorf("%q shows in %s", shown, &out)
		}
	}
	if !strings.Contains(out.String(), "m1") || !strings.Contains(out.String(), "sms:") {
		t.Errorf("the log ties nothing together: %s", &out)
	}
	other := bot.Address{Channel: "sms", User: "+19735550124"}
	if m.From.LogValue().String() == other.LogValue().String() || m.From.Key() == other.Key() {
		t.Error("two people look alike")
	}
}

func TestStatuses(t *testing.T) {
	supported := 0
	for _, s := range bot.Statuses() {
		if s.Supported() {
			supported++
		}
	}
	if n := len(bot.Statuses()); n != 9 || supported != 3 {
		t.Errorf("%d rungs, %d of them supported; want 9 and 3", n, supported)
	}
}
