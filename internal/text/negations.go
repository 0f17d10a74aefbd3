package text

import "strings"

// A Negation is a word that turns a statement round.
type Negation struct {
	Span
	Word string // in lower case, without accents, apostrophes straight: "don't", "nunca"
}

// Negations finds the negations of an English or Spanish text, in order,
// texting spellings included (dont, cant, aint). The "No." of "pipe No. 5" is
// none; one that begins a sentence is.
func Negations(s string) []Negation {
	toks := tokens(s)
	var found []Negation
	for i, t := range toks {
		if t.kind != wordToken || !isNegation(t.text) {
			continue
		}
		if t.In(s) == "No" && i > 0 && toks[i-1].kind == wordToken && i+2 < len(toks) && toks[i+1].text == "." && toks[i+2].kind == numberToken {
			continue
		}
		found = append(found, Negation{t.Span, t.text})
	}
	return found
}

func isNegation(word string) bool {
	return negations[word] || strings.HasSuffix(word, "n't")
}

var negations = wordSet(`
	no not never none nobody nothing nowhere neither nor without cannot nope nah
	dont doesnt didnt cant couldnt wouldnt shouldnt isnt arent wasnt werent havent hasnt hadnt wont aint mustnt neednt
	nunca jamas ni sin ningun ninguno ninguna ningunos ningunas nadie nada tampoco`)

func wordSet(words string) map[string]bool {
	m := make(map[string]bool)
	for w := range strings.FieldsSeq(words) {
		m[w] = true
	}
	return m
}
