package gsm7

import (
	"regexp"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"pgregory.net/rapid"
)

func TestFold(t *testing.T) {
	for _, tt := range []struct{ name, text, want string }{
		{"Plain", "Boil it for 1 minute.", "Boil it for 1 minute."},
		{"GSM7Stays", "¿Año? Ñandú", "¿Año? Ñandú"},
		{"CurlyQuotes", "Don’t drink “this”", `Don't drink "this"`},
		{"Guillemets", "«Hola» ‹x›", `"Hola" 'x'`},
		{"EnDashRange", "40–60 percent, 2022–23", "40-60 percent, 2022-23"},
		{"EmDashWords", "water—not milk", "water - not milk"},
		{"EmDashSpaced", "water — not milk", "water - not milk"},
		{"EmDashNumbers", "5—10 ppb", "5-10 ppb"},
		{"Minus", "−5", "-5"},
		{"Ellipsis", "Wait… more", "Wait... more"},
		{"Bullets", "• Run the tap\n• Use cold water", "- Run the tap\n- Use cold water"},
		{"NoBreakSpaces", "15\u00a0ppb and 10\u202fppb", "15 ppb and 10 ppb"},
		{"Invisible", "fil\u00adter\u200bed\ufeff", "filtered"},
		{"MicroSign", "10 µg/L or 5µg/dL", "10 ug/L or 5ug/dL"},
		{"GreekMu", "10 μg/m³", "10 ug/m3"},
		{"GreekWord", "αμλ", "αμλ"},
		{"AtMost", "lead ≤15 ppb", "lead at most 15 ppb"},
		{"AtMostSpaced", "lead ≤ 15 ppb", "lead at most 15 ppb"},
		{"AtLeast", "(≥ 6 hours)", "(at least 6 hours)"},
		{"AtLeastTight", "pH≥7", "pH at least 7"},
		{"About", "≈3 weeks", "about 3 weeks"},
		{"Half", "½ cup", "1/2 cup"},
		{"OneAndAHalf", "1½ cups", "1 1/2 cups"},
		{"OneAndAHalfSpaced", "1 ½ cups", "1 1/2 cups"},
		{"HalfTight", "½cup and ⅛tsp", "1/2 cup and 1/8 tsp"},
		{"FractionSlash", "1⁄2 cup", "1/2 cup"},
		{"Celsius", "15 °C", "15 C"},
		{"CelsiusTight", "15°C.", "15 C."},
		{"Fahrenheit", "120° F", "120 F"},
		{"OneSignFahrenheit", "120℉", "120 F"},
		{"BareDegree", "120° hot", "120 degrees hot"},
		{"DegreeWord", "120°Cold", "120 degrees Cold"},
		{"OrdinalAsDegree", "25 ºC", "25 C"},
		{"Ordinal", "1.º de mayo, 3ª", "1.o de mayo, 3a"},
		{"Square", "300 ft²", "300 ft2"},
		{"Power", "10² and 10⁻³", "10^2 and 10^-3"},
		{"Formula", "CO₂, H₂O", "CO2, H2O"},
		{"SubscriptOfNumber", "101₂", "101_2"},
		{"Footnote", "lead²15 ppb", "lead2 15 ppb"},
		{"Marks", "Brita® NSF™ ©2024", "Brita NSF (c)2024"},
		{"Cents", "50¢", "50 cents"},
		{"Times", "2 × 3 ÷ 4 ± 1", "2 x 3 / 4 +/- 1"},
		{"FullWidth", "１５ ｐｐｂ！", "15 ppb!"},
		{"Decomposed", "nin\u0303o, cafe\u0301", "niño, café"},
		{"Angstrom", "\u212b", "Å"},
		{"Tab", "a\tb", "a b"},
		{"Separators", "a\u2028b", "a\nb"},
		{"Controls", "a\x00b\x07", "ab"},
		{"NamesStay", "José, Łódź, Στύξ, 水", "José, Łódź, Στύξ, 水"},
		{"EmojiStays", "👩🏾‍🔬 ok", "👩🏾‍🔬 ok"},
		{"Invalid", "a\xff’", "a\ufffd'"},
		{"InvalidDoesNotMerge", "\xc2\x7f\xb2", "\ufffd\ufffd"},
		{"ControlBeforeUnit", "5 µ\bg", "5 ug"},
		{"FullWidthGrave", "｀水", "'水"},
		{"MarkAfterDegree", "5°\u0327", "5 degreeş"},
		{"PowersInRange", "15²–15²", "15^2-15^2"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			got := Fold(tt.text)
			if got != tt.want {
				t.Errorf("Fold(%q) = %q, want %q", tt.text, got, tt.want)
			}
			if again := Fold(got); again != got {
				t.Errorf("Fold(%q) = %q, want it unchanged", got, again)
			}
		})
	}
}

