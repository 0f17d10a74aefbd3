package pipeline

import (
	"regexp"
	"slices"
	"strings"

	"plumbline/bot"
	"plumbline/internal/gsm7"
	"plumbline/personas"
)

// A Piece is a sentence or a few that are sent whole or not at all.
type Piece struct {
	Text string
	Keep int      // what goes into the first message before what: lower first
	With int      // one more than the index of the piece that it is not sent without; 0 for none
	Or   []string // other ways to say it where Text does not fit, each shorter than the one before

	Claim int // one more than the index of the claim that it tells, as the teller had them; 0 for none
	Limit int // of the limitation
}

// opens reports whether a piece is the opening of a message.
func (p Piece) opens() bool {
	return p.With == 0 && (p.Keep == KeepOpening || p.Keep == KeepCourtesy)
}

// before puts pieces before others; what goes with a piece still does.
func before(lead, pieces []Piece) []Piece {
	list := slices.Concat(lead, pieces)
	for i := range list[len(lead):] {
		if p := &list[len(lead)+i]; p.With > 0 {
			p.With += len(lead)
		}
	}
	return list
}

// The Keep of the pieces of a reply (spec, Decisions: First reply), as a
// persona gives them.
const (
	KeepDanger   = personas.KeepDanger
	KeepClaim    = personas.KeepClaim
	KeepLimit    = personas.KeepLimit
	KeepNext     = personas.KeepNext
	KeepOpening  = personas.KeepOpening
	KeepContext  = personas.KeepContext  // further claims, where there is room
	KeepCourtesy = personas.KeepCourtesy // an opening to somebody who showed no feeling
	KeepLater    = personas.KeepLater    // never in the first message
)

// A Fit says how much one message of a channel may hold and what may be
// rewritten on the way.
type Fit struct {
	First gsm7.Limit
	More  gsm7.Limit
	Most  int  // messages that MORE may send
	SMS   bool // rewritten to cost less, on one paragraph
	Plain bool // in plain wordings, for people who are texted

	Accents bool // Spanish is rewritten less: its accents stay, whatever they cost
}

// FitOf returns the limits of a channel. Channels that it does not know are
// fitted like SMS, the narrowest.
func FitOf(channel string) Fit {
	switch channel {
	case "slack":
		return Fit{First: gsm7.Limit{Characters: 3000}, More: gsm7.Limit{Characters: 3000}, Most: 3}
	case "console":
		return Fit{First: gsm7.Limit{Characters: 4000}, More: gsm7.Limit{Characters: 4000}, Most: 3}
	case "whatsapp": // no segments to pay for, on the same small screen
		return Fit{First: gsm7.Limit{Characters: 700}, More: gsm7.Limit{Characters: 1200}, Most: 3, Plain: true}
	default:
		two := gsm7.Limit{Segments: 2, Units: 2 * gsm7.GSM7Part}
		return Fit{First: two, More: two, Most: 3, SMS: true, Plain: true}
	}
}

// fit is FitOf for the deployment.
func (p *Pipeline) fit(channel string) Fit {
	f := FitOf(channel)
	f.Accents = p.c.Accents
	return f
}

// composeTight is Compose with a first message of one segment, if all that is
// kept there as danger and the first claim fit one; else it takes what it needs:
// no lesser thing is told in their place.
func composeTight(pieces []Piece, lang bot.Language, fit Fit) (first string, more []string) {
	one := fit
	one.First = gsm7.Limit{Segments: 1, Units: gsm7.GSM7Single}
	first, more = Compose(pieces, lang, one)
	answered := false
	for _, p := range pieces {
		if p.Keep > KeepClaim || p.Keep == KeepClaim && answered {
			continue
		}
		said := slices.ContainsFunc(append(p.Or, p.Text), func(way string) bool { return strings.Contains(first, fit.Send(way, lang)) })
		if !said {
			return Compose(pieces, lang, fit)
		}
		answered = answered || p.Keep == KeepClaim
	}
	return first, more
}

// Send is a text as the channel is sent it.
func (f Fit) Send(text string, lang bot.Language) string {
	if !f.SMS {
		return text
	}
	out, _ := gsm7.Encode(text, gsm7.Options{Lang: string(lang), Fold: true, Spanish: lang == bot.Spanish && !f.Accents})
	return out
}

var offersMore = regexp.MustCompile(`\b(Reply MORE|Responda MAS)\b`)

