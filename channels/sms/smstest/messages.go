package smstest

import (
	"context"
	"io"
	"mime"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"time"

	"plumbline/internal/gsm7"
)

// maxRequest is the most bytes of a create.
const maxRequest = 256 << 10

// A Create is an outgoing message that was taken.
type Create struct {
	SID       string
	Direction string    // outbound-api, or outbound-reply of TwiML
	Arrived   time.Time // when the request came
	Taken     time.Time
	To, From  string // From is empty until a Messaging Service chose
	Body      string // as it was given
	Service   string
	Callback  string // the URL that is told what became of it
	Segments  int
	Status    string // queued, accepted, sent, delivered, undelivered or failed
	Code      int    // why it was not delivered
	Delivered time.Time

	// AfterStop says that when it arrived the service had acknowledged a message
	// of that person marked as [Stop], and none marked as [Start] was sent since.
	AfterStop bool

	// Unheard says that the caller was not told that it was taken.
	Unheard bool
}

// Creates returns the outgoing messages that were taken, in that order.
func (s *Server) Creates() []Create {
	s.mu.Lock()
	defer s.mu.Unlock()
	var list []Create
	for _, m := range s.messages {
		if m.Direction != inbound {
			list = append(list, m.Create)
		}
	}
	return list
}

const inbound = "inbound"

// A message is one of either direction.
type message struct {
	Create
	updated, sentAt time.Time
	media           int
	fate            callbackFate
	steps           []string // the states that it goes through
	final           int      // the code of the last
	shown           string   // the text as the phone shows it
}

// create is POST Messages.json.
func (s *Server) create(w http.ResponseWriter, r *http.Request) {
	arrived := s.config.Now()
	s.mu.Lock()
	s.stats.Creates++
	s.mu.Unlock()
	no := s.admit(r, false)
	var form url.Values
	if no == nil {
		form, no = readForm(r)
	}
	if no != nil {
		s.refused(w, r, arrived, "", no)
		return
	}
	s.mu.Lock()
	d, no := s.check(form)
	if no != nil {
		s.mu.Unlock()
		s.refused(w, r, arrived, d.to, no)
		return
	}
	box := s.box(d.to)
	box.creates++
	stopped := box.stopped
	t := s.trouble(d.to, box.creates)
	if t.how == cutBefore || t.how == hang || t.status != 0 {
		s.stats.Troubled++
		s.rejected(Rejection{Arrived: arrived, Method: r.Method, Path: r.URL.Path, To: d.to, Code: t.code, Status: t.status, Trouble: t.name})
		s.mu.Unlock()
		switch t.how {
		case cutBefore:
			cut(w)
		case hang:
			s.rest(r, -1)
			cut(w)
		default:
			t.refuses(w, d.to)
		}
		return
	}
	m := s.take(d, arrived, stopped)
	m.Unheard = t.how != answers
	if m.Unheard {
		s.stats.Unheard++
	}
	answer := s.resource(m)
	early := m.fate.early
	s.mu.Unlock()

	if early {
		s.carryEarly(r, m)
	} else {
		defer s.queue.after(s.config.Latency, func(ctx context.Context) { s.carry(ctx, m) })
	}
	switch t.how {
	case cutAfter:
		cut(w)
		return
	case hangAfter:
		s.rest(r, -1)
		cut(w)
		return
	}
	s.rest(r, t.wait)
	writeJSON(w, http.StatusCreated, answer)
	_ = http.NewResponseController(w).Flush() // before the callbacks
}

// refused answers a create that is at fault.
func (s *Server) refused(w http.ResponseWriter, r *http.Request, arrived time.Time, to string, no *refusal) {
	s.mu.Lock()
	s.stats.Refused++
	s.mu.Unlock()
	s.reject(r, arrived, to, no, no.Code != 21610)
	no.write(w)
}

// readForm reads the form of a create.
func readForm(r *http.Request) (url.Values, *refusal) {
	kind, _, err := mime.ParseMediaType(r.Header.Get("Content-Type"))
	if err != nil || kind != "application/x-www-form-urlencoded" {
		return nil, refuse(20001, "Content-Type").because("the request is no form")
	}
	body, err := io.ReadAll(io.LimitReader(r.Body, maxRequest+1))
	if err != nil || len(body) > maxRequest {
		return nil, refuse(20001, "length").because("the request is too long or was not read whole")
	}
	form, err := url.ParseQuery(string(body))
	if err != nil {
		return nil, refuse(20001, "form").because("the form cannot be read")
	}
	if r.URL.RawQuery != "" {
		return nil, refuse(20001, "query").because("a create has a query")
	}
	return form, nil
}

