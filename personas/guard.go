package personas

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"plumbline/bot"
	"plumbline/internal/text"
)

// A Name is something that is called in several ways: an agency, a place or a
// hazard. Forms hold every usual one, long and short, in both languages ("US
// EPA", "EPA", "Agencia de Protección Ambiental"). A form in capitals alone is
// found in capitals alone, so that WHO is not "who".
type Name struct {
	ID      string
	Kind    string // of a hazard: those of one kind may be taken for one another
	Forms   []string
	Written []string // forms that are found with their capitals alone
	Not     []string // phrases that hold a form and mean something else
}

// Names are the names that a guard looks out for. They come from a domain pack.
// Each that claims name must be told, and no other may be. A "*" at the end of a
// form's word stands for any ending.
type Names struct {
	Agencies []Name
	Places   []Name
	Hazards  []Name // and what is done about them: boil, filter
}

// A Kind is a kind of fault.
type Kind string

// The kinds. Lost is what claims or limitations say and the telling does not;
// New is what only the telling says.
const (
	LostNumber     Kind = "lost number" // a number, with its unit, or a code such as N95
	NewNumber      Kind = "new number"
	ChangedUnit    Kind = "changed unit"  // the number is there, the unit is not
	ChangedBound   Kind = "changed bound" // at least, at most and the like were lost, added or turned
	Moved          Kind = "moved"         // a number, date or name stands where another one should
	LostDate       Kind = "lost date"     // or a day of the week
	NewDate        Kind = "new date"
	LostPhone      Kind = "lost phone"
	NewPhone       Kind = "new phone"
	LostURL        Kind = "lost url" // or e-mail address
	NewURL         Kind = "new url"
	LostAgency     Kind = "lost agency"
	NewAgency      Kind = "new agency"
	LostName       Kind = "lost name" // a place or another proper name
	NewName        Kind = "new name"
	LostHazard     Kind = "lost hazard"
	NewHazard      Kind = "new hazard"
	LostNegation   Kind = "lost negation"
	AddedNegation  Kind = "added negation"
	TurnedRound    Kind = "turned round"   // a word became its opposite: cold, hot
	LostCondition  Kind = "lost condition" // if, unless
	LostHedge      Kind = "lost hedge"     // may, usually
	NewAssurance   Kind = "new assurance"  // safe, harmless, always, guaranteed
	LostClaim      Kind = "lost claim"     // hardly a word of it is told
	NewStatement   Kind = "new statement"  // hardly a word of it is claimed
	LostLimitation Kind = "lost limitation"
	TooMuch        Kind = "too much" // to compare: no answer has so many words, numbers or negations
)

// A Fault is one way in which a telling differs from what was to be told.
type Fault struct {
	Kind       Kind
	What       string    // the number, name or word, in one spelling
	Claim      int       // index of the claim, -1 if none
	Limitation int       // index of the limitation, -1 if none
	Told       int       // index of the message, -1 if it is nowhere in what is told
	Span       text.Span // in that message, else in the claim's or limitation's text
}

// String returns f in a line for a trace.
func (f Fault) String() string {
	where := ""
	switch {
	case f.Told >= 0:
		where = fmt.Sprintf(" in message %d at %d", f.Told+1, f.Span.Start)
	case f.Claim >= 0:
		where = fmt.Sprintf(" of claim %d", f.Claim+1)
	case f.Limitation >= 0:
		where = fmt.Sprintf(" of limitation %d", f.Limitation+1)
	}
	return fmt.Sprintf("%s %q%s", f.Kind, f.What, where)
}

// A Guard holds tellings to their claims. It is safe for concurrent use.
type Guard struct {
	words                     *guardWords
	agencies, places, hazards finder
	ids                       [3][]string // of agencies, places and hazards
	sorts                     []string    // of hazards
	caps                      map[string]bool
}

// Guard returns a guard that knows the names.
func (s *Set) Guard(n Names) *Guard {
	g := &Guard{words: s.words, caps: make(map[string]bool)}
	for k, set := range []struct {
		of   []Name
		into *finder
	}{{n.Agencies, &g.agencies}, {n.Places, &g.places}, {n.Hazards, &g.hazards}} {
		for i, name := range set.of {
			g.ids[k] = append(g.ids[k], name.ID)
			set.into.add(i, name.Forms...)
			set.into.addWritten(i, name.Written...)
			set.into.add(notName, name.Not...)
			if k == hazard {
				g.sorts = append(g.sorts, nameSorts[hazard]+" "+name.Kind)
			}
			for _, form := range name.Forms {
				if ws := wordsOf(form); len(ws) == 1 && ws[0].caps {
					g.caps[ws[0].text] = true
				}
			}
		}
	}
	return g
}

