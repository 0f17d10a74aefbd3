package text

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// Sentences finds the sentences of an English or Spanish text, in order,
// without the white space around them. Abbreviations, decimals and URLs do not
// end a sentence; an empty line and the marker of a list item do. What holds
// no word goes with the sentence before it, or with the next. A text without
// words has no sentences.
func Sentences(s string) []Span {
	var found []Span
	start := 0
	add := func(end int) {
		p := trimSpan(s, Span{start, end})
		start = end
		switch {
		case p.Start == p.End:
		case !hasWord(p.In(s)) && len(found) > 0:
			found[len(found)-1].End = p.End
		case len(found) > 0 && !hasWord(found[len(found)-1].In(s)):
			found[len(found)-1].End = p.End
		default:
			found = append(found, p)
		}
	}
	for at := 0; at < len(s); {
		r, n := utf8.DecodeRuneInString(s[at:])
		switch {
		case r == '\n':
			if end := at + n; breaksLine(s[end:]) {
				add(end)
			}
		case isTerminator(r):
			end := at + terminatorLen(s[at:])
			if endsAt(s, start, at, end) {
				add(end)
			}
			at = end
			continue
		}
		at += n
	}
	add(len(s))
	if len(found) == 1 && !hasWord(found[0].In(s)) {
		return nil
	}
	return found
}

func trimSpan(s string, p Span) Span {
	part := p.In(s)
	p.Start += len(part) - len(strings.TrimLeftFunc(part, unicode.IsSpace))
	p.End = p.Start + len(strings.TrimSpace(part))
	return p
}

func hasWord(s string) bool {
	return strings.ContainsFunc(s, func(r rune) bool { return unicode.IsLetter(r) || unicode.IsDigit(r) })
}

// breaksLine reports whether a sentence ends at a line break before rest: the
// next line is empty or begins with the marker of a list item.
func breaksLine(rest string) bool {
	line, _, _ := strings.Cut(rest, "\n")
	line = strings.TrimSpace(line)
	return line == "" || markerLen(line) > 0
}

// markerLen is the length of the list marker that begins s: a bullet, 1., 2),
// a) or (b), with a space after it.
func markerLen(s string) int {
	first, rest, ok := strings.Cut(s, " ")
	if !ok || rest == "" {
		return 0
	}
	switch first {
	case "-", "*", "•", "‣", "◦", "·", "–", "—", "+", "●", "▪":
		return len(first)
	}
	core, ended := strings.CutSuffix(first, ")")
	if core = strings.TrimPrefix(core, "("); ended && (isLetterAlone(core) || isListNumber(core)) {
		return len(first)
	}
	if core, ended := strings.CutSuffix(first, "."); ended && isListNumber(core) {
		return len(first)
	}
	return 0
}

func isLetterAlone(s string) bool { return len(s) == 1 && isLetter(rune(s[0])) }

func isListNumber(s string) bool { return len(s) > 0 && len(s) <= 2 && digitRun(s) == len(s) }

func isTerminator(r rune) bool {
	switch r {
	case '.', '!', '?', '…', '。', '！', '？', '؟':
		return true
	}
	return false
}

// terminatorLen is the length of the run of terminators that begins s, with
// the quotes and brackets that close after it.
func terminatorLen(s string) int {
	for i, r := range s {
		if !isTerminator(r) && !isCloser(r) {
			return i
		}
	}
	return len(s)
}

func isCloser(r rune) bool { return strings.ContainsRune(`"'”’»)]}`, r) }

