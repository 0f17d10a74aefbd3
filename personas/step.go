package personas

import (
	"slices"
	"strings"

	"plumbline/bot"
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
		case w.said(c, w.t.Said):
			w.told.Held = append(w.told.Held, i)
		case w.repeats(step) && w.said(c, w.lead):
			w.told.Held = append(w.told.Held, i)
			w.again()
		case w.t.Narrow && w.repeats(step):
			w.again()
			w.add(Piece{step, KeepLater, i, -1, -1, nil})
		default:
			p := Piece{step, KeepNext, i, -1, -1, nil}
			if frame != "" {
				p.Text, p.Or = w.own(frame)+" "+step, []string{step}
			}
			w.add(p)
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
	w.add(Piece{w.own(frame), KeepNext, -1, -1, -1, nil})
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
