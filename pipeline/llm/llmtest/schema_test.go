package llmtest

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
)

// object is a strict object with one property.
func object(property string) string {
	return `{"type":"object","additionalProperties":false,"required":["a"],"properties":{"a":` + property + `}}`
}

func nest(levels int) string {
	schema := `{"type":"string"}`
	for range levels {
		schema = object(schema)
	}
	return schema
}

// wide is an object with n properties of one more schema each.
func wide(n int, name string) string {
	var names, properties []string
	for i := range n {
		key := fmt.Sprintf("%s%d", name, i)
		names = append(names, `"`+key+`"`)
		properties = append(properties, `"`+key+`":{"type":"string"}`)
	}
	return `{"type":"object","additionalProperties":false,"required":[` + strings.Join(names, ",") + `],"properties":{` + strings.Join(properties, ",") + `}}`
}

func enum(n, length int) string {
	var values []string
	for i := range n {
		values = append(values, fmt.Sprintf(`"%0*d"`, length-2, i))
	}
	return object(`{"type":"string","enum":[` + strings.Join(values, ",") + `]}`)
}

func TestStrictSchema(t *testing.T) {
	const props = "In context=('properties', 'a'), "
	for _, tt := range []struct{ name, schema, want string }{
		{"Good", object(`{"type":["string","null"],"description":"x","enum":["b",null],"title":"A"}`), ""},
		{"Constraints", object(`{"type":"array","minItems":1,"maxItems":5,"items":{"type":"integer","minimum":0,"maximum":9,"multipleOf":3}}`), ""},
		{"AnyOf", object(`{"anyOf":[{"type":"string","format":"date","pattern":"x"},{"type":"null"}]}`), ""},
		{"Ref", `{"$schema":"x","type":"object","additionalProperties":false,"required":["a"],"properties":{"a":{"$ref":"#/$defs/b"}},"$defs":{"b":{"type":"string"}}}`, ""},
		{"RefRoot", object(`{"anyOf":[{"$ref":"#"},{"type":"null"}]}`), ""},
		{"Levels", nest(10), ""},
		{"LevelsInDefs", `{"type":"object","additionalProperties":false,"$defs":{"b":` + nest(10) + `}}`, ""},
		{"Properties", wide(5000, ""), ""},
		{"Enum", enum(1000, 15), ""},

		{"RootArray", `{"type":"array","items":{"type":"string"}}`, `schema must be a JSON Schema of 'type: "object"', got 'type: "array"'.`},
		{"RootAnyOf", `{"anyOf":[{"type":"string"}]}`, `got 'type: "None"'.`},
		{"RootNone", `{}`, `got 'type: "None"'.`},
		{"Missing", ``, `got 'type: "None"'.`},
		{"Additional", `{"type":"object","properties":{},"required":[]}`, "In context=(), 'additionalProperties' is required to be supplied and to be false."},
		{"AdditionalTrue", `{"type":"object","properties":{},"required":[],"additionalProperties":true}`, "In context=(), 'additionalProperties'"},
		{"AdditionalBelow", object(`{"type":"object","properties":{}}`), props + "'additionalProperties'"},
		{"AdditionalInItems", object(`{"type":"array","items":{"type":"object"}}`), "In context=('properties', 'a', 'items'), 'additionalProperties'"},
		{"AdditionalInAnyOf", object(`{"anyOf":[{"type":"null"},{"type":"object"}]}`), "In context=('properties', 'a', 'anyOf', '1'), 'additionalProperties'"},
		{"AdditionalInDefs", `{"type":"object","additionalProperties":false,"$defs":{"b":{"type":"object"}}}`, "In context=('$defs', 'b'), 'additionalProperties'"},
		{"AdditionalNullable", object(`{"type":["object","null"]}`), props + "'additionalProperties'"},
		{"Required", `{"type":"object","additionalProperties":false,"properties":{"a":{"type":"string"},"b":{"type":"string"}},"required":["a"]}`, "In context=(), 'required' is required to be supplied and to be an array including every key in properties. Missing 'b'."},
		{"NoRequired", `{"type":"object","additionalProperties":false,"properties":{"a":{"type":"string"}}}`, "Missing 'a'."},
		{"RequiredExtra", `{"type":"object","additionalProperties":false,"properties":{},"required":["x"]}`, "Extra required key 'x' supplied."},
		{"NoType", object(`{"description":"x"}`), props + "schema must have a 'type' key."},
		{"EnumWithoutType", object(`{"enum":["x"]}`), props + "schema must have a 'type' key."},
		{"OtherType", object(`{"type":"text"}`), props + "'text' is not a valid type."},
		{"NoItems", object(`{"type":"array"}`), props + "array schema missing items."},
		{"TrueSchema", object(`true`), props + "true is not of type"},
		{"Format", object(`{"type":"string","format":"uri"}`), props + "'uri' is not a valid format."},
		{"EmptyEnum", object(`{"type":"string","enum":[]}`), props + "enum cannot be empty."},
		{"RefNowhere", object(`{"$ref":"#/$defs/x"}`), props + "reference to component '#/$defs/x'"},
		{"RefElsewhere", object(`{"$ref":"https://example.org/x"}`), props + "reference to component"},
		{"RefDeep", object(`{"$ref":"#/properties/a"}`), props + "reference to component"},
		{"RefShort", object(`{"$ref":"#/$defs"}`), props + "reference to component"},
		{"RefWithMore", `{"type":"object","additionalProperties":false,"required":["a"],"properties":{"a":{"$ref":"#","description":"x"}}}`, props + "$ref cannot have keywords {'description'}."},
		{"ElevenLevels", nest(11), "11 levels of nesting exceeds limit of 10."},
		{"ManyProperties", wide(5001, ""), "5001 properties exceeds limit of 5000."},
		{"ManyValues", enum(1001, 4), "1001 enum values exceeds limit of 1000."},
		{"LongEnum", enum(251, 60), props + "enum values of 15060 characters exceed limit of 15000."},
		{"LongNames", wide(1300, strings.Repeat("n", 100)), "exceeds limit of 120000."},
	} {
		t.Run(tt.name, func(t *testing.T) {
			got := strictSchema(json.RawMessage(tt.schema))
			if tt.want == "" && got != "" || !strings.Contains(got, tt.want) {
				t.Errorf("strictSchema(%.200s) = %q, want %q", tt.schema, got, tt.want)
			}
		})
	}
	for _, word := range []string{
		"allOf", "oneOf", "not", "if", "then", "else", "default", "examples", "minLength", "maxLength", "uniqueItems", "prefixItems",
		"patternProperties", "minProperties", "maxProperties", "propertyNames", "contains", "dependentRequired", "$id", "nullable",
	} {
		schema := object(`{"type":"string","` + word + `":1}`)
		if got, want := strictSchema(json.RawMessage(schema)), props+"'"+word+"' is not permitted."; got != want {
			t.Errorf("strictSchema(%s) = %q, want %q", schema, got, want)
		}
	}
}

