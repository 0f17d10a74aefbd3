package kb

import (
	"fmt"
	"maps"
	"math/big"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"plumbline/internal/text"
)

// A figures is what of a text must survive a rewrite.
type figures struct {
	numbers   []number
	units     map[string][]string // by value, the units that it stands with, "" included
	dates     []string            // as ISO, as much as the text says
	contacts  map[string]bool     // telephone numbers and web addresses
	negations []string
}

// A number is a value of a text. near is its unit where that stands right
// beside it, unit also where reading found it. An article is a Spanish "un" or
// "una" that may be a number or not.
type number struct {
	value, unit, near string
	article           bool
}

// figuresOf reads the figures of texts taken together.
func figuresOf(texts ...string) figures {
	f := figures{units: make(map[string][]string), contacts: make(map[string]bool)}
	for _, s := range texts {
		dates := text.Dates(s)
		for _, d := range dates {
			f.dates = append(f.dates, d.ISO)
		}
		for _, q := range text.Quantities(s) {
			if slices.ContainsFunc(dates, func(d text.Date) bool { return d.Overlaps(q.Span) }) && q.Near == "" {
				continue // told as a date
			}
			f.add(q, q.In(s))
		}
		for _, p := range text.Phones(s) {
			if p.Digits != "911" && p.Digits != "988" { // which may be said anywhere
				f.contacts[p.Digits] = true
			}
		}
		for _, u := range text.URLs(s) {
			f.contacts[strings.TrimSuffix(strings.TrimPrefix(strings.TrimPrefix(strings.ToLower(u.In(s)), "https://"), "http://"), "/")] = true
		}
		for _, n := range text.Negations(s) {
			if !(n.Word == "not" || n.Word == "no") || !conditional.MatchString(s[:n.Start]) {
				f.negations = append(f.negations, n.Word)
			}
		}
	}
	return f
}

// conditional matches what stands before a negation that denies nothing: "if
// not, use bottled water".
var conditional = regexp.MustCompile(`(?i)\b(if|si|or|o|whether)\s+$`)

func (f *figures) add(q text.Quantity, written string) {
	inWords := !strings.ContainsAny(written, "0123456789½¼¾⅓⅔")
	n := number{value: value(q.Value), unit: money.ReplaceAllString(q.Unit, ""), near: money.ReplaceAllString(q.Near, "")}
	first, _, _ := strings.Cut(strings.ToLower(written), " ")
	n.article = first == "un" || first == "una"
	f.units[n.value] = append(f.units[n.value], n.unit)
	if n.near != "" {
		f.units[n.value] = append(f.units[n.value], n.near)
	}
	// A number in words with a unit that is not beside it, or of people, is as
	// well told otherwise ("two were charged").
	if !inWords || n.near != "" && n.unit != "person" {
		f.numbers = append(f.numbers, n)
	}
}

// money is a unit that a number may have before it or after it.
var money = regexp.MustCompile(` ?\$$`)

// value writes equal numbers alike: 4.0 is 4, 1940s is 1940.
func value(s string) string {
	r, ok := new(big.Rat).SetString(strings.TrimSuffix(s, "s"))
	if !ok || len(s) > 30 {
		return s
	}
	if f, exact := r.Float64(); exact || !r.IsInt() {
		return strconv.FormatFloat(f, 'f', -1, 64)
	}
	return r.RatString()
}

// lacking lists the figures of f that of does not hold. The unit of a number of
// f must be one that the number has in of. It is enough that the number stands
// in of without a unit if f's own was found by reading or, unless strict, at
// all. A date is held by one that says as
// much or more; coarse are those of which of says less: the year.
func (f figures) lacking(of figures, strict bool) (missing, coarse []string) {
	for _, n := range f.numbers {
		units, ok := of.units[n.value]
		switch {
		case n.article, n.near == "" && of.year(n.value):
		case ok && (n.unit == "" || slices.Contains(units, n.unit) || slices.Contains(units, n.near)):
		case ok && (n.near == "" || !strict) && slices.Contains(units, ""):
		default:
			missing = append(missing, strings.TrimSpace(n.value+" "+n.unit))
		}
	}
	for _, d := range f.dates {
		year, _, _ := strings.Cut(d, "-")
		switch {
		case slices.ContainsFunc(of.dates, func(o string) bool {
			return strings.HasPrefix(o, d) || strings.HasPrefix(d, "--") && strings.HasSuffix(o, d[1:])
		}):
		case len(d) == len(year) && of.units[d] != nil:
		case year != "" && of.year(year):
			coarse = append(coarse, d)
		default:
			missing = append(missing, d)
		}
	}
	for _, c := range slices.Sorted(maps.Keys(f.contacts)) {
		if !of.contacts[c] {
			missing = append(missing, c)
		}
	}
	return slices.Compact(missing), slices.Compact(coarse)
}

