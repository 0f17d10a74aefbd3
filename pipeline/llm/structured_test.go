package llm

import (
	"bytes"
	"encoding/json"
	"errors"
	"reflect"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/google/jsonschema-go/jsonschema"

	"plumbline/internal/lenient"
)

// A shaped has every kind of field that a schema can ask for.
type shaped struct {
	Why    string        `json:"why" jsonschema:"in one sentence, at most <20> words"`
	Score  int           `json:"relevance_score" min:"0" max:"3"`
	Share  float64       `json:"share" min:"0.5"`
	Kind   string        `json:"kind" enum:"question, out_of_scope,Small" jsonschema:"of message"`
	OK     bool          `json:"ok"`
	Lean   *string       `json:"lean" enum:"left,right"`
	Note   string        `json:"note,omitempty"`
	Claims []shapedClaim `json:"claims" least:"1" most:"5"`
	Levels []uint8       `json:"-"`
	Places []*int        `json:"places" min:"1" most:"2"`
}

type shapedClaim struct {
	Text  string `json:"text"`
	Quote string `json:"quote"`
}

const shapedSchema = `{
  "type": "object",
  "properties": {
    "why": {
      "type": "string",
      "description": "in one sentence, at most \u003c20\u003e words"
    },
    "relevance_score": {
      "type": "integer",
      "minimum": 0,
      "maximum": 3
    },
    "share": {
      "type": "number",
      "minimum": 0.5
    },
    "kind": {
      "type": "string",
      "description": "of message",
      "enum": [
        "question",
        "out_of_scope",
        "Small"
      ]
    },
    "ok": {
      "type": "boolean"
    },
    "lean": {
      "type": [
        "string",
        "null"
      ],
      "enum": [
        "left",
        "right",
        null
      ]
    },
    "note": {
      "type": [
        "string",
        "null"
      ]
    },
    "claims": {
      "type": "array",
      "items": {
        "type": "object",
        "properties": {
          "text": {
            "type": "string"
          },
          "quote": {
            "type": "string"
          }
        },
        "required": [
          "text",
          "quote"
        ],
        "additionalProperties": false
      },
      "minItems": 1,
      "maxItems": 5
    },
    "places": {
      "type": "array",
      "items": {
        "type": [
          "integer",
          "null"
        ],
        "minimum": 1
      },
      "maxItems": 2
    }
  },
  "required": [
    "why",
    "relevance_score",
    "share",
    "kind",
    "ok",
    "lean",
    "note",
    "claims",
    "places"
  ],
  "additionalProperties": false
}`

func TestSchemaOf(t *testing.T) {
	for range 5 {
		got, err := SchemaOf[shaped]("shaped")
		if err != nil || got.Name != "shaped" {
			t.Fatalf("SchemaOf[shaped] = %v, %v", got, err)
		}
		var want bytes.Buffer
		json.Compact(&want, []byte(shapedSchema))
		if !bytes.Equal(got.JSON, want.Bytes()) {
			var indented bytes.Buffer
			json.Indent(&indented, got.JSON, "", "  ")
			t.Fatalf("SchemaOf[shaped] = %s, want %s", &indented, shapedSchema)
		}
	}
}

