package gsm7

import (
	"strings"
	"unicode/utf8"
)

// A Limit says how large one message may be. A field of 0 or less sets no
// bound, so the zero Limit holds any text.
type Limit struct {
	Segments   int // as Count counts them
	Units      int // septets or UTF-16 units, whichever the message needs
	Characters int // code points
}

// Holds reports whether the text fits.
func (l Limit) Holds(text string) bool {
	m := measure(text)
	return l.holds(&m)
}

func (l Limit) holds(m *meter) bool {
	return (l.Segments <= 0 || m.segments() <= l.Segments) &&
		(l.Units <= 0 || m.units() <= l.Units) &&
		(l.Characters <= 0 || m.runes <= l.Characters)
}

// Split packs atoms, in order, into as few messages as a greedy packing
// takes. The atoms of a message are joined by one space; white space around an
// atom is dropped, and so is an empty atom. No atom is cut unless it alone is
// over the limit; then SplitText cuts it. Every message is within the limit,
// but for the limits that SplitText says cannot be kept.
func Split(atoms []string, limit Limit) []string {
	var messages []string
	var current strings.Builder
	var used meter
	flush := func() {
		if current.Len() > 0 {
			messages = append(messages, current.String())
			current.Reset()
			used = meter{}
		}
	}
	for _, atom := range atoms {
		atom = strings.TrimSpace(atom)
		if atom == "" {
			continue
		}
		if current.Len() > 0 {
			grown := used
			grown.addAll(" ")
			grown.addAll(atom)
			if limit.holds(&grown) {
				current.WriteString(" ")
				current.WriteString(atom)
				used = grown
				continue
			}
			flush()
		}
		parts := []string{atom}
		if !limit.Holds(atom) {
			parts = SplitText(atom, limit)
		}
		for _, p := range parts {
			flush()
			p = strings.TrimSpace(p)
			current.WriteString(p)
			used = measure(p)
		}
	}
	flush()
	return messages
}

func (m *meter) addAll(text string) {
	for text != "" {
		n := clusterLen(text)
		m.add(text[:n])
		text = text[n:]
	}
}

// SplitText cuts a text into messages within the limit. The messages joined
// are the text, byte for byte; white space stays at the end of the earlier
// one. It cuts at the best place in the latter half of what fits: between
// paragraphs, lines, sentences, clauses, words. It cuts inside a number with
// its unit, a date or a telephone number written with spaces only where that
// alone is over the limit, and the same holds for a word, URL or address,
// which is then cut between grapheme clusters. A cluster over the limit is cut
// between characters, and one character that is over the limit (an emoji where
// one unit is allowed) is sent all the same.
func SplitText(text string, limit Limit) []string {
	var messages []string
	places := placesToCut(text)
	for start := 0; start < len(text); {
		for len(places) > 0 && places[0].at <= start {
			places = places[1:]
		}
		n := cut(text[start:], start, places, limit)
		messages = append(messages, text[start:start+n])
		start += n
	}
	return messages
}

// cut is the length of the first message of a text that is not empty, which
// begins at offset start of the whole; places are those after start.
func cut(text string, start int, places []place, limit Limit) int {
	var (
		m     meter
		fit   int // what fits, in bytes
		n     int // how many places fit
		rest  = text
		ahead = func() bool { return n < len(places) && places[n].at-start <= fit }
	)
	for rest != "" {
		size := clusterLen(rest)
		m.add(rest[:size])
		if !limit.holds(&m) {
			break
		}
		rest = rest[size:]
		fit += size
		for ahead() {
			n++
		}
	}
	switch {
	case rest == "":
		return fit
	case fit == 0:
		return cutCluster(text[:clusterLen(text)], limit)
	}
	best, late := place{grade: gradeNone}, place{grade: gradeNone}
	for _, p := range places[:n] {
		if p.at-start > fit/2 && p.grade >= late.grade {
			late = p
		}
		// Words come before any place further on that is less than that.
		if g := min(p.grade, gradeWord); g >= min(best.grade, gradeWord) {
			best = p
		}
	}
	switch {
	case late.grade >= gradeWord:
		return late.at - start
	case best.grade > gradeNone:
		return best.at - start
	}
	return fit
}

// cutCluster is how much of a cluster that does not fit goes out at once: the
// characters that fit, and at least one.
func cutCluster(cluster string, limit Limit) int {
	var m meter
	fit := 0
	for i, r := range cluster {
		size := utf8.RuneLen(r)
		if r == utf8.RuneError {
			_, size = utf8.DecodeRuneInString(cluster[i:])
		}
		m.add(cluster[i : i+size])
		if i > 0 && !limit.holds(&m) {
			break
		}
		fit = i + size
	}
	return fit
}
