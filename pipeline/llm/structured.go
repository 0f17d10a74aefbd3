package llm

import (
	"bytes"
	"encoding"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"math/big"
	"reflect"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/google/jsonschema-go/jsonschema"

	"plumbline/internal/lenient"
)

var schemaName = regexp.MustCompile(`^[a-zA-Z0-9_-]{1,64}$`)

// SchemaOf returns the schema of replies that [Decode] reads into a T, which is
// a struct. It is what OpenAI's strict mode takes: every property is required
// and there are no others, in the order of the fields. A pointer, and a field
// with omitempty or omitzero, may be null. The same T gives the same bytes.
//
// A field holds a bool, number, string, struct, or a slice of or pointer to
// such. Tags of fields say more; on a list, enum, min and max are of its items:
//
//	jsonschema:"what it is"  description
//	enum:"a,b"               the only values of a string
//	min:"0" max:"3"          of a number
//	least:"1" most:"5"       of items; Decode cuts a longer list
//
// The error says what no schema of that kind can say.
func SchemaOf[T any](name string) (*Schema, error) {
	t := reflect.TypeFor[T]()
	if !schemaName.MatchString(name) {
		return nil, fmt.Errorf("schema %q: a name is up to 64 letters, digits, _ and -", name)
	}
	if t.Kind() != reflect.Struct {
		return nil, fmt.Errorf("schema %s: %v is no struct", name, t)
	}
	s, err := jsonschema.ForType(t, nil)
	if err != nil {
		return nil, fmt.Errorf("schema %s: %w", name, err)
	}
	if err := strict(s, t, nil, false); err != nil {
		return nil, fmt.Errorf("schema %s: %w", name, err)
	}
	b, err := json.Marshal(s)
	if err != nil {
		return nil, fmt.Errorf("schema %s: %w", name, err)
	}
	return &Schema{Name: name, JSON: b}, nil
}

// ourTags are those that SchemaOf reads.
var ourTags = []string{"enum", "min", "max", "least", "most"}

// strict makes the schema inferred of t a strict one. tags are those of the
// field; null says that its value may be null.
func strict(s *jsonschema.Schema, t reflect.Type, tags map[string]string, null bool) error {
	for ; t.Kind() == reflect.Pointer; t = t.Elem() {
		null = true
	}
	if p := reflect.PointerTo(t); p.Implements(reflect.TypeFor[json.Unmarshaler]()) || p.Implements(reflect.TypeFor[encoding.TextUnmarshaler]()) {
		return fmt.Errorf("%v reads JSON in its own way", t)
	}
	kind := ""
	var err error
	switch k := t.Kind(); k {
	case reflect.Bool:
		kind = "boolean"
	case reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64,
		reflect.Uint, reflect.Uint8, reflect.Uint16, reflect.Uint32, reflect.Uint64:
		kind = "integer"
		err = bounds(tags, "min", "max", &s.Minimum, &s.Maximum, func(s string) (float64, error) { return strconv.ParseFloat(s, 64) })
	case reflect.Float32, reflect.Float64:
		kind = "number"
		err = bounds(tags, "min", "max", &s.Minimum, &s.Maximum, func(s string) (float64, error) { return strconv.ParseFloat(s, 64) })
	case reflect.String:
		kind = "string"
		s.Enum, err = enum(tags)
	case reflect.Slice:
		if t.Elem().Kind() == reflect.Uint8 {
			return fmt.Errorf("%v is base64 in JSON", t)
		}
		kind = "array"
		if err = bounds(tags, "least", "most", &s.MinItems, &s.MaxItems, strconv.Atoi); err == nil {
			err = strict(s.Items, t.Elem(), tags, false)
			tags = nil
		}
	case reflect.Struct:
		kind = "object"
		err = strictFields(s, t)
	default:
		return fmt.Errorf("%v has no strict schema", t)
	}
	if err != nil {
		return err
	}
	for name := range tags {
		return fmt.Errorf("%v has no %s", t, name)
	}
	s.Type, s.Types = kind, nil
	if null {
		s.Type, s.Types = "", []string{kind, "null"}
		if s.Enum != nil {
			s.Enum = append(s.Enum, nil)
		}
	}
	return nil
}

