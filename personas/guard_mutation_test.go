package personas

import (
	"flag"
	"testing"

	"plumbline/bot"
	"plumbline/personas/guardtest"
)

// testForms are the ways in which each agency is called.
func testForms(t *testing.T) (list [][]string) {
	for _, a := range testNames(t).Agencies {
		list = append(list, a.Forms)
	}
	return list
}

var long = flag.Bool("long", false, "mutate every wording, not one in four")

// TestMutations changes one number, unit, date, telephone number, address,
// negation or agency of a wording at a time, wherever it stands.
func TestMutations(t *testing.T) {
	least := map[string]float64{"number": 1, "unit": 1, "date": 1, "phone": 1, "url": 1, "negation": 1, "agency": 1}
	g := fullGuard(t)
	agencies := testForms(t)
	caught, total := map[string]int{}, map[string]int{}
	list, _ := wordings(t)
	for i, w := range list {
		if i%4 > 0 && !*long {
			continue
		}
		for _, form := range []string{"en", "plain_en", "es", "plain_es"} {
			s := w.in(form)
			claim := []bot.Claim{{Text: s}}
			if faults := g.Check(claim, nil, []string{s}); len(faults) > 0 {
				t.Errorf("Check(%q, as it stands) = %v, want none", s, faults)
			}
			for _, m := range guardtest.Mutations(s, form[len(form)-2:], agencies) {
				total[m.Sort]++
				if len(g.Check(claim, nil, []string{m.Text})) > 0 {
					caught[m.Sort]++
				} else {
					t.Logf("missed: %s %q of %q told as %q", m.Sort, m.Was, s, m.Text)
				}
			}
		}
	}
	for sort, want := range least {
		n := total[sort]
		t.Logf("%s: %d of %d caught", sort, caught[sort], n)
		if n == 0 || float64(caught[sort]) < want*float64(n) {
			t.Errorf("%s: %d of %d mutations caught, want %.0f %%", sort, caught[sort], n, 100*want)
		}
	}
}

// TestMutationsAmongClaims changes one thing of one claim where others are told
// beside it, verbatim.
func TestMutationsAmongClaims(t *testing.T) {
	g := fullGuard(t)
	agencies := testForms(t)
	list, _ := wordings(t)
	caught, total := 0, 0
	step := 12
	if *long {
		step = 3
	}
	for i := 0; i+2 < len(list); i += step {
		for _, form := range []string{"plain_en", "plain_es"} {
			var claims []bot.Claim
			for _, w := range list[i : i+3] {
				claims = append(claims, bot.Claim{Text: w.in(form)})
			}
			for _, m := range guardtest.Mutations(claims[1].Text, form[len(form)-2:], agencies) {
				if m.Sort == "negation" || m.Sort == "agency" {
					continue
				}
				total++
				told := []string{claims[0].Text + " " + m.Text, claims[2].Text}
				if len(g.Check(claims, nil, told)) > 0 {
					caught++
				} else {
					t.Errorf("Check(%q) = none, want a fault: %s %q was changed", told, m.Sort, m.Was)
				}
			}
		}
	}
	t.Logf("%d of %d caught", caught, total)
}
