// Package text reads plain text as people write it to a hotline: sentences,
// words and syllables, which language it is in, and the numbers, dates,
// telephone numbers, URLs and negations that must survive a rewrite.
//
// It knows English and Spanish, and tells Portuguese, French, Haitian Creole
// and Arabic apart from them. It knows nothing of the product.
//
// All functions are safe for concurrent use, take any string (bytes that are
// not valid UTF-8 included), never panic, and take time linear in its length.
package text

// A Span is a part of a text, in bytes: s[Start:End]. Both ends are character
// boundaries.
type Span struct{ Start, End int }

// In is the part of s that the span names.
func (p Span) In(s string) string { return s[p.Start:p.End] }

// Holds reports whether the span contains the other.
func (p Span) Holds(other Span) bool { return p.Start <= other.Start && other.End <= p.End }

// Overlaps reports whether the two have a byte in common.
func (p Span) Overlaps(other Span) bool { return p.Start < other.End && other.Start < p.End }
