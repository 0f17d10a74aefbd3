package lenient

import (
	"encoding/json"
	"errors"
	"reflect"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"pgregory.net/rapid"
)

func TestExtract(t *testing.T) {
	for _, tt := range []struct{ name, text, want string }{
		{"Plain", `{"relevance_score": 2}`, `{"relevance_score":2}`},
		{"List", ` [1, -2.50, 1e3, "a", null, true, {}, []] `, `[1,-2.50,1e3,"a",null,true,{},[]]`},
		{"BOM", "\ufeff\n\r\n {\"a\":\u00a01}\n", `{"a":1}`},
		{"BOMWithin", "{\ufeff\"a\"\u200b:\u20281}", `{"a":1}`},
		{"Wide", "[" + strings.Repeat("[],", 100) + "]", "[" + strings.Repeat("[],", 99) + "[]]"},
		{"Prose", "Sure, here it is:\n\n{\"a\": 1}\n\nLet me know!", `{"a":1}`},
		{"StrayBracket", `{"a":1}}]`, `{"a":1}`},

		// L01: fences.
		{"L01Lines", "```json\n{\"relevance_score\":2}\n```", `{"relevance_score":2}`},
		{"L01OneLine", "```json{\"relevance_score\":2}```", `{"relevance_score":2}`},
		{"L01NoLanguage", "```\n{\"relevance_score\":2}\n```", `{"relevance_score":2}`},
		{"L01BOM", "\ufeff\n\n```JSON\n{\"relevance_score\":2}\n```\n", `{"relevance_score":2}`},
		{"Unterminated", "```json\n{\"a\":1}\n", `{"a":1}`},
		{"Backtick", "The reply is `{\"a\":1}`.", `{"a":1}`},
		{"FenceInString", "```json\n{\"a\":\"```x```{\"}\n```", "{\"a\":\"```x```{\"}"},

		// L04: what is repaired, and what is not touched.
		{"L04", "{\"items\":[1,2,],\"note\":\"keep this ,} as is\",}", `{"items":[1,2],"note":"keep this ,} as is"}`},
		{"L04Newline", "{\"a\":\"one\ntwo\tthree\r\"}", `{"a":"one\ntwo\tthree\r"}`},
		{"Control", "{\"a\":\"\x00\x1f\"}", `{"a":"\u0000\u001f"}`},
		{"Single", `{'a': 'he said "hi"', 'b': 'don\'t'}`, `{"a":"he said \"hi\"","b":"don't"}`},
		{"Bare", `{a: 1, b_2: 2, $c-d: 3, niño: 4, true: 5}`, `{"a":1,"b_2":2,"$c-d":3,"niño":4,"true":5}`},
		{"Python", `{'a': None, 'b': True, 'c': False}`, `{"a":null,"b":true,"c":false}`},
		{"PythonInString", `{"a": "None, True, 'False'"}`, `{"a":"None, True, 'False'"}`},
		{"Comments", "{// one\n\"a\": /* two */ 1, /* , */ \"b\" /**/ : [ // x\n]} // end", `{"a":1,"b":[]}`},
		{"CommentInString", `{"a": "// no /* comment */"}`, `{"a":"// no /* comment */"}`},
		{"Smart", `{“a”: “he said "hi"”, ‘b’: ‘c’, „d“: 1}`, `{"a":"he said \"hi\"","b":"c","d":1}`},
		{"SmartInString", `{"a": "“b” and ‘c’", 'd': '“'}`, `{"a":"“b” and ‘c’","d":"“"}`},
		{"Escapes", `{"a\/b": "\"\\\b\f\n\r\t\u00e9\uD83D\ude00"}`, `{"a\/b":"\"\\\b\f\n\r\t\u00e9\uD83D\ude00"}`},
		{"NoEscape", `{"a": "C:\docs \$5 \u12 \ud"}`, `{"a":"C:\\docs \\$5 \\u12 \\ud"}`},
		{"EscapedQuotes", `{'a': '\'\"', “b”: “\””, "c": "\'"}`, `{"a":"'\"","b":"”","c":"'"}`},
		{"NotUTF8", "{\"a\":\"x\xffy\"}", "{\"a\":\"x\ufffdy\"}"},

		// Several.
		{"Longest", `{"a":1} {"a":1,"b":2} {"c":3}`, `{"a":1,"b":2}`},
		{"LastOfEquals", `{"a":1} then {"a":2}`, `{"a":2}`},
		{"Inner", `{"a":{"b":{"c":[1,2,3]}}}`, `{"a":{"b":{"c":[1,2,3]}}}`},
		{"FenceFirst", "In the form {\"a\": 0, \"why\": \"at length\"}:\n```json\n{\"a\":1}\n```\nas in {\"a\": 0, \"why\": \"at length\"}", `{"a":1}`},
		{"OtherFence", "```python\nx = {\"a\": 1, \"b\": 2}\n```\n{\"a\":3}", `{"a":1,"b":2}`},
		{"OtherFenceThenJSON", "```python\nx = {\"a\": 1, \"b\": 2}\n```\n```json\n{\"a\":3}\n```", `{"a":3}`},
		{"Placeholder", "In the form {\"a\": <number>}:\n```json\n{\"a\":1}\n```", `{"a":1}`},

		{"UnclosedAfterFence", "```json\n{\"a\":1}\n``` as in {a: 2, b", `{"a":1}`},
		{"FaultAfterFence", "```json\n{\"a\":1}\n``` as in {a: b", `{"a":1}`},

		// Brackets of prose.
		{"R03", `As [1] and [7] say ([see](https://www.epa.gov/made-up)): {"text": "so [1] // [7], https://www.epa.gov/made-up"}`, `{"text":"so [1] // [7], https://www.epa.gov/made-up"}`},
		{"LongCitation", `[1, 2, 3, 4, 5, 6, 7, 8] {"a":1} [1, 2, 3, 4, 5, 6, 7, 8]`, `{"a":1}`},
		{"Interval", `from [0, 3): {"a":1}, not (0, 3] or [0, 3)`, `{"a":1}`},
		{"Smiley", `:{ ok {"a":1} :[`, `{"a":1}`},
		{"Set", `{x | x > 1} {"a":1} [x] [ ]`, `{"a":1}`},
		{"NoteBeside", `{note: short} {"a":1,"b":"longer"}`, `{"a":1,"b":"longer"}`},
		{"OnlyCitation", `As [1] says.`, `[1]`},
	} {
		t.Run(tt.name, func(t *testing.T) {
			got, err := Extract(tt.text)
			if err != nil || string(got) != tt.want {
				t.Errorf("Extract(%q) = %q, %v, want %q", tt.text, got, err, tt.want)
			}
			if !json.Valid(got) {
				t.Errorf("Extract(%q) = %q, which is no JSON", tt.text, got)
			}
		})
	}
}

