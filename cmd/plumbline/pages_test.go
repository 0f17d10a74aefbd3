package main

import (
	"crypto/sha256"
	"encoding/base64"
	"html"
	"net/http"
	"net/http/httptest"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// fullPages are settings of a deployment that is ready.
func fullPages() settings {
	s := defaultSettings()
	s.House = houseSettings{Name: "Newark Water Coalition", Phone: "973-555-0199", Sharing: map[string]string{"en": "Anonymous questions are shown to the city.", "es": "La ciudad ve preguntas anónimas."}}
	s.Public.URL = "https://hotline.example.org"
	s.Twilio.Account, s.Twilio.Number, s.Twilio.WhatsApp = "AC"+strings.Repeat("0", 32), "+19735550100", "+19735550101"
	s.Duty = dutySettings{"A", "B", "C", "D", "E", "F"}
	return s
}

// get returns what the pages of s answer on path.
func getPage(t *testing.T, s settings, path string) *httptest.ResponseRecorder {
	t.Helper()
	p, err := newPages(s)
	if err != nil {
		t.Fatal(err)
	}
	w := httptest.NewRecorder()
	p.before(http.NotFoundHandler()).ServeHTTP(w, httptest.NewRequest("GET", path, nil))
	return w
}

var pagePaths = []string{homePath, privacyPath, termsPath}

func TestPages(t *testing.T) {
	hostile := fullPages()
	hostile.House.Name = `"><script>alert(1)</script>&{{.}}`
	prefixed := fullPages()
	prefixed.Public.URL = "https://example.org/hotline"
	for name, s := range map[string]settings{"Empty": defaultSettings(), "Full": fullPages(), "Hostile": hostile, "Prefixed": prefixed} {
		t.Run(name, func(t *testing.T) {
			base, _ := strings.CutSuffix(s.Public.URL, "/")
			for _, path := range pagePaths {
				w := getPage(t, s, path)
				body := w.Body.String()
				if w.Code != http.StatusOK || w.Header().Get("Content-Type") != "text/html; charset=utf-8" {
					t.Fatalf("GET %s = %d, %s", path, w.Code, w.Header().Get("Content-Type"))
				}
				policy := w.Header().Get("Content-Security-Policy")
				style := regexp.MustCompile(`(?s)<style>(.*?)</style>`).FindStringSubmatch(body)
				if style == nil {
					t.Fatalf("GET %s has no style", path)
				}
				sum := sha256.Sum256([]byte(style[1]))
				if want := "style-src 'sha256-" + base64.StdEncoding.EncodeToString(sum[:]) + "'"; !strings.Contains(policy, want) || !strings.HasPrefix(policy, "default-src 'none';") || strings.Contains(policy, "unsafe") {
					t.Errorf("GET %s has policy %q, want %q in it", path, policy, want)
				}
				if strings.Contains(body, "<script") || strings.Contains(body, "ZgotmplZ") || strings.Contains(body, "<no value>") {
					t.Errorf("GET %s holds a script or an unfilled slot:\n%s", path, body)
				}
				shape(t, path, body, base)
			}
		})
	}
}

var (
	tag       = regexp.MustCompile(`<([a-z0-9]+)((?: [a-z-]+(?:="[^"]*")?)*)>`)
	attribute = regexp.MustCompile(` ([a-z-]+)="([^"]*)"`)
)

// shape wants a page in two languages whose headings follow each other and whose
// links lead to pages that there are.
func shape(t *testing.T, path, body, base string) {
	t.Helper()
	var sections, ids, links []string
	level, firsts := 0, 0
	for _, m := range tag.FindAllStringSubmatch(body, -1) {
		attrs := map[string]string{}
		for _, a := range attribute.FindAllStringSubmatch(m[2], -1) {
			attrs[a[1]] = html.UnescapeString(a[2])
		}
		if id := attrs["id"]; id != "" {
			ids = append(ids, id)
		}
		switch m[1] {
		case "html":
			if attrs["lang"] != "en" {
				t.Errorf("%s: html has lang %q", path, attrs["lang"])
			}
		case "section":
			sections = append(sections, attrs["lang"])
		case "a":
			links = append(links, attrs["href"])
		case "h1", "h2", "h3":
			now := int(m[1][1] - '0')
			if now > level+1 {
				t.Errorf("%s: h%d follows h%d", path, now, level)
			}
			if level = now; now == 1 {
				firsts++
			}
		case "script", "img", "form", "iframe", "link":
			t.Errorf("%s holds a %s", path, m[1])
		}
	}
	if !slices.Equal(sections, []string{"en", "es"}) || firsts != 1 || len(links) < 4 {
		t.Errorf("%s has sections in %q, %d h1 and %d links, want en and es, 1 and 4 or more", path, sections, firsts, len(links))
	}
	for _, l := range links {
		if id, ok := strings.CutPrefix(l, "#"); ok {
			if !slices.Contains(ids, id) {
				t.Errorf("%s links to %s, which is not on it", path, l)
			}
			continue
		}
		to, _, _ := strings.Cut(l, "#")
		if rest, ok := strings.CutPrefix(to, base); !strings.HasPrefix(l, "sms:+1") && !strings.HasPrefix(l, "https://wa.me/1") && (!ok || !slices.Contains(pagePaths, rest)) {
			t.Errorf("%s links to %s, which is no page", path, l)
		}
	}
}

// Carriers look for these words.
func TestPagesSayWhatCarriersWant(t *testing.T) {
	for path, want := range map[string][]string{
		homePath: {
			"Newark Water Coalition runs this line", "973-555-0100", "sms:+19735550100", "https://wa.me/19735550101", "Staff: 973-555-0199", "Message and data rates may apply", "Message frequency varies", "Reply <strong>STOP</strong>", "<strong>HELP</strong> for help",
			"No mobile information is shared with third parties or affiliates for marketing or promotional purposes", "In an emergency call 911", "Pueden aplicar cargos", "En una emergencia llame al 911", "No se comparte ninguna información",
		},
		privacyPath: {"erased after 365 days", "después de 365 días", "opt-in data and consent", "Anonymous questions are shown to the city.", "La ciudad ve preguntas anónimas.", "MY DATA", "OLVIDAR", "2026-"},
		termsPath:   {"Message frequency varies", "Message and data rates may apply", "Reply STOP", "Reply HELP", "Carriers are not liable", "Mande STOP"},
	} {
		body := html.UnescapeString(getPage(t, fullPages(), path).Body.String())
		for _, w := range want {
			if !strings.Contains(body, w) {
				t.Errorf("GET %s lacks %q", path, w)
			}
		}
		if strings.Contains(body, "Draft") || strings.Contains(body, "language model") {
			t.Errorf("GET %s is a draft, or names a model", path)
		}
	}
}

// What nobody answers for yet says so.
func TestPagesAreDraftsUntilApproved(t *testing.T) {
	s := fullPages()
	s.Duty.Wordings = ""
	for _, path := range pagePaths {
		if body := getPage(t, s, path).Body.String(); !strings.Contains(body, "<strong>Draft.</strong>") || !strings.Contains(body, "<strong>Borrador.</strong>") {
			t.Errorf("GET %s does not say that it is a draft", path)
		}
	}
	s.Duty.Wordings = "Ann Approver"
	if body := getPage(t, s, privacyPath).Body.String(); strings.Contains(body, "Ann Approver") {
		t.Errorf("GET %s names who approved it", privacyPath)
	}
}

func TestPagesLeaveTheRestAlone(t *testing.T) {
	s := fullPages()
	s.Public.URL = "https://example.org/hotline"
	for path, want := range map[string]int{"/hotline": 200, "/hotline/": 200, "/hotline/privacy": 200, "/privacy": 200, "/hotlines": 404, "/twilio/ping": 404, "/privacy/x": 404} {
		if got := getPage(t, s, path).Code; got != want {
			t.Errorf("GET %s = %d, want %d", path, got, want)
		}
	}
}