// moreHint says that there is more: in a sentence, or in a word where that
// makes room for an opening.
var moreHint = map[bot.Language][2]string{bot.English: {"Reply MORE.", "MORE."}, bot.Spanish: {"Responda MAS.", "MAS."}}

// Compose fits pieces, in the order in which they are read, to a channel. The
// first message keeps them by Keep while they fit, in their shortest form, and
// then says them as fully as there is room; the rest goes to MORE, cut between
// pieces only, a next step at the end of its first message. A piece that alone is
// over the limit of a message is left out of the first, and split in MORE where
// nothing better can be done.
func Compose(pieces []Piece, lang bot.Language, fit Fit) (first string, more []string) {
	c := composer{pieces: pieces, lang: lang, fit: fit, form: make([]int, len(pieces)), in: make([]bool, len(pieces))}
	hints, ok := moreHint[lang]
	if !ok {
		hints = moreHint[bot.English]
	}
	if slices.ContainsFunc(pieces, func(p Piece) bool { return p.Keep == KeepDanger && offersMore.MatchString(p.Text) }) {
		hints = [2]string{} // a fixed text offers it in its own words
	}
	for _, courtesy := range []bool{true, false} {
		if c.all(courtesy); c.holds("") && !slices.ContainsFunc(pieces, func(p Piece) bool { return p.Keep >= KeepLater }) {
			c.lengthen("")
			return c.text(""), nil
		}
	}
	hint := hints[0]
	c.choose(hint)
	if c.unopened() {
		before := slices.Clone(c.in)
		if c.hold(KeepOpening, hints[1]); c.unopened() {
			c.in = before
		} else {
			hint = hints[1]
		}
	}
	c.hold(KeepContext, hint)
	c.hold(KeepCourtesy, hint)
	c.lengthen(hint)
	more = c.rest()
	if !slices.Contains(c.in, true) { // nothing fits whole: say what fits of the most important
		if len(more) > 0 {
			return more[0], more[1:]
		}
		return "", nil
	}
	if len(more) == 0 {
		hint = ""
	}
	return c.text(hint), more
}

// A composer fits pieces into a first message.
type composer struct {
	pieces []Piece
	lang   bot.Language
	fit    Fit
	in     []bool // what the first message has
	form   []int  // how each piece is said: 0 is its Text, n its Or[n-1]
}

func (c *composer) say(i int) string {
	s := c.pieces[i].Text
	if c.form[i] > 0 {
		s = c.pieces[i].Or[c.form[i]-1]
	}
	return strings.TrimSpace(s)
}

// text is the first message. Where there is room for it, each thing said is a
// paragraph: an opening begins that of the first claim, limitations share one.
func (c *composer) text(hint string) string {
	var b strings.Builder
	last := -1
	for i, p := range c.pieces {
		s := c.say(i)
		if !c.in[i] || s == "" {
			continue
		}
		switch {
		case last < 0:
		case c.fit.SMS, p.With > 0, c.pieces[last].opens(), p.Keep == KeepLimit && c.pieces[last].Keep == KeepLimit:
			b.WriteString(" ")
		default:
			b.WriteString("\n\n")
		}
		b.WriteString(s)
		last = i
	}
	if hint != "" && last >= 0 {
		b.WriteString(" " + hint)
	}
	return c.fit.Send(b.String(), c.lang)
}

func (c *composer) holds(hint string) bool { return c.fit.First.Holds(c.text(hint)) }

// all takes every piece, in its shortest form; courtesies or not.
func (c *composer) all(courtesy bool) {
	for i, p := range c.pieces {
		c.in[i], c.form[i] = courtesy || p.Keep != KeepCourtesy, len(p.Or)
	}
}

// choose takes what is said first by Keep, leaving room for the hint.
func (c *composer) choose(hint string) {
	clear(c.in)
	for keep := range KeepContext {
		c.hold(keep, hint)
	}
}

// hold takes the pieces of one Keep that still fit.
func (c *composer) hold(keep int, hint string) {
	for i, p := range c.pieces {
		if p.Keep != keep || c.in[i] || p.With > 0 && !c.in[p.With-1] {
			continue
		}
		c.in[i] = true
		c.in[i] = c.holds(hint)
	}
}

