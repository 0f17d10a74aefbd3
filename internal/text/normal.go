package text

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"
)

// FoldAccents takes the accents off letters (ñ becomes n, ç c) and leaves the
// rest, case included. What it returns may be shorter than s.
func FoldAccents(s string) string {
	if isASCII(s) {
		return s
	}
	var b strings.Builder
	b.Grow(len(s))
	for _, r := range norm.NFD.String(s) {
		if !isAccent(r) {
			b.WriteRune(r)
		}
	}
	return norm.NFC.String(b.String())
}

// isAccent reports whether r is a combining mark of the Latin, Greek and
// Cyrillic scripts. The marks of other scripts are letters to their readers.
func isAccent(r rune) bool { return r >= 0x300 && r <= 0x36F }

func isASCII(s string) bool {
	for i := range len(s) {
		if s[i] >= utf8.RuneSelf {
			return false
		}
	}
	return true
}

// fold is the lower case of s without accents: what words are compared by.
func fold(s string) string { return strings.ToLower(FoldAccents(s)) }

// Normalize writes the same text in one way: Unicode NFKC, straight quotes,
// plain hyphens, one space for any run of white space (one line break if the
// run holds one, two if it holds more), no invisible characters, no space at
// either end. Numbers keep their value: 1½ becomes "1 1/2", 10² "10^2".
// Normalizing twice is normalizing once.
func Normalize(s string) string {
	// NFKC takes some signs apart into others that have a plain form.
	return squeeze(plainForms(plainForms(s)))
}

func plainForms(s string) string {
	var b strings.Builder
	b.Grow(len(s))
	var last rune
	for _, r := range norm.NFC.String(s) {
		form := plainForm(r, last)
		b.WriteString(form)
		if form != "" {
			last, _ = utf8.DecodeLastRuneInString(form)
		}
	}
	return norm.NFKC.String(b.String())
}

// plainForm is what Normalize writes for r after last, before NFKC.
func plainForm(r, last rune) string {
	if r < utf8.RuneSelf {
		if r == '`' {
			return "'"
		}
		return string(r)
	}
	switch r {
	case '‘', '’', '‚', '‛', 'ʼ', '′', '´':
		return "'"
	case '“', '”', '„', '‟', '«', '»', '″':
		return `"`
	case '‐', '‑', '‒', '–', '—', '―', '−':
		return "-"
	case '⁄', '∕':
		return "/"
	case 'µ', 'μ':
		return "u"
	case '™', '®', '℠', '\u00AD', '\u200B', '\u200E', '\u200F', '\u2060', '\uFEFF':
		return ""
	case 'º', 'ª':
		return string(r)
	case '\u2028', '\u2029', '\u0085':
		return "\n"
	}
	if parts := fractionOf(r); parts != "" {
		if unicode.IsDigit(last) {
			return " " + parts
		}
		return parts
	}
	if digit := scriptDigit(r); digit != 0 {
		if unicode.IsDigit(last) {
			return "^" + string(digit)
		}
		return string(digit)
	}
	return string(r)
}

// fractionOf is a vulgar fraction written out (½ is "1/2"), empty for any
// other character.
func fractionOf(r rune) string {
	if r != '¼' && r != '½' && r != '¾' && (r < '⅐' || r > '⅞') {
		return ""
	}
	return strings.Replace(norm.NFKC.String(string(r)), "⁄", "/", 1)
}

// scriptDigit is the digit that r writes above or below the line, or 0.
func scriptDigit(r rune) rune {
	switch {
	case r == '¹':
		return '1'
	case r == '²' || r == '³':
		return r - '²' + '2'
	case r == '⁰' || r >= '⁴' && r <= '⁹':
		return r - '⁰' + '0'
	case r >= '₀' && r <= '₉':
		return r - '₀' + '0'
	}
	return 0
}

// squeeze makes each run of white space one space or one or two line breaks,
// and trims the text.
func squeeze(s string) string {
	var b strings.Builder
	b.Grow(len(s))
	gap, lines := false, 0
	for _, r := range s {
		if unicode.IsSpace(r) {
			gap = true
			if r == '\n' {
				lines++
			}
			continue
		}
		if gap && b.Len() > 0 {
			switch {
			case lines > 1:
				b.WriteString("\n\n")
			case lines == 1:
				b.WriteString("\n")
			default:
				b.WriteString(" ")
			}
		}
		gap, lines = false, 0
		b.WriteRune(r)
	}
	return b.String()
}
