package minilm

import (
	"encoding/binary"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"plumbline/internal/vec"
	"plumbline/kb/minilm/blob"
)

// ways are the arithmetics of this machine.
func ways() map[string]arithmetic {
	return map[string]arithmetic{"fastest": fastest(), "portable": portable{}}
}

// random draws numbers, at any alignment of four bytes.
func random(t *rapid.T, n int, label string) []float32 {
	offset := rapid.IntRange(0, 7).Draw(t, label+" offset")
	r := rand.New(rand.NewPCG(rapid.Uint64().Draw(t, label), 3))
	f := make([]float32, offset+n)
	for i := range f {
		f[i] = float32(r.NormFloat64())
	}
	return f[offset:]
}

func TestProducts(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		p := product{
			rows: rapid.IntRange(1, 20).Draw(t, "rows"),
			k:    rapid.IntRange(1, 300).Draw(t, "k"),
			ldc:  rapid.IntRange(16, 40).Draw(t, "ldc"),
			lds:  rapid.SampledFrom([]int{0, 16, 33}).Draw(t, "lds"),
		}
		p.lda = p.k + rapid.IntRange(0, 9).Draw(t, "lda")
		p.a = random(t, (p.rows-1)*p.lda+p.k, "a")
		p.src = random(t, (p.rows-1)*p.lds+16, "src")
		b := random(t, p.k*16, "b")

		// The panel of halves lies at any address.
		text := make([]byte, rapid.IntRange(0, 33).Draw(t, "panel offset"), 2*16*p.k+40)
		shift := len(text)
		for i, f := range b {
			h := vec.Half(f)
			b[i] = vec.FromHalf(h)
			text = binary.LittleEndian.AppendUint16(text, h)
		}
		panel := string(text)[shift:]

		want := make([]float64, p.rows*16)
		for i := range p.rows {
			for j := range 16 {
				want[i*16+j] = float64(p.src[i*p.lds+j])
				for k := range p.k {
					want[i*16+j] += float64(p.a[i*p.lda+k]) * float64(b[k*16+j])
				}
			}
		}
		const guard = 77
		for name, m := range ways() {
			for kind, mul := range map[string]func(p product){
				"mulHalf":  func(p product) { m.mulHalf(p, panel) },
				"mulFloat": func(p product) { m.mulFloat(p, b) },
			} {
				p.c = slices.Repeat([]float32{guard}, (p.rows-1)*p.ldc+16+8)
				mul(p)
				for i, got := range p.c {
					row, column := i/p.ldc, i%p.ldc
					switch {
					case column >= 16 || row >= p.rows:
						if got != guard {
							t.Fatalf("%s %s of %d rows wrote beside them, at row %d, column %d", name, kind, p.rows, row, column)
						}
					case !(math.Abs(float64(got)-want[row*16+column]) <= 1e-5*float64(p.k+10)):
						t.Fatalf("%s %s, %d rows, k %d: row %d, column %d = %v, want %v",
							name, kind, p.rows, p.k, row, column, got, want[row*16+column])
					}
				}
			}
		}
	})
}

// Assembly checks no bounds, so what calls it must.
func TestProductsRefuseShortSlices(t *testing.T) {
	full := func() (product, []float32, string) {
		return product{
			rows: 7, k: 20, a: make([]float32, 6*21+20), lda: 21,
			src: make([]float32, 6*17+16), lds: 17, c: make([]float32, 6*18+16), ldc: 18,
		}, make([]float32, 20*16), string(make([]byte, 20*32))
	}
	for name, m := range ways() {
		for what, shorten := range map[string]func(p *product, b *[]float32, h *string){
			"a":     func(p *product, _ *[]float32, _ *string) { p.a = slices.Clip(p.a[:len(p.a)-1]) },
			"src":   func(p *product, _ *[]float32, _ *string) { p.src = slices.Clip(p.src[:len(p.src)-1]) },
			"c":     func(p *product, _ *[]float32, _ *string) { p.c = slices.Clip(p.c[:len(p.c)-1]) },
			"panel": func(_ *product, b *[]float32, h *string) { *b, *h = (*b)[:len(*b)-1], (*h)[:len(*h)-2] },
		} {
			t.Run(name+" "+what, func(t *testing.T) {
				p, b, h := full()
				m.mulFloat(p, b)
				m.mulHalf(p, h)
				shorten(&p, &b, &h)
				for kind, mul := range map[string]func(){"mulFloat": func() { m.mulFloat(p, b) }, "mulHalf": func() { m.mulHalf(p, h) }} {
					if !panics(mul) {
						t.Errorf("%s with %s one number short went ahead", kind, what)
					}
				}
			})
		}
	}
}

