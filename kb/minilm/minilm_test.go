package minilm

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"

	"go.uber.org/goleak"

	"plumbline/internal/vec"
	"plumbline/kb/minilm/blob"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

func TestModelSaysWhatItIs(t *testing.T) {
	m, err := real()
	if err != nil {
		t.Fatal(err)
	}
	if got := m.Dim(); got != 384 {
		t.Errorf("Dim() = %d, want 384", got)
	}
	if got, want := m.Name(), "all-MiniLM-L6-v2-fp16-961f4daf"; got != want {
		t.Errorf("Name() = %q, want %q", got, want)
	}
	if got, want := m.Accelerated(), vec.Accelerated(); got != want {
		t.Errorf("Accelerated() = %v, want %v", got, want)
	}
	p := m.Portable()
	if p.Name() != m.Name() || p.Dim() != m.Dim() || p.Accelerated() {
		t.Errorf("Portable() is %q of %d, accelerated %v", p.Name(), p.Dim(), p.Accelerated())
	}
}

func TestNewRefusesOtherFiles(t *testing.T) {
	tiny, err := blob.Encode(tinyEncoder(tinyDims, 1), tinyVocabulary())
	if err != nil {
		t.Fatal(err)
	}
	whole := string(tiny)
	flip := func(at int) string {
		b := slices.Clone(tiny)
		b[at] ^= 1
		return string(b)
	}
	for _, tt := range []struct {
		name, weights, vocabulary string
		says                      string
	}{
		{"Empty", "", tinyVocabulary(), "0 bytes, the header alone has 128"},
		{"GitLFSPointer", "version https://git-lfs.example/spec/v1\n" + strings.Repeat("x", 99), tinyVocabulary(), `begins with "version "`},
		{"OtherVersion", flip(8), tinyVocabulary(), "this program reads version 1"},
		{"Truncated", whole[:len(whole)-1], tinyVocabulary(), "bytes of payload, the header says"},
		{"Longer", whole + "\n", tinyVocabulary(), "bytes of payload, the header says"},
		{"ChangedByte", flip(len(tiny) / 2), tinyVocabulary(), "checksum"},
		{"OtherVocabulary", whole, strings.Replace(tinyVocabulary(), "water", "waters", 1), "vocabulary with checksum"},
		{"CRLF", whole, strings.ReplaceAll(tinyVocabulary(), "\n", "\r\n"), "vocabulary with checksum"},
		{"OtherModel", whole, tinyVocabulary(), "another model"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			m, err := New(tt.weights, tt.vocabulary)
			if m != nil || err == nil || !strings.Contains(err.Error(), tt.says) {
				t.Fatalf("New(%d bytes) = %v, %v, want an error that says %q", len(tt.weights), m, err, tt.says)
			}
			if tt.name == "OtherModel" {
				return
			}
			if !errors.Is(err, blob.ErrDamaged) || !strings.Contains(err.Error(), "get the files again") {
				t.Errorf("New(%d bytes): %v, want ErrDamaged and what to do", len(tt.weights), err)
			}
		})
	}
}

func TestOpenRefusesVocabularies(t *testing.T) {
	for _, tt := range []struct{ name, vocabulary, says string }{
		{"TooFew", strings.Replace(tinyVocabulary(), "lead\n", "", 1), "vocabulary of 63 pieces, the weights want 64"},
		{"Twice", strings.Replace(tinyVocabulary(), "lead\n", "water\n", 1), `holds "water" twice`},
		{"NoSeparator", strings.Replace(tinyVocabulary(), "[SEP]\n", "sep\n", 1), "lacks [SEP]"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			b, err := blob.Encode(tinyEncoder(tinyDims, 1), tt.vocabulary)
			if err != nil {
				t.Fatal(err)
			}
			if _, err := open(string(b), tt.vocabulary); err == nil || !strings.Contains(err.Error(), tt.says) {
				t.Errorf("open = %v, want an error that says %q", err, tt.says)
			}
		})
	}
}

// texts are of all lengths, some the same.
func texts(n int) []string {
	list := make([]string, n)
	for i := range list {
		list[i] = strings.Repeat("is lead in water safe? ", i%7)[:i%7*(i%11)]
	}
	return list
}

func TestEmbedFromManyGoroutines(t *testing.T) {
	tiny, _ := tinyModel(t)
	for name, m := range paths(t, tiny) {
		t.Run(name, func(t *testing.T) {
			list := texts(60)
			var want [][]float32
			for _, text := range list {
				v, err := m.Embed(t.Context(), []string{text})
				if err != nil {
					t.Fatal(err)
				}
				want = append(want, v[0])
			}
			var callers sync.WaitGroup
			for caller := range 8 {
				callers.Go(func() {
					part := list[caller*3:]
					got, err := m.Embed(t.Context(), part)
					if err != nil || len(got) != len(part) {
						t.Errorf("caller %d: Embed of %d texts = %d vectors, %v", caller, len(part), len(got), err)
						return
					}
					for i, v := range got {
						if !slices.Equal(v, want[caller*3+i]) {
							t.Errorf("caller %d: Embed(%q) among others differs from the text alone", caller, part[i])
						}
					}
				})
			}
			callers.Wait()
		})
	}
}

