package personas

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"plumbline/internal/gsm7"
	"plumbline/internal/text"
)

// A word is a word of a text as it is compared: lower case, without accents
// and apostrophes. A number keeps its point and loses its separators of
// thousands; initials are joined (U.S. is us); a sign such as % is a word too.
type word struct {
	text.Span
	text string
	caps bool  // written in capitals, two letters or more
	name bool  // begins with a capital
	gap  gapOf // what stands before it
}

// A gapOf is what stands between a word and the one before.
type gapOf int

const (
	joined   gapOf = iota // nothing, a space or a hyphen
	listed                // a comma
	paused                // a colon, a bracket, a dash, a quotation mark
	stopped               // the end of a sentence
	starting              // the start of the text
)

// signs are what is no letter and yet says something.
const signs = "%$°<>≤≥=~+½¼¾⅓⅔€£#&′″×±"

// wordsOf splits any text into words, in time linear in its length.
func wordsOf(s string) []word {
	var list []word
	ends := sentenceEnds(s)
	gap := starting
	for at := 0; at < len(s); {
		for len(ends) > 0 && at >= ends[0] {
			gap, ends = max(gap, stopped), ends[1:]
		}
		r, n := utf8.DecodeRuneInString(s[at:])
		switch {
		case unicode.IsLetter(r) || unicode.IsDigit(r):
			w := scanWord(s, at)
			w.gap = gap
			list = append(list, w)
			gap, at = joined, w.End
		case strings.ContainsRune(signs, r):
			for _, f := range spelt(r) {
				list = append(list, word{Span: text.Span{Start: at, End: at + n}, text: f, gap: gap})
				gap = joined
			}
			at += n
		default:
			switch {
			case r == '\n' || r == ';', r == '.' && isNo(list) && isLetterAfter(s[at+n:]):
				gap = max(gap, stopped) // "No. Boiling ..." is no number
			case r == ',':
				gap = max(gap, listed)
			case strings.ContainsRune(":()[]—–\"“”", r):
				gap = max(gap, paused)
			}
			at += n
		}
	}
	return list
}

// spelt writes a sign as it is sent: ≥ is "at least", ½ is 1/2. What is no letter
// or digit is left as it is.
func spelt(sign rune) []string {
	s := strings.ToLower(gsm7.Fold(string(sign)))
	words := strings.FieldsFunc(s, func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) })
	if len(words) == 0 {
		return []string{s}
	}
	return words
}

// isNo reports whether the last of ws is "no".
func isNo(ws []word) bool { return len(ws) > 0 && ws[len(ws)-1].text == "no" }

// isLetterAfter reports whether spaces and a letter follow.
func isLetterAfter(s string) bool {
	r, _ := utf8.DecodeRuneInString(strings.TrimLeft(s, " "))
	return unicode.IsLetter(r)
}

// sentenceEnds lists where sentences end, the last aside.
func sentenceEnds(s string) []int {
	var ends []int
	for _, p := range text.Sentences(s) {
		ends = append(ends, p.End)
	}
	return ends
}

// scanWord reads the word that begins at byte at.
func scanWord(s string, at int) word {
	if n := initials(s[at:]); n > 0 {
		return newWord(s, at, at+n, strings.ReplaceAll(s[at:at+n], ".", ""))
	}
	var b strings.Builder
	first, _ := utf8.DecodeRuneInString(s[at:])
	digits := unicode.IsDigit(first)
	i, letters := at, false
	for i < len(s) {
		r, n := utf8.DecodeRuneInString(s[i:])
		next, _ := utf8.DecodeRuneInString(s[i+n:])
		switch {
		case unicode.IsLetter(r) || unicode.IsDigit(r):
			letters = letters || unicode.IsLetter(r)
			b.WriteRune(r)
		case unicode.Is(unicode.Mn, r):
		case (r == '\'' || r == '’') && isGenitive(s[i+n:]): // EPA's
			return newWord(s, at, i+n+1, b.String())
		case (r == '\'' || r == '’') && unicode.IsLetter(next): // don't
		case r == '.' && digits && isDigitAt(s, i-1) && isDigitAt(s, i+n):
			b.WriteByte('.')
		case r == ',' && digits && !letters && isDigitAt(s, i-1) && isThousands(s, i+n):
		default:
			return newWord(s, at, i, b.String())
		}
		i += n
	}
	return newWord(s, at, i, b.String())
}

// newWord is the word that stands at s[from:to] and is spelt as given.
func newWord(s string, from, to int, spelt string) word {
	w := word{Span: text.Span{Start: from, End: to}, text: micro.Replace(strings.ToLower(text.FoldAccents(spelt)))}
	letters, capitals := 0, 0
	for i, r := range spelt {
		if unicode.IsLetter(r) {
			letters++
		}
		if unicode.IsUpper(r) {
			capitals++
			w.name = w.name || i == 0
		}
	}
	w.caps = letters >= 2 && capitals == letters
	return w
}

// micro writes both micro signs as people type them.
var micro = strings.NewReplacer("µ", "u", "μ", "u")

