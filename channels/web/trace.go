package web

import (
	"cmp"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"time"

	"plumbline/bot"
	"plumbline/internal/web"
)

// A record is an answer and its trace as the trace page tells them, in the
// order in which things happened.
type record struct {
	Answer   bot.Answer
	Trace    *bot.Trace
	Votes    []vote
	Searches []search
	Kept     []bot.Chunk
	Aside    []bot.Chunk
	Claims   []claim
	Said     []said
	Steps    []timed
	Took     time.Duration
	Cost     float64
	Versions []version
}

type vote struct {
	Strategy bot.Strategy
	Share    float64
}

type search struct {
	bot.RetrievalRecord
	Found []found
}

type found struct {
	bot.Found
	Heading string
}

// said is what was or would be sent for a word.
type said struct {
	Word  string
	Texts []string
}

// A timed is a step, and its share of the time in hundredths.
type timed struct {
	bot.Step
	Share int
}

type version struct{ Of, Is string }

func (p *Phone) trace(w http.ResponseWriter, r *http.Request) {
	g := p.guest(r)
	if p.config.Answers == nil || !g.known {
		p.noTrace(w, r)
		return
	}
	a, err := p.config.Answers.Answer(r.Context(), g.visitor, r.PathValue("answer"))
	switch {
	case errors.Is(err, bot.ErrNotFound), err == nil && a.Trace == nil:
		p.noTrace(w, r)
		return
	case err != nil:
		web.Fail(w, r, p.config.Log, fmt.Errorf("show a trace: %w", err))
		return
	}
	b, err := p.render("trace.html", recordOf(a))
	if err != nil {
		web.Fail(w, r, p.config.Log, err)
		return
	}
	p.html(w, 0, b)
}

func (p *Phone) noTrace(w http.ResponseWriter, r *http.Request) {
	b, err := p.render("missing.html", nil)
	if err != nil {
		web.Fail(w, r, p.config.Log, err)
		return
	}
	p.html(w, http.StatusNotFound, b)
}

// recordOf returns what the trace page tells of a, which has a Trace.
func recordOf(a bot.Answer) record {
	t := a.Trace
	rec := record{Answer: a, Trace: t, Claims: claims(a.Claims)}
	headings := map[string]string{}
	for _, c := range a.Chunks {
		headings[c.ID] = c.Heading
		if c.Kept {
			rec.Kept = append(rec.Kept, c)
		} else {
			rec.Aside = append(rec.Aside, c)
		}
	}
	for _, s := range t.Retrievals {
		list := search{RetrievalRecord: s}
		for _, f := range s.Found {
			heading := headings[f.Chunk]
			if heading == "" {
				heading = f.Chunk
			}
			list.Found = append(list.Found, found{f, heading})
		}
		rec.Searches = append(rec.Searches, list)
	}
	if t.Understood != nil {
		for s, share := range t.Understood.Votes {
			rec.Votes = append(rec.Votes, vote{s, share})
		}
		slices.SortFunc(rec.Votes, func(a, b vote) int {
			if a.Share != b.Share {
				return cmp.Compare(b.Share, a.Share)
			}
			return strings.Compare(string(a.Strategy), string(b.Strategy))
		})
	}
	rec.Said = []said{{"", []string{a.Reply.Text}}, {"MORE", a.Reply.More}, {"WHY", a.Reply.Why}, {"SOURCES", a.Reply.Sources}}
	rec.Said = slices.DeleteFunc(rec.Said, func(s said) bool { return len(s.Texts) == 0 || s.Texts[0] == "" })
	for _, s := range t.Steps {
		rec.Took += s.Took
		rec.Cost += s.Cost
	}
	for _, s := range t.Steps {
		share := 0
		if rec.Took > 0 {
			share = int(100 * s.Took / rec.Took)
		}
		rec.Steps = append(rec.Steps, timed{s, share})
	}
	for of, is := range t.Versions {
		rec.Versions = append(rec.Versions, version{of, is})
	}
	slices.SortFunc(rec.Versions, func(a, b version) int { return strings.Compare(a.Of, b.Of) })
	return rec
}
