package extractive

import (
	"context"
	"fmt"
	"regexp"
	"strings"

	"plumbline/bot"
	"plumbline/internal/text"
	"plumbline/kb"
	"plumbline/pipeline"
)

// A scopeRule is a pack's rule with its patterns compiled.
type scopeRule struct {
	kb.ScopeRule
	any, unless []*regexp.Regexp
}

func compileScope(lib *kb.Library) (map[string][]scopeRule, error) {
	rules := map[string][]scopeRule{}
	for _, p := range lib.Packs() {
		for _, r := range p.Scope {
			c := scopeRule{ScopeRule: r}
			for _, set := range []struct {
				from map[string][]string
				to   *[]*regexp.Regexp
			}{{r.Any, &c.any}, {r.Unless, &c.unless}} {
				for _, patterns := range set.from {
					for _, pat := range patterns {
						re, err := regexp.Compile("(?i)" + pat)
						if err != nil {
							return nil, fmt.Errorf("scope rule %s: %w: %w", r.ID, err, bot.ErrInvalid)
						}
						*set.to = append(*set.to, re)
					}
				}
			}
			rules[p.Manifest.Name] = append(rules[p.Manifest.Name], c)
		}
	}
	return rules, nil
}

// scope returns the first rule of the pack that settles the text, nil for none,
// and the words that it fired on.
func (s *Stages) scope(pack, asked string) (*kb.ScopeRule, string) {
	folded := pipeline.Fold(asked)
	for _, r := range s.rules[pack] {
		for _, re := range r.any {
			words := re.FindString(folded)
			if words == "" {
				continue
			}
			stopped := false
			for _, u := range r.unless {
				stopped = stopped || u.MatchString(folded)
			}
			if !stopped {
				return &r.ScopeRule, words
			}
		}
	}
	return nil, ""
}

// Understand implements [pipeline.Understander].
func (s *Stages) Understand(ctx context.Context, d *pipeline.Draft) error {
	u := &d.Understanding
	asked := strings.Join(strings.Fields(d.Question.Text), " ")
	if d.Language == "" {
		g := text.Language(asked)
		d.Language, u.Guessed = bot.Language(g.Lang), fmt.Sprintf("by its words (%.2f)", g.Confidence)
		if d.Language == "" {
			d.Language, u.Guessed = bot.English, "not told; English"
		}
	}
	u.Language = d.Language
	if rule, words := s.scope(d.Question.Pack, asked); rule != nil {
		d.Rule, u.Rule = rule, rule.ID
		u.Matched = append(u.Matched, bot.RuleMatch{Rule: rule.ID, Words: words})
	}
	part := bot.Part{Asked: asked, Standalone: asked}
	if n := len(d.Question.History); n > 0 {
		last := d.Question.History[n-1]
		part.Standalone, part.FromTurn = last.Asked+" "+asked, last.Asked
	}
	u.Parts = []bot.Part{part}
	return nil
}
