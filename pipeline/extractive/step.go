package extractive

import (
	"context"
	"fmt"

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
		texts = append(texts, n.Say.In(string(d.Read())))
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
