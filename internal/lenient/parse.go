package lenient

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Faults at a place.
var (
	errComma    = errors.New("a comma or a closing bracket is missing; a quote within a string needs a backslash")
	errColon    = errors.New("a colon is missing after a key")
	errKey      = errors.New("a key is missing")
	errValue    = errors.New("a value is missing, or text stands without quotes")
	errNumber   = errors.New("a number is not written as JSON writes it")
	errInfinite = errors.New("NaN and Infinity are no numbers of JSON")
	errTwice    = errors.New("an object has the same key twice")
	errDepth    = fmt.Errorf("more than %d brackets are within one another", MaxDepth)
)

// A parser reads one value from pos, and writes it to out as JSON.
type parser struct {
	text    string
	pos     int
	out     []byte
	depth   int
	evident bool // that it is JSON, or was to be: a key, or a string that is an item, was read
	keyed   bool // a key was read
}

func (p *parser) fault(what error) *fault { return &fault{p.pos, what} }

// next returns the rune at pos and its size; 0 of size 0 where the text, or
// the fence around it, ends.
func (p *parser) next() (rune, int) {
	rest := p.text[p.pos:]
	if strings.HasPrefix(rest, "```") || !utf8.FullRuneInString(rest) {
		return 0, 0
	}
	return utf8.DecodeRuneInString(rest)
}

// space skips white space and comments, and faults at the end of the text.
func (p *parser) space() *fault {
	for {
		r, size := p.next()
		rest := p.text[p.pos:]
		switch {
		case size == 0:
			return p.fault(ErrCutOff)
		case unicode.IsSpace(r) || r == '\ufeff' || r == '\u200b':
			p.pos += size
		case strings.HasPrefix(rest, "//"):
			if n := strings.IndexByte(rest, '\n'); n >= 0 {
				p.pos += n
			} else {
				p.pos = len(p.text)
			}
		case strings.HasPrefix(rest, "/*"):
			if n := strings.Index(rest[2:], "*/"); n >= 0 {
				p.pos += n + 4
			} else {
				p.pos = len(p.text)
			}
		default:
			return nil
		}
	}
}

func (p *parser) value() *fault {
	if f := p.space(); f != nil {
		return f
	}
	r, _ := p.next()
	switch {
	case r == '{':
		return p.within('}', p.member)
	case r == '[':
		return p.within(']', p.item)
	case r == '-' || r >= '0' && r <= '9':
		return p.number()
	case closers(r) != "":
		return p.str()
	}
	start := p.pos
	word := p.word()
	for _, w := range []struct{ word, json string }{
		{"true", "true"}, {"false", "false"}, {"null", "null"},
		{"True", "true"}, {"False", "false"}, {"None", "null"},
	} {
		if word == w.word {
			p.out = append(p.out, w.json...)
			return nil
		}
	}
	if word != "" && p.pos == len(p.text) {
		return p.fault(ErrCutOff)
	}
	p.pos = start
	if word == "NaN" || word == "Infinity" {
		return p.fault(errInfinite)
	}
	return p.fault(errValue)
}

// within reads what stands between brackets, part by part.
func (p *parser) within(end rune, part func(seen map[string]bool) *fault) *fault {
	if p.depth++; p.depth > MaxDepth {
		p.evident = true
		return p.fault(errDepth)
	}
	defer func() { p.depth-- }()
	p.out = append(p.out, p.text[p.pos])
	p.pos++
	var seen map[string]bool
	if end == '}' {
		seen = map[string]bool{}
	}
	for first := true; ; first = false {
		if f := p.space(); f != nil {
			return f
		}
		if r, _ := p.next(); r == end {
			break
		}
		if !first {
			p.out = append(p.out, ',')
		}
		if f := part(seen); f != nil {
			return f
		}
		if f := p.space(); f != nil {
			return f
		}
		if r, _ := p.next(); r == end {
			break
		} else if r != ',' {
			return p.fault(errComma)
		}
		p.pos++
	}
	p.out = append(p.out, byte(end))
	p.pos++
	return nil
}

func (p *parser) item(map[string]bool) *fault {
	r, _ := p.next()
	f := p.value()
	p.evident = p.evident || f == nil && closers(r) != ""
	return f
}

