package sms

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptrace"
	"net/url"
	"strconv"
	"strings"
	"sync/atomic"
	"time"

	twilio "github.com/twilio/twilio-go/client"

	"plumbline/bot"
	"plumbline/internal/secret"
)

// Credentials open an account at Twilio: with its auth token, or with an API
// key and its secret.
type Credentials struct {
	Account string      // AC…
	Token   secret.Text // the auth token
	Key     string      // SK…; empty to use the token
	Secret  secret.Text // of Key
}

// API is where Twilio's API is.
const API = "https://api.twilio.com"

// An api calls Twilio. It gives twilio-go a client for each call, for that has
// no context of its own.
type api struct {
	creds Credentials
	base  string // in place of every host of Twilio's; empty for theirs
	http  *http.Client
}

func newAPI(creds Credentials, base string) *api {
	t := http.DefaultTransport.(*http.Transport).Clone()
	t.MaxIdleConnsPerHost = 16
	c := &http.Client{Transport: t, CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
	if base == API {
		base = ""
	}
	return &api{creds: creds, base: strings.TrimRight(base, "/"), http: c}
}

// with is a client for one call of twilio-go.
func (a *api) with(ctx context.Context) *client { return &client{api: a, ctx: ctx} }

// A client is [twilio.BaseClient] for one call.
type client struct {
	*api
	ctx context.Context // a client lives for one call
}

// AccountSid implements [twilio.BaseClient].
func (c *client) AccountSid() string { return c.creds.Account }

// SetTimeout implements [twilio.BaseClient]: contexts bound our calls.
func (c *client) SetTimeout(time.Duration) {}

// SetOauth implements [twilio.BaseClient].
func (c *client) SetOauth(twilio.OAuth) {}

// OAuth implements [twilio.BaseClient].
func (c *client) OAuth() twilio.OAuth { return nil }

// maxReply is the most bytes that are read of a reply.
const maxReply = 4 << 20

// SendRequest implements [twilio.BaseClient]. Its errors are of the kinds of
// bot and hold neither URL nor body.
func (c *client) SendRequest(method, rawURL string, data url.Values, headers map[string]any, body ...byte) (*http.Response, error) {
	if err := c.ctx.Err(); err != nil {
		return nil, err
	}
	if c.base != "" {
		u, err := url.Parse(rawURL)
		if err != nil {
			return nil, fmt.Errorf("call twilio: its URL cannot be read: %w", bot.ErrInvalid)
		}
		rawURL = c.base + u.RequestURI()
	}
	var content io.Reader
	switch {
	case len(body) > 0:
		content = strings.NewReader(string(body))
	case method == http.MethodGet && len(data) > 0:
		rawURL += "?" + data.Encode()
	case len(data) > 0:
		content = strings.NewReader(data.Encode())
	}
	var wrote atomic.Bool
	ctx := httptrace.WithClientTrace(c.ctx, &httptrace.ClientTrace{WroteHeaders: func() { wrote.Store(true) }})
	req, err := http.NewRequestWithContext(ctx, method, rawURL, content)
	if err != nil {
		return nil, fmt.Errorf("call twilio: its URL cannot be read: %w", bot.ErrInvalid)
	}
	for name, v := range headers {
		req.Header.Set(name, fmt.Sprint(v))
	}
	req.Header.Set("Accept", "application/json")
	req.Header.Set("User-Agent", "plumbline")
	if c.creds.Key != "" {
		req.SetBasicAuth(c.creds.Key, c.creds.Secret.Reveal())
	} else {
		req.SetBasicAuth(c.creds.Account, c.creds.Token.Reveal())
	}
	doubt := method == http.MethodPost
	res, err := c.http.Do(req)
	if err != nil {
		return nil, c.lost(err, doubt && wrote.Load())
	}
	if res.StatusCode < 300 {
		// It is read whole here, so that a connection that is cut within it is told as such.
		b, err := io.ReadAll(io.LimitReader(res.Body, maxReply))
		_ = res.Body.Close()
		if err == nil && !json.Valid(b) {
			err = errors.New("it is no JSON")
		}
		if err != nil {
			return nil, c.lost(err, doubt)
		}
		res.Body = io.NopCloser(strings.NewReader(string(b)))
		return res, nil
	}
	defer func() { _ = res.Body.Close() }()
	return nil, refused(res, doubt)
}

// lost is the error of a call that was not answered.
func (c *client) lost(err error, doubt bool) error {
	if ue, ok := errors.AsType[*url.Error](err); ok {
		err = ue.Err // without the URL, which may hold a number
	}
	kind := bot.ErrUnavailable
	if doubt {
		kind = bot.ErrInDoubt
	}
	if ctxErr := c.ctx.Err(); ctxErr != nil {
		err = ctxErr
		if errors.Is(ctxErr, context.Canceled) && !doubt {
			return ctxErr
		}
	}
	return fmt.Errorf("call twilio: %w: %w", kind, err)
}

// refused is the error of a reply that is not a success.
func refused(res *http.Response, doubt bool) error {
	var said struct {
		Code int `json:"code"`
	}
	b, err := io.ReadAll(io.LimitReader(res.Body, maxReply))
	if err != nil || json.Unmarshal(b, &said) != nil {
		said.Code = 0
	}
	code := strconv.Itoa(said.Code)
	if said.Code == 0 {
		code = "HTTP " + strconv.Itoa(res.StatusCode)
	}
	wait := time.Duration(0)
	if s, err := strconv.Atoi(res.Header.Get("Retry-After")); err == nil && s > 0 {
		wait = time.Duration(s) * time.Second
	}
	kind := kindOf(code)
	switch {
	case res.StatusCode == http.StatusTooManyRequests:
		kind = bot.ErrUnavailable
	case res.StatusCode >= 500 && doubt, res.StatusCode == http.StatusRequestTimeout && doubt:
		kind = bot.ErrInDoubt // it may have failed after it took the text
	case res.StatusCode >= 500, res.StatusCode == http.StatusRequestTimeout:
		kind = bot.ErrUnavailable
	case mends[code], res.StatusCode == http.StatusUnauthorized, res.StatusCode == http.StatusForbidden && said.Code == 0, res.StatusCode < 400:
		kind, wait = bot.ErrUnavailable, max(wait, mendWait)
	}
	if wait > 0 && errors.Is(kind, bot.ErrUnavailable) {
		kind = fmt.Errorf("%w: %w", kind, bot.RetryAfter{Wait: wait})
	}
	return fmt.Errorf("call twilio: %w", &bot.Refusal{Code: code, Err: kind})
}

// mendWait is how long what an operator must mend is left alone.
const mendWait = time.Minute
