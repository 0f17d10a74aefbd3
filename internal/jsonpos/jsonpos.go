// Package jsonpos reads JSON that people write by hand, strictly, and names
// every fault it finds with its file, line, column and path, so that an author
// mends a file once and not once a fault.
//
// Strict means RFC 8259 and I-JSON (RFC 7493) and more: a repeated or unknown
// field, a missing required one, a null, invalid UTF-8, half of a surrogate
// pair, a NUL and anything after the value are faults. Names match in case.
// Nothing in a file makes it panic.
package jsonpos

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"
)

// MaxDepth is how deep objects and lists may nest, MaxValues how many values a
// file may hold, those inside others included.
const (
	MaxDepth  = 64
	MaxValues = 500_000
)

// MaxFaults is how many faults of one file are told; one more says that there
// are others.
const MaxFaults = 500

const moreFaults = "there are more faults than are told"

// A Fault is one thing that is wrong with a file.
type Fault struct {
	File   string
	Path   Path
	Line   int // from 1; 0 for the file as a whole
	Column int // from 1, in code points
	What   string
	Do     string // what would mend it; may be empty
}

// String returns f as one line: file:line:column: path: what; what to do.
func (f Fault) String() string {
	var b strings.Builder
	b.WriteString(f.File)
	if f.Line > 0 {
		fmt.Fprintf(&b, ":%d:%d", f.Line, f.Column)
	}
	if f.Path != "" {
		b.WriteString(": " + string(f.Path))
	}
	b.WriteString(": " + f.What)
	if f.Do != "" {
		b.WriteString("; " + f.Do)
	}
	return b.String()
}

// Lines returns the faults, one a line.
func Lines(faults []Fault) string {
	lines := make([]string, len(faults))
	for i, f := range faults {
		lines[i] = f.String()
	}
	return strings.Join(lines, "\n")
}

// Error makes a Fault an error.
func (f Fault) Error() string { return f.String() }

// Sort puts faults in the order of file, line and column, and otherwise leaves
// them as they were.
func Sort(faults []Fault) {
	slices.SortStableFunc(faults, func(a, b Fault) int {
		if c := strings.Compare(a.File, b.File); c != 0 {
			return c
		}
		if a.Line != b.Line {
			return a.Line - b.Line
		}
		return a.Column - b.Column
	})
}

// A Path leads from the top of a document to a value: $.sections[2].heading.es.
// The empty Path leads nowhere.
type Path string

// Root is the path of the document's own value.
const Root Path = "$"

// Key returns the path of the member called name. A name that is not a plain
// word is quoted: $["one two"].
func (p Path) Key(name string) Path {
	for i, r := range name {
		if !(r == '_' || 'a' <= r && r <= 'z' || 'A' <= r && r <= 'Z' || i > 0 && '0' <= r && r <= '9') {
			return p + Path("["+strconv.Quote(name)+"]")
		}
	}
	if name == "" {
		return p + `[""]`
	}
	return p + Path("."+name)
}

// Index returns the path of element i, counted from 0.
func (p Path) Index(i int) Path { return p + Path("["+strconv.Itoa(i)+"]") }

// Parent returns the path one step up, or a longer way up where a quoted name
// hides the step.
func (p Path) Parent() Path {
	i := strings.LastIndexAny(string(p), ".[")
	if i <= 0 {
		return Root
	}
	return p[:i]
}

// A Document is one file, read. Two goroutines may use it.
type Document struct {
	file  string
	data  []byte
	root  *node // nil if nothing could be read
	whole bool  // the syntax was right to the end
	lines []int // offsets of the starts of lines
	at    map[Path]int
}

// Parse reads one JSON value from data and returns it with the faults of its
// syntax, in order. It mends small slips to go on to the next fault; where it
// cannot, it stops. The Document is never nil, keeps data, and tells positions
// even if there are faults; only one without faults decodes.
func Parse(file string, data []byte) (*Document, []Fault) {
	d := &Document{file: file, data: data, at: make(map[Path]int)}
	p := parser{data: data, doc: d}
	for i, c := range data {
		if c == '\n' {
			d.lines = append(d.lines, i+1)
		}
	}
	d.root = p.document()
	d.whole = len(p.faults) == 0
	return d, p.faults
}

// File returns the name that Parse was given.
func (d *Document) File() string { return d.file }

// Fault returns a fault at the value that path leads to or, if there is no
// such value, at the nearest one that holds it.
func (d *Document) Fault(path Path, what, do string) Fault {
	f := Fault{File: d.file, Path: path, What: what, Do: do}
	f.Line, f.Column = d.Position(path)
	return f
}

// Position returns the line and column, from 1, of the value that path leads
// to or of the nearest one that holds it.
func (d *Document) Position(path Path) (line, column int) {
	for p := path; ; p = p.Parent() {
		if off, ok := d.at[p]; ok {
			return d.position(off)
		}
		if p == Root || p == "" {
			return 1, 1
		}
	}
}

func (d *Document) position(off int) (line, column int) {
	off = min(off, len(d.data))
	line, exact := slices.BinarySearch(d.lines, off)
	if exact {
		line++
	}
	start := 0
	if line > 0 {
		start = d.lines[line-1]
	}
	return line + 1, utf8.RuneCount(d.data[start:off]) + 1
}

// Strings calls f with the path and text of every string value and, with key
// set, of every member's name, in the order of the file.
func (d *Document) Strings(f func(path Path, text string, key bool)) {
	if d.root != nil {
		walk(d.root, Root, f)
	}
}

func walk(n *node, path Path, f func(Path, string, bool)) {
	switch n.kind {
	case '"':
		f(path, n.text, false)
	case '{':
		for _, m := range n.members {
			p := path.Key(m.name)
			f(p, m.name, true)
			walk(m.value, p, f)
		}
	case '[':
		for i, item := range n.items {
			walk(item, path.Index(i), f)
		}
	}
}
