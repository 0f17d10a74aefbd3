package main

import (
	"bytes"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"maps"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"plumbline/internal/vec"
	"plumbline/kb/minilm/blob"
)

// tensor is one of a made-up file.
type tensor struct {
	dtype string
	shape []int
	f     []float32
}

// madeUp is a model of 5 pieces, hidden 16, inner 32, 2 layers, 4 positions,
// with numbers that tell the tensors apart.
func madeUp() map[string]tensor {
	m := make(map[string]tensor)
	add := func(name string, shape ...int) {
		n := 1
		for _, d := range shape {
			n *= d
		}
		f := make([]float32, n)
		for i := range f {
			f[i] = float32(len(m)+1) + float32(i%512)/512
		}
		m[name] = tensor{"F32", shape, f}
	}
	const vocab, hidden, inner = 5, 16, 32
	add("embeddings.word_embeddings.weight", vocab, hidden)
	add("embeddings.position_embeddings.weight", 4, hidden)
	add("embeddings.token_type_embeddings.weight", 2, hidden)
	add("embeddings.LayerNorm.weight", hidden)
	add("embeddings.LayerNorm.bias", hidden)
	for i := range 2 {
		for _, l := range []struct {
			name            string
			outputs, inputs int
		}{
			{"attention.self.query", hidden, hidden}, {"attention.self.key", hidden, hidden}, {"attention.self.value", hidden, hidden},
			{"attention.output.dense", hidden, hidden}, {"intermediate.dense", inner, hidden}, {"output.dense", hidden, inner},
		} {
			add(fmt.Sprintf("encoder.layer.%d.%s.weight", i, l.name), l.outputs, l.inputs)
			add(fmt.Sprintf("encoder.layer.%d.%s.bias", i, l.name), l.outputs)
		}
		for _, n := range []string{"attention.output", "output"} {
			add(fmt.Sprintf("encoder.layer.%d.%s.LayerNorm.weight", i, n), hidden)
			add(fmt.Sprintf("encoder.layer.%d.%s.LayerNorm.bias", i, n), hidden)
		}
	}
	add("pooler.dense.weight", hidden, hidden)
	m["embeddings.position_ids"] = tensor{"I64", []int{1, 2}, make([]float32, 4)}
	return m
}

// file writes tensors as safetensors, in the order of their names.
func file(t *testing.T, tensors map[string]tensor) []byte {
	t.Helper()
	header := map[string]any{"__metadata__": map[string]string{"format": "pt"}}
	var data []byte
	for _, name := range slices.Sorted(maps.Keys(tensors)) {
		from := len(data)
		for _, f := range tensors[name].f {
			data = binary.LittleEndian.AppendUint32(data, math.Float32bits(f))
		}
		header[name] = map[string]any{"dtype": tensors[name].dtype, "shape": tensors[name].shape, "data_offsets": []int{from, len(data)}}
	}
	text, err := json.Marshal(header)
	if err != nil {
		t.Fatal(err)
	}
	return slices.Concat(binary.LittleEndian.AppendUint64(nil, uint64(len(text))), text, data)
}

