package personas

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"plumbline/bot"
	"plumbline/internal/gsm7"
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

	Feeling Feeling // as Feel heard it; if zero, Asked is heard
	Topic   string  // what it is about, as the pack says it within a sentence ("brown water"); may be empty
	Opened  bool    // something is said before it: no opening

	Claims      []bot.Claim // most important first, the next step among them
	Standing    []Standing  // by claim; what it lacks is in force
	Limitations []bot.Limitation
	Lead        int      // claims of the first message: one a question asked; 0 is one
	Agencies    []Agency // of the pack

	Narrow bool   // a text message
	Room   int    // septets of the first message; 0 is two segments. Wide tellings have no end
	Guard  *Guard // what says whether a step is told already; nil for one that knows no names
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
	Claim      int // the index of the claim that it tells, else -1
	Limitation int // of the limitation, else -1
	With       int // the index of the piece that it is not sent without, else -1
}

// The Keep of pieces: what goes into a first message before what, lowest
// first. An opening is said in the first message or not at all, and what is for
// later never in it.
const (
	KeepDanger = iota
	KeepClaim
	KeepLimit
	KeepNext
	KeepOpening
	KeepContext
	KeepLater
)

// A Told is a telling in the order in which it is read.
type Told struct {
	Persona string
	Feeling Feeling
	Pieces  []Piece
	Allow   []string // what the persona said of its own, for Guard.Check
}

// Texts returns the texts of the pieces.
func (t Told) Texts() []string {
	list := make([]string, len(t.Pieces))
	for i, p := range t.Pieces {
		list[i] = p.Text
	}
	return list
}

// twoSegments is the room of a first message of two segments.
const twoSegments = 2 * gsm7.GSM7Part

// Tell says claims and limitations in a persona's voice: an opening, the claims
// in their order, limitations, the next step. Each claim stands in a piece
// verbatim, with at most a frame before it; a claim or limitation that another
// claim holds word for word gets no piece of its own. The claims told are the
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
	if t.Narrow && t.Room == 0 {
		t.Room = twoSegments
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

// opening puts the opening that fits the feeling, the person and the topic best
// before what is told. Where the first message is full, a shorter one that
// still fits goes before one that does not.
func (w *teller) opening() {
	if w.t.Opened {
		return
	}
	var list []candidate
	for _, o := range w.p.Openings {
		if o.When != w.t.Feeling.Sentiment || o.About != "" && o.About != w.t.Feeling.Whom() || o.Topic && w.t.Topic == "" {
			continue
		}
		c := candidate{say: o.Say.In(w.t.Lang)}
		if o.About != "" {
			c.score += 2
		}
		if o.Topic {
			c.say = upperFirst(strings.ReplaceAll(c.say, "{topic}", w.t.Topic))
			c.score++
		}
		if gsm7.Count(c.say).Units <= MaxOpening {
			list = append(list, c)
		}
	}
	if len(list) == 0 {
		return
	}
	slices.SortStableFunc(list, func(a, b candidate) int { return b.score - a.score })
	best := list[0]
	for _, c := range list {
		if w.t.Narrow && w.units(c.say)+hintRoom <= w.t.Room {
			best = c
			break
		}
	}
	w.told.Pieces = slices.Insert(w.told.Pieces, 0, Piece{w.own(best.say), KeepOpening, -1, -1, -1})
	for i := range w.told.Pieces {
		if p := &w.told.Pieces[i]; p.With >= 0 {
			p.With++
		}
	}
}

// A candidate is an opening that may be said.
type candidate struct {
	say   string
	score int
}

// hintRoom is what is left for the word that there is more.
const hintRoom = 27

func upperFirst(s string) string {
	r, n := utf8.DecodeRuneInString(s)
	return string(unicode.ToUpper(r)) + s[n:]
}

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
		for _, k := range order[n+1:] { // a longer one says it too
			switch {
			case holdsText(w.t.Claims[i].Text, w.t.Claims[k].Text):
				done[k] = true
			case holdsText(w.t.Claims[k].Text, w.t.Claims[i].Text):
				done[i] = true
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
		}
		w.claim(i, keep, w.followed(order[n+1:], done, i))
	}
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
	if keep != KeepContext {
		w.lead = append(w.lead, said)
	}
	if frame := w.standing(i); frame != "" {
		said = w.own(frame) + " " + said
	}
	w.add(Piece{said, keep, i, -1, -1})
	at := len(w.told.Pieces) - 1
	frame := w.frame(w.p.Frames.Source)
	src := sourceOf(c)
	if frame == "" || src.Agency == "" || followed && !w.t.Narrow {
		return
	}
	if w.t.Narrow && (keep == KeepContext || len(w.lead) > 1 || w.names(c.Text, src)) {
		return
	}
	w.add(Piece{w.own(strings.ReplaceAll(frame, "{source}", attribution(src, w.t.Narrow))), KeepOpening, -1, -1, at})
}

// standing is the frame of a claim that does not hold yet, empty where the
// claim says so itself.
func (w *teller) standing(i int) string {
	if i >= len(w.t.Standing) {
		return ""
	}
	st := w.t.Standing[i]
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
	year, _, _ := strings.Cut(src.Date, "-")
	if len(year) == 4 && strings.Trim(year, "0123456789") == "" {
		return agency + ", " + year
	}
	return strings.TrimSuffix(agency, ".")
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
		w.add(Piece{text, KeepLimit, -1, i, -1})
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
		w.add(Piece{w.own(strings.ReplaceAll(frame, "{agencies}", strings.Join(list, " "))), KeepContext, -1, -1, -1})
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
