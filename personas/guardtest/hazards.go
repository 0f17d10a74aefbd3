package guardtest

import (
	"regexp"
	"slices"
	"strings"
	"unicode"
)

// A Hazard is a name of a pack's table.
type Hazard struct {
	ID, Kind string
	Forms    map[string][]string // by language; a "*" at the end of a word stands for any ending
	Not      []string            // what holds a form and means something else
}

// Hazards lists mutations of a text in lang: each hazard that it names is
// exchanged for others of its kind, dropped where it stands but once, and joined by
// another. fold writes a form as the text is written: without accents, perhaps.
func Hazards(s, lang string, all []Hazard, fold func(string) string) []Mutation {
	var list []Mutation
	found := named(s, all)
	count := make(map[int]int)
	for _, f := range found {
		count[f.of]++
	}
	or := map[string]string{"en": " or ", "es": " o "}[lang]
	for _, f := range found {
		h := all[f.of]
		add := func(sort, to string) {
			list = append(list, Mutation{sort, s[f.from:f.to], s[:f.from] + to + s[f.to:]})
		}
		others := 0
		for k := range all {
			i := (f.of + 1 + k) % len(all)
			o := plainForm(all[i].Forms[lang])
			if all[i].Kind != h.Kind || i == f.of || o == "" || count[i] > 0 {
				continue
			}
			add("exchanged", fold(o))
			if others++; others == 1 {
				add("joined", s[f.from:f.to]+or+fold(o))
			}
			if others == 2 {
				break
			}
		}
		if count[f.of] == 1 {
			add("dropped", "")
		}
	}
	return list
}

// A place is where a hazard stands.
type place struct{ of, from, to int }

// named finds the hazards of a text, the longest form first.
func named(s string, all []Hazard) (list []place) {
	var every []place
	find := func(of int, forms []string) {
		for _, form := range forms {
			var expr []string
			for _, w := range strings.FieldsFunc(form, func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) && r != '*' && r != '.' }) {
				w = loosely(regexp.QuoteMeta(strings.TrimSuffix(w, ".")))
				expr = append(expr, strings.ReplaceAll(w, `\*`, `[\p{L}\d]*`))
			}
			re := pattern(`(?i)(?:^|[^\p{L}\d])(` + strings.Join(expr, `[^\p{L}\d.;?!\n]+`) + `)(?:$|[^\p{L}\d])`)
			for _, at := range re.FindAllStringSubmatchIndex(s, -1) {
				every = append(every, place{of, at[2], at[3]})
			}
		}
	}
	for i, h := range all {
		find(i, h.Forms["en"])
		find(i, h.Forms["es"])
		find(-1, h.Not)
	}
	slices.SortStableFunc(every, func(a, b place) int {
		if a.from != b.from {
			return a.from - b.from
		}
		return b.to - a.to
	})
	end := 0
	for _, p := range every {
		if p.from < end {
			continue
		}
		if end = p.to; p.of >= 0 {
			list = append(list, p)
		}
	}
	return list
}

// loosely lets a letter with an accent stand for the one without.
func loosely(w string) string {
	for _, p := range []string{"áa", "ée", "íi", "óo", "úu", "üu", "ñn"} {
		r := []rune(p)
		w = strings.ReplaceAll(w, string(r[0]), "["+p+"]")
	}
	return w
}

// plainForm is the first form that holds no "*", empty if there is none.
func plainForm(forms []string) string {
	for _, f := range forms {
		if !strings.Contains(f, "*") {
			return f
		}
	}
	return ""
}
