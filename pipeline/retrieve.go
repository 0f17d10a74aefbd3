package pipeline

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"

	"plumbline/kb"
)

// A Query is one search: a question made to stand alone, and what may answer it.
type Query struct {
	Text     string
	Wider    string  // Text with what the pack's glossary calls its words; empty for none
	Context  string  // Text with the turn before it; empty for none
	Leans    float64 // how much Text leans on the turn before, 0 to 1
	Language string
	Filter   kb.Filter // packs, jurisdictions and the date; fields and languages are the retriever's
	K        int       // most chunks to return
}

// A Found is one chunk that a retriever found.
type Found struct {
	Chunk string
	Score float64
	Via   []Via // best first
}

// A Via is one record that spoke for a chunk.
type Via struct {
	Field     kb.Field
	Record    string
	Paragraph string
	Score     float64  // cosine, or BM25 for full text
	Terms     []string // full text: the stems that hit
	Text      bool     // found by full text
}

// Names returns the views that found f, as the trace names them: heading,
// alias, body, paragraph, text.
func (f Found) Names() []string {
	var names []string
	for _, v := range f.Via {
		n := string(v.Field)
		if v.Text {
			n = "text"
		}
		if !slices.Contains(names, n) {
			names = append(names, n)
		}
	}
	return names
}

// Why says in one line what spoke for f.
func (f Found) Why() string {
	var parts []string
	for _, v := range f.Via {
		switch {
		case v.Text:
			parts = append(parts, fmt.Sprintf("text %.1f (%s)", v.Score, strings.Join(v.Terms, " ")))
		case v.Paragraph != "":
			parts = append(parts, fmt.Sprintf("paragraph %s %.2f", v.Paragraph, v.Score))
		default:
			parts = append(parts, fmt.Sprintf("%s %.2f", v.Field, v.Score))
		}
	}
	return strings.Join(parts, ", ")
}

// A Retrieval is the outcome of one search, best first.
type Retrieval struct {
	Found    []Found
	Fallback bool // the paper's rule fell back to full text
}

// A Retriever finds the chunks that bear on a question. It is safe for
// concurrent use. A query with no words finds nothing.
type Retriever interface {
	Name() string
	Retrieve(ctx context.Context, q Query) (Retrieval, error)
}

// Threshold is the cosine that a heading must reach in the paper (section 3.2).
const Threshold = 0.51

// HeadingFirst is the paper's rule: the chunks whose heading (section and
// subheading) reaches a cosine of Threshold with the question, best first; if
// there is none, the chunks nearest by their full text.
type HeadingFirst struct {
	Index     kb.Index
	Embedder  kb.Embedder
	Threshold float64
}

// Name implements [Retriever].
func (HeadingFirst) Name() string { return "heading-first" }

// Retrieve implements [Retriever].
func (r HeadingFirst) Retrieve(ctx context.Context, q Query) (Retrieval, error) {
	if strings.TrimSpace(q.Text) == "" {
		return Retrieval{}, nil
	}
	text := q.Text
	if q.Leans >= 0.5 {
		text = q.Context
	}
	vs, err := r.Embedder.Embed(ctx, []string{text})
	if err != nil {
		return Retrieval{}, fmt.Errorf("embed question: %w", err)
	}
	f := q.Filter
	f.Languages = languages(q.Language)
	f.Fields = []kb.Field{kb.FieldHeading}
	hits, err := r.Index.Nearest(ctx, vs[0], q.K, r.Threshold, f)
	if err != nil {
		return Retrieval{}, fmt.Errorf("search headings: %w", err)
	}
	out := Retrieval{}
	if len(hits) == 0 {
		out.Fallback = true
		f.Fields = []kb.Field{kb.FieldBody}
		if hits, err = r.Index.Nearest(ctx, vs[0], q.K, -1, f); err != nil {
			return Retrieval{}, fmt.Errorf("search full text: %w", err)
		}
	}
	seen := map[string]bool{}
	for _, h := range hits {
		if !seen[h.Chunk] {
			seen[h.Chunk] = true
			out.Found = append(out.Found, Found{h.Chunk, h.Score, []Via{{Field: h.Field, Record: h.Record, Score: h.Score}}})
		}
	}
	return out, nil
}

// Weights say how much each view of a chunk counts in [Fused]. They need not
// add up to one.
type Weights struct {
	Heading   float64 `json:"heading" yaml:"heading"`
	Alias     float64 `json:"alias" yaml:"alias"`
	Body      float64 `json:"body" yaml:"body"`
	Paragraph float64 `json:"paragraph" yaml:"paragraph"`
	Text      float64 `json:"text" yaml:"text"`       // BM25, as a share of the best chunk's
	Wider     float64 `json:"wider" yaml:"wider"`     // of the same sum for the widened question
	Context   float64 `json:"context" yaml:"context"` // of the same sum with the turn before, for a question that leans on it wholly
}

// DefaultWeights are on a plateau: docs/design.md says how they were chosen and
// has the figures.
var DefaultWeights = Weights{Heading: 0.10, Alias: 0.30, Body: 0.15, Paragraph: 0.30, Text: 0.20, Wider: 0.25, Context: 2}

