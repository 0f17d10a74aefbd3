package sms

import (
	"context"
	"encoding/json"
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"

	"plumbline/bot"
)

// The paths of a [Hook], below the public URL.
const (
	MessagePath = "/twilio/message"
	StatusPath  = "/twilio/status"
	VoicePath   = "/twilio/voice"
	PingPath    = "/twilio/ping" // answers [Pong]: an operator's check that the public URL reaches us
)

// Pong is what [PingPath] answers.
const Pong = "plumbline twilio webhooks\n"

// maxBody is the most bytes of a request: Twilio's have a few thousand.
const maxBody = 64 << 10

// recordWait is how long recording may take: Twilio waits 15 seconds.
const recordWait = 12 * time.Second

// maxMedia is how many attachments of one message are heard of; Twilio takes 10.
const maxMedia = 10

// A Settler takes in what became of texts. See [bot.Outbox].
type Settler interface {
	Settle(ctx context.Context, s bot.Settlement) error
}

// A Spoken is a text that callers hear.
type Spoken struct {
	Language bot.Language
	Text     string
}

// HookConfig is what a [Hook] needs.
type HookConfig struct {
	PublicURL string // as Twilio calls us, such as https://hotline.example.org, whatever a proxy makes of it
	Account   string // the account's SID
	Number    string // ours, for senders that are no number; may be empty
	Verifier  Verifier
	Receiver  bot.Receiver
	Settler   Settler
	Voice     []Spoken             // what callers hear; empty to reject calls
	Settled   func(bot.Settlement) // told of each that was taken in; may be nil
	Now       func() time.Time
	Log       *slog.Logger
}

// A Hook takes in what Twilio posts. What it acknowledges is on disk; what it
// cannot record it answers with 503, so that Twilio tries again or uses its
// fallback URL. Answers are sent by REST: a message is acknowledged by TwiML
// that says nothing.
type Hook struct {
	config HookConfig
	prefix string // path of the public URL, which a proxy may have taken off
	base   string // the public URL without it
}

// NewHook returns a Hook. Its error says what is wrong with the public URL.
func NewHook(c HookConfig) (*Hook, error) {
	u, err := url.Parse(c.PublicURL)
	if err != nil || u.Scheme != "https" && u.Scheme != "http" || u.Host == "" || u.RawQuery != "" || u.Fragment != "" || u.User != nil {
		return nil, fmt.Errorf("the public URL is not one such as https://hotline.example.org: %w", bot.ErrInvalid)
	}
	prefix := strings.TrimRight(u.EscapedPath(), "/")
	base := strings.TrimSuffix(strings.TrimRight(c.PublicURL, "/"), prefix)
	return &Hook{config: c, prefix: prefix, base: base}, nil
}

// Routes are the paths of the hook, with and without the path of the public URL.
func (h *Hook) Routes() http.Handler {
	mux := http.NewServeMux()
	mux.HandleFunc("POST "+MessagePath, h.verified(h.message))
	mux.HandleFunc("POST "+StatusPath, h.verified(h.status))
	mux.HandleFunc("POST "+VoicePath, h.verified(h.voice))
	mux.HandleFunc("GET "+PingPath, func(w http.ResponseWriter, _ *http.Request) { _, _ = io.WriteString(w, Pong) })
	if h.prefix == "" {
		return mux
	}
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if strings.HasPrefix(r.URL.Path, h.prefix+"/") {
			http.StripPrefix(h.prefix, mux).ServeHTTP(w, r)
			return
		}
		mux.ServeHTTP(w, r)
	})
}

// called is the URL as Twilio called it: the configured one with the path and
// query of the request as they were sent. No header has a say.
func (h *Hook) called(r *http.Request) string {
	uri := r.RequestURI
	if _, rest, whole := strings.Cut(uri, "://"); whole && !strings.HasPrefix(uri, "/") {
		uri = "/"
		if i := strings.IndexByte(rest, '/'); i >= 0 {
			uri = rest[i:]
		}
	}
	if strings.HasPrefix(uri, h.prefix+"/") {
		return h.base + uri
	}
	return h.base + h.prefix + uri
}

