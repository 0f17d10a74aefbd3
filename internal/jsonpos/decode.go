package jsonpos

import (
	"bytes"
	"encoding"
	"encoding/json"
	"fmt"
	"reflect"
	"slices"
	"strconv"
	"strings"
)

// Decode puts the document's value into what v points to and returns every
// fault that stands in the way, in the order of the file. What is faulty is
// left zero. A document whose syntax had faults decodes to nothing, silently:
// Parse has told them.
//
// Structs take the members that their json tags name; a field without
// omitempty or omitzero is required, though it may be empty. Embedded structs
// are not looked into. Types that have UnmarshalText take a text, those that
// have UnmarshalJSON and []byte the raw value. Maps have keys of a string
// type. An interface takes what encoding/json would put there. v must not be
// nil.
func (d *Document) Decode(v any) []Fault {
	if d.root == nil || !d.whole {
		return nil
	}
	dec := decoder{doc: d, fields: make(map[reflect.Type][]field)}
	dec.value(d.root, Root, reflect.ValueOf(v).Elem())
	Sort(dec.faults)
	return dec.faults
}

type decoder struct {
	doc    *Document
	fields map[reflect.Type][]field
	faults []Fault
}

func (d *decoder) fault(off int, path Path, what, do string) {
	switch n := len(d.faults); {
	case n > MaxFaults:
		return
	case n == MaxFaults:
		path, what, do = "", moreFaults, "mend the others first"
	}
	f := Fault{File: d.doc.file, Path: path, What: what, Do: do}
	f.Line, f.Column = d.doc.position(off)
	d.faults = append(d.faults, f)
}

func (d *decoder) value(n *node, path Path, v reflect.Value) {
	if n.kind == 'n' && v.Kind() != reflect.Interface {
		d.fault(n.off, path, "null is not a value here", "write one, or leave the field out")
		return
	}
	if v.Kind() == reflect.Pointer {
		p := reflect.New(v.Type().Elem())
		d.value(n, path, p.Elem())
		v.Set(p)
		return
	}
	if v.CanAddr() {
		switch u := v.Addr().Interface().(type) {
		case encoding.TextUnmarshaler:
			if n.kind != '"' {
				d.wrongType(n, path, "a text")
			} else if err := u.UnmarshalText([]byte(n.text)); err != nil {
				d.fault(n.off, path, err.Error(), "")
			}
			return
		case json.Unmarshaler:
			if err := u.UnmarshalJSON(bytes.Clone(d.doc.data[n.off:n.end])); err != nil {
				d.fault(n.off, path, err.Error(), "")
			}
			return
		}
	}
	d.plain(n, path, v)
}

func (d *decoder) plain(n *node, path Path, v reflect.Value) {
	switch v.Kind() {
	case reflect.String:
		if d.is(n, '"', path, "a text") {
			v.SetString(n.text)
		}
	case reflect.Bool:
		if n.kind != 't' && n.kind != 'f' {
			d.wrongType(n, path, "true or false")
			return
		}
		v.SetBool(n.kind == 't')
	case reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64:
		if d.is(n, '0', path, "a whole number") {
			i, err := strconv.ParseInt(n.text, 10, v.Type().Bits())
			d.number(n, path, err)
			v.SetInt(i)
		}
	case reflect.Uint, reflect.Uint8, reflect.Uint16, reflect.Uint32, reflect.Uint64:
		if d.is(n, '0', path, "a whole number") {
			i, err := strconv.ParseUint(n.text, 10, v.Type().Bits())
			d.number(n, path, err)
			v.SetUint(i)
		}
	case reflect.Float32, reflect.Float64:
		if d.is(n, '0', path, "a number") {
			f, err := strconv.ParseFloat(n.text, v.Type().Bits())
			d.number(n, path, err)
			v.SetFloat(f)
		}
	case reflect.Slice:
		d.slice(n, path, v)
	case reflect.Map:
		d.mapping(n, path, v)
	case reflect.Struct:
		if d.is(n, '{', path, "an object") {
			d.structure(n, path, v)
		}
	case reflect.Interface:
		if x := reflect.ValueOf(n.generic()); x.IsValid() && x.Type().AssignableTo(v.Type()) {
			v.Set(x)
		}
	default:
		d.fault(n.off, path, "nothing can be written here", "leave it out")
	}
}

func (d *decoder) slice(n *node, path Path, v reflect.Value) {
	if v.Type().Elem().Kind() == reflect.Uint8 {
		v.SetBytes(bytes.Clone(d.doc.data[n.off:n.end]))
		return
	}
	if !d.is(n, '[', path, "a list") {
		return
	}
	s := reflect.MakeSlice(v.Type(), len(n.items), len(n.items))
	for i, item := range n.items {
		d.value(item, path.Index(i), s.Index(i))
	}
	v.Set(s)
}