// Fused scores a chunk by all its views at once: a weighted sum of the best
// cosine among its headings, aliases, bodies and paragraphs, and of BM25. A
// view that did not reach the first Depth records counts as the last that did.
type Fused struct {
	Index    kb.Index
	Embedder kb.Embedder
	Weights  Weights
	Depth    int // records looked at a view; 0 for 400
}

// Name implements [Retriever].
func (Fused) Name() string { return "fused" }

// Retrieve implements [Retriever].
func (r Fused) Retrieve(ctx context.Context, q Query) (Retrieval, error) {
	if strings.TrimSpace(q.Text) == "" || q.K <= 0 {
		return Retrieval{}, nil
	}
	texts, shares := []string{q.Text}, []float64{1}
	if q.Wider != "" && q.Wider != q.Text && r.Weights.Wider > 0 {
		texts, shares = append(texts, q.Wider), append(shares, r.Weights.Wider)
	}
	if q.Context != "" && q.Leans > 0 {
		texts, shares = append(texts, q.Context), append(shares, q.Leans*r.Weights.Context)
	}
	vs, err := r.Embedder.Embed(ctx, texts)
	if err != nil {
		return Retrieval{}, fmt.Errorf("embed question: %w", err)
	}
	acc := map[string]*Found{}
	total := 0.0
	for i, text := range texts {
		total += shares[i]
		if err := r.score(ctx, q, text, vs[i], shares[i], acc); err != nil {
			return Retrieval{}, err
		}
	}
	out := make([]Found, 0, len(acc))
	for _, f := range acc {
		f.Score /= total
		out = append(out, *f)
	}
	slices.SortFunc(out, func(a, b Found) int {
		return cmp.Or(cmp.Compare(b.Score, a.Score), cmp.Compare(a.Chunk, b.Chunk))
	})
	return Retrieval{Found: out[:min(q.K, len(out))]}, nil
}

// score adds share of one text's sum to the chunks in acc.
func (r Fused) score(ctx context.Context, q Query, text string, v []float32, share float64, acc map[string]*Found) error {
	depth := cmp.Or(r.Depth, 400)
	f := q.Filter
	f.Languages = languages(q.Language)
	type view struct {
		best  map[string]Via
		floor float64
	}
	views := map[kb.Field]view{}
	weight := map[kb.Field]float64{
		kb.FieldHeading: r.Weights.Heading, kb.FieldAlias: r.Weights.Alias,
		kb.FieldBody: r.Weights.Body, kb.FieldParagraph: r.Weights.Paragraph,
	}
	order := []kb.Field{kb.FieldParagraph, kb.FieldAlias, kb.FieldBody, kb.FieldHeading}
	chunks := map[string]bool{}
	for _, field := range order {
		if weight[field] == 0 {
			continue
		}
		f.Fields = []kb.Field{field}
		hits, err := r.Index.Nearest(ctx, v, depth, -1, f)
		if err != nil {
			return fmt.Errorf("search %s: %w", field, err)
		}
		w := view{best: map[string]Via{}}
		for _, h := range hits {
			w.floor = h.Score
			if _, ok := w.best[h.Chunk]; !ok {
				w.best[h.Chunk] = Via{Field: field, Record: h.Record, Paragraph: h.Paragraph, Score: h.Score}
				chunks[h.Chunk] = true
			}
		}
		if len(hits) < depth {
			w.floor = 0 // the whole view was seen: a chunk without it has nothing there
		}
		views[field] = w
	}
	matched := map[string]Via{}
	if r.Weights.Text > 0 {
		f.Fields = []kb.Field{kb.FieldBody}
		hits, err := r.Index.Match(ctx, text, depth, f)
		if err != nil {
			return fmt.Errorf("search text: %w", err)
		}
		for _, h := range hits {
			if _, ok := matched[h.Chunk]; !ok {
				matched[h.Chunk] = Via{Field: h.Field, Record: h.Record, Score: h.Score, Terms: h.Terms, Text: true}
				chunks[h.Chunk] = true
			}
		}
	}
	best := 0.0
	for _, t := range matched {
		best = max(best, t.Score)
	}
	for _, chunk := range slices.Sorted(maps.Keys(chunks)) {
		sum := 0.0
		var via []Via
		for _, field := range order {
			w, ok := views[field]
			if !ok {
				continue
			}
			if b, ok := w.best[chunk]; ok {
				sum += weight[field] * b.Score
				via = append(via, b)
			} else {
				sum += weight[field] * w.floor
			}
		}
		if t, ok := matched[chunk]; ok {
			sum += r.Weights.Text * t.Score / best
			via = append(via, t)
		}
		a, ok := acc[chunk]
		if !ok {
			a = &Found{Chunk: chunk}
			acc[chunk] = a
		}
		a.Score += share * sum
		if a.Via == nil { // the question's own words speak first
			a.Via = via
		}
	}
	return nil
}

// languages says which records answer a question in lang: its own, and English
// where the language is not one that packs are written in.
func languages(lang string) []string {
	if lang == "" {
		return []string{"en"}
	}
	return []string{lang}
}
