package text

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

type tokenKind uint8

const (
	wordToken   tokenKind = iota // letters, with the digits and apostrophes inside: won't, N95, PM2.5
	numberToken                  // digits with their separators, or a fraction sign
	markToken                    // any other character
)

// A token is a piece of a text between white space. Invisible characters (soft
// hyphen, zero-width space) belong to the token that they stand in.
type token struct {
	Span
	kind tokenKind
	gap  bool // white space stands before it
	// text is what the token says: a word in lower case without accents, a
	// number with a point for its decimals and no thousands separators, a mark
	// with all dashes as "-" and all apostrophes as "'".
	text string
}

// tokens cuts s into tokens.
func tokens(s string) []token {
	list := make([]token, 0, len(s)/4+1)
	gap := false
	for at := 0; at < len(s); {
		r, n := utf8.DecodeRuneInString(s[at:])
		switch {
		case unicode.IsSpace(r):
			gap = true
			at += n
			continue
		case isInvisible(r):
			at += n
			continue
		}
		t := token{Span: Span{at, at + n}, gap: gap}
		switch {
		case isLetter(r):
			t.kind = wordToken
			t.End = at + wordLength(s[at:])
			t.text = foldWord(s[at:t.End])
		case digitOf(r) >= 0:
			t.kind = numberToken
			t.End, t.text = readNumber(s, at)
		case fractionOf(r) != "":
			t.kind = numberToken
			t.text = fractionOf(r)
		default:
			t.kind = markToken
			t.text = plainForm(r, 0)
			if t.text == "" {
				t.text = string(r)
			}
		}
		list = append(list, t)
		gap = false
		at = t.End
	}
	return list
}

func isInvisible(r rune) bool {
	switch r {
	case '\u00AD', '\u200B', '\u200C', '\u2060', '\uFEFF', '\u200E', '\u200F':
		return true
	}
	return false
}

func isLetter(r rune) bool {
	if r < utf8.RuneSelf {
		return r|0x20 >= 'a' && r|0x20 <= 'z'
	}
	return unicode.IsLetter(r) && r != 'º' && r != 'ª' || r == 'µ' || unicode.Is(unicode.M, r)
}

func isApostrophe(r rune) bool { return r == '\'' || r == '’' || r == '‘' || r == 'ʼ' }

// digitOf is the value of an ASCII or full width digit, else -1.
func digitOf(r rune) int {
	switch {
	case r >= '0' && r <= '9':
		return int(r - '0')
	case r >= '０' && r <= '９':
		return int(r - '０')
	}
	return -1
}

// wordLength is the length of the word that begins s: letters, digits after
// them, an apostrophe between letters and a point between digits.
func wordLength(s string) int {
	end := 0 // after the last character that belongs
	var last rune
	for at := 0; at < len(s); {
		r, n := utf8.DecodeRuneInString(s[at:])
		next, _ := utf8.DecodeRuneInString(s[at+n:])
		switch {
		case isInvisible(r):
			at += n
			continue
		case isLetter(r), digitOf(r) >= 0, scriptDigit(r) != 0, r == '_':
		case isApostrophe(r) && isLetter(last) && isLetter(next):
		case r == '.' && digitOf(last) >= 0 && digitOf(next) >= 0:
		default:
			return end
		}
		last = r
		at += n
		end = at
	}
	return end
}

// foldWord is the text of a word token.
func foldWord(s string) string {
	if isASCII(s) {
		return strings.ToLower(s)
	}
	var b strings.Builder
	for _, r := range FoldAccents(s) {
		switch {
		case isInvisible(r):
		case isApostrophe(r):
			b.WriteByte('\'')
		case r == 'µ' || r == 'μ':
			b.WriteByte('u')
		case scriptDigit(r) != 0:
			b.WriteRune(scriptDigit(r))
		case digitOf(r) >= 0:
			b.WriteByte(byte('0' + digitOf(r)))
		default:
			b.WriteRune(unicode.ToLower(r))
		}
	}
	return b.String()
}

// maxGroups is how many groups of digits a number may have.
const maxGroups = 8

// readNumber reads the number that begins at s[at]: where it ends, and its
// text. A comma before exactly three digits separates thousands unless the
// number begins with a zero, when it is a decimal comma; points separate
// decimals. Other commas end the number.
func readNumber(s string, at int) (end int, text string) {
	text, end = readDigits(s, at)
	whole := text
	for groups := 1; groups < maxGroups && end < len(s) && (s[end] == '.' || s[end] == ','); groups++ {
		part, after := readDigits(s, end+1)
		if part == "" {
			break
		}
		switch {
		case s[end] == '.':
			text += "." + part
		case len(part) == 3 && whole != "0" && len(whole) <= 3 && !strings.Contains(text, "."):
			text += part
		case whole == "0" && text == "0":
			text += "." + part
		default:
			return end, text
		}
		end = after
	}
	// Points that separate thousands: 1.250.000.
	if groups := strings.Split(text, "."); len(groups) > 2 && len(groups[0]) <= 3 && allOfLength(groups[1:], 3) {
		text = strings.Join(groups, "")
	}
	return end, text
}

func readDigits(s string, at int) (digits string, end int) {
	var b strings.Builder
	end = at
	for at < len(s) {
		r, n := utf8.DecodeRuneInString(s[at:])
		d := digitOf(r)
		if d < 0 && !(isInvisible(r) && b.Len() > 0) {
			break
		}
		at += n
		if d >= 0 {
			b.WriteByte(byte('0' + d))
			end = at
		}
	}
	return b.String(), end
}

func allOfLength(list []string, n int) bool {
	for _, s := range list {
		if len(s) != n {
			return false
		}
	}
	return true
}
