package main

import (
	"fmt"

	"plumbline/kb/minilm/blob"
)

// convert packs a BERT encoder, given as a safetensors file with the names of
// the sentence-transformers export, into a blob for package minilm, bound to
// the text of its vocabulary. Positions
// beyond the given number, token types beyond the first and the pooler are
// left out. The file does not say how many heads attention has.
func convert(file []byte, vocabulary string, heads, positions int) ([]byte, error) {
	s, err := openSafetensors(file)
	if err != nil {
		return nil, err
	}
	e, err := readEncoder(s, heads, positions)
	if err != nil {
		return nil, err
	}
	b, err := blob.Encode(e, vocabulary)
	if err != nil {
		return nil, fmt.Errorf("pack: %w", err)
	}
	return b, nil
}

const (
	words     = "embeddings.word_embeddings.weight"
	position  = "embeddings.position_embeddings.weight"
	tokenType = "embeddings.token_type_embeddings.weight"
)

func layerName(i int) string { return fmt.Sprintf("encoder.layer.%d.", i) }

// readDims takes the sizes from the shapes of the tensors.
func readDims(s *safetensors, heads, positions int) (d blob.Dims, err error) {
	d.Heads, d.Positions = heads, positions
	if d.Vocab, d.Hidden, err = s.shape(words); err != nil {
		return d, err
	}
	if d.Inner, _, err = s.shape(layerName(0) + "intermediate.dense.weight"); err != nil {
		return d, err
	}
	for {
		if _, ok := s.entries[layerName(d.Layers)+"intermediate.dense.weight"]; !ok {
			break
		}
		d.Layers++
	}
	return d, d.Check()
}

func readEncoder(s *safetensors, heads, positions int) (*blob.Encoder, error) {
	d, err := readDims(s, heads, positions)
	if err != nil {
		return nil, err
	}
	r := tensorReader{file: s}
	e := &blob.Encoder{
		Dims:     d,
		Words:    r.floats(words, d.Vocab, d.Hidden),
		Position: r.table(position, d.Hidden),
		Type:     r.table(tokenType, d.Hidden),
		Norm:     r.norm("embeddings.LayerNorm", d.Hidden),
	}
	for i := range d.Layers {
		p := layerName(i)
		e.Layers = append(e.Layers, blob.EncoderLayer{
			Query:    r.matrix(p+"attention.self.query", d.Hidden, d.Hidden),
			Key:      r.matrix(p+"attention.self.key", d.Hidden, d.Hidden),
			Value:    r.matrix(p+"attention.self.value", d.Hidden, d.Hidden),
			Out:      r.matrix(p+"attention.output.dense", d.Hidden, d.Hidden),
			OutNorm:  r.norm(p+"attention.output.LayerNorm", d.Hidden),
			Up:       r.matrix(p+"intermediate.dense", d.Inner, d.Hidden),
			Down:     r.matrix(p+"output.dense", d.Hidden, d.Inner),
			DownNorm: r.norm(p+"output.LayerNorm", d.Hidden),
		})
	}
	if r.err != nil {
		return nil, r.err
	}
	return e, nil
}

// tensorReader keeps the first error; after it the results are empty.
type tensorReader struct {
	file *safetensors
	err  error
}

func (r *tensorReader) floats(name string, shape ...int) []float32 {
	if r.err != nil {
		return nil
	}
	f, err := r.file.floats(name, shape...)
	if err != nil {
		r.err = err
	}
	return f
}

// table reads a matrix of any number of rows.
func (r *tensorReader) table(name string, columns int) []float32 {
	if r.err != nil {
		return nil
	}
	rows, _, err := r.file.shape(name)
	if err != nil {
		r.err = err
		return nil
	}
	return r.floats(name, rows, columns)
}

func (r *tensorReader) matrix(name string, outputs, inputs int) blob.Matrix {
	return blob.Matrix{Weight: r.floats(name+".weight", outputs, inputs), Bias: r.floats(name+".bias", outputs)}
}

func (r *tensorReader) norm(name string, hidden int) blob.Norm {
	return blob.Norm{Scale: r.floats(name+".weight", hidden), Shift: r.floats(name+".bias", hidden)}
}
