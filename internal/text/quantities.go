package text

import (
	"cmp"
	"slices"
	"strings"
)

// A Quantity is a number in a text with the unit that belongs to it.
type Quantity struct {
	Span // from the number, or the dollar sign before it, to the end of the unit

	// Value is the number in digits, as precise as it was written: "0.015",
	// "4.0", "23000" for 23,000, "1/2" for ½ or half, "1 1/2", "6" for six,
	// "1940s". A sign is not part of it.
	Value string

	// Unit is the unit in one spelling whatever the language: ppb, ppt, ppm,
	// mg/l, ug/l, ug/dl, ug/m3, ng/l, pci/l, %, percentile, drop, teaspoon,
	// tablespoon, cup, gallon, liter, second, minute, hour, day, week, month,
	// year, time (twice a year), °F, °C, $, person and others; with million and
	// the like before it ("million $"). Empty if there is none. It may stand
	// apart from the number: 40 takes % from "40 to 60 percent".
	Unit string

	// Near is Unit if it is an everyday word or symbol right beside the number
	// (15 ppb, 24-hour, 90%), and empty if it took reading: an abbreviation, a
	// rate in words (micrograms per liter), a word between, a range. Who
	// compares strictly compares Near.
	Near string
}

// Quantities finds the numbers of an English or Spanish text, in order. A
// number in words counts only with a unit (six months, una hora, half a cup).
// Numbers inside telephone numbers, URLs, e-mail addresses and names such as
// N95 or PM2.5 do not count; those of dates do, part by part.
func Quantities(s string) []Quantity {
	r := newReader(s)
	var found []candidate
	for i := 0; i < len(r.toks); {
		c, n := r.quantity(i)
		if n == 0 {
			i++
			continue
		}
		if c.Value != "" {
			found = append(found, c)
		}
		i += n
	}
	r.shareUnits(found)
	list := make([]Quantity, 0, len(found))
	for _, c := range found {
		if !c.inWords || c.Unit != "" {
			list = append(list, c.Quantity)
		}
	}
	if len(list) == 0 {
		return nil
	}
	return list
}

// A candidate is a quantity, and the tokens that it took.
type candidate struct {
	Quantity
	from, to int
	inWords  bool
}

// A reader reads the tokens of one text.
type reader struct {
	s    string
	toks []token
}

// newReader reads s with each telephone number, URL and e-mail address as one
// mark, whose text is "@", so that what is inside is not read.
func newReader(s string) *reader {
	r := &reader{s: s, toks: tokens(s)}
	var whole []Span
	for _, p := range r.phones() {
		whole = append(whole, p.Span)
	}
	whole = append(whole, URLs(s)...)
	whole = append(whole, Emails(s)...)
	slices.SortFunc(whole, func(a, b Span) int { return cmp.Compare(a.Start, b.Start) })
	kept := r.toks[:0]
	for _, t := range r.toks {
		for len(whole) > 0 && whole[0].End <= t.Start {
			whole = whole[1:]
		}
		if len(whole) > 0 && whole[0].Overlaps(t.Span) {
			t.kind, t.text = markToken, "@"
			if last := len(kept) - 1; last >= 0 && whole[0].Overlaps(kept[last].Span) {
				kept[last].End = t.End
				continue
			}
		}
		kept = append(kept, t)
	}
	r.toks = kept
	return r
}

// touches reports whether token i stands right after token i-1.
func (r *reader) touches(i int) bool { return i > 0 && i < len(r.toks) && !r.toks[i].gap }

func (r *reader) isMark(i int, mark string) bool {
	return i >= 0 && i < len(r.toks) && r.toks[i].kind == markToken && r.toks[i].text == mark
}