func TestConvert(t *testing.T) {
	const vocabulary, positions = "a\nb\nc\nd\ne\n", 3
	tensors := madeUp()
	b, err := convert(file(t, tensors), vocabulary, 1, positions)
	if err != nil {
		t.Fatalf("convert: %v", err)
	}
	w, err := blob.Open(string(b))
	if err != nil {
		t.Fatalf("Open of what convert made: %v", err)
	}
	if want := (blob.Dims{Vocab: 5, Positions: positions, Hidden: 16, Heads: 1, Inner: 32, Layers: 2}); w.Dims != want {
		t.Errorf("sizes %+v, want %+v", w.Dims, want)
	}
	if err := w.CheckVocabulary(vocabulary); err != nil {
		t.Error(err)
	}
	same := func(what string, got []float32, want ...float32) {
		t.Helper()
		if !slices.Equal(got, want) {
			t.Errorf("%s = %v, want %v", what, got, want)
		}
	}
	values := func(name string) []float32 { return tensors[name].f }
	same("word norm scale", w.Norm.Scale, values("embeddings.LayerNorm.weight")...)
	same("word norm shift", w.Norm.Shift, values("embeddings.LayerNorm.bias")...)
	p, typ := values("embeddings.position_embeddings.weight"), values("embeddings.token_type_embeddings.weight")
	for i, got := range w.Position {
		if want := p[i] + typ[i%16]; got != want {
			t.Fatalf("Position[%d] = %v, want %v", i, got, want)
		}
	}
	for i, l := range w.Layers {
		name := func(s string) string { return fmt.Sprintf("encoder.layer.%d.%s", i, s) }
		same(name("qkv bias"), l.QKV.Bias, slices.Concat(values(name("attention.self.query.bias")),
			values(name("attention.self.key.bias")), values(name("attention.self.value.bias")))...)
		same(name("out bias"), l.Out.Bias, values(name("attention.output.dense.bias"))...)
		same(name("up bias"), l.Up.Bias, values(name("intermediate.dense.bias"))...)
		same(name("down bias"), l.Down.Bias, values(name("output.dense.bias"))...)
		same(name("out norm"), l.OutNorm.Scale, values(name("attention.output.LayerNorm.weight"))...)
		same(name("out norm"), l.OutNorm.Shift, values(name("attention.output.LayerNorm.bias"))...)
		same(name("down norm"), l.DownNorm.Scale, values(name("output.LayerNorm.weight"))...)
		same(name("down norm"), l.DownNorm.Shift, values(name("output.LayerNorm.bias"))...)
		for panel, tensor := range map[string]string{
			l.QKV.Panel(0): "attention.self.query", l.QKV.Panel(1): "attention.self.key", l.QKV.Panel(2): "attention.self.value",
			l.Out.Panel(0): "attention.output.dense", l.Up.Panel(0): "intermediate.dense", l.Down.Panel(0): "output.dense",
		} {
			// Output 1 of input 1: the second row's second number.
			f := make([]float32, 18)
			vec.DecodeHalves(f, panel)
			m := tensors[name(tensor+".weight")]
			if want := vec.FromHalf(vec.Half(m.f[m.shape[1]+1])); f[17] != want {
				t.Errorf("%s, output 1, input 1 = %v, want %v", name(tensor), f[17], want)
			}
		}
	}
}

