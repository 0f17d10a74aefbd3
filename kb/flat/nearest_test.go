package flat

import (
	"cmp"
	"context"
	"errors"
	"math"
	"math/rand/v2"
	"runtime"
	"slices"
	"sync/atomic"
	"testing"

	"plumbline/bot"
	"plumbline/internal/vec"
	"plumbline/kb"
)

func TestVectorsAreScaled(t *testing.T) {
	x := New()
	err := x.Replace(t.Context(), "1", []kb.Record{
		{ID: "huge", Vector: []float32{math.MaxFloat32, math.MaxFloat32}},
		{ID: "tiny", Vector: []float32{0, math.SmallestNonzeroFloat32}},
		{ID: "long", Vector: []float32{-3, 4}},
	})
	if err != nil {
		t.Fatalf("Replace: %v", err)
	}
	hits, err := x.Nearest(t.Context(), []float32{0, 1e-30}, 3, -1, kb.Filter{})
	if err != nil {
		t.Fatalf("Nearest: %v", err)
	}
	for i, want := range []kb.Hit{{Record: "tiny", Score: 1}, {Record: "long", Score: 0.8}, {Record: "huge", Score: math.Sqrt2 / 2}} {
		if i >= len(hits) || hits[i].Record != want.Record || math.Abs(hits[i].Score-want.Score) > 1e-7 {
			t.Errorf("Nearest = %v, want %v at %d", hits, want, i)
		}
	}
}

// What an embedder calls a unit vector is stored to the bit, so that a score
// is its float32 product with the query and nothing else.
func TestUnitVectorsStay(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	for i := range 1000 {
		v := randomUnit(random, 2+i%8)
		got := make([]float32, len(v))
		if !unit(got, v) || !slices.Equal(got, v) {
			t.Fatalf("unit changes a vector of square %v", vec.Dot(v, v))
		}
	}
}

func TestUnitRefuses(t *testing.T) {
	for _, v := range [][]float64{nil, {0, 0}, {1, math.NaN()}, {math.NaN(), 1}, {math.Inf(1), 1}, {1, math.Inf(-1)}} {
		if unit(make([]float32, len(v)), v) {
			t.Errorf("unit(%v) = true, want false", v)
		}
	}
}

func TestMinIsANumber(t *testing.T) {
	_, err := New().Nearest(t.Context(), []float32{1}, 1, math.NaN(), kb.Filter{})
	if !errors.Is(err, bot.ErrInvalid) {
		t.Errorf("Nearest(min NaN): error %v, want bot.ErrInvalid", err)
	}
}

// Large enough for many blocks and several goroutines, with gaps of every kind
// between the spans, nearest is what a full sort gives.
func TestNearestSharesOut(t *testing.T) {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(4))
	const rows, dim = 6000, 1408
	if got := rows * dim / share; got < 4 {
		t.Fatalf("%d shares, want 4 or the test says nothing", got)
	}
	random := rand.New(rand.NewPCG(3, 4))
	m := matrix{dim: dim, before: func(a, b int32) int { return cmp.Compare(a, b) }}
	for i := range rows {
		v := randomUnit(random, dim)
		if i > 0 && random.IntN(3) == 0 {
			v = m.row(random.IntN(i)) // many ties
		}
		m.data = append(m.data, v...)
	}
	for name, spans := range map[string][]span{
		"All":    {{0, rows}},
		"Blocks": {{0, block}, {2 * block, 3*block + 1}, {4*block - 1, 5999}},
		"Single": {{5, 6}, {7, 8}, {100, 101}},
		"Most":   {{1, 3000}, {3001, rows}},
		"None":   nil,
	} {
		t.Run(name, func(t *testing.T) {
			q := randomUnit(random, dim)
			var want []candidate
			for _, s := range spans {
				for i := s.low; i < s.high; i++ {
					want = append(want, candidate{int32(i), vec.Dot(m.row(i), q)})
				}
			}
			slices.SortFunc(want, func(a, b candidate) int {
				return cmp.Or(cmp.Compare(b.score, a.score), cmp.Compare(a.row, b.row))
			})
			for _, k := range []int{1, 3, 10, 700, rows, 2 * rows} {
				got, err := m.nearest(t.Context(), q, k, -1, spans)
				if err != nil {
					t.Fatalf("nearest: %v", err)
				}
				if !slices.Equal(got, want[:min(k, len(want))]) {
					t.Errorf("nearest %d of %v is not the head of the full sort", k, spans)
				}
			}
		})
	}
}

// A context that is done in the middle stops the scan at the next block.
func TestNearestHeedsContextBetweenBlocks(t *testing.T) {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(1))
	m := matrix{dim: 1, data: make([]float32, 100*block), before: func(a, b int32) int { return cmp.Compare(a, b) }}
	ctx := &expiring{Context: t.Context()}
	ctx.left.Store(5)
	if _, err := m.nearest(ctx, []float32{1}, 3, -1, []span{{0, 100 * block}}); !errors.Is(err, context.Canceled) {
		t.Errorf("nearest with a context that expires: error %v, want context.Canceled", err)
	}
	if over := -ctx.left.Load(); over > 3 {
		t.Errorf("nearest looked at its context %d times after the end, want it to stop", over)
	}
}

// An expiring context is cancelled once it was looked at a few times.
type expiring struct {
	context.Context
	left atomic.Int64
}

func (c *expiring) Err() error {
	if c.left.Add(-1) < 0 {
		return context.Canceled
	}
	return nil
}

// Replace stops for its context too, and what was there stays.
func TestReplaceHeedsContext(t *testing.T) {
	records := make([]kb.Record, 100)
	for i := range records {
		records[i] = kb.Record{ID: string(rune('a' + i)), Vector: []float32{1}, Text: "lead"}
	}
	for _, looks := range []int64{0, 1, 50, 150} { // before, in vectors, in texts
		x := New()
		ctx := &expiring{Context: t.Context()}
		ctx.left.Store(looks)
		if err := x.Replace(ctx, "1", records); !errors.Is(err, context.Canceled) || x.Version() != "" {
			t.Errorf("Replace with a context good for %d looks: error %v, version %q, want context.Canceled and none", looks, err, x.Version())
		}
	}
}

// Without a filter there is one span, and one that asks for a field and a
// language, as retrieval does, gets one too: rows lie in that order.
func TestFewSpans(t *testing.T) {
	var records []kb.Record
	random := rand.New(rand.NewPCG(5, 6))
	for i := range 200 {
		records = append(records, kb.Record{
			ID: string(rune('a' + i)), Vector: []float32{1},
			Language:     []string{"en", "es"}[random.IntN(2)],
			Field:        []kb.Field{kb.FieldHeading, kb.FieldBody}[random.IntN(2)],
			Jurisdiction: []string{"", "us", "nj"}[random.IntN(3)],
		})
	}
	x := New()
	if err := x.Replace(t.Context(), "1", records); err != nil {
		t.Fatal(err)
	}
	for _, f := range []kb.Filter{{}, {Languages: []string{"es"}, Fields: []kb.Field{kb.FieldHeading}}} {
		if got := x.now.Load().spans(f); len(got) != 1 {
			t.Errorf("spans(%+v) = %v, want one", f, got)
		}
	}
}

func randomUnit(random *rand.Rand, dim int) []float32 {
	v := make([]float32, dim)
	for i := range v {
		v[i] = float32(random.NormFloat64())
	}
	vec.Normalize(v)
	return v
}
