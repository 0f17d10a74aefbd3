package flat

import (
	"bufio"
	"cmp"
	"encoding/json"
	"math"
	"os"
	"slices"
	"testing"
)

// A goldenRow is a row of testdata/cosine_topk.jsonl, computed by another
// program. A null stands for NaN.
type goldenRow struct {
	ID        string
	Matrix    [][]*float64
	Query     []float64
	K         int
	Tolerance float64
	Expected  struct {
		Indices   []int
		Scores    []float64
		Undefined []int `json:"undefined_rows"`
	}
}

func goldenRows(t *testing.T) (rows []goldenRow) {
	t.Helper()
	f, err := os.Open("testdata/cosine_topk.jsonl")
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	for lines := bufio.NewScanner(f); lines.Scan(); {
		var r goldenRow
		if err := json.Unmarshal(lines.Bytes(), &r); err != nil {
			t.Fatal(err)
		}
		// numpy overflows on the row of 1e200 and calls its cosine 0. It is 1.
		if r.ID == "retrieval_topk-012" {
			r.Expected.Indices, r.Expected.Scores = []int{0, 1}, []float64{1, math.Sqrt2 / 2}
		}
		rows = append(rows, r)
	}
	return rows
}

func TestGolden(t *testing.T) {
	rows := goldenRows(t)
	if len(rows) != 10 {
		t.Fatalf("%d golden rows, want 10", len(rows))
	}
	for _, r := range rows {
		t.Run(r.ID, func(t *testing.T) {
			got, undefined := topK(t, r)
			if !slices.Equal(undefined, r.Expected.Undefined) {
				t.Errorf("rows without a direction: %v, want %v", undefined, r.Expected.Undefined)
			}
			var indices []int
			for i, c := range got {
				indices = append(indices, int(c.row))
				if i < len(r.Expected.Scores) && math.Abs(float64(c.score)-r.Expected.Scores[i]) > r.Tolerance {
					t.Errorf("hit %d scores %v, want %v", i, c.score, r.Expected.Scores[i])
				}
			}
			if !slices.Equal(indices, r.Expected.Indices) {
				t.Errorf("top %d = rows %v, want %v", r.K, indices, r.Expected.Indices)
			}
		})
	}
}

// topK runs a golden row through what Replace and Nearest do, but leaves out
// rows that they refuse.
func topK(t *testing.T, r goldenRow) (found []candidate, undefined []int) {
	q := make([]float32, len(r.Query))
	if !unit(q, r.Query) {
		for i := range r.Matrix {
			undefined = append(undefined, i)
		}
		return nil, undefined
	}
	m := matrix{dim: len(q), before: func(a, b int32) int { return cmp.Compare(a, b) }}
	var spans []span
	for i, numbers := range r.Matrix {
		v := make([]float64, len(numbers))
		for j, x := range numbers {
			v[j] = math.NaN()
			if x != nil {
				v[j] = *x
			}
		}
		m.data = append(m.data, make([]float32, len(v))...)
		if !unit(m.row(i), v) {
			undefined = append(undefined, i)
			continue
		}
		spans = append(spans, span{i, i + 1})
	}
	found, err := m.nearest(t.Context(), q, r.K, float32(math.Inf(-1)), spans)
	if err != nil {
		t.Fatalf("nearest: %v", err)
	}
	return found, undefined
}
