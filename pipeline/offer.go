package pipeline

import (
	"maps"
	"slices"

	"plumbline/bot"
)

// offer offers the question to another pack where that pack hears its own and
// the one that was asked does not. Packs are never mixed: nothing of the other
// is told.
func (p *Pipeline) offer(d *Draft) bool {
	if settled(d.Rule) || p.c.Guide == nil {
		return false
	}
	text := FoldMarks(d.Question.Text)
	mine := p.c.Guide.in(d.Question.Pack).offer
	if mine == nil || mine.words(text) != "" {
		return false
	}
	for _, pack := range p.c.Library.Packs() {
		name := pack.Manifest.Name
		o := p.c.Guide.in(name).offer
		if name == d.Question.Pack || o == nil {
			continue
		}
		words := o.words(text)
		if words == "" {
			continue
		}
		id := "offer." + name
		d.Rule, d.Status, d.Offer = nil, bot.OutOfScope, &bot.Offer{Pack: name}
		for _, lang := range slices.Sorted(maps.Keys(o.rule.Words)) {
			d.Offer.Words = append(d.Offer.Words, o.rule.Words[lang]...)
		}
		d.Understanding.Rule = id
		d.Understanding.Matched = append(d.Understanding.Matched, bot.RuleMatch{Rule: id, Words: words})
		d.Pieces = append(d.Pieces, Piece{Text: o.rule.Say.In(string(d.Language)), Keep: KeepDanger})
		return true
	}
	return false
}
