package pipeline

import (
	"context"
	"slices"
	"time"

	"plumbline/bot"
	"plumbline/kb"
	"plumbline/personas"
)

// Voices is the extractive [Teller]: claims, limitations and the next step as
// they stand, in a persona's frame.
type Voices struct {
	Set     *personas.Set
	Library *kb.Library
	guards  map[string]*personas.Guard   // by pack
	bodies  map[string][]personas.Agency // by pack
}

// NewVoices returns the voices of a set, with guards that know the names of the
// library's packs.
func NewVoices(set *personas.Set, lib *kb.Library) *Voices {
	v := &Voices{Set: set, Library: lib, guards: map[string]*personas.Guard{}, bodies: map[string][]personas.Agency{}}
	for _, p := range lib.Packs() {
		var n personas.Names
		for _, a := range p.Contacts.Agencies {
			forms := []string{a.Name["en"], a.Name["es"]}
			if a.Short != "" {
				forms = append(forms, a.Short)
			}
			n.Agencies = append(n.Agencies, personas.Name{ID: a.ID, Forms: forms})
			v.bodies[p.Manifest.Name] = append(v.bodies[p.Manifest.Name], personas.Agency{Forms: forms, Name: voiced(a.Name), Role: voiced(a.Role)})
		}
		for _, j := range p.Manifest.Places {
			forms := []string{j.Name["en"], j.Name["es"]}
			for _, lang := range []string{"en", "es"} {
				forms = append(forms, j.Forms[lang]...)
			}
			n.Places = append(n.Places, personas.Name{ID: j.ID, Forms: forms})
		}
		for _, h := range p.Names {
			n.Hazards = append(n.Hazards, personas.Name{ID: h.ID, Kind: h.Kind, Forms: both(h.Forms), Written: both(h.Written), Not: both(h.Not)})
		}
		v.guards[p.Manifest.Name] = set.Guard(n)
	}
	return v
}

// both is what stands in either language.
func both(lists map[string][]string) []string { return slices.Concat(lists["en"], lists["es"]) }

func voiced(t kb.Text) personas.Text {
	return personas.Text{bot.English: t.In("en"), bot.Spanish: t.In("es")}
}

// Tell implements [Teller]. Without a claim there is only the asker's feeling
// to put a voice to.
func (v *Voices) Tell(ctx context.Context, d *Draft) error {
	told := v.tell(d, d.Question.Persona)
	d.Understanding.Sentiment = string(told.Feeling.Sentiment)
	if len(d.Claims) == 0 {
		if d.Status == bot.NotInSources && told.Feeling.Sentiment != personas.Neutral {
			d.Persona, d.Pieces = told.Persona, pieces(told)
		}
		return ctx.Err()
	}
	d.Persona = told.Persona
	d.Pieces = pieces(told)
	record := &bot.GuardRecord{Passed: true}
	if faults := v.faults(d, told); len(faults) > 0 {
		// The claims go out in plain form (spec, Communicate).
		record.Repaired, record.Faults = true, faults
		plain := v.tell(d, personas.Plain)
		record.Passed = len(v.faults(d, plain)) == 0
		d.Persona, d.Pieces = personas.Plain, pieces(plain)
		told = plain
	}
	record.Own = told.Allow
	d.Trace.Guard = record
	return ctx.Err()
}

func (v *Voices) tell(d *Draft, persona string) personas.Told {
	t := personas.Telling{
		Persona: persona, Lang: d.Language, Asked: d.Question.Text, Before: lastAsked(d.Question), Opened: d.Pinned || len(d.Lead) > 0 || len(d.Posted) > 0 || d.Around != nil, Said: d.Core,
		Claims: d.Claims, Limitations: d.Limitations, Lead: max(len(d.Understanding.Parts), d.Direct),
		Agencies: v.bodies[d.Question.Pack], Narrow: FitOf(d.Question.Channel).Plain, Guard: v.guards[d.Question.Pack],
	}
	for _, c := range d.Claims {
		t.Standing = append(t.Standing, v.standing(d, c))
	}
	return v.Set.Tell(t)
}

// recent is how long ago the message before may be, for how its writer felt to
// count.
const recent = 30 * time.Minute

// lastAsked is the message before, if it was not long ago.
func lastAsked(q bot.Question) string {
	if len(q.History) == 0 {
		return ""
	}
	last := q.History[len(q.History)-1]
	if !q.At.IsZero() && !last.At.IsZero() && q.At.Sub(last.At) > recent {
		return ""
	}
	return last.Asked
}

// standing says whether a claim holds at the date.
func (v *Voices) standing(d *Draft, c bot.Claim) personas.Standing {
	for _, e := range c.Evidence {
		p, ok := v.Library.Paragraph(e.Paragraph)
		if !ok {
			continue
		}
		switch v.Library.Valid(p, d.Filter.Valid) {
		case kb.Proposed:
			return personas.Proposed
		case kb.NotYet:
			return personas.NotYet
		}
	}
	return ""
}

// Guard is what holds tellings from a pack.
func (v *Voices) Guard(pack string) *personas.Guard { return v.guards[pack] }

// faults is what the guard finds between the claims and their telling.
func (v *Voices) faults(d *Draft, told personas.Told) (list []string) {
	var claims []bot.Claim
	for i, c := range d.Claims {
		if !slices.Contains(told.Held, i) {
			claims = append(claims, c)
		}
	}
	guard := v.guards[d.Question.Pack]
	for _, f := range guard.Check(claims, d.Limitations, told.Texts(), told.Allow...) {
		list = append(list, f.String())
	}
	if !guard.Verbatim(claims, d.Limitations, told.Texts(), told.Allow...) {
		list = append(list, "a claim is told in other words")
	}
	return list
}

func pieces(told personas.Told) []Piece {
	list := make([]Piece, 0, len(told.Pieces))
	for _, p := range told.Pieces {
		list = append(list, Piece{Text: p.Text, Keep: p.Keep, With: p.With + 1, Or: p.Or, Claim: p.Claim + 1, Limit: p.Limitation + 1})
	}
	return slices.Clip(list)
}
