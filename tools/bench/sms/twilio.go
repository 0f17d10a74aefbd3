package main

import (
	"context"
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha1"
	"encoding/base64"
	"encoding/hex"
	"fmt"
	"io"
	"maps"
	"net"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"sync"
	"time"

	"plumbline/tools/bench/measure"
)

const (
	channel   = "sms"
	account   = "AC00000000000000000000000000000000"
	token     = "a token of nobody"
	ours      = "+19735550100"
	publicURL = "https://hotline.example.org"
	path      = "/twilio/message"
	patience  = 15 * time.Second // Twilio's, with a webhook
)

// areas are codes of the numbering plan. Those that end in two like digits are
// not of places.
var areas = func() (list []int) {
	for code := 200; code < 1000; code++ {
		if a, b, c := code/100, code/10%10, code%10; b != c && b != 9 && a*10+b != 37 && a*10+b != 96 && code != 973 {
			list = append(list, code)
		}
	}
	return list
}()

// mostNumbers is how many there are: each area has a hundred for fiction.
var mostNumbers = len(areas) * 100

func number(i int) string { return fmt.Sprintf("+1%d55501%02d", areas[i/100%len(areas)], i%100) }

func sid(kind string) string {
	b := make([]byte, 16)
	_, _ = rand.Read(b) // never fails
	return kind + hex.EncodeToString(b)
}

// A message is a webhook's request: made and signed before the time is taken.
type message struct{ body, signature string }

func newMessage(from, text string) message {
	form := url.Values{
		"MessageSid": {sid("SM")}, "AccountSid": {account}, "From": {from}, "To": {ours}, "Body": {text},
		"NumMedia": {"0"}, "NumSegments": {"1"}, "ApiVersion": {"2010-04-01"},
	}
	mac := hmac.New(sha1.New, []byte(token))
	_, _ = io.WriteString(mac, publicURL+path)
	for _, name := range slices.Sorted(maps.Keys(form)) {
		_, _ = io.WriteString(mac, name+form.Get(name))
	}
	return message{form.Encode(), base64.StdEncoding.EncodeToString(mac.Sum(nil))}
}

// busy is an answer upon which Twilio tries again.
type busy struct{ why string }

func (b busy) Error() string { return b.why }

// post sends m and returns when it began and when it was acknowledged.
func (m message) post(ctx context.Context, base string) (sent, acknowledged time.Time, err error) {
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, base+path, strings.NewReader(m.body))
	if err != nil {
		return sent, sent, err
	}
	req.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	req.Header.Set("X-Twilio-Signature", m.signature)
	sent = time.Now()
	res, err := measure.Client.Do(req)
	if err != nil {
		return sent, sent, busy{err.Error()}
	}
	defer func() { _ = res.Body.Close() }()
	if _, err = io.Copy(io.Discard, res.Body); err != nil {
		return sent, sent, busy{err.Error()}
	}
	switch res.StatusCode {
	case http.StatusOK:
		return sent, time.Now(), nil
	case http.StatusServiceUnavailable:
		return sent, sent, busy{res.Status}
	}
	return sent, sent, fmt.Errorf("a message was answered with %s", res.Status)
}

// acknowledge is how a bare handler answers: as the service does.
func acknowledge(w http.ResponseWriter, _ *http.Request) {
	w.Header().Set("Content-Type", "text/xml; charset=utf-8")
	_, _ = io.WriteString(w, `<?xml version="1.0" encoding="UTF-8"?>`+"\n<Response></Response>")
}

// A vendor is a stub of Twilio, which takes every text at once.
type vendor struct {
	url    string
	server *http.Server

	mu   sync.Mutex
	sent map[string]int // texts, by number
}

func newVendor() (*vendor, error) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return nil, err
	}
	v := &vendor{url: "http://" + l.Addr().String(), sent: map[string]int{}}
	mux := http.NewServeMux()
	mux.HandleFunc("POST /2010-04-01/Accounts/"+account+"/Messages.json", v.take)
	mux.HandleFunc("GET /", func(w http.ResponseWriter, _ *http.Request) { answer(w, http.StatusOK, `{"messages":[]}`) })
	v.server = &http.Server{Handler: mux}
	go func() { _ = v.server.Serve(l) }()
	return v, nil
}

func (v *vendor) take(w http.ResponseWriter, r *http.Request) {
	v.mu.Lock()
	v.sent[r.PostFormValue("To")]++
	v.mu.Unlock()
	answer(w, http.StatusCreated, fmt.Sprintf(`{"sid":%q,"account_sid":%q,"status":"queued","direction":"outbound-api","error_code":null}`, sid("SM"), account))
}

func answer(w http.ResponseWriter, status int, text string) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	_, _ = io.WriteString(w, text)
}

// count says how many texts the vendor took, for how many people.
func (v *vendor) count() (f vendorFigures) {
	v.mu.Lock()
	defer v.mu.Unlock()
	for _, n := range v.sent {
		f.Texts += n
	}
	f.People = len(v.sent)
	return f
}

func (v *vendor) close() { _ = v.server.Close() }
