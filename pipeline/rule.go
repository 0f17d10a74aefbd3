package pipeline

import (
	"slices"
	"strings"

	"plumbline/bot"
	"plumbline/kb"
)

// byRule answers from a scope rule of the pack: its words, then the paragraphs
// that it cites as claims.
func (p *Pipeline) byRule(d *Draft) error {
	return p.step(d, "generate", "rules", func() (string, error) {
		d.Status = bot.Status(d.Rule.Status)
		lang := string(d.Language)
		pack, _ := p.c.Library.Pack(d.Question.Pack)
		say := strings.ReplaceAll(d.Rule.Say.In(lang), "{about}", pack.Manifest.About.In(lang))
		d.Pieces = append(d.Pieces, Piece{Text: say, Keep: KeepDanger})
		hold := d.Rule.Holds[d.holding()]
		if hold == nil {
			hold = d.Rule.Holds[kb.Otherwise]
		}
		if hold != nil {
			d.Pieces = append(d.Pieces, Piece{Text: hold.In(lang), Keep: KeepDanger})
		}
		for _, id := range d.Rule.Cite {
			if c, ok := p.cite(d, id, d.Rule.ID); ok {
				if short := p.alone(d, c); !p.fits(d, d.Pieces, c) && p.fits(d, d.Pieces, short) {
					c = short
				}
				c.Role = bot.Direct
				d.Claims = append(d.Claims, c)
				d.Pieces = append(d.Pieces, Piece{Text: c.Text, Keep: KeepClaim})
			}
		}
		p.next(d, d.Rule.Next)
		return d.Rule.ID, nil
	})
}

// next tells the next step with the id, if there is one.
func (p *Pipeline) next(d *Draft, id string) {
	if n, ok := p.c.Library.NextStep(id); ok {
		c := StepClaim(p.c.Library, n, string(d.Language))
		d.Claims = append(d.Claims, c)
		d.Pieces = append(d.Pieces, Piece{Text: c.Text, Keep: KeepNext})
	}
}

// cite makes a claim of a paragraph or phone record that a rule names. A
// paragraph becomes a kept candidate, so that its chunk is among those shown.
func (p *Pipeline) cite(d *Draft, id, rule string) (bot.Claim, bool) {
	lang := string(d.Language)
	if ph, ok := p.c.Library.Phone(id); ok {
		src, _ := p.c.Library.PhoneSource(ph)
		say := ph.Say.In(lang)
		return bot.Claim{Text: say, Evidence: []bot.Evidence{{Chunk: "phones", Paragraph: id, Quote: say, Source: src.Bot()}}}, true
	}
	par, ok := p.c.Library.Paragraph(id)
	if !ok || !p.c.Library.Valid(par, d.Filter.Valid).Told() {
		return bot.Claim{}, false
	}
	chunk, _ := p.c.Library.ChunkOf(id)
	known := d.candidate(chunk.ID)
	if known == nil {
		known, _ = p.candidate(d, Found{Chunk: chunk.ID, Via: nil})
		d.Candidates = append(d.Candidates, known)
	}
	if !known.Kept {
		known.Passages = slices.DeleteFunc(known.Passages, func(x Passage) bool { return x.Paragraph.ID != id })
		known.Kept, known.Score, known.Iteration, known.Reason = true, 3, d.Iteration, "named by rule "+rule
	}
	if !slices.ContainsFunc(known.Passages, func(x Passage) bool { return x.Paragraph.ID == id }) {
		src, _ := p.c.Library.Source(par)
		known.Passages = append(known.Passages, Passage{Paragraph: par, Source: src.Bot(), State: p.c.Library.Valid(par, d.Filter.Valid)})
	}
	return Quote(p.c.Library, chunk.ID, par, lang, FitOf(d.Question.Channel).Plain), true
}
