package pipeline

import (
	"cmp"
	"slices"
	"strings"

	"plumbline/bot"
	"plumbline/kb"
	"plumbline/pipeline/safety"
)

// emergency is the answer where a life is in danger: the fixed text and
// nothing else.
func (p *Pipeline) emergency(d *Draft, v safety.Verdict) bot.Answer {
	d.Status = bot.Emergency
	d.Language = spoken(v.Lang)
	first, more := p.c.Safety.Text(v, v.Lang)
	for _, t := range append([]string{first}, more...) {
		d.Claims = append(d.Claims, p.fixedClaims(t, v.Lang)...)
	}
	a := p.answer(d, v)
	a.Reply.Text, a.Reply.More = first, more
	return a
}

// spoken maps the language of a fixed text to one that answers are in.
func spoken(lang string) bot.Language {
	if lang == string(bot.Spanish) {
		return bot.Spanish
	}
	return bot.English
}

// fixedClaims makes claims of the fixed texts that a told text is made of.
func (p *Pipeline) fixedClaims(told, lang string) (claims []bot.Claim) {
	for _, f := range p.c.Safety.FixedTexts() {
		for _, l := range []string{lang, "en", "es", "other"} {
			text, ok := f.Texts[l]
			if ok && text != "" && strings.Contains(told, text) {
				claims = append(claims, bot.Claim{Text: text, Role: bot.Danger, Evidence: []bot.Evidence{{
					Chunk: "fixed", Paragraph: f.ID, Quote: text, Source: bot.FixedSource,
				}}})
				break
			}
		}
	}
	return claims
}

// compose fits what was told to the channel.
func (p *Pipeline) compose(d *Draft, v safety.Verdict) bot.Answer {
	lang := d.Language
	if !answersIn(lang) {
		lang = bot.English
	}
	fit := p.fit(d.Question.Channel)
	pieces := d.Pieces
	if d.Pinned {
		var lead []Piece
		if len(d.Core) == 0 { // nothing got as far as the telling
			core, more := p.c.Safety.Text(v, string(lang))
			d.Core = append([]string{core}, more...)
		}
		if offersMore.MatchString(d.Core[0]) { // it says what comes next, so that comes next
			for i := range pieces {
				pieces[i].Keep = KeepLater
			}
		}
		var core []bot.Claim
		for _, text := range d.Core {
			core = append(core, p.fixedClaims(text, string(lang))...)
			lead = append(lead, Piece{Text: text, Keep: KeepDanger})
		}
		d.Claims = append(core, d.Claims...)
		pieces = before(lead, pieces)
		if !d.Status.Supported() {
			d.Status = bot.AnsweredWithLimits
		}
	} else if say := p.fallback(d); say != "" && !slices.ContainsFunc(pieces, func(x Piece) bool { return !x.opens() }) {
		pieces = append(pieces, Piece{Text: say, Keep: KeepDanger})
	}
	if d.Around != nil && d.Rule == nil && !d.Pinned && d.Status.Supported() {
		pieces = before([]Piece{{Text: d.Around.Remind.In(string(lang)), Keep: KeepLimit}}, pieces)
	}
	pieces = before(p.announce(d, lang), pieces)
	a := p.answer(d, v)
	start := p.c.Now()
	if d.Tight {
		pieces = p.shorter(d, pieces)
		a.Reply.Text, a.Reply.More = composeTight(pieces, lang, fit)
	} else {
		a.Reply.Text, a.Reply.More = Compose(pieces, lang, fit)
	}
	d.finish(bot.Step{Stage: "compose", Family: "rules", Took: p.c.Now().Sub(start)})
	a.Reply.Why, a.Reply.Sources = why(a, lang, fit), p.sources(a.Claims, lang, fit)
	return a
}

