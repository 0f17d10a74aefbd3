package personas

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
	"unicode"

	"plumbline/bot"
	"plumbline/internal/gsm7"
	"plumbline/internal/jsonpos"
	"plumbline/internal/text"
)

// MaxOpening is how long an opening may be, in GSM-7 septets, topic and all.
const MaxOpening = 45

// maxFrame is how long a frame may be, slots aside.
const maxFrame = 45

// What the slot of an opening counts for, by its name.
var slotRoom = map[string]int{"{topic}": 24, "{word}": 12}

// A saying is what is asked of one text that a persona says.
type saying struct {
	most   int
	slot   string // that it must have; empty for none
	closed bool   // it is one sentence, to its full stop
}

var slotPattern = regexp.MustCompile(`\{[^{}]*\}`)

// persona checks one persona.
func (l *loader) persona(doc *jsonpos.Document, s *Set, p *Persona) {
	if s.feelings == nil {
		s.feelings = new(feelings) // its own faults are told
	}
	root := jsonpos.Root
	l.texts(doc, s, p, root.Key("name"), p.Name, saying{most: maxFrame})
	type cell struct {
		when        Sentiment
		about       Person
		matter      string
		topic, word bool
		again       bool
	}
	seen := make(map[cell]bool)
	for i, o := range p.Openings {
		at := root.Key("openings").Index(i)
		if !slices.Contains(Sentiments(), o.When) {
			l.at(doc, at.Key("when"), fmt.Sprintf("there is no sentiment %q", o.When), "use one of "+join(Sentiments()))
		}
		if o.About != "" && !slices.Contains(People(), o.About) {
			l.at(doc, at.Key("about"), fmt.Sprintf("there is no person %q", o.About), "use one of "+join(People()))
		}
		if o.Matter != "" && !slices.Contains(s.feelings.matters, o.Matter) {
			l.at(doc, at.Key("matter"), fmt.Sprintf("there is no matter %q", o.Matter), "use one of "+join(s.feelings.matters))
		}
		here := cell{o.When, o.About, o.Matter, o.Topic, o.Word, o.Again}
		if seen[here] {
			l.at(doc, at, "there is an opening for this before it", "delete one")
		}
		seen[here] = true
		want := saying{most: MaxOpening, closed: true}
		switch {
		case o.Topic && o.Word:
			l.at(doc, at, "it has two slots", "keep one")
		case o.Topic:
			want.slot = "{topic}"
		case o.Word:
			want.slot = "{word}"
		}
		l.texts(doc, s, p, at.Key("say"), o.Say, want)
		if o.Short != nil {
			l.texts(doc, s, p, at.Key("short"), o.Short, saying{most: MaxOpening, closed: true})
		}
	}
	for _, f := range []struct {
		name string
		of   Frame
		want saying
	}{
		{"limit", p.Frames.Limit, saying{}},
		{"next", p.Frames.Next, saying{}},
		{"again", p.Frames.Again, saying{closed: true}},
		{"proposed", p.Frames.Proposed, saying{}},
		{"not_yet", p.Frames.NotYet, saying{}},
		{"source", p.Frames.Source, saying{slot: "{source}", closed: true}},
		{"agencies", p.Frames.Agencies, saying{slot: "{agencies}"}},
	} {
		at := root.Key("frames").Key(f.name)
		f.want.most = maxFrame
		if f.of.Wide != nil {
			l.texts(doc, s, p, at.Key("wide"), f.of.Wide, f.want)
		} else if f.of.Narrow != nil {
			l.at(doc, at, "it has a narrow text and no wide one", "write the wide one")
		}
		if f.of.Narrow != nil {
			l.texts(doc, s, p, at.Key("narrow"), f.of.Narrow, f.want)
		}
	}
	l.prompt(doc, p)
}

// prompt checks that a prompt can be filled.
func (l *loader) prompt(doc *jsonpos.Document, p *Persona) {
	at := jsonpos.Root.Key("prompt")
	if len(p.Prompts) == 0 {
		l.at(doc, at, "the prompt is empty", "")
	}
	for i, text := range p.Prompts {
		for _, slot := range slotPattern.FindAllString(text, -1) {
			if !slices.Contains(promptSlots, slot) {
				l.at(doc, at.Index(i), fmt.Sprintf("a prompt has no slot %s", slot), "use one of "+strings.Join(promptSlots, ", "))
			}
		}
	}
	for _, must := range promptSlots[:1] {
		if !strings.Contains(strings.Join(p.Prompts, "\n"), must) {
			l.at(doc, at, "it does not say in which language to answer", "use the slot "+must)
		}
	}
}

// texts checks a text in every language.
func (l *loader) texts(doc *jsonpos.Document, s *Set, p *Persona, at jsonpos.Path, t Text, want saying) {
	for lang := range t {
		if !slices.Contains(languages, lang) {
			l.at(doc, at.Key(string(lang)), fmt.Sprintf("answers are not written in %q", lang), "delete it")
		}
	}
	for _, lang := range languages {
		say, ok := t[lang]
		here := at.Key(string(lang))
		if !ok || strings.TrimSpace(say) == "" {
			l.at(doc, here, "the text is missing in this language", "")
			continue
		}
		for _, fault := range s.sayFaults(p, lang, say, want) {
			l.at(doc, here, fault[0], fault[1])
		}
	}
}

// sayFaults lists what is wrong with one text that a persona says, and what to
// do about it.
func (s *Set) sayFaults(p *Persona, lang bot.Language, say string, want saying) (faults [][2]string) {
	add := func(what, do string) { faults = append(faults, [2]string{what, do}) }
	bare := say
	if want.slot != "" {
		if strings.Count(say, want.slot) != 1 {
			add("it does not have the slot "+want.slot+" once", "")
		}
		bare = strings.ReplaceAll(say, want.slot, "")
	}
	if slot := slotPattern.FindString(bare); slot != "" {
		add("it has no slot "+slot, "delete it")
	}
	if !gsm7.IsGSM7(bare) {
		add("it has characters that GSM-7 lacks", "write it without them")
	}
	if lang == bot.Spanish && gsm7Accents.MatchString(bare) {
		add("it has á, í, ó or ú, which text messages lose", "choose words without")
	}
	room := want.most
	room -= slotRoom[want.slot]
	if n := gsm7.Count(bare).Units; n > room {
		add(fmt.Sprintf("it takes %d septets; %d are left for it", n, room), "shorten it")
	}
	if strings.ContainsFunc(bare, unicode.IsDigit) {
		add("it has a number", "numbers come from claims")
	}
	if n := text.Negations(bare); len(n) > 0 {
		add(fmt.Sprintf("it says %q, which could be taken for part of a claim", n[0].Word), "say it without")
	}
	if want.closed && !strings.HasSuffix(say, ".") {
		add("it does not end with a full stop", "")
	}
	if want.closed && strings.Count(bare, ".") > 1 {
		add("it is more than one sentence", "say one")
	}
	if said := s.Breaches(*p, bare); len(said) > 0 {
		add(fmt.Sprintf("it says %q, which is never said", said[0]), "reword it")
	}
	return faults
}

var gsm7Accents = regexp.MustCompile(`(?i)[áíóú]`)

func join[T ~string](list []T) string {
	words := make([]string, len(list))
	for i, s := range list {
		words[i] = string(s)
	}
	return strings.Join(words, ", ")
}
