package llmtest

import (
	"bytes"
	"encoding/json"
	"net/http"
	"strings"
	"time"
)

// An answer is what a call will get. Troubles change it.
type answer struct {
	kind    Kind
	request *Request
	key     string
	flat    bool // errors are

	raw *raw // instead of a completion

	// The completion.
	model     string
	text      string
	content   any // instead of text
	reasoning string
	refusal   string
	finish    any
	noChoices bool
	created   any
	usage     any // nil for none

	// How it is sent.
	wait, gap  time.Duration
	breaks     breaks
	whole      bool // in one delta
	duplicates bool
	gzip       bool
	crlf       bool
	tight      bool // no space behind "data:"
	comments   bool
	splitRune  bool
	noDone     bool
	early      bool // usage with the finish, not behind it
	fails      *raw // midway in a stream
	event      string
}

// breaks is where a connection breaks.
type breaks int

const (
	whole breaks = iota
	resetBefore
	resetMidway
	cutMidway
)

// A usage is what vendors tell of tokens.
type usage struct {
	Prompt     any `json:"prompt_tokens"`
	Completion any `json:"completion_tokens"`
	Total      any `json:"total_tokens"`
}

// compose makes the answer of a call about which nothing is wrong.
func (s *Server) compose(a *answer, text string) {
	r := a.request
	a.model, a.created, a.finish = r.Model, a.request.When.Unix(), "stop"
	switch {
	case s.kind.hosted():
		a.model += "-2024-07-18" // a snapshot answers for its alias
	case a.model == "" || s.kind == LlamaCpp:
		a.model = s.models[0]
	}
	limit := r.MaxTokens
	if s.kind != Ollama {
		limit = max(limit, r.MaxCompletionTokens)
	}
	if limit > 0 && tokens(text) > limit {
		text, a.finish = string([]rune(text)[:4*limit]), "length"
	}
	a.text = text
	n := tokens(text)
	a.usage = usage{r.Tokens, n, r.Tokens + n}
}

func (a *answer) status() int {
	switch {
	case a.breaks == resetBefore:
		return 0
	case a.raw != nil:
		return a.raw.status
	}
	return http.StatusOK
}

type completion struct {
	ID      string   `json:"id"`
	Object  string   `json:"object"`
	Created any      `json:"created"`
	Model   string   `json:"model"`
	Choices []choice `json:"choices"`
	Usage   any      `json:"usage,omitempty"`
	Filter  any      `json:"prompt_filter_results,omitempty"`
}

type choice struct {
	Index   int      `json:"index"`
	Message *message `json:"message,omitempty"`
	Delta   *message `json:"delta,omitempty"`
	Finish  any      `json:"finish_reason"`
	Filter  any      `json:"content_filter_results,omitempty"`
}

type message struct {
	Role             string `json:"role,omitempty"`
	Content          any    `json:"content,omitempty"`
	ReasoningContent string `json:"reasoning_content,omitempty"`
	Reasoning        string `json:"reasoning,omitempty"`
	Refusal          any    `json:"refusal,omitempty"`
}

// null is a null that is told.
var null = json.RawMessage("null")

// said is the content: text, unless it is something else.
func (a *answer) said() any {
	if a.content != nil {
		return a.content
	}
	return a.text
}

// think puts reasoning where the kind puts it.
func (a *answer) think(m *message, text string) {
	if a.kind == Ollama {
		m.Reasoning = text
	} else {
		m.ReasoningContent = text
	}
}

// filter is what Azure says of its filters.
func (a *answer) filter() any {
	if a.kind != Azure {
		return nil
	}
	return json.RawMessage(`{"hate":{"filtered":false,"severity":"safe"},"violence":{"filtered":false,"severity":"safe"}}`)
}

func (a *answer) promptFilter() any {
	if a.kind != Azure {
		return nil
	}
	return []any{json.RawMessage(`{"prompt_index":0,"content_filter_results":{"hate":{"filtered":false,"severity":"safe"},"violence":{"filtered":false,"severity":"safe"}}}`)}
}

