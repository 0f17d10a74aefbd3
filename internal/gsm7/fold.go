package gsm7

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"
)

// Fold rewrites what GSM-7 lacks so that an English text means the same and is
// cheaper to send: curly quotes, dashes, odd spaces, µg, ≤, ½, °, m³ and the
// like. No number, unit or name changes: 1½ becomes "1 1/2", 10² "10^2", and
// a letter that GSM-7 lacks (á, ç, Greek, Chinese) stays. Folding twice is
// folding once.
func Fold(text string) string { return FoldIn("en", text) }

// FoldIn is Fold for a text in the given language ("es" for Spanish, anything
// else as English), which decides the words that stand for a sign: ≤ is "at
// most" or "como mucho".
func FoldIn(lang, text string) string {
	if IsGSM7(text) {
		return text
	}
	words := &english
	if lang == "es" {
		words = &spanish
	}
	text = norm.NFC.String(strings.Map(visible, text))
	f := folder{words: words, out: make([]byte, 0, len(text)+16)}
	for len(text) > 0 {
		r, n := utf8.DecodeRuneInString(text)
		if septets(r) > 0 {
			f.out = append(f.out, text[:n]...)
		} else {
			f.rune(r, text[n:])
		}
		text = text[n+f.skip:]
		f.skip = 0
	}
	return norm.NFC.String(string(f.out))
}

// visible is r, its ASCII form if it is a full width one, or -1 if nothing
// stands for it: signs of rights, and characters that are not shown.
func visible(r rune) rune {
	switch r {
	case '™', '®', '℠', '\u00AD', '\u200B', '\u2060', '\uFEFF':
		return -1
	case '\n', '\r', '\f', '\t', '\v', '\u0085':
		return r
	}
	switch {
	case r < 0x20 || r >= 0x7F && r < 0xA0:
		return -1
	case r >= '！' && r <= '～':
		return r - '！' + '!'
	}
	return r
}

// signWords are the words of one language that stand for a sign.
type signWords struct {
	atMost, atLeast, about, degrees, cents string
}

var (
	english = signWords{"at most", "at least", "about", "degrees", "cents"}
	spanish = signWords{"como mucho", "al menos", "unos", "grados", "centavos"}
)

// plainForms are the signs that read the same wherever they stand.
var plainForms = map[rune]string{
	'‘': "'", '’': "'", '‚': "'", '‛': "'", 'ʼ': "'", '′': "'", '`': "'", '´': "'", '‹': "'", '›': "'",
	'“': `"`, '”': `"`, '„': `"`, '‟': `"`, '«': `"`, '»': `"`, '″': `"`,
	'‐': "-", '‑': "-", '‒': "-", '–': "-", '−': "-", '\u2043': "-",
	'•': "-", '‣': "-", '◦': "-", '▪': "-", '●': "-", '·': "-",
	'…': "...", '‥': "..", '‼': "!!", '⁉': "!?",
	'×': "x", '÷': "/", '⁄': "/", '∕': "/", '±': "+/-", '≠': " is not ", '→': "->", '←': "<-", '⇒': "=>",
	'№': "No. ", '℃': " C", '℉': " F", '©': "(c)",
	'º': "o", 'ª': "a",
	'Œ': "OE", 'œ': "oe", 'ﬀ': "ff", 'ﬁ': "fi", 'ﬂ': "fl", 'ﬃ': "ffi", 'ﬄ': "ffl",
	'\u2028': "\n", '\u2029': "\n", '\u0085': "\n", '\v': "\n",
}

var fractions = map[rune]string{
	'½': "1/2", '⅓': "1/3", '⅔': "2/3", '¼': "1/4", '¾': "3/4", '⅕': "1/5", '⅖': "2/5", '⅗': "3/5", '⅘': "4/5",
	'⅙': "1/6", '⅚': "5/6", '⅛': "1/8", '⅜': "3/8", '⅝': "5/8", '⅞': "7/8", '⅐': "1/7", '⅑': "1/9", '⅒': "1/10",
}

const (
	superscripts = "⁰¹²³⁴⁵⁶⁷⁸⁹⁺⁻"
	subscripts   = "₀₁₂₃₄₅₆₇₈₉₊₋"
	scriptValues = "0123456789+-"
)

type folder struct {
	words *signWords
	out   []byte
	skip  int // bytes of the rest that the sign took with it

	scriptEnd  int  // where the last superscript or subscript digit ended in out
	scriptMark byte // and the mark of its kind
}

