package text

import (
	"fmt"
	"slices"
	"strconv"
)

// A Date is a date in a text.
type Date struct {
	Span
	// ISO is as much of the date as the text gives: "2027-11-01", "2027-11",
	// "2027", or "--11-15" for a day without a year.
	ISO string
}

// Dates finds the dates of an English or Spanish text, in order: November 1,
// 2027; 1 de noviembre de 2027; November 2027; March 15; 2027-11-01;
// 11/1/2027 in American order (the other order where the first number can be
// no month); years from 1900 to 2099 alone; both years of 2022-23. Days that no
// calendar has are not dates. Numbers with a unit (2000 gallons) are not years.
func Dates(s string) []Date {
	r := newReader(s)
	var found []Date
	for i := 0; i < len(r.toks); {
		list, n := r.date(i)
		found = append(found, list...)
		i += max(1, n)
	}
	return found
}

// monthNames gives the number of a month by its names and short forms.
var monthNames = numbered(`
	1 january jan enero ene
	2 february feb febrero
	3 march mar marzo
	4 april apr abril abr
	5 may mayo
	6 june jun junio
	7 july jul julio
	8 august aug agosto ago
	9 september sept sep septiembre setiembre set
	10 october oct octubre
	11 november nov noviembre
	12 december dec diciembre dic`)

// ambiguousMonths are months that are common words as well.
var ambiguousMonths = []string{"may", "march", "mar", "ago", "set", "jan", "dec", "ene"}

// date reads the date at token i and how many tokens it takes.
func (r *reader) date(i int) (found []Date, n int) {
	t := r.toks[i]
	if r.touches(i) && r.isMark(i-1, ".") && r.touches(i-1) {
		return nil, 0 // the tail of a version or a section
	}
	if t.kind == wordToken {
		if m, ok := monthNames[t.text]; ok {
			return r.monthFirst(i, m)
		}
		if t.text == "primero" {
			return r.dayFirst(i, 1)
		}
		return nil, 0
	}
	if t.kind != numberToken {
		return nil, 0
	}
	if found, n = r.numericDate(i); n > 0 {
		return found, n
	}
	if day, ok := r.wholeNumber(i, 1, 31); ok {
		if found, n = r.dayFirst(i, day); n > 0 {
			return found, n
		}
	}
	return r.yearAlone(i)
}

// wholeNumber is the number of token i if it is a whole number of at most two
// digits between low and high.
func (r *reader) wholeNumber(i, low, high int) (int, bool) {
	if i < 0 || i >= len(r.toks) || r.toks[i].kind != numberToken || len(r.toks[i].text) > 2 {
		return 0, false
	}
	v, err := strconv.Atoi(r.toks[i].text)
	return v, err == nil && low <= v && v <= high
}

// year is the year that token i writes in four digits, without separators.
func (r *reader) year(i int) (int, bool) {
	if i < 0 || i >= len(r.toks) || r.toks[i].kind != numberToken || len(r.toks[i].In(r.s)) != 4 {
		return 0, false
	}
	v, err := strconv.Atoi(r.toks[i].text)
	return v, err == nil && 1900 <= v && v <= 2099
}

// monthFirst reads November 1, 2027; Nov. 1st; November 2027; noviembre de 2027.
func (r *reader) monthFirst(i, month int) ([]Date, int) {
	k := i + 1
	if r.isMark(k, ".") && r.touches(k) && len(r.toks[i].text) <= 4 {
		k++
	}
	if day, ok := r.wholeNumber(k, 1, 31); ok {
		end := k + 1
		if r.touches(end) && slices.Contains([]string{"st", "nd", "rd", "th"}, r.toks[end].text) {
			end++
		}
		after := end
		if r.isMark(after, ",") {
			after++
		}
		if y, ok := r.year(after); ok {
			return r.dated(i, after+1, y, month, day)
		}
		if _, n := r.unitAt(end); n > 0 || r.isMark(end, "/") && r.touches(end) || r.isMark(end, ".") && r.touches(end+1) && r.toks[end+1].kind == numberToken {
			return nil, 0 // may 5 minutes; May 5/6; may 5.5
		}
		if !r.isMonthName(i) {
			return nil, 0
		}
		return r.dated(i, end, 0, month, day)
	}
	if r.isMark(k, ",") || r.stands(k, []string{"de"}) || r.stands(k, []string{"del"}) || r.stands(k, []string{"of"}) {
		k++
	}
	if y, ok := r.year(k); ok {
		return []Date{{r.spanOf(i, k+1), fmt.Sprintf("%04d-%02d", y, month)}}, k + 1 - i
	}
	return nil, 0
}

// isMonthName reports whether a word that may be a month or not is one: it is
// written with a capital, or a preposition of time stands before it.
func (r *reader) isMonthName(i int) bool {
	t := r.toks[i]
	if !slices.Contains(ambiguousMonths, t.text) {
		return true
	}
	if c := r.s[t.Start]; c >= 'A' && c <= 'Z' {
		return true
	}
	return i > 0 && slices.Contains([]string{"on", "by", "until", "till", "since", "before", "after", "in", "from", "to", "through"}, r.toks[i-1].text)
}

