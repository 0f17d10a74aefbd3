package personas

import (
	"cmp"
	"slices"
	"strings"
)

// A denial is one negator in the matching of claims with their telling.
type denial struct {
	negator
	r       *reading
	where   place // of those of claims
	partner int   // index on the other side, -1 for none
	settled bool  // by an opposite or a prefix: needs no partner
}

// alone reports whether d still needs a partner.
func (d *denial) alone() bool { return d.partner < 0 && !d.settled }

// negations holds the negations of the claims and of the telling to each other.
// Each must have its partner: one in a clause that says the same. Several that
// deny a list may become one, and one several, if what they deny stays denied.
func (c *comparison) negations() {
	var source, told []denial
	for r, at := range c.open {
		for _, n := range r.negators {
			source = append(source, denial{n, r, at, -1, false})
		}
	}
	for _, n := range c.told.negators {
		if c.fresh(n.Span) {
			told = append(told, denial{n, c.told, place{-1, -1}, -1, false})
		}
	}
	c.pair(source, told)
	c.turnedRound(source, told)
	for i := range source {
		if d := &source[i]; d.alone() && c.must(d.negator) && !c.absorbed(d, source, told) {
			c.lost(LostNegation, d.word, d.where, d.Span)
		}
	}
	for i := range told {
		if d := &told[i]; d.alone() && c.must(d.negator) && !c.goesOn(d, told) && !c.doubts(d) && !c.absorbed(d, told, source) {
			c.added(AddedNegation, d.word, d.Span)
		}
	}
}

// goesOn reports whether d is a "nor" that carries on a denial before or after
// it in its sentence.
func (c *comparison) goesOn(d *denial, told []denial) bool {
	if d.word != "ni" && d.word != "nor" {
		return false
	}
	return slices.ContainsFunc(told, func(o denial) bool {
		return o.Span != d.Span && o.partner >= 0 && o.soft < 0 && d.r.clauses[o.clause].sentence == d.r.clauses[d.clause].sentence
	})
}

// doubts reports whether d says that something is not known, where the claims
// come with limitations.
func (c *comparison) doubts(d *denial) bool {
	if len(c.limits) == 0 {
		return false
	}
	for k := max(0, d.at-2); k <= d.at; k++ {
		if h, ok := c.g.words.doubting.at(c.told.words, k); ok && h.to > d.at {
			return true
		}
	}
	return false
}

// must reports whether to lose or add a negator is a fault.
func (c *comparison) must(n negator) bool {
	return !n.leans && (n.soft < 0 || c.g.words.softMust[n.soft])
}

// pair gives each denial its partner, the likest first: the same word before
// the same kind before any other.
func (c *comparison) pair(source, told []denial) {
	type pairing struct {
		s, t  int
		score float64
	}
	var list []pairing
	for i, s := range source {
		for k, t := range told {
			if s.soft >= 0 && t.soft >= 0 && s.soft != t.soft && !c.excepts(s.soft, t.soft) {
				continue
			}
			score := c.likeness(s, t)
			if score == 0 {
				continue
			}
			switch {
			case s.soft == t.soft && s.word == t.word:
				score += 0.5
			case s.soft == t.soft:
				score += 0.4
			}
			list = append(list, pairing{i, k, score})
		}
	}
	slices.SortStableFunc(list, func(a, b pairing) int { return cmp.Compare(b.score, a.score) })
	for _, p := range list {
		s, t := &source[p.s], &told[p.t]
		if s.partner < 0 && t.partner < 0 && !c.astray(*s, *t) {
			s.partner, t.partner = p.t, p.s
		}
	}
}

// astray reports whether what one of two hard denials denies is much more like
// something that the other side says without denying it.
func (c *comparison) astray(s, t denial) bool {
	const much = 0.25
	if s.soft >= 0 || t.soft >= 0 || !c.oneLanguage || lacking[s.word] && lacking[t.word] {
		return false
	}
	bar := overlap(s.r.clauses[s.clause].stems, t.r.clauses[t.clause].stems) + much
	return t.r.affirms(s.r.clauses[s.clause].stems, bar) || s.r.affirms(t.r.clauses[t.clause].stems, bar)
}

// lacking are negations of what stands right behind them alone.
var lacking = map[string]bool{"without": true, "sin": true}

// affirms reports whether a clause of r that denies nothing is like the stems,
// more than the bar.
func (r *reading) affirms(stems map[string]bool, bar float64) bool {
	for k, cl := range r.clauses {
		denies := slices.ContainsFunc(r.negators, func(n negator) bool { return n.clause == k || r.inScope(n, k) })
		if !denies && overlap(stems, cl.stems) > bar {
			return true
		}
	}
	return false
}

