package minilm

import (
	"fmt"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"plumbline/internal/vec"
	"plumbline/kb/minilm/blob"
)

// tinyDims is a model that fits a test: two heads of two panels, inputs of
// the feed-forward step beyond one step of addLinear.
var tinyDims = blob.Dims{Vocab: 64, Positions: 40, Hidden: 64, Heads: 2, Inner: 416, Layers: 2}

// tinyVocabulary has letters, as words and as endings, and a few words.
func tinyVocabulary() string {
	pieces := []string{"[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]"}
	for c := 'a'; c <= 'z'; c++ {
		pieces = append(pieces, string(c), "##"+string(c))
	}
	pieces = append(pieces, "[", "]", "water", "lead", "safe", ".", "?")
	return strings.Join(pieces, "\n") + "\n"
}

// tinyEncoder has random weights, which are halves already.
func tinyEncoder(d blob.Dims, seed uint64) *blob.Encoder {
	r := rand.New(rand.NewPCG(seed, 7))
	random := func(n int, size float64) []float32 {
		f := make([]float32, n)
		for i := range f {
			f[i] = vec.FromHalf(vec.Half(float32(r.NormFloat64() * size)))
		}
		return f
	}
	matrix := func(outputs, inputs int) blob.Matrix {
		return blob.Matrix{Weight: random(outputs*inputs, 2/math.Sqrt(float64(inputs))), Bias: random(outputs, 0.3)}
	}
	norm := func() blob.Norm {
		n := blob.Norm{Scale: random(d.Hidden, 0.2), Shift: random(d.Hidden, 0.2)}
		for i := range n.Scale {
			n.Scale[i]++
		}
		return n
	}
	h := d.Hidden
	e := &blob.Encoder{
		Dims:     d,
		Words:    random(d.Vocab*h, 1),
		Position: random((d.Positions+5)*h, 0.5),
		Type:     random(2*h, 0.5),
		Norm:     norm(),
	}
	for range d.Layers {
		e.Layers = append(e.Layers, blob.EncoderLayer{
			Query: matrix(h, h), Key: matrix(h, h), Value: matrix(h, h),
			Out: matrix(h, h), OutNorm: norm(),
			Up: matrix(d.Inner, h), Down: matrix(h, d.Inner), DownNorm: norm(),
		})
	}
	return e
}

// tinyModel is a model on random weights, and those weights.
func tinyModel(t testing.TB) (*Model, *blob.Encoder) {
	t.Helper()
	e := tinyEncoder(tinyDims, 1)
	b, err := blob.Encode(e, tinyVocabulary())
	if err != nil {
		t.Fatalf("Encode: %v", err)
	}
	m, err := open(string(b), tinyVocabulary())
	if err != nil {
		t.Fatalf("open: %v", err)
	}
	return m, e
}

// paths are the ways in which a model computes here.
func paths(t testing.TB, m *Model) map[string]*Model {
	t.Helper()
	if !m.Accelerated() {
		t.Log("NOTE: no AVX2, FMA and F16C here: portable Go is compared with itself")
	}
	return map[string]*Model{"fastest": m, "portable": m.Portable()}
}

// plainEncode is the encoder as the papers write it, in float64, one number at
// a time: no panels, no blocks.
func plainEncode(e *blob.Encoder, ids []int32) []float64 {
	h := e.Hidden
	x := make([][]float64, len(ids))
	for i, id := range ids {
		x[i] = make([]float64, h)
		for j := range h {
			x[i][j] = float64(e.Words[int(id)*h+j]) + float64(e.Position[i*h+j]+e.Type[j])
		}
	}
	plainNorm(x, e.Norm)
	for _, l := range e.Layers {
		q, k, v := plainLinear(x, l.Query), plainLinear(x, l.Key), plainLinear(x, l.Value)
		gathered := plainLinear(plainAttention(q, k, v, e.Heads), l.Out)
		plainAdd(x, gathered)
		plainNorm(x, l.OutNorm)
		inner := plainLinear(x, l.Up)
		for _, row := range inner {
			for j, v := range row {
				row[j] = v / 2 * (1 + math.Erf(v/math.Sqrt2))
			}
		}
		plainAdd(x, plainLinear(inner, l.Down))
		plainNorm(x, l.DownNorm)
	}
	out := make([]float64, h)
	for _, row := range x {
		for j, v := range row {
			out[j] += v
		}
	}
	var square float64
	for _, v := range out {
		square += v * v
	}
	for j := range out {
		out[j] /= math.Sqrt(square)
	}
	return out
}