func (d *decoder) mapping(n *node, path Path, v reflect.Value) {
	if !d.is(n, '{', path, "an object") {
		return
	}
	if v.Type().Key().Kind() != reflect.String {
		d.fault(n.off, path, "nothing can be written here", "leave it out")
		return
	}
	m := reflect.MakeMapWithSize(v.Type(), len(n.members))
	for _, member := range n.members {
		elem := reflect.New(v.Type().Elem()).Elem()
		d.value(member.value, path.Key(member.name), elem)
		m.SetMapIndex(reflect.ValueOf(member.name).Convert(v.Type().Key()), elem)
	}
	v.Set(m)
}

func (d *decoder) structure(n *node, path Path, v reflect.Value) {
	fields, ok := d.fields[v.Type()]
	if !ok {
		fields = fieldsOf(v.Type())
		d.fields[v.Type()] = fields
	}
	given := make(map[string]bool)
	for _, m := range n.members {
		i := slices.IndexFunc(fields, func(f field) bool { return f.name == m.name })
		if i < 0 {
			d.fault(m.off, path.Key(m.name), fmt.Sprintf("%q is not a field", m.name), suggest(m.name, fields))
			continue
		}
		given[m.name] = true
		d.value(m.value, path.Key(m.name), v.Field(fields[i].index))
	}
	for _, f := range fields {
		if f.required && !given[f.name] {
			d.fault(n.off, path.Key(f.name), fmt.Sprintf("%q is missing", f.name), "")
		}
	}
}

func (d *decoder) is(n *node, kind byte, path Path, want string) bool {
	if n.kind != kind {
		d.wrongType(n, path, want)
	}
	return n.kind == kind
}

func (d *decoder) wrongType(n *node, path Path, want string) {
	d.fault(n.off, path, fmt.Sprintf("%s is expected, not %s", want, kindNames[n.kind]), "")
}

// number reports why a number does not fit.
func (d *decoder) number(n *node, path Path, err error) {
	switch {
	case err == nil:
	case strings.ContainsAny(n.text, ".eE") && !strings.Contains(err.Error(), "range"):
		d.fault(n.off, path, fmt.Sprintf("a whole number is expected, not %.40s", n.text), "")
	default:
		d.fault(n.off, path, fmt.Sprintf("%.40s is out of range", n.text), "")
	}
}

// generic is the value that encoding/json would make of n.
func (n *node) generic() any {
	switch n.kind {
	case '"':
		return n.text
	case 't', 'f':
		return n.kind == 't'
	case '0':
		f, _ := strconv.ParseFloat(n.text, 64)
		return f
	case '[':
		list := make([]any, len(n.items))
		for i, item := range n.items {
			list[i] = item.generic()
		}
		return list
	case '{':
		object := make(map[string]any, len(n.members))
		for _, m := range n.members {
			object[m.name] = m.value.generic()
		}
		return object
	}
	return nil
}

// A field is a struct field as JSON sees it.
type field struct {
	name     string
	index    int
	required bool
}

func fieldsOf(t reflect.Type) []field {
	var fields []field
	for i := range t.NumField() {
		f := t.Field(i)
		tag := f.Tag.Get("json")
		if !f.IsExported() || f.Anonymous || tag == "-" {
			continue
		}
		name, options, _ := strings.Cut(tag, ",")
		if name == "" {
			name = f.Name
		}
		opts := strings.Split(options, ",")
		fields = append(fields, field{name, i, !slices.Contains(opts, "omitempty") && !slices.Contains(opts, "omitzero")})
	}
	return fields
}

// suggest returns what may have been meant by name.
func suggest(name string, fields []field) string {
	names := make([]string, len(fields))
	for i, f := range fields {
		names[i] = f.name
	}
	if near := Nearest(name, names); near != "" {
		return fmt.Sprintf("did you mean %q?", near)
	}
	return "the fields are " + strings.Join(names, ", ")
}

// Nearest returns the name that a slip of the pen may have turned into the one
// given, or "" if none is near.
func Nearest(name string, names []string) string {
	if len(name) > maxName {
		return ""
	}
	best, dist := "", 1+max(1, len(name)/3)
	for _, n := range names {
		if d := distance(strings.ToLower(name), strings.ToLower(n)); d < dist {
			best, dist = n, d
		}
	}
	return best
}

// maxName is the longest name that distance looks into.
const maxName = 64

// distance counts the bytes to insert, delete, replace or swap with their
// neighbour that make b of a.
func distance(a, b string) int {
	if len(a) > maxName || len(b) > maxName {
		return maxName
	}
	var before, row, next [maxName + 1]int
	for j := range len(b) + 1 {
		row[j] = j
	}
	for i := 1; i <= len(a); i++ {
		next[0] = i
		for j := 1; j <= len(b); j++ {
			cost := 1
			if a[i-1] == b[j-1] {
				cost = 0
			}
			next[j] = min(row[j]+1, next[j-1]+1, row[j-1]+cost)
			if i > 1 && j > 1 && a[i-1] == b[j-2] && a[i-2] == b[j-1] {
				next[j] = min(next[j], before[j-2]+1)
			}
		}
		before, row = row, next
	}
	return row[len(b)]
}
