package llmtest

import (
	"bytes"
	"encoding/json"
	"io"
	"net/http"
	"strings"
	"testing"
)

// fields is a body, to be changed by a test.
type fields map[string]any

// hello is a body with which nothing is wrong.
func (s *Server) hello() fields {
	f := fields{"messages": []fields{
		{"role": "system", "content": "Be brief."},
		{"role": "user", "content": "Is the desk open?"},
	}}
	if s.kind != Azure {
		f["model"] = s.models[0]
	}
	return f
}

func (f fields) with(key string, value any) fields {
	f[key] = value
	return f
}

// call returns a request as a client would send it.
func (s *Server) call(t *testing.T, body any) *http.Request {
	t.Helper()
	b, ok := body.([]byte)
	if !ok {
		var err error
		if b, err = json.Marshal(body); err != nil {
			t.Fatal(err)
		}
	}
	url := s.URL() + "/chat/completions"
	if s.kind == Azure {
		url = s.URL() + "/openai/deployments/" + s.models[0] + "/chat/completions?api-version=2024-10-21"
	}
	hr, err := http.NewRequestWithContext(t.Context(), http.MethodPost, url, bytes.NewReader(b))
	if err != nil {
		t.Fatal(err)
	}
	hr.Header.Set("Content-Type", "application/json")
	if s.kind == Azure {
		hr.Header.Set("api-key", s.Key)
	} else {
		hr.Header.Set("Authorization", "Bearer "+s.Key)
	}
	return hr
}

// A got is an answer as it came.
type got struct {
	status int
	header http.Header
	body   string
	err    error // of the call, or of reading the body
}

func do(t *testing.T, hr *http.Request) got {
	t.Helper()
	response, err := http.DefaultClient.Do(hr)
	if err != nil {
		return got{err: err}
	}
	defer response.Body.Close()
	b, err := io.ReadAll(response.Body)
	return got{response.StatusCode, response.Header, string(b), err}
}

// ask sends a body.
func (s *Server) ask(t *testing.T, body any) got {
	t.Helper()
	return do(t, s.call(t, body))
}

// A reply is what the tests read of a completion or of an event.
type reply struct {
	Object  string
	Model   string
	Created any
	Choices []struct {
		Message, Delta struct {
			Role             string
			Content          any
			ReasoningContent string `json:"reasoning_content"`
			Reasoning        string
			Refusal          string
		}
		Finish string `json:"finish_reason"`
	}
	Usage *struct {
		Prompt     float64 `json:"prompt_tokens"`
		Completion float64 `json:"completion_tokens"`
	}
	Error any
}

func parse(t *testing.T, text string) (r reply) {
	t.Helper()
	if err := json.Unmarshal([]byte(text), &r); err != nil {
		t.Fatalf("answer %q: %v", text, err)
	}
	return r
}

// says returns the content of a completion.
func (g got) says(t *testing.T) string {
	t.Helper()
	if g.status != http.StatusOK || g.err != nil {
		t.Fatalf("answer = %d %q, %v, want a completion", g.status, g.body, g.err)
	}
	r := parse(t, g.body)
	if len(r.Choices) != 1 {
		t.Fatalf("answer %q has %d choices, want 1", g.body, len(r.Choices))
	}
	text, _ := r.Choices[0].Message.Content.(string)
	return text
}

// events returns the data of the events of a stream.
func (g got) events() (all []string) {
	for line := range strings.Lines(g.body) {
		if data, ok := strings.CutPrefix(strings.TrimRight(line, "\r\n"), "data:"); ok {
			all = append(all, strings.TrimPrefix(data, " "))
		}
	}
	return all
}

// text joins the content of a stream.
func (g got) text(t *testing.T) (text string) {
	t.Helper()
	for _, data := range g.events() {
		if data == "[DONE]" {
			continue
		}
		for _, c := range parse(t, data).Choices {
			part, _ := c.Delta.Content.(string)
			text += part
		}
	}
	return text
}
