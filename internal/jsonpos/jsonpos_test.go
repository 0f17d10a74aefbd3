package jsonpos

import (
	"encoding/json"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"
)

// lines renders faults as Parse and Decode return them.
func lines(faults []Fault) []string {
	var out []string
	for _, f := range faults {
		out = append(out, f.String())
	}
	return out
}

func TestParseFaults(t *testing.T) {
	for _, tt := range []struct {
		name, text string
		want       []string
	}{
		{"Right", `{"a":[1,-2.5e+3,0,true,false,null,"x\u00e9\ud83d\ude00\n"]}`, nil},
		{"Space", " \t\r\n{ }\n", nil},
		{"Empty", "", []string{"f:1:1: the file is empty; write a JSON value"}},
		{"OnlySpace", " \n", []string{"f:1:1: the file is empty; write a JSON value"}},
		{"Mark", "\ufeff{}", []string{"f:1:1: the file begins with a byte order mark; save it as UTF-8 without one"}},
		{"Trailing", "{}\n{}", []string{"f:2:1: there is more after the end of the value; delete it"}},
		{"CutInObject", "{\n  \"a\": 1", []string{"f:2:9: $: the file ends in the middle; is it cut short?"}},
		{"CutAfterName", `{"a"`, []string{"f:1:5: $.a: the file ends in the middle; is it cut short?"}},
		{"CutBeforeValue", `{"a":`, []string{"f:1:6: $.a: the file ends in the middle; is it cut short?"}},
		{"CutInText", `["abc`, []string{`f:1:2: $[0]: a text has no closing "; is the file cut short?`}},
		{"CutInEscape", `["abc\`, []string{`f:1:2: $[0]: a text has no closing "; is the file cut short?`}},
		{"CommaBeforeEnd", `{"a":[1,],}`, []string{
			"f:1:8: $.a: a comma stands before ']'; delete it",
			"f:1:10: $: a comma stands before '}'; delete it"}},
		{"CommaMissing", "[1 2 \"x\"]", []string{"f:1:4: $: a comma is missing", "f:1:6: $: a comma is missing"}},
		{"CommaTwice", "[1,,2]", []string{"f:1:4: $: a comma stands without a value before it; delete it"}},
		{"CommaFirst", "[,1]", []string{"f:1:2: $: a comma stands without a value before it; delete it"}},
		{"ColonMissing", `{"a" 1}`, []string{`f:1:6: $.a: a colon is missing after "a"`}},
		{"ValueMissing", `{"a":,"b":}`, []string{
			"f:1:6: $.a: a value is expected before ','", "f:1:11: $.b: a value is expected before '}'"}},
		{"WrongEnd", `{"a":[1}`, []string{"f:1:8: $.a: ']' is expected, not '}'"}},
		{"NameBare", `{a:1}`, []string{`f:1:2: $: a field name in " is expected, not "a"`}},
		{"SingleQuotes", `['a']`, []string{`f:1:2: $[0]: a text begins with '; put texts in "`}},
		{"Comment", "[1, // one\n2]", []string{`f:1:5: $[1]: a value is expected, not "/": JSON has no comments`}},
		{"Words", `[True, nulls, None]`, []string{
			`f:1:2: $[0]: "True" is not a JSON value; put texts in "`,
			`f:1:8: $[1]: "nulls" is not a JSON value; put texts in "`,
			`f:1:15: $[2]: "None" is not a JSON value; put texts in "`}},
		{"Numbers", `[01, 1., .5, +1, 1e, -, 0x10, 1.2.3]`, []string{
			`f:1:2: $[0]: "01" is not a JSON number; put texts in "`,
			`f:1:6: $[1]: "1." is not a JSON number; put texts in "`,
			`f:1:10: $[2]: ".5" is not a JSON number; put texts in "`,
			`f:1:14: $[3]: "+1" is not a JSON number; put texts in "`,
			`f:1:18: $[4]: "1e" is not a JSON number; put texts in "`,
			`f:1:22: $[5]: "-" is not a JSON number; put texts in "`,
			`f:1:25: $[6]: "0x10" is not a JSON number; put texts in "`,
			`f:1:31: $[7]: "1.2.3" is not a JSON number; put texts in "`}},
		{"Twice", "{\"a\":1,\n \"b\":2,\n \"a\":3}", []string{`f:3:2: $.a: "a" stands twice, first in line 1; keep one`}},
		{"TwiceWhenDecoded", `{"a":1,"\u0061":2}`, []string{`f:1:8: $.a: "a" stands twice, first in line 1; keep one`}},
		{"NotUTF8", "[\"é\xff\xfe\", \"\x93\"]", []string{
			"f:1:4: $[0]: the byte 0xff is not UTF-8; save the file as UTF-8",
			"f:1:10: $[1]: the byte 0x93 is not UTF-8; save the file as UTF-8"}},
		{"NUL", `["\u0000", "a` + "\x00" + `"]`, []string{
			"f:1:3: $[0]: a NUL stands in a text; delete it",
			`f:1:14: $[1]: the control character U+0000 stands in a text; is a " missing?`}},
		{"NewlineInText", "[\"a\nb\",\n1]", []string{`f:1:4: $[0]: the control character U+000A stands in a text; is a " missing?`}},
		{"Surrogates", `["\ud83d", "\ude00x", "\ud83d\u0041"]`, []string{
			"f:1:3: $[0]: half of a surrogate pair stands in a text; write the character itself",
			"f:1:13: $[1]: half of a surrogate pair stands in a text; write the character itself",
			"f:1:24: $[2]: half of a surrogate pair stands in a text; write the character itself"}},
		{"Escapes", `["\q", "\é", "\u12g4", "\u1"]`, []string{
			`f:1:3: $[0]: a \ stands before "q", which needs none; write \\ for a backslash`,
			`f:1:9: $[1]: a \ stands before "é", which needs none; write \\ for a backslash`,
			`f:1:15: $[2]: \u needs four hexadecimal digits`,
			`f:1:25: $[3]: \u needs four hexadecimal digits`}},
		{"QuotedPath", `{"a b":{"":[x]}}`, []string{`f:1:13: $["a b"][""][0]: "x" is not a JSON value; put texts in "`}},
		{"ColumnsCountCodePoints", "{\"ñandú\": x}", []string{`f:1:11: $["ñandú"]: "x" is not a JSON value; put texts in "`}},
		{"CRLF", "{\r\n\"a\": x\r\n}", []string{`f:2:6: $.a: "x" is not a JSON value; put texts in "`}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			_, faults := Parse("f", []byte(tt.text))
			if got := lines(faults); !slices.Equal(got, tt.want) {
				t.Errorf("Parse(%q) faults:\n%s\nwant:\n%s", tt.text, strings.Join(got, "\n"), strings.Join(tt.want, "\n"))
			}
		})
	}
}

