package main

import (
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"plumbline/bot"
	"plumbline/internal/gsm7"
	"plumbline/kb"
	"plumbline/pipeline"
)

// plain is a text as replies may be sent: their accents may be folded.
func plain(s string) string { return pipeline.Fold(s) }

// holds reports whether a reply has one of the forms of a want.
func holds(reply, want string) bool {
	return slices.ContainsFunc(strings.Split(want, "|"), func(form string) bool { return strings.Contains(plain(reply), plain(form)) })
}

// What is asked back, offered and held, over whole conversations.
func TestConversations(t *testing.T) {
	a := devApp(t)
	p, err := a.Answerer()
	if err != nil {
		t.Fatal(err)
	}
	data, err := os.ReadFile("testdata/conversations.txt")
	if err != nil {
		t.Fatal(err)
	}
	at := devDate
	s, pack := new(bot.Session), ""
	for n, line := range strings.Split(string(data), "\n") {
		switch line = strings.TrimSpace(line); {
		case strings.HasPrefix(line, "#"):
			continue
		case line == "":
			s, pack = new(bot.Session), ""
			continue
		case strings.HasPrefix(line, "["):
			pack = strings.Trim(line, "[]")
			continue
		}
		fields := strings.Split(line, " | ")
		if len(fields) < 2 {
			t.Fatalf("line %d: %q is no turn", n+1, line)
		}
		at = at.Add(time.Minute)
		q := bot.Question{ID: fmt.Sprint(n), Text: fields[0], Pack: pack, AsOf: devDate, At: at}
		s.Next(&q)
		ans, err := p.Answer(t.Context(), q)
		if err != nil {
			t.Fatalf("line %d: Answer(%q): %v", n+1, fields[0], err)
		}
		s.Remember(bot.Message{Text: fields[0]}, ans, at)
		wants := strings.Fields(fields[1])
		clarify, offer, route := "", "", ""
		for _, w := range wants[1:] {
			switch {
			case strings.HasPrefix(w, "clarify."):
				clarify = w
			case strings.HasPrefix(w, ">"):
				offer = w[1:]
			case strings.HasPrefix(w, "@"):
				if ans.Pack != w[1:] {
					t.Errorf("line %d: %q is answered from %s, want %s", n+1, fields[0], ans.Pack, w[1:])
				}
			default:
				route = w
			}
		}
		status := string(ans.Status)
		if wants[0] == "answered" && ans.Status.Supported() {
			status = wants[0]
		}
		got := ""
		if ans.Offer != nil {
			got = ans.Offer.Pack
		}
		if status != wants[0] || ans.Clarify != clarify || got != offer || route != "" && string(ans.Route) != route {
			t.Errorf("line %d: %q = %s, route %q, clarify %q, offer %q, %q; want %s", n+1, fields[0], ans.Status, ans.Route, ans.Clarify, got, ans.Reply.Text, fields[1])
		}
		if ans.Clarify != understood(ans) {
			t.Errorf("line %d: the trace has clarify %q, the answer %q", n+1, understood(ans), ans.Clarify)
		}
		if c := gsm7.Count(ans.Reply.Text); c.Segments > 2 {
			t.Errorf("line %d: the reply takes %d segments", n+1, c.Segments)
		}
		if len(fields) < 3 {
			continue
		}
		for _, want := range strings.Split(fields[2], ";") {
			want = strings.TrimSpace(want)
			not, no := strings.CutPrefix(want, "!")
			if want != "" && holds(ans.Reply.Text, not) == no {
				t.Errorf("line %d: %q is answered %q; want %q", n+1, fields[0], ans.Reply.Text, want)
			}
		}
	}
}

// However a question asked back is worded, it stands in the first message with
// the safe action, in both languages.
func TestClarifyFits(t *testing.T) {
	a := devApp(t)
	lib, err := a.Library()
	if err != nil {
		t.Fatal(err)
	}
	for _, p := range lib.Packs() {
		for _, q := range p.Asking.Clarify {
			for _, lang := range []string{"en", "es"} {
				text, _ := gsm7.Encode(q.Say.In(lang)+" "+q.Ask.In(lang)+" Responda MAS.", gsm7.Options{Lang: lang, Fold: true, Spanish: lang == "es"})
				if c := gsm7.Count(text); c.Units > 2*gsm7.GSM7Part || c.Segments > 2 {
					t.Errorf("%s (%s): say and ask take %d units", q.ID, lang, c.Units)
				}
				if n := strings.Count(q.Ask.In(lang), "?"); n != 1 {
					t.Errorf("%s (%s): %d questions, want one", q.ID, lang, n)
				}
			}
		}
	}
}

