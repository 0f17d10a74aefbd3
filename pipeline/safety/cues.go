package safety

import (
	"cmp"
	"math"
	"slices"
)

// Cues are points for words and concepts, by which a message that no rule knows
// can still be told to be an emergency. They are learned from the labelled
// messages in testdata ("go test -run TestCues -update" writes them) and are
// looked at only where no rule of an emergency fired, a pack's points where
// nothing at all fired; they never silence anything.
type Cues struct {
	// Quiet lists words that count for nothing, such as "please" and "thanks".
	// Core only.
	Quiet []string `json:"quiet"`

	// Of holds the points by route. A pack gives points for its own routes.
	Of map[string]Cue `json:"of"`
}

// A Cue is one route's points. The route fires if
//
//	Bias + sum of points × weight / sqrt(sum of weight²) > Over
//
// over the features of a message: "w:" words and "p:" their first five letters
// and "b:" pairs of words, of weight 2, and "c:" concepts, of weight 3. Of routes
// that fire the one for which the sum is greatest is taken.
type Cue struct {
	Bias   int            `json:"bias"`
	Over   int            `json:"over"`
	Unless []string       `json:"unless"` // as a rule's unless_text
	Points map[string]int `json:"points"`
}

type cue struct {
	route  string
	pack   bool
	bias   int
	over   int
	unless []expression
	points map[string]int
}

// A feature is something that points are given for, and the token it stands at,
// or -1.
type feature struct {
	name   string
	weight int
	token  int
}

const (
	wordWeight    = 2
	conceptWeight = 3
	prefixLetters = 5

	// doubt is what the core's points must tell beyond Over where a rule of a
	// pinned route has explained the message already.
	doubt = 200
)

// features gives each feature of the text once; packs' concepts count for packs'
// points only.
func (m *matcher) features(packs bool) []feature {
	var out []feature
	seen := map[string]bool{}
	add := func(name string, weight, token int) {
		if !seen[name] {
			seen[name] = true
			out = append(out, feature{name, weight, token})
		}
	}
	before := "^"
	for i, t := range m.tokens {
		if m.r.quiet[t.text] {
			continue
		}
		word := squeeze(unleet(t.text), 1)
		if t.text[0] >= '0' && t.text[0] <= '9' {
			word = "#"
		}
		add("w:"+word, wordWeight, i)
		if runes := []rune(word); len(runes) > prefixLetters {
			add("p:"+string(runes[:prefixLetters]), wordWeight, i)
		}
		add("b:"+before+" "+word, wordWeight, i)
		before = word
		for _, s := range m.r.spellings[t.text] {
			add("w:"+s, wordWeight, i)
		}
	}
	for c, concept := range m.r.concepts {
		if (concept.core || packs) && len(m.concept(c)) > 0 {
			add("c:"+concept.name, conceptWeight, -1)
		}
	}
	return out
}

// cue gives the route that the core's or the packs' points tell by more than
// least, if any, and the words that told most.
func (m *matcher) cue(packs bool, least float64) (match Match, ok bool) {
	features := m.features(packs)
	norm := 0
	for _, f := range features {
		norm += f.weight * f.weight
	}
	if norm == 0 {
		return Match{}, false
	}
	best, most := -1, 0.0
	for i, c := range m.r.cues {
		if c.pack != packs {
			continue
		}
		sum := 0
		for _, f := range features {
			sum += c.points[f.name] * f.weight
		}
		told := float64(c.bias) + float64(sum)/math.Sqrt(float64(norm))
		if told > float64(c.over)+least && (best < 0 || told > most) && !slices.ContainsFunc(c.unless, m.anywhere) {
			best, most = i, told
		}
	}
	if best < 0 {
		return Match{}, false
	}
	c := m.r.cues[best]
	told := slices.DeleteFunc(features, func(f feature) bool { return f.token < 0 || c.points[f.name] <= 0 })
	slices.SortStableFunc(told, func(a, b feature) int { return cmp.Compare(c.points[b.name], c.points[a.name]) })
	match = Match{Rule: "cues." + c.route, Route: c.route, Learned: true}
	for _, f := range told[:min(len(told), 5)] {
		t := m.tokens[f.token]
		s := Span{t.message, t.start, t.end}
		if !slices.Contains(match.Spans, s) {
			match.Spans = append(match.Spans, s)
		}
	}
	slices.SortFunc(match.Spans, func(a, b Span) int {
		return cmp.Or(cmp.Compare(a.Message, b.Message), cmp.Compare(a.Start, b.Start))
	})
	return match, true
}
