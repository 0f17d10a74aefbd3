package llmtest

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"
)

func open(t *testing.T, hr *http.Request) io.Reader {
	t.Helper()
	response, err := http.DefaultClient.Do(hr)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { response.Body.Close() })
	return response.Body
}

// A server recalls what it was asked.
func TestRequests(t *testing.T) {
	s := NewServer(t, OpenAI)
	schema := `{"type":"object","additionalProperties":false,"required":["score"],"properties":{"score":{"type":"integer"}}}`
	body := []byte(`{"model":"gpt-4o-mini","temperature":0,"max_tokens":50,"stream":true,"stream_options":{"include_usage":true},` +
		`"messages":[{"role":"system","content":"One."},{"role":"developer","content":"Two."},{"role":"user","content":"First?"},` +
		`{"role":"assistant","content":"Yes."},{"role":"user","content":[{"type":"text","text":"Sec"},{"type":"text","text":"ond?"}]}],` +
		`"response_format":{"type":"json_schema","json_schema":{"name":"score","strict":true,"schema":` + schema + `}}}`)
	before := time.Now()
	s.ask(t, body)
	s.ask(t, s.hello().with("model", "gpt-5-mini").with("max_completion_tokens", 60).with("reasoning_effort", "low"))
	s.ask(t, s.hello().with("model", "other"))
	all := s.Requests()
	if len(all) != 3 {
		t.Fatalf("Requests() = %v, want 3", all)
	}
	r := all[0]
	if r.When.Before(before) || r.Method != "POST" || r.Path != "/v1/chat/completions" || string(r.Body) != string(body) || r.Status != 200 {
		t.Errorf("request = %+v, want it as it was sent", r)
	}
	if !slices.Contains(r.Header, "Authorization") || !slices.IsSorted(r.Header) {
		t.Errorf("Header = %q, want names, sorted", r.Header)
	}
	if r.Model != "gpt-4o-mini" || r.Temperature == nil || *r.Temperature != 0 || r.MaxTokens != 50 || !r.Stream || !r.IncludeUsage {
		t.Errorf("request = %+v, want its parameters", r)
	}
	if r.Format != "json_schema" || r.SchemaName != "score" || !r.Strict || string(r.Schema) != schema {
		t.Errorf("format = %s %s %t %s, want the schema", r.Format, r.SchemaName, r.Strict, r.Schema)
	}
	if len(r.Messages) != 5 || r.System() != "One.\n\nTwo." || r.User() != "Second?" || r.Tokens != 7 || r.Truncated {
		t.Errorf("messages = %q, system %q, user %q, %d tokens, want 5 of 7", r.Messages, r.System(), r.User(), r.Tokens)
	}
	if r := all[1]; r.Temperature != nil || r.MaxTokens != 0 || r.MaxCompletionTokens != 60 || r.ReasoningEffort != "low" || r.Stream || r.Schema != nil || r.Format != "" {
		t.Errorf("request = %+v, want no more than its parameters", r)
	}
	if r := all[2]; r.Status != 404 || r.Model != "other" {
		t.Errorf("request = %+v, want it refused", r)
	}
}

// The deployment is Azure's model, whatever the body says.
func TestAzureModel(t *testing.T) {
	s := NewServer(t, Azure, Models("desk"))
	s.ask(t, s.hello().with("model", "x")).says(t)
	if got := s.Requests()[0].Model; got != "desk" {
		t.Errorf("Model = %q, want desk", got)
	}
}

// The model says what it is told, else something that is asked for.
func TestReply(t *testing.T) {
	s := NewServer(t, OpenAI)
	schema := json.RawMessage(`{"type":"object","additionalProperties":false,"required":["score"],"properties":{"score":{"type":"integer"}}}`)
	named := s.hello().with("response_format", fields{"type": "json_schema", "json_schema": fields{"name": "a", "strict": true, "schema": schema}})
	if got := s.ask(t, named).says(t); got != `{"score":1}` {
		t.Errorf("reply = %s, want one that the schema allows", got)
	}
	s.Reply(func(r Request) string { return strings.ToUpper(r.User()) })
	got := s.ask(t, s.hello())
	if text := got.says(t); text != "IS THE DESK OPEN?" {
		t.Errorf("reply = %q, want IS THE DESK OPEN?", text)
	}
	if r := parse(t, got.body); r.Model != "gpt-4o-mini-2024-07-18" || r.Usage.Prompt != 8 || r.Usage.Completion != 5 || r.Choices[0].Finish != "stop" {
		t.Errorf("answer = %s, want the snapshot's name, and 8 and 5 tokens", got.body)
	}
}