// year reports whether a date of f is in the year.
func (f figures) year(y string) bool {
	return len(y) == 4 && slices.ContainsFunc(f.dates, func(d string) bool { return strings.HasPrefix(d, y) })
}

// softNegation matches words that say no without a negation: a plain wording
// may turn "do not use" into "avoid".
var softNegation = regexp.MustCompile(`(?i)\b(avoid|stop|instead|unless|except|only|rather|free|lack|fail|refus|rechaz|prohibit|forbid|bans?\b|bars?\b|ended|rarely|hard|too|just|before|evit|deje|dejar|en vez|en lugar|salvo|excepto|menos|solo|sólo|falta|prohib|raras|apenas|difícil|antes)`)

// lintNumbers holds each plain wording to its exact one: its numbers, units,
// dates, telephone numbers, addresses and negations stand in the exact
// wording, a caveat or a sibling, and unless it is partial it leaves none of
// the exact wording's out.
func lintNumbers(l *Library, _ Date) []Finding {
	return eachParagraph(l, func(p *Pack, q *Paragraph) []Finding {
		var list []Finding
		for _, lang := range p.languages() {
			plain, ok := q.Plain[lang]
			if !ok {
				continue
			}
			exact := figuresOf(q.Exact[lang].Text)
			grounds := figuresOf(l.grounds(q, lang)...)
			said := figuresOf(plain.Text)
			add := func(sev Severity, rule, format string, args ...any) {
				list = append(list, p.finding(sev, rule, kindParagraph, q.ID, "plain wording (%s): "+format, append([]any{lang}, args...)...))
			}
			if extra, finer := said.lacking(grounds, true); len(extra)+len(finer) > 0 {
				extra = append(extra, finer...)
				add(Error, "plain-number", "it says %s, which neither its exact wording, a caveat nor a named sibling says", quoted(extra))
			}
			if len(said.negations) > 0 && len(grounds.negations) == 0 && !softNegation.MatchString(strings.Join(l.grounds(q, lang), " ")) {
				add(Error, "plain-negation", "it says %s, and its exact wording says no such thing", quoted(said.negations[:1]))
			}
			if plain.Partial {
				continue
			}
			left, coarse := exact.lacking(said, false)
			if len(left) > 0 {
				add(Error, "plain-left-out", "it leaves out %s: say it, or mark the wording partial", quoted(left))
			}
			if len(coarse) > 0 {
				add(Warning, "plain-left-out", "it says less of the date %s", quoted(coarse))
			}
			if len(exact.negations) > 0 && len(said.negations) == 0 && !softNegation.MatchString(plain.Text) {
				add(Error, "plain-negation", "it leaves out %s: say it, or mark the wording partial", quoted(exact.negations[:1]))
			}
		}
		return list
	})
}

// grounds lists the texts that a plain wording of q in lang may take numbers
// from: the exact wording, the caveats and the named siblings' exact wordings.
func (l *Library) grounds(q *Paragraph, lang string) []string {
	texts := []string{q.Exact[lang].Text}
	for _, c := range q.Caveats {
		texts = append(texts, c.Text.In(lang))
	}
	for _, id := range q.Siblings {
		s, _ := l.Paragraph(id)
		texts = append(texts, s.Exact[lang].Text)
	}
	return texts
}

func quoted(list []string) string {
	out := make([]string, len(list))
	for i, s := range list {
		out[i] = fmt.Sprintf("%q", s)
	}
	return strings.Join(out, ", ")
}

