package safety

import (
	"fmt"
	"testing"
)

// engine is a router of one rule, so that each kind of pattern can be told apart.
func engine(t *testing.T, when, unless, unlessText string) *Router {
	t.Helper()
	list := func(s string) string {
		if s == "" {
			return "[]"
		}
		return fmt.Sprintf("[%q]", s)
	}
	core, err := ParseRules("mini.json", fmt.Appendf(nil, `{
		"languages": {"en": {"answered": true, "words": "the my"}},
		"spellings": {"u": "you"},
		"known": ["beach"],
		"idioms": ["under the weather"],
		"concepts": {
			"kid": {"en": ["kid | son | little (boy|girl)"]},
			"fire": {"en": ["fire"], "except": ["fire (truck|drill)"]},
			"kid_drank": {"any": ["@kid ..2 drank"]},
			"past": {"en": ["ago"], "but": ["again"]}
		},
		"routes": [{"id": "r", "kind": "emergency", "replies": [{"first": "fixed.r"}]}],
		"texts": {"fixed.r": {"en": ["Go."]}},
		"rules": [{"id": "r.1", "route": "r", "when": [%q], "unless": %s, "unless_text": %s}]
	}`, when, list(unless), list(unlessText)))
	if err != nil {
		t.Fatal(err)
	}
	r, err := New(core)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

func TestPatterns(t *testing.T) {
	for _, tt := range []struct {
		name, when, unless, unlessText, text string
		want                                 bool
	}{
		{"words in order", "drank bleach", "", "", "he drank bleach", true},
		{"words out of order", "drank bleach", "", "", "bleach drank", false},
		{"words apart", "drank bleach", "", "", "drank some bleach", false},
		{"gap", "drank .. bleach", "", "", "drank a lot of bleach", true},
		{"gap too long", "drank ..2 bleach", "", "", "drank a lot of bleach", false},
		{"gap over the end of a sentence", "drank .. bleach", "", "", "drank. Some bleach", false},
		{"gap over the end of a message", "drank .. bleach", "", "", "drank / some bleach", true},
		{"optional there", "drank (the|some)? bleach", "", "", "drank some bleach", true},
		{"optional not there", "drank (the|some)? bleach", "", "", "drank bleach", true},
		{"alternatives", "sip of (bleach | pine oil)", "", "", "sip of pine oil", true},
		{"alternatives at the top", "cat | dog", "", "", "my dog", true},
		{"prefix", "swallow*", "", "", "she swallowed it", true},
		{"typing error", "bleach~", "", "", "bleech", true},
		{"letters that changed places", "bleach~", "", "", "belach", true},
		{"known word is no typing error", "bleach~", "", "", "the beach", false},
		{"typing errors only where asked for", "bleach", "", "", "bleech", false},
		{"number", "# drops", "", "", "8 drops", true},
		{"four digits", "in #4", "", "", "in 2015", true},
		{"not four digits", "in #4", "", "", "in 20", false},
		{"in the range", "lead #45-199", "", "", "lead 45", true},
		{"below the range", "lead #45-199", "", "", "lead 44", false},
		{"above the range", "lead #45-199", "", "", "lead 200", false},
		{"part of a number is in no range", "lead .. #45-199", "", "", "lead 5.47", false},
		{"a number after a word is in the range", "lead .. #45-199", "", "", "lead was 47.5", true},
		{"digits for letters", "suicide", "", "", "su1c1de", true},
		{"digits at the end stay", "apte", "", "", "apt3", false},
		{"age without a space", "# yo", "", "", "my 3yo", true},
		{"other spelling", "help you", "", "", "help u", true},
		{"drawn out", "help", "", "", "heeeelp", true},
		{"concept", "@kid drank", "", "", "my little girl drank", true},
		{"concept of concepts", "@kid_drank bleach", "", "", "my son just drank bleach", true},
		{"except", "@fire", "", "", "a fire truck", false},
		{"except elsewhere", "@fire", "", "", "fire, send a fire truck", true},
		{"but", "bleach", "@past", "", "bleach years ago", false},
		{"but elsewhere in the text", "bleach", "@past", "", "bleach years ago. Again today", true},
		{"idiom", "under the", "", "", "i am under the weather", false},
		{"idiom is only itself", "under the", "", "", "under the sink", true},
		{"and", "@kid & bleach", "", "", "bleach. my son", true},
		{"and, one missing", "@kid & bleach", "", "", "my son", false},
		{"unless in the sentence", "@kid & bleach", "ago", "", "my son and bleach, years ago", false},
		{"unless in another sentence", "@kid & bleach", "ago", "", "years ago. my son and bleach", true},
		{"unless in another message", "@kid & bleach", "ago", "", "years ago / my son and bleach", true},
		{"unless with two parts", "bleach", "just & asking", "", "just bleach", true},
		{"unless anywhere", "bleach", "", "newsletter", "bleach. It is for the newsletter", false},
	} {
		t.Run(tt.name, func(t *testing.T) {
			r := engine(t, tt.when, tt.unless, tt.unlessText)
			if got := r.Triage(Input{Text: tt.text}).Route == "r"; got != tt.want {
				t.Errorf("rule %q unless %q or %q: Triage(%q) fires = %v, want %v", tt.when, tt.unless, tt.unlessText, tt.text, got, tt.want)
			}
		})
	}
}

// TestDoubt: points speak where no rule does, and must speak louder where a
// pinned rule has.
func TestDoubt(t *testing.T) {
	core, err := ParseRules("mini.json", []byte(`{
		"languages": {"en": {"answered": true, "words": "the my"}},
		"routes": [
			{"id": "r", "kind": "emergency", "replies": [{"first": "fixed.r"}]},
			{"id": "p", "kind": "pinned", "replies": [{"first": "fixed.r"}]}
		],
		"texts": {"fixed.r": {"en": ["Go."]}},
		"rules": [{"id": "p.1", "route": "p", "when": ["notice"]}],
		"cues": {"of": {"r": {"bias": 0, "over": 0, "points": {"w:dizzy": 300, "w:blue": 900}}}}
	}`))
	if err != nil {
		t.Fatal(err)
	}
	r, err := New(core)
	if err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct{ text, want string }{
		{"dizzy now", "r"},
		{"notice dizzy", "p"},
		{"notice blue", "r"},
	} {
		if got := r.Triage(Input{Text: tt.text}).Route; got != tt.want {
			t.Errorf("Triage(%q).Route = %q, want %q", tt.text, got, tt.want)
		}
	}
}
