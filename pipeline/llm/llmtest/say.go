package llmtest

import (
	"encoding/json"
	"math"
	"slices"
	"strings"
)

// Sentence is what the model says if it is asked for prose.
const Sentence = "This is a reply of the model, and it says é and 水 in passing."

// Say is what the model says if nobody tells it: something valid for the schema
// if there is one, else an empty object for json_object, else Sentence.
func Say(r Request) string {
	switch {
	case r.Schema != nil:
		return Fill(r.Schema)
	case r.Format == "json_object":
		return "{}"
	}
	return Sentence
}

// Fill returns JSON that is valid for a schema, properties in its order. Patterns
// are not looked at.
func Fill(schema json.RawMessage) string {
	var root node
	json.Unmarshal(schema, &root)
	return root.fill(root, 0)
}

// deep is where a schema that holds itself is cut short.
const deep = 5

func (n node) fill(root node, depth int) string {
	if depth > 10*deep {
		return "null" // no value is valid
	}
	if n["$ref"] != nil {
		var ref string
		json.Unmarshal(n["$ref"], &ref)
		return resolve(root, ref).fill(root, depth+1)
	}
	if n["const"] != nil {
		return string(n["const"])
	}
	var values []json.RawMessage
	if json.Unmarshal(n["enum"], &values); len(values) > 0 {
		return string(values[0])
	}
	var options []node
	if json.Unmarshal(n["anyOf"], &options); len(options) > 0 {
		null := slices.IndexFunc(options, func(o node) bool { return slices.Contains(o.types(), "null") })
		if depth > deep && null >= 0 {
			return "null"
		}
		return options[0].fill(root, depth+1)
	}
	typ := "object"
	if all := n.types(); len(all) > 0 {
		if typ = all[0]; depth > deep && slices.Contains(all, "null") {
			typ = "null"
		}
	}
	switch typ {
	case "string":
		return n.text()
	case "number", "integer":
		return n.number()
	case "boolean":
		return "true"
	case "null":
		return "null"
	case "array":
		return n.list(root, depth)
	}
	var b strings.Builder
	all := members(n["properties"])
	for i, key := range keysOf(n["properties"]) {
		if i > 0 {
			b.WriteString(",")
		}
		var below node
		json.Unmarshal(all[key], &below)
		b.Write(encode(key))
		b.WriteString(":" + below.fill(root, depth+1))
	}
	return "{" + b.String() + "}"
}

func (n node) list(root node, depth int) string {
	var least int
	json.Unmarshal(n["minItems"], &least)
	count := max(least, 1)
	if most := n.limit("maxItems", 1); depth > deep || most < 1 {
		count = least
	}
	var items node
	json.Unmarshal(n["items"], &items)
	all := make([]string, count)
	for i := range all {
		all[i] = items.fill(root, depth+1)
	}
	return "[" + strings.Join(all, ",") + "]"
}

func (n node) text() string {
	var format string
	json.Unmarshal(n["format"], &format)
	text := map[string]string{
		"date-time": "2026-11-30T09:00:00Z", "date": "2026-11-30", "time": "09:00:00Z", "duration": "PT1H",
		"email": "desk@example.org", "hostname": "example.org", "ipv4": "192.0.2.1", "ipv6": "2001:db8::1",
		"uuid": "00000000-0000-4000-8000-000000000000",
	}[format]
	if text == "" {
		text = "text"
		for len(text) < int(n.limit("minLength", 0)) {
			text += " text"
		}
		text = text[:min(len(text), int(n.limit("maxLength", float64(len(text)))))]
	}
	return string(encode(text))
}

// number returns the least number that is not below 1, if 1 will do.
func (n node) number() string {
	v := max(1, n.limit("minimum", 1), n.limit("exclusiveMinimum", 0)+1)
	v = min(v, n.limit("maximum", v), n.limit("exclusiveMaximum", v+1)-1)
	if step := n.limit("multipleOf", 0); step > 0 {
		v = math.Ceil(v/step) * step
	}
	return string(encode(v))
}

func (n node) limit(name string, none float64) float64 {
	if v := none; n[name] != nil && json.Unmarshal(n[name], &v) == nil {
		return v
	}
	return none
}
