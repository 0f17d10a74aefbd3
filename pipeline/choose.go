package pipeline

import (
	"cmp"
	"fmt"
	"slices"
)

// choose decides what of the judged candidates goes into the context: of the
// chunks that pass, the passages that are nearly as relevant as the best one of
// their question, the nearer the fuller the context is. The questions of the message choose in turn, each its most
// relevant first, while there is room: none takes it all. What is left out is
// kept aside for gap filling.
func (p *Pipeline) choose(candidates []*Candidate) {
	type choice struct {
		c  *Candidate
		at int
	}
	byPart := map[int][]choice{}
	parts := 0
	answered := map[int]bool{}
	for _, c := range candidates {
		answered[c.Part] = answered[c.Part] || c.Answers && len(c.Passages) > 0
	}
	for _, c := range candidates {
		if c.Score < Passing || !answered[c.Part] {
			continue
		}
		parts = max(parts, c.Part+1)
		for i := range c.Passages {
			byPart[c.Part] = append(byPart[c.Part], choice{c, i})
		}
	}
	relevance := func(x choice) float64 { return x.c.Passages[x.at].Relevance }
	for part, list := range byPart {
		slices.SortStableFunc(list, func(a, b choice) int { return cmp.Compare(relevance(b), relevance(a)) })
		used := 0
		enough := func(x choice) bool {
			return relevance(x) >= (p.c.Share+p.c.Rise*float64(used)/float64(p.c.Room))*relevance(list[0])
		}
		at := 0
		for ; at < len(list) && enough(list[at]); at++ {
			used += list[at].c.Passages[list[at].at].size()
		}
		byPart[part] = list[:at]
	}
	chosen := map[*Candidate]map[int]bool{}
	room := p.c.Room
	for turn, more := 0, true; more; turn++ {
		more = false
		for part := range parts {
			if turn >= len(byPart[part]) {
				continue
			}
			more = true
			x := byPart[part][turn]
			n := x.c.Passages[x.at].size()
			if n > room || chosen[x.c] == nil && len(chosen) >= p.c.Keep {
				continue
			}
			if chosen[x.c] == nil {
				chosen[x.c] = map[int]bool{}
			}
			chosen[x.c][x.at] = true
			room -= n
		}
	}
	for _, c := range candidates {
		c.keep(chosen[c])
	}
}

// keep splits the passages into those that go into the context and spare ones.
func (c *Candidate) keep(chosen map[int]bool) {
	c.Kept = len(chosen) > 0
	if !c.Kept {
		if c.Score >= Passing {
			c.Reason += "; set aside: others are nearer or take the room"
		}
		return
	}
	at := 0
	c.split(func(Passage) bool { at++; return chosen[at-1] })
	if len(c.Spare) > 0 {
		c.Reason += fmt.Sprintf("; %d of its %d paragraphs", len(c.Passages), len(c.Passages)+len(c.Spare))
	}
}
