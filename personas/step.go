package personas

import (
	"slices"
	"strings"

	"plumbline/bot"
	"plumbline/internal/gsm7"
	"plumbline/internal/text"
)

// next adds the next steps. Where the first message gives the number of one
// already, the step is only pointed at there, and follows whole unless the
// claims hold all of it.
func (w *teller) next() {
	for i, c := range w.t.Claims {
		step := strings.TrimSpace(c.Text)
		if c.Role != bot.Next || step == "" {
			continue
		}
		frame := w.frame(w.p.Frames.Next)
		if !framable(step) {
			frame = ""
		}
		if slices.ContainsFunc(w.told.Texts(), func(t string) bool { return holdsText(t, step) }) {
			continue
		}
		switch {
		case w.alreadyTold(c):
			w.again()
		case w.t.Narrow && w.repeats(step):
			w.again()
			w.add(Piece{step, KeepLater, i, -1, -1})
		default:
			if frame != "" {
				step = w.own(frame) + " " + step
			}
			w.add(Piece{step, KeepNext, i, -1, -1})
		}
	}
}

// again points at the number that was given, unless it is what was said last.
func (w *teller) again() {
	frame := w.frame(w.p.Frames.Again)
	last := len(w.told.Pieces) - 1
	if frame == "" || last >= 0 && len(text.Phones(w.told.Pieces[last].Text)) > 0 {
		return
	}
	w.add(Piece{w.own(frame), KeepNext, -1, -1, -1})
}

// repeats reports whether the claims of the first message give every telephone
// number and address of a step, and it has one.
func (w *teller) repeats(step string) bool {
	said := strings.Join(w.lead, " ")
	phones, urls := text.Phones(step), text.URLs(step)
	if len(phones)+len(urls) == 0 || len(phones) == 0 && w.frame(w.p.Frames.Again) != "" {
		return false // there is no call to point at
	}
	for _, p := range phones {
		if !slices.ContainsFunc(text.Phones(said), func(o text.Phone) bool { return o.Digits == p.Digits }) {
			return false
		}
	}
	for _, u := range urls {
		if !strings.Contains(strings.ToLower(said), strings.ToLower(u.In(step))) {
			return false
		}
	}
	return true
}

// alreadyTold reports whether the claims of the first message hold all that a
// step says: they lose nothing of it, and hold most of its words.
func (w *teller) alreadyTold(step bot.Claim) bool {
	const most = 0.8
	if !w.repeats(step.Text) {
		return false
	}
	g := w.t.Guard
	if g == nil {
		g = w.s.Guard(Names{})
	}
	c := g.compare([]bot.Claim{step}, nil, []string{strings.Join(w.lead, " ")}, nil)
	c.check()
	lost := slices.ContainsFunc(c.faults, func(f Fault) bool { return f.Claim >= 0 || f.Kind == TooMuch })
	return !lost && share(c.claims[0].stems, c.told.stems) >= most
}

// framable reports whether a frame with a colon may stand before a step: not
// before a question, or a colon of its own that no number follows.
func framable(step string) bool {
	first := step
	if sentences := text.Sentences(step); len(sentences) > 0 {
		first = sentences[0].In(step)
	}
	_, after, colon := strings.Cut(first, ": ")
	return !strings.ContainsAny(first, "?¿") && (!colon || isDigitAt(after, 0))
}

// units is what the first message takes with the given texts in it: everything
// but openings and context.
func (w *teller) units(texts ...string) int {
	for _, p := range w.told.Pieces {
		if p.Keep < KeepOpening {
			texts = append(texts, p.Text)
		}
	}
	_, cost := gsm7.Encode(strings.TrimSpace(strings.Join(texts, " ")), gsm7.Options{Lang: string(w.t.Lang), Fold: true, Spanish: w.t.Lang == bot.Spanish})
	return cost.Units
}
