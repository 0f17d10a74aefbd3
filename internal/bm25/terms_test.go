package bm25

import (
	"slices"
	"strings"
	"testing"
	"unicode/utf8"
)

func TestTerms(t *testing.T) {
	for _, tt := range []struct {
		name  string
		terms Terms
		text  string
		want  string // separated by spaces
	}{
		{"StemsPlurals", English, "Lead service lines", "lead servic line"},
		{"DropsFunctionWords", English, "what is the limit of lead in my water", "limit lead water"},
		{"KeepsNegation", English, "do not boil; it can not remove lead, no filter", "not boil can not remov lead no filter"},
		{"OnlyFunctionWords", English, "is it the", ""},
		{"DropsGenitive", English, "EPA's rule, the child’s tests, each class's", "epa rule child test each class"},
		{"JoinsApostrophes", English, "Don't / dont / don’t", "dont dont dont"},
		{"KeepsRepeats", English, "leads lead", "lead lead"},
		{"LongRunIsNoWord", English, strings.Repeat("ings", 20), strings.Repeat("ings", 20)},

		{"Numbers", Plain, "4.0 ppt, 0.010 mg/L, 1,300 ppb", "4.0 ppt 0.010 mg l 1300 ppb"},
		{"NumberEndsSentence", Plain, "Boil for 1. Then 2.", "boil for 1 then 2"},
		{"BarePoint", Plain, ".5% or wait...5 days", "0.5 or wait 5 days"},
		{"NotThousands", Plain, "10,15 2026,300 1,30 1,300,000.5", "10 15 2026 300 1 30 1300000.5"},
		{"LettersAndDigits", Plain, "15ppb PM2.5 N95 NSF/ANSI 53", "15 ppb pm 2.5 n 95 nsf ansi 53"},
		{"Micro", Plain, "10 µg/L μg/L", "10 ug l ug l"},
		{"Fractions", Plain, "1½ cups, 10² m³", "1 1 2 cups 10 2 m 3"},
		{"Accents", Plain, "Tubería ÑANDÚ Straße Œuvre", "tuberia nandu strasse oeuvre"},
		{"Combining", Plain, "tuberi\u0301a", "tuberia"},
		{"FullWidth", Plain, "ＬＥＡＤ１５", "lead 15"},
		{"OtherScripts", Plain, "вода 水", "вода 水"},
		{"InvalidUTF8", Plain, "\xff\xfelead\xc3(ok", "lead ok"},
		{"Emoji", Plain, "💧🚰", ""},
		{"QuerySyntax", Plain, `*=>[KNN 9 @v $b] -"(|@{`, "knn 9 v b"},
		{"SplitsApostrophes", Plain, "l'eau", "l eau"},

		{"AccentsMayLack", Spanish, "tubería tuberia tuberías tuberias", "tuberi tuberi tuberi tuberi"},
		{"CionMeetsCiones", Spanish, "contaminación contaminacion contaminaciones", "contamin contamin contamin"},
		{"UcionMeetsUciones", Spanish, "instituciones institución institucion", "institu institu institu"},
		{"LogiaMeetsLogias", Spanish, "tecnologia tecnologías", "tecnolog tecnolog"},
		{"TildeMayLack", Spanish, "niños ninos", "nin nin"},
		{"DropsSpanishFunctionWords", Spanish, "¿Qué hay en el agua de la llave?", "agu llav"},
		{"KeepsSpanishNegation", Spanish, "no hierva sin filtro", "no hierv sin filtr"},

		{"Runs", Runs, "Don't: 4.0 NIÑO", "don t 4 0 ni o"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if got := tt.terms(tt.text); !slices.Equal(got, strings.Fields(tt.want)) {
				t.Errorf("terms of %q = %q, want %q", tt.text, got, tt.want)
			}
		})
	}
}

func TestFor(t *testing.T) {
	for _, tt := range []struct{ tag, want string }{
		{"en", "pipe"}, {"en-US", "pipe"}, {"EN", "pipe"},
		{"es", "pip"}, {"es-MX", "pip"},
		{"fr", "pipes"}, {"", "pipes"}, {"est", "pipes"},
	} {
		if got := For(tt.tag)("pipes"); !slices.Equal(got, []string{tt.want}) {
			t.Errorf("For(%q)(%q) = %q, want %q", tt.tag, "pipes", got, tt.want)
		}
	}
}

func TestStopWordsAreFolded(t *testing.T) {
	for lang, stops := range map[string]map[string]bool{"en": stopsEnglish, "es": stopsSpanish} {
		for w := range stops {
			if got := Plain(w); !slices.Equal(got, []string{w}) {
				t.Errorf("%s: stop word %q is %q in a text: it stops nothing", lang, w, got)
			}
		}
	}
}

// Whatever the text, terms are words: not empty, valid, without space or case;
// and accents, case and repetition change nothing.
func FuzzTerms(f *testing.F) {
	for _, s := range []string{
		"Is 4.0 ppt safe?", "¿Hay plomo en la tubería?", "1,300 ppb", ".5%", "don't",
		"\xff\xfe", "1½", "ﬁlter", "İstanbul", "a'b'c", "yyyy", "guué", "ẞ", "١٢",
	} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, text string) {
		for name, terms := range map[string]Terms{"English": English, "Spanish": Spanish, "Plain": Plain, "Runs": Runs} {
			got := terms(text)
			for _, term := range got {
				if term == "" || !utf8.ValidString(term) || strings.ContainsAny(term, " \t\n'\"@*|()[]{}-") {
					t.Errorf("%s(%q) holds %q, want a word", name, text, term)
				}
			}
			if name == "Runs" {
				continue
			}
			if again := terms(fold(text)); !slices.Equal(again, got) {
				t.Errorf("%s(%q) = %q, but of the text folded %q", name, text, got, again)
			}
			if twice := terms(text + "\n" + text); !slices.Equal(twice, slices.Concat(got, got)) {
				t.Errorf("%s(%q) = %q, but of the text twice %q", name, text, got, twice)
			}
		}
	})
}

// A builder remembers stems and gives the same terms.
func TestBuilderGivesTheSameTerms(t *testing.T) {
	for _, tag := range []string{"en", "es", "es-MX", "fr", ""} {
		build, plain := Builder(tag), For(tag)
		for range 2 {
			for _, text := range []string{"boiling boils boiled the water", "contaminación contaminaciones del agua", "15ppb NSF/ANSI", ""} {
				if got, want := build(text), plain(text); !slices.Equal(got, want) {
					t.Errorf("Builder(%q)(%q) = %q, want %q", tag, text, got, want)
				}
			}
		}
	}
}
