package smstest

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"strings"
	"sync"
	"time"
)

// A Config says what a fake is like. The zero Config is one number, by default
// keywords, without webhooks.
type Config struct {
	Account Account

	// Inbound and Voice are the public URLs that messages and calls are posted
	// to, where neither a number nor a Messaging Service has its own. As at
	// Twilio they may end in connection overrides, such as #rc=2&rp=all, which
	// then hold in place of Retry and Timeout.
	Inbound, Voice string

	// Public is where the service is to be found, such as
	// https://hotline.example.org or with a path; the host of Inbound if empty.
	// Dial is where it really is: what is signed is a URL below Public, what is
	// called is the same below Dial, with Strip without the path of Public, as
	// behind a proxy. Empty to dial Public. Only loopback is ever dialled.
	Public, Dial string
	Strip        bool
	Headers      http.Header // more headers, such as X-Forwarded-Proto

	Shared   SharedKey // signs webhooks in place of the auth token; zero for none
	Keywords Keywords
	Retry    Retry
	Timeout  time.Duration // for a webhook in all; 15 s if zero
	Latency  time.Duration // until a message that was taken is sent on
	Workers  int           // callbacks under way at once; 8 if zero

	// Seed is what SIDs and chaos follow from. A service that knows messages by
	// their SIDs takes another run with the same seed for repeats.
	Seed  uint64
	Chaos Chaos

	Now    func() time.Time // time.Now if nil
	Listen string           // a loopback address; 127.0.0.1:0 if empty
}

// A Server is a fake Twilio on loopback. It is safe for concurrent use.
type Server struct {
	config  Config
	base    string
	http    *http.Server
	client  *http.Client
	queue   *queue
	serving sync.WaitGroup
	close   sync.Once

	mu         sync.Mutex
	account    Account
	dial       string
	chaos      Chaos
	next       []Trouble
	sticky     Trouble
	reads      Trouble
	boxes      map[string]*inbox
	optOuts    map[optOut]bool
	messages   []*message
	bySID      map[string]*message
	byTo       map[string][]*message
	sent       []*Sent
	rejections []Rejection
	faults     []Fault
	stats      Stats
	requests   int
}

// New starts a fake. The caller closes it.
func New(c Config) (*Server, error) {
	if c.Now == nil {
		c.Now = time.Now
	}
	if c.Timeout == 0 {
		c.Timeout = 15 * time.Second
	}
	if c.Workers == 0 {
		c.Workers = 8
	}
	if c.Listen == "" {
		c.Listen = "127.0.0.1:0"
	}
	if c.Public == "" && c.Inbound != "" {
		u, err := url.Parse(c.Inbound)
		if err != nil {
			return nil, errors.New("the inbound URL cannot be read")
		}
		c.Public = u.Scheme + "://" + u.Host
	}
	c.Public, c.Dial = strings.TrimRight(c.Public, "/"), strings.TrimRight(c.Dial, "/")
	s := &Server{
		config: c, dial: c.Dial, chaos: c.Chaos, account: c.Account,
		boxes: map[string]*inbox{}, optOuts: map[optOut]bool{}, bySID: map[string]*message{}, byTo: map[string][]*message{},
	}
	if err := c.Chaos.check(); err != nil {
		return nil, err
	}
	if err := c.Retry.check(); err != nil {
		return nil, err
	}
	if err := s.complete(&s.account); err != nil {
		return nil, err
	}
	at, err := new(net.ListenConfig).Listen(context.Background(), "tcp", c.Listen)
	if err != nil {
		return nil, fmt.Errorf("listen: %w", err)
	}
	if addr, ok := at.Addr().(*net.TCPAddr); !ok || !addr.IP.IsLoopback() {
		_ = at.Close()
		return nil, fmt.Errorf("listen: %s is not on loopback", c.Listen)
	}
	s.base = "http://" + at.Addr().String()
	s.client = &http.Client{
		Transport: &http.Transport{
			DialContext:         dialLoopback,
			MaxIdleConnsPerHost: 64,
			IdleConnTimeout:     10 * time.Second,
			DisableCompression:  true,
		},
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}
	s.queue = newQueue(c.Workers)
	s.http = &http.Server{Handler: s.routes(), ReadHeaderTimeout: 10 * time.Second}
	s.serving.Go(func() { _ = s.http.Serve(at) }) // ends with Close
	return s, nil
}

// A T is what of a *testing.T is needed to start a fake for a test.
type T interface {
	Helper()
	Fatalf(format string, args ...any)
	Cleanup(func())
}

// NewServer starts a fake that runs until the test ends.
func NewServer(t T, c Config) *Server {
	t.Helper()
	s, err := New(c)
	if err != nil {
		t.Fatalf("smstest: %v", err)
		return nil
	}
	t.Cleanup(s.Close)
	return s
}

