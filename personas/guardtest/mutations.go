// Package guardtest changes texts one thing at a time, for tests of what must
// notice.
package guardtest

import (
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
)

// A Mutation is a text with one thing in it changed.
type Mutation struct {
	Sort string // number, unit, phone, url, date, negation, agency
	Was  string
	Text string
}

var (
	digitRun   = regexp.MustCompile(`[0-9]+`)
	wholeNum   = regexp.MustCompile(`[0-9]+(?:[.,][0-9]+)*`)
	phoneRun   = regexp.MustCompile(`(?:1-)?[0-9]{3}-[0-9]{3}-[0-9]{4}|\b(?:911|988|211)\b`)
	urlRun     = regexp.MustCompile(`(?i)[\w.@-]+\.(?:gov|org|com|us)\b(?:/[\w/.-]*)?`)
	monthsEn   = strings.Fields("January February March April May June July August September October November December")
	weekdaysEn = strings.Fields("Monday Tuesday Wednesday Thursday Friday Saturday Sunday")
	weekdaysEs = strings.Fields("lunes martes jueves viernes domingo")
	monthsEs   = strings.Fields("enero febrero marzo abril mayo junio julio agosto septiembre octubre noviembre diciembre")
	numbersEn  = strings.Fields("two three four five six seven eight nine ten eleven twelve")
	numbersEs  = strings.Fields("dos tres cuatro cinco seis siete ocho nueve diez")
	countedRun = `(?i)((?:[0-9](?:[0-9.,/]*[0-9])?|\b(?:one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|dos|tres|cuatro|cinco|seis|siete|ocho|nueve|diez)\b)[ -]?(?:full |more |business |calendar )?)`
)

// unitSwaps change the unit that follows a number.
var unitSwaps = [][2]string{
	{"ppb", "ppt"}, {"ppt", "ppb"}, {"ppm", "ppb"}, {"mg/L", "ug/L"}, {"ug/L", "mg/L"}, {"ug/dL", "ug/L"}, {"ug/m3", "mg/m3"}, {"pCi/L", "mg/L"},
	{"micrograms per liter", "milligrams per liter"}, {"micrograms per deciliter", "micrograms per liter"}, {"micrograms per cubic meter", "milligrams per cubic meter"},
	{"microgramos por litro", "miligramos por litro"}, {"microgramos por decilitro", "microgramos por litro"}, {"microgramos por metro cúbico", "miligramos por metro cúbico"},
	{"percent", "ppb"}, {"por ciento", "ppb"}, {"%", " ppb"},
	{"seconds", "minutes"}, {"minutes", "hours"}, {"minute", "hour"}, {"hours", "days"}, {"hour", "day"}, {"days", "weeks"}, {"day", "week"}, {"weeks", "days"}, {"months", "years"}, {"month", "year"}, {"years", "months"}, {"year", "month"},
	{"segundos", "minutos"}, {"minutos", "horas"}, {"minuto", "hora"}, {"horas", "días"}, {"hora", "día"}, {"días", "semanas"}, {"semanas", "días"}, {"meses", "años"}, {"años", "meses"}, {"año", "mes"},
	{"gallons", "quarts"}, {"gallon", "quart"}, {"galón", "litro"}, {"drops", "teaspoons"}, {"gotas", "cucharaditas"}, {"tablespoon", "teaspoon"}, {"teaspoon", "tablespoon"}, {"cucharada", "cucharadita"},
	{"feet", "inches"}, {"inch", "foot"}, {"pies", "pulgadas"}, {"pulgadas", "pies"}, {"miles", "feet"}, {"millas", "pies"},
	{"dollars", "cents"}, {"dólares", "centavos"}, {"million", "billion"}, {"billion", "million"}, {"millones", "mil"}, {"F", "C"}, {"°F", "°C"}, {"a.m.", "p.m."}, {"p.m.", "a.m."},
}

