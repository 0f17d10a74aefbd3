package bot

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"
	"time"
	"unicode"
)

// A Conversation turns messages into replies. It knows no platform: it keeps
// what a conversation remembers, hears the words that ask for more of the last
// answer, and asks the Answerer about everything else. It is safe for
// concurrent use; messages of one address must come one at a time.
type Conversation struct {
	Answerer Answerer
	Sessions SessionStore
	Key      func(Address) string // the name of a conversation in the store: a keyed hash
	Persona  func(channel string) string
	Now      func() time.Time
	AsOf     time.Time // when what is in force is judged; zero for Now
}

// A Turn is what became of one message.
type Turn struct {
	Reply  Reply
	Answer Answer // zero where a word such as MORE was answered from the session
}

// keywords are heard as whole messages only, without case, accents' lack or
// punctuation: "how do I stop lead" is a question.
var keywords = map[string]string{
	"more": "more", "mas": "more", "más": "more",
	"why": "why", "por que": "why", "por qué": "why", "porque": "why",
	"help": "help", "help me": "help", "ayuda": "help", "sos": "help", "yes": "help", "si": "help", "sí": "help", "start": "help",
	"sources": "sources", "source": "sources", "fuentes": "sources", "fuente": "sources",
}

func keyword(text string) string { return keywords[whole(text)] }

// whole is a message as words are compared with it: in lower case, without
// punctuation around it.
func whole(text string) string {
	folded := strings.ToLower(strings.TrimFunc(text, func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) }))
	return strings.Join(strings.Fields(folded), " ")
}

// The most that a session keeps, so that it stays within its budget.
const (
	keepExchanges = 4
	keepSeen      = 24
	keepAsked     = 240 // runes of a question
)

// Handle answers m and remembers what the next message may need. An error
// leaves the session as it was.
func (c *Conversation) Handle(ctx context.Context, m Message) (Turn, error) {
	key := c.Key(m.From)
	s, err := c.Sessions.Load(ctx, key)
	if err != nil {
		return Turn{}, fmt.Errorf("load session: %w", err)
	}
	var turn Turn
	now := c.Now()
	if _, heard := s.Hear(m.Text, now); heard {
		err = c.Sessions.Update(ctx, key, func(s *Session) error {
			turn.Reply, _ = s.Hear(m.Text, now)
			return nil
		})
		if err != nil {
			return Turn{}, fmt.Errorf("remember turn: %w", err)
		}
		return turn, nil
	}
	asOf := c.AsOf
	if asOf.IsZero() {
		asOf = now
	}
	q := Question{
		ID: m.ID, Text: m.Text, Channel: m.From.Channel, Language: m.Language,
		Persona: s.Persona, Variant: DiagExplicit, AsOf: asOf, At: m.At, Recent: s.Recent(m.At),
	}
	s.Next(&q)
	if q.Language == "" && s.Language != "" && len(strings.Fields(q.Text)) <= 2 {
		q.Language = s.Language // too short to tell
	}
	if q.Persona == "" && c.Persona != nil {
		q.Persona = c.Persona(m.From.Channel)
	}
	turn.Answer, err = c.Answerer.Answer(ctx, q)
	if err != nil {
		return Turn{}, fmt.Errorf("answer message %s: %w", m.ID, err)
	}
	turn.Reply = turn.Answer.Reply
	err = c.Sessions.Update(ctx, key, func(s *Session) error {
		s.Remember(m, turn.Answer, now)
		return nil
	})
	if err != nil {
		return Turn{}, fmt.Errorf("remember turn: %w", err)
	}
	return turn, nil
}