// rune appends what stands for r, which rest follows.
func (f *folder) rune(r rune, rest string) {
	next, _ := utf8.DecodeRuneInString(rest)
	last, _ := utf8.DecodeLastRune(f.out)
	switch r {
	case '—', '―':
		f.dash(last, next)
	case 'µ', 'μ':
		if strings.ContainsRune("gGlLmMsSAVWJTFwvk", next) && !unicode.IsLetter(last) {
			r = 'u'
		}
		f.write(string(r))
	case '≤', '⩽':
		f.phrase(f.words.atMost, rest)
	case '≥', '⩾':
		f.phrase(f.words.atLeast, rest)
	case '≈':
		f.phrase(f.words.about, rest)
	case '°', '˚':
		f.degree(last, rest)
	case 'º':
		if isDigit(last) && temperature(rest) != "" || last == ' ' && temperature(rest) != "" {
			f.degree(last, rest)
			return
		}
		f.write("o")
	case '¢':
		f.space(last)
		f.write(f.words.cents)
	default:
		f.other(r, last, next)
	}
}

func (f *folder) other(r, last, next rune) {
	switch form, ok := plainForms[r]; {
	case ok:
		f.write(form)
		return
	case fractions[r] != "":
		if isDigit(last) {
			f.write(" ")
		}
		f.write(fractions[r])
		if isDigit(next) || unicode.IsLetter(next) {
			f.write(" ")
		}
		return
	case r == '\t' || unicode.Is(unicode.Zs, r):
		f.write(" ")
		return
	}
	if i := strings.IndexRune(superscripts, r); i >= 0 {
		f.script('^', last, next, scriptAt(superscripts, i))
	} else if i := strings.IndexRune(subscripts, r); i >= 0 {
		f.script('_', last, next, scriptAt(subscripts, i))
	} else {
		f.write(string(r))
	}
}

func (f *folder) write(s string) { f.out = append(f.out, s...) }

func (f *folder) space(last rune) {
	if len(f.out) > 0 && last != ' ' && last != '\n' && last != '(' && last != '"' {
		f.write(" ")
	}
}

// dash writes an em dash: between words it needs room, between numbers and
// beside a space it does not.
func (f *folder) dash(last, next rune) {
	if (unicode.IsLetter(last) || isDigit(last)) && unicode.IsLetter(next) || unicode.IsLetter(last) && isDigit(next) {
		f.write(" - ")
		return
	}
	f.write("-")
}

// phrase writes words with a space on either side.
func (f *folder) phrase(words, rest string) {
	last, _ := utf8.DecodeLastRune(f.out)
	f.space(last)
	f.write(words)
	if rest != "" && !strings.HasPrefix(rest, " ") {
		f.write(" ")
	}
}

// degree writes a degree sign: "15 °C", "15° C" and "15°C" are "15 C", a bare
// "120°" is "120 degrees".
func (f *folder) degree(last rune, rest string) {
	f.space(last)
	if t := temperature(rest); t != "" {
		f.skip = len(t)
		f.write(t[len(t)-1:])
		return
	}
	f.write(f.words.degrees)
	if next, _ := utf8.DecodeRuneInString(rest); unicode.IsLetter(next) || isDigit(next) {
		f.write(" ")
	}
}

// temperature is the scale that begins rest, "C" or "F" with the space before
// it, if no letter follows.
func temperature(rest string) string {
	t := strings.TrimPrefix(rest, " ")
	if t == "" || t[0] != 'C' && t[0] != 'F' {
		return ""
	}
	if next, _ := utf8.DecodeRuneInString(t[1:]); unicode.IsLetter(next) {
		return ""
	}
	return rest[:len(rest)-len(t)+1]
}

// script writes a superscript or subscript digit, marked where it would
// otherwise lengthen the number before it, and apart from a number after it.
func (f *folder) script(mark byte, last, next rune, value byte) {
	if isDigit(last) && !(f.scriptEnd == len(f.out) && f.scriptMark == mark) {
		f.out = append(f.out, mark)
	}
	f.out = append(f.out, value)
	f.scriptEnd, f.scriptMark = len(f.out), mark
	if isDigit(next) {
		f.out = append(f.out, ' ')
	}
}

func scriptAt(list string, byteIndex int) byte {
	return scriptValues[utf8.RuneCountInString(list[:byteIndex])]
}

func isDigit(r rune) bool { return r >= '0' && r <= '9' }