// lintTranslations holds the exact wordings of a paragraph to one set of
// figures, whatever the language.
func lintTranslations(l *Library, _ Date) []Finding {
	return eachParagraph(l, func(p *Pack, q *Paragraph) []Finding {
		var list []Finding
		en := figuresOf(q.Exact["en"].Text)
		for _, lang := range p.languages()[1:] {
			other := figuresOf(q.Exact[lang].Text)
			one, oneCoarse := en.lacking(other, false)
			two, twoCoarse := other.lacking(en, false)
			if diff := slices.Concat(one, oneCoarse, two, twoCoarse); len(diff) > 0 {
				list = append(list, p.finding(Error, "translation", kindParagraph, q.ID, "the exact wordings in en and %s differ in %s", lang, quoted(diff)))
			}
			if (len(en.negations) == 0) != (len(other.negations) == 0) && !softNegation.MatchString(q.Exact["en"].Text) && !softNegation.MatchString(q.Exact[lang].Text) {
				list = append(list, p.finding(Warning, "translation", kindParagraph, q.ID, "only one of the exact wordings in en and %s says no: %s", lang, quoted(append(en.negations, other.negations...))))
			}
		}
		return list
	})
}

// lintCitations holds what we say in our own words to what it cites: each
// figure of a next step, a rule's text, a term's meaning and a local fact
// stands in a cited paragraph or phone record, and a phone record's sentence
// holds its number and no other figure than its hours and note.
func lintCitations(l *Library, _ Date) []Finding {
	var list []Finding
	for _, p := range l.packs {
		hold := func(kind, id, what string, t Text, cite ...string) {
			for _, lang := range p.languages() {
				extra, finer := figuresOf(t[lang]).lacking(figuresOf(l.cited(cite, lang)...), true)
				if extra = append(extra, finer...); len(extra) > 0 {
					list = append(list, p.finding(Error, "uncited", kind, id, "%s (%s): it says %s, which nothing that it cites says", what, lang, quoted(extra)))
				}
			}
		}
		for _, n := range p.Guidance.NextSteps {
			hold(kindNextStep, n.ID, "say", n.Say, n.Cite...)
		}
		for _, r := range p.Scope {
			hold(kindScope, r.ID, "say", r.Say, r.Cite...)
		}
		for _, t := range p.Guidance.Glossary {
			if t.Paragraph != "" { // else it is a definition, and ours
				hold(kindTerm, slugOf(t.Term["en"]), "meaning", t.Means, t.Paragraph)
			}
		}
		for _, f := range p.Guidance.Local {
			hold(kindLocal, f.ID, "text", f.Text, f.Cite...)
		}
		for _, ph := range p.Contacts.Phones {
			for _, lang := range p.languages() {
				say := figuresOf(ph.Say[lang])
				if !strings.Contains(ph.Say[lang], ph.Number) {
					list = append(list, p.finding(Error, "phone-say", kindPhone, ph.ID, "say (%s): it does not give %s", lang, ph.Number))
				}
				extra, finer := say.lacking(figuresOf(ph.Number, ph.Hours[lang], ph.Note), true)
				if extra = append(extra, finer...); len(extra) > 0 {
					list = append(list, p.finding(Error, "phone-say", kindPhone, ph.ID, "say (%s): it says %s, which neither its number, its hours nor its note say", lang, quoted(extra)))
				}
			}
		}
	}
	return list
}

// cited lists the texts in lang, and in English, of the paragraphs and phone
// records with the ids.
func (l *Library) cited(ids []string, lang string) []string {
	var texts []string
	for _, id := range ids {
		if q, ok := l.Paragraph(id); ok {
			for _, tag := range []string{lang, "en"} {
				texts = append(texts, q.Exact[tag].Text, q.Plain[tag].Text)
				for _, c := range q.Caveats {
					texts = append(texts, c.Text[tag])
				}
			}
		}
		if ph, ok := l.Phone(id); ok {
			texts = append(texts, ph.Number, ph.Say[lang], ph.Hours[lang])
		}
	}
	return texts
}
