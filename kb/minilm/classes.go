package minilm

import (
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/rangetable"
)

// The reference sorts characters by the tables of Unicode 8.0, Go by newer
// ones, which differ with Go's version. So a category counts only for what
// was assigned then, and seven characters are kept in the categories that they
// had. testdata/codepoints.txt.gz holds what the reference does with each of
// the 1,112,064 characters.
type classes struct {
	assigned *unicode.RangeTable // by Unicode 8.0
}

func newClasses() classes {
	return classes{assigned: rangetable.Assigned("8.0.0")}
}

func (c classes) in(r rune, tables ...*unicode.RangeTable) bool {
	return unicode.In(r, tables...) && unicode.Is(c.assigned, r)
}

// control holds what is dropped: controls, formats, private use. Unassigned
// characters stay.
func (c classes) control(r rune) bool {
	if r < utf8.RuneSelf {
		return r < ' ' || r == 0x7f
	}
	return r == utf8.RuneError || c.in(r, unicode.Cc, unicode.Cf, unicode.Co)
}

// accent holds the marks that are dropped after decomposition.
func (c classes) accent(r rune) bool {
	if r < utf8.RuneSelf {
		return false
	}
	switch r {
	case 0x1734, 0x1171e: // Mc by now
		return true
	case 0x1885, 0x1886, 0xa9bd, 0x111c9: // were letters, a Mc and a Po
		return false
	}
	return c.in(r, unicode.Mn)
}

// punctuation holds all ASCII symbols, currency and plus among them, and what
// Unicode calls punctuation.
func (c classes) punctuation(r rune) bool {
	if r < utf8.RuneSelf {
		return r >= '!' && r <= '/' || r >= ':' && r <= '@' || r >= '[' && r <= '`' || r >= '{' && r <= '~'
	}
	switch r {
	case 0x166d, 0x111c9: // So and Mn by now
		return true
	}
	return c.in(r, unicode.P)
}

// ideograph reports whether r is one of those that stand as words of their
// own: the CJK blocks of the original BERT.
func ideograph(r rune) bool {
	return r >= 0x4E00 && r <= 0x9FFF || r >= 0x3400 && r <= 0x4DBF ||
		r >= 0x20000 && r <= 0x2A6DF || r >= 0x2A700 && r <= 0x2B73F ||
		r >= 0x2B740 && r <= 0x2B81F || r >= 0x2B920 && r <= 0x2CEAF ||
		r >= 0xF900 && r <= 0xFAFF || r >= 0x2F800 && r <= 0x2FA1F
}
