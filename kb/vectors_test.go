package kb

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"plumbline/bot"
	"plumbline/internal/vec"
)

// A dice is an embedder whose vectors are drawn from the text: equal texts,
// equal vectors.
type dice struct {
	name   string
	dim    int
	texts  []string // that it was asked for
	err    error
	faulty bool // returns a vector too few
}

func (d *dice) Name() string { return d.name }
func (d *dice) Dim() int     { return d.dim }

func (d *dice) Embed(_ context.Context, texts []string) ([][]float32, error) {
	d.texts = append(d.texts, texts...)
	var rows [][]float32
	for _, text := range texts {
		row := make([]float32, d.dim)
		for i := range row {
			sum := sha256.Sum256(fmt.Appendf(nil, "%s %d", text, i))
			row[i] = float32(int16(binary.LittleEndian.Uint16(sum[:])))
		}
		vec.Normalize(row)
		rows = append(rows, row)
	}
	if d.faulty {
		rows = rows[1:]
	}
	return rows, d.err
}

// packOf is the pack of testdata with vectors by emb.
func packOf(t *testing.T, emb *dice) *Pack {
	t.Helper()
	p := *goodLibrary(t).Packs()[0]
	var err error
	if p.Vectors, err = MakeVectors(t.Context(), &p, emb, nil); err != nil {
		t.Fatal(err)
	}
	emb.texts = nil
	return &p
}

func libraryOf(t *testing.T, p *Pack) *Library {
	t.Helper()
	l, err := NewLibrary(p)
	if err != nil {
		t.Fatal(err)
	}
	return l
}

func filled(t *testing.T, l *Library, emb Embedder, progress func(done, total int)) ([]Record, Filled) {
	t.Helper()
	records := Records(l)
	f, err := Fill(t.Context(), l, records, emb, progress)
	if err != nil {
		t.Fatalf("Fill: %v", err)
	}
	for _, r := range records {
		if len(r.Vector) != emb.Dim() {
			t.Fatalf("Fill leaves record %s with a vector of dimension %d", r.ID, len(r.Vector))
		}
		if norm := vec.Dot(r.Vector, r.Vector); math.Abs(float64(norm)-1) > 1e-6 {
			t.Fatalf("Fill gives record %s a vector of length² %v", r.ID, norm)
		}
	}
	return records, f
}

// texts are the distinct texts that the good pack's records embed.
func distinct(records []Record) int {
	seen := make(map[string]bool)
	for _, r := range records {
		seen[r.embedded()] = true
	}
	return len(seen)
}

func TestFill(t *testing.T) {
	emb := &dice{name: "dice", dim: 6}
	shipped := libraryOf(t, packOf(t, emb))
	with, f := filled(t, shipped, emb, nil)
	if f.Shipped != len(with) || f.Remade != 0 || f.Warnings != nil || len(emb.texts) != 0 {
		t.Errorf("Fill with all vectors shipped = %+v, embedding %q", f, emb.texts)
	}
	var last, total int
	without, f := filled(t, goodLibrary(t), emb, func(done, of int) {
		if done <= last {
			t.Errorf("progress goes from %d to %d", last, done)
		}
		last, total = done, of
	})
	if want := distinct(without); f.Shipped != 0 || f.Remade != want || len(emb.texts) != want || last != want || total != want {
		t.Errorf("Fill without vectors = %+v, embedding %d texts, progress %d of %d, want %d", f, len(emb.texts), last, total, want)
	}
	if len(f.Warnings) != 1 || !strings.Contains(f.Warnings[0].Error(), "pack library-hours has no vectors") {
		t.Errorf("Fill without vectors warns %v", f.Warnings)
	}
	for i := range with {
		if !slices.Equal(with[i].Vector, without[i].Vector) {
			t.Errorf("record %s has another vector when it is shipped: %v, want %v", with[i].ID, with[i].Vector, without[i].Vector)
		}
		want, _ := emb.Embed(t.Context(), []string{with[i].embedded()})
		if cos := vec.Dot(with[i].Vector, want[0]); cos < 0.9999 {
			t.Errorf("record %s has a vector that is not its text's: cosine %v", with[i].ID, cos)
		}
	}
}

