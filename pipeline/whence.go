package pipeline

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"

	"plumbline/bot"
	"plumbline/kb"
)

// What WHY and SOURCES say. {n}, {used} and so on are filled in.
var (
	whyFixed = kb.Text{
		"en": "The safety words at the start were written by people ahead of time.",
		"es": "Las palabras de seguridad del inicio las escribieron personas antes de su pregunta.",
	}
	whyOnly  = kb.Text{"en": "What I told you is from {agency}.", "es": "Lo que le dije es de {agency}."}
	whyFirst = kb.Text{"en": "What I told you first is from {agency}.", "es": "Lo primero que le dije es de {agency}."}
	whyRest  = kb.Text{"en": "The rest is from {agencies}.", "es": "Lo demás es de {agencies}."}
	whyRead  = kb.Text{"en": "I read {n} passages for you and used {used}.", "es": "Busqué en {n} textos y usé {used}."}
	whyNone  = kb.Text{
		"en": "I read {n} passages for you. None of them answers what you asked, so I did not guess.",
		"es": "Busqué en {n} textos. Ninguno responde su pregunta, y no quise adivinar.",
	}
	whyMore   = kb.Text{"en": "{agencies} and {n} more", "es": "{agencies} y {n} más"}
	whyAsk    = kb.Text{"en": "Text SOURCES to see each one.", "es": "Mande FUENTES para ver cada una."}
	noDate    = kb.Text{"en": "no date given", "es": "sin fecha"}
	confirmed = kb.Text{"en": "{number}: number checked {date} ({how}).", "es": "{number}: se revisó el {date} ({how})."}
)

// readings say how a source was read, and when.
var readings = map[string]kb.Text{
	"primary":       {"en": "page read {date}", "es": "leída el {date}"},
	"official-copy": {"en": "a copy read {date}", "es": "copia leída el {date}"},
	"secondary":     {"en": "read {date} as others quote it", "es": "leída el {date} citada por otros"},
}

// calls say how a number was checked; of any other way, that nobody called.
var calls = map[string]kb.Text{
	"called": {"en": "called", "es": "se llamó"},
	"":       {"en": "read, not called", "es": "leído, sin llamar"},
}

// mostAgencies is how many agencies WHY names.
const mostAgencies = 3

// why tells where an answer comes from and what it leaves open, for WHY.
func why(a bot.Answer, lang bot.Language, fit Fit) []string {
	l := string(lang)
	used := 0
	for _, c := range a.Chunks {
		if c.Kept {
			used++
		}
	}
	fill := func(t kb.Text, slots ...string) string { return strings.NewReplacer(slots...).Replace(t.In(l)) }
	read := fmt.Sprint(len(a.Chunks))
	var pieces []Piece
	switch {
	case a.Status == bot.NotInSources && len(a.Chunks) > 0:
		pieces = []Piece{{Text: fill(whyNone, "{n}", read), Keep: KeepClaim}}
	case !a.Status.Supported() && a.Status != bot.LocalOnly:
		return nil
	default:
		agencies, first, fixed := agenciesOf(a.Claims)
		if fixed {
			pieces = append(pieces, Piece{Text: fill(whyFixed), Keep: KeepClaim})
		}
		switch rest := agencies[min(1, len(agencies)):]; {
		case len(agencies) == 0:
		case len(rest) == 0 && !fixed:
			pieces = append(pieces, Piece{Text: fill(whyOnly, "{agency}", first), Keep: KeepClaim})
		default:
			if fixed {
				rest = agencies
			} else {
				pieces = append(pieces, Piece{Text: fill(whyFirst, "{agency}", first), Keep: KeepClaim})
			}
			all := strings.Join(rest[:min(len(rest), mostAgencies)], "; ")
			if n := len(rest) - mostAgencies; n > 0 {
				all = fill(whyMore, "{agencies}", all, "{n}", fmt.Sprint(n))
			}
			pieces = append(pieces, Piece{Text: fill(whyRest, "{agencies}", all), Keep: KeepClaim})
		}
		if len(a.Chunks) > 0 {
			pieces = append(pieces, Piece{Text: fill(whyRead, "{n}", read, "{used}", fmt.Sprint(used)), Keep: KeepClaim})
		}
		for _, limit := range a.Limitations {
			pieces = append(pieces, Piece{Text: limit.Text, Keep: KeepLimit})
		}
		if len(agencies) > 0 {
			pieces = append(pieces, Piece{Text: fill(whyAsk), Keep: KeepNext})
		}
	}
	first, more := Compose(pieces, lang, fit)
	return append([]string{first}, more...)
}

