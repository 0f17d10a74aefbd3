package llm

import (
	"bytes"
	"encoding/json"
	"math"
	"strconv"
	"strings"

	openai "github.com/sashabaranov/go-openai"
)

// said is what a body or a chunk says, whatever shapes the server gave it.
type said struct {
	model     string
	choices   int // how many there were; the first alone is read
	text      string
	reasoning string
	refused   bool
	finish    string // stop, length, content_filter or ""
	in, out   int
	failed    *serverError // nil if it tells no error
}

// readSaid reads a whole reply (field "message") or a chunk (field "delta").
// It reports whether b is a JSON object at all.
func readSaid(b []byte, field string) (said, bool) {
	var w struct {
		Model   json.RawMessage `json:"model"`
		Choices json.RawMessage `json:"choices"`
		Usage   json.RawMessage `json:"usage"`
		serverFields
	}
	b = bytes.TrimPrefix(bytes.TrimSpace(b), []byte("\xef\xbb\xbf"))
	if len(b) == 0 || b[0] != '{' || json.Unmarshal(b, &w) != nil {
		return said{}, false
	}
	s := said{model: stringOf(w.Model)}
	s.failed = w.serverFields.read()

	var u struct {
		In  json.RawMessage `json:"prompt_tokens"`
		Out json.RawMessage `json:"completion_tokens"`
	}
	if json.Unmarshal(w.Usage, &u) == nil {
		s.in, s.out = countOf(u.In), countOf(u.Out)
	}

	var choices []json.RawMessage
	if json.Unmarshal(w.Choices, &choices) != nil {
		return s, true
	}
	s.choices = len(choices)
	if len(choices) > 0 {
		s.choice(choices[0], field)
	}
	return s, true
}

func (s *said) choice(b json.RawMessage, field string) {
	var c map[string]json.RawMessage
	if json.Unmarshal(b, &c) != nil {
		s.choices = 0
		return
	}
	var index float64
	if json.Unmarshal(c["index"], &index) == nil && index != 0 {
		return // a second reply, which nobody asked for
	}
	s.finish = finishOf(stringOf(c["finish_reason"]))
	if e := (serverFields{Error: c["error"]}).read(); e != nil && s.failed == nil {
		s.failed = e // as OpenRouter does
	}
	message := c[field]
	if isNull(message) && field == "delta" {
		message = c["message"]
	}
	var m map[string]json.RawMessage
	if json.Unmarshal(message, &m) != nil {
		return
	}
	for _, p := range partsOf(m["content"]) {
		switch p.kind {
		case "reasoning":
			s.reasoning += p.text
		case "refusal":
			s.refused = true
		default:
			s.text += p.text
		}
	}
	s.reasoning += stringOf(m["reasoning_content"])
	if s.reasoning == "" {
		s.reasoning = stringOf(m["reasoning"])
	}
	s.refused = s.refused || stringOf(m["refusal"]) != ""
}

// A part is a piece of content.
type part struct {
	kind string // reasoning, refusal, or "" for text
	text string
}

// partsOf reads content: a string, a part, or an array of strings and parts.
func partsOf(b json.RawMessage) []part {
	b = bytes.TrimSpace(b)
	if len(b) == 0 {
		return nil
	}
	switch b[0] {
	case '"':
		return []part{{text: stringOf(b)}}
	case '[':
		var list []json.RawMessage
		if json.Unmarshal(b, &list) != nil {
			return nil
		}
		var parts []part
		for _, item := range list {
			if item = bytes.TrimSpace(item); len(item) > 0 && item[0] != '[' {
				parts = append(parts, partsOf(item)...)
			}
		}
		return parts
	case '{':
		var p map[string]json.RawMessage
		if json.Unmarshal(b, &p) != nil {
			return nil
		}
		switch stringOf(p["type"]) {
		case "thinking", "reasoning":
			return []part{{"reasoning", stringOf(p["thinking"]) + stringOf(p["text"])}}
		case "refusal":
			return []part{{kind: "refusal"}}
		case "text", "output_text", "":
			text := stringOf(p["text"])
			var nested struct {
				Value string `json:"value"`
			}
			if text == "" && json.Unmarshal(p["text"], &nested) == nil {
				text = nested.Value
			}
			return []part{{text: text}}
		}
	}
	return nil
}

// whole is what go-openai decodes as a reply.
func (s said) whole() []byte {
	return marshal(openai.ChatCompletionResponse{
		Model: s.model,
		Choices: []openai.ChatCompletionChoice{{
			Message: openai.ChatCompletionMessage{
				Role: "assistant", Content: s.text, ReasoningContent: s.reasoning, Refusal: mark(s.refused),
			},
			FinishReason: openai.FinishReason(s.finish),
		}},
		Usage: openai.Usage{PromptTokens: s.in, CompletionTokens: s.out},
	})
}

// chunk is what go-openai decodes as a part of a stream.
func (s said) chunk() []byte {
	c := openai.ChatCompletionStreamResponse{Model: s.model, Choices: []openai.ChatCompletionStreamChoice{}}
	if s.choices > 0 {
		c.Choices = append(c.Choices, openai.ChatCompletionStreamChoice{
			Delta: openai.ChatCompletionStreamChoiceDelta{
				Content: s.text, ReasoningContent: s.reasoning, Refusal: mark(s.refused),
			},
			FinishReason: openai.FinishReason(s.finish),
		})
	}
	if s.in > 0 || s.out > 0 {
		c.Usage = &openai.Usage{PromptTokens: s.in, CompletionTokens: s.out}
	}
	return marshal(c)
}

// mark stands for a refusal, whose words are not kept.
func mark(refused bool) string {
	if refused {
		return "refused"
	}
	return ""
}

// finishOf returns why a reply ended in the words of OpenAI, "" if it is not
// told or in words that we do not know.
func finishOf(s string) string {
	switch strings.ToLower(s) {
	case "stop", "eos", "eos_token", "end_turn", "stop_sequence":
		return "stop"
	case "length", "max_tokens", "max_output_tokens", "model_length":
		return "length"
	case "content_filter", "content-filter", "refusal", "safety":
		return "content_filter"
	}
	return ""
}

// stringOf returns a JSON string, "" for anything else.
func stringOf(b json.RawMessage) string {
	var s string
	if json.Unmarshal(b, &s) != nil {
		return ""
	}
	return s
}

// countOf returns a count that may be written as a float or a string, 0 for
// anything else.
func countOf(b json.RawMessage) int {
	var f float64
	if json.Unmarshal(b, &f) != nil {
		var err error
		if f, err = strconv.ParseFloat(stringOf(b), 64); err != nil {
			return 0
		}
	}
	if math.IsNaN(f) || f < 0 || f > 1e9 {
		return 0
	}
	return int(math.Round(f))
}

func isNull(b json.RawMessage) bool {
	b = bytes.TrimSpace(b)
	return len(b) == 0 || string(b) == "null"
}
