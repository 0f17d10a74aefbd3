package web_test

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"plumbline/bot"
	"plumbline/channels/web"
)

// A stream is an open live stream.
type stream struct {
	t    *testing.T
	body io.ReadCloser
	r    *bufio.Reader
}

// listen opens the live stream of c's phone. lastID is what a browser that
// comes again says it has.
func listen(t *testing.T, c *http.Client, u, query, lastID string) *stream {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Second)
	t.Cleanup(cancel)
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, u+"/events"+query, nil)
	if err != nil {
		t.Fatal(err)
	}
	if lastID != "" {
		req.Header.Set("Last-Event-ID", lastID)
	}
	res, err := c.Do(req)
	if err != nil {
		t.Fatalf("GET /events: %v", err)
	}
	t.Cleanup(func() { res.Body.Close() })
	if res.StatusCode != http.StatusOK || !strings.HasPrefix(res.Header.Get("Content-Type"), "text/event-stream") {
		t.Fatalf("GET /events = %s %s", res.Status, res.Header.Get("Content-Type"))
	}
	return &stream{t, res.Body, bufio.NewReader(res.Body)}
}

// next returns the next block of the stream, "" at its end.
func (s *stream) next() (block string) {
	s.t.Helper()
	for {
		line, err := s.r.ReadString('\n')
		if err != nil {
			return ""
		}
		if line == "\n" {
			return block
		}
		block += line
	}
}

var eventID = regexp.MustCompile(`(?m)^id: (\S+)$`)

// bubble returns the id and the HTML of the next bubble.
func (s *stream) bubble() (id, html string) {
	s.t.Helper()
	for {
		block := s.next()
		if block == "" {
			s.t.Fatal("the stream ended")
		}
		_, data, ok := strings.Cut(block, "data: ")
		if found := eventID.FindStringSubmatch(block); ok && found != nil && strings.Contains(block, "event: bubble\n") {
			var e struct{ HTML string }
			if err := json.Unmarshal([]byte(data), &e); err != nil {
				s.t.Fatalf("event %q: %v", data, err)
			}
			return found[1], e.HTML
		}
	}
}

func (s *stream) want(texts ...string) (lastID string) {
	s.t.Helper()
	for _, text := range texts {
		id, html := s.bubble()
		if !strings.Contains(html, ">"+text+"<") || !strings.Contains(html, `id="`+id+`"`) {
			s.t.Errorf("the next bubble, %s, does not say %q: %s", id, text, html)
		}
		lastID = id
	}
	return lastID
}

func TestEvents(t *testing.T) {
	srv, c := start(t, new(line), nil)
	get(t, c, srv.URL+"/")
	one, two := listen(t, c, srv.URL, "", ""), listen(t, c, srv.URL, "?after=", "")
	send(t, c, srv.URL, "hello")
	one.want("hello", "You said: hello")
	last := two.want("hello", "You said: hello")
	two.body.Close()

	// What comes while the browser is away waits for it.
	send(t, c, srv.URL, "more\nlines")
	listen(t, c, srv.URL, "?after=nonsense", last).want("more\nlines", "You said: more\nlines")
	listen(t, c, srv.URL, "?after="+last, "").want("more\nlines", "You said: more\nlines")
	one.want("more\nlines", "You said: more\nlines")

	// A browser that has what is not there any more starts anew.
	if got := listen(t, c, srv.URL, "", "m-gone"); !strings.Contains(got.next()+got.next(), "event: reset\n") {
		t.Error("a browser whose last bubble is gone is not told to load the page anew")
	}
	if res, err := c.PostForm(srv.URL+"/clear", nil); err != nil || res.Body.Close() != nil {
		t.Fatal(err)
	}
	if got := one.next(); !strings.Contains(got, "event: reset\n") || one.next() != "" {
		t.Errorf("after /clear the stream says %q and stays, want a reset and its end", got)
	}
}

