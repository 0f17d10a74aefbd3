package llm_test

import (
	"strings"
	"testing"
	"time"

	"plumbline/bot"
	"plumbline/internal/secret"
	"plumbline/pipeline/llm"
	"plumbline/pipeline/llm/llmtest"
)

// kinds are the servers that are asked, each by its preset.
var kinds = []struct {
	kind    llm.Kind
	fake    llmtest.Kind
	version string
	model   string
	options []llmtest.Option
	mode    llm.Mode // that the operator wishes; "" for the preset's
}{
	{kind: llm.KindOpenAI, fake: llmtest.OpenAI, model: "gpt-4o-mini"},
	{kind: llm.KindOpenAI, fake: llmtest.OpenAI, model: "gpt-5-mini", options: []llmtest.Option{llmtest.Models("gpt-5-mini")}},
	{kind: llm.KindOpenAI, fake: llmtest.OpenAI, model: "gpt-4o-mini", mode: llm.ModeJSON},
	{kind: llm.KindAzure, fake: llmtest.Azure, model: "gpt-4o-mini", version: "2024-10-21"},
	{kind: llm.KindOllama, fake: llmtest.Ollama, model: "mistral:7b", options: []llmtest.Option{llmtest.Models("mistral:7b"), llmtest.Context(16_000)}},
	{kind: llm.KindVLLM, fake: llmtest.VLLM, model: "mistral", options: []llmtest.Option{llmtest.Models("mistral")}},
	{kind: llm.KindVLLM, fake: llmtest.VLLM, model: "old", options: []llmtest.Option{llmtest.Models("old"), llmtest.Formats()}, mode: llm.ModePlain},
	{kind: llm.KindLlamaCpp, fake: llmtest.LlamaCpp, model: "any", options: []llmtest.Option{llmtest.Context(16_000)}},
}

// atServer has every stage ask a fake server of a kind.
func atServer(t *testing.T, i int) (*bench, *llmtest.Server) {
	t.Helper()
	k := kinds[i]
	server := llmtest.NewServer(t, k.fake, k.options...)
	server.Reply(func(r llmtest.Request) string { return llmtest.Echo(r.System(), r.User()) })
	end, err := llm.NewEndpoint(llm.EndpointConfig{Kind: k.kind, BaseURL: server.URL(), Key: secret.New(server.Key), APIVersion: k.version})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = end.Close() })
	steady, err := llm.NewSteady(end, llm.SteadyConfig{Backoff: time.Millisecond})
	if err != nil {
		t.Fatal(err)
	}
	b := newBench(t, steady)
	preset, err := llm.PresetOf(k.kind)
	if err != nil {
		t.Fatal(err)
	}
	for stage, a := range b.client.Askers {
		a.Name, a.Preset, a.Wishes = k.model, preset, llm.Wishes{Mode: k.mode}
		b.client.Askers[stage] = a
	}
	return b, server
}

// Each kind of server is asked as it wants to be, by every stage: its fake
// refuses what the real one refuses. T = 0 is sent where the model takes it (L14).
func TestKindsOfServers(t *testing.T) {
	for i, k := range kinds {
		t.Run(string(k.kind)+"/"+k.model+string(k.mode), func(t *testing.T) {
			b, server := atServer(t, i)
			a := b.ask(t, bot.Question{Text: "what is causing lead in drinking water?"})
			n, all, repairs := calls(a)
			if all < 6 || repairs > 0 || !a.Status.Supported() {
				t.Errorf("calls %v, %d repairs, status %s", n, repairs, a.Status)
			}
			for _, s := range a.Trace.Steps {
				if s.FellBack != "" {
					t.Errorf("%s did without its model: %s", s.Stage, s.FellBack)
				}
			}
			for _, r := range server.Requests() {
				if zero := r.Temperature != nil && *r.Temperature == 0; zero == llm.Reasons(k.model) {
					t.Errorf("temperature %v for %s", r.Temperature, k.model)
				}
				if k.mode == "" && r.Format != "json_schema" || k.mode == llm.ModeJSON && r.Format != "json_object" || k.mode == llm.ModePlain && r.Format != "" {
					t.Errorf("asked for %q with mode %q", r.Format, k.mode)
				}
				if k.mode != "" && !strings.Contains(r.System(), `"additionalProperties"`) {
					t.Errorf("without a schema in the request the prompt does not hold it: %.80s", r.System())
				}
				if r.Status != 200 {
					t.Errorf("the server said %d to %.200s", r.Status, r.Body)
				}
			}
		})
	}
}

// Whatever a server does wrong, for one stage or all of them, an answer goes
// out that says nothing unsupported, and the next question is answered by
// models again.
func TestTroubles(t *testing.T) {
	for name, trouble := range map[string]llmtest.Trouble{
		"500": llmtest.Status(500), "503": llmtest.Status(503), "400": llmtest.Status(400), "401": llmtest.Status(401), "404": llmtest.Status(404),
		"Leaky": llmtest.Leaky(500), "RateLimited": llmtest.RateLimited(time.Hour), "NoQuota": llmtest.NoQuota, "BadGateway": llmtest.BadGateway,
		"StringError": llmtest.StringError, "NoMessage": llmtest.NoMessage, "ErrorUnder200": llmtest.ErrorUnder200, "HTMLUnder200": llmtest.HTMLUnder200,
		"Garbage": llmtest.Garbage, "Reset": llmtest.Reset, "ResetMidway": llmtest.ResetMidway, "NoChoices": llmtest.NoChoices, "NullContent": llmtest.NullContent,
		"EmptyContent": llmtest.EmptyContent, "ReasoningAlone": llmtest.ReasoningAlone, "ThinkOpen": llmtest.ThinkOpen, "CutOff": llmtest.CutOff,
		"Filtered": llmtest.Filtered, "Refusal": llmtest.Refusal, "DuplicateKeys": llmtest.DuplicateKeys,
		"PartsContent": llmtest.PartsContent, "Think": llmtest.Think, "FloatUsage": llmtest.FloatUsage, "NoUsage": llmtest.NoUsage, "FloatCreated": llmtest.FloatCreated,
		"NullFinish": llmtest.NullFinish, "Gzip": llmtest.Gzip, "Reasoning": llmtest.Reasoning,
	} {
		t.Run(name, func(t *testing.T) {
			b, server := atServer(t, 0)
			asked := "does boiling water remove lead"
			for _, stage := range []string{"", `"standalone"`, `"parts"`} {
				server.Clear()
				server.For(func(r llmtest.Request) bool { return strings.Contains(r.System(), stage) }, trouble)
				a := b.ask(t, bot.Question{Text: asked})
				if bad := unsupported(b, a, asked, []string{server.Key, "HTTP", "upstream", "nginx", "model"}); len(bad) > 0 || !a.Status.Supported() {
					t.Errorf("stage %s: status %s, told without support %q: %q", stage, a.Status, bad, a.Reply.Text)
				}
			}
		})
	}
}
