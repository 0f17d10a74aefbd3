package personas

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"plumbline/internal/gsm7"
)

// opening puts the opening that fits the feeling, the person and the matter best
// before what is told, with those that fit less well and are shorter as other
// ways to say it. Whoever felt the same a message ago is not told so twice in
// the same words.
func (w *teller) opening() {
	if w.t.Opened {
		return
	}
	ways := w.openings(w.t.Feeling, false)
	if before := w.s.Feel(w.t.Before, w.t.Lang); w.t.Before != "" && before.Sentiment == w.t.Feeling.Sentiment {
		if said := w.openings(before, false); before.Sentiment != Neutral || len(said) > 0 && len(ways) > 0 && said[0] == ways[0] {
			ways = w.openings(w.t.Feeling, true)
		}
	}
	if len(ways) == 0 {
		return
	}
	for _, way := range ways {
		w.own(way)
	}
	keep := KeepOpening
	if w.t.Feeling.Sentiment == Neutral {
		keep = KeepCourtesy
	}
	w.told.Pieces = slices.Insert(w.told.Pieces, 0, Piece{ways[0], keep, -1, -1, -1, ways[1:]})
	for i := range w.told.Pieces {
		if p := &w.told.Pieces[i]; p.With >= 0 {
			p.With++
		}
	}
}

// How much better an opening fits for what it says.
const (
	fitsPerson = 8
	fitsMatter = 7
	fitsWord   = 6
	fitsTopic  = 4
)

// openings lists the openings for a feeling, the best first, each shorter than
// those before it.
func (w *teller) openings(f Feeling, again bool) []string {
	type candidate struct {
		o   Opening
		fit int
	}
	var list []candidate
	for _, o := range w.p.Openings {
		if o.When != f.Sentiment || o.Again != again || o.About != "" && o.About != f.Whom() || o.Matter != "" && !slices.Contains(f.Matters, o.Matter) ||
			o.Topic && w.t.Topic == "" || o.Word && f.Word == "" {
			continue
		}
		c := candidate{o: o}
		for _, x := range []struct {
			says bool
			fit  int
		}{{o.About != "", fitsPerson}, {o.Matter != "", fitsMatter}, {o.Word, fitsWord}, {o.Topic, fitsTopic}} {
			if x.says {
				c.fit += x.fit
			}
		}
		list = append(list, c)
	}
	slices.SortStableFunc(list, func(a, b candidate) int { return b.fit - a.fit })
	var ways []string
	least := MaxOpening + 1
	slots := strings.NewReplacer("{topic}", w.t.Topic, "{word}", f.Word)
	for _, c := range list {
		for _, t := range []Text{c.o.Say, c.o.Short} {
			say := upperFirst(slots.Replace(t[w.t.Lang]))
			if n := gsm7.Count(say).Units; say != "" && n < least {
				ways, least = append(ways, say), n
			}
		}
	}
	return ways
}

func upperFirst(s string) string {
	r, n := utf8.DecodeRuneInString(s)
	if n == 0 {
		return s
	}
	return string(unicode.ToUpper(r)) + s[n:]
}
