package safety

import (
	"encoding/json"
	"fmt"
	"os"
	"sort"
	"strings"
	"testing"
)

func zrouter(t testing.TB) *Router {
	d, _ := os.ReadFile("testdata/drinking-water-safety.json")
	p, err := ParseRules("drinking-water-safety.json", d)
	if err != nil {
		t.Fatal(err)
	}
	r, err := New(Core(), p)
	if err != nil {
		t.Fatal(err)
	}
	return r
}
func TestZ(t *testing.T) {
	r := zrouter(t)
	for _, f := range strings.Split(os.Getenv("Z"), ",") {
		data, err := os.ReadFile(f)
		if err != nil {
			t.Fatal(err)
		}
		type row struct {
			ID, Text, Lang, Route string
			Also                  []string
			Must_first            string
			Must_not              []string
			Expected              string
		}
		var tp, fn, fp, exact, nt, nn, crit int
		wrong := []string{}
		langwrong := 0
		for _, l := range strings.Split(strings.TrimSpace(string(data)), "\n") {
			var x row
			if err := json.Unmarshal([]byte(l), &x); err != nil {
				t.Fatal(err)
			}
			if x.Expected != "" {
				x.Route = "none"
				if x.Expected == "emergency" {
					x.Route = "?"
				}
			}
			v := r.Triage(Input{Text: x.Text})
			ids := []string{}
			for _, m := range v.Why {
				ids = append(ids, m.Rule)
			}
			got := v.Route
			ok := got == x.Route || (x.Route == "?" && got != "")
			for _, a := range x.Also {
				ok = ok || got == a
			}
			if x.Route != "none" {
				nt++
				if ok {
					tp++
				} else {
					fn++
				}
				if got == x.Route {
					exact++
				}
				if got == "" && (x.Route == "life_threat" || x.Route == "swallowed" || x.Route == "self_harm" || x.Route == "blue_baby") {
					crit++
				}
				wl := x.Lang
				if wl != "en" && wl != "es" {
					wl = "other"
				}
				if x.Lang != "" && v.Lang != wl && got != "" {
					langwrong++
					wrong = append(wrong, fmt.Sprintf("LANG %s %s got %s(%s) | %s", x.ID, x.Lang, v.Lang, v.Spoken, x.Text))
				}
			} else {
				nn++
				if got != "" {
					fp++
				}
			}
			if (x.Route != "none" && got != x.Route && x.Route != "?") || (x.Route == "none" && got != "") {
				wrong = append(wrong, fmt.Sprintf("%s %s want %s%v got %q%v %v | %s", x.ID, x.Lang, x.Route, x.Also, got, v.Also, ids, x.Text))
			}
			if len(x.Also) > 0 && os.Getenv("ALSO") != "" {
				wrong = append(wrong, fmt.Sprintf("ALSO %s want %s%v got %s%v", x.ID, x.Route, x.Also, v.Route, v.Also))
			}
		}
		sort.Strings(wrong)
		if os.Getenv("Q") == "" {
			for _, w := range wrong {
				fmt.Println(w)
			}
		}
		fmt.Printf("%s n=%d/%d recall %.3f precision %.3f exact %d fn %d fp %d crit %d lang %d\n", f, nt, nn, float64(tp)/float64(nt), float64(tp)/float64(tp+fp), exact, fn, fp, crit, langwrong)
	}
}
