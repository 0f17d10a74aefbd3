// Package redact takes personal details out of text before it is recorded:
// telephone numbers, e-mail and street addresses, names that people give,
// account, card and social security numbers, dates of birth and secrets in
// URLs, in English and Spanish.
//
// It works by form and by the words around, not by understanding. Names count
// only where the text gives them as such (my name is, me llamo, Mrs.); streets
// only with a house number. Measurements, dates, laws, methods, public system
// numbers and toll-free telephone numbers stay.
//
// All functions are safe for concurrent use, take any string, never panic, and
// take time linear in its length.
package redact

import (
	"cmp"
	"slices"
	"strings"
	"unicode/utf8"
)

// The types of personal detail. A detail is replaced by its type in square
// brackets: "[PHONE]".
const (
	Phone     = "PHONE"
	Email     = "EMAIL"
	Address   = "ADDRESS" // of a house, with flat and town if they follow; a post box; coordinates
	Unit      = "UNIT"    // a flat without its street
	Name      = "NAME"
	Account   = "ACCOUNT" // of a customer, patient, licence and the like
	SSN       = "SSN"
	Card      = "CARD"
	DOB       = "DOB"        // a date of birth
	URLSecret = "URL_SECRET" // a password or token, in a URL or given as such
)

var types = []string{Phone, Email, Address, Unit, Name, Account, SSN, Card, DOB, URLSecret}

// A Span is a detail that was found, in code points of the text given.
type Span struct {
	Type  string `json:"type"`
	Start int    `json:"start"`
	End   int    `json:"end"`
}

// Redact replaces each personal detail in s and says what it found, in order,
// without overlap. What stands in keep stays: a telephone number of ten digits
// by those digits, however written; any other text as a whole, and street and
// e-mail addresses as a part of it too, case aside. Redacting the result with
// the same keep changes nothing. Invalid bytes come out as U+FFFD.
func Redact(s string, keep ...string) (string, []Span) {
	w := newWork(s)
	k := newKeeper(keep)
	for range maxRounds {
		found := find(w.text, k)
		if len(found) == 0 {
			break
		}
		w.takeOut(found)
	}
	return w.result()
}

// maxRounds bounds how often a text is searched again after details were taken
// out. Two rounds are usual.
const maxRounds = 20

// blank stands for a detail that was taken out, while the rest is searched.
const blank = '\uFFFC'

// A work is a text in which details become blanks one character long.
type work struct {
	original []rune
	text     string
	holes    []hole // in order
}

// A hole is what a blank stands for.
type hole struct {
	start, end int    // runes of the original
	kind       string // empty for what was redacted before: it stays as it is
}

func newWork(s string) *work {
	w := &work{original: []rune(s)}
	s = string(w.original)
	// What looks like a blank is none, and what was redacted before is one.
	s = strings.ReplaceAll(s, string(blank), " ")
	var b strings.Builder
	runes := 0
	for i := 0; i < len(s); {
		n := placeholderLen(s[i:])
		if n == 0 {
			_, size := utf8.DecodeRuneInString(s[i:])
			b.WriteString(s[i : i+size])
			i += size
			runes++
			continue
		}
		b.WriteRune(blank)
		w.holes = append(w.holes, hole{runes, runes + n, ""})
		i += n
		runes += n
	}
	w.text = b.String()
	return w
}

// placeholderLen is the length of the placeholder that begins s, or 0.
func placeholderLen(s string) int {
	if s[0] != '[' {
		return 0
	}
	for _, t := range types {
		if strings.HasPrefix(s[1:], t) && strings.HasPrefix(s[1+len(t):], "]") {
			return len(t) + 2
		}
	}
	return 0
}

// A match is a detail in the working text, in bytes.
type match struct {
	start, end int
	kind       string
}

// takeOut puts a blank for each match; the matches are in order, apart, and
// hold no blank.
func (w *work) takeOut(found []match) {
	var b strings.Builder
	var holes []hole
	next := 0 // the first hole not yet passed
	at := 0   // in the original, in runes
	pass := func(part string) {
		for _, r := range part {
			if r == blank {
				holes = append(holes, w.holes[next])
				at = w.holes[next].end
				next++
				continue
			}
			at++
		}
	}
	from := 0
	for _, m := range found {
		b.WriteString(w.text[from:m.start])
		pass(w.text[from:m.start])
		n := utf8.RuneCountInString(w.text[m.start:m.end])
		holes = append(holes, hole{at, at + n, m.kind})
		at += n
		b.WriteRune(blank)
		from = m.end
	}
	b.WriteString(w.text[from:])
	pass(w.text[from:])
	w.text, w.holes = b.String(), holes
}

func (w *work) result() (string, []Span) {
	var b strings.Builder
	var spans []Span
	at := 0
	for _, h := range w.holes {
		if h.kind == "" {
			continue
		}
		b.WriteString(string(w.original[at:h.start]))
		b.WriteString("[" + h.kind + "]")
		spans = append(spans, Span{h.kind, h.start, h.end})
		at = h.end
	}
	b.WriteString(string(w.original[at:]))
	return b.String(), spans
}

// find finds the details of a text, in order and apart. Where two overlap, the
// finder that comes first wins.
func find(text string, k *keeper) []match {
	var all []match
	sc := newScan(text)
	for _, finder := range []func(*scan) []match{
		urlSecrets, passwords, emails, cards, socialNumbers, birthDates, phones, accounts, addresses, units, names,
	} {
		found := slices.DeleteFunc(finder(sc), func(m match) bool {
			return m.start >= m.end || strings.ContainsRune(text[m.start:m.end], blank) || k.keeps(m.kind, text[m.start:m.end])
		})
		all = merge(all, found)
	}
	return all
}

// merge adds those of more that overlap none of all. Both are in order and
// apart.
func merge(all, more []match) []match {
	if len(more) == 0 {
		return all
	}
	slices.SortFunc(more, func(a, b match) int { return cmp.Compare(a.start, b.start) })
	merged := make([]match, 0, len(all)+len(more))
	i, last := 0, 0
	for _, m := range more {
		for i < len(all) && all[i].start < m.start {
			merged = append(merged, all[i])
			last = all[i].end
			i++
		}
		if m.start < last || i < len(all) && all[i].start < m.end {
			continue
		}
		merged = append(merged, m)
		last = m.end
	}
	return append(merged, all[i:]...)
}

// A keeper knows what stays.
type keeper struct {
	phones map[string]bool
	texts  []string
}

func newKeeper(keep []string) *keeper {
	k := &keeper{phones: make(map[string]bool)}
	for _, s := range keep {
		digits := digitsOf(s)
		switch n := len(digits); {
		case strings.ContainsFunc(s, isLetter):
			k.texts = append(k.texts, strings.ToLower(strings.TrimSpace(s)))
		case n == 10 || n == 11:
			k.phones[digits[n-10:]] = true
		}
	}
	return k
}

func (k *keeper) keeps(kind, text string) bool {
	number := text
	if kind == Phone {
		number = withoutExtension(text)
	}
	if digits := digitsOf(number); len(digits) == 10 || len(digits) == 11 {
		last := digits[len(digits)-10:]
		if k.phones[last] || kind == Account && tollFree[last[:3]] && strings.ContainsAny(text, "-.") {
			return true
		}
	}
	low := strings.ToLower(text)
	return slices.ContainsFunc(k.texts, func(s string) bool {
		return s == low || (kind == Address || kind == Email) && (strings.Contains(low, s) || strings.Contains(s, low))
	})
}