// denials drop or turn a negation.
var denials = []struct {
	lang string
	re   *regexp.Regexp
	to   string
}{
	{"en", regexp.MustCompile(`\b([Dd]o|[Dd]oes|[Dd]id|[Ii]s|[Aa]re|[Ww]as|[Hh]as|[Hh]ave|[Ww]ould|[Ss]hould|[Cc]ould|[Mm]ay|[Mm]ust|[Cc]an|[Ww]ill|[Nn]eed) not\b`), "$1"},
	{"en", regexp.MustCompile(`\b(do|does|did|is|are|was|has|have|would|should|could|Do|Does|Is|Are)n't\b`), "$1"},
	{"en", regexp.MustCompile(`\b([Cc]an)(?:'t|not)\b`), "$1"},
	{"en", regexp.MustCompile(`\bnot\b ?`), ""},
	{"en", regexp.MustCompile(`\b[Nn]o\b ?`), ""},
	{"en", regexp.MustCompile(`\b[Nn]ever\b`), "always"},
	{"en", regexp.MustCompile(`\bwithout\b`), "with"},
	{"en", regexp.MustCompile(`\b([Nn])either\b`), "both"},
	{"en", regexp.MustCompile(`\bnor\b`), "or"},
	{"en", regexp.MustCompile(`\b[Nn]obody\b`), "everybody"},
	{"en", regexp.MustCompile(`\bnone\b`), "all"},
	{"en", regexp.MustCompile(`\bnothing\b`), "something"},
	{"en", regexp.MustCompile(`\bunless\b`), "if"},
	{"es", regexp.MustCompile(`\b[Nn]o ([a-záéíóúñ])`), "$1"},
	{"es", regexp.MustCompile(`\b[Nn]unca\b`), "siempre"},
	{"es", regexp.MustCompile(`\bsin\b`), "con"},
	{"es", regexp.MustCompile(`\bni( )`), "y$1"},
	{"es", regexp.MustCompile(`\b[Nn]ingún\b`), "algún"},
	{"es", regexp.MustCompile(`\b[Nn]inguno\b`), "alguno"},
	{"es", regexp.MustCompile(`\b[Nn]inguna\b`), "alguna"},
	{"es", regexp.MustCompile(`\b[Nn]adie\b`), "alguien"},
	{"es", regexp.MustCompile(`\btampoco\b`), "también"},
	{"es", regexp.MustCompile(`\ba menos que\b`), "si"},
}

// auxiliaries are what a negation is put behind, or in Spanish before.
var auxiliaries = map[string]*regexp.Regexp{
	"en": regexp.MustCompile(`\b(?:is|are|was|were|can|could|may|might|must|should|will|would|does|do|did|has|had)\b`),
	"es": regexp.MustCompile(`\b(?:es|son|está|están|puede|pueden|debe|deben|hay|tiene|tienen|use|quita|dice|cubre|sirve|llame|vea|fue|era|sabe|saca|da|dan)\b`),
}

