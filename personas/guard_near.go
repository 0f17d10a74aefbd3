package personas

import (
	"slices"
	"strconv"

	"plumbline/internal/text"
)

// A sentence of fewer words is too short to be told again by chance but for one
// word.
const nearlyWords = 4

// nearly finds sentences that are told word for word but for one word, where
// that word is a negation that came, went or became another word, a figure
// that became another, or a word that became its opposite. Where clauses are compared by what they say, a negation
// may pass for another beside it, and a year for that of a source; here there is
// nothing else that it could be.
func (c *comparison) nearly() {
	for r, at := range c.open {
		for from := 0; from < len(r.clauses); {
			to := from + 1
			for to < len(r.clauses) && r.clauses[to].sentence == r.clauses[from].sentence {
				to++
			}
			first, last := r.clauses[from].from, r.clauses[to-1].to
			from = to
			if last-first < nearlyWords {
				continue
			}
			c.exchangedName(r, first, last, at)
			e, ok := c.oneEdit(r.words[first:last])
			if !ok {
				continue
			}
			was, is := e.lost && r.denies(first+e.at), e.added && c.told.denies(e.told)
			switch {
			case was && !is && !r.leans(first+e.at):
				c.lost(LostNegation, r.words[first+e.at].text, at, r.words[first+e.at].Span)
			case is && !was:
				c.added(AddedNegation, c.told.words[e.told].text, c.told.words[e.told].Span)
			case e.lost && e.added && c.opposed(r, first+e.at, e.told):
				c.addedOnce(TurnedRound, c.told.words[e.told].text, c.told.words[e.told].Span)
			case e.lost && e.added && otherFigure(r.words[first+e.at].text, c.told.words[e.told].text):
				c.addedOnce(Moved, c.told.words[e.told].text, c.told.words[e.told].Span)
			}
		}
	}
}

// opposed reports whether word i of r and word k of told are opposites.
func (c *comparison) opposed(r *reading, i, k int) bool {
	at := func(list []hit, i int) int {
		n := slices.IndexFunc(list, func(h hit) bool { return h.from <= i && i < h.to })
		if n < 0 {
			return -1
		}
		return list[n].id
	}
	a, b := at(r.opposites, i), at(c.told.opposites, k)
	return a >= 0 && b >= 0 && a^1 == b
}

// addedOnce records a fault at a span of told where there is none yet.
func (c *comparison) addedOnce(k Kind, what string, p text.Span) {
	known := c.faults
	c.added(k, what, p)
	now := c.faults[len(known)]
	if slices.ContainsFunc(known, func(f Fault) bool { return f.Told == now.Told && f.Span.Overlaps(now.Span) }) {
		c.faults = known
	}
}

// otherFigure reports whether two words are figures of different values.
func otherFigure(a, b string) bool {
	if !isDigitAt(a, 0) || !isDigitAt(b, 0) || a == b {
		return false
	}
	x, errX := strconv.ParseFloat(a, 64)
	y, errY := strconv.ParseFloat(b, 64)
	return errX != nil || errY != nil || x != y
}

// exchangedName finds told sentences that begin and end as words [first, last) of
// r do and name another agency or hazard in between, one more, or one less.
// Elsewhere the name may be all right: another claim or a source has it.
func (c *comparison) exchangedName(r *reading, first, last int, at place) {
	const (
		most = 8 // words of a name
		few  = 3 // and of a name that is added or dropped, with its "and"
	)
	words := r.words[first:last]
	for from := 0; from < len(c.told.clauses); {
		to := from + 1
		for to < len(c.told.clauses) && c.told.clauses[to].sentence == c.told.clauses[from].sentence {
			to++
		}
		begin, end := c.told.clauses[from].from, c.told.clauses[to-1].to
		from = to
		told := c.told.words[begin:end]
		p, q := 0, 0
		for p < min(len(words), len(told)) && words[p].text == told[p].text {
			p++
		}
		for q < min(len(words), len(told))-p && words[len(words)-1-q].text == told[len(told)-1-q].text {
			q++
		}
		if p+q < nearlyWords || p+q == len(words) && p+q == len(told) || len(words)-p-q > most || len(told)-p-q > most {
			continue
		}
		was, is := r.namesIn(first+p, last-q), c.told.namesIn(begin+p, end-q)
		said, says := r.namesIn(first, last), c.told.namesIn(begin, end)
		added := p+q == len(words) && len(told)-p-q <= few
		for _, n := range is {
			before := times(said, n)
			if c.fresh(n.Span) && times(says, n) > before && (len(was) > 0 && times(was, n) == 0 || added && before == 0 && n.kind == hazard) {
				c.addedOnce(Moved, n.In(c.told.text), n.Span)
			}
		}
		for _, n := range was {
			if n.kind == hazard && p+q == len(told) && len(words)-p-q <= few && times(says, n) < times(said, n) {
				c.lost(LostHazard, c.g.ids[hazard][n.id], at, n.Span)
			}
		}
	}
}

// times counts a name in a list.
func times(list []named, n named) (k int) {
	for _, o := range list {
		if o.kind == n.kind && o.id == n.id {
			k++
		}
	}
	return k
}

// namesIn lists the agencies and hazards that have a word of words [from, to).
func (r *reading) namesIn(from, to int) (list []named) {
	if from >= to {
		return nil
	}
	p := r.span(from, to)
	for _, n := range r.names {
		if n.kind != location && !n.part && n.Overlaps(p) {
			list = append(list, n)
		}
	}
	return list
}

// An edit makes one text of another: a word at a place of the first is lost, a
// word of the telling is added, or one becomes the other.
type edit struct {
	lost, added bool
	at, told    int
}

// oneEdit finds where the telling has words with one of them changed, and
// nowhere has them as they are.
func (c *comparison) oneEdit(words []word) (found edit, ok bool) {
	told := c.told.words
	same := func(at int, words []word) bool {
		return at+len(words) <= len(told) && slices.EqualFunc(told[at:at+len(words)], words, func(a, b word) bool { return a.text == b.text })
	}
	for i := range told {
		if same(i, words) {
			return edit{}, false
		}
		if ok {
			continue
		}
		p := 0
		for p < len(words) && i+p < len(told) && told[i+p].text == words[p].text {
			p++
		}
		switch rest := words[min(p+1, len(words)):]; {
		case p == len(words):
		case i+p < len(told) && same(i+p+1, rest):
			found, ok = edit{true, true, p, i + p}, true
		case p > 0 && i+p < len(told) && same(i+p+1, words[p:]):
			found, ok = edit{false, true, p, i + p}, true
		case same(i+p, rest) && p+len(rest) >= nearlyWords:
			found, ok = edit{true, false, p, i + p}, true
		}
	}
	return found, ok
}

// leans reports whether word i is a negation that goes with another before it:
// "no se conoce ninguna".
func (r *reading) leans(i int) bool {
	return slices.ContainsFunc(r.negators, func(n negator) bool { return n.at == i && n.leans })
}

// denies reports whether word i is a negation.
func (r *reading) denies(i int) bool {
	return len(text.Negations(r.words[i].In(r.text))) > 0
}
