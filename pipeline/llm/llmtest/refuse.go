package llmtest

import (
	"bytes"
	"encoding/json"
	"net/http"
)

// A raw is an answer that is no completion.
type raw struct {
	status int
	kind   string // Content-Type
	header http.Header
	body   []byte
}

// A fault is what is wrong, in OpenAI's words. Empty fields are null.
type fault struct {
	status              int
	message, typ        string
	param, code         string
	nPrompt, maxContext int // of llama.cpp's
}

func bad(message, param, code string) *fault {
	return &fault{status: http.StatusBadRequest, message: message, param: param, code: code}
}

// refuse tells a fault in the vendor's shape.
func (s *Server) refuse(f *fault) *raw { return shape(s.kind, s.flat, f) }

// shape tells a fault in the shape of the kind.
func shape(kind Kind, flat bool, f *fault) *raw {
	r := &raw{status: f.status, kind: "application/json"}
	switch kind {
	case Ollama:
		typ := "api_error"
		switch f.status {
		case http.StatusBadRequest:
			typ = "invalid_request_error"
		case http.StatusNotFound:
			typ = "not_found_error"
		}
		r.body = encode(under{hostedFault{f.message, typ, nil, nil}})
	case VLLM:
		typ := map[int]string{
			http.StatusBadRequest: "BadRequestError",
			http.StatusNotFound:   "NotFoundError",
		}[f.status]
		if typ == "" {
			typ = "InternalServerError"
		}
		told := vllmFault{"", f.message, typ, orNull(f.param), f.status}
		if flat {
			told.Object = "error"
			r.body = encode(told)
		} else {
			r.body = encode(under{told})
		}
	case LlamaCpp:
		typ := map[int]string{
			http.StatusBadRequest:         "invalid_request_error",
			http.StatusUnauthorized:       "authentication_error",
			http.StatusForbidden:          "permission_error",
			http.StatusNotFound:           "not_found_error",
			http.StatusNotImplemented:     "not_supported_error",
			http.StatusServiceUnavailable: "unavailable_error",
		}[f.status]
		if typ == "" {
			typ = "server_error"
		}
		if f.maxContext != 0 {
			typ = "exceed_context_size_error"
		}
		r.kind = "application/json; charset=utf-8"
		r.body = encode(under{llamaFault{f.status, f.message, typ, f.nPrompt, f.maxContext}})
	default:
		typ := f.typ
		if typ == "" {
			typ = "invalid_request_error"
		}
		r.body = encode(under{hostedFault{f.message, typ, orNull(f.param), orNull(f.code)}})
	}
	return r
}

// gateway tells an error of what stands before Azure's models.
func gateway(status int, code, message string) *raw {
	return &raw{status: status, kind: "application/json", body: encode(under{struct {
		Code    string `json:"code"`
		Message string `json:"message"`
	}{code, message}})}
}

func page(status int, kind, body string) *raw {
	return &raw{status: status, kind: kind, body: []byte(body)}
}

type under struct {
	Error any `json:"error"`
}

type hostedFault struct {
	Message string `json:"message"`
	Type    string `json:"type"`
	Param   any    `json:"param"`
	Code    any    `json:"code"`
}

type vllmFault struct {
	Object  string `json:"object,omitempty"`
	Message string `json:"message"`
	Type    string `json:"type"`
	Param   any    `json:"param"`
	Code    int    `json:"code"`
}

type llamaFault struct {
	Code    int    `json:"code"`
	Message string `json:"message"`
	Type    string `json:"type"`
	Prompt  int    `json:"n_prompt_tokens,omitempty"`
	Context int    `json:"n_ctx,omitempty"`
}

func orNull(s string) any {
	if s == "" {
		return nil
	}
	return s
}

// encode writes JSON as the vendors do, with < and > as they are.
func encode(v any) []byte {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if err := e.Encode(v); err != nil {
		panic(err) // of our own making
	}
	return bytes.TrimSuffix(b.Bytes(), []byte("\n"))
}