// Mutations lists every mutation of a text in lang, en or es. agencies are the
// ways in which each agency is called.
func Mutations(s, lang string, agencies [][]string) []Mutation {
	var list []Mutation
	add := func(sort string, at []int, to string) {
		if m := s[:at[0]] + to + s[at[1]:]; m != s {
			list = append(list, Mutation{sort, s[at[0]:at[1]], m})
		}
	}
	in := func(at []int, others [][]int) bool {
		return slices.ContainsFunc(others, func(o []int) bool { return o[0] < at[1] && at[0] < o[1] })
	}
	phones, urls := phoneRun.FindAllStringIndex(s, -1), urlRun.FindAllStringIndex(s, -1)
	for _, at := range phones {
		for _, d := range digitRun.FindAllStringIndex(s[at[0]:at[1]], -1) {
			i := at[0] + d[1] - 1
			add("phone", []int{i, i + 1}, nextDigit(s[i]))
		}
		add("phone", at, "973-555-0142")
	}
	for _, at := range urls {
		add("url", []int{at[0], at[0] + 1}, "q")
		add("url", []int{at[1] - 1, at[1]}, "x")
	}
	numbers := wholeNum.FindAllStringIndex(s, -1)
	for _, at := range numbers {
		if in(at, phones) || in(at, urls) {
			continue
		}
		for _, i := range slices.Compact([]int{at[0], at[1] - 1}) {
			if i == at[1]-1 || s[i] != '9' { // 95 is not 05
				add("number", []int{i, i + 1}, nextDigit(s[i]))
			}
		}
		for _, other := range numbers {
			if o := s[other[0]:other[1]]; !sameNumber(o, s[at[0]:at[1]]) && !in(other, phones) && !in(other, urls) {
				add("number", at, o)
			}
		}
	}
	words, months := numbersEn, monthsEn
	if lang == "es" {
		words, months = numbersEs, monthsEs
	}
	for i, w := range words {
		for _, at := range pattern(`\b`+w+`\b`).FindAllStringIndex(s, -1) {
			add("number", at, words[(i+1)%len(words)])
		}
	}
	for i, m := range months {
		for _, at := range pattern(`\b`+m+`\b`).FindAllStringIndex(s, -1) {
			add("date", at, months[(i+1)%12])
		}
	}
	for _, days := range [][]string{weekdaysEn, weekdaysEs} {
		for i, d := range days {
			for _, at := range pattern(`\b`+d+`\b`).FindAllStringIndex(s, -1) {
				add("date", at, days[(i+1)%len(days)])
			}
		}
	}
	for _, u := range unitSwaps {
		tail := `\b`
		if last := u[0][len(u[0])-1]; last == '%' || last == '.' {
			tail = ``
		}
		for _, at := range pattern(countedRun+`(`+regexp.QuoteMeta(u[0])+`)`+tail).FindAllStringSubmatchIndex(s, -1) {
			if s[at[4]:at[5]] == u[0] {
				add("unit", at[4:6], u[1])
			}
		}
	}
	for _, d := range denials {
		if d.lang != lang {
			continue
		}
		for _, at := range d.re.FindAllStringSubmatchIndex(s, -1) {
			if !leaning(s, at[0]) {
				add("negation", at[:2], string(d.re.ExpandString(nil, d.to, s, at)))
			}
		}
	}
	for _, at := range auxiliaries[lang].FindAllStringIndex(s, -1) {
		switch rest := s[at[1]:]; {
		case lang == "en" && !strings.HasPrefix(rest, " not") && !strings.HasPrefix(rest, "n't") && strings.HasPrefix(rest, " "):
			add("negation", []int{at[1], at[1]}, " not")
		case lang == "es" && !strings.HasSuffix(strings.ToLower(s[:at[0]]), "no ") && !strings.HasSuffix(s[:at[0]], "se "):
			add("negation", []int{at[0], at[0]}, "no ")
		}
	}
	for i, a := range agencies {
		swap := agencies[(i+1)%len(agencies)][0]
		for _, at := range occurrences(s, a) {
			add("agency", at, swap)
			if len(occurrences(s, a)) == 1 {
				add("agency", at, "someone")
			}
		}
	}
	return list
}

// sameNumber reports whether two figures are of one value: 4 and 4.0.
func sameNumber(a, b string) bool {
	x, errX := strconv.ParseFloat(strings.ReplaceAll(a, ",", ""), 64)
	y, errY := strconv.ParseFloat(strings.ReplaceAll(b, ",", ""), 64)
	return a == b || errX == nil && errY == nil && x == y
}

func nextDigit(d byte) string { return string('0' + (d-'0'+1)%10) }

// leaning reports whether the word at i goes with a "no" before it in its
// clause, as Spanish has it: no se conoce ninguna.
func leaning(s string, i int) bool {
	w := strings.ToLower(s[i:min(len(s), i+4)])
	if !slices.ContainsFunc([]string{"ning", "nada", "nadi", "nunc", "tamp"}, func(p string) bool { return strings.HasPrefix(w, p) }) {
		return false
	}
	before := s[:i]
	before = before[strings.LastIndexAny(before, ".,;:?!(")+1:]
	return strings.Contains(" "+strings.ToLower(before), " no ")
}

// occurrences finds an agency's forms, as capitals have it, the longest first.
func occurrences(s string, forms []string) (list [][]int) {
	if strings.Contains(s, forms[0]+" Coalition") {
		return nil // part of another name
	}
	forms = slices.Clone(forms)
	slices.SortFunc(forms, func(a, b string) int { return len(b) - len(a) })
	for _, f := range forms {
		if !strings.Contains(s, f) {
			continue
		}
		for _, at := range pattern(`(^|[^\p{L}])(`+regexp.QuoteMeta(f)+`)($|[^\p{L}])`).FindAllStringSubmatchIndex(s, -1) {
			p := at[4:6]
			if !slices.ContainsFunc(list, func(o []int) bool { return o[0] < p[1] && p[0] < o[1] }) {
				list = append(list, p)
			}
		}
	}
	return list
}

// patterns holds the expressions that mutations are found by.
var patterns sync.Map

func pattern(expr string) *regexp.Regexp {
	if re, ok := patterns.Load(expr); ok {
		return re.(*regexp.Regexp)
	}
	re, _ := patterns.LoadOrStore(expr, regexp.MustCompile(expr))
	return re.(*regexp.Regexp)
}
