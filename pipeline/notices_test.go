package pipeline_test

import (
	"context"
	"strings"
	"testing"
	"time"

	"plumbline/bot"
)

// A board holds notices in memory.
type board struct{ in, out []bot.Notice }

func (b board) InForce(context.Context, time.Time) ([]bot.Notice, error) { return b.in, nil }

func (b board) Lapsed(context.Context, time.Time, time.Duration) ([]bot.Notice, error) {
	return b.out, nil
}

func TestNotices(t *testing.T) {
	b := newBench(t)
	n := bot.Notice{ID: "n1", Kind: "other", Area: "Elm Street", Start: today.Add(-time.Hour), Source: bot.Source{Agency: "The library"},
		Text: map[bot.Language]string{bot.English: "The back door is shut.", bot.Spanish: "La puerta de atrás no abre."}}
	b.config.Zone = time.UTC
	b.config.Board = board{in: []bot.Notice{n}}
	for _, tt := range []struct{ text, lang, lead string }{
		{"when is the library open", "en", "Elm Street, since 11:00 AM, Nov 30: The back door is shut."},
		{"cuándo abre la biblioteca", "es", "Elm Street, desde las 11:00 del 30 de noviembre: La puerta de atr"},
	} {
		a := b.ask(t, bot.Question{Text: tt.text, Language: bot.Language(tt.lang)})
		if !strings.HasPrefix(a.Reply.Text, tt.lead) {
			t.Errorf("%q in a notice is answered %q, want it to begin %q", tt.text, a.Reply.Text, tt.lead)
		}
		if c := a.Claims[0]; c.Role != bot.Danger || c.Evidence[0].Paragraph != "notice.n1" || c.Evidence[0].Source.Agency != "The library" {
			t.Errorf("%q: the first claim is %+v, want the notice with its source", tt.text, c)
		}
		if len(a.Claims) < 2 {
			t.Errorf("%q: %d claims, want the answer beside the notice", tt.text, len(a.Claims))
		}
	}
	for _, text := range []string{"thanks", "my dad is not breathing"} {
		if a := b.ask(t, bot.Question{Text: text}); strings.Contains(a.Reply.Text, "back door") {
			t.Errorf("%q is answered with the notice: %q", text, a.Reply.Text)
		}
	}
	b.config.Board = board{out: []bot.Notice{n}}
	if a := b.ask(t, bot.Question{Text: "when is the library open"}); !strings.HasPrefix(a.Reply.Text, "The notice of 11:00 AM, Nov 30 (Elm Street) is no longer posted here.") {
		t.Errorf("after the notice: %q, want it said that it lapsed", a.Reply.Text)
	}
	b.config.Board = board{}
	if a := b.ask(t, bot.Question{Text: "when is the library open"}); strings.Contains(a.Reply.Text, "notice") {
		t.Errorf("without a notice: %q", a.Reply.Text)
	}
}
