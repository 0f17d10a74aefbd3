package personas

import (
	"slices"
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

func TestFeelMatched(t *testing.T) {
	s := testSet(t)
	got := s.Feel("im so scared, is my baby ok??", bot.English)
	want := Feeling{
		Sentiment: Frightened,
		About:     []Person{Baby, Self},
		Matched: []bot.RuleMatch{
			{Rule: "feeling.frightened", Words: "is my baby ok"},
			{Rule: "feeling.frightened", Words: "scared"},
			{Rule: "about.baby", Words: "baby"},
		},
	}
	if got.Sentiment != want.Sentiment || !slices.Equal(got.About, want.About) || !slices.Equal(got.Matched, want.Matched) {
		t.Errorf("Feel() = %v, want %v", got, want)
	}
}

// TestFeelLanguage: a language that is not known is tried in both.
func TestFeelLanguage(t *testing.T) {
	s := testSet(t)
	for _, tt := range []struct {
		text string
		lang bot.Language
		want Sentiment
	}{
		{"tengo miedo", bot.Spanish, Frightened},
		{"tengo miedo", bot.English, Neutral},
		{"tengo miedo", "", Frightened},
		{"im scared", "", Frightened},
		{"im scared", "pt", Frightened},
	} {
		if got := s.Feel(tt.text, tt.lang).Sentiment; got != tt.want {
			t.Errorf("Feel(%q, %q) = %s, want %s", tt.text, tt.lang, got, tt.want)
		}
	}
}

func FuzzFeel(f *testing.F) {
	f.Add("im soooo scared!! is my 2 yr old ok??")
	f.Add("NO NO NO \xff ¿¡ miedo miedo")
	s := testSet(f)
	f.Fuzz(func(t *testing.T, message string) {
		if len(message) > 4000 {
			return
		}
		got := s.Feel(message, "")
		if !slices.Contains(Sentiments(), got.Sentiment) {
			t.Errorf("Feel(%q) = %q, want one of %v", message, got.Sentiment, Sentiments())
		}
		told := s.Tell(Telling{Persona: "neighbor", Asked: message, Narrow: true, Claims: []bot.Claim{{Text: "Boil it.", Role: bot.Direct}}})
		if len(told.Pieces) == 0 || told.Pieces[len(told.Pieces)-1].Text != "Boil it." {
			t.Errorf("Tell(%q) = %v, want the claim last", message, told.Pieces)
		}
		s.Asked(message)
	})
}
