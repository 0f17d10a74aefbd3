package main

import (
	"bufio"
	"bytes"
	"encoding/json"
	"io"
	"maps"
	"net/http"
	"net/http/cookiejar"
	"net/http/httptest"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"plumbline/bot"
	"plumbline/pipeline/llm"
	"plumbline/pipeline/llm/llmtest"
)

// command runs a command as a shell would, with what env sets and a state
// folder of its own.
func command(t *testing.T, env map[string]string, args ...string) (code int, out, errs string) {
	t.Helper()
	var o, e bytes.Buffer
	getenv := func(k string) string {
		if k == "PLUMBLINE_DATA" && env[k] == "" {
			return t.TempDir()
		}
		return env[k]
	}
	code = run(t.Context(), args, getenv, stdio{In: strings.NewReader(""), Out: &o, Err: &e})
	return code, o.String(), e.String()
}

// modelServer is a fake server whose model copies, and the environment that
// names it.
func modelServer(t *testing.T) (*llmtest.Server, map[string]string) {
	s := llmtest.NewServer(t, llmtest.OpenAI)
	s.Reply(func(r llmtest.Request) string { return llmtest.Echo(r.System(), r.User()) })
	return s, map[string]string{"OPENAI_BASE_URL": s.URL(), "OPENAI_API_KEY": s.Key, "OPENAI_MODEL": "gpt-4o-mini"}
}

const leadQuestion = "does boiling water remove lead"

func TestAskModels(t *testing.T) {
	s, env := modelServer(t)
	file := filepath.Join(t.TempDir(), "boil.json")
	ask := []string{"ask", "--json", "--trace", "--as-of", "2026-11-30"}
	code, out, errs := command(t, env, append(ask, "--record", file, leadQuestion)...)
	if code != 0 || errs != "" {
		t.Fatalf("ask = %d, %q", code, errs)
	}
	var live, played wire
	if err := json.Unmarshal([]byte(out), &live); err != nil {
		t.Fatal(err)
	}
	for _, stage := range []string{"understand", "classify", "judge", "audit", "generate", "tell"} {
		if live.Models[stage] != "gpt-4o-mini" {
			t.Errorf("models[%s] = %q, want the one that was asked", stage, live.Models[stage])
		}
	}
	if live.Status != bot.Answered && live.Status != bot.AnsweredWithLimits && live.Status != bot.PartlyAnswered {
		t.Errorf("status %s", live.Status)
	}

	// What was recorded is played without a server or a key, to the same answer.
	s.Clear()
	before := len(s.Requests())
	env = map[string]string{"OPENAI_MODEL": "gpt-4o-mini"}
	code, out, errs = command(t, env, append(ask, "--play", file, leadQuestion)...)
	if code != 0 || errs != "" || len(s.Requests()) != before {
		t.Fatalf("ask --play = %d, %q after %d more requests", code, errs, len(s.Requests())-before)
	}
	if err := json.Unmarshal([]byte(out), &played); err != nil {
		t.Fatal(err)
	}
	if played.Reply != live.Reply || strings.Join(played.More, "|") != strings.Join(live.More, "|") || played.Models["tell"] != "gpt-4o-mini" {
		t.Errorf("played %q %q by %v, asked %q %q", played.Reply, played.More, played.Models, live.Reply, live.More)
	}
	b, err := os.ReadFile(file)
	if err != nil || bytes.Contains(b, []byte(s.Key)) || bytes.Contains(b, []byte("127.0.0.1")) {
		t.Errorf("the recording holds the key or the address, or %v", err)
	}

	// One stage has no model, another one of its own.
	env = map[string]string{"OPENAI_BASE_URL": s.URL(), "OPENAI_API_KEY": s.Key, "OPENAI_MODEL": "gpt-4o-mini", "OPENAI_JUDGE_MODEL": "gpt-4o"}
	code, out, errs = command(t, env, append(ask, "--model", "tell=none", leadQuestion)...)
	var mixed wire
	if err := json.Unmarshal([]byte(out), &mixed); err != nil || code != 0 {
		t.Fatalf("ask --model tell=none = %d, %q, %v", code, errs, err)
	}
	if mixed.Models["tell"] != "extractive" || mixed.Models["judge"] != "gpt-4o" || mixed.Models["audit"] != "gpt-4o-mini" {
		t.Errorf("models %v", mixed.Models)
	}
}

