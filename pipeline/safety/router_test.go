package safety

import (
	"errors"
	"slices"
	"strings"
	"testing"
)

// TestWildfire shows that a second domain needs no line of Go, alone or beside
// the first.
func TestWildfire(t *testing.T) {
	smoke := pack(t, "wildfire-smoke/safety.json")
	for name, packs := range map[string][]Rules{"alone": {smoke}, "both": {water(t), smoke}} {
		r, err := New(Core(), packs...)
		if err != nil {
			t.Fatalf("New(core, %s) = %v", name, err)
		}
		for _, tt := range []struct{ text, want string }{
			{"my son cant breathe in this smoke", "life_threat"},
			{"the smoke has my mom wheezing and her inhaler isnt helping", "life_threat"},
			{"con este humo a mi hijo le cuesta respirar", "life_threat"},
			{"aqi is 165 can my kids play outside", ""},
			{"hay humo, que mascara sirve", ""},
			{"is there a wildfire near us, the sky is orange", ""},
			{"can smoke cause trouble breathing in kids? for a newsletter", ""},
			{"do cloth masks help with smoke", ""},
		} {
			if v := r.Triage(Input{Text: tt.text}); v.Route != tt.want {
				t.Errorf("%s: Triage(%q).Route = %q %v, want %q", name, tt.text, v.Route, ids(v.Why), tt.want)
			}
		}
	}
}

func TestVerdict(t *testing.T) {
	r := newRouter(t)
	for _, tt := range []struct {
		text, route, also, lang, person, hazard, group string
	}{
		{"my toddler drank some bleach", "swallowed", "", "en", "child", "", ""},
		{"mi bebe de 2 meses se trago jabon de lavadora", "swallowed", "", "es", "baby", "", ""},
		{"i drank antifreeze by mistake", "swallowed", "", "en", "self", "", ""},
		{"my husband drank antifreeze", "swallowed", "", "en", "adult", "", ""},
		{"I took bleach on purpose. I dont want to be here", "swallowed", "self_harm", "en", "self", "", ""},
		{"meu filho engoliu alvejante", "swallowed", "", "other", "child", "", ""},
		{"boil notice and i mix formula for my son, we have lead pipes", "formula_hazard", "notice_boil", "en", "child", "lead+boil", ""},
		{"our pipes are lead can i mix formula with tap", "formula_hazard", "", "en", "self", "lead", ""},
		{"mom is on chemo and we have a boil notice", "notice_boil", "", "en", "adult", "boil", "immune"},
		{"how do i read my meter", "", "", "en", "", "", ""},
		{"cada cuanto cambio el filtro", "", "", "es", "", "", ""},
	} {
		v := r.Triage(Input{Text: tt.text})
		if v.Route != tt.route || strings.Join(v.Also, " ") != tt.also || v.Lang != tt.lang || v.Person != tt.person || v.Hazard != tt.hazard || v.Group != tt.group {
			t.Errorf("Triage(%q) = route %q, also %q, lang %q, person %q, hazard %q, group %q; want %q, %q, %q, %q, %q, %q",
				tt.text, v.Route, v.Also, v.Lang, v.Person, v.Hazard, v.Group, tt.route, tt.also, tt.lang, tt.person, tt.hazard, tt.group)
		}
		if v.Emergency && v.Pinned || (v.Route != "") != (v.Emergency || v.Pinned) {
			t.Errorf("Triage(%q) = emergency %v and pinned %v with route %q", tt.text, v.Emergency, v.Pinned, v.Route)
		}
	}
}

func TestRecent(t *testing.T) {
	r := newRouter(t)
	for _, tt := range []struct {
		name   string
		recent []string
		text   string
		route  string
		echo   bool
	}{
		{"split in three", []string{"my kid", "got under the sink"}, "and drank bleach", "swallowed", false},
		{"a question does not excuse what follows", []string{"how many drops of bleach go in a gallon"}, "my son drank bleach", "swallowed", false},
		{"thanks adds nothing", []string{"my son drank bleach"}, "ok thanks", "swallowed", true},
		{"the fifth message back is not read", []string{"my son drank bleach", "a", "b", "c", "d"}, "ok thanks", "", false},
		{"nothing", []string{"hello", "is my water ok"}, "i am on elm street", "", false},
	} {
		t.Run(tt.name, func(t *testing.T) {
			v := r.Triage(Input{Text: tt.text, Recent: tt.recent})
			if v.Route != tt.route || v.Echo != tt.echo {
				t.Errorf("Triage(%q after %q) = route %q, echo %v; want %q, %v", tt.text, tt.recent, v.Route, v.Echo, tt.route, tt.echo)
			}
		})
	}
}

