package pipeline

import (
	"fmt"
	"maps"
	"regexp"
	"slices"

	"plumbline/bot"
)

// Patterns are the patterns of a pack's rule, ready to match: on text as Fold or
// FoldMarks leaves it.
type Patterns []*regexp.Regexp

// CompilePatterns compiles the patterns of all languages, in the order of their
// tags. Its error wraps bot.ErrInvalid.
func CompilePatterns(byLang map[string][]string) (list Patterns, err error) {
	for _, lang := range slices.Sorted(maps.Keys(byLang)) {
		for _, pattern := range byLang[lang] {
			re, err := regexp.Compile("(?i)" + pattern)
			if err != nil {
				return nil, fmt.Errorf("%w: %w", err, bot.ErrInvalid)
			}
			list = append(list, re)
		}
	}
	return list, nil
}

// Find returns the words that one of p matches in folded text; none if one of
// unless matches too.
func (p Patterns) Find(folded string, unless Patterns) string {
	for _, re := range p {
		words := re.FindString(folded)
		if words == "" {
			continue
		}
		if slices.ContainsFunc(unless, func(u *regexp.Regexp) bool { return u.MatchString(folded) }) {
			return ""
		}
		return words
	}
	return ""
}
