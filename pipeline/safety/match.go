package safety

import (
	"slices"
	"sort"
	"strconv"
)

// A span is tokens [start, end) that a pattern matched, and its language.
type span struct {
	start, end int
	lang       string
}

const (
	// near is how many tokens may lie between terms joined with "&".
	near = 40

	// maxSpans is how many matches of one pattern are looked at. More is not
	// a message but a document.
	maxSpans = 512
)

// A matcher evaluates patterns on one text. Concepts are evaluated once.
type matcher struct {
	r      *Router
	tokens []token
	atoms  [][]int32 // of each token
	hidden []bool    // tokens of idioms
	at     map[int32][]int
	spans  [][]span // of each concept, in order of start
	done   []bool

	has    []uint64 // set of the words that occur
	foundN []int32  // of each pattern, 1 + its place in found; 0 if not yet looked for
	found  []found
}

type found struct {
	spans []span
	parts map[int]bool // what the spans touch, once asked for
}

func (r *Router) newMatcher(tokens []token) *matcher {
	m := &matcher{r: r, tokens: tokens, atoms: make([][]int32, len(tokens)), hidden: make([]bool, len(tokens))}
	cache := map[string][]int32{}
	for i, t := range tokens {
		atoms, ok := cache[t.text]
		if !ok {
			atoms = r.atoms(t.text)
			cache[t.text] = atoms
		}
		m.atoms[i] = atoms
	}
	m.reset()
	if len(r.idioms) > 0 {
		for _, p := range r.idioms {
			for _, s := range m.find(p) {
				for i := s.start; i < s.end; i++ {
					m.hidden[i] = true
				}
			}
		}
		m.reset()
	}
	return m
}

// reset forgets what was found, and indexes the words that are not hidden.
func (m *matcher) reset() {
	m.spans = make([][]span, len(m.r.concepts))
	m.done = make([]bool, len(m.r.concepts))
	m.foundN = make([]int32, m.r.patterns)
	m.found = append(m.found[:0], found{})
	m.has = make([]uint64, m.r.words.size/64+1)
	m.at = map[int32][]int{}
	for i, atoms := range m.atoms {
		if m.hidden[i] {
			continue
		}
		for _, a := range atoms {
			m.has[a/64] |= 1 << (a % 64)
			if list := m.at[a]; len(list) == 0 || list[len(list)-1] != i {
				m.at[a] = append(list, i)
			}
		}
	}
}

// atoms gives the words that a token may stand for: as written, squeezed, and
// in its other spellings.
func (r *Router) atoms(text string) []int32 {
	text = unleet(text)
	forms := []string{text}
	for _, n := range []int{2, 1} {
		if s := squeeze(text, n); !slices.Contains(forms, s) {
			forms = append(forms, s)
		}
	}
	for _, f := range forms {
		forms = append(forms, r.spellings[f]...)
	}
	var out []int32
	for _, f := range forms {
		out = append(out, r.words.atoms(f, r.known[f])...)
	}
	slices.Sort(out)
	return slices.Compact(out)
}

// find gives the matches of a pattern in order of start and end.
func (m *matcher) find(p pattern) []span { return m.look(p).spans }

// look is find with what is remembered about the pattern. The pointer is good
// until the next look.
func (m *matcher) look(p pattern) *found {
	if n := m.foundN[p.id]; n > 0 {
		return &m.found[n-1]
	}
	if !m.possible(p) {
		m.foundN[p.id] = 1 // found[0] is no match
		return &m.found[0]
	}
	var out []span
	for _, start := range m.starts(p.seq[0]) {
		ends, lang := m.sequence(p.seq, []int{start})
		if lang == "" && p.lang != anyKey && p.lang != exceptKey && p.lang != butKey {
			lang = p.lang
		}
		for _, end := range ends {
			out = append(out, span{start, end, lang})
		}
		if len(out) > maxSpans {
			break
		}
	}
	m.found = append(m.found, found{spans: out})
	m.foundN[p.id] = int32(len(m.found))
	return &m.found[len(m.found)-1]
}

// possible rules out cheaply a pattern that needs words which do not occur.
func (m *matcher) possible(p pattern) bool {
	for _, oneOf := range p.needs {
		if !slices.ContainsFunc(oneOf, func(a int32) bool { return m.has[a/64]&(1<<(a%64)) != 0 }) {
			return false
		}
	}
	return true
}

// starts gives the tokens, in order, at which a step may begin.
func (m *matcher) starts(n node) []int {
	switch n.kind {
	case wordNode:
		return m.at[n.atom]
	case numberNode:
		var out []int
		for i := range m.tokens {
			if m.isNumber(n, i) {
				out = append(out, i)
			}
		}
		return out
	case conceptNode:
		var out []int
		for _, s := range m.concept(n.concept) {
			if len(out) == 0 || out[len(out)-1] != s.start {
				out = append(out, s.start)
			}
		}
		return out
	}
	var out []int
	for _, alt := range n.alts {
		out = append(out, m.starts(alt[0])...)
	}
	slices.Sort(out)
	return slices.Compact(out)
}

// sequence gives where the steps may end if they begin at one of from.
func (m *matcher) sequence(seq []node, from []int) (ends []int, lang string) {
	at := from
	for _, n := range seq {
		var next []int
		if n.optional {
			next = append(next, at...)
		}
		for _, i := range at {
			var l string
			next, l = m.step(n, i, i == from[0] && len(from) == 1, next)
			if lang == "" {
				lang = l
			}
		}
		if len(next) == 0 {
			return nil, ""
		}
		if len(next) > 1 {
			slices.Sort(next)
			next = slices.Compact(next)
		}
		at = next
	}
	return at, lang
}