func TestFoldInSpanish(t *testing.T) {
	const text, want = "plomo ≤15 ppb, ≥6 horas, ≈3 semanas, 49°, 5¢", "plomo como mucho 15 ppb, al menos 6 horas, unos 3 semanas, 49 grados, 5 centavos"
	if got := FoldIn("es", text); got != want {
		t.Errorf("FoldIn(es, %q) = %q, want %q", text, got, want)
	}
}

var digitRuns = regexp.MustCompile(`\d+`)

// TestFoldKeepsNumbers holds every run of ASCII digits through a fold, in
// order; signs such as ½ may add digits, never lengthen a number that stood.
func TestFoldKeepsNumbers(t *testing.T) {
	piece := rapid.SampledFrom([]string{
		"15", "1", "0.015", "½", "⅛", "²", "₂", "³", "⁻", "°", "°C", " F", "µg", "–", "—", "−", "\u00a0", "≤", "≥", "ppb", " ", "á", "¢", "…", "º", "\xff",
	})
	added := regexp.MustCompile(`[½⅛²₂³]`)
	rapid.Check(t, func(t *rapid.T) {
		text := strings.Join(rapid.SliceOfN(piece, 0, 12).Draw(t, "pieces"), "")
		got := Fold(text)
		want := digitRuns.FindAllString(text, -1)
		have := digitRuns.FindAllString(got, -1)
		if !added.MatchString(text) && !slices.Equal(have, want) {
			t.Errorf("Fold(%q) = %q with numbers %q, want %q", text, got, have, want)
		}
		for i := 0; len(want) > 0; i++ {
			if i == len(have) {
				t.Errorf("Fold(%q) = %q, want the numbers %q in it", text, got, want)
				break
			}
			if have[i] == want[0] {
				want = want[1:]
			}
		}
		if again := Fold(got); again != got {
			t.Errorf("Fold(%q) = %q, want it unchanged", got, again)
		}
	})
}

func FuzzFold(f *testing.F) {
	for _, s := range []string{"1½°C ≤ µg", "10⁻³", "a\xff\u0303", "—º F", "25 º C²"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, text string) {
		got := Fold(text)
		if again := Fold(got); again != got {
			t.Errorf("Fold(Fold(%q)) = %q, want %q", text, again, got)
		}
		if utf8.ValidString(text) && !utf8.ValidString(got) {
			t.Errorf("Fold(%q) = %q, want valid UTF-8", text, got)
		}
		if IsGSM7(text) && got != text {
			t.Errorf("Fold(%q) = %q, want it unchanged", text, got)
		}
	})
}

func TestFoldSpanish(t *testing.T) {
	long := strings.Repeat("Llame al médico y pida un análisis. ", 3)
	for _, tt := range []struct {
		name, text, want string
		saved            bool
	}{
		{"OneSegmentEitherWay", "¿Está bien? Sí.", "¿Está bien? Sí.", false},
		{"SavesOne", long, strings.Repeat("Llame al médico y pida un analisis. ", 3), true},
		{"Capitals", strings.Repeat("ÁÍÓÚ áíóú é É ñ Ñ ü ¿ ¡ ", 4), strings.Repeat("AIOU aiou é É ñ Ñ ü ¿ ¡ ", 4), true},
		{"EmojiKeepsItDear", long + "💧", long + "💧", false},
		{"NothingToFold", strings.Repeat("niño ", 50), strings.Repeat("niño ", 50), false},
	} {
		t.Run(tt.name, func(t *testing.T) {
			got, saved := FoldSpanish(tt.text)
			if got != tt.want || saved != tt.saved {
				t.Errorf("FoldSpanish(%q) = %q, %v, want %q, %v", tt.text, got, saved, tt.want, tt.saved)
			}
			if before, after := Count(tt.text), Count(got); saved != (after.Segments < before.Segments) {
				t.Errorf("FoldSpanish(%q) went from %d to %d segments and says saved = %v", tt.text, before.Segments, after.Segments, saved)
			}
		})
	}
}

