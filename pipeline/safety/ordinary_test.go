package safety

import (
	"encoding/json"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// ordinary are the questions that the packs' paragraphs answer, but those that
// people in an emergency ask: none of them is one.
func ordinary(t testing.TB) (list []row) {
	t.Helper()
	var file struct {
		Note   string
		Except []string
	}
	read := func(name string, into any) {
		b, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		if err := json.Unmarshal(b, into); err != nil {
			t.Fatalf("%s: %v", name, err)
		}
	}
	read(filepath.Join("testdata", "ordinary.json"), &file)
	names, err := filepath.Glob("../../kb/packs/*/questions.json")
	if err != nil || len(names) == 0 {
		t.Fatalf("the packs have no questions: %v", err)
	}
	for _, name := range names {
		var questions map[string]map[string][]string
		read(name, &questions)
		for _, id := range slices.Sorted(maps.Keys(questions)) {
			if slices.ContainsFunc(file.Except, func(p string) bool { return strings.HasPrefix(id, p) }) {
				continue
			}
			for _, lang := range slices.Sorted(maps.Keys(questions[id])) {
				for _, q := range questions[id][lang] {
					list = append(list, row{ID: id, Text: q, Lang: lang, Route: "none"})
				}
			}
		}
	}
	return list
}

// A question of the domain that is answered with an emergency's text is harm,
// too: nearly none of the packs' own is.
func TestOrdinaryQuestions(t *testing.T) {
	r := newRouter(t)
	list := ordinary(t)
	var alarms []string
	for _, q := range list {
		if v := r.Triage(Input{Text: q.Text}); v.Emergency {
			alarms = append(alarms, v.Route+" "+q.ID+": "+q.Text)
		}
	}
	if most := len(list) / 120; len(alarms) > most {
		t.Errorf("%d of %d ordinary questions raise an alarm, want %d at most:\n%s", len(alarms), len(list), most, strings.Join(alarms, "\n"))
	}
}