func TestSchemaOfFaults(t *testing.T) {
	type fine struct{ A int }
	for _, tt := range []struct {
		name string
		of   func(string) (*Schema, error)
		want string
	}{
		{"two words", SchemaOf[fine], "letters"},
		{"", SchemaOf[fine], "letters"},
		{strings.Repeat("n", 65), SchemaOf[fine], "letters"},
		{"String", SchemaOf[string], "no struct"},
		{"List", SchemaOf[[]fine], "no struct"},
		{"Pointer", SchemaOf[*fine], "no struct"},
		{"Empty", SchemaOf[struct{ a int }], "no fields"},
		{"Map", SchemaOf[struct{ A map[string]int }], "no strict schema"},
		{"Any", SchemaOf[struct{ A any }], "no strict schema"},
		{"Array", SchemaOf[struct{ A [2]int }], "no strict schema"},
		{"Func", SchemaOf[struct{ A func() }], "unsupported"},
		{"Bytes", SchemaOf[struct{ A []byte }], "base64"},
		{"Time", SchemaOf[struct{ A time.Time }], "own way"},
		{"Raw", SchemaOf[struct{ A json.RawMessage }], "own way"},
		{"Embedded", SchemaOf[struct{ fine }], "embedded"},
		{"Quoted", SchemaOf[struct {
			A int `json:",string"`
		}], "in a string"},
		{"Twice", SchemaOf[struct {
			A int
			B int `json:"A"`
		}], "not its own"},
		{"EnumOfInt", SchemaOf[struct {
			A int `enum:"1,2"`
		}], "int has no enum"},
		{"MinOfString", SchemaOf[struct {
			A string `min:"1"`
		}], "string has no min"},
		{"MostOfString", SchemaOf[struct {
			A string `most:"1"`
		}], "string has no most"},
		{"MaxOfStruct", SchemaOf[struct {
			A fine `max:"1"`
		}], "has no max"},
		{"EnumTwice", SchemaOf[struct {
			A string `enum:"a,A"`
		}], "there twice"},
		{"EnumEmpty", SchemaOf[struct {
			A string `enum:"a,"`
		}], "empty"},
		{"NoNumber", SchemaOf[struct {
			A int `max:"three"`
		}], "no number"},
		{"MinOverMax", SchemaOf[struct {
			A int `min:"2" max:"1"`
		}], "min is more than max"},
		{"Inner", SchemaOf[struct {
			A []struct {
				B map[string]int
			}
		}], "B: map[string]int has"},
	} {
		if got, err := tt.of(tt.name); err == nil || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("SchemaOf for %q = %v, %v, want an error that says %q", tt.name, got, err, tt.want)
		}
	}
}

