package extractive

import (
	"regexp"
	"strconv"
	"strings"

	"plumbline/internal/text"
)

// A band is a range of values that a passage speaks of: "101-150", "20 to 44",
// "301 and up".
type band struct{ low, high float64 }

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
	for _, m := range between.FindAllStringSubmatch(s, -1) {
		low, _ := strconv.ParseFloat(m[1], 64)
		high, _ := strconv.ParseFloat(m[2], 64)
		if low < high {
			list = append(list, band{low, high})
		}
	}
	for _, m := range upward.FindAllStringSubmatch(s, -1) {
		low, _ := strconv.ParseFloat(m[1], 64)
		list = append(list, band{low, 1e9})
	}
	return list
}

// figuresIn returns the values that a question names.
func figuresIn(s string) (list []float64) {
	for _, m := range figure.FindAllString(without(s), -1) {
		v, _ := strconv.ParseFloat(m, 64)
		list = append(list, v)
	}
	return list
}

// fits says whether a passage that speaks of ranges speaks of the one that the
// question's value lies in: 1 if it does, -1 if its ranges all leave the value
// out, 0 if either names none.
func fits(values []float64, bands []band) int {
	if len(values) == 0 || len(bands) == 0 {
		return 0
	}
	for _, v := range values {
		for _, b := range bands {
			if v >= b.low && v <= b.high {
				return 1
			}
		}
	}
	return -1
}
