package redact

import (
	"cmp"
	"regexp"
	"slices"
	"strings"
)

const gap = `[ .\-\x{a0}\x{202f}\x{2010}-\x{2015}]`

var (
	phonePattern = regexp.MustCompile(`^(?:\+?1` + gap + `{0,3})?(?:\(\d{3}\)|\d{3})(?:` + gap + `{0,3}\d{3}` + gap + `{0,3}\d{4}|` + gap + `{1,3}\d{3}` + gap + `{1,3}\d{2}` + gap + `\d{2})(?: ?(?:x|ext\.?|extensi(?:ó|o)n) ?\d{1,5}\b)?`)
	abroad       = regexp.MustCompile(`^\+\d{1,3}(?:[ .\-]?\(?\d{1,4}\)?){2,6}`)
	localPattern = regexp.MustCompile(`^\d{3}[\-. ]\d{4}`)
	cardPattern  = regexp.MustCompile(`^\d(?:[ -]?\d){12,18}`)
	ssnPattern   = regexp.MustCompile(`^(?:\d{3}[- ]\d{2}[- ]\d{4}|\d{9})`)
	ssnTail      = regexp.MustCompile(`^\d{4}`)
)

// tollFree are the area codes that the called pays for: lines of agencies and
// companies, not of people.
var tollFree = set(`800 833 844 855 866 877 888`)

var (
	phoneCue = set(`call text phone ph cell number tel telephone mobile whatsapp contact reach me at
		llame llamar marque teléfono telefono celular cel número numero móvil movil contacto`)
	notPhone = set(`sample samples muestra lot batch docket permit isbn system pwsid method cas barcode serial model doi`)
	reading  = set(`sample samples read reads reading readings result results level levels ppb ppm ppt measured lead copper
		muestra muestras resultado resultados nivel niveles lectura`)
)

func phones(sc *scan) []match {
	var found, foreign, local, free []match // free: toll-free numbers, which stay
	sc.atNumbers(phonePattern, "+(", func(m []int) bool {
		s := sc.text[m[0]:m[1]]
		digits := digitsOf(withoutExtension(s))
		if len(digits) == 11 {
			digits = digits[1:]
		}
		switch {
		case len(digits) != 10 || digits[0] < '2':
			return false
		case tollFree[digits[:3]]:
			free = append(free, match{m[0], m[1], Phone})
			return true
		case len(digitsOf(s)) == len(s) && (digits[3] < '2' || sc.near(m[0], 3, notPhone)):
			return false
		case isSpaced(s) && !sc.near(m[0], 4, phoneCue) && (isRound(s) || sc.near(m[0], 6, reading)):
			return false
		}
		found = append(found, match{m[0], m[1], Phone})
		return true
	})
	sc.atNumbers(abroad, "+", func(m []int) bool {
		digits := digitsOf(sc.text[m[0]:m[1]])
		if len(digits) < 8 || len(digits) > 15 {
			return false
		}
		if digits[0] != '1' || !tollFree[digits[1:4]] {
			foreign = append(foreign, match{m[0], m[1], Phone})
		}
		return true
	})
	sc.atNumbers(localPattern, "", func(m []int) bool {
		if !sc.near(m[0], 4, phoneCue) {
			return false
		}
		local = append(local, match{m[0], m[1], Phone})
		return true
	})
	// The last seven digits of a number, which may be one that stays, are no
	// number of their own.
	all := merge(merge(found, foreign), free)
	local = slices.DeleteFunc(local, func(m match) bool { return overlaps(all, m) })
	return merge(merge(found, foreign), local)
}

// overlaps reports whether m overlaps one of all, which are in order and apart.
func overlaps(all []match, m match) bool {
	i, _ := slices.BinarySearchFunc(all, m.start, func(x match, at int) int { return cmp.Compare(x.end, at+1) })
	return i < len(all) && all[i].start < m.end
}

// withoutExtension is a telephone number as far as its extension.
func withoutExtension(s string) string {
	if i := strings.IndexAny(s, "xe"); i >= 0 {
		return s[:i]
	}
	return s
}

// isSpaced reports whether spaces alone separate the groups of a number that
// has no other sign of a telephone.
func isSpaced(s string) bool {
	return strings.Contains(s, " ") && !strings.ContainsAny(s, "+().-–")
}

func isRound(s string) bool {
	for g := range strings.FieldsSeq(s) {
		if !strings.HasSuffix(g, "0") {
			return false
		}
	}
	return true
}

// cards finds numbers of payment cards: thirteen to nineteen digits with the
// right check digit, or sixteen in groups of four.
func cards(sc *scan) []match {
	var found []match
	sc.atNumbers(cardPattern, "", func(m []int) bool {
		s := sc.text[m[0]:m[1]]
		digits := digitsOf(s)
		if digits[0] < '2' || digits[0] > '6' {
			return false
		}
		groups := strings.FieldsFunc(s, func(r rune) bool { return r == ' ' || r == '-' })
		fours := len(groups) == 4
		for _, g := range groups {
			fours = fours && len(g) == 4
		}
		if !fours && !(luhn(digits) && len(groups) <= 5) {
			return false
		}
		found = append(found, match{m[0], m[1], Card})
		return true
	})
	return found
}

// luhn reports whether the check digit of a card number is right.
func luhn(digits string) bool {
	sum := 0
	for i := range len(digits) {
		d := int(digits[len(digits)-1-i] - '0')
		if i%2 == 1 {
			if d *= 2; d > 9 {
				d -= 9
			}
		}
		sum += d
	}
	return sum%10 == 0
}

