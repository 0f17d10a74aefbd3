package safety

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
)

type nodeKind int

const (
	wordNode    nodeKind = iota // one token
	numberNode                  // one token of digits
	conceptNode                 // what a concept matches
	groupNode                   // one of several sequences
	gapNode                     // up to max tokens
)

// A node is one step of a pattern.
type node struct {
	kind     nodeKind
	atom     int32  // of a wordNode
	digits   int    // of a numberNode: how many, or 0 for any number
	from, to int    // of a numberNode: its range, if to > 0
	name     string // of a conceptNode
	concept  int    // of a conceptNode, once compiled
	alts     [][]node
	max      int // of a gapNode
	optional bool
}

const defaultGap = 3

// A vocabulary numbers the words that patterns mention.
type vocabulary struct {
	exact  map[string]int32
	prefix map[string]int32
	fuzzy  map[rune][]fuzzyWord // by first letter
	size   int32
}

type fuzzyWord struct {
	word  []rune
	limit int
	atom  int32
}

func newVocabulary() *vocabulary {
	return &vocabulary{exact: map[string]int32{}, prefix: map[string]int32{}, fuzzy: map[rune][]fuzzyWord{}}
}

func (v *vocabulary) add(word string, mode byte) (int32, error) {
	runes := []rune(word)
	if len(runes) > maxForm {
		return 0, fmt.Errorf("word %q is longer than %d letters", word, maxForm)
	}
	switch mode {
	case '*':
		if len(runes) < 2 {
			return 0, fmt.Errorf("prefix %q* is shorter than 2 letters", word)
		}
		return number(v, v.prefix, word), nil
	case '~':
		if len(runes) < 5 {
			return 0, fmt.Errorf("%q~ is shorter than 5 letters: too short to guess at", word)
		}
		bucket := v.fuzzy[runes[0]]
		if i := slices.IndexFunc(bucket, func(f fuzzyWord) bool { return string(f.word) == word }); i >= 0 {
			return bucket[i].atom, nil
		}
		limit := 1
		if len(runes) >= 8 {
			limit = 2
		}
		f := fuzzyWord{runes, limit, v.size}
		v.size++
		v.fuzzy[runes[0]] = append(bucket, f)
		return f.atom, nil
	}
	return number(v, v.exact, word), nil
}

func number(v *vocabulary, m map[string]int32, word string) int32 {
	id, ok := m[word]
	if !ok {
		id = v.size
		v.size++
		m[word] = id
	}
	return id
}

// atoms gives the words of patterns that a token may stand for: itself, words
// that it begins with, and, unless it is a word of its own, those a typing error away.
func (v *vocabulary) atoms(form string, known bool) []int32 {
	var out []int32
	id, exact := v.exact[form]
	if exact {
		out = append(out, id)
	}
	for i := range form {
		if i >= 2 {
			if id, ok := v.prefix[form[:i]]; ok {
				out = append(out, id)
			}
		}
	}
	if id, ok := v.prefix[form]; ok {
		out = append(out, id)
	}
	runes := []rune(form)
	if len(runes) < 4 || len(runes) > maxForm {
		return out
	}
	for _, f := range v.fuzzy[runes[0]] {
		limit := f.limit
		if known || exact {
			limit = 0
		}
		if edits(runes, f.word, limit) <= limit {
			out = append(out, f.atom)
		}
	}
	return out
}

// parsePattern reads one pattern; see the package comment for the form.
func (v *vocabulary) parsePattern(s string) ([]node, error) {
	p := &patternParser{rest: lexPattern(s), words: v}
	alts, err := p.alternatives()
	if err != nil {
		return nil, err
	}
	if len(p.rest) > 0 {
		return nil, fmt.Errorf("unexpected %q", p.rest[0])
	}
	if len(alts) == 1 {
		return alts[0], nil
	}
	return []node{{kind: groupNode, alts: alts}}, nil
}

// lexPattern cuts at spaces and around ( ) )? and |.
func lexPattern(s string) []string {
	s = strings.NewReplacer("(", " ( ", ")?", " )? ", ")", " ) ", "|", " | ").Replace(s)
	return strings.Fields(s)
}

type patternParser struct {
	rest  []string
	words *vocabulary
}

