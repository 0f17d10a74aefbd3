package extractive

import (
	"cmp"
	"context"
	"slices"

	"plumbline/bot"
	"plumbline/kb"
	"plumbline/pipeline"
)

// Generate implements [pipeline.Generator]. Claims are wordings of the pack,
// whole: of each question's kept passages those near enough to the best one,
// most relevant first. Where nothing is kept the status says so.
func (s *Stages) Generate(ctx context.Context, d *pipeline.Draft) error {
	type pick struct {
		c *pipeline.Candidate
		p pipeline.Passage
	}
	narrow := pipeline.FitOf(d.Question.Channel).Plain
	answered := 0
	most := s.c.Claims
	if !narrow {
		most = s.c.Wide
	}
	most = max(2, most/len(d.Understanding.Parts))
	seen := map[string]bool{}
	for part := range d.Understanding.Parts {
		var picks []pick
		for _, c := range d.Kept() {
			if c.Part != part {
				continue
			}
			for _, p := range c.Passages {
				picks = append(picks, pick{c, p})
			}
		}
		if len(picks) == 0 {
			continue
		}
		answered++
		slices.SortStableFunc(picks, func(a, b pick) int { return cmp.Compare(b.p.Relevance, a.p.Relevance) })
		floor := picks[0].p.Relevance * s.c.Claim
		for i, k := range picks {
			if i >= most || k.p.Relevance < floor {
				break
			}
			if seen[k.p.Paragraph.ID] {
				continue
			}
			seen[k.p.Paragraph.ID] = true
			claim := pipeline.Quote(s.lib, k.c.Chunk.ID, k.p.Paragraph, string(d.Language), narrow)
			claim.Role = bot.Context
			if i < 2 {
				claim.Role = bot.Direct
			}
			d.Claims = append(d.Claims, claim)
		}
	}
	switch {
	case answered == 0:
		d.Status = bot.NotInSources
	case answered < len(d.Understanding.Parts):
		d.Status = bot.PartlyAnswered
	default:
		d.Status = bot.Answered
	}
	return s.Finish(ctx, d)
}

// Finish adds to claims, whoever chose them, what every answer has: after what
// holds now what will, the limitations, the next step. It does nothing where
// the status says that nothing was answered.
func (s *Stages) Finish(ctx context.Context, d *pipeline.Draft) error {
	if !d.Status.Supported() {
		return ctx.Err()
	}
	s.succeed(d)
	d.Limitations = s.limitations(d)
	if d.Status == bot.Answered && len(d.Limitations) > 0 {
		d.Status = bot.AnsweredWithLimits
	}
	step, ok, err := s.step(ctx, d)
	if err != nil {
		return err
	}
	if ok && !d.Barred { // its advice may be for another hazard
		d.Claims = append(d.Claims, pipeline.StepClaim(s.lib, step, string(d.Language)))
	}
	return nil
}

// succeed puts after each claim the one of what takes its place.
func (s *Stages) succeed(d *pipeline.Draft) {
	narrow := pipeline.FitOf(d.Question.Channel).Plain
	for i := 0; i < len(d.Claims); i++ {
		p, ok := s.lib.Paragraph(d.Claims[i].Evidence[0].Paragraph)
		if !ok {
			continue
		}
		next, ok := s.successor(d, p)
		if !ok || slices.ContainsFunc(d.Claims[:i], func(c bot.Claim) bool { return c.Evidence[0].Paragraph == next.ID }) {
			continue
		}
		chunk, _ := s.lib.ChunkOf(next.ID)
		then := pipeline.Quote(s.lib, chunk.ID, next, string(d.Language), narrow)
		then.Role = d.Claims[i].Role
		later := slices.DeleteFunc(slices.Clone(d.Claims[i+1:]), func(c bot.Claim) bool { return c.Evidence[0].Paragraph == next.ID })
		d.Claims = slices.Concat(d.Claims[:i+1], []bot.Claim{then}, later)
	}
}

// successor returns the paragraph that takes p's place at p's end, if that may
// be told and is among what was kept: who hears what holds now hears what will.
func (s *Stages) successor(d *pipeline.Draft, p kb.Paragraph) (kb.Paragraph, bool) {
	id := s.lib.Validity(p).SupersededBy
	for _, c := range d.Kept() {
		for _, x := range c.Passages {
			if id != "" && x.Paragraph.ID == id && x.State.Told() {
				return x.Paragraph, true
			}
		}
	}
	return kb.Paragraph{}, false
}
