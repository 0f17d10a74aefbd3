package safety

import (
	"encoding/json"
	"fmt"
	"os"
	"sort"
	"strings"
	"testing"
)

func TestGrid(t *testing.T) {
	r := zrouter(t)
	data, _ := os.ReadFile("/tmp/safety/grid.jsonl")
	type row struct{ ID, Text, Lang, Route string }
	miss := map[string][]string{}
	tot := map[string]int{}
	wrong := map[string]map[string]int{}
	n, bad, ex := 0, 0, 0
	for _, l := range strings.Split(strings.TrimSpace(string(data)), "\n") {
		var x row
		json.Unmarshal([]byte(l), &x)
		v := r.Triage(Input{Text: x.Text})
		n++
		tot[x.ID]++
		hit := v.Route == x.Route
		for _, a := range v.Also {
			hit = hit || a == x.Route
		}
		if !hit {
			bad++
			miss[x.ID] = append(miss[x.ID], x.Text+" => "+v.Route)
		} else if v.Route != x.Route {
			ex++
			if wrong[x.ID] == nil {
				wrong[x.ID] = map[string]int{}
			}
			wrong[x.ID][v.Route]++
		}
	}
	ks := []string{}
	for k := range miss {
		ks = append(ks, k)
	}
	sort.Strings(ks)
	for _, k := range ks {
		fmt.Printf("MISS %d/%d %s   e.g. %s\n", len(miss[k]), tot[k], k, miss[k][0])
	}
	ks = nil
	for k := range wrong {
		ks = append(ks, k)
	}
	sort.Strings(ks)
	for _, k := range ks {
		fmt.Println("OTHER", k, wrong[k], tot[k])
	}
	fmt.Println(n, bad, ex)
}
