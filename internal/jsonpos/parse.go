package jsonpos

import (
	"fmt"
	"unicode/utf16"
	"unicode/utf8"
)

// A node is a value of a document and where it stands.
type node struct {
	kind     byte   // { [ " 0 t f n
	off, end int    // its bytes
	text     string // of a string, decoded; of a number, as written
	members  []member
	items    []*node
}

type member struct {
	name  string
	off   int
	value *node
}

// kindNames says what a value is, in words.
var kindNames = map[byte]string{'{': "an object", '[': "a list", '"': "a text", '0': "a number", 't': "true", 'f': "false", 'n': "null"}

type parser struct {
	data   []byte
	pos    int
	values int
	doc    *Document
	faults []Fault
	ended  bool // nothing after this can be made sense of
}

func (p *parser) fault(off int, path Path, what, do string) {
	switch n := len(p.faults); {
	case n < MaxFaults:
		f := Fault{File: p.doc.file, Path: path, What: what, Do: do}
		f.Line, f.Column = p.doc.position(off)
		p.faults = append(p.faults, f)
	case n == MaxFaults:
		f := Fault{File: p.doc.file, What: moreFaults, Do: "mend the others first"}
		f.Line, f.Column = p.doc.position(off)
		p.faults = append(p.faults, f)
		p.ended = true
	}
}

func (p *parser) stop(off int, path Path, what, do string) {
	if !p.ended {
		p.fault(off, path, what, do)
	}
	p.ended = true
}

func (p *parser) document() *node {
	const bom = "\ufeff"
	if len(p.data) >= len(bom) && string(p.data[:len(bom)]) == bom {
		p.fault(0, "", "the file begins with a byte order mark", "save it as UTF-8 without one")
		p.pos = len(bom)
	}
	p.space()
	if p.pos == len(p.data) {
		p.stop(0, "", "the file is empty", "write a JSON value")
		return nil
	}
	root := p.value(Root, 0)
	p.space()
	if !p.ended && p.pos < len(p.data) {
		p.stop(p.pos, "", "there is more after the end of the value", "delete it")
	}
	return root
}

func (p *parser) space() {
	for p.pos < len(p.data) {
		switch p.data[p.pos] {
		case ' ', '\t', '\r', '\n':
			p.pos++
		default:
			return
		}
	}
}

// peek returns the next byte, 0 at the end.
func (p *parser) peek() byte {
	if p.pos < len(p.data) {
		return p.data[p.pos]
	}
	return 0
}

func (p *parser) value(path Path, depth int) *node {
	n := &node{off: p.pos, kind: 'n'}
	if p.values++; p.values > MaxValues {
		p.stop(p.pos, path, fmt.Sprintf("the file holds more than %d values", MaxValues), "split it")
		return n
	}
	if _, ok := p.doc.at[path]; !ok {
		p.doc.at[path] = p.pos
	}
	switch c := p.peek(); {
	case c == '{', c == '[':
		if depth == MaxDepth {
			p.stop(p.pos, path, fmt.Sprintf("it nests more than %d deep", MaxDepth), "")
			break
		}
		n.kind = c
		if c == '{' {
			p.object(n, path, depth)
		} else {
			p.list(n, path, depth)
		}
	case c == '"':
		n.kind = '"'
		n.text = p.string(path)
	case c == '-', '0' <= c && c <= '9', c == '+', c == '.':
		n.kind = '0'
		n.text = p.number(path)
	case c == 't' && p.word("true"), c == 'f' && p.word("false"), c == 'n' && p.word("null"):
		n.kind = c
	default:
		p.notValue(path)
	}
	n.end = p.pos
	return n
}

func (p *parser) word(w string) bool {
	end := p.pos + len(w)
	if end > len(p.data) || string(p.data[p.pos:end]) != w || end < len(p.data) && isWord(p.data[end]) {
		return false
	}
	p.pos = end
	return true
}

