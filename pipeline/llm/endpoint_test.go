package llm_test

import (
	"bytes"
	"compress/gzip"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"
	"time"

	"go.uber.org/goleak"

	"plumbline/internal/secret"
	"plumbline/pipeline/llm"
	"plumbline/pipeline/llm/llmtest"
)

var models = map[llmtest.Kind]string{
	llmtest.OpenAI: "gpt-4o-mini", llmtest.Azure: "gpt-4o-mini", llmtest.Ollama: "llama3.2",
	llmtest.VLLM: "Qwen/Qwen2.5-7B-Instruct", llmtest.LlamaCpp: "model.gguf",
}

// noLeaks fails the test if a goroutine is left once all else is cleaned up.
func noLeaks(t *testing.T) {
	t.Helper()
	old := goleak.IgnoreCurrent()
	t.Cleanup(func() { goleak.VerifyNone(t, old) })
}

// endpoint returns an Endpoint on a fake server.
func endpoint(t *testing.T, s *llmtest.Server, kind llmtest.Kind) *llm.Endpoint {
	t.Helper()
	c := llm.EndpointConfig{Kind: llm.Kind(kind), BaseURL: s.URL(), Key: secret.New(s.Key)}
	if kind == llmtest.Azure {
		c.APIVersion = "2024-10-21"
	}
	e, err := llm.NewEndpoint(c)
	if err != nil {
		t.Fatalf("NewEndpoint: %v", err)
	}
	t.Cleanup(func() { e.Close() })
	return e
}

func start(t *testing.T, kind llmtest.Kind, options ...llmtest.Option) (*llmtest.Server, *llm.Endpoint) {
	t.Helper()
	noLeaks(t)
	s := llmtest.NewServer(t, kind, options...)
	return s, endpoint(t, s, kind)
}

// over returns an Endpoint on a server that is a function, with no network.
func over(t *testing.T, answer func(*http.Request) (*http.Response, error)) *llm.Endpoint {
	t.Helper()
	e, err := llm.NewEndpoint(llm.EndpointConfig{
		Kind: llm.KindVLLM, HTTPClient: &http.Client{Transport: roundTrip(answer)}, Key: secret.New("sk-test"),
	})
	if err != nil {
		t.Fatalf("NewEndpoint: %v", err)
	}
	return e
}

type roundTrip func(*http.Request) (*http.Response, error)

func (f roundTrip) RoundTrip(r *http.Request) (*http.Response, error) { return f(r) }

func answer(status int, kind, body string) *http.Response {
	return &http.Response{
		StatusCode: status, Header: http.Header{"Content-Type": {kind}}, Body: io.NopCloser(strings.NewReader(body)),
	}
}

func always(status int, kind, body string) func(*http.Request) (*http.Response, error) {
	return func(*http.Request) (*http.Response, error) { return answer(status, kind, body), nil }
}

// ask returns a request for prose.
func ask(model string) llm.Request {
	return llm.Request{Stage: "compose", Model: model, Messages: []llm.Message{
		{Role: "system", Content: "Be brief."}, {Role: "user", Content: "When is the desk open?"},
	}}
}

var schema = &llm.Schema{Name: "score", JSON: json.RawMessage(
	`{"type":"object","properties":{"score":{"type":"integer"}},"required":["score"],"additionalProperties":false}`)}

// collect returns a stream function and what it was given.
func collect() (func(string) error, *[]string) {
	var parts []string
	return func(p string) error { parts = append(parts, p); return nil }, &parts
}

// both runs f for a call in one piece and for one that streams.
func both(t *testing.T, f func(t *testing.T, stream bool)) {
	t.Run("whole", func(t *testing.T) { f(t, false) })
	t.Run("stream", func(t *testing.T) { f(t, true) })
}

// complete asks m, and returns the parts if it streams.
func complete(t *testing.T, m llm.Model, r llm.Request, stream bool) (llm.Reply, []string, error) {
	t.Helper()
	if !stream {
		reply, err := m.Complete(t.Context(), r, nil)
		return reply, nil, err
	}
	f, parts := collect()
	reply, err := m.Complete(t.Context(), r, f)
	return reply, *parts, err
}

