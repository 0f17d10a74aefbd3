package personas

import (
	"slices"
	"strings"

	"plumbline/internal/text"
)

// holds reports whether r has the number, and the units that it has it with.
func (r *reading) holds(value, unit string) (ok bool, units []string) {
	for _, n := range r.numbers {
		if n.value == value {
			ok = ok || n.unit == unit
			units = append(units, n.unit)
		}
	}
	return ok, units
}

// has reports whether some number of r has the unit.
func (r *reading) has(unit string) bool {
	return slices.ContainsFunc(r.numbers, func(n number) bool { return n.unit == unit })
}

// isArticle reports whether a Spanish number in words may be an article.
func (n number) isArticle(s string) bool {
	first, _, _ := strings.Cut(strings.ToLower(n.In(s)), " ")
	return n.value == "1" && n.inWords && (first == "un" || first == "una" || first == "uno")
}

// year reports whether a date of r is in the year.
func (r *reading) year(y string) bool {
	return len(y) == 4 && slices.ContainsFunc(r.dates, func(d text.Date) bool { return strings.HasPrefix(d.ISO, y) })
}

// numbers compares numbers with their units.
func (c *comparison) numbers() {
	for r, at := range c.open {
		for _, n := range r.numbers {
			ok, units := c.told.holds(n.value, n.unit)
			switch {
			case ok, n.isArticle(r.text), n.unit == "" && (n.inWords || len(units) > 0 || c.told.year(n.value)):
			case len(units) > 0:
				c.lost(ChangedUnit, n.what(), at, n.Span)
			default:
				c.lost(LostNumber, n.what(), at, n.Span)
			}
		}
	}
	for _, n := range c.told.numbers {
		if !c.fresh(n.Span) || n.isArticle(c.told.text) {
			continue
		}
		ok, units := c.ground.holds(n.value, n.unit)
		_, also := c.aside.holds(n.value, n.unit)
		switch {
		case ok, n.unit == "" && (len(units)+len(also) > 0 || c.ground.year(n.value) || c.aside.year(n.value)):
		case slices.Contains(units, "") && c.ground.has(n.unit): // 12 and 24 months, 24 and 12 months
		case len(units) > 0:
			c.added(ChangedUnit, n.what(), n.Span)
		default:
			c.added(NewNumber, n.what(), n.Span)
		}
	}
}

func (n number) what() string {
	if n.unit == "" || n.unit == code {
		return n.value
	}
	return n.value + " " + n.unit
}

// counts finds a figure or an agency that is told more often where another one
// is told less often, so that it may stand in the other's place.
func (c *comparison) counts() {
	count := make(map[string]int)
	for r := range c.open {
		for _, t := range r.tally(c.g) {
			count[t.what]--
		}
	}
	said := make(map[string]bool)
	for _, t := range c.ground.tally(c.g) {
		said[t.what] = true
	}
	more := make(map[string]thing)
	for _, t := range c.told.tally(c.g) {
		if c.fresh(t.Span) {
			count[t.what]++
			more[t.what] = t
		}
	}
	for what, t := range more {
		for other, n := range count {
			if said[what] && count[what] > 0 && n < 0 && (what[0] == '@') == (other[0] == '@') {
				c.added(Moved, strings.TrimPrefix(what, "@"), t.Span)
				break
			}
		}
	}
}

// tally lists every figure of r by its value, those of dates and codes too, and
// every agency by its id with an @ before it.
func (r *reading) tally(g *Guard) []thing {
	var list []thing
	skip := func(w word) bool {
		return slices.ContainsFunc(r.phones, func(p text.Phone) bool { return p.Overlaps(w.Span) }) ||
			slices.ContainsFunc(r.links, func(l link) bool { return l.Overlaps(w.Span) })
	}
	for _, w := range r.words {
		v, ok := g.words.numbers[r.lang][w.text]
		if !ok && strings.ContainsAny(w.text, "0123456789") {
			v, ok = value(w.text), true
		}
		if ok && !skip(w) {
			list = append(list, thing{Span: w.Span, what: v})
		}
	}
	for _, n := range r.names {
		if n.kind == 0 {
			list = append(list, thing{Span: n.Span, what: "@" + g.ids[0][n.id]})
		}
	}
	return list
}

// strong reports whether a bound must be told.
func strong(bound int) bool { return bound == up || bound == down }

// sameWay reports whether two bounds say the same, or nearly.
func sameWay(a, b int) bool { return a >= 0 && b >= 0 && a%2 == b%2 }