// verified lets do see requests that Twilio signed, and no others.
func (h *Hook) verified(do func(w http.ResponseWriter, r *http.Request, params url.Values)) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, maxBody))
		if err != nil {
			status := http.StatusBadRequest
			if _, long := errors.AsType[*http.MaxBytesError](err); long {
				status = http.StatusRequestEntityTooLarge
			}
			http.Error(w, http.StatusText(status), status)
			return
		}
		params, err := h.config.Verifier.Verify(r, h.called(r), body)
		if err == nil && params == nil && len(body) > 0 {
			params, err = jsonParams(body)
		}
		if err == nil && params.Get("AccountSid") != h.config.Account {
			err = denied("it is of another account than twilio.account")
		}
		if err != nil {
			h.config.Log.WarnContext(r.Context(), "webhook refused", "path", r.URL.Path, "err", err)
			http.Error(w, http.StatusText(http.StatusForbidden), http.StatusForbidden)
			return
		}
		// It is recorded even if whoever brought it does not wait: Twilio may not
		// come again.
		ctx, cancel := context.WithTimeout(context.WithoutCancel(r.Context()), recordWait)
		defer cancel()
		do(w, r.WithContext(ctx), params)
	}
}

// jsonParams are the values of a JSON object that was verified, as a form would
// have them.
func jsonParams(body []byte) (url.Values, error) {
	var fields map[string]any
	if err := json.Unmarshal(body, &fields); err != nil {
		return nil, denied("its JSON is no object")
	}
	params := url.Values{}
	for name, v := range fields {
		switch v.(type) {
		case string, float64, bool:
			params.Set(name, fmt.Sprint(v))
		}
	}
	return params, nil
}

// message takes in a message of a resident.
func (h *Hook) message(w http.ResponseWriter, r *http.Request, params url.Values) {
	from, ok := addressOf(params.Get("From"), params.Get("To"), h.config.Number)
	if !ok {
		// Nothing could be sent back, now or later.
		h.config.Log.InfoContext(r.Context(), "message of a sender who cannot be answered left alone", "channel", SMS)
		twiml(w, nil)
		return
	}
	m := bot.Message{ID: first(params, "MessageSid", "SmsSid", "SmsMessageSid"), From: from, Text: params.Get("Body"), Media: media(params), Heard: heard(params.Get("OptOutType")), At: h.config.Now()}
	if m.ID == "" {
		h.config.Log.ErrorContext(r.Context(), "message without a MessageSid refused")
		http.Error(w, http.StatusText(http.StatusBadRequest), http.StatusBadRequest)
		return
	}
	if err := h.config.Receiver.Receive(r.Context(), m); err != nil {
		h.fail(w, r, "message not taken in", err)
		return
	}
	twiml(w, nil)
}

// heard is the keyword that Advanced Opt-Out heard and answered.
func heard(optOutType string) bot.Word {
	switch optOutType {
	case "STOP":
		return bot.WordStop
	case "START":
		return bot.WordStart
	case "HELP":
		return bot.WordHelp
	}
	return ""
}

// media are the kinds of a message's attachments. A place that was shared is
// one too: it is not read.
func media(params url.Values) (list []bot.Medium) {
	n, err := strconv.Atoi(params.Get("NumMedia"))
	if err != nil {
		n = 0
	}
	for i := range min(n, maxMedia) {
		kind, _, _ := strings.Cut(params.Get("MediaContentType"+strconv.Itoa(i)), "/")
		switch m := bot.Medium(kind); m {
		case bot.Image, bot.Audio, bot.Video:
			list = append(list, m)
		default:
			list = append(list, bot.File)
		}
	}
	if params.Get("Latitude") != "" {
		list = append(list, bot.File)
	}
	return list
}

