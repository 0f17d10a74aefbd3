package main

import (
	"fmt"
	"io"
	"strings"

	"plumbline/bot"
)

// A wire is an answer as `ask --json` writes it. The names of its fields are a
// contract (docs/json.md).
type wire struct {
	ID           string             `json:"id"`
	Status       bot.Status         `json:"status"`
	Route        bot.Route          `json:"route"`
	Language     bot.Language       `json:"language"`
	Persona      string             `json:"persona"`
	Strategy     bot.Strategy       `json:"strategy"`
	Reply        string             `json:"reply"`
	More         []string           `json:"more"`
	Claims       []bot.Claim        `json:"claims"`
	Limitations  []string           `json:"limitations"`
	Gaps         []bot.Gap          `json:"gaps"`
	Chunks       []bot.Chunk        `json:"chunks"`
	Iterations   int                `json:"iterations"`
	ContextChars int                `json:"context_chars"`
	TimingsMS    map[string]float64 `json:"timings_ms"`
	Models       map[string]string  `json:"models"`
	Pack         string             `json:"pack"`
	Clarify      string             `json:"clarify"` // what the reply asks back
	Offer        string             `json:"offer"`   // the pack that it offers the question to
	Trace        *bot.Trace         `json:"trace,omitempty"`
}

func wireOf(a bot.Answer, trace bool) wire {
	w := wire{
		ID: a.ID, Status: a.Status, Route: a.Route, Language: a.Language, Persona: a.Persona, Strategy: a.Strategy,
		Reply: a.Reply.Text, More: list(a.Reply.More), Claims: list(a.Claims), Limitations: []string{}, Gaps: list(a.Gaps),
		Chunks: list(a.Chunks), Iterations: a.Iterations, ContextChars: a.ContextChars, Pack: a.Pack, Clarify: a.Clarify,
		TimingsMS: map[string]float64{}, Models: map[string]string{},
	}
	for _, l := range a.Limitations {
		w.Limitations = append(w.Limitations, l.Text)
	}
	for _, s := range a.Trace.Steps {
		w.TimingsMS[s.Stage] += float64(s.Took.Microseconds()) / 1000
		w.Models[s.Stage] = s.Family
		if s.Model != "" {
			w.Models[s.Stage] = s.Model
		}
	}
	if a.Offer != nil {
		w.Offer = a.Offer.Pack
	}
	if trace {
		w.Trace = a.Trace
	}
	return w
}

// list makes of nil an empty list, so that JSON has [] and not null.
func list[T any](s []T) []T {
	if s == nil {
		return []T{}
	}
	return s
}

// writeTrace shows in a terminal how an answer came about.
func writeTrace(w io.Writer, a bot.Answer) {
	t := a.Trace
	fmt.Fprintf(w, "\n%s, strategy %s, as of %s, %s\n", a.Status, a.Strategy, t.AsOf, t.Retriever)
	if a.Route != "" {
		fmt.Fprintf(w, "route %s", a.Route)
		for _, r := range t.Safety.Rules {
			fmt.Fprintf(w, "; %s on %q", r.Rule, r.Words)
		}
		fmt.Fprintln(w)
	}
	for _, r := range t.Retrievals {
		fmt.Fprintf(w, "searched %q (%s)\n", r.Query, r.Why)
	}
	for _, c := range a.Chunks {
		mark := "-"
		if c.Kept {
			mark = "+"
		}
		fmt.Fprintf(w, "  %s %d %.2f %s (%s)\n      %s\n", mark, c.Score, c.Similarity, c.Heading, strings.Join(c.Via, ", "), c.Reason)
	}
	for _, c := range a.Claims {
		for _, e := range c.Evidence {
			fmt.Fprintf(w, "  claim %s: %s, %s, %s\n", e.Paragraph, e.Source.Agency, e.Source.Title, e.Source.Date)
		}
	}
	for _, g := range a.Gaps {
		state := "open"
		if !g.Open() {
			state = "closed by " + g.ClosedBy
		}
		fmt.Fprintf(w, "  gap %s: %s\n", g.ID, state)
	}
	for _, g := range t.Gates {
		fmt.Fprintf(w, "  gate %s: %s: %s; %s\n", g.Stage, g.What, g.Outcome, g.Did)
	}
	for _, d := range t.Dropped {
		fmt.Fprintf(w, "  dropped %q: %s\n", d.Text, d.Reason)
	}
	for _, s := range t.Steps {
		fmt.Fprintf(w, "  %-10s %8.1f ms  %s\n", s.Stage, float64(s.Took.Microseconds())/1000, s.Note)
		for _, c := range s.Calls {
			again, failed := "", ""
			if c.Repair {
				again = ", asked again"
			}
			if c.Failed != "" {
				failed = ", " + c.Failed
			}
			fmt.Fprintf(w, "    %s: %d characters, %d + %d tokens, $%.4f, %.1f ms%s%s\n", c.Model, c.Chars, c.Tokens.In, c.Tokens.Out, c.Cost, float64(c.Took.Microseconds())/1000, again, failed)
		}
		if s.FellBack != "" {
			fmt.Fprintf(w, "    without its model: %s\n", s.FellBack)
		}
	}
}
