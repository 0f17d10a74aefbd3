package personas

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"plumbline/bot"
	"plumbline/internal/jsonpos"
	"plumbline/internal/text"
)

// A Sentiment is how a message sounds.
type Sentiment string

// The sentiments.
const (
	Frightened Sentiment = "frightened"
	Sad        Sentiment = "sad"
	Angry      Sentiment = "angry"
	Confused   Sentiment = "confused"
	Neutral    Sentiment = "neutral"
)

// Sentiments lists the sentiments; of two that a message shows alike the first
// counts.
func Sentiments() []Sentiment { return []Sentiment{Frightened, Sad, Angry, Confused, Neutral} }

// A Person is whom a message is about.
type Person string

// The people.
const (
	Baby      Person = "baby"
	Pregnancy Person = "pregnancy"
	Patient   Person = "patient" // on dialysis, with weak immunity, with asthma and the like
	Child     Person = "child"
	Elder     Person = "elder"
	Self      Person = "self"
)

// People lists the people, most at risk first.
func People() []Person { return []Person{Baby, Pregnancy, Patient, Child, Elder, Self} }

// A Feeling is what Feel heard.
type Feeling struct {
	Sentiment Sentiment
	About     []Person        // most at risk first
	Matters   []string        // what it is about, in the order of feelings.json: a landlord, the bill
	Word      string          // the writer's own for the sentiment, spelt right; empty for none to repeat
	Matched   []bot.RuleMatch // the words that told, for the trace
}

// Whom returns the person most at risk, empty for nobody in particular.
func (f Feeling) Whom() Person {
	if len(f.About) == 0 {
		return ""
	}
	return f.About[0]
}

// feelingsData is feelings.json. Phrases are matched on lower-case words
// without accents and apostrophes, letters repeated for stress once; "*" at
// the end of a word stands for any ending. {person} is a person of people, with
// up to three words before it.
type feelingsData struct {
	Sentiments []struct {
		ID      Sentiment `json:"id"`
		States  Phrases   `json:"states"`  // of the writer: count beside I, we, a person or so
		Things  Phrases   `json:"things"`  // of what it is about: count unless denied
		Phrases Phrases   `json:"phrases"` // count as they stand
		Echo    Echo      `json:"echo"`    // of the states, those that may be repeated
	} `json:"sentiments"`
	Matters []struct {
		ID    string  `json:"id"`
		Words Phrases `json:"words"`
	} `json:"matters"`
	People []struct {
		ID    Person  `json:"id"`
		Words Phrases `json:"words"`
	} `json:"people"`
	Self    Phrases `json:"self"`    // that it is about the writer
	Subject Phrases `json:"subject"` // who may be in a state
	Deny    Phrases `json:"deny"`
	Strong  Phrases `json:"strong"`
	Unless  Phrases `json:"unless"` // what holds such words and means no feeling
}

// An Echo is how states are spelt right, by language: each with its forms.
type Echo map[bot.Language]map[string][]string

// feelings finds what feelingsData says, by language.
type feelings struct {
	by      map[bot.Language]*feelingWords
	matters []string // by id in feelingWords
}

type feelingWords struct {
	states, things, said, people, self, subject, deny, strong, unless, matters, echo finder
	asked                                                                            []personPhrase
	echoes                                                                           []string // by id of echo
}

// A personPhrase is a phrase with a slot for a person.
type personPhrase struct {
	before, after []string
	id            int
}

