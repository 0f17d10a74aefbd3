package extractive

import (
	"regexp"
	"strconv"
	"strings"

	"plumbline/internal/text"
)

// A band is a range of values that a passage speaks of: "101-150", "20 to 44",
// "301 and up"; a value is a number that a question names. Their measure is what
// the word behind them says that they count: time, a share. Most say nothing.
type band struct {
	low, high float64
	measure   string
}

type value struct {
	figure  float64
	measure string
}

// measures are the words that say what a number counts, by their beginnings.
var measures = regexp.MustCompile(`^[\s-]*(?:(sec|seg)|(min)|(hour|hora|hr)|(day|dia|día)|(week|semana)|(month|mes)|(year|año|ano|yr)|(%|percent|per cent|por ciento)|(floor|piso|unit|unidad)|(time|vez|veces)|(feet|foot|pie)|(gal))`)

// measureAt returns what the number that ends at end counts, "" if nothing says.
func measureAt(s string, end int) string {
	m := measures.FindStringSubmatchIndex(s[end:])
	for i := 2; i < len(m); i += 2 {
		if m[i] >= 0 {
			return strconv.Itoa(i)
		}
	}
	return ""
}

var (
	between = regexp.MustCompile(`(\d+(?:\.\d+)?)\s*(?:-|–|to|a|hasta|y)\s*(\d+(?:\.\d+)?)`)
	upward  = regexp.MustCompile(`(\d+(?:\.\d+)?)\s*(?:and|or|y|o)\s*(?:up|above|higher|more|over|más|mas|mayor)`)
	figure  = regexp.MustCompile(`\d+(?:\.\d+)?`)
)

// without returns s with blanks for telephone numbers, dates and times, whose
// figures measure nothing.
func without(s string) string {
	b := []byte(s)
	blank := func(start, end int) {
		for i := start; i < end; i++ {
			b[i] = ' '
		}
	}
	for _, p := range text.Phones(s) {
		blank(p.Start, p.End)
	}
	for _, d := range text.Dates(s) {
		blank(d.Start, d.End)
	}
	for _, m := range clock.FindAllStringIndex(s, -1) {
		blank(m[0], m[1])
	}
	return string(b)
}

var clock = regexp.MustCompile(`\d{1,2}:\d{2}`)

// bandsIn returns the ranges that a passage names.
func bandsIn(s string) (list []band) {
	s = strings.ToLower(without(s))
	for _, m := range between.FindAllStringSubmatchIndex(s, -1) {
		low, _ := strconv.ParseFloat(s[m[2]:m[3]], 64)
		high, _ := strconv.ParseFloat(s[m[4]:m[5]], 64)
		if low < high {
			list = append(list, band{low, high, measureAt(s, m[1])})
		}
	}
	for _, m := range upward.FindAllStringSubmatchIndex(s, -1) {
		low, _ := strconv.ParseFloat(s[m[2]:m[3]], 64)
		list = append(list, band{low, 1e9, measureAt(s, m[1])})
	}
	return list
}

// figuresIn returns the values that a question names.
func figuresIn(s string) (list []value) {
	s = strings.ToLower(without(s))
	for _, m := range figure.FindAllStringIndex(s, -1) {
		v, _ := strconv.ParseFloat(s[m[0]:m[1]], 64)
		list = append(list, value{v, measureAt(s, m[1])})
	}
	return list
}

// fits says whether a passage that speaks of ranges speaks of the one that the
// question's value lies in: 1 if it does, -1 if its ranges all leave the value
// out, 0 if either names none, or none that counts the same.
func fits(values []value, bands []band) int {
	compared := 0
	for _, v := range values {
		for _, b := range bands {
			if v.measure != b.measure {
				continue
			}
			if v.figure >= b.low && v.figure <= b.high {
				return 1
			}
			compared--
		}
	}
	return max(compared, -1)
}
