package bm25

import (
	"bufio"
	"encoding/json"
	"math"
	"os"
	"slices"
	"testing"
)

// A goldenRow is a row of testdata/bm25_topk.jsonl, computed by another program.
type goldenRow struct {
	ID        string
	Documents []string
	Query     string
	K         int
	K1, B     float64
	Tolerance float64
	Expected  struct {
		Indices   []int
		Scores    []float64
		AllScores []float64 `json:"all_scores"`
	}
}

func goldenRows(t *testing.T) (rows []goldenRow) {
	t.Helper()
	f, err := os.Open("testdata/bm25_topk.jsonl")
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	for lines := bufio.NewScanner(f); lines.Scan(); {
		var r goldenRow
		if err := json.Unmarshal(lines.Bytes(), &r); err != nil {
			t.Fatal(err)
		}
		rows = append(rows, r)
	}
	return rows
}

func TestGolden(t *testing.T) {
	rows := goldenRows(t)
	if len(rows) != 6 {
		t.Fatalf("%d golden rows, want 6", len(rows))
	}
	for _, r := range rows {
		t.Run(r.ID, func(t *testing.T) {
			ix := New(each(Runs, r.Documents), r.K1, r.B)
			query := Runs(r.Query)

			var docs []int
			for i, h := range search(t, ix, query, r.K, nil) {
				docs = append(docs, h.Doc)
				if want := r.Expected.Scores[i]; math.Abs(h.Score-want) > r.Tolerance {
					t.Errorf("%q: hit %d scores %v, want %v", r.Query, i, h.Score, want)
				}
			}
			if !slices.Equal(docs, r.Expected.Indices) {
				t.Errorf("%q: documents %v, want %v", r.Query, docs, r.Expected.Indices)
			}

			all := make([]float64, len(r.Documents))
			for _, h := range search(t, ix, query, len(all), nil) {
				all[h.Doc] = h.Score
			}
			for doc, want := range r.Expected.AllScores {
				if math.Abs(all[doc]-want) > r.Tolerance {
					t.Errorf("%q: document %d scores %v, want %v", r.Query, doc, all[doc], want)
				}
			}
		})
	}
}

func each(terms Terms, texts []string) (docs [][]string) {
	for _, text := range texts {
		docs = append(docs, terms(text))
	}
	return docs
}

func search(t testing.TB, ix *Index, query []string, k int, keep func(int) bool) []Hit {
	t.Helper()
	hits, err := ix.Search(t.Context(), query, k, keep)
	if err != nil {
		t.Fatalf("Search(%q): %v", query, err)
	}
	return hits
}
