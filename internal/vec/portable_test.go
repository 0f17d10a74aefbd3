package vec

import (
	"encoding/json"
	"fmt"
	"io"
	"math"
	"os"
	"os/exec"
	"testing"
)

// childEnv makes the test binary print what child computes.
const childEnv = "PLUMBLINE_VEC_CHILD"

// computed is what one process makes of the same numbers.
type computed struct {
	Accelerated bool
	Dots        []float32
	Halves      []uint16
	Floats      []uint32 // bits
}

func compute() computed {
	const dim, n = 67, 9
	rows, q := make([]float32, n*dim), make([]float32, dim)
	for i := range rows {
		rows[i] = float32(math.Sin(float64(i)))
	}
	for i := range q {
		q[i] = float32(math.Cos(float64(3 * i)))
	}
	c := computed{Accelerated: Accelerated(), Dots: make([]float32, n), Halves: make([]uint16, len(rows)), Floats: make([]uint32, len(rows))}
	Dots(c.Dots, rows, dim, q)
	Halves(c.Halves, rows)
	back := make([]float32, len(rows))
	FromHalves(back, c.Halves)
	for i, f := range back {
		c.Floats[i] = math.Float32bits(f)
	}
	return c
}

func child(out io.Writer) int {
	if err := json.NewEncoder(out).Encode(compute()); err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	return 0
}

// A process that is told to leave AVX2 alone does, and computes the same.
func TestPortableByGODEBUG(t *testing.T) {
	requireAssembly(t)
	cmd := exec.CommandContext(t.Context(), os.Args[0])
	cmd.Env = append(os.Environ(), childEnv+"=1", "GODEBUG=cpu.avx2=off")
	cmd.Stderr = t.Output()
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("run %s: %v", cmd, err)
	}
	var got computed
	if err := json.Unmarshal(out, &got); err != nil {
		t.Fatalf("child printed %q: %v", out, err)
	}
	if got.Accelerated {
		t.Error("Accelerated() under GODEBUG=cpu.avx2=off = true, want false")
	}
	want := compute()
	for i := range want.Dots {
		if math.Abs(float64(got.Dots[i]-want.Dots[i])) > 1e-5 {
			t.Errorf("Dots[%d] = %v portable, %v here", i, got.Dots[i], want.Dots[i])
		}
	}
	for i := range want.Halves {
		if got.Halves[i] != want.Halves[i] || got.Floats[i] != want.Floats[i] {
			t.Errorf("Halves[%d] = %#04x and back %#08x portable, %#04x and %#08x here",
				i, got.Halves[i], got.Floats[i], want.Halves[i], want.Floats[i])
		}
	}
}