func TestParseLimits(t *testing.T) {
	deep := func(n int) string { return strings.Repeat("[", n) + strings.Repeat("]", n) }
	many := func(n int) string { return "[" + strings.Repeat("0,", n-1) + "0]" }
	for _, tt := range []struct{ name, text, want string }{
		{"DeepEnough", deep(MaxDepth), ""},
		{"TooDeep", deep(MaxDepth + 1), "it nests more than 64 deep"},
		{"FarTooDeep", strings.Repeat(`{"a":`, 100_000), "it nests more than 64 deep"},
		{"ManyValues", many(MaxValues - 1), ""},
		{"TooManyValues", many(MaxValues), "the file holds more than 500000 values"},
		{"ManyFaults", "[" + strings.Repeat("x,", MaxFaults) + "0]", `"x" is not a JSON value`},
		{"TooManyFaults", "[" + strings.Repeat("x,", 3*MaxFaults) + "0]", moreFaults},
	} {
		t.Run(tt.name, func(t *testing.T) {
			_, faults := Parse("f", []byte(tt.text))
			last := ""
			if len(faults) > 0 {
				last = faults[len(faults)-1].What
			}
			if last != tt.want {
				t.Errorf("Parse of %d bytes: last fault is %q, want %q", len(tt.text), last, tt.want)
			}
			if len(faults) > MaxFaults+1 {
				t.Errorf("Parse of %d bytes: %d faults, want at most %d", len(tt.text), len(faults), MaxFaults+1)
			}
		})
	}
}

