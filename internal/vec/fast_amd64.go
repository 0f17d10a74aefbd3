package vec

import (
	"unsafe"

	"golang.org/x/sys/cpu"
)

var accelerated = cpu.X86.HasAVX2 && cpu.X86.HasFMA && cpu.X86.HasF16C

// The kernels check no bounds and read whole numbers only, never past the
// counts given. Callers here have checked the lengths.

func dotFast(a, b []float32) float32 {
	var r float32
	dotRows(&r, unsafe.SliceData(a), 1, len(a), unsafe.SliceData(b))
	return r
}

func dotsFast(dst, rows []float32, dim int, q []float32) {
	dotRows(unsafe.SliceData(dst), unsafe.SliceData(rows), len(dst), dim, unsafe.SliceData(q))
}

// The half kernels take whole groups of 8; the rest is done here.

func halvesFast(dst []uint16, src []float32) {
	n := len(src) &^ 7
	if n > 0 {
		toHalf(unsafe.SliceData(dst), unsafe.SliceData(src), n)
	}
	halvesPortable(dst[n:], src[n:])
}

func fromHalvesFast(dst []float32, src []uint16) {
	n := len(src) &^ 7
	if n > 0 {
		fromHalf(unsafe.SliceData(dst), (*byte)(unsafe.Pointer(unsafe.SliceData(src))), n)
	}
	for i, h := range src[n:] {
		dst[n+i] = FromHalf(h)
	}
}

func decodeFast(dst []float32, src string) {
	n := len(dst) &^ 7
	if n > 0 {
		fromHalf(unsafe.SliceData(dst), unsafe.StringData(src), n)
	}
	decodePortable(dst[n:], src[2*n:])
}