func TestFillEmbedsWhatIsMissing(t *testing.T) {
	emb := &dice{name: "dice", dim: 6}
	vectors := packOf(t, emb).Vectors
	p := *changedLibrary(t, [3]string{"documents/loans.json", `["my book got wet"]`, `["my book got wet", "a wet book"]`}).Packs()[0]
	p.Vectors = vectors
	_, f := filled(t, libraryOf(t, &p), emb, nil)
	if f.Remade != 1 || !slices.Equal(emb.texts, []string{"a wet book"}) || f.Warnings != nil {
		t.Errorf("Fill of a pack with one alias more = %+v, embedding %q", f, emb.texts)
	}
}

func TestFillWarns(t *testing.T) {
	emb := &dice{name: "dice", dim: 6}
	good := packOf(t, emb)
	for _, tt := range []struct {
		name    string
		vectors []byte
		emb     *dice
		want    string
	}{
		{"Cut", good.Vectors[:len(good.Vectors)-1], emb, "pack library-hours: read vectors: invalid: cut short or changed: the checksum differs; its texts are embedded now, which takes a while: run kb vectors"},
		{"Empty", []byte{}, emb, "pack library-hours: read vectors: invalid: not a file of vectors of this version; its texts are embedded now, which takes a while: run kb vectors"},
		{"OtherModel", good.Vectors, &dice{name: "coin", dim: 6}, "pack library-hours: its vectors are of dice (6), the model here is coin (6); its texts are embedded now, which takes a while: run kb vectors"},
		{"OtherDimension", good.Vectors, &dice{name: "dice", dim: 7}, "pack library-hours: its vectors are of dice (6), the model here is dice (7); its texts are embedded now, which takes a while: run kb vectors"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			p := *good
			p.Vectors = tt.vectors
			records, f := filled(t, libraryOf(t, &p), tt.emb, nil)
			if len(f.Warnings) != 1 || f.Warnings[0].Error() != tt.want {
				t.Errorf("Fill warns %v, want %q", f.Warnings, tt.want)
			}
			if f.Shipped != 0 || f.Remade != distinct(records) {
				t.Errorf("Fill = %+v, want all remade", f)
			}
		})
	}
}

func TestFillErrors(t *testing.T) {
	l := goodLibrary(t)
	down := &dice{name: "dice", dim: 6, err: bot.ErrUnavailable}
	if _, err := Fill(t.Context(), l, Records(l), down, nil); !errors.Is(err, bot.ErrUnavailable) {
		t.Errorf("Fill with an embedder that is down: %v", err)
	}
	few := &dice{name: "dice", dim: 6, faulty: true}
	if _, err := Fill(t.Context(), l, Records(l), few, nil); !errors.Is(err, bot.ErrInvalid) {
		t.Errorf("Fill with an embedder that returns too few: %v", err)
	}
	if _, err := MakeVectors(t.Context(), l.Packs()[0], few, nil); !errors.Is(err, bot.ErrInvalid) {
		t.Errorf("MakeVectors with an embedder that returns too few: %v", err)
	}
}

func TestStaleVectors(t *testing.T) {
	emb := &dice{name: "dice", dim: 6}
	p := packOf(t, emb)
	total := distinct(Records(libraryOf(t, p)))
	check := func(name string, p *Pack, model string, missing, extra int) {
		t.Helper()
		if m, e := StaleVectors(p, model); m != missing || e != extra {
			t.Errorf("%s: StaleVectors = %d, %d, want %d, %d", name, m, e, missing, extra)
		}
	}
	check("fresh", p, "dice", 0, 0)
	check("other model", p, "coin", total, 0)
	changed := *changedLibrary(t, [3]string{"documents/loans.json", `["my book got wet"]`, `["a wet book", "damp"]`}).Packs()[0]
	check("none", &changed, "dice", total+1, 0)
	changed.Vectors = p.Vectors
	check("two texts for one", &changed, "dice", 2, 1)
	broken := *p
	broken.Vectors = p.Vectors[1:]
	check("broken", &broken, "dice", total, 0)
}

