package personas

import (
	"slices"
	"strings"

	"plumbline/bot"
	"plumbline/internal/text"
)

// A Standing says whether a claim holds.
type Standing string

// The standings. The empty one is in force.
const (
	Proposed Standing = "proposed"
	NotYet   Standing = "not_yet" // decided, in force later
)

// A Telling is what is to be told, and how.
type Telling struct {
	Persona string       // an id; Plain if empty or unknown
	Lang    bot.Language // English or Spanish
	Asked   string       // the message, for how its writer feels
	Before  string       // the message before it in the conversation, if it was not long ago

	Feeling Feeling  // as Feel heard it; if zero, Asked is heard
	Topic   string   // what it is about, as the pack says it within a sentence ("brown water"); may be empty
	Opened  bool     // something is said before it: no opening
	Said    []string // what that is; what it holds is not told again

	Claims      []bot.Claim // most important first, the next step among them
	Standing    []Standing  // by claim; what it lacks is in force
	Limitations []bot.Limitation
	Lead        int      // claims of the first message: one a question asked; 0 is one
	Agencies    []Agency // of the pack

	Narrow bool   // a text message
	Guard  *Guard // what says whether something is told already; nil for one that knows no names
}

// An Agency is a public body that the pack knows. It is named only where a
// claim's source is it.
type Agency struct {
	Forms []string // as sources and claims call it, in any language
	Name  Text     // as it is told
	Role  Text     // what it does, a sentence: "Sets the national limits."; without it the agency is not told
}

// A Piece is a sentence or a few that are sent whole or not at all.
type Piece struct {
	Text       string
	Keep       int
	Claim      int      // the index of the claim that it tells, else -1
	Limitation int      // of the limitation, else -1
	With       int      // the index of the piece that it is not sent without, else -1
	Or         []string // other ways to say it where Text does not fit, each shorter than the one before
}

// The Keep of pieces: what goes into a first message before what, lowest
// first. An opening is said in the first message or not at all, so is a
// courtesy, the opening to somebody who showed no feeling, and what is for later
// is never in it.
const (
	KeepDanger = iota
	KeepClaim
	KeepLimit
	KeepNext
	KeepOpening
	KeepContext
	KeepCourtesy
	KeepLater
)

// A Told is a telling in the order in which it is read.
type Told struct {
	Persona string
	Feeling Feeling
	Pieces  []Piece
	Allow   []string // what the persona said of its own, for Guard.Check
	Held    []int    // claims without a piece, since others say all of them: not for Guard.Check
}

// Texts returns the texts of the pieces.
func (t Told) Texts() []string {
	list := make([]string, len(t.Pieces))
	for i, p := range t.Pieces {
		list[i] = p.Text
	}
	return list
}

// Tell says claims and limitations in a persona's voice: an opening, the claims
// in their order, limitations, the next step. Each claim stands in a piece
// verbatim, with at most a frame before it; a claim or limitation that another
// claim holds word for word, or of which it loses nothing, gets no piece of its own. The claims told are the
// same whatever the persona. A next step whose number the first message gives
// already is said in short there, and whole in what follows.
func (s *Set) Tell(t Telling) Told {
	p, _ := s.Persona(t.Persona)
	if t.Lang != bot.Spanish {
		t.Lang = bot.English
	}
	if t.Feeling.Sentiment == "" {
		t.Feeling = s.Feel(t.Asked, t.Lang)
	}
	if t.Guard == nil {
		t.Guard = s.Guard(Names{})
	}
	w := &teller{s: s, p: p, t: t, told: Told{Persona: p.ID, Feeling: t.Feeling}}
	w.claims()
	w.limitations()
	w.agencies()
	w.next()
	w.opening()
	return w.told
}

type teller struct {
	s    *Set
	p    Persona
	t    Telling
	told Told
	lead []string // the claims of the first message
}

func (w *teller) add(p Piece) { w.told.Pieces = append(w.told.Pieces, p) }

// own adds a piece, or what it begins with, that is the persona's own words.
func (w *teller) own(text string) string {
	if text != "" && !slices.Contains(w.told.Allow, text) {
		w.told.Allow = append(w.told.Allow, text)
	}
	return text
}

func (w *teller) frame(f Frame) string { return f.in(w.t.Lang, w.t.Narrow) }