// feelings checks feelings.json and makes it ready.
func (l *loader) feelings(doc *jsonpos.Document, d feelingsData) *feelings {
	f := &feelings{by: make(map[bot.Language]*feelingWords)}
	for _, m := range d.Matters {
		f.matters = append(f.matters, m.ID)
	}
	for _, lang := range languages {
		w := new(feelingWords)
		f.by[lang] = w
		w.self.add(0, d.Self[lang]...)
		w.subject.add(0, d.Subject[lang]...)
		w.deny.add(0, d.Deny[lang]...)
		w.strong.add(0, d.Strong[lang]...)
		w.unless.add(0, d.Unless[lang]...)
		for i, s := range d.Sentiments {
			id := slices.Index(Sentiments(), s.ID)
			if id < 0 || s.ID == Neutral {
				l.at(doc, jsonpos.Root.Key("sentiments").Index(i).Key("id"), fmt.Sprintf("there is no sentiment %q to tell", s.ID), "use one of "+join(Sentiments()[:4]))
			}
			for _, word := range slices.Sorted(maps.Keys(s.Echo[lang])) {
				w.echo.add(len(w.echoes), s.Echo[lang][word]...)
				w.echoes = append(w.echoes, word)
			}
			w.states.add(id, s.States[lang]...)
			w.things.add(id, s.Things[lang]...)
			for _, p := range s.Phrases[lang] {
				before, after, slot := strings.Cut(p, "{person}")
				if slot {
					w.asked = append(w.asked, personPhrase{textsOf(before), textsOf(after), id})
				} else {
					w.said.add(id, p)
				}
			}
		}
		for i, m := range d.Matters {
			w.matters.add(i, m.Words[lang]...)
		}
		for i, p := range d.People {
			id := slices.Index(People(), p.ID)
			if id < 0 || p.ID == Self {
				l.at(doc, jsonpos.Root.Key("people").Index(i).Key("id"), fmt.Sprintf("there is no person %q to tell", p.ID), "use one of "+join(People()[:5]))
			}
			w.people.add(id, p.Words[lang]...)
		}
	}
	return f
}

// Feel hears from a message how its writer feels and whom they ask for. It goes
// by words alone: the same message, the same feeling. lang is the language of
// the message; if it is not known, every language is tried. What tells is the
// writer's own state ("im so scared"), not that of anything else ("is the
// water scared"), and not what is denied ("im not worried").
func (s *Set) Feel(message string, lang bot.Language) Feeling {
	ws := feltWords(message)
	count := make([]int, len(Sentiments()))
	about := make([]bool, len(People()))
	matters := make([]bool, len(s.feelings.matters))
	words := make(map[int]string) // by sentiment, to be repeated
	f := Feeling{Sentiment: Neutral}
	match := func(rule string, from, to int) {
		var words []string
		for _, w := range ws[from:to] {
			words = append(words, w.text)
		}
		m := bot.RuleMatch{Rule: rule, Words: strings.Join(words, " ")}
		if !slices.Contains(f.Matched, m) {
			f.Matched = append(f.Matched, m)
		}
	}
	for _, l := range languages {
		w := s.feelings.by[l]
		if l != lang && s.feelings.by[lang] != nil {
			continue
		}
		h := hearing{w, ws, covered(len(ws), w.unless.all(ws)), covered(len(ws), w.people.all(ws))}
		for _, m := range h.sentiments() {
			count[m.id]++
			match("feeling."+string(Sentiments()[m.id]), m.from, m.to)
			if e, ok := w.echo.at(ws, m.from); ok && e.to <= m.to && words[m.id] == "" {
				words[m.id] = w.echoes[e.id]
			}
		}
		for _, m := range w.matters.all(ws) {
			if !h.unless[m.from] {
				matters[m.id] = true
				match("matter."+s.feelings.matters[m.id], m.from, m.to)
			}
		}
		for _, m := range w.people.all(ws) {
			if !h.unless[m.from] {
				about[m.id] = true
				match("about."+string(People()[m.id]), m.from, m.to)
			}
		}
		if len(w.self.all(ws)) > 0 {
			about[slices.Index(People(), Self)] = true
		}
	}
	for i, p := range People() {
		if about[i] {
			f.About = append(f.About, p)
		}
	}
	for i, m := range s.feelings.matters {
		if matters[i] {
			f.Matters = append(f.Matters, m)
		}
	}
	// Someone who asks for a person at risk in marks of alarm is frightened.
	if whom := f.Whom(); whom != "" && whom != Self && alarmed(message) && count[0] == 0 {
		count[0]++
		f.Matched = append(f.Matched, bot.RuleMatch{Rule: "feeling.frightened", Words: "?? or !!"})
	}
	best := 0
	for i, n := range count {
		if n > best {
			best, f.Sentiment, f.Word = n, Sentiments()[i], words[i]
		}
	}
	return f
}