func TestEndpoint(t *testing.T) {
	for kind, model := range models {
		t.Run(string(kind), func(t *testing.T) {
			both(t, func(t *testing.T, stream bool) {
				s, e := start(t, kind)
				p, err := llm.PresetOf(llm.Kind(kind))
				if err != nil {
					t.Fatal(err)
				}
				zero := 0.0
				r := ask(model)
				r.Temperature, r.MaxTokens = &zero, 50
				r = p.Fill(r, llm.Wishes{})
				reply, parts, err := complete(t, e, r, stream)
				if err != nil || reply.Text != llmtest.Sentence || reply.Finish != "stop" || reply.Tries != 1 {
					t.Fatalf("Complete = %+v, %v, want text %q, finish stop, 1 try", reply, err, llmtest.Sentence)
				}
				if reply.Tokens.In == 0 || reply.Tokens.Out == 0 {
					t.Errorf("Complete: tokens %+v, want what the server counts", reply.Tokens)
				}
				if got := strings.Join(parts, ""); stream && got != reply.Text {
					t.Errorf("parts join to %q, want %q", got, reply.Text)
				}
				got := s.Requests()[0]
				if got.Temperature == nil || *got.Temperature != 0 {
					t.Errorf("server got temperature %v, want 0", got.Temperature)
				}
				if got.Stream != stream || got.IncludeUsage != stream {
					t.Errorf("server got stream %t, include_usage %t, want %t", got.Stream, got.IncludeUsage, stream)
				}
				if got.MaxTokens+got.MaxCompletionTokens != 50 {
					t.Errorf("server got max_tokens %d, max_completion_tokens %d, want 50 in one", got.MaxTokens, got.MaxCompletionTokens)
				}
			})
		})
	}
}

func TestEndpointAsksForJSON(t *testing.T) {
	for kind, model := range models {
		for _, mode := range []llm.Mode{llm.ModeSchema, llm.ModeJSON, llm.ModePlain} {
			t.Run(string(kind)+"/"+string(mode), func(t *testing.T) {
				s, e := start(t, kind)
				r := ask(model)
				r.Schema, r.Mode = schema, mode
				if _, err := e.Complete(t.Context(), r, nil); err != nil {
					t.Fatalf("Complete: %v", err)
				}
				got := s.Requests()[0]
				want := map[llm.Mode]string{llm.ModeSchema: "json_schema", llm.ModeJSON: "json_object"}[mode]
				if got.Format != want || got.Strict != (mode == llm.ModeSchema) {
					t.Errorf("server got response_format %q, strict %t, want %q, %t", got.Format, got.Strict, want, mode == llm.ModeSchema)
				}
			})
		}
	}
}

func TestL09(t *testing.T) {
	for _, trouble := range []llmtest.Trouble{llmtest.NoChoices, llmtest.ErrorUnder200, llmtest.HTMLUnder200, llmtest.Garbage} {
		t.Run(trouble.String(), func(t *testing.T) {
			both(t, func(t *testing.T, stream bool) {
				s, e := start(t, llmtest.VLLM)
				s.Next(trouble)
				reply, _, err := complete(t, e, ask(models[llmtest.VLLM]), stream)
				if llm.ReasonOf(err) != llm.Garbled || reply.Text != "" {
					t.Errorf("Complete = %+v, %v, want %s", reply, err, llm.Garbled)
				}
				if _, _, err := complete(t, e, ask(models[llmtest.VLLM]), stream); err != nil {
					t.Errorf("Complete of the next request: %v", err)
				}
			})
		})
	}
}

func TestL10(t *testing.T) {
	both(t, func(t *testing.T, stream bool) {
		s, e := start(t, llmtest.VLLM)
		s.Next(llmtest.PartsContent)
		reply, _, err := complete(t, e, ask(models[llmtest.VLLM]), stream)
		if err != nil || reply.Text != llmtest.Sentence {
			t.Errorf("Complete = %q, %v, want %q", reply.Text, err, llmtest.Sentence)
		}
	})
}

