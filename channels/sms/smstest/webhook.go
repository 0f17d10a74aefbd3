package smstest

import (
	"context"
	"encoding/hex"
	"errors"
	"fmt"
	"net/url"
	"slices"
	"strconv"
	"sync"
	"time"

	"plumbline/internal/gsm7"
)

// A Mark is what a message means to the person who sends it, for the ledger: it
// has no effect on Twilio.
type Mark string

// The marks.
const (
	Stop  Mark = "stop"  // write no more
	Start Mark = "start" // write again
)

// A Message is what a person sends.
type Message struct {
	Body  string
	To    string  // which of our senders; empty for the first of the person's channel
	Media []Media // up to 10; then it is an MMS
	Mark  Mark
	Extra url.Values // more parameters: Twilio adds some without notice
}

// A Media is an attachment.
type Media struct{ URL, ContentType string }

// A Sent is a message that a person sent, and what became of it.
type Sent struct {
	SID      string
	From, To string
	Body     string
	Mark     Mark
	At       time.Time
	Acked    time.Time // when the service's first 2xx was read; zero if there was none
	Attempts int       // webhook requests, those of chaos too
	Code     int       // Twilio's, if it gave up, or the reply was not as it should be

	lost bool
}

// Sent returns what people sent, in that order.
func (s *Server) Sent() []Sent {
	s.mu.Lock()
	defer s.mu.Unlock()
	list := make([]Sent, len(s.sent))
	for i, m := range s.sent {
		list[i] = *m
	}
	return list
}

var (
	errClosed = errors.New("the fake Twilio is closed")

	// ErrNotTaken is the error of a message that the service did not acknowledge,
	// or not as Twilio wants it.
	ErrNotTaken = errors.New("the service did not take the message")
)

// Text sends words to our first sender.
func (p *Phone) Text(ctx context.Context, body string) (Sent, error) {
	return p.Send(ctx, Message{Body: body})
}

// Send sends a message and returns when Twilio has posted it and was answered,
// or gave up. The error is then [ErrNotTaken], and a Fault says more; it may be
// that of ctx, or say what is wrong with m. Messages of one phone that are to
// overtake each other are sent from several goroutines; see Burst.
func (p *Phone) Send(ctx context.Context, m Message) (Sent, error) {
	out, err := p.prepare(m)
	if err != nil {
		return Sent{}, err
	}
	return p.post(ctx, out)
}

// Burst sends messages one after the other without waiting for answers: their
// order is that of m, of their webhooks that of chance. It returns when all were
// answered or given up, with the errors joined.
func (p *Phone) Burst(ctx context.Context, m ...Message) ([]Sent, error) {
	var outs []outgoing
	for _, one := range m {
		out, err := p.prepare(one)
		if err != nil {
			return nil, err
		}
		outs = append(outs, out)
	}
	list, errs := make([]Sent, len(outs)), make([]error, len(outs))
	var wg sync.WaitGroup
	for i, out := range outs {
		wg.Go(func() { list[i], errs[i] = p.post(ctx, out) })
	}
	wg.Wait()
	return list, errors.Join(errs...)
}

// An outgoing is a message on its way to the service.
type outgoing struct {
	sent     *Sent
	hook     hook
	fallback string
	fate     webhookFate
}