// feltWords splits a message into words, stress taken off: sooo is so.
func feltWords(message string) []word {
	ws := wordsOf(text.Normalize(message))
	for i := range ws {
		ws[i].text = unstressed(ws[i].text)
	}
	return ws
}

// unstressed writes a letter that stands three times or more once.
func unstressed(s string) string {
	runes := []rune(s)
	var b strings.Builder
	for i := 0; i < len(runes); {
		k := i
		for k < len(runes) && runes[k] == runes[i] {
			k++
		}
		n := k - i
		if n > 2 && (runes[i] < '0' || runes[i] > '9') {
			n = 1
		}
		for range n {
			b.WriteRune(runes[i])
		}
		i = k
	}
	return b.String()
}

// alarmed reports whether a message has question or exclamation marks in a row.
func alarmed(message string) bool {
	marks := 0
	for _, r := range message {
		switch r {
		case '!', '?', '¡', '¿':
			if marks++; marks > 1 {
				return true
			}
		case ' ':
		default:
			marks = 0
		}
	}
	return false
}

func covered(n int, hits []hit) []bool {
	in := make([]bool, n)
	for _, h := range hits {
		for i := h.from; i < h.to; i++ {
			in[i] = true
		}
	}
	return in
}

// A hearing is one message heard in one language.
type hearing struct {
	w              *feelingWords
	ws             []word
	unless, people []bool
}

// near is how many words before a state are looked at for who is in it.
const near = 4

func (h hearing) sentiments() []hit {
	var list []hit
	for _, m := range h.w.things.all(h.ws) {
		if !h.unless[m.from] && !h.denied(m.from) {
			list = append(list, m)
		}
	}
	for _, m := range h.w.said.all(h.ws) {
		if !h.unless[m.from] {
			list = append(list, m)
		}
	}
	for _, p := range h.w.asked {
		list = append(list, h.asked(p)...)
	}
	for _, m := range h.w.states.all(h.ws) {
		if !h.unless[m.from] && !h.denied(m.from) && h.own(m) {
			list = append(list, m)
		}
	}
	return list
}

// denied reports whether one of the three words before i denies it.
func (h hearing) denied(i int) bool {
	for k := max(0, i-3); k < i; k++ {
		m, ok := h.w.deny.at(h.ws, k)
		if ok && m.to <= i && !h.breaks(m.to, i) {
			return true
		}
	}
	return false
}

// breaks reports whether a sentence or a clause begins at one of words
// [from, to].
func (h hearing) breaks(from, to int) bool {
	for i := from; i <= to && i < len(h.ws); i++ {
		if h.ws[i].gap >= listed {
			return true
		}
	}
	return false
}

// own reports whether the state m is that of the writer or of a person of
// theirs: one stands in the words before it, or nobody does and the message
// begins with it, or stress leads to it.
func (h hearing) own(m hit) bool {
	if m.from == 0 || h.ws[m.from].gap >= stopped {
		return true
	}
	if s, ok := h.w.strong.at(h.ws, m.from-1); ok && s.to == m.from {
		return true
	}
	for k := m.from - 1; k >= max(0, m.from-near); k-- {
		if h.people[k] {
			return true
		}
		if _, ok := h.w.subject.at(h.ws, k); ok {
			return true
		}
		if h.ws[k].gap >= stopped {
			return false
		}
	}
	return false
}

// asked finds a phrase with a person in it: up to three words stand before the
// person within the slot (my 2 year old).
func (h hearing) asked(p personPhrase) []hit {
	slot := 3
	if len(p.before) == 0 {
		slot = 0 // the person begins it
	}
	var list []hit
	before, after := phrase{words: p.before}, phrase{words: p.after}
	for i := range h.ws {
		if !before.stands(h.ws, i) {
			continue
		}
		at := i + len(p.before)
		for k := at; k < len(h.ws) && k <= at+slot; k++ {
			if !h.people[k] || h.unless[k] {
				continue
			}
			end := k + 1
			for end < len(h.ws) && h.people[end] {
				end++
			}
			if after.stands(h.ws, end) {
				list = append(list, hit{p.id, i, end + len(p.after)})
			}
			break
		}
	}
	return list
}
