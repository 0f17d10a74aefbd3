package vec

import "testing"

// BenchmarkDots is an exact search over 100,000 vectors of MiniLM: 154 MB.
func BenchmarkDots(b *testing.B) {
	const n, dim = 100_000, 384
	rows, q, dst := make([]float32, n*dim), make([]float32, dim), make([]float32, n)
	for i := range rows {
		rows[i] = float32(i%7) - 3
	}
	copy(q, rows)
	b.SetBytes(4 * n * dim)
	b.Run("Dots", func(b *testing.B) {
		b.SetBytes(4 * n * dim)
		for b.Loop() {
			Dots(dst, rows, dim, q)
		}
	})
	b.Run("Portable", func(b *testing.B) {
		b.SetBytes(4 * n * dim)
		for b.Loop() {
			dotsPortable(dst, rows, dim, q)
		}
	})
	b.Run("InCache", func(b *testing.B) {
		const few = 200
		b.SetBytes(4 * few * dim)
		for b.Loop() {
			Dots(dst[:few], rows, dim, q)
		}
	})
}
