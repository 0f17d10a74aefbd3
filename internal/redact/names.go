package redact

import (
	"regexp"
	"strings"
	"unicode"
	"unicode/utf8"
)

// A nameCue is words that introduce a name, and how many of the words after
// them are the name.
type nameCue struct {
	words   map[string]bool // how the cue may begin
	pattern *regexp.Regexp
	length  func(words []string, shouted bool) int
}

// The first cue takes a name in any case. The second is common before other
// words, so that what follows must look like a name. The others take words
// with a capital only.
var nameCues = []nameCue{
	{
		set(`my his her our their son daughter wife husband mom dad baby kid full last first name names mi nombre me se`),
		regexp.MustCompile(`(?i)^(?:(?:my|his|her|our|their|son['’]?s|daughter['’]?s|wife['’]?s|husband['’]?s|mom['’]?s|dad['’]?s|baby['’]?s|kid['’]?s|full|last|first) names?(?: is| are|'s|’s|s|:)? +|names?: *|mi nombre(?: completo)?(?: es|:)? +|nombre(?: completo)?: *|me llamo +|se llama +|me dicen +|mi apellido es +)`),
		strongName,
	},
	{
		set(`this it i im call soy habla le es aquí aqui`),
		regexp.MustCompile(`(?i)^(?:this is|it['’]s|i am|i['’]?m|call me|soy|habla|le escribe|le habla|es de parte de|aqu(?:í|i)) +`),
		weakName,
	},
	{
		set(`its`),
		regexp.MustCompile(`(?i)^its +`),
		knownName,
	},
	{
		set(`my our mi nuestra nuestro`),
		regexp.MustCompile(`(?i)^(?:my|our|mi|nuestra|nuestro) (?:son|daughter|wife|husband|mom|mother|dad|father|sister|brother|baby|child|kid|grandson|granddaughter|grandma|grandpa|grandmother|aunt|uncle|cousin|niece|nephew|friend|neighbor|landlord|landlady|roommate|boyfriend|girlfriend|doctor|boss|hijo|hija|esposo|esposa|marido|mujer|mamá|mama|papá|papa|madre|padre|hermano|hermana|bebé|bebe|niño|niña|nieto|nieta|abuela|abuelo|tía|tia|tío|tio|primo|prima|sobrino|sobrina|amigo|amiga|vecino|vecina|casero|casera|doctora),? +`),
		capitalName,
	},
	{
		set(`mr mrs ms miss mx sr sra srta dr dra don doña señor señora señorita senora mister`),
		regexp.MustCompile(`^(?:(?:Mr|Mrs|Ms|Miss|Mx|Sr|Sra|Srta|Dr|Dra|Don|Doña)\.? +|(?i:(?:señor|señora|señorita|senora|doña|mister) +))`),
		capitalName,
	},
	{
		set(`mr mrs sra srta`),
		regexp.MustCompile(`^(?:mr|mrs|sra|srta)\.? +`), // as people text it
		titledName,
	},
}

// titledName is how many words after a title in small letters are a name: the
// first, if it is none of everyday.
func titledName(words []string, _ bool) int {
	if len(words) == 0 || utf8.RuneCountInString(words[0]) < 3 || isPlain(words[0]) {
		return 0
	}
	return 1
}

// closing is thanks and a name at the end of a text.
var closing = regexp.MustCompile(`(?i)(?:thanks|thank you|thx|gracias|sincerely|regards|atentamente|saludos|bendiciones|love)[,.!]* +(?:- ?)?(\p{Lu}[\p{L}'’-]+(?: \p{Lu}[\p{L}'’-]+)?)[.!]?\s*$`)

// maxNameWords is how many words a name may have, particles aside.
const maxNameWords = 4

// names finds the names that people give as such.
func names(sc *scan) []match {
	shouted := !strings.ContainsFunc(sc.text, unicode.IsLower)
	var found []match
	for _, cue := range nameCues {
		var list []match
		sc.afterWords(cue.words, cue.pattern, func(m []int) {
			words, ends := wordsAt(sc.from(m[1]))
			if n := cue.length(words, shouted); n > 0 {
				list = append(list, match{m[1], m[1] + ends[n-1], Name})
			}
		})
		found = merge(found, list)
	}
	start := max(0, len(sc.text)-window)
	for start < len(sc.text) && !utf8.RuneStart(sc.text[start]) {
		start++
	}
	if m := closing.FindStringSubmatchIndex(sc.text[start:]); m != nil && !shouted && standsApart(sc.text, start+m[0]) {
		words := strings.Fields(sc.text[start+m[2] : start+m[3]])
		if capitalName(words, false) == len(words) {
			found = merge(found, []match{{start + m[2], start + m[3], Name}})
		}
	}
	return found
}

