package smstest_test

import (
	"context"
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"sync"
	"testing"
	"time"

	"plumbline/channels/sms/smstest"
)

const (
	ours   = "+19735550100"
	theirs = "+19735550101"
	public = "https://bot.example.org"
	hookAt = public + "/message"
	empty  = `<?xml version="1.0" encoding="UTF-8"?><Response></Response>`
)

// A service is what the fake posts to.
type service struct {
	*httptest.Server

	mu     sync.Mutex
	got    []request
	answer func(w http.ResponseWriter, r request)
}

// A request is one that the service had.
type request struct {
	path   string // with the query
	header http.Header
	host   string
	form   url.Values
	n      int // which of its path, from 1
	ctx    context.Context
}

func newService(t *testing.T) *service {
	s := &service{answer: twiml(empty)}
	s.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		b, err := io.ReadAll(r.Body)
		if err != nil {
			return
		}
		form, err := url.ParseQuery(string(b))
		if err != nil {
			t.Errorf("the form cannot be read: %v", err)
		}
		s.mu.Lock()
		q := request{r.RequestURI, r.Header, r.Host, form, 1, r.Context()}
		for _, before := range s.got {
			if before.path == q.path {
				q.n++
			}
		}
		s.got = append(s.got, q)
		answer := s.answer
		s.mu.Unlock()
		answer(w, q)
	}))
	t.Cleanup(s.Close)
	return s
}

func (s *service) answers(f func(w http.ResponseWriter, r request)) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.answer = f
}

// requests are those of a path.
func (s *service) requests(path string) (list []request) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, r := range s.got {
		if p, _, _ := strings.Cut(r.path, "?"); p == path {
			list = append(list, r)
		}
	}
	return list
}

func twiml(doc string) func(http.ResponseWriter, request) { return replies(200, "text/xml", doc) }

func replies(status int, kind, body string) func(http.ResponseWriter, request) {
	return func(w http.ResponseWriter, _ request) {
		w.Header().Set("Content-Type", kind)
		w.WriteHeader(status)
		_, _ = io.WriteString(w, body)
	}
}

// A fake is one with a client of its API.
type fake struct {
	*smstest.Server
	t       *testing.T
	service *service
	client  *http.Client
}

// start starts a fake and a service.
func start(t *testing.T, edit ...func(*smstest.Config)) *fake {
	t.Helper()
	s := newService(t)
	c := smstest.Config{Inbound: hookAt, Voice: public + "/voice", Dial: s.URL}
	for _, f := range edit {
		f(&c)
	}
	transport := new(http.Transport)
	t.Cleanup(transport.CloseIdleConnections)
	return &fake{smstest.NewServer(t, c), t, s, &http.Client{Transport: transport, Timeout: 10 * time.Second}}
}

// with is the account's Messaging Service, of its number.
func with(m smstest.Service) func(*smstest.Config) {
	return func(c *smstest.Config) {
		if m.Senders == nil {
			m.Senders = []string{ours}
		}
		c.Account.Services = []smstest.Service{m}
	}
}

// call calls the API and returns the status and the JSON of the answer.
func (f *fake) call(method, path string, form url.Values, edit ...func(*http.Request)) (*http.Response, map[string]any) {
	f.t.Helper()
	res, body, err := f.try(method, path, form, edit...)
	if err != nil {
		f.t.Fatalf("%s %s: %v", method, path, err)
	}
	return res, body
}

func (f *fake) try(method, path string, form url.Values, edit ...func(*http.Request)) (*http.Response, map[string]any, error) {
	f.t.Helper()
	a := f.Account()
	r, err := http.NewRequestWithContext(f.t.Context(), method, f.URL()+strings.ReplaceAll(path, "{}", a.SID), strings.NewReader(form.Encode()))
	if err != nil {
		f.t.Fatal(err)
	}
	r.SetBasicAuth(a.SID, a.Token)
	if method == http.MethodPost {
		r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	}
	for _, e := range edit {
		e(r)
	}
	res, err := f.client.Do(r)
	if err != nil {
		return nil, nil, err
	}
	defer res.Body.Close()
	b, err := io.ReadAll(res.Body)
	if err != nil {
		return nil, nil, err
	}
	var v map[string]any
	if strings.HasPrefix(res.Header.Get("Content-Type"), "application/json") {
		if err := json.Unmarshal(b, &v); err != nil {
			f.t.Fatalf("%s %s answers no JSON: %q", method, path, b)
		}
	}
	return res, v, nil
}

const messagesAt = "/2010-04-01/Accounts/{}/Messages.json"

// form is a create's, from pairs; an empty value takes a parameter away.
func form(pairs ...string) url.Values {
	v := url.Values{"To": {theirs}, "From": {ours}, "Body": {"Run the tap."}}
	for i := 0; i < len(pairs); i += 2 {
		if v.Set(pairs[i], pairs[i+1]); pairs[i+1] == "" {
			v.Del(pairs[i])
		}
	}
	return v
}

// create creates a message and wants it taken.
func (f *fake) create(pairs ...string) map[string]any {
	f.t.Helper()
	res, body := f.call(http.MethodPost, messagesAt, form(pairs...))
	if res.StatusCode != http.StatusCreated {
		f.t.Fatalf("create %v: %d %v, want it taken", pairs, res.StatusCode, body)
	}
	return body
}

// drain waits for callbacks.
func (f *fake) drain() {
	f.t.Helper()
	if err := f.Drain(f.t.Context()); err != nil {
		f.t.Fatal(err)
	}
}

// faultless wants no fault recorded.
func (f *fake) faultless() {
	f.t.Helper()
	if faults := f.Faults(); len(faults) > 0 {
		f.t.Errorf("faults %+v, want none", faults)
	}
}

// codes are those of faults.
func (f *fake) codes() (list []int) {
	for _, fault := range f.Faults() {
		list = append(list, fault.Code)
	}
	return list
}

// A clock is moved by hand.
type clock struct {
	mu  sync.Mutex
	now time.Time
}

func (c *clock) time() time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.now
}

func (c *clock) set(now time.Time) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.now = now
}
