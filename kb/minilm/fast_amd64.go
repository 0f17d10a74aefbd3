package minilm

import (
	"unsafe"

	"plumbline/internal/vec"
	"plumbline/kb/minilm/blob"
)

func fastest() arithmetic {
	if vec.Accelerated() {
		return avx2{}
	}
	return portable{}
}

// avx2 calls the assembly of kernels_amd64.s, which needs AVX2, FMA and F16C
// and checks no bounds.
type avx2 struct{}

// maxBlock is how many rows a kernel takes.
const maxBlock = 6

func (avx2) mulHalf(p product, b string) {
	p.check(len(b) / 2)
	w := unsafe.StringData(b)
	for rows, at := p.rows, 0; rows > 0; {
		n := block(rows)
		a, src, c := &p.a[at*p.lda], &p.src[at*p.lds], &p.c[at*p.ldc]
		switch n {
		case 1:
			mulHalf1(p.k, a, p.lda, w, src, p.lds, c, p.ldc)
		case 2:
			mulHalf2(p.k, a, p.lda, w, src, p.lds, c, p.ldc)
		case 3:
			mulHalf3(p.k, a, p.lda, w, src, p.lds, c, p.ldc)
		case 4:
			mulHalf4(p.k, a, p.lda, w, src, p.lds, c, p.ldc)
		case 5:
			mulHalf5(p.k, a, p.lda, w, src, p.lds, c, p.ldc)
		default:
			mulHalf6(p.k, a, p.lda, w, src, p.lds, c, p.ldc)
		}
		rows -= n
		at += n
	}
}

func (avx2) mulFloat(p product, b []float32) {
	p.check(len(b))
	w := unsafe.SliceData(b)
	for rows, at := p.rows, 0; rows > 0; {
		n := block(rows)
		a, src, c := &p.a[at*p.lda], &p.src[at*p.lds], &p.c[at*p.ldc]
		switch n {
		case 1:
			mulFloat1(p.k, a, p.lda, w, src, p.lds, c, p.ldc)
		case 2:
			mulFloat2(p.k, a, p.lda, w, src, p.lds, c, p.ldc)
		case 3:
			mulFloat3(p.k, a, p.lda, w, src, p.lds, c, p.ldc)
		case 4:
			mulFloat4(p.k, a, p.lda, w, src, p.lds, c, p.ldc)
		case 5:
			mulFloat5(p.k, a, p.lda, w, src, p.lds, c, p.ldc)
		default:
			mulFloat6(p.k, a, p.lda, w, src, p.lds, c, p.ldc)
		}
		rows -= n
		at += n
	}
}

// block is how many of the rows left come next, such that the blocks are as
// equal as may be: below 4 rows a kernel waits for its own sums.
func block(rows int) int {
	blocks := (rows + maxBlock - 1) / maxBlock
	return (rows + blocks - 1) / blocks
}

func (avx2) softmax(x []float32, rows, n int, scale float32) {
	if rows > 0 {
		_ = x[rows*n-1]
		softmaxRows(unsafe.SliceData(x), rows, n, n, scale)
	}
}

func (avx2) gelu(x []float32) {
	if len(x) > 0 {
		geluRow(unsafe.SliceData(x), len(x))
	}
}

func (avx2) norm(x []float32, bias []float32, n blob.Norm) {
	row := len(bias)
	if rows := len(x) / row; rows > 0 {
		normRows(unsafe.SliceData(x), rows, row, unsafe.SliceData(bias), &n.Scale[:row][0], &n.Shift[:row][0])
	}
}
