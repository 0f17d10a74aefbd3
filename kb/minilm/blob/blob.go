// Package blob is the file of weights that package minilm runs on: a BERT
// encoder in half precision, packed in the order in which it is read.
//
// Layout, all numbers little-endian. A header of 128 bytes: the magic
// "MiniLM\x1ah", the version, Vocab, Positions, Hidden, Heads, Inner and
// Layers (uint32 each), the payload's length (uint64), the CRC-32C of the whole
// file but these four bytes, that of the vocabulary that it was trained with,
// the payload's SHA-256, zeros. Then the payload, whose sections each begin at
// a multiple of 64 bytes:
//
//	word embeddings          Vocab x Hidden      half, row-major
//	position embeddings      Positions x Hidden  float32, token type 0 added
//	their norm               2 x Hidden          float32, scale then shift
//	per layer:
//	  query, key and value   3*Hidden outputs    panels, then float32 biases
//	  attention output       Hidden outputs      panels, then float32 biases
//	  norm                   2 x Hidden          float32
//	  feed-forward up        Inner outputs       panels, then float32 biases
//	  feed-forward down      Hidden outputs      panels, then float32 biases
//	  norm                   2 x Hidden          float32
//
// A panel holds 16 outputs of a linear layer: for each input in turn the 16
// weights, as halves. That is what the matrix kernels read, front to back.
package blob

import (
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"errors"
	"fmt"
	"hash/crc32"
	"math"
	"unsafe"
)

// PanelWidth is how many outputs of a linear layer lie side by side.
const PanelWidth = 16

const (
	magic      = "MiniLM\x1ah"
	version    = 1
	headerSize = 128
	alignment  = 64
)

// ErrDamaged is the kind of every error of Open: the text is no blob, or not
// all of one, or its bytes have changed.
var ErrDamaged = errors.New("damaged weights")

// Dims are the sizes of an encoder.
type Dims struct {
	Vocab     int // word pieces
	Positions int // longest text in pieces
	Hidden    int // width of the vectors, a multiple of 16
	Heads     int // of attention; Hidden/Heads is a multiple of 16
	Inner     int // width of the feed-forward step, a multiple of 16
	Layers    int
}

// Check reports what makes d unfit for the kernels, or nil.
func (d Dims) Check() error {
	for _, v := range []int{d.Vocab, d.Positions, d.Hidden, d.Heads, d.Inner, d.Layers} {
		if v < 1 || v > 1<<16 {
			return fmt.Errorf("size %d of %+v is not within 1 and %d", v, d, 1<<16)
		}
	}
	if d.Hidden%d.Heads != 0 || d.Hidden/d.Heads%PanelWidth != 0 || d.Inner%PanelWidth != 0 {
		return fmt.Errorf("hidden %d in %d heads, inner %d: not whole panels of %d", d.Hidden, d.Heads, d.Inner, PanelWidth)
	}
	return nil
}

// Norm scales and shifts normalised rows.
type Norm struct {
	Scale, Shift []float32
}

// Linear is a layer of len(Bias) outputs. Panels lies in the blob.
type Linear struct {
	Inputs int
	Panels string
	Bias   []float32
}

// Panel returns panel p, outputs 16p to 16p+15: PanelWidth*Inputs halves.
func (l *Linear) Panel(p int) string {
	n := 2 * PanelWidth * l.Inputs
	return l.Panels[p*n : (p+1)*n]
}

// Layer is one layer of the encoder.
type Layer struct {
	QKV      Linear // query, key, value
	Out      Linear
	OutNorm  Norm
	Up       Linear
	Down     Linear
	DownNorm Norm
}

// Weights are an opened blob. What is in half precision stays in the blob;
// the rest, some 2 % of it, is copied. Nothing in it may be changed.
type Weights struct {
	Dims
	Sum      [sha256.Size]byte // SHA-256 of the payload, as the header says
	Words    string            // Vocab x Hidden halves
	Position []float32         // Positions x Hidden
	Norm     Norm
	Layers   []Layer

	vocabulary uint32 // CRC-32C
}

// CheckVocabulary reports whether text is the vocabulary that the weights
// were trained with: with any other the vectors would mean nothing. Its error
// wraps ErrDamaged.
func (w *Weights) CheckVocabulary(text string) error {
	if got := checksum(text); got != w.vocabulary {
		return fmt.Errorf("%w: vocabulary with checksum %08x, the weights want %08x", ErrDamaged, got, w.vocabulary)
	}
	return nil
}

// Hash is the first 8 hexadecimal digits of Sum.
func (w *Weights) Hash() string { return hex.EncodeToString(w.Sum[:4]) }

