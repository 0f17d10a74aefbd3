package llm

import (
	"bufio"
	"bytes"
	"io"
	"net/http"
	"time"
)

// events reads a stream of server-sent events and gives it on in the one shape
// that go-openai reads: a line for each chunk, nothing between, and [DONE] at
// the end. Its errors are Failures. It starts no goroutine.
type events struct {
	in     *bufio.Reader
	under  io.Closer
	left   int // bytes that may still come
	status int
	header http.Header
	now    func() time.Time

	out      []byte // made and not yet read
	heard    bool   // a choice came
	finished bool   // a finish_reason came
	err      error  // once out is read
}

// Close implements io.Closer.
func (e *events) Close() error { return e.under.Close() }

// Read implements io.Reader.
func (e *events) Read(p []byte) (int, error) {
	for len(e.out) == 0 {
		if e.err != nil {
			return 0, e.err
		}
		e.next()
	}
	n := copy(p, e.out)
	e.out = e.out[n:]
	return n, nil
}

// next reads one line.
func (e *events) next() {
	line, err := e.line()
	data, isData := bytes.CutPrefix(line, []byte("data:"))
	data = bytes.TrimSpace(data)
	switch {
	case !isData, len(data) == 0: // a comment, an event's name, the end of an event
	case string(data) == "[DONE]":
		e.done()
		return
	default:
		if e.chunk(data); e.err != nil {
			return
		}
	}
	switch {
	case err == nil:
	case ReasonOf(err) != "":
		e.err = err
	case err == io.EOF && (e.finished || !e.heard): // some servers say no [DONE]
		e.done()
	default:
		e.err = broken(err)
	}
}

// line returns the next line. Its error may come beside a last line.
func (e *events) line() ([]byte, error) {
	var line []byte
	for {
		b, err := e.in.ReadSlice('\n')
		if e.left -= len(b); e.left < 0 {
			return nil, &Failure{Reason: Garbled, Status: e.status, Err: errTooLong}
		}
		line = append(line, b...)
		if err != bufio.ErrBufferFull {
			return line, err
		}
	}
}

func (e *events) done() {
	if !e.heard {
		e.err = &Failure{Reason: Garbled, Status: e.status}
		return
	}
	e.out, e.err = []byte("data: [DONE]\n"), io.EOF
}

func (e *events) chunk(data []byte) {
	s, ok := readSaid(data, "delta")
	switch {
	case !ok:
		e.err = &Failure{Reason: Garbled, Status: e.status}
	case s.failed != nil && s.text == "":
		e.err = s.failed.under(e.status, e.header, e.now())
	default:
		e.heard = e.heard || s.choices > 0
		e.finished = e.finished || s.finish != ""
		e.out = append(append([]byte("data: "), s.chunk()...), '\n')
	}
}
