package main

import (
	"bufio"
	"context"
	"crypto/rand"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strings"
	"time"

	"plumbline/tools/bench/measure"
)

// A phone is a visitor's browser.
type phone struct{ url, cookie string }

func newPhone(base string) phone { return phone{base, rand.Text()} }

func (p phone) do(ctx context.Context, method, path string, body io.Reader) (*http.Response, error) {
	req, err := http.NewRequestWithContext(ctx, method, p.url+path, body)
	if err != nil {
		return nil, err
	}
	req.AddCookie(&http.Cookie{Name: "plumbline_phone", Value: p.cookie})
	if body != nil {
		req.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	}
	return measure.Client.Do(req)
}

// post sends a text and returns when it began and when it was acknowledged.
func (p phone) post(ctx context.Context, text string) (sent, acknowledged time.Time, err error) {
	form := url.Values{"text": {text}, "nonce": {rand.Text()}}.Encode()
	sent = time.Now()
	res, err := p.do(ctx, http.MethodPost, "/messages", strings.NewReader(form))
	if err != nil {
		return sent, sent, err
	}
	defer func() { _ = res.Body.Close() }()
	_, err = io.Copy(io.Discard, res.Body)
	if err == nil && res.StatusCode != http.StatusSeeOther {
		err = fmt.Errorf("a text was answered with %s", res.Status)
	}
	return sent, time.Now(), err
}

// A reply is an answer as it came to the page.
type reply struct {
	at     time.Time
	urgent bool
}

// open shows the page's live stream until ctx is done: what it returns has a
// reply for each answer, and is closed when the stream ends.
func (p phone) open(ctx context.Context) (<-chan reply, error) {
	res, err := p.do(ctx, http.MethodGet, "/events", nil)
	if err != nil {
		return nil, err
	}
	if res.StatusCode != http.StatusOK {
		_ = res.Body.Close()
		return nil, fmt.Errorf("the stream was answered with %s", res.Status)
	}
	replies := make(chan reply, 100)
	go func() {
		defer close(replies)
		defer func() { _ = res.Body.Close() }()
		sc := bufio.NewScanner(res.Body)
		sc.Buffer(nil, 1<<20)
		for sc.Scan() {
			data, ok := strings.CutPrefix(sc.Text(), "data: ")
			if !ok {
				continue
			}
			at := time.Now()
			var e struct {
				HTML   string `json:"html"`
				Mine   bool   `json:"mine"`
				Answer string `json:"answer"`
			}
			if json.Unmarshal([]byte(data), &e) == nil && !e.Mine && e.Answer != "" {
				replies <- reply{at, strings.Contains(e.HTML, "bubble theirs urgent") && strings.Contains(e.HTML, "911")}
			}
		}
	}()
	return replies, nil
}
