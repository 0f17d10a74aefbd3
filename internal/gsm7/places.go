package gsm7

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// A grade says how good a place is to cut at; higher is better.
type grade uint8

const (
	gradeNone      grade = iota
	gradeGlued           // between the words of a number with its unit, a date, a telephone number
	gradeSoft            // after a negation, before a number
	gradeWord            // between words
	gradeClause          // after , ; : or a dash
	gradeSentence        // after . ! ?
	gradeLine            // at a line break
	gradeParagraph       // at an empty line
)

// A place is an offset at which a word begins.
type place struct {
	at    int
	grade grade
}

// placesToCut finds the places between the words of the text, in order.
func placesToCut(text string) []place {
	var places []place
	var before, last string // the two words before the place
	for at := 0; at < len(text); {
		gap := leadingSpace(text[at:])
		end := at + gap + wordLen(text[at+gap:])
		word := text[at+gap : end]
		if word == "" {
			break
		}
		if last != "" {
			places = append(places, place{at + gap, gradeOf(before, last, text[at:at+gap], word)})
		}
		before, last = last, word
		at = end
	}
	return places
}

// breaks reports whether r is white space that allows a cut; a no-break space
// is part of its word.
func breaks(r rune) bool {
	return unicode.IsSpace(r) && r != '\u00A0' && r != '\u202F' && r != '\u2007'
}

func leadingSpace(s string) int {
	if i := strings.IndexFunc(s, func(r rune) bool { return !breaks(r) }); i >= 0 {
		return i
	}
	return len(s)
}

func wordLen(s string) int {
	if i := strings.IndexFunc(s, breaks); i >= 0 {
		return i
	}
	return len(s)
}

// gradeOf grades the gap between last and next; before is the word before last.
func gradeOf(before, last, gap, next string) grade {
	switch lines := strings.Count(gap, "\n"); {
	case lines > 1:
		return gradeParagraph
	case lines == 1:
		return gradeLine
	}
	l, n := core(last), core(next)
	ends := strings.TrimRight(last, `"')]”’»`)
	switch {
	case strings.HasSuffix(ends, ",") && isMonth(core(before)) && startsWithDigit(next): // November 1, 2027
		return gradeGlued
	case endsSentence(ends, l):
		return gradeSentence
	case strings.HasSuffix(ends, ",") || strings.HasSuffix(ends, ";") || strings.HasSuffix(ends, ":"),
		last == "-", last == "–", last == "—":
		return gradeClause
	case hasDigit(l), numberWords[l], last == "$", isMonth(l) && (startsWithDigit(next) || n == "de" || n == "del"):
		return gradeGlued
	case (l == "de" || l == "del") && (isMonth(core(before)) || hasDigit(before)) && (startsWithDigit(next) || isMonth(n)):
		return gradeGlued
	case perWords[l] && unitHeads[core(before)], perWords[n] && unitHeads[l], l == "mil" && strings.HasPrefix(n, "millon"):
		return gradeGlued
	case negations[l], hasDigit(n):
		return gradeSoft
	}
	return gradeWord
}

// core is the word in lower case without the punctuation around it.
func core(word string) string {
	return strings.ToLower(strings.TrimFunc(word, func(r rune) bool {
		return !unicode.IsLetter(r) && !unicode.IsDigit(r)
	}))
}

// endsSentence reports whether a word, given without closing quotes, ends a
// sentence. A short word with a full stop may be an abbreviation and does not.
func endsSentence(word, core string) bool {
	r, _ := utf8.DecodeLastRuneInString(word)
	switch r {
	case '!', '?', '…', '。', '！', '？':
		return true
	case '.':
		return !abbreviations[core] && (utf8.RuneCountInString(core) > 1 || hasDigit(core))
	}
	return false
}

func hasDigit(s string) bool { return strings.ContainsAny(s, "0123456789") }

func startsWithDigit(s string) bool { return s != "" && isDigit(rune(s[0])) }

func isMonth(core string) bool {
	if len(core) < 3 {
		return false
	}
	return months[core]
}

func set(words string) map[string]bool {
	m := make(map[string]bool)
	for _, w := range strings.Fields(words) {
		m[w] = true
	}
	return m
}

var (
	months = set(`january february march april may june july august september october november december
		jan feb mar apr jun jul aug sep sept oct nov dec
		enero febrero marzo abril mayo junio julio agosto septiembre setiembre octubre noviembre diciembre
		ene abr ago dic`)
	numberWords = set(`one two three four five six seven eight nine ten eleven twelve fifteen twenty thirty forty
		fifty sixty ninety hundred thousand million half
		un uno una dos tres cuatro cinco seis siete ocho nueve diez once doce quince veinte treinta cuarenta
		cincuenta sesenta noventa cien ciento mil millones medio media`)
	perWords  = set(`per por`)
	unitHeads = set(`parts partes micrograms microgramos milligrams miligramos nanograms nanogramos grams gramos
		liters litros gallons galones feet pies per por billion million trillion cubic`)
	negations     = set(`not no never don't dont doesn't can't cannot won't isn't nunca ni sin jamás jamas without`)
	abbreviations = set(`mr mrs ms dr dra sr sra st ave apt no núm num vs etc e.g i.e a.m p.m u.s u.s.a d.c ee uu p ej
		approx aprox tel ext ud uds art pág`)
)
