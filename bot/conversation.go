package bot

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"plumbline/internal/redact"
)

// A Conversation decides what becomes of a message. It knows no platform and
// keeps nothing itself: it hears the words that ask for more of the last answer
// or change how the person is spoken to, and asks the Answerer about everything
// else. It is safe for concurrent use.
type Conversation struct {
	Answerer  Answerer
	House     House
	Urgent    func(text string) bool                               // the safety rules' emergencies: no word is heard in one; nil for none
	Persona   func(channel string) string                          // the voice of a channel; nil for the Answerer's own
	Asked     func(text string) (persona, rest string, asked bool) // whether a text asks for a voice, and what else it says; nil for never
	Show      func(j Job) func(part string)                        // shows what of an answer is sure as it is worked out; nil, or a nil func, for nobody
	Introduce func(channel string) bool                            // whether a new person is told who this is; nil for never
	Write     func(channel string, r Reply) Reply                  // writes a text of our own as the channel is sent it; nil for as it is
	Now       func() time.Time
	Grave     []Route       // emergencies, gravest first: a lesser one that is but guessed at does not take the place of one that was told
	AsOf      time.Time     // when what is in force is judged; zero for Now
	MaxTries  int           // a job handed out more often is given up; 0 for 5
	Late      time.Duration // an answer later than this says so; 0 for never
}

// The most that a session keeps, so that it stays within its budget.
const (
	keepExchanges = 4
	keepSeen      = 24
	keepAsked     = 240 // runes of a question
)

const (
	crisisAge = 30 * time.Minute // how long after an emergency a call for help repeats its text
	retellAge = 30 * time.Minute // how long an answer is told again when the voice changes
	recentAge = 90 * time.Second // within what time texts are one message that was split
)

// Decide works out what comes of j. It changes nothing: the outcome says what
// to send and to remember. An error means that it may be tried again.
func (c *Conversation) Decide(ctx context.Context, j Job) (Outcome, error) {
	t := &turn{c: c, ctx: ctx, j: j, s: j.Session, now: c.Now()}
	t.lang = t.s.Choice
	word, wordLang := Hear(j.Message.Text)
	if j.Joined > 1 {
		word = WordNone // several texts are no command
	}
	urgent := j.Urgent || c.Urgent != nil && c.Urgent(j.Message.Text)
	if t.lang == "" && word != WordNone {
		t.lang = wordLang
		if wordLang == English && t.s.Language != "" {
			t.lang = t.s.Language // STOP and the like are written in any language
		}
	}
	switch {
	case word == WordReaction: // nobody expects an answer, whatever it quotes
		return Outcome{}, nil
	case j.Decided == OptOut:
		return t.stopped(), nil
	case j.OptedOut:
		return t.optedOut(urgent)
	case j.Decided == OptIn:
		return t.back(), nil
	case j.Tries > cmp.Or(c.MaxTries, 5):
		o := t.fixed("fixed.technical")
		o.Answer.Status, o.Replies[0].Status = TechnicalFailure, TechnicalFailure
		o.Parked = fmt.Sprintf("given up after %d tries", j.Tries-1)
		o.Review = o.Parked
		return o, nil
	case j.Receipt == Limited && !urgent:
		return t.fixed("fixed.limited"), nil
	}
	if !urgent {
		if o, heard, err := t.word(word); heard || err != nil {
			return o, err
		}
		if strings.TrimSpace(j.Message.Text) == "" {
			if len(j.Message.Media) > 0 {
				return t.fixed("fixed.media"), nil
			}
			return t.fixed("fixed.empty"), nil
		}
		if !strings.ContainsFunc(j.Message.Text, func(r rune) bool { return unicode.IsLetter(r) || unicode.IsDigit(r) || r == '?' }) {
			return t.fixed("fixed.empty"), nil // emoji alone, which nobody can be sure to read right
		}
		if c.Asked != nil {
			if persona, rest, asked := c.Asked(j.Message.Text); asked {
				return t.revoice(persona, rest)
			}
		}
	}
	return t.answer(j.Message.Text, t.s.Persona, t.s.Choice, t.s.History)
}

