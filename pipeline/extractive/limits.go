package extractive

import (
	"fmt"
	"slices"

	"plumbline/bot"
	"plumbline/kb"
	"plumbline/pipeline"
)

// A limitRule is a pack's standing limitation with its patterns compiled.
type limitRule struct {
	kb.Limit
	any, unless pipeline.Patterns
}

func (s *Stages) compileLimits() error {
	s.limits = map[string][]limitRule{}
	for _, p := range s.lib.Packs() {
		for _, l := range p.Guidance.Limits {
			any, err := pipeline.CompilePatterns(l.Any)
			if err != nil {
				return fmt.Errorf("limit %s: %w", l.ID, err)
			}
			unless, err := pipeline.CompilePatterns(l.Unless)
			if err != nil {
				return fmt.Errorf("limit %s: %w", l.ID, err)
			}
			s.limits[p.Manifest.Name] = append(s.limits[p.Manifest.Name], limitRule{l, any, unless})
		}
	}
	return nil
}

// maxLimits is how many limitations an answer tells at the most.
const maxLimits = 2

// limitations says what the answer cannot: the pack's standing limitations that
// the question calls for, then the gaps that stayed open, in the template's
// order.
func (s *Stages) limitations(d *pipeline.Draft) (list []bot.Limitation) {
	lang := string(d.Language)
	topics := map[string]bool{}
	for _, c := range d.Claims {
		for _, e := range c.Evidence {
			if p, ok := s.lib.Paragraph(e.Paragraph); ok && c.Role == bot.Direct {
				topics[p.Topic] = true
			}
		}
	}
	folded := pipeline.Fold(d.Question.Text)
	for _, l := range s.limits[d.Question.Pack] {
		about := slices.ContainsFunc(l.Topics, func(t string) bool { return topics[t] })
		if len(list) < maxLimits && about && l.any.Find(folded, l.unless) != "" {
			list = append(list, bot.Limitation{Text: l.Say.In(lang), Gap: l.ID})
		}
	}
	for _, g := range d.Gaps {
		if !g.Open() || len(list) >= maxLimits {
			continue
		}
		at := slices.IndexFunc(d.Strategy.Questions, func(q kb.Diagnostic) bool { return q.ID == g.ID })
		when := s.templates[d.Question.Pack][d.Strategy.ID].when[g.ID]
		if at >= 0 && (len(when) == 0 || when.Find(folded, nil) != "") {
			list = append(list, bot.Limitation{Text: d.Strategy.Questions[at].Limitation.In(lang), Gap: g.ID})
		}
	}
	return list
}
