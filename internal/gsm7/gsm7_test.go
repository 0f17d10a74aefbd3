package gsm7

import (
	"bufio"
	"encoding/json"
	"os"
	"reflect"
	"slices"
	"strings"
	"testing"
	"unicode/utf16"
	"unicode/utf8"

	"pgregory.net/rapid"
)

// goldenCost is what Twilio's calculator says of a text.
type goldenCost struct {
	Encoding        string `json:"encoding"`
	Segments        int    `json:"segments"`
	Units           int    `json:"units"`
	UnitsPerSegment []int  `json:"units_per_segment"`
	Characters      int    `json:"characters"`
	Splitting       int    `json:"segments_splitting_graphemes"`
}

type goldenRow struct {
	ID       string     `json:"id"`
	Text     string     `json:"text"`
	SmartOff goldenCost `json:"smart_off"`
	SmartOn  struct {
		goldenCost
		TextSent *string `json:"text_sent"`
	} `json:"smart_on"`
}

func goldenRows(t testing.TB) []goldenRow {
	t.Helper()
	f, err := os.Open("testdata/sms_segments.jsonl")
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	var rows []goldenRow
	lines := bufio.NewScanner(f)
	lines.Buffer(nil, 1<<20)
	for lines.Scan() {
		var r goldenRow
		if err := json.Unmarshal(lines.Bytes(), &r); err != nil {
			t.Fatalf("row %d: %v", len(rows)+1, err)
		}
		rows = append(rows, r)
	}
	if err := lines.Err(); err != nil {
		t.Fatal(err)
	}
	if len(rows) != 94 {
		t.Fatalf("golden file has %d rows, want 94", len(rows))
	}
	return rows
}

func checkGolden(t *testing.T, call string, got Cost, want goldenCost) {
	t.Helper()
	if got.Segments != want.Segments && got.Segments != want.Splitting {
		t.Errorf("%s.Segments = %d, want %d or %d", call, got.Segments, want.Segments, want.Splitting)
	}
	if got.Segments == want.Segments && !slices.Equal(got.UnitsPerSegment, want.UnitsPerSegment) {
		t.Errorf("%s.UnitsPerSegment = %v, want %v", call, got.UnitsPerSegment, want.UnitsPerSegment)
	}
	got.Segments, got.UnitsPerSegment = 0, nil
	if w := (Cost{Encoding: want.Encoding, Units: want.Units, Characters: want.Characters}); !reflect.DeepEqual(got, w) {
		t.Errorf("%s = %+v, want %+v", call, got, w)
	}
}

// TestGolden holds Count and Smart to Twilio's own calculator.
func TestGolden(t *testing.T) {
	for _, r := range goldenRows(t) {
		t.Run(r.ID, func(t *testing.T) {
			checkGolden(t, "Count(text)", Count(r.Text), r.SmartOff)
			sent, cost := Encode(r.Text, Options{Smart: true})
			want := r.Text
			if r.SmartOn.TextSent != nil {
				want = *r.SmartOn.TextSent
			}
			if sent != want {
				t.Errorf("Smart(%q) = %q, want %q", r.Text, sent, want)
			}
			checkGolden(t, "Count(Smart(text))", cost, r.SmartOn.goldenCost)
		})
	}
}

