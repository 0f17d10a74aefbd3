package vec

import (
	"encoding/binary"
	"math"
	"slices"
	"testing"

	"pgregory.net/rapid"
)

// halfValue is what a half stands for, by the definition.
func halfValue(h uint16) float64 {
	sign, exponent, fraction := 1.0, int(h>>10&31), float64(h&0x3ff)
	if h&0x8000 != 0 {
		sign = -1
	}
	switch exponent {
	case 0:
		return sign * fraction * 0x1p-24
	case 31:
		if fraction != 0 {
			return math.NaN()
		}
		return sign * math.Inf(1)
	}
	return sign * (1 + fraction/1024) * math.Exp2(float64(exponent-15))
}

func TestFromHalfIsTheDefinition(t *testing.T) {
	for i := range 1 << 16 {
		h := uint16(i)
		got, want := float64(FromHalf(h)), halfValue(h)
		if math.IsNaN(want) {
			if !math.IsNaN(got) {
				t.Fatalf("FromHalf(%#04x) = %v, want a NaN", h, got)
			}
			continue
		}
		if got != want || math.Signbit(got) != math.Signbit(want) {
			t.Fatalf("FromHalf(%#04x) = %v, want %v", h, got, want)
		}
		if back := Half(float32(want)); back != h {
			t.Fatalf("Half(%v) = %#04x, want %#04x", want, back, h)
		}
	}
}

func TestHalfRoundsToNearestEven(t *testing.T) {
	// Half way between each two neighbours, and a hair to either side.
	for i := range 0x7c00 {
		h := uint16(i)
		low, high := halfValue(h), halfValue(h+1)
		if h == 0x7bff {
			high = 65536 // as if infinity were the next number
		}
		middle := float32((low + high) / 2)
		even := h + h&1
		for _, tt := range []struct {
			f    float32
			want uint16
		}{
			{math.Nextafter32(middle, 0), h},
			{middle, even},
			{math.Nextafter32(middle, math.MaxFloat32), h + 1},
		} {
			if got := Half(tt.f); got != tt.want {
				t.Fatalf("Half(%v) = %#04x, want %#04x", tt.f, got, tt.want)
			}
			if got := Half(-tt.f); got != tt.want|0x8000 {
				t.Fatalf("Half(%v) = %#04x, want %#04x", -tt.f, got, tt.want|0x8000)
			}
		}
	}
	for _, f := range []float32{math.MaxFloat32, float32(math.Inf(1))} {
		if got := Half(f); got != 0x7c00 {
			t.Errorf("Half(%v) = %#04x, want infinity, 0x7c00", f, got)
		}
	}
	if got := Half(float32(math.NaN())); math.IsNaN(halfValue(got)) == false {
		t.Errorf("Half(NaN) = %#04x, want a NaN", got)
	}
}

func TestHalfSlicesAgreeOnBothPaths(t *testing.T) {
	requireAssembly(t)
	all := make([]uint16, 1<<16)
	for i := range all {
		all[i] = uint16(i)
	}
	wide := make([]float32, len(all))
	FromHalves(wide, all)
	for i, f := range wide {
		if want := FromHalf(all[i]); math.Float32bits(f) != math.Float32bits(want) {
			t.Fatalf("FromHalves at %#04x = %v, want %v", all[i], f, want)
		}
	}

	rapid.Check(t, func(t *rapid.T) {
		bits := rapid.SliceOfN(rapid.Uint32(), 0, 40).Draw(t, "bits")
		src := make([]float32, len(bits))
		for i, b := range bits {
			if b%3 > 0 { // most within the range of halves
				b = b&0x807fffff | (b>>23%34+100)<<23
			}
			src[i] = math.Float32frombits(b)
		}
		const guard = 0x5555
		dst := slices.Repeat([]uint16{guard}, len(src)+1)
		Halves(dst[:len(src)], src)
		for i, f := range src {
			if dst[i] != Half(f) {
				t.Fatalf("Halves, %v (bits %#08x) = %#04x, want %#04x", f, math.Float32bits(f), dst[i], Half(f))
			}
		}
		if dst[len(src)] != guard {
			t.Fatalf("Halves of %d wrote beside dst", len(src))
		}

		// In place from a string at any address.
		offset := rapid.IntRange(0, 9).Draw(t, "offset")
		text := make([]byte, offset, 100)
		for _, h := range dst[:len(src)] {
			text = binary.LittleEndian.AppendUint16(text, h)
		}
		got := slices.Repeat([]float32{guard}, len(src)+1)
		DecodeHalves(got[:len(src)], string(text)[offset:])
		for i := range src {
			if want := FromHalf(dst[i]); math.Float32bits(got[i]) != math.Float32bits(want) {
				t.Fatalf("DecodeHalves at %d of %d, offset %d = %v, want %v", i, len(src), offset, got[i], want)
			}
		}
		if got[len(src)] != guard {
			t.Fatalf("DecodeHalves of %d wrote beside dst", len(src))
		}
	})
}

func TestHalfSlicesTakeTheShorter(t *testing.T) {
	dst := make([]uint16, 2)
	Halves(dst, []float32{1, 2, 3})
	if want := []uint16{0x3c00, 0x4000}; !slices.Equal(dst, want) {
		t.Errorf("Halves(2 of 3) = %#04x, want %#04x", dst, want)
	}
	wide := []float32{7, 7, 7}
	FromHalves(wide, dst)
	if want := []float32{1, 2, 7}; !slices.Equal(wide, want) {
		t.Errorf("FromHalves(2 into 3) = %v, want %v", wide, want)
	}
	wide = []float32{7, 7}
	DecodeHalves(wide, "\x00\x40\xff")
	if want := []float32{2, 7}; !slices.Equal(wide, want) {
		t.Errorf("DecodeHalves(one half and a byte) = %v, want %v", wide, want)
	}
}