// Open reads a blob without copying its matrices, so that b stays in use. b
// may lie at any address; at a multiple of 32 the kernels run best. It checks
// the header, the length and the CRC-32C; Sum is taken on trust (VerifySum).
// Its errors wrap ErrDamaged.
func Open(b string) (*Weights, error) {
	w := new(Weights)
	payload, err := w.readHeader(b)
	if err != nil {
		return nil, fmt.Errorf("%w: %w", ErrDamaged, err)
	}
	r := reader{rest: payload}
	w.Words = r.take(2 * w.Vocab * w.Hidden)
	w.Position = r.floats(w.Positions * w.Hidden)
	w.Norm = r.norm(w.Hidden)
	w.Layers = make([]Layer, w.Dims.Layers)
	for i := range w.Layers {
		w.Layers[i] = Layer{
			QKV:      r.linear(w.Hidden, 3*w.Hidden),
			Out:      r.linear(w.Hidden, w.Hidden),
			OutNorm:  r.norm(w.Hidden),
			Up:       r.linear(w.Hidden, w.Inner),
			Down:     r.linear(w.Inner, w.Hidden),
			DownNorm: r.norm(w.Hidden),
		}
	}
	return w, nil
}

// VerifySum reports whether the payload of b has the SHA-256 that its header
// says. Open leaves it out because it takes some 50 ms a start.
func VerifySum(b string) error {
	w := new(Weights)
	payload, err := w.readHeader(b)
	if err != nil {
		return fmt.Errorf("%w: %w", ErrDamaged, err)
	}
	if got := sha256.Sum256(bytesOf(payload)); got != w.Sum {
		return fmt.Errorf("%w: sha256 of the payload is %x, the header says %x", ErrDamaged, got, w.Sum)
	}
	return nil
}

// readHeader fills w.Dims and w.Sum and returns the payload, checked.
func (w *Weights) readHeader(b string) (string, error) {
	if len(b) < headerSize {
		return "", fmt.Errorf("%d bytes, the header alone has %d", len(b), headerSize)
	}
	if b[:len(magic)] != magic {
		return "", fmt.Errorf("begins with %q, not with %q", b[:len(magic)], magic)
	}
	h := []byte(b[len(magic):headerSize])
	le := binary.LittleEndian
	if v := le.Uint32(h); v != version {
		return "", fmt.Errorf("format version %d, this program reads version %d", v, version)
	}
	for i, p := range []*int{&w.Vocab, &w.Positions, &w.Hidden, &w.Heads, &w.Inner, &w.Dims.Layers} {
		*p = int(le.Uint32(h[4+4*i:]))
	}
	if err := w.Check(); err != nil {
		return "", err
	}
	payload := b[headerSize:]
	size := le.Uint64(h[28:])
	if want := uint64(w.payloadSize()); size != want {
		return "", fmt.Errorf("header says %d bytes of payload, its sizes ask for %d", size, want)
	}
	if uint64(len(payload)) != size {
		return "", fmt.Errorf("%d bytes of payload, the header says %d", len(payload), size)
	}
	if got, want := fileChecksum(bytesOf(b)), le.Uint32(h[36:]); got != want {
		return "", fmt.Errorf("checksum %08x, the header says %08x", got, want)
	}
	w.vocabulary = le.Uint32(h[40:])
	copy(w.Sum[:], h[44:])
	return payload, nil
}

// payloadSize is the length of all sections, without overflow for Dims that
// pass Check.
func (d Dims) payloadSize() int64 {
	at := func(n int64) int64 { return (n + alignment - 1) / alignment * alignment }
	v, p, h, f := int64(d.Vocab), int64(d.Positions), int64(d.Hidden), int64(d.Inner)
	norm := 2 * at(4*h)
	layer := at(2*3*h*h) + at(4*3*h) + at(2*h*h) + at(4*h) + norm +
		at(2*h*f) + at(4*f) + at(2*h*f) + at(4*h) + norm
	return at(2*v*h) + at(4*p*h) + norm + int64(d.Layers)*layer
}

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

func checksum(s string) uint32 {
	return crc32.Checksum(bytesOf(s), castagnoli)
}

// checksumAt is where the header holds fileChecksum.
const checksumAt = len(magic) + 36

func fileChecksum(b []byte) uint32 {
	before := crc32.Checksum(b[:checksumAt], castagnoli)
	return crc32.Update(before, castagnoli, b[checksumAt+4:])
}

// bytesOf is s without a copy, to be read only.
func bytesOf(s string) []byte {
	return unsafe.Slice(unsafe.StringData(s), len(s))
}

// reader cuts sections off a payload whose length has been checked.
type reader struct{ rest string }

func (r *reader) take(n int) string {
	s := r.rest[:n]
	r.rest = r.rest[(n+alignment-1)/alignment*alignment:]
	return s
}

func (r *reader) floats(n int) []float32 {
	s := r.take(4 * n)
	f := make([]float32, n)
	for i := range f {
		b := s[4*i : 4*i+4]
		f[i] = math.Float32frombits(uint32(b[0]) | uint32(b[1])<<8 | uint32(b[2])<<16 | uint32(b[3])<<24)
	}
	return f
}

func (r *reader) norm(n int) Norm {
	return Norm{Scale: r.floats(n), Shift: r.floats(n)}
}

func (r *reader) linear(inputs, outputs int) Linear {
	return Linear{Inputs: inputs, Panels: r.take(2 * inputs * outputs), Bias: r.floats(outputs)}
}
