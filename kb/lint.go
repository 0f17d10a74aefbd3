package kb

import (
	"fmt"
	"iter"
	"maps"
	"slices"
	"strings"
)

// A Rule looks for one kind of fault in the packs of a library on a day.
type Rule func(l *Library, at Date) []Finding

// Lint tells what in the packs a person should mend, decide or know on the day
// at: wordings against their exact text, against each other and against the
// limits of text messages, sources that were not opened, paragraphs that no
// longer hold. more are rules of those who know more, such as the safety
// rules' reader. Telephone numbers that are due are for Check. Findings come in the order of
// the packs, their files and lines.
func Lint(l *Library, at Date, more ...Rule) []Finding {
	rules := []Rule{
		lintApproval, lintProvenance, lintVulnerable, lintCompleteness,
		lintNumbers, lintTranslations, lintCaveats, lintCitations, lintDoses,
		lintLength, lintFold, lintSpelling, lintPlace, lintStates,
	}
	var list []Finding
	for _, rule := range append(rules, more...) {
		list = append(list, rule(l, at)...)
	}
	sortFindings(l, list)
	return list
}

// A told is one text of a pack that a person may be told.
type told struct {
	pack           *Pack
	kind, id       string
	what           string // which of the texts that id has
	language, text string
	sent           bool // written for text messages
}

func (t told) finding(sev Severity, rule, format string, args ...any) Finding {
	return t.pack.finding(sev, rule, t.kind, t.id, "%s (%s): "+format, append([]any{t.what, t.language}, args...)...)
}

// told yields every text of the pack that a person may be told, wordings first.
func (p *Pack) told() iter.Seq[told] {
	langs := p.languages()
	return func(yield func(told) bool) {
		ok := true
		one := func(kind, id, what, lang, text string, sent bool) {
			if ok && text != "" {
				ok = yield(told{p, kind, id, what, lang, text, sent})
			}
		}
		all := func(kind, id, what string, t Text) {
			for _, lang := range langs {
				one(kind, id, what, lang, t[lang], what == "say" || what == "limitation" || what == "question")
			}
		}
		for q := range p.paragraphs() {
			for w := range q.phrases(langs) {
				one(kindParagraph, q.ID, string(w.Form)+" wording", w.Language, w.Text, w.Form == FormPlain)
			}
			for i, c := range q.Caveats {
				all(kindParagraph, q.ID, fmt.Sprintf("caveat %d", i+1), c.Text)
			}
		}
		for _, d := range p.Documents {
			for _, s := range d.Sections {
				all("section of "+d.ID, s.ID, "heading", s.Heading)
				for _, sub := range s.Subsections {
					all(kindSubsection, sub.ID, "heading", sub.Heading)
				}
			}
		}
		for _, s := range p.Strategies {
			for _, q := range s.Questions {
				all("question of "+s.ID, q.ID, "limitation", q.Limitation)
			}
		}
		for _, ph := range p.Contacts.Phones {
			all(kindPhone, ph.ID, "say", ph.Say)
			all(kindPhone, ph.ID, "hours", ph.Hours)
		}
		for _, r := range p.Scope {
			all(kindScope, r.ID, "say", r.Say)
			for _, route := range slices.Sorted(maps.Keys(r.Holds)) {
				all(kindScope, r.ID, "say", r.Holds[route])
			}
		}
		for _, n := range p.Guidance.NextSteps {
			all(kindNextStep, n.ID, "say", n.Say)
		}
		for _, t := range p.Guidance.Glossary {
			all(kindTerm, slugOf(t.Term["en"]), "meaning", t.Means)
		}
		for _, f := range p.Guidance.Local {
			all(kindLocal, f.ID, "text", f.Text)
		}
		for _, x := range p.Guidance.Limits {
			all(kindLimit, x.ID, "say", x.Say)
		}
		for _, q := range p.Asking.Clarify {
			all(kindClarify, q.ID, "say", q.Say)
			all(kindClarify, q.ID, "question", q.Ask)
		}
		for _, x := range p.Asking.Premises {
			all(kindPremise, x.ID, "say", x.Say)
		}
		if o := p.Asking.Offer; o != nil {
			all("offer", OfferID(p.Manifest.Name), "say", o.Say)
		}
	}
}

// eachParagraph collects what f finds in each paragraph of each pack.
func eachParagraph(l *Library, f func(p *Pack, q *Paragraph) []Finding) []Finding {
	var list []Finding
	for _, p := range l.packs {
		for q := range p.paragraphs() {
			list = append(list, f(p, q)...)
		}
	}
	return list
}

