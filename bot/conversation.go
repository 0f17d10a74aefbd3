package bot

import (
	"context"
	"fmt"
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
	"sources": "sources", "source": "sources", "fuentes": "sources", "fuente": "sources",
}

func keyword(text string) string {
	folded := strings.ToLower(strings.TrimFunc(text, func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) }))
	return keywords[strings.Join(strings.Fields(folded), " ")]
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
	if word := keyword(m.Text); word != "" {
		turn.Reply = recall(s, word)
		err = c.Sessions.Update(ctx, key, func(s *Session) error {
			if word == "more" && len(s.Pending.More) > 0 {
				s.Pending.More = s.Pending.More[1:]
			}
			return nil
		})
		if err != nil {
			return Turn{}, fmt.Errorf("remember turn: %w", err)
		}
		return turn, nil
	}
	now := c.Now()
	asOf := c.AsOf
	if asOf.IsZero() {
		asOf = now
	}
	q := Question{
		ID: m.ID, Text: m.Text, Channel: m.From.Channel, Language: m.Language,
		Persona: s.Persona, Variant: DiagExplicit, AsOf: asOf, At: m.At, History: s.History, Seen: s.Seen,
	}
	if q.Language == "" && s.Language != "" && len(strings.Fields(m.Text)) <= 2 {
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

// Remember puts one answered question into s: what a follow-up and the words
// MORE, WHY and SOURCES need.
func (s *Session) Remember(m Message, a Answer, now time.Time) {
	s.Language = a.Language
	s.Pending = a.Reply
	if a.Status == Emergency || a.Status == TechnicalFailure {
		return // nothing that a follow-up should lean on
	}
	var used []string
	for _, ch := range a.Chunks {
		if ch.Kept {
			used = append(used, ch.ID)
		}
	}
	asked := []rune(m.Text)
	if len(asked) > keepAsked {
		asked = asked[:keepAsked]
	}
	s.History = append(s.History, Exchange{Asked: string(asked), Chunks: used, At: now})
	s.History = s.History[max(0, len(s.History)-keepExchanges):]
	s.Seen = append(s.Seen, used...)
	s.Seen = s.Seen[max(0, len(s.Seen)-keepSeen):]
}

// recall answers MORE, WHY and SOURCES from what the session holds.
func recall(s Session, word string) Reply {
	lang := s.Language
	if lang == "" {
		lang = English
	}
	r := Reply{Language: lang, Status: s.Pending.Status, Answer: s.Pending.Answer}
	var texts []string
	switch word {
	case "more":
		texts = s.Pending.More[:min(1, len(s.Pending.More))]
	case "why":
		texts = s.Pending.Why
	case "sources":
		texts = s.Pending.Sources
	}
	if len(texts) == 0 {
		r.Text = nothingMore[lang]
		return r
	}
	r.Text, r.More = texts[0], texts[1:]
	return r
}

var nothingMore = map[Language]string{
	English: "That is all I have on that. Text me another question.",
	Spanish: "Es todo lo que tengo sobre eso. Mande otra pregunta.",
}