// Check compares what is told, messages first to last, with the claims and
// limitations that it tells. A claim or limitation that stands verbatim
// (accents, punctuation and signs written out aside) is told; so telling them
// word for word never is a fault. allow are texts that may stand beside them
// verbatim: openings, frames, hints, numbers that the person gave. Names and
// years of the claims' sources may be said and need not be.
//
// Check does not understand: it compares figures, names and words of weight,
// sentence by sentence. What is far longer than an answer is a fault as a whole. Claims and telling may be in different languages; what can
// only be compared within one, such as what a negation denies, is then only
// counted.
func (g *Guard) Check(claims []bot.Claim, limitations []bot.Limitation, told []string, allow ...string) []Fault {
	if wordForWord(claims, limitations, told, allow) {
		return nil
	}
	c := g.compare(claims, limitations, told, allow)
	c.check()
	return c.faults
}

// Verbatim reports whether a telling is the claims and limitations, all of them
// and word for word, and allowed texts, and nothing else: what a telling without
// a model has to be.
func (g *Guard) Verbatim(claims []bot.Claim, limitations []bot.Limitation, told []string, allow ...string) bool {
	return wordForWord(claims, limitations, told, allow)
}

// What one side may hold. An answer has far less.
const (
	mostWords = 5000
	mostMarks = 250 // numbers, names, negations or clauses by the dozen
)

// overmuch reports whether a side is too long to be compared in good time.
func (c *comparison) overmuch() bool {
	for _, r := range []*reading{c.told, c.ground} {
		if len(r.words) > mostWords || len(r.numbers)+len(r.names)+len(r.dates) > mostMarks || len(r.negators) > mostMarks || len(r.clauses) > 4*mostMarks {
			return true
		}
	}
	return false
}

// check finds the faults, in the order of claims, limitations and messages.
func (c *comparison) check() {
	if c.overmuch() {
		c.added(TooMuch, "", text.Span{})
		return
	}
	c.claimsTold()
	c.numbers()
	c.counts()
	c.bounds()
	c.moved()
	c.dates()
	c.weekdays()
	c.contacts()
	c.names()
	if c.oneLanguage {
		c.properNames()
	}
	c.negations()
	c.nearly()
	c.wordsOfWeight()
	c.limitationsTold()
	slices.SortStableFunc(c.faults, func(a, b Fault) int {
		return cmp.Or(cmp.Compare(rank(a.Claim), rank(b.Claim)), cmp.Compare(rank(a.Limitation), rank(b.Limitation)), cmp.Compare(a.Told, b.Told),
			cmp.Compare(a.Span.Start, b.Span.Start), cmp.Compare(a.Kind, b.Kind), cmp.Compare(a.What, b.What))
	})
	c.faults = slices.Compact(c.faults)
}

// rank puts what belongs to no claim after what does.
func rank(i int) int {
	if i < 0 {
		return 1 << 30
	}
	return i
}

// A comparison is one telling beside what it tells.
type comparison struct {
	g           *Guard
	claims      []*reading   // one a claim
	limits      []*reading   // one a limitation
	verbatim    map[int]bool // by index of claim, then of limitation
	told        *reading     // the messages, joined
	covered     []bool       // by word of told: part of something verbatim
	starts      []int        // where each message begins in told
	ground      *reading     // the claims and limitations, joined
	aside       *reading     // names and years of sources, allowed texts
	oneLanguage bool
	faults      []Fault
}

