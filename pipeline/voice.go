package pipeline

import (
	"context"
	"slices"

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
		v.guards[p.Manifest.Name] = set.Guard(n)
	}
	return v
}

func voiced(t kb.Text) personas.Text {
	return personas.Text{bot.English: t.In("en"), bot.Spanish: t.In("es")}
}

// Tell implements [Teller]. Without a claim there is nothing to put a voice to.
func (v *Voices) Tell(ctx context.Context, d *Draft) error {
	if len(d.Claims) == 0 {
		return ctx.Err()
	}
	told := v.tell(d, d.Question.Persona)
	d.Persona = told.Persona
	d.Understanding.Sentiment = string(told.Feeling.Sentiment)
	d.Pieces = pieces(told)
	record := &bot.GuardRecord{Passed: true}
	if faults := v.faults(d, told); len(faults) > 0 {
		// The claims go out in plain form (spec, Communicate).
		record.Repaired, record.Faults = true, faults
		plain := v.tell(d, personas.Plain)
		record.Passed = len(v.faults(d, plain)) == 0
		d.Persona, d.Pieces = personas.Plain, pieces(plain)
	}
	d.Trace.Guard = record
	return ctx.Err()
}

func (v *Voices) tell(d *Draft, persona string) personas.Told {
	t := personas.Telling{
		Persona: persona, Lang: d.Language, Asked: d.Question.Text, Opened: d.Pinned || len(d.Lead) > 0,
		Claims: d.Claims, Limitations: d.Limitations, Lead: len(d.Understanding.Parts),
		Agencies: v.bodies[d.Question.Pack], Narrow: FitOf(d.Question.Channel).SMS, Guard: v.guards[d.Question.Pack],
	}
	for _, c := range d.Claims {
		t.Standing = append(t.Standing, v.standing(d, c))
	}
	return v.Set.Tell(t)
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

// faults is what the guard finds between the claims and their telling.
func (v *Voices) faults(d *Draft, told personas.Told) (list []string) {
	for _, f := range v.guards[d.Question.Pack].Check(d.Claims, d.Limitations, told.Texts(), told.Allow...) {
		list = append(list, f.String())
	}
	return list
}

func pieces(told personas.Told) []Piece {
	list := make([]Piece, 0, len(told.Pieces))
	for _, p := range told.Pieces {
		list = append(list, Piece{Text: p.Text, Keep: p.Keep, With: p.With + 1})
	}
	return slices.Clip(list)
}