// overlap is the share of the stems of two sets that both have.
func overlap(a, b map[string]bool) float64 {
	both := alike(a, b)
	return float64(both) / float64(max(1, len(a)+len(b)-both))
}

// excepts reports whether one soft negation may stand for another: unless, only
// if.
func (c *comparison) excepts(a, b int) bool {
	ids := c.g.words.softIDs
	return ids[a] == "except" && (ids[b] == "only" || ids[b] == "otherwise")
}

// likeness says how much the clauses of two denials have in common, 0 to 1. In
// two languages nothing can be said: all are alike.
func (c *comparison) likeness(a, b denial) float64 {
	if !c.oneLanguage {
		return 0.5
	}
	if len(a.scope) == 0 && len(b.scope) == 0 {
		return 0.1
	}
	return overlap(a.scope, b.scope)
}

// alike counts the stems of a that b has, or nearly: one begins with the other.
func alike(a, b map[string]bool) int {
	const least = 3
	n := 0
	for s := range a {
		near := b[s]
		for t := range b {
			if near {
				break
			}
			near = min(len(s), len(t)) >= least && (strings.HasPrefix(s, t) || strings.HasPrefix(t, s))
		}
		if near {
			n++
		}
	}
	return n
}

// absorbed reports whether a partner of another denial of the same side says d
// too: what of d's clause the other side says at all, it says in that
// partner's scope, and the two are not in one clause.
func (c *comparison) absorbed(d *denial, same, other []denial) bool {
	k := d.r.clauses[d.clause]
	if k.to-k.from == 1 { // "No." alone, where something is denied
		return slices.ContainsFunc(other, func(o denial) bool { return o.soft < 0 })
	}
	if d.soft >= 0 {
		return false
	}
	for _, o := range other {
		if o.soft >= 0 && c.g.words.softIDs[o.soft] == "only" {
			continue
		}
		if o.partner >= 0 && same[o.partner].r == d.r && same[o.partner].clause == d.clause {
			continue
		}
		if o.r.saysOnlyIn(o.negator, k.stems) {
			return true
		}
	}
	return false
}

// saysOnlyIn reports whether r says some of the stems, and none outside the
// scope of n.
func (r *reading) saysOnlyIn(n negator, stems map[string]bool) bool {
	said := false
	for s := range stems {
		if !r.stems[s] {
			continue
		}
		if !n.scope[s] {
			return false
		}
		said = true
		for i, c := range r.clauses {
			if c.stems[s] && !r.inScope(n, i) {
				return false
			}
		}
	}
	return said
}

// inScope reports whether clause i is one that the scope of n covers.
func (r *reading) inScope(n negator, i int) bool {
	if i < n.clause || r.clauses[i].sentence != r.clauses[n.clause].sentence {
		return false
	}
	for s := range r.clauses[i].stems {
		if !n.scope[s] {
			return false
		}
	}
	return true
}

// turnedRound finds words of which the telling has only the opposite. A
// negation that the other side lacks makes the two the same: "use only cold",
// "never use hot".
func (c *comparison) turnedRound(source, told []denial) {
	w := c.g.words
	type side struct {
		n     int
		first hit
		r     *reading
		at    place
	}
	in := make([]side, len(w.arguments)*2)
	for r, at := range c.open {
		for _, h := range r.opposites {
			if in[h.id].n++; in[h.id].n == 1 {
				in[h.id] = side{1, h, r, at}
			}
		}
	}
	out := make([]side, len(in))
	for _, h := range c.told.opposites {
		if out[h.id].n++; out[h.id].n == 1 {
			out[h.id] = side{1, h, c.told, place{-1, -1}}
		}
	}
	for id := range in {
		other := id ^ 1
		a, b := in[id], out[other]
		if a.n == 0 || in[other].n > 0 || out[id].n >= a.n || b.n == 0 || !c.fresh(c.told.span(b.first.from, b.first.to)) {
			continue
		}
		if out[id].n > 0 && !c.inPlace(a.r, b.first, id) {
			continue
		}
		if w.arguments[id/2] && !c.sameArgument(a.r, a.first, b.first) {
			continue
		}
		if c.consume(told, source, c.told, c.told.of[b.first.from]) || c.consume(source, told, a.r, a.r.of[a.first.from]) {
			continue
		}
		c.added(TurnedRound, c.told.span(b.first.from, b.first.to).In(c.told.text), c.told.span(b.first.from, b.first.to))
	}
	c.prefixed(source, told)
	c.exchanged()
}