// bounds compares at least, at most and the like.
func (c *comparison) bounds() {
	for r, at := range c.open {
		for _, n := range r.numbers {
			if strong(n.bound) && !c.bounded(c.told, n, true) {
				c.lost(ChangedBound, n.what(), at, n.Span)
			}
		}
	}
	for _, n := range c.told.numbers {
		if strong(n.bound) && c.fresh(n.Span) && !c.bounded(c.ground, n, false) {
			c.added(ChangedBound, n.what(), n.Span)
		}
	}
}

// bounded reports whether r bounds the number n as n is bounded, or does not
// hold it at all. Loosely, a word of the same way in its clause will do.
func (c *comparison) bounded(r *reading, n number, loosely bool) bool {
	found := false
	for _, o := range r.numbers {
		if o.value != n.value || o.unit != n.unit {
			continue
		}
		found = true
		if sameWay(o.bound, n.bound) || (loosely || o.bound < 0) && o.clause >= 0 && c.leads(r, o.clause, n.bound) {
			return true
		}
	}
	return !found
}

// leads reports whether a clause of r has words that bound in the same way.
func (c *comparison) leads(r *reading, k, bound int) bool {
	for i := r.clauses[k].from; i < r.clauses[k].to; i++ {
		if h, ok := c.g.words.bounds.at(r.words, i); ok && sameWay(h.id, bound) {
			return true
		}
	}
	return false
}

// shared counts the stems that two sets share.
func shared(a, b map[string]bool) int {
	n := 0
	for s := range a {
		if b[s] {
			n++
		}
	}
	return n
}

// dates compares dates. A date is told by one that says as much or more.
func (c *comparison) dates() {
	says := func(r *reading, iso string) bool {
		return slices.ContainsFunc(r.dates, func(d text.Date) bool {
			return strings.HasPrefix(d.ISO, iso) || strings.HasPrefix(iso, "--") && strings.HasSuffix(d.ISO, iso[1:])
		})
	}
	number := func(r *reading, iso string) bool { // a year may be read as a number
		ok, _ := r.holds(iso, "")
		return ok && len(iso) == 4
	}
	for r, at := range c.open {
		for _, d := range r.dates {
			if !says(c.told, d.ISO) && !number(c.told, d.ISO) {
				c.lost(LostDate, d.ISO, at, d.Span)
			}
		}
	}
	for _, d := range c.told.dates {
		if c.fresh(d.Span) && !says(c.ground, d.ISO) && !says(c.aside, d.ISO) && !number(c.ground, d.ISO) {
			c.added(NewDate, d.ISO, d.Span)
		}
	}
}

// weekdays compares the days of the week.
func (c *comparison) weekdays() {
	has := func(r *reading, id int) bool {
		return slices.ContainsFunc(r.days, func(h hit) bool { return h.id == id })
	}
	for r, at := range c.open {
		for _, h := range r.days {
			if !has(c.told, h.id) {
				c.lost(LostDate, c.g.words.dayIDs[h.id], at, r.span(h.from, h.to))
			}
		}
	}
	for _, h := range c.told.days {
		if p := c.told.span(h.from, h.to); c.fresh(p) && !has(c.ground, h.id) {
			c.added(NewDate, c.g.words.dayIDs[h.id], p)
		}
	}
}

// contacts compares telephone numbers and addresses.
func (c *comparison) contacts() {
	phone := func(r *reading, digits string) bool {
		return slices.ContainsFunc(r.phones, func(p text.Phone) bool { return p.Digits == digits })
	}
	address := func(r *reading, key string) bool {
		return slices.ContainsFunc(r.links, func(l link) bool { return l.key == key })
	}
	for r, at := range c.open {
		for _, p := range r.phones {
			if !phone(c.told, p.Digits) {
				c.lost(LostPhone, p.Digits, at, p.Span)
			}
		}
		for _, l := range r.links {
			if !address(c.told, l.key) {
				c.lost(LostURL, l.key, at, l.Span)
			}
		}
	}
	for _, p := range c.told.phones {
		if c.fresh(p.Span) && !phone(c.ground, p.Digits) {
			c.added(NewPhone, p.Digits, p.Span)
		}
	}
	for _, l := range c.told.links {
		if c.fresh(l.Span) && !address(c.ground, l.key) {
			c.added(NewURL, l.key, l.Span)
		}
	}
}
