package llmtest

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
)

// The limits of structured outputs, as documented.
const (
	maxProperties = 5000
	maxLevels     = 10
	maxEnum       = 1000
	maxStrings    = 120000
	longEnum      = 250 // of more strings than these
	maxLongEnum   = 15000
)

var (
	keywords = []string{
		"type", "properties", "required", "additionalProperties", "items", "anyOf", "enum", "const", "title",
		"description", "$ref", "$defs", "definitions", "pattern", "format", "multipleOf", "minimum", "maximum",
		"exclusiveMinimum", "exclusiveMaximum", "minItems", "maxItems",
	}
	types   = []string{"string", "number", "boolean", "integer", "object", "array", "null"}
	formats = []string{"date-time", "time", "date", "duration", "email", "hostname", "ipv4", "ipv6", "uuid"}
)

// A strictness is one reading of a schema under strict: true.
type strictness struct {
	root                         node
	properties, enumerated, size int
}

// A node is one schema.
type node map[string]json.RawMessage

// strictSchema says in OpenAI's words what structured outputs do not take in a
// schema; nothing if they take it.
func strictSchema(raw json.RawMessage) string {
	var root node
	json.Unmarshal(raw, &root)
	if typ := root.types(); !slices.Equal(typ, []string{"object"}) || root["anyOf"] != nil {
		told := "None"
		if len(typ) > 0 {
			told = typ[0]
		}
		return fmt.Sprintf(`schema must be a JSON Schema of 'type: "object"', got 'type: "%s"'.`, told)
	}
	delete(root, "$schema")
	s := &strictness{root: root}
	if wrong := s.check(root, nil, 0); wrong != "" {
		return wrong
	}
	switch {
	case s.properties > maxProperties:
		return fmt.Sprintf("%d properties exceeds limit of %d.", s.properties, maxProperties)
	case s.enumerated > maxEnum:
		return fmt.Sprintf("%d enum values exceeds limit of %d.", s.enumerated, maxEnum)
	case s.size > maxStrings:
		return fmt.Sprintf("%d characters in names and values exceeds limit of %d.", s.size, maxStrings)
	}
	return ""
}

func (n node) types() []string {
	var one string
	if json.Unmarshal(n["type"], &one) == nil {
		return []string{one}
	}
	var many []string
	json.Unmarshal(n["type"], &many)
	return many
}

// inContext tells what is wrong at a place, which it writes as Python writes a tuple.
func inContext(at []string, wrong string) string {
	var steps []string
	for _, step := range at {
		steps = append(steps, "'"+step+"'")
	}
	return fmt.Sprintf("In context=(%s), %s", strings.Join(steps, ", "), wrong)
}

func (s *strictness) check(n node, at []string, level int) string {
	names := make([]string, 0, len(n))
	for name := range n {
		names = append(names, name)
	}
	slices.Sort(names)
	for _, name := range names {
		if !slices.Contains(keywords, name) {
			return inContext(at, "'"+name+"' is not permitted.")
		}
	}
	if n["$ref"] != nil {
		return s.checkRef(n, at)
	}
	typ := n.types()
	for _, one := range typ {
		if !slices.Contains(types, one) {
			return inContext(at, fmt.Sprintf("'%s' is not a valid type.", one))
		}
	}
	if len(typ) == 0 && n["anyOf"] == nil {
		return inContext(at, "schema must have a 'type' key.")
	}
	if wrong := s.checkValues(n, at); wrong != "" {
		return wrong
	}
	if slices.Contains(typ, "object") || n["properties"] != nil {
		if level++; level > maxLevels {
			return fmt.Sprintf("%d levels of nesting exceeds limit of %d.", level, maxLevels)
		}
		if wrong := checkObject(n, at); wrong != "" {
			return wrong
		}
	}
	if slices.Contains(typ, "array") && n["items"] == nil {
		return inContext(at, "array schema missing items.")
	}
	return s.checkBelow(n, at, level)
}

// checkBelow checks the schemas in a schema.
func (s *strictness) checkBelow(n node, at []string, level int) string {
	for _, name := range []string{"properties", "$defs", "definitions"} {
		from := level
		if name != "properties" {
			from = 0
		}
		all := members(n[name])
		for _, key := range keysOf(n[name]) {
			if name == "properties" {
				s.properties++
			}
			s.size += len(key)
			if wrong := s.checkRaw(all[key], place(at, name, key), from); wrong != "" {
				return wrong
			}
		}
	}
	if n["items"] != nil {
		if wrong := s.checkRaw(n["items"], place(at, "items"), level); wrong != "" {
			return wrong
		}
	}
	var options []json.RawMessage
	json.Unmarshal(n["anyOf"], &options)
	for i, one := range options {
		if wrong := s.checkRaw(one, place(at, "anyOf", fmt.Sprint(i)), level); wrong != "" {
			return wrong
		}
	}
	return ""
}