func TestFill(t *testing.T) {
	for _, tt := range []struct{ schema, want string }{
		{`{"type":"object","properties":{"b":{"type":"string"},"a":{"type":"integer"},"c":{"type":"boolean"}}}`, `{"b":"text","a":1,"c":true}`},
		{`{"type":"object","properties":{"a":{"type":"string","enum":["x","y"]},"b":{"type":"string","const":"z"}}}`, `{"a":"x","b":"z"}`},
		{`{"type":["string","null"]}`, `"text"`},
		{`{"type":"array","minItems":2,"items":{"type":"number","minimum":3}}`, `[3,3]`},
		{`{"type":"array","maxItems":0,"items":{"type":"number"}}`, `[]`},
		{`{"type":"integer","maximum":0}`, `0`},
		{`{"type":"integer","exclusiveMaximum":1}`, `0`},
		{`{"type":"integer","exclusiveMinimum":4}`, `5`},
		{`{"type":"integer","minimum":4,"multipleOf":3}`, `6`},
		{`{"type":"string","format":"date"}`, `"2026-11-30"`},
		{`{"type":"string","minLength":6}`, `"text text"`},
		{`{"type":"string","maxLength":2}`, `"te"`},
		{`{"anyOf":[{"type":"null"},{"type":"string"}]}`, `null`},
		{`{"$ref":"#/$defs/a","$defs":{"a":{"type":"boolean"}}}`, `true`},
		{`{}`, `{}`},
	} {
		if got := Fill(json.RawMessage(tt.schema)); got != tt.want {
			t.Errorf("Fill(%s) = %s, want %s", tt.schema, got, tt.want)
		}
	}
	// A schema that holds itself comes to an end.
	for _, property := range []string{`{"anyOf":[{"$ref":"#"},{"type":"null"}]}`, `{"type":"array","items":{"$ref":"#"}}`, `{"$ref":"#"}`} {
		if got := Fill(json.RawMessage(object(property))); !json.Valid([]byte(got)) {
			t.Errorf("Fill(%s) = %s, want JSON", object(property), got)
		}
	}
}