func TestL13(t *testing.T) {
	for _, model := range []string{"gpt-5-mini", "o3-local", "o1x", "o4-mini", "gpt-5"} {
		t.Run(model, func(t *testing.T) {
			both(t, func(t *testing.T, stream bool) {
				s, e := start(t, llmtest.OpenAI, llmtest.Models(model))
				p, _ := llm.PresetOf(llm.KindOpenAI)
				warm := 0.3
				r := ask(model)
				r.Temperature, r.MaxTokens, r.Effort = &warm, 2000, "low"
				if reply, _, err := complete(t, e, p.Fill(r, llm.Wishes{}), stream); err != nil || reply.Text == "" {
					t.Fatalf("Complete = %+v, %v, want text", reply, err)
				}
				got := s.Requests()[0]
				if got.Temperature != nil || got.MaxTokens != 0 || got.MaxCompletionTokens != 2000 || got.ReasoningEffort != "low" {
					t.Errorf("server got temperature %v, max_tokens %d, max_completion_tokens %d, effort %q, want none, 0, 2000, low",
						got.Temperature, got.MaxTokens, got.MaxCompletionTokens, got.ReasoningEffort)
				}
			})
		})
	}
	// An operator's wrong wish reaches the server, and the error names it.
	_, e := start(t, llmtest.OpenAI)
	r := ask("gpt-5-mini")
	r.MaxTokens = 100
	_, err := e.Complete(t.Context(), r, nil)
	if want := "bad_request (HTTP 400, unsupported_parameter: max_tokens)"; err == nil || err.Error() != want {
		t.Errorf("Complete with max_tokens: %v, want %s", err, want)
	}
	warm := 0.3
	r = ask("gpt-5-mini")
	r.Temperature = &warm
	_, err = e.Complete(t.Context(), r, nil)
	if want := "bad_request (HTTP 400, unsupported_value: temperature)"; err == nil || err.Error() != want {
		t.Errorf("Complete with temperature: %v, want %s", err, want)
	}
}

func TestL14(t *testing.T) {
	both(t, func(t *testing.T, stream bool) {
		s, e := start(t, llmtest.OpenAI)
		zero := 0.0
		r := ask("gpt-4o-mini")
		r.Temperature = &zero
		if _, _, err := complete(t, e, r, stream); err != nil {
			t.Fatalf("Complete: %v", err)
		}
		if got := s.Requests()[0]; got.Temperature == nil || *got.Temperature != 0 {
			t.Errorf("server got %s, want temperature 0", got.Body)
		}
	})
}

func TestL16(t *testing.T) {
	for _, tt := range []struct {
		name     string
		messages []llm.Message
		want     int // messages
	}{
		{"Nowhere", []llm.Message{{"system", "Be brief."}, {"user", "Score it."}}, 2},
		{"NoSystem", []llm.Message{{"user", "Score it."}}, 2},
		{"ThereAlready", []llm.Message{{"user", "Score it in json."}}, 1},
	} {
		t.Run(tt.name, func(t *testing.T) {
			s, e := start(t, llmtest.OpenAI)
			r := llm.Request{Model: "gpt-4o-mini", Messages: slices.Clone(tt.messages), Schema: schema, Mode: llm.ModeJSON}
			if _, err := e.Complete(t.Context(), r, nil); err != nil {
				t.Fatalf("Complete: %v", err)
			}
			if got := s.Requests()[0].Messages; len(got) != tt.want {
				t.Errorf("server got messages %q, want %d of them", got, tt.want)
			}
			if !slices.Equal(r.Messages, tt.messages) {
				t.Errorf("Complete changed the request to %q", r.Messages)
			}
		})
	}
}

