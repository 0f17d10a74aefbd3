package gsm7

import (
	"slices"
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"

	"pgregory.net/rapid"
)

func TestSplit(t *testing.T) {
	for _, tt := range []struct {
		name  string
		atoms []string
		limit Limit
		want  []string
	}{
		{"None", nil, Limit{Segments: 1}, nil},
		{"Blank", []string{"", " \n"}, Limit{Segments: 1}, nil},
		{"OneMessage", []string{"Boil it.", " Then cool it. "}, Limit{Segments: 1}, []string{"Boil it. Then cool it."}},
		{"NoLimit", []string{strings.Repeat("a", 400), "b"}, Limit{}, []string{strings.Repeat("a", 400) + " b"}},
		{"AtomsStayWhole", []string{"one two", "three", "four"}, Limit{Units: 9}, []string{"one two", "three", "four"}},
		{"ExactFit", []string{"one two", "three", "four"}, Limit{Units: 10}, []string{"one two", "three four"}},
		{"CountsTheSpace", []string{strings.Repeat("a", 100), strings.Repeat("b", 60)}, Limit{Segments: 1}, []string{strings.Repeat("a", 100), strings.Repeat("b", 60)}},
		{"TwoSegments", []string{strings.Repeat("a", 152), strings.Repeat("b", 153), "c"}, Limit{Segments: 2}, []string{strings.Repeat("a", 152) + " " + strings.Repeat("b", 153), "c"}},
		{"OneAccentCosts", []string{strings.Repeat("a", 60), "está aquí 1"}, Limit{Segments: 1}, []string{strings.Repeat("a", 60), "está aquí 1"}},
		{"Characters", []string{"💧💧💧", "💧"}, Limit{Characters: 4}, []string{"💧💧💧", "💧"}},
		{"LongAtomIsCut", []string{"Call us.", "Run the tap for 5 minutes. Then fill a glass.", "Bye."}, Limit{Units: 30}, []string{"Call us.", "Run the tap for 5 minutes.", "Then fill a glass. Bye."}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if got := Split(tt.atoms, tt.limit); !slices.Equal(got, tt.want) {
				t.Errorf("Split(%q, %+v) = %q, want %q", tt.atoms, tt.limit, got, tt.want)
			}
		})
	}
}

