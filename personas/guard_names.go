package personas

import (
	"slices"
	"strings"
	"unicode"

	"plumbline/internal/text"
)

// names compares the names of the tables.
func (c *comparison) names() {
	lostKind := [3]Kind{LostAgency, LostName, LostHazard}
	newKind := [3]Kind{NewAgency, NewName, NewHazard}
	has := func(r *reading, n named) bool {
		return slices.ContainsFunc(r.names, func(o named) bool { return o.kind == n.kind && o.id == n.id })
	}
	for r, at := range c.open {
		for i, n := range r.names {
			twice := slices.ContainsFunc(r.names[:i], func(o named) bool { return o.kind == n.kind && o.id == n.id })
			if !twice && !n.part && !has(c.told, n) {
				c.lost(lostKind[n.kind], c.g.ids[n.kind][n.id], at, n.Span)
			}
		}
	}
	for _, n := range c.told.names {
		if c.fresh(n.Span) && !n.part && !has(c.ground, n) && !has(c.aside, n) {
			c.added(newKind[n.kind], c.g.ids[n.kind][n.id], n.Span)
		}
	}
}

// properNames compares what is written like a name within a sentence and
// stands in no table: acronyms may be left out, and nothing may appear.
func (c *comparison) properNames() {
	told, ground := wordSet(c.told), wordSet(c.ground)
	for w := range wordSet(c.aside) {
		ground[w] = true
	}
	for r, at := range c.open {
		for _, i := range c.proper(r) {
			if w := r.words[i]; !w.caps && !told[w.text] {
				c.lost(LostName, w.In(r.text), at, w.Span)
			}
		}
	}
	for _, i := range c.proper(c.told) {
		if w := c.told.words[i]; !c.covered[i] && !ground[w.text] {
			c.added(NewName, w.In(c.told.text), w.Span)
		}
	}
}

func wordSet(r *reading) map[string]bool {
	m := make(map[string]bool, len(r.words))
	for _, w := range r.words {
		m[w.text] = true
	}
	return m
}

// proper lists the words of r that are written like names.
func (c *comparison) proper(r *reading) []int {
	var list []int
	tables := make([]bool, len(r.words))
	mark := func(p text.Span) {
		from, to := r.wordsIn(p)
		for i := from; i < to; i++ {
			tables[i] = true
		}
	}
	for _, n := range r.names {
		mark(n.Span)
	}
	for _, l := range r.links {
		mark(l.Span)
	}
	for _, d := range r.dates {
		mark(d.Span)
	}
	for _, h := range r.days {
		mark(r.span(h.from, h.to))
	}
	for i, w := range r.words {
		first := w.gap >= listed && !w.caps // perhaps the beginning of a sentence
		digits := strings.ContainsFunc(w.text, unicode.IsDigit)
		if w.name && len(w.text) > 1 && !first && !digits && !tables[i] && !c.g.words.capitals[w.text] {
			list = append(list, i)
		}
	}
	return list
}
