package main

import (
	"flag"
	"slices"
	"strings"
	"testing"

	"plumbline/bot"
	"plumbline/internal/gsm7"
	"plumbline/internal/text"
	"plumbline/kb"
	"plumbline/personas"
	"plumbline/personas/guardtest"
	"plumbline/pipeline"
)

var long = flag.Bool("long", false, "mutate every reply, with its MORE; kill the service a hundred times")

// A voiced is one dev question answered in one voice.
type voiced struct {
	q       devQuestion
	pack    string
	persona string
	ans     bot.Answer
}

// answered holds what devVoices found, by channel and voice.
var answered = map[string][]voiced{}

// devVoices answers the dev questions of both packs on a channel in a voice.
func devVoices(t *testing.T, a *app, channel, persona string) (list []voiced) {
	t.Helper()
	if list := answered[channel+persona]; list != nil {
		return list
	}
	p, err := a.Answerer()
	if err != nil {
		t.Fatal(err)
	}
	for _, set := range [][2]string{{"questions-dev.jsonl", "drinking-water"}, {"questions-smoke-dev.jsonl", "wildfire-smoke"}} {
		sessions := map[string]*bot.Session{}
		for _, q := range devQuestions(t, set[0]) {
			name := q.ID
			if q.Pair != nil {
				name = q.Pair.ID
			}
			s := sessions[name]
			if s == nil {
				s = new(bot.Session)
				sessions[name] = s
			}
			ans, err := p.Answer(t.Context(), bot.Question{ID: q.ID, Text: q.Text, Channel: channel, Persona: persona, Pack: set[1], AsOf: devDate, History: s.History, Standing: s.Standing})
			if err != nil {
				t.Fatalf("%s: %v", q.ID, err)
			}
			s.Remember(bot.Message{Text: q.Text}, ans, devDate)
			list = append(list, voiced{q, set[1], persona, ans})
		}
	}
	answered[channel+persona] = list
	return list
}

// sent is a text as a text message has it, for looking up others in it.
func sent(s string, lang bot.Language) string {
	out, _ := gsm7.Encode(s, gsm7.Options{Lang: string(lang), Fold: true, Spanish: lang == bot.Spanish})
	return text.FoldAccents(out)
}

// said is everything that an answer sends.
func (v voiced) said() []string { return append([]string{v.ans.Reply.Text}, v.ans.Reply.More...) }

// told are the claims and limitations of an answer that texts hold.
func (v voiced) told(texts []string) (claims []bot.Claim, limits []bot.Limitation) {
	lang := v.ans.Language
	all := sent(strings.Join(texts, "\n"), lang)
	for _, c := range v.ans.Claims {
		if strings.Contains(all, sent(c.Text, lang)) {
			claims = append(claims, c)
		}
	}
	for _, l := range v.ans.Limitations {
		if strings.Contains(all, sent(l.Text, lang)) {
			limits = append(limits, l)
		}
	}
	return claims, limits
}

// own is what may be said beside claims and limitations.
func (v voiced) own() []string {
	own := []string{"Reply MORE.", "MORE.", "Responda MAS.", "MAS."}
	if v.ans.Trace.Guard != nil {
		own = append(own, v.ans.Trace.Guard.Own...)
	}
	return own
}

// quantile is the value below which a share of the list lies.
func quantile(list []float64, share float64) float64 {
	slices.Sort(list)
	return list[min(len(list)-1, int(share*float64(len(list))))]
}

