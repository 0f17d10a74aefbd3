package extractive

import (
	"context"
	"fmt"
	"math"
	"slices"
	"strings"

	"plumbline/bot"
	"plumbline/internal/text"
	"plumbline/kb"
	"plumbline/pipeline"
)

// A template is a pack's strategy with its words made ready to match.
type template struct {
	cues  map[string][]cue
	signs map[string]map[string][]sign // by question id and language
	when  map[string]pipeline.Patterns // by question id
}

// A cue is a phrase that speaks for a strategy, padded with spaces.
type cue struct {
	phrase string
	weight float64
}

// A sign is a word or phrase by which an answering sentence is known.
type sign struct{ phrase string }

func (s *Stages) compileTemplates() error {
	s.templates = map[string]map[string]template{}
	s.topics = map[string]map[string][]string{}
	for _, p := range s.lib.Packs() {
		byID := map[string]template{}
		s.topics[p.Manifest.Name] = map[string][]string{}
		for _, st := range p.Strategies {
			s.topics[p.Manifest.Name][st.ID] = st.Topics
			t := template{cues: map[string][]cue{}, signs: map[string]map[string][]sign{}, when: map[string]pipeline.Patterns{}}
			for lang, list := range st.Cues {
				for _, c := range list {
					folded := pipeline.Fold(c)
					if folded != "" {
						t.cues[lang] = append(t.cues[lang], cue{" " + folded + " ", math.Sqrt(float64(len(strings.Fields(folded))))})
					}
				}
			}
			for _, q := range st.Questions {
				t.signs[q.ID] = map[string][]sign{}
				for lang, list := range q.Signs {
					v, ok := s.words[lang]
					for _, w := range list {
						// A sign made of function words alone tells nothing.
						if ok && len(v.terms(w)) == 0 {
							continue
						}
						t.signs[q.ID][lang] = append(t.signs[q.ID][lang], sign{pipeline.Fold(w)})
					}
				}
				res, err := pipeline.CompilePatterns(q.When)
				if err != nil {
					return fmt.Errorf("strategy %s, question %s: %w", st.ID, q.ID, err)
				}
				t.when[q.ID] = res
			}
			byID[st.ID] = t
		}
		s.templates[p.Manifest.Name] = byID
	}
	return nil
}

// precedence is the order in which strategies win a tie, by what was most often
// meant on the dev questions.
var precedence = []bot.Strategy{bot.Causal, bot.Regulatory, bot.Comparative, bot.Explanatory}

// Classify implements [pipeline.Auditor] by the pack's cues: each that the
// question holds counts by the root of its length in words. Without any the
// question is explanatory.
func (s *Stages) Classify(ctx context.Context, d *pipeline.Draft) (bot.Strategy, map[bot.Strategy]float64, error) {
	asked := " " + pipeline.Fold(d.Understanding.Parts[0].Asked) + " "
	votes := map[bot.Strategy]float64{}
	for id, t := range s.templates[d.Question.Pack] {
		for _, c := range t.cues[string(d.Read())] {
			if strings.Contains(asked, c.phrase) {
				votes[bot.Strategy(id)] += c.weight
			}
		}
	}
	best := bot.Explanatory
	for _, id := range slices.Backward(precedence) {
		if votes[id] > 0 && votes[id] >= votes[best] {
			best = id
		}
	}
	return best, votes, ctx.Err()
}

// Audit implements [pipeline.Auditor]. A question of the template is answered by
// a sentence of a passage that is near what was asked (nearer, where it is not
// in the context) and holds one of the question's signs; the nearest such
// sentence is the finding.
func (s *Stages) Audit(ctx context.Context, d *pipeline.Draft, t kb.Strategy, passages []pipeline.Passage) (bot.Audit, error) {
	lang := string(d.Read())
	ready := s.templates[d.Question.Pack][t.ID]
	top := 0.0
	for _, c := range d.Candidates {
		for _, p := range c.Passages {
			top = max(top, p.Relevance)
		}
	}
	var findings []bot.Finding
	for _, q := range t.Questions {
		f := bot.Finding{ID: q.ID, Question: q.Question}
		for _, p := range passages {
			floor := s.c.Audit
			if !p.Kept {
				floor = s.c.Aside
			}
			if p.Relevance < top*floor {
				continue
			}
			for _, sentence := range sentences(p.Paragraph, lang) {
				hit := s.signIn(ready.signs[q.ID][lang], sentence)
				if hit != "" && p.Relevance > f.Score {
					f.Answered, f.Paragraph, f.Sentence, f.Score = true, p.Paragraph.ID, sentence, p.Relevance
					f.Why = fmt.Sprintf("%q in a passage of relevance %.2f", hit, p.Relevance)
				}
			}
		}
		if !f.Answered {
			f.Why = "no sentence near the question answers it"
		}
		findings = append(findings, f)
	}
	return bot.Audit{Findings: findings}, ctx.Err()
}

// sentences returns those of the paragraph's exact wording in lang.
func sentences(p kb.Paragraph, lang string) (out []string) {
	w := p.Text(lang)
	for _, span := range text.Sentences(w) {
		out = append(out, w[span.Start:span.End])
	}
	return out
}

// signIn returns the first sign that the sentence holds, as a word or the
// beginning of one.
func (s *Stages) signIn(signs []sign, sentence string) string {
	padded := " " + pipeline.Fold(sentence) + " "
	for _, g := range signs {
		if g.phrase != "" && strings.Contains(padded, " "+g.phrase) {
			return g.phrase
		}
	}
	return ""
}

// Narrow implements [pipeline.Auditor]: the question with the gap's.
func (s *Stages) Narrow(ctx context.Context, d *pipeline.Draft, gaps []bot.Gap) ([]string, error) {
	queries := make([]string, len(gaps))
	for i, g := range gaps {
		queries[i] = d.Understanding.Parts[0].Standalone + " " + g.Question
	}
	return queries, ctx.Err()
}