// day stands for a type that reads itself from a text.
type day int

func (d *day) UnmarshalText(b []byte) error {
	if len(b) != 1 {
		return fmt.Errorf("%q is not a day", b)
	}
	*d = day(b[0] - '0')
	return nil
}

type word string

type inner struct {
	Name string `json:"name"`
	Day  day    `json:"day,omitzero"`
}

type outer struct {
	ID     string            `json:"id"`
	Count  int8              `json:"count,omitempty"`
	Size   uint16            `json:"size,omitempty"`
	Share  float32           `json:"share,omitempty"`
	Open   bool              `json:"open,omitempty"`
	Names  map[word][]string `json:"names,omitempty"`
	Parts  []inner           `json:"parts,omitempty"`
	Part   *inner            `json:"part,omitempty"`
	Raw    json.RawMessage   `json:"raw,omitempty"`
	Bytes  []byte            `json:"bytes,omitempty"`
	Any    any               `json:"any,omitempty"`
	Hidden string            `json:"-"`
	Bare   string            `json:",omitempty"`
	secret string
}

func TestDecode(t *testing.T) {
	const text = `{"id":"x","count":-128,"size":65535,"share":0.5,"open":true,"names":{"en":["a","b"],"es":[]},
		"parts":[{"name":"n","day":"3"},{"name":""}],"part":{"name":"p"},"raw": {"k": [1, 2]} ,"bytes":[ 1],"any":{"a":[1,null,"s",false]},"Bare":"b"}`
	d, faults := Parse("f", []byte(text))
	if faults != nil {
		t.Fatalf("Parse faults: %v", faults)
	}
	var got outer
	if faults := d.Decode(&got); faults != nil {
		t.Fatalf("Decode faults:\n%s", strings.Join(lines(faults), "\n"))
	}
	if got.secret != "" {
		t.Errorf("an unexported field was set to %q", got.secret)
	}
	want := outer{ID: "x", Count: -128, Size: 65535, Share: 0.5, Open: true,
		Names: map[word][]string{"en": {"a", "b"}, "es": {}},
		Parts: []inner{{"n", 3}, {"", 0}}, Part: &inner{Name: "p"},
		Raw: json.RawMessage(`{"k": [1, 2]}`), Bytes: []byte(`[ 1]`),
		Any: map[string]any{"a": []any{1.0, nil, "s", false}}, Bare: "b"}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("Decode = %+v, want %+v", got, want)
	}
	got.Raw[0], got.Bytes[0] = '!', '!'
	if string(d.data) != text {
		t.Error("changing what Decode returned changed the document")
	}
}