// prepare takes a message from the phone: Twilio has it then.
func (p *Phone) prepare(m Message) (outgoing, error) {
	s := p.s
	s.mu.Lock()
	defer s.mu.Unlock()
	to, err := s.receiver(p.address, m.To)
	if err != nil {
		return outgoing{}, err
	}
	if p.address == "" || len(m.Media) > 10 {
		return outgoing{}, errors.New("a message needs an address to come from, and has 10 attachments at most")
	}
	now := s.config.Now()
	p.box.writes++
	n := p.box.writes
	p.box.wrote, p.box.wroteTo = now, to
	if m.Mark == Start {
		p.box.stopped, p.box.started = time.Time{}, n
	}
	prefix := "SM"
	if len(m.Media) > 0 {
		prefix = "MM"
	}
	sent := &Sent{SID: s.sid(prefix, "incoming", p.address, n), From: p.address, To: to, Body: m.Body, Mark: m.Mark, At: now}
	s.sent = append(s.sent, sent)
	s.stats.Inbound++
	s.keep(&message{
		Create:  Create{SID: sent.SID, Direction: inbound, From: p.address, To: to, Body: m.Body, Taken: now, Segments: gsm7.Count(m.Body).Segments, Status: "received"},
		updated: now, sentAt: now, media: len(m.Media),
	})
	out := outgoing{sent: sent, fate: s.webhookFate(s.chaos, p.address, n)}
	hookURL, fallback := s.hookOf(to)
	out.fallback = fallback
	out.hook = hook{
		where: "message", url: hookURL, params: s.inboundParams(p, m, sent), sid: sent.SID, token: s.token("incoming", p.address, n),
		try: func() {
			s.mu.Lock()
			defer s.mu.Unlock()
			sent.Attempts++
			s.stats.Webhooks++
		},
		answer: func(reply) {
			s.mu.Lock()
			defer s.mu.Unlock()
			if !sent.Acked.IsZero() {
				return
			}
			sent.Acked = s.config.Now()
			s.stats.Acked++
			if sent.lost {
				sent.lost, sent.Code = false, 0
				s.stats.Lost--
			}
			if sent.Mark == Stop && n > p.box.started {
				p.box.stopped = sent.Acked
			}
		},
		check: func(r reply) (int, string) {
			doc, code, why := parseTwiML(r, messaging)
			if code == 0 {
				s.reply(p, sent, doc)
			}
			return code, why
		},
	}
	return out, nil
}

// token is an idempotency token: a UUID.
func (s *Server) token(what, name string, n int) string {
	d := s.digest("token"+what, name, n)
	d[6], d[8] = d[6]&0x0f|0x40, d[8]&0x3f|0x80
	h := hex.EncodeToString(d[:16])
	return h[:8] + "-" + h[8:12] + "-" + h[12:16] + "-" + h[16:20] + "-" + h[20:]
}

// receiver is the sender of ours that a phone writes to.
func (s *Server) receiver(from, to string) (string, error) {
	a := &s.account
	if to != "" {
		if !a.owns(to) {
			return "", errors.New("the address that is written to is none of the account's")
		}
		return to, nil
	}
	switch channel, _ := split(from); {
	case channel == whatsApp && len(a.WhatsApp) > 0:
		return whatsApp + a.WhatsApp[0], nil
	case channel == rcs && a.RCS != "":
		return a.RCS, nil
	case channel == sms && len(a.Numbers) > 0:
		return a.Numbers[0].Phone, nil
	}
	return "", fmt.Errorf("the account has no sender of the channel of %q", from[:min(len(from), 4)])
}

// hookOf is where what comes in to a sender is posted, and the fallback.
func (s *Server) hookOf(sender string) (hookURL, fallback string) {
	if m := s.account.serviceOf(sender); m != nil && !m.OnNumber && m.InboundURL != "" {
		return m.InboundURL, m.FallbackURL
	}
	if n := s.account.number(sender); n != nil {
		if n.SMSApplication != "" {
			return "", ""
		}
		return n.SMSURL, n.SMSFallbackURL
	}
	return s.config.Inbound, ""
}

// inboundParams are the parameters of the webhook of a message.
func (s *Server) inboundParams(p *Phone, m Message, sent *Sent) url.Values {
	v := url.Values{
		"MessageSid": {sent.SID}, "SmsSid": {sent.SID}, "SmsMessageSid": {sent.SID}, "AccountSid": {s.account.SID}, "ApiVersion": {"2010-04-01"},
		"From": {p.address}, "To": {sent.To}, "Body": {m.Body}, "SmsStatus": {"received"},
		"NumMedia": {strconv.Itoa(len(m.Media))}, "NumSegments": {strconv.Itoa(gsm7.Count(m.Body).Segments)},
	}
	for i, media := range m.Media {
		v.Set("MediaUrl"+strconv.Itoa(i), media.URL)
		v.Set("MediaContentType"+strconv.Itoa(i), media.ContentType)
	}
	if service := s.account.serviceOf(sent.To); service != nil {
		v.Set("MessagingServiceSid", service.SID)
	}
	switch channel, name := split(p.address); channel {
	case whatsApp:
		v.Set("ProfileName", "Ana 🚰")
		v.Set("WaId", name[min(len(name), 1):])
		v.Set("MessageType", "text")
		v.Set("ReferralNumMedia", "0")
	case rcs:
		v.Set("MessageType", "text")
	default:
		for name, value := range map[string]string{"City": "NEWARK", "State": "NJ", "Zip": "07102", "Country": "US"} {
			v.Set("From"+name, value)
			v.Set("To"+name, value)
		}
		v.Set("FromCity", "") // as often is
	}
	if kind := s.heed(p, sent.To, m.Body); kind != "" {
		v.Set("OptOutType", kind)
	}
	for name, values := range m.Extra {
		v[name] = slices.Clone(values)
	}
	return v
}

