package minilm

import (
	"math"

	"plumbline/internal/vec"
	"plumbline/kb/minilm/blob"
)

// portable is the arithmetic in Go.
type portable struct{}

// panelRows is how many rows of a panel are widened at a time.
const panelRows = 128

func (portable) mulHalf(p product, b string) {
	p.check(len(b) / 2)
	var wide [panelRows * blob.PanelWidth]float32
	k := p.k
	for at := 0; at < k; at += panelRows {
		p.k = min(panelRows, k-at)
		w := wide[:p.k*blob.PanelWidth]
		vec.DecodeHalves(w, b[2*at*blob.PanelWidth:])
		mulPanel(&p, w)
		p.a = p.a[p.k:]
		p.src, p.lds = p.c, p.ldc
	}
}

func (portable) mulFloat(p product, b []float32) {
	p.check(len(b))
	mulPanel(&p, b)
}

// mulPanel works on three rows and two columns at a time: their six sums are
// what the compiler keeps in registers.
func mulPanel(p *product, b []float32) {
	last := p.rows - 1 // takes the places of rows beyond it
	for i := 0; i <= last; i += 3 {
		j, k := min(i+1, last), min(i+2, last)
		a0, a1, a2 := p.a[i*p.lda:][:p.k], p.a[j*p.lda:][:p.k], p.a[k*p.lda:][:p.k]
		src0, src1, src2 := p.src[i*p.lds:], p.src[j*p.lds:], p.src[k*p.lds:]
		c0, c1, c2 := p.c[i*p.ldc:], p.c[j*p.ldc:], p.c[k*p.ldc:]
		for at := 0; at < blob.PanelWidth; at += 2 {
			s, t := mulColumns(a0, a1, a2, b[at:],
				[3]float32{src0[at], src1[at], src2[at]}, [3]float32{src0[at+1], src1[at+1], src2[at+1]})
			c0[at], c1[at], c2[at] = s[0], s[1], s[2]
			c0[at+1], c1[at+1], c2[at+1] = t[0], t[1], t[2]
		}
	}
}

// mulColumns adds three rows times each of two columns, whose numbers are 16
// apart, to s and t.
func mulColumns(a0, a1, a2, b []float32, s, t [3]float32) ([3]float32, [3]float32) {
	s0, s1, s2 := s[0], s[1], s[2]
	t0, t1, t2 := t[0], t[1], t[2]
	a1, a2 = a1[:len(a0)], a2[:len(a0)]
	for k, x := range a0 {
		pair := b[blob.PanelWidth*k:][:2]
		y, z := a1[k], a2[k]
		w := pair[0]
		s0 += w * x
		s1 += w * y
		s2 += w * z
		w = pair[1]
		t0 += w * x
		t1 += w * y
		t2 += w * z
	}
	return [3]float32{s0, s1, s2}, [3]float32{t0, t1, t2}
}

func (portable) softmax(x []float32, rows, n int, scale float32) {
	for ; rows > 0; rows-- {
		row := x[:n]
		top := row[0]
		for _, v := range row {
			top = max(top, v)
		}
		var sum float32
		for i, v := range row {
			row[i] = exp((v - top) * scale)
			sum += row[i]
		}
		inv := 1 / sum
		for i := range row {
			row[i] *= inv
		}
		x = x[n:]
	}
}

// exp is e to the x for x of 0 and less: the polynomial of the Cephes library
// on what remains after powers of two.
func exp(x float32) float32 {
	const ln2, rest = 0.693359375, -2.12194440e-4
	if x < -87 {
		return 0
	}
	n := float32(math.RoundToEven(float64(x * math.Log2E)))
	x -= n * ln2
	x -= n * rest
	p := float32(1.9875691500e-4)
	p = p*x + 1.3981999507e-3
	p = p*x + 8.3334519073e-3
	p = p*x + 4.1665795894e-2
	p = p*x + 1.6666665459e-1
	p = p*x + 5.0000001201e-1
	p = p*x*x + x + 1
	return p * math.Float32frombits(uint32(int32(n)+127)<<23)
}

func (portable) gelu(x []float32) {
	for i, v := range x {
		x[i] = 0.5 * v * (1 + erf(v*(1/math.Sqrt2)))
	}
}

// erf is a quotient of polynomials on [-4, 4], with Eigen's coefficients.
func erf(x float32) float32 {
	x = min(max(x, -4), 4)
	y := x * x
	p := float32(-2.72614225801306e-10)
	p = p*y + 2.77068142495902e-08
	p = p*y - 2.10102402082508e-06
	p = p*y - 5.69250639462346e-05
	p = p*y - 7.34990630326855e-04
	p = p*y - 2.95459980854025e-03
	p = p*y - 1.60960333262415e-02
	q := float32(-1.45660718464996e-05)
	q = q*y - 2.13374055278905e-04
	q = q*y - 1.68282697438203e-03
	q = q*y - 7.37332916720468e-03
	q = q*y - 1.42647390514189e-02
	return x * p / q
}

func (portable) norm(x []float32, bias []float32, n blob.Norm) {
	for ; len(x) >= len(bias); x = x[len(bias):] {
		normRow(x[:len(bias)], bias, n.Scale, n.Shift)
	}
}

func normRow(row, bias, scale, shift []float32) {
	count := float32(len(row))
	var sum float32
	for i, b := range bias {
		row[i] += b
		sum += row[i]
	}
	mean := sum / count
	var square float32
	for _, v := range row {
		square += (v - mean) * (v - mean)
	}
	inv := float32(1 / math.Sqrt(float64(square/count)+1e-12))
	for i, v := range row {
		row[i] = (v-mean)*inv*scale[i] + shift[i]
	}
}
