package llm

import (
	"context"
	"fmt"
	"strings"
	"sync"

	"plumbline/pipeline"
)

// judged is a model's prognostic check of chunks.
type judged struct {
	Scores []judgedChunk `json:"scores"`
}

type judgedChunk struct {
	Chunk int `json:"chunk"`
	Score int `json:"score" min:"0" max:"3"`
}

type chunkShown struct {
	N       int
	Heading string
	Texts   []string
}

// Judge implements [pipeline.Judge]. The model's scores stand in place of the
// twin's; what the twin measured of passages stays, and leans to the score.
// Many chunks are one call, or one a chunk where the Asker says so.
func (s *Stages) Judge(ctx context.Context, d *pipeline.Draft, candidates []*pipeline.Candidate) error {
	scores, failed := map[int]int(nil), errNoModel
	if s.Client.asks(StageJudge) && len(candidates) > 0 {
		scores, failed = s.score(ctx, d, candidates)
	}
	if err := classified(ctx, d); err != nil {
		return err
	}
	if err := s.Twin.Judge(ctx, d, candidates); err != nil {
		return err
	}
	if failed != nil {
		return s.twin(ctx, d, StageJudge, failed)
	}
	for i, c := range candidates {
		score := scores[i]
		c.Reason = fmt.Sprintf("the model's score is %d; without it %d: %s", score, c.Score, c.Reason)
		c.Score, c.Answers = score, score >= pipeline.Passing
		for j := range c.Passages {
			c.Passages[j].Relevance = leanScore*float64(score)/3 + (1-leanScore)*c.Passages[j].Relevance
		}
	}
	return nil
}

// leanScore is how much of a passage's relevance is the model's score of its chunk.
const leanScore = 0.5

// score asks for the scores of candidates, by their index.
func (s *Stages) score(ctx context.Context, d *pipeline.Draft, candidates []*pipeline.Candidate) (map[int]int, error) {
	batches := [][]int{nil}
	for i := range candidates {
		if s.Client.Askers[StageJudge].Each && i > 0 {
			batches = append(batches, nil)
		}
		last := len(batches) - 1
		batches[last] = append(batches[last], i)
	}
	all := map[int]int{}
	var mu sync.Mutex
	var failed error
	var wg sync.WaitGroup
	for _, batch := range batches {
		wg.Go(func() {
			got, err := s.scoreBatch(ctx, d, candidates, batch)
			mu.Lock()
			defer mu.Unlock()
			if err != nil {
				failed = err
			}
			for i, x := range got {
				all[i] = x
			}
		})
	}
	wg.Wait()
	return all, failed
}

func (s *Stages) scoreBatch(ctx context.Context, d *pipeline.Draft, candidates []*pipeline.Candidate, batch []int) (map[int]int, error) {
	lang := string(d.Read())
	questions := s.asked(d)
	if len(d.Understanding.Parts) > 1 && len(batch) == 1 {
		questions = []string{s.person(d, d.Understanding.Parts[candidates[batch[0]].Part].Standalone)}
	}
	data := struct {
		Questions []string
		Many      bool
		Chunks    []chunkShown
	}{Questions: questions, Many: len(questions) > 1}
	each := room(s.Client.most(StageJudge)-2500-len(strings.Join(questions, ""))) / room(len(batch))
	for n, i := range batch {
		c := candidates[i]
		left := each
		x := chunkShown{N: n + 1, Heading: left.take(c.Chunk.Heading(lang))}
		for _, p := range c.Passages {
			if w := left.take(p.Paragraph.Text(lang)); w != "" {
				x.Texts = append(x.Texts, w)
			}
		}
		data.Chunks = append(data.Chunks, x)
	}
	got, err := ask(ctx, s.Client, d, StageJudge, prompt(StageJudge, data), func(j *judged) error { return j.check(len(batch)) })
	if err != nil {
		return nil, err
	}
	scores := map[int]int{}
	for _, x := range got.Scores {
		scores[batch[x.Chunk-1]] = x.Score
	}
	return scores, nil
}

// check holds the scores to the chunks that were asked about: each once, in
// whatever order.
func (j *judged) check(n int) error {
	seen := map[int]bool{}
	for _, x := range j.Scores {
		switch {
		case x.Chunk < 1 || x.Chunk > n:
			return fmt.Errorf("there is no chunk %d", x.Chunk)
		case seen[x.Chunk]:
			return fmt.Errorf("chunk %d has two scores", x.Chunk)
		}
		seen[x.Chunk] = true
	}
	if len(seen) < n {
		return fmt.Errorf("%d of %d chunks have a score", len(seen), n)
	}
	return nil
}
