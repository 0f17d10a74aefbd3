package llmtest

import (
	"compress/gzip"
	"io"
	"maps"
	"net"
	"net/http"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"
)

// pause is what parts two writes that must arrive apart.
const pause = 5 * time.Millisecond

// send sends an answer, for as long as someone wants it.
func (s *Server) send(w http.ResponseWriter, hr *http.Request, a *answer) {
	if !s.rest(hr, a.wait) {
		return
	}
	if a.breaks == resetBefore {
		reset(w)
		return
	}
	if a.raw == nil && a.fails != nil && !a.request.Stream {
		a.raw = a.fails
		a.raw.status = http.StatusOK
	}
	if a.raw == nil && a.request.Stream {
		s.stream(w, hr, a)
		return
	}
	body := &raw{status: http.StatusOK, kind: "application/json"}
	if a.raw != nil {
		body = a.raw
	} else {
		body.body = a.document()
	}
	maps.Copy(w.Header(), body.header)
	w.Header().Set("Content-Type", body.kind)
	var out io.Writer = w
	if a.gzip {
		w.Header().Set("Content-Encoding", "gzip")
		z := gzip.NewWriter(w)
		defer z.Close()
		out = z
	} else {
		w.Header().Set("Content-Length", strconv.Itoa(len(body.body)))
	}
	w.WriteHeader(body.status)
	if a.breaks == whole {
		out.Write(body.body)
		return
	}
	out.Write(body.body[:len(body.body)/2])
	http.NewResponseController(w).Flush()
	s.rest(hr, pause)
	a.sever(w)
}

// stream sends the answer as server-sent events.
func (s *Server) stream(w http.ResponseWriter, hr *http.Request, a *answer) {
	w.Header().Set("Content-Type", "text/event-stream; charset=utf-8")
	w.Header().Set("Cache-Control", "no-cache")
	out, flush := io.Writer(w), http.NewResponseController(w).Flush
	if a.gzip {
		w.Header().Set("Content-Encoding", "gzip")
		z := gzip.NewWriter(w)
		defer z.Close()
		out, flush = z, func() error {
			z.Flush()
			return http.NewResponseController(w).Flush()
		}
	}
	w.WriteHeader(http.StatusOK)
	flush()
	chunks := a.chunks()
	if a.breaks != whole {
		chunks = chunks[:len(chunks)/2]
	}
	for i, chunk := range chunks {
		if i > 0 && !s.rest(hr, a.gap) {
			return
		}
		frame := a.frame(chunk)
		if cut := middle(frame); a.splitRune && cut > 0 {
			io.WriteString(out, frame[:cut])
			flush()
			if !s.rest(hr, pause) {
				return
			}
			frame = frame[cut:]
		}
		if _, err := io.WriteString(out, frame); err != nil {
			return
		}
		flush()
	}
	if a.breaks != whole {
		s.rest(hr, pause)
		a.sever(w)
	}
}

// middle is a place within a rune, 0 if all runes are of one byte.
func middle(text string) int {
	return 1 + strings.IndexFunc(text, func(r rune) bool { return r >= utf8.RuneSelf })
}

// rest waits, and tells whether anyone still does too.
func (s *Server) rest(hr *http.Request, d time.Duration) bool {
	if d <= 0 {
		return hr.Context().Err() == nil
	}
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
		return true
	case <-hr.Context().Done():
	case <-s.closing:
	}
	return false
}

// sever ends a connection before the answer is whole.
func (a *answer) sever(w http.ResponseWriter) {
	if a.breaks == cutMidway {
		panic(http.ErrAbortHandler)
	}
	reset(w)
}

// reset ends a connection as a peer that dies does.
func reset(w http.ResponseWriter) {
	conn, _, err := http.NewResponseController(w).Hijack()
	if err != nil {
		panic(http.ErrAbortHandler)
	}
	if tcp, ok := conn.(*net.TCPConn); ok {
		tcp.SetLinger(0)
	}
	conn.Close()
}
