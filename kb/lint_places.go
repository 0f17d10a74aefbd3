package kb

import (
	"strings"

	"plumbline/internal/text"
)

// lintPlace finds wordings of advice that was given elsewhere and do not say
// where: the place that the source names, or the state that it is in.
func lintPlace(l *Library, _ Date) []Finding {
	return eachParagraph(l, func(p *Pack, q *Paragraph) []Finding {
		s, _ := l.Source(*q)
		if s.Out == "" {
			return nil
		}
		var list []Finding
		for w := range q.phrases(p.languages()) {
			if !namesPlace(w.Text, s.Out) {
				list = append(list, p.finding(Error, "out-of-area", kindParagraph, q.ID, "%s wording (%s): its advice was given for %s, and it does not say so", w.Form, w.Language, s.Out))
			}
		}
		return list
	})
}

// namesPlace reports whether a text in English or Spanish names a place
// ("Stafford County, VA") or the state that it is in.
func namesPlace(s, place string) bool {
	s = strings.ToLower(text.FoldAccents(s))
	for part := range strings.SplitSeq(place, ",") {
		part = strings.TrimSpace(part)
		forms := []string{part}
		if names, ok := states[part]; ok {
			forms = names
		}
		for _, f := range forms {
			f = strings.ToLower(text.FoldAccents(f))
			f = strings.TrimSuffix(strings.TrimSuffix(f, " state"), " county")
			for _, name := range append(statesByName[f], f) {
				if name != "" && containsWord(s, strings.ToLower(name)) {
					return true
				}
			}
		}
	}
	return false
}

// containsWord reports whether s holds word, not as a part of a longer one.
func containsWord(s, word string) bool {
	for rest := s; ; {
		i := strings.Index(rest, word)
		if i < 0 {
			return false
		}
		end := i + len(word)
		if (i == 0 || !isLetter(rest[i-1])) && (end == len(rest) || !isLetter(rest[end])) {
			return true
		}
		rest = rest[end:]
	}
}

func isLetter(c byte) bool { return 'a' <= c && c <= 'z' }

// states gives the names of the American states by their postal code, in
// English and where it differs in Spanish, without accents; statesByName the
// same by their English name in lower case.
var states, statesByName = func() (byCode, byName map[string][]string) {
	byCode, byName = make(map[string][]string), make(map[string][]string)
	for line := range strings.Lines(stateNames) {
		code, names, _ := strings.Cut(strings.TrimSpace(line), " ")
		byCode[code] = strings.Split(names, "/")
		byName[strings.ToLower(byCode[code][0])] = byCode[code]
	}
	return byCode, byName
}()

const stateNames = `AL Alabama
AK Alaska
AZ Arizona
AR Arkansas
CA California
CO Colorado
CT Connecticut
DE Delaware
DC District of Columbia/Distrito de Columbia
FL Florida
GA Georgia
HI Hawaii/Hawai
ID Idaho
IL Illinois
IN Indiana
IA Iowa
KS Kansas
KY Kentucky
LA Louisiana/Luisiana
ME Maine
MD Maryland
MA Massachusetts
MI Michigan
MN Minnesota
MS Mississippi/Misisipi
MO Missouri/Misuri
MT Montana
NE Nebraska
NV Nevada
NH New Hampshire/Nuevo Hampshire
NJ New Jersey/Nueva Jersey
NM New Mexico/Nuevo Mexico
NY New York/Nueva York
NC North Carolina/Carolina del Norte
ND North Dakota/Dakota del Norte
OH Ohio
OK Oklahoma
OR Oregon
PA Pennsylvania/Pensilvania
PR Puerto Rico
RI Rhode Island
SC South Carolina/Carolina del Sur
SD South Dakota/Dakota del Sur
TN Tennessee/Tenesi
TX Texas/Tejas
UT Utah
VT Vermont
VA Virginia
WA Washington
WV West Virginia/Virginia Occidental
WI Wisconsin
WY Wyoming`
