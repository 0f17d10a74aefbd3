package llmtest

import (
	"encoding/json"
	"strings"
	"time"
)

// A Request is one call, as far as it could be read. A call that is refused is
// read up to what was wrong.
type Request struct {
	When   time.Time
	Method string
	Path   string
	Query  string
	Header []string // names, sorted
	Body   []byte
	Status int // of the answer; 0 if the connection broke before it

	Model               string // Azure: the deployment
	Messages            []Message
	Format              string // of response_format: json_schema, json_object or empty
	Schema              json.RawMessage
	SchemaName          string
	Strict              bool
	Temperature         *float64
	MaxTokens           int // 0 if not told
	MaxCompletionTokens int
	ReasoningEffort     string
	Stream              bool
	IncludeUsage        bool

	Tokens    int       // of the prompt, as counted
	Truncated bool      // the model was shown less than was sent
	Seen      []Message // what the model was shown
}

// A Message is one message. Content in parts is joined.
type Message struct {
	Role    string
	Content string
}

// System returns the system messages, one a paragraph.
func (r Request) System() string {
	var texts []string
	for _, m := range r.Messages {
		if m.Role == "system" || m.Role == "developer" {
			texts = append(texts, m.Content)
		}
	}
	return strings.Join(texts, "\n\n")
}

// User returns the last user message.
func (r Request) User() string {
	for i := len(r.Messages) - 1; i >= 0; i-- {
		if r.Messages[i].Role == "user" {
			return r.Messages[i].Content
		}
	}
	return ""
}

// tokens counts roughly: four characters each.
func tokens(text string) int { return (len([]rune(text)) + 3) / 4 }

// prompt counts the tokens of messages.
func prompt(messages []Message) (n int) {
	for _, m := range messages {
		n += tokens(m.Content)
	}
	return n
}

// keepLast returns the last of the messages that hold at most n tokens, the
// first of them cut.
func keepLast(messages []Message, n int) []Message {
	var kept []Message
	for i := len(messages) - 1; i >= 0 && n > 0; i-- {
		m := messages[i]
		if r := []rune(m.Content); tokens(m.Content) > n {
			m.Content = string(r[len(r)-4*n:])
		}
		n -= tokens(m.Content)
		kept = append([]Message{m}, kept...)
	}
	return kept
}

func trimTag(model string) string { return strings.TrimSuffix(model, ":latest") }
