package extractive

import (
	"context"
	"fmt"

	"plumbline/bot"
	"plumbline/kb"
	"plumbline/pipeline"
)

// step returns the next step for what the first claim is about: of the pack's
// steps for its topic, the one nearest to the question.
func (s *Stages) step(ctx context.Context, d *pipeline.Draft) (kb.NextStep, bool, error) {
	var steps []kb.NextStep
	for _, c := range d.Claims {
		p, ok := s.lib.Paragraph(c.Evidence[0].Paragraph)
		if ok {
			steps = s.lib.NextStepsFor(d.Question.Pack, p.Topic)
			break
		}
	}
	if len(steps) < 2 {
		if len(steps) == 0 {
			return kb.NextStep{}, false, nil
		}
		return steps[0], true, nil
	}
	texts := []string{d.Understanding.Parts[0].Standalone}
	for _, n := range steps {
		texts = append(texts, n.Say.In(string(d.Language)))
	}
	vs, err := s.emb.Embed(ctx, texts)
	if err != nil {
		return kb.NextStep{}, false, fmt.Errorf("embed next steps: %w", err)
	}
	best := 0
	for i := range steps {
		if cosine(vs[0], vs[i+1]) > cosine(vs[0], vs[best+1]) {
			best = i
		}
	}
	return steps[best], true, nil
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
