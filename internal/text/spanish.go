package text

import (
	"strings"
	"unicode"
)

// SyllablesES counts the syllables of a Spanish word by its spelling: two of
// a, e, o together, or an accented í or ú beside a vowel, are two syllables; i
// and u beside another vowel are part of its syllable. Numbers, URLs and e-mail
// addresses count one; capitals without a vowel are spelt out. It is 0 for what
// has neither letter nor digit.
func SyllablesES(word string) int {
	if isAddress(word) {
		return 1
	}
	n, digits := 0, false
	for _, part := range strings.FieldsFunc(word, func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) && !isAccent(r) }) {
		if hasDigit(part) {
			digits = true
			continue
		}
		n += spanishPart(part)
	}
	if n == 0 && digits {
		return 1
	}
	return n
}

func spanishPart(part string) int {
	letters := []rune(strings.ToLower(Normalize(part)))
	n := 0
	var last rune // the vowel right before, or 0
	for i, r := range letters {
		next := rune(0)
		if i+1 < len(letters) {
			next = letters[i+1]
		}
		switch {
		case r == 'u' && i > 0 && (letters[i-1] == 'q' || letters[i-1] == 'g' && strings.ContainsRune("eiéí", next)):
			last = 0 // que, guerra: not said
		case r == 'y' && i > 0 && !isSpanishVowel(next), isSpanishVowel(r):
			if last == 0 || isStrong(last) && isStrong(r) || last == r {
				n++
			}
			last = r
		default:
			last = 0
		}
	}
	if n == 0 && len(letters) > 0 {
		return spelled(string(letters))
	}
	return n
}

func isSpanishVowel(r rune) bool { return strings.ContainsRune("aeiouáéíóúüàèò", r) && r != 0 }

// isStrong reports whether the vowel makes a syllable of its own beside
// another that does.
func isStrong(r rune) bool { return strings.ContainsRune("aeoáéóíúàèò", r) }
