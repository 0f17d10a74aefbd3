package redact

import (
	"regexp"
	"strings"
	"unicode"
	"unicode/utf8"
)

// A scan is a text with the places where a detail, or the words that announce
// one, may begin. Patterns are tried there only, on the text that follows as
// far as window, so that searching takes linear time and little of it.
type scan struct {
	text    string
	words   []word
	numbers []int // where runs of digits begin
}

// A word is a run of letters.
type word struct {
	start, end int
	low        string // in lower case
}

// window is how many bytes after its start a pattern may look at.
const window = 160

func newScan(text string) *scan {
	sc := &scan{text: text}
	for at := 0; at < len(text); {
		r, n := utf8.DecodeRuneInString(text[at:])
		switch {
		case isDigit(r):
			sc.numbers = append(sc.numbers, at)
			for at < len(text) && isDigitByte(text[at]) {
				at++
			}
		case unicode.IsLetter(r):
			end := at
			for end < len(text) {
				r, n := utf8.DecodeRuneInString(text[end:])
				if !unicode.IsLetter(r) {
					break
				}
				end += n
			}
			sc.words = append(sc.words, word{at, end, strings.ToLower(text[at:end])})
			at = end
		default:
			at += n
		}
	}
	return sc
}

// from is the text from offset at on, as far as a pattern may look.
func (sc *scan) from(at int) string {
	end := min(len(sc.text), at+window)
	for end < len(sc.text) && !utf8.RuneStart(sc.text[end]) {
		end--
	}
	return sc.text[at:end]
}

// afterWords tries the pattern, which begins with ^, at each word that is in
// list and calls f with the offsets of the match and its groups.
func (sc *scan) afterWords(list map[string]bool, pattern *regexp.Regexp, f func(m []int)) {
	for _, w := range sc.words {
		if list[w.low] {
			sc.try(w.start, pattern, f)
		}
	}
}

// try tries the pattern at one place.
func (sc *scan) try(at int, pattern *regexp.Regexp, f func(m []int)) {
	m := pattern.FindStringSubmatchIndex(sc.from(at))
	if m == nil {
		return
	}
	for i := range m {
		if m[i] >= 0 {
			m[i] += at
		}
	}
	f(m)
}

// atNumbers tries the pattern, which begins with ^, at each number, or at one
// of lead right before it, and calls f with each match that stands alone. f
// says whether the match counts; then the numbers inside are passed over.
func (sc *scan) atNumbers(pattern *regexp.Regexp, lead string, f func(m []int) bool) {
	passed := 0
	for _, at := range sc.numbers {
		if at < passed {
			continue
		}
		if at > passed && strings.IndexByte(lead, sc.text[at-1]) >= 0 {
			at--
		}
		sc.try(at, pattern, func(m []int) {
			if alone(sc.text, m[0], m[1]) && f(m) {
				passed = m[1]
			}
		})
	}
}

func isDigit(r rune) bool { return r >= '0' && r <= '9' }

func isDigitByte(b byte) bool { return b >= '0' && b <= '9' }

func isLetter(r rune) bool { return unicode.IsLetter(r) }

// alone reports whether no digit, and before it no letter, continues the number
// over either end.
func alone(text string, start, end int) bool {
	before, n := utf8.DecodeLastRuneInString(text[:start])
	if isLetter(before) || isDigit(before) || before == '_' {
		return false
	}
	if before == '-' || before == '.' {
		if r, _ := utf8.DecodeLastRuneInString(text[:start-n]); isDigit(r) {
			return false
		}
	}
	after, n := utf8.DecodeRuneInString(text[end:])
	if isDigit(after) {
		return false
	}
	if after == '-' || after == '.' {
		if r, _ := utf8.DecodeRuneInString(text[end+n:]); isDigit(r) {
			return false
		}
	}
	return true
}

// maxBetween is how many bytes other than letters may stand between words that
// are near.
const maxBetween = 16

// near reports whether one of the n words before offset at is in list.
func (sc *scan) near(at, n int, list map[string]bool) bool {
	text := sc.text
	for range n {
		end := at
		for end > 0 && at-end < maxBetween {
			r, size := utf8.DecodeLastRuneInString(text[:end])
			if isLetter(r) {
				break
			}
			end -= size
		}
		start := end
		for start > 0 && end-start < 24 {
			r, size := utf8.DecodeLastRuneInString(text[:start])
			if !isLetter(r) {
				break
			}
			start -= size
		}
		if start == end {
			return false
		}
		if list[strings.ToLower(text[start:end])] {
			return true
		}
		at = start
	}
	return false
}

func digitsOf(s string) string {
	return strings.Map(func(r rune) rune {
		if isDigit(r) {
			return r
		}
		return -1
	}, s)
}

func set(words string) map[string]bool {
	m := make(map[string]bool)
	for w := range strings.FieldsSeq(words) {
		m[w] = true
	}
	return m
}