func TestFoldChangesWord(t *testing.T) {
	for _, tt := range []struct {
		name, text string
		want       []string
	}{
		{"Safe", "El año pasado, ¿qué té? Él sabe. Tuberías y jabón también.", nil},
		{"Demonstrative", "El agua está bien y ésta no", []string{"está"}},
		{"OnceEach", "Está y está, más y MÁS", []string{"Está", "está", "más", "MÁS"}},
		{"Questions", "¿Cómo, cuándo y dónde?", []string{"Cómo", "cuándo", "dónde"}},
		{"Pronouns", "tú, mí, sí, aún", []string{"tú", "mí", "sí", "aún"}},
		{"Parents", "papá y mamá", []string{"papá", "mamá"}},
		{"Past", "Su hijo tomó agua, limpió y salió", []string{"tomó", "limpió"}},
		{"Future", "Llamará; lo hará y estará bien, cortarán", []string{"Llamará", "cortarán"}},
		{"Nouns", "el número, el médico, la fórmula", []string{"número", "fórmula"}},
		{"Towards", "hacía calor", []string{"hacía"}},
		{"English", "Is the water safe?", nil},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if got := FoldChangesWord(tt.text); !slices.Equal(got, tt.want) {
				t.Errorf("FoldChangesWord(%q) = %q, want %q", tt.text, got, tt.want)
			}
		})
	}
}

// TestFoldChangesWordOnlyIfFolded: each word listed must be one that the fold
// touches, and no entry of the table may be inert.
func TestFoldChangesWordOnlyIfFolded(t *testing.T) {
	for w := range foldedWords {
		if spanishFold.Replace(w) == w {
			t.Errorf("foldedWords holds %q, which no fold changes", w)
		}
	}
}

func TestEncode(t *testing.T) {
	long := strings.Repeat("El límite es ≤15 µg/L. ", 5) // 115 characters, 2 segments in UCS-2
	for _, tt := range []struct {
		name, text string
		o          Options
		want       string
		encoding   string
		segments   int
	}{
		{"AsItStands", "½ cup", Options{}, "½ cup", UCS2, 1},
		{"Folded", "½ cup", Options{Fold: true}, "1/2 cup", GSM7, 1},
		{"Smart", "a\u00a0b", Options{Smart: true}, "a  b", GSM7, 1},
		{"FoldBeforeSmart", "a\u00a0b", Options{Fold: true, Smart: true}, "a b", GSM7, 1},
		{"Spanish", long, Options{Lang: "es", Fold: true, Spanish: true}, strings.Repeat("El limite es como mucho 15 ug/L. ", 5), GSM7, 2},
		{"SpanishKept", "más agua", Options{Lang: "es", Fold: true, Spanish: true}, "más agua", UCS2, 1},
	} {
		t.Run(tt.name, func(t *testing.T) {
			got, cost := Encode(tt.text, tt.o)
			if got != tt.want || cost.Encoding != tt.encoding || cost.Segments != tt.segments {
				t.Errorf("Encode(%q, %+v) = %q, %s in %d, want %q, %s in %d", tt.text, tt.o, got, cost.Encoding, cost.Segments, tt.want, tt.encoding, tt.segments)
			}
		})
	}
}

func BenchmarkFold(b *testing.B) {
	text := strings.Repeat("Don’t drink it: 15 µg/L ≤ ½ cup at 15 °C. ", 2000)
	b.SetBytes(int64(len(text)))
	for b.Loop() {
		Fold(text)
	}
}
