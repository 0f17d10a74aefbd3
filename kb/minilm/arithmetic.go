package minilm

import "plumbline/kb/minilm/blob"

// arithmetic is what the encoder computes with. Implementations keep no
// state.
type arithmetic interface {
	// mulHalf sets c to src plus a times b, a panel of k rows of 16 halves.
	mulHalf(p product, b string)

	// mulFloat does so for a panel of k rows of 16 numbers.
	mulFloat(p product, b []float32)

	// softmax turns each of the rows of x, of n numbers, times scale, into
	// its softmax. n is a multiple of 8.
	softmax(x []float32, rows, n int, scale float32)

	// gelu replaces each v in x by v/2 (1 + erf(v/sqrt 2)). len(x) is a
	// multiple of 8.
	gelu(x []float32)

	// norm adds bias to each row of x, normalises it to mean 0 and variance
	// 1, then scales and shifts it. len(bias) is a row, a multiple of 16.
	norm(x []float32, bias []float32, n blob.Norm)
}

// product is all of a product but its right side: c = src + a times panel.
type product struct {
	rows, k int
	a       []float32 // rows x k, lda numbers apart
	lda     int
	src     []float32 // rows x 16, lds numbers apart; 0: the same for each row
	lds     int
	c       []float32 // rows x 16, ldc numbers apart; may be src
	ldc     int
}

// check panics where an implementation would read or write out of bounds:
// assembly does not look.
func (p *product) check(b int) {
	_ = p.a[(p.rows-1)*p.lda+p.k-1]
	_ = p.src[(p.rows-1)*p.lds+blob.PanelWidth-1]
	_ = p.c[(p.rows-1)*p.ldc+blob.PanelWidth-1]
	if b < p.k*blob.PanelWidth {
		panic("minilm: panel too short")
	}
}