// Handle answers m and remembers what the next message may need, for callers
// without an inbox. An error leaves the session as it was.
func (c *Conversation) Handle(ctx context.Context, st SessionStore, key string, m Message) (Outcome, error) {
	s, err := st.Load(ctx, key)
	if err != nil {
		return Outcome{}, fmt.Errorf("load session: %w", err)
	}
	word, _ := Hear(m.Text)
	j := Job{Person: key, Message: m, Word: word, Joined: 1, Tries: 1, Received: m.At, Session: s}
	j.Decided = Arrival{Message: m, Word: word, Urgent: c.Urgent != nil && c.Urgent(m.Text)}.Decides(false)
	o, err := c.Decide(ctx, j)
	if err != nil {
		return Outcome{}, err
	}
	if o.Forget {
		if err := st.Forget(ctx, key); err != nil {
			return Outcome{}, fmt.Errorf("forget session: %w", err)
		}
	}
	if o.Remember != nil {
		if err := st.Update(ctx, key, o.Remember); err != nil {
			return Outcome{}, fmt.Errorf("remember turn: %w", err)
		}
	}
	return o, nil
}

// A turn is one message as it is decided on.
type turn struct {
	c    *Conversation
	ctx  context.Context // a turn lives for one call of Decide
	j    Job
	s    Session
	lang Language
	now  time.Time
}

// fixed answers with a text of our own, which it cites.
func (t *turn) fixed(id string) Outcome {
	lang := cmp.Or(t.lang, t.s.Language)
	if lang != Spanish {
		lang = English
	}
	said := t.c.House.Text(id, lang)
	a := t.told(id, lang)
	a.Status = Answered
	a.Claims = []Claim{{Text: said, Evidence: []Evidence{{Chunk: "fixed", Paragraph: id, Quote: said, Source: FixedSource}}}}
	a.Reply = Reply{Text: said, Language: lang, Status: Answered, Answer: a.ID}
	if t.c.Write != nil {
		a.Reply = t.c.Write(t.j.Message.From.Channel, a.Reply)
	}
	return Outcome{Replies: []Reply{a.Reply}, Answer: a}
}

// aside is a text of our own that goes beside an answer and is not one.
func (t *turn) aside(id string) Reply {
	r := t.fixed(id).Replies[0]
	r.Answer, r.Status = "", ""
	return r
}

// told is an answer that came of a rule of the conversation.
func (t *turn) told(rule string, lang Language) *Answer {
	return &Answer{ID: t.j.Message.ID, Language: lang, Persona: t.s.Persona, Trace: &Trace{
		Answer: t.j.Message.ID, Question: t.j.Message.Text, AsOf: t.asOf().Format(time.DateOnly), Started: t.now,
		Steps: []Step{{Stage: "conversation", Family: "rules", Note: rule}},
	}}
}

func (t *turn) asOf() time.Time {
	if t.c.AsOf.IsZero() {
		return t.now
	}
	return t.c.AsOf
}

// stopped confirms to a person that they opted out, once; a vendor that heard
// it has done so already.
func (t *turn) stopped() Outcome {
	if t.j.Message.Heard != "" {
		return Outcome{}
	}
	o := t.fixed("fixed.stop")
	o.Despite = true
	return o
}

// optedOut says nothing to a person who opted out. What was an emergency is
// told once they are back.
func (t *turn) optedOut(urgent bool) (Outcome, error) {
	if !urgent {
		return Outcome{}, nil
	}
	o, err := t.answer(t.j.Message.Text, t.s.Persona, t.s.Choice, t.s.History)
	if err != nil {
		return Outcome{}, err
	}
	return Outcome{Answer: o.Answer, Remember: o.Remember, Review: "an emergency of a person who opted out: nothing was sent"}, nil
}

