package text

import (
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"pgregory.net/rapid"
)

// pairsOf writes quantities as "value unit", with ~ before a unit that is not
// near.
func pairsOf(list []Quantity) []string {
	var out []string
	for _, q := range list {
		s := q.Value
		if q.Unit != "" {
			s += " "
			if q.Near == "" {
				s += "~"
			}
			s += q.Unit
		}
		out = append(out, s)
	}
	return out
}

func TestQuantities(t *testing.T) {
	for _, tt := range []struct {
		text string
		want []string
	}{
		{"", nil},
		{"Is my water safe?", nil},

		// Units near the number.
		{"15 ppb (0.015 mg/L)", []string{"15 ppb", "0.015 mg/l"}},
		{"15ppb or 15-ppb", []string{"15 ppb", "15 ppb"}},
		{"15 parts per billion", []string{"15 ppb"}},
		{"15 partes por mil millones", []string{"15 ppb"}},
		{"4.0 ppt and 4 ppt", []string{"4.0 ppt", "4 ppt"}},
		{"3.5 µg/dL, 3.5 μg/dL, 3.5 ug/dl", []string{"3.5 ug/dl", "3.5 ug/dl", "3.5 ug/dl"}},
		{"9.0 µg/m³", []string{"9.0 ug/m3"}},
		{"90% or 90 percent or 90 per cent, 90 por ciento", []string{"90 %", "90 %", "90 %", "90 %"}},
		{"15\u00a0ppb", []string{"15 ppb"}},
		{"fil15 1\u00ad5 ppb, 15\u200b ppb", []string{"15 ppb", "15 ppb"}},
		{"Boil 1 minute; 3 minutos", []string{"1 minute", "3 minute"}},
		{"a 24-hour average, 24‑hour", []string{"24 hour", "24 hour"}},
		{"2 años, 6 meses, 1 mes, 3 días", []string{"2 year", "6 month", "1 month", "3 day"}},
		{"8 drops, 8 gotas, 1 teaspoon, 2 cucharaditas, 1 cucharada", []string{"8 drop", "8 drop", "1 teaspoon", "2 teaspoon", "1 tablespoon"}},
		{"1 galón, 5 gallons", []string{"1 gallon", "5 gallon"}},

		// Numbers as they are written.
		{"23,000 lines, 1,084,258", []string{"23000", "1084258"}},
		{"1,2,3-trichloropropane", []string{"1", "2", "3"}},
		{"0,015 mg/L y 1,5 litros", []string{"0.015 mg/l", "1.5 ~liter"}},
		{"5,10 and 15", []string{"5", "10", "15"}},
		{".5 mg/L", []string{"0.5 mg/l"}},
		{"1.250.000 personas", []string{"1250000 ~person"}},
		{"１５ ppb", []string{"15 ppb"}},
		{"since the 1940s", []string{"1940s"}},
		{"40 CFR 141.80(c)(1)", []string{"40", "141.80", "1"}},

		// Fractions.
		{"1/8 teaspoon", []string{"1/8 teaspoon"}},
		{"½ cup, 1½ cups, 1 ½ cups, 1 1/2 cups, 1-1/2 cups", []string{"1/2 cup", "1 1/2 cup", "1 1/2 cup", "1 1/2 cup", "1 1/2 cup"}},
		{"half a cup, a half-gallon, half gallon", []string{"1/2 cup", "1/2 gallon", "1/2 gallon"}},
		{"media cucharadita, medio galón, un cuarto de galón", []string{"1/2 teaspoon", "1/2 gallon", "1/4 gallon"}},
		{"one and a half cups; 1 hora y media; una hora y media cucharadita", []string{"1 1/2 cup", "1 1/2 ~hour", "1 hour", "1/2 teaspoon"}},
		{"half of the pipe; un cuarto limpio; a third party", nil},
		{"open 24/7", []string{"24/7"}},
		{"two-thirds of a cup", []string{"2/3 cup"}},

		// Number words count with a unit only.
		{"six months, seis meses, SIX months", []string{"6 month", "6 month", "6 month"}},
		{"one of the six homes", nil},
		{"una hora; un día; once meses", []string{"1 hour", "1 day", "11 month"}},
		{"twenty-five days; thirty five minutes; treinta y cinco minutos", []string{"25 day", "35 minute", "35 minute"}},
		{"one hundred fifty years; two thousand gallons; mil galones", []string{"150 year", "2000 gallon", "1000 gallon"}},
		{"one hundred and twenty days; ciento veinte días", []string{"120 day", "120 day"}},
		{"a three-year cycle, a one-minute soak", []string{"3 year", "1 minute"}},

		// Units apart from the number.
		{"40 to 60 percent", []string{"40 ~%", "60 %"}},
		{"5-10 minutes, 5–10 minutes", []string{"5 ~minute", "10 minute", "5 ~minute", "10 minute"}},
		{"de 3 a 4 semanas; entre los 24 y 72 meses", []string{"3 ~week", "4 week", "24 ~month", "72 month"}},
		{"one or ten days; uno a cuatro meses", []string{"1 ~day", "10 day", "1 ~month", "4 month"}},
		{"10 micrograms per liter; 9 microgramos por metro cúbico", []string{"10 ~ug/l", "9 ~ug/m3"}},
		{"10 calendar days, three business days, 6 or more hours", []string{"10 ~day", "3 ~day", "6 ~hour"}},
		{"one (1) minute", []string{"1 ~minute"}},
		{"5 min, 2 hrs, 6 mos", []string{"5 ~minute", "2 ~hour", "6 ~month"}},

		// Money and scales.
		{"$2,500 or 2,500 dollars", []string{"2500 ~$", "2500 ~$"}},
		{"$17 million; 17 million dollars; 17 millones de dólares", []string{"17 ~million $", "17 ~million $", "17 ~million $"}},
		{"$15 mil millones; a 120-million-dollar loan", []string{"15 ~billion $", "120 ~million $"}},
		{"4.5 million gallons; 9 million; 50 mil personas", []string{"4.5 ~million gallon", "9 ~million", "50 ~thousand person"}},

		// Temperatures.
		{"150 °F, 150°F, 150 degrees F, 150 F, 150 grados F", []string{"150 ~°F", "150 ~°F", "150 ~°F", "150 ~°F", "150 ~°F"}},
		{"120 degrees; 60 °C; 15 f", []string{"120 ~degree", "60 ~°C", "15"}},

		// Ranks and counts.
		{"the 90th percentile; percentil 90", []string{"90 ~percentile", "90 ~percentile"}},
		{"twice a year; dos veces al año; two times a year", []string{"2 ~time", "2 ~time", "2 ~time"}},
		{"once a year; una vez al año", []string{"1 ~time", "1 ~time"}},
		{"once a filter is old, at once; una vez que hierva; otra vez", nil},

		// What is not a quantity.
		{"N95, PM2.5, HAA5, 4C, 3Ts", nil},
		{"Call 973-555-0142 or (973) 555 0142 or +1 973.555.0142", nil},
		{"Poison Help 1-800-222-1222; 1-877-WARN-DEP", nil},
		{"call 911 or text 988", nil},
		{"see https://www.epa.gov/p?a=15&b=2 or epa.gov/2027/lead or a1@b2.org", nil},
		{"AQI is 211; 911 ppb", []string{"211", "911 ppb"}},
		{"8 a.m. to 4:30 pm, 8am", []string{"8", "4", "30", "8"}},
		{"November 1, 2027; 11/1/2027; 2022-23", []string{"1", "2027", "11", "1", "2027", "2022", "23"}},
		{"NSF/ANSI 53, AQI 101-150", []string{"53", "101", "150"}},
	} {
		got := Quantities(tt.text)
		if !slices.Equal(pairsOf(got), tt.want) {
			t.Errorf("Quantities(%q) = %q, want %q", tt.text, pairsOf(got), tt.want)
		}
		checkSpans(t, "Quantities", tt.text, spansOf(got))
	}
}

