package text

import (
	"cmp"
	"slices"
	"strings"
)

// A unitForm is one way to write a unit.
type unitForm struct {
	words []string // token texts
	unit  string
	usual bool // a word or symbol that anyone joins to its number
}

// unitForms holds the forms by their first word, longest first.
var unitForms = func() map[string][]unitForm {
	m := make(map[string][]unitForm)
	add := func(unit, forms string, usual bool) {
		for form := range strings.SplitSeq(forms, ",") {
			form = strings.TrimSpace(form)
			if form == "" {
				continue
			}
			var words []string
			for _, t := range tokens(form) {
				words = append(words, t.text)
			}
			m[words[0]] = append(m[words[0]], unitForm{words, unit, usual})
		}
	}
	for _, u := range units {
		add(u.unit, u.usual, true)
		add(u.unit, u.other, false)
	}
	for _, forms := range m {
		slices.SortStableFunc(forms, func(a, b unitForm) int { return cmp.Compare(len(b.words), len(a.words)) })
	}
	return m
}()

// units lists the units with their usual forms and the other ones.
var units = []struct{ unit, usual, other string }{
	{"ppb", "ppb, parts per billion, partes por mil millones", "part per billion, parte por mil millones"},
	{"ppt", "ppt, parts per trillion", "part per trillion, partes por billon, partes por trillon"},
	{"ppm", "ppm, parts per million", "part per million, partes por millon"},
	{"mg/l", "mg/l", "milligrams per liter, milligram per liter, milligrams per litre, miligramos por litro, mg per liter, mg por litro"},
	{"mg/dl", "", "mg/dl, milligrams per deciliter, miligramos por decilitro"},
	{"mg/m3", "", "mg/m3, milligrams per cubic meter, miligramos por metro cubico"},
	{"mg/kg", "", "mg/kg, milligrams per kilogram, miligramos por kilogramo"},
	{"ug/l", "ug/l", "mcg/l, micrograms per liter, microgram per liter, micrograms per litre, microgramos por litro, microgramo por litro"},
	{"ug/dl", "ug/dl", "mcg/dl, micrograms per deciliter, microgram per deciliter, micrograms per decilitre, microgramos por decilitro, microgramo por decilitro"},
	{"ug/m3", "ug/m3", "mcg/m3, micrograms per cubic meter, micrograms per cubic metre, microgramos por metro cubico"},
	{"ng/l", "ng/l", "nanograms per liter, nanograms per litre, nanogramos por litro"},
	{"ng/ml", "", "ng/ml, nanograms per milliliter, nanogramos por mililitro"},
	{"pci/l", "", "pci/l, picocuries per liter, picocurie per liter, picocurios por litro"},
	{"mrem", "", "mrem, millirem, millirems"},
	{"ntu", "", "ntu"},
	{"cfm", "", "cfm"},
	{"%", "%, percent, per cent, por ciento", "pct, porciento"},
	{"percentile", "", "percentile, percentiles, percentil"},

	{"drop", "drop, drops, gota, gotas", "gotitas"},
	{"teaspoon", "teaspoon, teaspoons, cucharadita, cucharaditas", "tsp, tsps, cdta, cdtas, teaspoonful"},
	{"tablespoon", "tablespoon, tablespoons, cucharada, cucharadas", "tbsp, tbsps, tbs, cda, cdas, tablespoonful"},
	{"cup", "cup, cups", "cupful, taza, tazas"},
	{"glass", "", "glass, glasses, glassful, vaso, vasos"},
	{"capful", "", "capful, capfuls, tapa, tapas, tapita"},
	{"gallon", "gallon, gallons, galon, galones", "gal, gals, us gallons"},
	{"quart", "", "quart, quarts, qt, qts"},
	{"pint", "", "pint, pints, pinta, pintas"},
	{"liter", "", "liter, liters, litre, litres, litro, litros, l"},
	{"ml", "", "ml, milliliter, milliliters, millilitre, millilitres, mililitro, mililitros, cc"},
	{"ounce", "", "ounce, ounces, oz, fluid ounces, fl oz, onza, onzas"},
	{"pound", "", "pound, pounds, lb, lbs, libra, libras"},
	{"mg", "", "mg, milligram, milligrams, miligramo, miligramos"},
	{"ug", "", "ug, mcg, microgram, micrograms, microgramo, microgramos"},
	{"gram", "", "g, gram, grams, gramo, gramos"},
	{"kg", "", "kg, kilogram, kilograms, kilo, kilos, kilogramo, kilogramos"},
	{"tablet", "", "tablet, tablets, tableta, tabletas, pastilla, pastillas"},
	{"bottle", "", "bottle, bottles, botella, botellas"},
	{"dose", "", "dose, doses, dosis"},

	{"second", "second, seconds, segundo, segundos", "sec, secs, seg, segs"},
	{"minute", "minute, minutes, minuto, minutos", "min, mins, minute's, minutes'"},
	{"hour", "hour, hours, hora, horas", "h, hr, hrs, hour's, hours'"},
	{"day", "day, days, dia, dias", "day's, days'"},
	{"week", "week, weeks, semana, semanas", "wk, wks, week's, weeks'"},
	{"month", "month, months, mes, meses", "mo, mos, month's, months'"},
	{"year", "year, years, ano, anos", "yr, yrs, year's, years', anitos"},
	{"decade", "", "decade, decades, decada, decadas"},
	{"time", "", "time, times, vez, veces"},

	{"°F", "", "° f, ℉, f, degrees f, degree f, degrees fahrenheit, fahrenheit, grados f, grados fahrenheit, º f"},
	{"°C", "", "° c, ℃, c, degrees c, degree c, degrees celsius, celsius, centigrade, grados c, grados celsius, grados centigrados, º c"},
	{"degree", "", "°, degree, degrees, grado, grados"},
	{"inch", "", "inch, inches, pulgada, pulgadas"},
	{"foot", "", "foot, feet, ft, pie, pies"},
	{"square foot", "", "square foot, square feet, square-foot, sq ft, sq. ft., ft2, pie cuadrado, pies cuadrados"},
	{"cubic foot", "", "cubic foot, cubic feet, pies cubicos"},
	{"meter", "", "meter, meters, metre, metres, metro, metros"},
	{"mile", "", "mile, miles, milla, millas"},
	{"$", "", "dollar, dollars, dolar, dolares, usd, bucks"},
	{"cent", "", "cent, cents, ¢, centavo, centavos"},
	{"person", "", "person, persons, people, persona, personas"},
}