// post posts a message to the service, as chaos has it.
func (p *Phone) post(ctx context.Context, out outgoing) (Sent, error) {
	s, fate := p.s, out.fate
	if fate.hold > 0 {
		timer := time.NewTimer(fate.hold)
		select {
		case <-timer.C:
		case <-ctx.Done():
		case <-s.queue.ctx.Done():
		}
		timer.Stop()
	}
	if fate.again > 0 {
		s.count(func(st *Stats) { st.Repeats++ })
		s.queue.after(fate.again, func(ctx context.Context) { s.post(ctx, out.hook) })
	}
	h := out.hook
	var twin sync.WaitGroup
	if fate.twice {
		s.count(func(st *Stats) { st.Repeats++ })
		twin.Go(func() { s.post(ctx, out.hook) })
	}
	h.hangUp = fate.hangUp
	code := 11210
	if h.url != "" {
		code = s.post(ctx, h)
	} else {
		s.mu.Lock()
		s.fault(Fault{Code: code, Where: h.where, SID: h.sid, Why: "the sender has no URL for messages"})
		s.mu.Unlock()
	}
	if code != 0 && out.fallback != "" && ctx.Err() == nil {
		h.where, h.hangUp = "fallback", false
		h.params = cloned(h.params)
		h.params.Set("ErrorCode", strconv.Itoa(code))
		h.params.Set("ErrorUrl", h.url)
		h.url = out.fallback
		code = s.post(ctx, h)
	}
	twin.Wait()

	s.mu.Lock()
	defer s.mu.Unlock()
	if acked := !out.sent.Acked.IsZero(); code == 0 || acked && slices.Contains([]int{11200, 11205, 11210}, code) { // by one attempt or another
		return *out.sent, nil
	} else if !acked {
		out.sent.lost = true
		s.stats.Lost++
	}
	out.sent.Code = code
	err := fmt.Errorf("%w: Twilio's code %d", ErrNotTaken, code)
	switch {
	case s.queue.ctx.Err() != nil:
		err = errClosed
	case ctx.Err() != nil:
		err = ctx.Err()
	}
	return *out.sent, err
}

func cloned(v url.Values) url.Values {
	c := make(url.Values, len(v))
	for name, values := range v {
		c[name] = slices.Clone(values)
	}
	return c
}

// reply sends the texts that are told in the reply to a webhook, once.
func (s *Server) reply(p *Phone, sent *Sent, doc []Verb) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for i, v := range doc {
		if v.Name != "Message" {
			continue
		}
		now := s.config.Now()
		d := draft{to: p.address, from: sent.To, body: v.Text, valid: 36000}
		if to := v.Attrs["to"]; to != "" {
			d.to = to
		}
		channel, person := split(d.to)
		box := s.box(d.to)
		if no := bodyFault(v.Text); no != nil {
			s.fault(Fault{Code: no.Code, Where: "message", SID: sent.SID, Why: no.why()})
			continue
		}
		if s.optOuts[s.scope(channel, person, d)] {
			continue
		}
		sid := s.sid("SM", "reply"+sent.SID, strconv.Itoa(i), 0)
		if s.bySID[sid] != nil {
			sid = s.sid("SM", "reply"+sent.SID, strconv.Itoa(i), len(s.messages)) // a repeat is one more message
		}
		m := &message{
			Create: Create{SID: sid, Direction: "outbound-reply", Arrived: now, Taken: now, To: d.to, From: d.from, Body: d.body, Status: "delivered",
				Segments: gsm7.Count(d.body).Segments, Delivered: now, AfterStop: !box.stopped.IsZero()},
			updated: now, sentAt: now,
		}
		if m.AfterStop {
			s.stats.AfterStop++
		}
		s.keep(m)
		s.stats.Taken++
		s.stats.Delivered++
		s.stats.Segments += m.Segments
		box.receive(Text{SID: sid, From: d.from, Body: d.body, At: now, TwiML: true})
	}
}
