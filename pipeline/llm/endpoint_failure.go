package llm

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"net"
	"net/http"
	"strconv"
	"strings"
	"syscall"
	"time"
)

// knownCodes are the codes, and types, of errors that servers are known to send,
// and the reason of those that say more than the status does.
var knownCodes = map[string]Reason{
	// OpenAI: platform.openai.com/docs/guides/error-codes
	"insufficient_quota":                   NoQuota,
	"billing_hard_limit_reached":           NoQuota,
	"billing_not_active":                   NoQuota,
	"rate_limit_exceeded":                  Busy,
	"requests":                             Busy,
	"tokens":                               Busy,
	"context_length_exceeded":              BadRequest,
	"string_above_max_length":              BadRequest,
	"unsupported_parameter":                BadRequest,
	"unsupported_value":                    BadRequest,
	"unknown_parameter":                    BadRequest,
	"invalid_value":                        BadRequest,
	"invalid_type":                         BadRequest,
	"missing_required_parameter":           BadRequest,
	"invalid_request_error":                BadRequest,
	"invalid_prompt":                       Filtered,
	"content_filter":                       Filtered,
	"content_policy_violation":             Filtered,
	"model_not_found":                      NotFound,
	"invalid_api_key":                      NotAllowed,
	"account_deactivated":                  NotAllowed,
	"unsupported_country_region_territory": NotAllowed,
	"authentication_error":                 NotAllowed,
	"permission_error":                     NotAllowed,
	"server_error":                         Down,
	"internal_server_error":                Down,
	"overloaded_error":                     Down,
	"server_overloaded":                    Down,

	// Azure: learn.microsoft.com/azure/ai-foundry/openai/concepts/content-filter
	"DeploymentNotFound":           NotFound,
	"ResponsibleAIPolicyViolation": Filtered,
	"OperationNotSupported":        BadRequest,

	// vLLM: vllm/entrypoints/openai, the type
	"NotFoundError":       NotFound,
	"BadRequestError":     BadRequest,
	"InternalServerError": Down,

	// llama.cpp: tools/server/README.md, the type
	"exceed_context_size_error": BadRequest,
	"not_supported_error":       BadRequest,
	"not_found_error":           NotFound,
	"unavailable_error":         Down,

	// Ollama: docs.ollama.com/api/openai-compatibility, the type
	"api_error": Down,
}

// knownParams are the parts of our requests that a server may find fault with.
var knownParams = map[string]bool{
	"model": true, "messages": true, "temperature": true, "max_tokens": true, "max_completion_tokens": true,
	"reasoning_effort": true, "response_format": true, "stream": true, "stream_options": true,
}

// serverFields are where servers put an error.
type serverFields struct {
	Error  json.RawMessage `json:"error"`
	Object json.RawMessage `json:"object"` // vLLM before 0.10: "error", and the rest beside it
	Code   json.RawMessage `json:"code"`
	Type   json.RawMessage `json:"type"`
	Param  json.RawMessage `json:"param"`
	Inner  json.RawMessage `json:"innererror"` // Azure
}

// A serverError is what of a server's error is kept: nothing of its own words.
type serverError struct {
	code   string // one of knownCodes, or ""
	reason Reason // of the code, or ""
	param  string // one of knownParams, or ""
	status int    // of HTTP, if the error tells one
}

// read returns the error, nil if there is none.
func (f serverFields) read() *serverError {
	switch {
	case string(f.Error) == "false":
		return nil
	case !isNull(f.Error):
		var in serverFields
		if json.Unmarshal(f.Error, &in) != nil {
			return &serverError{} // a string, say
		}
		return in.known()
	case stringOf(f.Object) == "error":
		return f.known()
	}
	return nil
}

// known returns what is known of f, which are the fields of an error itself.
func (f serverFields) known() *serverError {
	var inner serverFields
	_ = json.Unmarshal(f.Inner, &inner) // there may be none
	e := &serverError{}
	for _, raw := range []json.RawMessage{inner.Code, f.Code, f.Type} {
		s := stringOf(raw)
		if r, ok := knownCodes[s]; ok && e.code == "" {
			e.code, e.reason = s, r
		}
		n := countOf(raw) // a number, or "401" as Azure writes it
		if n >= 400 && n < 600 && e.status == 0 {
			e.status = n
		}
	}
	if p, _, _ := strings.Cut(stringOf(f.Param), "."); knownParams[p] {
		e.param = p
	}
	return e
}

