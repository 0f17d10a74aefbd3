package kb

import (
	"fmt"
	"maps"
	"slices"
	"strings"
)

// Asking is asking.json: what a pack hears in a message before anything is
// looked up. What has Any and Unless fires as a ScopeRule does.
type Asking struct {
	Offer    *Offer    `json:"offer,omitempty"`
	Matrix   Matrix    `json:"matrix,omitzero"`
	Clarify  []Clarify `json:"clarify,omitempty"`
	Premises []Premise `json:"premises,omitempty"`
}

// An Offer is how a pack is offered to somebody who asked another what only it
// covers: where it fires and that of the pack asked does not. Who
// writes one of Words back is answered by this pack.
type Offer struct {
	Any    map[string][]string `json:"any"`
	Unless map[string][]string `json:"unless,omitempty"`
	Words  map[string][]string `json:"words"`
	Say    Text                `json:"say"` // names one of Words
}

// A Matrix says how the cells of the action matrix are heard in a message, and
// which of them stand against each other.
type Matrix struct {
	Hazards  []Named    `json:"hazards"`
	Uses     []Named    `json:"uses"`
	Persons  []Named    `json:"persons,omitempty"`
	Default  string     `json:"default"` // the use of a message that names none
	Opposite []Opposite `json:"opposite"`

	// Told lists, by the id of a fixed safety text, the hazards whose advice it
	// gives already.
	Told map[string][]string `json:"told,omitempty"`
}

// A Named is a hazard, use or person of the action matrix as people name it.
type Named struct {
	ID     string              `json:"id"`
	Name   Text                `json:"name"`
	Any    map[string][]string `json:"any"`
	Unless map[string][]string `json:"unless,omitempty"`
}

// An Opposite is a pair of Action.Do: whoever faces a hazard that says Bars
// must not hear of another that says Do without hearing Bars first.
type Opposite struct {
	Do   string `json:"do"`
	Bars string `json:"bars"`
}

// A Clarify asks back what a message leaves out and what is safe hangs on. The
// safe action is told first: Say, then the paragraphs and phones of Cite. Say
// and Ask hold no number. Its id begins with "clarify.".
type Clarify struct {
	ID      string              `json:"id"`
	Any     map[string][]string `json:"any"`
	Unless  map[string][]string `json:"unless,omitempty"`
	First   bool                `json:"first,omitempty"` // only where nothing was asked before; its question says too little to keep
	Say     Text                `json:"say"`
	Cite    []string            `json:"cite,omitempty"`
	Ask     Text                `json:"ask"` // one question
	Next    string              `json:"next,omitempty"`
	Answers []Meant             `json:"answers"`
}

// A Meant is what a short answer to a question asked back means: Means is put
// to the question that was asked, empty where the answer's own words will do.
type Meant struct {
	Any   map[string][]string `json:"any"`
	Means Text                `json:"means,omitempty"`
}

// A Premise is what a question takes for granted and the evidence decides: Say
// begins the answer ("No."), the paragraphs of Cite follow. Say holds no number.
// Its id begins with "premise.".
type Premise struct {
	ID     string              `json:"id"`
	Any    map[string][]string `json:"any"`
	Unless map[string][]string `json:"unless,omitempty"`
	Say    Text                `json:"say"`
	Cite   []string            `json:"cite"`
}