// back greets a person who opted in again; after an emergency its text comes
// once more, whoever greeted them.
func (t *turn) back() (o Outcome) {
	if t.j.Message.Heard == "" {
		o = t.fixed("fixed.start")
	}
	if t.inCrisis() {
		o.Replies = append(o.Replies, t.s.Told)
	}
	return o
}

func (t *turn) inCrisis() bool {
	return t.s.Crisis != "" && t.now.Sub(t.s.CrisisAt) <= crisisAge
}

// word answers a message that is a word.
func (t *turn) word(w Word) (o Outcome, heard bool, err error) {
	switch w {
	case WordHelp, WordStart, WordYes:
		if t.inCrisis() {
			return t.again(), true, nil
		}
	}
	if heard := t.j.Message.Heard; heard != "" && !(heard == WordStart && w == WordYes) {
		return Outcome{}, true, nil // its vendor has answered it
	}
	unsure := t.s.Clarify == unsureStop // we asked whether they want no more texts
	if w == WordUnsureStop && !unsure && (t.s.Offer != nil || t.s.Clarify != "") {
		return Outcome{}, false, nil // "no thanks" to what was offered or asked
	}
	switch w {
	case WordUnsureStop, WordYes:
		switch {
		case unsure:
			o = t.fixed("fixed.stop")
			o.Consent, o.Despite = OptOut, true
		case w == WordYes: // to what was asked
			return Outcome{}, false, nil
		default:
			o = t.fixed("fixed.stop_unsure")
		}
		o.Remember = func(s *Session) error {
			if s.Clarify = ""; !unsure {
				s.Clarify = unsureStop
			}
			return nil
		}
	case WordStop: // they opted out before, and are told nothing
	case WordStart:
		o = t.fixed("fixed.start")
	case WordHelp:
		o = t.fixed("fixed.help")
	case WordPerson:
		o = t.fixed("fixed.person")
		o.Review = "asked for a person"
	case WordForget:
		o = t.fixed("fixed.forget")
		o.Forget = true
	case WordMyData:
		o = t.fixed("fixed.my_data")
	case WordIdentity:
		o = t.fixed("fixed.identity")
	case WordPrivacy:
		o = t.fixed("fixed.privacy")
	case WordMore, WordWhy, WordSources:
		o = t.more(w)
	case WordEnglish:
		o, err = t.relanguage(English)
	case WordSpanish:
		o, err = t.relanguage(Spanish)
	default:
		return Outcome{}, false, nil
	}
	return o, true, err
}

// unsureStop is what was asked back where a message may have been an opt-out.
const unsureStop = "stop?"

// again repeats the text of an emergency.
func (t *turn) again() Outcome {
	a := t.told("crisis repeated", t.s.Told.Language)
	a.Status, a.Route, a.Reply = Emergency, t.s.Crisis, t.s.Told
	return Outcome{Replies: []Reply{t.s.Told}, Answer: a}
}

// more sends what MORE, WHY and SOURCES get of the last answer.
func (t *turn) more(w Word) Outcome {
	p := t.s.Pending
	texts := map[Word][]string{WordMore: p.More, WordWhy: p.Why, WordSources: p.Sources}[w]
	if len(texts) == 0 {
		if p.Answer == "" {
			return t.fixed("fixed.nothing_yet")
		}
		return t.fixed("fixed.nothing_more")
	}
	lang := cmp.Or(p.Language, t.s.Language)
	a := t.told(string(w), lang)
	a.Status = p.Status
	a.Reply = Reply{Text: texts[0], More: texts[1:], Language: lang, Status: p.Status, Answer: p.Answer}
	rest := texts[1:]
	if w != WordMore {
		rest = append(append([]string(nil), rest...), p.More...) // what is left of both
	}
	return Outcome{Replies: []Reply{a.Reply}, Answer: a, Remember: func(s *Session) error {
		s.Pending.More = rest
		return nil
	}}
}