func TestExtractFaults(t *testing.T) {
	for _, tt := range []struct{ name, text, want string }{
		{"Empty", "", "no JSON"},
		{"ProseOnly", "The score is 2.", "no JSON"},
		{"Scalar", `"{'a"`, "cut off"},
		{"String", `"yes"`, "no JSON"},
		{"Size", strings.Repeat(" ", MaxSize+1), "longer than"},

		{"CutInObject", `{"a": 1, "b": 2`, "cut off"},
		{"CutAfterComma", `{"a": 1,`, "cut off"},
		{"CutInString", `{"a": "one, two`, "cut off"},
		{"CutInEscape", `{"a": "one\`, "cut off"},
		{"CutInKey", `{"a`, "cut off"},
		{"CutInWord", `{"a": tru`, "cut off"},
		{"CutInNumber", `{"a": -`, "cut off"},
		{"CutInList", `[{"a": 1}, {"a": 2}`, "cut off"},
		{"CutInNumbers", `[1, 2`, "cut off"},
		{"CutInComment", `{"a": 1 /* more`, "cut off"},
		{"CutAtBracket", `Here it is: {`, "cut off"},
		{"CutInFence", "```json\n{\"a\": [1,\n```\nDone.", "cut off"},
		{"CutSecond", `{"a": 1} or rather {"a": [2`, "cut off"},

		{"CutSecondFence", "```\n{\"a\":1,\"b\":2}\n```\n```\n{\"a\":2", "cut off"},
		{"CutInQuote", `{"a": 1, "b": 2} or rather {"a": 'oops}`, "cut off"},

		{"NaN", `{"a": NaN}`, "NaN"},
		{"Infinity", `[{"a": 1}, Infinity]`, "NaN"},
		{"MinusInfinity", `{"a": -Infinity}`, "NaN"},
		{"Undefined", `{"a": undefined}`, "without quotes"},
		{"Twice", "{\"a\": 1,\n\"b\": {\"c\": 1, 'c': 1}}", "line 2: an object has the same key twice"},
		{"TwiceEscaped", `{"a": 1, "\u0061": 2}`, "twice"},
		{"Deep", `{"a":` + strings.Repeat("[", 64) + strings.Repeat("]", 64) + "}", "64 brackets"},
		{"DeepOpen", strings.Repeat("[", 1000), "64 brackets"},

		{"Commas", `{"a": [1,,2]}`, "value is missing"},
		{"CommaOnly", `{"a": [,]}`, "value is missing"},
		{"NoComma", `{"a": 1 "b": 2}`, "comma"},
		{"InnerQuotes", `{"a": "he said "hi" there"}`, "comma"},
		{"NoColon", `{"a": {"b" 1}}`, "colon"},
		{"NoKey", `{"a": {: 1}}`, "key is missing"},
		{"LeadingZero", `{"a": 02}`, "number"},
		{"Plus", `{"a": +2}`, "value is missing"},
		{"Fraction", `{"a": 2/3}`, "comma"},
		{"Hex", `{"a": 0x10}`, "number"},
		{"Point", `{"a": 1.}`, "number"},
		{"Exponent", `{"a": 1e}`, "number"},
		{"Dots", `{"a": [...]}`, "value is missing"},
		{"Mismatch", `{"a": [1}`, "comma"},

		// No part of what cannot be read is an answer.
		{"Part", `{"a": oops, "b": {"c": 1}}`, "without quotes"},
		{"PartOfList", `["a", oops, {"c": 1}]`, "without quotes"},
		{"PartUnclosed", `{"a": oops, "b": {"c": 1}`, "without quotes"},
		{"PartAfterQuote", `{"a": "\"}", "b": 1 1, "c": {"d": "longer than what is before"}}`, "comma"},
		{"LongerIsBroken", `{"a": 1 "why": "so"} such as {"a": 1}`, "comma"},
		{"FencedIsBroken", "```\n{\"a\": 1 1}\n``` as in {\"a\": 1, \"why\": \"so\"}", "comma"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			got, err := Extract(tt.text)
			if err == nil || !strings.Contains(err.Error(), tt.want) || got != nil {
				t.Errorf("Extract(%.80q) = %q, %v, want an error that says %q", tt.text, got, err, tt.want)
			}
			if strings.Contains(tt.want, "cut off") != errors.Is(err, ErrCutOff) || strings.Contains(tt.want, "no JSON") != errors.Is(err, ErrNone) {
				t.Errorf("Extract(%.80q): errors.Is does not tell what %v says", tt.text, err)
			}
		})
	}
}

func TestExtractDeep(t *testing.T) {
	want := strings.Repeat("[", MaxDepth) + strings.Repeat("]", MaxDepth)
	if got, err := Extract(want); string(got) != want {
		t.Errorf("Extract(%q) = %q, %v, want the same", want, got, err)
	}
}

// TestExtractCut: no beginning of a reply is taken for the whole of it.
func TestExtractCut(t *testing.T) {
	const whole = `{"claims": [{"text": "a [1] \" {b}", "ok": true}, {"n": -1.5e3, "x": [1, [2], {"y": null}]}], 'z': “q”}`
	if _, err := Extract(whole); err != nil {
		t.Fatalf("Extract(%q): %v", whole, err)
	}
	for n := 1; n < len(whole); n++ {
		for _, text := range []string{whole[:n], "```json\n" + whole[:n], "Here:\n" + whole[:n] + " \n"} {
			if got, err := Extract(text); err == nil {
				t.Errorf("Extract(%q) = %q, want an error", text, got)
			}
		}
		if _, err := Extract(whole[:n]); !errors.Is(err, ErrCutOff) {
			t.Errorf("Extract(%q) = %v, want %v", whole[:n], err, ErrCutOff)
		}
	}
}

// TestExtractTime: a long text takes no longer for being made
// to go over it again and again.
func TestExtractTime(t *testing.T) {
	for _, unit := range []string{"[", "{", "[/*", "[//", `["`, "['", `{"a":`, "[1,", "[1,[", `["a",`, "{a:1}", "[x]", "[1 x ", "[0, 3) ", "```[", "[```", `{"a`, "[“", `\`, `["\`, "[[],x", "{}", "[],", "[-"} {
		text := strings.Repeat(unit, MaxSize/4/len(unit))
		start := time.Now()
		Extract(text)
		if took := time.Since(start); took > 5*time.Second {
			t.Errorf("Extract of %q again and again took %v", unit, took)
		}
	}
}

// docs draws objects and lists, at most 8 deep.
func docs() *rapid.Generator[any] {
	var value func(depth int) *rapid.Generator[any]
	value = func(depth int) *rapid.Generator[any] {
		kinds := []*rapid.Generator[any]{
			rapid.Map(rapid.SliceOfN(value0(depth, value), 0, 4), func(l []any) any { return l }),
			rapid.Map(rapid.MapOfN(rapid.String(), value0(depth, value), 0, 4), func(m map[string]any) any { return m }),
		}
		return rapid.OneOf(kinds...)
	}
	return value(8)
}

func value0(depth int, value func(int) *rapid.Generator[any]) *rapid.Generator[any] {
	scalars := rapid.OneOf(
		rapid.Map(rapid.String(), func(s string) any { return s }),
		rapid.Map(rapid.Float64Range(-1e9, 1e9), func(f float64) any { return f }),
		rapid.Map(rapid.Bool(), func(b bool) any { return b }),
		rapid.Just[any](nil),
	)
	if depth <= 1 {
		return scalars
	}
	return rapid.OneOf(scalars, rapid.Deferred(func() *rapid.Generator[any] { return value(depth - 1) }))
}

// TestExtractWraps: a document is got out of whatever fence and prose are
// around it, with the same value.
func TestExtractWraps(t *testing.T) {
	prose := rapid.StringOf(rapid.SampledFrom([]rune("Here is [1] what’s \"asked\" 'so': (see https://x.org/y) , ; // /* */ “a” – \n\t\\:{|}] é日")))
	rapid.Check(t, func(t *rapid.T) {
		doc := docs().Draw(t, "doc")
		b, err := json.Marshal(doc)
		if err != nil {
			t.Fatal(err)
		}
		if rapid.Bool().Draw(t, "indented") {
			b, _ = json.MarshalIndent(doc, "", "\t")
		}
		fence := rapid.SampledFrom([]string{"```", "```json", "```json\n", "```JSON\r\n", "````\n"}).Draw(t, "fence")
		end := rapid.SampledFrom([]string{"```", "\n```\n", " ```"}).Draw(t, "end")
		// Brackets before the fence could begin a value that swallows it.
		before := strings.NewReplacer("{", "", "[", "").Replace(prose.Draw(t, "before"))
		text := before + fence + string(b) + end + prose.Draw(t, "after")
		got, err := Extract(text)
		if err != nil {
			t.Fatalf("Extract(%q): %v", text, err)
		}
		var back, want any
		if err := json.Unmarshal(got, &back); err != nil {
			t.Fatalf("Extract(%q) = %q: %v", text, got, err)
		}
		json.Unmarshal(b, &want)
		if !reflect.DeepEqual(back, want) {
			t.Errorf("Extract(%q) = %q, want the value of %q", text, got, b)
		}
	})
}

// TestExtractStrings: a string comes out as it went in, however it is quoted.
func TestExtractStrings(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := rapid.StringOf(rapid.OneOf(rapid.Rune(), rapid.RuneFrom([]rune("'\"“”‘’,:{}[]/*`\\\n\t -#None")))).Draw(t, "s")
		for _, q := range []struct{ open, end string }{{`"`, `"`}, {"'", "'"}, {"“", "”"}, {"‘", "’"}} {
			quoted := q.open + strings.NewReplacer(`\`, `\\`, q.end, `\`+q.end).Replace(s) + q.end
			text := "so: {" + quoted + ": [" + quoted + ",],}"
			got, err := Extract(text)
			var back map[string][]string
			if err != nil || json.Unmarshal(got, &back) != nil || len(back) != 1 || len(back[s]) != 1 || back[s][0] != s {
				t.Errorf("Extract(%q) = %q, %v, want %q as key and item", text, got, err, s)
			}
		}
	})
}

// FuzzExtract: what comes out is one object or list of JSON, and comes out of
// itself; an object or list of JSON comes out with its value.
func FuzzExtract(f *testing.F) {
	for _, s := range []string{
		"```json\n{\"items\":[1,2,],\"note\":\"keep this ,} as is\",}\n```", "[1] {a: 'b', “c”: None} // x", `{"a": "\ud800\'"`, "{\"a\xff\":\"\xff\n\"}", `[{"a":1},{"a":1e999}]`,
	} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, text string) {
		got, err := Extract(text)
		if err != nil {
			if got != nil {
				t.Errorf("Extract(%q) = %q with error %v", text, got, err)
			}
			return
		}
		if !json.Valid(got) || !utf8.Valid(got) || got[0] != '{' && got[0] != '[' {
			t.Errorf("Extract(%q) = %q, which is no object or list of JSON", text, got)
		}
		if len(got) <= MaxSize {
			if again, err := Extract(string(got)); string(again) != string(got) {
				t.Errorf("Extract(%q) = %q, %v, want the same", got, again, err)
			}
		}
		trimmed := strings.TrimSpace(text)
		var want, back any
		if trimmed[0] != '{' && trimmed[0] != '[' || json.Unmarshal([]byte(trimmed), &want) != nil {
			return
		}
		if json.Unmarshal(got, &back); !reflect.DeepEqual(back, want) {
			t.Errorf("Extract(%q) = %q, want the same value", text, got)
		}
	})
}
