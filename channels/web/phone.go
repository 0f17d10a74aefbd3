package web

import (
	"context"
	"crypto/rand"
	"crypto/sha256"
	"embed"
	"fmt"
	"html/template"
	"log/slog"
	"net/http"
	"regexp"
	"time"

	"plumbline/bot"
	"plumbline/internal/web"
)

//go:embed templates static
var files embed.FS

// A Text is one text by language. English is there whatever else is.
type Text map[bot.Language]string

// In returns t in lang, else in English.
func (t Text) In(lang bot.Language) string {
	if s := t[lang]; s != "" {
		return s
	}
	return t[bot.English]
}

// A Choice is a button that texts something, such as a wish for another voice.
type Choice struct {
	Label Text
	Text  Text
}

// Answers finds what the organiser's view and the trace page show.
type Answers interface {
	// Answer returns an answer that was given to visitor, its Trace included;
	// an answer to anybody else is ErrNotFound.
	Answer(ctx context.Context, visitor, id string) (bot.Answer, error)
}

// A Config is what a Phone needs. What may be left out says so.
type Config struct {
	Receiver bot.Receiver
	Mailbox  Mailbox
	Log      *slog.Logger
	Now      func() time.Time

	Name    Text     // who runs the line
	Topic   Text     // what it is about; nil says nothing of it
	Prompts []Text   // questions to offer on an empty screen
	Choices []Choice // voices and languages to offer
	Cents   float64  // price of a segment in US cents; 0 shows no prices
	Demo    bool     // say that the wordings are not approved yet

	Answers Answers                                                                    // nil: no organiser's view and no trace
	Retell  func(ctx context.Context, a bot.Answer, persona string) (bot.Reply, error) // nil: the view shows the answer as it was told

	Heartbeat time.Duration // how often a live stream says that it lives; 0 for 15 seconds
	Wait      time.Duration // how long a page without script waits for a reply; 0 for 5 seconds
}

// A Phone is the page, and the [bot.Sender] of channel "web". Make one with
// [New] and Close it before the server that serves it shuts down.
type Phone struct {
	config Config
	pages  *template.Template
	live   *live
}

var _ bot.Sender = (*Phone)(nil)

// New returns the page.
func New(c Config) *Phone {
	if c.Heartbeat == 0 {
		c.Heartbeat = 15 * time.Second
	}
	if c.Wait == 0 {
		c.Wait = 5 * time.Second
	}
	p := &Phone{config: c, live: newLive()}
	p.pages = template.Must(template.New("").Funcs(p.funcs()).ParseFS(files, "templates/*.html"))
	return p
}

// Close ends the live streams and the pages that wait, which would keep a
// server from shutting down. New ones end at once.
func (p *Phone) Close() { p.live.close() }

// Routes returns the page's handler: / is the phone, POST /messages a text.
func (p *Phone) Routes() http.Handler {
	mux := http.NewServeMux()
	mux.HandleFunc("GET /{$}", p.show)
	mux.HandleFunc("POST /messages", p.receive)
	mux.HandleFunc("POST /check", p.check)
	mux.HandleFunc("POST /count", p.count)
	mux.HandleFunc("POST /clear", p.clear)
	mux.HandleFunc("GET /events", p.events)
	mux.HandleFunc("GET /organiser", p.organiser)
	mux.HandleFunc("GET /trace/{answer}", p.trace)
	mux.Handle("GET /static/", http.FileServerFS(files))
	return web.Guard(mux)
}

const cookie = "plumbline_phone"

var secret = regexp.MustCompile(`^[A-Z2-7]{26}$`) // as rand.Text writes them

// A guest is whoever sent a request.
type guest struct {
	visitor string
	known   bool // the browser sent our cookie
	carried bool // it did not, but the form that it posted says who it is
}

// guest tells who sent r. Whoever is new has a new name and, if the page that
// they get is to set it, a cookie.
func (p *Phone) guest(r *http.Request) guest {
	if c, err := r.Cookie(cookie); err == nil && secret.MatchString(c.Value) {
		return guest{visitor: c.Value, known: true}
	}
	if as := r.PostFormValue("as"); r.Method == http.MethodPost && secret.MatchString(as) {
		return guest{visitor: as, carried: true}
	}
	return guest{visitor: rand.Text()}
}

func setCookie(w http.ResponseWriter, r *http.Request, visitor string) {
	c := &http.Cookie{Name: cookie, Value: visitor, Path: "/", HttpOnly: true, Secure: r.TLS != nil, SameSite: http.SameSiteStrictMode}
	if visitor == "" {
		c.MaxAge = -1
	}
	http.SetCookie(w, c)
}

// messageID names a text so that a form which is posted again is one message,
// and one that was changed is another. It tells nothing of visitor or text.
func messageID(visitor, nonce, text string) string {
	return fmt.Sprintf("web-%s-%s", digest(visitor), digest(visitor, nonce, text))
}

// bubbleID names a bubble within a page and a stream of events.
func bubbleID(key string) string { return "m-" + digest(key) }

func digest(parts ...string) string {
	h := sha256.New()
	for _, s := range parts {
		fmt.Fprintf(h, "%d:%s", len(s), s)
	}
	return fmt.Sprintf("%x", h.Sum(nil)[:12])
}
