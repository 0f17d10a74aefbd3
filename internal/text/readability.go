package text

import (
	"strings"
	"unicode"
)

// Readability is what Measure finds. A score of a few words says little: one
// syllable more or less in a single word moves Flesch by 84.6. Show none under
// some 30 words.
type Readability struct {
	Sentences, Words, Syllables int

	Flesch *float64 // reading ease: higher is easier; nil if there are no words
	Grade  *float64 // Flesch-Kincaid school grade; nil if there are no words, and for Spanish
}

// Measure counts an English text and scores it. Numbers, URLs and e-mail
// addresses count as words of one syllable. A number right before the full
// stop that ends a sentence is taken for the number of a list item and not
// counted, as in the reference vectors.
func Measure(s string) Readability {
	m := count(s, syllablesInText(s))
	m.Flesch = Flesch(m.Sentences, m.Words, m.Syllables)
	m.Grade = Grade(m.Sentences, m.Words, m.Syllables)
	return m
}

// MeasureES counts a Spanish text and scores it by FleschES.
func MeasureES(s string) Readability {
	m := count(s, func(word string, _ bool) int { return SyllablesES(word) })
	m.Flesch = FleschES(m.Sentences, m.Words, m.Syllables)
	return m
}

func count(s string, syllables func(word string, abbreviated bool) int) Readability {
	var m Readability
	words := Words(s)
	for _, sentence := range Sentences(s) {
		before := m.Words
		for len(words) > 0 && words[0].Start < sentence.End {
			w := words[0]
			words = words[1:]
			point := strings.HasPrefix(s[w.End:], ".")
			last := len(words) == 0 || words[0].Start >= sentence.End
			if last && point && allDigits(w.In(s)) {
				continue
			}
			m.Words++
			m.Syllables += syllables(w.In(s), point && !last)
		}
		if m.Words > before {
			m.Sentences++
		}
	}
	return m
}

func allDigits(s string) bool {
	return !strings.ContainsFunc(s, func(r rune) bool { return !unicode.IsDigit(r) })
}

// syllablesInText is Syllables for the words of s: a text all in capitals is
// shouted and has no acronyms, and abbreviations are said in full.
func syllablesInText(s string) func(string, bool) int {
	shouted := !strings.ContainsFunc(s, unicode.IsLower)
	return func(word string, abbreviated bool) int {
		if shouted {
			word = strings.ToLower(word)
		}
		if abbreviated {
			word += "."
		}
		return Syllables(word)
	}
}

// Flesch is the reading ease of an English text (R. Flesch, A new readability
// yardstick, Journal of Applied Psychology 32, 1948): 206.835 - 1.015 words a
// sentence - 84.6 syllables a word. It is nil without words or sentences.
func Flesch(sentences, words, syllables int) *float64 {
	return score(sentences, words, syllables, 206.835, -1.015, -84.6)
}

// Grade is the Flesch-Kincaid grade level (J. P. Kincaid and others, Navy
// Research Branch Report 8-75, 1975): 0.39 words a sentence + 11.8 syllables a
// word - 15.59. It is nil without words or sentences.
func Grade(sentences, words, syllables int) *float64 {
	return score(sentences, words, syllables, -15.59, 0.39, 11.8)
}

// FleschES is the reading ease of a Spanish text (J. Fernández Huerta, Medidas
// sencillas de lecturabilidad, Consigna 214, 1959): 206.84 - 60 syllables a
// word - 1.02 words a sentence, the second term read as G. Law corrected it in
// 2011. It is nil without words or sentences.
func FleschES(sentences, words, syllables int) *float64 {
	return score(sentences, words, syllables, 206.84, -1.02, -60)
}

func score(sentences, words, syllables int, base, perSentence, perWord float64) *float64 {
	if sentences <= 0 || words <= 0 {
		return nil
	}
	v := base + perSentence*float64(words)/float64(sentences) + perWord*float64(syllables)/float64(words)
	return &v
}