// unopened reports whether an opening found no room.
func (c *composer) unopened() bool {
	for i, p := range c.pieces {
		if p.Keep == KeepOpening && p.opens() && !c.in[i] {
			return true
		}
	}
	return false
}

// lengthen says what is in as fully as there is room: openings first.
func (c *composer) lengthen(hint string) {
	for _, opening := range []bool{true, false} {
		for i, p := range c.pieces {
			if !c.in[i] || p.opens() != opening {
				continue
			}
			for c.form[i] = 0; c.form[i] < len(p.Or) && !c.holds(hint); {
				c.form[i]++
			}
		}
	}
}

// rest is what MORE sends. An opening is said first or not at all, a pointer
// with what it points at.
func (c *composer) rest() []string {
	var later, next []string
	for keep := KeepDanger; keep <= KeepLater; keep++ {
		for i, p := range c.pieces {
			if s := strings.TrimSpace(p.Text); p.Keep == keep && !c.in[i] && !p.opens() && p.With == 0 && s != "" {
				if keep == KeepNext {
					next = append(next, c.fit.Send(s, c.lang))
				} else {
					later = append(later, c.fit.Send(s, c.lang))
				}
			}
		}
	}
	more := c.pack(later, next)
	if len(more) > c.fit.Most {
		more = c.packTight(later, next)
	}
	return more[:min(len(more), c.fit.Most)]
}

// pack puts pieces into messages in their order, the next steps at the end of
// the first.
func (c *composer) pack(later, next []string) []string {
	if len(next) == 0 {
		return gsm7.Split(later, c.fit.More)
	}
	for n := len(later); n > 0; n-- {
		if one := gsm7.Split(slices.Concat(later[:n], next), c.fit.More); len(one) == 1 {
			return slices.Concat(one, gsm7.Split(later[n:], c.fit.More))
		}
	}
	return slices.Concat(gsm7.Split(next, c.fit.More), gsm7.Split(later, c.fit.More))
}

// packTight puts each piece into the first message that has room for it, so
// that fewer are left out: the next steps at the end of the first message or,
// where that leaves too much out, of the first with room.
func (c *composer) packTight(later, next []string) []string {
	firstFit := func(messages [][]string, tail []string) [][]string {
		for _, s := range later {
			m := 0
			for ; m < len(messages); m++ {
				all := append(slices.Clone(messages[m]), s)
				if m == 0 {
					all = append(all, tail...)
				}
				if c.fit.More.Holds(strings.Join(all, " ")) {
					break
				}
			}
			if m == len(messages) {
				messages = append(messages, nil)
			}
			messages[m] = append(messages[m], s)
		}
		return messages
	}
	messages := firstFit([][]string{{}}, next)
	at := 0
	if len(messages) > c.fit.Most {
		loose := firstFit(nil, nil)
		room := slices.IndexFunc(loose, func(m []string) bool { return c.fit.More.Holds(strings.Join(slices.Concat(m, next), " ")) })
		if room >= 0 && room < c.fit.Most {
			messages, at = loose, room
		}
	}
	messages[at] = append(messages[at], next...)
	var list []string
	for _, m := range messages {
		list = append(list, gsm7.Split(m, c.fit.More)...)
	}
	return list
}

// Sure reports whether the piece at index i is sure to stand in the first
// message of d, though only some pieces are told as they will be: all of them
// fit, or those that are kept before it are told and it fits after them.
func Sure(d *Draft, i int, told func(piece int) bool) bool {
	fit := FitOf(d.Question.Channel)
	if d.Tight {
		return false
	}
	whole := 0
	for _, p := range d.Pieces {
		whole += len([]rune(p.Text)) + roomToReword
	}
	if fit.First.Characters > 0 {
		return whole <= fit.First.Characters
	}
	c := composer{pieces: d.Pieces, lang: d.Language, fit: fit, form: make([]int, len(d.Pieces)), in: make([]bool, len(d.Pieces))}
	for k, p := range d.Pieces {
		before := p.Keep < d.Pieces[i].Keep || p.Keep == d.Pieces[i].Keep && k <= i
		if !before || p.With > 0 {
			continue
		}
		if !told(k) {
			return false
		}
		c.in[k], c.form[k] = true, len(p.Or)
		if !c.holds(moreHint[bot.English][0]) {
			return false
		}
	}
	return true
}

// roomToReword is how many characters a piece may grow by when it is told in
// other words.
const roomToReword = 60
