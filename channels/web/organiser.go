package web

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"strings"

	"plumbline/bot"
	"plumbline/internal/web"
)

// organiserVoice is the persona in which the organiser's view tells an answer.
const organiserVoice = "cityhall"

// A view is the organiser's view of one answer.
type view struct {
	Say     string // words, where there is no answer to show
	Answer  bot.Answer
	Told    []string // paragraphs
	Retold  bool     // in the organiser's voice
	Lang    bot.Language
	Unknown []string
	Claims  []claim
	Trace   bool // the trace page can be opened
}

// A claim is one statement and what supports it.
type claim struct {
	bot.Claim
	Evidence []evidence
}

type evidence struct {
	bot.Evidence
	Href   string // the source's address, if it is one that may be followed
	Quoted bool   // the quote is not the claim's text again
}

// pick returns the answer of that id if bubbles tell one, else the last told.
func pick(bubbles []Bubble, id string) (last string) {
	for _, b := range bubbles {
		if b.Answer != "" {
			last = b.Answer
		}
		if b.Answer != "" && b.Answer == id {
			return id
		}
	}
	return last
}

// view returns the organiser's view of an answer to visitor; without an id,
// one that says what it is for.
func (p *Phone) view(ctx context.Context, visitor, id string, trace bool) *view {
	if id == "" {
		return &view{Say: "nothing-yet"}
	}
	a, err := p.config.Answers.Answer(ctx, visitor, id)
	switch {
	case errors.Is(err, bot.ErrNotFound):
		return &view{Say: "not-kept"}
	case err != nil:
		p.config.Log.ErrorContext(ctx, "answer not shown", "id", id, "err", err)
		return &view{Say: "not-now"}
	}
	v := &view{Answer: a, Lang: a.Language, Claims: claims(a.Claims), Trace: trace && a.Trace != nil}
	reply := a.Reply
	if p.config.Retell != nil && a.Status != bot.Emergency { // an emergency is told in its own fixed words alone
		if told, err := p.config.Retell(ctx, a, organiserVoice); err != nil {
			p.config.Log.ErrorContext(ctx, "answer not retold", "id", id, "err", err)
		} else if told.Text != "" {
			reply, v.Retold = told, true
		}
	}
	v.Told = append([]string{reply.Text}, reply.More...)
	for _, l := range a.Limitations {
		v.Unknown = append(v.Unknown, l.Text)
	}
	return v
}

func claims(list []bot.Claim) (out []claim) {
	for _, c := range list {
		shown := claim{Claim: c}
		for _, e := range c.Evidence {
			shown.Evidence = append(shown.Evidence, evidence{Evidence: e, Href: follow(e.Source.URL), Quoted: e.Quote != "" && e.Quote != c.Text})
		}
		out = append(out, shown)
	}
	return out
}

// follow returns address if it is a web page reached over TLS, else nothing.
func follow(address string) string {
	u, err := url.Parse(address)
	if err != nil || !strings.EqualFold(u.Scheme, "https") || u.Host == "" || u.User != nil {
		return ""
	}
	return u.String()
}

// organiser is the view alone, for a page that is open already.
func (p *Phone) organiser(w http.ResponseWriter, r *http.Request) {
	g := p.guest(r)
	if p.config.Answers == nil || !g.known {
		http.NotFound(w, r)
		return
	}
	bubbles, err := p.config.Mailbox.List(r.Context(), g.visitor)
	if err != nil {
		web.Fail(w, r, p.config.Log, fmt.Errorf("list what a phone shows: %w", err))
		return
	}
	b, err := p.render("organiser", p.view(r.Context(), g.visitor, pick(bubbles, r.URL.Query().Get("answer")), true))
	if err != nil {
		web.Fail(w, r, p.config.Log, err)
		return
	}
	p.html(w, 0, b)
}
