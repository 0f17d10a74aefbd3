package pipeline

import (
	"cmp"
	"fmt"
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
					Chunk: "fixed", Paragraph: f.ID, Quote: text, Source: FixedSource,
				}}})
				break
			}
		}
	}
	return claims
}

// FixedSource is the source of the fixed texts.
var FixedSource = bot.Source{Agency: "Plumbline", Title: "Fixed safety texts", Date: "2026-11-30", How: "primary", Read: "2026-11-30"}

// compose fits what was told to the channel.
func (p *Pipeline) compose(d *Draft, v safety.Verdict) bot.Answer {
	lang := d.Language
	if !answersIn(lang) {
		lang = bot.English
	}
	fit := FitOf(d.Question.Channel)
	pieces := d.Pieces
	if d.Pinned {
		core, more := p.c.Safety.Text(v, string(lang))
		lead := []Piece{{Text: core, Keep: KeepDanger}}
		if offersMore.MatchString(core) { // it says what comes next, so that comes next
			for i := range pieces {
				pieces[i].Keep = KeepLater
			}
		}
		d.Claims = append(p.fixedClaims(core, string(lang)), d.Claims...)
		for _, m := range more {
			d.Claims = append(d.Claims, p.fixedClaims(m, string(lang))...)
			lead = append(lead, Piece{Text: m, Keep: KeepDanger})
		}
		pieces = before(pieces, lead...)
		if !d.Status.Supported() {
			d.Status = bot.AnsweredWithLimits
		}
	} else if say := p.fallback(d); say != "" && len(pieces) == 0 {
		pieces = []Piece{{Text: say, Keep: KeepDanger}}
	}
	a := p.answer(d, v)
	start := p.c.Now()
	a.Reply.Text, a.Reply.More = Compose(pieces, lang, fit)
	d.Trace.Steps = append(d.Trace.Steps, bot.Step{Stage: "compose", Family: "rules", Took: p.c.Now().Sub(start)})
	a.Reply.Why, a.Reply.Sources = why(a, lang, fit), p.sources(a.Claims, lang, fit)
	return a
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
		"en": "I don't have a source that answers that, so I won't guess. I can look up {about}.",
		"es": "No tengo una fuente que responda eso, y no quiero adivinar. Le puedo ayudar con {about}.",
	},
	bot.OutOfScope: {
		"en": "I can't help with that one. I can look up {about}.",
		"es": "Con eso no le puedo ayudar. Le puedo ayudar con {about}.",
	},
	bot.TechnicalFailure: {
		"en": "Something on our side is not working, so I have no answer yet. Please text it again in a few minutes. In an emergency call 911.",
		"es": "Algo de nuestro lado no funciona y no tengo respuesta. Mande la pregunta otra vez en unos minutos. En una emergencia llame al 911.",
	},
	empty: {
		"en": "Please write your question in a few words. I can look up {about}.",
		"es": "Escriba su pregunta en pocas palabras. Le puedo ayudar con {about}.",
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
	return strings.ReplaceAll(sayings[status].In(lang), "{about}", pack.Manifest.About.In(lang))
}

// why tells how an answer was worked out, for WHY.
func why(a bot.Answer, lang bot.Language, fit Fit) []string {
	kept, chunks := 0, 0
	agencies := []string{}
	for _, c := range a.Chunks {
		chunks++
		if c.Kept {
			kept++
		}
	}
	for _, c := range a.Claims {
		for _, e := range c.Evidence {
			if e.Chunk != "fixed" && e.Source.Agency != "" && !slices.Contains(agencies, e.Source.Agency) {
				agencies = append(agencies, e.Source.Agency)
			}
		}
	}
	if !a.Status.Supported() && a.Status != bot.LocalOnly {
		return nil
	}
	format := map[bot.Language]string{
		bot.English: "I looked at %d passages and used %d. What I told you is quoted from: %s.",
		bot.Spanish: "Vi %d pasajes y usé %d. Lo que le dije viene de: %s.",
	}[lang]
	pieces := []Piece{{Text: fmt.Sprintf(format, chunks, kept, strings.Join(agencies, "; ")), Keep: KeepClaim}}
	for _, l := range a.Limitations {
		pieces = append(pieces, Piece{Text: l.Text, Keep: KeepLimit})
	}
	first, more := Compose(pieces, lang, fit)
	return append([]string{first}, more...)
}

// read says how a source was read.
var read = map[string]kb.Text{
	"primary":       {"en": "page read", "es": "página leída"},
	"official-copy": {"en": "copy read", "es": "copia leída"},
	"secondary":     {"en": "quoted by others", "es": "citado por otros"},
}

// confirmed says when somebody last checked a telephone number.
var confirmed = kb.Text{"en": "%s: number checked %s (%s).", "es": "%s: número revisado el %s (%s)."}

// how says how a number was checked.
var how = map[string]kb.Text{"called": {"en": "called", "es": "se llamó"}}

// byReading is how a number was checked that nobody called.
var byReading = kb.Text{"en": "read, not called", "es": "leído, sin llamar"}

// phones returns the phone records that a row of the packs gives.
func (p *Pipeline) phones(row string) (list []kb.Phone) {
	ids := []string{row}
	if n, ok := p.c.Library.NextStep(row); ok {
		ids = n.Cite
	}
	for _, id := range ids {
		if ph, ok := p.c.Library.Phone(id); ok {
			list = append(list, ph)
		}
	}
	return list
}

// sources lists where the claims come from, for SOURCES: agency, title, date,
// how it was read and when; of telephone numbers when they were last checked.
func (p *Pipeline) sources(claims []bot.Claim, lang bot.Language, fit Fit) []string {
	var pieces []Piece
	var seen []string
	for _, c := range claims {
		for _, e := range c.Evidence {
			for _, ph := range p.phones(e.Paragraph) {
				if slices.Contains(seen, ph.ID) {
					continue
				}
				seen = append(seen, ph.ID)
				by, ok := how[ph.Confirmed.How]
				if !ok {
					by = byReading
				}
				line := fmt.Sprintf(confirmed.In(string(lang)), ph.Number, ph.Confirmed.On, by.In(string(lang)))
				pieces = append(pieces, Piece{Text: line, Keep: KeepContext})
			}
			s := e.Source
			key := s.Agency + s.Title
			if e.Chunk == "fixed" || s.Agency == "" || slices.Contains(seen, key) {
				continue
			}
			seen = append(seen, key)
			line := fmt.Sprintf("%s, %s (%s; %s %s).", s.Agency, s.Title, s.Date, read[s.How].In(string(lang)), s.Read)
			pieces = append(pieces, Piece{Text: line, Keep: KeepClaim})
		}
	}
	if len(pieces) == 0 {
		return nil
	}
	first, more := Compose(pieces, lang, fit)
	return append([]string{first}, more...)
}
