package flat

import (
	"cmp"
	"context"
	"math"
	"runtime"
	"slices"
	"sync"
	"sync/atomic"

	"plumbline/internal/vec"
)

// A matrix is vectors of unit length, one after the other.
type matrix struct {
	dim    int
	data   []float32
	before func(a, b int32) int // orders rows of equal score
}

func (m matrix) row(i int) []float32 { return m.data[i*m.dim : (i+1)*m.dim] }

// A candidate is a row that may be among the best.
type candidate struct {
	row   int32
	score float32
}

const (
	block = 512     // rows between looks at ctx: some 0.1 ms
	share = 1 << 21 // numbers that are worth a goroutine: some 0.5 ms
)

// nearest returns the k rows of spans with the greatest product with q, at
// least floor, best first.
func (m matrix) nearest(ctx context.Context, q []float32, k int, floor float32, spans []span) ([]candidate, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	var blocks []span
	rows := 0
	for _, s := range spans {
		rows += s.high - s.low
		for ; s.low < s.high; s.low += block {
			blocks = append(blocks, span{s.low, min(s.low+block, s.high)})
		}
	}
	k = min(k, rows)
	if k <= 0 {
		return nil, nil
	}

	workers := max(1, min(runtime.GOMAXPROCS(0), rows*m.dim/share))
	found := make([]best, workers)
	var next atomic.Int64
	work := func(b *best) {
		*b = best{k: k, floor: floor, before: m.before}
		var scores [block]float32
		for ctx.Err() == nil {
			i := int(next.Add(1)) - 1
			if i >= len(blocks) {
				return
			}
			s := blocks[i]
			dots := scores[:s.high-s.low]
			vec.Dots(dots, m.data[s.low*m.dim:s.high*m.dim], m.dim, q)
			b.add(s.low, dots)
		}
	}
	var wg sync.WaitGroup
	for i := range workers - 1 {
		wg.Go(func() { work(&found[i+1]) })
	}
	work(&found[0])
	wg.Wait()
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	all := &found[0]
	for _, b := range found[1:] {
		all.kept = append(all.kept, b.kept...)
	}
	all.prune()
	return all.kept, nil
}

// A best keeps the k best of the rows it is shown. It holds up to 2k: once
// full it drops the worse half, and rows below the k-th are not taken in.
type best struct {
	k      int
	floor  float32
	before func(a, b int32) int
	kept   []candidate
}

// add shows it rows from low on.
func (b *best) add(low int, scores []float32) {
	for i, s := range scores {
		if s < b.floor { // one that equals the k-th may have the lower id
			continue
		}
		b.kept = append(b.kept, candidate{int32(low + i), s})
		if len(b.kept) >= 2*b.k {
			b.prune()
			b.floor = b.kept[b.k-1].score
		}
	}
}

// prune drops all but the k best, and orders them.
func (b *best) prune() {
	slices.SortFunc(b.kept, func(x, y candidate) int {
		return cmp.Or(cmp.Compare(y.score, x.score), b.before(x.row, y.row))
	})
	b.kept = b.kept[:min(len(b.kept), b.k)]
}

// unit sets dst to v at length 1, and reports whether v has a direction: is
// neither zero nor infinite and holds no NaN. Numbers whose squares leave
// float64 do no harm. What is of unit length to rounding of float32 is copied.
func unit[F float32 | float64](dst []float32, v []F) bool {
	var most float64
	for _, x := range v {
		a := math.Abs(float64(x))
		if math.IsNaN(a) {
			return false
		}
		most = max(most, a)
	}
	if most == 0 || math.IsInf(most, 0) {
		return false
	}
	var sum float64
	for _, x := range v {
		y := float64(x) / most
		sum += y * y
	}
	length := math.Sqrt(sum)
	if n := length * most; math.Abs(n*n-1) <= 1.0/(1<<22) {
		for i, x := range v {
			dst[i] = float32(x)
		}
		return true
	}
	for i, x := range v {
		dst[i] = float32(float64(x) / most / length)
	}
	return true
}