// agenciesOf names the agencies that claims come from, each once and without
// what stands in brackets; the first with its year, and whether a fixed text is
// among the claims.
func agenciesOf(claims []bot.Claim) (names []string, first string, fixed bool) {
	for _, c := range claims {
		for _, e := range c.Evidence {
			if e.Chunk == "fixed" {
				fixed = true
				continue
			}
			name, _, _ := strings.Cut(e.Source.Agency, " (")
			if name == "" || slices.Contains(names, name) {
				continue
			}
			names = append(names, name)
			if first == "" {
				first = name
				if year, _, _ := strings.Cut(e.Source.Date, "-"); len(year) == 4 {
					first += ", " + year
				}
			}
		}
	}
	return names, first, fixed
}

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
	l := string(lang)
	for _, c := range claims {
		for _, e := range c.Evidence {
			for _, ph := range p.phones(e.Paragraph) {
				if slices.Contains(seen, ph.ID) {
					continue
				}
				seen = append(seen, ph.ID)
				by, ok := calls[ph.Confirmed.How]
				if !ok {
					by = calls[""]
				}
				line := strings.NewReplacer("{number}", ph.Number, "{date}", day(ph.Confirmed.On.String(), lang), "{how}", by.In(l)).Replace(confirmed.In(l))
				pieces = append(pieces, Piece{Text: line, Keep: KeepContext})
			}
			s := e.Source
			key := s.Agency + s.Title
			if e.Chunk == "fixed" || s.Agency == "" || slices.Contains(seen, key) {
				continue
			}
			seen = append(seen, key)
			dated := cmp.Or(day(s.Date, lang), noDate.In(l))
			read := strings.ReplaceAll(readings[s.How].In(l), "{date}", day(s.Read, lang))
			line := fmt.Sprintf("%s: %s (%s; %s).", s.Agency, s.Title, dated, read)
			pieces = append(pieces, Piece{Text: line, Keep: KeepClaim})
		}
	}
	if len(pieces) == 0 {
		return nil
	}
	first, more := Compose(pieces, lang, fit)
	return append([]string{first}, more...)
}

// months by language, short.
var months = map[bot.Language][]string{
	bot.English: strings.Fields("Jan Feb Mar Apr May Jun Jul Aug Sep Oct Nov Dec"),
	bot.Spanish: strings.Fields("ene feb mar abr may jun jul ago sep oct nov dic"),
}

// day writes a date of a source (2021-01-19, 2024-10, 2019) as people do, and
// nothing for what is none.
func day(date string, lang bot.Language) string {
	names := months[lang]
	if names == nil {
		names = months[bot.English]
	}
	if t, err := time.Parse(time.DateOnly, date); err == nil {
		if lang == bot.Spanish {
			return fmt.Sprintf("%d %s %d", t.Day(), names[t.Month()-1], t.Year())
		}
		return fmt.Sprintf("%s %d, %d", names[t.Month()-1], t.Day(), t.Year())
	}
	if t, err := time.Parse("2006-01", date); err == nil {
		return fmt.Sprintf("%s %d", names[t.Month()-1], t.Year())
	}
	if _, err := time.Parse("2006", date); err == nil {
		return date
	}
	return ""
}