func plainLinear(x [][]float64, m blob.Matrix) [][]float64 {
	out := make([][]float64, len(x))
	for i, row := range x {
		out[i] = make([]float64, len(m.Bias))
		for o, b := range m.Bias {
			sum := float64(b)
			for k, v := range row {
				sum += v * float64(m.Weight[o*len(row)+k])
			}
			out[i][o] = sum
		}
	}
	return out
}

func plainAttention(q, k, v [][]float64, heads int) [][]float64 {
	width := len(q[0]) / heads
	out := make([][]float64, len(q))
	for i := range q {
		out[i] = make([]float64, len(q[0]))
		for h := range heads {
			var total float64
			weights := make([]float64, len(k))
			for j := range k {
				var dot float64
				for c := h * width; c < (h+1)*width; c++ {
					dot += q[i][c] * k[j][c]
				}
				weights[j] = math.Exp(dot / math.Sqrt(float64(width)))
				total += weights[j]
			}
			for j := range k {
				for c := h * width; c < (h+1)*width; c++ {
					out[i][c] += weights[j] / total * v[j][c]
				}
			}
		}
	}
	return out
}

func plainAdd(x, y [][]float64) {
	for i := range x {
		for j := range x[i] {
			x[i][j] += y[i][j]
		}
	}
}

func plainNorm(x [][]float64, n blob.Norm) {
	for _, row := range x {
		var mean, variance float64
		for _, v := range row {
			mean += v / float64(len(row))
		}
		for _, v := range row {
			variance += (v - mean) * (v - mean) / float64(len(row))
		}
		for j, v := range row {
			row[j] = (v-mean)/math.Sqrt(variance+1e-12)*float64(n.Scale[j]) + float64(n.Shift[j])
		}
	}
}

// worst returns the largest difference between the numbers of a and b.
func worst[A, B float32 | float64](a []A, b []B) float64 {
	if len(a) != len(b) {
		return math.Inf(1)
	}
	var w float64
	for i := range a {
		d := math.Abs(float64(a[i]) - float64(b[i]))
		if math.IsNaN(d) {
			return d
		}
		w = max(w, d)
	}
	return w
}

func TestEmbedIsThePlainEncoder(t *testing.T) {
	m, e := tinyModel(t)
	for name, m := range paths(t, m) {
		t.Run(name, func(t *testing.T) {
			// Every length, long before short too: memory is used again.
			for n := 45; n >= 0; n-- {
				text := strings.Repeat("water is safe? ", 15)[:n]
				ids, _ := m.Tokens(text)
				got, err := m.Embed(t.Context(), []string{text})
				if err != nil {
					t.Fatalf("Embed(%q): %v", text, err)
				}
				if d := worst(got[0], plainEncode(e, ids)); !(d <= 2e-5) {
					t.Errorf("Embed(%q), %d pieces, is off by %v", text, len(ids), d)
				}
			}
			long, err := m.Embed(t.Context(), []string{strings.Repeat("lead ", 100)})
			if err != nil {
				t.Fatal(err)
			}
			ids, _ := m.Tokens(strings.Repeat("lead ", 38))
			if d := worst(long[0], plainEncode(e, ids)); !(d <= 2e-5) {
				t.Errorf("Embed of 100 words is off by %v from its first 40 pieces", d)
			}
		})
	}
}

func ExampleModel_Tokens() {
	b, _ := blob.Encode(tinyEncoder(tinyDims, 1), tinyVocabulary())
	m, _ := open(string(b), tinyVocabulary())
	_, pieces := m.Tokens("Is lead [SEP] safe?")
	fmt.Printf("%q\n", pieces)
	// Output: ["[CLS]" "i" "##s" "lead" "[" "s" "##e" "##p" "]" "safe" "?" "[SEP]"]
}
