// Package eval measures the pipeline on question files: how much of what a
// complete answer needs is found, with intervals.
package eval

import (
	"context"
	"fmt"
	"math/rand/v2"
	"slices"

	"plumbline/kb"
	"plumbline/pipeline"
)

// A Question is one line of a question file.
type Question struct {
	ID       string   `json:"id"`
	Text     string   `json:"text"`
	Lang     string   `json:"lang"`
	Expected string   `json:"expected"`       // answer, no_answer, emergency or out_of_scope
	Facts    []string `json:"expected_facts"` // paragraphs that a complete answer draws on
	Pair     *Pair    `json:"pair"`
}

// A Pair ties a follow-up to the question before it.
type Pair struct {
	ID    string  `json:"id"`
	Turn  int     `json:"turn"`
	Prior *string `json:"prior_id"`
}

// A Recall is the mean share of the needed chunks among the first k found, with
// a 95 % bootstrap interval over questions.
type Recall struct {
	K    int     `json:"k"`
	Mean float64 `json:"mean"`
	Low  float64 `json:"low"`
	High float64 `json:"high"`
}

// A Result is how one retriever did in one language.
type Result struct {
	Retriever string   `json:"retriever"`
	Language  string   `json:"language"`
	Questions int      `json:"questions"`
	Recall    []Recall `json:"recall"`
	Missed    []Missed `json:"missed"`
}

// Missed is a question of which some needed chunk was not among the first of
// the largest k.
type Missed struct {
	ID     string   `json:"id"`
	Chunks []string `json:"chunks"`
}

// Retrieval measures a retriever on the answerable questions of one language.
// A follow-up is joined with the question before it. The needed chunks of a
// question are those that its facts stand in; facts that no pack has are an
// error, so that a figure never hides a missing paragraph.
func Retrieval(ctx context.Context, lib *kb.Library, r pipeline.Retriever, pack, lang string, at kb.Date, questions []Question, ks []int) (Result, error) {
	p, ok := lib.Pack(pack)
	if !ok {
		return Result{}, fmt.Errorf("there is no pack %q", pack)
	}
	byID := map[string]Question{}
	for _, q := range questions {
		byID[q.ID] = q
	}
	res := Result{Retriever: r.Name(), Language: lang}
	most := slices.Max(ks)
	shares := make([][]float64, len(ks))
	for _, q := range questions {
		if q.Expected != "answer" || q.Lang != lang || len(q.Facts) == 0 {
			continue
		}
		need := map[string]bool{}
		for _, f := range q.Facts {
			c, ok := lib.ChunkOf(f)
			if !ok {
				return Result{}, fmt.Errorf("question %s needs %s, which no pack has", q.ID, f)
			}
			need[c.ID] = true
		}
		text, joined, leans := q.Text, "", 0.0
		if q.Pair != nil && q.Pair.Prior != nil {
			joined, leans = byID[*q.Pair.Prior].Text+" "+text, 1
		}
		got, err := r.Retrieve(ctx, pipeline.Query{
			Text: text, Wider: pipeline.Widen(p.Guidance.Glossary, text, lang), Context: joined, Leans: leans, Language: lang, K: most,
			Filter: kb.Filter{Packs: []string{p.Manifest.Name}, Jurisdictions: lib.Jurisdictions(p.Manifest.Home), Valid: at},
		})
		if err != nil {
			return Result{}, fmt.Errorf("question %s: %w", q.ID, err)
		}
		for i, k := range ks {
			hit := 0
			for _, f := range got.Found[:min(k, len(got.Found))] {
				if need[f.Chunk] {
					hit++
				}
			}
			shares[i] = append(shares[i], float64(hit)/float64(len(need)))
		}
		for _, f := range got.Found {
			delete(need, f.Chunk)
		}
		if len(need) > 0 {
			m := Missed{ID: q.ID}
			for c := range need {
				m.Chunks = append(m.Chunks, c)
			}
			slices.Sort(m.Chunks)
			res.Missed = append(res.Missed, m)
		}
		res.Questions++
	}
	for i, k := range ks {
		mean, low, high := Bootstrap(shares[i], 1)
		res.Recall = append(res.Recall, Recall{k, mean, low, high})
	}
	return res, nil
}

// draws is how many resamples an interval is read off.
const draws = 2000

// Bootstrap returns the mean of xs and its 95 % interval by the percentile
// method, the same for the same seed. Of nothing all three are 0.
func Bootstrap(xs []float64, seed uint64) (mean, low, high float64) {
	if len(xs) == 0 {
		return 0, 0, 0
	}
	for _, x := range xs {
		mean += x
	}
	mean /= float64(len(xs))
	rng := rand.New(rand.NewPCG(seed, 0))
	means := make([]float64, draws)
	for i := range means {
		for range xs {
			means[i] += xs[rng.IntN(len(xs))]
		}
		means[i] /= float64(len(xs))
	}
	slices.Sort(means)
	return mean, means[draws*25/1000], means[draws*975/1000-1]
}
