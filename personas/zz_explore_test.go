package personas

import (
	"bufio"
	"encoding/json"
	"fmt"
	"os"
	"plumbline/bot"
	"testing"
)

type wording struct {
	ID, En, Es            string
	PlainEn               string `json:"plain_en"`
	PlainEs               string `json:"plain_es"`
	Agency, Date, Caveats string
}

func loadWordings(t testing.TB) []wording {
	f, err := os.Open("testdata/wordings.jsonl")
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	var list []wording
	sc := bufio.NewScanner(f)
	for sc.Scan() {
		var w wording
		if err := json.Unmarshal(sc.Bytes(), &w); err != nil {
			t.Fatal(err)
		}
		list = append(list, w)
	}
	return list
}

func testGuard(t testing.TB) *Guard {
	s, err := Default()
	if err != nil {
		t.Fatal(err)
	}
	return s.Guard(testNames(t))
}

func testNames(t testing.TB) Names {
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

func TestExplorePlain(t *testing.T) {
	g := testGuard(t)
	kinds := map[string]map[Kind]int{}
	clean := map[string]int{}
	for _, w := range loadWordings(t) {
		for _, p := range []struct{ lang, from, to string }{{"en", w.En, w.PlainEn}, {"es", w.Es, w.PlainEs}} {
			faults := g.Check([]bot.Claim{{Text: p.from}}, nil, []string{p.to}, w.Caveats)
			if len(faults) == 0 {
				clean[p.lang]++
				continue
			}
			if kinds[p.lang] == nil {
				kinds[p.lang] = map[Kind]int{}
			}
			seen := map[Kind]bool{}
			for _, f := range faults {
				if !seen[f.Kind] {
					kinds[p.lang][f.Kind]++
					seen[f.Kind] = true
				}
			}
			fmt.Printf("%s %s\n  %s\n  %s\n  -> %v\n", w.ID, p.lang, p.from, p.to, faults)
		}
	}
	fmt.Println(clean, kinds)
}
