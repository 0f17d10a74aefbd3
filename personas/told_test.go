package personas

import (
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"

	"plumbline/bot"
	"plumbline/internal/gsm7"
)

var update = flag.Bool("update", false, "write golden files")

// An exchange is a question and what is to be told, in both languages.
type exchange struct {
	Asked    Text     `json:"asked"`
	Topic    Text     `json:"topic"`
	Danger   []string `json:"danger"`
	Direct   []string `json:"direct"`
	Context  []string `json:"context"`
	Proposed []string `json:"proposed"`
	NotYet   []string `json:"not_yet"`
	Limits   []Text   `json:"limits"`
	Next     Text     `json:"next"`
}

func exchanges(t testing.TB) []exchange {
	data, err := os.ReadFile("testdata/exchanges.json")
	if err != nil {
		t.Fatal(err)
	}
	var list []exchange
	if err := json.Unmarshal(data, &list); err != nil {
		t.Fatal(err)
	}
	return list
}

// testAgencies are agencies as a pack has them.
var testAgencies = []Agency{
	{Forms: []string{"US EPA", "EPA"}, Name: Text{"en": "EPA", "es": "EPA"}, Role: Text{"en": "Sets the national rules.", "es": "Fija las reglas nacionales."}},
	{Forms: []string{"New Jersey DEP", "NJDEP"}, Name: Text{"en": "NJDEP", "es": "NJDEP"}, Role: Text{"en": "Enforces them in New Jersey.", "es": "Las hace cumplir en Nueva Jersey."}},
	{Forms: []string{"City of Newark"}, Name: Text{"en": "City of Newark", "es": "Ciudad de Newark"}, Role: Text{"en": "Runs the water system.", "es": "Maneja el sistema de agua."}},
	{Forms: []string{"US CDC", "CDC"}, Name: Text{"en": "CDC", "es": "CDC"}, Role: Text{"en": "Gives health advice.", "es": "Da consejos de salud."}},
}

// telling makes a Telling of an exchange.
func (e exchange) telling(t testing.TB, by map[string]wording, persona string, lang bot.Language, narrow bool) Telling {
	tell := Telling{Persona: persona, Lang: lang, Asked: e.Asked[lang], Topic: e.Topic[lang], Narrow: narrow, Agencies: testAgencies}
	add := func(role bot.Role, ids []string) {
		for _, id := range ids {
			w, ok := by[id]
			if !ok {
				t.Fatalf("there is no fact %q", id)
			}
			said := w.plain(lang)
			src := bot.Source{Agency: w.Agency, Date: w.Date}
			tell.Claims = append(tell.Claims, bot.Claim{Text: said, Role: role, Evidence: []bot.Evidence{{Paragraph: id, Quote: said, Source: src}}})
			var st Standing
			if slices.Contains(e.Proposed, id) {
				st = Proposed
			}
			if slices.Contains(e.NotYet, id) {
				st = NotYet
			}
			tell.Standing = append(tell.Standing, st)
		}
	}
	add(bot.Danger, e.Danger)
	add(bot.Direct, e.Direct)
	add(bot.Context, e.Context)
	for _, l := range e.Limits {
		tell.Limitations = append(tell.Limitations, bot.Limitation{Text: l[lang]})
	}
	tell.Claims = append(tell.Claims, bot.Claim{Text: e.Next[lang], Role: bot.Next})
	return tell
}

// firstMessage keeps pieces by Keep while they fit into two segments, and
// returns the rest: what the composer does, in short.
func firstMessage(pieces []Piece, lang bot.Language) (first string, rest []string) {
	order := make([]int, len(pieces))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(a, b int) int { return pieces[a].Keep - pieces[b].Keep })
	in := make([]bool, len(pieces))
	join := func() string {
		var texts []string
		for i, p := range pieces {
			if in[i] && (p.With < 0 || in[p.With]) {
				texts = append(texts, append([]string{p.Text}, p.Or...)[len(p.Or)])
			}
		}
		sent, _ := gsm7.Encode(strings.Join(texts, " "), gsm7.Options{Lang: string(lang), Fold: true, Spanish: lang == bot.Spanish})
		return sent
	}
	limit := gsm7.Limit{Segments: 2, Units: 2 * gsm7.GSM7Part}
	hint := strings.Repeat("x", 27)
	for _, i := range order {
		if pieces[i].Keep == KeepLater {
			continue
		}
		in[i] = true
		if !limit.Holds(join() + hint) {
			in[i] = false
		}
	}
	for i, p := range pieces {
		if !in[i] && p.Keep != KeepOpening && p.Keep != KeepCourtesy {
			rest = append(rest, p.Text)
		}
	}
	return join(), rest
}

func TestToldGolden(t *testing.T) {
	s := testSet(t)
	_, by := wordings(t)
	var b strings.Builder
	for n, e := range exchanges(t) {
		for _, lang := range languages {
			fmt.Fprintf(&b, "? %s\n", e.Asked[lang])
			for _, p := range []string{"neighbor", "cityhall", "plain"} {
				told := s.Tell(e.telling(t, by, p, lang, true))
				first, rest := firstMessage(told.Pieces, lang)
				fmt.Fprintf(&b, "  %-8s %s\n", p, first)
				if len(rest) > 0 {
					fmt.Fprintf(&b, "      MORE %s\n", strings.Join(rest, " | "))
				}
				if n%3 == 0 && p != "plain" {
					wide := s.Tell(e.telling(t, by, p, lang, false))
					fmt.Fprintf(&b, "      wide %s\n", strings.Join(wide.Texts(), " | "))
				}
			}
			fmt.Fprintln(&b)
		}
	}
	const name = "testdata/told.golden"
	if *update {
		if err := os.WriteFile(name, []byte(b.String()), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	if got := b.String(); got != string(want) {
		t.Errorf("tellings differ from %s; run with -update and read the difference\n%s", name, firstDifference(got, string(want)))
	}
}

func firstDifference(got, want string) string {
	g, w := strings.Split(got, "\n"), strings.Split(want, "\n")
	for i := range min(len(g), len(w)) {
		if g[i] != w[i] {
			return fmt.Sprintf("line %d: got %q, want %q", i+1, g[i], w[i])
		}
	}
	return fmt.Sprintf("got %d lines, want %d", len(g), len(w))
}