func TestDecodeFaults(t *testing.T) {
	for _, tt := range []struct {
		name, text string
		want       []string
	}{
		{"Missing", "{\n \"part\": {}}", []string{
			`f:1:1: $.id: "id" is missing`, `f:2:10: $.part.name: "name" is missing`}},
		{"Unknown", `{"id":"","ids":1,"cuont":2,"zzz":3,"ID":"x","hidden":1,"secret":2}`, []string{
			`f:1:10: $.ids: "ids" is not a field; did you mean "id"?`,
			`f:1:18: $.cuont: "cuont" is not a field; did you mean "count"?`,
			`f:1:28: $.zzz: "zzz" is not a field; the fields are id, count, size, share, open, names, parts, part, raw, bytes, any, Bare`,
			`f:1:36: $.ID: "ID" is not a field; did you mean "id"?`,
			`f:1:45: $.hidden: "hidden" is not a field; the fields are id, count, size, share, open, names, parts, part, raw, bytes, any, Bare`,
			`f:1:56: $.secret: "secret" is not a field; the fields are id, count, size, share, open, names, parts, part, raw, bytes, any, Bare`}},
		{"Types", `{"id":1,"count":"2","size":{},"share":[],"open":0,"names":[],"parts":{},"part":true}`, []string{
			"f:1:7: $.id: a text is expected, not a number",
			"f:1:17: $.count: a whole number is expected, not a text",
			"f:1:28: $.size: a whole number is expected, not an object",
			"f:1:39: $.share: a number is expected, not a list",
			"f:1:49: $.open: true or false is expected, not a number",
			"f:1:59: $.names: an object is expected, not a list",
			"f:1:70: $.parts: a list is expected, not an object",
			"f:1:80: $.part: an object is expected, not true"}},
		{"Nulls", `{"id":null,"names":{"en":null},"parts":[null],"part":null}`, []string{
			"f:1:7: $.id: null is not a value here; write one, or leave the field out",
			"f:1:26: $.names.en: null is not a value here; write one, or leave the field out",
			"f:1:41: $.parts[0]: null is not a value here; write one, or leave the field out",
			"f:1:54: $.part: null is not a value here; write one, or leave the field out"}},
		{"Numbers", `{"id":"","count":128,"size":-1,"share":1e99}`, []string{
			"f:1:18: $.count: 128 is out of range",
			"f:1:29: $.size: -1 is out of range",
			"f:1:40: $.share: 1e99 is out of range"}},
		{"NotWhole", `{"id":"","count":1.5,"size":1e2}`, []string{
			"f:1:18: $.count: a whole number is expected, not 1.5",
			"f:1:29: $.size: a whole number is expected, not 1e2"}},
		{"Text", `{"id":"","parts":[{"name":"","day":"monday"},{"name":"","day":3}]}`, []string{
			`f:1:36: $.parts[0].day: "monday" is not a day`,
			"f:1:63: $.parts[1].day: a text is expected, not a number"}},
		{"InMaps", `{"id":"","names":{"en":["a",1]}}`, []string{"f:1:29: $.names.en[1]: a text is expected, not a number"}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			d, faults := Parse("f", []byte(tt.text))
			if faults != nil {
				t.Fatalf("Parse faults: %v", faults)
			}
			var v outer
			if got := lines(d.Decode(&v)); !slices.Equal(got, tt.want) {
				t.Errorf("Decode(%q) faults:\n%s\nwant:\n%s", tt.text, strings.Join(got, "\n"), strings.Join(tt.want, "\n"))
			}
		})
	}
}

func TestDecodeLimitsFaults(t *testing.T) {
	d, _ := Parse("f", []byte("["+strings.Repeat("0,", 5000)+"0]"))
	var v []string
	faults := d.Decode(&v)
	if len(faults) != MaxFaults+1 || faults[MaxFaults].What != moreFaults {
		t.Errorf("Decode of 5001 wrong values: %d faults, last %q, want %d and %q", len(faults), faults[len(faults)-1].What, MaxFaults+1, moreFaults)
	}
}

func TestDecodeAfterSyntaxFault(t *testing.T) {
	d, faults := Parse("f", []byte(`{"id":"x",}`))
	v := outer{ID: "before"}
	if got := d.Decode(&v); len(faults) != 1 || got != nil || v.ID != "before" {
		t.Errorf("Decode after %v = %v and %q, want no fault and nothing written", faults, got, v.ID)
	}
}

func TestPosition(t *testing.T) {
	d, _ := Parse("f", []byte("{\n  \"a\": [\n    {\"x y\": \"é\", \"b\": 2}\n  ]\n}"))
	for _, tt := range []struct {
		path         Path
		line, column int
	}{
		{Root, 1, 1},
		{Root.Key("a"), 2, 8},
		{Root.Key("a").Index(0), 3, 5},
		{Root.Key("a").Index(0).Key("x y"), 3, 13},
		{Root.Key("a").Index(0).Key("b"), 3, 23},
		{Root.Key("a").Index(0).Key("none").Key("none"), 3, 5},
		{Root.Key("a").Index(7).Key("x"), 2, 8},
		{Root.Key("none.[x"), 1, 1},
		{"", 1, 1},
	} {
		if line, column := d.Position(tt.path); line != tt.line || column != tt.column {
			t.Errorf("Position(%s) = %d:%d, want %d:%d", tt.path, line, column, tt.line, tt.column)
		}
	}
}

