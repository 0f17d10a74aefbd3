package personas

import (
	"slices"

	"plumbline/internal/text"
)

// A thing is a number, a date or a name that may be told in place of another
// one of its sort.
type thing struct {
	text.Span
	what, sort string
	clause     int
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
			list = append(list, thing{n.Span, g.ids[n.kind][n.id], [...]string{"agency", "place", "hazard"}[n.kind], r.clauseAt(n.Span)})
		}
	}
	return slices.DeleteFunc(list, func(t thing) bool { return t.clause < 0 })
}

// moved finds numbers, dates and names that changed places: what the claims say
// of one, the telling says of another.
func (c *comparison) moved() {
	if !c.oneLanguage {
		return
	}
	told := c.told.things(c.g)
	r := c.stillOpen()
	things := r.things(c.g)
	for i, a := range things {
		for _, b := range things[i+1:] {
			if a.sort == b.sort && a.what != b.what && a.clause == b.clause && isFigure(a.sort) {
				c.reversed(things, told, a, b)
			}
		}
	}
	for _, t := range told {
		if c.fresh(t.Span) && c.displaced(r, things, told, t) {
			c.added(Moved, t.what, t.Span)
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

// isFigure reports whether a sort of things is one of numbers or dates.
func isFigure(sort string) bool { return sort != "agency" && sort != "place" && sort != "hazard" }

// reversed finds two numbers of one clause, each said once, that are told in one
// clause in the other order.
func (c *comparison) reversed(things, told []thing, a, b thing) {
	ta, tb := only(told, a), only(told, b)
	if ta == nil || tb == nil || only(things, a) == nil || only(things, b) == nil {
		return
	}
	if ta.clause == tb.clause && tb.Start < ta.Start && c.fresh(ta.Span) && c.fresh(tb.Span) {
		c.added(Moved, tb.what, tb.Span)
	}
}

// only returns the one of the list that is the same as t, nil if there are
// none or several.
func only(list []thing, t thing) *thing {
	var one *thing
	for i := range list {
		if list[i].what != t.what || list[i].sort != t.sort {
			continue
		}
		if one != nil {
			return nil
		}
		one = &list[i]
	}
	return one
}

// displaced reports whether the clause of the told thing t has words that r
// says of another one of its sort alone, and none that r says of t alone.
func (c *comparison) displaced(r *reading, things, told []thing, t thing) bool {
	ours := c.told.about(c.g, t.clause, t.sort)
	own, found := r.aboutThing(c.g, things, t)
	if !found {
		return false // lost or new: told elsewhere
	}
	for i, o := range things {
		if o.sort != t.sort || o.what == t.what || only(things[:i], o) != nil {
			continue
		}
		if !isFigure(t.sort) && together(things, t, o) {
			continue // the East Ward of Newark
		}
		beside := slices.ContainsFunc(told, func(b thing) bool { return b.what == o.what && b.sort == o.sort && b.clause == t.clause })
		other, _ := r.aboutThing(c.g, things, o)
		if !beside && shared(ours, minus(other, own)) > 0 && shared(ours, minus(own, other)) == 0 {
			return true
		}
	}
	return false
}

// together reports whether some clause holds both things.
func together(things []thing, a, b thing) bool {
	for _, x := range things {
		for _, y := range things {
			if x.clause == y.clause && x.what == a.what && x.sort == a.sort && y.what == b.what && y.sort == b.sort {
				return true
			}
		}
	}
	return false
}

// aboutThing returns what the clauses that hold t are about.
func (r *reading) aboutThing(g *Guard, things []thing, t thing) (stems map[string]bool, found bool) {
	stems = make(map[string]bool)
	for _, o := range things {
		if o.what == t.what && o.sort == t.sort {
			found = true
			for s := range r.about(g, o.clause, t.sort) {
				stems[s] = true
			}
		}
	}
	return stems, found
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
	for _, d := range r.dates {
		if r.clauseAt(d.Span) != k {
			continue
		}
		if sort != "date" {
			m[d.ISO] = true
			continue
		}
		from, to := r.wordsIn(d.Span)
		for s := range r.stemsIn(g.words, from, to) {
			delete(m, s)
		}
	}
	for _, n := range r.names {
		if r.clauseAt(n.Span) == k && [...]string{"agency", "place", "hazard"}[n.kind] == sort {
			from, to := r.wordsIn(n.Span)
			for s := range r.stemsIn(g.words, from, to) {
				delete(m, s)
			}
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