func strictFields(s *jsonschema.Schema, t reflect.Type) error {
	s.Required = nil
	for f := range t.Fields() {
		wrong := func(err error) error { return fmt.Errorf("%v.%s: %w", t, f.Name, err) }
		name, options, more := strings.Cut(f.Tag.Get("json"), ",")
		if f.Anonymous {
			return wrong(errors.New("fields of embedded structs are not looked for"))
		}
		if !f.IsExported() || name == "-" && !more {
			continue
		}
		if name == "" {
			name = f.Name
		}
		if slices.Contains(s.Required, name) || s.Properties[name] == nil {
			return wrong(fmt.Errorf("name %q is not its own", name))
		}
		tags := map[string]string{}
		for _, key := range ourTags {
			if v, ok := f.Tag.Lookup(key); ok {
				tags[key] = v
			}
		}
		null := false
		for o := range strings.SplitSeq(options, ",") {
			if o == "string" {
				return wrong(errors.New("a value in a string is not asked for"))
			}
			null = null || o == "omitempty" || o == "omitzero"
		}
		if err := strict(s.Properties[name], f.Type, tags, null); err != nil {
			return wrong(err)
		}
		s.Required = append(s.Required, name)
	}
	if len(s.Required) == 0 {
		return fmt.Errorf("%v has no fields", t)
	}
	return nil
}

// bounds takes two tags out of tags.
func bounds[N int | float64](tags map[string]string, low, high string, lowest, highest **N, parse func(string) (N, error)) error {
	for _, b := range []struct {
		key string
		to  **N
	}{{low, lowest}, {high, highest}} {
		text, ok := tags[b.key]
		if !ok {
			continue
		}
		delete(tags, b.key)
		n, err := parse(text)
		if err != nil {
			return fmt.Errorf("%s %q is no number", b.key, text)
		}
		*b.to = &n
	}
	if *lowest != nil && *highest != nil && **lowest > **highest {
		return fmt.Errorf("%s is more than %s", low, high)
	}
	return nil
}

// enum takes the tag enum out of tags.
func enum(tags map[string]string) ([]any, error) {
	text, ok := tags["enum"]
	if !ok {
		return nil, nil
	}
	delete(tags, "enum")
	var values []any
	seen := map[string]bool{}
	for v := range strings.SplitSeq(text, ",") {
		v = strings.TrimSpace(v)
		if v == "" || seen[strings.ToLower(v)] {
			return nil, fmt.Errorf("enum %q has a value that is empty or, but for its case, there twice", text)
		}
		seen[strings.ToLower(v)] = true
		values = append(values, v)
	}
	return values, nil
}

// MaxFaults is how many faults a ShapeError lists.
const MaxFaults = 100

// A ShapeError says what a reply would have to be. Its words can be told to the
// model. They hold none of the reply's own but up to 40 characters of each value
// that should have been one of a few.
type ShapeError struct {
	Faults []ShapeFault // at least one, in the order of the schema
	More   int          // faults beyond MaxFaults
	err    error
}

// A ShapeFault is one thing that is wrong with a reply.
type ShapeFault struct {
	Path string // claims[2].quote; empty for the reply as a whole
	What string // missing
}

// Error implements error. It tells the first 20 faults.
func (e *ShapeError) Error() string {
	const most = 20
	var b strings.Builder
	for i, f := range e.Faults[:min(most, len(e.Faults))] {
		if i > 0 {
			b.WriteString("; ")
		}
		if f.Path == "" {
			f.Path = "the reply"
		}
		b.WriteString(f.Path + ": " + f.What)
	}
	if n := len(e.Faults) - most + e.More; n > 0 {
		fmt.Fprintf(&b, "; and %d more", n)
	}
	return b.String()
}

// Unwrap returns the error of [lenient.Extract], if it is that.
func (e *ShapeError) Unwrap() error { return e.err }

