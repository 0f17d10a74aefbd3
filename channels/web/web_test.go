package web_test

import (
	"context"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/http/cookiejar"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"
	"time"

	"plumbline/bot"
	"plumbline/channels/web"
)

// parrot answers with what it was told.
type parrot struct{ err error }

func (p parrot) Handle(_ context.Context, m bot.Message) (bot.Outcome, error) {
	return bot.Outcome{Replies: []bot.Reply{{
		Text: "You said: " + m.Text, Language: bot.English, Status: bot.Answered, More: []string{"more"}, Sources: []string{"s"},
	}}}, p.err
}

func start(t *testing.T, h web.Handler) (*httptest.Server, *http.Client) {
	t.Helper()
	log := slog.New(slog.NewTextHandler(t.Output(), nil))
	srv := httptest.NewServer(web.New(h, "Water line", []string{"is my water ok"}, log, time.Now).Routes())
	t.Cleanup(srv.Close)
	jar, err := cookiejar.New(nil)
	if err != nil {
		t.Fatal(err)
	}
	return srv, &http.Client{Jar: jar}
}

func get(t *testing.T, c *http.Client, u string) string {
	t.Helper()
	res, err := c.Get(u)
	if err != nil {
		t.Fatalf("GET %s: %v", u, err)
	}
	defer res.Body.Close()
	b, err := io.ReadAll(res.Body)
	if err != nil || res.StatusCode != http.StatusOK {
		t.Fatalf("GET %s = %s, %v", u, res.Status, err)
	}
	return string(b)
}

func send(t *testing.T, c *http.Client, u, text string) (status int, page string) {
	t.Helper()
	res, err := c.PostForm(u+"/messages", url.Values{"text": {text}})
	if err != nil {
		t.Fatalf("POST: %v", err)
	}
	defer res.Body.Close()
	b, _ := io.ReadAll(res.Body)
	return res.StatusCode, string(b)
}

func TestPhonePage(t *testing.T) {
	srv, c := start(t, parrot{})
	if empty := get(t, c, srv.URL+"/"); !strings.Contains(empty, "is my water ok") || strings.Contains(empty, `class="bubble`) {
		t.Errorf("the empty page offers no question, or shows a message:\n%s", empty)
	}
	_, page := send(t, c, srv.URL, "hello")
	for _, want := range []string{">hello<", "You said: hello", "1 segment, 5 units, GSM-7", `value="MORE"`, `value="SOURCES"`} {
		if !strings.Contains(page, want) {
			t.Errorf("after a message the page lacks %q:\n%s", want, page)
		}
	}
	if strings.Contains(page, `value="WHY"`) {
		t.Error("the page offers WHY of a reply that has none")
	}
	// A hostile text is text.
	_, page = send(t, c, srv.URL, `<script>alert(1)</script>"><img src=x onerror=alert(1)>`)
	if strings.Contains(page, "<script>") || strings.Contains(page, "<img") {
		t.Errorf("a hostile text became markup:\n%s", page)
	}
	if n := strings.Count(page, `class="quick"`); n != 1 {
		t.Errorf("%d messages offer more, want the last alone", n)
	}
	// Another visitor sees nothing of it.
	_, other := start(t, parrot{})
	if strings.Contains(get(t, other, srv.URL+"/"), "hello") {
		t.Error("another visitor sees the conversation")
	}
}

func TestPhonePageLimits(t *testing.T) {
	srv, c := start(t, parrot{})
	if status, page := send(t, c, srv.URL, "  "); status != http.StatusOK || strings.Contains(page, `class="bubble`) {
		t.Errorf("a blank text gives %d and a message", status)
	}
	_, page := send(t, c, srv.URL, strings.Repeat("x", 9000))
	if strings.Contains(page, strings.Repeat("x", 8001)) || !strings.Contains(page, strings.Repeat("x", 8000)) {
		t.Error("a long text is not cut at 8,000 characters")
	}
	// Without cookies the answer comes in the response itself.
	if status, page := send(t, &http.Client{}, srv.URL, "no cookies"); status != http.StatusOK || !strings.Contains(page, "You said: no cookies") {
		t.Errorf("without cookies the answer is lost: %d\n%s", status, page)
	}
	if status, _ := send(t, c, srv.URL, strings.Repeat("x", 200_000)); status != http.StatusBadRequest {
		t.Errorf("a form of 200 kB gives %d, want 400", status)
	}
	if _, page := send(t, c, srv.URL, "caf\xe9"); !strings.Contains(page, "caf\uFFFD") {
		t.Errorf("a text that is not UTF-8 is not shown as one")
	}
	for i := range 80 {
		_, page = send(t, c, srv.URL, fmt.Sprintf("message %d", i))
	}
	if n := strings.Count(page, "<article"); n > 100 {
		t.Errorf("the page keeps %d messages", n)
	}
}

func TestPhonePageErrors(t *testing.T) {
	for _, tt := range []struct {
		err  error
		want int
	}{
		{fmt.Errorf("ask +1 202 555 0100: %w", bot.ErrUnavailable), http.StatusServiceUnavailable},
		{fmt.Errorf("secret: %w", bot.ErrInvalid), http.StatusBadRequest},
		{fmt.Errorf("secret"), http.StatusInternalServerError},
	} {
		srv, c := start(t, parrot{tt.err})
		status, page := send(t, c, srv.URL, "hello")
		if status != tt.want || strings.Contains(page, "secret") || strings.Contains(page, "555") {
			t.Errorf("%v gives %d %q; want %d and only its name", tt.err, status, page, tt.want)
		}
	}
}

func TestPhonePageIsGuarded(t *testing.T) {
	srv, c := start(t, parrot{})
	res, err := c.Get(srv.URL + "/")
	if err != nil {
		t.Fatal(err)
	}
	res.Body.Close()
	if csp := res.Header.Get("Content-Security-Policy"); !strings.Contains(csp, "default-src 'none'") || strings.Contains(csp, "unsafe") {
		t.Errorf("Content-Security-Policy = %q", csp)
	}
	req, err := http.NewRequestWithContext(t.Context(), http.MethodPost, srv.URL+"/messages", strings.NewReader("text=hello"))
	if err != nil {
		t.Fatal(err)
	}
	req.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	req.Header.Set("Origin", "https://elsewhere.example")
	res, err = c.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	res.Body.Close()
	if res.StatusCode != http.StatusForbidden {
		t.Errorf("a post from another site gives %d, want 403", res.StatusCode)
	}
	if res, err := c.Get(srv.URL + "/messages"); err != nil || res.StatusCode != http.StatusMethodNotAllowed {
		t.Errorf("GET /messages = %v, %v; want 405", res.StatusCode, err)
	}
}
