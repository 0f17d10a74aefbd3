// Package minilm turns text into vectors with all-MiniLM-L6-v2, a sentence
// encoder of 6 layers: WordPiece, the forward pass, the mean of the pieces'
// states, length 1. It is pure Go with assembly for amd64, needs no other
// program and gives the vectors of the reference implementation
// (sentence-transformers on the published float32 weights) up to rounding:
// cosine 0.99999 or more.
//
// The weights come in as a string, see package blob; the folder weights holds
// the real ones. Importing that links 45 MB, so only programs do.
package minilm

import (
	"context"
	"fmt"
	"runtime"
	"sync"
	"sync/atomic"

	"plumbline/internal/vec"
	"plumbline/kb/minilm/blob"
)

//go:generate go -C ../../tools run ./asm/minilm -out ../kb/minilm/kernels_amd64.s -stubs ../kb/minilm/kernels_amd64.go -pkg minilm

const modelName = "all-MiniLM-L6-v2"

var modelDims = blob.Dims{Vocab: 30522, Positions: 256, Hidden: 384, Heads: 12, Inner: 1536, Layers: 6}

// A Model embeds texts. Any number of goroutines may use it.
type Model struct {
	weights *blob.Weights
	tokens  *tokenizer
	math    arithmetic
	scratch *sync.Pool // of *scratch
}

// New returns the model on weights, a file written by convert-weights, and its
// vocabulary, one word piece a line. It keeps both strings and copies some 2 %
// of the weights. An error says what is wrong with the files: they are
// damaged, are of another version or do not belong together.
func New(weights, vocabulary string) (*Model, error) {
	m, err := open(weights, vocabulary)
	if err != nil {
		return nil, fmt.Errorf("open the weights of %s: %w; get the files again, or make them with tools/convert-weights", modelName, err)
	}
	if m.weights.Dims != modelDims {
		return nil, fmt.Errorf("open the weights of %s: they are of another model, of sizes %+v", modelName, m.weights.Dims)
	}
	return m, nil
}

// open takes a model of any size.
func open(weights, vocabulary string) (*Model, error) {
	w, err := blob.Open(weights)
	if err != nil {
		return nil, err
	}
	if err := w.CheckVocabulary(vocabulary); err != nil {
		return nil, err
	}
	t, err := newTokenizer(vocabulary, w.Positions)
	if err != nil {
		return nil, err
	}
	if len(t.pieces) != w.Vocab {
		return nil, fmt.Errorf("vocabulary of %d pieces, the weights want %d", len(t.pieces), w.Vocab)
	}
	return &Model{
		weights: w,
		tokens:  t,
		math:    fastest(),
		scratch: &sync.Pool{New: func() any { return new(scratch) }},
	}, nil
}

// Reference returns the model as the reference treats text: special pieces
// spelled out in it ("[CLS]") count as such. It is for comparing with other
// implementations, never for what people wrote. It shares m's memory.
func (m *Model) Reference() *Model {
	r, tokens := *m, *m.tokens
	tokens.special = specialPieces
	r.tokens = &tokens
	return &r
}

// Portable returns the model without assembly: the path of other processors,
// some 20 times slower. Its vectors differ from m's in rounding alone. It
// shares m's memory.
func (m *Model) Portable() *Model {
	p := *m
	p.math = portable{}
	return &p
}

// Accelerated reports whether m runs the assembly.
func (m *Model) Accelerated() bool {
	_, is := m.math.(portable)
	return !is
}

// Name tells vectors apart: model, precision and the hash of the weights.
// Vectors of different names do not compare.
func (m *Model) Name() string {
	return fmt.Sprintf("%s-fp16-%s", modelName, m.weights.Hash())
}

// Dim is the length of the vectors, 384.
func (m *Model) Dim() int { return m.weights.Hidden }

// Embed returns a vector of length 1 for each text, in their order; the empty
// text has one too. A vector does not depend on the texts beside it. Of a text
// the first 256 pieces count, [CLS] and [SEP] among them; any bytes will do.
// The vectors are the caller's; they lie in one allocation.
//
// Several texts are spread over up to GOMAXPROCS goroutines, which have ended
// when Embed returns. When ctx is done Embed gives up within a layer of the
// encoder and returns ctx.Err() and no vectors. There is no other error.
func (m *Model) Embed(ctx context.Context, texts []string) ([][]float32, error) {
	dim := m.Dim()
	all := make([]float32, len(texts)*dim)
	vectors := make([][]float32, len(texts))
	for i := range vectors {
		vectors[i] = all[i*dim : (i+1)*dim : (i+1)*dim]
	}
	var next atomic.Int64
	work := func() {
		s := m.scratch.Get().(*scratch)
		defer m.scratch.Put(s)
		for ctx.Err() == nil {
			i := int(next.Add(1)) - 1
			if i >= len(texts) {
				return
			}
			s.ids = m.tokens.encode(s.ids[:0], texts[i])
			m.forward(ctx, s, vectors[i])
		}
	}
	var helpers sync.WaitGroup
	for range min(runtime.GOMAXPROCS(0), len(texts)) - 1 {
		helpers.Go(work)
	}
	work()
	helpers.Wait()
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	return vectors, nil
}

// Tokens returns the pieces of text that Embed works on, with their numbers in
// the vocabulary, [CLS] and [SEP] included. Such words in text itself are
// ordinary letters and brackets: nobody can write a special piece.
func (m *Model) Tokens(text string) (ids []int32, pieces []string) {
	ids = m.tokens.encode(nil, text)
	pieces = make([]string, len(ids))
	for i, id := range ids {
		pieces[i] = m.tokens.pieces[id]
	}
	return ids, pieces
}

// forward runs the encoder on s.ids. It leaves out half done when ctx is.
func (m *Model) forward(ctx context.Context, s *scratch, out []float32) {
	w := m.weights
	n := len(s.ids)
	s.fit(w.Dims, n)
	for i, id := range s.ids {
		row := s.x[i*w.Hidden : (i+1)*w.Hidden]
		vec.DecodeHalves(row, w.Words[2*w.Hidden*int(id):2*w.Hidden*(int(id)+1)])
		for j, p := range w.Position[i*w.Hidden : (i+1)*w.Hidden] {
			row[j] += p
		}
	}
	m.math.norm(s.x, s.zeros[:w.Hidden], w.Norm)
	for i := range w.Layers {
		if ctx.Err() != nil {
			return
		}
		l := &w.Layers[i]
		s.attend(m.math, w.Dims, l, n)
		m.math.norm(s.x, l.Out.Bias, l.OutNorm)
		s.feed(m.math, w.Dims, l, n)
		m.math.norm(s.x, l.Down.Bias, l.DownNorm)
	}
	clear(out)
	for i := range n {
		for j, v := range s.x[i*w.Hidden : (i+1)*w.Hidden] {
			out[j] += v
		}
	}
	vec.Normalize(out)
}
