package main

import (
	"encoding/binary"
	"encoding/json"
	"fmt"
	"math"
	"slices"
)

// safetensors is an opened file of named tensors: the length of a header, the
// header as JSON, then the numbers.
type safetensors struct {
	entries map[string]tensorEntry
	data    []byte
}

type tensorEntry struct {
	DType   string    `json:"dtype"`
	Shape   []int     `json:"shape"`
	Offsets [2]uint64 `json:"data_offsets"`
}

const maxHeader = 100 << 20 // the format's own limit

// openSafetensors reads the header of file. It keeps file.
func openSafetensors(file []byte) (*safetensors, error) {
	if len(file) < 8 {
		return nil, fmt.Errorf("safetensors file of %d bytes has no header", len(file))
	}
	size := binary.LittleEndian.Uint64(file)
	if size > maxHeader || size > uint64(len(file)-8) {
		return nil, fmt.Errorf("safetensors header of %d bytes in a file of %d", size, len(file))
	}
	var raw map[string]json.RawMessage
	if err := json.Unmarshal(file[8:8+size], &raw); err != nil {
		return nil, fmt.Errorf("safetensors header: %w", err)
	}
	s := &safetensors{entries: make(map[string]tensorEntry, len(raw)), data: file[8+size:]}
	for name, text := range raw {
		if name == "__metadata__" {
			continue
		}
		var e tensorEntry
		if err := json.Unmarshal(text, &e); err != nil {
			return nil, fmt.Errorf("safetensors header, tensor %s: %w", name, err)
		}
		s.entries[name] = e
	}
	return s, nil
}

// shape returns the shape of a tensor of rank 2.
func (s *safetensors) shape(name string) (rows, columns int, err error) {
	e, ok := s.entries[name]
	if !ok {
		return 0, 0, fmt.Errorf("tensor %s is missing", name)
	}
	if len(e.Shape) != 2 {
		return 0, 0, fmt.Errorf("tensor %s has shape %v, want a matrix", name, e.Shape)
	}
	return e.Shape[0], e.Shape[1], nil
}

// floats returns the numbers of a float32 tensor that has the given shape.
func (s *safetensors) floats(name string, shape ...int) ([]float32, error) {
	e, ok := s.entries[name]
	if !ok {
		return nil, fmt.Errorf("tensor %s is missing", name)
	}
	if e.DType != "F32" {
		return nil, fmt.Errorf("tensor %s holds %s, want F32", name, e.DType)
	}
	if !slices.Equal(e.Shape, shape) {
		return nil, fmt.Errorf("tensor %s has shape %v, want %v", name, e.Shape, shape)
	}
	from, to := e.Offsets[0], e.Offsets[1]
	if from > to || to > uint64(len(s.data)) {
		return nil, fmt.Errorf("tensor %s lies at %d to %d of %d bytes: the file is cut off", name, from, to, len(s.data))
	}
	n := 1
	for _, d := range shape {
		n *= d
	}
	b := s.data[from:to]
	if len(b) != 4*n {
		return nil, fmt.Errorf("tensor %s has %d bytes, its shape %v asks for %d", name, len(b), shape, 4*n)
	}
	f := make([]float32, n)
	for i := range f {
		f[i] = math.Float32frombits(binary.LittleEndian.Uint32(b[4*i:]))
	}
	return f, nil
}