func TestSplitText(t *testing.T) {
	for _, tt := range []struct {
		name, text string
		limit      Limit
		want       []string
	}{
		{"Empty", "", Limit{Units: 8}, nil},
		{"Fits", "one two", Limit{Units: 8}, []string{"one two"}},
		{"BreaksAfterSpace", "one two three", Limit{Units: 8}, []string{"one two ", "three"}},
		{"SentenceFirst", "Boil it. Let it cool down now", Limit{Units: 16}, []string{"Boil it. ", "Let it cool ", "down now"}},
		{"ParagraphFirst", "Boil it.\n\nCool it. Keep it", Limit{Units: 20}, []string{"Boil it.\n\nCool it. ", "Keep it"}},
		{"NumberKeepsUnit", "The lead limit is 15 ppb today", Limit{Units: 23}, []string{"The lead limit ", "is 15 ppb today"}},
		{"NumberKeepsLongUnit", "It is set at 15 parts per billion now", Limit{Units: 30}, []string{"It is set ", "at 15 parts per billion now"}},
		{"SpanishUnit", "Es de 15 partes por mil millones hoy", Limit{Units: 33}, []string{"Es ", "de 15 partes por mil millones hoy"}},
		{"WordNumber", "use the filter for six months then", Limit{Units: 24}, []string{"use the filter for ", "six months then"}},
		{"Phone", "Call the desk at (973) 555-0142 now", Limit{Units: 24}, []string{"Call the desk ", "at (973) 555-0142 now"}},
		{"SpacedPhone", "Call the desk 973 555 0142 now", Limit{Units: 22}, []string{"Call the ", "desk 973 555 0142 now"}},
		{"Date", "It starts on November 1, 2027 for all", Limit{Units: 25}, []string{"It starts on ", "November 1, 2027 for all"}},
		{"FechaEnPalabras", "Empieza el 1 de noviembre de 2027 aquí", Limit{Segments: 1, Units: 31}, []string{"Empieza ", "el 1 de noviembre de 2027 aquí"}},
		{"URL", "See https://www.epa.gov/ground-water for more", Limit{Units: 38}, []string{"See https://www.epa.gov/ground-water ", "for more"}},
		{"URLWhole", "Please read https://www.epa.gov/ground-water", Limit{Units: 34}, []string{"Please read ", "https://www.epa.gov/ground-water"}},
		{"NegationKeepsVerb", "If it is brown do not drink it", Limit{Units: 23}, []string{"If it is brown do ", "not drink it"}},
		{"AbbreviationIsNoEnd", "Ask Dr. Lee about the water test", Limit{Units: 14}, []string{"Ask Dr. Lee ", "about the ", "water test"}},
		{"NoBreakSpaceHolds", "the safe\u00a0water ok", Limit{Units: 13}, []string{"the ", "safe\u00a0water ok"}},
		{"LongWord", strings.Repeat("x", 25), Limit{Units: 10}, []string{strings.Repeat("x", 10), strings.Repeat("x", 10), "xxxxx"}},
		{"SurrogatePairs", "💧💧💧", Limit{Units: 3}, []string{"💧", "💧", "💧"}},
		{"EscapePair", "aaa€b", Limit{Units: 4}, []string{"aaa", "€b"}},
		{"CountsRunes", "日本語です", Limit{Characters: 3}, []string{"日本語", "です"}},
		{"ClusterWhole", "ab👩🏾‍🔬cd", Limit{Units: 8}, []string{"ab", "👩🏾‍🔬c", "d"}},
		{"ClusterOverLimit", "👩🏾‍🔬", Limit{Units: 4}, []string{"👩🏾", "\u200d🔬"}},
		{"CharacterOverLimit", "💧💧", Limit{Units: 1}, []string{"💧", "💧"}},
		{"InvalidUTF8", "ab\xff\xfecd", Limit{Units: 3}, []string{"ab\xff", "\xfecd"}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if got := SplitText(tt.text, tt.limit); !slices.Equal(got, tt.want) {
				t.Errorf("SplitText(%q, %+v) = %q, want %q", tt.text, tt.limit, got, tt.want)
			}
		})
	}
}

func drawLimit(t *rapid.T) Limit {
	return Limit{
		Segments:   rapid.IntRange(0, 3).Draw(t, "segments"),
		Units:      rapid.SampledFrom([]int{0, 2, 7, 20, 67, 160, 306}).Draw(t, "units"),
		Characters: rapid.SampledFrom([]int{0, 1, 5, 50, 1600}).Draw(t, "characters"),
	}
}

// checkSplit states what always holds of a cut text.
func checkSplit(t interface{ Errorf(string, ...any) }, text string, limit Limit, parts []string) {
	if got := strings.Join(parts, ""); got != text {
		t.Errorf("SplitText(%q, %+v) joins to %q, want the text", text, limit, got)
	}
	for _, p := range parts {
		if !limit.Holds(p) && utf8.RuneCountInString(p) > 1 {
			t.Errorf("SplitText(%q, %+v) has %q, which is over the limit", text, limit, p)
		}
		if p == "" || utf8.ValidString(text) && !utf8.ValidString(p) {
			t.Errorf("SplitText(%q, %+v) has %q, want valid text in each message", text, limit, p)
		}
	}
}

func TestSplitTextProperties(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		text, limit := messyText(60).Draw(t, "text"), drawLimit(t)
		checkSplit(t, text, limit, SplitText(text, limit))
	})
}

