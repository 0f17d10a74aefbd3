package text

import (
	"strings"
	"testing"
)

type emotionRow struct {
	ID    string `json:"id"`
	Lang  string `json:"lang"`
	Level int    `json:"level"`
	Text  string `json:"text"`
	Why   string `json:"why"`
}

// TestEmotion: the level of labelled texts, told their language and not.
func TestEmotion(t *testing.T) {
	rows := readRows[emotionRow](t, "testdata/emotion.jsonl")
	count := map[int]int{}
	for _, r := range rows {
		count[r.Level]++
		for _, lang := range []string{r.Lang, ""} {
			got := Emotion(r.Text, lang)
			if got.Level != r.Level {
				var heard []string
				for _, p := range got.Spans {
					heard = append(heard, p.In(r.Text))
				}
				t.Errorf("%s: Emotion(%q, %q) = %d by %q, want %d (%s)", r.ID, r.Text, lang, got.Level, heard, r.Level, r.Why)
			}
			if (got.Level > 0) != (len(got.Spans) > 0) {
				t.Errorf("%s: Emotion(%q, %q) = level %d with %d spans", r.ID, r.Text, lang, got.Level, len(got.Spans))
			}
		}
	}
	if len(rows) < 100 || count[0] < 40 || count[1] < 30 || count[2] < 20 {
		t.Errorf("%d rows, by level %v: want a hundred, of every level", len(rows), count)
	}
}

// TestEmotionSpans: the words that tell are those of the text, byte for byte.
func TestEmotionSpans(t *testing.T) {
	for _, tt := range []struct {
		text, want string
		level      int
	}{
		{"Well. I’m so sorry you are scared. Boil it.", "I’m so sorry", 2},
		{"With a baby, that is scary. Boil it.", "With a baby, that is scary", 1},
		{"¡Qué susto! Hierva el agua.", "Qué susto", 1},
	} {
		got := Emotion(tt.text, "")
		if got.Level != tt.level || len(got.Spans) != 1 || got.Spans[0].In(tt.text) != tt.want {
			t.Errorf("Emotion(%q) = %+v, want level %d by %q", tt.text, got, tt.level, tt.want)
		}
	}
}

// TestEmotionAddsUp: a feeling is heard wherever it stands, and a text without
// any does not take it away.
func TestEmotionAddsUp(t *testing.T) {
	const plain = "Bring the water to a full rolling boil for 1 minute."
	for _, r := range readRows[emotionRow](t, "testdata/emotion.jsonl") {
		if r.Level == 0 || strings.HasPrefix(r.Text, "\"") {
			continue
		}
		for _, s := range []string{plain + " " + r.Text, r.Text + "\n" + plain} {
			if got := Emotion(s, "").Level; got != r.Level {
				t.Errorf("Emotion(%q) = %d, want %d", s, got, r.Level)
			}
		}
	}
}

func TestFirstWords(t *testing.T) {
	for _, tt := range []struct {
		text string
		n    int
		want string
	}{{"one two three", 2, "one two "}, {"one two", 2, "one two"}, {"", 3, ""}} {
		if got := FirstWords(tt.text, tt.n); got != tt.want {
			t.Errorf("FirstWords(%q, %d) = %q, want %q", tt.text, tt.n, got, tt.want)
		}
	}
}

func FuzzEmotion(f *testing.F) {
	f.Add("I'm so sorry \"you’re scared.")
	f.Add("«¡Qué susto! \xff'''")
	f.Fuzz(func(t *testing.T, s string) {
		r := Emotion(s, "")
		if r.Level < 0 || r.Level > 2 || (r.Level > 0) != (len(r.Spans) > 0) {
			t.Errorf("Emotion(%q) = %+v", s, r)
		}
		for _, p := range r.Spans {
			if p.Start < 0 || p.End > len(s) || p.Start >= p.End {
				t.Errorf("Emotion(%q): span %+v is none of the text", s, p)
			}
		}
	})
}
