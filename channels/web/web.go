// Package web is the phone page: a chat in the browser that looks and costs
// like texting the hotline. It needs no script.
package web

import (
	"bytes"
	"context"
	"crypto/rand"
	"embed"
	"errors"
	"fmt"
	"html/template"
	"log/slog"
	"net/http"
	"strings"
	"sync"
	"time"
	"unicode/utf8"

	"plumbline/bot"
	"plumbline/internal/gsm7"
	"plumbline/internal/web"
)

//go:embed templates static
var files embed.FS

var page = template.Must(template.ParseFS(files, "templates/*.html"))

// What one visitor, and all together, may keep. The oldest go first.
const (
	maxVisitors = 500
	maxBubbles  = 100
	maxText     = 1600 // characters that the page offers to take, as Twilio does
	maxPosted   = 8000 // characters that are read of what is posted all the same
)

const cookie = "plumbline_phone"

// A Handler answers one message; [bot.Conversation] is one.
type Handler interface {
	Handle(ctx context.Context, m bot.Message) (bot.Outcome, error)
}

// A Phone is the page. Make one with [New].
type Phone struct {
	handler Handler
	name    string
	prompts []string
	log     *slog.Logger
	now     func() time.Time

	mu       sync.Mutex
	visitors map[string]*visitor
	order    []string // oldest first
}

type visitor struct {
	mu      sync.Mutex // one message at a time
	bubbles []Bubble
	count   int
}

// A Bubble is one message on the page.
type Bubble struct {
	Mine     bool // the visitor's
	Text     string
	Lang     string
	Status   bot.Status
	Segments int
	Encoding string
	Units    int
	At       time.Time
	Quick    []string // words that get more
}

// New returns the page. name is who runs the line; prompts are questions to
// offer on an empty screen.
func New(h Handler, name string, prompts []string, log *slog.Logger, now func() time.Time) *Phone {
	return &Phone{handler: h, name: name, prompts: prompts, log: log, now: now, visitors: map[string]*visitor{}}
}

// Routes returns the page's handler: / is the phone, POST /messages a text.
func (p *Phone) Routes() http.Handler {
	mux := http.NewServeMux()
	mux.HandleFunc("GET /{$}", p.show)
	mux.HandleFunc("POST /messages", p.receive)
	mux.HandleFunc("POST /clear", p.clear)
	mux.HandleFunc("GET /static/phone.css", func(w http.ResponseWriter, r *http.Request) {
		http.ServeFileFS(w, r, files, "static/phone.css")
	})
	return web.Guard(mux)
}

// visitor returns whoever sent r, with a cookie for those who are new.
func (p *Phone) visitor(w http.ResponseWriter, r *http.Request) (id string, v *visitor) {
	if c, err := r.Cookie(cookie); err == nil && len(c.Value) == 26 {
		id = c.Value
	} else {
		id = rand.Text()
		http.SetCookie(w, &http.Cookie{Name: cookie, Value: id, Path: "/", HttpOnly: true, SameSite: http.SameSiteStrictMode})
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	v, ok := p.visitors[id]
	if !ok {
		v = new(visitor)
		p.visitors[id] = v
		p.order = append(p.order, id)
		for len(p.order) > maxVisitors {
			delete(p.visitors, p.order[0])
			p.order = p.order[1:]
		}
	}
	return id, v
}

func (p *Phone) show(w http.ResponseWriter, r *http.Request) {
	_, v := p.visitor(w, r)
	v.mu.Lock()
	bubbles := append([]Bubble(nil), v.bubbles...)
	v.mu.Unlock()
	p.render(w, r, bubbles)
}

func (p *Phone) render(w http.ResponseWriter, r *http.Request, bubbles []Bubble) {
	var b bytes.Buffer
	err := page.ExecuteTemplate(&b, "phone.html", map[string]any{
		"Name": p.name, "Bubbles": bubbles, "Prompts": p.prompts, "Max": maxText, "Last": len(bubbles) - 1,
	})
	if err != nil {
		web.Fail(w, r, p.log, fmt.Errorf("render phone page: %w", err))
		return
	}
	w.Header().Set("Content-Type", "text/html; charset=utf-8")
	_, _ = b.WriteTo(w)
}

func (p *Phone) receive(w http.ResponseWriter, r *http.Request) {
	r.Body = http.MaxBytesReader(w, r.Body, 64<<10)
	if err := r.ParseForm(); err != nil {
		web.Fail(w, r, p.log, fmt.Errorf("read form: %w", bot.ErrInvalid))
		return
	}
	text := strings.TrimSpace(strings.ToValidUTF8(r.PostForm.Get("text"), "\uFFFD"))
	if utf8.RuneCountInString(text) > maxPosted {
		text = string([]rune(text)[:maxPosted])
	}
	if text == "" {
		http.Redirect(w, r, "/#write", http.StatusSeeOther)
		return
	}
	id, v := p.visitor(w, r)
	v.mu.Lock()
	defer v.mu.Unlock()
	v.count++
	m := bot.Message{ID: fmt.Sprintf("web-%s-%d", id[:8], v.count), From: bot.Address{Channel: "web", User: id}, Text: text, At: p.now()}
	turn, err := p.handler.Handle(r.Context(), m)
	if err != nil {
		if !errors.Is(err, context.Canceled) {
			web.Fail(w, r, p.log, err)
		}
		return
	}
	v.add(p.bubble(text, true, "", ""))
	for _, r := range turn.Replies {
		v.add(p.bubble(r.Text, false, r.Status, r.Language, quick(r)...))
	}
	if _, err := r.Cookie(cookie); err != nil { // perhaps a browser without cookies: the answer must not be lost
		p.render(w, r, v.bubbles)
		return
	}
	http.Redirect(w, r, "/#last", http.StatusSeeOther)
}

func (v *visitor) add(bubbles ...Bubble) {
	for i := range v.bubbles {
		v.bubbles[i].Quick = nil // only the last message offers more
	}
	v.bubbles = append(v.bubbles, bubbles...)
	v.bubbles = v.bubbles[max(0, len(v.bubbles)-maxBubbles):]
}

func (p *Phone) bubble(text string, mine bool, status bot.Status, lang bot.Language, quick ...string) Bubble {
	c := gsm7.Count(text)
	return Bubble{Mine: mine, Text: text, Lang: string(lang), Status: status, Segments: c.Segments, Encoding: c.Encoding, Units: c.Units, At: p.now(), Quick: quick}
}

// quick returns the words that get more of a reply, in its language.
func quick(r bot.Reply) (words []string) {
	if r.Status == bot.Emergency {
		return nil
	}
	spanish := r.Language == bot.Spanish
	add := func(have bool, en, es string) {
		switch {
		case have && spanish:
			words = append(words, es)
		case have:
			words = append(words, en)
		}
	}
	add(len(r.More) > 0, "MORE", "MAS")
	add(len(r.Why) > 0, "WHY", "POR QUE")
	add(len(r.Sources) > 0, "SOURCES", "FUENTES")
	return words
}

func (p *Phone) clear(w http.ResponseWriter, r *http.Request) {
	if c, err := r.Cookie(cookie); err == nil {
		p.mu.Lock()
		delete(p.visitors, c.Value)
		p.mu.Unlock()
	}
	http.SetCookie(w, &http.Cookie{Name: cookie, Path: "/", MaxAge: -1, HttpOnly: true, SameSite: http.SameSiteStrictMode})
	http.Redirect(w, r, "/", http.StatusSeeOther)
}
