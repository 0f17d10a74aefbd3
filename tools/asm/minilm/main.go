// Command minilm writes the assembly of plumbline/kb/minilm.
package main

import (
	"fmt"
	"math"

	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	. "github.com/mmcloughlin/avo/reg"
)

func main() {
	ConstraintExpr("amd64")
	for rows := 1; rows <= maxRows; rows++ {
		multiply(fmt.Sprintf("mulHalf%d", rows), rows, true)
	}
	for rows := 1; rows <= maxRows; rows++ {
		multiply(fmt.Sprintf("mulFloat%d", rows), rows, false)
	}
	softmax()
	gelu()
	norm()
	Generate()
}

// maxRows is how many rows of 16 sums fit the registers, next to two of
// weights and two of inputs.
const maxRows = 6

// multiply adds up rows x 16 products in registers.
func multiply(name string, rows int, half bool) {
	width, kind, load := 64, "float32", VMOVUPS
	if half {
		width, kind, load = 32, "byte", VCVTPH2PS
	}
	TEXT(name, NOSPLIT, "func(k int, a *float32, lda int, b *"+kind+", src *float32, lds int, c *float32, ldc int)")
	Pragma("noescape")
	Doc(fmt.Sprintf("%s sets %d rows of 16 of c to those of src plus a (%d x k) times b (k x 16).", name, rows, rows))
	k := Load(Param("k"), GP64())
	a := Load(Param("a"), GP64())
	lda := Load(Param("lda"), GP64())
	b := Load(Param("b"), GP64())
	src := Load(Param("src"), GP64())
	lds := Load(Param("lds"), GP64())
	c := Load(Param("c"), GP64())
	ldc := Load(Param("ldc"), GP64())
	SHLQ(Imm(2), lda)
	SHLQ(Imm(2), lds)
	SHLQ(Imm(2), ldc)
	low := GP64() // rows 3 to 5
	if rows > 3 {
		LEAQ(Mem{Base: a, Index: lda, Scale: 2}, low)
		ADDQ(lda, low)
	}

	var left, right [maxRows]VecVirtual
	for i := range rows {
		left[i], right[i] = YMM(), YMM()
		VMOVUPS(Mem{Base: src}, left[i])
		VMOVUPS(Mem{Base: src, Disp: 32}, right[i])
		if i < rows-1 {
			ADDQ(lds, src)
		}
	}
	step := func(u int) {
		b0, b1 := YMM(), YMM()
		load(Mem{Base: b, Disp: width * u}, b0)
		load(Mem{Base: b, Disp: width*u + width/2}, b1)
		for i := range rows {
			base, at := a, i
			if i >= 3 {
				base, at = low, i-3
			}
			m := Mem{Base: base, Disp: 4 * u}
			if at > 0 {
				m.Index, m.Scale = lda, uint8(at)
			}
			x := YMM()
			VBROADCASTSS(m, x)
			VFMADD231PS(b0, x, left[i])
			VFMADD231PS(b1, x, right[i])
		}
	}
	next := func(steps int) {
		ADDQ(U32(4*steps), a)
		if rows > 3 {
			ADDQ(U32(4*steps), low)
		}
		ADDQ(U32(width*steps), b)
	}
	// With few rows the weights come from memory faster than they are used if
	// asked for early; a prefetch beyond their end does nothing.
	const unroll, ahead = 4, 8192
	SUBQ(Imm(unroll), k)
	JLT(LabelRef("rest"))
	Label("loop")
	if half {
		PREFETCHT0(Mem{Base: b, Disp: ahead})
		PREFETCHT0(Mem{Base: b, Disp: ahead + 64})
	}
	for u := range unroll {
		step(u)
	}
	next(unroll)
	SUBQ(Imm(unroll), k)
	JGE(LabelRef("loop"))
	Label("rest")
	ADDQ(Imm(unroll), k)
	JZ(LabelRef("store"))
	Label("single")
	step(0)
	next(1)
	DECQ(k)
	JNZ(LabelRef("single"))
	Label("store")
	for i := range rows {
		VMOVUPS(left[i], Mem{Base: c})
		VMOVUPS(right[i], Mem{Base: c, Disp: 32})
		if i < rows-1 {
			ADDQ(ldc, c)
		}
	}
	VZEROUPPER()
	RET()
}

// table lays out numbers, each eight times, and returns where they are.
// They are written as bits: avo would print 1 as an integer.
func table(name string, values []float32) func(i int) Mem {
	m := GLOBL(name, RODATA|NOPTR)
	for i, v := range values {
		for lane := range 8 {
			DATA(32*i+4*lane, U32(math.Float32bits(v)))
		}
	}
	return func(i int) Mem { return m.Offset(32 * i) }
}

