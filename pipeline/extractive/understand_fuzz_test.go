package extractive

import (
	"strings"
	"testing"
	"unicode/utf8"

	"plumbline/bot"
	"plumbline/pipeline"
)

// Whatever is written, and whatever was asked before it: one to three questions
// come of it, in words that were written, and one language.
func FuzzUnderstand(f *testing.F) {
	for _, s := range []string{"", "?", "my water is brown is my baby ok??", "que son los pfas y que limite hay", "is it ok; and the other one? also why / how", "\u202e\x00 ¿¿", strings.Repeat("and is ", 400)} {
		f.Add(s, "does a filter help", "")
		f.Add(s, "", "en")
	}
	s, _ := shipped(f, "drinking-water")
	f.Fuzz(func(t *testing.T, asked, before, lang string) {
		if !utf8.ValidString(asked) || !utf8.ValidString(before) || lang != "" && lang != "en" && lang != "es" {
			return
		}
		d := &pipeline.Draft{Question: bot.Question{Pack: "drinking-water", Text: asked}, Language: bot.Language(lang)}
		if before != "" {
			d.Question.History = []bot.Exchange{{Asked: before}}
		}
		if err := s.Understand(t.Context(), d); err != nil {
			t.Fatalf("Understand(%q): %v", asked, err)
		}
		u := d.Understanding
		if d.Language == "" || u.Language != d.Language || lang != "" && string(d.Language) != lang {
			t.Errorf("Understand(%q): language %q, told %q, want %q or a guess", asked, u.Language, d.Language, lang)
		}
		if len(u.Parts) == 0 || len(u.Parts) > maxParts {
			t.Errorf("Understand(%q): %d questions, want 1 to %d", asked, len(u.Parts), maxParts)
		}
		whole := strings.Join(strings.Fields(asked), " ")
		for _, p := range u.Parts {
			if !strings.Contains(whole, p.Asked) || p.Leans < 0 || p.Leans > 1 {
				t.Errorf("Understand(%q): part %+v is not of its words", asked, p)
			}
		}
		if (d.Rule != nil) != (u.Rule != "") {
			t.Errorf("Understand(%q): rule %v, told %q", asked, d.Rule, u.Rule)
		}
	})
}
