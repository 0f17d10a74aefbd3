package pipeline

import (
	"cmp"
	"slices"

	"plumbline/bot"
	"plumbline/kb"
)

// A stance is one hazard's advice that another's forbids, for one use.
type stance struct{ permit, forbid kb.Action }

// heardIn returns the ids of the hazards, uses or persons that a text names.
func heardIn(list []ruled[kb.Named], folded string) (ids []string) {
	for _, n := range list {
		if n.words(folded) != "" {
			ids = append(ids, n.rule.ID)
		}
	}
	return ids
}

// stances returns where the hazards stand against each other in the uses, for
// the persons; in all uses if uses is nil.
func (h *hearing) stances(hazards, uses, persons []string) (list []stance) {
	for _, a := range h.cells {
		for _, b := range h.cells {
			if a.Hazard == b.Hazard || a.Use != b.Use || uses != nil && !slices.Contains(uses, a.Use) || !slices.Contains(hazards, a.Hazard) || !slices.Contains(hazards, b.Hazard) {
				continue
			}
			meant := func(c kb.Action) bool { return c.Person == "" || slices.Contains(persons, c.Person) }
			if meant(a) && meant(b) && slices.Contains(h.matrix.Opposite, kb.Opposite{Do: a.Do, Bars: b.Do}) {
				list = append(list, stance{a, b})
			}
		}
	}
	return list
}

// oppose puts what is forbidden and what is advised first where the message
// names hazards whose advice is opposite, so that nobody hears the one without
// the other. A core text of the safety rules that says both is left to do it;
// one that does not is not told.
func (p *Pipeline) oppose(d *Draft, core string) {
	h := p.c.Guide.in(d.Question.Pack)
	text := asked(d)
	hazards := heardIn(h.hazards, text)
	if len(hazards) < 2 || d.Barred {
		return
	}
	uses, persons := heardIn(h.uses, text), heardIn(h.persons, text)
	if len(uses) == 0 {
		uses = []string{h.matrix.Default}
	}
	var told []string
	if d.Pinned {
		told = h.matrix.Told[core]
	}
	open := func(s stance) bool { return !slices.Contains(told, s.forbid.Hazard) }
	var list, other []stance // of the uses that the message names, and of all
	for _, s := range h.stances(hazards, uses, persons) {
		if open(s) {
			list = append(list, s)
		}
	}
	for _, s := range h.stances(hazards, nil, persons) {
		if open(s) {
			other = append(other, s)
		}
	}
	if len(list) == 0 { // what answers may be about a use that the message does not name
		list = slices.DeleteFunc(slices.Clone(other), func(s stance) bool {
			return !slices.ContainsFunc(d.Claims, func(c bot.Claim) bool { return c.Role == bot.Direct && c.Evidence[0].Paragraph == s.permit.Paragraph })
		})
	}
	if len(list) > 0 {
		d.Pinned = false
		p.lead(d, h, list)
	}
	p.withhold(d, other)
	if len(list) > 0 {
		p.put(d, p.instead(d, h, list))
	}
}

// lead chooses how the stances are told: what is forbidden, then what is
// advised, whole where they fit a first message together, else in sentences
// that are safe alone.
func (p *Pipeline) lead(d *Draft, h *hearing, list []stance) {
	var forbid, permit []string
	for _, s := range list {
		forbid = add(forbid, s.forbid.Paragraph)
	}
	for _, s := range list {
		permit = add(permit, s.permit.Paragraph)
	}
	// Where that is too long: the same advice for the use that most ask about.
	for _, s := range list {
		for _, c := range h.cells {
			if c.Hazard == s.permit.Hazard && c.Do == s.permit.Do && c.Use == h.matrix.Default && c.Person == "" {
				permit = add(permit, c.Paragraph)
			}
		}
	}
	permit = slices.DeleteFunc(permit, func(id string) bool { return slices.Contains(forbid, id) })
	for _, form := range []func(*Draft, bot.Claim) bot.Claim{whole, p.alone} {
		d.Lead = p.told(d, nil, forbid, form)
		n := len(d.Lead)
		for _, id := range permit {
			if with := p.told(d, d.Lead, []string{id}, form); p.fits(d, nil, with...) {
				d.Lead = with
			}
		}
		if p.fits(d, nil, d.Lead...) && (len(d.Lead) > n || len(permit) == 0) {
			break
		}
	}
	for i := range d.Lead {
		d.Lead[i].Role = bot.Danger
	}
	d.Understanding.Matched = append(d.Understanding.Matched, bot.RuleMatch{Rule: matrixRule, Words: list[0].forbid.Hazard + " / " + list[0].permit.Hazard})
}

