package kbtest

import (
	"context"
	"fmt"
	"hash/fnv"
	"math"

	"plumbline/internal/bm25"
	"plumbline/kb"
)

// Words is a [kb.Embedder] in which texts are near when they share words. It
// knows nothing of meaning, but it needs no model and is the same every time.
//
// A text is the set of its stems: case, accents, order and repetition do not
// count, nor do function words, and plurals meet, in English and Spanish
// alike. Two texts of a and b stems with c in common have the cosine
// c/sqrt(a*b), but for stems that fall on one number (1 in 383). Texts without
// words are all one vector, at right angles to every other.
type Words struct{}

var _ kb.Embedder = Words{}

const wordsDim = 384 // as all-MiniLM-L6-v2

// Name implements [kb.Embedder].
func (Words) Name() string { return "words/384" }

// Dim implements [kb.Embedder].
func (Words) Dim() int { return wordsDim }

// Embed implements [kb.Embedder].
func (Words) Embed(ctx context.Context, texts []string) ([][]float32, error) {
	vectors := make([][]float32, len(texts))
	for i, text := range texts {
		if err := ctx.Err(); err != nil {
			return nil, fmt.Errorf("embed text %d: %w", i, err)
		}
		vectors[i] = wordVector(text)
	}
	return vectors, nil
}

func wordVector(text string) []float32 {
	v := make([]float32, wordsDim)
	for _, w := range bm25.Plain(text) {
		en, es := bm25.English(w), bm25.Spanish(w)
		if len(en) == 0 || len(es) == 0 {
			continue
		}
		stem := en[0]
		if both := bm25.Spanish(stem); len(both) > 0 {
			stem = both[0]
		}
		h := fnv.New32a()
		h.Write([]byte(stem))
		v[1+h.Sum32()%(wordsDim-1)] = 1
	}
	var n float64
	for _, x := range v {
		n += float64(x)
	}
	if n == 0 {
		v[0], n = 1, 1
	}
	for i := range v {
		v[i] *= float32(1 / math.Sqrt(n))
	}
	return v
}