// Decode reads a reply that s, the SchemaOf a T, was asked of. What it returns
// passes the schema once the following is put right, which nothing else is:
//
//   - what [lenient.Extract] does to get at the JSON
//   - a number in a string, or there as 2/3 where 3 is the most: 2
//   - 2.0 for a whole number
//   - true, false, yes or no in a string, in any case
//   - a value of an enum in another case, or with space around it
//   - an object where a list of objects is asked for: a list of one
//   - in place of the whole object, the list that is its only one
//   - a key that is not asked for: left out
//   - a list that is too long: cut
//
// A missing key is a fault even if null may stand there. If the reply is at
// fault the error is a *ShapeError and the T is zero.
func Decode[T any](text string, s *Schema) (T, error) {
	var got, none T
	schema := new(jsonschema.Schema)
	if err := json.Unmarshal(s.JSON, schema); err != nil {
		return none, fmt.Errorf("schema %s: %w", s.Name, err)
	}
	resolved, err := schema.Resolve(nil)
	if err != nil {
		return none, fmt.Errorf("schema %s: %w", s.Name, err)
	}
	raw, err := lenient.Extract(text)
	if err != nil {
		return none, &ShapeError{Faults: []ShapeFault{{What: err.Error()}}, err: err}
	}
	f := new(fitting)
	b := f.fit(raw, schema)
	if len(f.faults) > 0 {
		return none, &ShapeError{Faults: f.faults, More: f.more}
	}
	var value any
	if err := json.Unmarshal(b, &value); err != nil || resolved.Validate(value) != nil {
		return none, &ShapeError{Faults: []ShapeFault{{What: "must be as the schema says"}}}
	}
	if err := json.Unmarshal(b, &got); err != nil {
		fault := ShapeFault{What: "must be as the schema says"}
		if e, ok := errors.AsType[*json.UnmarshalTypeError](err); ok {
			fault = ShapeFault{e.Field, "must be a value that its type can hold"}
		}
		return none, &ShapeError{Faults: []ShapeFault{fault}}
	}
	return got, nil
}

// A fitting is one value being made to fit a schema.
type fitting struct {
	faults []ShapeFault
	more   int
}

func (f *fitting) fault(path, what string) {
	if len(f.faults) == MaxFaults {
		f.more++
		return
	}
	f.faults = append(f.faults, ShapeFault{path, what})
}

// fit returns raw, which is valid JSON, as the schema asks for it. Without
// faults that is valid JSON too.
func (f *fitting) fit(raw []byte, s *jsonschema.Schema) []byte {
	d := json.NewDecoder(bytes.NewReader(raw))
	d.UseNumber()
	var v any
	if err := d.Decode(&v); err != nil {
		f.fault("", "must be valid JSON")
		return nil
	}
	if list, ok := v.([]any); ok && kindOf(s) == "object" {
		var lists []string
		for name, p := range s.Properties {
			if kindOf(p) == "array" {
				lists = append(lists, name)
			}
		}
		if len(lists) == 1 {
			v = map[string]any{lists[0]: list}
		}
	}
	b, err := json.Marshal(f.value(v, s, ""))
	if err != nil {
		f.fault("", "must be valid JSON")
	}
	return b
}

func (f *fitting) value(v any, s *jsonschema.Schema, path string) any {
	kind := kindOf(s)
	if v == nil && slices.Contains(s.Types, "null") || kind == "" {
		return v
	}
	switch kind {
	case "object":
		if m, ok := v.(map[string]any); ok {
			return f.object(m, s, path)
		}
	case "array":
		list, ok := v.([]any)
		if _, one := v.(map[string]any); one && s.Items != nil && kindOf(s.Items) == "object" {
			list, ok = []any{v}, true
		}
		if ok {
			return f.list(list, s, path)
		}
	case "string":
		if text, ok := v.(string); ok {
			return f.text(text, s, path)
		}
	case "boolean":
		switch v := v.(type) {
		case bool:
			return v
		case string:
			switch strings.ToLower(v) {
			case "true", "yes":
				return true
			case "false", "no":
				return false
			}
		}
	case "integer", "number":
		switch v := v.(type) {
		case json.Number:
			return f.number(string(v), s, path)
		case string:
			n, of, ratio := strings.Cut(v, "/")
			if ratio && (s.Maximum == nil || of != strconv.FormatFloat(*s.Maximum, 'f', -1, 64)) {
				break
			}
			if isNumber(n) {
				return f.number(n, s, path)
			}
		}
	}
	f.fault(path, "must be "+wanted(s)+", not "+named(v))
	return nil
}

