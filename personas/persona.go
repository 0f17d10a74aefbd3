package personas

import (
	"slices"
	"strconv"
	"strings"

	"plumbline/bot"
)

// Plain is the id of the persona that has no voice of its own. Every Set has
// it.
const Plain = "plain"

// A Text is one text in English and in Spanish.
type Text map[bot.Language]string

// In returns t in lang, else in English.
func (t Text) In(lang bot.Language) string {
	if s := t[lang]; s != "" {
		return s
	}
	return t[bot.English]
}

// Phrases are texts that mean the same, by language.
type Phrases map[bot.Language][]string

// A Persona is a way to speak. It is read from data/ID.json.
type Persona struct {
	ID       string    `json:"id"`
	Name     Text      `json:"name"`    // to be said: "caring neighbor"
	Asks     Phrases   `json:"asks"`    // whole messages by which a person asks for it
	Phrases  Phrases   `json:"phrases"` // and words within a message
	Grade    Grade     `json:"grade"`
	Openings []Opening `json:"openings"`
	Frames   Frames    `json:"frames"`
	Never    Phrases   `json:"never"`  // what it never says, beside what no persona says
	Prompts  []string  `json:"prompt"` // the prompt of model stages, a paragraph each
}

// A Grade is how easy a persona's answers are to read.
type Grade struct {
	Median int `json:"median"` // U.S. school grade of English answers, at most
	Most   int `json:"most"`   // and of nine out of ten
	Huerta int `json:"huerta"` // Fernández-Huerta score of Spanish answers, the median at least
}

// An Opening is one short clause that an answer begins with. It states nothing.
type Opening struct {
	When   Sentiment `json:"when"`
	About  Person    `json:"about,omitempty"`  // empty: whomever
	Matter string    `json:"matter,omitempty"` // what it is about, of feelings.json; empty: whatever
	Topic  bool      `json:"topic,omitempty"`  // it has the slot {topic}
	Word   bool      `json:"word,omitempty"`   // it has the slot {word}: the asker's own for the feeling
	Again  bool      `json:"again,omitempty"`  // where the message before felt the same
	Say    Text      `json:"say"`
	Short  Text      `json:"short,omitempty"` // where Say does not fit
}

// Frames are what a persona says around claims. The zero Frame says nothing.
type Frames struct {
	Limit    Frame `json:"limit,omitzero"`    // before a limitation
	Next     Frame `json:"next,omitzero"`     // before the next step
	Again    Frame `json:"again,omitzero"`    // in place of a step whose number has just been given
	Proposed Frame `json:"proposed,omitzero"` // before what is only proposed
	NotYet   Frame `json:"not_yet,omitzero"`  // before what is not yet in force
	Source   Frame `json:"source,omitzero"`   // after a claim; {source} is who says so, and when
	Agencies Frame `json:"agencies,omitzero"` // near the end; {agencies} is who is responsible
}

// A Frame is what is said where there is room (wide) and in a text message
// (narrow); without the latter a text message goes without.
type Frame struct {
	Wide   Text `json:"wide"`
	Narrow Text `json:"narrow,omitempty"`
	Always bool `json:"always,omitempty"` // even where the claim itself says so
}

func (f Frame) in(lang bot.Language, narrow bool) string {
	if narrow {
		return f.Narrow.In(lang)
	}
	return f.Wide.In(lang)
}

// A Set is the personas and the words that feelings and figures are known by.
// It does not change and is safe for concurrent use.
type Set struct {
	personas []Persona
	never    Phrases              // what no persona says
	standing map[Standing]*finder // how a claim itself says that it does not hold yet
	feelings *feelings
	words    *guardWords
	asks     []ask
}

// An ask is one phrase by which a person asks for a persona.
type ask struct {
	words []string
	whole bool
	id    string
}

// All returns the personas, by id.
func (s *Set) All() []Persona { return slices.Clone(s.personas) }

// Persona returns the persona with the id, or Plain if there is none; ok says
// which.
func (s *Set) Persona(id string) (p Persona, ok bool) {
	for _, q := range s.personas {
		if q.ID == id {
			return q, true
		}
		if q.ID == Plain {
			p = q
		}
	}
	return p, false
}

// Asked returns the id of the persona that a message asks for: as its whole
// text ("city hall") or in a phrase within it ("talk to me like a neighbor: is
// it safe?"). rest is the message without that phrase, empty if there is
// nothing else in it.
func (s *Set) Asked(message string) (id, rest string, ok bool) {
	ws := wordsOf(message)
	for _, a := range s.asks {
		if a.whole && len(ws) != len(a.words) {
			continue
		}
		p := phrase{words: a.words}
		for i := range ws {
			if !p.stands(ws, i) {
				continue
			}
			last := i + len(a.words) - 1
			rest = message[:ws[i].Start] + " " + message[ws[last].End:]
			rest = strings.Trim(rest, " \t\n,.:;!?-")
			if len(wordsOf(rest)) == 0 {
				rest = ""
			}
			return a.id, rest, true
		}
	}
	return "", "", false
}

// Breaches returns the phrases of told that p never says, each once. What a
// claim itself says is no breach: grounds are the texts that may be said.
func (s *Set) Breaches(p Persona, told string, grounds ...string) []string {
	var f finder
	var names []string
	for _, set := range []Phrases{s.never, p.Never} {
		for _, lang := range languages {
			for _, n := range set[lang] {
				f.add(len(names), n)
				names = append(names, n)
			}
		}
	}
	may := make(map[int]bool)
	for _, g := range grounds {
		for _, h := range f.all(wordsOf(g)) {
			may[h.id] = true
		}
	}
	var list []string
	for _, h := range f.all(wordsOf(told)) {
		if !may[h.id] {
			may[h.id] = true
			list = append(list, names[h.id])
		}
	}
	return list
}

// A Brief is what a prompt is filled with.
type Brief struct {
	Language   bot.Language
	Feeling    Feeling
	Characters int // the most that the answer may have
}

// Prompt returns p's prompt for a model stage. What the person wrote and what
// sources say is no part of it.
func (s *Set) Prompt(p Persona, b Brief) string {
	var never []string
	for _, set := range []Phrases{s.never, p.Never} {
		for _, n := range set[b.Language] {
			never = append(never, strconv.Quote(n))
		}
	}
	language := map[bot.Language]string{bot.English: "English", bot.Spanish: "Spanish"}[b.Language]
	if language == "" {
		language = "English"
	}
	feeling := b.Feeling.Sentiment
	if feeling == "" {
		feeling = Neutral
	}
	return strings.NewReplacer(
		"{language}", language,
		"{feeling}", string(feeling),
		"{grade}", strconv.Itoa(p.Grade.Median),
		"{never}", strings.Join(never, ", "),
		"{characters}", strconv.Itoa(b.Characters),
	).Replace(strings.Join(p.Prompts, "\n"))
}

// promptSlots are what a prompt may leave open.
var promptSlots = []string{"{language}", "{feeling}", "{grade}", "{never}", "{characters}"}

// languages are those that answers are written in.
var languages = []bot.Language{bot.English, bot.Spanish}