// quantity reads the quantity at token i and how many tokens it takes, 0 if
// there is none. A candidate without value is a number that does not count.
func (r *reader) quantity(i int) (c candidate, n int) {
	t := r.toks[i]
	switch t.kind {
	case numberToken:
		return r.digitQuantity(i)
	case wordToken:
		if c, n := r.repetition(i); n > 0 {
			return c, n
		}
		value, n := r.wordNumber(i)
		if n == 0 {
			return c, 0
		}
		c = candidate{Quantity: Quantity{Span: t.Span, Value: value}, from: i, inWords: true}
		end := r.unit(&c, i+n)
		if c.Unit == "time" && value == "1" && !r.isRepetition(end) {
			c.Unit, c.Near = "", ""
		}
		c.to = end
		return c, end - i
	}
	return c, 0
}

// isRepetition reports whether what follows "una vez" makes it a count (una
// vez al año) rather than a conjunction (una vez que).
func (r *reader) isRepetition(i int) bool {
	return i < len(r.toks) && slices.Contains([]string{"al", "a", "por", "cada"}, r.toks[i].text)
}

// repetition reads twice, and once before a span of time (once a year).
func (r *reader) repetition(i int) (c candidate, n int) {
	value := ""
	switch r.toks[i].text {
	case "twice":
		value = "2"
	case "once":
		if i+2 < len(r.toks) && slices.Contains([]string{"a", "per", "every", "each"}, r.toks[i+1].text) {
			u, _ := r.unitAt(i + 2)
			if slices.Contains([]string{"day", "week", "month", "year", "hour"}, u.unit) {
				value = "1"
			}
		}
	}
	if value == "" {
		return c, 0
	}
	return candidate{Quantity: Quantity{Span: r.toks[i].Span, Value: value, Unit: "time"}, from: i, to: i + 1, inWords: true}, 1
}

// digitQuantity reads the quantity whose digits begin at token i.
func (r *reader) digitQuantity(i int) (c candidate, n int) {
	t := r.toks[i]
	c = candidate{Quantity: Quantity{Span: t.Span, Value: t.text}, from: i}
	if r.touches(i) && r.isMark(i-1, ".") {
		if r.touches(i-1) && !r.isMark(i-2, "(") {
			return candidate{}, 1 // the tail of a name or a version
		}
		if fractionOf([]rune(t.In(r.s))[0]) == "" {
			c.Value, c.Start = "0."+t.text, r.toks[i-1].Start
		}
	}
	if r.touches(i) && r.isMark(i-1, "_") {
		return candidate{}, 1
	}
	k := i + 1
	k = r.fraction(&c, k)
	if r.isMark(k, ",") && r.touches(k) && r.touches(k+1) && r.toks[k+1].kind == numberToken && len(r.toks[k+1].text) <= 2 {
		// 1,5 litros: a decimal comma, if a unit follows.
		if _, m := r.unitAt(k + 2); m > 0 && !strings.ContainsAny(c.Value, "./") {
			c.Value += "." + r.toks[k+1].text
			k += 2
		}
	}
	if r.touches(k) && r.toks[k].kind == wordToken {
		switch w := r.toks[k].text; w {
		case "st", "nd", "rd", "th", "am", "pm", "a", "p", "er", "ra", "ta", "to":
			k++
		case "s":
			if len(c.Value) != 4 {
				return candidate{}, 2
			}
			c.Value += "s"
			k++
		default:
			if _, m := r.unitAt(k); m == 0 {
				return candidate{}, 2
			}
		}
	}
	c.End = r.toks[k-1].End
	end := r.unit(&c, k)
	if c.Unit == "" && i > 0 && (r.toks[i-1].text == "percentil" || r.toks[i-1].text == "percentile") {
		c.Unit = "percentile"
	}
	c.to = end
	return c, end - i
}