// TestSplitTextKeepsWhole: where the limit has room for the longest thing that
// must stay whole, each of them stands whole in one message.
func TestSplitTextKeepsWhole(t *testing.T) {
	whole := []string{
		"15 ppb", "six months", "1/2 teaspoon", "November 1, 2027", "1 de noviembre de 2027", "973 555 0142",
		"(973) 555-0142", "1-800-222-1222", "https://www.epa.gov/lead?b=1", "partes por mil millones", "0.015 mg/L", "👩🏾‍🔬", "$2,500", "10 partes por mil millones",
	}
	filler := []string{"water", "the", "is safe.", "y", "agua,", "do not", "boil;", "\n", "filter"}
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(1, 30).Draw(t, "n")
		var words, kept []string
		for range n {
			w := rapid.SampledFrom(whole).Draw(t, "whole")
			kept = append(kept, w)
			words = append(words, w)
			words = append(words, rapid.SliceOfN(rapid.SampledFrom(filler), 2, 6).Draw(t, "filler")...)
		}
		text := strings.Join(words, " ")
		limit := Limit{Units: rapid.IntRange(40, 306).Draw(t, "units")}
		parts := SplitText(text, limit)
		checkSplit(t, text, limit, parts)
		for _, p := range parts {
			for len(kept) > 0 {
				i := strings.Index(p, kept[0])
				if i < 0 {
					break
				}
				p, kept = p[i+len(kept[0]):], kept[1:]
			}
		}
		if len(kept) > 0 {
			t.Errorf("SplitText(%q, %+v) = %q, want %q whole", text, limit, parts, kept[0])
		}
	})
}

func TestSplitProperties(t *testing.T) {
	squeeze := func(s string) string {
		return strings.Map(func(r rune) rune {
			if unicode.IsSpace(r) {
				return -1
			}
			return r
		}, s)
	}
	rapid.Check(t, func(t *rapid.T) {
		atoms := rapid.SliceOfN(messyText(20), 0, 8).Draw(t, "atoms")
		limit := drawLimit(t)
		got := Split(atoms, limit)
		if squeeze(strings.Join(got, "")) != squeeze(strings.Join(atoms, "")) {
			t.Errorf("Split(%q, %+v) = %q, want every word once, in order", atoms, limit, got)
		}
		fits := true
		var trimmed []string
		for _, a := range atoms {
			if a = strings.TrimSpace(a); a != "" {
				trimmed = append(trimmed, a)
				fits = fits && limit.Holds(a)
			}
		}
		if fits && strings.Join(got, " ") != strings.Join(trimmed, " ") {
			t.Errorf("Split(%q, %+v) = %q, want atoms joined by one space", atoms, limit, got)
		}
		for _, m := range got {
			if !limit.Holds(m) && utf8.RuneCountInString(m) > 1 {
				t.Errorf("Split(%q, %+v) has %q, which is over the limit", atoms, limit, m)
			}
		}
	})
}

func FuzzSplitText(f *testing.F) {
	f.Add("Call 973 555 0142. Limit: 15 ppb\n\nhttps://a.example/b", 1, 20, 0)
	f.Add("\xff💧e\u0301 \r\n", 1, 3, 2)
	f.Fuzz(func(t *testing.T, text string, segments, units, characters int) {
		limit := Limit{segments, units, characters}
		checkSplit(t, text, limit, SplitText(text, limit))
	})
}

func BenchmarkSplitText(b *testing.B) {
	for _, bm := range []struct{ name, text string }{
		{"Prose", strings.Repeat("Run cold water for 5 minutes. Call 973 555 0142 today, please. ", 1600)},
		{"OneWord", strings.Repeat("x", 100_000)},
		{"Digits", strings.Repeat("1 ", 50_000)},
		{"Marks", "e" + strings.Repeat("\u0301", 50_000)},
		{"Spaces", strings.Repeat(" ", 100_000)},
	} {
		b.Run(bm.name, func(b *testing.B) {
			b.SetBytes(int64(len(bm.text)))
			for b.Loop() {
				SplitText(bm.text, Limit{Segments: 2})
			}
		})
	}
}
