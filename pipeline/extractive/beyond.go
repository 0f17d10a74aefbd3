package extractive

import (
	"context"
	"fmt"

	"plumbline/kb"
)

// A stranger is a question near the domain that no source answers. What is
// asked and is nearer to one of them than to what the sources speak of is not
// answered with what happens to be nearest.
type stranger struct {
	text   string
	vector []float32
}

func (s *Stages) readBeyond(ctx context.Context) error {
	records := kb.Beyond(s.lib)
	texts := make([]string, len(records))
	for i, r := range records {
		texts[i] = r.Text
	}
	vs, err := s.emb.Embed(ctx, texts)
	if err != nil {
		return fmt.Errorf("embed what lies beyond the sources: %w", err)
	}
	s.beyond = map[string][]stranger{}
	for i, r := range records {
		key := r.Pack + " " + r.Language
		s.beyond[key] = append(s.beyond[key], stranger{r.Text, vs[i]})
	}
	return nil
}

// nearestStranger returns the pack's nearest question that no source answers,
// and its cosine; 0 if there is none.
func (s *Stages) nearestStranger(pack, lang string, asked []float32) (best stranger, near float64) {
	for _, x := range s.beyond[pack+" "+lang] {
		if c := cosine(asked, x.vector); c > near {
			best, near = x, c
		}
	}
	return best, near
}