// fraction reads the fraction that follows the number of c, which ends before
// token k: 1/2, 1 1/2, 1½. It returns the token after it.
func (r *reader) fraction(c *candidate, k int) int {
	isSign := func(i int) bool {
		return i < len(r.toks) && r.toks[i].kind == numberToken && strings.Contains(r.toks[i].text, "/")
	}
	slash := func(i int) bool { // numerator at i
		return i+2 < len(r.toks) && isShort(r.toks[i]) && r.isMark(i+1, "/") && r.touches(i+1) && isShort(r.toks[i+2]) && r.touches(i+2) &&
			!(r.isMark(i+3, "/") && r.touches(i+3)) && !(r.isMark(i-1, "/") && r.touches(i)) && r.toks[i+2].text != "0"
	}
	if strings.Contains(c.Value, "/") {
		return k
	}
	switch {
	case slash(k - 1):
		c.Value += "/" + r.toks[k+1].text
		k += 2
	case isSign(k) && isShort(r.toks[k-1]):
		c.Value += " " + r.toks[k].text
		k++
	case k < len(r.toks) && slash(k) && isShort(r.toks[k-1]) && r.toks[k].gap && len(r.toks[k].text) == 1:
		c.Value += " " + r.toks[k].text + "/" + r.toks[k+2].text
		k += 3
	case r.isMark(k, "-") && r.touches(k) && r.touches(k+1) && isShort(r.toks[k-1]) && slash(k+1) && len(r.toks[k+1].text) == 1:
		c.Value += " " + r.toks[k+1].text + "/" + r.toks[k+3].text
		k += 4
	}
	return k
}

// isShort reports whether t is a whole number of one or two digits.
func isShort(t token) bool {
	return t.kind == numberToken && len(t.text) <= 2 && !strings.ContainsAny(t.text, "./")
}

// unit gives c the unit that begins at token k, with a scale before it and a
// dollar sign before the number. It returns the token after what it took.
func (r *reader) unit(c *candidate, k int) int {
	near := true
	scale := ""
	hyphen := func(i int) int { // the token after a hyphen within a word at i, else i
		if r.isMark(i, "-") && r.touches(i) && r.touches(i+1) {
			return i + 1
		}
		return i
	}
	for _, sc := range scales {
		if at := hyphen(k); r.stands(at, sc.words) {
			scale, k, near = sc.name, at+len(sc.words), false
			c.End = r.toks[k-1].End
			break
		}
	}
	at := hyphen(k)
	u, n := r.unitAt(at)
	if n == 0 {
		fill := fillers
		if scale != "" || strings.Contains(c.Value, "/") {
			fill = [][]string{{"de"}, {"of"}, {"of", "a"}}
		}
		for _, f := range fill {
			if r.stands(k, f) && (f[0] != ")" || r.isMark(c.from-1, "(")) {
				if u, n = r.unitAt(k + len(f)); n > 0 {
					at, near = k+len(f), false
					break
				}
			}
		}
	}
	if n > 0 {
		k = at + n
		c.Unit = u.unit
		c.End = r.toks[k-1].End
		if near && u.usual {
			c.Near = u.unit
		}
		k = r.andHalf(c, k)
	}
	if c.Unit == "" && r.isMark(c.from-1, "$") {
		c.Unit, c.Start = "$", r.toks[c.from-1].Start
	}
	if scale != "" {
		c.Unit = strings.TrimSpace(scale + " " + c.Unit)
		c.Near = ""
	}
	return k
}

// andHalf reads "y media" or "and a half" after the unit (una hora y media),
// which is less usual than before it.
func (r *reader) andHalf(c *candidate, k int) int {
	value, n := r.andFraction(k)
	if n == 0 || strings.ContainsAny(c.Value, "./") {
		return k
	}
	if _, m := r.unitAt(k + n); m > 0 { // una hora y media cucharadita
		return k
	}
	c.Value += " " + value
	c.Near = ""
	c.End = r.toks[k+n-1].End
	return k + n
}

// shareUnits gives a number without a unit that of the number which ends its
// range: 40 to 60 percent, 12 and 24 months, one or ten days, $4-5 million.
func (r *reader) shareUnits(found []candidate) {
	for i := len(found) - 2; i >= 0; i-- {
		c, next := &found[i], found[i+1]
		if c.Unit != "" && c.Unit != "$" || next.Unit == "" || next.from != c.to+1 {
			continue
		}
		switch r.toks[c.to].text {
		case "to", "a", "al", "or", "o", "u", "-", "and", "y", "hasta", "through":
			c.Unit = next.Unit
		}
	}
}
