package blob

import (
	"crypto/sha256"
	"encoding/binary"
	"fmt"
	"math"

	"plumbline/internal/vec"
)

// Matrix is a linear layer in full precision: len(Bias) rows of inputs.
type Matrix struct {
	Weight []float32
	Bias   []float32
}

// Encoder holds the tensors of an encoder in full precision, as its authors
// publish them: matrices row-major, one row an output.
type Encoder struct {
	Dims
	Words    []float32 // Vocab x Hidden
	Position []float32 // at least Positions x Hidden; the rest is cut off
	Type     []float32 // at least Hidden; only type 0 is kept
	Norm     Norm
	Layers   []EncoderLayer
}

// EncoderLayer is one layer of an Encoder.
type EncoderLayer struct {
	Query, Key, Value Matrix
	Out               Matrix
	OutNorm           Norm
	Up, Down          Matrix
	DownNorm          Norm
}

// Encode packs e into a blob, bound to the text of its vocabulary. Matrices are rounded to half precision, to
// nearest; a weight that does not fit is an error, as is a tensor that has
// not the length that e.Dims asks for.
func Encode(e *Encoder, vocabulary string) ([]byte, error) {
	if err := e.Check(); err != nil {
		return nil, err
	}
	if len(e.Layers) != e.Dims.Layers {
		return nil, fmt.Errorf("%d layers, want %d", len(e.Layers), e.Dims.Layers)
	}
	size := e.payloadSize()
	w := writer{b: make([]byte, headerSize, headerSize+size)}
	h := e.Hidden
	w.halves("word embeddings", e.Words, e.Vocab*h)
	w.positions(e)
	w.norm("embedding norm", e.Norm, h)
	for i := range e.Layers {
		l := &e.Layers[i]
		at := func(what string) string { return fmt.Sprintf("layer %d %s", i, what) }
		w.linear(at("query, key and value"), h, h, l.Query, l.Key, l.Value)
		w.linear(at("attention output"), h, h, l.Out)
		w.norm(at("attention norm"), l.OutNorm, h)
		w.linear(at("feed-forward up"), h, e.Inner, l.Up)
		w.linear(at("feed-forward down"), e.Inner, h, l.Down)
		w.norm(at("feed-forward norm"), l.DownNorm, h)
	}
	if w.err != nil {
		return nil, w.err
	}

	le := binary.LittleEndian
	payload := w.b[headerSize:]
	head := append(w.b[:0], magic...)
	head = le.AppendUint32(head, version)
	for _, v := range []int{e.Vocab, e.Positions, h, e.Heads, e.Inner, e.Dims.Layers} {
		head = le.AppendUint32(head, uint32(v))
	}
	head = le.AppendUint64(head, uint64(len(payload)))
	head = le.AppendUint32(head, 0) // the checksum, once the rest is there
	head = le.AppendUint32(head, checksum(vocabulary))
	sum := sha256.Sum256(payload)
	_ = append(head, sum[:]...)
	le.PutUint32(w.b[checksumAt:], fileChecksum(w.b))
	return w.b, nil
}

// writer keeps the first error and then does nothing.
type writer struct {
	b   []byte
	err error
}

func (w *writer) fits(what string, got, want int) bool {
	if w.err == nil && got != want {
		w.err = fmt.Errorf("%s: %d numbers, want %d", what, got, want)
	}
	return w.err == nil
}

func (w *writer) pad() {
	for len(w.b)%alignment != 0 {
		w.b = append(w.b, 0)
	}
}

func (w *writer) half(what string, f float32) {
	h := vec.Half(f)
	if h&0x7c00 == 0x7c00 && w.err == nil {
		w.err = fmt.Errorf("%s: weight %g does not fit half precision", what, f)
	}
	w.b = binary.LittleEndian.AppendUint16(w.b, h)
}

func (w *writer) halves(what string, f []float32, n int) {
	if !w.fits(what, len(f), n) {
		return
	}
	for _, v := range f {
		w.half(what, v)
	}
	w.pad()
}

func (w *writer) floats(what string, f []float32, n int) {
	if !w.fits(what, len(f), n) {
		return
	}
	for _, v := range f {
		w.b = binary.LittleEndian.AppendUint32(w.b, math.Float32bits(v))
	}
	w.pad()
}

func (w *writer) positions(e *Encoder) {
	n := e.Positions * e.Hidden
	if w.err == nil && (len(e.Position) < n || len(e.Type) < e.Hidden) {
		w.err = fmt.Errorf("position and type embeddings: %d and %d numbers, want %d and %d or more",
			len(e.Position), len(e.Type), n, e.Hidden)
	}
	if w.err != nil {
		return
	}
	sum := make([]float32, n)
	for i := range sum {
		sum[i] = e.Position[i] + e.Type[i%e.Hidden]
	}
	w.floats("position embeddings", sum, n)
}

func (w *writer) norm(what string, n Norm, hidden int) {
	w.floats(what, n.Scale, hidden)
	w.floats(what, n.Shift, hidden)
}

// linear packs one matrix or several, one below the other, each of the given
// number of outputs, which is a multiple of PanelWidth.
func (w *writer) linear(what string, inputs, outputs int, matrices ...Matrix) {
	var bias []float32
	for _, m := range matrices {
		if !w.fits(what, len(m.Weight), inputs*outputs) {
			return
		}
		for first := 0; first < outputs; first += PanelWidth {
			for k := range inputs {
				for j := range PanelWidth {
					w.half(what, m.Weight[(first+j)*inputs+k])
				}
			}
		}
		bias = append(bias, m.Bias...)
	}
	w.pad()
	w.floats(what+" biases", bias, len(matrices)*outputs)
}