// take takes a message. s.mu is held.
func (s *Server) take(d draft, arrived, stopped time.Time) *message {
	now := s.config.Now()
	box := s.box(d.to)
	box.taken++
	m := &message{
		Create: Create{
			SID: s.sid("SM", "outgoing", d.to, box.taken), Direction: "outbound-api", Arrived: arrived, Taken: now,
			To: d.to, From: d.from, Body: d.body, Callback: d.callback, Status: "queued", AfterStop: !stopped.IsZero(),
		},
		updated: now,
		shown:   d.body,
	}
	if d.smart {
		m.shown = gsm7.Smart(d.body)
	}
	m.Segments = gsm7.Count(m.shown).Segments
	if d.service != nil {
		m.Service, m.Status = d.service.SID, "accepted"
		m.steps = []string{"queued"}
	}
	if m.AfterStop {
		s.stats.AfterStop++
	}
	s.stats.Taken++
	s.stats.Segments += m.Segments
	m.final = s.outcome(m, box, d.valid, now)
	m.steps = append(m.steps, statesOf(m.final)...)
	m.fate = s.callbackFate(s.chaos, m.SID, len(m.steps))
	s.keep(m)
	if s.config.Latency == 0 {
		s.deliver(m)
	}
	return m
}

// outcome is the code that a message fails with; 0 if it is delivered.
func (s *Server) outcome(m *message, box *inbox, valid int, now time.Time) int {
	channel, _ := split(m.To)
	switch {
	case box.undeliverable != 0:
		return box.undeliverable
	case channel == whatsApp && (box.wrote.IsZero() || now.Sub(box.wrote) > 24*time.Hour):
		return 63016
	case s.config.Latency > time.Duration(valid)*time.Second:
		return 30036
	}
	return 0
}

// statesOf are the states after queued.
func statesOf(code int) []string {
	switch {
	case code == 0:
		return []string{"sent", "delivered"}
	case code >= 60000, slices.Contains([]int{30001, 30002, 30036}, code):
		return []string{"failed"}
	}
	return []string{"sent", "undelivered"}
}

// keep records a message. s.mu is held.
func (s *Server) keep(m *message) {
	s.messages = append(s.messages, m)
	s.bySID[m.SID] = m
	s.byTo[m.To] = append(s.byTo[m.To], m)
}

// deliver gives a message to the phone, if it is not to fail. It is called once
// a message. s.mu is held.
func (s *Server) deliver(m *message) {
	if m.final != 0 {
		s.stats.Failed++
		return
	}
	m.Delivered = s.config.Now()
	from := m.From
	if from == "" {
		from = s.choose(s.account.service(m.Service), m.To)
	}
	s.stats.Delivered++
	s.box(m.To).receive(Text{SID: m.SID, From: from, Body: m.shown, At: m.Delivered})
}

// A messageResource is a message as the API tells of it.
type messageResource struct {
	Body                string            `json:"body"`
	NumSegments         string            `json:"num_segments"`
	Direction           string            `json:"direction"`
	From                *string           `json:"from"`
	DateUpdated         string            `json:"date_updated"`
	Price               *string           `json:"price"`
	ErrorMessage        *string           `json:"error_message"`
	URI                 string            `json:"uri"`
	AccountSID          string            `json:"account_sid"`
	NumMedia            string            `json:"num_media"`
	To                  string            `json:"to"`
	DateCreated         string            `json:"date_created"`
	Status              string            `json:"status"`
	SID                 string            `json:"sid"`
	DateSent            *string           `json:"date_sent"`
	MessagingServiceSID *string           `json:"messaging_service_sid"`
	ErrorCode           *int              `json:"error_code"`
	PriceUnit           *string           `json:"price_unit"`
	APIVersion          string            `json:"api_version"`
	Subresources        map[string]string `json:"subresource_uris"`
}

// rfc2822 writes a time as the 2010-04-01 API does: to the second, in UTC.
func rfc2822(t time.Time) string { return t.UTC().Format(time.RFC1123Z) }

// resource is m as it is now. s.mu is held.
func (s *Server) resource(m *message) messageResource {
	path := "/2010-04-01/Accounts/" + s.account.SID + "/Messages/" + m.SID
	r := messageResource{
		Body: m.Body, NumSegments: strconv.Itoa(m.Segments), Direction: m.Direction, From: text(m.From),
		DateUpdated: rfc2822(m.updated), URI: path + ".json", AccountSID: s.account.SID, NumMedia: strconv.Itoa(m.media), To: m.To,
		DateCreated: rfc2822(m.Taken), Status: m.Status, SID: m.SID, MessagingServiceSID: text(m.Service), APIVersion: "2010-04-01",
		Subresources: map[string]string{"media": path + "/Media.json"},
	}
	if m.Status == "accepted" {
		r.NumSegments = "0"
	}
	if !m.sentAt.IsZero() {
		r.DateSent = text(rfc2822(m.sentAt))
		r.PriceUnit = text("USD")
	}
	if m.Code != 0 {
		code := m.Code // as it is now
		r.ErrorCode = &code
	}
	return r
}

// text is a string that is null if it is empty.
func text(v string) *string {
	if v == "" {
		return nil
	}
	return &v
}