func (s *strictness) checkRaw(raw json.RawMessage, at []string, level int) string {
	var n node
	if json.Unmarshal(raw, &n) != nil || n == nil {
		return inContext(at, fmt.Sprintf("%s is not of type 'object', 'boolean'.", raw))
	}
	return s.check(n, at, level)
}

func (s *strictness) checkRef(n node, at []string) string {
	for name := range n {
		if name != "$ref" && name != "$defs" && name != "definitions" {
			return inContext(at, fmt.Sprintf("$ref cannot have keywords {'%s'}.", name))
		}
	}
	var ref string
	json.Unmarshal(n["$ref"], &ref)
	if resolve(s.root, ref) == nil {
		return inContext(at, fmt.Sprintf("reference to component '%s' which was not found in the schema.", ref))
	}
	return ""
}

func (s *strictness) checkValues(n node, at []string) string {
	var format string
	if n["format"] != nil && (json.Unmarshal(n["format"], &format) != nil || !slices.Contains(formats, format)) {
		return inContext(at, fmt.Sprintf("'%s' is not a valid format.", format))
	}
	var values []json.RawMessage
	json.Unmarshal(n["enum"], &values)
	if n["enum"] != nil && len(values) == 0 {
		return inContext(at, "enum cannot be empty.")
	}
	size := 0
	for _, value := range append(values, n["const"]) {
		size += len(value)
	}
	s.enumerated += len(values)
	s.size += size
	if len(values) > longEnum && size > maxLongEnum {
		return inContext(at, fmt.Sprintf("enum values of %d characters exceed limit of %d.", size, maxLongEnum))
	}
	return ""
}

func checkObject(n node, at []string) string {
	if string(n["additionalProperties"]) != "false" {
		return inContext(at, "'additionalProperties' is required to be supplied and to be false.")
	}
	var required []string
	json.Unmarshal(n["required"], &required)
	properties := keysOf(n["properties"])
	const must = "'required' is required to be supplied and to be an array including every key in properties."
	for _, name := range properties {
		if !slices.Contains(required, name) {
			return inContext(at, must+" Missing '"+name+"'.")
		}
	}
	for _, name := range required {
		if !slices.Contains(properties, name) {
			return inContext(at, must+" Extra required key '"+name+"' supplied.")
		}
	}
	return ""
}

// convertible refuses what llama.cpp cannot make a grammar of: a type that it
// does not know.
func convertible(raw json.RawMessage) *fault {
	var n node
	json.Unmarshal(raw, &n)
	for _, typ := range n.types() {
		if !slices.Contains(types, typ) {
			return bad("JSON schema conversion failed:\nUnrecognized schema: "+string(raw), "", "")
		}
	}
	for _, key := range keysOf(n["properties"]) {
		if f := convertible(members(n["properties"])[key]); f != nil {
			return f
		}
	}
	if n["items"] != nil {
		return convertible(n["items"])
	}
	return nil
}

// resolve returns the schema to which a reference points, nil if to none.
func resolve(root node, ref string) node {
	if ref == "#" {
		return root
	}
	path := strings.Split(ref, "/")
	if len(path) != 3 || path[0] != "#" || path[1] != "$defs" && path[1] != "definitions" {
		return nil
	}
	var n node
	json.Unmarshal(members(root[path[1]])[path[2]], &n)
	return n
}

// members returns what an object holds.
func members(object json.RawMessage) (all map[string]json.RawMessage) {
	json.Unmarshal(object, &all)
	return all
}

// keysOf returns the keys of an object as they stand in it.
func keysOf(object json.RawMessage) (keys []string) {
	d := json.NewDecoder(bytes.NewReader(object))
	if token, err := d.Token(); err != nil || token != json.Delim('{') {
		return nil
	}
	for d.More() {
		token, err := d.Token()
		if err != nil {
			return keys
		}
		var value json.RawMessage
		if d.Decode(&value) != nil {
			return keys
		}
		keys = append(keys, token.(string))
	}
	return keys
}

func place(at []string, steps ...string) []string {
	return append(slices.Clone(at), steps...)
}