// TestVoices holds every answer to the dev questions, in every voice, to what
// it may cost, how easy it is to read, and what is never said; the guard has
// nothing against any.
func TestVoices(t *testing.T) {
	a := devApp(t)
	set, err := personas.Default()
	if err != nil {
		t.Fatal(err)
	}
	for _, p := range set.All() {
		var grades, huerta []float64
		opened, felt := 0, 0
		channels := []string{"sms", "slack"}
		if p.ID == personas.Plain {
			channels = channels[:1]
		}
		for _, channel := range channels {
			for _, v := range devVoices(t, a, channel, p.ID) {
				reply := v.ans.Reply.Text
				if c := gsm7.Count(reply); channel == "sms" && (c.Units > 306 || c.Encoding != gsm7.GSM7) {
					t.Errorf("%s %s: the first reply takes %d units of %s: %q", v.q.ID, p.ID, c.Units, c.Encoding, reply)
				}
				if g := v.ans.Trace.Guard; g != nil && (g.Repaired || !g.Passed || len(g.Faults) > 0) {
					t.Errorf("%s %s on %s: the guard says %v of its telling", v.q.ID, p.ID, channel, g.Faults)
				}
				var grounds []string
				for _, c := range v.ans.Claims {
					grounds = append(grounds, c.Text)
				}
				if bad := set.Breaches(p, strings.Join(v.said(), " "), grounds...); len(bad) > 0 && v.ans.Status != bot.Emergency {
					t.Errorf("%s %s on %s says %q: %q", v.q.ID, p.ID, channel, bad, v.said())
				}
				v.twice(t)
				v.orphans(t, p)
				if channel != "sms" {
					continue
				}
				if m := text.Measure(reply); v.ans.Language == bot.English && m.Grade != nil {
					grades = append(grades, *m.Grade)
				}
				if m := text.MeasureES(reply); v.ans.Language == bot.Spanish && m.Flesch != nil {
					huerta = append(huerta, *m.Flesch)
				}
				due, has := v.opening(t, set)
				if due {
					felt++
				}
				if has {
					opened++
				}
			}
		}
		median, high := quantile(grades, 0.5), quantile(grades, 0.9)
		t.Logf("%s: %d English replies, grade: median %.1f, nine of ten at most %.1f; %d Spanish, Fernández Huerta: median %.0f; %d of %d openings that are due said",
			p.ID, len(grades), median, high, len(huerta), quantile(huerta, 0.5), opened, felt)
		if median > float64(p.Grade.Median) || high > float64(p.Grade.Most) {
			t.Errorf("%s: grade: median %.1f, nine of ten at most %.1f; want %d and %d", p.ID, median, high, p.Grade.Median, p.Grade.Most)
		}
		if m := quantile(huerta, 0.5); m < float64(p.Grade.Huerta) {
			t.Errorf("%s: Fernández Huerta: median %.0f, want %d at least", p.ID, m, p.Grade.Huerta)
		}
		if 10*opened < 7*felt {
			t.Errorf("%s: %d of %d openings that are due fit, want seven of ten", p.ID, opened, felt)
		}
	}
}

// twice finds what an answer says twice: a sentence that stands in what is sent
// more often than claims have it.
func (v voiced) twice(t *testing.T) {
	t.Helper()
	const long = 5 // words; shorter ones are idle
	lang := v.ans.Language
	all := sent(strings.Join(v.said(), "\n"), lang)
	for _, p := range text.Sentences(all) {
		s := p.In(all)
		if len(strings.Fields(s)) < long {
			continue
		}
		may := 0
		for _, c := range v.ans.Claims {
			if strings.Contains(sent(c.Text, lang), s) {
				may++
			}
		}
		if slices.ContainsFunc(v.own(), func(own string) bool { return strings.Contains(sent(own, lang), s) }) {
			continue // where it comes from, what stage it is at
		}
		if n := strings.Count(all, s); n > max(1, may) {
			t.Errorf("%s %s says %q %d times: %q", v.q.ID, v.persona, s, n, v.said())
		}
	}
}

// orphans finds messages of MORE in which no claim and no limitation stands,
// that begin in the middle of a sentence, or that hold an opening.
func (v voiced) orphans(t *testing.T, p personas.Persona) {
	t.Helper()
	for _, m := range v.ans.Reply.More {
		for _, o := range p.Openings {
			if say := sent(o.Say.In(v.ans.Language), v.ans.Language); !o.Topic && !o.Word && strings.Contains(sent(m, v.ans.Language), say) && !slices.ContainsFunc(v.ans.Claims, func(c bot.Claim) bool { return strings.Contains(sent(c.Text, v.ans.Language), say) }) {
				t.Errorf("%s %s: a message of MORE has the opening %q: %q", v.q.ID, v.persona, say, m)
			}
		}
		claims, limits := v.told([]string{m})
		r := []rune(m)
		if len(claims)+len(limits) == 0 && v.ans.Status != bot.Emergency || strings.ToLower(string(r[0])) == string(r[0]) && !strings.ContainsRune("¿¡0123456789", r[0]) {
			t.Errorf("%s %s: a message of MORE is %q", v.q.ID, v.persona, m)
		}
	}
}

