package personas

import (
	"bufio"
	"encoding/json"
	"os"
	"testing"

	"plumbline/bot"
)

// A wording is one fact with its exact and its plain text.
type wording struct {
	ID      string `json:"id"`
	En      string `json:"en"`
	Es      string `json:"es"`
	PlainEn string `json:"plain_en"`
	PlainEs string `json:"plain_es"`
	Agency  string `json:"agency"`
	Date    string `json:"date"`
}

// in returns a wording by its form: en, es, plain_en or plain_es.
func (w wording) in(form string) string {
	return map[string]string{"en": w.En, "es": w.Es, "plain_en": w.PlainEn, "plain_es": w.PlainEs}[form]
}

// plain returns the plain wording in a language.
func (w wording) plain(lang bot.Language) string { return w.in("plain_" + string(lang)) }

// wordings returns the facts of testdata in their order, and by id.
func wordings(t testing.TB) (list []wording, by map[string]wording) {
	t.Helper()
	list = readLines[wording](t, "testdata/wordings.jsonl")
	by = make(map[string]wording, len(list))
	for _, w := range list {
		by[w.ID] = w
	}
	return list, by
}

// readLines decodes a file of one JSON value a line.
func readLines[T any](t testing.TB, name string) []T {
	t.Helper()
	f, err := os.Open(name)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	var list []T
	sc := bufio.NewScanner(f)
	for sc.Scan() {
		var v T
		if err := json.Unmarshal(sc.Bytes(), &v); err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		list = append(list, v)
	}
	if err := sc.Err(); err != nil || len(list) == 0 {
		t.Fatalf("%s: %d values, %v", name, len(list), err)
	}
	return list
}

// testSet returns the personas of the program.
func testSet(t testing.TB) *Set {
	t.Helper()
	s, err := Default()
	if err != nil {
		t.Fatalf("Default() = %v", err)
	}
	return s
}

// testNames returns the names of testdata: those that two packs would give.
func testNames(t testing.TB) Names {
	t.Helper()
	data, err := os.ReadFile("testdata/names.json")
	if err != nil {
		t.Fatal(err)
	}
	var n Names
	if err := json.Unmarshal(data, &n); err != nil {
		t.Fatal(err)
	}
	return n
}

func testGuard(t testing.TB) *Guard {
	t.Helper()
	return testSet(t).Guard(testNames(t))
}

// fullGuard knows the agencies and places of testdata and the hazards of the
// packs.
func fullGuard(t testing.TB) *Guard {
	t.Helper()
	n := testNames(t)
	n.Hazards = hazardsOf(packsOf(t))
	return testSet(t).Guard(n)
}