// A text that was not taken is gone from the phone; a stream that showed it
// goes on.
func TestEventsAfterRemove(t *testing.T) {
	l, box := new(line), new(web.Memory)
	srv, c := start(t, l, func(c *web.Config) { c.Mailbox = box })
	get(t, c, srv.URL+"/")
	s := listen(t, c, srv.URL, "", "")
	send(t, c, srv.URL, "hello")
	s.want("hello", "You said: hello")
	from := l.messages()[0].From
	d := bot.Delivery{Key: "x", To: from, Text: "gone soon"}
	if _, err := l.phone.Send(t.Context(), d); err != nil {
		t.Fatal(err)
	}
	s.want("gone soon")
	if err := box.Remove(t.Context(), from.User, "out/x"); err != nil {
		t.Fatal(err)
	}
	send(t, c, srv.URL, "again")
	s.want("again", "You said: again")
}

func TestEventsAreTheVisitors(t *testing.T) {
	srv, c := start(t, new(line), nil)
	if res, err := c.Get(srv.URL + "/events"); err != nil || res.StatusCode != http.StatusForbidden {
		t.Errorf("GET /events without a cookie = %v, %v; want 403", res.StatusCode, err)
	}
	get(t, c, srv.URL+"/")
	other := browser(t)
	get(t, other, srv.URL+"/")
	mine, theirs := listen(t, c, srv.URL, "", ""), listen(t, other, srv.URL, "", "")
	send(t, c, srv.URL, "mine")
	mine.want("mine", "You said: mine")
	send(t, other, srv.URL, "theirs")
	theirs.want("theirs", "You said: theirs")
}

func TestEventsBeat(t *testing.T) {
	srv, c := start(t, new(line), func(c *web.Config) { c.Heartbeat = time.Millisecond })
	get(t, c, srv.URL+"/")
	s := listen(t, c, srv.URL, "", "")
	if got := s.next(); got != "retry: 1000\n" {
		t.Errorf("the stream begins with %q, want a time to come again", got)
	}
	for range 3 {
		if got := s.next(); !strings.HasPrefix(got, ":") {
			t.Errorf("a stream with nothing to say says %q, want a comment", got)
		}
	}
}

// The streams of one visitor are bounded; those that are too many get what
// there is and end, so that nobody misses anything.
func TestEventsAreBounded(t *testing.T) {
	srv, c := start(t, new(line), nil)
	get(t, c, srv.URL+"/")
	send(t, c, srv.URL, "hello")
	open := make([]*stream, 4)
	for i := range open {
		open[i] = listen(t, c, srv.URL, "", "")
		open[i].want("hello", "You said: hello")
	}
	fifth := listen(t, c, srv.URL, "", "")
	if got := fifth.next(); got != "retry: 5000\n" {
		t.Errorf("a fifth stream begins with %q, want a longer time to come again", got)
	}
	fifth.want("hello", "You said: hello")
	if got := fifth.next(); got != "" {
		t.Errorf("a fifth stream goes on with %q, want its end", got)
	}
	other := browser(t)
	get(t, other, srv.URL+"/")
	if got := listen(t, other, srv.URL, "", "").next(); got != "retry: 1000\n" {
		t.Errorf("another visitor's first stream begins with %q", got)
	}
	open[0].body.Close()
	for { // the server notices in its own time
		if s := listen(t, c, srv.URL, "", ""); s.next() == "retry: 1000\n" {
			break
		}
		if t.Context().Err() != nil {
			t.Fatal("a stream that ended leaves no room for another")
		}
	}
}

func TestEventsAreBoundedInAll(t *testing.T) {
	l := new(line)
	srv, _ := start(t, l, nil)
	handler := srv.Config.Handler
	ctx, cancel := context.WithCancel(t.Context())
	began := make(chan string, 300)
	ended := make(chan struct{}, 300)
	for i := range 201 {
		req := httptest.NewRequestWithContext(ctx, http.MethodGet, "/events", nil)
		req.AddCookie(&http.Cookie{Name: "plumbline_phone", Value: fmt.Sprintf("%s%s", strings.Repeat("A", 24), string([]byte{byte('A' + i%26), byte('A' + i/26)}))})
		go func() {
			handler.ServeHTTP(&firstWrite{header: http.Header{}, began: began}, req)
			ended <- struct{}{}
		}()
	}
	long := 0
	for range 201 {
		if <-began == "retry: 5000\n\n" {
			long++
		}
	}
	if long != 1 {
		t.Errorf("of 201 streams %d are told that there are too many, want 1", long)
	}
	cancel()
	for range 201 {
		<-ended
	}
}

