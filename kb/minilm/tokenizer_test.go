package minilm

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"
)

// Each of the 1,112,064 characters is a letter, an accent, a space or
// punctuation just where the reference has it so.
func TestCharactersOfTheReference(t *testing.T) {
	tokens := referenceModel(t).tokens
	next, wrong := rune(0), 0
	for line := range strings.Lines(read(t, "codepoints.txt.gz")) {
		var first, last rune
		if _, err := fmt.Sscanf(line, "%x %x", &first, &last); err != nil {
			t.Fatalf("codepoints.txt, %q: %v", line, err)
		}
		if next == 0xd800 { // surrogates are no characters
			next = 0xe000
		}
		if first != next || last < first {
			t.Fatalf("codepoints.txt goes from %x to %x, want %x next", first, last, next)
		}
		next = last + 1
		var want []int32
		for _, field := range strings.Fields(line)[2:] {
			var id int32
			fmt.Sscan(field, &id)
			want = append(want, id)
		}
		var ids []int32
		for r := first; r <= last; r++ {
			ids = tokens.encode(ids[:0], string([]rune{'a', r, 'b', ' ', r}))
			if !slices.Equal(ids, want) {
				if wrong++; wrong <= 20 {
					t.Errorf("encode of U+%04X between letters and alone = %v, want %v", r, ids, want)
				}
			}
		}
	}
	if next != utf8.MaxRune+1 {
		t.Errorf("codepoints.txt ends before U+%04X", next)
	}
	if wrong > 0 {
		t.Errorf("%d characters differ from the reference", wrong)
	}
}

func TestTokensNeutralisesSpecialPieces(t *testing.T) {
	m, err := real()
	if err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct {
		text string
		want []string
	}{
		{"[CLS]", []string{"[CLS]", "[", "cl", "##s", "]", "[SEP]"}},
		{"a[SEP]b", []string{"[CLS]", "a", "[", "sep", "]", "b", "[SEP]"}},
		{"[MASK] [PAD] [UNK]", []string{"[CLS]", "[", "mask", "]", "[", "pad", "]", "[", "un", "##k", "]", "[SEP]"}},
		{"[unused1]", []string{"[CLS]", "[", "unused", "##1", "]", "[SEP]"}},
		{"", []string{"[CLS]", "[SEP]"}},
		{"Crème brûlée: $3.50", []string{"[CLS]", "cr", "##eme", "br", "##ule", "##e", ":", "$", "3", ".", "50", "[SEP]"}},
		{strings.Repeat("x", 101) + " ok", []string{"[CLS]", "[UNK]", "ok", "[SEP]"}},
	} {
		ids, pieces := m.Tokens(tt.text)
		if !slices.Equal(pieces, tt.want) {
			t.Errorf("Tokens(%q) = %q, want %q", tt.text, pieces, tt.want)
		}
		for i, id := range ids[1 : len(ids)-1] {
			if id < 104 && id != m.tokens.unknown {
				t.Errorf("Tokens(%q) holds the special id %d at %d", tt.text, id, i+1)
			}
		}
	}
}

// A text's end, however far away, does not change its first 256 pieces.
func TestTokensCutsLongTexts(t *testing.T) {
	m, err := real()
	if err != nil {
		t.Fatal(err)
	}
	for _, unit := range []string{
		"lead ", "x", "water, ", "é", "e\u0301", "水", "\u200b", " ", "\xff", "[CLS]", "\u0301", "zzzzqqqq!", "\U0001d165", "🚰",
		strings.Repeat("qz", 50) + " ", strings.Repeat("a", 99) + "\ufdfa ",
	} {
		text := strings.Repeat(unit, 100_000/len(unit))
		ids, _ := m.Tokens(text)
		if len(ids) > 256 || len(ids) < 2 || ids[0] != m.tokens.first || ids[len(ids)-1] != m.tokens.last {
			t.Errorf("Tokens(%d x %q): %d pieces from %d to %d", 100_000/len(unit), unit, len(ids), ids[0], ids[len(ids)-1])
		}
		if len(ids) == 256 {
			again, _ := m.Tokens(text[:len(text)-len(text)%len(unit)-len(unit)*3])
			if !slices.Equal(ids, again) {
				t.Errorf("Tokens(%q ...) change with the end of a text of 100,000 bytes", unit)
			}
		}
	}
}

// Text is read a kilobyte at a time: where that ends must not show.
func TestTokensDoNotDependOnChunks(t *testing.T) {
	m, err := real()
	if err != nil {
		t.Fatal(err)
	}
	for pad := range 40 {
		// Blanks fill the chunk up to, in or after each of the words.
		text := strings.Repeat(" ", chunk-20+pad) + "unbelievable e\u0301cole 水道水 lead"
		ids, pieces := m.Tokens(text)
		want, _ := m.Tokens("unbelievable école 水道水 lead")
		if !slices.Equal(ids, want) {
			t.Errorf("Tokens after %d blanks = %q", chunk-20+pad, pieces)
		}
	}
}

func FuzzTokens(f *testing.F) {
	for _, s := range []string{"", "is my water safe?", "[CLS] [SEP]", "\xff\xfe", "e\u0301\u0327", "İstanbul ΑΣ", strings.Repeat("ab", 60), "a\x00b\u200bc", "水water", "\u1e9b\u0323"} {
		f.Add(s)
	}
	m, _ := tinyModel(f)
	f.Fuzz(func(t *testing.T, text string) {
		ids, pieces := m.Tokens(text)
		if len(ids) != len(pieces) || len(ids) < 2 || len(ids) > tinyDims.Positions {
			t.Fatalf("Tokens(%q) = %d ids, %d pieces, want 2 to %d of each", text, len(ids), len(pieces), tinyDims.Positions)
		}
		for i, id := range ids {
			inner := i > 0 && i < len(ids)-1
			if id < 0 || int(id) >= tinyDims.Vocab || inner && (id == 0 || id >= 2 && id <= 4) {
				t.Fatalf("Tokens(%q) = %v, with %d at %d", text, ids, id, i)
			}
		}
		// What is dropped, and the case of letters, does not matter.
		if len(ids) < tinyDims.Positions {
			again, _ := m.Tokens(" " + strings.ToValidUTF8(text, "\ufffd") + "\u200b ")
			if !slices.Equal(ids, again) {
				t.Fatalf("Tokens(%q) = %v, and %v with blanks around", text, ids, again)
			}
		}
	})
}