// shorter adds to claims the sentence of theirs that is safe alone, as a way to
// say them.
func (p *Pipeline) shorter(d *Draft, pieces []Piece) []Piece {
	pieces = slices.Clone(pieces)
	for i, x := range pieces {
		at := slices.IndexFunc(d.Claims, func(c bot.Claim) bool {
			return len(c.Evidence) > 0 && c.Text != "" && strings.HasSuffix(x.Text, c.Text)
		})
		if x.Keep > KeepClaim || at < 0 {
			continue
		}
		lead := strings.TrimSuffix(x.Text, d.Claims[at].Text) // what a premise or a frame puts before it
		if alone := lead + p.alone(d, d.Claims[at]).Text; len(alone) < len(x.Text) && !slices.ContainsFunc(x.Or, func(way string) bool { return len(way) <= len(alone) }) {
			pieces[i].Or = append(slices.Clone(x.Or), alone)
		}
	}
	return pieces
}

// answer is what d has come to, but for the telling.
func (p *Pipeline) answer(d *Draft, v safety.Verdict) bot.Answer {
	lang := d.Language
	if !answersIn(lang) {
		lang = bot.English
	}
	a := bot.Answer{
		ID: d.Question.ID, Status: d.Status, Route: bot.Route(v.Route), Language: lang, Persona: cmp.Or(d.Persona, "plain"),
		Strategy: bot.Strategy(d.Strategy.ID), Pack: d.Question.Pack, Claims: d.Claims, Limitations: d.Limitations, Gaps: d.Gaps,
		Iterations: d.Iteration, Trace: d.Trace, Standing: d.Standing, Asked: d.Question.Text, Clarify: d.Clarify, Offer: d.Offer,
	}
	for _, c := range d.Candidates {
		ch := bot.Chunk{ID: c.Chunk.ID, Heading: c.Chunk.Heading(string(lang)), Score: c.Score, Kept: c.Kept, Via: c.Found.Names(),
			Similarity: c.Found.Score, Iteration: c.Iteration, Reason: c.Reason, Paragraphs: []string{}}
		for _, x := range c.Passages {
			ch.Paragraphs = append(ch.Paragraphs, x.Paragraph.ID)
			if c.Kept {
				a.ContextChars += len([]rune(x.Paragraph.Exact[string(bot.English)].Text))
			}
		}
		a.Chunks = append(a.Chunks, ch)
	}
	a.Reply.Language, a.Reply.Status, a.Reply.Answer = lang, d.Status, a.ID
	return a
}

// sayings are what is said where there is no claim to make. {about} is what
// the pack covers.
var sayings = map[bot.Status]kb.Text{
	bot.NotInSources: {
		"en": "I won't guess. No source of mine answers that. You can ask me about {about}.",
		"es": "No quiero adivinar. Mis fuentes no dicen eso. Le ayudo con {about}.",
	},
	bot.OutOfScope: {
		"en": "I can't help with that one. You can ask me about {about}.",
		"es": "Con eso no le puedo ayudar. Le ayudo con {about}.",
	},
	bot.TechnicalFailure: {
		"en": "Something on our side broke, so I have no answer yet. Please text it again in a few minutes. In an emergency call 911.",
		"es": "Algo de nuestro lado no funciona y no tengo respuesta. Mande la pregunta otra vez en unos minutos. En una emergencia llame al 911.",
	},
	empty: {
		"en": "Please write your question in a few words. You can ask me about {about}.",
		"es": "Escriba su pregunta en pocas palabras. Le ayudo con {about}.",
	},
}

// empty names what is said to a message without words.
const empty bot.Status = ""

// fallback is what is said where nothing is told.
func (p *Pipeline) fallback(d *Draft) string {
	lang := string(d.Language)
	status := d.Status
	switch {
	case !utterance(d.Question.Text):
		status = empty
	case !answersIn(d.Language):
		if s, err := p.c.Safety.Fixed("fixed.other_language", lang, nil); err == nil {
			return s
		}
	}
	pack, _ := p.c.Library.Pack(d.Question.Pack)
	return strings.ReplaceAll(sayings[status].In(lang), "{about}", subjects(pack.Manifest.About.In(lang), lang))
}

// subjects is what a pack is about with its first subjects, where it lists many
// after a colon: an easy sentence instead of a long one.
func subjects(about, lang string) string {
	const most = 3
	what, list, ok := strings.Cut(about, ": ")
	items := strings.Split(list, ", ")
	if !ok || len(items) <= most {
		return about
	}
	return what + ": " + strings.Join(items[:most], ", ") + kb.Text{"en": " and more", "es": " y más"}.In(lang)
}