// opening reports whether an opening is due to the asker and whether the reply
// has one; nothing else may stand before the first claim.
func (v voiced) opening(t *testing.T, set *personas.Set) (due, has bool) {
	t.Helper()
	if v.ans.Route != "" || !v.ans.Status.Supported() || v.ans.Trace.Understood.Rule != "" {
		return false, false
	}
	reply := sent(v.ans.Reply.Text, v.ans.Language)
	told := set.Tell(personas.Telling{Persona: v.persona, Lang: v.ans.Language, Asked: v.q.Text, Claims: []bot.Claim{{Text: "It.", Role: bot.Direct}}})
	due = len(told.Pieces) > 1
	for range 2 { // an opening, and what is made of a premise
		for _, own := range v.ans.Trace.Guard.Own {
			if rest, ok := strings.CutPrefix(reply, sent(own, v.ans.Language)); ok {
				reply, has = strings.TrimSpace(rest), due
				break
			}
		}
	}
	first := func(c bot.Claim) bool { return strings.HasPrefix(reply, sent(c.Text, v.ans.Language)) }
	if !slices.ContainsFunc(v.ans.Claims, first) {
		t.Errorf("%s %s: %q does not begin with a claim, after an opening", v.q.ID, v.persona, v.ans.Reply.Text)
	}
	return due, has
}

// TestVoicesInSpanish tells the same answers in Spanish: each claim's paragraph
// in its Spanish wording.
func TestVoicesInSpanish(t *testing.T) {
	a := devApp(t)
	lib, err := a.Library()
	if err != nil {
		t.Fatal(err)
	}
	set, err := personas.Default()
	if err != nil {
		t.Fatal(err)
	}
	voices := pipeline.NewVoices(set, lib)
	for _, p := range set.All() {
		var huerta []float64
		for _, v := range devVoices(t, a, "sms", p.ID) {
			if v.ans.Language == bot.Spanish || v.ans.Trace.Guard == nil {
				continue
			}
			d := &pipeline.Draft{
				Question: bot.Question{Text: v.q.Text, Channel: "sms", Persona: p.ID, Pack: v.pack}, Language: bot.Spanish, Filter: kb.Filter{Valid: kb.DateOf(devDate)},
				Status: v.ans.Status, Pinned: v.ans.Route != "", Trace: new(bot.Trace), Understanding: *v.ans.Trace.Understood, Limitations: inSpanish(t, lib, v),
			}
			for _, c := range v.ans.Claims {
				e := c.Evidence[0]
				par, ok := lib.Paragraph(e.Paragraph)
				step, isStep := lib.NextStep(e.Paragraph)
				switch {
				case ok:
					said := pipeline.Quote(lib, e.Chunk, par, "es", true)
					said.Role = c.Role
					d.Claims = append(d.Claims, said)
				case isStep:
					d.Claims = append(d.Claims, pipeline.StepClaim(lib, step, "es"))
				}
			}
			if err := voices.Tell(t.Context(), d); err != nil {
				t.Fatal(err)
			}
			if g := d.Trace.Guard; g == nil || g.Repaired || !g.Passed {
				t.Errorf("%s %s: the guard says %+v of the Spanish telling", v.q.ID, p.ID, g)
			}
			if d.Pinned {
				continue
			}
			first, _ := pipeline.Compose(d.Pieces, bot.Spanish, pipeline.FitOf("sms"))
			if c := gsm7.Count(first); c.Units > 306 || c.Encoding != gsm7.GSM7 || first == "" {
				t.Errorf("%s %s: the first reply takes %d units of %s: %q", v.q.ID, p.ID, c.Units, c.Encoding, first)
			}
			if m := text.MeasureES(first); m.Flesch != nil {
				huerta = append(huerta, *m.Flesch)
			}
		}
		t.Logf("%s: %d replies told in Spanish, Fernández Huerta: median %.0f, one of ten under %.0f", p.ID, len(huerta), quantile(huerta, 0.5), quantile(huerta, 0.1))
		if m := quantile(huerta, 0.5); m < 70 {
			t.Errorf("%s: Fernández Huerta: median %.0f, want 70 at least", p.ID, m)
		}
	}
}

// inSpanish is the limitations of an answer as the pack has them in Spanish.
func inSpanish(t *testing.T, lib *kb.Library, v voiced) (list []bot.Limitation) {
	t.Helper()
	pack, _ := lib.Pack(v.pack)
	say := map[string]kb.Text{}
	for _, l := range pack.Guidance.Limits {
		say[l.ID] = l.Say
	}
	for _, s := range pack.Strategies {
		for _, q := range s.Questions {
			say[q.ID] = q.Limitation
		}
	}
	for _, l := range v.ans.Limitations {
		if say[l.Gap] == nil {
			t.Fatalf("%s: there is no limitation %q", v.q.ID, l.Gap)
		}
		list = append(list, bot.Limitation{Text: say[l.Gap].In("es"), Gap: l.Gap})
	}
	return list
}

