package blob

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"plumbline/internal/vec"
)

var small = Dims{Vocab: 5, Positions: 3, Hidden: 32, Heads: 2, Inner: 48, Layers: 2}

const vocabulary = "a\nb\nc\nd\ne\n"

// count numbers the weights of an encoder one after the other, so that each
// is told from those near it: in quarters, which halves hold up to 512.
func count(d Dims) *Encoder {
	next := 0
	numbers := func(n int) []float32 {
		f := make([]float32, n)
		for i := range f {
			f[i] = float32(next%4001)/4 - 500
			next++
		}
		return f
	}
	matrix := func(outputs, inputs int) Matrix {
		return Matrix{Weight: numbers(outputs * inputs), Bias: numbers(outputs)}
	}
	norm := func() Norm { return Norm{Scale: numbers(d.Hidden), Shift: numbers(d.Hidden)} }
	e := &Encoder{
		Dims: d, Words: numbers(d.Vocab * d.Hidden),
		Position: numbers((d.Positions + 1) * d.Hidden), Type: numbers(2 * d.Hidden), Norm: norm(),
	}
	for range d.Layers {
		h := d.Hidden
		e.Layers = append(e.Layers, EncoderLayer{
			Query: matrix(h, h), Key: matrix(h, h), Value: matrix(h, h), Out: matrix(h, h), OutNorm: norm(),
			Up: matrix(d.Inner, h), Down: matrix(h, d.Inner), DownNorm: norm(),
		})
	}
	return e
}

func encode(t testing.TB, e *Encoder) string {
	t.Helper()
	b, err := Encode(e, vocabulary)
	if err != nil {
		t.Fatalf("Encode: %v", err)
	}
	return string(b)
}

// row is output o of a linear layer, read from its panels.
func row(l *Linear, o int) []float32 {
	panel := make([]float32, PanelWidth*l.Inputs)
	vec.DecodeHalves(panel, l.Panel(o/PanelWidth))
	f := make([]float32, l.Inputs)
	for k := range f {
		f[k] = panel[k*PanelWidth+o%PanelWidth]
	}
	return f
}

func TestOpenReadsWhatEncodeWrote(t *testing.T) {
	e := count(small)
	w, err := Open(encode(t, e))
	if err != nil {
		t.Fatalf("Open: %v", err)
	}
	if w.Dims != small {
		t.Errorf("Open: sizes %+v, want %+v", w.Dims, small)
	}
	same := func(what string, got, want []float32) {
		t.Helper()
		if !slices.Equal(got, want) {
			t.Errorf("%s = %.40v..., want %.40v...", what, got, want)
		}
	}
	words := make([]float32, small.Vocab*small.Hidden)
	vec.DecodeHalves(words, w.Words)
	same("Words", words, e.Words)
	position := make([]float32, small.Positions*small.Hidden)
	for i := range position {
		position[i] = e.Position[i] + e.Type[i%small.Hidden]
	}
	same("Position", w.Position, position)
	same("Norm.Scale", w.Norm.Scale, e.Norm.Scale)
	same("Norm.Shift", w.Norm.Shift, e.Norm.Shift)
	linear := func(what string, got *Linear, inputs int, want ...Matrix) {
		t.Helper()
		o := 0
		for _, m := range want {
			for i, bias := range m.Bias {
				same(fmt.Sprintf("%s, output %d", what, o), row(got, o), m.Weight[i*inputs:(i+1)*inputs])
				if got.Bias[o] != bias {
					t.Errorf("%s, bias %d = %v, want %v", what, o, got.Bias[o], bias)
				}
				o++
			}
		}
		if len(got.Bias) != o || got.Inputs != inputs || len(got.Panels) != 2*inputs*o {
			t.Errorf("%s has %d outputs of %d inputs in %d bytes, want %d of %d", what, len(got.Bias), got.Inputs, len(got.Panels), o, inputs)
		}
	}
	for i, want := range e.Layers {
		got := w.Layers[i]
		at := fmt.Sprintf("Layers[%d].", i)
		linear(at+"QKV", &got.QKV, small.Hidden, want.Query, want.Key, want.Value)
		linear(at+"Out", &got.Out, small.Hidden, want.Out)
		linear(at+"Up", &got.Up, small.Hidden, want.Up)
		linear(at+"Down", &got.Down, small.Inner, want.Down)
		same(at+"OutNorm.Scale", got.OutNorm.Scale, want.OutNorm.Scale)
		same(at+"OutNorm.Shift", got.OutNorm.Shift, want.OutNorm.Shift)
		same(at+"DownNorm.Scale", got.DownNorm.Scale, want.DownNorm.Scale)
		same(at+"DownNorm.Shift", got.DownNorm.Shift, want.DownNorm.Shift)
	}
}

func TestEncodeIsReproducible(t *testing.T) {
	first, second := encode(t, count(small)), encode(t, count(small))
	if first != second {
		t.Error("Encode of the same weights gives other bytes")
	}
}

