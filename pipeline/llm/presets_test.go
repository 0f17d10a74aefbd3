package llm_test

import (
	"errors"
	"testing"

	"plumbline/bot"
	"plumbline/pipeline/llm"
)

func TestReasons(t *testing.T) {
	for name, want := range map[string]bool{
		"o1": true, "o3-local": true, "o4-mini": true, "o1x": true, "gpt-5": true, "gpt-5-mini": true, "gpt-5.1": true,
		"openai/gpt-5-mini": true, "GPT-5-Nano": true, "gpt-6-sol": true,
		"gpt-5-chat-latest": false, "gpt-4o-mini": false, "gpt-4.1": false, "gpt-oss-20b": false, "o2": false, "o10": false,
		"llama3.2": false, "olmo": false, "Qwen/Qwen2.5-7B-Instruct": false, "": false,
	} {
		if got := llm.Reasons(name); got != want {
			t.Errorf("Reasons(%q) = %t, want %t", name, got, want)
		}
	}
}

func TestFill(t *testing.T) {
	yes, no := true, false
	warm := 0.3
	for _, tt := range []struct {
		name       string
		kind       llm.Kind
		model      string
		w          llm.Wishes
		mode       llm.Mode
		completion bool
		warm       bool
	}{
		{"OpenAI", llm.KindOpenAI, "gpt-4o-mini", llm.Wishes{}, llm.ModeSchema, true, true},
		{"OpenAIReasoning", llm.KindOpenAI, "gpt-5-mini", llm.Wishes{}, llm.ModeSchema, true, false},
		{"Azure", llm.KindAzure, "mine", llm.Wishes{}, llm.ModeSchema, false, true},
		{"AzureTold", llm.KindAzure, "mine", llm.Wishes{Completion: &yes, Temperature: &no}, llm.ModeSchema, true, false},
		{"Ollama", llm.KindOllama, "llama3.2", llm.Wishes{Mode: llm.ModeJSON}, llm.ModeJSON, false, true},
		{"LocalName", llm.KindVLLM, "o3-local", llm.Wishes{}, llm.ModeSchema, true, false},
		{"LocalNameTold", llm.KindVLLM, "o3-local", llm.Wishes{Completion: &no, Temperature: &yes}, llm.ModeSchema, false, true},
		{"LlamaCpp", llm.KindLlamaCpp, "model.gguf", llm.Wishes{Mode: llm.ModePlain}, llm.ModePlain, false, true},
	} {
		t.Run(tt.name, func(t *testing.T) {
			p, err := llm.PresetOf(tt.kind)
			if err != nil {
				t.Fatal(err)
			}
			r := llm.Request{Model: tt.model, Temperature: &warm, Schema: schema}
			got := p.Fill(r, tt.w)
			if got.Mode != tt.mode || got.Completion != tt.completion || (got.Temperature != nil) != tt.warm {
				t.Errorf("Fill = mode %s, completion %t, temperature %t, want %s, %t, %t",
					got.Mode, got.Completion, got.Temperature != nil, tt.mode, tt.completion, tt.warm)
			}
			if r.Temperature == nil || r.Mode != "" {
				t.Errorf("Fill changed the request that it was given: %+v", r)
			}
			if r.Schema = nil; p.Fill(r, tt.w).Mode != "" {
				t.Errorf("Fill of prose has mode %s, want none", p.Fill(r, tt.w).Mode)
			}
		})
	}
	if _, err := llm.PresetOf("bard"); !errors.Is(err, bot.ErrInvalid) {
		t.Errorf("PresetOf(bard): %v, want %v", err, bot.ErrInvalid)
	}
}
