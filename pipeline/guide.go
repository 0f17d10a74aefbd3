package pipeline

import (
	"fmt"

	"plumbline/bot"
	"plumbline/kb"
)

// A Guide knows what packs hear in a message before anything is looked up
// (asking.json): what is asked back, which other pack to offer, which hazards
// stand against each other, which premise the evidence decides. It is rules, so
// that it holds whatever family the stages are of. A nil Guide hears nothing.
// It is safe for concurrent use.
type Guide struct {
	lib   *kb.Library
	packs map[string]*hearing
}

// A hearing is the asking.json of one pack, ready to match.
type hearing struct {
	offer    *ruled[kb.Offer]
	clarify  []asking
	premises []ruled[kb.Premise]
	matrix   kb.Matrix
	cells    []kb.Action
	hazards  []ruled[kb.Named]
	uses     []ruled[kb.Named]
	persons  []ruled[kb.Named]
}

// A ruled is a rule with its patterns.
type ruled[T any] struct {
	rule        T
	any, unless Patterns
}

// words returns what the rule fires on in folded text; empty if it does not.
func (r ruled[T]) words(folded string) string { return r.any.Find(folded, r.unless) }

// An asking is a question to ask back, and what answers to it look like.
type asking struct {
	ruled[kb.Clarify]
	answers []Patterns // as rule.Answers
}

// NewGuide returns the guide of a library's packs.
func NewGuide(lib *kb.Library) (*Guide, error) {
	g := &Guide{lib: lib, packs: map[string]*hearing{}}
	for _, p := range lib.Packs() {
		h, err := hear(p)
		if err != nil {
			return nil, fmt.Errorf("pack %s: %w", p.Manifest.Name, err)
		}
		g.packs[p.Manifest.Name] = h
	}
	return g, nil
}

func hear(p *kb.Pack) (*hearing, error) {
	a := p.Asking
	h := &hearing{matrix: a.Matrix, cells: p.Guidance.Actions}
	if a.Offer != nil {
		o, err := ready("offer", *a.Offer, a.Offer.Any, a.Offer.Unless)
		if err != nil {
			return nil, err
		}
		h.offer = &o
	}
	for _, q := range a.Clarify {
		r, err := ready(q.ID, q, q.Any, q.Unless)
		if err != nil {
			return nil, err
		}
		ask := asking{ruled: r}
		for _, m := range q.Answers {
			any, err := CompilePatterns(m.Any)
			if err != nil {
				return nil, fmt.Errorf("answers to %s: %w", q.ID, err)
			}
			ask.answers = append(ask.answers, any)
		}
		h.clarify = append(h.clarify, ask)
	}
	for _, x := range a.Premises {
		r, err := ready(x.ID, x, x.Any, x.Unless)
		if err != nil {
			return nil, err
		}
		h.premises = append(h.premises, r)
	}
	for _, part := range []struct {
		from []kb.Named
		to   *[]ruled[kb.Named]
	}{{a.Matrix.Hazards, &h.hazards}, {a.Matrix.Uses, &h.uses}, {a.Matrix.Persons, &h.persons}} {
		for _, n := range part.from {
			r, err := ready(n.ID, n, n.Any, n.Unless)
			if err != nil {
				return nil, err
			}
			*part.to = append(*part.to, r)
		}
	}
	return h, nil
}

func ready[T any](id string, rule T, any, unless map[string][]string) (r ruled[T], err error) {
	r.rule = rule
	if r.any, err = CompilePatterns(any); err == nil {
		r.unless, err = CompilePatterns(unless)
	}
	if err != nil {
		return r, fmt.Errorf("%s: %w", id, err)
	}
	return r, nil
}

// in returns what the pack hears; never nil.
func (g *Guide) in(pack string) *hearing {
	if g == nil || g.packs[pack] == nil {
		return new(hearing)
	}
	return g.packs[pack]
}

// asked is what the message asks, as rules are matched on it: its questions,
// with what they lean on wholly.
func asked(d *Draft) string {
	text := ""
	parts := d.Understanding.Parts
	if d.Heard != nil { // a model's words are no ground for a rule
		parts = d.Heard
	}
	for _, part := range parts {
		if part.Leans == 1 && part.Standalone != d.Question.Text {
			text += " " + part.Standalone
		}
	}
	return FoldMarks(d.Question.Text + text)
}

// settled reports whether nothing may come before the rule that fired: small
// talk, and what is refused.
func settled(r *kb.ScopeRule) bool {
	return r != nil && (bot.Status(r.Status) == bot.RefusedForSafety || len(r.Any) == 0)
}
