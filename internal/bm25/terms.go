package bm25

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/kljensen/snowball/english"
	"github.com/kljensen/snowball/spanish"
	"golang.org/x/text/unicode/norm"
)

// A Terms splits a text into the terms that it is found by, in order, repeats
// included. Any text will do, invalid UTF-8 too, and nothing in it is syntax.
// Texts and queries must go through the same one.
type Terms func(text string) []string

// For returns the Terms of a language tag: [English] for en, [Spanish] for es,
// with or without a region ("es-MX"), else [Plain].
func For(tag string) Terms {
	primary, _, _ := strings.Cut(strings.ToLower(tag), "-")
	switch primary {
	case "en":
		return English
	case "es":
		return Spanish
	}
	return Plain
}

// Builder is For with a memory of stems, for one goroutine that goes through
// many texts: it returns the same terms, sooner.
func Builder(tag string) Terms {
	known := make(map[string]string)
	primary, _, _ := strings.Cut(strings.ToLower(tag), "-")
	switch primary {
	case "en":
		return func(text string) []string { return stems(split(fold(text), true), stopsEnglish, english.Stem, known) }
	case "es":
		return func(text string) []string { return stems(split(fold(text), true), stopsSpanish, stemSpanish, known) }
	}
	return Plain
}

// English returns the [Plain] words of text without the commonest function
// words, as Snowball (Porter 2) stems. Apostrophes are dropped first, with the
// s of a genitive: "don't" is what people text as "dont", "EPA's" is "EPA".
func English(text string) []string {
	return stems(split(fold(text), true), stopsEnglish, english.Stem, make(map[string]string))
}

// Spanish returns the [Plain] words of text without the commonest function
// words, as Snowball stems.
//
// Accents go before stemming, because people leave them out of texts: folded
// afterwards, "contaminacion" would not meet "contaminación". The four endings that
// Snowball knows only by their accent get it back ("-acion", "-ucion",
// "-logia", "-logias", which Spanish never writes without), so that singular
// and plural still meet. Accented verb endings are lost: a future tense does
// not always meet its infinitive.
func Spanish(text string) []string {
	return stems(split(fold(text), true), stopsSpanish, stemSpanish, make(map[string]string))
}

// Plain returns the words of text in lower case without accents. A word is a
// run of letters or a number: "15ppb" is 15 and ppb, "NSF/ANSI" is nsf and
// ansi, "PM2.5" is pm and 2.5, so that spellings with and without a space
// meet. A number keeps its decimals as written ("4.0") and loses separators of
// thousands ("1,300" is 1300); ".5" is 0.5. The micro sign is u, as in "ug/L".
func Plain(text string) []string { return split(fold(text), false) }

// Runs returns the runs of [a-z0-9] in the lower-cased text: no stems, no stop
// words.
func Runs(text string) []string {
	return strings.FieldsFunc(strings.ToLower(text), func(r rune) bool {
		return (r < 'a' || r > 'z') && (r < '0' || r > '9')
	})
}

// longest is the length in bytes from which a word is no word: it is kept as
// it stands, unstemmed.
const longest = 48

// stems drops the stops among words and stems the rest, noting stems in known.
func stems(words []string, stops map[string]bool, stem func(string, bool) string, known map[string]string) []string {
	terms := words[:0]
	for _, w := range words {
		if stops[w] {
			continue
		}
		t, ok := known[w]
		if !ok {
			t = w
			if c := w[0]; len(w) < longest && c >= 'a' {
				t = stem(w, true)
			}
			known[w] = t
		}
		terms = append(terms, t)
	}
	return terms
}

func stemSpanish(word string, all bool) string {
	for _, e := range []struct{ bare, accented string }{
		{"acion", "ación"}, {"ucion", "ución"}, {"logia", "logía"}, {"logias", "logías"},
	} {
		if start, ok := strings.CutSuffix(word, e.bare); ok {
			word = start + e.accented
			break
		}
	}
	// What Snowball leaves of an accent (ü, ñ went before) is folded by it.
	return spanish.Stem(word, all)
}