// standsApart reports whether no letter stands right before offset at.
func standsApart(text string, at int) bool {
	before, _ := utf8.DecodeLastRuneInString(text[:at])
	here, _ := utf8.DecodeRuneInString(text[at:])
	return !(unicode.IsLetter(before) && unicode.IsLetter(here))
}

// wordsAt reads the words that may be a name from the start of s, with the
// offset after each. Other punctuation than the point of an initial ends them.
func wordsAt(s string) (words []string, ends []int) {
	at := 0
	for len(words) < 2*maxNameWords {
		n := nameWordLen(s[at:])
		if n == 0 {
			break
		}
		w := s[at : at+n]
		at += n
		words = append(words, w)
		ends = append(ends, at)
		if utf8.RuneCountInString(w) == 1 && strings.HasPrefix(s[at:], ".") {
			at++
			ends[len(ends)-1] = at
		}
		if !strings.HasPrefix(s[at:], " ") {
			break
		}
		at++
	}
	return words, ends
}

// nameWordLen is the length of the word that begins s: letters, with hyphens
// and apostrophes between them.
func nameWordLen(s string) int {
	end := 0
	for i, r := range s {
		switch {
		case unicode.IsLetter(r) || unicode.Is(unicode.M, r):
			end = i + utf8.RuneLen(r)
		case (r == '-' || r == '\'' || r == '’') && end == i && i > 0:
		default:
			return end
		}
		if end > 40 {
			return 0
		}
	}
	return end
}

// isPlain reports whether a word is common, or a place or agency: no name.
func isPlain(w string) bool {
	w = strings.ToLower(strings.ReplaceAll(w, "’", "'"))
	w = strings.TrimSuffix(w, "'s")
	return plainWords[w] || len(w) > 4 && (strings.HasSuffix(w, "ing") || strings.HasSuffix(w, "ando") || strings.HasSuffix(w, "iendo"))
}

func isCapital(w string) bool {
	r, _ := utf8.DecodeRuneInString(w)
	return unicode.IsUpper(r)
}

// isSurname reports whether a common word with a capital is a family name too,
// and may follow a first name.
func isSurname(w string) bool { return surnames[strings.ToLower(w)] }

// nameLen is how many of the words are a name: words for which is holds, with
// the particles between them, the last no particle.
func nameLen(words []string, is func(i int, w string) bool) int {
	n, count := 0, 0
	for i, w := range words {
		switch {
		case count == maxNameWords:
			return n
		case i > 0 && particles[strings.ToLower(w)] && i+1 < len(words):
			continue
		case is(i, w):
			n = i + 1
			count++
		default:
			return n
		}
	}
	return n
}

// strongName is how many words after a strong cue are the name. In lower case
// it has at most two words.
func strongName(words []string, shouted bool) int {
	if len(words) == 0 {
		return 0
	}
	if isCapital(words[0]) && !shouted {
		return nameLen(words, func(i int, w string) bool { return isCapital(w) && (!isPlain(w) || i > 0 && isSurname(w)) })
	}
	n := nameLen(words, func(i int, w string) bool { return i < 3 && !isPlain(w) && utf8.RuneCountInString(w) > 1 })
	return min(n, 3)
}

// weakName is how many words after a weak cue are the name: capitals in a text
// that is not all capitals, or a known first name and one more.
func weakName(words []string, shouted bool) int {
	if len(words) == 0 {
		return 0
	}
	if !shouted && isCapital(words[0]) {
		return capitalName(words, shouted)
	}
	return knownName(words, shouted)
}

// knownName is how many words are a known first name and what follows.
func knownName(words []string, _ bool) int {
	if len(words) == 0 || !firstNames[strings.ToLower(words[0])] {
		return 0
	}
	return nameLen(words, func(i int, w string) bool { return i == 0 || i < 3 && !isPlain(w) && utf8.RuneCountInString(w) > 1 })
}

// capitalName is how many words with a capital begin the list; in a text all
// in capitals, a known first name and what follows.
func capitalName(words []string, shouted bool) int {
	if len(words) == 0 {
		return 0
	}
	if shouted {
		if !firstNames[strings.ToLower(words[0])] {
			return 0
		}
		return nameLen(words, func(i int, w string) bool { return i < 2 && (i == 0 || !isPlain(w)) })
	}
	return nameLen(words, func(i int, w string) bool {
		return isCapital(w) && (!isPlain(w) || i > 0 && isSurname(w)) && (strings.ToUpper(w) != w || utf8.RuneCountInString(w) == 1 || firstNames[strings.ToLower(w)])
	})
}

// particles may stand inside a name in lower case.
var particles = set(`de del la las los da das do dos di van von der den bin ibn al el y e san santa st`)