// eachTold collects what f finds in each text that a person may be told.
func eachTold(l *Library, f func(t told) []Finding) []Finding {
	var list []Finding
	for _, p := range l.packs {
		for t := range p.told() {
			list = append(list, f(t)...)
		}
	}
	return list
}

// lintApproval lists the wordings that nobody approved: real senders do not
// use them.
func lintApproval(l *Library, _ Date) []Finding {
	return eachParagraph(l, func(p *Pack, q *Paragraph) []Finding {
		var open []string
		for w := range q.phrases(p.languages()) {
			if w.Approved == nil {
				open = append(open, fmt.Sprintf("%s (%s)", w.Form, w.Language))
			}
		}
		if len(open) == 0 {
			return nil
		}
		return []Finding{p.finding(Note, "unapproved", kindParagraph, q.ID, "nobody approved its wordings: %s", strings.Join(open, ", "))}
	})
}

// lintProvenance lists what was not read where it was published, and what must
// be looked up again before each release.
func lintProvenance(l *Library, _ Date) []Finding {
	return eachParagraph(l, func(p *Pack, q *Paragraph) []Finding {
		var list []Finding
		note := func(rule, format string, args ...any) {
			list = append(list, p.finding(Note, rule, kindParagraph, q.ID, format, args...))
		}
		s, _ := l.Source(*q)
		if s.Provenance.Open {
			note("open-before-publishing", "open %s: the page itself was not read", s.URL)
		}
		if s.Provenance.How == HowSecondary {
			note("secondary", "read in another's words: %s, %q", s.Agency, s.Title)
		}
		if q.Volatile {
			note("volatile", "look it up again before each release; it is as of %s", q.AsOf)
		}
		return list
	})
}

// frail are the stems of the words for people to whom a mistake does most
// harm.
var frail = []string{"babi", "infant", "newborn", "pregnan", "dialysi", "immun"}

// lintVulnerable finds advice for babies, pregnancy, dialysis and weak
// immunity that rests on a page that nobody opened and is not worded as ours,
// "to be careful".
func lintVulnerable(l *Library, _ Date) []Finding {
	return eachParagraph(l, func(p *Pack, q *Paragraph) []Finding {
		s, _ := l.Source(*q)
		exact := q.Exact["en"].Text
		if !s.Provenance.Open && s.Provenance.How != HowSecondary || strings.Contains(strings.ToLower(exact), "to be careful") {
			return nil
		}
		for _, stem := range stemsOf("en", exact) {
			for _, f := range frail {
				if strings.HasPrefix(stem, f) {
					return []Finding{p.finding(Warning, "vulnerable", kindParagraph, q.ID, `advice about %q rests on a page that was not opened: open it, or word it "to be careful"`, f)}
				}
			}
		}
		return nil
	})
}

// questionsOf is how many diagnostic questions each template has (the paper,
// A.3.1).
var questionsOf = map[string]int{"default": 1, "causal": 6, "regulatory": 6, "comparative": 6, "explanatory": 2}

// lintCompleteness finds what a pack lacks: aliases, caveats in a language,
// next steps of topics, questions of templates.
func lintCompleteness(l *Library, _ Date) []Finding {
	var list []Finding
	for _, p := range l.packs {
		langs := p.languages()
		list = append(list, p.checkLocalNumbers()...)
		for _, s := range p.Strategies {
			if want := questionsOf[s.ID]; len(s.Questions) != want {
				list = append(list, p.finding(Error, "strategy", kindStrategy, s.ID, "it has %d questions; its template has %d", len(s.Questions), want))
			}
		}
		for _, d := range p.Documents {
			for _, s := range d.Sections {
				for _, sub := range s.Subsections {
					for _, lang := range langs {
						if len(sub.Aliases[lang]) == 0 {
							list = append(list, p.finding(Warning, "aliases", kindSubsection, sub.ID, "it has no alias in %s: nobody asks as headings do", lang))
						}
					}
				}
			}
		}
		var topics []string
		for q := range p.paragraphs() {
			if !slices.Contains(topics, q.Topic) {
				topics = append(topics, q.Topic)
				if len(l.NextStepsFor(p.Manifest.Name, q.Topic)) == 0 {
					list = append(list, p.finding(Warning, "next-step", kindTopic, q.Topic, "the topic has no next step: an answer about it ends without one"))
				}
			}
			for _, lang := range langs {
				for i, c := range q.Caveats {
					if c.Text[lang] == "" {
						list = append(list, p.finding(Warning, "language", kindParagraph, q.ID, "caveat %d is not in %s: it will be told in English", i+1, lang))
					}
				}
				if _, ok := q.Plain[lang]; !ok {
					list = append(list, p.finding(Note, "plain", kindParagraph, q.ID, "it has no plain wording in %s: the exact one is told", lang))
				}
			}
		}
	}
	return list
}
