package text

import (
	"strings"
	"testing"
)

// TestLanguageOfMessages measures Language on some 1,500 messages to a
// hotline, most of them with missing accents or misspelt, as pairs of language
// and text.
func TestLanguageOfMessages(t *testing.T) {
	rows := readRows[[2]string](t, "testdata/languages.jsonl")
	type tally struct{ all, decided, right, wrong int }
	tallies := map[string]*tally{}
	confused := 0 // English taken for Spanish or the reverse
	for _, row := range rows {
		lang, text := row[0], row[1]
		n := tallies[lang]
		if n == nil {
			n = &tally{}
			tallies[lang] = n
		}
		n.all++
		switch got := Language(text).Lang; {
		case got == lang:
			n.right++
			n.decided++
		case got != "":
			n.decided++
			n.wrong++
			if got == "en" || got == "es" {
				confused++
			}
			t.Logf("Language(%q) = %q, want %q", text, got, lang)
		}
	}
	for _, tt := range []struct {
		lang             string
		least            int     // rows that the file must have
		decided, correct float64 // least parts decided, and right of those
	}{
		{"en", 800, 0.97, 0.99},
		{"es", 600, 0.97, 0.99},
		{"pt", 10, 0.9, 0.9},
		{"ht", 10, 0.9, 0.9},
	} {
		n := tallies[tt.lang]
		if n == nil || n.all < tt.least {
			t.Fatalf("%s: %+v, want at least %d rows", tt.lang, n, tt.least)
		}
		decided, correct := float64(n.decided)/float64(n.all), float64(n.right)/float64(max(n.decided, 1))
		t.Logf("%s: %d messages, %.3f decided, %.3f of these right", tt.lang, n.all, decided, correct)
		if decided < tt.decided || correct < tt.correct {
			t.Errorf("%s: decided %.3f, right %.3f, want at least %.2f and %.2f", tt.lang, decided, correct, tt.decided, tt.correct)
		}
	}
	if part := float64(confused) / float64(len(rows)); part > 0.02 {
		t.Errorf("English and Spanish confused in %.3f of messages, want at most 0.02", part)
	}
}

// TestLanguage has messages that no list was fitted to.
func TestLanguage(t *testing.T) {
	for _, tt := range []struct{ want, text string }{
		{"en", "is it safe"},
		{"en", "thx"},
		{"en", "water?"},
		{"en", "IS MY WATER OK"},
		{"en", "y is my water brown"},
		{"en", "filter w/ nsf 53 or nah"},
		{"en", "u sure its ok 4 the baby"},
		{"en", "hola is the water safe"},
		{"en", "my wife is not breathing, mi esposa"},
		{"es", "agua?"},
		{"es", "gracias"},
		{"es", "ok gracias"},
		{"es", "plomo"},
		{"es", "ayuda"},
		{"es", "toy embarazada, ta bien el agua?"},
		{"es", "xq sale cafe"},
		{"es", "¿Newark?"},
		{"es", "y el cloro"},
		{"es", "¿Puedo bañarme?"},
		{"es", "El action level de lead es 15 ppb, ¿verdad?"},
		{"pt", "minha filha nao ta respirando"},
		{"pt", "meu filho bebeu agua sanitaria"},
		{"pt", "a água está com cheiro de cloro"},
		{"pt", "quanto tempo tenho que ferver a agua"},
		{"pt", "quero me matar"},
		{"pt", "meu marido me bate"},
		{"fr", "l'eau du robinet est-elle potable?"},
		{"fr", "mon bebe a bu de l'eau avec du plomb"},
		{"fr", "je ne peux pas respirer"},
		{"fr", "il y a une odeur de gaz chez moi"},
		{"ht", "pitit mwen bwe klowoks"},
		{"ht", "eske dlo a bon pou bwe"},
		{"ht", "gen yon odè gaz nan kay la"},
		{"ht", "konbyen tan pou m bouyi dlo a"},
		{"ar", "هل الماء آمن للشرب؟"},
		{"ar", "طفلي شرب الكلور help"},
		{"", ""},
		{"", "no"},
		{"", "si"},
		{"", "ok"},
		{"", "12 ppb"},
		{"", "15"},
		{"", "👍 💧"},
		{"", "https://www.epa.gov/the/water/is/safe"},
		{"", "Newark"},
		{"", "水安全吗"},
		{"", "вода безопасна?"},
		{"", "آیا آب سالم است؟ چگونه"},
		{"", "\xff\xfe"},
	} {
		got := Language(tt.text)
		if got.Lang != tt.want {
			t.Errorf("Language(%q) = %+v, want %q", tt.text, got, tt.want)
		}
		if (got.Lang == "") != (got.Confidence == 0) || got.Confidence < 0 || got.Confidence > 1 {
			t.Errorf("Language(%q).Confidence = %v with Lang %q", tt.text, got.Confidence, got.Lang)
		}
	}
}

// TestLanguageConfidence: more text of one language is more certain.
func TestLanguageConfidence(t *testing.T) {
	short, long := Language("agua?"), Language("¿Puedo tomar el agua de la llave si tengo un bebé en casa?")
	if short.Confidence >= long.Confidence {
		t.Errorf("confidence %v for one word, %v for a sentence, want it to rise", short.Confidence, long.Confidence)
	}
}

func TestCommonWords(t *testing.T) {
	for i, list := range []string{englishWords, spanishWords, portugueseWords, frenchWords, creoleWords} {
		if n := len(strings.Fields(list)); n < 60 {
			t.Errorf("%s has %d common words, want at least 60", languages[i], n)
		}
	}
}

func BenchmarkLanguage(b *testing.B) {
	const text = "mi niño tiene plomo en la sangre, q hago? el agua sale cafe desde ayer"
	b.SetBytes(int64(len(text)))
	for b.Loop() {
		Language(text)
	}
}
