package vec

import "math"

// Half rounds f to half precision, to nearest with ties to even. Magnitudes
// of 65520 and more become infinite; a NaN stays one.
func Half(f float32) uint16 {
	const (
		inf    = 0x7c00
		maxIn  = 0x477ff000 // 65520, the first that rounds to infinity
		minIn  = 0x38800000 // 2^-14, the least normal half
		nan    = 0x7e00
		rebias = (127 - 15) << 23
	)
	b := math.Float32bits(f)
	sign := uint16(b>>16) & 0x8000
	b &= 0x7fffffff
	switch {
	case b > 0x7f800000:
		return sign | nan | uint16(b>>13)&0x3ff
	case b >= maxIn:
		return sign | inf
	case b < minIn:
		// Adding 0.5 leaves the subnormal's bits, rounded, at the bottom.
		return sign | uint16(math.Float32bits(math.Float32frombits(b)+0.5)-math.Float32bits(0.5))
	}
	b += 0xfff + b>>13&1
	return sign | uint16((b-rebias)>>13)
}

// FromHalf returns the number that h stands for, exactly. A NaN comes back
// quiet.
func FromHalf(h uint16) float32 {
	const rebias = (127 - 15) << 23
	b := uint32(h&0x7fff) << 13
	sign := uint32(h&0x8000) << 16
	if b-0x00800000 >= 0x0f000000 {
		return math.Float32frombits(sign | notNormal(b))
	}
	return math.Float32frombits(sign | b + rebias)
}

// notNormal takes the bits of a zero or subnormal half, an infinity or a NaN,
// without the sign and in the places of a float32.
func notNormal(b uint32) uint32 {
	switch {
	case b < 0x00800000:
		return math.Float32bits(float32(b) * 0x1p-37)
	case b == 0x0f800000:
		return 0x7f800000
	}
	return 0x7fc00000 | b
}

// Halves sets dst[i] to Half(src[i]) as far as both reach.
func Halves(dst []uint16, src []float32) {
	n := min(len(dst), len(src))
	if accelerated {
		halvesFast(dst[:n], src[:n])
		return
	}
	halvesPortable(dst[:n], src[:n])
}

// FromHalves sets dst[i] to FromHalf(src[i]) as far as both reach.
func FromHalves(dst []float32, src []uint16) {
	n := min(len(dst), len(src))
	if accelerated {
		fromHalvesFast(dst[:n], src[:n])
		return
	}
	for i, h := range src[:n] {
		dst[i] = FromHalf(h)
	}
}

// DecodeHalves reads little-endian halves from src into dst as far as both
// reach. src may lie at any address: it is read in place from embedded files.
func DecodeHalves(dst []float32, src string) {
	n := min(len(dst), len(src)/2)
	if accelerated {
		decodeFast(dst[:n], src[:2*n])
		return
	}
	decodePortable(dst[:n], src[:2*n])
}

func halvesPortable(dst []uint16, src []float32) {
	for i, f := range src {
		dst[i] = Half(f)
	}
}

// decodePortable reads four halves at a time. len(src) is 2*len(dst).
func decodePortable(dst []float32, src string) {
	for len(dst) >= 4 && len(src) >= 8 {
		w := uint64(src[0]) | uint64(src[1])<<8 | uint64(src[2])<<16 | uint64(src[3])<<24 |
			uint64(src[4])<<32 | uint64(src[5])<<40 | uint64(src[6])<<48 | uint64(src[7])<<56
		dst[0] = FromHalf(uint16(w))
		dst[1] = FromHalf(uint16(w >> 16))
		dst[2] = FromHalf(uint16(w >> 32))
		dst[3] = FromHalf(uint16(w >> 48))
		dst, src = dst[4:], src[8:]
	}
	for i := range dst {
		dst[i] = FromHalf(uint16(src[2*i]) | uint16(src[2*i+1])<<8)
	}
}
