package extractive

import (
	"strings"
	"testing"

	"plumbline/bot"
	"plumbline/kb"
	"plumbline/pipeline"
)

// A chunk answers a question by its names, unless one that no source answers is
// nearer; the reason names that one.
func TestJudgeKnowsWhatLiesBeyond(t *testing.T) {
	const asked = "is a 9 volt battery fine for the bell"
	for _, tt := range []struct {
		name, beyond string
		answers      bool
		told         string
	}{
		{"Far", "what colour are roses", true, ""},
		{"Near", asked, false, `1.00 from "` + asked + `", which no source answers`},
	} {
		t.Run(tt.name, func(t *testing.T) {
			s, lib := shipped(t, "drinking-water")
			vs, err := s.emb.Embed(t.Context(), []string{tt.beyond})
			if err != nil {
				t.Fatal(err)
			}
			s.beyond = map[string][]stranger{"drinking-water en": {{tt.beyond, vs[0]}}}
			var chunk kb.Chunk
			for chunk = range lib.Chunks() {
				break
			}
			chunk.Subsection.Aliases = map[string][]string{"en": {asked}}
			d := &pipeline.Draft{Question: bot.Question{Pack: "drinking-water", Text: asked}, Language: bot.English}
			d.Understanding.Parts = []bot.Part{{Asked: asked, Standalone: asked}}
			c := &pipeline.Candidate{Chunk: chunk, Passages: []pipeline.Passage{{Paragraph: chunk.Subsection.Paragraphs[0]}}}
			if err := s.Judge(t.Context(), d, []*pipeline.Candidate{c}); err != nil {
				t.Fatal(err)
			}
			if c.Answers != tt.answers || !strings.Contains(c.Reason, tt.told) {
				t.Errorf("Judge(%q): answers %v, reason %q; want %v and %q", asked, c.Answers, c.Reason, tt.answers, tt.told)
			}
		})
	}
}
