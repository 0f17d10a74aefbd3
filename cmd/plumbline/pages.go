package main

import (
	"bytes"
	"crypto/sha256"
	"embed"
	"encoding/base64"
	"fmt"
	"html/template"
	"net/http"
	"net/url"
	"strings"
	"time"

	"plumbline/bot"
)

// The pages that carriers ask for, below the public URL.
const (
	homePath    = "/"
	privacyPath = "/privacy"
	termsPath   = "/terms"
)

// worded is the day on which the pages' words were last changed: change it with
// them. Carriers look for it.
var worded = time.Date(2026, time.December, 1, 0, 0, 0, 0, time.UTC)

//go:embed templates
var pageFiles embed.FS

// pages are what a line of text messages says of itself on the web, in English
// and in Spanish: what it is, what becomes of what people text, on what terms.
// They hold what the settings say and nobody's words.
type pages struct {
	bodies map[string][]byte // by path
	policy string
	prefix string // path of the public URL, which a proxy may have taken off
}

// pageData is what the templates see.
type pageData struct {
	Path, Base             string // of the page, and the public URL
	Name, Phone            string // of the house; may be empty
	Number, WhatsApp       string // as people dial them; may be empty
	NumberURL, WhatsAppURL template.URL
	Days                   int               // that a conversation is kept
	Sharing                map[string]string // who else is shown what people text
	Models                 bool              // whether a language model is asked
	Draft                  bool              // nobody answers for it yet
	Worded                 string
	StyleSheet             template.CSS
	First, Second          string // of the texts: to a new person, and to help
	Inicio, Ayuda          string
}

// newPages renders the pages of a deployment.
func newPages(s settings) (*pages, error) {
	css, err := pageFiles.ReadFile("templates/pages.css")
	if err != nil {
		return nil, err
	}
	set, err := template.ParseFS(pageFiles, "templates/*.html")
	if err != nil {
		return nil, fmt.Errorf("read the public pages: %w", err)
	}
	u, err := url.Parse(s.Public.URL)
	if err != nil {
		return nil, fmt.Errorf("render the public pages: %w", err)
	}
	h := s.house()
	v := pageData{
		Base: strings.TrimRight(s.Public.URL, "/"), Name: s.House.Name, Phone: s.House.Phone, Days: s.Record.Days, Sharing: s.House.Sharing, Models: s.Models.asks(),
		Number: dialable(s.Twilio.Number), WhatsApp: dialable(s.Twilio.WhatsApp), Worded: worded.Format(time.DateOnly), StyleSheet: template.CSS(css),
		NumberURL: template.URL("sms:" + s.Twilio.Number), WhatsAppURL: template.URL("https://wa.me/" + strings.TrimPrefix(s.Twilio.WhatsApp, "+")), // digits, as checked
		First: h.Text("fixed.first_contact", bot.English), Second: h.Text("fixed.help", bot.English),
		Inicio: h.Text("fixed.first_contact", bot.Spanish), Ayuda: h.Text("fixed.help", bot.Spanish),
	}
	v.Draft = v.Name == "" || v.Phone == ""
	for _, who := range s.Duty.all() {
		v.Draft = v.Draft || who == ""
	}
	sum := sha256.Sum256(css)
	p := &pages{bodies: map[string][]byte{}, prefix: strings.TrimRight(u.EscapedPath(), "/")}
	p.policy = "default-src 'none'; style-src 'sha256-" + base64.StdEncoding.EncodeToString(sum[:]) + "'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
	for path, name := range map[string]string{homePath: "line.html", privacyPath: "privacy.html", termsPath: "terms.html"} {
		var b bytes.Buffer
		v.Path = path
		if err := set.ExecuteTemplate(&b, name, v); err != nil {
			return nil, fmt.Errorf("render the public page %s: %w", path, err)
		}
		p.bodies[path] = b.Bytes()
	}
	return p, nil
}

// dialable is a number as people read it: those of North America in groups.
func dialable(number string) string {
	if n, ok := strings.CutPrefix(number, "+1"); ok && len(n) == 10 {
		return n[:3] + "-" + n[3:6] + "-" + n[6:]
	}
	return number
}

// before serves the pages, and leaves all else to next.
func (p *pages) before(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		path := r.URL.Path
		if rest, ok := strings.CutPrefix(path, p.prefix); ok && p.prefix != "" && (rest == "" || rest[0] == '/') {
			path = rest
		}
		if path == "" {
			path = homePath
		}
		body, ok := p.bodies[path]
		if !ok || r.Method != http.MethodGet && r.Method != http.MethodHead {
			next.ServeHTTP(w, r)
			return
		}
		head := w.Header()
		head.Set("Content-Type", "text/html; charset=utf-8")
		head.Set("Content-Security-Policy", p.policy)
		head.Set("X-Content-Type-Options", "nosniff")
		head.Set("Referrer-Policy", "no-referrer")
		head.Set("Cache-Control", "max-age=300")
		_, _ = w.Write(body)
	})
}