func (f *fitting) object(m map[string]any, s *jsonschema.Schema, path string) any {
	if path != "" {
		path += "."
	}
	names := slices.Clone(s.Required)
	for _, name := range slices.Sorted(maps.Keys(s.Properties)) {
		if !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	fitted := map[string]any{}
	for i, name := range names {
		v, ok := m[name]
		p := s.Properties[name]
		switch {
		case !ok && i < len(s.Required):
			f.fault(path+name, "missing")
		case ok && p != nil:
			fitted[name] = f.value(v, p, path+name)
		case ok:
			fitted[name] = v
		}
	}
	return fitted
}

func (f *fitting) list(list []any, s *jsonschema.Schema, path string) any {
	if s.MaxItems != nil && len(list) > *s.MaxItems {
		list = list[:*s.MaxItems]
	}
	if s.MinItems != nil && len(list) < *s.MinItems {
		f.fault(path, "must be "+wanted(s)+", not of "+strconv.Itoa(len(list)))
	}
	fitted := make([]any, len(list)) // never nil, which would be null
	for i, v := range list {
		if s.Items != nil {
			v = f.value(v, s.Items, path+"["+strconv.Itoa(i)+"]")
		}
		fitted[i] = v
	}
	return fitted
}

func (f *fitting) text(text string, s *jsonschema.Schema, path string) any {
	if s.Enum == nil || slices.Contains(s.Enum, any(text)) {
		return text
	}
	for _, e := range s.Enum {
		if e, ok := e.(string); ok && strings.EqualFold(e, strings.TrimSpace(text)) {
			return e
		}
	}
	quoted := []rune(text)
	if len(quoted) > 40 {
		quoted = append(quoted[:39:39], '…')
	}
	f.fault(path, fmt.Sprintf("must be %s, not %q", wanted(s), string(quoted)))
	return nil
}

// number takes text as a number, which it is by its look.
func (f *fitting) number(text string, s *jsonschema.Schema, path string) any {
	n, err := strconv.ParseFloat(text, 64)
	fits := err == nil && (s.Minimum == nil || n >= *s.Minimum) && (s.Maximum == nil || n <= *s.Maximum)
	if fits && kindOf(s) == "integer" {
		text, fits = whole(text)
	}
	if !fits {
		f.fault(path, "must be "+wanted(s))
		return nil
	}
	return json.Number(text)
}

// whole returns a number's digits, if it is whole and of 64 bits.
func whole(text string) (string, bool) {
	if _, exponent, ok := strings.Cut(strings.ToLower(text), "e"); ok {
		if n, err := strconv.Atoi(exponent); err != nil || n < -64 || n > 64 {
			return "", false
		}
	}
	if len(text) > 100 {
		return "", false // it would take long to read
	}
	r, ok := new(big.Rat).SetString(text)
	if !ok || !r.IsInt() || !r.Num().IsInt64() && !r.Num().IsUint64() {
		return "", false
	}
	return r.Num().String(), true
}

// isNumber reports whether text is a number of JSON and nothing else.
func isNumber(text string) bool {
	return strings.Trim(text, "+-.0123456789eE") == "" && json.Valid([]byte(text))
}

// kindOf returns the type that a schema asks for beside null; "" if it leaves
// that open.
func kindOf(s *jsonschema.Schema) string {
	kinds := slices.DeleteFunc(slices.Clone(s.Types), func(t string) bool { return t == "null" })
	if len(kinds) == 1 {
		return kinds[0]
	}
	return s.Type
}

// wanted says in words what a schema asks for.
func wanted(s *jsonschema.Schema) string {
	var words string
	switch kind := kindOf(s); {
	case s.Enum != nil:
		var values []string
		for _, e := range s.Enum {
			if e, ok := e.(string); ok {
				values = append(values, strconv.Quote(e))
			}
		}
		words = "one of " + strings.Join(values, ", ")
	case kind == "object":
		words = "an object"
	case kind == "array" && s.MinItems != nil:
		words = fmt.Sprintf("a list of at least %d", *s.MinItems)
	case kind == "array":
		words = "a list"
	case kind == "boolean":
		words = "true or false"
	case kind == "integer":
		words = "a whole number" + within(s)
	case kind == "number":
		words = "a number" + within(s)
	default:
		words = "a string"
	}
	if slices.Contains(s.Types, "null") {
		words += " or null"
	}
	return words
}

// within says between what a number must be.
func within(s *jsonschema.Schema) string {
	show := func(f *float64) string { return strconv.FormatFloat(*f, 'f', -1, 64) }
	switch {
	case s.Minimum != nil && s.Maximum != nil:
		return " from " + show(s.Minimum) + " to " + show(s.Maximum)
	case s.Minimum != nil:
		return " of at least " + show(s.Minimum)
	case s.Maximum != nil:
		return " of at most " + show(s.Maximum)
	}
	return ""
}

// named says what a value is, without telling it.
func named(v any) string {
	switch v.(type) {
	case nil:
		return "null"
	case bool:
		return "a boolean"
	case string:
		return "a string"
	case []any:
		return "a list"
	case map[string]any:
		return "an object"
	}
	return "a number"
}
