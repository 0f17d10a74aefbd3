package kb

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"unicode"

	"plumbline/internal/text"
)

// A Name is what a telling must not exchange, add or lose: a danger, what is
// done about it, whom it threatens, what it comes from. Forms, Written and Not
// are by language. In a form a "*" at the end of a word stands for any ending.
// Case and accents do not count, but in Written: there a capital does.
type Name struct {
	ID      string              `json:"id"`
	Kind    string              `json:"kind"`  // names of one kind may be taken for one another
	Forms   map[string][]string `json:"forms"` // every usual one, long and short
	Written map[string][]string `json:"written,omitempty"`
	Not     map[string][]string `json:"not,omitempty"` // what holds a form and means something else
}

// names checks names.json: ids and forms are of one name each.
func (c *checker) names(a at) {
	seen := make(map[string]string) // by form, whose it is
	for i, n := range c.pack.Names {
		b := a.index(i)
		c.id(b.key("id"), kindName, n.ID)
		if !idShape.MatchString(n.Kind) {
			c.fault(b.key("kind"), fmt.Sprintf("%.90q is not a name", n.Kind), writeIDs)
		}
		for _, lang := range c.languages {
			if len(n.Forms[lang])+len(n.Written[lang]) == 0 {
				c.bare(b.key("forms").key(lang), "there is no form", "write every usual one")
			}
		}
		of := make(map[string]bool) // this name's own, in either language
		for _, part := range []struct {
			name  string
			forms map[string][]string
		}{{"forms", n.Forms}, {"written", n.Written}, {"not", n.Not}} {
			c.words(b.key(part.name), part.forms)
			for _, lang := range slices.Sorted(maps.Keys(part.forms)) {
				for j, form := range part.forms[lang] {
					d := b.key(part.name).key(lang).index(j)
					key := formKey(form)
					if part.name == "written" {
						key = text.FoldAccents(form) // a plain form of another may hold it: "do not enter"
					}
					switch {
					case !strings.ContainsFunc(form, isWord):
						c.fault(d, "the form is empty", "")
					case part.name == "not" && of[key]:
						c.fault(d, fmt.Sprintf("%q is a form of %q", form, n.ID), "delete one")
					case part.name == "not":
					case seen[key] != "" && seen[key] != n.ID:
						c.fault(d, fmt.Sprintf("%q is a form of %q too", form, seen[key]), "delete one")
					default:
						seen[key], of[key] = n.ID, true
					}
				}
			}
		}
	}
}

func isWord(r rune) bool { return unicode.IsLetter(r) || unicode.IsDigit(r) }

// formKey writes forms that are found in the same places alike.
func formKey(form string) string {
	words := strings.FieldsFunc(strings.ToLower(text.FoldAccents(form)), func(r rune) bool { return !isWord(r) && r != '*' })
	return strings.Join(words, " ")
}