func TestStrings(t *testing.T) {
	d, _ := Parse("f", []byte(`{"a":["x",1,{"b c":"y"}]}`))
	var got []string
	d.Strings(func(path Path, text string, key bool) { got = append(got, fmt.Sprint(path, " ", text, " ", key)) })
	want := []string{"$.a a true", "$.a[0] x false", `$.a[2]["b c"] b c true`, `$.a[2]["b c"] y false`}
	if !slices.Equal(got, want) {
		t.Errorf("Strings gives %q, want %q", got, want)
	}
}

func TestNearest(t *testing.T) {
	names := []string{"source", "sources", "heading", "id"}
	for _, tt := range []struct{ name, want string }{
		{"souce", "source"}, {"Heading", "heading"}, {"headnig", "heading"}, {"source", "source"},
		{"ix", "id"}, {"xx", ""}, {"", ""}, {"subheading", "heading"}, {strings.Repeat("x", 1000), ""},
	} {
		if got := Nearest(tt.name, names); got != tt.want {
			t.Errorf("Nearest(%.20q) = %q, want %q", tt.name, got, tt.want)
		}
	}
}

// FuzzParse holds Parse to encoding/json: it takes nothing that is not JSON,
// and all JSON but what the package says it does not take.
func FuzzParse(f *testing.F) {
	for _, s := range []string{
		`{"a":[1,-2.5e+3,0,true,false,null,"x\u00e9\ud83d\ude00\n"]}`, `[1,]`, `{"a":1,"a":2}`, "[\"\xff\"]", `["\ud83d"]`, `["\u0000"]`,
		"[1 2]", "[,]", "{,}", `{"a" 1}`, "[01]", "tru", `"a`, "[[[[", "\ufeff1", "1 2", "", "{\"a\":\n}", `[:`, `[1:`, `{"a"::`,
	} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		d, faults := Parse("f", data)
		if len(faults) > MaxFaults+1 {
			t.Fatalf("Parse(%q): %d faults", data, len(faults))
		}
		for _, fault := range faults {
			if fault.Line < 1 || fault.Column < 1 || fault.What == "" || !utf8.ValidString(fault.String()) {
				t.Errorf("Parse(%q): fault %+v is not one that a person can use", data, fault)
			}
		}
		var got, want any
		decoded := d.Decode(&got)
		err := json.Unmarshal(data, &want)
		if len(faults) == 0 {
			// A float64 that is out of range is right JSON that Unmarshal refuses.
			if err == nil && !reflect.DeepEqual(got, want) {
				t.Errorf("Parse(%q) gives %v, encoding/json %v", data, got, want)
			}
			if !json.Valid(data) {
				t.Errorf("Parse(%q) has no fault; encoding/json says %v", data, err)
			}
			if decoded != nil {
				t.Errorf("Decode(%q) into an interface: %v", data, decoded)
			}
		} else if json.Valid(data) && !declined(faults) {
			t.Errorf("Parse(%q): %v; encoding/json takes it", data, faults)
		}
		var v outer
		d.Decode(&v)
		d.Strings(func(path Path, text string, _ bool) { d.Position(path) })
	})
}

// declined reports whether all faults are of what Parse does not take although
// encoding/json does.
func declined(faults []Fault) bool {
	for _, f := range faults {
		if !strings.Contains(f.What, "stands twice") && !strings.Contains(f.What, "not UTF-8") && !strings.Contains(f.What, "a NUL") &&
			!strings.Contains(f.What, "surrogate") && !strings.Contains(f.What, "nests more") && f.What != moreFaults {
			return false
		}
	}
	return true
}
