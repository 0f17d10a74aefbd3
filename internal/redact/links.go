package redact

import (
	"regexp"
	"strings"
	"unicode"
	"unicode/utf8"
)

// spokenEmail is an address spelt to get past filters: ana at gmail dot com.
var (
	spokenEmail = regexp.MustCompile(`(?i)[\p{L}\p{N}._+-]+ ?(?:\(at\)| at | arroba |@) ?(?:gmail|yahoo|hotmail|outlook|icloud|aol|msn|live|proton(?:mail)?) ?(?:\(dot\)| dot | punto |\.) ?(?:com|net|org|me)\b`)
	mailHosts   = set(`gmail yahoo hotmail outlook icloud aol msn live proton protonmail`)
)

// The longest parts of an address that count.
const maxLocal, maxHost = 64, 255

func emails(sc *scan) []match {
	var found, spoken []match
	for at := 0; ; {
		i := strings.IndexByte(sc.text[at:], '@')
		if i < 0 {
			break
		}
		at += i
		if start, end := emailAround(sc.text, at); start < at && end > at+1 {
			found = append(found, match{start, end, Email})
		}
		at++
	}
	for _, w := range sc.words {
		if !mailHosts[w.low] {
			continue
		}
		start := max(0, w.start-maxLocal)
		for start < w.start && !utf8.RuneStart(sc.text[start]) {
			start++
		}
		around := sc.text[start:min(len(sc.text), w.end+20)]
		for _, m := range spokenEmail.FindAllStringIndex(around, -1) {
			spoken = append(spoken, match{start + m[0], start + m[1], Email})
		}
	}
	return merge(merge(nil, found), spoken)
}

// emailAround is the address whose @ is at offset at. It has no part before or
// none after the @ if there is no address.
func emailAround(text string, at int) (start, end int) {
	start, end = at, at+1
	for start > 0 && at-start < maxLocal {
		r, n := utf8.DecodeLastRuneInString(text[:start])
		if !isLetter(r) && !unicode.IsNumber(r) && !strings.ContainsRune("_.%+'-", r) {
			break
		}
		start -= n
	}
	start += len(text[start:at]) - len(strings.TrimLeft(text[start:at], ".%+'-"))
	for end < len(text) && end-at < maxHost {
		r, n := utf8.DecodeRuneInString(text[end:])
		if !isLetter(r) && !unicode.IsNumber(r) && r != '.' && r != '-' {
			break
		}
		end += n
	}
	end = at + 1 + len(strings.TrimRight(text[at+1:end], ".-"))
	dot := strings.LastIndexByte(text[at+1:end], '.')
	if dot <= 0 || utf8.RuneCountInString(text[at+1+dot:end]) < 3 {
		return start, at + 1
	}
	return start, end
}

// urlSecrets finds passwords before the host of a URL, and tokens in its path
// and query.
func urlSecrets(sc *scan) []match {
	var found []match
	passed := 0
	for _, w := range sc.words {
		rest := sc.text[w.end:]
		head := -1 // where the host begins
		switch {
		case w.start < passed:
		case strings.HasPrefix(rest, "://"):
			head = w.end + len("://")
		case w.low == "www" && strings.HasPrefix(rest, "."):
			head = w.start
		}
		if head < 0 {
			continue
		}
		end := len(sc.text)
		if i := strings.IndexFunc(sc.text[head:], func(r rune) bool { return unicode.IsSpace(r) || strings.ContainsRune(`<>"|`, r) }); i >= 0 {
			end = head + i
		}
		found = append(found, secretsIn(sc.text[head:end], head)...)
		passed = end
	}
	return found
}

// secretsIn finds the secrets of the URL u without its scheme, which begins at
// offset at.
func secretsIn(u string, at int) []match {
	var found []match
	add := func(start, end int) {
		end = start + len(strings.TrimRight(u[start:end], ".,;:!?)]}'’"))
		if start < end {
			found = append(found, match{at + start, at + end, URLSecret})
		}
	}
	path := len(u)
	if i := strings.IndexAny(u, "/?#"); i >= 0 {
		path = i
	}
	if user := strings.LastIndexByte(u[:path], '@'); user > 0 {
		if colon := strings.IndexByte(u[:user], ':'); colon >= 0 {
			add(colon+1, user)
		}
	}
	before := ""
	for start := path; start < len(u); {
		sep := u[start]
		start++
		end := len(u)
		if i := strings.IndexAny(u[start:], "/?#&;"); i >= 0 {
			end = start + i
		}
		name, value := before, start
		if sep != '/' {
			if i := strings.IndexByte(u[start:end], '='); i >= 0 {
				name, value = u[start:start+i], start+i+1
			}
		}
		if isSecret(u[value:end], name, sep != '/') {
			add(value, end)
		}
		before = u[start:end]
		start = end
	}
	return found
}

// secretNames are names of parameters, and of steps in a path, whose value or
// next step is a secret or a personal detail.
var secretNames = set(`token access_token refresh_token id_token auth authorization key apikey api_key sig signature secret
	password passwd pass pwd session sessionid sid jwt code otp pin reset invite verify confirm magic login unsubscribe
	email mail phone tel name firstname lastname first_name last_name address addr street account acct ssn dob user uid userid
	customer customerid`)

// isSecret reports whether a part of a URL is a secret: named as such, or long
// and as if drawn at random.
func isSecret(value, name string, query bool) bool {
	value = strings.TrimRight(value, ".,;:!?)]}'’")
	if len(value) < 3 || strings.ContainsRune(value, blank) {
		return false
	}
	if secretNames[strings.ToLower(name)] && (query || len(value) >= 8 && strings.ContainsAny(value, "0123456789") && !strings.ContainsRune(value, '.')) {
		return true
	}
	digits, lower, upper := 0, 0, 0 // of the run of letters and digits
	for i := range len(value) {
		switch c := value[i]; {
		case isDigitByte(c):
			digits++
		case c >= 'a' && c <= 'z':
			lower++
		case c >= 'A' && c <= 'Z':
			upper++
		default:
			digits, lower, upper = 0, 0, 0
			continue
		}
		run := digits + lower + upper
		if run >= 18 && digits >= 2 && lower+upper >= 2 && (lower > 0 && upper > 0 || run >= 24) {
			return true
		}
	}
	return false
}

// passwordPattern is a password, code or PIN that is given as such.
var (
	passwordPattern = regexp.MustCompile(`(?i)^(?:password|passcode|passwd|pin|contrase(?:ñ|n)a|clave|verification code|c(?:ó|o)digo)\s*(?:number|n(?:ú|u)mero)?\s*(?:is|es|:|=)\s*([^\s,;]{4,40})`)
	passwordWords   = set(`password passcode passwd pin contraseña contrasena clave verification código codigo`)
)

func passwords(sc *scan) []match {
	var found []match
	sc.afterWords(passwordWords, passwordPattern, func(m []int) {
		s := strings.TrimRight(sc.text[m[2]:m[3]], ".,;:!?)'\"’”")
		if strings.ContainsAny(s, "0123456789") {
			found = append(found, match{m[2], m[2] + len(s), URLSecret})
		}
	})
	return merge(nil, found)
}