func spansOf[T interface{ span() Span }](list []T) []Span {
	var out []Span
	for _, x := range list {
		out = append(out, x.span())
	}
	return out
}

func (q Quantity) span() Span { return q.Span }
func (p Phone) span() Span    { return p.Span }
func (d Date) span() Span     { return d.Span }
func (n Negation) span() Span { return n.Span }

// checkSpans: spans lie in the text in order, apart, and between characters.
func checkSpans(t interface{ Errorf(string, ...any) }, call, text string, spans []Span) {
	last := 0
	for _, p := range spans {
		if p.Start < last || p.End <= p.Start || p.End > len(text) {
			t.Errorf("%s(%q) has span %v after %d in a text of %d bytes", call, text, p, last, len(text))
			return
		}
		if utf8.ValidString(text) && (!utf8.RuneStart(text[p.Start]) || p.End < len(text) && !utf8.RuneStart(text[p.End])) {
			t.Errorf("%s(%q) has span %v, which cuts a character", call, text, p)
		}
		last = p.End
	}
}

func TestQuantitySpans(t *testing.T) {
	for _, tt := range []struct {
		text string
		want []string
	}{
		{"add ½ cup now", []string{"½ cup"}},
		{"pay $2,500 each", []string{"$2,500"}},
		{"limit: 15 partes por mil millones.", []string{"15 partes por mil millones"}},
		{"in about six months, ok", []string{"six months"}},
		{"40 to 60 percent", []string{"40", "60 percent"}},
		{"a .5 mg/L dose", []string{".5 mg/L"}},
	} {
		var got []string
		for _, q := range Quantities(tt.text) {
			got = append(got, q.In(tt.text))
		}
		if !slices.Equal(got, tt.want) {
			t.Errorf("Quantities(%q) spans %q, want %q", tt.text, got, tt.want)
		}
	}
}

