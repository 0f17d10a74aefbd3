package flat

import (
	"fmt"
	"math/rand/v2"
	"runtime"
	"slices"
	"testing"

	"plumbline/internal/vec"
	"plumbline/kb"
)

// BenchmarkNearest finds the 10 nearest of 100,000 clustered vectors of 384
// numbers, and of 4,000, about what a knowledge base holds; beside it a plain
// loop does the same.
func BenchmarkNearest(b *testing.B) {
	for _, n := range []int{4_000, 100_000} {
		const dim = 384
		vectors, queries := clustered(n, dim)
		records := make([]kb.Record, n)
		for i, v := range vectors {
			records[i] = kb.Record{
				ID: fmt.Sprintf("r%06d", i), Vector: v, Language: "en",
				Field: []kb.Field{kb.FieldHeading, kb.FieldBody, kb.FieldAlias, kb.FieldParagraph}[i%4],
			}
		}
		x := New()
		if err := x.Replace(b.Context(), "1", records); err != nil {
			b.Fatal(err)
		}
		find := func(b *testing.B, f kb.Filter) {
			for i := 0; b.Loop(); i++ {
				hits, err := x.Nearest(b.Context(), queries[i%len(queries)], 10, -1, f)
				if err != nil || len(hits) != 10 {
					b.Fatalf("%d hits, error %v", len(hits), err)
				}
			}
		}
		b.Run(fmt.Sprintf("%d/default", n), func(b *testing.B) { find(b, kb.Filter{}) })
		b.Run(fmt.Sprintf("%d/goroutines=1", n), func(b *testing.B) {
			defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(1))
			find(b, kb.Filter{})
		})
		b.Run(fmt.Sprintf("%d/headings", n), func(b *testing.B) { find(b, kb.Filter{Fields: []kb.Field{kb.FieldHeading}}) })
		b.Run(fmt.Sprintf("%d/loop", n), func(b *testing.B) {
			for i := 0; b.Loop(); i++ {
				if got := loop(vectors, queries[i%len(queries)], 10); len(got) != 10 {
					b.Fatalf("%d found", len(got))
				}
			}
		})
	}
}

// loop is the ten lines that anyone would write.
func loop(vectors [][]float32, q []float32, k int) (top []candidate) {
	for i, v := range vectors {
		var sum float32
		for j, x := range v {
			sum += x * q[j]
		}
		if len(top) == k && sum <= top[k-1].score {
			continue
		}
		at, _ := slices.BinarySearchFunc(top, sum, func(c candidate, s float32) int {
			if c.score >= s {
				return -1
			}
			return 1
		})
		top = slices.Insert(top, at, candidate{int32(i), sum})
		top = top[:min(len(top), k)]
	}
	return top
}

// clustered returns n vectors around n/100 centres, as embeddings of a few
// topics lie, and queries near some of them.
func clustered(n, dim int) (vectors, queries [][]float32) {
	random := rand.New(rand.NewPCG(384, uint64(n)))
	near := func(centre []float32) []float32 {
		v := make([]float32, dim)
		for i := range v {
			v[i] = centre[i] + 0.04*float32(random.NormFloat64())
		}
		vec.Normalize(v)
		return v
	}
	centres := make([][]float32, n/100)
	for i := range centres {
		centres[i] = randomUnit(random, dim)
	}
	data := make([]float32, n*dim) // one array: the loop is not to suffer from scattered rows
	for i := range n {
		row := data[i*dim : (i+1)*dim : (i+1)*dim]
		copy(row, near(centres[random.IntN(len(centres))]))
		vectors = append(vectors, row)
	}
	for range 64 {
		queries = append(queries, near(centres[random.IntN(len(centres))]))
	}
	return vectors, queries
}
