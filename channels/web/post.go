package web

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"html/template"
	"net/http"
	"strings"
	"unicode/utf8"

	"plumbline/bot"
	"plumbline/internal/gsm7"
	"plumbline/internal/web"
)

const (
	maxText = 1600     // characters of one text, as Twilio takes them
	maxBody = 64 << 10 // bytes of what is posted
)

// form reads a posted form. If it cannot it has answered the request.
func (p *Phone) form(w http.ResponseWriter, r *http.Request) (text string, ok bool) {
	r.Body = http.MaxBytesReader(w, r.Body, maxBody)
	if err := r.ParseForm(); err != nil {
		if _, long := errors.AsType[*http.MaxBytesError](err); long {
			p.refuse(w, r, refusal{http.StatusRequestEntityTooLarge, "far-too-long", "", ""})
		} else {
			web.Fail(w, r, p.config.Log, fmt.Errorf("read form: %w", bot.ErrInvalid))
		}
		return "", false
	}
	text = strings.ReplaceAll(r.PostForm.Get("text"), "\r\n", "\n") // as forms write a new line
	return strings.TrimSpace(strings.ToValidUTF8(text, "\uFFFD")), true
}

// wantsJSON reports whether our script sent r.
func wantsJSON(r *http.Request) bool { return r.Header.Get("Accept") == "application/json" }

// A refusal is a text that was not taken: it stays in the box.
type refusal struct {
	status int
	say    string // what the page says, as words.go names it
	text   string
	nonce  string // of the form that was posted, for it to be posted again
}

// taken is what our script gets for a text that was posted.
type taken struct {
	ID    string        `json:"id,omitempty"`
	HTML  template.HTML `json:"html,omitempty"`  // the bubble
	Say   template.HTML `json:"say,omitempty"`   // why the text was not taken
	Nonce string        `json:"nonce,omitempty"` // of the next text
}

func (p *Phone) receive(w http.ResponseWriter, r *http.Request) {
	text, ok := p.form(w, r)
	if !ok {
		return
	}
	if text == "" {
		if wantsJSON(r) {
			p.json(w, http.StatusOK, taken{Nonce: rand.Text()})
			return
		}
		http.Redirect(w, r, "/", http.StatusSeeOther)
		return
	}
	g := p.guest(r)
	nonce := r.PostForm.Get("nonce")
	if !secret.MatchString(nonce) {
		nonce = rand.Text()
	}
	if utf8.RuneCountInString(text) > maxText {
		p.refuse(w, r, refusal{http.StatusUnprocessableEntity, "too-long", text, nonce})
		return
	}
	m := bot.Message{ID: messageID(g.visitor, nonce, text), From: bot.Address{Channel: "web", User: g.visitor}, Text: text, At: p.config.Now()}
	b := Bubble{Key: "in/" + m.ID, Mine: true, Text: text, At: m.At}
	if err := p.take(r.Context(), m, b); err != nil {
		status, say := web.Status(err), "not-taken"
		if status < 500 {
			say = "not-accepted"
		} else {
			p.config.Log.ErrorContext(r.Context(), "text not taken", "id", m.ID, "err", err)
		}
		p.refuse(w, r, refusal{status, say, text, nonce})
		return
	}
	p.live.wake(g.visitor)
	switch {
	case wantsJSON(r):
		html, err := p.render("bubble", p.shown(b, true))
		if err != nil {
			web.Fail(w, r, p.config.Log, err)
			return
		}
		p.json(w, http.StatusOK, taken{ID: bubbleID(b.Key), HTML: template.HTML(html.String()), Nonce: rand.Text()})
	case g.known:
		http.Redirect(w, r, "/?wait=1", http.StatusSeeOther)
	default: // perhaps a browser without cookies: the reply comes in the response
		p.answerNow(w, r, g)
	}
}

// take puts b on the phone and hands m in. If m is not taken b goes again.
func (p *Phone) take(ctx context.Context, m bot.Message, b Bubble) error {
	if err := p.config.Mailbox.Add(ctx, m.From.User, b); err != nil {
		return fmt.Errorf("show the text: %w", err)
	}
	err := p.config.Receiver.Receive(ctx, m)
	if err == nil {
		return nil
	}
	if gone := p.config.Mailbox.Remove(context.WithoutCancel(ctx), m.From.User, b.Key); gone != nil {
		err = errors.Join(err, gone)
	}
	return err
}

// refuse says that a text was not taken and gives it back.
func (p *Phone) refuse(w http.ResponseWriter, r *http.Request, f refusal) {
	if wantsJSON(r) {
		say, err := p.words(f.say)
		if err != nil {
			web.Fail(w, r, p.config.Log, err)
			return
		}
		p.json(w, f.status, taken{Say: say})
		return
	}
	g := p.guest(r)
	bubbles, err := p.config.Mailbox.List(r.Context(), g.visitor)
	if err != nil {
		bubbles = nil // the text counts for more than what was said before
	}
	p.page(w, r, g, screen{status: f.status, bubbles: bubbles, Notice: f.say, Draft: f.text, Nonce: f.nonce})
}

// check is the page again for a browser without cookies.
func (p *Phone) check(w http.ResponseWriter, r *http.Request) {
	if _, ok := p.form(w, r); !ok {
		return
	}
	p.answerNow(w, r, p.guest(r))
}

func (p *Phone) answerNow(w http.ResponseWriter, r *http.Request, g guest) {
	bubbles, err := p.wait(r, g.visitor)
	if err != nil {
		web.Fail(w, r, p.config.Log, fmt.Errorf("list what a phone shows: %w", err))
		return
	}
	p.page(w, r, g, screen{bubbles: bubbles})
}

// count says what a text would cost, as it is typed.
func (p *Phone) count(w http.ResponseWriter, r *http.Request) {
	text, ok := p.form(w, r)
	if !ok {
		return
	}
	c := gsm7.Count(text)
	p.json(w, http.StatusOK, map[string]any{
		"html": p.cost(c), "segments": c.Segments, "units": c.Units, "encoding": c.Encoding, "long": utf8.RuneCountInString(text) > maxText,
	})
}

func (p *Phone) clear(w http.ResponseWriter, r *http.Request) {
	if g := p.guest(r); g.known {
		if err := p.config.Mailbox.Clear(r.Context(), g.visitor); err != nil {
			web.Fail(w, r, p.config.Log, fmt.Errorf("clear a phone: %w", err))
			return
		}
		p.live.wake(g.visitor)
	}
	setCookie(w, r, "")
	http.Redirect(w, r, "/", http.StatusSeeOther)
}

func (p *Phone) json(w http.ResponseWriter, status int, v any) {
	w.Header().Set("Content-Type", "application/json; charset=utf-8")
	w.WriteHeader(status)
	_ = json.NewEncoder(w).Encode(v)
}
