package personas

import (
	"testing"

	"plumbline/bot"
)

// TestRetold holds the guard to rewrites written by hand: 150 that a careful
// person would let through and 150 that no one should. Batches 2 and 3 were
// written after the guard had been tuned on those before them.
func TestRetold(t *testing.T) {
	const (
		caught = 0.95 // of the unfaithful
		passed = 0.85 // of the faithful
	)
	g := fullGuard(t)
	_, by := wordings(t)
	type tally struct{ n, right int }
	faithful, unfaithful := map[string]*tally{}, map[string]*tally{}
	for _, r := range readLines[struct {
		Batch      int
		Of         []string // ids of facts
		Form, Told string
		Faithful   bool
		Why        string
		Limits     []string
	}](t, "testdata/retold.jsonl") {
		var claims []bot.Claim
		for _, id := range r.Of {
			claims = append(claims, bot.Claim{Text: by[id].in(r.Form)})
		}
		var limits []bot.Limitation
		for _, l := range r.Limits {
			limits = append(limits, bot.Limitation{Text: l})
		}
		faults := g.Check(claims, limits, []string{r.Told})
		tallies := unfaithful
		if r.Faithful {
			tallies = faithful
		}
		lang := r.Form[len(r.Form)-2:]
		if tallies[lang] == nil {
			tallies[lang] = new(tally)
		}
		tallies[lang].n++
		switch {
		case r.Faithful == (len(faults) == 0):
			tallies[lang].right++
		case r.Faithful:
			t.Logf("refused, batch %d: %q of %v: %v", r.Batch, r.Told, r.Of, faults)
		default:
			t.Logf("missed, batch %d: %q of %v: %s", r.Batch, r.Told, r.Of, r.Why)
		}
	}
	for _, lang := range []string{"en", "es"} {
		u, f := unfaithful[lang], faithful[lang]
		t.Logf("%s: %d of %d unfaithful rewrites caught, %d of %d faithful ones passed", lang, u.right, u.n, f.right, f.n)
		if float64(u.right) < caught*float64(u.n) {
			t.Errorf("%s: %d of %d unfaithful rewrites caught, want %.0f %%", lang, u.right, u.n, 100*caught)
		}
		if float64(f.right) < passed*float64(f.n) {
			t.Errorf("%s: %d of %d faithful rewrites passed, want %.0f %%", lang, f.right, f.n, 100*passed)
		}
	}
}
