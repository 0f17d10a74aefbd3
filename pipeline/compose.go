package pipeline

import (
	"cmp"
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
	Keep int // what goes into the first message before what: lower first
	With int // one more than the index of the piece that it is not sent without; 0 for none
}

// The Keep of the pieces of a reply (spec, Decisions: First reply), as a
// persona gives them.
const (
	KeepDanger  = personas.KeepDanger
	KeepClaim   = personas.KeepClaim
	KeepLimit   = personas.KeepLimit
	KeepNext    = personas.KeepNext
	KeepOpening = personas.KeepOpening
	KeepContext = personas.KeepContext // further claims, where there is room
	KeepLater   = personas.KeepLater   // never in the first message
)

// A Fit says how much one message of a channel may hold and what may be
// rewritten on the way.
type Fit struct {
	First gsm7.Limit
	More  gsm7.Limit
	Most  int  // messages that MORE may send
	SMS   bool // rewritten to cost less
}

// FitOf returns the limits of a channel. Channels that it does not know are
// fitted like SMS, the narrowest.
func FitOf(channel string) Fit {
	switch channel {
	case "slack":
		return Fit{First: gsm7.Limit{Characters: 3000}, More: gsm7.Limit{Characters: 3000}, Most: 3}
	case "console":
		return Fit{First: gsm7.Limit{Characters: 4000}, More: gsm7.Limit{Characters: 4000}, Most: 3}
	default:
		two := gsm7.Limit{Segments: 2, Units: 2 * gsm7.GSM7Part}
		return Fit{First: two, More: two, Most: 3, SMS: true}
	}
}

// send is a text as the channel is sent it.
func (f Fit) send(text string, lang bot.Language) string {
	if !f.SMS {
		return text
	}
	out, _ := gsm7.Encode(text, gsm7.Options{Lang: string(lang), Fold: true, Spanish: lang == bot.Spanish})
	return out
}

var offersMore = regexp.MustCompile(`\b(Reply MORE|Responda MAS)\b`)

var moreHint = map[bot.Language]string{bot.English: "Reply MORE.", bot.Spanish: "Responda MAS."}

// Compose fits pieces, in the order in which they are read, to a channel. The
// first message keeps them by Keep while they fit; the rest goes to MORE by Keep,
// cut between pieces only. A piece that alone is over the limit of a message is
// left out of the first, and split in MORE where nothing better can be done.
func Compose(pieces []Piece, lang bot.Language, fit Fit) (first string, more []string) {
	pieces = slices.Clone(pieces)
	hint := cmp.Or(moreHint[lang], moreHint[bot.English])
	if slices.ContainsFunc(pieces, func(p Piece) bool { return p.Keep == KeepDanger && offersMore.MatchString(p.Text) }) {
		hint = "" // a fixed text offers it in its own words
	}
	send := func(text string) string { return fit.send(text, lang) }
	join := func(in []bool, tail string) string {
		var parts []string
		for i, p := range pieces {
			if in[i] && strings.TrimSpace(p.Text) != "" {
				parts = append(parts, strings.TrimSpace(p.Text))
			}
		}
		if tail != "" {
			parts = append(parts, tail)
		}
		return send(strings.Join(parts, " "))
	}
	all := make([]bool, len(pieces))
	for i, p := range pieces {
		all[i] = p.Keep < KeepLater
	}
	if s := join(all, ""); fit.First.Holds(s) && !slices.Contains(all, false) {
		return s, nil
	}
	// Not all fit: take them by Keep, leaving room for the hint.
	order := make([]int, len(pieces))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(pieces[a].Keep, pieces[b].Keep) })
	in := make([]bool, len(pieces))
	for _, i := range order {
		p := pieces[i]
		in[i] = p.Keep < KeepLater && (p.With == 0 || in[p.With-1])
		if in[i] && !fit.First.Holds(join(in, hint)) {
			in[i] = false
		}
	}
	var later []string
	for _, i := range order {
		// An opening is said first or not at all, a pointer with what it points at.
		if p := pieces[i]; !in[i] && p.Keep != KeepOpening && p.With == 0 && strings.TrimSpace(p.Text) != "" {
			later = append(later, send(strings.TrimSpace(p.Text)))
		}
	}
	if len(later) > 0 {
		more = gsm7.Split(later, fit.More)
		if len(more) > fit.Most {
			more = more[:fit.Most]
		}
	}
	if !slices.Contains(in, true) { // nothing fits whole: say what fits of the most important
		if len(more) > 0 {
			return more[0], more[1:]
		}
		return "", nil
	}
	if len(more) == 0 {
		hint = ""
	}
	return join(in, hint), more
}
