package web_test

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"testing"
	"time"

	"plumbline/bot"
	"plumbline/channels/web"
	"plumbline/channels/web/webtest"
)

func TestMemory(t *testing.T) {
	webtest.Run(t, func(*testing.T) web.Mailbox { return new(web.Memory) })
}

func TestMemoryForgetsTheOldest(t *testing.T) {
	m := new(web.Memory)
	for i := range 502 {
		if err := m.Add(t.Context(), fmt.Sprint(i), web.Bubble{Key: "a"}); err != nil {
			t.Fatal(err)
		}
		if i == 499 { // visitor 0 comes back, and is not the oldest any more
			if err := m.Add(t.Context(), "0", web.Bubble{Key: "b"}); err != nil {
				t.Fatal(err)
			}
		}
	}
	for visitor, want := range map[string]int{"0": 2, "1": 0, "2": 0, "3": 1, "501": 1} {
		if got, err := m.List(t.Context(), visitor); len(got) != want || err != nil {
			t.Errorf("after 502 visitors List(%q) has %d bubbles, %v; want %d", visitor, len(got), err, want)
		}
	}
}

func TestPhonePage(t *testing.T) {
	l := new(line)
	srv, c := start(t, l, nil)
	empty := get(t, c, srv.URL+"/")
	for _, want := range []string{"is my water ok", "mi agua está bien", "Automated line, not a person.", `href="tel:911"`, `value="talk to me like city hall"`, `value="ESPAÑOL"`} {
		if !strings.Contains(empty, want) {
			t.Errorf("the empty page lacks %q:\n%s", want, empty)
		}
	}
	if strings.Contains(empty, `class="bubble`) || strings.Contains(empty, "not yet approved") {
		t.Errorf("the empty page shows a message, or says that it is a demo:\n%s", empty)
	}
	_, page := send(t, c, srv.URL, "hello")
	for _, want := range []string{">hello<", "You said: hello", "1 segment · 5 units · GSM-7 · 0.83¢", "1 segmento · 5 unidades", `value="MORE"`, `value="SOURCES"`} {
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
	if _, page = send(t, c, srv.URL, "\U0001F4A7\U0001F476\U0001F3FD"); !strings.Contains(page, "1 segment · 6 units · UCS-2") {
		t.Errorf("a text of emoji is not counted as 6 units of UCS-2:\n%s", page)
	}
	// Another visitor sees nothing of it.
	if strings.Contains(get(t, browser(t), srv.URL+"/"), ">hello<") {
		t.Error("another visitor sees the conversation")
	}
	for _, m := range l.messages() {
		if m.From.Channel != "web" || m.From.User == "" || m.Text == "" || m.At.IsZero() || !strings.HasPrefix(m.ID, "web-") || strings.Contains(m.ID, m.From.User) {
			t.Errorf("Receive was given the message %q from channel %q at %v", m.ID, m.From.Channel, m.At)
		}
	}
}

func TestPhonePageDemo(t *testing.T) {
	srv, c := start(t, new(line), func(c *web.Config) {
		c.Demo, c.Cents, c.Answers, c.Choices, c.Prompts = true, 0, nil, nil, nil
		c.Name = web.Text{bot.English: `<script>"Line"</script>`}
	})
	_, page := send(t, c, srv.URL, "hello")
	if !strings.Contains(page, "Demo: wordings not yet approved.") {
		t.Error("the page does not say that it is a demo")
	}
	if strings.Contains(page, "<script>") || !strings.Contains(page, "&lt;script&gt;&#34;Line&#34;") {
		t.Errorf("a hostile name became markup:\n%s", page)
	}
	if strings.Contains(page, "¢") || strings.Contains(page, "organiser") {
		t.Error("without a price and without Answers the page shows a price or the organiser's view")
	}
}

// What an answer offers is still offered when a text beside it follows, and no
// more once the person has written again.
func TestPhonePageAside(t *testing.T) {
	l := &line{hold: make(chan struct{})}
	srv, c := start(t, l, func(c *web.Config) { c.Topic = web.Text{bot.English: "Rivers"} })
	send(t, c, srv.URL, "hello")
	close(l.hold)
	l.work.Wait()
	m := l.messages()[0]
	aside := bot.Delivery{Key: m.ID + "/1", To: m.From, Text: "This is an automated line.", Language: bot.English}
	if _, err := l.phone.Send(t.Context(), aside); err != nil {
		t.Fatalf("Send(%q) = %v, want nil", aside.Key, err)
	}
	page := get(t, c, srv.URL+"/")
	quick, said := strings.Index(page, `class="quick"`), strings.Index(page, aside.Text)
	if quick < 0 || said < quick || strings.Count(page, `class="quick"`) != 1 {
		t.Errorf("the offers stand at %d and what was said beside the answer at %d, want the offers once and before:\n%s", quick, said, page)
	}
	if !strings.Contains(page, "Rivers") {
		t.Error("the page does not say what the line is about")
	}
	l.reply = func(string) bot.Delivery { return bot.Delivery{Text: "Bye.", Status: bot.Answered} }
	if _, page = send(t, c, srv.URL, "thanks"); strings.Contains(page, `class="quick"`) {
		t.Error("after another text the earlier answer still offers more")
	}
}

// A form that is posted again is one message; another text with its nonce is
// another message.
func TestPhonePageOnce(t *testing.T) {
	l := new(line)
	srv, c := start(t, l, nil)
	nonce := field(t, get(t, c, srv.URL+"/"), "nonce")
	for range 3 {
		send(t, c, srv.URL, "my water is brown\r\nnow", "nonce", nonce)
	}
	_, page := send(t, c, srv.URL, "MORE", "nonce", nonce)
	if got := l.messages(); len(got) != 2 || got[0].Text != "my water is brown\nnow" || got[1].Text != "MORE" {
		t.Errorf("three posts of one form and one of another text are %d messages, want 2: %v", len(got), got)
	}
	if n := strings.Count(page, `<article class="bubble`); n != 4 {
		t.Errorf("the page shows %d bubbles, want 4:\n%s", n, page)
	}
	if again := field(t, page, "nonce"); again == nonce {
		t.Error("the next page has the same nonce")
	}
	send(t, c, srv.URL, "MORE") // a form without a nonce is a message of its own
	send(t, c, srv.URL, "MORE", "nonce", "short")
	if got := l.messages(); len(got) != 4 {
		t.Errorf("two posts without a nonce make %d messages, want 4 in all", len(got))
	}
}

func TestPhonePageWaits(t *testing.T) {
	l := &line{hold: make(chan struct{})}
	srv, c := start(t, l, func(c *web.Config) { c.Wait = 20 * time.Millisecond })
	get(t, c, srv.URL+"/")
	_, page := send(t, c, srv.URL, "hello")
	for _, want := range []string{">hello<", `<noscript><p class="state"><a href="/?wait=1">`, "The reply is on its way."} {
		if !strings.Contains(page, want) {
			t.Errorf("while a reply is outstanding the page lacks %q:\n%s", want, page)
		}
	}
	if strings.Contains(page, `id="typing" aria-hidden="true" hidden`) {
		t.Error("while a reply is outstanding nothing shows that it is being written")
	}
	close(l.hold)
	l.work.Wait()
	page = get(t, c, srv.URL+"/?wait=1")
	if !strings.Contains(page, "You said: hello") || strings.Contains(page, "wait=1") || !strings.Contains(page, `id="typing" aria-hidden="true" hidden`) {
		t.Errorf("after the reply the page lacks it, or waits on:\n%s", page)
	}
}

// A text that is answered long after is no reason to wait for ever.
func TestPhonePagePatience(t *testing.T) {
	l := &line{hold: make(chan struct{})}
	now := time.Now()
	srv, c := start(t, l, func(c *web.Config) {
		c.Wait = time.Millisecond
		c.Now = func() time.Time { return now }
	})
	get(t, c, srv.URL+"/")
	send(t, c, srv.URL, "hello")
	now = now.Add(3 * time.Minute)
	if page := get(t, c, srv.URL+"/"); strings.Contains(page, "wait=1") {
		t.Error("three minutes after a text the page still waits")
	}
}

func TestPhonePageLimits(t *testing.T) {
	l := new(line)
	srv, c := start(t, l, nil)
	get(t, c, srv.URL+"/")
	if status, page := send(t, c, srv.URL, " \r\n "); status != http.StatusOK || strings.Contains(page, `class="bubble`) {
		t.Errorf("a blank text gives %d and a message", status)
	}
	long := strings.Repeat("palabra ñ ", 1000)
	status, page := send(t, c, srv.URL, long)
	if status != http.StatusUnprocessableEntity || !strings.Contains(page, strings.TrimSpace(long)+"</textarea>") || !strings.Contains(page, "Nothing was sent") || !strings.Contains(page, "call 911") {
		t.Errorf("a text of 10,000 characters gives %d; want 422, the text in the box and an explanation", status)
	}
	if status, page := send(t, c, srv.URL, strings.Repeat("x", 200_000)); status != http.StatusRequestEntityTooLarge || !strings.Contains(page, "Nothing was sent. Go back") {
		t.Errorf("a form of 200 kB gives %d, want 413 and an explanation", status)
	}
	if got := l.messages(); len(got) != 0 {
		t.Errorf("%d messages were received, want none", len(got))
	}
	if status, page := send(t, c, srv.URL, strings.Repeat("x", 1600)); status != http.StatusOK || !strings.Contains(page, "You said: xxx") {
		t.Errorf("a text of 1,600 characters gives %d, want 200 and an answer", status)
	}
	if _, page := send(t, c, srv.URL, "caf\xe9"); !strings.Contains(page, "caf\uFFFD") {
		t.Errorf("a text that is not UTF-8 is not shown as one")
	}
	for i := range 55 {
		_, page = send(t, c, srv.URL, fmt.Sprintf("message %d", i))
	}
	if n := strings.Count(page, "<article"); n != web.MaxBubbles {
		t.Errorf("the page shows %d messages, want %d", n, web.MaxBubbles)
	}
}

// Without cookies the answer comes in the response itself, and the page knows
// who goes on writing.
func TestPhonePageWithoutCookies(t *testing.T) {
	l := new(line)
	srv, _ := start(t, l, nil)
	c := new(http.Client)
	first := get(t, c, srv.URL+"/")
	status, page := send(t, c, srv.URL, "hello", "as", field(t, first, "as"), "nonce", field(t, first, "nonce"))
	if status != http.StatusOK || !strings.Contains(page, "You said: hello") || strings.Contains(page, "phone.js") || strings.Contains(page, `href="/trace`) {
		t.Errorf("without cookies the answer is lost, or the page has what needs them: %d\n%s", status, page)
	}
	send(t, c, srv.URL, "hello", "as", field(t, first, "as"), "nonce", field(t, first, "nonce"))
	_, page = send(t, c, srv.URL, "again", "as", field(t, page, "as"), "nonce", field(t, page, "nonce"))
	if got := l.messages(); len(got) != 2 || got[0].From != got[1].From {
		t.Errorf("two texts without cookies, one of them posted twice, are %d messages of one visitor: %v", len(got), got)
	}
	if n := strings.Count(page, "<article"); n != 4 {
		t.Errorf("the page shows %d messages, want 4", n)
	}
	res, err := c.PostForm(srv.URL+"/check", url.Values{"as": {field(t, page, "as")}})
	if status, page := read(t, res, err); status != http.StatusOK || !strings.Contains(page, "You said: again") {
		t.Errorf("POST /check = %d without the conversation", status)
	}
}

// What is not taken is said plainly, stays in the box, and leaves no bubble.
func TestPhonePageNotTaken(t *testing.T) {
	for _, tt := range []struct {
		err  error
		want int
		says string
	}{
		{fmt.Errorf("ask +1 202 555 0100: %w", bot.ErrUnavailable), http.StatusServiceUnavailable, "was not taken"},
		{errors.New("secret"), http.StatusInternalServerError, "was not taken"},
		{fmt.Errorf("secret: %w", bot.ErrInvalid), http.StatusBadRequest, "was not accepted"},
		{fmt.Errorf("secret: %w", bot.ErrExhausted), http.StatusTooManyRequests, "was not accepted"},
	} {
		l := &line{err: tt.err}
		srv, c := start(t, l, nil)
		nonce := field(t, get(t, c, srv.URL+"/"), "nonce")
		status, page := send(t, c, srv.URL, "hello <there>", "nonce", nonce)
		if status != tt.want || !strings.Contains(page, tt.says) || !strings.Contains(page, ">hello &lt;there&gt;</textarea>") || !strings.Contains(page, "call 911") {
			t.Errorf("%v gives %d, want %d, %q and the text in the box:\n%s", tt.err, status, tt.want, tt.says, page)
		}
		if strings.Contains(page, "secret") || strings.Contains(page, "555 0100") || strings.Contains(page, "<article") {
			t.Errorf("%v: the page shows the error, or a text that was not taken:\n%s", tt.err, page)
		}
		l.fail(nil)
		if _, page := send(t, c, srv.URL, "hello <there>", "nonce", field(t, page, "nonce")); strings.Count(page, "<article") != 2 {
			t.Errorf("%v: the text sent again does not give two messages:\n%s", tt.err, page)
		}
	}
}

// failing is a Mailbox that fails while it has an error.
type failing struct {
	web.Mailbox
	err error
}

func (f *failing) Add(ctx context.Context, visitor string, b web.Bubble) error {
	if f.err != nil {
		return f.err
	}
	return f.Mailbox.Add(ctx, visitor, b)
}

func (f *failing) List(ctx context.Context, visitor string) ([]web.Bubble, error) {
	if f.err != nil {
		return nil, f.err
	}
	return f.Mailbox.List(ctx, visitor)
}

func TestPhonePageMailboxDown(t *testing.T) {
	down := fmt.Errorf("open /secret: %w", bot.ErrUnavailable)
	l := new(line)
	box := &failing{Mailbox: new(web.Memory)}
	srv, c := start(t, l, func(c *web.Config) { c.Mailbox = box })
	get(t, c, srv.URL+"/")
	box.err = down
	if status, page := send(t, c, srv.URL, "hello"); status != http.StatusServiceUnavailable || !strings.Contains(page, ">hello</textarea>") || strings.Contains(page, "secret") {
		t.Errorf("with the mailbox down a text gives %d, want 503 and the text in the box", status)
	}
	if res, err := c.Get(srv.URL + "/"); err != nil || res.StatusCode != http.StatusServiceUnavailable {
		t.Errorf("with the mailbox down GET / = %v, %v; want 503", res.StatusCode, err)
	}
	if got := l.messages(); len(got) != 0 {
		t.Errorf("%d texts were received that no page shows, want none", len(got))
	}
	if _, err := l.phone.Send(t.Context(), bot.Delivery{Key: "k", Text: "x", To: bot.Address{Channel: "web", User: "v"}}); !errors.Is(err, bot.ErrUnavailable) || strings.Contains(err.Error(), `"v"`) {
		t.Errorf("Send with the mailbox down = %v, want ErrUnavailable and no address", err)
	}
}

func TestSend(t *testing.T) {
	l := new(line)
	box := new(web.Memory)
	start(t, l, func(c *web.Config) { c.Mailbox = box })
	to := bot.Address{Channel: "web", User: "visitor"}
	if err := box.Add(t.Context(), "stranger", web.Bubble{Key: "in/k", Mine: true}); err != nil {
		t.Fatal(err)
	}
	if _, err := l.phone.Send(t.Context(), bot.Delivery{Key: "in/k", To: bot.Address{Channel: "web", User: "stranger"}, Text: "x"}); err != nil {
		t.Fatal(err)
	}
	if got, err := box.List(t.Context(), "stranger"); len(got) != 2 || err != nil {
		t.Errorf("a delivery whose key is like a text's leaves %d bubbles, %v; want both", len(got), err)
	}
	d := bot.Delivery{Key: "k", To: to, Text: "reply", Language: bot.Spanish, Status: bot.Answered, Answer: "a", Offers: []bot.Word{bot.WordMore}}
	var names []string
	for range 2 {
		name, err := l.phone.Send(t.Context(), d)
		if err != nil || name == "" {
			t.Fatalf("Send = %q, %v; want a name", name, err)
		}
		names = append(names, name)
	}
	if names[0] != names[1] {
		t.Errorf("one delivery sent twice has the names %q, want one", names)
	}
	got, err := box.List(t.Context(), "visitor")
	if err != nil || len(got) != 1 || got[0].Text != "reply" || got[0].Language != bot.Spanish || got[0].Answer != "a" || got[0].Mine || len(got[0].Offers) != 1 {
		t.Errorf("one delivery sent twice leaves %+v, %v; want one bubble", got, err)
	}
	for name, d := range map[string]bot.Delivery{
		"another channel": {Key: "k", Text: "x", To: bot.Address{Channel: "sms", User: "v"}},
		"no user":         {Key: "k", Text: "x", To: bot.Address{Channel: "web"}},
		"no key":          {Text: "x", To: to},
		"no text":         {Key: "k2", To: to},
	} {
		if _, err := l.phone.Send(t.Context(), d); !errors.Is(err, bot.ErrInvalid) {
			t.Errorf("Send of a delivery with %s = %v, want ErrInvalid", name, err)
		}
	}
}

func TestCount(t *testing.T) {
	srv, c := start(t, new(line), nil)
	for _, tt := range []struct{ text, want string }{
		{"hello", `"segments":1,"units":5`},
		{"línea €", `"encoding":"UCS-2"`},
		{strings.Repeat("x", 161), `"segments":2,"units":161`},
		{strings.Repeat("x", 1601), `"long":true`},
	} {
		res, err := c.PostForm(srv.URL+"/count", url.Values{"text": {tt.text}})
		if status, got := read(t, res, err); status != http.StatusOK || !strings.Contains(got, tt.want) {
			t.Errorf("POST /count of %d bytes = %d %s, want %s", len(tt.text), status, got, tt.want)
		}
	}
}

func TestClear(t *testing.T) {
	srv, c := start(t, new(line), nil)
	get(t, c, srv.URL+"/")
	send(t, c, srv.URL, "hello")
	u, err := url.Parse(srv.URL)
	if err != nil {
		t.Fatal(err)
	}
	before := c.Jar.Cookies(u)[0].Value
	if res, err := http.Get(srv.URL); err != nil || res.Cookies()[0].SameSite != http.SameSiteStrictMode || !res.Cookies()[0].HttpOnly {
		t.Errorf("the cookie of a new visitor is %v, %v; want it strict and out of scripts' reach", res.Cookies(), err)
	}
	res, err := c.PostForm(srv.URL+"/clear", nil)
	if status, page := read(t, res, err); status != http.StatusOK || strings.Contains(page, "hello<") {
		t.Errorf("after /clear the page shows the conversation, status %d", status)
	}
	if after := c.Jar.Cookies(u); len(after) != 1 || after[0].Value == before {
		t.Error("after /clear the visitor has the same name")
	}
}

func TestLanguage(t *testing.T) {
	l := &line{reply: func(string) bot.Delivery {
		return bot.Delivery{Text: "Hierva el agua 1 minuto.", Language: bot.Spanish, Offers: []bot.Word{bot.WordMore, bot.WordWhy, bot.WordSources, "new"}}
	}}
	srv, c := start(t, l, nil)
	if page := get(t, c, srv.URL+"/"); !strings.Contains(page, `<html lang="en">`) {
		t.Error("the page of a browser that asks for no language is not in English")
	}
	_, page := send(t, c, srv.URL, "cuanto tiempo la hiervo")
	for _, want := range []string{`<html lang="es">`, `<title>Línea del agua`, `lang="es" dir="auto">Hierva`, `value="MAS"`, `value="POR QUE"`, `value="FUENTES"`} {
		if !strings.Contains(page, want) {
			t.Errorf("after a Spanish reply the page lacks %q:\n%s", want, page)
		}
	}
	for header, want := range map[string]string{"es-MX,es;q=0.9,en;q=0.5": "es", "fr, en;q=0.5, es;q=0.1": "en", "fr": "en", "ES": "es"} {
		req, err := http.NewRequestWithContext(t.Context(), http.MethodGet, srv.URL+"/", nil)
		if err != nil {
			t.Fatal(err)
		}
		req.Header.Set("Accept-Language", header)
		res, err := http.DefaultClient.Do(req)
		if _, page := read(t, res, err); !strings.Contains(page, `<html lang="`+want+`">`) {
			t.Errorf("a browser that asks for %q does not get %s", header, want)
		}
	}
}

func TestCallable(t *testing.T) {
	l := &line{reply: func(string) bot.Delivery {
		return bot.Delivery{Text: `Call 911 or <b> 1-201-555-0123, not 19110 or 2015550123.`, Language: bot.English, Status: bot.Emergency}
	}}
	srv, c := start(t, l, nil)
	_, page := send(t, c, srv.URL, "help")
	if want := `Call <a href="tel:911">911</a> or &lt;b&gt; <a href="tel:12015550123">1-201-555-0123</a>, not 19110 or 2015550123.`; !strings.Contains(page, want) {
		t.Errorf("the page lacks %q:\n%s", want, page)
	}
	if !strings.Contains(page, `theirs urgent"`) {
		t.Error("an emergency looks like any reply")
	}
}

func TestPhonePageIsGuarded(t *testing.T) {
	srv, c := start(t, new(line), nil)
	for _, path := range []string{"/", "/static/phone.js", "/static/phone.css", "/organiser", "/trace/x"} {
		res, err := c.Get(srv.URL + path)
		if err != nil {
			t.Fatal(err)
		}
		res.Body.Close()
		if csp := res.Header.Get("Content-Security-Policy"); !strings.Contains(csp, "default-src 'none'") || !strings.Contains(csp, "script-src 'self'") || strings.Contains(csp, "unsafe") {
			t.Errorf("GET %s: Content-Security-Policy = %q", path, csp)
		}
	}
	for _, path := range []string{"/messages", "/clear", "/check", "/count"} {
		req, err := http.NewRequestWithContext(t.Context(), http.MethodPost, srv.URL+path, strings.NewReader("text=hello"))
		if err != nil {
			t.Fatal(err)
		}
		req.Header.Set("Content-Type", "application/x-www-form-urlencoded")
		req.Header.Set("Origin", "https://elsewhere.example")
		res, err := c.Do(req)
		if err != nil {
			t.Fatal(err)
		}
		res.Body.Close()
		if res.StatusCode != http.StatusForbidden {
			t.Errorf("a post to %s from another site gives %d, want 403", path, res.StatusCode)
		}
	}
	if res, err := c.Get(srv.URL + "/messages"); err != nil || res.StatusCode != http.StatusMethodNotAllowed {
		t.Errorf("GET /messages = %v, %v; want 405", res.StatusCode, err)
	}
}
