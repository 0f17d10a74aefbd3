// Package llmtest is a strict fake of a chat server that speaks as OpenAI does:
// a real server on loopback that checks what the vendor checks, records what it
// was asked, and goes wrong when told to. It shares no code with the client.
package llmtest

import "slices"

// A Kind is whose server it plays.
type Kind string

// The kinds.
//
// Azure takes the key in api-key, the version in the query and the deployment,
// which is its model, in the path. Ollama takes any key or none, drops what does
// not fit its context without a word, and does not know max_completion_tokens.
// LlamaCpp serves one model whatever name it is asked for.
const (
	OpenAI   Kind = "openai"
	Azure    Kind = "azure"
	Ollama   Kind = "ollama"
	VLLM     Kind = "vllm"
	LlamaCpp Kind = "llamacpp"
)

// An Option changes what a server is like.
type Option func(*Server)

// Models are the models, or Azure's deployments, that the server has.
func Models(names ...string) Option {
	return func(s *Server) { s.models = names }
}

// Context is how many tokens the model takes, four characters each. Ollama keeps
// the last of them; the others refuse what is longer.
func Context(tokens int) Option {
	return func(s *Server) { s.context = tokens }
}

// Formats are the response_formats that the server supports, of json_object and
// json_schema: an older server has fewer. Ollama ignores the others, the other
// kinds refuse them.
func Formats(names ...string) Option {
	return func(s *Server) { s.formats = names }
}

// FlatErrors makes a VLLM server tell errors as older ones do, without "error"
// around them.
func FlatErrors() Option {
	return func(s *Server) { s.flat = true }
}

// hosted tells whether the vendor is strict about every parameter.
func (k Kind) hosted() bool { return k == OpenAI || k == Azure }

// The least that is true of a kind.
var (
	modelsOf = map[Kind][]string{
		OpenAI:   {"gpt-4o-mini", "gpt-5-mini"},
		Azure:    {"gpt-4o-mini", "gpt-5-mini"},
		Ollama:   {"llama3.2"},
		VLLM:     {"Qwen/Qwen2.5-7B-Instruct"},
		LlamaCpp: {"model.gguf"},
	}
	contextOf = map[Kind]int{OpenAI: 128000, Azure: 128000, Ollama: 4096, VLLM: 32768, LlamaCpp: 4096}
)

// knows tells whether the server has a model of that name.
func (s *Server) knows(model string) bool {
	if s.kind == Ollama && slices.Contains(s.models, trimTag(model)) {
		return true
	}
	return slices.Contains(s.models, model)
}
