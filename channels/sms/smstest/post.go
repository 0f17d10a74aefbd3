package smstest

import (
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"net/http"
	"net/http/httptrace"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"
)

// connectTimeout is how long Twilio takes to connect.
const connectTimeout = 5 * time.Second

// maxReply is the most bytes of a reply that Twilio takes.
const maxReply = 64 << 10

// A Retry says how often a webhook that failed is sent again, at most within
// [Config].Timeout. The zero Retry is Twilio's own: once, if no connection was
// had or it broke.
type Retry struct {
	Count int           // 0 to 5; 0 is Twilio's own, see Never
	On    []string      // ct (no connection, or a broken one), rt (no reply in time), 4xx, 5xx or all; ct if none
	Pause time.Duration // before each
	Never bool
}

func (r Retry) check() error {
	if r.Count < 0 || r.Count > 5 {
		return fmt.Errorf("retry: the count is %d, want 0 to 5", r.Count)
	}
	for _, on := range r.On {
		if !slices.Contains([]string{"ct", "rt", "4xx", "5xx", "all"}, on) {
			return fmt.Errorf("retry: no failure is called %q", on)
		}
	}
	return nil
}

// A hook is a webhook request: its attempts have the same parameters and
// idempotency token.
type hook struct {
	where  string // for faults
	url    string // public
	params url.Values
	sid    string
	token  string
	check  func(reply) (code int, why string) // what is wrong with a reply of 2xx
	hangUp bool                               // first send it and do not wait
	try    func()                             // called before each attempt; may be nil
	answer func(reply)                        // called at a reply of 2xx; may be nil
}

// A reply is one of the service.
type reply struct {
	status int
	kind   string // its Content-Type
	body   []byte
}

// post sends a hook, with Twilio's patience, and records what was wrong. code
// is 0 if the service did as it should.
func (s *Server) post(ctx context.Context, h hook) (code int) {
	target, retry, timeout := s.overrides(h.url)
	ctx, cancel := context.WithTimeout(ctx, timeout)
	defer cancel()
	stop := context.AfterFunc(s.queue.ctx, cancel)
	defer stop()
	if h.hangUp {
		s.count(func(st *Stats) { st.HangUps++; st.Repeats++ })
		_, _, _ = s.attempt(ctx, h, target, true)
	}
	for n := 0; ; n++ {
		got, failure, why := s.attempt(ctx, h, target, false)
		code, fail := 0, ""
		switch {
		case failure != "":
			code, fail = 11205, failure
			if failure == "rt" {
				code = 11200
			} else if failure == "host" {
				code, fail = 11210, ""
			}
		case got.status < 200 || got.status > 299:
			code, why = 11200, fmt.Sprintf("it answered with status %d", got.status)
			if fail = "5xx"; got.status < 500 {
				fail = "4xx"
			}
		default:
			if h.answer != nil {
				h.answer(got)
			}
			if h.check != nil {
				code, why = h.check(got)
			}
		}
		if code == 0 {
			return 0
		}
		again := fail != "" && n < retry.Count && (slices.Contains(retry.On, fail) || slices.Contains(retry.On, "all")) && ctx.Err() == nil
		if s.queue.ctx.Err() != nil {
			return code // the fake ended
		}
		s.mu.Lock()
		s.fault(Fault{Code: code, Where: h.where, SID: h.sid, Why: why, Retried: again})
		if again {
			s.stats.Retries++
		}
		s.mu.Unlock()
		if !again {
			return code
		}
		if retry.Pause > 0 {
			timer := time.NewTimer(retry.Pause)
			select {
			case <-timer.C:
			case <-ctx.Done():
			}
			timer.Stop()
		}
	}
}

func (s *Server) count(add func(*Stats)) {
	s.mu.Lock()
	defer s.mu.Unlock()
	add(&s.stats)
}

// overrides parts a URL from its connection overrides and says what holds.
func (s *Server) overrides(u string) (target string, r Retry, timeout time.Duration) {
	r, timeout = s.config.Retry, s.config.Timeout
	if r.Count == 0 {
		r.Count = 1
	}
	if r.Never {
		r.Count = 0
	}
	if len(r.On) == 0 {
		r.On = []string{"ct"}
	}
	target, fragment, ok := strings.Cut(u, "#")
	if !ok {
		return target, r, timeout
	}
	for pair := range strings.SplitSeq(fragment, "&") {
		name, value, _ := strings.Cut(pair, "=")
		n, err := strconv.Atoi(value)
		switch {
		case name == "rp":
			r.On = strings.Split(value, ",")
		case name == "rc" && err == nil && n >= 0 && n <= 5:
			r.Count = n
		case (name == "tt" || name == "rt") && err == nil && n >= 100 && n <= 15000:
			timeout = min(timeout, time.Duration(n)*time.Millisecond)
		}
	}
	return target, r, timeout
}

// dialled is a public URL as it is called.
func (s *Server) dialled(u string) string {
	s.mu.Lock()
	dial := s.dial
	s.mu.Unlock()
	rest, ok := strings.CutPrefix(u, s.config.Public)
	if dial == "" || !ok || rest != "" && !strings.ContainsAny(rest[:1], "/?") {
		return u
	}
	if !s.config.Strip {
		if p, err := url.Parse(s.config.Public); err == nil {
			rest = p.EscapedPath() + rest
		}
	}
	return dial + rest
}

// attempt sends a hook once. failure is ct, rt or host if no reply was had, and
// why says more.
func (s *Server) attempt(ctx context.Context, h hook, target string, hangUp bool) (got reply, failure, why string) {
	if h.try != nil {
		h.try()
	}
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	if hangUp {
		ctx = httptrace.WithClientTrace(ctx, &httptrace.ClientTrace{WroteRequest: func(httptrace.WroteRequestInfo) { cancel() }})
	}
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, s.dialled(target), strings.NewReader(h.params.Encode()))
	if err != nil {
		return reply{}, "host", "its URL cannot be read"
	}
	s.mu.Lock()
	token := s.account.Token
	s.mu.Unlock()
	maps.Copy(req.Header, s.config.Headers)
	req.Header.Set("Content-Type", "application/x-www-form-urlencoded; charset=UTF-8")
	req.Header.Set("Accept", "*/*")
	req.Header.Set("User-Agent", "TwilioProxy/1.1")
	req.Header.Set("I-Twilio-Idempotency-Token", h.token)
	if shared := s.config.Shared; shared.Name != "" {
		req.Header.Set("X-Twilio-Webhooks-Signature-Settings", "key="+shared.Name+",algorithm="+string(SHA256))
		req.Header.Set("X-Twilio-Signature", Sign(shared.Key, SHA256, target, h.params))
	} else {
		req.Header.Set("X-Twilio-Signature", Sign(token, SHA1, target, h.params))
	}
	res, err := s.client.Do(req)
	if err == nil {
		defer func() { _ = res.Body.Close() }()
		got.status, got.kind = res.StatusCode, res.Header.Get("Content-Type")
		if got.body, err = io.ReadAll(io.LimitReader(res.Body, maxReply+1)); err == nil {
			return got, "", ""
		}
	}
	switch {
	case errors.Is(err, errNotLoopback):
		return reply{}, "host", "its URL does not lead to the service"
	case errors.Is(ctx.Err(), context.DeadlineExceeded):
		return reply{}, "rt", "it did not answer in time"
	}
	return reply{}, "ct", "the connection was not had, or broke"
}
