// Package lenient gets the JSON value out of what a language model says around
// it and makes of it, without guessing at what it meant.
package lenient

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"
)

// What Extract takes.
const (
	MaxSize  = 1 << 20 // bytes of text
	MaxDepth = 64      // brackets within brackets
)

// Faults of a whole text. Others say the line and what is wrong there.
var (
	ErrNone   = errors.New("there is no JSON object or list")
	ErrCutOff = errors.New("the JSON is cut off: its last brackets are not closed")
	ErrSize   = fmt.Errorf("the text is longer than %d bytes", MaxSize)
)

// Extract returns the object or list that text is about, as valid JSON without
// white space between its tokens.
//
// A text may hold several. What stands between ``` fences, unless they name
// another language than JSON, goes before what does not; then an object, or a
// list with one in it, before other lists; then the longest; of equals the
// last. Brackets are prose if what follows them is neither a value nor the
// beginning of one, which a key with its colon is, or a string that is an item.
// If the one that it comes to cannot be read, that is an error: there is no
// second best, and no part of a value is returned for it. One that is not
// closed goes before all others, but for those between fences if it is not.
//
// Read as if they were JSON are: commas before a closing bracket; comments with
// // and /* */; strings and keys between ' ', “ ” or ‘ ’; keys without quotes
// that are a word; True, False and None; raw line ends, tabs and other control
// characters in strings; a backslash that begins no escape, which stays. Bytes
// in a string that are no UTF-8 become U+FFFD. Nothing else in a string changes,
// and numbers stay as they are written.
//
// Errors are all else: brackets that the text ends without closing (ErrCutOff),
// NaN and Infinity, a key that an object has twice, more than MaxDepth brackets,
// more than MaxSize bytes. Errors hold nothing of the text.
//
// Extract takes time in proportion to the text.
func Extract(text string) (json.RawMessage, error) {
	if len(text) > MaxSize {
		return nil, ErrSize
	}
	var best *candidate
	var fence, marked, cut bool
	for pos := 0; pos < len(text); {
		switch c := text[pos]; {
		case strings.HasPrefix(text[pos:], "```"):
			var lang string
			pos, lang = opening(text, pos)
			fence = !fence
			marked = fence && ofJSON(lang)
		case c == '{' || c == '[':
			p := parser{text: text, pos: pos}
			f := p.value()
			cand := &candidate{marked: marked, keyed: p.keyed, size: p.pos - pos, json: p.out}
			if f != nil && !p.evident {
				cut = cut || errors.Is(f.what, ErrCutOff)
				pos = max(pos+1, p.pos)
				continue
			}
			if f != nil {
				end := closing(text, pos)
				if end < 0 || errors.Is(f.what, ErrCutOff) {
					if best != nil && best.marked && !marked {
						return best.take(text)
					}
					return nil, f.in(text)
				}
				cand.size, cand.fault = end-pos, f
				p.pos = max(end, p.pos)
			}
			pos = p.pos
			if best == nil || !best.before(cand) {
				best = cand
			}
		default:
			pos++
		}
	}
	switch {
	case best == nil && cut:
		return nil, ErrCutOff
	case best == nil:
		return nil, ErrNone
	}
	return best.take(text)
}

// A candidate is what a text may be about.
type candidate struct {
	marked bool // between fences
	keyed  bool // a key of an object is in it
	size   int  // bytes of the text
	json   []byte
	fault  *fault // why it cannot be read; nil if it can
}

// before reports whether c is sooner meant than d, which comes after it.
func (c *candidate) before(d *candidate) bool {
	switch {
	case c.marked != d.marked:
		return c.marked
	case c.keyed != d.keyed:
		return c.keyed
	}
	return c.size > d.size
}

func (c *candidate) take(text string) (json.RawMessage, error) {
	if c.fault != nil {
		return nil, c.fault.in(text)
	}
	return c.json, nil
}

// A fault is what is wrong at a place of the text.
type fault struct {
	at   int
	what error
}

func (f *fault) in(text string) error {
	if errors.Is(f.what, ErrCutOff) {
		return f.what
	}
	return fmt.Errorf("line %d: %w", 1+strings.Count(text[:f.at], "\n"), f.what)
}

// opening returns where a fence at pos ends, and the word after it.
func opening(text string, pos int) (end int, lang string) {
	for pos < len(text) && text[pos] == '`' {
		pos++
	}
	end = pos
	for end < len(text) && (text[end]|0x20 >= 'a' && text[end]|0x20 <= 'z' || text[end] >= '0' && text[end] <= '9') {
		end++
	}
	return end, text[pos:end]
}

func ofJSON(lang string) bool {
	switch strings.ToLower(lang) {
	case "", "json", "json5", "jsonc", "jsonl", "javascript", "js":
		return true
	}
	return false
}

// closing returns the place after the bracket that closes the one at pos,
// going by brackets and double quotes alone; -1 if there is none.
func closing(text string, pos int) int {
	depth, quoted := 0, false
	for ; pos < len(text); pos++ {
		switch c := text[pos]; {
		case quoted && c == '\\':
			pos++
		case c == '"':
			quoted = !quoted
		case quoted:
		case c == '{' || c == '[':
			depth++
		case c == '}' || c == ']':
			if depth--; depth == 0 {
				return pos + 1
			}
		}
	}
	return -1
}