func (p *patternParser) alternatives() ([][]node, error) {
	var alts [][]node
	for {
		seq, err := p.sequence()
		if err != nil {
			return nil, err
		}
		alts = append(alts, seq)
		if len(p.rest) == 0 || p.rest[0] != "|" {
			return alts, nil
		}
		p.rest = p.rest[1:]
	}
}

func (p *patternParser) sequence() ([]node, error) {
	var seq []node
	for len(p.rest) > 0 && p.rest[0] != "|" && p.rest[0] != ")" && p.rest[0] != ")?" {
		n, err := p.step()
		if err != nil {
			return nil, err
		}
		seq = append(seq, n)
	}
	switch {
	case len(seq) == 0:
		return nil, fmt.Errorf("an empty alternative")
	case seq[0].optional || seq[0].kind == gapNode:
		return nil, fmt.Errorf("a pattern may not begin with what may be absent")
	case seq[len(seq)-1].optional || seq[len(seq)-1].kind == gapNode:
		return nil, fmt.Errorf("a pattern may not end with what may be absent")
	}
	return seq, nil
}

func (p *patternParser) step() (node, error) {
	word := p.rest[0]
	p.rest = p.rest[1:]
	if word == "(" {
		alts, err := p.alternatives()
		if err != nil {
			return node{}, err
		}
		if len(p.rest) == 0 || p.rest[0][0] != ')' {
			return node{}, fmt.Errorf("a ( without its )")
		}
		n := node{kind: groupNode, alts: alts, optional: p.rest[0] == ")?"}
		p.rest = p.rest[1:]
		return n, nil
	}
	if after, ok := strings.CutPrefix(word, ".."); ok {
		n := node{kind: gapNode, max: defaultGap}
		if after != "" {
			m, err := strconv.Atoi(after)
			if err != nil || m < 1 || m > 20 {
				return node{}, fmt.Errorf("gap %q is not .. or ..1 to ..20", word)
			}
			n.max = m
		}
		return n, nil
	}
	var n node
	word, n.optional = strings.CutSuffix(word, "?")
	switch {
	case strings.HasPrefix(word, "#"):
		n.kind = numberNode
		if from, to, ranged := strings.Cut(word[1:], "-"); ranged {
			var errs [2]error
			n.from, errs[0] = strconv.Atoi(from)
			n.to, errs[1] = strconv.Atoi(to)
			if errs != [2]error{} || n.from < 0 || n.to <= n.from {
				return node{}, fmt.Errorf("number %q is not a range such as #45-199", word)
			}
			return n, nil
		}
		if word != "#" {
			var err error
			if n.digits, err = strconv.Atoi(word[1:]); err != nil || n.digits < 1 || n.digits > 9 {
				return node{}, fmt.Errorf("number %q is not # or #1 to #9", word)
			}
		}
		return n, nil
	case strings.HasPrefix(word, "@"):
		n.kind, n.name = conceptNode, word[1:]
		return n, nil
	}
	mode := byte(0)
	if l := len(word); l > 0 && (word[l-1] == '*' || word[l-1] == '~') {
		mode, word = word[l-1], word[:l-1]
	}
	folded := tokenize([]string{word})
	if len(folded) != 1 {
		return node{}, fmt.Errorf("%q is not one word", word)
	}
	var err error
	n.atom, err = p.words.add(folded[0].text, mode)
	return n, err
}

// refs calls f with the name of every concept that the steps mention.
func refs(seq []node, f func(*node)) {
	for i := range seq {
		if seq[i].kind == conceptNode {
			f(&seq[i])
		}
		for _, alt := range seq[i].alts {
			refs(alt, f)
		}
	}
}

// needs gives sets of words of which the steps need one each, as far as can be
// told from the words alone.
func needs(seq []node) [][]int32 {
	var out [][]int32
	for _, n := range seq {
		switch {
		case n.optional:
		case n.kind == wordNode:
			out = append(out, []int32{n.atom})
		case n.kind == groupNode:
			var oneOf []int32
			for _, alt := range n.alts {
				first := needs(alt)
				if len(first) == 0 {
					oneOf = nil
					break
				}
				oneOf = append(oneOf, first[0]...)
			}
			if oneOf != nil {
				out = append(out, oneOf)
			}
		}
	}
	return out
}
