package safety

import (
	"reflect"
	"strings"
	"sync"
	"testing"
	"unicode"
	"unicode/utf8"

	"pgregory.net/rapid"
)

// emergencyTexts are labelled messages that alarm: one in so many.
func emergencyTexts(t *testing.T, r *Router, oneIn int) []string {
	t.Helper()
	var out []string
	for _, name := range []string{"safety-dev.jsonl", "safety-own.jsonl"} {
		for i, row := range rows(t, name) {
			if i%oneIn == 0 && r.Triage(Input{Text: row.Text}).Emergency {
				out = append(out, row.Text)
			}
		}
	}
	if len(out) < 200 {
		t.Fatalf("%d labelled messages alarm, want more to try", len(out))
	}
	return out
}

var accents = strings.NewReplacer("a", "á", "e", "é", "i", "í", "o", "ó", "u", "ú", "n", "ñ")

// TestSpellingDoesNotMatter: case, accents, what ends a message, emoji, and
// politeness change no route.
func TestSpellingDoesNotMatter(t *testing.T) {
	r := newRouter(t)
	changes := map[string]func(string) string{
		"upper case":    strings.ToUpper,
		"lower case":    strings.ToLower,
		"accents":       accents.Replace,
		"curly":         func(s string) string { return strings.ReplaceAll(s, "'", "’") },
		"exclamation":   func(s string) string { return s + "!!!" },
		"trailing dots": func(s string) string { return s + "..." },
		"emoji":         func(s string) string { return "😭 " + s + " 🙏🏽" },
		"spaces":        func(s string) string { return "  " + strings.ReplaceAll(s, " ", "  ") + "\n" },
		"please help":   func(s string) string { return s + " please help" },
		"help first":    func(s string) string { return "help please " + s },
		"thanks":        func(s string) string { return s + ". thanks" },
		"gracias":       func(s string) string { return s + ", gracias" },
	}
	texts := emergencyTexts(t, r, 15)
	for name, change := range changes {
		bad := 0
		for _, text := range texts {
			want, got := r.Triage(Input{Text: text}), r.Triage(Input{Text: change(text)})
			if got.Emergency && (got.Route == want.Route || strings.Contains(name, "help")) {
				continue
			}
			if bad++; bad < 5 {
				t.Errorf("%s: Triage(%q).Route = %q, want %q", name, change(text), got.Route, want.Route)
			}
		}
	}
}

// TestSplit: however an emergency is split in two, it stays one; seldom another
// emergency is seen in it as well.
func TestSplit(t *testing.T) {
	r := newRouter(t)
	splits, other := 0, 0
	for _, text := range emergencyTexts(t, r, 12) {
		words := strings.Fields(text)
		want := r.Triage(Input{Text: text})
		for cut := 1; cut < len(words); cut += 1 + len(words)/4 {
			recent, last := strings.Join(words[:cut], " "), strings.Join(words[cut:], " ")
			got := r.Triage(Input{Text: last, Recent: []string{recent}})
			splits++
			all := append([]string{got.Route}, got.Also...)
			switch {
			case got.Route == want.Route:
			case got.Emergency && contains(all, want.Route):
				other++
			default:
				t.Errorf("Triage(%q after %q).Route = %q %v, want %q", last, recent, got.Route, got.Also, want.Route)
			}
		}
	}
	if other*50 > splits {
		t.Errorf("%d of %d splits put another route first, want at most one in fifty", other, splits)
	}
}

func contains(list []string, s string) bool {
	for _, v := range list {
		if v == s {
			return true
		}
	}
	return false
}

func TestTriageTakesAnything(t *testing.T) {
	r := newRouter(t)
	pieces := []string{"my", "kid", "drank", "bleach", "ñ", "😭", "\xff\xfe", " / ", "\n", ".", "?", "'", "’", "3yo", "911", "mi bebe", "morado", "\u200d", "ا", "не", "isn t", "aaaaa", "", "fire", "hydrant"}
	rapid.Check(t, func(rt *rapid.T) {
		text := strings.Join(rapid.SliceOfN(rapid.SampledFrom(pieces), 0, 40).Draw(rt, "pieces"), rapid.SampledFrom([]string{"", " "}).Draw(rt, "glue"))
		recent := rapid.SliceOfN(rapid.StringN(0, 20, -1), 0, 6).Draw(rt, "recent")
		check(rt, r, Input{Text: text, Recent: recent, Lang: rapid.SampledFrom([]string{"", "en", "es", "zz"}).Draw(rt, "lang")})
	})
}

// check states what always holds.
func check(t interface {
	Errorf(format string, args ...any)
}, r *Router, in Input) {
	v := r.Triage(in)
	if again := r.Triage(in); !reflect.DeepEqual(v, again) {
		t.Errorf("Triage(%+v) = %+v, then %+v", in, v, again)
	}
	first, _ := r.Text(v, v.Lang)
	if (v.Route == "") != (first == "") || (v.Route == "") != (len(v.Why) == 0) || v.Emergency && v.Pinned {
		t.Errorf("Triage(%+v) = %+v with text %q", in, v, first)
	}
	if !utf8.ValidString(first) {
		t.Errorf("Text(%+v) = %q, want UTF-8", v, first)
	}
	messages := append(append([]string{}, in.Recent...), in.Text)
	for _, m := range v.Why {
		for _, s := range m.Spans {
			if s.Message < 0 || s.Message >= len(messages) || s.Start < 0 || s.Start >= s.End || s.End > utf8.RuneCountInString(messages[s.Message]) {
				t.Errorf("Triage(%+v).Why has span %+v outside the message", in, s)
			}
		}
	}
}

