package llm

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"

	"plumbline/bot"
)

// A Request is one question to a model, and everything that the reply depends
// on. It does not change once made.
type Request struct {
	Stage       string    `json:"stage"` // that asks: one of Stages
	Model       string    `json:"model"` // as the server names it
	Messages    []Message `json:"messages"`
	Schema      *Schema   `json:"schema,omitempty"`      // of the reply; nil for prose
	Mode        Mode      `json:"mode,omitempty"`        // how the server is asked to keep to Schema
	Temperature *float64  `json:"temperature,omitempty"` // nil for the server's own; 0 is sent as 0
	Effort      string    `json:"effort,omitempty"`      // of reasoning; empty for the server's own
	MaxTokens   int       `json:"max_tokens,omitempty"`  // of the reply, reasoning included; 0 for the server's own
	Completion  bool      `json:"completion,omitempty"`  // the limit is called max_completion_tokens
}

// A Message is one message of a request.
type Message struct {
	Role    string `json:"role"` // system, user or assistant
	Content string `json:"content"`
}

// A Schema is the JSON schema of a reply.
type Schema struct {
	Name string          `json:"name"`
	JSON json.RawMessage `json:"json"`
}

// A Mode is a way to ask a server for JSON.
type Mode string

// The modes, best first.
const (
	ModeSchema Mode = "schema" // response_format json_schema, strict
	ModeJSON   Mode = "json"   // response_format json_object; a message says JSON
	ModePlain  Mode = "plain"  // no response_format: the prompt alone asks
)

// Key names a request by everything that its reply depends on: 32 hexadecimal
// digits of SHA-256.
func (r Request) Key() string {
	b, err := json.Marshal(r)
	if err != nil {
		panic(err) // strings and numbers marshal
	}
	sum := sha256.Sum256(b)
	return hex.EncodeToString(sum[:16])
}

// Chars is how many characters the messages hold.
func (r Request) Chars() (n int) {
	for _, m := range r.Messages {
		n += len([]rune(m.Content))
	}
	return n
}

// A Reply is what a model said.
type Reply struct {
	Text   string     `json:"text"`             // without reasoning
	Model  string     `json:"model,omitempty"`  // as the server names what replied
	Finish string     `json:"finish,omitempty"` // why it ended: stop, length, content_filter; empty if not told
	Tokens bot.Tokens `json:"tokens"`           // as the server counts them, else by characters
	Tries  int        `json:"tries,omitempty"`  // how often the server was asked
}

// A Model answers requests. It is safe for concurrent use. Its errors are
// [Failure]s, or ctx's.
type Model interface {
	// Complete asks for the whole reply. If stream is not nil it is called with
	// each part of the text, in order and without reasoning, as it comes; an
	// error that it returns ends the reply and is returned. A reply of which a
	// part was streamed is not asked for again.
	Complete(ctx context.Context, r Request, stream func(part string) error) (Reply, error)
}
