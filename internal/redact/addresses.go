package redact

import (
	"regexp"
	"strings"
	"unicode"
	"unicode/utf8"
)

const (
	direction = `(?:north|south|east|west|northeast|northwest|southeast|southwest|ne|nw|se|sw|n|s|e|w)\.?`
	// clearWays name a street whatever the case; otherWays are common words too.
	clearWays = `street|str|st|avenue|ave|av|road|rd|lane|ln|boulevard|blvd|parkway|pkwy|highway|hwy|terrace|terr|ter|circle|cir|turnpike|tpke|plaza|plz|trail|trl|alley|court|ct|dr|pl|drive|place`
	otherWays = `way|run|row|walk|path|loop|pike|square|sq|park|pass|crossing|mews|point|hill|heights|commons|gardens`
	unitWords = `(?:apartment|apartamento|apto|apt|unit|unidad|suite|ste|floor|fl|piso|room|rm|bldg|building|edificio|depto|departamento|trailer|lot)`
	unitTail  = `(?:[ ,]+(?:` + unitWords + `\.? ?(?:#|no\.?|num\.?)? ?[a-z0-9]{1,5}|# ?[a-z0-9]{1,5}))`
	nameWord  = `[\p{L}\p{N}][\p{L}\p{N}'’.-]*`
	states    = `(?:al|ak|az|ar|ca|co|ct|de|dc|fl|ga|hi|ia|id|il|in|ks|ky|la|ma|md|me|mi|mn|mo|ms|mt|nc|nd|ne|nh|nj|nm|nv|ny|oh|ok|or|pa|pr|ri|sc|sd|tn|tx|ut|va|vt|wa|wi|wv|wy|new jersey|new york|pennsylvania)`
)

var (
	streetPattern = regexp.MustCompile(`(?i)^\d{1,6}(?:-\d{1,4}|-[a-z]\b|[a-z]\b)?[ \x{a0}]+(?:` + direction + ` )?((?:` + nameWord + ` ){0,3}` + nameWord + `) (` + clearWays + `|` + otherWays + `)\b\.?(?: ` + direction + `\b)?`)
	calle         = regexp.MustCompile(`(?i)^(?:calle|avenida|avda\.?|av\.|carretera|camino|callej(?:ó|o)n|bulevar|paseo) ((?:` + nameWord + ` ){0,3}` + nameWord + `),? (?:#|no\.?|n(?:ú|u)m\.?|n(?:ú|u)mero)? ?\d{1,5}\b`)
	calleWords    = set(`calle avenida avda av carretera camino callejón callejon bulevar paseo`)
	postBox       = regexp.MustCompile(`(?i)^(?:p\.? ?o\.? ?box|post office box|apartado postal|apartado) ?(?:#|no\.?)? ?\d{1,6}\b`)
	boxWords      = set(`p po post pobox apartado`)
	homeCue       = regexp.MustCompile(`(?i)^(?:(?:i|we) live (?:at|on|in)|living at|my address is|our address is|address:|vivo en|vivimos en|mi direcci(?:ó|o)n es|direcci(?:ó|o)n:) (\d{1,6} (?:` + nameWord + ` ){0,2}` + nameWord + `)`)
	homeWords     = set(`i we living my our address vivo vivimos mi dirección direccion`)
	atPattern     = regexp.MustCompile(`(?i)^at (\d{1,5} (\p{L}{3,}))(?:[,.;!?]|$)`)
	atWords       = set(`at`)
	broadway      = regexp.MustCompile(`(?i)^\d{1,5} broadway\b`)
	coordinates   = regexp.MustCompile(`^-?\d{1,2}\.\d{4,}, ?-?\d{1,3}\.\d{4,}`)
	unitAfter     = regexp.MustCompile(`(?i)^` + unitTail)
	townAfter     = regexp.MustCompile(`^, ?(\p{Lu}\p{L}+(?: \p{Lu}\p{L}+)?)`)
	stateAfter    = regexp.MustCompile(`(?i)^(?:[ ,]+[\p{L}.]+){0,3}[ ,]+` + states + `\.?[ ,]+\d{5}(?:-\d{4})?\b`)
	stateShort    = regexp.MustCompile(`^,? [A-Z]{2}\b(?: \d{5}(?:-\d{4})?\b)?`)
	unitPattern   = regexp.MustCompile(`(?i)^(?:apartment|apartamento|apto|apt|unit|unidad|suite|ste|depto|departamento|trailer)\.? ?(?:#|no\.?|num\.?|number)? ?([a-z]?-?\d{1,4}-?[a-z]?|#?[a-z])`)
	flatWords     = set(`apartment apartamento apto apt unit unidad suite ste depto departamento trailer`)
)