var (
	socialCue = set(`ssn social sociales itin ss`)
	lastFour  = set(`last four ends ending digits últimos ultimos cuatro termina terminan`)
)

// socialNumbers finds social security numbers: 3-2-4 digits anywhere, nine
// digits, or the last four, where the words say so.
func socialNumbers(sc *scan) []match {
	var found, tails []match
	sc.atNumbers(ssnPattern, "", func(m []int) bool {
		if sc.text[m[0]+3] != '-' && !sc.near(m[0], 5, socialCue) {
			return false
		}
		found = append(found, match{m[0], m[1], SSN})
		return true
	})
	sc.atNumbers(ssnTail, "", func(m []int) bool {
		if !sc.near(m[0], 4, socialCue) || !sc.near(m[0], 6, lastFour) {
			return false
		}
		tails = append(tails, match{m[0], m[1], SSN})
		return true
	})
	return merge(found, tails)
}

const (
	monthName = `(?:jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec|ene|abr|ago|dic|enero|febrero|marzo|abril|mayo|junio|julio|agosto|septiembre|setiembre|octubre|noviembre|diciembre)[a-z]*\.?`
	dayNumber = `\d{1,2}(?:st|nd|rd|th)?`
	anyDate   = `(?:\d{4}[-/.]\d{1,2}[-/.]\d{1,2}|\d{1,2}[-/.]\d{1,2}(?:[-/.]\d{2,4})?|` + monthName + ` ` + dayNumber + `(?:,? \d{4})?|` + dayNumber + ` (?:de |of )?` + monthName + `(?:,? (?:de |del )?\d{4})?)`
)

var (
	bornPattern = regexp.MustCompile(`(?i)^(?:born|dob|d\.o\.b\.?|date of birth|birth ?date|birth ?day|b-?day|(?:fecha de )?nacimiento|nac(?:í|i|ió|io|ida|ido)|cumplea(?:ñ|n)os)(?:['’]?s)?\s*(?:on|is|was|el|es|fue|día|dia|:|=|,|-|\s)*(` + anyDate + `)`)
	bornWords   = set(`born dob d date birth birthdate birthday b bday fecha nacimiento nací naci nació nacio nacida nacido cumpleaños cumpleanos`)
	birthAfter  = regexp.MustCompile(`(?i)^(` + anyDate + `)\s*(?:is|was|es|fue),? (?:my|his|her|our|mi|su)?\s*(?:dob|date of birth|birth ?date|birth ?day|bday|fecha de nacimiento|cumplea(?:ñ|n)os)`)
	monthWords  = set(`january february march april may june july august september october november december
		jan feb mar apr jun jul aug sep sept oct nov dec`)
)

func birthDates(sc *scan) []match {
	var found, after []match
	take := func(list *[]match) func(m []int) {
		return func(m []int) {
			if (m[3] == len(sc.text) || !isDigitByte(sc.text[m[3]])) && (m[2] == 0 || !isDigitByte(sc.text[m[2]-1])) {
				*list = append(*list, match{m[2], m[3], DOB})
			}
		}
	}
	sc.afterWords(bornWords, bornPattern, take(&found))
	sc.afterWords(monthWords, birthAfter, take(&after))
	for _, at := range sc.numbers {
		sc.try(at, birthAfter, take(&after))
	}
	return merge(merge(nil, found), after)
}

const numberWord = `(?:number|numbers|no\.?|num\.?|nbr|#|id|n(?:ú|u)mero|nro\.?|n(?:ú|u)m\.?)`

// accountPattern is a number that a customer, patient or driver has: the noun,
// the word number (which some nouns need), and the number.
var (
	accountPattern = regexp.MustCompile(`(?i)^(?:` +
		`(?:account|accnt|acct|a/c|customer|cust|member|membership|policy|cuenta|cliente|socio|p(?:ó|o)liza|passport|pasaporte|driver['’]?s? licen[sc]e|medicaid|medicare|mrn|ebt|snap)\.?(?:\s+(?:card|tarjeta))?\s*` + numberWord + `?` +
		`|(?:my|mi|meter|medidor|case|caso|ticket|invoice|factura|bill|recibo|confirmation|confirmaci(?:ó|o)n|reference|ref\.?|referencia|patient|paciente|license|licencia|order|service|servicio|expediente|student|employee|routing|bank)(?:\s+(?:de|del))?(?:\s+(?:cuenta|servicio|id))?\s*` + numberWord +
		`|n(?:ú|u)mero de (?:cuenta|cliente|medidor|caso|p(?:ó|o)liza|servicio|factura|seguro)` +
		`)\s*(?:is|are|es|:|=|#|-|\s)*([a-z]{0,3}[ -]?\d(?:[ -]?[\da-z]){3,20})`)
	accountWords = set(`account accnt acct a customer cust member membership policy cuenta cliente socio póliza poliza passport
		pasaporte driver drivers medicaid medicare mrn ebt snap my mi meter medidor case caso ticket invoice factura bill recibo
		confirmation confirmación confirmacion reference ref referencia patient paciente license licencia order service
		servicio expediente student employee routing bank número numero`)
)

func accounts(sc *scan) []match {
	var found []match
	sc.afterWords(accountWords, accountPattern, func(m []int) {
		s := sc.text[m[2]:m[3]]
		// Letters that follow the last digit belong to the next word.
		s = s[:strings.LastIndexAny(s, "0123456789")+1]
		if len(digitsOf(s)) >= 5 {
			found = append(found, match{m[2], m[2] + len(s), Account})
		}
	})
	return merge(nil, found)
}
