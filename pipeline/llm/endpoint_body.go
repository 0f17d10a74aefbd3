package llm

import (
	"bytes"
	"encoding/json"
	"slices"
	"strings"
)

// wireRequest is the body that is sent. go-openai's own leaves out a
// temperature of 0 and refuses some names of models.
type wireRequest struct {
	Model         string         `json:"model"`
	Messages      []Message      `json:"messages"`
	Temperature   *float64       `json:"temperature,omitempty"`
	Effort        string         `json:"reasoning_effort,omitempty"`
	MaxTokens     int            `json:"max_tokens,omitempty"`
	MaxCompletion int            `json:"max_completion_tokens,omitempty"`
	Format        *wireFormat    `json:"response_format,omitempty"`
	Stream        bool           `json:"stream,omitempty"`
	StreamOptions *streamOptions `json:"stream_options,omitempty"`
}

type wireFormat struct {
	Type   string      `json:"type"`
	Schema *wireSchema `json:"json_schema,omitempty"`
}

type wireSchema struct {
	Name   string          `json:"name"`
	Strict bool            `json:"strict"`
	Schema json.RawMessage `json:"schema"`
}

type streamOptions struct {
	IncludeUsage bool `json:"include_usage"`
}

// body returns the body of a request.
func (e *Endpoint) body(r Request, stream bool) ([]byte, error) {
	w := wireRequest{Model: r.Model, Messages: r.Messages, Temperature: r.Temperature, Effort: r.Effort, Stream: stream}
	if r.Completion {
		w.MaxCompletion = r.MaxTokens
	} else {
		w.MaxTokens = r.MaxTokens
	}
	if stream && e.usage {
		w.StreamOptions = &streamOptions{IncludeUsage: true}
	}
	if r.Schema != nil {
		switch r.Mode {
		case ModeSchema:
			w.Format = &wireFormat{"json_schema", &wireSchema{r.Schema.Name, true, r.Schema.JSON}}
		case ModeJSON:
			w.Format = &wireFormat{Type: "json_object"}
			w.Messages = sayJSON(r.Messages)
		}
	}
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	err := enc.Encode(w)
	return bytes.TrimSpace(b.Bytes()), err
}

// sayJSON returns messages in one of which the word JSON stands, without which
// OpenAI refuses json_object.
func sayJSON(messages []Message) []Message {
	const say = "Reply in JSON."
	for _, m := range messages {
		if strings.Contains(strings.ToLower(m.Content), "json") {
			return messages
		}
	}
	messages = slices.Clone(messages)
	i := slices.IndexFunc(messages, func(m Message) bool { return m.Role == "system" })
	if i < 0 {
		return slices.Insert(messages, 0, Message{"system", say})
	}
	messages[i].Content += "\n\n" + say
	return messages
}
