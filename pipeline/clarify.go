package pipeline

import (
	"cmp"
	"slices"
	"strings"

	"plumbline/bot"
	"plumbline/internal/text"
	"plumbline/kb"
	"plumbline/pipeline/safety"
)

// maxAnswer is how many words a message that answers what we asked back may
// have; a longer one is a question of its own.
const maxAnswer = 12

// rejoin makes one question of a short answer to what we asked back and the
// question that we asked it of. It reports whether it did.
func (p *Pipeline) rejoin(d *Draft) bool {
	q := &d.Question
	last := len(q.History) - 1
	if q.Clarify == "" || last < 0 || len(strings.Fields(q.Text)) > maxAnswer {
		return false
	}
	list := p.c.Guide.in(q.Pack).clarify
	at := slices.IndexFunc(list, func(a asking) bool { return a.rule.ID == q.Clarify })
	if at < 0 {
		return false
	}
	said := FoldMarks(q.Text)
	lang := string(cmp.Or(q.Language, bot.Language(text.Language(q.History[last].Asked+" "+q.Text).Lang)))
	texts := []string{strings.TrimSpace(q.Text)}
	if !list[at].rule.First { // that one said nothing
		texts = []string{strings.TrimSpace(q.History[last].Asked), texts[0]}
	}
	found := false
	for i, m := range list[at].rule.Answers {
		if list[at].answers[i].Find(said, nil) == "" {
			continue
		}
		found = true
		if means := m.Means.In(lang); means != "" {
			texts = append(texts, means)
		}
	}
	if !found {
		return false
	}
	q.Text, q.History = strings.Join(texts, ". "), q.History[:last]
	return true
}

// learned reports whether points that tests learned made the verdict, and no
// rule: of a short answer they see too little, of the question that it answers
// enough. Rules hold for every word that somebody writes.
func learned(v safety.Verdict) bool {
	return len(v.Why) > 0 && !slices.ContainsFunc(v.Why, func(m safety.Match) bool { return !strings.HasPrefix(m.Rule, "cues.") })
}

// clarify asks back what the message leaves out and safety hangs on: the safe
// action first, then one question, never two in a row. It reports whether a
// rule fired.
func (p *Pipeline) clarify(d *Draft) bool {
	if d.Rule != nil {
		return false
	}
	folded := asked(d)
	for _, a := range p.c.Guide.in(d.Question.Pack).clarify {
		words := a.words(folded)
		if words == "" || a.rule.First && len(d.Question.History) > 0 {
			continue
		}
		p.askBack(d, a.rule)
		d.Understanding.Rule = a.rule.ID
		d.Understanding.Matched = append(d.Understanding.Matched, bot.RuleMatch{Rule: a.rule.ID, Words: words})
		return true
	}
	return false
}

// askBack tells the safe action and asks, unless the last reply asked something.
func (p *Pipeline) askBack(d *Draft, q kb.Clarify) {
	lang := string(d.Language)
	d.Pieces = append(d.Pieces, Piece{Text: q.Say.In(lang), Keep: KeepDanger})
	d.Status = bot.LocalOnly
	for _, id := range q.Cite {
		if c, ok := p.cite(d, id, q.ID); ok {
			c.Role = bot.Direct
			d.Claims = append(d.Claims, c)
			d.Pieces = append(d.Pieces, Piece{Text: c.Text, Keep: KeepLimit})
			d.Status = bot.PartlyAnswered
		}
	}
	p.next(d, q.Next)
	if d.Question.Clarify == "" {
		d.Clarify, d.Understanding.Clarify = q.ID, q.ID
		d.Pieces = append(d.Pieces, Piece{Text: q.Ask.In(lang), Keep: KeepClaim})
	}
}