func first(params url.Values, names ...string) string {
	for _, name := range names {
		if v := params.Get(name); v != "" {
			return v
		}
	}
	return ""
}

// status takes in what became of a text.
func (h *Hook) status(w http.ResponseWriter, r *http.Request, params url.Values) {
	q := r.URL.Query()
	s := bot.Settlement{Channel: q.Get("channel"), Key: q.Get("key"), VendorID: first(params, "MessageSid", "SmsSid")}
	switch said := first(params, "MessageStatus", "SmsStatus"); said {
	case "accepted", "scheduled", "queued", "sending", "sent":
		s.State = bot.Accepted
	case "delivered", "read":
		s.State = bot.Delivered
	case "undelivered", "failed", "canceled":
		code := params.Get("ErrorCode")
		kind := kindOf(code)
		s.State, s.Why, s.OptedOut = bot.Failed, bot.Why(&bot.Refusal{Code: code, Err: kind}), errors.Is(kind, bot.ErrOptedOut)
		h.config.Log.WarnContext(r.Context(), "text not delivered", "id", s.VendorID, "why", s.Why)
	default: // Twilio adds states without notice
		h.config.Log.DebugContext(r.Context(), "status of a text not known", "id", s.VendorID)
		w.WriteHeader(http.StatusNoContent)
		return
	}
	switch err := h.config.Settler.Settle(r.Context(), s); {
	case errors.Is(err, bot.ErrNotFound), errors.Is(err, bot.ErrInvalid): // erased since, or none of ours
		h.config.Log.DebugContext(r.Context(), "status of a text that is not known", "id", s.VendorID)
	case errors.Is(err, bot.ErrConflict):
		h.config.Log.ErrorContext(r.Context(), "a text went out twice", "id", s.VendorID, "err", err)
	case err != nil:
		h.fail(w, r, "status of a text not taken in", err)
		return
	case h.config.Settled != nil:
		h.config.Settled(s)
	}
	w.WriteHeader(http.StatusNoContent)
}

// voice answers a call with a recording.
func (h *Hook) voice(w http.ResponseWriter, r *http.Request, _ url.Values) {
	h.config.Log.InfoContext(r.Context(), "call answered with the recording")
	var verbs []verb
	for range 2 {
		for _, s := range h.config.Voice {
			verbs = append(verbs, verb{XMLName: xml.Name{Local: "Say"}, Language: string(s.Language) + "-US", Text: s.Text}, verb{XMLName: xml.Name{Local: "Pause"}, Length: "1"})
		}
	}
	twiml(w, append(verbs, verb{XMLName: xml.Name{Local: "Hangup"}}))
}

// fail says that something was not recorded: Twilio may send it again.
func (h *Hook) fail(w http.ResponseWriter, r *http.Request, what string, err error) {
	h.config.Log.ErrorContext(r.Context(), what, "err", err)
	w.Header().Set("Retry-After", "1")
	http.Error(w, http.StatusText(http.StatusServiceUnavailable), http.StatusServiceUnavailable)
}

// A verb is an instruction of TwiML.
type verb struct {
	XMLName  xml.Name
	Language string `xml:"language,attr,omitempty"`
	Length   string `xml:"length,attr,omitempty"`
	Text     string `xml:",chardata"`
}

// twiml writes a TwiML document.
func twiml(w http.ResponseWriter, verbs []verb) {
	doc := struct {
		XMLName xml.Name `xml:"Response"`
		Verbs   []verb
	}{Verbs: verbs}
	b, err := xml.Marshal(doc)
	if err != nil {
		http.Error(w, http.StatusText(http.StatusInternalServerError), http.StatusInternalServerError)
		return
	}
	w.Header().Set("Content-Type", "text/xml; charset=utf-8")
	_, _ = io.WriteString(w, xml.Header)
	_, _ = w.Write(b)
}