// claims adds the claims that are no next step.
func (w *teller) claims() {
	lead := max(1, w.t.Lead)
	var order []int
	for i, c := range w.t.Claims {
		if c.Role != bot.Next && strings.TrimSpace(c.Text) != "" {
			order = append(order, i)
		}
	}
	done := make(map[int]bool)
	direct := 0
	for n, i := range order {
		if done[i] {
			continue
		}
		if w.said(w.t.Claims[i], w.t.Said) {
			w.told.Held = append(w.told.Held, i)
			continue
		}
		for _, k := range order[n+1:] { // one says the other too
			a, b := w.t.Claims[i], w.t.Claims[k]
			switch {
			case done[k] || w.stands(i) != w.stands(k):
			case holdsText(a.Text, b.Text) || w.said(b, []string{a.Text}):
				done[k] = true
				w.told.Held = append(w.told.Held, k)
			case holdsText(b.Text, a.Text) || len(b.Text) < 2*len(a.Text) && w.said(a, []string{b.Text}):
				done[i] = true
				w.told.Held = append(w.told.Held, i)
				i = k
			}
		}
		done[i] = true
		keep := KeepContext
		switch {
		case w.t.Claims[i].Role == bot.Danger:
			keep = KeepDanger
		case direct < lead:
			keep, direct = KeepClaim, direct+1
		case w.t.Narrow && w.echoesStep(w.t.Claims[i].Text):
			keep = KeepLater
		}
		w.claim(i, keep, w.followed(order[n+1:], done, i))
	}
}

// said reports whether texts say all that a claim does: they lose nothing of
// it that the guard looks for, and hold most of its words.
func (w *teller) said(c bot.Claim, texts []string) bool {
	const most, words = 0.8, 0.7
	if len(texts) == 0 {
		return false
	}
	told := strings.Join(texts, " ")
	if share(wordsIn(c.Text), wordsIn(told)) < words { // a quick no
		return false
	}
	x := w.t.Guard.compare([]bot.Claim{c}, nil, []string{told}, nil)
	x.check()
	lost := slices.ContainsFunc(x.faults, func(f Fault) bool { return f.Claim >= 0 || f.Kind == TooMuch })
	return !lost && share(x.claims[0].stems, x.told.stems) >= most
}

func wordsIn(s string) map[string]bool {
	m := make(map[string]bool)
	for _, word := range textsOf(s) {
		m[word] = true
	}
	return m
}

// echoesStep reports whether a text gives telephone numbers, all of which a
// next step gives too: beside that step it says the number twice.
func (w *teller) echoesStep(s string) bool {
	phones := text.Phones(s)
	return len(phones) > 0 && slices.ContainsFunc(w.t.Claims, func(c bot.Claim) bool {
		if c.Role != bot.Next {
			return false
		}
		step := text.Phones(c.Text)
		return !slices.ContainsFunc(phones, func(p text.Phone) bool {
			return !slices.ContainsFunc(step, func(o text.Phone) bool { return o.Digits == p.Digits })
		})
	})
}

// followed reports whether the next claim to be told has the same source.
func (w *teller) followed(rest []int, done map[int]bool, i int) bool {
	for _, k := range rest {
		if !done[k] {
			a, b := sourceOf(w.t.Claims[i]), sourceOf(w.t.Claims[k])
			return a.Agency == b.Agency && a.Date == b.Date
		}
	}
	return false
}

// claim adds one claim, framed by its standing, and who says so.
func (w *teller) claim(i, keep int, followed bool) {
	c := w.t.Claims[i]
	said := strings.TrimSpace(c.Text)
	if keep < KeepContext {
		w.lead = append(w.lead, said)
	}
	if frame := w.standing(i); frame != "" {
		said = w.own(frame) + " " + said
	}
	w.add(Piece{said, keep, i, -1, -1, nil})
	at := len(w.told.Pieces) - 1
	frame := w.frame(w.p.Frames.Source)
	src := sourceOf(c)
	if frame == "" || src.Agency == "" || followed && !w.t.Narrow {
		return
	}
	by := attribution(src, w.t.Narrow)
	if w.t.Narrow && (keep >= KeepContext || len(w.lead) > 1 || w.names(c.Text, src) || strings.ContainsAny(strings.TrimSuffix(by, year(src)), "0123456789")) {
		return // the last: its figure could be taken for one of the claim's
	}
	w.add(Piece{w.own(strings.ReplaceAll(frame, "{source}", by)), KeepOpening, -1, -1, at, nil})
}