func TestConvertRefuses(t *testing.T) {
	change := func(name string, f func(x *tensor)) func(m map[string]tensor) {
		return func(m map[string]tensor) {
			x := m[name]
			f(&x)
			m[name] = x
		}
	}
	remove := func(name string) func(m map[string]tensor) { return func(m map[string]tensor) { delete(m, name) } }
	cut := func(n int) func(b []byte) []byte { return func(b []byte) []byte { return b[:len(b)-n] } }
	for _, tt := range []struct {
		name  string
		spoil func(m map[string]tensor)
		bytes func(b []byte) []byte
		says  string
	}{
		{"Empty", nil, func([]byte) []byte { return nil }, "0 bytes has no header"},
		{"HeaderBeyondFile", nil, func(b []byte) []byte { return b[:100] }, "header of"},
		{"HugeHeader", nil, func(b []byte) []byte { b[7] = 0xff; return b }, "header of"},
		{"HeaderIsNoJSON", nil, func(b []byte) []byte { b[8] = '['; return b }, "safetensors header: "},
		{"HeaderOfOtherKind", nil, func(b []byte) []byte { return bytes.Replace(b, []byte(`"F32"`), []byte(`12345`), 1) }, "safetensors header, tensor"},
		{"CutOff", nil, cut(1), "pooler"},
		{"CutOffWhereItMatters", nil, cut(2000), "the file is cut off"},
		{"OffsetsReversed", nil, func(b []byte) []byte {
			return bytes.Replace(b, []byte(`"data_offsets":[0,64]`), []byte(`"data_offsets":[64,0]`), 1)
		}, "lies at 64 to 0"},
		{"NoWords", remove("embeddings.word_embeddings.weight"), nil, "tensor embeddings.word_embeddings.weight is missing"},
		{"NoTypes", remove("embeddings.token_type_embeddings.weight"), nil, "tensor embeddings.token_type_embeddings.weight is missing"},
		{"NoBias", remove("encoder.layer.1.output.dense.bias"), nil, "tensor encoder.layer.1.output.dense.bias is missing"},
		{"NoLayer", remove("encoder.layer.0.intermediate.dense.weight"), nil, "intermediate.dense.weight is missing"},
		{"WrongType", change("encoder.layer.0.output.dense.weight", func(x *tensor) { x.dtype = "F16" }), nil, "encoder.layer.0.output.dense.weight holds F16, want F32"},
		{"WrongShape", change("encoder.layer.0.attention.self.key.weight", func(x *tensor) { x.shape = []int{256} }), nil, "has shape [256], want [16 16]"},
		{"WordsOfOneColumn", change("embeddings.word_embeddings.weight", func(x *tensor) { x.shape = []int{80} }), nil, "want a matrix"},
		{"BytesDoNotFitShape", change("encoder.layer.0.attention.self.key.bias", func(x *tensor) { x.f = x.f[1:] }), nil, "60 bytes, its shape [16] asks for 64"},
		{"NegativeShape", change("embeddings.position_embeddings.weight", func(x *tensor) { x.shape = []int{-4, 16} }), nil, "asks for -256"},
		{"FewPositions", change("embeddings.position_embeddings.weight", func(x *tensor) { x.shape, x.f = []int{2, 16}, x.f[:32] }), nil, "pack: position"},
		{"TooLarge", change("encoder.layer.1.intermediate.dense.weight", func(x *tensor) { x.f[0] = 1e6 }), nil, "pack: layer 1 feed-forward up: weight 1e+06"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			m := madeUp()
			if tt.spoil != nil {
				tt.spoil(m)
			}
			b := file(t, m)
			if tt.bytes != nil {
				b = tt.bytes(b)
			}
			got, err := convert(b, "", 1, 3)
			if tt.says == "pooler" {
				// What is left out may be cut off.
				if err != nil {
					t.Errorf("convert of a file whose pooler is cut off = %v", err)
				}
				return
			}
			if err == nil || got != nil || !strings.Contains(err.Error(), tt.says) {
				t.Errorf("convert = %d bytes, %v, want an error that says %q", len(got), err, tt.says)
			}
		})
	}
}

func TestRunRefuses(t *testing.T) {
	dir := t.TempDir()
	model := filepath.Join(dir, "model.safetensors")
	if err := os.WriteFile(model, file(t, madeUp()), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct {
		name string
		args []string
		exit int
		says string
	}{
		{"Nothing", nil, 2, "-model file"},
		{"NoFolder", []string{"-model", model, "-vocab", model}, 2, "-out folder"},
		{"Unknown", []string{"-fast"}, 2, "not defined"},
		{"NoFile", []string{"-model", filepath.Join(dir, "none"), "-vocab", model, "-out", dir}, 1, "none"},
		{"OtherModel", []string{"-model", model, "-vocab", model, "-out", dir}, 1, "the published file has 53aa51172d142c89"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			var stdout, stderr strings.Builder
			if got := run(tt.args, &stdout, &stderr); got != tt.exit || !strings.Contains(stderr.String(), tt.says) {
				t.Errorf("run(%q) = %d with %q, want %d with %q", tt.args, got, stderr.String(), tt.exit, tt.says)
			}
		})
	}
	if left, err := os.ReadDir(dir); err != nil || len(left) != 1 {
		t.Errorf("run left %v behind (%v), want the model alone", left, err)
	}
}
