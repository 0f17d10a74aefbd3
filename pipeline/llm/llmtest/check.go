package llmtest

import (
	"encoding/json"
	"fmt"
	"mime"
	"net/http"
	"regexp"
	"slices"
	"strings"
	"unicode/utf8"
)

// check reads a call into r and returns what the vendor answers if something is
// wrong with it, or if it asks for the list of models.
func (s *Server) check(hr *http.Request, r *Request) *raw {
	if refused := s.checkRoute(hr, r); refused != nil {
		return refused
	}
	if hr.Method == http.MethodGet {
		return s.list()
	}
	if refused := s.checkType(hr); refused != nil {
		return refused
	}
	fields, f := s.checkBody(r)
	for _, step := range []func(map[string]json.RawMessage, *Request) *fault{
		s.checkNames, s.checkModel, s.checkMessages, s.checkNumbers, s.checkReasoning, s.checkStream, s.checkFormat,
	} {
		if f != nil {
			break
		}
		f = step(fields, r)
	}
	if f == nil {
		f = s.checkContext(r)
	}
	if f != nil {
		if f.code == "DeploymentNotFound" {
			return gateway(f.status, f.code, f.message)
		}
		return s.refuse(f)
	}
	return nil
}

var (
	deployment = regexp.MustCompile(`^/openai/deployments/([^/]+)/chat/completions$`)
	apiVersion = regexp.MustCompile(`^20\d\d-\d\d-\d\d(-preview)?$`)
)

// checkRoute checks path, method and key.
func (s *Server) checkRoute(hr *http.Request, r *Request) *raw {
	chat := hr.URL.Path == "/v1/chat/completions"
	models := hr.URL.Path == "/v1/models"
	if s.kind == Azure {
		m := deployment.FindStringSubmatch(hr.URL.Path)
		if chat, models = m != nil, false; chat {
			r.Model = m[1]
		}
		chat = chat && apiVersion.MatchString(hr.URL.Query().Get("api-version"))
	}
	if refused := s.checkKey(hr); refused != nil {
		return refused
	}
	method := http.MethodPost
	if models {
		method = http.MethodGet
	}
	switch {
	case !chat && !models:
		return s.nowhere(hr)
	case hr.Method != method:
		return s.notAllowed(hr)
	}
	return nil
}

func (s *Server) checkKey(hr *http.Request) *raw {
	auth := hr.Header.Get("Authorization")
	if s.kind == Ollama || s.kind != Azure && auth == "Bearer "+s.Key {
		return nil
	}
	if s.kind == LlamaCpp && hr.URL.Path == "/v1/models" {
		return nil // for everyone
	}
	switch s.kind {
	case Azure:
		if hr.Header.Get("api-key") == s.Key {
			return nil
		}
		return gateway(http.StatusUnauthorized, "401", "Access denied due to invalid subscription key or wrong API endpoint. Make sure to provide a valid key for an active subscription and use a correct regional API endpoint for your resource.")
	case VLLM:
		return page(http.StatusUnauthorized, "application/json", `{"error":"Unauthorized"}`)
	case LlamaCpp:
		return s.refuse(&fault{status: http.StatusUnauthorized, message: "Invalid API Key"})
	}
	if auth == "" {
		return s.refuse(&fault{status: http.StatusUnauthorized, message: "You didn't provide an API key. You need to provide your API key in an Authorization header using Bearer auth (i.e. Authorization: Bearer YOUR_KEY)."})
	}
	return s.refuse(&fault{status: http.StatusUnauthorized, message: "Incorrect API key provided: " + mask(strings.TrimPrefix(auth, "Bearer ")) + ".", code: "invalid_api_key"})
}

// mask shows a key as OpenAI does in its errors: both ends of it.
func mask(key string) string {
	if len(key) < 12 {
		return strings.Repeat("*", len(key))
	}
	return key[:8] + "***" + key[len(key)-4:]
}

func (s *Server) nowhere(hr *http.Request) *raw {
	switch s.kind {
	case Azure:
		return gateway(http.StatusNotFound, "404", "Resource not found")
	case Ollama:
		return page(http.StatusNotFound, "text/plain", "404 page not found")
	case VLLM:
		return page(http.StatusNotFound, "application/json", `{"detail":"Not Found"}`)
	case LlamaCpp:
		return s.refuse(&fault{status: http.StatusNotFound, message: "File Not Found"})
	}
	return s.refuse(&fault{status: http.StatusNotFound, message: fmt.Sprintf("Invalid URL (%s %s)", hr.Method, hr.URL.Path)})
}

func (s *Server) notAllowed(hr *http.Request) *raw {
	switch s.kind {
	case Azure, Ollama, LlamaCpp:
		return s.nowhere(hr)
	case VLLM:
		return page(http.StatusMethodNotAllowed, "application/json", `{"detail":"Method Not Allowed"}`)
	}
	return s.refuse(&fault{
		status:  http.StatusMethodNotAllowed,
		message: fmt.Sprintf("Not allowed to %s on %s. (HINT: Perhaps you meant to use a different HTTP method?)", hr.Method, hr.URL.Path),
		code:    "method_not_supported",
	})
}

