package llm

import (
	"fmt"
	"regexp"
	"slices"
	"strings"

	"plumbline/bot"
)

// A Kind is a kind of server.
type Kind string

// The kinds. Any other server that speaks chat completions is asked as the one
// that it resembles, with a base URL of its own.
const (
	KindOpenAI   Kind = "openai"
	KindAzure    Kind = "azure"
	KindOllama   Kind = "ollama"
	KindVLLM     Kind = "vllm"
	KindLlamaCpp Kind = "llamacpp"
)

// A Preset is what a kind of server takes.
type Preset struct {
	Kind        Kind
	BaseURL     string // empty if each has its own
	Mode        Mode   // the best that it keeps to
	Completion  bool   // it is told max_completion_tokens, for any model
	StreamUsage bool   // it takes stream_options
	NeedsKey    bool   // it does not answer without a key
}

var presets = []Preset{
	// Strict schemas: platform.openai.com/docs/guides/structured-outputs.
	// max_tokens is deprecated in favour of max_completion_tokens, and
	// stream_options is taken: platform.openai.com/docs/api-reference/chat/create.
	{Kind: KindOpenAI, BaseURL: "https://api.openai.com/v1", Mode: ModeSchema, Completion: true, StreamUsage: true, NeedsKey: true},

	// Schemas from API version 2024-08-01-preview on:
	// learn.microsoft.com/azure/ai-foundry/openai/how-to/structured-outputs.
	// max_completion_tokens for reasoning models, and stream_options, from
	// 2024-09-01-preview on: learn.microsoft.com/azure/ai-foundry/openai/how-to/reasoning
	// and …/openai/reference. A deployment's name need not tell its model.
	{Kind: KindAzure, Mode: ModeSchema, StreamUsage: true, NeedsKey: true},

	// json_schema, stream_options and max_tokens are in its list of fields,
	// max_completion_tokens is not; a key is ignored:
	// docs.ollama.com/api/openai-compatibility and docs.ollama.com/capabilities/structured-outputs.
	{Kind: KindOllama, BaseURL: "http://localhost:11434/v1", Mode: ModeSchema, StreamUsage: true},

	// docs.vllm.ai/en/stable/serving/openai_compatible_server and
	// …/features/structured_outputs; a key only if served with --api-key.
	{Kind: KindVLLM, BaseURL: "http://localhost:8000/v1", Mode: ModeSchema, StreamUsage: true},

	// json_schema by grammar, a key only with --api-key:
	// github.com/ggml-org/llama.cpp/blob/master/tools/server/README.md.
	{Kind: KindLlamaCpp, BaseURL: "http://localhost:8080/v1", Mode: ModeSchema, StreamUsage: true},
}

// PresetOf returns the preset of a kind. Its error wraps bot.ErrInvalid and
// names the kinds that there are.
func PresetOf(k Kind) (Preset, error) {
	i := slices.IndexFunc(presets, func(p Preset) bool { return p.Kind == k })
	if i < 0 {
		return Preset{}, fmt.Errorf("%w kind of server %q: choose one of %s", bot.ErrInvalid, k, strings.Join(Kinds(), ", "))
	}
	return presets[i], nil
}

// Kinds returns the names of the kinds.
func Kinds() []string {
	var names []string
	for _, p := range presets {
		names = append(names, string(p.Kind))
	}
	return names
}

// Wishes are what an operator says otherwise than a preset; the zero value says
// nothing.
type Wishes struct {
	Mode        Mode  // how to ask for JSON
	Completion  *bool // whether the limit is called max_completion_tokens
	Temperature *bool // whether a temperature is sent
}

// Fill returns r asked as the server and its model take it: with the Mode and
// the name of the limit that w or else the preset says, and without a
// temperature where the model takes none.
func (p Preset) Fill(r Request, w Wishes) Request {
	reasoning := Reasons(r.Model)
	r.Mode = ""
	if r.Schema != nil {
		r.Mode = p.Mode
		if w.Mode != "" {
			r.Mode = w.Mode
		}
	}
	r.Completion = p.Completion || reasoning
	if w.Completion != nil {
		r.Completion = *w.Completion
	}
	if w.Temperature != nil && !*w.Temperature || w.Temperature == nil && reasoning {
		r.Temperature = nil
	}
	return r
}

// reasons are the names of OpenAI's models that refuse max_tokens and a
// temperature: platform.openai.com/docs/guides/reasoning.
var reasons = regexp.MustCompile(`^(o[134]|gpt-([5-9]|[1-9][0-9]))([-.a-z@]|$)`)

// Reasons reports whether a model's name is that of a reasoning model of
// OpenAI's, with or without the vendor before it: openai/gpt-5-mini.
func Reasons(model string) bool {
	name := strings.ToLower(model)
	name = name[strings.LastIndexByte(name, '/')+1:]
	return reasons.MatchString(name) && !strings.Contains(name, "-chat")
}

// opening are parts of the names of models whose template begins the reasoning
// in the prompt, so that the reply holds the end of it alone:
// huggingface.co/deepseek-ai/DeepSeek-R1, huggingface.co/Qwen/QwQ-32B,
// huggingface.co/Qwen/Qwen3-4B-Thinking-2507.
var opening = []string{"deepseek-r1", "qwq", "thinking"}

// opensInReasoning reports whether a model's name is one of those.
func opensInReasoning(model string) bool {
	name := strings.ToLower(model)
	return slices.ContainsFunc(opening, func(part string) bool { return strings.Contains(name, part) })
}
