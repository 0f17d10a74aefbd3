package text

import (
	"cmp"
	"regexp"
	"slices"
	"strings"
	"unicode/utf8"
)

// A Phone is a telephone number in a text.
type Phone struct {
	Span
	Digits string // ten digits, or a service code such as 911
}

// phonePattern is a North American number; letterPattern is a toll-free one
// that spells a word.
var (
	phonePattern  = regexp.MustCompile(`(?:\+?1` + phoneGap + `)?(?:\([2-9]\d\d\)|[2-9]\d\d)` + phoneGap + `[2-9]\d\d` + phoneGap + `\d{4}`)
	letterPattern = regexp.MustCompile(`(?:\+?1[-. ]?)?\(?8(?:00|33|44|55|66|77|88)\)?[-. ][A-Z]{2,9}(?:-[A-Z0-9]{2,7})?`)
)

const phoneGap = `[ .\-\x{a0}\x{202f}\x{2010}-\x{2015}]{0,3}`

// Phones finds the telephone numbers of a text, in order: ten digits written
// in any usual way, with or without a leading 1; toll-free numbers that spell
// a word, in digits; and the service codes 911, 988, 311 and 211 where no
// unit follows (others, such as 811, where the text says to call them).
func Phones(s string) []Phone {
	r := &reader{s: s, toks: tokens(s)}
	return r.phones()
}

func (r *reader) phones() []Phone {
	found := r.serviceCodes()
	digits := countDigits(r.s)
	for _, kind := range []struct {
		pattern *regexp.Regexp
		digits  int
	}{{phonePattern, 10}, {letterPattern, 3}} {
		if digits < kind.digits {
			continue
		}
		for at := 0; at < len(r.s); {
			m := kind.pattern.FindStringIndex(r.s[at:])
			if m == nil {
				break
			}
			p := Span{at + m[0], at + m[1]}
			if p.Start > 0 && r.s[p.Start-1] == '(' && strings.Contains(p.In(r.s), ")") {
				p.Start--
			}
			digits := keypadDigits(p.In(r.s))
			if len(digits) == 11 {
				digits = digits[1:]
			}
			if len(digits) != 10 || !standsAlone(r.s, p) || isRoundTriple(p.In(r.s)) {
				at = p.Start + max(1, digitRun(r.s[p.Start:]))
				continue
			}
			found = append(found, Phone{p, digits})
			at = p.End
		}
	}
	slices.SortFunc(found, func(a, b Phone) int { return cmp.Compare(a.Start, b.Start) })
	return found
}

// keypadDigits is the digits of s, letters as the keys they stand on.
func keypadDigits(s string) string {
	const keys = "22233344455566677778889999"
	var b strings.Builder
	for i := range len(s) {
		switch c := s[i]; {
		case c >= '0' && c <= '9':
			b.WriteByte(c)
		case c >= 'A' && c <= 'Z':
			b.WriteByte(keys[c-'A'])
		}
	}
	return b.String()
}

func countDigits(s string) int {
	n := 0
	for i := range len(s) {
		if s[i] >= '0' && s[i] <= '9' {
			n++
		}
	}
	return n
}

func digitRun(s string) int {
	n := 0
	for n < len(s) && s[n] >= '0' && s[n] <= '9' {
		n++
	}
	return n
}

// standsAlone reports whether no digit, and before it no letter, continues the
// number over the ends of the span.
func standsAlone(s string, p Span) bool {
	before, n := utf8.DecodeLastRuneInString(s[:p.Start])
	if isLetter(before) || digitOf(before) >= 0 || before == '_' {
		return false
	}
	if strings.ContainsRune("-.", before) {
		if r, _ := utf8.DecodeLastRuneInString(s[:p.Start-n]); digitOf(r) >= 0 {
			return false
		}
	}
	after, n := utf8.DecodeRuneInString(s[p.End:])
	if digitOf(after) >= 0 {
		return false
	}
	if strings.ContainsRune("-.", after) {
		if r, _ := utf8.DecodeRuneInString(s[p.End+n:]); digitOf(r) >= 0 {
			return false
		}
	}
	return true
}

// isRoundTriple reports whether s is three round numbers with spaces between
// them: readings (250 300 1000), not a telephone number.
func isRoundTriple(s string) bool {
	groups := strings.Fields(s)
	return len(groups) == 3 && !slices.ContainsFunc(groups, func(g string) bool { return !strings.HasSuffix(g, "0") })
}

// serviceCodes finds the numbers of three digits that are dialled.
func (r *reader) serviceCodes() []Phone {
	var found []Phone
	for i, t := range r.toks {
		if t.kind != numberToken || len(t.text) != 3 || t.text[1:] != "11" && t.text != "988" {
			continue
		}
		always := slices.Contains([]string{"911", "988", "311", "211"}, t.text)
		if !always && !(t.text == "411" || t.text == "511" || t.text == "711" || t.text == "811") {
			continue
		}
		if !standsAlone(r.s, t.Span) || r.isMark(i-1, "$") || r.isMark(i-1, "#") {
			continue
		}
		if r.touches(i+1) && r.toks[i+1].kind == wordToken {
			continue
		}
		if _, n := r.unitAt(i + 1); n > 0 {
			continue
		}
		if r.isMark(i+1, "-") && r.touches(i+1) && r.touches(i+2) {
			if _, n := r.unitAt(i + 2); n > 0 {
				continue
			}
		}
		before := r.toks[max(0, i-4):i]
		if anyToken(before, "aqi", "ica", "index", "indice") || !always && !anyToken(before, "call", "dial", "text", "llame", "llamar", "marque", "al") {
			continue
		}
		found = append(found, Phone{t.Span, t.text})
	}
	return found
}

func anyToken(list []token, words ...string) bool {
	return slices.ContainsFunc(list, func(t token) bool { return slices.Contains(words, t.text) })
}