// addresses finds where people live: a house number with its street, flat and
// town, a post box, coordinates.
func addresses(sc *scan) []match {
	if len(sc.numbers) == 0 {
		return nil
	}
	var streets, boxes, spanish, homes, points []match
	add := func(list *[]match, start, end int) {
		*list = append(*list, match{start, sc.addressEnd(end), Address})
	}
	passed := 0
	for _, at := range sc.numbers {
		if at < passed || !startsWord(sc.text, at) {
			continue
		}
		sc.try(at, streetPattern, func(m []int) {
			if isStreet(sc.text[m[2]:m[3]], sc.text[m[4]:m[5]]) {
				add(&streets, m[0], m[1])
				passed = streets[len(streets)-1].end
			}
		})
	}
	sc.afterWords(boxWords, postBox, func(m []int) { add(&boxes, m[0], m[1]) })
	sc.afterWords(calleWords, calle, func(m []int) {
		if !hasStopWord(sc.text[m[2]:m[3]]) {
			add(&spanish, m[0], m[1])
		}
	})
	sc.afterWords(homeWords, homeCue, func(m []int) {
		if end := untilStopWord(sc.text, m[2], m[3]); end > m[2] {
			add(&homes, m[2], end)
		}
	})
	sc.afterWords(atWords, atPattern, func(m []int) {
		if name := sc.text[m[4]:m[5]]; !hasStopWord(name) && !strings.HasSuffix(strings.ToLower(name), "s") {
			add(&homes, m[2], m[3])
		}
	})
	sc.atNumbers(broadway, "", func(m []int) bool {
		add(&points, m[0], m[1])
		return true
	})
	sc.atNumbers(coordinates, "-", func(m []int) bool {
		points = append(points, match{m[0], m[1], Address})
		return true
	})
	var found []match
	for _, more := range [][]match{streets, boxes, spanish, homes, points} {
		found = merge(found, more)
	}
	return found
}

func startsWord(text string, at int) bool {
	r, n := utf8.DecodeLastRuneInString(text[:at])
	if unicode.IsLetter(r) || unicode.IsDigit(r) || r == '_' || r == '$' {
		return false
	}
	if r == '.' || r == ',' || r == '-' || r == '/' {
		r, _ := utf8.DecodeLastRuneInString(text[:at-n])
		return !unicode.IsDigit(r)
	}
	return true
}

// isStreet reports whether name and way after a number are a street. A way
// that is a common word must look like a name: short, with a capital, or
// singular.
func isStreet(name, way string) bool {
	if hasStopWord(name) {
		return false
	}
	words := strings.Fields(name)
	first, _ := utf8.DecodeRuneInString(way)
	common := !clearWay[strings.ToLower(way)]
	return !common || !unicode.IsLower(first) || len(words) == 1 && !strings.HasSuffix(name, "s")
}

var clearWay = set(strings.NewReplacer("|", " ", "drive", "", "place", "", "court", "", "circle", "", "trail", "", "plaza", "").Replace(clearWays))

func hasStopWord(words string) bool {
	for w := range strings.FieldsSeq(words) {
		if isStopWord(w) {
			return true
		}
	}
	return false
}

// isStopWord reports whether no name of a street holds w, which may be more
// than a common noun if it is written with a capital (School Street).
func isStopWord(w string) bool {
	w = strings.Trim(w, ".,'’-")
	low := strings.ToLower(w)
	if notStreet[low] {
		return true
	}
	first, n := utf8.DecodeRuneInString(w)
	titled := unicode.IsUpper(first) && strings.ContainsFunc(w[n:], unicode.IsLower)
	return commonNouns[low] && !titled
}

