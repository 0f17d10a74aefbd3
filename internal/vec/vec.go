// Package vec is the arithmetic of embedding vectors: dot products, unit
// length, and half-precision (IEEE 754 binary16) storage.
//
// On amd64 with AVX2, FMA and F16C it runs assembly, elsewhere portable Go.
// The two agree up to rounding; within one process the choice is fixed.
// GODEBUG=cpu.avx2=off forces the portable one. All functions may be called
// by many goroutines.
package vec

import "math"

//go:generate go -C ../../tools run ./asm/vec -out ../internal/vec/kernels_amd64.s -stubs ../internal/vec/kernels_amd64.go -pkg vec

// Accelerated reports whether this process runs the assembly.
func Accelerated() bool { return accelerated }

// Dot returns the inner product of a and b. If one is longer, its rest is
// ignored; with nothing in common the product is 0.
func Dot(a, b []float32) float32 {
	n := min(len(a), len(b))
	if n == 0 {
		return 0
	}
	if accelerated {
		return dotFast(a[:n], b[:n])
	}
	return dotPortable(a[:n], b[:n])
}

// Dots sets dst[i] to the inner product of q[:dim] and row i of rows, a
// row-major matrix of len(dst) rows and dim columns. Dots[i] has the same bits
// as Dot(row i, q[:dim]), so equal rows tie wherever they stand. It panics if
// dim is negative or a slice is too short for dim and len(dst).
func Dots(dst []float32, rows []float32, dim int, q []float32) {
	if dim < 0 || len(q) < dim || dim > 0 && len(rows)/dim < len(dst) {
		panic("vec: dots of slices too short for their dimension")
	}
	switch {
	case len(dst) == 0:
	case dim == 0:
		clear(dst)
	case accelerated:
		dotsFast(dst, rows, dim, q)
	default:
		dotsPortable(dst, rows, dim, q)
	}
}

// Normalize scales v in place to length 1. A vector whose length is zero or
// not finite stays as it is.
func Normalize(v []float32) {
	var sum float64
	for _, x := range v {
		sum += float64(x) * float64(x)
	}
	if sum == 0 || math.IsInf(sum, 0) || math.IsNaN(sum) {
		return
	}
	inv := 1 / math.Sqrt(sum)
	for i, x := range v {
		v[i] = float32(float64(x) * inv)
	}
}

func dotsPortable(dst, rows []float32, dim int, q []float32) {
	for i := range dst {
		dst[i] = dotPortable(rows[i*dim:(i+1)*dim], q[:dim])
	}
}

// dotPortable needs len(a) == len(b).
func dotPortable(a, b []float32) float32 {
	var s0, s1, s2, s3 float32
	for len(a) >= 4 && len(b) >= 4 {
		s0 += a[0] * b[0]
		s1 += a[1] * b[1]
		s2 += a[2] * b[2]
		s3 += a[3] * b[3]
		a, b = a[4:], b[4:]
	}
	for i, x := range a {
		s0 += x * b[i]
	}
	return (s0 + s1) + (s2 + s3)
}
