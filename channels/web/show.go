package web

import (
	"bytes"
	"crypto/rand"
	"fmt"
	"html/template"
	"net/http"
	"regexp"
	"strings"
	"time"

	"plumbline/bot"
	"plumbline/internal/gsm7"
	"plumbline/internal/web"
)

func (p *Phone) funcs() template.FuncMap {
	return template.FuncMap{
		"t":     p.words,
		"both":  both,
		"named": named,
		"cost":  func(text string) template.HTML { return p.cost(gsm7.Count(text)) },
		"nonce": rand.Text,
		"clock": func(t time.Time) string { return t.Format("3:04 PM") },
		"stamp": func(t time.Time) string { return t.Format(time.RFC3339) },
		"ms":    func(d time.Duration) string { return fmt.Sprintf("%.1f ms", float64(d.Microseconds())/1000) },
		"score": func(f float64) string { return fmt.Sprintf("%.2f", f) },
	}
}

// A screen is what the page shows.
type screen struct {
	status  int // 0 for 200
	bubbles []Bubble
	chosen  string // the answer that the organiser's view shows; empty for the last

	Lang    bot.Language
	Config  Config
	Now     time.Time
	Bubbles []shown
	Last    string // bubble id
	Waiting bool
	Notice  string // words that say why a text was not taken
	Draft   string
	Nonce   string
	As      string // who the visitor is, for a browser that sent no cookie
	Script  bool
	View    *view
}

// shown is a bubble as the page shows it.
type shown struct {
	Bubble
	ID    string
	Name  Text
	Parts []part
	Quick []string // what the buttons text
	As    string
	Trace bool // there is something behind it to be seen
}

// shown returns b for a page; last says that nothing but asides follows it.
func (p *Phone) shown(b Bubble, last bool) shown {
	s := shown{Bubble: b, ID: bubbleID(b.Key), Name: p.config.Name, Parts: []part{{Text: b.Text}}, Trace: b.Answer != "" && p.config.Answers != nil}
	if b.Mine {
		return s
	}
	s.Parts = split(b.Text)
	if last {
		for _, w := range b.Offers {
			if word := offers[w].In(b.Language); word != "" {
				s.Quick = append(s.Quick, word)
			}
		}
	}
	return s
}

// A part is a stretch of a reply, perhaps one that can be called or opened.
type part struct {
	Text string
	Href template.URL // a telephone number of ours, as callable finds it
}

var callable = regexp.MustCompile(`\b(?:1-)?\d{3}-\d{3}-\d{4}\b|\b911\b`)

func split(text string) (parts []part) {
	end := 0
	for _, at := range callable.FindAllStringIndex(text, -1) {
		if at[0] > end {
			parts = append(parts, part{Text: text[end:at[0]]})
		}
		number := text[at[0]:at[1]]
		parts = append(parts, part{number, template.URL("tel:" + strings.ReplaceAll(number, "-", ""))})
		end = at[1]
	}
	if end < len(text) {
		parts = append(parts, part{Text: text[end:]})
	}
	return parts
}

func (p *Phone) show(w http.ResponseWriter, r *http.Request) {
	g := p.guest(r)
	list := func() ([]Bubble, error) { return p.config.Mailbox.List(r.Context(), g.visitor) }
	if r.URL.Query().Has("wait") {
		list = func() ([]Bubble, error) { return p.wait(r, g.visitor) }
	}
	bubbles, err := list()
	if err != nil {
		web.Fail(w, r, p.config.Log, fmt.Errorf("list what a phone shows: %w", err))
		return
	}
	p.page(w, r, g, screen{bubbles: bubbles, chosen: r.URL.Query().Get("answer")})
}

// page writes the whole page.
func (p *Phone) page(w http.ResponseWriter, r *http.Request, g guest, s screen) {
	s.Config, s.Lang, s.Now = p.config, language(r, s.bubbles), p.config.Now()
	s.Waiting = p.outstanding(s.bubbles)
	s.Script = g.known || r.Method == http.MethodGet // a post without a cookie: the browser keeps none
	if !g.known {
		s.As = g.visitor
		setCookie(w, r, g.visitor)
	}
	offering := len(s.bubbles) - 1
	for offering > 0 && s.bubbles[offering].Aside() {
		offering--
	}
	for i, b := range s.bubbles {
		bubble := p.shown(b, i == offering)
		bubble.As = s.As
		s.Bubbles = append(s.Bubbles, bubble)
		s.Last = bubble.ID
	}
	if s.Nonce == "" {
		s.Nonce = rand.Text()
	}
	if p.config.Answers != nil {
		s.View = p.view(r.Context(), g.visitor, pick(s.bubbles, s.chosen), s.Script)
	}
	b, err := p.render("phone.html", s)
	if err != nil {
		web.Fail(w, r, p.config.Log, err)
		return
	}
	p.html(w, s.status, b)
}

// language is that of the last reply, else the first of ours that the browser
// asks for.
func language(r *http.Request, bubbles []Bubble) bot.Language {
	for i := len(bubbles) - 1; i >= 0; i-- {
		if l := bubbles[i].Language; !bubbles[i].Mine && (l == bot.English || l == bot.Spanish) {
			return l
		}
	}
	for tag := range strings.SplitSeq(strings.ToLower(r.Header.Get("Accept-Language")), ",") {
		switch tag = strings.TrimSpace(tag); {
		case strings.HasPrefix(tag, "es"):
			return bot.Spanish
		case strings.HasPrefix(tag, "en"):
			return bot.English
		}
	}
	return bot.English
}

func (p *Phone) render(name string, data any) (*bytes.Buffer, error) {
	b := new(bytes.Buffer)
	if err := p.pages.ExecuteTemplate(b, name, data); err != nil {
		return nil, fmt.Errorf("render %s: %w", name, err)
	}
	return b, nil
}

func (p *Phone) html(w http.ResponseWriter, status int, b *bytes.Buffer) {
	w.Header().Set("Content-Type", "text/html; charset=utf-8")
	if status != 0 {
		w.WriteHeader(status)
	}
	_, _ = b.WriteTo(w)
}
