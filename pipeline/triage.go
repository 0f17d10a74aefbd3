package pipeline

import (
	"cmp"
	"errors"
	"slices"
	"strings"

	"plumbline/bot"
	"plumbline/kb"
	"plumbline/pipeline/safety"
)

// triage runs the safety rules: before all else, and always.
func (p *Pipeline) triage(d *Draft) (v safety.Verdict) {
	_ = p.step(d, "safety", "rules", func() (string, error) {
		v = p.c.Safety.Triage(safety.Input{Text: d.Question.Text, Recent: d.Question.Recent, Lang: string(d.Question.Language)})
		return v.Route, nil
	})
	rec := &bot.SafetyRecord{Route: bot.Route(v.Route), Person: v.Person, Hazard: v.Hazard}
	for _, also := range v.Also {
		rec.Also = append(rec.Also, bot.Route(also))
	}
	for _, m := range v.Why {
		rec.Rules = append(rec.Rules, bot.RuleMatch{Rule: m.Rule, Words: words(d.Question, m.Spans), Learned: m.Learned})
	}
	d.Trace.Safety = rec
	return v
}

// stand keeps a route of an earlier message in force where nothing in this one
// takes its place, and says what holds for the next. Of what a bar leaves out
// nothing is told.
func (p *Pipeline) stand(d *Draft, v *safety.Verdict) {
	pack, _ := p.c.Library.Pack(d.Question.Pack)
	bar := func(route string) *kb.Bar {
		i := slices.IndexFunc(pack.Guidance.Barred, func(b kb.Bar) bool { return b.Route == route })
		if i < 0 {
			return nil
		}
		return &pack.Guidance.Barred[i]
	}
	for i, x := range pack.Guidance.Standing {
		switch {
		case x.Route == v.Route || slices.Contains(v.Also, x.Route):
			d.Standing = bot.Route(x.Route)
		case v.Route == "" && x.Route == string(d.Question.Standing):
			d.Around, d.Standing = &pack.Guidance.Standing[i], d.Question.Standing
		}
	}
	if v.Route == "" && d.Question.Standing != "" && bar(string(d.Question.Standing)) != nil {
		v.Route, v.Pinned, d.Stands = string(d.Question.Standing), true, true
		d.Trace.Safety.Route = d.Question.Standing
		d.Trace.Safety.Rules = append(d.Trace.Safety.Rules, bot.RuleMatch{Rule: "standing", Words: "from an earlier message"})
	}
	if q := d.Question.Standing; q != "" && bar(string(q)) == nil {
		d.Standing = q // of another pack: it holds again there
	}
	for _, route := range append([]string{v.Route}, v.Also...) {
		if b := bar(route); b != nil {
			d.Barred = true
			d.Allowed = append(d.Allowed, b.Tell...)
			if b.Carries {
				d.Standing = bot.Route(route)
			}
		}
	}
}

// words returns what the spans cover, for the trace.
func words(q bot.Question, spans []safety.Span) string {
	var parts []string
	recent := q.Recent[max(0, len(q.Recent)-4):]
	for _, s := range spans {
		text := q.Text
		if s.Message < len(recent) {
			text = recent[s.Message]
		}
		r := []rune(text)
		if s.Start >= 0 && s.Start < s.End && s.End <= len(r) {
			parts = append(parts, string(r[s.Start:s.End]))
		}
	}
	return strings.Join(parts, " … ")
}

// errRaised ends the work on a message in which a model read an emergency.
var errRaised = errors.New("a model read an emergency in the message")

// raised is the verdict of an emergency that no rule heard and a model did.
func (p *Pipeline) raised(d *Draft, v safety.Verdict) safety.Verdict {
	r := safety.Verdict{Route: d.Raised, Emergency: true, Lang: string(spoken(string(d.Language))), Person: cmp.Or(v.Person, "unknown")}
	d.Pinned, d.Trace.Safety.Route = false, bot.Route(r.Route)
	d.Trace.Safety.Rules = append(d.Trace.Safety.Rules, bot.RuleMatch{Rule: "model", Words: d.RaisedBy})
	return r
}

// core is the id of the protective core that is told; empty for none.
func (p *Pipeline) core(d *Draft, v safety.Verdict) string {
	if !d.Pinned {
		return ""
	}
	text, _ := p.c.Safety.Text(v, string(d.Language))
	for _, c := range p.fixedClaims(text, string(d.Language)) {
		return c.Evidence[0].Paragraph
	}
	return ""
}