// document is the answer to a call that does not stream.
func (a *answer) document() []byte {
	m := &message{Role: "assistant", Content: a.said()}
	if a.kind == OpenAI || a.kind == Azure {
		m.Refusal = null
	}
	if a.refusal != "" {
		m.Refusal, m.Content = a.refusal, null
	}
	if a.reasoning != "" {
		a.think(m, a.reasoning)
	}
	choices := []choice{{Message: m, Finish: a.finish, Filter: a.filter()}}
	if a.noChoices {
		choices = []choice{}
	}
	return a.doubled(encode(completion{
		ID: "chatcmpl-1", Object: "chat.completion", Created: a.created, Model: a.model,
		Choices: choices, Usage: a.usage, Filter: a.promptFilter(),
	}))
}

// Decoy is what stands first under a key that stands twice.
const Decoy = "the first of two"

// doubled puts a second key before each "content", if told to.
func (a *answer) doubled(b []byte) []byte {
	if !a.duplicates {
		return b
	}
	return bytes.ReplaceAll(b, []byte(`"content":`), []byte(`"content":"`+Decoy+`","content":`))
}

// deltas cuts text as it is streamed, anywhere between two runes.
func (a *answer) deltas(text string) (parts []string) {
	if a.whole || text == "" {
		return []string{text}
	}
	r := []rune(text)
	size := max(6, len(r)/200)
	for len(r) > size {
		parts, r = append(parts, string(r[:size])), r[size:]
	}
	return append(parts, string(r))
}

// chunks is the answer to a call that streams, without framing: [DONE] is among
// them.
func (a *answer) chunks() (all []string) {
	told := a.request.IncludeUsage && a.usage != nil
	add := func(c completion) {
		if c.Object == "" {
			c.ID, c.Object, c.Created, c.Model = "chatcmpl-1", "chat.completion.chunk", a.created, a.model
		}
		if told && c.Usage == nil && (a.kind == OpenAI || a.kind == Azure) {
			c.Usage = null
		}
		all = append(all, string(a.doubled(encode(c))))
	}
	delta := func(m message, finish any) {
		if a.noChoices {
			add(completion{Choices: []choice{}})
			return
		}
		add(completion{Choices: []choice{{Delta: &m, Finish: finish, Filter: a.filter()}}})
	}
	if a.kind == Azure { // what it found in the prompt comes first
		add(completion{Object: "chat.completion.chunk", Created: 0, Choices: []choice{}, Filter: a.promptFilter()})
	}
	delta(message{Role: "assistant", Content: ""}, nil)
	if a.reasoning != "" {
		for _, part := range a.deltas(a.reasoning) {
			var m message
			a.think(&m, part)
			delta(m, nil)
		}
	}
	switch {
	case a.refusal != "":
		for _, part := range a.deltas(a.refusal) {
			delta(message{Refusal: part}, nil)
		}
	case a.content != nil:
		delta(message{Content: a.content}, nil)
	case a.text != "":
		for _, part := range a.deltas(a.text) {
			delta(message{Content: part}, nil)
		}
	}
	last := completion{Choices: []choice{{Delta: &message{}, Finish: a.finish}}}
	if a.noChoices {
		last.Choices = []choice{}
	}
	if told && a.early {
		last.Usage = a.usage
	}
	add(last)
	if told && !a.early {
		add(completion{Choices: []choice{}, Usage: a.usage})
	}
	if a.fails != nil {
		all = append(all[:len(all)/2], string(a.fails.body))
		if a.kind != VLLM {
			return all
		}
	}
	if !a.noDone {
		all = append(all, "[DONE]")
	}
	return all
}

// frame writes an event as it goes over the wire.
func (a *answer) frame(data string) string {
	var b strings.Builder
	if a.comments {
		b.WriteString(": keep-alive\n\n")
	}
	if a.event != "" && a.fails != nil && data == string(a.fails.body) {
		b.WriteString("event: " + a.event + "\n")
	}
	b.WriteString("data:")
	if !a.tight {
		b.WriteString(" ")
	}
	b.WriteString(data + "\n\n")
	if a.crlf {
		return strings.ReplaceAll(b.String(), "\n", "\r\n")
	}
	return b.String()
}