func TestVectorsDoNotShareMemory(t *testing.T) {
	m, _ := tinyModel(t)
	got, err := m.Embed(t.Context(), []string{"water", "lead"})
	if err != nil {
		t.Fatal(err)
	}
	want := slices.Clone(got[1])
	_ = append(got[0], 99)
	if !slices.Equal(got[1], want) {
		t.Error("appending to one vector of Embed changes the next")
	}
}

func TestEmbedNothing(t *testing.T) {
	m, _ := tinyModel(t)
	if got, err := m.Embed(t.Context(), nil); err != nil || got == nil || len(got) != 0 {
		t.Errorf("Embed(nil) = %v, %v, want no vectors and no error", got, err)
	}
}

// countdown is a context that ends at its nth look at Err.
type countdown struct {
	context.Context
	mu   sync.Mutex
	left int
}

func (c *countdown) Err() error {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.left--
	if c.left < 0 {
		return context.Canceled
	}
	return nil
}

func TestEmbedHeedsContext(t *testing.T) {
	m, _ := tinyModel(t)
	for _, looks := range []int{0, 1, 2, 5, 30} {
		t.Run(fmt.Sprint(looks), func(t *testing.T) {
			ctx := &countdown{Context: t.Context(), left: looks}
			got, err := m.Embed(ctx, texts(1000))
			if got != nil || !errors.Is(err, context.Canceled) {
				t.Errorf("Embed, cancelled at look %d = %d vectors, %v, want none and %v", looks, len(got), err, context.Canceled)
			}
			// Each goroutine looks once in the text at hand and once for the
			// next, and Embed itself at the end.
			if ctx.left < -1-2*runtime.GOMAXPROCS(0) {
				t.Errorf("Embed went on for %d looks after it was cancelled", -ctx.left)
			}
			goleak.VerifyNone(t)
		})
	}
	// Half-done work leaves nothing behind in the memory used again.
	want, err := m.Embed(t.Context(), []string{"is water safe?"})
	if err != nil {
		t.Fatal(err)
	}
	fresh, _ := tinyModel(t)
	got, err := fresh.Embed(t.Context(), []string{"is water safe?"})
	if err != nil || !slices.Equal(got[0], want[0]) {
		t.Errorf("Embed after cancelled ones differs from Embed of a fresh model (%v)", err)
	}

	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if got, err := m.Embed(ctx, nil); got != nil || !errors.Is(err, context.Canceled) {
		t.Errorf("Embed of no texts, cancelled = %v, %v, want %v", got, err, context.Canceled)
	}
}

// counting counts the norms computed: one at the start, two a layer.
type counting struct {
	arithmetic
	norms int
}

func (c *counting) norm(x, bias []float32, n blob.Norm) {
	c.norms++
	c.arithmetic.norm(x, bias, n)
}

func TestEmbedGivesUpWithinALayer(t *testing.T) {
	tiny, _ := tinyModel(t)
	for _, tt := range []struct{ looks, norms int }{{1, 1}, {2, 3}, {3, 5}} {
		m := *tiny
		c := &counting{arithmetic: m.math}
		m.math = c
		// The first look is before the text, then there is one a layer.
		got, err := m.Embed(&countdown{Context: t.Context(), left: tt.looks}, []string{"is water safe?"})
		if got != nil || !errors.Is(err, context.Canceled) || c.norms != tt.norms {
			t.Errorf("Embed, cancelled at look %d = %d vectors, %v after %d norms, want none, %v and %d",
				tt.looks, len(got), err, c.norms, context.Canceled, tt.norms)
		}
	}
}

func TestOpenAtAnyAddress(t *testing.T) {
	b, err := blob.Encode(tinyEncoder(tinyDims, 1), tinyVocabulary())
	if err != nil {
		t.Fatal(err)
	}
	want, _ := tinyModel(t)
	for shift := range 5 {
		text := strings.Repeat("x", shift) + string(b)
		m, err := open(text[shift:], tinyVocabulary())
		if err != nil {
			t.Fatal(err)
		}
		for name, m := range paths(t, m) {
			w := want
			if name == "portable" {
				w = want.Portable()
			}
			a, _ := m.Embed(t.Context(), []string{"is lead safe?"})
			b, _ := w.Embed(t.Context(), []string{"is lead safe?"})
			if !slices.Equal(a[0], b[0]) {
				t.Errorf("%s: a blob %d bytes further on gives another vector", name, shift)
			}
		}
	}
}

func BenchmarkEmbed(b *testing.B) {
	m, err := real()
	if err != nil {
		b.Fatal(err)
	}
	for _, bb := range []struct{ name, text string }{
		{"ShortQuery", "is my tap water safe to drink"},
		{"Chunk", strings.Repeat("the city tests water for lead at homes each year and ", 11) + "the city tests water for lead at homes each"},
	} {
		ids, _ := m.Tokens(bb.text)
		for _, m := range []*Model{m, m.Portable()} {
			name := "fastest"
			if !m.Accelerated() {
				name = "portable"
			}
			b.Run(fmt.Sprintf("%s/%dpieces/%s", bb.name, len(ids), name), func(b *testing.B) {
				for b.Loop() {
					if _, err := m.Embed(b.Context(), []string{bb.text}); err != nil {
						b.Fatal(err)
					}
				}
			})
		}
	}
}