// numberyText draws texts full of what the finders look for.
func numberyText() *rapid.Generator[string] {
	piece := rapid.SampledFrom([]string{
		"15", "1", "0", "2027", ",", ".", "/", "-", "–", " ", " ", " ", "½", "six", "uno", "mil", "million", "ppb", "mg/L", "percent", "%", "$",
		"minute", "°", "F", "November", "de", "noviembre", "to", "y", "media", "(", ")", "973", "555", "0142", "+1", "911", "https://a.gov/1", "@", "b.org",
		"á", "\u00ad", "\xff", "\n", "１", "not", "no", "once", "a", "s", "th", "º",
	})
	return rapid.Map(rapid.SliceOfN(piece, 0, 40), func(p []string) string { return strings.Join(p, "") })
}

func checkFinders(t interface{ Errorf(string, ...any) }, s string) {
	quantities, phones := Quantities(s), Phones(s)
	checkSpans(t, "Quantities", s, spansOf(quantities))
	checkSpans(t, "Phones", s, spansOf(phones))
	checkSpans(t, "Dates", s, spansOf(Dates(s)))
	checkSpans(t, "Negations", s, spansOf(Negations(s)))
	checkSpans(t, "URLs", s, URLs(s))
	checkSpans(t, "Emails", s, Emails(s))
	for _, q := range quantities {
		if q.Value == "" || strings.Trim(q.Value, "0123456789./ s") != "" {
			t.Errorf("Quantities(%q) has value %q, want digits", s, q.Value)
		}
		if q.Near != "" && q.Near != q.Unit {
			t.Errorf("Quantities(%q) has near %q and unit %q, want the same", s, q.Near, q.Unit)
		}
		for _, p := range phones {
			if q.Overlaps(p.Span) {
				t.Errorf("Quantities(%q) has %q inside the telephone number %q", s, q.In(s), p.In(s))
			}
		}
	}
}

func TestFinderProperties(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) { checkFinders(t, numberyText().Draw(t, "text")) })
}

// TestQuantitiesFindsEachNumber: a number between words is found with its unit,
// whatever stands around it.
func TestQuantitiesFindsEachNumber(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(1, 6).Draw(t, "n")
		var words, want []string
		for range n {
			value := rapid.SampledFrom([]string{"15", "0.015", "4.0", "1/8", "23000", "7"}).Draw(t, "value")
			unit := rapid.SampledFrom([]string{"ppb", "mg/l", "%", "minute", "drop", "gallon"}).Draw(t, "unit")
			words = append(words, rapid.SampledFrom([]string{"limit", "no,", "agua", "(EPA)", "is", "-"}).Draw(t, "word"), value+" "+unit, "and so")
			want = append(want, value+" "+unit)
		}
		text := strings.Join(words, " ")
		if got := pairsOf(Quantities(text)); !slices.Equal(got, want) {
			t.Errorf("Quantities(%q) = %q, want %q", text, got, want)
		}
	})
}

func FuzzFinders(f *testing.F) {
	for _, s := range []string{"15 ppb on 11/1/2027, call 973-555-0142 not https://x.gov", "1½ y media º\xff", "2022-23 1,2,3 .5 $4 million", "１/２ + 1.1.1.1.1.1.1.1.1.1"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) { checkFinders(t, s) })
}

func BenchmarkQuantities(b *testing.B) {
	for _, bm := range []struct{ name, text string }{
		{"Message", "Boil for 1 minute. The limit is 15 ppb (0.015 mg/L) from November 1, 2027. Call 973-555-0142."},
		{"100kB", strings.Repeat("Boil for 1 minute, 15 ppb or ½ cup of six months. ", 2000)},
		{"OneNumber", strings.Repeat("1.", 50_000)},
		{"Digits", strings.Repeat("5", 100_000)},
		{"Letters", strings.Repeat("a'", 50_000)},
		{"Brackets", strings.Repeat("(", 50_000) + "a.gov" + strings.Repeat(")", 50_000)},
	} {
		b.Run(bm.name, func(b *testing.B) {
			b.SetBytes(int64(len(bm.text)))
			for b.Loop() {
				Quantities(bm.text)
			}
		})
	}
}
