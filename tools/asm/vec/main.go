// Command vec writes the assembly of plumbline/internal/vec.
package main

import (
	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	. "github.com/mmcloughlin/avo/reg"
)

func main() {
	ConstraintExpr("amd64")
	dotRows()
	toHalf()
	fromHalf()
	Generate()
}

// dotRows keeps two accumulators a row and one for what is left of 8, in the
// blocks of four rows as in single rows, so that a row's product has the same
// bits in either.
func dotRows() {
	TEXT("dotRows", NOSPLIT, "func(dst *float32, rows *float32, n int, dim int, q *float32)")
	Pragma("noescape")
	Doc("dotRows sets dst[i] to the product of q and row i, for n rows of dim numbers.")
	dst := Load(Param("dst"), GP64())
	row := Load(Param("rows"), GP64())
	n := Load(Param("n"), GP64())
	dim := Load(Param("dim"), GP64())
	query := Load(Param("q"), GP64())

	stride := GP64() // bytes between rows
	MOVQ(dim, stride)
	SHLQ(Imm(2), stride)
	stride3 := GP64()
	LEAQ(Mem{Base: stride, Index: stride, Scale: 2}, stride3)

	Label("four")
	CMPQ(n, Imm(4))
	JLT(LabelRef("one"))
	dotBlock("four", 4, dst, row, stride, stride3, dim, query)
	LEAQ(Mem{Base: row, Index: stride, Scale: 4}, row)
	ADDQ(Imm(16), dst)
	SUBQ(Imm(4), n)
	JMP(LabelRef("four"))

	Label("one")
	TESTQ(n, n)
	JZ(LabelRef("done"))
	dotBlock("one", 1, dst, row, stride, stride3, dim, query)
	ADDQ(stride, row)
	ADDQ(Imm(4), dst)
	DECQ(n)
	JMP(LabelRef("one"))

	Label("done")
	VZEROUPPER()
	RET()
}

// dotBlock multiplies 1 or 4 rows.
func dotBlock(name string, rows int, dst, row, stride, stride3, dim, query Register) {
	even, odd, rest := make([]VecVirtual, rows), make([]VecVirtual, rows), make([]VecVirtual, rows)
	for i := range rows {
		even[i], odd[i], rest[i] = YMM(), YMM(), YMM()
		VXORPS(even[i], even[i], even[i])
		VXORPS(odd[i], odd[i], odd[i])
		VXORPS(rest[i], rest[i], rest[i])
	}
	p, q, left := GP64(), GP64(), GP64()
	MOVQ(row, p)
	MOVQ(query, q)
	MOVQ(dim, left)
	var ahead GPVirtual // the next block of rows, to be fetched early
	if rows == 4 {
		ahead = GP64()
		LEAQ(Mem{Base: row, Index: stride, Scale: 4}, ahead)
	}
	at := func(i, disp int) Mem {
		switch i {
		case 0:
			return Mem{Base: p, Disp: disp}
		case 3:
			return Mem{Base: p, Index: stride3, Scale: 1, Disp: disp}
		}
		return Mem{Base: p, Index: stride, Scale: uint8(i), Disp: disp}
	}
	next := func(bytes int) {
		ADDQ(U32(bytes), p)
		ADDQ(U32(bytes), q)
		SUBQ(U32(bytes/4), left)
	}

	Label(name + "_16")
	CMPQ(left, Imm(16))
	JLT(LabelRef(name + "_8"))
	q0, q1 := YMM(), YMM()
	VMOVUPS(Mem{Base: q}, q0)
	VMOVUPS(Mem{Base: q, Disp: 32}, q1)
	for i := range rows {
		VFMADD231PS(at(i, 0), q0, even[i])
		VFMADD231PS(at(i, 32), q1, odd[i])
	}
	if rows == 4 {
		for i := range 4 {
			PREFETCHT0(Mem{Base: ahead, Disp: 64 * i})
		}
		ADDQ(U32(256), ahead)
	}
	next(64)
	JMP(LabelRef(name + "_16"))

	Label(name + "_8")
	CMPQ(left, Imm(8))
	JLT(LabelRef(name + "_1"))
	q8 := YMM()
	VMOVUPS(Mem{Base: q}, q8)
	for i := range rows {
		VFMADD231PS(at(i, 0), q8, even[i])
	}
	next(32)

	Label(name + "_1")
	TESTQ(left, left)
	JZ(LabelRef(name + "_sum"))
	x := XMM()
	VMOVSS(Mem{Base: q}, x)
	for i := range rows {
		VFMADD231SS(at(i, 0), x, rest[i].AsX())
	}
	next(4)
	JMP(LabelRef(name + "_1"))

	Label(name + "_sum")
	for i := range rows {
		VADDPS(odd[i], even[i], even[i])
	}
	if rows == 4 {
		VHADDPS(even[1], even[0], even[0])
		VHADDPS(even[3], even[2], even[2])
		VHADDPS(even[2], even[0], even[0])
	} else {
		VHADDPS(even[0], even[0], even[0])
		VHADDPS(even[0], even[0], even[0])
	}
	high := XMM()
	VEXTRACTF128(Imm(1), even[0], high)
	sum := even[0].AsX()
	VADDPS(high, sum, sum)
	if rows == 4 {
		VUNPCKLPS(rest[1].AsX(), rest[0].AsX(), rest[0].AsX())
		VUNPCKLPS(rest[3].AsX(), rest[2].AsX(), rest[2].AsX())
		VMOVLHPS(rest[2].AsX(), rest[0].AsX(), rest[0].AsX())
		VADDPS(rest[0].AsX(), sum, sum)
		VMOVUPS(sum, Mem{Base: dst})
	} else {
		VADDSS(rest[0].AsX(), sum, sum)
		VMOVSS(sum, Mem{Base: dst})
	}
}

func toHalf() {
	TEXT("toHalf", NOSPLIT, "func(dst *uint16, src *float32, n int)")
	Pragma("noescape")
	Doc("toHalf rounds n numbers to nearest even; n is a multiple of 8, above 0.")
	dst := Load(Param("dst"), GP64())
	src := Load(Param("src"), GP64())
	n := Load(Param("n"), GP64())
	Label("loop")
	y := YMM()
	VMOVUPS(Mem{Base: src}, y)
	VCVTPS2PH(Imm(0), y, Mem{Base: dst})
	ADDQ(Imm(32), src)
	ADDQ(Imm(16), dst)
	SUBQ(Imm(8), n)
	JNZ(LabelRef("loop"))
	VZEROUPPER()
	RET()
}

func fromHalf() {
	TEXT("fromHalf", NOSPLIT, "func(dst *float32, src *byte, n int)")
	Pragma("noescape")
	Doc("fromHalf widens n halves; n is a multiple of 8, above 0.")
	dst := Load(Param("dst"), GP64())
	src := Load(Param("src"), GP64())
	n := Load(Param("n"), GP64())
	Label("loop")
	y := YMM()
	VCVTPH2PS(Mem{Base: src}, y)
	VMOVUPS(y, Mem{Base: dst})
	ADDQ(Imm(16), src)
	ADDQ(Imm(32), dst)
	SUBQ(Imm(8), n)
	JNZ(LabelRef("loop"))
	VZEROUPPER()
	RET()
}
