package personas

import (
	"testing"

	"plumbline/bot"
)

func TestFeel(t *testing.T) {
	s := testSet(t)
	for _, tt := range readLines[struct {
		ID, Text  string
		Lang      bot.Language
		Sentiment Sentiment
		About     Person // empty for nobody at risk
	}](t, "testdata/feelings.jsonl") {
		got := s.Feel(tt.Text, tt.Lang)
		whom := got.Whom()
		if whom == Self {
			whom = ""
		}
		if got.Sentiment != tt.Sentiment || whom != tt.About {
			t.Errorf("%s: Feel(%q) = %s about %q by %v, want %s about %q", tt.ID, tt.Text, got.Sentiment, whom, got.Matched, tt.Sentiment, tt.About)
		}
	}
}
