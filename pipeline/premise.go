package pipeline

import (
	"slices"
	"strings"

	"plumbline/bot"
)

// premise hears what the question takes for granted and the evidence decides.
func (p *Pipeline) premise(d *Draft) {
	if settled(d.Rule) {
		return
	}
	text := asked(d)
	for _, x := range p.c.Guide.in(d.Question.Pack).premises {
		words := x.words(text)
		if words == "" {
			continue
		}
		d.Rule, d.Understanding.Rule = nil, "" // the evidence says more than a rule about it
		d.Premise = &x.rule
		d.Understanding.Matched = append(d.Understanding.Matched, bot.RuleMatch{Rule: x.rule.ID, Words: words})
		return
	}
}

// decide puts the paragraphs that decide the premise before the other claims.
func (p *Pipeline) decide(d *Draft) {
	if d.Premise == nil || len(d.Lead) > 0 {
		return
	}
	var first []bot.Claim
	for _, id := range d.Premise.Cite {
		par, ok := p.c.Library.Paragraph(id)
		if !ok || !slices.Contains(d.Filter.Jurisdictions, par.Jurisdiction) || d.Barred && !slices.Contains(d.Allowed, id) {
			continue
		}
		if c, ok := p.cite(d, id, d.Premise.ID); ok {
			c.Role = bot.Direct
			first = append(first, c)
		}
	}
	if len(first) == 0 {
		d.Premise = nil
		return
	}
	p.put(d, first)
}

// put puts claims before the others, which no longer say the same.
func (p *Pipeline) put(d *Draft, first []bot.Claim) {
	d.Claims = slices.DeleteFunc(d.Claims, func(c bot.Claim) bool {
		return slices.ContainsFunc(first, func(f bot.Claim) bool { return f.Evidence[0].Paragraph == c.Evidence[0].Paragraph })
	})
	d.Claims = append(first, d.Claims...)
	if !d.Status.Supported() {
		d.Status = bot.Answered
	}
}

// verdict begins the telling of the first claim with what it makes of the
// premise.
func verdict(d *Draft) {
	if d.Premise == nil || len(d.Claims) == 0 {
		return
	}
	at := slices.IndexFunc(d.Pieces, func(x Piece) bool { return x.Claim == 1 || strings.Contains(x.Text, d.Claims[0].Text) })
	if at < 0 { // a longer claim says it too
		at = slices.IndexFunc(d.Pieces, func(x Piece) bool { return x.Keep <= KeepClaim })
	}
	if at >= 0 {
		say := d.Premise.Say.In(string(d.Language))
		d.Pieces[at].Text = say + " " + d.Pieces[at].Text
		for i, way := range d.Pieces[at].Or { // however it is said
			d.Pieces[at].Or[i] = say + " " + way
		}
		if d.Trace.Guard != nil {
			d.Trace.Guard.Own = append(d.Trace.Guard.Own, say)
		}
	}
}