// checkType checks the Content-Type, at which Ollama and llama.cpp do not look.
func (s *Server) checkType(hr *http.Request) *raw {
	got := hr.Header.Get("Content-Type")
	kind, _, err := mime.ParseMediaType(got)
	if s.kind == Ollama || s.kind == LlamaCpp || err == nil && kind == "application/json" {
		return nil
	}
	if s.kind == VLLM {
		return s.refuse(&fault{status: http.StatusUnsupportedMediaType, message: "Unsupported Media Type: Only 'application/json' is allowed"})
	}
	return s.refuse(bad(fmt.Sprintf("Unsupported content type: '%s'. This API method only accepts 'application/json' requests, but you specified the header 'Content-Type: %s'. Please try again with a supported content type.", got, got), "", "unsupported_content_type"))
}

func (s *Server) checkBody(r *Request) (map[string]json.RawMessage, *fault) {
	var fields map[string]json.RawMessage
	if err := json.Unmarshal(r.Body, &fields); err != nil || fields == nil || !utf8.Valid(r.Body) {
		return nil, bad("We could not parse the JSON body of your request. (HINT: This likely means you aren't using your HTTP library correctly. The OpenAI API expects a JSON payload, but what was sent was not valid JSON.)", "", "")
	}
	for name, value := range fields {
		if string(value) == "null" { // as if it were not there
			delete(fields, name)
		}
	}
	return fields, nil
}

var parameters = []string{
	"audio", "frequency_penalty", "function_call", "functions", "logit_bias", "logprobs", "max_completion_tokens",
	"max_tokens", "messages", "metadata", "modalities", "model", "n", "parallel_tool_calls", "prediction",
	"presence_penalty", "prompt_cache_key", "reasoning_effort", "response_format", "safety_identifier", "seed",
	"service_tier", "stop", "store", "stream", "stream_options", "temperature", "tool_choice", "tools",
	"top_logprobs", "top_p", "user", "verbosity", "web_search_options",
}

// checkNames refuses parameters that OpenAI does not have; the others ignore them.
func (s *Server) checkNames(fields map[string]json.RawMessage, _ *Request) *fault {
	if !s.kind.hosted() {
		return nil
	}
	var unknown []string
	for name := range fields {
		if !slices.Contains(parameters, name) {
			unknown = append(unknown, name)
		}
	}
	slices.Sort(unknown)
	switch len(unknown) {
	case 0:
		return nil
	case 1:
		return bad("Unrecognized request argument supplied: "+unknown[0], "", "")
	}
	return bad("Unrecognized request arguments supplied: "+strings.Join(unknown, ", "), "", "")
}

func (s *Server) checkModel(fields map[string]json.RawMessage, r *Request) *fault {
	if raw, ok := fields["model"]; ok && s.kind != Azure {
		if json.Unmarshal(raw, &r.Model) != nil {
			return wrongType("model", "a string", raw)
		}
	}
	switch {
	case s.kind == LlamaCpp || s.knows(r.Model):
		return nil
	case s.kind == Azure:
		return &fault{status: http.StatusNotFound, code: "DeploymentNotFound", message: "The API deployment for this resource does not exist. If you created the deployment within the last 5 minutes, please wait a moment and try again."}
	case s.kind == VLLM && r.Model == "":
		return nil // it takes the one it has
	case r.Model == "" && s.kind == Ollama:
		return bad("model is required", "", "")
	case r.Model == "":
		return bad("you must provide a model parameter", "", "")
	case s.kind == Ollama:
		return &fault{status: http.StatusNotFound, message: fmt.Sprintf("model '%s' not found", r.Model)}
	case s.kind == VLLM:
		return &fault{status: http.StatusNotFound, message: fmt.Sprintf("The model `%s` does not exist.", r.Model), param: "model"}
	}
	return &fault{status: http.StatusNotFound, message: fmt.Sprintf("The model `%s` does not exist or you do not have access to it.", r.Model), code: "model_not_found"}
}

// checkContext counts the prompt, and refuses or cuts what does not fit.
func (s *Server) checkContext(r *Request) *fault {
	r.Tokens, r.Seen = prompt(r.Messages), r.Messages
	reply := max(r.MaxTokens, r.MaxCompletionTokens)
	switch {
	case s.kind == Ollama:
		if r.Tokens > s.context {
			r.Seen, r.Truncated = keepLast(r.Messages, s.context), true
			r.Tokens = prompt(r.Seen)
		}
	case s.kind == LlamaCpp:
		if r.Tokens >= s.context {
			return &fault{
				status: http.StatusBadRequest, nPrompt: r.Tokens, maxContext: s.context,
				message: fmt.Sprintf("request (%d tokens) exceeds the available context size (%d tokens), try increasing it", r.Tokens, s.context),
			}
		}
	case r.Tokens > s.context:
		return bad(fmt.Sprintf("This model's maximum context length is %d tokens. However, your messages resulted in %d tokens. Please reduce the length of the messages.", s.context, r.Tokens), "messages", "context_length_exceeded")
	case r.Tokens+reply > s.context:
		return bad(fmt.Sprintf("This model's maximum context length is %d tokens. However, you requested %d tokens (%d in the messages, %d in the completion). Please reduce the length of the messages or completion.", s.context, r.Tokens+reply, r.Tokens, reply), "messages", "context_length_exceeded")
	}
	return nil
}

// list answers a question for the models.
func (s *Server) list() *raw {
	type model struct {
		ID      string `json:"id"`
		Object  string `json:"object"`
		Created int    `json:"created"`
		OwnedBy string `json:"owned_by"`
	}
	var data []model
	for _, name := range s.models {
		data = append(data, model{name, "model", 1700000000, string(s.kind)})
	}
	return page(http.StatusOK, "application/json", string(encode(struct {
		Object string  `json:"object"`
		Data   []model `json:"data"`
	}{"list", data})))
}