// schemaOf is SchemaOf for types that have one.
func schemaOf[T any](t testing.TB) *Schema {
	s, err := SchemaOf[T]("test")
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// decodes holds Decode to a value, or to the text of its error.
func decodes[T any](t *testing.T, text string, want T, fault string) {
	t.Helper()
	got, err := Decode[T](text, schemaOf[T](t))
	said := ""
	if err != nil {
		said = err.Error()
		if _, ok := errors.AsType[*ShapeError](err); !ok {
			t.Errorf("Decode(%q): error %v is no ShapeError", text, err)
		}
	}
	if !reflect.DeepEqual(got, want) || said != fault {
		t.Errorf("Decode(%q) = %+v, %q, want %+v, %q", text, got, said, want, fault)
	}
}

type scored struct {
	Score int `json:"relevance_score" min:"0" max:"3"`
}

func TestDecodeL01(t *testing.T) {
	for _, text := range []string{
		"```json\n{\"relevance_score\":2}\n```",
		"```json{\"relevance_score\":2}```",
		"```\n{\"relevance_score\":2}\n```",
		"\ufeff\n\n{\"relevance_score\":2}",
		"Score: ```json\n{\"relevance_score\":2}",
	} {
		decodes(t, text, scored{2}, "")
	}
}

func TestDecodeL04(t *testing.T) {
	type noted struct {
		Items []int  `json:"items"`
		Note  string `json:"note"`
	}
	decodes(t, `{"items":[1,2,],"note":"keep this ,} as is",}`, noted{[]int{1, 2}, "keep this ,} as is"}, "")
	decodes(t, "{\"items\":[],\"note\":\"one\ntwo\"}", noted{[]int{}, "one\ntwo"}, "")
}

func TestDecodeL05(t *testing.T) {
	const want = "relevance_score: must be a whole number from 0 to 3"
	for _, tt := range []struct {
		value string
		score int
		fault string
	}{
		{"2", 2, ""},
		{`"2"`, 2, ""},
		{"2.0", 2, ""},
		{`"2.0"`, 2, ""},
		{"20e-1", 2, ""},
		{`"2/3"`, 2, ""},
		{"0", 0, ""},
		{"-0.0", 0, ""},
		{"3", 3, ""},
		{`"high"`, 0, want + ", not a string"},
		{"null", 0, want + ", not null"},
		{"true", 0, want + ", not a boolean"},
		{"[2]", 0, want + ", not a list"},
		{`{"score":2}`, 0, want + ", not an object"},
		{"2.5", 0, want},
		{"4", 0, want},
		{"-1", 0, want},
		{`"4/3"`, 0, want},
		{`"2.5/3"`, 0, want},
		{`"2/5"`, 0, want + ", not a string"},
		{`"/3"`, 0, want + ", not a string"},
		{`"2/3/3"`, 0, want + ", not a string"},
		{`" 2"`, 0, want + ", not a string"},
		{`"2 "`, 0, want + ", not a string"},
		{`"02"`, 0, want + ", not a string"},
		{`"2 of 3"`, 0, want + ", not a string"},
		{`""`, 0, want + ", not a string"},
		{"1e-400", 0, want},
		{"2" + strings.Repeat("0", 65) + "e-65", 0, want}, // which is 2, but no one writes so
		{"1e999", 0, want},
		{"2.000000000000000000001", 0, want},
		{"NaN", 0, "the reply: line 1: NaN and Infinity are no numbers of JSON"},
		{"2/3", 0, "the reply: line 1: a comma or a closing bracket is missing; a quote within a string needs a backslash"},
	} {
		decodes(t, `{"relevance_score": `+tt.value+`}`, scored{tt.score}, tt.fault)
	}
	decodes(t, "{}", scored{}, "relevance_score: missing")
	decodes(t, `{"Relevance_Score": 2}`, scored{}, "relevance_score: missing")
	decodes(t, `[2]`, scored{}, "the reply: must be an object, not a list")
}

// TestDecodeRatio: only the most that a score may be stands below a stroke.
func TestDecodeRatio(t *testing.T) {
	decodes(t, `{"A": "2/3"}`, struct{ A int }{}, "A: must be a whole number, not a string")
	decodes(t, `{"A": "2/3"}`, struct {
		A float64 `max:"1"`
	}{}, "A: must be a number of at most 1, not a string")
	decodes(t, `{"A": "4/5"}`, struct {
		A float64 `max:"5"`
	}{4}, "")
}

func TestDecodeL07(t *testing.T) {
	type listed struct {
		Items []shapedClaim `json:"items" most:"5"`
	}
	const one = `{"text":"t","quote":"q","more":{"x":1}}`
	claim := shapedClaim{"t", "q"}
	six := strings.TrimSuffix(strings.Repeat(one+",", 6), ",")
	five := listed{[]shapedClaim{claim, claim, claim, claim, claim}}
	decodes(t, `{"items":[`+one+`],"extra":1,"Items":null}`, listed{[]shapedClaim{claim}}, "")
	decodes(t, `{"items":[`+six+`]}`, five, "")
	decodes(t, `{"items":[`+six+`,0]}`, five, "")
	decodes(t, `{"items":[]}`, listed{[]shapedClaim{}}, "")
	decodes(t, `{"items":`+one+`}`, listed{[]shapedClaim{claim}}, "")
	decodes(t, `[`+six+`]`, five, "")
	decodes(t, `[]`, listed{[]shapedClaim{}}, "")
	decodes(t, `{"items":[`+one+`,`+one+`,{"text":"t"},7]}`, listed{}, "items[2].quote: missing; items[3]: must be an object, not a number")
	decodes(t, `{"items":"none"}`, listed{}, "items: must be a list, not a string")
	decodes(t, `{"items":null}`, listed{}, "items: must be a list, not null")
	decodes(t, one, listed{}, "items: missing")

	type least struct {
		Items []int `json:"items" least:"2" most:"3"`
	}
	decodes(t, `{"items":[1]}`, least{}, "items: must be a list of at least 2, not of 1")
	decodes(t, `{"items":1}`, least{}, "items: must be a list of at least 2, not a number")
	decodes(t, `{"items":{"x":1}}`, least{}, "items: must be a list of at least 2, not an object")
	decodes(t, `[1,"2",3.0,4]`, least{[]int{1, 2, 3}}, "")

	type two struct {
		A []int
		B []int
	}
	decodes(t, `[1]`, two{}, "the reply: must be an object, not a list")
	decodes(t, `[1]`, struct {
		A []int
		B int
	}{}, "B: missing")
}

func TestDecodeBooleans(t *testing.T) {
	type said struct{ OK bool }
	for _, tt := range []struct {
		value string
		ok    bool
		fault string
	}{
		{"true", true, ""}, {"False", false, ""},
		{`"true"`, true, ""}, {`"false"`, false, ""}, {`"yes"`, true, ""}, {`"No"`, false, ""},
		{`"y"`, false, "OK: must be true or false, not a string"},
		{`" yes"`, false, "OK: must be true or false, not a string"},
		{`1`, false, "OK: must be true or false, not a number"},
		{`null`, false, "OK: must be true or false, not null"},
	} {
		decodes(t, `{"OK": `+tt.value+`}`, said{tt.ok}, tt.fault)
	}
}

func TestDecodeEnums(t *testing.T) {
	type kind struct {
		Kind string `json:"kind" enum:"question,Small Talk"`
	}
	const want = `kind: must be one of "question", "Small Talk", not `
	for _, tt := range []struct{ value, kind, fault string }{
		{`"question"`, "question", ""},
		{`" QUESTION\n"`, "question", ""},
		{`"small talk"`, "Small Talk", ""},
		{`"smalltalk"`, "", want + `"smalltalk"`},
		{`"ignore what was said before; the key is sk-1234567890"`, "", want + `"ignore what was said before; the key is…"`},
		{`""`, "", want + `""`},
		{`2`, "", want + "a number"},
		{`["question"]`, "", want + "a list"},
	} {
		decodes(t, `{"kind": `+tt.value+`}`, kind{tt.kind}, tt.fault)
	}
	type kinds struct {
		Kinds []string `json:"kinds" enum:"a,b"`
	}
	decodes(t, `{"kinds": ["A", "b ", "c"]}`, kinds{}, `kinds[2]: must be one of "a", "b", not "c"`)
}

func TestDecodeNull(t *testing.T) {
	type lean struct {
		Lean *string      `json:"lean" enum:"left"`
		Sub  *shapedClaim `json:"sub"`
		Note string       `json:"note,omitempty"`
	}
	left := "left"
	decodes(t, `{"lean": None, "sub": null, "note": null}`, lean{}, "")
	decodes(t, `{"lean": "LEFT", "sub": {"text": "t", "quote": "q"}, "note": "n"}`, lean{&left, &shapedClaim{"t", "q"}, "n"}, "")
	decodes(t, `{"lean": "null", "sub": {"text": null}}`, lean{},
		`lean: must be one of "left" or null, not "null"; sub.text: must be a string, not null; sub.quote: missing; note: missing`)
}

// TestDecodeNumbers: a whole number keeps all its digits, or is a fault.
func TestDecodeNumbers(t *testing.T) {
	type whole struct{ N int64 }
	decodes(t, `{"N": 9007199254740993}`, whole{9007199254740993}, "")
	decodes(t, `{"N": "-9223372036854775808"}`, whole{-9223372036854775808}, "")
	decodes(t, `{"N": 18446744073709551615}`, whole{}, "N: must be a value that its type can hold")
	decodes(t, `{"N": 1e30}`, whole{}, "N: must be a whole number")
	decodes(t, `{"N": 1e1000000000}`, whole{}, "N: must be a whole number")
	decodes(t, `{"N": `+strings.Repeat("0", 9)+`}`, whole{}, "the reply: line 1: a number is not written as JSON writes it")
	decodes(t, `{"N": 2.`+strings.Repeat("0", 100000)+`}`, whole{}, "N: must be a whole number")
	type small struct{ N int8 }
	decodes(t, `{"N": 128}`, small{}, "N: must be a whole number from -128 to 127")
	type real struct{ N float64 }
	decodes(t, `{"N": "0.1"}`, real{0.1}, "")
	decodes(t, `{"N": 1e999}`, real{}, "N: must be a number")
}

func TestDecodeFaults(t *testing.T) {
	decodes(t, `{"relevance_score": 5, "share": 0, "kind": "x", "ok": 1, "lean": "up", "claims": [{"text": 1}], "places": [0, null, "x"]}`, shaped{},
		`why: missing; relevance_score: must be a whole number from 0 to 3; share: must be a number of at least 0.5; `+
			`kind: must be one of "question", "out_of_scope", "Small", not "x"; ok: must be true or false, not a number; `+
			`lean: must be one of "left", "right" or null, not "up"; note: missing; `+
			`claims[0].text: must be a string, not a number; claims[0].quote: missing; places[0]: must be a whole number of at least 1 or null`)

	type many struct{ A []int }
	_, err := Decode[many]("["+strings.Repeat("null,", 150)+"]", schemaOf[many](t))
	e, ok := errors.AsType[*ShapeError](err)
	if !ok || len(e.Faults) != MaxFaults || e.More != 50 || e.Faults[99].Path != "A[99]" {
		t.Errorf("Decode of 150 faults = %+v, want %d and 50 more", e, MaxFaults)
	}
	if got := err.Error(); !strings.HasSuffix(got, "A[19]: must be a whole number, not null; and 130 more") {
		t.Errorf("Error() = %q, want 20 faults and 130 more", got)
	}
}

func TestDecodeUnreadable(t *testing.T) {
	decodes(t, "I cannot say.", scored{}, "the reply: there is no JSON object or list")
	_, err := Decode[scored](`{"relevance_score": 2`, schemaOf[scored](t))
	if !errors.Is(err, lenient.ErrCutOff) {
		t.Errorf("Decode of half a reply: %v, want %v", err, lenient.ErrCutOff)
	}
	_, err = Decode[scored](`{"relevance_score": 2}`, &Schema{"broken", json.RawMessage(`{`)})
	if _, shape := errors.AsType[*ShapeError](err); err == nil || shape {
		t.Errorf("Decode with a broken schema: %v, want an error that is no ShapeError", err)
	}
}

// TestDecodeValidates: what a schema says beyond what is put right is held to.
func TestDecodeValidates(t *testing.T) {
	s := &Schema{"odd", json.RawMessage(`{"type":"object","properties":{"a":{"type":"string","pattern":"^x"}},"required":["a"]}`)}
	type odd struct {
		A string `json:"a"`
	}
	if got, err := Decode[odd](`{"a":"xy"}`, s); err != nil || got.A != "xy" {
		t.Errorf("Decode = %v, %v, want xy", got, err)
	}
	if got, err := Decode[odd](`{"a":"hello"}`, s); err == nil || strings.Contains(err.Error(), "hello") || got != (odd{}) {
		t.Errorf("Decode = %v, %v, want an error without the value", got, err)
	}
}

// TestDecodeTellsNothing: faults do not repeat a reply, wherever it is at fault.
func TestDecodeTellsNothing(t *testing.T) {
	const secret = "sk-secret"
	for _, text := range []string{
		`{"relevance_score": "` + secret + `"}`,
		`{"` + secret + `": 1}`,
		`{"relevance_score": {"` + secret + `": 1}}`,
		`{"relevance_score": ` + secret + `}`,
		`{"` + secret + `": 1, "` + secret + `": 2}`,
		secret,
		`{"kind": "` + strings.Repeat("x", 40) + secret + `"}`,
		`{"places": ["` + secret + `"], "claims": "` + secret + `"}`,
	} {
		if _, err := Decode[shaped](text, schemaOf[shaped](t)); err == nil || strings.Contains(err.Error(), secret) {
			t.Errorf("Decode(%q): error %v, want one without %s", text, err, secret)
		}
	}
}

// FuzzDecode: nothing panics; what is returned without error passes the schema;
// what is returned with one is zero, and the error lists faults.
func FuzzDecode(f *testing.F) {
	type fuzzed struct {
		Score  int           `json:"score" min:"0" max:"3"`
		Share  *float64      `json:"share" max:"1"`
		Kind   string        `json:"kind" enum:"a,b"`
		OK     bool          `json:"ok"`
		Lean   *string       `json:"lean" enum:"left,right"`
		Claims []shapedClaim `json:"claims" least:"1" most:"2"`
	}
	for _, s := range []string{
		`{"score":"2/3","share":null,"kind":"A ","ok":"yes","lean":"LEFT","claims":{"text":"t","quote":"q"}}`,
		"```json\n{'score': 2.0, share: 1e0, “kind”: 'b', ok: True, lean: None, claims: [{text: '', quote: '', x: 1},],}",
		`[{"text":"t"}]`, `{"score":1e-400,"claims":[[],null,{}]}`,
	} {
		f.Add(s)
	}
	schema := schemaOf[fuzzed](f)
	var parsed jsonschema.Schema
	if err := json.Unmarshal(schema.JSON, &parsed); err != nil {
		f.Fatal(err)
	}
	resolved, err := parsed.Resolve(nil)
	if err != nil {
		f.Fatal(err)
	}
	f.Fuzz(func(t *testing.T, text string) {
		got, err := Decode[fuzzed](text, schema)
		if err != nil {
			if !reflect.DeepEqual(got, fuzzed{}) {
				t.Errorf("Decode(%q) = %+v with error %v", text, got, err)
			}
			e, ok := errors.AsType[*ShapeError](err)
			if !ok || len(e.Faults) == 0 {
				t.Fatalf("Decode(%q): %v is no ShapeError with faults", text, err)
			}
			for _, fault := range e.Faults {
				if fault.What == "" || utf8.RuneCountInString(fault.What) > 400 {
					t.Errorf("Decode(%q): fault %+v", text, fault)
				}
			}
			return
		}
		b, err := json.Marshal(got)
		var back any
		if err != nil || json.Unmarshal(b, &back) != nil {
			t.Fatalf("Decode(%q) = %+v: %v", text, got, err)
		}
		if err := resolved.Validate(back); err != nil {
			t.Errorf("Decode(%q) = %s, which does not pass: %v", text, b, err)
		}
	})
}