// sum8 adds up the lanes of y into the lowest of its lower half.
func sum8(y VecVirtual) VecVirtual {
	high := XMM()
	VEXTRACTF128(Imm(1), y, high)
	x := y.AsX().(VecVirtual)
	VADDPS(high, x, x)
	VHADDPS(x, x, x)
	VHADDPS(x, x, x)
	return x
}

func softmax() {
	// exp(x) = 2^n exp(r) with r within ln2/2: polynomial of the Cephes
	// library.
	at := table("expTable", []float32{
		1.44269504088896341, 0.693359375, -2.12194440e-4, // log2 e, ln 2 in two parts
		1.9875691500e-4, 1.3981999507e-3, 8.3334519073e-3, 4.1665795894e-2, 1.6666665459e-1, 5.0000001201e-1,
		1, -87, 127,
	})
	const log2e, ln2, ln2rest, poly, one, least, bias = 0, 1, 2, 3, 9, 10, 11

	TEXT("softmaxRows", NOSPLIT, "func(x *float32, rows int, n int, stride int, scale float32)")
	Pragma("noescape")
	Doc("softmaxRows turns the first n numbers of each row, times scale, into their softmax.",
		"n is a multiple of 8, n and rows above 0.")
	row := Load(Param("x"), GP64())
	rows := Load(Param("rows"), GP64())
	n := Load(Param("n"), GP64())
	stride := Load(Param("stride"), GP64())
	scale := YMM()
	sp, _ := Param("scale").Resolve()
	VBROADCASTSS(sp.Addr, scale)
	SHLQ(Imm(2), stride)
	p, left := GP64(), GP64()

	Label("row")
	MOVQ(row, p)
	MOVQ(n, left)
	top := YMM()
	VMOVUPS(Mem{Base: p}, top)
	Label("max")
	VMAXPS(Mem{Base: p}, top, top)
	ADDQ(Imm(32), p)
	SUBQ(Imm(8), left)
	JNZ(LabelRef("max"))
	other := YMM()
	VPERM2F128(Imm(1), top, top, other)
	VMAXPS(other, top, top)
	VPERMILPS(Imm(0x4e), top, other)
	VMAXPS(other, top, top)
	VPERMILPS(Imm(0xb1), top, other)
	VMAXPS(other, top, top)

	sum := YMM()
	VXORPS(sum, sum, sum)
	MOVQ(row, p)
	MOVQ(n, left)
	Label("exp")
	r, power, e := YMM(), YMM(), YMM()
	VMOVUPS(Mem{Base: p}, r)
	VSUBPS(top, r, r)
	VMULPS(scale, r, r)
	VMAXPS(at(least), r, r)
	VMULPS(at(log2e), r, power)
	VROUNDPS(Imm(0), power, power)
	VFNMADD231PS(at(ln2), power, r)
	VFNMADD231PS(at(ln2rest), power, r)
	VMOVUPS(at(poly), e)
	for i := 1; i < 6; i++ {
		VFMADD213PS(at(poly+i), r, e)
	}
	VMULPS(r, e, e)
	VFMADD213PS(r, r, e)
	VADDPS(at(one), e, e)
	VADDPS(at(bias), power, power)
	VCVTPS2DQ(power, power)
	VPSLLD(Imm(23), power, power)
	VMULPS(power, e, e)
	VMOVUPS(e, Mem{Base: p})
	VADDPS(e, sum, sum)
	ADDQ(Imm(32), p)
	SUBQ(Imm(8), left)
	JNZ(LabelRef("exp"))

	total := sum8(sum)
	inv := YMM()
	VMOVSS(at(one), inv.AsX())
	VDIVSS(total, inv.AsX(), inv.AsX())
	VBROADCASTSS(inv.AsX(), inv)
	MOVQ(row, p)
	MOVQ(n, left)
	Label("scale")
	y := YMM()
	VMULPS(Mem{Base: p}, inv, y)
	VMOVUPS(y, Mem{Base: p})
	ADDQ(Imm(32), p)
	SUBQ(Imm(8), left)
	JNZ(LabelRef("scale"))
	ADDQ(stride, row)
	DECQ(rows)
	JNZ(LabelRef("row"))
	VZEROUPPER()
	RET()
}