func TestWhy(t *testing.T) {
	r := newRouter(t)
	text := "¡Ay! 😰 mi bebé se puso morado"
	v := r.Triage(Input{Text: text, Recent: []string{"hola"}})
	var said []string
	for _, m := range v.Why {
		if m.Route != "blue_baby" || m.Lang != "es" {
			t.Errorf("Triage(%q).Why has %+v, want route blue_baby in es", text, m)
		}
		for _, s := range m.Spans {
			if s.Message != 1 {
				t.Errorf("Triage(%q).Why has a span in message %d, want 1", text, s.Message)
				continue
			}
			said = append(said, string([]rune(text)[s.Start:s.End]))
		}
	}
	if want := "bebé se puso morado"; !slices.Contains(said, want) {
		t.Errorf("Triage(%q).Why points at %q, want %q", text, said, want)
	}
}

func TestPackIsRefused(t *testing.T) {
	for _, tt := range []struct{ name, json, want string }{
		{"core rule", `{"rules": [{"id": "swallowed.mine", "route": "swallowed", "when": ["x"]}]}`, `p.json: $.rules[0].id: rule "swallowed.mine" is already in core/swallowed.json`},
		{"core route", `{"routes": [{"id": "life_threat", "kind": "pinned", "replies": [{"first": "fixed.help"}]}]}`, `p.json: $.routes[0].id: route "life_threat" is already in core/routes.json`},
		{"core text", `{"texts": {"fixed.life_threat": {"en": ["Wait."]}}}`, `p.json: $.texts.fixed.life_threat: text "fixed.life_threat" is already in core/texts.json`},
		{"core number", `{"numbers": {"emergency": {"number": "555-0100"}}}`, `p.json: $.numbers.emergency: number "emergency" is already in core/texts.json`},
		{"core concept", `{"concepts": {"study": {"en": ["drank"]}}}`, `p.json: $.concepts.study: concept "study" is already in core/context.json`},
		{"idioms", `{"idioms": ["drank bleach"]}`, `p.json: $.idioms: only the core may have this`},
		{"known words", `{"known": ["bleech"]}`, `p.json: $.known: only the core may have this`},
		{"spellings", `{"spellings": {"drank": "saw"}}`, `p.json: $.spellings: only the core may have this`},
		{"quiet words", `{"cues": {"quiet": ["bleach"]}}`, `p.json: $.cues.quiet: only the core may have this`},
		{"core cue", `{"cues": {"of": {"self_harm": {"points": {"w:die": -900}}}}}`, `p.json: $.cues.of.self_harm: cue "self_harm" is already in core/cues.json`},
		{"unknown route", `{"rules": [{"id": "a", "route": "nowhere", "when": ["x"]}]}`, `p.json: $.rules[0].route: unknown route "nowhere"`},
		{"unknown concept", `{"rules": [{"id": "a", "route": "swallowed", "when": ["@nothing"]}]}`, `p.json: $.rules[0].when[0]: unknown concept @nothing`},
		{"circle", `{"concepts": {"a": {"any": ["@b"]}, "b": {"any": ["@a"]}}}`, `leads back to itself`},
		{"bad pattern", `{"concepts": {"a": {"en": ["(x | y"]}}}`, `p.json: $.concepts.a.en[0]: a ( without its )`},
		{"gap at the end", `{"concepts": {"a": {"en": ["x .."]}}}`, `p.json: $.concepts.a.en[0]: a pattern may not end with`},
		{"rule that never fires", `{"rules": [{"id": "a", "route": "swallowed"}]}`, `p.json: $.rules[0].when: empty`},
		{"no text", `{"routes": [{"id": "z", "kind": "pinned", "replies": [{"first": "fixed.z"}]}]}`, `p.json: $.routes.z.replies[0].first: no text "fixed.z"`},
		{"no Spanish", `{"texts": {"fixed.z": {"en": ["Z."]}}, "routes": [{"id": "z", "kind": "pinned", "replies": [{"first": "fixed.z"}]}]}`, `text "fixed.z" has no variant in "es"`},
		{"number nobody gave", `{"texts": {"fixed.z": {"en": ["Call 973-555-0100."]}}}`, `p.json: $.texts.fixed.z.en[0]: number 973-555-0100 is not among the numbers`},
		{"kind", `{"routes": [{"id": "z", "kind": "urgent", "replies": [{"first": "fixed.help"}]}]}`, `p.json: $.routes[0].kind: "urgent" is neither`},
		{"language", `{"concepts": {"a": {"de": ["x"]}}}`, `p.json: $.concepts.a.de: language "de" is not among the core's`},
	} {
		t.Run(tt.name, func(t *testing.T) {
			p, err := ParseRules("p.json", []byte(tt.json))
			if err != nil {
				t.Fatal(err)
			}
			if _, err = New(Core(), p); !errors.Is(err, ErrRules) || !strings.Contains(err.Error(), tt.want) {
				t.Errorf("New(core, %s) = %v, want %q", tt.json, err, tt.want)
			}
		})
	}
	t.Run("all at once", func(t *testing.T) {
		p, err := ParseRules("p.json", []byte(`{"idioms": ["x"], "rules": [{"id": "swallowed.mine", "route": "nowhere", "when": ["@nothing"]}]}`))
		if err != nil {
			t.Fatal(err)
		}
		_, err = New(Core(), p)
		for _, want := range []string{"$.idioms", "$.rules[0].id", "$.rules[0].route", "$.rules[0].when[0]"} {
			if err == nil || !strings.Contains(err.Error(), want) {
				t.Errorf("New(core, four faults) = %v, want it to name %s", err, want)
			}
		}
	})
	t.Run("packs that disagree", func(t *testing.T) {
		other := strings.Replace(`{"numbers": {"gas_emergency": {"number": "973-555-0100", "name": {"en": "Gas"}}}}`, "\n", "", -1)
		p, err := ParseRules("other.json", []byte(other))
		if err != nil {
			t.Fatal(err)
		}
		if _, err := New(Core(), pack(t, "drinking-water/safety.json"), p); err == nil || !strings.Contains(err.Error(), `other.json: $.numbers.gas_emergency: number "gas_emergency" is already in drinking-water/safety.json`) {
			t.Errorf("New with two gas numbers = %v, want it refused", err)
		}
	})
}