// stands is the standing of claim i.
func (w *teller) stands(i int) Standing {
	if i < len(w.t.Standing) {
		return w.t.Standing[i]
	}
	return ""
}

// standing is the frame of a claim that does not hold yet, empty where the
// claim says so itself.
func (w *teller) standing(i int) string {
	st := w.stands(i)
	f := map[Standing]Frame{Proposed: w.p.Frames.Proposed, NotYet: w.p.Frames.NotYet}[st]
	frame := w.frame(f)
	words := w.s.standing[st]
	if frame == "" || words == nil || !f.Always && len(words.all(wordsOf(w.t.Claims[i].Text))) > 0 {
		return ""
	}
	return frame
}

// names reports whether a text names the agency that a source is of.
func (w *teller) names(text string, src bot.Source) bool {
	if holdsText(text, src.Agency) {
		return true
	}
	for _, a := range w.t.Agencies {
		if a.is(src) && slices.ContainsFunc(a.Forms, func(f string) bool { return holdsText(text, f) }) {
			return true
		}
	}
	return false
}

// is reports whether a source is the agency's own: named before any bracket.
func (a Agency) is(src bot.Source) bool {
	name, _, _ := strings.Cut(src.Agency, "(")
	name = strings.Join(textsOf(name), " ")
	return slices.ContainsFunc(a.Forms, func(f string) bool { return strings.Join(textsOf(f), " ") == name })
}

// sourceOf is the source of a claim's first evidence.
func sourceOf(c bot.Claim) bot.Source {
	if len(c.Evidence) == 0 {
		return bot.Source{}
	}
	return c.Evidence[0].Source
}

// maxAgency is how long the name of an agency may be in a text message before
// what stands in brackets is left out of it.
const maxAgency = 40

// attribution names a source: agency and year.
func attribution(src bot.Source, narrow bool) string {
	agency := src.Agency
	if short, _, ok := strings.Cut(agency, " ("); ok && narrow && len(agency) > maxAgency {
		agency = short
	}
	if y := year(src); y != "" {
		return agency + ", " + y
	}
	return strings.TrimSuffix(agency, ".")
}

// year is the year of a source, empty if it has none.
func year(src bot.Source) string {
	y, _, _ := strings.Cut(src.Date, "-")
	if len(y) == 4 && strings.Trim(y, "0123456789") == "" {
		return y
	}
	return ""
}

// limitations adds the limitations that no claim says word for word.
func (w *teller) limitations() {
	frame := w.frame(w.p.Frames.Limit)
	var said []string
	for i, l := range w.t.Limitations {
		text := strings.TrimSpace(l.Text)
		told := func(t string) bool { return holdsText(t, text) }
		if text == "" || slices.ContainsFunc(said, told) || slices.ContainsFunc(w.told.Texts(), told) {
			continue
		}
		said = append(said, text)
		if frame != "" {
			text, frame = w.own(frame)+" "+text, ""
		}
		w.add(Piece{text, KeepLimit, -1, i, -1, nil})
	}
}

// agencies adds the line of who does what, where the persona has one: the
// agencies of the pack that a claim's source is.
func (w *teller) agencies() {
	frame := w.frame(w.p.Frames.Agencies)
	if frame == "" {
		return
	}
	const most = 3
	var list []string
	for _, a := range w.t.Agencies {
		own := slices.ContainsFunc(w.t.Claims, func(c bot.Claim) bool {
			return slices.ContainsFunc(c.Evidence, func(e bot.Evidence) bool { return a.is(e.Source) })
		})
		name, role := a.Name.In(w.t.Lang), strings.TrimSpace(a.Role.In(w.t.Lang))
		if own && name != "" && role != "" && len(list) < most {
			list = append(list, name+": "+role)
		}
	}
	if len(list) > 0 {
		w.add(Piece{w.own(strings.ReplaceAll(frame, "{agencies}", strings.Join(list, " "))), KeepContext, -1, -1, -1, nil})
	}
}

// holdsText reports whether words of a text stand in another in their order,
// next to each other.
func holdsText(in, text string) bool {
	words := textsOf(text)
	if len(words) == 0 {
		return false
	}
	p := phrase{words: words}
	ws := wordsOf(in)
	for i := range ws {
		ws[i].gap = joined
	}
	for i := range ws {
		if p.stands(ws, i) {
			return true
		}
	}
	return false
}
