package personas

import (
	"bufio"
	"encoding/json"
	"fmt"
	"os"
	"testing"

	"plumbline/bot"
)

type retelling struct {
	Of, Form, Told, Why string
	Faithful            bool
	Limits              []string
}

func TestExplorePara(t *testing.T) {
	g := testGuard(t)
	by := map[string]wording{}
	for _, w := range loadWordings(t) {
		by[w.ID] = w
	}
	name := os.Getenv("PARA")
	if name == "" {
		name = "testdata/retold.jsonl"
	}
	f, err := os.Open(name)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	sc := bufio.NewScanner(f)
	var n, bad [2]int
	for sc.Scan() {
		var r retelling
		if err := json.Unmarshal(sc.Bytes(), &r); err != nil {
			t.Fatal(err)
		}
		w := by[r.Of]
		claim := map[string]string{"en": w.En, "es": w.Es, "plain_en": w.PlainEn, "plain_es": w.PlainEs}[r.Form]
		var limits []bot.Limitation
		for _, l := range r.Limits {
			limits = append(limits, bot.Limitation{Text: l})
		}
		faults := g.Check([]bot.Claim{{Text: claim}}, limits, []string{r.Told})
		k := 0
		if r.Faithful {
			k = 1
		}
		n[k]++
		if r.Faithful != (len(faults) == 0) {
			bad[k]++
			fmt.Printf("FAITHFUL=%v %s %s (%s)\n  %s\n  %s\n  -> %v\n", r.Faithful, r.Of, r.Form, r.Why, claim, r.Told, faults)
		}
	}
	fmt.Printf("unfaithful %d missed %d; faithful %d refused %d\n", n[0], bad[0], n[1], bad[1])
}