// What the client makes of the errors; that they are retried or not is in
// TestL18Retries.
func TestL18(t *testing.T) {
	for _, tt := range []struct {
		trouble llmtest.Trouble
		want    llm.Failure
	}{
		{llmtest.BadGateway, llm.Failure{Reason: llm.Down, Status: 502}},
		{llmtest.StringError, llm.Failure{Reason: llm.BadRequest, Status: 400}},
		{llmtest.NoMessage, llm.Failure{Reason: llm.Down, Status: 500}},
		{llmtest.Reset, llm.Failure{Reason: llm.Unreachable}},
		{llmtest.ResetMidway, llm.Failure{Reason: llm.Unreachable}},
		{llmtest.CutMidway, llm.Failure{Reason: llm.Unreachable}},
		{llmtest.NoQuota, llm.Failure{Reason: llm.NoQuota, Status: 429, Code: "insufficient_quota"}},
		{llmtest.RateLimited(7 * time.Second), llm.Failure{Reason: llm.Busy, Status: 429, Code: "rate_limit_exceeded", After: 7 * time.Second}},
		{llmtest.FilteredPrompt, llm.Failure{Reason: llm.Filtered, Status: 400, Code: "ResponsibleAIPolicyViolation"}},
		{llmtest.Status(401), llm.Failure{Reason: llm.NotAllowed, Status: 401, Code: "invalid_request_error"}},
		{llmtest.Status(403), llm.Failure{Reason: llm.NotAllowed, Status: 403, Code: "invalid_request_error"}},
		{llmtest.Status(404), llm.Failure{Reason: llm.NotFound, Status: 404, Code: "invalid_request_error"}},
		{llmtest.Status(422), llm.Failure{Reason: llm.BadRequest, Status: 422, Code: "invalid_request_error"}},
		{llmtest.Status(503), llm.Failure{Reason: llm.Down, Status: 503, Code: "server_error"}},
		{llmtest.Leaky(400), llm.Failure{Reason: llm.BadRequest, Status: 400, Code: "invalid_request_error"}},
		{llmtest.Leaky(500), llm.Failure{Reason: llm.Down, Status: 500, Code: "invalid_request_error"}},
		{llmtest.Huge(5 << 20), llm.Failure{Reason: llm.Garbled, Status: 200}},
		{llmtest.ErrorMidway, llm.Failure{Reason: llm.Down, Status: 200, Code: "server_error"}},
		{llmtest.ErrorEvent, llm.Failure{Reason: llm.Down, Status: 200, Code: "server_error"}},
	} {
		t.Run(tt.trouble.String(), func(t *testing.T) {
			both(t, func(t *testing.T, stream bool) {
				s, e := start(t, llmtest.OpenAI)
				s.For(nil, tt.trouble)
				r := ask("gpt-4o-mini")
				_, _, err := complete(t, e, r, stream)
				var f *llm.Failure
				if !errors.As(err, &f) {
					t.Fatalf("Complete: %v, want a Failure", err)
				}
				got := *f
				got.Err = nil
				if got != tt.want {
					t.Errorf("Complete: %#v, want %#v", got, tt.want)
				}
				if all := fmt.Sprintf("%v %+v %#v %v", err, *f, *f, f.Err); strings.Contains(all, s.Key) || strings.Contains(all, "desk") || strings.Contains(all, "html") {
					t.Errorf("the failure tells what the server said: %s", all)
				}
			})
		})
	}
}

func TestL20(t *testing.T) {
	for _, trouble := range []llmtest.Trouble{
		llmtest.FloatUsage, llmtest.FloatCreated, llmtest.NullFinish, llmtest.NoUsage, llmtest.DuplicateKeys, llmtest.Gzip,
		llmtest.All(llmtest.FloatUsage, llmtest.FloatCreated, llmtest.NullFinish),
		llmtest.KeepAlive, llmtest.CRLF, llmtest.Tight, llmtest.SplitRune, llmtest.NoDone, llmtest.EarlyUsage,
	} {
		t.Run(trouble.String(), func(t *testing.T) {
			both(t, func(t *testing.T, stream bool) {
				s, e := start(t, llmtest.VLLM)
				s.Next(trouble)
				reply, parts, err := complete(t, e, ask(models[llmtest.VLLM]), stream)
				if err != nil || reply.Text != llmtest.Sentence {
					t.Fatalf("Complete = %q, %v, want %q", reply.Text, err, llmtest.Sentence)
				}
				if got := strings.Join(parts, ""); stream && got != reply.Text {
					t.Errorf("parts join to %q, want %q", got, reply.Text)
				}
				n := len([]rune(llmtest.Sentence))
				if low, high := n/8, n/2; reply.Tokens.Out < low || reply.Tokens.Out > high || reply.Tokens.In < 5 {
					t.Errorf("tokens %+v, want out between %d and %d, in at least 5", reply.Tokens, low, high)
				}
			})
		})
	}
}

