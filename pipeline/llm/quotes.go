package llm

import (
	"slices"
	"strings"
	"unicode"

	"plumbline/internal/text"
)

// An Outcome is what became of a quote that was looked for in the passages of
// a run.
type Outcome string

// The outcomes.
const (
	Supported     Outcome = "supported"     // it stands in the passage that it is said to stand in
	Misattributed Outcome = "misattributed" // it stands in another one
	Stitched      Outcome = "stitched"      // its parts stand in passages, the whole in none
	Absent        Outcome = "absent"        // it does not stand anywhere, or says too little to tell
)

// leastQuote is how many letters and digits a quote must have to be looked for.
const leastQuote = 12

// Locate looks for a quote in the texts of a run. said is the index of the one
// that it is said to stand in. It returns the index of the one where it does
// stand, -1 if in none. White space, quotation marks and dashes may differ, and
// marks around the quote.
func Locate(quote string, said int, texts []string) (at int, outcome Outcome) {
	q := plainMarks(quote)
	q = strings.TrimFunc(q, func(r rune) bool { return unicode.IsSpace(r) || strings.ContainsRune(`"'.,;:`, r) })
	if letters(q) < leastQuote {
		return -1, Absent
	}
	plain := make([]string, len(texts))
	for i, t := range texts {
		plain[i] = plainMarks(t)
	}
	holds := func(i int, part string) bool { return stands(plain[i], part) }
	if said >= 0 && said < len(texts) && holds(said, q) {
		return said, Supported
	}
	for i := range plain {
		if holds(i, q) {
			return i, Misattributed
		}
	}
	parts := strings.Split(q, "...")
	if len(parts) == 1 {
		parts = nil
		for _, s := range text.Sentences(q) {
			parts = append(parts, q[s.Start:s.End])
		}
	}
	if len(parts) < 2 {
		return -1, Absent
	}
	for _, part := range parts {
		part = strings.TrimFunc(part, func(r rune) bool { return unicode.IsSpace(r) || strings.ContainsRune(`"'.,;:`, r) })
		if part != "" && !slices.ContainsFunc(plain, func(t string) bool { return stands(t, part) }) {
			return -1, Absent
		}
	}
	return -1, Stitched
}

// leastOfSentence is the share of a sentence's letters that a quote must have to
// say what the sentence says.
const leastOfSentence = 0.6

// Says reports whether a quote that stands in a text has most of one of its
// sentences: two words of it answer nothing.
func Says(quote, in string) bool {
	q, t := plainMarks(quote), plainMarks(in)
	for _, s := range text.Sentences(t) {
		sentence := t[s.Start:s.End]
		if n := letters(sentence); n > 0 && (strings.Contains(q, sentence) || strings.Contains(sentence, strings.Trim(q, `"'.,;: `))) && float64(letters(q)) >= leastOfSentence*float64(n) {
			return true
		}
	}
	return false
}

// stands reports whether part stands in whole, not beginning or ending within a
// word or number: "5 ppb" does not stand in "15 ppb".
func stands(whole, part string) bool {
	for from := 0; ; {
		i := strings.Index(whole[from:], part)
		if i < 0 {
			return false
		}
		start, end := from+i, from+i+len(part)
		if !joins(whole[:start], part) && !joins(part, whole[end:]) {
			return true
		}
		from = start + 1
	}
}

// joins reports whether the end of a and the beginning of b are one word or number.
func joins(a, b string) bool {
	last, first := []rune(tail(a, 2)), []rune(head(b, 2))
	if len(last) == 0 || len(first) == 0 {
		return false
	}
	word := func(r rune) bool { return unicode.IsLetter(r) || unicode.IsDigit(r) }
	x, y := last[len(last)-1], first[0]
	switch {
	case word(x) && word(y):
		return true
	case unicode.IsDigit(x) && (y == '.' || y == ',') && len(first) > 1 && unicode.IsDigit(first[1]):
		return true
	case (x == '.' || x == ',') && unicode.IsDigit(y) && len(last) > 1 && unicode.IsDigit(last[len(last)-2]):
		return true
	}
	return false
}

func tail(s string, n int) string {
	r := []rune(s[max(0, len(s)-8):])
	return string(r[max(0, len(r)-n):])
}

func head(s string, n int) string {
	r := []rune(s[:min(len(s), 8)])
	return string(r[:min(n, len(r))])
}

var marks = strings.NewReplacer(
	"&lt;", "<", "&gt;", ">", "&amp;", "&",
	"“", `"`, "”", `"`, "„", `"`, "«", `"`, "»", `"`, "‘", "'", "’", "'", "′", "'",
	"‐", "-", "‑", "-", "‒", "-", "–", "-", "—", "-", "−", "-", "…", "...",
)

// plainMarks writes quotation marks and dashes in one way and white space as
// single spaces. Letters and figures stay as they are.
func plainMarks(s string) string { return strings.Join(strings.Fields(marks.Replace(s)), " ") }

func letters(s string) (n int) {
	for _, r := range s {
		if unicode.IsLetter(r) || unicode.IsDigit(r) {
			n++
		}
	}
	return n
}
