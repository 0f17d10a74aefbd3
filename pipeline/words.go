package pipeline

import (
	"strings"
	"unicode"

	"golang.org/x/text/unicode/norm"
)

// Fold returns the words of s in lower case without accents and marks, one
// space apart: what rules and glossaries are matched on.
func Fold(s string) string { return fold(s, "") }

// FoldMarks is Fold with question and exclamation marks left at their words,
// for the packs' rules: "ya cambiaron mi tubo?" asks, without the mark it tells.
func FoldMarks(s string) string { return fold(s, "?!") }

func fold(s, marks string) string {
	var b strings.Builder
	space := false
	for _, r := range norm.NFD.String(s) {
		switch {
		case unicode.Is(unicode.Mn, r) || r == '\'' || r == '’':
		case unicode.IsLetter(r) || unicode.IsDigit(r) || r == '.' || r == '%' || r == '/' || strings.ContainsRune(marks, r) && b.Len() > 0:
			if space && b.Len() > 0 {
				b.WriteByte(' ')
			}
			space = false
			b.WriteRune(unicode.ToLower(r))
		default:
			space = true
		}
	}
	return strings.TrimRight(b.String(), ".")
}