func TestEndpointKeepsReasoningOut(t *testing.T) {
	for _, trouble := range []llmtest.Trouble{llmtest.Reasoning, llmtest.Think} {
		t.Run(trouble.String(), func(t *testing.T) {
			both(t, func(t *testing.T, stream bool) {
				s, e := start(t, llmtest.VLLM)
				s.Next(llmtest.All(trouble, llmtest.NoUsage))
				reply, parts, err := complete(t, e, ask(models[llmtest.VLLM]), stream)
				if err != nil || reply.Text != llmtest.Sentence {
					t.Fatalf("Complete = %q, %v, want %q", reply.Text, err, llmtest.Sentence)
				}
				if got := strings.Join(parts, ""); stream && got != reply.Text {
					t.Errorf("parts join to %q, want %q", got, reply.Text)
				}
				if least := (len([]rune(llmtest.Sentence)) + len(llmtest.Musing)) / 4; reply.Tokens.Out < least {
					t.Errorf("tokens out %d, want at least %d: reasoning is paid for", reply.Tokens.Out, least)
				}
			})
		})
	}
}

func TestEndpointReplyThatWillNotDo(t *testing.T) {
	for _, tt := range []struct {
		trouble llmtest.Trouble
		want    llm.Reason
	}{
		{llmtest.CutOff, llm.CutOff},
		{llmtest.Starved, llm.CutOff},
		{llmtest.Filtered, llm.Filtered},
		{llmtest.Refusal, llm.Filtered},
		{llmtest.EmptyContent, llm.Empty},
		{llmtest.NullContent, llm.Empty},
		{llmtest.ReasoningAlone, llm.Empty},
		{llmtest.ThinkOpen, llm.Empty},
	} {
		t.Run(tt.trouble.String(), func(t *testing.T) {
			both(t, func(t *testing.T, stream bool) {
				s, e := start(t, llmtest.VLLM)
				s.Next(tt.trouble)
				reply, _, err := complete(t, e, ask(models[llmtest.VLLM]), stream)
				if llm.ReasonOf(err) != tt.want || reply.Text != "" || reply.Tokens.In == 0 {
					t.Errorf("Complete = %+v, %v, want %s, no text, what was spent", reply, err, tt.want)
				}
			})
		})
	}
}

// A reply that opens in reasoning is told from the end of it; a stream that was
// believed is taken back, once.
func TestEndpointOpensInReasoning(t *testing.T) {
	s, e := start(t, llmtest.VLLM, llmtest.Models("DeepSeek-R1", "plain"))
	s.For(nil, llmtest.ThinkTail)
	for _, stream := range []bool{true, false} {
		reply, parts, err := complete(t, e, ask("DeepSeek-R1"), stream)
		if err != nil || reply.Text != llmtest.Sentence || stream && strings.Join(parts, "") != reply.Text {
			t.Errorf("Complete of a model known for it = %q in %q, %v, want %q", reply.Text, parts, err, llmtest.Sentence)
		}
	}
	if _, _, err := complete(t, e, ask("plain"), true); llm.ReasonOf(err) != llm.Garbled {
		t.Errorf("first stream of a model not known for it: %v, want %s", err, llm.Garbled)
	}
	if reply, parts, err := complete(t, e, ask("plain"), true); err != nil || reply.Text != llmtest.Sentence || strings.Join(parts, "") != reply.Text {
		t.Errorf("second stream = %q in %q, %v, want %q", reply.Text, parts, err, llmtest.Sentence)
	}
	s.Clear()
	if reply, parts, err := complete(t, e, ask("plain"), true); err != nil || reply.Text != llmtest.Sentence || strings.Join(parts, "") != reply.Text {
		t.Errorf("stream without any tag = %q in %q, %v, want %q", reply.Text, parts, err, llmtest.Sentence)
	}
}

