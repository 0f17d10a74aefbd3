package text

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// Syllables counts the syllables of an English word as Words finds it, said in
// General American. A number, a URL and an e-mail address count one; letters
// of an acronym (EPA, U.S.) count as they are spelt out, unless it is known to
// be said as a word (FEMA); the parts of a compound (first-draw, NSF/ANSI) add
// up. It is 0 for what has neither letter nor digit.
func Syllables(word string) int {
	if isAddress(word) {
		return 1
	}
	n, digits := 0, false
	for _, part := range strings.FieldsFunc(word, func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) && !isApostrophe(r) && r != '.' }) {
		switch {
		case hasDigit(part):
			digits = true
		default:
			n += partSyllables(part)
		}
	}
	if n == 0 && digits {
		return 1
	}
	return n
}

func hasDigit(s string) bool { return strings.ContainsFunc(s, unicode.IsDigit) }

// partSyllables counts a part of a word that has no hyphen, slash or digit.
func partSyllables(part string) int {
	plain := fold(strings.Trim(part, ".'’‘ʼ"))
	if plain == "" {
		return 0
	}
	if n, ok := abbreviationSyllables[plain]; ok && strings.HasSuffix(part, ".") {
		return n
	}
	if strings.Contains(plain, ".") { // U.S, a.m, e.g
		n := 0
		for letter := range strings.SplitSeq(plain, ".") {
			n += spelled(letter)
		}
		return n
	}
	if letters := capitals(part); isAcronym(letters) {
		return spelled(strings.ToLower(letters))
	}
	return wordSyllables(plain)
}

// capitals is the part without the small s of a plural or genitive (MCLs).
func capitals(part string) string {
	part = strings.TrimSuffix(strings.Trim(part, "."), "s")
	return strings.TrimRightFunc(part, isApostrophe)
}

// isAcronym reports whether letters are spelt out: two to six capitals that
// are no common word in capitals and not said as a word.
func isAcronym(letters string) bool {
	n := utf8.RuneCountInString(letters)
	if n < 2 || n > 6 || strings.ToUpper(letters) != letters || strings.ContainsFunc(letters, isApostrophe) {
		return false
	}
	low := strings.ToLower(letters)
	if saidAsWord[low] {
		return false
	}
	if !strings.ContainsAny(low, "aeiouy") || spelledOut[low] {
		return true
	}
	_, known := syllableExceptions[low]
	return n <= 4 && !known && commonWords[low][english] == 0
}

// spelled counts the syllables of letters said by name.
func spelled(letters string) int {
	n := 0
	for _, r := range letters {
		switch {
		case r == 'w':
			n += 3
		case unicode.IsLetter(r):
			n++
		}
	}
	return n
}

// wordSyllables counts a word in lower case without accents.
func wordSyllables(w string) int {
	w = strings.Map(func(r rune) rune {
		if isApostrophe(r) {
			return '\''
		}
		return r
	}, w)
	if n, ok := syllableExceptions[w]; ok {
		return n
	}
	if base, end, ok := strings.Cut(w, "'"); ok && base != "" {
		return contracted(base, end)
	}
	if n, ok := inflected(w); ok {
		return n
	}
	return countVowelGroups(w)
}

// contracted counts a word with an apostrophe: base'end.
func contracted(base, end string) int {
	n := wordSyllables(base)
	switch end {
	case "s":
		if endsSibilant(base) {
			n++
		}
	case "t":
		base = strings.TrimSuffix(base, "n")
		n = wordSyllables(base)
		if base != "" && !strings.ContainsAny(base[len(base)-1:], "aiouwy") { // isn't, haven't, not don't
			n++
		}
	case "ll", "ve", "d", "re":
		if base != "" && !strings.ContainsAny(base[len(base)-1:], "aeiouwy") {
			n++
		}
	}
	return n
}

func endsSibilant(w string) bool {
	for _, end := range []string{"s", "x", "z", "ch", "sh", "ce", "ge", "se", "ze"} {
		if strings.HasSuffix(w, end) {
			return true
		}
	}
	return false
}

// inflected counts a regular form of a word that is an exception.
func inflected(w string) (int, bool) {
	try := func(base string, more int) (int, bool) {
		n, ok := syllableExceptions[base]
		return n + more, ok
	}
	for _, f := range inflections {
		stem, ok := strings.CutSuffix(w, f.end)
		if !ok || len(stem) < 2 {
			continue
		}
		more := f.more
		switch f.end {
		case "s":
			if endsSibilant(stem) {
				more = 1
			}
		case "ed", "d":
			if strings.HasSuffix(stem, "t") || strings.HasSuffix(stem, "d") || strings.HasSuffix(stem, "te") || strings.HasSuffix(stem, "de") {
				more = 1
			}
		}
		if n, ok := try(stem+f.base, more); ok {
			return n, true
		}
		if f.doubles && len(stem) > 2 && stem[len(stem)-1] == stem[len(stem)-2] {
			if n, ok := try(stem[:len(stem)-1], more); ok {
				return n, true
			}
		}
	}
	return 0, false
}

// inflections are the endings after which the base of a word is looked up:
// what to put in the place of the ending, and the syllables that it adds.
var inflections = []struct {
	end, base string
	more      int
	doubles   bool // the last letter of the base may be doubled
}{
	{"s", "", 0, false},
	{"es", "", 1, false},
	{"ies", "y", 0, false},
	{"ed", "", 0, true},
	{"d", "", 0, false},
	{"ied", "y", 0, false},
	{"ing", "", 1, true},
	{"ing", "e", 1, false},
	{"er", "", 1, true},
	{"r", "", 1, false},
	{"ly", "", 1, false},
	{"ly", "le", 0, false},
	{"ment", "", 1, false},
	{"ments", "", 1, false},
	{"ness", "", 1, false},
	{"less", "", 1, false},
	{"ful", "", 1, false},
}

// countVowelGroups counts a regular word: its groups of vowels, less the e that
// is silent, and one more where two vowels are said apart.
func countVowelGroups(w string) int {
	n := 0
	inGroup := false
	for i := range len(w) {
		vowel := isVowelAt(w, i)
		if vowel && !inGroup {
			n++
		}
		inGroup = vowel
	}
	n += hiatuses(w) - silentEs(w)
	return max(n, 1)
}

// isVowelAt reports whether w[i] is a vowel letter; y is one unless it begins
// a syllable, and u none after q or between g and a vowel.
func isVowelAt(w string, i int) bool {
	switch w[i] {
	case 'a', 'e', 'i', 'o':
		return true
	case 'u':
		return i == 0 || w[i-1] != 'q' && !(w[i-1] == 'g' && i+1 < len(w) && strings.IndexByte("aei", w[i+1]) >= 0)
	case 'y':
		return i > 0 && !(strings.IndexByte("aeiou", w[i-1]) >= 0 && i+1 < len(w) && strings.IndexByte("aeiou", w[i+1]) >= 0)
	}
	return false
}

func isVowelByte(b byte) bool { return strings.IndexByte("aeiouy", b) >= 0 }