// someRows draws rows that vectors.bin can hold.
func someRows(t *rapid.T, dim int) map[TextHash][]float32 {
	rows := make(map[TextHash][]float32)
	for range rapid.IntRange(0, 8).Draw(t, "count") {
		h := TextHash(rapid.SliceOfN(rapid.Byte(), 16, 16).Draw(t, "hash"))
		row := make([]float32, dim)
		for i := range row {
			row[i] = float32(rapid.IntRange(-1000, 1000).Draw(t, "x"))
		}
		row[0] = float32(rapid.IntRange(1, 1000).Draw(t, "x0")) // never zero
		rows[h] = row
	}
	return rows
}

func TestVectorsRoundTrip(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		dim := rapid.IntRange(1, 9).Draw(t, "dim")
		model := rapid.StringN(0, 20, 60).Draw(t, "model")
		rows := someRows(t, dim)
		var b bytes.Buffer
		if err := WriteVectors(&b, model, dim, rows); err != nil {
			t.Fatalf("WriteVectors: %v", err)
		}
		v, err := ReadVectors(b.Bytes())
		if err != nil {
			t.Fatalf("ReadVectors of what WriteVectors wrote: %v", err)
		}
		if v.Model != model || v.Dim != dim || v.Len() != len(rows) {
			t.Fatalf("ReadVectors = %q (%d), %d rows, want %q (%d), %d", v.Model, v.Dim, v.Len(), model, dim, len(rows))
		}
		for h, row := range rows {
			want := slices.Clone(row) // whole numbers to 1000 are exact in half precision
			vec.Normalize(want)
			if got, ok := v.Row(h); !ok || !slices.Equal(got, want) {
				t.Fatalf("Row(%x) = %v, %t, want %v", h, got, ok, want)
			}
		}
		if _, ok := v.Row(TextHash{}); ok != (rows[TextHash{}] != nil) {
			t.Fatal("Row finds what was not written")
		}
	})
}

// TestVectorsDamaged holds ReadVectors to seeing any cut and any change.
func TestVectorsDamaged(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		dim := rapid.IntRange(1, 5).Draw(t, "dim")
		var b bytes.Buffer
		if err := WriteVectors(&b, "model", dim, someRows(t, dim)); err != nil {
			t.Fatal(err)
		}
		data := b.Bytes()
		at := rapid.IntRange(0, len(data)-1).Draw(t, "at")
		if v, err := ReadVectors(data[:at]); !errors.Is(err, bot.ErrInvalid) {
			t.Fatalf("ReadVectors of %d of %d bytes = %v, %v, want ErrInvalid", at, len(data), v, err)
		}
		if v, err := ReadVectors(append(slices.Clone(data), 0)); !errors.Is(err, bot.ErrInvalid) {
			t.Fatalf("ReadVectors of a byte more = %v, %v, want ErrInvalid", v, err)
		}
		changed := slices.Clone(data)
		changed[at] ^= byte(rapid.IntRange(1, 255).Draw(t, "flip"))
		if v, err := ReadVectors(changed); !errors.Is(err, bot.ErrInvalid) {
			t.Fatalf("ReadVectors with byte %d changed = %v, %v, want ErrInvalid", at, v, err)
		}
	})
}

// FuzzReadVectors gives ReadVectors bodies under a right checksum.
func FuzzReadVectors(f *testing.F) {
	var b bytes.Buffer
	if err := WriteVectors(&b, "model", 2, map[TextHash][]float32{{1}: {1, 0}, {2}: {0, 1}}); err != nil {
		f.Fatal(err)
	}
	f.Add(b.Bytes()[:b.Len()-sha256.Size])
	f.Add([]byte(vectorsMagic + "\xff\xff"))
	f.Add([]byte(vectorsMagic + "\x00\x00\x01\x00\x00\x00\xff\xff\xff\xff"))
	f.Add([]byte(vectorsMagic + "\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00"))
	f.Fuzz(func(t *testing.T, body []byte) {
		sum := sha256.Sum256(body)
		data := slices.Concat(body, sum[:])
		v, err := ReadVectors(data)
		if err != nil {
			if !errors.Is(err, bot.ErrInvalid) {
				t.Errorf("ReadVectors(%x): error %v is of no kind", data, err)
			}
			return
		}
		for _, h := range v.hashes {
			if row, ok := v.Row(h); !ok || len(row) != v.Dim {
				t.Errorf("ReadVectors(%x): Row(%x) = %v, %t", data, h, row, ok)
			}
		}
	})
}