// under is the Failure of an error that came under a status which says nothing
// of it.
func (e *serverError) under(status int, h http.Header, now time.Time) *Failure {
	f := &Failure{Reason: e.reason, Status: status, Code: e.code, Param: e.param, After: after(h, now)}
	if f.Reason == "" {
		f.Reason = Garbled
		if e.status != 0 {
			f.Reason = reasonOf(e.status)
		}
	}
	return f
}

// refusal is the Failure of a status other than 2xx.
func refusal(status int, h http.Header, body []byte, now time.Time) *Failure {
	f := &Failure{Reason: reasonOf(status), Status: status, After: after(h, now)}
	var w serverFields
	if json.Unmarshal(body, &w) != nil {
		return f
	}
	e := w.read()
	if e == nil {
		return f
	}
	f.Code, f.Param = e.code, e.param
	if status >= 400 && status < 500 {
		switch e.reason {
		case NoQuota, Filtered, NotFound:
			f.Reason = e.reason
		case NotAllowed:
			if status != http.StatusTooManyRequests {
				f.Reason = e.reason
			}
		}
	}
	return f
}

// reasonOf is the reason that a status gives.
func reasonOf(status int) Reason {
	switch {
	case status == http.StatusUnauthorized, status == http.StatusForbidden:
		return NotAllowed
	case status == http.StatusPaymentRequired:
		return NoQuota
	case status == http.StatusNotFound, status/100 == 3: // it has moved: the path is wrong
		return NotFound
	case status == http.StatusRequestTimeout:
		return TimedOut
	case status == http.StatusTooManyRequests, status == http.StatusTooEarly:
		return Busy
	case status >= 500:
		return Down
	case status >= 400:
		return BadRequest
	}
	return Garbled
}

// after reads how long a server asks to wait, 0 if it does not.
func after(h http.Header, now time.Time) time.Duration {
	const most = 24 * time.Hour
	unit := time.Millisecond
	s := strings.TrimSpace(h.Get("Retry-After-Ms")) // OpenAI and Azure, beside the other
	if s == "" {
		unit, s = time.Second, strings.TrimSpace(h.Get("Retry-After"))
	}
	if n, err := strconv.ParseFloat(s, 64); err == nil {
		if !(n > 0) {
			return 0
		}
		return time.Duration(min(n*float64(unit), float64(most)))
	}
	t, err := http.ParseTime(s)
	if err != nil {
		return 0
	}
	return min(max(t.Sub(now), 0), most)
}

// broken is the Failure of a connection that was not made, or broke.
func broken(err error) *Failure {
	f := &Failure{Reason: Unreachable}
	var timeout net.Error
	var errno syscall.Errno
	switch {
	case ReasonOf(err) != "":
		errors.As(err, &f)
	case errors.Is(err, context.Canceled):
		f.Err = context.Canceled
	case errors.Is(err, context.DeadlineExceeded):
		f.Reason, f.Err = TimedOut, context.DeadlineExceeded
	case errors.As(err, &timeout) && timeout.Timeout():
		f.Reason = TimedOut
	case errors.As(err, &errno):
		f.Err = errno
	case errors.Is(err, io.EOF), errors.Is(err, io.ErrUnexpectedEOF):
		f.Err = io.ErrUnexpectedEOF
	}
	return f // any other error may quote what the server sent
}

// ended is the error of a ctx that is done: its own if the caller cancelled it,
// and a Failure if its time is over.
func ended(err error) error {
	if errors.Is(err, context.DeadlineExceeded) {
		return &Failure{Reason: TimedOut, Err: context.DeadlineExceeded}
	}
	return err
}

// failed turns what go-openai returned into what Complete may return.
func (e *Endpoint) failed(ctx context.Context, err error) error {
	var own callerError
	if errors.As(err, &own) {
		return own.error
	}
	var f *Failure
	if errors.As(err, &f) && f.Reason != Unreachable && f.Reason != TimedOut {
		return f // it was heard, whatever ctx says by now
	}
	if err := ctx.Err(); err != nil {
		return ended(err)
	}
	if f != nil {
		return f
	}
	return &Failure{Reason: Garbled} // go-openai could not decode it
}
