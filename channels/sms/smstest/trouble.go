package smstest

import (
	"fmt"
	"math"
	"net"
	"net/http"
	"strconv"
	"time"
)

// A Trouble is a way in which Twilio's API fails. The zero Trouble is none.
type Trouble struct {
	name    string
	how     int
	code    int // Twilio's; of a refusal
	status  int
	html    bool
	wait    time.Duration // before the reply
	retryIn time.Duration // as Retry-After says; zero for no such header
}

// How a trouble shows.
const (
	answers = iota // as if nothing were wrong, or with a refusal if it has a status
	cutBefore
	cutAfter
	hang
	hangAfter
)

// String names the trouble.
func (t Trouble) String() string { return t.name }

// The troubles. Those of a message's own are told as Twilio tells them.
var (
	None = Trouble{name: "none"}

	Throttled     = Trouble{name: "throttled", code: 20429, status: http.StatusTooManyRequests} // without Retry-After
	OptedOut      = Refuse(21610)
	InvalidNumber = Refuse(21211)
	NotMobile     = Refuse(21614)
	TooLong       = Refuse(21617)
	NotPermitted  = Refuse(21408) // to that country

	Broken  = Trouble{name: "broken", code: 20500, status: http.StatusInternalServerError}
	Garbled = Trouble{name: "garbled", html: true, status: http.StatusServiceUnavailable} // a page of HTML

	CutBefore = Trouble{name: "cut before", how: cutBefore} // the connection ends before the message is taken
	CutAfter  = Trouble{name: "cut after", how: cutAfter}   // it ends after the message is taken and before the reply
	Hang      = Trouble{name: "hang", how: hang}            // no reply until the caller gives up; not taken
	HangAfter = Trouble{name: "hang after", how: hangAfter} // the same; taken
)

// ThrottledWait is Throttled with a Retry-After, in whole seconds, rounded up.
func ThrottledWait(d time.Duration) Trouble {
	t := Throttled
	t.name, t.retryIn = "throttled with wait", d
	return t
}

// Slow takes the message and answers after d.
func Slow(d time.Duration) Trouble { return Trouble{name: "slow", wait: d} }

// Refuse is an answer of 400 with one of Twilio's codes; for those of
// authentication 401, for 20404 it is 404.
func Refuse(code int) Trouble {
	return Trouble{name: "code " + strconv.Itoa(code), code: code, status: statusOf(code)}
}

// Fail makes creates go wrong from now on; None ends that. What is wrong with a
// request itself is said first.
func (s *Server) Fail(t Trouble) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.sticky = t
}

// FailReads is Fail for all that is no create.
func (s *Server) FailReads(t Trouble) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.reads = t
}

// Next makes the next creates go wrong, one each, in order, before Fail and
// chaos have a say. None lets one pass.
func (s *Server) Next(troubles ...Trouble) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.next = append(s.next, troubles...)
}

// Undeliverable has messages to a number taken and then not delivered, with
// one of Twilio's codes, such as 30003. 0 ends that.
func (s *Server) Undeliverable(number string, code int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.box(number).undeliverable = code
}

// trouble is what befalls the n-th create to a number. s.mu is held.
func (s *Server) trouble(to string, n int) Trouble {
	if len(s.next) > 0 {
		t := s.next[0]
		s.next = s.next[1:]
		return t
	}
	if s.sticky.how != answers || s.sticky.status != 0 || s.sticky.wait != 0 {
		return s.sticky
	}
	return s.createFate(s.chaos, to, n)
}

// refuses writes the refusal that t is and reports whether it is one.
func (t Trouble) refuses(w http.ResponseWriter, about string) bool {
	if t.status == 0 {
		return false
	}
	if t.retryIn > 0 {
		w.Header().Set("Retry-After", strconv.Itoa(int(math.Ceil(t.retryIn.Seconds()))))
	}
	if t.html {
		w.Header().Set("Content-Type", "text/html")
		w.WriteHeader(t.status)
		_, _ = fmt.Fprintf(w, "<html>\r\n<head><title>%[1]d %[2]s</title></head>\r\n<body><center><h1>%[1]d %[2]s</h1></center></body>\r\n</html>\r\n", t.status, http.StatusText(t.status))
		return true
	}
	refuse(t.code, about).write(w)
	return true
}

// cut ends the connection of a request.
func cut(w http.ResponseWriter) {
	conn, _, err := http.NewResponseController(w).Hijack()
	if err != nil {
		panic(http.ErrAbortHandler)
	}
	if tcp, ok := conn.(*net.TCPConn); ok {
		_ = tcp.SetLinger(0)
	}
	_ = conn.Close()
}

// rest waits for d, or without end if d is negative, for no longer than the
// caller and the server wait.
func (s *Server) rest(r *http.Request, d time.Duration) {
	if d == 0 {
		return
	}
	var due <-chan time.Time
	if d > 0 {
		timer := time.NewTimer(d)
		defer timer.Stop()
		due = timer.C
	}
	select {
	case <-due:
	case <-r.Context().Done():
	case <-s.queue.ctx.Done():
	}
}
