package minilm

import (
	"compress/gzip"
	"encoding/json"
	"flag"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"plumbline/internal/vec"
)

// long has the portable path embed all texts, which takes minutes.
var long = flag.Bool("long", false, "hold the portable path to all reference texts")

// read returns a gzipped file of testdata.
func read(t testing.TB, name string) string {
	t.Helper()
	f, err := os.Open(filepath.Join("testdata", name))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	z, err := gzip.NewReader(f)
	if err != nil {
		t.Fatalf("%s: %v", name, err)
	}
	b, err := io.ReadAll(z)
	if err != nil {
		t.Fatalf("%s: %v", name, err)
	}
	return string(b)
}

// real reads the committed weights from their folder, so that this test
// binary does not carry them.
var real = sync.OnceValues(func() (*Model, error) {
	weights, err := os.ReadFile("weights/minilm.f16")
	if err != nil {
		return nil, err
	}
	vocabulary, err := os.ReadFile("weights/vocab.txt")
	if err != nil {
		return nil, err
	}
	return New(string(weights), string(vocabulary))
})

// referenceModel is the real model as the reference treats text: special
// pieces spelled out in it count.
func referenceModel(t testing.TB) *Model {
	t.Helper()
	m, err := real()
	if err != nil {
		t.Fatal(err)
	}
	return m.Reference()
}

type reference struct {
	Texts    []string    `json:"texts"`
	TokenIDs [][]int32   `json:"token_ids"`
	Vectors  [][]float32 `json:"vectors"`
}

func readReference(t testing.TB) reference {
	t.Helper()
	var r reference
	if err := json.Unmarshal([]byte(read(t, "reference.json.gz")), &r); err != nil {
		t.Fatal(err)
	}
	if len(r.Texts) != 200 || len(r.TokenIDs) != 200 || len(r.Vectors) != 200 {
		t.Fatalf("reference.json has %d texts, %d lists of ids, %d vectors, want 200 of each", len(r.Texts), len(r.TokenIDs), len(r.Vectors))
	}
	return r
}

func TestTokensOfTheReference(t *testing.T) {
	tokens := referenceModel(t).tokens
	check := func(text string, want []int32) {
		if got := tokens.encode(nil, text); !slices.Equal(got, want) {
			t.Errorf("encode(%q) = %v, want %v", text, got, want)
		}
	}
	r := readReference(t)
	for i, text := range r.Texts {
		check(text, r.TokenIDs[i])
	}
	lines := strings.Split(strings.TrimSpace(read(t, "tokens.jsonl.gz")), "\n")
	if len(lines) != 4000 {
		t.Fatalf("tokens.jsonl has %d lines, want 4000", len(lines))
	}
	for _, line := range lines {
		var d struct {
			Text string  `json:"text"`
			IDs  []int32 `json:"ids"`
		}
		if err := json.Unmarshal([]byte(line), &d); err != nil {
			t.Fatal(err)
		}
		check(d.Text, d.IDs)
	}
}

// referenceBounds are what a vector may differ by from float32.
const (
	leastCosine     = 0.99999
	mostDifference  = 5e-4
	portableTexts   = 30 // without -long
	portableLongest = 60 // pieces of each
)

func TestVectorsOfTheReference(t *testing.T) {
	r := readReference(t)
	for name, m := range paths(t, referenceModel(t)) {
		t.Run(name, func(t *testing.T) {
			texts, vectors := r.Texts, r.Vectors
			if !m.Accelerated() && !*long {
				texts, vectors = nil, nil
				// Spread over all kinds of text, the short ones of each.
				for i := 0; i < len(r.Texts) && len(texts) < portableTexts; i += 3 {
					if len(r.TokenIDs[i]) <= portableLongest {
						texts, vectors = append(texts, r.Texts[i]), append(vectors, r.Vectors[i])
					}
				}
			}
			got, err := m.Embed(t.Context(), texts)
			if err != nil {
				t.Fatal(err)
			}
			lowest, widest := 1.0, 0.0
			for i, v := range got {
				cosine, difference := float64(vec.Dot(v, vectors[i])), worst(v, vectors[i])
				if !(cosine >= leastCosine) || !(difference <= mostDifference) {
					t.Errorf("Embed(%.60q) has cosine %v and differs by up to %v, want %v and %v",
						texts[i], cosine, difference, leastCosine, mostDifference)
				}
				lowest, widest = min(lowest, cosine), max(widest, difference)
			}
			t.Logf("%d texts: least cosine %.7f, most difference %.2g", len(got), lowest, widest)
		})
	}
}

func TestTopTenOfTheReference(t *testing.T) {
	var want struct {
		Chunks    []string `json:"chunks"`
		Questions []string `json:"questions"`
		Top       [][]int  `json:"top"` // sorted
	}
	if err := json.Unmarshal([]byte(read(t, "topten.json.gz")), &want); err != nil {
		t.Fatal(err)
	}
	if len(want.Chunks) < 90 || len(want.Questions) < 100 || len(want.Top) != len(want.Questions) {
		t.Fatalf("topten.json has %d chunks, %d questions, %d lists", len(want.Chunks), len(want.Questions), len(want.Top))
	}
	for name, m := range paths(t, referenceModel(t)) {
		if !m.Accelerated() && !*long {
			t.Logf("NOTE: %s path not held to this without -long", name)
			continue
		}
		t.Run(name, func(t *testing.T) {
			chunks, err := m.Embed(t.Context(), want.Chunks)
			if err != nil {
				t.Fatal(err)
			}
			questions, err := m.Embed(t.Context(), want.Questions)
			if err != nil {
				t.Fatal(err)
			}
			for i, q := range questions {
				if got := nearest(q, chunks, 10); !slices.Equal(got, want.Top[i]) {
					t.Errorf("the ten passages nearest to %q are %v, want %v", want.Questions[i], got, want.Top[i])
				}
			}
		})
	}
}

// nearest returns the n vectors with the largest product with q, in order of
// their numbers.
func nearest(q []float32, vectors [][]float32, n int) []int {
	order := make([]int, len(vectors))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(a, b int) int {
		x, y := vec.Dot(q, vectors[a]), vec.Dot(q, vectors[b])
		switch {
		case x > y:
			return -1
		case x < y:
			return 1
		}
		return 0
	})
	slices.Sort(order[:n])
	return order[:n]
}