// TestCountVendorCases are the reference counts published for the calculator.
func TestCountVendorCases(t *testing.T) {
	a := func(n int) string { return strings.Repeat("a", n) }
	for _, tt := range []struct {
		name, text, encoding string
		segments             int
	}{
		{"OneSegment", a(160), GSM7, 1},
		{"OneMore", a(161), GSM7, 2},
		{"TwoFull", a(306), GSM7, 2},
		{"ThreeBegun", a(307), GSM7, 3},
		{"TenFull", a(1530), GSM7, 10},
		{"BodyLimit", a(1600), GSM7, 11},
		{"ExtensionFits", a(158) + "€", GSM7, 1},
		{"ExtensionDoesNot", a(159) + "€", GSM7, 2},
		{"ExtensionStraddles", a(152) + "€" + a(152), GSM7, 3},
		{"Brackets80", strings.Repeat("]", 80), GSM7, 1},
		{"Brackets81", strings.Repeat("{", 81), GSM7, 2},
		{"BracketsCannotStraddle", strings.Repeat("]", 153), GSM7, 3},
		{"ExtensionCountsOneInUCS2", "this is a " + strings.Repeat("]", 75) + "😀", UCS2, 2},
		{"AcuteA", strings.Repeat("á", 71), UCS2, 2},
		{"AcuteE", strings.Repeat("é", 160), GSM7, 1},
		{"LowerCedilla", "ç", UCS2, 1},
		{"UpperCedilla", "Ç", GSM7, 1},
		{"GraveA", "À", UCS2, 1},
		{"Emoji70", a(68) + "😀", UCS2, 1},
		{"Emoji71", a(69) + "😀", UCS2, 2},
		{"PureEmoji66", strings.Repeat("😀", 66), UCS2, 2},
		{"PureEmoji67", strings.Repeat("😀", 67), UCS2, 3},
		{"Accents1600", strings.Repeat("á", 1600), UCS2, 24},
		{"Emoji800", strings.Repeat("😀", 800), UCS2, 25},
		{"Escape", "\x1b", UCS2, 1},
		{"InvalidUTF8", "a\xff\xfe", UCS2, 1},
	} {
		t.Run(tt.name, func(t *testing.T) {
			got := Count(tt.text)
			if got.Encoding != tt.encoding || got.Segments != tt.segments {
				t.Errorf("Count(%.20q...) = %s in %d segments, want %s in %d", tt.text, got.Encoding, got.Segments, tt.encoding, tt.segments)
			}
		})
	}
}

func TestAlphabetSize(t *testing.T) {
	basic, extension := 0, 0
	for r := rune(0); r <= utf8.MaxRune; r++ {
		switch septets(r) {
		case 1:
			basic++
		case 2:
			extension++
		}
	}
	if basic != 127 || extension != 10 {
		t.Errorf("GSM-7 has %d basic and %d extension characters, want 127 and 10", basic, extension)
	}
}

// slowCount is Count by the book: list what must stay whole, then lay the
// pieces out; a message that fits alone is not parted.
func slowCount(text string) Cost {
	text = string([]rune(text))
	gsm := true
	for _, r := range text {
		gsm = gsm && strings.ContainsRune(basicAlphabet+extensionTable+"€", r)
	}
	var sizes []int
	clusters := 0
	for rest := text; rest != ""; clusters++ {
		n := clusterLen(rest)
		units := utf16.Encode([]rune(rest[:n]))
		switch {
		case gsm:
			for _, r := range rest[:n] {
				size := 1
				if strings.ContainsRune(extensionTable+"€", r) {
					size = 2
				}
				sizes = append(sizes, size)
			}
		case len(units) <= 67:
			sizes = append(sizes, len(units))
		default:
			for _, r := range rest[:n] {
				sizes = append(sizes, len(utf16.Encode([]rune{r})))
			}
		}
		rest = rest[n:]
	}
	c := Cost{Encoding: "UCS-2", Characters: clusters}
	alone, part := 70, 67
	if gsm {
		c.Encoding, alone, part = "GSM-7", 160, 153
	}
	for _, s := range sizes {
		c.Units += s
	}
	if gsm {
		c.Characters = c.Units
	}
	if c.Units <= alone {
		part = alone
	}
	parts := []int{0}
	for _, s := range sizes {
		if parts[len(parts)-1]+s > part {
			parts = append(parts, 0)
		}
		parts[len(parts)-1] += s
	}
	c.Segments, c.UnitsPerSegment = len(parts), parts
	return c
}

// messyText draws texts whose characters cost differently and join.
func messyText(maxLen int) *rapid.Generator[string] {
	piece := rapid.SampledFrom([]string{
		"a", " ", "water ", "é", "ñ", "á", "€", "[", "\n", "\r\n", "’", "💧", "👩🏾‍🔬", "🇺🇸", "e\u0301", "水",
		"15 ppb. ", "November 1, 2027 ", "https://www.epa.gov/lead ", "973 733 3654 ", "\xff", "\x00", "\u200d", "한",
	})
	return rapid.Map(rapid.SliceOfN(piece, 0, maxLen), func(p []string) string { return strings.Join(p, "") })
}

