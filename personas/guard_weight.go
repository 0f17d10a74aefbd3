package personas

import (
	"strings"

	"plumbline/internal/text"
)

// How much of a text must be found again, of its stems.
const (
	faint      = 0.30 // of a claim in the telling, of a told sentence in the claims
	fewest     = 4    // stems of a sentence that is judged so
	most       = 0.7  // of a condition, to be told without an if
	limitShare = 0.34 // of a limitation in a told sentence that says no or that it is not known
)

// claimsTold finds claims of which hardly a word is told, clauses of them of
// which none is, and told sentences of which hardly a word is claimed.
func (c *comparison) claimsTold() {
	if !c.oneLanguage {
		return
	}
	for i, r := range c.claims {
		switch {
		case c.verbatim[i]:
		case len(r.stems) >= fewest && share(r.stems, c.told.stems) < faint:
			c.lost(LostClaim, excerpt(r.text), place{i, -1}, text.Span{End: len(r.text)})
		default:
			for _, cl := range r.clauses {
				if p := r.span(cl.from, cl.to); len(cl.stems) >= fewest-1 && alike(cl.stems, c.told.stems) == 0 {
					c.lost(LostClaim, excerpt(p.In(r.text)), place{i, -1}, p)
				}
			}
		}
	}
	for from := 0; from < len(c.told.clauses); {
		to := from + 1
		for to < len(c.told.clauses) && c.told.clauses[to].sentence == c.told.clauses[from].sentence {
			to++
		}
		stems := make(map[string]bool)
		for _, k := range c.told.clauses[from:to] {
			for s := range k.stems {
				stems[s] = true
			}
		}
		p := c.told.span(c.told.clauses[from].from, c.told.clauses[to-1].to)
		if len(stems) >= fewest && c.whollyFresh(p) && share(stems, c.ground.stems) < faint {
			c.added(NewStatement, excerpt(p.In(c.told.text)), p)
		}
		from = to
	}
}

// whollyFresh reports whether no word of the span of told is verbatim.
func (c *comparison) whollyFresh(p text.Span) bool {
	from, to := c.told.wordsIn(p)
	for i := from; i < to; i++ {
		if c.covered[i] {
			return false
		}
	}
	return true
}

// share is the share of stems that the other set holds, 1 of none.
func share(stems, in map[string]bool) float64 {
	if len(stems) == 0 {
		return 1
	}
	return float64(shared(stems, in)) / float64(len(stems))
}

// excerpt is the first words of a text.
func excerpt(s string) string {
	fields := strings.Fields(s)
	if len(fields) > 6 {
		fields = fields[:6]
	}
	return strings.Join(fields, " ")
}

// wordsOfWeight compares conditions, hedges, assurances and certainty.
func (c *comparison) wordsOfWeight() {
	w := c.g.words
	for r, at := range c.open {
		if p, ok := r.holdsAny(&w.conditional, true); ok && !strings.ContainsAny(c.told.text, "?¿") {
			_, told := c.told.holdsAny(&w.conditions, true)
			if !told && (!c.oneLanguage || share(r.clauses[r.clauseAt(p)].stems, c.told.stems) < most) {
				c.lost(LostCondition, p.In(r.text), at, p)
			}
		}
		for _, h := range w.hedged.all(r.words) {
			if p := r.span(h.from, h.to); !c.hedged(r, h) {
				c.lost(LostHedge, p.In(r.text), at, p)
				break
			}
		}
	}
	for _, h := range w.certain.all(c.told.words) {
		if p := c.told.span(h.from, h.to); c.fresh(p) && !c.said(&w.certain) && !c.deniedAt(h.from) {
			c.added(NewAssurance, p.In(c.told.text), p)
		}
	}
	for _, a := range c.told.assured {
		if !a.denied && c.fresh(a.Span) && !c.assured(a) {
			c.added(NewAssurance, a.word, a.Span)
		}
	}
}

// hedged reports whether the told sentence that is most like the one of the hedge
// h holds a hedge too.
func (c *comparison) hedged(r *reading, h hit) bool {
	hedges := make(map[int]bool) // sentences
	for _, t := range c.g.words.hedges.all(c.told.words) {
		hedges[c.told.clauses[c.told.of[t.from]].sentence] = true
	}
	if !c.oneLanguage {
		return len(hedges) > 0
	}
	said := minus(r.clauses[r.of[h.from]].stems, r.stemsIn(c.g.words, h.from, h.to))
	if len(said) < 2 {
		said = r.sentence(r.of[h.from])
	}
	best, most := -1, 0
	for k, cl := range c.told.clauses {
		if n := shared(said, c.told.sentence(k)); n > most {
			best, most = cl.sentence, n
		}
	}
	return best < 0 || hedges[best]
}

// holdsAny returns where r holds one of the phrases. The "sí" of a Spanish yes
// is no condition.
func (r *reading) holdsAny(f *finder, yes bool) (p text.Span, ok bool) {
	for _, h := range f.all(r.words) {
		p = r.span(h.from, h.to)
		if yes && strings.EqualFold(p.In(r.text), "sí") {
			continue
		}
		return p, true
	}
	return p, false
}

// said reports whether the claims hold one of the phrases.
func (c *comparison) said(f *finder) bool {
	_, ok := c.ground.holdsAny(f, false)
	return ok
}

// deniedAt reports whether a negation stands before word i of told, in its
// clause: "not guaranteed".
func (c *comparison) deniedAt(i int) bool {
	for _, n := range c.told.negators {
		if n.soft < 0 && n.clause == c.told.of[i] && n.at < i {
			return true
		}
	}
	return false
}

// assured reports whether the claims give the assurance a of the same thing: in
// a clause that shares a stem with a's, or of nothing in particular.
func (c *comparison) assured(a assurance) bool {
	for _, o := range c.ground.assured {
		if o.denied {
			continue
		}
		if !c.oneLanguage {
			return true
		}
		theirs, ours := c.ground.sentence(o.clause), c.told.sentence(a.clause)
		if shared(theirs, ours) > 1 || len(ours) <= 1 || len(theirs) <= 1 {
			return true
		}
	}
	return false
}

// sentence returns the stems of the sentence that a clause is in.
func (r *reading) sentence(k int) map[string]bool {
	m := make(map[string]bool)
	for _, cl := range r.clauses {
		if cl.sentence == r.clauses[k].sentence {
			for s := range cl.stems {
				m[s] = true
			}
		}
	}
	return m
}

// limitationsTold finds limitations that no told sentence says: one that holds
// a word of doubt or a negation, and enough of the limitation's words.
func (c *comparison) limitationsTold() {
	for i, r := range c.limits {
		if c.verbatim[len(c.claims)+i] {
			continue
		}
		if !c.limited(r) {
			c.lost(LostLimitation, excerpt(r.text), place{-1, i}, text.Span{End: len(r.text)})
		}
	}
}

func (c *comparison) limited(r *reading) bool {
	doubts := make(map[int]bool) // sentences
	for _, h := range c.g.words.doubting.all(c.told.words) {
		doubts[c.told.clauses[c.told.of[h.from]].sentence] = true
	}
	for _, n := range c.told.negators {
		if c.fresh(n.Span) {
			doubts[c.told.clauses[n.clause].sentence] = true
		}
	}
	if !c.oneLanguage {
		return len(doubts) > 0
	}
	for k, cl := range c.told.clauses {
		if doubts[cl.sentence] && share(r.stems, c.told.sentence(k)) >= limitShare {
			return true
		}
	}
	return false
}