func TestEndpointShapes(t *testing.T) {
	for _, tt := range []struct {
		name, body, text string
		reason           llm.Reason
	}{
		{"Parts", `{"choices":[{"message":{"content":["a",{"type":"text","text":"b"},{"type":"thinking","thinking":"x"},{"text":{"value":"c"}}]}}]}`, "abc", ""},
		{"OnePart", `{"choices":[{"message":{"content":{"type":"text","text":"b"}}}]}`, "b", ""},
		{"Reasoning", `{"choices":[{"message":{"content":"a","reasoning":"x"}}]}`, "a", ""},
		{"NumberFinish", `{"choices":[{"message":{"content":"a"},"finish_reason":7}],"usage":"none","model":3,"id":null}`, "a", ""},
		{"BOM", "\xef\xbb\xbf{\"choices\":[{\"message\":{\"content\":\"a\"}}]}", "a", ""},
		{"NullError", `{"error":null,"choices":[{"message":{"content":"a"}}]}`, "a", ""},
		{"RefusalPart", `{"choices":[{"message":{"content":[{"type":"refusal","refusal":"no"}]}}]}`, "", llm.Filtered},
		{"MaxTokens", `{"choices":[{"message":{"content":"a"},"finish_reason":"MAX_TOKENS"}]}`, "", llm.CutOff},
		{"ChoicesNull", `{"choices":null}`, "", llm.Garbled},
		{"ChoicesObject", `{"choices":{"0":1}}`, "", llm.Garbled},
		{"ChoiceString", `{"choices":["a"]}`, "", llm.Garbled},
		{"NoMessage", `{"choices":[{}]}`, "", llm.Empty},
		{"Array", `[]`, "", llm.Garbled},
		{"Nothing", ``, "", llm.Garbled},
		{"QuotaUnder200", `{"error":{"code":"insufficient_quota","message":"pay"}}`, "", llm.NoQuota},
		{"NumberUnder200", `{"error":{"code":503,"message":"busy"}}`, "", llm.Down},
		{"ChoiceError", `{"choices":[{"error":{"code":429},"message":{"content":""}}]}`, "", llm.Busy},
		{"FlatError", `{"object":"error","type":"NotFoundError","code":404}`, "", llm.NotFound},
	} {
		t.Run(tt.name, func(t *testing.T) {
			both(t, func(t *testing.T, stream bool) {
				e := over(t, always(200, "application/json", tt.body))
				reply, _, err := complete(t, e, ask("m"), stream)
				if reply.Text != tt.text || llm.ReasonOf(err) != tt.reason || (err == nil) != (tt.reason == "") {
					t.Errorf("Complete = %q, %v, want %q, %q", reply.Text, err, tt.text, tt.reason)
				}
			})
		})
	}
}

func TestEndpointRetryAfter(t *testing.T) {
	now := time.Date(2026, 11, 30, 9, 0, 0, 0, time.UTC)
	for _, tt := range []struct {
		name, value string
		want        time.Duration
	}{
		{"Retry-After", "1", time.Second},
		{"Retry-After", "1.5", 1500 * time.Millisecond},
		{"Retry-After", now.Add(90 * time.Second).Format(http.TimeFormat), 90 * time.Second},
		{"Retry-After", now.Add(-time.Hour).Format(http.TimeFormat), 0},
		{"Retry-After", "-3", 0},
		{"Retry-After", "NaN", 0},
		{"Retry-After", "1e300", 24 * time.Hour},
		{"Retry-After", "soon", 0},
		{"Retry-After-Ms", "250", 250 * time.Millisecond},
		{"X", "", 0},
	} {
		e, err := llm.NewEndpoint(llm.EndpointConfig{
			Kind: llm.KindVLLM, Now: func() time.Time { return now },
			HTTPClient: &http.Client{Transport: roundTrip(func(*http.Request) (*http.Response, error) {
				resp := answer(429, "application/json", `{}`)
				resp.Header.Set(tt.name, tt.value)
				return resp, nil
			})},
		})
		if err != nil {
			t.Fatal(err)
		}
		_, err = e.Complete(t.Context(), ask("m"), nil)
		var f *llm.Failure
		if !errors.As(err, &f) || f.Reason != llm.Busy || f.After != tt.want {
			t.Errorf("%s: %s gives %#v, want Busy after %v", tt.name, tt.value, f, tt.want)
		}
	}
}