// TestLongText reads the beginning and the end of what is too long, and cuts
// nothing in two.
func TestLongText(t *testing.T) {
	r := newRouter(t)
	filler := strings.Repeat("how do i read my meter and when is the office open. ", 2000)
	for _, tt := range []struct{ name, text, want string }{
		{"first", "my kid drank bleach. " + filler, "swallowed"},
		{"last", filler + " my kid drank bleach", "swallowed"},
		{"one word", strings.Repeat("a", 200_000), ""},
		{"repeated", strings.Repeat("bleach drank ", 8000), "swallowed"},
		{"invalid", strings.Repeat("\xff", 100_000), ""},
		{"emoji", strings.Repeat("😭", 50_000), ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if v := r.Triage(Input{Text: tt.text}); v.Route != tt.want {
				t.Errorf("Triage(%d bytes).Route = %q %v, want %q", len(tt.text), v.Route, ids(v.Why), tt.want)
			}
			check(t, r, Input{Text: tt.text})
		})
	}
}

func TestConcurrent(t *testing.T) {
	r := newRouter(t)
	texts := []string{"my kid drank bleach", "mi bebe se puso morado", "how do i read my meter", "i want to die", "boil notice, how long"}
	var wg sync.WaitGroup
	for i := range 20 {
		wg.Go(func() {
			text := texts[i%len(texts)]
			want := r.Triage(Input{Text: text})
			for range 5 {
				if got := r.Triage(Input{Text: text}); !reflect.DeepEqual(got, want) {
					t.Errorf("Triage(%q) = %+v, want %+v", text, got, want)
				}
			}
		})
	}
	wg.Wait()
}

func TestFold(t *testing.T) {
	for _, tt := range []struct{ text, want string }{
		{"Isn’t BREATHING!", "isnt breathing"},
		{"isn t he s i m", "isnt hes im"},
		{"3yo 10min b4 x2", "3 yo 10 min b4 x2"},
		{"bebé niña ñoño ü", "bebe nina nono u"},
		{"do-not-use 24/7", "do not use 24 7"},
		{"a\u0301gua", "agua"},
		{"لا يتنفّس", "لا يتنفس"},
		{"\xffok\xfe", "ok"},
	} {
		var got []string
		for _, tok := range tokenize([]string{tt.text}) {
			got = append(got, tok.text)
		}
		if s := strings.Join(got, " "); s != tt.want {
			t.Errorf("tokenize(%q) = %q, want %q", tt.text, s, tt.want)
		}
	}
}

func TestEdits(t *testing.T) {
	for _, tt := range []struct {
		a, b  string
		limit int
		want  int
	}{
		{"bleach", "bleach", 1, 0},
		{"bleech", "bleach", 1, 1},
		{"braethe", "breathe", 1, 1}, // two letters changed places
		{"unconcious", "unconscious", 2, 1},
		{"beach", "bleach", 1, 1},
		{"water", "bleach", 1, 2},
		{"", "ab", 1, 2},
	} {
		if got := edits([]rune(tt.a), []rune(tt.b), tt.limit); got != tt.want {
			t.Errorf("edits(%q, %q, %d) = %d, want %d", tt.a, tt.b, tt.limit, got, tt.want)
		}
	}
}

func FuzzTriage(f *testing.F) {
	r := newRouter(f)
	f.Add("my kid drank bleach", "", "en")
	f.Add("esta azul / ayuda", "mi bebe", "es")
	f.Add("\xff\x00 911 'n ’t", "a\u0301", "")
	f.Add("لا يتنفس", "ابني", "ar")
	f.Fuzz(func(t *testing.T, text, recent, lang string) {
		check(t, r, Input{Text: text, Recent: []string{recent}, Lang: lang})
	})
}

func FuzzParseRules(f *testing.F) {
	f.Add([]byte(`{"rules": [{"id": "a", "route": "b", "when": ["(x | y..2 z*)? @q & #4"]}]}`))
	f.Add([]byte(`{"concepts": {"a": {"en": ["x~ .."]}}}`))
	f.Fuzz(func(t *testing.T, data []byte) {
		rules, err := ParseRules("f.json", data)
		if (err == nil) != (rules != nil) {
			t.Errorf("ParseRules(%q) = %v, %v", data, rules, err)
		}
		if _, err := newVocabulary().parsePattern(string(data)); err == nil && !strings.ContainsFunc(string(data), func(r rune) bool { return unicode.IsLetter(r) || unicode.IsNumber(r) || r == '#' || r == '@' }) {
			t.Errorf("parsePattern(%q) = nil error, want one", data)
		}
	})
}

func BenchmarkTriage(b *testing.B) {
	r := newRouter(b)
	for name, text := range map[string]string{
		"question":  "Hello, how long should I run my tap after the city changed the lead pipe, and can I give the water to my baby?",
		"emergency": "my toddler got under the sink and drank some bleach",
		"10kB":      strings.Repeat("Hello, how long should I run my tap after the city changed the lead pipe, and can I give the water to my baby? ", 90),
		"100kB":     strings.Repeat("my neighbor says the water smells like bleach and the kids drank it. ", 1500),
	} {
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				r.Triage(Input{Text: text})
			}
		})
	}
}

func BenchmarkNew(b *testing.B) {
	core, water := Core(), pack(b, "drinking-water/safety.json")
	for b.Loop() {
		if _, err := New(core, water); err != nil {
			b.Fatal(err)
		}
	}
}
