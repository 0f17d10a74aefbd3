package llmtest

import (
	"crypto/rand"
	"io"
	"maps"
	"net/http"
	"net/http/httptest"
	"slices"
	"sync"
	"testing"
	"time"
)

// A Server is a fake chat server. It is safe for concurrent use.
type Server struct {
	Key string // that it accepts, another one in each server

	kind    Kind
	models  []string
	context int
	formats []string
	flat    bool
	server  *httptest.Server
	closing chan struct{}

	mu       sync.Mutex
	reply    func(Request) string
	next     []Trouble
	always   []rule
	requests []Request
}

// A rule is a trouble of every call that matches.
type rule struct {
	match   func(Request) bool
	trouble Trouble
}

// NewServer returns a server that runs until the test ends.
func NewServer(t testing.TB, kind Kind, options ...Option) *Server {
	t.Helper()
	if modelsOf[kind] == nil {
		t.Fatalf("llmtest: no kind of server is called %q", kind)
	}
	s := &Server{
		Key:     "sk-fake-" + rand.Text(),
		kind:    kind,
		models:  modelsOf[kind],
		context: contextOf[kind],
		formats: []string{"json_object", "json_schema"},
		closing: make(chan struct{}),
		reply:   Say,
	}
	for _, option := range options {
		option(s)
	}
	s.server = httptest.NewServer(http.HandlerFunc(s.serve))
	t.Cleanup(func() {
		close(s.closing)
		s.server.CloseClientConnections()
		s.server.Close()
	})
	return s
}

// URL is the base URL as a person would configure it.
func (s *Server) URL() string {
	if s.kind == Azure {
		return s.server.URL
	}
	return s.server.URL + "/v1"
}

// Reply sets what the model says. [Say] is what it says otherwise.
func (s *Server) Reply(reply func(Request) string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.reply = reply
}

// Next makes the next calls go wrong, one each, in order. A call that is refused
// for what is wrong with it uses up none.
func (s *Server) Next(troubles ...Trouble) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.next = append(s.next, troubles...)
}

// For makes every call that matches go wrong until Clear; nil matches all. The
// first rule that matches holds, after those of Next.
func (s *Server) For(match func(Request) bool, trouble Trouble) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.always = append(s.always, rule{match, trouble})
}

// Clear ends all trouble.
func (s *Server) Clear() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.next, s.always = nil, nil
}

// Requests returns the calls so far, in the order in which they came.
func (s *Server) Requests() []Request {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.requests)
}

func (s *Server) serve(w http.ResponseWriter, hr *http.Request) {
	r := Request{
		When:   time.Now(),
		Method: hr.Method,
		Path:   hr.URL.Path,
		Query:  hr.URL.RawQuery,
		Header: slices.Sorted(maps.Keys(hr.Header)),
	}
	var err error
	if r.Body, err = io.ReadAll(hr.Body); err != nil {
		return
	}
	a := &answer{kind: s.kind, request: &r, key: s.Key, flat: s.flat}
	a.raw = s.check(hr, &r)
	if a.raw == nil {
		s.mu.Lock()
		reply, trouble := s.reply, s.trouble(r)
		s.mu.Unlock()
		s.compose(a, reply(r))
		if trouble.alter != nil {
			trouble.alter(a)
		}
	}
	r.Status = a.status()
	s.mu.Lock()
	s.requests = append(s.requests, r)
	s.mu.Unlock()
	s.send(w, hr, a)
}

// trouble returns the trouble of a call, none if it has no alter.
func (s *Server) trouble(r Request) Trouble {
	if len(s.next) > 0 {
		t := s.next[0]
		s.next = s.next[1:]
		return t
	}
	for _, rule := range s.always {
		if rule.match == nil || rule.match(r) {
			return rule.trouble
		}
	}
	return Trouble{}
}
