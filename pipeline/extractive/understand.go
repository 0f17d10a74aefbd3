package extractive

import (
	"context"
	"fmt"
	"regexp"
	"strings"
	"time"
	"unicode"

	"plumbline/bot"
	"plumbline/internal/text"
	"plumbline/kb"
	"plumbline/pipeline"
)

// A scopeRule is a pack's rule with its patterns compiled.
type scopeRule struct {
	kb.ScopeRule
	any, unless pipeline.Patterns
}

func compileScope(lib *kb.Library) (map[string][]scopeRule, error) {
	rules := map[string][]scopeRule{}
	for _, p := range lib.Packs() {
		for _, r := range p.Scope {
			any, err := pipeline.CompilePatterns(r.Any)
			if err != nil {
				return nil, fmt.Errorf("scope rule %s: %w", r.ID, err)
			}
			unless, err := pipeline.CompilePatterns(r.Unless)
			if err != nil {
				return nil, fmt.Errorf("scope rule %s: %w", r.ID, err)
			}
			rules[p.Manifest.Name] = append(rules[p.Manifest.Name], scopeRule{r, any, unless})
		}
	}
	return rules, nil
}

// scope returns the first rule of the pack that settles the text, nil for none,
// and the words that it fired on.
func (s *Stages) scope(pack, asked string) (*kb.ScopeRule, string) {
	folded := pipeline.FoldMarks(asked)
	for _, r := range s.rules[pack] {
		if words := r.any.Find(folded, r.unless); words != "" {
			return &r.ScopeRule, words
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
		switch {
		case d.Language != "":
		case foreign(asked):
			d.Language, u.Guessed = undetermined, "by its letters"
		default:
			d.Language, u.Guessed = bot.English, "not told; English"
		}
	}
	u.Language = d.Language
	u.Parts = []bot.Part{{Asked: asked, Standalone: asked}}
	if _, read := s.words[string(d.Language)]; !read {
		return nil
	}
	if link.MatchString(asked) {
		d.Rule, u.Rule = &kb.ScopeRule{ID: "link", Status: string(bot.OutOfScope), Say: openNoLink}, "link"
		return nil
	}
	if id, say := talk(pipeline.Fold(asked), d.Language); id != "" {
		d.Rule, u.Rule = &kb.ScopeRule{ID: id, Status: string(bot.OutOfScope), Say: kb.Text{"en": say, string(d.Language): say}}, id
		return nil
	}
	if rule, words := s.scope(d.Question.Pack, asked); rule != nil {
		d.Rule, u.Rule = rule, rule.ID
		u.Matched = append(u.Matched, bot.RuleMatch{Rule: rule.ID, Words: words})
	}
	u.Parts = s.parts(d, asked)
	return nil
}

// undetermined is the language of a text in letters that no language we answer
// in is written with.
const undetermined bot.Language = "und"

// foreign reports whether most letters of a text are of such a script.
func foreign(s string) bool {
	ours, all := 0, 0
	for _, r := range s {
		if unicode.IsLetter(r) {
			all++
			if unicode.Is(unicode.Latin, r) {
				ours++
			}
		}
	}
	return 2*ours < all
}

// maxParts is how many questions of one message are answered.
const maxParts = 3

// breaks matches where one question may end and the next begin, by language.
var breaks = map[string]*regexp.Regexp{
	"en": regexp.MustCompile(`(?i)[?;]+\s+|\s+/\s+|,?\s+(?:and|also|plus|and also)\s+(?:(?:also)\s+)?((?:is|are|was|can|could|do|does|did|how|what|whats|when|where|why|who|which|should|will)\b)`),
	"es": regexp.MustCompile(`(?i)[?;]+\s+|\s+/\s+|,?\s+(?:y|tambi[eé]n|y tambi[eé]n|adem[aá]s)\s+((?:es|son|c[oó]mo|qu[eé]|cu[aá]ndo|cu[aá]nto|d[oó]nde|por qu[eé]|qui[eé]n|cu[aá]l|puedo|se puede|debo|hay)\b)`),
}

// parts splits a message into its questions, each made to stand alone. What
// says too little by itself leans on the whole message.
func (s *Stages) parts(d *pipeline.Draft, asked string) []bot.Part {
	lang := string(d.Language)
	whole := s.standalone(d, asked)
	re := breaks[lang]
	if re == nil {
		return []bot.Part{whole}
	}
	var pieces []string
	from := 0
	for _, m := range re.FindAllStringSubmatchIndex(asked, -1) {
		next := m[1]
		if m[2] >= 0 {
			next = m[2] // the word that opens the next question belongs to it
		}
		pieces = append(pieces, strings.TrimSpace(asked[from:m[0]]))
		from = next
	}
	pieces = append(pieces, strings.TrimSpace(asked[from:]))
	var parts []bot.Part
	for _, piece := range pieces {
		known := 0
		for t := range s.words[lang].set(piece) {
			if s.words[lang].count[t] > 0 {
				known++
			}
		}
		if known == 0 || len(strings.Fields(piece)) < 2 {
			continue // a greeting, a sigh
		}
		part := bot.Part{Asked: piece, Standalone: piece}
		if len(parts) == 0 {
			part = s.standalone(d, piece)
		} else if known < 3 || pointers[lang].MatchString(pipeline.Fold(piece)) {
			part.Standalone, part.FromTurn, part.Leans = asked, "the whole message", 1
		}
		parts = append(parts, part)
	}
	if len(parts) < 2 || len(parts) > maxParts {
		return []bot.Part{whole}
	}
	return parts
}

// turnAge is how long a turn is something to lean on.
const turnAge = 30 * time.Minute

// standalone joins a question with the turn before it, as far as it leans on it:
// wholly where it begins like a reply, or says little and points at something;
// a little where nothing tells; not at all in another language or long after.
func (s *Stages) standalone(d *pipeline.Draft, asked string) bot.Part {
	part := bot.Part{Asked: asked, Standalone: asked}
	n := len(d.Question.History)
	if n == 0 {
		return part
	}
	last := d.Question.History[n-1]
	if !last.At.IsZero() && d.Question.At.Sub(last.At) > turnAge {
		return part
	}
	if was := text.Language(last.Asked).Lang; was != "" && was != string(d.Language) {
		return part
	}
	part.FromTurn, part.Standalone, part.Leans = last.Asked, last.Asked+" "+asked, 0.15
	folded, lang := pipeline.Fold(asked), string(d.Language)
	begins, points := replies[lang], pointers[lang]
	short := len(s.words[lang].set(asked)) <= 3
	if begins != nil && (begins.MatchString(folded) || short && points.MatchString(folded)) {
		part.Leans = 1
	}
	return part
}

// replies match questions that begin like a reply, pointers those that point at
// something that they may not name, by language.
var (
	replies = map[string]*regexp.Regexp{
		"en": regexp.MustCompile(`^(and|but|so|ok|okay|then|also|what about|how about|what if|really|are you sure)\b`),
		"es": regexp.MustCompile(`^(y|pero|entonces|ok|tambien|que tal|y si|de verdad|seguro)\b`),
	}
	pointers = map[string]*regexp.Regexp{
		"en": regexp.MustCompile(`\b(it|its|that|this|those|these|them|they|there|one|either|both|same|why)\b`),
		"es": regexp.MustCompile(`\b(eso|esa|ese|esto|esos|esas|lo|la|ahi|cual|ambos|mismo|por que|xq)\b`),
	}
)