// fold returns text in lower case, compatibility forms and accents resolved.
// Superscripts and fractions stand apart from the number before them: "1½" is
// 1 and 1/2, not 11/2.
func fold(text string) string {
	ascii := true
	for i := range len(text) {
		ascii = ascii && text[i] < utf8.RuneSelf
	}
	if ascii {
		return strings.ToLower(text)
	}
	var b strings.Builder
	b.Grow(len(text))
	for _, r := range text {
		switch {
		case r < utf8.RuneSelf:
			b.WriteRune(unicode.ToLower(r))
			continue
		case r == utf8.RuneError:
			b.WriteByte(' ')
			continue
		}
		apart := unicode.Is(unicode.No, r)
		if apart {
			b.WriteByte(' ')
		}
		for _, d := range norm.NFKD.String(string(r)) {
			if unicode.Is(unicode.Mn, d) {
				continue
			}
			switch d = unicode.ToLower(d); d {
			case 'ß':
				b.WriteString("ss")
			case 'æ':
				b.WriteString("ae")
			case 'œ':
				b.WriteString("oe")
			case 'ø':
				b.WriteByte('o')
			case 'μ': // and the micro sign
				b.WriteByte('u')
			case 'ł':
				b.WriteByte('l')
			case '’', '‘', 'ʼ':
				b.WriteByte('\'')
			default:
				b.WriteRune(d)
			}
		}
		if apart {
			b.WriteByte(' ')
		}
	}
	return b.String()
}

// split returns the words of folded text. With elide an apostrophe between
// letters joins them.
func split(text string, elide bool) []string {
	var words []string
	for i := 0; i < len(text); {
		r, size := utf8.DecodeRuneInString(text[i:])
		switch {
		case unicode.IsDigit(r):
			n, end := number(text, i)
			words, i = append(words, n), end
		case unicode.IsLetter(r):
			w, end := word(text, i, elide)
			words, i = append(words, w), end
		case r == '.' && digitAt(text, i+1) && (i == 0 || text[i-1] <= ' '):
			n, end := number(text, i+1)
			if !strings.Contains(n, ".") {
				n = "0." + n
			}
			words, i = append(words, n), end
		default:
			i += size
		}
	}
	return words
}

// word returns the letters from i on, and where they end.
func word(text string, i int, elide bool) (string, int) {
	end := span(text, i, unicode.IsLetter)
	w := []byte(text[i:end])
	for elide && end < len(text) && text[end] == '\'' {
		next := span(text, end+1, unicode.IsLetter)
		if next == end+1 {
			break
		}
		if more := text[end+1 : next]; more != "s" {
			w = append(w, more...)
		}
		end = next
	}
	return string(w), end
}

// number returns the number from i on, and where it ends.
func number(text string, i int) (string, int) {
	end := span(text, i, unicode.IsDigit)
	n := []byte(text[i:end])
	if len(n) <= 3 {
		for end < len(text) && text[end] == ',' {
			next := span(text, end+1, unicode.IsDigit)
			if next != end+4 {
				break
			}
			n = append(n, text[end+1:next]...)
			end = next
		}
	}
	if end < len(text) && text[end] == '.' && digitAt(text, end+1) {
		next := span(text, end+1, unicode.IsDigit)
		n = append(n, text[end:next]...)
		end = next
	}
	return string(n), end
}

// span returns where the runes from i on stop being in the class.
func span(text string, i int, in func(rune) bool) int {
	for i < len(text) {
		r, size := utf8.DecodeRuneInString(text[i:])
		if !in(r) {
			break
		}
		i += size
	}
	return i
}

func digitAt(text string, i int) bool {
	return i < len(text) && text[i] >= '0' && text[i] <= '9'
}
