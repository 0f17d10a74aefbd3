package eval

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"

	"plumbline/kb"
	"plumbline/pipeline"
)

// folds is how many parts the aliases are split into.
const folds = 5

// A Trial is one set of weights and how it did on aliases asked as questions.
type Trial struct {
	Weights pipeline.Weights `json:"weights"`
	Score   float64          `json:"score"` // mean of 1/rank, share in the top 5 and share in the top 8
	Top5    float64          `json:"top5"`
	Top8    float64          `json:"top8"`
}

// A Tuning is the outcome of [Tune].
type Tuning struct {
	Aliases int     `json:"aliases"`
	Default Trial   `json:"default"`  // the weights in use
	Best    Trial   `json:"best"`     // of all tried, on all aliases
	HeldOut Trial   `json:"held_out"` // chosen on four parts, measured on the fifth, the five together
	Near    []Trial `json:"near"`     // the ten next best
}

// Tune measures sets of weights without the questions that retrieval is judged
// on. Each alias of the pack is asked as a question, with a fifth of all aliases,
// itself among them, taken out of the index; its own chunk is what should be
// found. trials sets are drawn around the weights in use, the same for the same
// seed. open builds an index of records.
func Tune(ctx context.Context, lib *kb.Library, pack string, emb kb.Embedder, open func(context.Context, []kb.Record) (kb.Index, error), trials int, seed uint64, progress func(done, total int)) (Tuning, error) {
	p, ok := lib.Pack(pack)
	if !ok {
		return Tuning{}, fmt.Errorf("there is no pack %q", pack)
	}
	rng := rand.New(rand.NewPCG(seed, 0))
	sets := []pipeline.Weights{pipeline.DefaultWeights}
	for len(sets) < max(1, trials) {
		sets = append(sets, around(pipeline.DefaultWeights, rng))
	}
	type asked struct{ text, lang, chunk string }
	var queries [folds][]asked
	fold := map[string]int{}
	for c := range lib.Chunks() {
		if c.Pack != p.Manifest.Name {
			continue
		}
		for _, lang := range p.Manifest.Languages {
			for _, alias := range c.Subsection.Aliases[lang] {
				f := rng.IntN(folds)
				queries[f] = append(queries[f], asked{alias, lang, c.ID})
				fold[lang+alias] = f
			}
		}
	}
	records := kb.Records(lib)
	if _, err := kb.Fill(ctx, lib, records, emb, nil); err != nil {
		return Tuning{}, err
	}
	at := kb.Filter{Packs: []string{p.Manifest.Name}}
	ranks := make([][][]int, len(sets)) // of each set and fold
	for i := range ranks {
		ranks[i] = make([][]int, folds)
	}
	for f := range folds {
		kept, err := without(ctx, lib, records, emb, func(lang, alias string) bool { return fold[lang+alias] == f })
		if err != nil {
			return Tuning{}, err
		}
		ix, err := open(ctx, kept)
		if err != nil {
			return Tuning{}, err
		}
		for i, w := range sets {
			r := pipeline.Fused{Index: ix, Embedder: emb, Weights: w}
			for _, q := range queries[f] {
				got, err := r.Retrieve(ctx, pipeline.Query{Text: q.text, Wider: pipeline.Widen(p.Guidance.Glossary, q.text, q.lang), Language: q.lang, Filter: at, K: 20})
				if err != nil {
					return Tuning{}, fmt.Errorf("alias of %s: %w", q.chunk, err)
				}
				rank := 1 + slices.IndexFunc(got.Found, func(x pipeline.Found) bool { return x.Chunk == q.chunk })
				ranks[i][f] = append(ranks[i][f], rank) // 0: not found
			}
			if progress != nil {
				progress(f*len(sets)+i+1, folds*len(sets))
			}
		}
	}
	out := Tuning{Aliases: len(fold)}
	all := make([]Trial, len(sets))
	for i, w := range sets {
		all[i] = trial(w, ranks[i]...)
	}
	out.Default = all[0]
	var held []int
	for f := range folds {
		best, score := 0, -1.0
		for i := range sets {
			var train [][]int
			for g := range folds {
				if g != f {
					train = append(train, ranks[i][g])
				}
			}
			if s := trial(sets[i], train...).Score; s > score {
				best, score = i, s
			}
		}
		held = append(held, ranks[best][f]...)
	}
	out.HeldOut = trial(pipeline.Weights{}, held)
	slices.SortStableFunc(all, func(a, b Trial) int { return -cmpFloat(a.Score, b.Score) })
	out.Best, out.Near = all[0], all[1:min(11, len(all))]
	return out, nil
}

func cmpFloat(a, b float64) int {
	switch {
	case a < b:
		return -1
	case a > b:
		return 1
	}
	return 0
}

func trial(w pipeline.Weights, ranks ...[]int) Trial {
	t := Trial{Weights: w}
	n := 0.0
	for _, list := range ranks {
		for _, r := range list {
			n++
			if r == 0 {
				continue
			}
			t.Score += 1 / float64(r) / 3
			if r <= 5 {
				t.Top5++
				t.Score += 1.0 / 3
			}
			if r <= 8 {
				t.Top8++
				t.Score += 1.0 / 3
			}
		}
	}
	if n > 0 {
		t.Score, t.Top5, t.Top8 = t.Score/n, t.Top5/n, t.Top8/n
	}
	return t
}

// around draws weights near w: each times a factor between a third and three.
func around(w pipeline.Weights, rng *rand.Rand) pipeline.Weights {
	draw := func(x float64) float64 { return x * math.Exp((2*rng.Float64()-1)*math.Log(3)) }
	w = pipeline.Weights{Heading: draw(w.Heading), Alias: draw(w.Alias), Body: draw(w.Body), Paragraph: draw(w.Paragraph), Text: draw(w.Text), Wider: draw(w.Wider)}
	sum := w.Heading + w.Alias + w.Body + w.Paragraph + w.Text
	w.Heading, w.Alias, w.Body, w.Paragraph, w.Text = w.Heading/sum, w.Alias/sum, w.Body/sum, w.Paragraph/sum, w.Text/sum
	return w
}

// without returns the records of lib as they would be if the packs lacked the
// aliases that drop names, with their vectors.
func without(ctx context.Context, lib *kb.Library, records []kb.Record, emb kb.Embedder, drop func(lang, alias string) bool) ([]kb.Record, error) {
	var packs []*kb.Pack
	for _, p := range lib.Packs() {
		c := *p
		c.Documents = slices.Clone(p.Documents)
		for i, d := range c.Documents {
			c.Documents[i].Sections = slices.Clone(d.Sections)
			for j, s := range d.Sections {
				subs := slices.Clone(s.Subsections)
				for k, sub := range subs {
					aliases := map[string][]string{}
					for lang, list := range sub.Aliases {
						for _, a := range list {
							if !drop(lang, a) {
								aliases[lang] = append(aliases[lang], a)
							}
						}
					}
					subs[k].Aliases = aliases
				}
				c.Documents[i].Sections[j].Subsections = subs
			}
		}
		packs = append(packs, &c)
	}
	cut, err := kb.NewLibrary(packs...)
	if err != nil {
		return nil, err
	}
	kept := kb.Records(cut)
	if _, err := kb.Fill(ctx, cut, kept, kb.Known(emb, records), nil); err != nil {
		return nil, err
	}
	return kept, nil
}
