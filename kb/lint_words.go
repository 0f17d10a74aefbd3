package kb

import (
	"regexp"
	"slices"
	"strings"

	"plumbline/internal/bm25"
	"plumbline/internal/gsm7"
	"plumbline/internal/text"
)

// stemsOf returns the stems of a text's telling words.
func stemsOf(lang, s string) []string { return bm25.For(lang)(s) }

// caveatFaint is the share of a caveat's telling words below which a person
// should look whether a wording says it.
const caveatFaint = 1.0 / 3

// lintCaveats finds wordings that do not say a caveat that travels. A wording
// that shares no telling word with the caveat, by stem and in its language,
// does not say it; one that shares few may.
func lintCaveats(l *Library, _ Date) []Finding {
	return eachParagraph(l, func(p *Pack, q *Paragraph) []Finding {
		var list []Finding
		for i, c := range q.Caveats {
			if !c.Travels {
				continue
			}
			for w := range q.phrases(p.languages()) {
				share, missing := overlap(stemsOf(w.Language, c.Text[w.Language]), stemsOf(w.Language, w.Text))
				switch {
				case share == 0:
					list = append(list, p.finding(Error, "caveat", kindParagraph, q.ID, "%s wording (%s): it says nothing of caveat %d, which travels", w.Form, w.Language, i+1))
				case share < caveatFaint:
					list = append(list, p.finding(Warning, "caveat", kindParagraph, q.ID, "%s wording (%s): it says little of caveat %d, which travels; it lacks %s",
						w.Form, w.Language, i+1, strings.Join(missing, ", ")))
				}
			}
		}
		return list
	})
}

// overlap returns the share of the distinct words of want that have holds, and
// those that it does not.
func overlap(want, have []string) (share float64, missing []string) {
	slices.Sort(want)
	want = slices.Compact(want)
	if len(want) == 0 {
		return 1, nil
	}
	for _, w := range want {
		if !slices.Contains(have, w) {
			missing = append(missing, w)
		}
	}
	return 1 - float64(len(missing))/float64(len(want)), missing
}

// drops matches a number of drops.
var drops = regexp.MustCompile(`(?i)(\d|\b(one|two|three|four|five|six|seven|eight|nine|ten|a few|some|una?|dos|tres|cuatro|cinco|seis|siete|ocho|nueve|diez|unas)) (or \d+ |to \d+ |o \d+ |a \d+ )?(drops?|gotas?|gotitas?)\b`)

// lintDoses finds doses in drops without the percent of what is dropped.
func lintDoses(l *Library, _ Date) []Finding {
	return eachTold(l, func(t told) []Finding {
		if !drops.MatchString(t.text) {
			return nil
		}
		for _, q := range text.Quantities(t.text) {
			if q.Unit == "%" {
				return nil
			}
		}
		return []Finding{t.finding(Error, "dose", "it counts drops and does not say of how many percent")}
	})
}

// What a plain wording may cost, in GSM-7 septets, so that a reply of two
// segments (306) holds it beside a limitation and a next step.
const (
	lengthWarned  = 170
	lengthRefused = 240
)

// lintLength finds plain wordings that are too long for a text message, or
// cannot be sent in GSM-7 even when folded.
func lintLength(l *Library, _ Date) []Finding {
	return eachParagraph(l, func(p *Pack, q *Paragraph) []Finding {
		var list []Finding
		for _, lang := range p.languages() {
			w, ok := q.Plain[lang]
			if !ok {
				continue
			}
			folded := gsm7.FoldIn(lang, w.Text)
			if lang != "en" {
				folded = text.FoldAccents(folded) // a letter costs the same with its accent or without
			}
			cost := gsm7.Count(folded)
			add := func(sev Severity, format string, args ...any) {
				list = append(list, p.finding(sev, "length", kindParagraph, q.ID, "plain wording (%s): "+format, append([]any{lang}, args...)...))
			}
			switch {
			case cost.Encoding != gsm7.GSM7:
				add(Warning, "it has characters that GSM-7 lacks: it costs more than twice as much")
			case cost.Units > lengthRefused:
				add(Error, "it takes %d septets; %d is too long to go beside anything else", cost.Units, lengthRefused)
			case cost.Units > lengthWarned:
				add(Warning, "it takes %d septets, more than %d", cost.Units, lengthWarned)
			}
		}
		return list
	})
}

// lintFold lists the Spanish texts in which a fold to GSM-7 would make another
// word of a word: a warning for those written for text messages.
func lintFold(l *Library, _ Date) []Finding {
	return eachTold(l, func(t told) []Finding {
		if t.language != "es" {
			return nil
		}
		if words := gsm7.FoldChangesWord(t.text); len(words) > 0 {
			sev := Note
			if t.sent {
				sev = Warning
			}
			return []Finding{t.finding(sev, "fold", "without accents %s would be another word: reword it", quoted(words))}
		}
		return nil
	})
}

// british matches British spellings of words that stand in texts like ours.
var british = regexp.MustCompile(`(?i)\b(` + strings.Join([]string{
	`\w*(colour|odour|vapour|flavour|favour|harbour|neighbour|behaviour|labour|honour|tumour|rumour|humour|vigour|rigour)\w*`,
	`\w*(minim|maxim|optim|neutral|organ|recogn|real|util|steril|sanit|ion|oxid|pressur|author|prior|summar|emphas|special|normal|stabil|final|equal|mobil|hospital|immun|crystall|penal)is(e|es|ed|ing|er|ers|ation|ations)`,
	`(kilo|milli|centi|micro)?(litre|metre)s?`, `fibres?`, `centres?`, `centred`, `theatres?`, `programmes?`, `grey(ish)?`, `mould(s|y)?`, `plough\w*`, `tyres?`,
	`sulph\w+`, `alumini(um)`, `f(ae|oe)(cal|ces|tus|tal)`, `haem\w+`, `an(ae)mi\w+`, `diarrhoea\w*`, `oestr\w+`, `paediatri\w+`, `orthopaedic\w*`, `caesarean`, `manoeuvr\w+`,
	`(label|travel|cancel|channel|model|signal|fuel|level|total|counsel|marvel|pedal|tunnel)l(ed|ing|er|ers)`, `catalogues?`, `defence`, `offence`, `licence[sd]?`, `practis(e|es|ed|ing)`,
	`analys(e|ed|ing)`, `paralys(e|ed|ing)`, `catalys(e|ed|ing)`, `cheques?`, `kerbs?`, `storeys?`, `whilst`, `amongst`, `learnt`, `spelt`, `ageing`, `judgement`, `fulfil`, `instalments?`, `sceptic\w*`,
}, "|") + `)\b`)

// lintSpelling finds British spellings: the packs' readers are American.
func lintSpelling(l *Library, _ Date) []Finding {
	return eachTold(l, func(t told) []Finding {
		if t.language != "en" {
			return nil
		}
		if words := british.FindAllString(t.text, -1); words != nil {
			return []Finding{t.finding(Warning, "spelling", "%s is spelled as in Britain", quoted(words))}
		}
		return nil
	})
}
