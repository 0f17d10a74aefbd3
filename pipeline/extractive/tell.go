package extractive

import (
	"context"

	"plumbline/bot"
	"plumbline/kb"
	"plumbline/pipeline"
)

// step returns the next step for what the first claim is about.
func (s *Stages) step(d *pipeline.Draft) (kb.NextStep, bool) {
	for _, c := range d.Claims {
		for _, e := range c.Evidence {
			if p, ok := s.lib.Paragraph(e.Paragraph); ok {
				return s.lib.NextStepFor(d.Question.Pack, p.Topic)
			}
		}
	}
	return kb.NextStep{}, false
}

// Tell implements [pipeline.Teller] in no voice of its own: claims, then
// limitations, then the next step, as they stand.
func (s *Stages) Tell(ctx context.Context, d *pipeline.Draft) error {
	direct := 0
	for _, c := range d.Claims {
		switch {
		case c.Role == bot.Next:
		case c.Role == bot.Danger:
			d.Pieces = append(d.Pieces, pipeline.Piece{Text: c.Text, Keep: pipeline.KeepDanger})
		default:
			keep := pipeline.KeepClaim
			if direct > 0 {
				keep = pipeline.KeepContext
			}
			direct++
			d.Pieces = append(d.Pieces, pipeline.Piece{Text: c.Text, Keep: keep})
		}
	}
	for _, l := range d.Limitations {
		d.Pieces = append(d.Pieces, pipeline.Piece{Text: l.Text, Keep: pipeline.KeepLimit})
	}
	for _, c := range d.Claims {
		if c.Role == bot.Next {
			d.Pieces = append(d.Pieces, pipeline.Piece{Text: c.Text, Keep: pipeline.KeepNext})
		}
	}
	return nil
}