// untilStopWord is the end of the words text[start:end] before the first that
// belongs to no street. The first word is the house number; it is start if no
// street follows it.
func untilStopWord(text string, start, end int) int {
	words := strings.Split(text[start:end], " ")
	at := start + len(words[0])
	good := start
	for _, w := range words[1:] {
		if isStopWord(w) {
			break
		}
		at += 1 + len(w)
		good = at
		if strings.HasSuffix(w, ".") || strings.HasSuffix(w, ",") {
			break
		}
	}
	return good - (len(text[start:good]) - len(strings.TrimRight(text[start:good], ".,'’-")))
}

// addressEnd extends an address that ends at end by a flat, a town, a state
// and a ZIP code.
func (sc *scan) addressEnd(end int) int {
	if n := unitAfter.FindStringIndex(sc.from(end)); n != nil && endsWord(sc.text, end+n[1]) {
		end += n[1]
	}
	if n := stateAfter.FindStringIndex(sc.from(end)); n != nil {
		return end + n[1]
	}
	if n := townAfter.FindStringIndex(sc.from(end)); n != nil {
		rest := sc.from(end + n[1])
		if rest == "" || strings.ContainsAny(rest[:1], ".,;!?)\n") || stateShort.MatchString(rest) {
			end += n[1]
		}
	}
	if n := stateShort.FindStringIndex(sc.from(end)); n != nil {
		end += n[1]
	}
	return end
}

func endsWord(text string, at int) bool {
	r, _ := utf8.DecodeRuneInString(text[at:])
	return !unicode.IsLetter(r) && !unicode.IsDigit(r)
}

// units finds a flat that is named without its street.
func units(sc *scan) []match {
	var found []match
	sc.afterWords(flatWords, unitPattern, func(m []int) {
		value := sc.text[m[2]:m[3]]
		if !endsWord(sc.text, m[1]) || !startsWord(sc.text, m[0]) {
			return
		}
		if rest := wordsFrom(sc.from(m[1])); len(rest) > 0 && isDigitByte(value[len(value)-1]) && measures[strings.ToLower(rest[0])] {
			return // unit 12 ppb
		}
		if len(value) == 1 && isLetter(rune(value[0])) && !isFlatLetter(value, sc.text[m[1]:]) {
			return
		}
		found = append(found, match{m[0], m[1], Unit})
	})
	return merge(nil, found)
}

var measures = set(`ppb ppm ppt mg ug percent gallons gallon minutes hours days`)

func wordsFrom(s string) []string {
	words, _ := wordsAt(strings.TrimPrefix(s, " "))
	return words
}

// isFlatLetter reports whether a single letter after "apt" is a flat and not
// the next word (apt a week ago, unit I).
func isFlatLetter(letter, rest string) bool {
	switch letter {
	case "a", "i", "o", "y", "e", "u", "I":
		return rest == "" || strings.ContainsAny(rest[:1], ".,;!?)\n")
	}
	return true
}

// notStreet are words that no name of a street holds, so that "15 minutes from
// the road" is none; commonNouns are such words in lower case.
var (
	notStreet = set(`a an and are as at be been but by can could do does for from had has have how if in into is it its just
		me my no not of on or our so some than that the their them then there these they this to too up us was we were what
		when where which who why will with would you your over under about after before more less than each every
		minute minutes hour hours day days week weeks month months year years second seconds am pm noon midnight tonight
		today tomorrow night morning ppb ppm ppt mg ug percent percentile gallon gallons cup cups drop drops teaspoon
		teaspoons tablespoon tablespoons liter liters foot feet ft inch inches mile miles meter meters degree degrees
		dollar dollars cent cents times total said says page rule report
		de del y o con por para que en es está hay tiene tienen sale salen el la los las un una mi su minutos horas dias
		días semanas meses años anos galones gotas personas veces`)
	commonNouns = set(`block blocks people person persons kid kids child children home homes house houses family families
		building buildings pipe pipes line lines sample samples test tests tap taps filter filters well wells unit units
		floor floors lead copper water service car cars dog dogs school schools casas niños tubos tuberías cuadras`)
)