func gelu() {
	// erf as the quotient of two polynomials on [-4, 4]: the coefficients are
	// Eigen's.
	at := table("geluTable", []float32{
		0.70710678118654752, 4, -4, 0.5,
		-2.72614225801306e-10, 2.77068142495902e-08, -2.10102402082508e-06, -5.69250639462346e-05,
		-7.34990630326855e-04, -2.95459980854025e-03, -1.60960333262415e-02,
		-1.45660718464996e-05, -2.13374055278905e-04, -1.68282697438203e-03, -7.37332916720468e-03, -1.42647390514189e-02,
	})
	const root, most, least, half, upper, lower, end = 0, 1, 2, 3, 4, 11, 16

	TEXT("geluRow", NOSPLIT, "func(x *float32, n int)")
	Pragma("noescape")
	Doc("geluRow replaces n numbers v by v/2 (1 + erf(v/sqrt 2)); n is a multiple of 8, above 0.")
	p := Load(Param("x"), GP64())
	n := Load(Param("n"), GP64())
	Label("loop")
	v, z, z2, num, den := YMM(), YMM(), YMM(), YMM(), YMM()
	VMOVUPS(Mem{Base: p}, v)
	VMULPS(at(root), v, z)
	VMINPS(at(most), z, z)
	VMAXPS(at(least), z, z)
	VMULPS(z, z, z2)
	VMOVUPS(at(upper), num)
	for i := upper + 1; i < lower; i++ {
		VFMADD213PS(at(i), z2, num)
	}
	VMULPS(z, num, num)
	VMOVUPS(at(lower), den)
	for i := lower + 1; i < end; i++ {
		VFMADD213PS(at(i), z2, den)
	}
	VDIVPS(den, num, num)
	VMULPS(at(half), v, v)
	VFMADD231PS(num, v, v)
	VMOVUPS(v, Mem{Base: p})
	ADDQ(Imm(32), p)
	SUBQ(Imm(8), n)
	JNZ(LabelRef("loop"))
	VZEROUPPER()
	RET()
}

func norm() {
	at := table("normTable", []float32{1, 1e-12})
	TEXT("normRows", NOSPLIT, "func(x *float32, rows int, n int, bias *float32, scale *float32, shift *float32)")
	Pragma("noescape")
	Doc("normRows adds bias to each row of n numbers and normalises it to mean 0 and variance 1,",
		"times scale, plus shift. n is a multiple of 16, n and rows above 0.")
	row := Load(Param("x"), GP64())
	rows := Load(Param("rows"), GP64())
	n := Load(Param("n"), GP64())
	bias := Load(Param("bias"), GP64())
	scale := Load(Param("scale"), GP64())
	shift := Load(Param("shift"), GP64())
	count := XMM()
	VCVTSI2SSQ(n, count, count)
	SHLQ(Imm(2), n)
	i := GP64()
	at2 := func(base Register, u int) Mem { return Mem{Base: base, Index: i, Scale: 1, Disp: 32 * u} }
	each := func(name string, f func(u int)) {
		XORQ(i, i)
		Label(name)
		f(0)
		f(1)
		ADDQ(Imm(64), i)
		CMPQ(i, n)
		JLT(LabelRef(name))
	}
	clear := func() [2]VecVirtual {
		s := [2]VecVirtual{YMM(), YMM()}
		VXORPS(s[0], s[0], s[0])
		VXORPS(s[1], s[1], s[1])
		return s
	}

	Label("row")
	sum := clear()
	each("sum", func(u int) {
		y := YMM()
		VMOVUPS(at2(row, u), y)
		VADDPS(at2(bias, u), y, y)
		VMOVUPS(y, at2(row, u))
		VADDPS(y, sum[u], sum[u])
	})
	VADDPS(sum[1], sum[0], sum[0])
	mean := sum8(sum[0])
	VDIVSS(count, mean, mean)
	m := YMM()
	VBROADCASTSS(mean, m)

	square := clear()
	each("square", func(u int) {
		y := YMM()
		VMOVUPS(at2(row, u), y)
		VSUBPS(m, y, y)
		VFMADD231PS(y, y, square[u])
	})
	VADDPS(square[1], square[0], square[0])
	variance := sum8(square[0])
	VDIVSS(count, variance, variance)
	VADDSS(at(1), variance, variance)
	VSQRTSS(variance, variance, variance)
	inv := YMM()
	VMOVSS(at(0), inv.AsX())
	VDIVSS(variance, inv.AsX(), inv.AsX())
	VBROADCASTSS(inv.AsX(), inv)

	each("norm", func(u int) {
		y, g := YMM(), YMM()
		VMOVUPS(at2(row, u), y)
		VSUBPS(m, y, y)
		VMULPS(inv, y, y)
		VMOVUPS(at2(scale, u), g)
		VFMADD213PS(at2(shift, u), g, y)
		VMOVUPS(y, at2(row, u))
	})
	ADDQ(n, row)
	DECQ(rows)
	JNZ(LabelRef("row"))
	VZEROUPPER()
	RET()
}