// relanguage changes the language for good, and tells the last answer in it.
func (t *turn) relanguage(lang Language) (Outcome, error) {
	t.lang = lang
	choose := func(s *Session) error { s.Choice, s.Language = lang, lang; return nil }
	if last, before, ok := t.last(); ok && t.s.Language != lang {
		return t.then(choose, func() (Outcome, error) { return t.answer(last.Asked, t.s.Persona, lang, before) })
	}
	return t.then(choose, func() (Outcome, error) { return t.fixed("fixed.language"), nil })
}

// revoice changes the voice for good, and answers what else was asked, or the
// last question again, in it.
func (t *turn) revoice(persona, rest string) (Outcome, error) {
	choose := func(s *Session) error { s.Persona = persona; return nil }
	if rest = strings.TrimSpace(rest); rest != "" {
		return t.then(choose, func() (Outcome, error) { return t.answer(rest, persona, t.s.Choice, t.s.History) })
	}
	if last, before, ok := t.last(); ok {
		return t.then(choose, func() (Outcome, error) {
			return t.answer(last.Asked, persona, cmp.Or(t.s.Choice, t.s.Language), before)
		})
	}
	return t.then(choose, func() (Outcome, error) { return t.fixed("fixed.persona"), nil })
}

// then adds first to what do remembers.
func (t *turn) then(first func(*Session) error, do func() (Outcome, error)) (Outcome, error) {
	o, err := do()
	if err != nil {
		return Outcome{}, err
	}
	second := o.Remember
	o.Remember = func(s *Session) error {
		if second != nil {
			if err := second(s); err != nil {
				return err
			}
		}
		return first(s)
	}
	return o, nil
}

// last is the last question of the conversation, if it was answered, and what
// was before it.
func (t *turn) last() (e Exchange, before []Exchange, ok bool) {
	n := len(t.s.History)
	if told := t.s.Pending.Status; n == 0 || !told.Supported() && told != LocalOnly || t.now.Sub(t.s.History[n-1].At) > retellAge {
		return Exchange{}, nil, false
	}
	return t.s.History[n-1], t.s.History[:n-1], true
}

// answer asks the Answerer.
func (t *turn) answer(text, persona string, lang Language, history []Exchange) (Outcome, error) {
	m := t.j.Message
	q := Question{
		ID: m.ID, Text: text, Channel: m.From.Channel, Language: lang, Persona: persona, Variant: DiagExplicit,
		AsOf: t.asOf(), At: m.At, Recent: t.s.Recent(m.At), Person: t.j.Person,
	}
	toldAgain := len(history) < len(t.s.History)
	t.s.Next(&q)
	if toldAgain {
		q.Text, q.History, q.Clarify = text, history, "" // the same question, which may ask back again
	}
	if q.Language == "" {
		q.Language = m.Language
	}
	if q.Language == "" && t.s.Language != "" && len(strings.Fields(q.Text)) <= 2 {
		q.Language = t.s.Language // too short to tell
	}
	if q.Persona == "" && t.c.Persona != nil {
		q.Persona = t.c.Persona(m.From.Channel)
	}
	if t.c.Show != nil {
		q.Show = t.c.Show(t.j)
	}
	a, err := t.c.Answerer.Answer(t.ctx, q)
	if err != nil {
		return Outcome{}, fmt.Errorf("answer message %s: %w", m.ID, err)
	}
	if t.inCrisis() && t.beside(text, a) {
		return t.again(), nil
	}
	o := Outcome{Replies: []Reply{a.Reply}, Answer: &a, Review: a.Reply.Review}
	asked, now := m, t.now
	asked.Text = text
	o.Remember = func(s *Session) error {
		if n := len(s.History); toldAgain && n > 0 {
			s.History = s.History[:n-1]
		}
		s.Remember(asked, a, now)
		return nil
	}
	if a.Status == Emergency {
		return o, nil
	}
	t.lang = a.Language
	if late := t.c.Late; late > 0 && !t.j.Received.IsZero() && t.now.Sub(t.j.Received) > late {
		o.Replies = append([]Reply{t.aside("fixed.late")}, o.Replies...)
	}
	if len(m.Media) > 0 {
		o.Replies = append(o.Replies, t.aside("fixed.media"))
	}
	if t.j.New && t.c.Introduce != nil && t.c.Introduce(m.From.Channel) {
		o.Replies = append(o.Replies, t.aside("fixed.first_contact"))
		o.Told = true
	}
	return o, nil
}

