package kb

import (
	"regexp"
	"slices"
	"strconv"
	"strings"

	"plumbline/internal/text"
)

// proposal matches the words of a proposal.
var proposal = regexp.MustCompile(`(?i)\b(propos|draft|bills?\b|plans? to|consider|recommend|suggest|not (yet )?(final|law)|propon|propuest|propus|borrador|planea|proyecto|recomend|sugir|sugier)`)

// lintStates finds paragraphs that do not hold on the day and are cited as if
// they did, chunks in which nothing holds, and wordings that do not say that
// they are not yet in force, or only proposed.
func lintStates(l *Library, at Date) []Finding {
	var list []Finding
	for _, p := range l.packs {
		list = append(list, l.lintCited(p, at)...)
		for q := range p.paragraphs() {
			list = append(list, l.lintWorded(p, q, at)...)
		}
	}
	for c := range l.Chunks() {
		holds := slices.ContainsFunc(c.Subsection.Paragraphs, func(q Paragraph) bool { return l.Valid(q, at).Told() })
		if !holds {
			p, _ := l.Pack(c.Pack)
			list = append(list, p.finding(Warning, "state", kindSubsection, c.Subsection.ID, "nothing in it holds on %s: it is found and has no answer", at))
		}
	}
	return list
}

// lintCited finds what cites a paragraph that no longer holds.
func (l *Library) lintCited(p *Pack, at Date) []Finding {
	var list []Finding
	cite := func(kind, id string, ids ...string) {
		for _, cited := range ids {
			q, ok := l.Paragraph(cited)
			if !ok {
				continue
			}
			if state := l.Valid(q, at); !state.Told() {
				list = append(list, p.finding(Error, "state", kind, id, "it cites %s, which is %s on %s", cited, state, at))
			}
		}
	}
	for _, n := range p.Guidance.NextSteps {
		cite(kindNextStep, n.ID, n.Cite...)
	}
	for _, r := range p.Scope {
		cite(kindScope, r.ID, r.Cite...)
	}
	for _, t := range p.Guidance.Glossary {
		cite(kindTerm, slugOf(t.Term["en"]), t.Paragraph)
	}
	for _, f := range p.Guidance.Local {
		cite(kindLocal, f.ID, f.Cite...)
	}
	for _, a := range p.Guidance.Actions {
		cite(kindParagraph, a.Paragraph, a.Paragraph)
	}
	for _, q := range p.Asking.Clarify {
		cite(kindClarify, q.ID, q.Cite...)
	}
	for _, x := range p.Asking.Premises {
		cite(kindPremise, x.ID, x.Cite...)
	}
	for _, b := range p.Probes {
		cite(kindProbe, b.ID, b.Needs...)
	}
	return list
}

// lintWorded finds what is wrong with the wordings of a paragraph for the
// state that it is in.
func (l *Library) lintWorded(p *Pack, q *Paragraph, at Date) []Finding {
	var list []Finding
	add := func(sev Severity, format string, args ...any) {
		list = append(list, p.finding(sev, "state", kindParagraph, q.ID, format, args...))
	}
	v := l.Validity(*q)
	switch state := l.Valid(*q, at); state {
	case Expired, Superseded:
		add(Note, "it is %s on %s: it is kept and not told", state, at)
	case NotYet:
		year := strconv.Itoa(int(v.Effective) / 10000)
		for w := range q.phrases(p.languages()) {
			dated := slices.ContainsFunc(text.Dates(w.Text), func(d text.Date) bool { return strings.HasPrefix(d.ISO, year) })
			if !dated {
				add(Error, "%s wording (%s): it holds from %s, and it does not say so", w.Form, w.Language, v.Effective)
			}
		}
	case Proposed:
		for w := range q.phrases(p.languages()) {
			if !proposal.MatchString(w.Text) {
				add(Error, "%s wording (%s): it is only proposed, and it does not say so", w.Form, w.Language)
			}
		}
	}
	return list
}