// step appends to out where step n may end if it begins at token i. Only a gap
// may end without a token; nothing but the first token is taken across the end
// of a sentence.
func (m *matcher) step(n node, i int, first bool, out []int) (_ []int, lang string) {
	if n.kind == gapNode {
		out = append(out, i)
		for j := i; j < len(m.tokens) && j < i+n.max && m.joined(j); j++ {
			out = append(out, j+1)
		}
		return out, ""
	}
	if i >= len(m.tokens) || !first && !m.joined(i) {
		return out, ""
	}
	switch n.kind {
	case wordNode:
		if !m.hidden[i] && slices.Contains(m.atoms[i], n.atom) {
			out = append(out, i+1)
		}
	case numberNode:
		if m.isNumber(n, i) {
			out = append(out, i+1)
		}
	case conceptNode:
		spans := m.concept(n.concept)
		for k := sort.Search(len(spans), func(k int) bool { return spans[k].start >= i }); k < len(spans) && spans[k].start == i; k++ {
			out = append(out, spans[k].end)
			lang = spans[k].lang
		}
	case groupNode:
		for _, alt := range n.alts {
			ends, l := m.sequence(alt, []int{i})
			if len(ends) > 0 && lang == "" {
				lang = l
			}
			out = append(out, ends...)
		}
	}
	return out, lang
}

// isNumber tells whether token i is a number of as many digits, or within the
// range, that the step wants. The 47 of "5.47" is in no range.
func (m *matcher) isNumber(n node, i int) bool {
	t := m.tokens[i]
	switch {
	case m.hidden[i] || t.text[0] < '0' || t.text[0] > '9':
		return false
	case n.to > 0:
		value, err := strconv.Atoi(t.text)
		part := i > 0 && m.tokens[i-1].message == t.message && t.start-m.tokens[i-1].end == 1 && m.isNumber(node{}, i-1)
		return err == nil && !part && value >= n.from && value <= n.to
	}
	return n.digits == 0 || n.digits == len(t.text)
}

// joined tells whether token i is in the sentence of the one before it.
func (m *matcher) joined(i int) bool {
	return i == 0 || m.tokens[i].sentence == m.tokens[i-1].sentence
}

// concept gives the matches of a concept in order of start and end.
func (m *matcher) concept(c int) []span {
	if m.done[c] {
		return m.spans[c]
	}
	m.done[c] = true
	var out []span
	for _, p := range m.r.concepts[c].patterns {
		out = append(out, m.find(p)...)
	}
	if len(out) > 0 && slices.ContainsFunc(m.r.concepts[c].but, func(p pattern) bool { return len(m.find(p)) > 0 }) {
		out = nil
	}
	if len(out) > 0 {
		for _, p := range m.r.concepts[c].except {
			for _, e := range m.find(p) {
				out = slices.DeleteFunc(out, func(s span) bool { return s.start < e.end && e.start < s.end })
			}
		}
		slices.SortFunc(out, func(a, b span) int {
			if a.start != b.start {
				return a.start - b.start
			}
			return a.end - b.end
		})
		out = slices.CompactFunc(out, func(a, b span) bool { return a.start == b.start && a.end == b.end })
	}
	m.spans[c] = out
	return out
}

// all finds the first match of an expression that ok accepts: a span for each
// term, those after the first as near to it as there are.
func (m *matcher) all(e expression, ok func([]span) bool) []span {
	terms := make([][]span, len(e))
	for i, p := range e {
		if terms[i] = m.find(p); len(terms[i]) == 0 {
			return nil
		}
	}
	for _, first := range terms[0] {
		found := []span{first}
		for _, spans := range terms[1:] {
			if s, close := nearest(spans, first); close {
				found = append(found, s)
			}
		}
		if len(found) == len(e) && ok(found) {
			return found
		}
	}
	return nil
}

func nearest(spans []span, to span) (best span, close bool) {
	distance := near + 1
	k := sort.Search(len(spans), func(k int) bool { return spans[k].start >= to.start-4*near })
	for _, s := range spans[k:] {
		if s.start > to.end+near {
			break
		}
		d := max(s.start-to.end, to.start-s.end, 0)
		if d < distance {
			best, distance = s, d
		}
	}
	return best, distance <= near
}

// within tells whether an expression matches with every term inside parts.
func (m *matcher) within(e expression, parts []int) bool {
	for _, p := range e {
		f := m.look(p)
		if f.parts == nil && len(f.spans) > 0 {
			f.parts = map[int]bool{}
			for _, s := range f.spans {
				for i := s.start; i < s.end; i++ {
					f.parts[m.tokens[i].part] = true
				}
			}
		}
		if !slices.ContainsFunc(parts, func(part int) bool { return f.parts[part] }) {
			return false
		}
	}
	return true
}

// parts gives what lies between separators around the spans.
func (m *matcher) parts(spans []span) []int {
	var out []int
	for _, s := range spans {
		for i := s.start; i < s.end; i++ {
			if part := m.tokens[i].part; !slices.Contains(out, part) {
				out = append(out, part)
			}
		}
	}
	return out
}
