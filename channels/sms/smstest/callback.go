package smstest

import (
	"context"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"time"
)

// carry takes a message through its states and tells the service of each.
func (s *Server) carry(ctx context.Context, m *message) {
	s.mu.Lock()
	fate := m.fate
	s.mu.Unlock()
	inOrder := slices.IsSorted(fate.order)
	told := make([]url.Values, len(m.steps))
	for i := range m.steps {
		told[i] = s.advance(m, i)
		if inOrder {
			s.tell(ctx, m, i, told[i])
		}
	}
	if inOrder {
		return
	}
	for _, i := range fate.order {
		s.tell(ctx, m, i, told[i])
	}
}

// early is how long a create waits for callbacks that come before its answer.
const early = time.Second

// carryEarly carries m before the answer to the create.
func (s *Server) carryEarly(r *http.Request, m *message) {
	done := make(chan struct{})
	s.queue.after(s.config.Latency, func(ctx context.Context) {
		defer close(done)
		s.carry(ctx, m)
	})
	timer := time.NewTimer(early)
	defer timer.Stop()
	select {
	case <-done:
	case <-timer.C:
	case <-r.Context().Done():
	case <-s.queue.ctx.Done():
	}
}

// advance brings m to its i-th state and returns what a callback says of it.
func (s *Server) advance(m *message, i int) url.Values {
	s.mu.Lock()
	defer s.mu.Unlock()
	now := s.config.Now()
	m.Status, m.updated = m.steps[i], now
	if m.From == "" {
		m.From = s.choose(s.account.service(m.Service), m.To)
	}
	if m.Status == "sent" {
		m.sentAt = now
	}
	last := i == len(m.steps)-1
	if last {
		m.Code = m.final
		if s.config.Latency > 0 {
			s.deliver(m)
		}
	}
	v := url.Values{
		"MessageSid": {m.SID}, "SmsSid": {m.SID}, "MessageStatus": {m.Status}, "SmsStatus": {m.Status}, "AccountSid": {s.account.SID},
		"From": {m.From}, "To": {m.To}, "ApiVersion": {"2010-04-01"},
	}
	if m.Service != "" {
		v.Set("MessagingServiceSid", m.Service)
	}
	if last && m.Code != 0 {
		v.Set("ErrorCode", strconv.Itoa(m.Code))
	}
	switch channel, name := split(m.To); {
	case channel == whatsApp:
		v.Set("ChannelPrefix", "whatsapp")
		v.Set("ChannelToAddress", name)
		v.Set("ChannelInstallSid", s.sid("XE", "channel", "whatsapp", 0))
		if m.Status == "delivered" {
			v.Set("EventType", "DELIVERED")
		}
	case m.Status == "delivered" || m.Status == "undelivered":
		v.Set("RawDlrDoneDate", now.UTC().Format("0601021504"))
	}
	return v
}

// tell sends the i-th callback of m, as chaos has it.
func (s *Server) tell(ctx context.Context, m *message, i int, v url.Values) {
	if m.Callback == "" {
		return
	}
	if m.fate.drop[i] {
		s.count(func(st *Stats) { st.Dropped++ })
		return
	}
	h := hook{
		where: "status", url: m.Callback, params: v, sid: m.SID, token: s.token("status", m.SID, i),
		try: func() { s.count(func(st *Stats) { st.Callbacks++ }) },
	}
	s.post(ctx, h)
	if m.fate.twice[i] {
		s.count(func(st *Stats) { st.Recalled++ })
		s.post(ctx, h)
	}
}
