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
	narrow := pipeline.FitOf(d.Question.Channel).SMS
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
			if next, ok := s.successor(d, k.p.Paragraph); ok && !seen[next.ID] {
				seen[next.ID] = true
				chunk, _ := s.lib.ChunkOf(next.ID)
				then := pipeline.Quote(s.lib, chunk.ID, next, string(d.Language), narrow)
				then.Role = claim.Role
				d.Claims = append(d.Claims, then)
			}
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
	if d.Status.Supported() {
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
	}
	return nil
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
