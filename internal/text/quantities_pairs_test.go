package text

import (
	"bufio"
	"encoding/json"
	"os"
	"slices"
	"strings"
	"testing"
)

type pairsRow struct {
	Text  string     `json:"text"`
	Pairs [][]string `json:"pairs"`
}

func readRows[T any](t testing.TB, path string) []T {
	t.Helper()
	f, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	var rows []T
	lines := bufio.NewScanner(f)
	lines.Buffer(nil, 1<<20)
	for lines.Scan() {
		var row T
		if err := json.Unmarshal(lines.Bytes(), &row); err != nil {
			t.Fatalf("%s: line %d: %v", path, len(rows)+1, err)
		}
		rows = append(rows, row)
	}
	if err := lines.Err(); err != nil {
		t.Fatal(err)
	}
	return rows
}

// scoredUnits are the units that the evaluation's own reading knows.
var scoredUnits = strings.Fields("ppb ppt ppm mg/l ug/dl ug/l ug/m3 ng/l % drop teaspoon tablespoon cup gallon second minute hour day week month year")

// TestQuantitiesCoverScoring holds Quantities to what the scoring of answers
// sees in 429 real wordings: testdata/pairs.jsonl has each number with its unit as
// the scoring script reads it (its "me" for Spanish months put right). A number that it joins to a unit must have
// the same Near; a number that it sees at all must be in some Value; and no
// Near may name a pair that it does not see.
func TestQuantitiesCoverScoring(t *testing.T) {
	rows := readRows[pairsRow](t, "testdata/pairs.jsonl")
	if len(rows) < 400 {
		t.Fatalf("%d rows, want at least 400", len(rows))
	}
	for _, row := range rows {
		got := Quantities(row.Text)
		seen := map[string]bool{} // every number, and every number with its Near
		for _, q := range got {
			parts := strings.FieldsFunc(q.Value, func(r rune) bool { return r == ' ' || r == '/' })
			for _, p := range parts {
				seen[p] = true
			}
			if slices.Contains(scoredUnits, q.Near) {
				last := parts[len(parts)-1]
				seen[last+" "+q.Near] = true
				if !slices.ContainsFunc(row.Pairs, func(p []string) bool { return p[0] == last && p[1] == q.Near }) {
					t.Errorf("Quantities(%q) has %s near %s, which scoring does not see: %q", row.Text, q.Value, q.Near, row.Pairs)
				}
			}
		}
		for _, p := range Phones(row.Text) {
			for _, digits := range strings.FieldsFunc(p.In(row.Text), func(r rune) bool { return r < '0' || r > '9' }) {
				seen[digits] = true
			}
		}
		urls := URLs(row.Text)
		for _, p := range row.Pairs {
			want := strings.TrimSpace(p[0] + " " + p[1])
			inURL := slices.ContainsFunc(urls, func(u Span) bool { return strings.Contains(u.In(row.Text), p[0]) })
			if !seen[want] && !inURL {
				t.Errorf("Quantities(%q) lacks %q: %+v", row.Text, want, got)
			}
		}
	}
}
