package pipeline

import (
	"slices"

	"plumbline/bot"
)

// size is what the passage takes of the context, in characters.
func (x Passage) size() int { return len([]rune(x.Paragraph.Exact[string(bot.English)].Text)) }

// contextSize is the characters of what is kept.
func (d *Draft) contextSize() (n int) {
	for _, x := range passages(d.Kept()) {
		n += x.size()
	}
	return n
}

// passages returns those of the kept candidates.
func passages(kept []*Candidate) (list []Passage) {
	for _, c := range kept {
		list = append(list, c.Passages...)
	}
	return list
}

// beside returns the passages of candidates that bear on the question and are
// not in the context.
func beside(candidates []*Candidate) (list []Passage) {
	for _, c := range candidates {
		switch {
		case c.Kept:
			list = append(list, c.Spare...)
		case c.Score > 0:
			list = append(list, c.Passages...)
		}
	}
	return list
}

// take moves the paragraphs into the context, from those of the candidates that
// hold them, and lets go of as much as they add, the least relevant first, so
// that the context stays level. What closes a gap is never let go, nor the best
// passages of a question.
func (d *Draft) take(from []*Candidate, paragraphs []string, why string) {
	level := d.contextSize()
	for _, c := range from {
		holds := func(x Passage) bool { return slices.Contains(paragraphs, x.Paragraph.ID) }
		switch {
		case c.Kept && slices.ContainsFunc(c.Spare, holds):
			c.split(func(x Passage) bool { return x.Kept || holds(x) })
		case !c.Kept && slices.ContainsFunc(c.Passages, holds):
			c.Kept = true
			c.split(holds)
			c.Reason = why + "; " + c.Reason
		}
	}
	for d.contextSize() > level && d.letGo() {
	}
}

// split makes of all passages of c, in the chunk's order, those that are kept
// and spare ones.
func (c *Candidate) split(keep func(Passage) bool) {
	all := slices.Concat(c.Passages, c.Spare)
	order := map[string]int{}
	for i, p := range c.Chunk.Subsection.Paragraphs {
		order[p.ID] = i
	}
	slices.SortStableFunc(all, func(a, b Passage) int { return order[a.Paragraph.ID] - order[b.Paragraph.ID] })
	c.Passages, c.Spare = nil, nil
	for _, x := range all {
		if x.Kept = keep(x); x.Kept {
			c.Passages = append(c.Passages, x)
		} else {
			c.Spare = append(c.Spare, x)
		}
	}
}

// best is how many of a question's most relevant passages never give way: what
// is told first.
const best = 3

// letGo takes the least relevant passage that may go out of the context, and
// reports whether there was one.
func (d *Draft) letGo() bool {
	kept := map[int]int{} // of each question, what closes gaps aside
	closes := func(x Passage) bool {
		return slices.ContainsFunc(d.Gaps, func(g bot.Gap) bool { return g.ClosedBy == x.Paragraph.ID })
	}
	for _, c := range d.Kept() {
		for _, x := range c.Passages {
			if !closes(x) {
				kept[c.Part]++
			}
		}
	}
	var from *Candidate
	var worst Passage
	for _, c := range d.Kept() {
		for _, x := range c.Passages {
			if !closes(x) && kept[c.Part] > best && (from == nil || x.Relevance < worst.Relevance) {
				from, worst = c, x
			}
		}
	}
	if from == nil {
		return false
	}
	if len(from.Passages) == 1 { // the chunk goes with it
		from.split(func(Passage) bool { return false })
		from.Kept, from.Passages, from.Spare = false, from.Spare, nil
		from.Reason += "; gave way to what answers a gap"
		return true
	}
	from.split(func(x Passage) bool { return x.Kept && x.Paragraph.ID != worst.Paragraph.ID })
	return true
}
