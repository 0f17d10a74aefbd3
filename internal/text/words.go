package text

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// Words finds the words of a text, in order: what stands between white space
// and long dashes, without the punctuation around it, if it holds a letter or
// a digit. A number, a hyphenated compound, a URL, an e-mail address and mg/L
// are one word each; a percent sign belongs to its number; "e.g." is "e.g".
// The marker of a list item (1., b)) is none.
func Words(s string) []Span {
	var found []Span
	lineStart, sentenceStart := true, true
	for at := 0; at < len(s); {
		r, n := utf8.DecodeRuneInString(s[at:])
		if unicode.IsSpace(r) {
			lineStart = lineStart || r == '\n'
			at += n
			continue
		}
		end := at + fieldLen(s[at:])
		field := s[at:end]
		if (lineStart || sentenceStart) && markerLen(s[at:min(len(s), end+2)]) > 0 {
			lineStart, sentenceStart = false, true
			at = end
			continue
		}
		found = append(found, splitField(field, at)...)
		lineStart = false
		sentenceStart = isTerminator(lastRune(strings.TrimRightFunc(field, isCloser)))
		at = end
	}
	return found
}

func fieldLen(s string) int {
	if i := strings.IndexFunc(s, unicode.IsSpace); i >= 0 {
		return i
	}
	return len(s)
}

// splitField cuts what stands between white space at long dashes, runs of
// points and full stops of wide scripts, and trims each piece.
func splitField(field string, at int) []Span {
	var found []Span
	add := func(from, to int) {
		if w, ok := trimWord(field[from:to]); ok {
			found = append(found, Span{at + from + w.Start, at + from + w.End})
		}
	}
	from := 0
	for i, r := range field {
		width := 0
		switch {
		case strings.ContainsRune("—―…。！？", r):
			width = utf8.RuneLen(r)
		case strings.HasPrefix(field[i:], "..") || strings.HasPrefix(field[i:], "--"):
			width = 1
		default:
			continue
		}
		if i >= from {
			add(from, i)
			from = i + width
		}
	}
	add(from, len(field))
	return found
}

// trimWord takes the punctuation off both ends of s; ok is false if nothing is
// left.
func trimWord(s string) (p Span, ok bool) {
	start := strings.IndexFunc(s, func(r rune) bool { return unicode.IsLetter(r) || unicode.IsDigit(r) })
	if start < 0 {
		return p, false
	}
	end := strings.LastIndexFunc(s, func(r rune) bool { return unicode.IsLetter(r) || unicode.IsDigit(r) || unicode.Is(unicode.M, r) })
	r, n := utf8.DecodeRuneInString(s[end:])
	end += n
	if unicode.IsDigit(r) && strings.HasPrefix(s[end:], "%") {
		end++
	}
	return Span{start, end}, true
}