// told adds claims of paragraphs to others.
func (p *Pipeline) told(d *Draft, claims []bot.Claim, ids []string, form func(*Draft, bot.Claim) bot.Claim) []bot.Claim {
	claims = slices.Clone(claims)
	for _, id := range ids {
		if c, ok := p.cite(d, id, matrixRule); ok {
			claims = append(claims, form(d, c))
		}
	}
	return claims
}

func whole(_ *Draft, c bot.Claim) bot.Claim { return c }

// matrixRule names the action matrix in a trace.
const matrixRule = "matrix"

func add(list []string, id string) []string {
	if slices.Contains(list, id) {
		return list
	}
	return append(list, id)
}

// alone returns the claim in the shortest sentence that the pack marks safe
// alone, if that is shorter.
func (p *Pipeline) alone(d *Draft, c bot.Claim) bot.Claim {
	par, ok := p.c.Library.Paragraph(c.Evidence[0].Paragraph)
	if !ok {
		return c
	}
	for _, w := range p.c.Library.Wordings(par, string(d.Language)) {
		for _, s := range w.Alone {
			if len(s) < len(c.Text) {
				c.Text = s
				c.Evidence = slices.Clone(c.Evidence)
				c.Evidence[0].Quote = s
			}
		}
	}
	return c
}

// fits reports whether the claims fit a first message after the pieces.
func (p *Pipeline) fits(d *Draft, pieces []Piece, claims ...bot.Claim) bool {
	fit := p.fit(d.Question.Channel)
	all := ""
	for _, x := range pieces {
		all += x.Text + " "
	}
	for _, c := range claims {
		all += c.Text + " "
	}
	lang := cmp.Or(d.Language, bot.English)
	return fit.First.Holds(fit.Send(all+moreHint[lang][0], lang))
}

// withhold drops the claims that advise what another hazard of the message
// forbids, and those that were told first.
func (p *Pipeline) withhold(d *Draft, list []stance) {
	d.Claims = slices.DeleteFunc(d.Claims, func(c bot.Claim) bool {
		id := c.Evidence[0].Paragraph
		if slices.ContainsFunc(d.Lead, func(l bot.Claim) bool { return l.Evidence[0].Paragraph == id }) {
			return true
		}
		against := slices.ContainsFunc(list, func(s stance) bool { return s.permit.Paragraph == id })
		if against {
			d.Trace.Dropped = append(d.Trace.Dropped, bot.DroppedClaim{Text: c.Text, Reason: "another hazard of the message forbids it"})
		}
		return against
	})
	if len(d.Lead) == 0 && !slices.ContainsFunc(d.Claims, func(c bot.Claim) bool { return c.Role != bot.Next }) {
		d.Status, d.Claims, d.Limitations = bot.NotInSources, nil, nil
	}
}

// instead returns claims of what the forbidding hazards advise in its place.
func (p *Pipeline) instead(d *Draft, h *hearing, list []stance) (claims []bot.Claim) {
	var ids []string
	for _, s := range list {
		for _, c := range h.cells {
			led := slices.ContainsFunc(d.Lead, func(l bot.Claim) bool { return l.Evidence[0].Paragraph == c.Paragraph })
			if c.Hazard == s.forbid.Hazard && c.Use == s.forbid.Use && c.Do != s.forbid.Do && c.Person == s.forbid.Person && !led {
				ids = add(ids, c.Paragraph)
			}
		}
	}
	for _, id := range ids {
		if c, ok := p.cite(d, id, matrixRule); ok {
			c.Role = bot.Direct
			claims = append(claims, c)
		}
	}
	return claims
}