// endsAt reports whether the terminators s[at:end] end the sentence that
// begins at start.
func endsAt(s string, start, at, end int) bool {
	run, rest := s[at:end], s[end:]
	if rest == "" {
		return true
	}
	next, _ := utf8.DecodeRuneInString(rest)
	if strings.ContainsAny(run, "。！？") {
		return true
	}
	if !unicode.IsSpace(next) {
		return false
	}
	word := nextWord(rest)
	first, _ := utf8.DecodeRuneInString(word)
	quoted := strings.ContainsAny(run, `"”»`)
	dots := strings.Count(run, ".")
	switch {
	case strings.ContainsAny(run, "!?؟"):
		return !(quoted && unicode.IsLower(first))
	case dots > 1 || strings.Contains(run, "…"):
		return word == "" || !unicode.IsLower(first)
	case quoted && unicode.IsLower(first):
		return false
	}
	last := lastWord(s[start:at])
	before := fold(last)
	if begins := strings.TrimSpace(s[start:at]); isListNumber(begins) {
		return false // 1. Run the tap.
	}
	switch {
	case last == "No" || before == "num": // pipe No. 5, but not: Safe? No. 15 ppb is over.
		return first < '0' || first > '9' || strings.TrimSpace(s[start:at]) == last
	case before == "p" && word == "ej":
		return false
	case neverEnding[before]:
		return false
	case timesOfDay[before] || before == "etc":
		return unicode.IsUpper(first)
	case maybeEnding[before], strings.Contains(before, "."):
		return unicode.IsUpper(first) && sentenceStarters[fold(word)]
	case isLetterAlone(before) && unicode.IsUpper(lastRune(s[start:at])): // J. Smith and E. coli, but not vitamin C. The
		return !unicode.IsLetter(first) || sentenceStarters[fold(word)]
	case isLetterAlone(before) && !strings.HasSuffix(s[start:at], "'"+last) && !strings.HasSuffix(s[start:at], "’"+last): // e. coli, but not the city's. They
		return !unicode.IsLower(first) || sentenceStarters[fold(word)]
	}
	return true
}

func lastRune(s string) rune {
	r, _ := utf8.DecodeLastRuneInString(s)
	return r
}

// nextWord is the first word of rest, without quotes and brackets before it.
func nextWord(rest string) string {
	rest = strings.TrimLeftFunc(rest, func(r rune) bool {
		return unicode.IsSpace(r) || strings.ContainsRune(`"'“‘«([{¿¡*_-•–—`, r)
	})
	for i, r := range rest {
		if !unicode.IsLetter(r) && !unicode.IsDigit(r) {
			return rest[:i]
		}
		if i > maxWordSeen {
			return rest[:i]
		}
	}
	return rest
}

// maxWordSeen is how many bytes of a word the rules look at.
const maxWordSeen = 40

// lastWord is the letters, with points between them, that end s.
func lastWord(s string) string {
	at := len(s)
	for at > 0 && len(s)-at < maxWordSeen {
		r, n := utf8.DecodeLastRuneInString(s[:at])
		if !unicode.IsLetter(r) && r != '.' {
			break
		}
		at -= n
	}
	return strings.TrimLeft(s[at:], ".")
}

var (
	// neverEnding are abbreviations that a sentence does not end with.
	neverEnding = wordSet(`mr mrs ms dr prof st mt sgt capt rev hon gen rep sen vs e.g i.e eg ie cf approx fig sec vol
		sra srta dra ing lic aprox art pag tel ej p.ej ref viz al`)
	timesOfDay = wordSet(`a.m p.m am pm`)
	// maybeEnding are abbreviations that end a sentence only if the next word
	// often begins one.
	maybeEnding = wordSet(`inc co corp ltd jr sr u.s u.s.a d.c n.j n.y ee uu ee.uu ave blvd rd dept est apt ext
		jan feb mar apr aug sept sep oct nov dec ene abr ago dic ud uds gal tsp tbsp oz hr hrs min`)
	sentenceStarters = wordSet(`the a an it its this that these those he she they we you i if but and or so for in on at to from
		when where what why how who there here do don does did is are was were can could will would should call use
		run boil ask see no not yes only most some many all each after before until while then also please
		el la los las lo un una unos unas en es no si se para por pero y o use llame pida hierva cuando donde que
		su sus este esta estos estas hay al del con sin como mas solo luego antes despues`)
)
