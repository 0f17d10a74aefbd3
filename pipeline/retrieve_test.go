package pipeline_test

import (
	"context"
	"slices"
	"testing"

	"plumbline/kb"
	"plumbline/kb/flat"
	"plumbline/pipeline"
)

// axes is an embedder whose vectors are written down.
type axes map[string][]float32

func (axes) Name() string { return "axes" }
func (axes) Dim() int     { return 3 }
func (a axes) Embed(ctx context.Context, texts []string) (out [][]float32, err error) {
	for _, t := range texts {
		out = append(out, a[t])
	}
	return out, ctx.Err()
}

func index(t *testing.T, records ...kb.Record) kb.Index {
	t.Helper()
	for i := range records {
		records[i].Language = "en"
	}
	ix := flat.New()
	if err := ix.Replace(t.Context(), "1", records); err != nil {
		t.Fatalf("Replace: %v", err)
	}
	return ix
}

func chunks(r pipeline.Retrieval) (ids []string) {
	for _, f := range r.Found {
		ids = append(ids, f.Chunk)
	}
	return ids
}

// The paper's rule: headings that reach the threshold, it included, and no
// others; full text only if none does.
func TestHeadingFirst(t *testing.T) {
	emb := axes{"q": {1, 0, 0}}
	at := func(x float32) []float32 { return []float32{x, sqrt(1 - x*x), 0} }
	heading := func(chunk string, x float32) kb.Record {
		return kb.Record{ID: chunk + "h", Chunk: chunk, Field: kb.FieldHeading, Text: chunk, Vector: at(x)}
	}
	body := func(chunk string, x float32) kb.Record {
		return kb.Record{ID: chunk + "b", Chunk: chunk, Field: kb.FieldBody, Text: chunk, Vector: at(x)}
	}
	for _, tt := range []struct {
		name     string
		records  []kb.Record
		want     []string
		fallback bool
	}{
		{"HeadingsThatReach", []kb.Record{heading("a", 0.7), heading("b", 0.51), heading("c", 0.9), heading("d", 0.5), body("d", 0.99)}, []string{"c", "a", "b"}, false},
		{"NoneReaches", []kb.Record{heading("a", 0.5), body("a", 0.2), body("b", 0.4)}, []string{"b", "a"}, true},
		{"NoHeadings", []kb.Record{body("b", 0.4)}, []string{"b"}, true},
	} {
		t.Run(tt.name, func(t *testing.T) {
			r := pipeline.HeadingFirst{Index: index(t, tt.records...), Embedder: emb, Threshold: pipeline.Threshold}
			got, err := r.Retrieve(t.Context(), pipeline.Query{Text: "q", K: 5})
			if err != nil || !slices.Equal(chunks(got), tt.want) || got.Fallback != tt.fallback {
				t.Errorf("Retrieve = %q, fallback %v, %v; want %q, %v", chunks(got), got.Fallback, err, tt.want, tt.fallback)
			}
		})
	}
}

// The score is the weighted sum of the best of each view.
func TestFusedSumsViews(t *testing.T) {
	emb := axes{"alpha": {1, 0, 0}}
	ix := index(t,
		kb.Record{ID: "1", Chunk: "a", Field: kb.FieldHeading, Text: "x", Vector: []float32{0.6, 0.8, 0}},
		kb.Record{ID: "2", Chunk: "a", Field: kb.FieldBody, Text: "alpha beta", Vector: []float32{0, 1, 0}},
		kb.Record{ID: "3", Chunk: "a", Field: kb.FieldParagraph, Paragraph: "p1", Text: "x", Vector: []float32{0.8, 0.6, 0}},
		kb.Record{ID: "4", Chunk: "a", Field: kb.FieldParagraph, Paragraph: "p2", Text: "x", Vector: []float32{0.2, sqrt(0.96), 0}},
		kb.Record{ID: "5", Chunk: "b", Field: kb.FieldHeading, Text: "x", Vector: []float32{1, 0, 0}},
	)
	r := pipeline.Fused{Index: ix, Embedder: emb, Weights: pipeline.Weights{Heading: 1, Body: 1, Paragraph: 2, Text: 3}}
	got, err := r.Retrieve(t.Context(), pipeline.Query{Text: "alpha", K: 5})
	if err != nil {
		t.Fatal(err)
	}
	if want := []string{"a", "b"}; !slices.Equal(chunks(got), want) {
		t.Fatalf("found %q, want %q", chunks(got), want)
	}
	// a: heading 0.6 + body 0 + 2 × best paragraph 0.8 + 3 × the best BM25 itself.
	if s := got.Found[0].Score; s < 5.1999 || s > 5.2001 {
		t.Errorf("score of a = %v, want 5.2", s)
	}
	if s := got.Found[1].Score; s < 0.9999 || s > 1.0001 {
		t.Errorf("score of b = %v, want 1", s)
	}
	if names := got.Found[0].Names(); !slices.Equal(names, []string{"paragraph", "body", "heading", "text"}) {
		t.Errorf("a was found by %q", names)
	}
	if p := got.Found[0].Via[0].Paragraph; p != "p1" {
		t.Errorf("best paragraph of a is %q, want p1", p)
	}
	for _, k := range []int{0, 1} {
		if got, err := r.Retrieve(t.Context(), pipeline.Query{Text: "alpha", K: k}); err != nil || len(got.Found) != k {
			t.Errorf("K %d: %d found, %v", k, len(got.Found), err)
		}
	}
	if got, err := r.Retrieve(t.Context(), pipeline.Query{Text: " \n", K: 5}); err != nil || len(got.Found) != 0 {
		t.Errorf("a blank query finds %q, %v", chunks(got), err)
	}
}

func sqrt(x float32) float32 {
	y := x
	for range 40 {
		if y > 0 {
			y = (y + x/y) / 2
		}
	}
	return y
}

func TestWiden(t *testing.T) {
	glossary := []kb.Term{{
		Term: kb.Text{"en": "action level", "es": "nivel de acción"}, Means: kb.Text{"en": "x"},
		Forms: map[string][]string{"en": {"legal limit", "max level"}, "es": {"límite legal"}},
	}}
	for _, tt := range []struct{ text, lang, want string }{
		{"what is the Legal limit?", "en", "what is the Legal limit? action level max level"},
		{"cual es el limite legal", "es", "cual es el limite legal nivel de acción"},
		{"is it illegal limitless", "en", ""},
		{"", "en", ""},
	} {
		if got := pipeline.Widen(glossary, tt.text, tt.lang); got != tt.want {
			t.Errorf("Widen(%q, %s) = %q, want %q", tt.text, tt.lang, got, tt.want)
		}
	}
}