// asking checks asking.json.
func (c *checker) asking(a at) {
	x := &c.pack.Asking
	if x.Offer != nil {
		b := a.key("offer")
		c.fires(b, x.Offer.Any, x.Offer.Unless)
		c.words(b.key("words"), x.Offer.Words)
		for _, lang := range c.languages {
			if len(x.Offer.Words[lang]) == 0 {
				c.bare(b.key("words"), "there is no word that accepts in "+lang, "")
			}
		}
		c.numberless(b.key("say"), x.Offer.Say)
	}
	c.matrix(a.key("matrix"), &x.Matrix)
	for i, q := range x.Clarify {
		b := a.key("clarify").index(i)
		c.id(b.key("id"), kindClarify, q.ID)
		c.fires(b, q.Any, q.Unless)
		c.numberless(b.key("say"), q.Say)
		c.numberless(b.key("ask"), q.Ask)
		c.refList(b.key("cite"), q.Cite, kindParagraph, kindPhone)
		if q.Next != "" {
			c.ref(b.key("next"), q.Next, kindNextStep)
		}
		if len(q.Answers) == 0 {
			c.bare(b.key("answers"), "there is no answer", "say what answers to it look like")
		}
		for j, m := range q.Answers {
			d := b.key("answers").index(j)
			c.fires(d, m.Any, nil)
			if len(m.Means) > 0 {
				c.text(d.key("means"), m.Means)
			}
		}
	}
	for i, p := range x.Premises {
		b := a.key("premises").index(i)
		c.id(b.key("id"), kindPremise, p.ID)
		c.fires(b, p.Any, p.Unless)
		c.numberless(b.key("say"), p.Say)
		c.refList(b.key("cite"), p.Cite, kindParagraph)
		if len(p.Cite) == 0 {
			c.bare(b.key("cite"), "there is no paragraph", "name the one that decides it")
		}
	}
}

func (c *checker) matrix(a at, m *Matrix) {
	heard := map[string][]string{}
	for part, list := range map[string][]Named{"hazards": m.Hazards, "uses": m.Uses, "persons": m.Persons} {
		for i, n := range list {
			b := a.key(part).index(i)
			if !idShape.MatchString(n.ID) {
				c.fault(b.key("id"), fmt.Sprintf("%.90q is not a name", n.ID), writeIDs)
			}
			if slices.Contains(heard[part], n.ID) {
				c.fault(b.key("id"), fmt.Sprintf("%q stands twice", n.ID), "delete one")
			}
			heard[part] = append(heard[part], n.ID)
			c.text(b.key("name"), n.Name)
			c.fires(b, n.Any, n.Unless)
		}
	}
	if len(m.Uses) > 0 && !slices.Contains(heard["uses"], m.Default) {
		c.fault(a.key("default"), fmt.Sprintf("%.90q is none of the uses", m.Default), "name the use of a message that names none")
	}
	if c.unread["guidance.json"] {
		return
	}
	var does, hazards []string
	for _, x := range c.pack.Guidance.Actions {
		does, hazards = append(does, x.Do), append(hazards, x.Hazard)
	}
	for _, id := range heard["hazards"] {
		if !slices.Contains(hazards, id) {
			c.fault(a.key("hazards"), fmt.Sprintf("no action is for the hazard %.90q", id), "write one in guidance.json, or delete it")
		}
	}
	for i, o := range m.Opposite {
		for _, part := range []struct{ name, do string }{{"do", o.Do}, {"bars", o.Bars}} {
			if !slices.Contains(does, part.do) {
				c.fault(a.key("opposite").index(i).key(part.name), fmt.Sprintf("no action says %.90q", part.do), "write what one in guidance.json says")
			}
		}
	}
	for _, id := range slices.Sorted(maps.Keys(m.Told)) {
		for i, h := range m.Told[id] {
			if !slices.Contains(hazards, h) {
				c.fault(a.key("told").key(id).index(i), fmt.Sprintf("no action is for the hazard %.90q", h), "")
			}
		}
	}
}

// fires checks the patterns of what stands at a.
func (c *checker) fires(a at, any, unless map[string][]string) {
	if len(any) == 0 {
		c.bare(a.key("any"), "there is no pattern", "")
	}
	c.patterns(a.key("any"), any)
	c.patterns(a.key("unless"), unless)
}

// numberless checks a text of ours: it holds no number, for those come from
// what is cited.
func (c *checker) numberless(a at, t Text) {
	c.text(a, t)
	for _, lang := range slices.Sorted(maps.Keys(t)) {
		if strings.ContainsAny(t[lang], "0123456789") {
			c.fault(a.key(lang), "a text of ours holds a number", "leave it to the paragraphs that are cited")
		}
	}
}