// initials returns the length of the initials that s begins with (U.S., a.m.),
// 0 if it begins with none.
func initials(s string) int {
	const most = 6
	end, letters := 0, 0
	for letters < most {
		r, n := utf8.DecodeRuneInString(s[end:])
		if !unicode.IsLetter(r) || !strings.HasPrefix(s[end+n:], ".") {
			break
		}
		end, letters = end+n+1, letters+1
	}
	r, _ := utf8.DecodeRuneInString(s[end:])
	if letters < 2 || unicode.IsLetter(r) || unicode.IsDigit(r) {
		return 0
	}
	return end
}

func isDigitAt(s string, i int) bool { return i >= 0 && i < len(s) && s[i] >= '0' && s[i] <= '9' }

// isThousands reports whether s holds three digits at i, and no fourth.
func isThousands(s string, i int) bool {
	return isDigitAt(s, i) && isDigitAt(s, i+1) && isDigitAt(s, i+2) && !isDigitAt(s, i+3)
}

// isGenitive reports whether what follows an apostrophe is the s of EPA's.
func isGenitive(s string) bool {
	if s == "" || s[0] != 's' && s[0] != 'S' {
		return false
	}
	r, _ := utf8.DecodeRuneInString(s[1:])
	return len(s) == 1 || !unicode.IsLetter(r) && !unicode.IsDigit(r)
}

// textsOf returns the words of s alone.
func textsOf(s string) []string {
	ws := wordsOf(s)
	list := make([]string, len(ws))
	for i, w := range ws {
		list[i] = w.text
	}
	return list
}

// A phrase is one way to say something.
type phrase struct {
	words []string // a last "*" in a word stands for any ending
	caps  []bool   // by word: it is found with a capital alone; nil for none
	id    int
}

// A finder finds phrases in words.
type finder struct {
	first map[string][]phrase // by first word, longest first
	loose map[string][]phrase // whose first word has any ending, by its first byte
}

// add adds phrases for what is called id. A phrase is split as a text is.
func (f *finder) add(id int, phrases ...string) { f.addAll(id, false, phrases) }

// addWritten adds phrases that are found only with the capitals that they have.
func (f *finder) addWritten(id int, phrases ...string) { f.addAll(id, true, phrases) }

func (f *finder) addAll(id int, written bool, phrases []string) {
	if f.first == nil {
		f.first, f.loose = make(map[string][]phrase), make(map[string][]phrase)
	}
	longest := func(a, b phrase) int { return len(b.words) - len(a.words) }
	for _, p := range phrases {
		var words []string
		var caps []bool
		for field := range strings.FieldsSeq(p) {
			stem, any := strings.CutSuffix(field, "*")
			ws := wordsOf(stem)
			for _, w := range ws {
				words, caps = append(words, w.text), append(caps, w.name)
			}
			if any && len(ws) > 0 {
				words[len(words)-1] += "*"
			}
		}
		if len(words) == 0 {
			continue
		}
		if !written {
			caps = nil
		}
		ph := phrase{words, caps, id}
		if strings.HasSuffix(words[0], "*") {
			k := words[0][:1]
			f.loose[k] = append(f.loose[k], ph)
			slices.SortStableFunc(f.loose[k], longest)
			continue
		}
		f.first[words[0]] = append(f.first[words[0]], ph)
		slices.SortStableFunc(f.first[words[0]], longest)
	}
}

// A hit is a phrase found: words [from, to).
type hit struct{ id, from, to int }

// at returns the longest phrase that begins at word i and does not go on into
// another sentence.
func (f *finder) at(ws []word, i int) (h hit, ok bool) {
	for _, list := range [][]phrase{f.first[ws[i].text], f.loose[ws[i].text[:min(1, len(ws[i].text))]]} {
		for _, p := range list {
			if p.stands(ws, i) && (!ok || i+len(p.words) > h.to) {
				h, ok = hit{p.id, i, i + len(p.words)}, true
			}
		}
	}
	return h, ok
}

func (p phrase) stands(ws []word, i int) bool {
	if i+len(p.words) > len(ws) {
		return false
	}
	for k, want := range p.words {
		w := ws[i+k]
		if k > 0 && w.gap >= stopped || p.caps != nil && p.caps[k] && !w.name {
			return false
		}
		if stem, any := strings.CutSuffix(want, "*"); any && strings.HasPrefix(w.text, stem) {
			continue
		}
		if w.text != want {
			return false
		}
	}
	return true
}

// before returns a phrase of one word that stands right before word i.
func (f *finder) before(ws []word, i int) (h hit, ok bool) {
	if i == 0 || ws[i].gap >= stopped {
		return h, false
	}
	h, ok = f.at(ws, i-1)
	return h, ok && h.to == i
}

// all returns the phrases found from left to right, none overlapping another.
func (f *finder) all(ws []word) []hit {
	var list []hit
	for i := 0; i < len(ws); {
		h, ok := f.at(ws, i)
		if !ok {
			i++
			continue
		}
		list = append(list, h)
		i = h.to
	}
	return list
}