// TestRepliesChanged changes one number, unit, date, telephone number, address,
// negation or agency of a reply at a time, exchanges, drops or adds a hazard, or
// leaves a limitation out: the guard says so, and says nothing of the reply as it is. What is the persona's own, such
// as who says so, is held to the letter.
func TestRepliesChanged(t *testing.T) {
	a := devApp(t)
	lib, err := a.Library()
	if err != nil {
		t.Fatal(err)
	}
	set, err := personas.Default()
	if err != nil {
		t.Fatal(err)
	}
	voices := pipeline.NewVoices(set, lib)
	caught, total := map[string]int{}, map[string]int{}
	for n, p := range set.All() {
		for i, v := range devVoices(t, a, "sms", p.ID) {
			if v.ans.Trace.Guard == nil || i%9 != 4*n%9 && !*long {
				continue
			}
			guard := voices.Guard(v.pack)
			pack, _ := lib.Pack(v.pack)
			var agencies [][]string
			for _, ag := range pack.Contacts.Agencies {
				forms := []string{ag.Name["en"], ag.Name["es"]}
				if ag.Short != "" {
					forms = append(forms, ag.Short)
				}
				agencies = append(agencies, forms)
			}
			var hazards []guardtest.Hazard
			for _, h := range pack.Names {
				hazards = append(hazards, guardtest.Hazard{ID: h.ID, Kind: h.Kind, Forms: h.Forms, Not: slices.Concat(h.Not["en"], h.Not["es"])})
			}
			texts := v.said()
			if !*long {
				texts = texts[:1]
			}
			for k := range texts {
				for _, x := range pack.Asking.Premises { // what is made of a premise is not told by the claims
					for _, say := range x.Say {
						texts[k] = strings.TrimSpace(strings.Replace(texts[k], say+" ", "", 1))
					}
				}
				now := texts[k : k+1]
				claims, limits := v.told(now)
				if faults := guard.Check(claims, limits, now, v.own()...); len(faults) > 0 || !guard.Verbatim(claims, limits, now, v.own()...) {
					t.Errorf("%s %s: Check(%q, as it stands) = %v, want none", v.q.ID, p.ID, now, faults)
				}
				lang := string(v.ans.Language)
				changed := guardtest.Hazards(now[0], lang, hazards, func(form string) string { return sent(form, v.ans.Language) })
				for _, m := range append(changed, guardtest.Mutations(now[0], lang, agencies)...) {
					total[m.Sort]++
					c, l := v.told([]string{m.Text})
					own := len(c) == len(claims) && len(l) == len(limits)
					if len(guard.Check(claims, limits, []string{m.Text}, v.own()...)) > 0 || own && !guard.Verbatim(claims, limits, []string{m.Text}, v.own()...) {
						caught[m.Sort]++
					} else {
						t.Errorf("%s %s: Check(%q) = none, want a fault: %s %q was changed", v.q.ID, p.ID, m.Text, m.Sort, m.Was)
					}
				}
				for _, l := range limits {
					total["limitation"]++
					without := strings.Replace(now[0], sentAs(now[0], l.Text, v.ans.Language), "", 1)
					if without != now[0] && len(guard.Check(claims, limits, []string{without}, v.own()...)) > 0 {
						caught["limitation"]++
					} else {
						t.Errorf("%s %s: Check(%q) = none, want a fault: %q was left out", v.q.ID, p.ID, without, l.Text)
					}
				}
			}
		}
	}
	t.Logf("caught %v of %v", caught, total)
	for _, sort := range []string{"number", "unit", "date", "phone", "negation", "agency", "limitation", "exchanged", "joined", "dropped"} {
		if total[sort] == 0 {
			t.Errorf("no %s was changed", sort)
		}
	}
}

// sentAs is how a text stands in a message.
func sentAs(message, s string, lang bot.Language) string {
	out, _ := gsm7.Encode(s, gsm7.Options{Lang: string(lang), Fold: true, Spanish: lang == bot.Spanish})
	folded, _ := gsm7.FoldSpanish(s)
	for _, way := range []string{s, out, folded} {
		if strings.Contains(message, way) {
			return way
		}
	}
	return s
}
