package text

import (
	"math"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

type readabilityRow struct {
	ID        string   `json:"id"`
	Text      string   `json:"text"`
	Sentences int      `json:"sentences"`
	Words     int      `json:"words"`
	Tokens    []string `json:"tokens"`
	Own       struct {
		NumbersAsOne struct {
			Syllables int      `json:"syllables"`
			Flesch    *float64 `json:"flesch_reading_ease"`
			Grade     *float64 `json:"flesch_kincaid_grade"`
		} `json:"numbers_as_one"`
	} `json:"own"`
	OutOfDictionary []string `json:"out_of_dictionary"`
}

func near(a, b *float64) bool {
	return a == nil && b == nil || a != nil && b != nil && math.Abs(*a-*b) <= 1e-3
}

// TestGoldenReadability: sentences and words equal the reference, syllables are
// within one or 5 % and one more for each word outside its dictionary, and the
// formulas are exact.
func TestGoldenReadability(t *testing.T) {
	rows := readRows[readabilityRow](t, "testdata/readability.jsonl")
	if len(rows) != 43 {
		t.Fatalf("golden file has %d rows, want 43", len(rows))
	}
	exact := 0
	for _, r := range rows {
		own := r.Own.NumbersAsOne
		got := Measure(r.Text)
		if got.Sentences != r.Sentences || got.Words != r.Words {
			t.Errorf("%s: Measure(%q) = %d sentences of %d words, want %d of %d", r.ID, r.Text, got.Sentences, got.Words, r.Sentences, r.Words)
		}
		allowed := max(1, 0.05*float64(own.Syllables)) + float64(len(r.OutOfDictionary))
		if off := math.Abs(float64(got.Syllables - own.Syllables)); off > allowed {
			t.Errorf("%s: Measure(%q) = %d syllables, want %d within %.1f", r.ID, r.Text, got.Syllables, own.Syllables, allowed)
		} else if off == 0 {
			exact++
		}
		if f := Flesch(r.Sentences, r.Words, own.Syllables); !near(f, own.Flesch) {
			t.Errorf("%s: Flesch(%d, %d, %d) = %v, want %v", r.ID, r.Sentences, r.Words, own.Syllables, f, own.Flesch)
		}
		if g := Grade(r.Sentences, r.Words, own.Syllables); !near(g, own.Grade) {
			t.Errorf("%s: Grade(%d, %d, %d) = %v, want %v", r.ID, r.Sentences, r.Words, own.Syllables, g, own.Grade)
		}
		if !near(got.Flesch, Flesch(got.Sentences, got.Words, got.Syllables)) || !near(got.Grade, Grade(got.Sentences, got.Words, got.Syllables)) {
			t.Errorf("%s: Measure(%q) does not score its own counts", r.ID, r.Text)
		}
		var words []string
		for _, w := range Words(r.Text) {
			words = append(words, w.In(r.Text))
		}
		// The reference leaves out a number before the full stop of a sentence.
		words = slices.DeleteFunc(words, func(w string) bool {
			return allDigits(w) && strings.Contains(r.Text, " "+w+".") && !slices.Contains(r.Tokens, w)
		})
		if !slices.Equal(words, r.Tokens) {
			t.Errorf("%s: Words(%q) = %q, want %q", r.ID, r.Text, words, r.Tokens)
		}
	}
	if exact < 41 {
		t.Errorf("%d of 43 syllable counts exact, want at least 41", exact)
	}
}

func TestMeasure(t *testing.T) {
	for _, tt := range []struct {
		text                        string
		sentences, words, syllables int
	}{
		{"", 0, 0, 0},
		{" \n\t", 0, 0, 0},
		{"😀 👍", 0, 0, 0},
		{"The cat sat on the mat.", 1, 6, 6},
		{"This sentence has eight syllables.", 1, 5, 8},
		{"The quick brown fox jumped over the lazy dog.", 1, 9, 11},
		{"Call 1-800-222-1222 or see https://www.epa.gov/lead now.", 1, 6, 6},
		{"- Run the tap\n- Wait", 2, 4, 4},
		{"THE WATER IS SAFE", 1, 4, 5},
		{"RUN COLD TAPS", 1, 3, 3},
		{"RUN the tap COLD", 1, 4, 4},
		{"The EPA and the CDC", 1, 5, 9},
		{"Acme Co. Inc. runs it.", 1, 5, 12},
	} {
		got := Measure(tt.text)
		if got.Sentences != tt.sentences || got.Words != tt.words || got.Syllables != tt.syllables {
			t.Errorf("Measure(%q) = %d, %d, %d, want %d, %d, %d", tt.text, got.Sentences, got.Words, got.Syllables, tt.sentences, tt.words, tt.syllables)
		}
		if (got.Flesch == nil) != (tt.words == 0) || (got.Grade == nil) != (tt.words == 0) {
			t.Errorf("Measure(%q) scores %v and %v for %d words", tt.text, got.Flesch, got.Grade, tt.words)
		}
	}
}

func TestFleschKnownValues(t *testing.T) {
	for _, tt := range []struct {
		text string
		want float64
	}{
		{"The cat sat on the mat.", 116.145},
		{"This sentence has eight syllables.", 66.4},
		{"The quick brown fox jumped over the lazy dog.", 94.3},
	} {
		if got := Measure(tt.text).Flesch; got == nil || math.Abs(*got-tt.want) > 0.01 {
			t.Errorf("Measure(%q).Flesch = %v, want %v", tt.text, got, tt.want)
		}
	}
}

func TestMeasureES(t *testing.T) {
	const text = "El agua de su casa es segura. Use agua fría de la llave."
	got := MeasureES(text)
	if got.Sentences != 2 || got.Words != 13 || got.Syllables != 21 || got.Grade != nil {
		t.Errorf("MeasureES(%q) = %+v, want 2 sentences, 13 words, 21 syllables and no grade", text, got)
	}
	if want := 206.84 - 60*21.0/13 - 1.02*13/2; got.Flesch == nil || math.Abs(*got.Flesch-want) > 1e-9 {
		t.Errorf("MeasureES(%q).Flesch = %v, want %v", text, got.Flesch, want)
	}
	if got := MeasureES("..."); got.Flesch != nil {
		t.Errorf("MeasureES(...).Flesch = %v, want nil", *got.Flesch)
	}
}

func TestSyllables(t *testing.T) {
	for want, words := range map[int]string{
		0: "... - 😀",
		1: "the safe pipes taps boiled don't they're school's clean through 53 90% ≤5 https://a.gov/x a@b.org lead use homes played eye league",
		2: "water faucet Newark isn't haven't it'll boss's tables handled wanted filter nitrate NASA hundred business people guideline homeless safety fire",
		3: "every certified chloramine EPA AQI MCLs area idea utilize family require",
		4: "PFAS PFOA TTHM coalition utility's legionella community information infrastructure",
		5: "NSF/ANSI automatically evaluation trihalomethanes",
		6: "Cryptosporidium",
	} {
		for w := range strings.FieldsSeq(words) {
			if got := Syllables(w); got != want {
				t.Errorf("Syllables(%q) = %d, want %d", w, got, want)
			}
		}
	}
	for word, want := range map[string]int{"U.S": 2, "e.g": 2, "a.m": 2, "Mr.": 2, "Co.": 3, "STOP": 1, "naïve": 2} {
		if got := Syllables(word); got != want {
			t.Errorf("Syllables(%q) = %d, want %d", word, got, want)
		}
	}
}

func TestSyllablesES(t *testing.T) {
	for want, words := range map[int]string{
		0: "... 😀",
		1: "muy ley rey el 15 https://a.gov pan bien",
		2: "agua plomo bebé niño país guerra queso día baño ciudad EPA construir leer",
		3: "pingüino prohibir ahora cuidado límite oeste Paraguay ppm",
		4: "tubería aéreo análisis averiguáis",
	} {
		for w := range strings.FieldsSeq(words) {
			if got := SyllablesES(w); got != want {
				t.Errorf("SyllablesES(%q) = %d, want %d", w, got, want)
			}
		}
	}
}

func TestSentences(t *testing.T) {
	for _, tt := range []struct {
		text string
		want []string
	}{
		{"", nil},
		{"...!?", nil},
		{"😊", nil},
		{"One. Two! Three?", []string{"One.", "Two!", "Three?"}},
		{"is it ok. call me. thx", []string{"is it ok.", "call me.", "thx"}},
		{"Call Dr. Lee at 8 a.m. Then go.", []string{"Call Dr. Lee at 8 a.m.", "Then go."}},
		{"In the U.S. EPA sets it. In the U.S. The limit is 15.", []string{"In the U.S. EPA sets it.", "In the U.S.", "The limit is 15."}},
		{"Open to 4 p.m. Bring a kit.", []string{"Open to 4 p.m.", "Bring a kit."}},
		{"Acme Co. Inc. runs it. Use filters, etc. Then rinse.", []string{"Acme Co. Inc. runs it.", "Use filters, etc.", "Then rinse."}},
		{"It was 0.015 mg/L in 2023. See epa.gov. Then call.", []string{"It was 0.015 mg/L in 2023.", "See epa.gov.", "Then call."}},
		{"Pipe No. 5 is lead. Safe? No. 15 ppb is over.", []string{"Pipe No. 5 is lead.", "Safe?", "No.", "15 ppb is over."}},
		{"Is it vitamin C. The J. Smith case.", []string{"Is it vitamin C.", "The J. Smith case."}},
		{"Germs such as E. coli get in. Boil it.", []string{"Germs such as E. coli get in.", "Boil it."}},
		{"hay e. coli en el agua", []string{"hay e. coli en el agua"}},
		{"It is EPA's. EPA sets it. it's the city's. they know", []string{"It is EPA's.", "EPA sets it.", "it's the city's.", "they know"}},
		{"1. Run the tap. 2. Use cold water.", []string{"1. Run the tap.", "2. Use cold water."}},
		{"a) Boil it. b) Let it cool.", []string{"a) Boil it.", "b) Let it cool."}},
		{"Do this:\n- run it\n- wait\n\nThen drink", []string{"Do this:", "- run it", "- wait", "Then drink"}},
		{"A line\nthat goes on", []string{"A line\nthat goes on"}},
		{"“Is it safe?” she asked. “Yes,” he said.", []string{"“Is it safe?” she asked.", "“Yes,” he said."}},
		{"Wait... what? Wait… What", []string{"Wait... what?", "Wait…", "What"}},
		{"Is it safe?! Yes!!", []string{"Is it safe?!", "Yes!!"}},
		{"Thanks. 😊", []string{"Thanks. 😊"}},
		{"😊! Thanks.", []string{"😊! Thanks."}},
		{"En EE. UU. la Sra. Ruiz, p. ej. mañana. ¿Es segura? Sí.", []string{"En EE. UU. la Sra. Ruiz, p. ej. mañana.", "¿Es segura?", "Sí."}},
		{"水安全吗？是的。", []string{"水安全吗？", "是的。"}},
	} {
		var got []string
		spans := Sentences(tt.text)
		for _, p := range spans {
			got = append(got, p.In(tt.text))
		}
		if !slices.Equal(got, tt.want) {
			t.Errorf("Sentences(%q) = %q, want %q", tt.text, got, tt.want)
		}
		checkSpans(t, "Sentences", tt.text, spans)
	}
}

func TestWords(t *testing.T) {
	for _, tt := range []struct {
		text string
		want []string
	}{
		{"", nil},
		{"- ... 😀", nil},
		{"Don't use 90% of mg/L, e.g. “hot” water—ever...", []string{"Don't", "use", "90%", "of", "mg/L", "e.g", "hot", "water", "ever"}},
		{"1. Run it. 2) Wait (see page 12) b) go", []string{"Run", "it", "Wait", "see", "page", "12", "b", "go"}},
		{"in 2023. The limit is 15.", []string{"in", "2023", "The", "limit", "is", "15"}},
		{"https://a.gov/b. (w@x.org) first-draw 40–60", []string{"https://a.gov/b", "w@x.org", "first-draw", "40–60"}},
	} {
		var got []string
		for _, p := range Words(tt.text) {
			got = append(got, p.In(tt.text))
		}
		if !slices.Equal(got, tt.want) {
			t.Errorf("Words(%q) = %q, want %q", tt.text, got, tt.want)
		}
	}
}

// checkMeasure states what always holds of sentences and words.
func checkMeasure(t interface{ Errorf(string, ...any) }, s string) {
	sentences, words := Sentences(s), Words(s)
	checkSpans(t, "Sentences", s, sentences)
	checkSpans(t, "Words", s, words)
	for _, w := range words {
		if !slices.ContainsFunc(sentences, func(p Span) bool { return p.Holds(w) }) {
			t.Errorf("Sentences(%q) = %v, want one that holds the word %q", s, sentences, w.In(s))
		}
		if n := Syllables(w.In(s)); n < 0 || n > len(s)*3 {
			t.Errorf("Syllables(%q) = %d", w.In(s), n)
		}
	}
	for _, m := range []Readability{Measure(s), MeasureES(s)} {
		if m.Words > len(words) || m.Sentences > m.Words || (m.Flesch == nil) != (m.Words == 0) {
			t.Errorf("measure of %q = %+v with %d words", s, m, len(words))
		}
		if m.Flesch != nil && (math.IsNaN(*m.Flesch) || math.IsInf(*m.Flesch, 0)) {
			t.Errorf("measure of %q scores %v", s, *m.Flesch)
		}
	}
}

func TestMeasureProperties(t *testing.T) {
	piece := rapid.SampledFrom([]string{"a", "I", "Mr", "U.S", "water", "15", "1", ".", ".", "?", "!", "…", " ", " ", "\n", "\n\n", "- ", "b) ", "“", "”", ")", "—", "é", "水", "。", "\xff", "😀", "a.m", "p", "ej", "No"})
	rapid.Check(t, func(t *rapid.T) {
		checkMeasure(t, strings.Join(rapid.SliceOfN(piece, 0, 40).Draw(t, "pieces"), ""))
	})
}

func FuzzMeasure(f *testing.F) {
	for _, s := range []string{"1. Run. 2. a) Mr. U.S. \"x.\" no", "e\u0301. — .. \xff\n- x", "THE PFAS isn't 5. 6.\r\n\r\n7"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) { checkMeasure(t, s) })
}

func BenchmarkMeasure(b *testing.B) {
	for _, bm := range []struct{ name, text string }{
		{"Answer", strings.Repeat("The lead limit is 15 ppb. Use only cold tap water to drink. ", 5)},
		{"100kB", strings.Repeat("Community water systems are required to deliver an annual report. ", 1500)},
		{"OneWord", strings.Repeat("ae", 50_000)},
		{"Points", strings.Repeat(". ", 50_000)},
		{"Lines", strings.Repeat("\n- a", 25_000)},
	} {
		b.Run(bm.name, func(b *testing.B) {
			b.SetBytes(int64(len(bm.text)))
			for b.Loop() {
				Measure(bm.text)
			}
		})
	}
}
