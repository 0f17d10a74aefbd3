package llm_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"strings"
	"testing"

	"plumbline/bot"
	"plumbline/internal/secret"
	"plumbline/pipeline/llm"
)

func TestEndpointURL(t *testing.T) {
	for _, tt := range []struct {
		name   string
		c      llm.EndpointConfig
		url    string
		header string
	}{
		{"OpenAI", llm.EndpointConfig{Kind: llm.KindOpenAI}, "https://api.openai.com/v1/chat/completions", "Authorization: Bearer sk-test"},
		{"Ollama", llm.EndpointConfig{Kind: llm.KindOllama}, "http://localhost:11434/v1/chat/completions", "Authorization: Bearer sk-test"},
		{"Slash", llm.EndpointConfig{Kind: llm.KindVLLM, BaseURL: "http://gpu:8000/v1/"}, "http://gpu:8000/v1/chat/completions", "Authorization: Bearer sk-test"},
		{"Azure", llm.EndpointConfig{Kind: llm.KindAzure, BaseURL: "https://x.openai.azure.com/", APIVersion: "2024-10-21"},
			"https://x.openai.azure.com/openai/deployments/a%2Fb%3Fc/chat/completions?api-version=2024-10-21", "Api-Key: sk-test"},
		{"AzureV1", llm.EndpointConfig{Kind: llm.KindAzure, BaseURL: "https://x.openai.azure.com/openai/v1/"},
			"https://x.openai.azure.com/openai/v1/chat/completions", "Api-Key: sk-test"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			var got *http.Request
			tt.c.Key = secret.New("sk-test")
			tt.c.HTTPClient = &http.Client{Transport: roundTrip(func(r *http.Request) (*http.Response, error) {
				got = r
				return answer(200, "application/json", `{"choices":[{"message":{"content":"a"}}]}`), nil
			})}
			e, err := llm.NewEndpoint(tt.c)
			if err != nil {
				t.Fatal(err)
			}
			if _, err := e.Complete(t.Context(), ask("a/b?c"), nil); err != nil {
				t.Fatalf("Complete: %v", err)
			}
			name, value, _ := strings.Cut(tt.header, ": ")
			if got.URL.String() != tt.url || got.Header.Get(name) != value {
				t.Errorf("asked %s with %q, want %s with %s", got.URL, got.Header, tt.url, tt.header)
			}
			for _, other := range []string{"Authorization", "Api-Key"} {
				if other != name && got.Header.Get(other) != "" {
					t.Errorf("asked with %s too", other)
				}
			}
		})
	}
}

func TestNewEndpoint(t *testing.T) {
	for _, tt := range []struct {
		name string
		c    llm.EndpointConfig
		want []string
	}{
		{"NoKind", llm.EndpointConfig{}, []string{"choose one of openai, azure, ollama, vllm, llamacpp"}},
		{"OpenAINoKey", llm.EndpointConfig{Kind: llm.KindOpenAI}, []string{"set the key"}},
		{"AzureNothing", llm.EndpointConfig{Kind: llm.KindAzure}, []string{"set the base URL", "set the API version", "set the key"}},
		{"NoV1", llm.EndpointConfig{Kind: llm.KindOllama, BaseURL: "http://localhost:11434"}, []string{"ends in /v1"}},
		{"NoScheme", llm.EndpointConfig{Kind: llm.KindOllama, BaseURL: "localhost:11434/v1"}, []string{"http://"}},
		{"WholePath", llm.EndpointConfig{Kind: llm.KindVLLM, BaseURL: "http://x/v1/chat/completions"}, []string{"take /chat/completions off"}},
		{"Password", llm.EndpointConfig{Kind: llm.KindVLLM, BaseURL: "http://u:hunter2@x/v1"}, []string{"take user"}},
		{"Version", llm.EndpointConfig{Kind: llm.KindVLLM, APIVersion: "1"}, []string{"only azure"}},
		{"KeyWithLineEnd", llm.EndpointConfig{Kind: llm.KindVLLM, Key: secret.New("sk-hunter2\n")}, []string{"mend the key"}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			_, err := llm.NewEndpoint(tt.c)
			if !errors.Is(err, bot.ErrInvalid) {
				t.Fatalf("NewEndpoint: %v, want %v", err, bot.ErrInvalid)
			}
			for _, want := range tt.want {
				if !strings.Contains(err.Error(), want) {
					t.Errorf("NewEndpoint: %v, want %q in it", err, want)
				}
			}
			if strings.Contains(err.Error(), "hunter2") {
				t.Errorf("NewEndpoint tells a secret: %v", err)
			}
		})
	}
}

func TestSecret(t *testing.T) {
	key := secret.New("hunter2")
	c := llm.EndpointConfig{Kind: llm.KindVLLM, Key: key}
	e, err := llm.NewEndpoint(c)
	if err != nil {
		t.Fatal(err)
	}
	hidden := struct{ c llm.EndpointConfig }{c}
	var out strings.Builder
	for _, verb := range []string{"%v", "%+v", "%#v", "%s", "%q", "%x", "%X", "%d", "%p", "%T"} {
		for _, v := range []any{key, &key, c, &c, e, hidden, []secret.Text{key}, map[string]secret.Text{"k": key}} {
			fmt.Fprintf(&out, verb+"\n", v)
		}
	}
	b, err := json.Marshal(map[string]any{"key": key})
	fmt.Fprintln(&out, string(b), err)
	for _, h := range []slog.Handler{slog.NewTextHandler(&out, nil), slog.NewJSONHandler(&out, nil)} {
		slog.New(h).Info("x", "key", key, "config", hidden)
	}
	if got := out.String(); strings.Contains(got, "hunter2") || strings.Contains(got, "68756e74657232") || strings.Contains(got, "68756E74657232") {
		t.Errorf("the key was printed: %s", got)
	}
	if got := fmt.Sprint(key); got != "[secret]" {
		t.Errorf("Sprint(key) = %q, want [secret]", got)
	}
}