func TestEndpointDoesNotFollow(t *testing.T) {
	noLeaks(t)
	var followed bool
	other := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { followed = true }))
	defer other.Close()
	s := httptest.NewServer(http.RedirectHandler(other.URL, http.StatusTemporaryRedirect))
	defer s.Close()
	e, err := llm.NewEndpoint(llm.EndpointConfig{Kind: llm.KindVLLM, BaseURL: s.URL + "/v1", Key: secret.New("k")})
	if err != nil {
		t.Fatal(err)
	}
	defer e.Close()
	if _, err := e.Complete(t.Context(), ask("m"), nil); llm.ReasonOf(err) != llm.NotFound || followed {
		t.Errorf("Complete behind a redirect: %v, followed %t, want %s, false", err, followed, llm.NotFound)
	}
}

func TestEndpointCancelled(t *testing.T) {
	both(t, func(t *testing.T, stream bool) {
		s, e := start(t, llmtest.VLLM)
		s.For(nil, llmtest.All(llmtest.Slow(time.Minute), llmtest.SlowStream(time.Minute)))
		f, _ := collect()
		if !stream {
			f = nil
		}
		ctx, cancel := context.WithTimeout(t.Context(), 20*time.Millisecond)
		defer cancel()
		_, err := e.Complete(ctx, ask(models[llmtest.VLLM]), f)
		if llm.ReasonOf(err) != llm.TimedOut || !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("Complete past its deadline: %v, want %s", err, llm.TimedOut)
		}
		ctx, cancel = context.WithCancel(t.Context())
		time.AfterFunc(20*time.Millisecond, cancel)
		if _, err := e.Complete(ctx, ask(models[llmtest.VLLM]), f); err != context.Canceled {
			t.Errorf("Complete of one who left: %v, want %v", err, context.Canceled)
		}
	})
}

func TestEndpointStreamEnds(t *testing.T) {
	_, e := start(t, llmtest.VLLM)
	stop := errors.New("enough")
	var n int
	_, err := e.Complete(t.Context(), ask(models[llmtest.VLLM]), func(string) error { n++; return stop })
	if err != stop || n != 1 {
		t.Errorf("Complete: %v after %d parts, want %v after 1", err, n, stop)
	}
	// A stream that ends with neither a finish_reason nor [DONE] was cut.
	cut := over(t, always(200, "text/event-stream", "data: {\"choices\":[{\"delta\":{\"content\":\"a\"}}]}\n\n"))
	if _, _, err := complete(t, cut, ask("m"), true); llm.ReasonOf(err) != llm.Unreachable {
		t.Errorf("Complete of a cut stream: %v, want %s", err, llm.Unreachable)
	}
	void := over(t, always(200, "text/event-stream", "data: [DONE]\n\n"))
	if _, _, err := complete(t, void, ask("m"), true); llm.ReasonOf(err) != llm.Garbled {
		t.Errorf("Complete of a stream with nothing in it: %v, want %s", err, llm.Garbled)
	}
}

func TestEndpointGzipBomb(t *testing.T) {
	var b bytes.Buffer
	zw := gzip.NewWriter(&b)
	for range 8 {
		zw.Write(make([]byte, 1<<20))
	}
	zw.Close()
	both(t, func(t *testing.T, stream bool) {
		e := over(t, func(*http.Request) (*http.Response, error) {
			resp := answer(200, "application/json", b.String())
			resp.Header.Set("Content-Encoding", "gzip")
			return resp, nil
		})
		if _, _, err := complete(t, e, ask("m"), stream); llm.ReasonOf(err) != llm.Garbled {
			t.Errorf("Complete of 8 MB in %d bytes: %v, want %s", b.Len(), err, llm.Garbled)
		}
	})
}
