package llm

import (
	"fmt"
	"strings"
	"unicode/utf8"

	"plumbline/bot"
	"plumbline/internal/bm25"
	"plumbline/internal/text"
	"plumbline/kb"
)

// A Vocabulary is the words that a pack's people have used: in wordings, in the
// questions that paragraphs answer, in names and steps. What a model says in
// other words is not told: a name or a substance that no source speaks of
// cannot slip into a sentence that is otherwise right.
type Vocabulary struct {
	stems map[bot.Language]map[string]bool
	terms map[bot.Language]bm25.Terms
}

// NewVocabulary reads the words of all packs, for every language that answers
// are in.
func NewVocabulary(lib *kb.Library) *Vocabulary {
	v := &Vocabulary{stems: map[bot.Language]map[string]bool{}, terms: map[bot.Language]bm25.Terms{}}
	for _, lang := range []bot.Language{bot.English, bot.Spanish} {
		l := string(lang)
		terms, stems := bm25.Builder(l), map[string]bool{}
		add := func(texts ...string) {
			for _, t := range texts {
				for _, s := range terms(t) {
					stems[s] = true
				}
			}
		}
		for c := range lib.Chunks() {
			add(c.Heading(l))
			add(c.Subsection.Aliases[l]...)
			for _, p := range c.Subsection.Paragraphs {
				add(p.Exact[l].Text, p.Plain[l].Text)
			}
		}
		for _, p := range lib.Packs() {
			for _, q := range p.Questions {
				add(q[l]...)
			}
			for _, n := range p.Guidance.NextSteps {
				add(n.Say.In(l))
			}
			for _, t := range p.Guidance.Glossary {
				add(t.Term.In(l), t.Means.In(l))
				add(t.Forms[l]...)
			}
			for _, x := range p.Guidance.Limits {
				add(x.Say.In(l))
			}
			for _, s := range p.Strategies {
				for _, q := range s.Questions {
					add(q.Limitation.In(l))
				}
			}
			for _, ph := range p.Contacts.Phones {
				add(ph.Say.In(l))
			}
			for _, a := range p.Contacts.Agencies {
				add(a.Name.In(l), a.Role.In(l), a.Short)
			}
		}
		add(everyday[lang])
		v.stems[lang], v.terms[lang] = stems, bm25.For(l)
	}
	return v
}

// everyday are words of plain speech that say nothing about a matter.
var everyday = map[bot.Language]string{
	bot.English: `about after again ahead almost also another anyone anything around away back before begin best better bit both bring careful carry change check choose clear close come comes coming common
 decide depend different directly done early easy either else end enough even ever every everyone everything example expect explain extra far fast feel few find first following free full further gets give gives go goes going good great
 happen happens hard hear help helps here high hold holds idea important inside instead just keep keeps kind know known large last late later least leave left less let like likely little live long longer look looks lot low lower
 main make makes making many matter mean means meant might more most mostly move much must near need needs new next nothing now number often old once one only open other others out outside over own part people person place plain plan point possible
 put question quickly rather read ready real really reason remember right rule run same say says second see seem seems set several short show shows simple since single small some someone something soon sort source sources start starts stay step steps still stop
 such sure take takes talk tell tells than thing things think though through time times today together told too toward true try turn two type under until up use used uses using usual usually wait want wants way ways week well what when where whether which while who whole whose why
 add adds amount answer bad becomes become box build builds bright brings broken careful cause causes chance cheap chips clean clear cloud coat coats cold collect color colors comes cool cover covers crust crumbs dark deeper dirt dirty drop drops dull eat eats empty fall falls fill film fix fixed flow fresh gather grow grows
 hang harder heat heavier helps hurts join joins layer leak leaks letter lift light list lower make makers mark mix mixed money neighbor normally note paper pass passes pay phone piece pieces pour problem promise proof rub rust scrape settle shiny sits sitting smell sound spread stays stick sticks stir stirred stronger strong
 stops street stuff swallow taste tastes tell thin thick tiny touch trust turns wash washes wear wears weaker weather wet wrong will within without word words work works worry worth would write year years yet you your`,
	bot.Spanish: `ahora algo alguien alguna alguno ambos antes aparte apenas asi aun aunque ayuda ayudar bastante bien buena bueno cada cambia cambio casi caso cerca claro clara comienza como completo comun con conviene cosa cosas cual cualquier cuando cuanto cuenta
 dar datos deben debe decir deja dejar depende desde despues dice dicen dia dias diferente directo donde durante ejemplo empieza encontrar entonces entre es esa ese eso esta estas este esto explica facil falta fin forma fuente fuentes fuera general gente gracias grande
 hace hacer hacia hay haga hecho hora horas hoy igual importa importante incluso informacion ir ha lado largo leer libre listo llega lleva luego lugar manera mas mayor mejor menor menos menudo mes meses mientras mirar misma mismo momento mucha mucho muy nada necesita ninguna ninguno normal
 nueva nuevo nunca ocurre ojo otra otro pais para parece parte pasa paso pasos pedir pequeno persona personas pero pesar pide poca poco poder pone por porque posible pregunta preguntar primer primero pronto puede pueden punto quien quiere razon real regla reglas resto sabe saber se seguir segun
 segundo seguro semana ser si siempre siguiente simple sin sirve sobre solo suele suelen tal tambien tampoco tan tanto tarde tener tiempo tiene tienen toda todavia todo trata tras una uno usa usar usted va vale varias varios vea ver vez veces vivir ya`,
}

// The shares of a text's words that must be the claim's.
const (
	leastShare  = 0.5 // of a sentence
	wholeShare  = 0.6 // of the text
	shortestNew = 3   // letters of a word that is looked up
)

// strays says which words a text brings in that neither its claim nor the pack
// uses, or which sentence says something else than the claim; "" for none.
func (v *Vocabulary) strays(told, claim string, lang bot.Language) string {
	terms, ok := v.terms[lang]
	if !ok {
		return "no vocabulary of that language"
	}
	own := map[string]bool{}
	for _, s := range terms(claim) {
		own[s] = true
	}
	shared, all := 0, 0
	for _, span := range text.Sentences(told) {
		sentence := told[span.Start:span.End]
		here, hit := 0, 0
		for _, s := range terms(sentence) {
			if utf8.RuneCountInString(s) < shortestNew && !own[s] {
				if strings.ContainsAny(s, "0123456789") {
					continue // figures are the guard's
				}
			}
			here++
			switch {
			case own[s]:
				hit++
			case !v.stems[lang][s] && utf8.RuneCountInString(s) >= shortestNew && !strings.ContainsAny(s, "0123456789"):
				return fmt.Sprintf("it says %q, a word that no source of ours uses", s)
			}
		}
		shared, all = shared+hit, all+here
		if here > 0 && float64(hit) < leastShare*float64(here) {
			return fmt.Sprintf("the sentence %q says something else", cut(sentence, 60))
		}
	}
	if all > 0 && float64(shared) < wholeShare*float64(all) {
		return "most of its words are not the part's"
	}
	return ""
}