func TestCountMatchesReference(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		text := messyText(120).Draw(t, "text")
		if rapid.Bool().Draw(t, "gsm") {
			text = strings.Map(func(r rune) rune {
				if septets(r) == 0 {
					return -1
				}
				return r
			}, text)
		}
		if got, want := Count(text), slowCount(text); !reflect.DeepEqual(got, want) {
			t.Errorf("Count(%q) = %+v, want %+v", text, got, want)
		}
	})
}

func FuzzCount(f *testing.F) {
	for _, r := range goldenRows(f) {
		f.Add(r.Text)
	}
	f.Add("a\xff\xc3")
	f.Fuzz(func(t *testing.T, text string) {
		got := Count(text)
		if want := slowCount(text); !reflect.DeepEqual(got, want) {
			t.Errorf("Count(%q) = %+v, want %+v", text, got, want)
		}
		sum := 0
		for _, n := range got.UnitsPerSegment {
			sum += n
		}
		if sum != got.Units {
			t.Errorf("Count(%q).UnitsPerSegment sums to %d, want %d", text, sum, got.Units)
		}
	})
}

func TestClusters(t *testing.T) {
	for _, tt := range []struct {
		name, text string
		want       []string
	}{
		{"Letters", "ab", []string{"a", "b"}},
		{"Mark", "e\u0301a", []string{"e\u0301", "a"}},
		{"CRLF", "\r\n", []string{"\r", "\n"}},
		{"MarkAfterNewline", "\n\u0301", []string{"\n", "\u0301"}},
		{"Flags", "🇺🇸🇲🇽🇵", []string{"🇺🇸", "🇲🇽", "🇵"}},
		{"Family", "👨‍👩‍👧‍👦x", []string{"👨‍👩‍👧‍👦", "x"}},
		{"JoinerAfterLetter", "a\u200d👩", []string{"a\u200d", "👩"}},
		{"Keycap", "1️⃣2", []string{"1️⃣", "2"}},
		{"SkinTone", "👍🏽👍", []string{"👍🏽", "👍"}},
		{"RainbowFlag", "🏳️‍🌈", []string{"🏳️‍🌈"}},
		{"Hangul", "\u1112\u1161\u11ab한ᆫ", []string{"\u1112\u1161\u11ab", "한ᆫ"}},
		{"HangulLVTakesNoV", "한\u1161", []string{"한", "\u1161"}},
		{"SpacingMark", "नि", []string{"नि"}},
		{"Prepend", "\u0600\u0661", []string{"\u0600\u0661"}},
		{"SoftHyphenIsControl", "a\u00ad\u0301", []string{"a", "\u00ad", "\u0301"}},
		{"ZeroWidthSpace", "a\u200bb", []string{"a", "\u200b", "b"}},
		{"Invalid", "\xffa\xc3", []string{"\xff", "a", "\xc3"}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			var got []string
			for rest := tt.text; rest != ""; {
				n := clusterLen(rest)
				got = append(got, rest[:n])
				rest = rest[n:]
			}
			if !slices.Equal(got, tt.want) {
				t.Errorf("clusters of %q = %q, want %q", tt.text, got, tt.want)
			}
		})
	}
}

func BenchmarkCount(b *testing.B) {
	long := strings.Repeat("The lead limit is 15 ppb. ¿Es segura el agua? 💧 ", 2000)
	for _, bm := range []struct{ name, text string }{
		{"Segment", "Your lead result was 0.004 mg/L. The action level is 0.015 mg/L."},
		{"100kB", long},
	} {
		b.Run(bm.name, func(b *testing.B) {
			b.SetBytes(int64(len(bm.text)))
			for b.Loop() {
				Count(bm.text)
			}
		})
	}
}