func TestReadVectorsRefuses(t *testing.T) {
	head := func(name uint16, dim, count uint32) []byte {
		b := binary.LittleEndian.AppendUint16([]byte(vectorsMagic), name)
		return binary.LittleEndian.AppendUint32(binary.LittleEndian.AppendUint32(b, dim), count)
	}
	hash := func(first byte) []byte { return append([]byte{first}, make([]byte, 15)...) }
	half := []byte{0, 0x3c} // 1 in half precision
	for _, tt := range []struct {
		name string
		body []byte
		want string
	}{
		{"OtherVersion", []byte("PLVEC\x00\x00\x02"), "not a file of vectors of this version"},
		{"Short", []byte(vectorsMagic), "cut short"},
		{"LongName", head(60000, 1, 0), "the model's name is too long"},
		{"NoDimension", head(0, 0, 0), "0 vectors of dimension 0 do not fill the file"},
		{"HugeDimension", head(0, 1<<20, 0), "0 vectors of dimension 1048576 do not fill the file"},
		{"HugeCount", head(0, 1, math.MaxUint32), "4294967295 vectors of dimension 1 do not fill the file"},
		{"TooMuch", slices.Concat(head(0, 1, 1), hash(1), half, half), "1 vectors of dimension 1 do not fill the file"},
		{"Twice", slices.Concat(head(0, 1, 2), hash(1), hash(1), half, half), "the texts are not in order"},
		{"Disorder", slices.Concat(head(0, 1, 2), hash(2), hash(1), half, half), "the texts are not in order"},
		{"Right", slices.Concat(head(0, 1, 2), hash(1), hash(2), half, half), ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			sum := sha256.Sum256(tt.body)
			v, err := ReadVectors(slices.Concat(tt.body, sum[:]))
			if tt.want == "" && err == nil && v.Len() == 2 {
				return
			}
			if !errors.Is(err, bot.ErrInvalid) || !strings.HasSuffix(err.Error(), ": "+tt.want) {
				t.Errorf("ReadVectors = %v, %v, want ErrInvalid for %q", v, err, tt.want)
			}
		})
	}
}

func TestWriteVectorsRefuses(t *testing.T) {
	for _, tt := range []struct {
		name  string
		model string
		dim   int
		rows  map[TextHash][]float32
	}{
		{"NoDimension", "m", 0, nil},
		{"OtherDimension", "m", 2, map[TextHash][]float32{{}: {1}}},
		{"LongName", strings.Repeat("m", 2000), 2, nil},
		{"TooLarge", "m", 1, map[TextHash][]float32{{}: {70000}}},
		{"Infinite", "m", 1, map[TextHash][]float32{{}: {float32(math.Inf(1))}}},
		{"NotANumber", "m", 1, map[TextHash][]float32{{}: {float32(math.NaN())}}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			var b bytes.Buffer
			if err := WriteVectors(&b, tt.model, tt.dim, tt.rows); !errors.Is(err, bot.ErrInvalid) || b.Len() > 0 {
				t.Errorf("WriteVectors = %v with %d bytes, want ErrInvalid and none", err, b.Len())
			}
		})
	}
}

func TestWriteVectorsIsStable(t *testing.T) {
	p := packOf(t, &dice{name: "dice", dim: 6})
	again := packOf(t, &dice{name: "dice", dim: 6})
	if !bytes.Equal(p.Vectors, again.Vectors) {
		t.Error("MakeVectors of one pack gives different bytes")
	}
}