// firstWrite hands on the first thing that is written to it.
type firstWrite struct {
	header http.Header
	began  chan string
	done   bool
}

func (w *firstWrite) Header() http.Header { return w.header }
func (w *firstWrite) WriteHeader(int)     {}
func (w *firstWrite) Flush()              {}
func (w *firstWrite) Write(b []byte) (int, error) {
	if !w.done {
		w.done = true
		w.began <- string(b)
	}
	return len(b), nil
}

// Streams and pages that wait end with the service.
func TestClose(t *testing.T) {
	l := &line{hold: make(chan struct{})}
	srv, c := start(t, l, func(c *web.Config) { c.Wait = time.Hour })
	get(t, c, srv.URL+"/")
	s := listen(t, c, srv.URL, "", "")
	s.next()
	done := make(chan struct{})
	go func() {
		defer close(done)
		send(t, c, srv.URL, "hello") // waits for the reply
	}()
	s.want("hello")
	l.phone.Close()
	l.phone.Close()
	if got := s.next(); got != "" {
		t.Errorf("after Close the stream says %q, want its end", got)
	}
	<-done
	if got := listen(t, c, srv.URL, "", ""); got.next() != "retry: 5000\n" || got.next() == "" || got.next() != "" {
		t.Error("a stream that is opened after Close does not send what there is and end")
	}
}

// The time that a server gives a request to be read does not end a stream.
func TestEventsOutliveTheReadTimeout(t *testing.T) {
	l := new(line)
	srv, _ := start(t, l, nil)
	short := httptest.NewUnstartedServer(srv.Config.Handler)
	short.Config.ReadTimeout = 50 * time.Millisecond
	short.Start()
	defer short.Close()
	defer l.phone.Close()
	c := browser(t)
	get(t, c, short.URL+"/")
	s := listen(t, c, short.URL, "", "")
	s.next()
	select {
	case <-time.After(200 * time.Millisecond):
	case <-t.Context().Done():
	}
	send(t, c, short.URL, "hello")
	s.want("hello", "You said: hello")
}

// What of a reply is sure is shown as it is written, on the visitor's own
// pages alone, and is gone when the reply is there.
func TestEventsBegun(t *testing.T) {
	l := new(line)
	srv, c := start(t, l, nil)
	get(t, c, srv.URL+"/")
	s := listen(t, c, srv.URL, "", "")
	send(t, c, srv.URL, "hello")
	s.want("hello", "You said: hello")
	from := l.messages()[0].From
	l.phone.Writing("somebody else")("not for you")
	show := l.phone.Writing(from.User)
	var got []string
	begun := func() {
		for {
			block := s.next()
			if _, data, ok := strings.Cut(block, "event: begun\ndata: "); ok || block == "" {
				got = append(got, strings.TrimSpace(data))
				return
			}
		}
	}
	show("<b>One.</b>")
	begun()
	show("Two.")
	begun()
	if _, err := l.phone.Send(t.Context(), bot.Delivery{Key: "x", To: from, Text: "One. Two. Three."}); err != nil {
		t.Fatal(err)
	}
	s.want("One. Two. Three.")
	show("Late.")
	begun()
	if want := []string{`{"text":"\u003cb\u003eOne.\u003c/b\u003e"}`, `{"text":"\u003cb\u003eOne.\u003c/b\u003e Two."}`}; !slices.Equal(got[:2], want) {
		t.Errorf("begun is %q, want %q", got, want)
	}
}