func TestAskModelsWrongly(t *testing.T) {
	broken := filepath.Join(t.TempDir(), "broken.json")
	if err := os.WriteFile(broken, []byte(`{"exchanges":[{"key":"00"}]}`), 0o600); err != nil {
		t.Fatal(err)
	}
	secret := "sk-hush-hush-hush"
	for _, tt := range []struct {
		name string
		env  map[string]string
		args []string
		code int
		want string
	}{
		{"NoKey", nil, []string{"--model", "gpt-4o-mini"}, 1, "set the key"},
		{"NoStage", nil, []string{"--model", "jugde=gpt-4o"}, 2, "there is no stage"},
		{"NoKind", nil, []string{"--model", "x", "--model-kind", "oracle"}, 2, "write one of openai"},
		{"NoModel", nil, []string{"--play", broken}, 2, "no stage asks a model"},
		{"NoRecording", nil, []string{"--model", "x", "--play", broken + ".not"}, 1, "there is no"},
		{"ChangedRecording", nil, []string{"--model", "x", "--play", broken}, 2, "broken.json"},
		{"BadURL", map[string]string{"OPENAI_API_KEY": secret}, []string{"--model", "x", "--model-url", "example"}, 1, "mend the base URL"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			code, out, errs := command(t, tt.env, append([]string{"ask", "hi there"}, tt.args...)...)
			if code != tt.code || !strings.Contains(errs, tt.want) || strings.Contains(out+errs, secret) {
				t.Errorf("ask %v = %d, %q, want %d and %q", tt.args, code, errs, tt.code, tt.want)
			}
		})
	}
}

// A key alone asks nobody.
func TestKeyAloneAsksNobody(t *testing.T) {
	s, env := modelServer(t)
	delete(env, "OPENAI_MODEL")
	if code, _, errs := command(t, env, "ask", leadQuestion); code != 0 || len(s.Requests()) != 0 {
		t.Errorf("ask = %d, %q after %d requests", code, errs, len(s.Requests()))
	}
}