// Whatever two hazards of the matrix are named together, and whatever use: no
// first reply gives advice that the other hazard forbids without saying so, and
// both stand in it where their advice is opposite.
func TestOppositeAdvice(t *testing.T) {
	a := devApp(t)
	p, err := a.Answerer()
	if err != nil {
		t.Fatal(err)
	}
	lib, err := a.Library()
	if err != nil {
		t.Fatal(err)
	}
	pack, _ := lib.Pack("drinking-water")
	m := pack.Asking.Matrix
	opposed, turn := 0, 0
	for i, h1 := range m.Hazards {
		for _, h2 := range m.Hazards[i+1:] {
			for _, lang := range []string{"en", "es"} {
				uses, orders := append([]kb.Named{{ID: m.Default}}, m.Uses...), [][2]kb.Named{{h1, h2}, {h2, h1}}
				if turn++; !*long { // no use named, and one in turn
					uses, orders = []kb.Named{uses[0], uses[1+turn%len(m.Uses)]}, orders[turn%2:turn%2+1]
				}
				for _, use := range uses {
					for _, order := range orders {
						text := map[string]string{"en": "we have %s and %s, what do i do", "es": "tenemos %s y %s, qué hago"}[lang]
						text = fmt.Sprintf(text, order[0].Name.In(lang), order[1].Name.In(lang))
						if use.Name != nil {
							text += map[string]string{"en": ", can i %s", "es": ", puedo %s"}[lang]
							text = fmt.Sprintf(text, use.Name.In(lang))
						}
						ans, err := p.Answer(t.Context(), bot.Question{Text: text, Language: bot.Language(lang), AsOf: devDate})
						if err != nil {
							t.Fatalf("Answer(%q): %v", text, err)
						}
						opposed += checkOpposite(t, lib, pack, text, ans, h1.ID, h2.ID)
					}
				}
			}
		}
	}
	if opposed < 20 {
		t.Errorf("only %d replies gave advice that another hazard forbids, with the ban: the test tests little", opposed)
	}
}

// checkOpposite reports 1 where advice and ban stand in the first reply.
func checkOpposite(t *testing.T, lib *kb.Library, pack *kb.Pack, text string, ans bot.Answer, hazards ...string) int {
	t.Helper()
	said := func(id string) bool {
		par, ok := lib.Paragraph(id)
		if !ok {
			return false
		}
		for _, w := range lib.Wordings(par, string(ans.Language)) {
			for _, form := range append([]string{w.Text}, w.Alone...) {
				if strings.Contains(plain(ans.Reply.Text), plain(form)) {
					return true
				}
			}
		}
		return false
	}
	var told []string // hazards whose advice a fixed text gives
	for _, c := range ans.Claims {
		if e := c.Evidence[0]; strings.Contains(plain(ans.Reply.Text), plain(c.Text)) {
			told = append(told, pack.Asking.Matrix.Told[e.Paragraph]...)
		}
	}
	found := 0
	for _, give := range pack.Guidance.Actions {
		if !slices.Contains(hazards, give.Hazard) || !said(give.Paragraph) {
			continue
		}
		for _, ban := range pack.Guidance.Actions {
			against := ban.Hazard != give.Hazard && slices.Contains(hazards, ban.Hazard) && ban.Use == give.Use && ban.Person == "" && give.Person == "" &&
				slices.Contains(pack.Asking.Matrix.Opposite, kb.Opposite{Do: give.Do, Bars: ban.Do})
			if !against {
				continue
			}
			// Any word of the forbidding hazard against that advice will do.
			ok := slices.Contains(told, ban.Hazard) || slices.ContainsFunc(pack.Guidance.Actions, func(c kb.Action) bool {
				return c.Hazard == ban.Hazard && c.Do == ban.Do && said(c.Paragraph)
			})
			if !ok {
				t.Errorf("%q is told to %s for %s (%s) and not that %s says %s (%s): %q", text, give.Do, give.Hazard, give.Paragraph, ban.Hazard, ban.Do, ban.Paragraph, ans.Reply.Text)
			}
			found = 1
		}
	}
	return found
}

// Questions as people ask them about two hazards with opposite advice.
func TestOppositePairs(t *testing.T) {
	a := devApp(t)
	p, err := a.Answerer()
	if err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct {
		text string
		want []string // in the first message, in this order
	}{
		{"boil notice and we have lead pipes what do i do", []string{"1 minute", "does not take out lead"}},
		{"hay aviso de hervir y tubos de plomo que hago", []string{"1 minuto", "no quita el plomo"}},
		{"my well has nitrate and theres a boil water notice", []string{"Don't boil water to remove nitrate", "another safe source for formula", "1 minute"}},
		{"aviso de hervir y mi pozo tiene nitrato", []string{"No hierva el agua para quitar el nitrato", "1 minuto"}},
		{"boil notice and pfas", []string{"does not take PFAS", "1 minute"}},
		{"hay aviso de hervir y pfas en el agua", []string{"no quita los PFAS", "1 minuto"}},
		{"algae in the reservoir and a boil advisory", []string{"algal toxins", "1 minute"}},
		{"hay algas y aviso de hervir", []string{"toxinas de algas", "1 minuto"}},
		{"boil notice and my water is brown can i drink it", []string{"brown water", "1 minute"}},
		{"aviso de hervir y el agua sale marron", []string{"agua con color", "1 minuto"}},
		{"boil notice brown water can i do laundry", []string{"don't wash clothes"}},
		{"we have germs and lead is a filter enough", []string{"does not remove lead", "1 minute", "filter made for lead"}},
		{"el agua tiene plomo y bacterias que hago", []string{"no quita el plomo", "1 minuto"}},
		{"arsenic in the well and a boil notice", []string{"do not remove lead, other metals", "1 minute"}},
		{"do not drink notice and a boil water notice which one", []string{"Boiling does not help"}},
		{"aviso de no beber y tambien de hervir", []string{"Hervir no sirve"}},
		{"nitrate pfas and boil notice", []string{"nitrate", "PFAS", "1 minute"}},
	} {
		ans, err := p.Answer(t.Context(), bot.Question{Text: tt.text, AsOf: devDate})
		if err != nil {
			t.Fatalf("Answer(%q): %v", tt.text, err)
		}
		reply, from := plain(ans.Reply.Text), 0
		for _, want := range tt.want {
			at := strings.Index(reply[from:], plain(want))
			if at < 0 {
				t.Errorf("Answer(%q) = %q; want %q in it, in this order", tt.text, ans.Reply.Text, tt.want)
				break
			}
			from += at
		}
	}
}

