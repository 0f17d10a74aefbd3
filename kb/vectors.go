package kb

import (
	"bytes"
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"

	"plumbline/bot"
	"plumbline/internal/vec"
)

// vectors.bin, all numbers little-endian:
//
//	magic      8 bytes, "PLVEC\x00\x00\x01": the last is the layout's version
//	model      uint16 length and as many bytes: Embedder.Name
//	dimension  uint32
//	count      uint32
//	hashes     count × 16 bytes, ascending: the first half of SHA-256 of a text
//	rows       count × dimension × 2 bytes, IEEE 754 binary16, in the same order
//	checksum   32 bytes: SHA-256 of all before it
const (
	vectorsMagic = "PLVEC\x00\x00\x01"
	maxDimension = 1 << 16
	maxModelName = 1 << 10
)

// A TextHash names a text by its content.
type TextHash [16]byte

// HashText returns the hash that vectors.bin keeps a text under.
func HashText(text string) TextHash {
	sum := sha256.Sum256([]byte(text))
	return TextHash(sum[:16])
}

// Vectors are embeddings of texts by one model, as vectors.bin holds them. Two
// goroutines may use them.
type Vectors struct {
	Model  string
	Dim    int
	hashes []TextHash
	rows   string // halves, as in the file
}

// Len returns how many texts have vectors.
func (v *Vectors) Len() int { return len(v.hashes) }

// Row returns the vector of the text with the hash, of unit length.
func (v *Vectors) Row(h TextHash) ([]float32, bool) {
	i, ok := slices.BinarySearchFunc(v.hashes, h, func(a, b TextHash) int { return bytes.Compare(a[:], b[:]) })
	if !ok {
		return nil, false
	}
	row := make([]float32, v.Dim)
	vec.DecodeHalves(row, v.rows[i*v.Dim*2:(i+1)*v.Dim*2])
	vec.Normalize(row)
	return row, true
}

// ReadVectors reads vectors.bin. What is cut short, changed or of another
// layout is bot.ErrInvalid. It keeps no part of data.
func ReadVectors(data []byte) (*Vectors, error) {
	v, err := readVectors(data)
	if err != nil {
		return nil, fmt.Errorf("read vectors: %w: %w", bot.ErrInvalid, err)
	}
	return v, nil
}

func readVectors(data []byte) (*Vectors, error) {
	if !bytes.HasPrefix(data, []byte(vectorsMagic)) {
		return nil, errors.New("not a file of vectors of this version")
	}
	if len(data) < len(vectorsMagic)+2+4+4+sha256.Size {
		return nil, errors.New("cut short")
	}
	body, sum := data[:len(data)-sha256.Size], data[len(data)-sha256.Size:]
	if got := sha256.Sum256(body); !bytes.Equal(got[:], sum) {
		return nil, errors.New("cut short or changed: the checksum differs")
	}
	rest := body[len(vectorsMagic):]
	name := int(binary.LittleEndian.Uint16(rest))
	rest = rest[2:]
	if name > maxModelName || len(rest) < name+8 {
		return nil, errors.New("the model's name is too long")
	}
	v := &Vectors{Model: string(rest[:name])}
	dim, count := binary.LittleEndian.Uint32(rest[name:]), binary.LittleEndian.Uint32(rest[name+4:])
	rest = rest[name+8:]
	if dim == 0 || dim > maxDimension || uint64(len(rest)) != uint64(count)*(16+2*uint64(dim)) {
		return nil, fmt.Errorf("%d vectors of dimension %d do not fill the file", count, dim)
	}
	v.Dim = int(dim)
	v.hashes = make([]TextHash, count)
	for i := range v.hashes {
		v.hashes[i] = TextHash(rest[16*i:])
		if i > 0 && bytes.Compare(v.hashes[i-1][:], v.hashes[i][:]) >= 0 {
			return nil, errors.New("the texts are not in order")
		}
	}
	v.rows = string(rest[16*len(v.hashes):])
	return v, nil
}

// WriteVectors writes vectors.bin. Equal rows give equal bytes. Rows of another
// length than dim, and values that half precision cannot hold, are
// bot.ErrInvalid.
func WriteVectors(w io.Writer, model string, dim int, rows map[TextHash][]float32) error {
	if len(model) > maxModelName || dim <= 0 || dim > maxDimension {
		return fmt.Errorf("write vectors: %w: model %.40q of dimension %d", bot.ErrInvalid, model, dim)
	}
	hashes := slices.SortedFunc(maps.Keys(rows), func(a, b TextHash) int { return bytes.Compare(a[:], b[:]) })
	out := make([]byte, 0, len(vectorsMagic)+2+len(model)+8+len(rows)*(16+2*dim)+sha256.Size)
	out = append(out, vectorsMagic...)
	out = binary.LittleEndian.AppendUint16(out, uint16(len(model)))
	out = append(out, model...)
	out = binary.LittleEndian.AppendUint32(out, uint32(dim))
	out = binary.LittleEndian.AppendUint32(out, uint32(len(rows)))
	for _, h := range hashes {
		out = append(out, h[:]...)
	}
	half := make([]uint16, dim)
	for _, h := range hashes {
		if len(rows[h]) != dim {
			return fmt.Errorf("write vectors: %w: a row of dimension %d among %d", bot.ErrInvalid, len(rows[h]), dim)
		}
		vec.Halves(half, rows[h])
		for _, x := range half {
			if x&0x7c00 == 0x7c00 {
				return fmt.Errorf("write vectors: %w: a value is not finite in half precision", bot.ErrInvalid)
			}
			out = binary.LittleEndian.AppendUint16(out, x)
		}
	}
	sum := sha256.Sum256(out)
	out = append(out, sum[:]...)
	if _, err := w.Write(out); err != nil {
		return fmt.Errorf("write vectors: %w", err)
	}
	return nil
}