// Next makes q the next question of the conversation: with what s remembers,
// and, where q takes the offer of our last reply, the question that was offered,
// to the other pack.
func (s *Session) Next(q *Question) {
	q.History, q.Seen, q.Standing, q.Clarify = s.History, s.Seen, s.Standing, s.Clarify
	q.Pack = cmp.Or(q.Pack, s.Pack)
	last := len(s.History) - 1
	if last >= 0 && s.Offer.taken(q.Text) {
		q.Text, q.Pack, q.History = s.History[last].Asked, s.Offer.Pack, s.History[:last]
	}
}

// yes are the words, beside its own, that take an offer.
var yes = []string{"yes", "yes please", "yeah", "yep", "y", "ok", "okay", "sure", "si", "sí", "si por favor", "sí por favor", "dale", "claro"}

// taken reports whether a message takes the offer.
func (o *Offer) taken(text string) bool {
	if o == nil {
		return false
	}
	said := whole(text)
	return slices.Contains(yes, said) || slices.ContainsFunc(o.Words, func(w string) bool { return said == whole(w) })
}

// Remember puts one answered question into s: what a follow-up and the words
// MORE, WHY and SOURCES need.
func (s *Session) Remember(m Message, a Answer, now time.Time) {
	s.Language = a.Language
	s.Pending = a.Reply
	s.Standing = a.Standing
	if s.Offer != nil && a.Pack == s.Offer.Pack {
		s.Pack = a.Pack
	}
	s.Clarify, s.Offer = a.Clarify, a.Offer
	if a.Status == Emergency {
		s.Crisis, s.CrisisAt, s.Told = a.Route, now, a.Reply
	}
	if a.Status == Emergency || a.Status == TechnicalFailure {
		return // nothing that a follow-up should lean on
	}
	var used []string
	for _, ch := range a.Chunks {
		if ch.Kept {
			used = append(used, ch.ID)
		}
	}
	asked := []rune(cmp.Or(a.Asked, m.Text))
	if len(asked) > keepAsked {
		asked = asked[:keepAsked]
	}
	s.History = append(s.History, Exchange{Asked: string(asked), Chunks: used, At: now})
	s.History = s.History[max(0, len(s.History)-keepExchanges):]
	s.Seen = append(s.Seen, used...)
	s.Seen = s.Seen[max(0, len(s.Seen)-keepSeen):]
}

// crisisAge is how long after an emergency a call for help repeats its text.
const crisisAge = 30 * time.Minute

// Hear answers the words that need no question answered: MORE, WHY and SOURCES
// from what s holds, and a bare call for help after an emergency, which repeats
// its text. It reports whether text was such a word, and changes s so that the
// next MORE goes on.
func (s *Session) Hear(text string, now time.Time) (Reply, bool) {
	word := keyword(text)
	if word == "" {
		return Reply{}, false
	}
	if word == "help" {
		if s.Crisis == "" || now.Sub(s.CrisisAt) > crisisAge {
			return Reply{}, false
		}
		return s.Told, true
	}
	lang := s.Language
	if lang == "" {
		lang = English
	}
	r := Reply{Language: lang, Status: s.Pending.Status, Answer: s.Pending.Answer}
	var texts []string
	switch word {
	case "more":
		texts = s.Pending.More
	case "why":
		texts = s.Pending.Why
	case "sources":
		texts = s.Pending.Sources
	}
	if len(texts) == 0 {
		r.Text = nothingMore[lang]
		return r, true
	}
	r.Text, r.More = texts[0], texts[1:]
	s.Pending.More = texts[1:]
	return r, true
}

// recentAge is within what time texts are one message that was split.
const recentAge = 90 * time.Second

// Recent returns what the person wrote in the moments before at, oldest first.
func (s *Session) Recent(at time.Time) (texts []string) {
	for _, e := range s.History {
		if d := at.Sub(e.At); d >= 0 && d <= recentAge {
			texts = append(texts, e.Asked)
		}
	}
	return texts
}

var nothingMore = map[Language]string{
	English: "That is all I have on that. Text me another question.",
	Spanish: "Es todo lo que tengo sobre eso. Mande otra pregunta.",
}
