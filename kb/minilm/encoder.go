package minilm

import (
	"math"

	"plumbline/kb/minilm/blob"
)

// scratch is one goroutine's working memory, grown to the longest text seen.
type scratch struct {
	ids   []int32
	x     []float32 // n x Hidden: the pieces' states
	mixed []float32 // n x Hidden: what attention gathered
	qkv   []float32 // queries and keys [head][n][head width], values [panel][n][16]
	keys  []float32 // one head's keys as panels [n/16][head width][16]
	score []float32 // scoreRows x n, padded to 16 columns
	inner []float32 // n x Inner
	zeros []float32 // Hidden, or one panel

	buffers [6][]float32
}

// scoreRows is how many queries are scored at once: for 256 pieces the scores
// of 24 fill most of the first-level cache.
const scoreRows = 24

// fit cuts the buffers for a text of n pieces.
func (s *scratch) fit(d blob.Dims, n int) {
	head := d.Hidden / d.Heads
	wide := padded(n)
	for i, b := range []struct {
		slice *[]float32
		size  int
	}{
		{&s.x, n * d.Hidden},
		{&s.mixed, n * d.Hidden},
		{&s.qkv, 3 * n * d.Hidden},
		{&s.keys, wide * head},
		{&s.score, scoreRows * wide},
		{&s.inner, n * d.Inner},
	} {
		if cap(s.buffers[i]) < b.size {
			s.buffers[i] = make([]float32, b.size)
		}
		*b.slice = s.buffers[i][:b.size]
	}
	if len(s.zeros) < d.Hidden {
		s.zeros = make([]float32, d.Hidden)
	}
	// Keys beyond the text stay zero: their scores are overwritten, but must
	// not be computed from what an earlier text left.
	clear(s.keys[(wide-blob.PanelWidth)*head:])
}

// padded rounds n up to whole panels.
func padded(n int) int {
	return (n + blob.PanelWidth - 1) / blob.PanelWidth * blob.PanelWidth
}

// attend adds to x what attention gathers, without the output's bias.
func (s *scratch) attend(m arithmetic, d blob.Dims, l *blob.Layer, n int) {
	h, head, wide := d.Hidden, d.Hidden/d.Heads, padded(n)
	perHead := head / blob.PanelWidth
	for p := range 3 * h / blob.PanelWidth {
		// Queries and keys of a head lie together, values panel by panel:
		// so each is an operand of the next product as it stands.
		to, ld := p*n*blob.PanelWidth, blob.PanelWidth
		if p < 2*h/blob.PanelWidth {
			to, ld = p/perHead*n*head+p%perHead*blob.PanelWidth, head
		}
		m.mulHalf(product{
			rows: n, k: h, a: s.x, lda: h,
			src: l.QKV.Bias[p*blob.PanelWidth:],
			c:   s.qkv[to:], ldc: ld,
		}, l.QKV.Panel(p))
	}
	queries, keys, values := s.qkv[:n*h], s.qkv[n*h:2*n*h], s.qkv[2*n*h:]
	scale := float32(1 / math.Sqrt(float64(head)))
	for i := range d.Heads {
		s.packKeys(keys[i*n*head:(i+1)*n*head], head)
		q := queries[i*n*head : (i+1)*n*head]
		for first := 0; first < n; first += scoreRows {
			rows := min(scoreRows, n-first)
			for p := 0; p < wide; p += blob.PanelWidth {
				m.mulFloat(product{
					rows: rows, k: head, a: q[first*head:], lda: head,
					src: s.zeros,
					c:   s.score[p:], ldc: wide,
				}, s.keys[p*head:])
			}
			for r := range rows {
				for j := n; j < wide; j++ {
					s.score[r*wide+j] = -math.MaxFloat32
				}
			}
			m.softmax(s.score, rows, wide, scale)
			for p := range perHead {
				m.mulFloat(product{
					rows: rows, k: n, a: s.score, lda: wide,
					src: s.zeros,
					c:   s.mixed[first*h+i*head+p*blob.PanelWidth:], ldc: h,
				}, values[(i*perHead+p)*n*blob.PanelWidth:])
			}
		}
	}
	s.addLinear(m, &l.Out, n, s.mixed)
}

// packKeys lays the keys of one head, a row each, out as panels.
func (s *scratch) packKeys(keys []float32, head int) {
	for i := 0; len(keys) >= head; i++ {
		to := s.keys[i/blob.PanelWidth*blob.PanelWidth*head+i%blob.PanelWidth:]
		for j, v := range keys[:head] {
			to[j*blob.PanelWidth] = v
		}
		keys = keys[head:]
	}
}

// feed adds to x the feed-forward step, without its last bias.
func (s *scratch) feed(m arithmetic, d blob.Dims, l *blob.Layer, n int) {
	for p := range d.Inner / blob.PanelWidth {
		m.mulHalf(product{
			rows: n, k: d.Hidden, a: s.x, lda: d.Hidden,
			src: l.Up.Bias[p*blob.PanelWidth:],
			c:   s.inner[p*blob.PanelWidth:], ldc: d.Inner,
		}, l.Up.Panel(p))
	}
	m.gelu(s.inner)
	s.addLinear(m, &l.Down, n, s.inner)
}

// addLinear adds l of a's rows to x, without the bias. Inputs are taken in
// steps whose weights stay in the first-level cache from one block of rows to
// the next.
func (s *scratch) addLinear(m arithmetic, l *blob.Linear, n int, a []float32) {
	const step = 384
	outputs := len(l.Bias)
	add := func(p, k int) {
		end := min(k+step, l.Inputs)
		c := s.x[p*blob.PanelWidth:]
		m.mulHalf(product{
			rows: n, k: end - k, a: a[k:], lda: l.Inputs,
			src: c, lds: outputs,
			c: c, ldc: outputs,
		}, l.Panel(p)[2*blob.PanelWidth*k:2*blob.PanelWidth*end])
	}
	// The weights of a short text come from memory and are best read as they
	// lie; the rows of a long one would leave the cache in that order.
	const short = 48
	if n <= short {
		for p := range outputs / blob.PanelWidth {
			for k := 0; k < l.Inputs; k += step {
				add(p, k)
			}
		}
		return
	}
	for k := 0; k < l.Inputs; k += step {
		for p := range outputs / blob.PanelWidth {
			add(p, k)
		}
	}
}
