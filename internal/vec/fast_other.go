//go:build !amd64

package vec

const accelerated = false

func dotFast(a, b []float32) float32                     { return dotPortable(a, b) }
func dotsFast(dst, rows []float32, dim int, q []float32) { dotsPortable(dst, rows, dim, q) }
func halvesFast(dst []uint16, src []float32)             { halvesPortable(dst, src) }
func decodeFast(dst []float32, src string)               { decodePortable(dst, src) }
func fromHalvesFast(dst []float32, src []uint16) {
	for i, h := range src {
		dst[i] = FromHalf(h)
	}
}
