package text

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// URLs finds the web addresses of a text, with or without a scheme
// (www.epa.gov, epa.gov/lead), without the punctuation that follows them.
func URLs(s string) []Span {
	var found []Span
	for _, f := range fields(s) {
		if p, ok := urlIn(s, f); ok {
			found = append(found, p)
		}
	}
	return found
}

// Emails finds the e-mail addresses of a text.
func Emails(s string) []Span {
	var found []Span
	for _, f := range fields(s) {
		word := f.In(s)
		at := strings.IndexByte(word, '@')
		if at <= 0 || strings.Contains(word, "://") {
			continue
		}
		start, end := at, at+1
		for start > 0 {
			r, n := utf8.DecodeLastRuneInString(word[:start])
			if !isLetter(r) && digitOf(r) < 0 && !strings.ContainsRune("._%+-'", r) {
				break
			}
			start -= n
		}
		for end < len(word) {
			r, n := utf8.DecodeRuneInString(word[end:])
			if !isLetter(r) && digitOf(r) < 0 && r != '.' && r != '-' {
				break
			}
			end += n
		}
		end = at + 1 + len(strings.TrimRight(word[at+1:end], ".-"))
		if start < at && strings.Contains(word[at+1:end], ".") {
			found = append(found, Span{f.Start + start, f.Start + end})
		}
	}
	return found
}

// isAddress reports whether a word is or holds a URL or an e-mail address.
func isAddress(word string) bool {
	return strings.ContainsAny(word, ".@:") && (len(URLs(word)) > 0 || len(Emails(word)) > 0)
}

// fields finds what stands between white space, brackets and quotes.
func fields(s string) []Span {
	var found []Span
	start := -1
	for i, r := range s {
		if unicode.IsSpace(r) || strings.ContainsRune("<>|\"“”«»", r) {
			if start >= 0 {
				found = append(found, Span{start, i})
			}
			start = -1
			continue
		}
		if start < 0 {
			start = i
		}
	}
	if start >= 0 {
		found = append(found, Span{start, len(s)})
	}
	return found
}

// topLevels are the domains that make a name without scheme a web address.
var topLevels = map[string]bool{
	"gov": true, "org": true, "com": true, "net": true, "edu": true, "us": true, "info": true, "int": true, "mil": true,
	"io": true, "ca": true, "mx": true, "uk": true, "html": true, "pdf": true,
}

// urlIn finds the web address in the field.
func urlIn(s string, f Span) (Span, bool) {
	word := f.In(s)
	start := strings.Index(word, "://")
	if start >= 0 {
		head := start
		for start > 0 && word[start-1]|0x20 >= 'a' && word[start-1]|0x20 <= 'z' {
			start--
		}
		if start == head {
			return Span{}, false
		}
	} else {
		start = len(word) - len(strings.TrimLeft(word, "([{'*_-.,;:"))
		if !isBareAddress(word[start:]) {
			return Span{}, false
		}
	}
	end := start + len(trimURL(word[start:]))
	return Span{f.Start + start, f.Start + end}, true
}

// trimURL takes the punctuation off the end of a URL; a bracket that the URL
// opens stays.
func trimURL(u string) string {
	open := strings.Count(u, "(") - strings.Count(u, ")")
	for u != "" {
		r, n := utf8.DecodeLastRuneInString(u)
		switch {
		case strings.ContainsRune(".,;:!?'’*_…]}", r):
		case r == ')' && open < 0:
			open++
		default:
			return u
		}
		u = u[:len(u)-n]
	}
	return u
}

// isBareAddress reports whether a word is a host name, perhaps with a path.
func isBareAddress(word string) bool {
	host, _, _ := strings.Cut(word, "/")
	host, _, _ = strings.Cut(host, "?")
	host = strings.ToLower(strings.TrimRight(host, ".,;:!?)]}'’"))
	if strings.Contains(host, "@") {
		return false
	}
	labels := strings.Split(host, ".")
	if len(labels) < 2 || len(labels) > 8 {
		return false
	}
	for _, l := range labels {
		if l == "" {
			return false
		}
		for _, r := range l {
			if !isLetter(r) && digitOf(r) < 0 && r != '-' {
				return false
			}
		}
	}
	return labels[0] == "www" || topLevels[labels[len(labels)-1]]
}
