package pipeline

import (
	"slices"
	"strings"

	"plumbline/kb"
)

// FieldStep is the view by which a paragraph came in that the next step rests on.
const FieldStep kb.Field = "next"

// ground puts into the context what the next step rests on: whatever is told
// stands among what was kept. Nothing gives way to it, for claims are made.
func (p *Pipeline) ground(d *Draft) {
	for _, claim := range d.Claims {
		for _, e := range claim.Evidence {
			step, ok := p.c.Library.NextStep(e.Paragraph)
			if !ok {
				continue
			}
			for _, id := range step.Cite {
				p.include(d, id, "the next step rests on it")
			}
		}
	}
}

// include puts a paragraph into the context. One that is not told at the date,
// or elsewhere, stays out.
func (p *Pipeline) include(d *Draft, paragraph, why string) {
	chunk, ok := p.c.Library.ChunkOf(paragraph)
	if !ok {
		return
	}
	holds := func(x Passage) bool { return x.Paragraph.ID == paragraph }
	c := d.candidate(chunk.ID)
	if c == nil {
		c, ok = p.candidate(d, Found{Chunk: chunk.ID, Via: []Via{{Field: FieldStep, Paragraph: paragraph}}})
		if !ok || !slices.ContainsFunc(c.Passages, holds) {
			return
		}
		c.Iteration = d.Iteration
		d.Candidates = append(d.Candidates, c)
	}
	switch {
	case c.Kept && slices.ContainsFunc(c.Spare, holds):
		c.split(func(x Passage) bool { return x.Kept || holds(x) })
	case !c.Kept && slices.ContainsFunc(c.Passages, holds):
		c.Kept = true
		c.split(holds)
	default:
		return
	}
	switch {
	case strings.HasPrefix(c.Reason, why):
	case c.Reason != "":
		c.Reason = why + "; " + c.Reason
	default:
		c.Reason = why
	}
}