// URL is where the API is, in place of https://api.twilio.com and
// https://messaging.twilio.com alike.
func (s *Server) URL() string { return s.base }

// SetDial changes [Config].Dial: the service came up elsewhere.
func (s *Server) SetDial(base string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.dial = strings.TrimRight(base, "/")
}

// Drain waits until no callback and no webhook of chaos waits or is under way.
func (s *Server) Drain(ctx context.Context) error { return s.queue.drain(ctx) }

// Close ends the fake. What waits to be sent is dropped, and sends that are
// under way fail; when Close returns nothing of it runs. What was recorded may
// still be read.
func (s *Server) Close() {
	s.close.Do(func() {
		s.queue.cancel()
		_ = s.http.Close()
		s.serving.Wait()
		s.queue.end()
		s.client.CloseIdleConnections()
	})
}

// errNotLoopback is the error of a URL that leads elsewhere.
var errNotLoopback = errors.New("it is not on loopback")

// dialLoopback dials nothing else, and looks up no names but localhost.
func dialLoopback(ctx context.Context, network, address string) (net.Conn, error) {
	host, _, err := net.SplitHostPort(address)
	if err != nil {
		return nil, err
	}
	if ip, err := netip.ParseAddr(host); host != "localhost" && (err != nil || !ip.IsLoopback()) {
		return nil, errNotLoopback
	}
	return (&net.Dialer{Timeout: connectTimeout}).DialContext(ctx, network, address)
}

func (s *Server) routes() http.Handler {
	mux := http.NewServeMux()
	mux.HandleFunc("POST /2010-04-01/Accounts/{account}/Messages.json", s.create)
	mux.HandleFunc("GET /2010-04-01/Accounts/{account}/Messages.json", s.read(false, s.list))
	mux.HandleFunc("GET /2010-04-01/Accounts/{account}/Messages/{file}", s.read(false, s.fetch))
	mux.HandleFunc("GET /2010-04-01/Accounts/{file}", s.read(true, s.accountResource))
	mux.HandleFunc("GET /2010-04-01/Accounts/{account}/IncomingPhoneNumbers.json", s.read(false, s.numbers))
	mux.HandleFunc("GET /v1/Services", s.read(false, s.services))
	mux.HandleFunc("GET /v1/Services/{service}", s.read(false, s.serviceResource))
	mux.HandleFunc("GET /v1/Services/{service}/PhoneNumbers", s.read(false, s.senders))
	mux.HandleFunc("GET /v1/Services/{service}/Compliance/Usa2p", s.read(false, s.campaigns))
	mux.HandleFunc("GET /v1/Tollfree/Verifications", s.read(false, s.verifications))
	mux.HandleFunc("/", func(w http.ResponseWriter, r *http.Request) {
		s.reject(r, s.config.Now(), "", refuse(20404, r.URL.Path), true)
		refuse(20404, r.URL.Path).write(w)
	})
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		s.mu.Lock()
		s.requests++
		id := s.sid("RQ", "request", "", s.requests)
		s.mu.Unlock()
		w.Header().Set("Twilio-Request-Id", id)
		mux.ServeHTTP(w, r)
	})
}

// admit refuses who is not let in, or asks for another account's things. main
// says that only the token or a main key will do.
func (s *Server) admit(r *http.Request, main bool) *refusal {
	s.mu.Lock()
	defer s.mu.Unlock()
	user, pass, _ := r.BasicAuth()
	key, known := s.account.Keys[user]
	switch {
	case user == s.account.SID && pass == s.account.Token && s.account.Status != "closed":
	case known && key.Secret != "" && pass == key.Secret && (key.Main || !main) && s.account.Status != "closed":
	default:
		return refuse(20003, "")
	}
	account := r.PathValue("account")
	if account == "" {
		account = strings.TrimSuffix(r.PathValue("file"), ".json")
	}
	if account != "" && account != s.account.SID {
		return refuse(20404, r.URL.Path)
	}
	return nil
}

// read is a handler of what is asked for: it lets in, and has FailReads. main is
// as in admit.
func (s *Server) read(main bool, answer func(w http.ResponseWriter, r *http.Request) *refusal) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		arrived := s.config.Now()
		if no := s.admit(r, main); no != nil {
			s.reject(r, arrived, "", no, true)
			no.write(w)
			return
		}
		s.mu.Lock()
		s.stats.Reads++
		t := s.reads
		s.mu.Unlock()
		switch t.how {
		case cutBefore, cutAfter:
			cut(w)
			return
		case hang, hangAfter:
			s.rest(r, -1)
			cut(w)
			return
		}
		s.rest(r, t.wait)
		if t.refuses(w, "") {
			return
		}
		if no := answer(w, r); no != nil {
			s.reject(r, arrived, "", no, no.Status != http.StatusNotFound)
			no.write(w)
		}
	}
}