// notValue reports what stands where a value should.
func (p *parser) notValue(path Path) {
	const want = "a value is expected"
	if p.pos >= len(p.data) {
		p.stop(p.pos, path, "the file ends in the middle", "is it cut short?")
		return
	}
	switch c := p.data[p.pos]; {
	case c == ',', c == ']', c == '}', c == ':':
		p.fault(p.pos, path, want+fmt.Sprintf(" before %q", c), "") // goes on at c
	case c == '\'':
		p.stop(p.pos, path, "a text begins with '", `put texts in "`)
	case isWord(c):
		off := p.pos
		for p.pos < len(p.data) && isWord(p.data[p.pos]) {
			p.pos++
		}
		p.fault(off, path, fmt.Sprintf("%.40q is not a JSON value", p.data[off:p.pos]), `put texts in "`)
	default:
		p.stop(p.pos, path, want+", not "+p.describe(), "")
	}
}

// describe quotes the character at the position.
func (p *parser) describe() string {
	r, n := utf8.DecodeRune(p.data[p.pos:])
	if r == utf8.RuneError && n <= 1 {
		return fmt.Sprintf("the byte 0x%02x", p.data[p.pos])
	}
	if p.data[p.pos] == '/' {
		return `"/": JSON has no comments`
	}
	return fmt.Sprintf("%q", string(r))
}

func isWord(c byte) bool {
	return c == '_' || '0' <= c && c <= '9' || 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z'
}

func (p *parser) object(n *node, path Path, depth int) {
	seen := make(map[string]int)
	p.pos++
	for first := true; !p.ended; first = false {
		if p.next('}', path, first) {
			return
		}
		if p.ended {
			return
		}
		if p.peek() != '"' {
			p.stop(p.pos, path, `a field name in " is expected, not `+p.describe(), "")
			return
		}
		off := p.pos
		name := p.string(path)
		at := path.Key(name)
		if p.ended {
			return
		}
		if before, ok := seen[name]; ok {
			line, _ := p.doc.position(before)
			p.fault(off, at, fmt.Sprintf("%q stands twice, first in line %d", name, line), "keep one")
		} else {
			seen[name] = off
		}
		p.space()
		if p.peek() == ':' {
			p.pos++
		} else if p.pos == len(p.data) {
			p.stop(p.pos, at, "the file ends in the middle", "is it cut short?")
			return
		} else {
			p.fault(p.pos, at, fmt.Sprintf("a colon is missing after %q", name), "")
		}
		p.space()
		n.members = append(n.members, member{name, off, p.value(at, depth+1)})
	}
}

func (p *parser) list(n *node, path Path, depth int) {
	p.pos++
	for first := true; !p.ended; first = false {
		if p.next(']', path, first) || p.ended {
			return
		}
		n.items = append(n.items, p.value(path.Index(len(n.items)), depth+1))
	}
}

// next goes to the next member or element, past the comma before it unless it
// is the first, and reports whether the object or list ends instead.
func (p *parser) next(end byte, path Path, first bool) bool {
	p.space()
	off := p.pos
	comma := false
	if !first && p.peek() == ',' {
		comma = true
		p.pos++
		p.space()
	}
	switch c := p.peek(); {
	case p.pos == len(p.data):
		p.stop(p.pos, path, "the file ends in the middle", "is it cut short?")
	case c == end:
		if comma {
			p.fault(off, path, fmt.Sprintf("a comma stands before %q", c), "delete it")
		}
		p.pos++
		return true
	case c == ']' || c == '}':
		p.stop(p.pos, path, fmt.Sprintf("%q is expected, not %q", end, c), "")
	case c == ',':
		p.fault(p.pos, path, "a comma stands without a value before it", "delete it")
		for c := p.peek(); c == ','; c = p.peek() {
			p.pos++
			p.space()
		}
		return p.next(end, path, true)
	case !first && !comma && (c == '"' || c == '{' || c == '[' || isWord(c) || c == '-'):
		p.fault(off, path, "a comma is missing", "")
	case !first && !comma:
		p.stop(p.pos, path, fmt.Sprintf("a comma or %q is expected, not %s", end, p.describe()), "")
	}
	return false
}