// inPlace reports whether the clause of the opposite b is most like a clause of r
// that holds the word with the id, which it does not hold itself.
func (c *comparison) inPlace(r *reading, b hit, id int) bool {
	k := c.told.of[b.from]
	for _, h := range c.told.opposites {
		if h.id == id && c.told.of[h.from] == k {
			return false
		}
	}
	best, most := -1, 0
	for i := range r.clauses {
		if n := shared(c.told.clauses[k].stems, r.clauses[i].stems); n > most {
			best, most = i, n
		}
	}
	return best >= 0 && slices.ContainsFunc(r.opposites, func(h hit) bool { return h.id == id && r.of[h.from] == best })
}

// consume pairs off a hard denial in a clause of r that has no partner, or whose
// partner only restricts: "use only cold".
func (c *comparison) consume(list, other []denial, r *reading, k int) bool {
	for i := range list {
		d := &list[i]
		if d.r != r || d.clause != k || d.soft >= 0 {
			continue
		}
		switch {
		case d.alone():
			d.settled = true
			return true
		case d.partner >= 0 && !c.must(other[d.partner].negator):
			return true
		}
	}
	return false
}

// sameArgument reports whether the same word follows two prepositions.
func (c *comparison) sameArgument(r *reading, a, b hit) bool {
	const reach = 4
	one := r.stemsIn(c.g.words, a.to, min(len(r.words), a.to+reach))
	two := c.told.stemsIn(c.g.words, b.to, min(len(c.told.words), b.to+reach))
	return shared(one, two) > 0
}

// prefixed finds words that lost or gained an un-: safe, unsafe. Where a
// negation has come or gone with it, the two are the same: unused, not used.
func (c *comparison) prefixed(source, told []denial) {
	says, ground := wordSet(c.told), wordSet(c.ground)
	for i, w := range c.told.words {
		if c.covered[i] || len(w.text) < 4 || ground[w.text] {
			continue
		}
		if rest, ok := cutPrefix(w.text); ok && ground[rest] && !says[rest] {
			if !c.consumeWord(source, told, rest) {
				c.added(TurnedRound, w.text, w.Span)
			}
			continue
		}
		for _, p := range prefixes {
			if ground[p+w.text] && !says[p+w.text] && !c.consume(told, source, c.told, c.told.of[i]) {
				c.added(TurnedRound, w.text, w.Span)
				break
			}
		}
	}
}

// consumeWord pairs off a denial without a partner in a clause that has the
// word.
func (c *comparison) consumeWord(list, other []denial, text string) bool {
	for _, d := range list {
		for i := d.r.clauses[d.clause].from; i < d.r.clauses[d.clause].to; i++ {
			if d.r.words[i].text == text && c.consume(list, other, d.r, d.clause) {
				return true
			}
		}
	}
	return false
}

// prefixes turn a word round.
var prefixes = []string{"un", "non"}

func cutPrefix(s string) (rest string, ok bool) {
	for _, p := range prefixes {
		if len(s) > len(p)+3 && s[:len(p)] == p {
			return s[len(p):], true
		}
	}
	return "", false
}

// exchanged finds opposites that changed places: the clause that had the one
// has the other.
func (c *comparison) exchanged() {
	if !c.oneLanguage {
		return
	}
	w := c.g.words
	for r := range c.open {
		for pair, argument := range w.arguments {
			a, okA := r.around(w, 2*pair)
			b, okB := r.around(w, 2*pair+1)
			x, okX := c.told.around(w, 2*pair)
			y, okY := c.told.around(w, 2*pair+1)
			if argument || !okA || !okB || !okX || !okY {
				continue
			}
			onlyA, onlyB := minus(a, b), minus(b, a)
			straight := shared(onlyA, minus(x, y)) + shared(onlyB, minus(y, x))
			cross := shared(onlyA, minus(y, x)) + shared(onlyB, minus(x, y))
			if cross > straight {
				for _, h := range c.told.opposites {
					if p := c.told.span(h.from, h.to); h.id/2 == pair && c.fresh(p) {
						c.added(TurnedRound, p.In(c.told.text), p)
						break
					}
				}
			}
		}
	}
}

// around returns the stems of the clauses that hold the opposite with the id
// and not its counterpart, those of the pair aside.
func (r *reading) around(w *guardWords, id int) (stems map[string]bool, ok bool) {
	stems = make(map[string]bool)
	for _, h := range r.opposites {
		if h.id != id {
			continue
		}
		k := r.of[h.from]
		both := slices.ContainsFunc(r.opposites, func(o hit) bool { return o.id == id^1 && r.of[o.from] == k })
		if both {
			continue
		}
		ok = true
		own := r.stemsIn(w, h.from, h.to)
		for s := range r.clauses[k].stems {
			if !own[s] {
				stems[s] = true
			}
		}
	}
	return stems, ok
}