// dayFirst reads 1 de noviembre de 2027; 15 November; 1.º de mayo.
func (r *reader) dayFirst(i, day int) ([]Date, int) {
	k := i + 1
	for r.touches(k) && (r.isMark(k, ".") || r.isMark(k, "º") || r.isMark(k, "°")) && k < i+3 {
		k++
	}
	if r.touches(k) && slices.Contains([]string{"st", "nd", "rd", "th", "ro"}, r.toks[k].text) {
		k++
	}
	if r.stands(k, []string{"de"}) || r.stands(k, []string{"of"}) {
		k++
	}
	if k >= len(r.toks) || r.toks[k].kind != wordToken {
		return nil, 0
	}
	month, ok := monthNames[r.toks[k].text]
	if !ok || !r.isMonthName(k) {
		return nil, 0
	}
	k++
	after := k
	if r.isMark(after, ".") && r.touches(after) && len(r.toks[k-1].text) <= 4 {
		after++
	}
	if r.isMark(after, ",") || r.stands(after, []string{"de"}) || r.stands(after, []string{"del"}) {
		after++
	}
	if y, ok := r.year(after); ok {
		return r.dated(i, after+1, y, month, day)
	}
	return r.dated(i, k, 0, month, day)
}

// numericDate reads 2027-11-01, 11/1/2027 and 11-1-27.
func (r *reader) numericDate(i int) ([]Date, int) {
	if r.touches(i) && (r.isMark(i-1, "/") || r.isMark(i-1, "-")) {
		return nil, 0
	}
	sep := ""
	switch {
	case r.isMark(i+1, "/"):
		sep = "/"
	case r.isMark(i+1, "-"):
		sep = "-"
	default:
		return nil, 0
	}
	if !r.touches(i+1) || !r.touches(i+2) {
		return nil, 0
	}
	three := r.isMark(i+3, sep) && r.touches(i+3) && r.touches(i+4)
	if three && r.isMark(i+5, sep) && r.touches(i+5) {
		return nil, 0
	}
	if y, ok := r.year(i); ok {
		m, ok := r.wholeNumber(i+2, 1, 12)
		if !ok || len(r.toks[i+2].text) != 2 {
			return nil, 0
		}
		if d, ok := r.wholeNumber(i+4, 1, 31); three && ok {
			return r.dated(i, i+5, y, m, d)
		}
		if three || sep != "-" || y%100 < m { // 2022-23 is no month, 2009-10 two years
			return nil, 0
		}
		return []Date{{r.spanOf(i, i+3), fmt.Sprintf("%04d-%02d", y, m)}}, 3
	}
	if !three {
		return nil, 0
	}
	m, ok1 := r.wholeNumber(i, 1, 31)
	d, ok2 := r.wholeNumber(i+2, 1, 31)
	y, ok3 := r.year(i + 4)
	if short, ok := r.wholeNumber(i+4, 0, 99); ok && !ok3 && len(r.toks[i+4].text) == 2 {
		y, ok3 = shortYear(short), true
	}
	if !ok1 || !ok2 || !ok3 {
		return nil, 0
	}
	if m > 12 {
		m, d = d, m
	}
	return r.dated(i, i+5, y, m, d)
}

// shortYear is the year that two digits mean: 1951 to 2050.
func shortYear(y int) int {
	if y > 50 {
		return 1900 + y
	}
	return 2000 + y
}

// yearAlone reads 2027, and both years of 2022-23 and 2023-2024.
func (r *reader) yearAlone(i int) ([]Date, int) {
	y, ok := r.year(i)
	if !ok {
		return nil, 0
	}
	if _, n := r.unitAt(i + 1); n > 0 || r.isMark(i-1, "$") || r.isMark(i-1, "#") || r.isMark(i+1, "/") && r.touches(i+1) {
		return nil, 0
	}
	if r.touches(i+1) && r.toks[i+1].kind == wordToken {
		return nil, 0
	}
	if r.touches(i) && (r.isMark(i-1, "-") || r.isMark(i-1, "/")) && r.touches(i-1) {
		if _, ok := r.year(i - 2); !ok {
			return nil, 0
		}
	}
	found := []Date{{r.toks[i].Span, strconv.Itoa(y)}}
	if r.isMark(i+1, "-") && r.touches(i+1) && r.touches(i+2) {
		if last, ok := r.wholeNumber(i+2, y%100+1, 99); ok && len(r.toks[i+2].text) == 2 && !(r.isMark(i+3, "-") && r.touches(i+3)) {
			return append(found, Date{r.toks[i+2].Span, strconv.Itoa(y - y%100 + last)}), 3
		}
	}
	return found, 1
}

// dated is the date of the tokens from i to end, if a calendar has it. The year
// is 0 if none is given.
func (r *reader) dated(i, end, year, month, day int) ([]Date, int) {
	days := [...]int{31, 29, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31}
	if month < 1 || month > 12 || day < 1 || day > days[month-1] || month == 2 && day == 29 && year != 0 && !isLeap(year) {
		return nil, 0
	}
	iso := fmt.Sprintf("--%02d-%02d", month, day)
	if year != 0 {
		iso = fmt.Sprintf("%04d-%02d-%02d", year, month, day)
	}
	return []Date{{r.spanOf(i, end), iso}}, end - i
}

func isLeap(y int) bool { return y%4 == 0 && (y%100 != 0 || y%400 == 0) }

// spanOf is the span of the tokens from i up to end.
func (r *reader) spanOf(i, end int) Span { return Span{r.toks[i].Start, r.toks[end-1].End} }
