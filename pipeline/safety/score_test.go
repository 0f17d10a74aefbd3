package safety

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
)

// A row is one labelled message; " / " in a text stands for two messages.
type row struct {
	ID        string   `json:"id"`
	Text      string   `json:"text"`
	Lang      string   `json:"lang"`
	Route     string   `json:"route"`
	Also      []string `json:"also"`
	MustFirst string   `json:"must_first"`
	MustNot   []string `json:"must_not"`
	Note      string   `json:"note"`
}

var criticalRoutes = []string{"life_threat", "swallowed", "self_harm", "blue_baby"}

func rows(t testing.TB, name string) []row {
	t.Helper()
	data, err := os.ReadFile(filepath.Join("testdata", name))
	if err != nil {
		t.Fatal(err)
	}
	var out []row
	for line := range bytes.Lines(data) {
		var r row
		if err := json.Unmarshal(line, &r); err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		out = append(out, r)
	}
	return out
}

// pack reads rules of a pack that comes with the program.
func pack(t testing.TB, name string) Rules {
	t.Helper()
	data, err := os.ReadFile(filepath.Join("../../kb/packs", name))
	if err != nil {
		t.Fatal(err)
	}
	p, err := ParseRules(name, data)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// water is the drinking water pack: its rules and its points.
func water(t testing.TB) Rules {
	t.Helper()
	return append(pack(t, "drinking-water/safety.json"), pack(t, "drinking-water/cues.json")...)
}

// newRouter is the core with the drinking water pack.
func newRouter(t testing.TB) *Router {
	t.Helper()
	r, err := New(Core(), water(t))
	if err != nil {
		t.Fatal(err)
	}
	return r
}

var verdicts sync.Map

// verdict is what the core and the drinking water pack make of a labelled
// message. It is worked out once for all tests.
func verdict(r *Router, text string) Verdict {
	if v, ok := verdicts.Load(text); ok {
		return v.(Verdict)
	}
	v := r.Triage(Input{Text: text})
	verdicts.Store(text, v)
	return v
}

func TestScore(t *testing.T) {
	r := newRouter(t)
	for _, name := range []string{"safety-dev.jsonl", "safety-own.jsonl"} {
		t.Run(name, func(t *testing.T) {
			var hit, missed, alarms, exact, positives, critical int
			confusion := map[string]int{}
			for _, row := range rows(t, name) {
				v := r.Triage(Input{Text: row.Text})
				isRight := v.Route == row.Route || slices.Contains(row.Also, v.Route)
				switch {
				case row.Route == none && v.Route != "":
					alarms++
				case row.Route == none:
					continue
				default:
					positives++
					if isRight {
						hit++
					} else {
						missed++
					}
					if v.Route == row.Route {
						exact++
						continue
					}
					if v.Route == "" && slices.Contains(criticalRoutes, row.Route) {
						critical++
					}
				}
				confusion[row.Route+" as "+v.Route]++
				fmt.Fprintf(t.Output(), "%s: %q: route %q %v, want %s\n", row.ID, row.Text, v.Route, ids(v.Why), row.Route)
			}
			recall, precision := float64(hit)/float64(positives), float64(hit)/float64(hit+alarms)
			fmt.Fprintf(t.Output(), "recall %.3f, precision %.3f, exact %d of %d, critical missed %d\n", recall, precision, exact, positives, critical)
			if recall < 0.98 || precision < 0.95 || critical > 0 || exact*100 < positives*97 {
				t.Errorf("recall %.3f, precision %.3f, exact %d of %d, critical missed %d; confusion %v", recall, precision, exact, positives, critical, confusion)
			}
		})
	}
}

// TestQuestions asks what residents ask on an ordinary day: nobody is sent to 911.
func TestQuestions(t *testing.T) {
	r := newRouter(t)
	for _, row := range rows(t, "questions.jsonl") {
		if v := r.Triage(Input{Text: row.Text}); v.Emergency {
			t.Errorf("%s: Triage(%q).Route = %q %v, want no emergency", row.ID, row.Text, v.Route, ids(v.Why))
		}
	}
}

func ids(why []Match) []string {
	var out []string
	for _, m := range why {
		out = append(out, m.Rule)
	}
	return out
}

// TestSaid checks the texts that labelled messages get: an accepted form stands
// first and nothing forbidden is said.
func TestSaid(t *testing.T) {
	r := newRouter(t)
	for _, name := range []string{"safety-dev.jsonl", "safety-own.jsonl"} {
		for _, row := range rows(t, name) {
			v := verdict(r, row.Text)
			if row.Route == none || v.Route == "" {
				continue
			}
			first, more := r.Text(v, v.Lang)
			if want := row.MustFirst; !firstIs(first, want) {
				t.Errorf("%s %s: Text(%q) = %q, want one of %q first", row.ID, v.Route, row.Text, first, want)
			}
			for _, said := range row.MustNot {
				if strings.Contains(plain(strings.Join(append(more, first), " ")), plain(said)) {
					t.Errorf("%s: Text(%q) says %q", row.ID, row.Text, said)
				}
			}
			if slices.Contains([]string{"en", "es"}, row.Lang) && v.Lang != row.Lang {
				fmt.Fprintf(t.Output(), "%s: Triage(%q).Lang = %q, want %q\n", row.ID, row.Text, v.Lang, row.Lang)
			}
		}
	}
}

// TestLanguage allows for short and mixed messages only.
func TestLanguage(t *testing.T) {
	r := newRouter(t)
	wrong, all := 0, 0
	for _, name := range []string{"safety-dev.jsonl", "safety-own.jsonl"} {
		for _, row := range rows(t, name) {
			v := verdict(r, row.Text)
			want := row.Lang
			if want != "en" && want != "es" {
				want = "other"
			}
			if v.Route == "" {
				continue
			}
			if all++; v.Lang != want {
				wrong++
				fmt.Fprintf(t.Output(), "%s: Triage(%q).Lang = %q (%s), want %q\n", row.ID, row.Text, v.Lang, v.Spoken, want)
			}
		}
	}
	if wrong*100 > all {
		t.Errorf("%d of %d messages are told to be in the wrong language, want at most one in a hundred", wrong, all)
	}
}

// firstIs tells whether one of the forms stands within 160 characters of the
// text and before every number. Where both 911 and Poison Help are accepted, both
// must stand.
func firstIs(text, forms string) bool {
	if forms == "" {
		return true
	}
	text = plain(text)
	at := -1
	for form := range strings.SplitSeq(forms, "|") {
		if i := strings.Index(text, plain(form)); i >= 0 && (at < 0 || i < at) {
			at = i
		}
	}
	if strings.Contains(forms, "911|1-800-222-1222") && !(strings.Contains(text, "911") && strings.Contains(text, "1-800-222-1222")) {
		return false
	}
	number := numberForm.FindStringIndex(text)
	return at >= 0 && at < 160 && (number == nil || at <= number[0])
}

// plain folds to lower case without accents, and keeps everything else.
func plain(s string) string {
	return strings.NewReplacer("á", "a", "é", "e", "í", "i", "ó", "o", "ú", "u", "ñ", "n", "ü", "u").Replace(strings.ToLower(s))
}
