package vec

import (
	"math"
	"math/rand/v2"
	"os"
	"testing"

	"pgregory.net/rapid"
)

func TestMain(m *testing.M) {
	if os.Getenv(childEnv) != "" {
		os.Exit(child(os.Stdout))
	}
	os.Exit(m.Run())
}

// requireAssembly makes a run that compares a path with itself say so.
func requireAssembly(t *testing.T) {
	t.Helper()
	if !Accelerated() {
		t.Log("NOTE: no AVX2, FMA and F16C here: portable Go is compared with itself")
	}
}

// numbers draws n numbers at an offset of 0 to 3 from the start of their
// allocation, with others before and after.
func numbers(t *rapid.T, n int, label string) []float32 {
	offset := rapid.IntRange(0, 3).Draw(t, label+" offset")
	seed := rapid.Uint64().Draw(t, label+" seed")
	r := rand.New(rand.NewPCG(seed, 1))
	all := make([]float32, offset+n+8)
	for i := range all {
		all[i] = float32(r.NormFloat64() * math.Exp2(float64(r.IntN(8)-4)))
	}
	return all[offset : offset+n]
}

// exactDot is the product and what rounding may do to it in float32.
func exactDot(a, b []float32) (product, slack float64) {
	var size float64
	for i := range a {
		p := float64(a[i]) * float64(b[i])
		product += p
		size += math.Abs(p)
	}
	return product, size * float64(len(a)+8) * 0x1p-24
}

func TestDot(t *testing.T) {
	for _, tt := range []struct {
		name string
		a, b []float32
		want float32
	}{
		{"Empty", nil, nil, 0},
		{"One", []float32{3}, []float32{-2}, -6},
		{"Nine", []float32{1, 2, 3, 4, 5, 6, 7, 8, 9}, []float32{9, 8, 7, 6, 5, 4, 3, 2, 1}, 165},
		{"FirstLonger", []float32{1, 2, 3}, []float32{4, 5}, 14},
		{"SecondLonger", []float32{1}, []float32{4, 5, 6}, 4},
		{"NothingInCommon", []float32{1, 2}, nil, 0},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if got := Dot(tt.a, tt.b); got != tt.want {
				t.Errorf("Dot(%v, %v) = %v, want %v", tt.a, tt.b, got, tt.want)
			}
		})
	}
}

func TestDotAgreesOnBothPaths(t *testing.T) {
	requireAssembly(t)
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(1, 100).Draw(t, "n")
		a, b := numbers(t, n, "a"), numbers(t, n, "b")
		want, slack := exactDot(a, b)
		for name, dot := range map[string]func(a, b []float32) float32{"Dot": Dot, "dotPortable": dotPortable} {
			if got := float64(dot(a, b)); !(math.Abs(got-want) <= slack) {
				t.Fatalf("%s of %d numbers = %v, want %v within %v", name, n, got, want, slack)
			}
		}
	})
}

func TestDotsIsDotOfEachRow(t *testing.T) {
	requireAssembly(t)
	rapid.Check(t, func(t *rapid.T) {
		dim := rapid.IntRange(1, 70).Draw(t, "dim")
		n := rapid.IntRange(0, 13).Draw(t, "rows")
		rows, q := numbers(t, n*dim, "rows"), numbers(t, dim+2, "q")
		const guard = 12345
		all := make([]float32, n+3)
		for i := range all {
			all[i] = guard
		}
		dst := all[1 : n+1]
		Dots(dst, rows, dim, q)
		slow := make([]float32, n)
		dotsPortable(slow, rows, dim, q)
		for i := range dst {
			row := rows[i*dim : (i+1)*dim]
			if want := Dot(row, q); dst[i] != want {
				t.Fatalf("Dots, row %d of %d, dim %d = %v, want the bits of Dot, %v", i, n, dim, dst[i], want)
			}
			want, slack := exactDot(row, q[:dim])
			if !(math.Abs(float64(slow[i])-want) <= slack) {
				t.Fatalf("dotsPortable, row %d, dim %d = %v, want %v within %v", i, dim, slow[i], want, slack)
			}
		}
		if all[0] != guard || all[n+1] != guard || all[n+2] != guard {
			t.Fatalf("Dots of %d rows wrote beside dst: %v", n, all)
		}
	})
}

func TestDotsOfUsualSize(t *testing.T) {
	const n, dim = 1001, 384
	r := rand.New(rand.NewPCG(1, 2))
	rows, q := make([]float32, n*dim), make([]float32, dim)
	for i := range rows {
		rows[i] = r.Float32() - 0.5
	}
	for i := range q {
		q[i] = r.Float32() - 0.5
	}
	dst := make([]float32, n)
	Dots(dst, rows, dim, q)
	for i := range dst {
		want, slack := exactDot(rows[i*dim:(i+1)*dim], q)
		if !(math.Abs(float64(dst[i])-want) <= slack) {
			t.Fatalf("Dots, row %d = %v, want %v within %v", i, dst[i], want, slack)
		}
	}
}

func TestDotsRefusesShortSlices(t *testing.T) {
	for _, tt := range []struct {
		name          string
		dst, rows, dq int
		dim           int
	}{
		{"Rows", 2, 7, 4, 4},
		{"Query", 2, 8, 3, 4},
		{"NegativeDim", 2, 8, 4, -4},
		{"Overflow", 3, 8, 1 << 20, math.MaxInt},
	} {
		t.Run(tt.name, func(t *testing.T) {
			defer func() {
				if recover() == nil {
					t.Errorf("Dots(%d, %d numbers, dim %d, %d numbers) did not panic", tt.dst, tt.rows, tt.dim, tt.dq)
				}
			}()
			Dots(make([]float32, tt.dst), make([]float32, tt.rows), tt.dim, make([]float32, tt.dq))
		})
	}
	dst := []float32{7, 7}
	Dots(dst, nil, 0, nil)
	if dst[0] != 0 || dst[1] != 0 {
		t.Errorf("Dots(dst, nil, 0, nil) set dst to %v, want zeros", dst)
	}
}

func TestNormalize(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		v := numbers(t, rapid.IntRange(1, 50).Draw(t, "n"), "v")
		was := append([]float32(nil), v...)
		Normalize(v)
		var length, along float64
		for i := range v {
			length += float64(v[i]) * float64(v[i])
			along += float64(v[i]) * float64(was[i])
		}
		if math.Abs(length-1) > 1e-6 || along <= 0 {
			t.Fatalf("Normalize(%v) = %v of squared length %v, product %v with what it was", was, v, length, along)
		}
	})
	inf := float32(math.Inf(1))
	for _, v := range [][]float32{nil, {0, 0, 0}, {1, inf, 2}} {
		got := append([]float32(nil), v...)
		Normalize(got)
		for i := range v {
			if got[i] != v[i] {
				t.Errorf("Normalize(%v) = %v, want it left alone", v, got)
			}
		}
	}
	if v := []float32{1e38, 1e38}; true {
		Normalize(v)
		if math.Abs(float64(v[0])-math.Sqrt2/2) > 1e-6 {
			t.Errorf("Normalize([1e38 1e38]) = %v, want [0.7071 0.7071]", v)
		}
	}
}