// string reads the string at the position.
func (p *parser) string(path Path) string {
	start := p.pos
	p.pos++
	var out []byte
	var badUTF8, control bool
	for p.pos < len(p.data) {
		switch c := p.data[p.pos]; {
		case c == '"':
			p.pos++
			return string(out)
		case c == '\\':
			out = p.escape(out, path)
		case c < 0x20:
			if !control {
				p.fault(p.pos, path, fmt.Sprintf("the control character %U stands in a text", c), `is a " missing?`)
				control = true
			}
			p.pos++
		case c < utf8.RuneSelf:
			out = append(out, c)
			p.pos++
		default:
			r, n := utf8.DecodeRune(p.data[p.pos:])
			if r == utf8.RuneError && n == 1 && !badUTF8 {
				p.fault(p.pos, path, fmt.Sprintf("the byte 0x%02x is not UTF-8", c), "save the file as UTF-8")
				badUTF8 = true
			}
			out = utf8.AppendRune(out, r)
			p.pos += n
		}
		if p.ended {
			return string(out)
		}
	}
	p.stop(start, path, `a text has no closing "`, "is the file cut short?")
	return string(out)
}

var escapes = map[byte]byte{'"': '"', '\\': '\\', '/': '/', 'b': '\b', 'f': '\f', 'n': '\n', 'r': '\r', 't': '\t'}

// escape appends what the escape at the position stands for.
func (p *parser) escape(out []byte, path Path) []byte {
	start := p.pos
	p.pos++
	if p.pos == len(p.data) {
		return out
	}
	c := p.data[p.pos]
	if plain, ok := escapes[c]; ok {
		p.pos++
		return append(out, plain)
	}
	if c != 'u' {
		p.fault(start, path, `a \ stands before `+p.describe()+`, which needs none`, `write \\ for a backslash`)
		return append(out, '\\')
	}
	r, ok := p.hex(start)
	if !ok {
		p.fault(start, path, `\u needs four hexadecimal digits`, "")
		return out
	}
	p.pos = start + 6
	if r == 0 {
		p.fault(start, path, "a NUL stands in a text", "delete it")
		return out
	}
	if !utf16.IsSurrogate(r) {
		return utf8.AppendRune(out, r)
	}
	if low, ok := p.hex(p.pos); ok {
		if both := utf16.DecodeRune(r, low); both != utf8.RuneError {
			p.pos += 6
			return utf8.AppendRune(out, both)
		}
	}
	p.fault(start, path, "half of a surrogate pair stands in a text", "write the character itself")
	return out
}

// hex reads \uXXXX at off.
func (p *parser) hex(off int) (rune, bool) {
	if off+6 > len(p.data) || p.data[off] != '\\' || p.data[off+1] != 'u' {
		return 0, false
	}
	var r rune
	for _, c := range p.data[off+2 : off+6] {
		switch {
		case '0' <= c && c <= '9':
			r = r<<4 | rune(c-'0')
		case 'a' <= c && c <= 'f':
			r = r<<4 | rune(c-'a'+10)
		case 'A' <= c && c <= 'F':
			r = r<<4 | rune(c-'A'+10)
		default:
			return 0, false
		}
	}
	return r, true
}

// number reads the number at the position and returns it as written.
func (p *parser) number(path Path) string {
	start := p.pos
	for p.pos < len(p.data) && (isWord(p.data[p.pos]) || p.data[p.pos] == '.' || p.data[p.pos] == '+' || p.data[p.pos] == '-') {
		p.pos++
	}
	text := string(p.data[start:p.pos])
	if !isNumber(text) {
		p.fault(start, path, fmt.Sprintf("%.40q is not a JSON number", text), `put texts in "`)
		return "0"
	}
	return text
}

// isNumber reports whether s is a number of RFC 8259, section 6.
func isNumber(s string) bool {
	digits := func() bool {
		n := 0
		for n < len(s) && '0' <= s[n] && s[n] <= '9' {
			n++
		}
		s = s[n:]
		return n > 0
	}
	if s != "" && s[0] == '-' {
		s = s[1:]
	}
	if s != "" && s[0] == '0' {
		s = s[1:]
	} else if !digits() {
		return false
	}
	if s != "" && s[0] == '.' {
		s = s[1:]
		if !digits() {
			return false
		}
	}
	if s != "" && (s[0] == 'e' || s[0] == 'E') {
		s = s[1:]
		if s != "" && (s[0] == '+' || s[0] == '-') {
			s = s[1:]
		}
		if !digits() {
			return false
		}
	}
	return s == ""
}