func TestEncodeRefuses(t *testing.T) {
	for _, tt := range []struct {
		name  string
		spoil func(e *Encoder)
		says  string
	}{
		{"NoLayers", func(e *Encoder) { e.Dims.Layers = 0 }, "size 0"},
		{"HeadsThatDoNotDivide", func(e *Encoder) { e.Heads = 3 }, "hidden 32 in 3 heads"},
		{"NarrowHeads", func(e *Encoder) { e.Heads = 4 }, "not whole panels"},
		{"NarrowInner", func(e *Encoder) { e.Inner = 40 }, "not whole panels"},
		{"Huge", func(e *Encoder) { e.Vocab = 1 << 40 }, "is not within"},
		{"LayerMissing", func(e *Encoder) { e.Layers = e.Layers[1:] }, "1 layers, want 2"},
		{"ShortWords", func(e *Encoder) { e.Words = e.Words[1:] }, "word embeddings: 159 numbers, want 160"},
		{"ShortPositions", func(e *Encoder) { e.Position = e.Position[:95] }, "position and type embeddings: 95"},
		{"ShortType", func(e *Encoder) { e.Type = e.Type[:31] }, "position and type embeddings"},
		{"ShortMatrix", func(e *Encoder) { e.Layers[1].Key.Weight = nil }, "layer 1 query, key and value: 0 numbers"},
		{"ShortBias", func(e *Encoder) { e.Layers[0].Down.Bias = nil }, "layer 0 feed-forward down biases: 0 numbers, want 32"},
		{"ShortNorm", func(e *Encoder) { e.Layers[0].OutNorm.Shift = nil }, "layer 0 attention norm: 0 numbers"},
		{"TooLarge", func(e *Encoder) { e.Layers[0].Up.Weight[3] = 65520 }, "layer 0 feed-forward up: weight 65520"},
		{"NaN", func(e *Encoder) { e.Words[3] = float32(math.NaN()) }, "word embeddings: weight NaN"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			e := count(small)
			tt.spoil(e)
			if b, err := Encode(e, vocabulary); err == nil || b != nil || !strings.Contains(err.Error(), tt.says) {
				t.Errorf("Encode = %d bytes, %v, want an error that says %q", len(b), err, tt.says)
			}
		})
	}
}

// No byte of a blob can change, and none be missing, without an error.
func TestOpenNoticesEveryByte(t *testing.T) {
	whole := encode(t, count(Dims{Vocab: 1, Positions: 1, Hidden: 16, Heads: 1, Inner: 16, Layers: 1}))
	for i := range len(whole) {
		for _, bit := range []byte{0x01, 0x80} {
			b := []byte(whole)
			b[i] ^= bit
			if _, err := Open(string(b)); !errors.Is(err, ErrDamaged) {
				t.Fatalf("Open with byte %d of %d changed = %v, want %v", i, len(whole), err, ErrDamaged)
			}
		}
		if _, err := Open(whole[:i]); !errors.Is(err, ErrDamaged) {
			t.Fatalf("Open of %d bytes of %d = %v, want %v", i, len(whole), err, ErrDamaged)
		}
	}
}

func TestCheckVocabulary(t *testing.T) {
	w, err := Open(encode(t, count(small)))
	if err != nil {
		t.Fatal(err)
	}
	if err := w.CheckVocabulary(vocabulary); err != nil {
		t.Errorf("CheckVocabulary(its own) = %v", err)
	}
	for _, other := range []string{"", vocabulary[1:], vocabulary + "\n", strings.ToUpper(vocabulary)} {
		if err := w.CheckVocabulary(other); !errors.Is(err, ErrDamaged) {
			t.Errorf("CheckVocabulary(%q) = %v, want %v", other, err, ErrDamaged)
		}
	}
}

func TestVerifySum(t *testing.T) {
	whole := encode(t, count(small))
	if err := VerifySum(whole); err != nil {
		t.Errorf("VerifySum = %v", err)
	}
	// A payload exchanged together with its checksum.
	b := []byte(whole)
	b[len(b)-1] ^= 1
	sum := fileChecksum(b)
	for i := range 4 {
		b[checksumAt+i] = byte(sum >> (8 * i))
	}
	if _, err := Open(string(b)); err != nil {
		t.Fatalf("Open with a new checksum = %v", err)
	}
	if err := VerifySum(string(b)); !errors.Is(err, ErrDamaged) {
		t.Errorf("VerifySum of another payload = %v, want %v", err, ErrDamaged)
	}
	w, err := Open(whole)
	if err != nil {
		t.Fatal(err)
	}
	if got, want := w.Hash(), fmt.Sprintf("%x", w.Sum[:4]); got != want || len(got) != 8 {
		t.Errorf("Hash() = %q, want %q", got, want)
	}
}

func FuzzOpen(f *testing.F) {
	whole := encode(f, count(Dims{Vocab: 1, Positions: 1, Hidden: 16, Heads: 1, Inner: 16, Layers: 1}))
	f.Add(whole)
	f.Add(whole[:headerSize])
	f.Add("")
	f.Add(magic + strings.Repeat("\xff", headerSize))
	f.Fuzz(func(t *testing.T, b string) {
		w, err := Open(b)
		if (err == nil) != (w != nil) || err != nil && !errors.Is(err, ErrDamaged) {
			t.Fatalf("Open(%d bytes) = %v, %v", len(b), w, err)
		}
		if err == nil && w.Check() != nil {
			t.Fatalf("Open(%d bytes) takes sizes %+v", len(b), w.Dims)
		}
	})
}