func (p *parser) member(seen map[string]bool) *fault {
	start, from := p.pos, len(p.out)
	if r, _ := p.next(); closers(r) != "" {
		if f := p.str(); f != nil {
			return f
		}
	} else if word := p.word(); word != "" {
		p.out = append(p.out, '"')
		p.out = append(p.out, word...)
		p.out = append(p.out, '"')
	} else {
		return p.fault(errKey)
	}
	var key string
	if err := json.Unmarshal(p.out[from:], &key); err != nil {
		panic(err) // str and word write strings of JSON
	}
	if f := p.space(); f != nil {
		return f
	}
	if r, _ := p.next(); r != ':' {
		return p.fault(errColon)
	}
	p.pos++
	p.evident, p.keyed = true, true
	if seen[key] {
		return &fault{start, errTwice}
	}
	seen[key] = true
	p.out = append(p.out, ':')
	return p.value()
}

// word reads a word, which may be none.
func (p *parser) word() string {
	start := p.pos
	for {
		r, size := p.next()
		inner := p.pos > start && (unicode.IsDigit(r) || r == '-')
		if size == 0 || r == utf8.RuneError || !unicode.IsLetter(r) && r != '_' && r != '$' && !inner {
			return p.text[start:p.pos]
		}
		p.pos += size
	}
}

func (p *parser) number() *fault {
	start := p.pos
	peek := func() byte {
		if p.pos < len(p.text) {
			return p.text[p.pos]
		}
		return 0
	}
	digits := func() (n int) {
		for ; peek() >= '0' && peek() <= '9'; n++ {
			p.pos++
		}
		return n
	}
	bad := func() *fault {
		if p.pos == len(p.text) {
			return p.fault(ErrCutOff)
		}
		return &fault{start, errNumber}
	}
	if peek() == '-' {
		p.pos++
	}
	if strings.HasPrefix(p.text[p.pos:], "Infinity") {
		return &fault{start, errInfinite}
	}
	if peek() == '0' {
		p.pos++
	} else if digits() == 0 {
		return bad()
	}
	if peek() == '.' {
		if p.pos++; digits() == 0 {
			return bad()
		}
	}
	if c := peek(); c == 'e' || c == 'E' {
		p.pos++
		if c := peek(); c == '+' || c == '-' {
			p.pos++
		}
		if digits() == 0 {
			return bad()
		}
	}
	if r, _ := p.next(); unicode.IsLetter(r) || unicode.IsDigit(r) || strings.ContainsRune("._+", r) {
		return bad()
	}
	p.out = append(p.out, p.text[start:p.pos]...)
	return nil
}

// closers returns the quotes that may end a string that r begins; "" if r is
// no quote.
func closers(r rune) string {
	switch r {
	case '"', '\'':
		return string(r)
	case '“', '”':
		return "”"
	case '„':
		return "“”"
	case '‘', '’':
		return "’"
	}
	return ""
}

const hexDigits = "0123456789abcdef"

// str reads a string whose quote is at pos.
func (p *parser) str() *fault {
	r, size := p.next()
	ends := closers(r)
	p.pos += size
	p.out = append(p.out, '"')
	for p.pos < len(p.text) {
		r, size := utf8.DecodeRuneInString(p.text[p.pos:])
		switch {
		case strings.ContainsRune(ends, r):
			p.pos += size
			p.out = append(p.out, '"')
			return nil
		case r == '\\':
			size = p.escape(ends)
		case r == '"':
			p.out = append(p.out, '\\', '"')
		case r < ' ':
			p.control(byte(r))
		default:
			p.out = utf8.AppendRune(p.out, r) // an invalid byte is decoded as U+FFFD
		}
		p.pos += size
	}
	return p.fault(ErrCutOff)
}

// escape writes what a backslash at pos begins, in a string that one of ends
// closes, and returns how many bytes of the text that is.
func (p *parser) escape(ends string) int {
	rest := p.text[p.pos+1:]
	n := 1
	switch {
	case rest == "":
		return 1 // the string is cut off
	case strings.IndexByte(`"\/bfnrt`, rest[0]) >= 0:
		n = 2
	case rest[0] == 'u' && len(rest) > 4 && strings.Trim(rest[1:5], hexDigits+"ABCDEF") == "":
		n = 6
	default:
		if r, size := utf8.DecodeRuneInString(rest); r == '\'' || strings.ContainsRune(ends, r) {
			p.out = utf8.AppendRune(p.out, r)
			return 1 + size
		}
		p.out = append(p.out, '\\')
	}
	p.out = append(p.out, p.text[p.pos:p.pos+n]...)
	return n
}

// control writes a control character.
func (p *parser) control(c byte) {
	switch c {
	case '\n':
		p.out = append(p.out, `\n`...)
	case '\r':
		p.out = append(p.out, `\r`...)
	case '\t':
		p.out = append(p.out, `\t`...)
	default:
		p.out = append(p.out, '\\', 'u', '0', '0', hexDigits[c>>4], hexDigits[c&15])
	}
}