// beside reports whether an answer misses what a person says soon after an
// emergency: it answers nothing, or something that they did not name, or takes a
// few words for a lesser emergency. The emergency's own text is better then.
func (t *turn) beside(text string, a Answer) bool {
	if a.Status == Emergency {
		rank := func(r Route) int { return slices.Index(t.c.Grave, r) }
		guessed := a.Trace != nil && a.Trace.Safety.Learned()
		return guessed && rank(a.Route) > rank(t.s.Crisis)
	}
	words := strings.Fields(foldWords(text))
	if !a.Status.Supported() || len(words) <= fewWords && t.now.Sub(t.s.CrisisAt) <= recentAge {
		return true
	}
	told := foldWords(strings.Join(append([]string{a.Reply.Text}, a.Reply.More...), " "))
	return !slices.ContainsFunc(words, func(w string) bool {
		return utf8.RuneCountInString(w) >= 4 && !askingWords[w] && strings.Contains(told, string([]rune(w)[:4]))
	})
}

// fewWords is how many words are a piece of what was said before, if they follow
// at once: "bleach", "is not", "what now".
const fewWords = 3

// askingWords are words that a question about anything may have.
var askingWords = func() map[string]bool {
	m := map[string]bool{}
	for _, w := range strings.Fields("what when where which will would should could have does your they them this that there here with about long wait time need know tell just please number call hago hacer como cuando donde cual cuanto cuanta tiempo debo puedo tengo hay para esto esta este favor numero llamar llame nadie") {
		m[w] = true
	}
	return m
}()

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

// yes are the words, beside YES and its own, that take an offer.
var yes = []string{"yes please", "yeah", "yep", "y", "ok", "okay", "sure", "si por favor", "dale", "claro"}

// taken reports whether a message takes the offer.
func (o *Offer) taken(text string) bool {
	if o == nil {
		return false
	}
	word, _ := Hear(text)
	said := foldWords(text)
	return word == WordYes || slices.Contains(yes, said) || slices.ContainsFunc(o.Words, func(w string) bool { return said == foldWords(w) })
}

// Remember puts one answered question into s: what a follow-up and the words
// MORE, WHY and SOURCES need.
func (s *Session) Remember(m Message, a Answer, now time.Time) {
	s.Language = a.Language
	s.Pending = a.Reply
	s.Pending.Answer = a.ID
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
	asked, _ := redact.Redact(cmp.Or(a.Asked, m.Text))
	if utf8.RuneCountInString(asked) > keepAsked {
		asked = string([]rune(asked)[:keepAsked])
	}
	s.History = append(s.History, Exchange{Asked: asked, Chunks: used, At: now})
	s.History = s.History[max(0, len(s.History)-keepExchanges):]
	s.Seen = append(s.Seen, used...)
	s.Seen = s.Seen[max(0, len(s.Seen)-keepSeen):]
}

// Recent returns what the person wrote in the moments before at, oldest first.
func (s *Session) Recent(at time.Time) (texts []string) {
	for _, e := range s.History {
		if d := at.Sub(e.At); d >= 0 && d <= recentAge {
			texts = append(texts, e.Asked)
		}
	}
	return texts
}