// compare reads both sides.
func (g *Guard) compare(claims []bot.Claim, limitations []bot.Limitation, told, allow []string) *comparison {
	c := &comparison{g: g}
	var sources []string
	for _, cl := range claims {
		c.claims = append(c.claims, g.read(cl.Text))
		for _, e := range cl.Evidence {
			year, _, _ := strings.Cut(e.Source.Date, "-")
			sources = append(sources, e.Source.Agency+". "+year)
		}
	}
	for _, l := range limitations {
		c.limits = append(c.limits, g.read(l.Text))
	}
	var b strings.Builder
	for i, t := range told {
		if i > 0 {
			b.WriteString("\n\n")
		}
		c.starts = append(c.starts, b.Len())
		b.WriteString(t)
	}
	c.told = g.read(b.String())
	c.ground = g.readAll(slices.Concat(c.claims, c.limits))
	c.aside = g.read(strings.Join(sources, "\n\n"))
	c.covered, c.verbatim = cover(c.told.words, parts(claims, limitations, allow))
	from, to := text.Language(c.ground.text).Lang, text.Language(c.told.text).Lang
	c.oneLanguage = from == to || from == "" || to == ""
	return c
}

// A part is a text that may stand verbatim in a telling.
type part struct {
	words []word
	index int // of the claim, or of the limitation after them; -1 for a text that is allowed
}

// parts lists the claims, limitations and allowed texts, the longest first.
func parts(claims []bot.Claim, limitations []bot.Limitation, allow []string) []part {
	var list []part
	for i, c := range claims {
		list = append(list, part{wordsOf(c.Text), i})
	}
	for i, l := range limitations {
		list = append(list, part{wordsOf(l.Text), len(claims) + i})
	}
	for _, a := range allow {
		list = append(list, part{wordsOf(a), -1})
	}
	slices.SortStableFunc(list, func(a, b part) int { return cmp.Compare(len(b.words), len(a.words)) })
	return list
}

// cover marks the words of a telling that are verbatim, and the parts, by
// index, that stand in it.
func cover(told []word, list []part) (covered []bool, verbatim map[int]bool) {
	covered, verbatim = make([]bool, len(told)), make(map[int]bool)
	at := make(map[string][]int)
	for i, w := range told {
		at[w.text] = append(at[w.text], i)
	}
	for _, p := range list {
		if len(p.words) == 0 {
			verbatim[p.index] = true
			continue
		}
		for _, from := range at[p.words[0].text] {
			to := from + len(p.words)
			if to > len(told) || !slices.EqualFunc(told[from:to], p.words, func(a, b word) bool { return a.text == b.text }) {
				continue
			}
			for i := from; i < to; i++ {
				covered[i] = true
			}
			verbatim[p.index] = true
		}
	}
	return covered, verbatim
}

// wordForWord reports whether the telling is the claims and limitations, all of
// them, and allowed texts, and nothing else.
func wordForWord(claims []bot.Claim, limitations []bot.Limitation, told, allow []string) bool {
	covered, verbatim := cover(wordsOf(strings.Join(told, "\n\n")), parts(claims, limitations, allow))
	for i := range len(claims) + len(limitations) {
		if !verbatim[i] {
			return false
		}
	}
	return !slices.Contains(covered, false)
}

// A place is where a lost thing stood: an index of a claim or of a limitation,
// the other being -1.
type place struct{ claim, limitation int }

// open yields the readings that do not stand verbatim in the telling.
func (c *comparison) open(yield func(*reading, place) bool) {
	for i, r := range c.claims {
		if !c.verbatim[i] && !yield(r, place{i, -1}) {
			return
		}
	}
	for i, r := range c.limits {
		if !c.verbatim[len(c.claims)+i] && !yield(r, place{-1, i}) {
			return
		}
	}
}

// fresh reports whether some word of the span of told is the telling's own.
func (c *comparison) fresh(p text.Span) bool {
	from, to := c.told.wordsIn(p)
	for i := from; i < to; i++ {
		if !c.covered[i] {
			return true
		}
	}
	return from == to // no word of ours: a sign
}

// lost records a fault at a span of a claim or a limitation.
func (c *comparison) lost(k Kind, what string, at place, p text.Span) {
	c.faults = append(c.faults, Fault{k, what, at.claim, at.limitation, -1, p})
}

// added records a fault at a span of told.
func (c *comparison) added(k Kind, what string, p text.Span) {
	i, _ := slices.BinarySearch(c.starts, p.Start+1)
	i = max(0, i-1)
	start := 0
	if i < len(c.starts) {
		start = c.starts[i]
	}
	c.faults = append(c.faults, Fault{k, what, -1, -1, i, text.Span{Start: p.Start - start, End: p.End - start}})
}