// A limit ends a reply, by the names that the kind knows.
func TestLimit(t *testing.T) {
	for _, kind := range kinds {
		for _, name := range []string{"max_tokens", "max_completion_tokens"} {
			s := NewServer(t, kind)
			r := parse(t, s.ask(t, s.hello().with(name, 2)).body)
			text, finish := "This is ", "length"
			if kind == Ollama && name == "max_completion_tokens" {
				text, finish = Sentence, "stop"
			}
			if r.Choices[0].Message.Content != text || r.Choices[0].Finish != finish {
				t.Errorf("%s: reply with %s 2 = %+v, want %q, %s", kind, name, r.Choices[0], text, finish)
			}
		}
	}
}

// Next comes before For, and Clear ends both. A refused call uses up none.
func TestOrder(t *testing.T) {
	s := NewServer(t, OpenAI)
	streams := func(r Request) bool { return r.Stream }
	s.For(streams, Status(500))
	s.For(nil, Status(501))
	s.Next(Status(502), Status(503))
	var got []int
	for _, body := range []fields{
		s.hello().with("model", "x"),
		s.hello().with("stream", true),
		s.hello(),
		s.hello().with("stream", true),
		s.hello(),
	} {
		got = append(got, s.ask(t, body).status)
	}
	s.Next(Status(504))
	s.Clear()
	got = append(got, s.ask(t, s.hello()).status)
	if want := []int{404, 502, 503, 500, 501, 200}; !slices.Equal(got, want) {
		t.Errorf("answers = %d, want %d", got, want)
	}
}

// Only the vendor who has a field tells it.
func TestVendorFields(t *testing.T) {
	for _, kind := range kinds {
		s := NewServer(t, kind)
		body := s.ask(t, s.hello()).body
		for field, has := range map[string]bool{
			`"content_filter_results"`: kind == Azure,
			`"prompt_filter_results"`:  kind == Azure,
			`"refusal":null`:           kind == Azure || kind == OpenAI,
			Decoy:                      false,
		} {
			if got := strings.Contains(body, field); got != has {
				t.Errorf("%s: answer has %s: %t, want %t in %s", kind, field, got, has, body)
			}
		}
	}
}

func TestModels(t *testing.T) {
	for _, kind := range []Kind{OpenAI, Ollama, VLLM, LlamaCpp} {
		s := NewServer(t, kind, Models("one", "two"))
		hr := s.call(t, nil)
		hr.Method, hr.URL.Path = "GET", "/v1/models"
		if got := do(t, hr); got.status != 200 || !strings.Contains(got.body, `"id":"one"`) || !strings.Contains(got.body, `"id":"two"`) {
			t.Errorf("%s: models = %d %s, want both", kind, got.status, got.body)
		}
		hr.Header.Del("Authorization")
		want := 200
		if kind == OpenAI || kind == VLLM {
			want = 401
		}
		if got := do(t, hr); got.status != want {
			t.Errorf("%s: models without key = %d, want %d", kind, got.status, want)
		}
		hr.Method = "POST"
		if got := do(t, hr); got.status < 400 {
			t.Errorf("%s: POST to models = %d, want it refused", kind, got.status)
		}
	}
}

func TestKeysDiffer(t *testing.T) {
	if a, b := NewServer(t, OpenAI), NewServer(t, OpenAI); a.Key == b.Key {
		t.Errorf("two servers have the key %s", a.Key)
	}
}

func TestAtOnce(t *testing.T) {
	s := NewServer(t, OpenAI)
	s.Reply(func(r Request) string { return r.User() })
	var wg sync.WaitGroup
	for i := range 20 {
		wg.Go(func() {
			s.For(func(Request) bool { return false }, Reset)
			text := fmt.Sprint("question ", i)
			if got := s.ask(t, s.hello().with("messages", []fields{{"role": "user", "content": text}})); !strings.Contains(got.body, text) {
				t.Errorf("reply to %q = %s", text, got.body)
			}
			s.Requests()
		})
	}
	wg.Wait()
	if got := len(s.Requests()); got != 20 {
		t.Errorf("%d requests, want 20", got)
	}
}