// With its server down an answer goes out all the same, and no trace of the
// server's words or the key.
func TestAskModelsDown(t *testing.T) {
	s, env := modelServer(t)
	s.For(nil, llmtest.Leaky(500))
	settings := filepath.Join(t.TempDir(), "s.yaml")
	if err := os.WriteFile(settings, []byte("models: {retries: 0}\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	code, out, errs := command(t, env, "ask", "--settings", settings, "--trace", leadQuestion)
	if code != 0 || !strings.Contains(errs, "did without its model: down") || !strings.Contains(out, "without its model: down") || !strings.Contains(out, "lead") || strings.Contains(out, s.Key) {
		t.Errorf("ask = %d, %q, %q", code, out, errs)
	}
}

func TestModelsCheck(t *testing.T) {
	s, env := modelServer(t)
	code, out, errs := command(t, env, "models", "check", "--json", leadQuestion)
	var r modelsReport
	if err := json.Unmarshal([]byte(out), &r); err != nil || code != 0 || errs != "" {
		t.Fatalf("models check = %d, %q, %v", code, errs, err)
	}
	if len(r.Probes) != len(llm.StageNames()) || r.Answer == nil || r.Answer.Calls < 6 || r.Agreement == nil || r.Agreement.Chunks == 0 {
		t.Errorf("report %s", out)
	}
	for _, p := range r.Probes {
		if p.Shape != "kept" || p.Mode != llm.ModeSchema || p.Tokens.In == 0 {
			t.Errorf("probe %+v", p)
		}
	}

	// A model that talks around its JSON is told apart from one that has none.
	s.For(nil, llmtest.Says("Sure! ```json\n{\"word\": \"tap\", \"count\": 3, \"list\": [\"A\", \"moon\"]}\n```"))
	if code, out, _ := command(t, env, "models", "check", "--no-answer"); code != 0 || !strings.Contains(out, "mended") {
		t.Errorf("models check = %d, %q, want 0 and mended", code, out)
	}
	s.Clear()
	s.For(nil, llmtest.Says("tap"))
	if code, out, errs := command(t, env, "models", "check", "--no-answer"); code != 3 || !strings.Contains(out, "lost") {
		t.Errorf("models check = %d, %q, %q, want 3 and lost", code, out, errs)
	}
	if code, _, errs := command(t, nil, "models", "check"); code != 2 || !strings.Contains(errs, "no stage asks a model") {
		t.Errorf("models check without a model = %d, %q", code, errs)
	}
}

// The service asks models, shows what is sure while it is written, tells the
// operator of the budget, and an emergency goes out without any of it. Neither
// log nor metrics nor prompts hold what they should not.
func TestServeModels(t *testing.T) {
	s, env := modelServer(t)
	s.For(func(r llmtest.Request) bool { return strings.Contains(r.System(), `"parts"`) }, llmtest.SlowStream(20*time.Millisecond))
	settings := filepath.Join(t.TempDir(), "s.yaml")
	if err := os.WriteFile(settings, []byte("intake: {debounce: 0s, patience: 0s}\nmodels:\n  price: {in: 1, out: 10}\n  budget: {day: {tokens: 26000}}\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	addr, log, stop := servingWith(t, env, "serve", "--settings", settings, "--addr", "127.0.0.1:0", "--as-of", "2026-11-30")
	jar, err := cookiejar.New(nil)
	if err != nil {
		t.Fatal(err)
	}
	c := &http.Client{Jar: jar}
	page := func() string {
		t.Helper()
		res, err := c.Get(addr + "/")
		if err != nil {
			t.Fatal(err)
		}
		defer res.Body.Close()
		b, err := io.ReadAll(res.Body)
		if err != nil {
			t.Fatal(err)
		}
		return string(b)
	}
	page()
	res, err := c.Get(addr + "/events")
	if err != nil {
		t.Fatal(err)
	}
	defer res.Body.Close()
	begun := make(chan string, 100)
	go func() {
		defer close(begun)
		lines := bufio.NewScanner(res.Body)
		lines.Buffer(nil, 1<<20)
		for was := ""; lines.Scan(); was = lines.Text() {
			if data, ok := strings.CutPrefix(lines.Text(), "data: "); ok && was == "event: begun" && data != `{"text":""}` {
				select {
				case begun <- data:
				default:
				}
			}
		}
	}()
	text := func(text, want string) {
		t.Helper()
		res, err := c.PostForm(addr+"/messages", url.Values{"text": {text}})
		if err != nil || res.StatusCode != http.StatusOK {
			t.Fatalf("text %q: %v, %v", text, res, err)
		}
		res.Body.Close()
		for deadline := time.Now().Add(40 * time.Second); !strings.Contains(page(), want); time.Sleep(50 * time.Millisecond) {
			if time.Now().After(deadline) {
				t.Fatalf("after %q the page lacks %q:\n%s", text, want, log)
			}
		}
	}
	text("my name is Keziah Okonkwo, 973-555-0142. what is causing lead in drinking water?", "lead")
	select {
	case got := <-begun:
		if !strings.Contains(got, "ead") {
			t.Errorf("shown while it was written: %s", got)
		}
	case <-time.After(20 * time.Second):
		t.Error("nothing was shown while the answer was written")
	}
	text("does boiling water remove lead", "oiling")
	text("how do i get my blood tested for lead", "blood")
	before := len(s.Requests())
	text("my dad is not breathing", "Call 911 now.")
	if n := len(s.Requests()); n != before {
		t.Errorf("an emergency asked models %d times", n-before)
	}
	metrics, err := c.Get(addr + "/metrics")
	if err != nil {
		t.Fatal(err)
	}
	defer metrics.Body.Close()
	b, err := io.ReadAll(metrics.Body)
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{
		`plumbline_model_calls_total{stage="tell",result="used",repair="false"}`, `plumbline_model_tokens_total{stage="judge",way="in"}`, `plumbline_model_dollars_total{stage="generate"}`,
		`plumbline_stage_fallbacks_total`, `reason="over_budget"`, `plumbline_budget_alarms_total{cap="day",percent="80"} 1`, `plumbline_budget_alarms_total{cap="day",percent="100"} 1`,
		`plumbline_gates_total{stage="generate",passed="true"}`, `plumbline_model_circuit_open{stage="judge"} 0`,
	} {
		if !bytes.Contains(b, []byte(want)) {
			t.Errorf("/metrics lacks %s", want)
		}
	}
	if code := stop(); code != exitDone {
		t.Errorf("serve exits with %d", code)
	}
	var asked strings.Builder
	for _, r := range s.Requests() {
		asked.Write(r.Body)
	}
	for what, in := range map[string]string{"the log or the metrics": log.String() + string(b), "a prompt": asked.String()} {
		for _, secret := range []string{s.Key, "Keziah", "Okonkwo", "555-0142"} {
			if strings.Contains(in, secret) {
				t.Errorf("%s hold %q", what, secret)
			}
		}
	}
	if n := strings.Count(log.String(), "a budget of models is being spent"); n != 2 {
		t.Errorf("the log tells of the budget %d times, want at 80 %% and at 100 %%:\n%s", n, log)
	}
}

// A key goes to the server that it is for: a stage that names another one is
// asked without, or with its own.
func TestKeysStayWithTheirServer(t *testing.T) {
	s, env := modelServer(t)
	var mu sync.Mutex
	got := map[string]bool{}
	other := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		mu.Lock()
		defer mu.Unlock()
		got[r.Header.Get("Authorization")] = true
		http.Error(w, "no", http.StatusBadRequest)
	}))
	defer other.Close()
	env["OPENAI_JUDGE_BASE_URL"] = other.URL + "/v1"
	settings := filepath.Join(t.TempDir(), "s.yaml")
	if err := os.WriteFile(settings, []byte("models: {stages: {judge: {kind: vllm}}}\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	if code, _, errs := command(t, env, "ask", "--settings", settings, leadQuestion); code != 0 || !strings.Contains(errs, "stage judge did without its model: bad_request") {
		t.Errorf("ask = %d, %q", code, errs)
	}
	env["OPENAI_JUDGE_API_KEY"] = "sk-of-the-judge"
	if code, _, errs := command(t, env, "ask", "--settings", settings, leadQuestion); code != 0 {
		t.Errorf("ask = %d, %q", code, errs)
	}
	want := map[string]bool{"": true, "Bearer sk-of-the-judge": true}
	if !maps.Equal(got, want) {
		t.Errorf("the other server was given %d keys, want none and then its own; that of all: %t", len(got), got["Bearer "+s.Key])
	}
}
