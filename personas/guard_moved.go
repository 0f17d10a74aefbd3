package personas

import (
	"slices"
	"strings"

	"plumbline/internal/text"
)

// A thing is a number, a date or a name that may be told in place of another
// one of its sort.
type thing struct {
	text.Span
	what, sort string
	clause     int
}

// nameSorts are the sorts of names, by the kind of a named. That of a hazard has
// the kind that its table says after it.
var nameSorts = [...]string{"agency", "place", "hazard"}

// sortOf is the sort of a name.
func (g *Guard) sortOf(n named) string {
	if n.kind == hazard {
		return g.sorts[n.id]
	}
	return nameSorts[n.kind]
}

// isFigure reports whether a sort of things is one of numbers or dates.
func isFigure(sort string) bool {
	name, _, _ := strings.Cut(sort, " ")
	return !slices.Contains(nameSorts[:], name)
}

// things lists what of r may change places.
func (r *reading) things(g *Guard) []thing {
	var list []thing
	for _, n := range r.numbers {
		if n.unit != code {
			list = append(list, thing{n.Span, n.value, n.unit, n.clause})
		}
	}
	for _, d := range r.dates {
		list = append(list, thing{d.Span, d.ISO, "date", r.clauseAt(d.Span)})
	}
	for _, n := range r.names {
		if !n.part {
			list = append(list, thing{n.Span, g.ids[n.kind][n.id], g.sortOf(n), r.clauseAt(n.Span)})
		}
	}
	return slices.DeleteFunc(list, func(t thing) bool { return t.clause < 0 })
}

// A subject is one thing, wherever a text says it.
type subject struct {
	what, sort string
	said       []thing
	about      map[string]bool // what its clauses are about
}

// subjects groups things.
func (r *reading) subjects(g *Guard) []*subject {
	type key struct{ what, sort string }
	by := make(map[key]*subject)
	var list []*subject
	for _, t := range r.things(g) {
		s := by[key{t.what, t.sort}]
		if s == nil {
			s = &subject{what: t.what, sort: t.sort, about: make(map[string]bool)}
			by[key{t.what, t.sort}] = s
			list = append(list, s)
		}
		s.said = append(s.said, t)
		for stem := range r.about(g, t.clause, t.sort) {
			s.about[stem] = true
		}
	}
	return list
}

// find returns the subject of the list that is the same as s, nil for none.
func find(list []*subject, s *subject) *subject {
	for _, o := range list {
		if o.what == s.what && o.sort == s.sort {
			return o
		}
	}
	return nil
}

// in reports whether the clause is one of those that say s.
func (s *subject) in(clause int) bool {
	return slices.ContainsFunc(s.said, func(t thing) bool { return t.clause == clause })
}

// together reports whether some clause says both.
func (s *subject) together(o *subject) bool {
	return slices.ContainsFunc(s.said, func(t thing) bool { return o.in(t.clause) })
}

// moved finds numbers, dates and names that changed places: what the claims say
// of one, the telling says of another.
func (c *comparison) moved() {
	if !c.oneLanguage {
		return
	}
	source, told := c.stillOpen().subjects(c.g), c.told.subjects(c.g)
	for i, a := range source {
		for _, b := range source[i+1:] {
			if a.sort == b.sort && isFigure(a.sort) && len(a.said) == 1 && len(b.said) == 1 && a.together(b) {
				c.reversed(find(told, a), find(told, b))
			}
		}
	}
	for _, t := range told {
		own := find(source, t)
		if own == nil || !isFigure(t.sort) && len(own.about) == 0 {
			continue // lost or new: told elsewhere; or a name in a list, of which its clause says nothing
		}
		for _, o := range source {
			if o.sort == t.sort && o != own && (isFigure(t.sort) || !own.together(o)) { // not the East Ward of Newark
				c.displaced(t, own, o, find(told, o))
			}
		}
	}
}

// stillOpen reads what does not stand verbatim in the telling as one text.
func (c *comparison) stillOpen() *reading {
	var list []*reading
	for r := range c.open {
		list = append(list, r)
	}
	return c.g.readAll(list)
}

// reversed finds two figures of one clause of the claims, each said once, that
// are told in one clause in the other order.
func (c *comparison) reversed(a, b *subject) {
	if a == nil || b == nil || len(a.said) != 1 || len(b.said) != 1 {
		return
	}
	ta, tb := a.said[0], b.said[0]
	if ta.clause == tb.clause && tb.Start < ta.Start && c.fresh(ta.Span) && c.fresh(tb.Span) {
		c.added(Moved, tb.what, tb.Span)
	}
}

// displaced finds places where t is told in a clause with words that the claims
// say of other alone, and none that they say of t alone. told is other as it is
// told, nil if it is not.
func (c *comparison) displaced(t, own, other, told *subject) {
	theirs, ours := minus(other.about, own.about), minus(own.about, other.about)
	if len(theirs) == 0 {
		return
	}
	for _, at := range t.said {
		if !c.fresh(at.Span) || told != nil && told.in(at.clause) {
			continue
		}
		about := c.told.about(c.g, at.clause, t.sort)
		if shared(about, theirs) > 0 && shared(about, ours) == 0 {
			c.added(Moved, t.what, at.Span)
		}
	}
}

// about returns the stems of a clause that are no numbers, and its dates; but
// nothing that is of the sort itself.
func (r *reading) about(g *Guard, k int, sort string) map[string]bool {
	m := make(map[string]bool)
	for s := range r.clauses[k].stems {
		if s[0] > '9' {
			m[s] = true
		}
	}
	drop := func(p text.Span) {
		from, to := r.wordsIn(p)
		for s := range r.stemsIn(g.words, from, to) {
			delete(m, s)
		}
	}
	for _, d := range r.dates {
		switch {
		case r.clauseAt(d.Span) != k:
		case sort == "date":
			drop(d.Span)
		default:
			m[d.ISO] = true
		}
	}
	for _, n := range r.names {
		if g.sortOf(n) == sort && r.clauseAt(n.Span) == k {
			drop(n.Span)
		}
	}
	return m
}

// minus returns the stems of a that b lacks.
func minus(a, b map[string]bool) map[string]bool {
	m := make(map[string]bool)
	for s := range a {
		if !b[s] {
			m[s] = true
		}
	}
	return m
}