func TestParseRules(t *testing.T) {
	for _, tt := range []struct{ name, json, want string }{
		{"unknown field", `{"rulez": []}`, "p.json: $.rulez: unknown field"},
		{"unknown field deep down", `{"rules": [{"id": "a", "wen": ["x"]}]}`, "p.json: $.rules[0].wen: unknown field"},
		{"case counts", `{"Rules": []}`, "p.json: $.Rules: unknown field"},
		{"given twice", `{"rules": [], "rules": []}`, "p.json: $.rules: given twice"},
		{"wrong kind", `{"rules": {"id": "a"}}`, "p.json: $.rules: an object, want a list"},
		{"null", `{"rules": null}`, "p.json: $.rules: <nil>, want a list"},
		{"a string for a list", `{"known": "x"}`, "p.json: $.known: a string, want a list"},
		{"half a number", `{"cues": {"of": {"z": {"bias": 1.5}}}}`, "p.json: $.cues.of.z.bias: 1.5, want a whole number"},
		{"not JSON", `{"rules": [`, "p.json: $: "},
		{"two values", `{} {}`, "p.json: $: something follows the value"},
		{"too deep", strings.Repeat(`{"a":`, 40) + "1" + strings.Repeat("}", 40), "nested too deeply"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if _, err := ParseRules("p.json", []byte(tt.json)); !errors.Is(err, ErrRules) || !strings.Contains(err.Error(), tt.want) {
				t.Errorf("ParseRules(%s) = %v, want %q", tt.json, err, tt.want)
			}
		})
	}
	_, err := ParseRules("p.json", []byte(`{"rulez": [], "known": "x"}`))
	for _, want := range []string{"$.rulez", "$.known"} {
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("ParseRules with two faults = %v, want it to name %s", err, want)
		}
	}
}

// TestCoreAlone shows what is said where no pack gives local numbers.
func TestCoreAlone(t *testing.T) {
	r, err := New(Core())
	if err != nil {
		t.Fatal(err)
	}
	for text, want := range map[string]string{
		"i smell gas in my kitchen":                       "From outside and far away call 911. Do not go back in",
		"my husband hits me":                              "1-800-799-7233",
		"someone is dumping chemicals in the river":       "get away and call 911. Don't touch it.",
		"mi esposo me pega":                               "1-800-799-7233",
		"huele a gas en mi casa":                          "llame al 911. No entre",
		"my dad hits my little brother, he is 9, help us": "1-800-799-7233",
	} {
		v := r.Triage(Input{Text: text})
		first, _ := r.Text(v, v.Lang)
		if !strings.Contains(first, want) || strings.ContainsAny(first, "{}") {
			t.Errorf("Text(%q) = %q, want it to hold %q and no open slot", text, first, want)
		}
	}
}

// The language is that of what was just written, not of what came before it.
func TestSpokenNow(t *testing.T) {
	r := newRouter(t)
	english := []string{"my water is brown is my baby ok??", "what is the legal limit for lead in water", "how do i boil it"}
	for _, tt := range []struct {
		recent      []string
		text, known string
		want        string
	}{
		{english, "mi hijo se tomo cloro", "", "es"},
		{english, "mi hijo se tomo cloro", "en", "es"},
		{[]string{"cuanto tiempo hiervo el agua", "y si el agua sale turbia"}, "my son drank bleach", "es", "en"},
		{[]string{"mi hijo se tomo cloro"}, "911", "", "es"},
		{[]string{"mi hijo se tomo cloro"}, "911", "en", "en"},
		{nil, "911", "", "en"},
	} {
		if v := r.Triage(Input{Text: tt.text, Recent: tt.recent, Lang: tt.known}); v.Lang != tt.want {
			t.Errorf("Triage(%q after %q, known %q).Lang = %q, want %q", tt.text, tt.recent, tt.known, v.Lang, tt.want)
		}
	}
}
