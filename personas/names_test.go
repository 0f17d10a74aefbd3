package personas

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"testing"

	"plumbline/bot"
	"plumbline/kb"
	"plumbline/kb/packs"
	"plumbline/personas/guardtest"
)

// packNames are the hazards of a pack's table.
func packNames(p *kb.Pack) (list []Name) {
	both := func(lists map[string][]string) []string { return slices.Concat(lists["en"], lists["es"]) }
	for _, n := range p.Names {
		list = append(list, Name{ID: n.ID, Kind: n.Kind, Forms: both(n.Forms), Written: both(n.Written), Not: both(n.Not)})
	}
	return list
}

// hazardsOf joins the hazards of packs: those of one id are one.
func hazardsOf(list []*kb.Pack) (all []Name) {
	for _, p := range list {
		for _, n := range packNames(p) {
			i := slices.IndexFunc(all, func(o Name) bool { return o.ID == n.ID })
			if i < 0 {
				all = append(all, n)
				continue
			}
			all[i].Forms = append(all[i].Forms, n.Forms...)
			all[i].Written = append(all[i].Written, n.Written...)
			all[i].Not = append(all[i].Not, n.Not...)
		}
	}
	return all
}

// packGuard is the guard of a pack, as its voices have it.
func packGuard(set *Set, p *kb.Pack) *Guard {
	n := Names{Hazards: packNames(p)}
	for _, a := range p.Contacts.Agencies {
		forms := []string{a.Name["en"], a.Name["es"]}
		if a.Short != "" {
			forms = append(forms, a.Short)
		}
		n.Agencies = append(n.Agencies, Name{ID: a.ID, Forms: forms})
	}
	for _, j := range p.Manifest.Places {
		n.Places = append(n.Places, Name{ID: j.ID, Forms: slices.Concat([]string{j.Name["en"], j.Name["es"]}, j.Forms["en"], j.Forms["es"])})
	}
	return set.Guard(n)
}

// packsOf loads the packs that come with the program.
func packsOf(t testing.TB) (list []*kb.Pack) {
	t.Helper()
	for _, name := range packs.Names() {
		p, err := kb.Load(packs.Files, name)
		if err != nil {
			t.Fatal(err)
		}
		list = append(list, p)
	}
	return list
}

// A wordedTwice is one thing that a pack says in both languages.
type wordedTwice struct {
	id, en, es string
}

// saidBy lists what may be told from a pack.
func saidBy(p *kb.Pack) (list []wordedTwice) {
	add := func(id string, t kb.Text) { list = append(list, wordedTwice{id, t["en"], t["es"]}) }
	for _, d := range p.Documents {
		for _, s := range d.Sections {
			for _, sub := range s.Subsections {
				for _, x := range sub.Paragraphs {
					for level, w := range map[string]map[string]kb.Wording{"exact": x.Exact, "plain": x.Plain} {
						if w["en"].Text != "" && w["es"].Text != "" {
							list = append(list, wordedTwice{x.ID + " " + level, w["en"].Text, w["es"].Text})
						}
					}
				}
			}
		}
	}
	for _, n := range p.Guidance.NextSteps {
		add(n.ID, n.Say)
	}
	for _, l := range p.Guidance.Limits {
		add(l.ID, l.Say)
	}
	for _, q := range p.Asking.Clarify {
		add(q.ID, q.Say)
	}
	for _, r := range p.Scope {
		add(r.ID, r.Say)
	}
	slices.SortFunc(list, func(a, b wordedTwice) int { return cmp.Compare(a.id, b.id) })
	return list
}

// hazardsIn lists the hazards that a guard reads in a text, each once.
func hazardsIn(g *Guard, s string) (list []string) {
	for _, n := range g.read(s).names {
		if n.kind == hazard && !n.part {
			list = append(list, g.ids[hazard][n.id])
		}
	}
	slices.Sort(list)
	return slices.Compact(list)
}

func without(list, of []string) (rest []string) {
	for _, s := range list {
		if !slices.Contains(of, s) {
			rest = append(rest, s)
		}
	}
	return rest
}

// sayElse are the hazards that one language names and the other leaves to the
// rest of what it says, by why that is all right. None is a matter of forms.
var sayElse = map[string][]string{
	"the Spanish says the metal for the lines that are of it": {
		"cost.nj plain en pipe", "nj.landlord-bill plain en pipe", "nj.notice-sep plain en pipe", "nj.notice30 plain en pipe", "nwk.free plain en pipe",
		"rule.2037 plain en pipe",
	},
	"the Spanish says works, lists or inspection, of what is plain": {
		"disc.drink plain en pipe", "leadfree.def plain en pipe", "nwk.alerts plain en pipe", "nwk.leadphone plain en pipe", "nwk.loan plain en pipe", "rule.categories plain en pipe",
	},
	"the Spanish names the rule by its letters, the sample by its first draw": {
		"rule.defend plain en lead", "rule.history plain en lead", "rule.suit plain en lead", "test.stagnant plain en lead",
	},
	"one says once what the other says twice or by a pronoun": {
		"disc.drink plain en drink", "filt.5ppb plain en test", "lead.flush plain en dishes", "next.pfas en test", "next.school en child", "nwk.audit-filters plain en replace",
		"pfas.filter-70 plain en filter", "pwta.params plain es test", "pwta.results plain en test", "rule.deferred plain en replace", "hvac.nopollute plain en particles", "pac.cr plain en fan",
	},
	"a figure or a border changes, nothing is replaced": {"nwk.east-ward exact es replace", "nwk.east-ward plain es replace", "rule.count plain en replace"},
	"told to boil is the notice":                        {"nwk.2022break exact en boil", "nwk.2022break exact es boil-notice"},
	"it says what the sources are of":                   {"scope.bleach-cleaning en drink", "scope.pool-chemicals en drink", "scope.local-alerts-now es pipe"},
}

