package pipeline_test

import (
	"reflect"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"plumbline/bot"
	"plumbline/pipeline"
)

// Whatever the pieces and the channel: each message is within the limit, no
// more are sent than MORE may send, and what is said comes from the pieces, the
// first message's whole and in their order.
func FuzzCompose(f *testing.F) {
	f.Add("One.\nTwo is a claim of some length.\nThree", "0123", "sms", "en")
	f.Add("¿Uno?\nDos con eñe y ü\n"+strings.Repeat("muy largo ", 60), "310", "sms", "es")
	f.Add(strings.Repeat("a\n", 40)+"\U0001f6b0", "6543210", "slack", "en")
	f.Add("", "", "", "")
	f.Fuzz(func(t *testing.T, text, keeps, channel, lang string) {
		if !utf8.ValidString(text) || len(text) > 8<<10 {
			return
		}
		var pieces []pipeline.Piece
		for i, line := range strings.Split(text, "\n") {
			p := pipeline.Piece{Text: line, Keep: pipeline.KeepClaim}
			if i < len(keeps) {
				p.Keep = int(keeps[i]) % 8
			}
			pieces = append(pieces, p)
		}
		fit := pipeline.FitOf(channel)
		before := slices.Clone(pieces)
		first, more := pipeline.Compose(pieces, bot.Language(lang), fit)
		if !reflect.DeepEqual(pieces, before) {
			t.Error("Compose changed the pieces")
		}
		if len(more) > fit.Most {
			t.Errorf("%d messages of MORE, want %d at most", len(more), fit.Most)
		}
		if !fit.First.Holds(first) && !strings.ContainsFunc(first, func(r rune) bool { return r > 0x7f }) {
			t.Errorf("the first message is over the limit of %q: %q", channel, first)
		}
		for _, m := range more {
			if !fit.More.Holds(m) && !strings.ContainsFunc(m, func(r rune) bool { return r > 0x7f }) {
				t.Errorf("a message of MORE is over the limit of %q: %q", channel, m)
			}
		}
		if fit.SMS || len(more) > 0 {
			return // rewritten for less, or cut
		}
		from := 0
		for _, p := range pieces {
			piece := strings.TrimSpace(p.Text)
			if at := strings.Index(first[from:], piece); at >= 0 {
				from += at + len(piece)
			} else if p.Keep < pipeline.KeepOpening {
				t.Errorf("the first message lacks %q though nothing is left for MORE: %q", piece, first)
			}
		}
	})
}
