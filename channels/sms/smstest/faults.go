package smstest

import (
	"net/http"
	"slices"
	"time"
)

// A Fault is something that the service did and Twilio would not have, or that
// a person would suffer from. It holds no number and no words of anyone.
type Fault struct {
	At    time.Time
	Code  int    // Twilio's: of a refusal, or as its debugger would log
	Where string // create, read, message, status, voice or fallback
	SID   string // of the message or call; empty for a create
	Why   string

	// Retried says that Twilio tried again: of a webhook.
	Retried bool
}

// A Rejection is a request that was not done, for whatever reason.
type Rejection struct {
	Arrived time.Time
	Method  string
	Path    string
	To      string // of a create
	Code    int    // Twilio's; 0 if none was said
	Status  int    // 0 if there was no answer
	Trouble string // the trouble or chaos that it met; empty if the request itself was at fault
}

// Stats are counts.
type Stats struct {
	Inbound   int // messages of people
	Acked     int // of them, those that the service acknowledged
	Lost      int // of them, those that Twilio gave up
	Webhooks  int // requests for them
	Repeats   int // of these, because of chaos
	HangUps   int // of the repeats, those whose reply was not waited for
	Retries   int // requests of any kind, calls and callbacks too, because one before failed
	Creates   int // requests, of whatever outcome
	Taken     int // outgoing messages, those of TwiML too
	Refused   int // creates that were at fault themselves
	Troubled  int // creates that met trouble and were not taken
	Unheard   int // creates that were taken, and the caller did not hear of it
	Delivered int // outgoing messages that a phone has
	Failed    int // outgoing messages that none has
	AfterStop int // taken after the person's STOP was acknowledged; see [Create]
	Segments  int
	Callbacks int // requests
	Recalled  int // of them, because of chaos
	Dropped   int // callbacks that chaos dropped
	Reads     int
	Calls     int
	Faults    int
}

// maxKept is how many faults and rejections are kept; Stats counts all.
const maxKept = 10000

// Faults returns the first 10,000 faults of the service.
func (s *Server) Faults() []Fault {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.faults)
}

// Rejections returns the first 10,000 requests that were not done.
func (s *Server) Rejections() []Rejection {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.rejections)
}

// Stats returns the counts so far.
func (s *Server) Stats() Stats {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.stats
}

// fault records a fault. s.mu is held.
func (s *Server) fault(f Fault) {
	f.At = s.config.Now()
	s.stats.Faults++
	if len(s.faults) < maxKept {
		s.faults = append(s.faults, f)
	}
}

// reject records a request that is refused, as a fault if it is one.
func (s *Server) reject(r *http.Request, arrived time.Time, to string, no *refusal, isFault bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.rejected(Rejection{Arrived: arrived, Method: r.Method, Path: r.URL.Path, To: to, Code: no.Code, Status: no.Status})
	if !isFault {
		return
	}
	where := "read"
	if r.Method == http.MethodPost {
		where = "create"
	}
	s.fault(Fault{Code: no.Code, Where: where, Why: no.why()})
}

// rejected records a request that was not done. s.mu is held.
func (s *Server) rejected(r Rejection) {
	if len(s.rejections) < maxKept {
		s.rejections = append(s.rejections, r)
	}
}