// What looks like a rule's case and is not is answered as any question.
func TestAskingLookalikes(t *testing.T) {
	a := devApp(t)
	p, err := a.Answerer()
	if err != nil {
		t.Fatal(err)
	}
	for _, text := range []string{
		"theres a boil water notice how long do i boil", "what is a tier 2 notice", "did you notice the water is brown", "public notice about haloacetic acids",
		"my landlord must post a notice", "can i set up text alerts", "que es un aviso de hervir", "my lead test was 9 ppb", "is 15 ppb the limit for lead",
		"my test takes 14 days right", "newark tested at 9.5 ppb in 2023", "my water smells like chlorine", "is my water hard", "how bad is lead",
		"can lead get in the air", "which filter for lead", "why does boiling not remove lead", "is smoke in my tap water bad", "does a filter remove nitrate",
		"mi agua huele a cloro", "cuanto plomo es malo",
	} {
		ans, err := p.Answer(t.Context(), bot.Question{Text: text, AsOf: devDate})
		if err != nil {
			t.Fatalf("Answer(%q): %v", text, err)
		}
		if ans.Clarify != "" || ans.Offer != nil {
			t.Errorf("Answer(%q) asks back %q, offers %v: %q", text, ans.Clarify, ans.Offer, ans.Reply.Text)
		}
	}
}

// An answer to what takes something false for granted begins with that.
func TestPremises(t *testing.T) {
	a := devApp(t)
	p, err := a.Answerer()
	if err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct{ text, begins, cites string }{
		{"is it true that boiling removes lead", "No. Boiling does not", "lead.boil"},
		{"boiling gets the lead out right", "No. Boiling does not", "lead.boil"},
		{"ok so if i boil it does that fix the lead too", "No. Boiling does not", "lead.boil"},
		{"boiling doesnt remove lead right", "That's right.", "lead.boil"},
		{"does boiling get rid of pfas", "No. Boiling does not", "pfas.boil"},
		{"si hiervo el agua quita los pfas?", "No. Hervir el agua no quita", "pfas.boil"},
		{"the city says 2 ppb for newark so my tap is 2 right?", "No, not by that number.", "test.system-vs-tap"},
		{"la ciudad dice 2 ppb en newark entonces mi llave tiene 2 verdad?", "No, esa cifra no lo dice.", "test.system-vs-tap"},
		{"clear water means no lead right?", "You can't tell that way.", "lead.invisible"},
		{"el agua se ve clara entonces no hay plomo?", "Asi no se puede saber.", "lead.invisible"},
		{"brita removes lead so im good right", "Not always.", "filt.not-all"},
		{"my landlord says new buildings cant have lead", "Not quite.", "lead.pre1986"},
		{"bottled water has no pfas right?", "Not always.", "bw.pfas"},
		{"its under 15 so its safe", "No. ", "rule.not-health-line"},
		{"they replaced all the lead lines so no more lead right", "Not by itself.", "lead.after-inside"},
		{"hot water is cleaner right", "No. ", "lead.cold"},
		{"can lead get in through my skin", "No. ", "lead.bathe"},
		{"my lead test was 9 ppb", "No lead level counts as safe.", "lead.no-safe-level"},
	} {
		ans, err := p.Answer(t.Context(), bot.Question{Text: tt.text, AsOf: devDate, Persona: "plain"})
		if err != nil {
			t.Fatalf("Answer(%q): %v", tt.text, err)
		}
		cited := len(ans.Claims) > 0 && ans.Claims[0].Evidence[0].Paragraph == tt.cites
		if !ans.Status.Supported() || !cited || !strings.HasPrefix(plain(ans.Reply.Text), plain(tt.begins)) {
			t.Errorf("Answer(%q) = %s, %q; want it to begin %q and rest on %s", tt.text, ans.Status, ans.Reply.Text, tt.begins, tt.cites)
		}
	}
}

// understood is what the trace says was asked back.
func understood(a bot.Answer) string {
	if a.Trace.Understood == nil {
		return ""
	}
	return a.Trace.Understood.Clarify
}