func panics(f func()) (did bool) {
	defer func() { did = recover() != nil }()
	f()
	return
}

func TestSoftmax(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		rows := rapid.IntRange(1, 4).Draw(t, "rows")
		n := 8 * rapid.IntRange(1, 6).Draw(t, "n/8")
		scale := rapid.Float32Range(0.01, 2).Draw(t, "scale")
		x := random(t, rows*n+1, "x")
		for i := range x {
			x[i] *= 20
		}
		masked := rapid.IntRange(0, n-1).Draw(t, "masked")
		for r := range rows {
			for j := n - masked; j < n; j++ {
				x[r*n+j] = -math.MaxFloat32
			}
		}
		for name, m := range ways() {
			got := slices.Clone(x)
			m.softmax(got, rows, n, scale)
			if got[rows*n] != x[rows*n] {
				t.Fatalf("%s softmax wrote beside its rows", name)
			}
			for r := range rows {
				row := x[r*n : (r+1)*n]
				top := float64(slices.Max(row))
				var total float64
				for _, v := range row {
					total += math.Exp((float64(v) - top) * float64(scale))
				}
				for j, v := range row {
					z := (float64(v) - top) * float64(scale)
					want := math.Exp(z) / total
					// z is rounded to 24 bits, and its error is relative in exp.
					slack := want*(1e-6-z*0x1p-22) + 1e-30
					if d := math.Abs(float64(got[r*n+j]) - want); !(d <= slack) {
						t.Fatalf("%s softmax, %v of top %v, scale %v = %v, want %v", name, v, top, scale, got[r*n+j], want)
					}
				}
			}
		}
	})
}

func TestGelu(t *testing.T) {
	var x []float32
	for v := -12.0; v < 12; v += 1.0 / 64 {
		x = append(x, float32(v))
	}
	x = append(x, 0, 1e-20, -1e-20, 1e30, -1e30, 50, -50, 3e-8)
	for name, m := range ways() {
		got := slices.Clone(x)
		m.gelu(got)
		for i, v := range x {
			want := float64(v) / 2 * (1 + math.Erf(float64(v)/math.Sqrt2))
			if d := math.Abs(float64(got[i]) - want); !(d <= 1e-6*math.Max(1, math.Abs(float64(v)))) {
				t.Errorf("%s gelu(%v) = %v, want %v", name, v, got[i], want)
			}
		}
	}
}

func TestNorm(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := 16 * rapid.IntRange(1, 25).Draw(t, "n/16")
		rows := rapid.IntRange(1, 4).Draw(t, "rows")
		x, bias := random(t, rows*n, "x"), random(t, n, "bias")
		by := blob.Norm{Scale: random(t, n, "scale"), Shift: random(t, n, "shift")}
		if rapid.Bool().Draw(t, "flat") { // the variance is all but nothing
			for i := range x {
				x[i] = 3 - bias[i%n]
			}
		}
		want := make([][]float64, rows)
		for r := range want {
			for j, b := range bias {
				want[r] = append(want[r], float64(x[r*n+j]+b))
			}
		}
		plainNorm(want, by)
		for name, m := range ways() {
			got := slices.Clone(x)
			m.norm(got, bias, by)
			for r := range want {
				// A row that is flat but for rounding has a norm of rounding.
				if flat(x[r*n:(r+1)*n], bias) {
					continue
				}
				if d := worst(got[r*n:(r+1)*n], want[r]); !(d <= 1e-5) {
					t.Fatalf("%s norm of %d numbers is off by %v", name, n, d)
				}
			}
			for i, v := range got {
				if math.IsNaN(float64(v)) || math.IsInf(float64(v), 0) {
					t.Fatalf("%s norm made %v at %d", name, v, i)
				}
			}
		}
	})
}

// flat reports whether x plus bias hardly varies.
func flat(x, bias []float32) bool {
	low, high := x[0]+bias[0], x[0]+bias[0]
	for i := range x {
		low, high = min(low, x[i]+bias[i]), max(high, x[i]+bias[i])
	}
	return high-low < 1e-3
}