// TestNamesInBothLanguages: what a pack says names the same hazards in English
// and in Spanish, so that a telling in either is held to the same.
func TestNamesInBothLanguages(t *testing.T) {
	set, used, fine := testSet(t), map[string]bool{}, map[string]bool{}
	for _, list := range sayElse {
		for _, key := range list {
			fine[key] = true
		}
	}
	for _, p := range packsOf(t) {
		g := packGuard(set, p)
		n := 0
		for _, s := range saidBy(p) {
			en, es := hazardsIn(g, s.en), hazardsIn(g, s.es)
			n += len(en)
			var differ []string
			for lang, only := range map[string][]string{"en": without(en, es), "es": without(es, en)} {
				for _, id := range only {
					key := fmt.Sprintf("%s %s %s", s.id, lang, id)
					if fine[key] {
						used[key] = true
						continue
					}
					differ = append(differ, lang+" "+id)
				}
			}
			if slices.Sort(differ); len(differ) > 0 {
				t.Errorf("%s %s: only one language names %s:\n\t%s\n\t%s", p.Manifest.Name, s.id, strings.Join(differ, ", "), s.en, s.es)
			}
		}
		t.Logf("%s: %d hazards named", p.Manifest.Name, n)
	}
	for key := range fine {
		if !used[key] {
			t.Errorf("both languages name %q alike, or neither does", key)
		}
	}
}

// hazardsFor are the hazards of a pack for guardtest.
func hazardsFor(list []*kb.Pack) (all []guardtest.Hazard) {
	for _, p := range list {
		for _, n := range p.Names {
			all = append(all, guardtest.Hazard{ID: n.ID, Kind: n.Kind, Forms: n.Forms, Not: slices.Concat(n.Not["en"], n.Not["es"])})
		}
	}
	return all
}

// TestHazardsChanged exchanges, drops and adds one hazard of what a pack says at a
// time.
func TestHazardsChanged(t *testing.T) {
	set := testSet(t)
	as := func(s string) string { return s }
	caught, total := map[string]int{}, map[string]int{}
	for _, p := range packsOf(t) {
		g, all := packGuard(set, p), hazardsFor([]*kb.Pack{p})
		for i, s := range saidBy(p) {
			if i%5 > 0 && !*long {
				continue
			}
			for lang, text := range map[string]string{"en": s.en, "es": s.es} {
				for _, m := range guardtest.Hazards(text, lang, all, as) {
					total[m.Sort]++
					if len(g.Check([]bot.Claim{{Text: text}}, nil, []string{m.Text})) > 0 {
						caught[m.Sort]++
					} else {
						t.Errorf("Check(%q told as %q) = none, want a fault: %q was %s", text, m.Text, m.Was, m.Sort)
					}
				}
			}
		}
	}
	t.Logf("caught %v of %v", caught, total)
	for _, sort := range []string{"exchanged", "joined", "dropped"} {
		if total[sort] == 0 {
			t.Errorf("no hazard was %s", sort)
		}
	}
}

// TestNeighbour: what packs say, told again honestly and warmly by hand, passes,
// and no hazard is why where one does not.
func TestNeighbour(t *testing.T) {
	const passed = 0.85
	set := testSet(t)
	guards, wordings := map[string]*Guard{}, map[string]map[string]string{}
	for _, p := range packsOf(t) {
		g := packGuard(set, p)
		for _, s := range saidBy(p) {
			if id, ok := strings.CutSuffix(s.id, " plain"); ok {
				guards[id], wordings[id] = g, map[string]string{"en": s.en, "es": s.es}
			}
		}
	}
	right, total := map[string]int{}, map[string]int{}
	for _, r := range readLines[struct{ Of, Lang, Told string }](t, "testdata/neighbour.jsonl") {
		if guards[r.Of] == nil {
			t.Fatalf("there is no paragraph %q", r.Of)
		}
		total[r.Lang]++
		faults := guards[r.Of].Check([]bot.Claim{{Text: wordings[r.Of][r.Lang]}}, nil, []string{r.Told})
		if len(faults) == 0 {
			right[r.Lang]++
			continue
		}
		t.Logf("refused: %q of %s: %v", r.Told, r.Of, faults)
		for _, f := range faults {
			if f.Kind == LostHazard || f.Kind == NewHazard {
				t.Errorf("%q of %s: %v, want none: it is told in other words", r.Told, r.Of, f)
			}
		}
	}
	for _, lang := range []string{"en", "es"} {
		t.Logf("%s: %d of %d pass", lang, right[lang], total[lang])
		if float64(right[lang]) < passed*float64(total[lang]) {
			t.Errorf("%s: %d of %d honest tellings pass, want %.0f %%", lang, right[lang], total[lang], 100*passed)
		}
	}
}