// scales are the words that multiply a number and stay with its unit.
var scales = []struct {
	words []string
	name  string
}{
	{[]string{"mil", "millones"}, "billion"},
	{[]string{"billion"}, "billion"},
	{[]string{"trillion"}, "trillion"},
	{[]string{"million"}, "million"},
	{[]string{"millions"}, "million"},
	{[]string{"millones"}, "million"},
	{[]string{"millon"}, "million"},
	{[]string{"thousand"}, "thousand"},
	{[]string{"mil"}, "thousand"},
}

// fillers are words that may stand between a number and its unit.
var fillers = [][]string{
	{"full"}, {"whole"}, {"entire"}, {"more"}, {"additional"}, {"extra"}, {"level"}, {"straight"}, {"consecutive"},
	{"calendar"}, {"business"}, {"working"}, {"or", "more"}, {"or", "fewer"}, {"or", "less"},
	{"mas"}, {"o", "mas"}, {"o", "menos"}, {")"},
}

// unitAt is the unit whose form begins at token i, and how many tokens it
// takes, 0 if there is none.
func (r *reader) unitAt(i int) (u unitForm, n int) {
	if i >= len(r.toks) {
		return u, 0
	}
	for _, f := range unitForms[r.toks[i].text] {
		if r.stands(i, f.words) && !r.isNoScale(i, f) {
			return f, len(f.words)
		}
	}
	return u, 0
}

// isNoScale reports whether the form is F or C alone and means no temperature:
// it stands in lower case, or makes a name with one digit (apt 4C).
func (r *reader) isNoScale(i int, f unitForm) bool {
	if f.words[0] != "f" && f.words[0] != "c" {
		return false
	}
	return r.toks[i].In(r.s) == f.words[0] || r.touches(i) && len(r.toks[i-1].text) == 1
}

// stands reports whether the tokens from i on read as words.
func (r *reader) stands(i int, words []string) bool {
	if i < 0 || i+len(words) > len(r.toks) {
		return false
	}
	for k, w := range words {
		if r.toks[i+k].text != w {
			return false
		}
	}
	return true
}
