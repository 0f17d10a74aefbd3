package main

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"slices"
	"strings"
	"time"

	"plumbline/bot"
	"plumbline/internal/redact"
	"plumbline/internal/secret"
	"plumbline/pipeline/llm"
)

// modelSettings say which model a stage asks, and how. In a stage what is not
// said is as for all.
type modelSettings struct {
	Model       string         `yaml:"model"`       // empty: no model, the stage is extractive
	Kind        string         `yaml:"kind"`        // of server: openai, azure, ollama, vllm or llamacpp
	URL         string         `yaml:"url"`         // what /chat/completions is added to; the kind's own if empty
	KeyFile     string         `yaml:"key_file"`    // holds the key; OPENAI_API_KEY does without
	APIVersion  string         `yaml:"api_version"` // of azure
	Off         bool           `yaml:"off"`         // the stage is extractive though there is a model for all
	Mode        string         `yaml:"mode"`        // schema, json or plain; the kind's best if empty
	Temperature *float64       `yaml:"temperature"` // 0 if left out
	NoTemp      bool           `yaml:"no_temperature"`
	Effort      string         `yaml:"effort"`     // of reasoning
	MaxTokens   int            `yaml:"max_tokens"` // of a reply
	Timeout     time.Duration  `yaml:"timeout"`    // of a call, retries included
	Price       *priceSettings `yaml:"price"`
	MaxPrompt   int            `yaml:"max_prompt"` // characters
	Each        bool           `yaml:"each"`       // judge: one call a chunk
	Criteria    bool           `yaml:"criteria"`   // generate: the criteria of a good answer are in its prompt
}

// priceSettings are US dollars a million tokens.
type priceSettings struct {
	In  float64 `yaml:"in"`
	Out float64 `yaml:"out"`
}

// modelsSettings are the models of all stages.
type modelsSettings struct {
	All      modelSettings            `yaml:",inline"` // for stages that do not say otherwise
	Stages   map[string]modelSettings `yaml:"stages"`
	Deadline time.Duration            `yaml:"deadline"` // within which an answer goes out, whatever models do
	Retries  int                      `yaml:"retries"`  // of a call
	AtOnce   int                      `yaml:"at_once"`  // calls at once
	Hedge    time.Duration            `yaml:"hedge"`    // a second call is sent after it; 0 for never
	Budget   budgetSettings           `yaml:"budget"`

	keys map[string]secret.Text // by stage, "" for all
}

// budgetSettings are the most that models may cost; what is zero has no cap.
type budgetSettings struct {
	Answer amountSettings `yaml:"answer"`
	Person amountSettings `yaml:"person"` // a day
	Day    amountSettings `yaml:"day"`    // of the deployment
}

type amountSettings struct {
	Tokens int64   `yaml:"tokens"`
	USD    float64 `yaml:"usd"`
}

func (a amountSettings) amount() bot.Amount {
	micros := int64(a.USD*1e6 + 0.5)
	if a.USD > 0 {
		micros = max(micros, 1) // a cap, however small, is one
	}
	return bot.Amount{Tokens: a.Tokens, Micros: micros}
}

func (b budgetSettings) caps() bot.Caps {
	return bot.Caps{Answer: b.Answer.amount(), Person: b.Person.amount(), Day: b.Day.amount()}
}

func defaultModels() modelsSettings {
	return modelsSettings{All: modelSettings{Kind: string(llm.KindOpenAI), Timeout: 12 * time.Second}, Deadline: 25 * time.Second, Retries: 2, AtOnce: 16}
}

// replyTokens are the most tokens of a reply, by stage, where nothing is said;
// a reasoning model's thoughts come on top.
var replyTokens = map[string]int{
	llm.StageUnderstand: 600, llm.StageClassify: 60, llm.StageJudge: 600, llm.StageAudit: 1200, llm.StageNarrow: 400, llm.StageGenerate: 1800, llm.StageTell: 1800,
}

const reasoningTokens = 4000

// smallPrompt is the most characters of a prompt for servers that are started
// with a context of 4,096 tokens, the reply included.
const smallPrompt = 10_000

// fromOpenAI takes over what the environment sets in OpenAI's names, for all
// stages and for one: OPENAI_MODEL, OPENAI_BASE_URL, OPENAI_API_KEY,
// OPENAI_JUDGE_MODEL and so on. A key alone asks no model.
func (m *modelsSettings) fromOpenAI(getenv func(string) string) {
	set := func(prefix, stage string, s *modelSettings) bool {
		model, url, key := getenv(prefix+"MODEL"), getenv(prefix+"BASE_URL"), getenv(prefix+"API_KEY")
		if model != "" {
			s.Model = model
		}
		if url != "" {
			s.URL = url
		}
		if key != "" {
			if m.keys == nil {
				m.keys = map[string]secret.Text{}
			}
			m.keys[stage] = secret.New(key)
		}
		return model != "" || url != "" || key != ""
	}
	set("OPENAI_", "", &m.All)
	for _, stage := range llm.StageNames() {
		s := m.Stages[stage]
		if set("OPENAI_"+strings.ToUpper(stage)+"_", stage, &s) {
			m.put(stage, s)
		}
	}
}

func (m *modelsSettings) put(stage string, s modelSettings) {
	stages := maps.Clone(m.Stages)
	if stages == nil {
		stages = map[string]modelSettings{}
	}
	stages[stage] = s
	m.Stages = stages
}

// stage is how a stage asks: its own settings over those for all.
func (m *modelsSettings) stage(name string) modelSettings {
	all, s := m.All, m.Stages[name]
	s.Model = cmp.Or(s.Model, all.Model)
	if s.Off {
		s.Model = ""
	}
	if m.sameServer(name) { // a server's kind, address, version and key go together
		s.Kind, s.URL, s.APIVersion = all.Kind, all.URL, all.APIVersion
		s.KeyFile = cmp.Or(s.KeyFile, all.KeyFile)
	}
	s.Kind = cmp.Or(s.Kind, all.Kind)
	s.Mode = cmp.Or(s.Mode, all.Mode)
	s.Temperature = cmp.Or(s.Temperature, all.Temperature)
	s.NoTemp = s.NoTemp || all.NoTemp
	s.Effort = cmp.Or(s.Effort, all.Effort)
	s.MaxTokens = cmp.Or(s.MaxTokens, all.MaxTokens)
	s.Timeout = cmp.Or(s.Timeout, all.Timeout)
	if own := m.Stages[name].Model; own == "" || own == all.Model {
		s.Price = cmp.Or(s.Price, all.Price)
	}
	s.MaxPrompt = cmp.Or(s.MaxPrompt, all.MaxPrompt)
	if s.MaxPrompt == 0 && (s.Kind == string(llm.KindOllama) || s.Kind == string(llm.KindLlamaCpp)) {
		s.MaxPrompt = smallPrompt
	}
	if s.MaxTokens == 0 {
		s.MaxTokens = replyTokens[name]
		if llm.Reasons(s.Model) {
			s.MaxTokens += reasoningTokens
		}
	}
	return s
}

// sameServer reports whether a stage asks the server of all stages: it names no
// other kind, and no other address.
func (m *modelsSettings) sameServer(name string) bool {
	s := m.Stages[name]
	return (s.Kind == "" || s.Kind == m.All.Kind) && (s.URL == "" || s.URL == m.All.URL) && (s.APIVersion == "" || s.APIVersion == m.All.APIVersion)
}

// longest is the longest that a call of any stage may take.
func (m *modelsSettings) longest() time.Duration {
	longest := time.Duration(0)
	for _, name := range llm.StageNames() {
		longest = max(longest, m.stage(name).Timeout)
	}
	return longest
}

// asks reports whether any stage asks a model.
func (m *modelsSettings) asks() bool {
	return slices.ContainsFunc(llm.StageNames(), func(name string) bool { return m.stage(name).Model != "" })
}

// check lists what is wrong.
func (m *modelsSettings) check(wrong func(bad bool, format string, args ...any)) {
	for _, name := range slices.Sorted(maps.Keys(m.Stages)) {
		wrong(!slices.Contains(llm.StageNames(), name), "models.stages has %q; write one of %s", name, strings.Join(llm.StageNames(), ", "))
	}
	one := func(where string, s modelSettings) {
		wrong(s.Kind != "" && !slices.Contains(llm.Kinds(), s.Kind), "%s.kind is %q; write one of %s", where, s.Kind, strings.Join(llm.Kinds(), ", "))
		wrong(s.Mode != "" && s.Mode != string(llm.ModeSchema) && s.Mode != string(llm.ModeJSON) && s.Mode != string(llm.ModePlain), "%s.mode is %q; write schema, json or plain", where, s.Mode)
		wrong(s.Temperature != nil && !(*s.Temperature >= 0 && *s.Temperature <= 2), "%s.temperature is out of range; write 0 to 2", where)
		wrong(s.MaxTokens < 0 || s.MaxTokens > 200_000, "%s.max_tokens is %d; write 1 to 200000", where, s.MaxTokens)
		wrong(s.Timeout < 0 || s.Timeout > 10*time.Minute, "%s.timeout is %v; write 1s to 10m", where, s.Timeout)
		wrong(s.Price != nil && !(s.Price.In >= 0 && s.Price.Out >= 0), "%s.price is below 0", where)
		wrong(s.MaxPrompt != 0 && (s.MaxPrompt < 8000 || s.MaxPrompt > 2_000_000), "%s.max_prompt is %d; write 8000 to 2000000 characters", where, s.MaxPrompt)
	}
	one("models", m.All)
	for _, name := range slices.Sorted(maps.Keys(m.Stages)) {
		one("models.stages."+name, m.Stages[name])
	}
	wrong(m.Deadline < time.Second || m.Deadline > 10*time.Minute, "models.deadline is %v; write 1s to 10m", m.Deadline)
	wrong(m.Retries < 0 || m.Retries > 10, "models.retries is %d; write 0 to 10", m.Retries)
	wrong(m.AtOnce < 1 || m.AtOnce > 1000, "models.at_once is %d; write 1 to 1000", m.AtOnce)
	wrong(m.Hedge < 0 || m.Hedge > time.Minute, "models.hedge is %v; write 0s to 1m", m.Hedge)
	for where, a := range map[string]amountSettings{"answer": m.Budget.Answer, "person": m.Budget.Person, "day": m.Budget.Day} {
		wrong(a.Tokens < 0 || a.Tokens > 1e12, "models.budget.%s.tokens is %d; write 0 to 1000000000000", where, a.Tokens)
		wrong(!(a.USD >= 0 && a.USD <= 1e6), "models.budget.%s.usd is %v; write 0 to 1000000", where, a.USD)
	}
}

// maxKey is the most bytes of a key file.
const maxKey = 16 << 10

// key is the key of a stage: its own variable or file, and if it asks the server
// of all stages, the variable or file of all. A key goes to no other server.
func (m *modelsSettings) key(name string) (secret.Text, error) {
	if k, ok := m.keys[name]; ok {
		return k, nil
	}
	file := m.Stages[name].KeyFile
	if file == "" && m.sameServer(name) {
		if k, ok := m.keys[""]; ok {
			return k, nil // the environment wins
		}
		file = m.All.KeyFile
	}
	if file == "" {
		return secret.Text{}, nil
	}
	b, err := readFile(file, maxKey)
	if errors.Is(err, fs.ErrNotExist) {
		return secret.Text{}, fmt.Errorf("models: there is no key file %s", file)
	}
	if err != nil {
		return secret.Text{}, fmt.Errorf("models: read key file: %w", err)
	}
	return secret.New(strings.TrimSpace(string(b))), nil
}

// A modelSource says where models' replies come from.
type modelSource struct {
	play   llm.Model     // recorded replies in place of servers; nil for none
	record *llm.Recorder // notes what is said; nil for nobody
}

// Askers returns how the stages that ask a model do, by stage.
func (a *app) Askers() (map[string]llm.Asker, error) {
	st, err := a.Settings()
	if err != nil {
		return nil, err
	}
	m := st.Models
	askers := map[string]llm.Asker{}
	servers, bad := map[string]llm.Model{}, map[string]bool{} // by what names a server
	var errs []error
	for _, name := range llm.StageNames() {
		s := m.stage(name)
		if s.Model == "" {
			continue
		}
		preset, err := llm.PresetOf(llm.Kind(s.Kind))
		if err != nil {
			return nil, err
		}
		asker := llm.Asker{
			Name: s.Model, Preset: preset, Wishes: llm.Wishes{Mode: llm.Mode(s.Mode)}, T: s.Temperature, Effort: s.Effort, MaxTokens: s.MaxTokens,
			Timeout: s.Timeout, MaxPrompt: s.MaxPrompt, Each: s.Each, Criteria: s.Criteria,
		}
		if s.Price != nil {
			asker.Price = llm.Price(*s.Price)
		}
		if asker.T == nil && !s.NoTemp {
			asker.T = new(float64)
		}
		if s.NoTemp {
			asker.T = nil
		}
		if asker.Model = a.models.play; asker.Model == nil {
			key, err := m.key(name)
			if err != nil {
				errs = append(errs, err)
				continue
			}
			id := fmt.Sprint(s.Kind, " ", s.URL, " ", s.APIVersion, " ", s.KeyFile) // stages of one server share its circuit and places
			if _, own := m.keys[name]; own {
				id += " " + name
			}
			if bad[id] {
				continue // told once
			}
			if servers[id] == nil {
				end, err := llm.NewEndpoint(llm.EndpointConfig{Kind: llm.Kind(s.Kind), BaseURL: s.URL, Key: key, APIVersion: s.APIVersion})
				if err != nil {
					errs, bad[id] = append(errs, fmt.Errorf("the server of stage %s: %w (set by OPENAI_API_KEY, OPENAI_BASE_URL or models.key_file, models.url, models.kind, models.api_version)", name, err)), true
					continue
				}
				retries := m.Retries
				if retries == 0 {
					retries = -1 // none
				}
				steady, err := llm.NewSteady(end, llm.SteadyConfig{Try: m.longest(), Retries: retries, AtOnce: m.AtOnce, Hedge: m.Hedge})
				if err != nil {
					return nil, err
				}
				servers[id] = steady
			}
			asker.Model = servers[id]
		}
		if a.models.record != nil {
			asker.Model = a.models.record.Of(asker.Model)
		}
		askers[name] = asker
	}
	return askers, errors.Join(errs...)
}

// modelFlags say on the command line which models are asked.
type modelFlags struct {
	Model     []string `help:"Model to ask, for all stages or for one: NAME or STAGE=NAME (STAGE=none for no model)" placeholder:"[STAGE=]NAME" sep:"none"`
	ModelURL  []string `name:"model-url" help:"Base URL of its server" placeholder:"[STAGE=]URL" sep:"none"`
	ModelKind string   `help:"Kind of server: openai, azure, ollama, vllm or llamacpp" placeholder:"KIND"`
	Record    string   `help:"Write what models were asked and said to this file" placeholder:"FILE"`
	Play      string   `help:"Take models' replies from this file, or the .json files of this folder, and ask no server" placeholder:"FILE"`
}

// apply puts the flags over the settings.
func (f modelFlags) apply(a *app) error {
	s, err := a.Settings()
	if err != nil {
		return err
	}
	m := &s.Models
	each := func(list []string, what string, set func(*modelSettings, string)) error {
		for _, v := range list {
			stage, name, ok := strings.Cut(v, "=")
			if !ok || strings.Contains(stage, ":") { // a URL may hold = too
				set(&m.All, v)
				continue
			}
			if !slices.Contains(llm.StageNames(), stage) {
				return usage("--%s %s: there is no stage %q; write one of %s", what, v, stage, strings.Join(llm.StageNames(), ", "))
			}
			one := m.Stages[stage]
			set(&one, name)
			m.put(stage, one)
		}
		return nil
	}
	if err := each(f.Model, "model", func(s *modelSettings, v string) {
		if s.Model, s.Off = v, v == "none"; s.Off {
			s.Model = ""
		}
	}); err != nil {
		return err
	}
	if err := each(f.ModelURL, "model-url", func(s *modelSettings, v string) { s.URL = v }); err != nil {
		return err
	}
	if f.ModelKind != "" {
		if !slices.Contains(llm.Kinds(), f.ModelKind) {
			return usage("--model-kind is %q; write one of %s", f.ModelKind, strings.Join(llm.Kinds(), ", "))
		}
		m.All.Kind = f.ModelKind
	}
	if (f.Play != "" || f.Record != "" || len(f.ModelURL) > 0 || f.ModelKind != "") && !m.asks() {
		return usage("no stage asks a model; name one with --model")
	}
	if f.Record != "" {
		a.models.record = new(llm.Recorder)
	}
	a.settings.value = s
	return a.loadPlay(f.Play)
}

// loadPlay sets where recorded replies come from.
func (a *app) loadPlay(name string) error {
	if name == "" {
		return nil
	}
	p, err := llm.LoadPlayer(name)
	if err != nil {
		return fmt.Errorf("%w: %w", errInput, err)
	}
	a.models.play = p
	return nil
}

// saveRecording writes what was recorded.
func (a *app) saveRecording(name, asked string) error {
	if name == "" || a.models.record == nil {
		return nil
	}
	asked, _ = redact.Redact(asked)
	b, err := llm.Recording{Case: asked, Exchanges: a.models.record.Exchanges()}.Encode()
	if err != nil {
		return err
	}
	if err := os.WriteFile(name, b, 0o600); err != nil {
		return fmt.Errorf("write recording: %w", err)
	}
	return nil
}

// checkModels says which stages ask models, and what they have cost today. It
// asks no server: models check does.
func checkModels(a *app) checkup {
	s, err := a.Settings()
	if err != nil {
		return fault(err, "mend what it names; without a settings file the defaults hold")
	}
	if !s.Models.asks() {
		return fine("no stage asks a language model")
	}
	askers, err := a.Askers()
	if err != nil {
		return fault(err, "mend models in the settings, or the variables that begin with OPENAI_")
	}
	var list []string
	priced := true
	for _, stage := range llm.StageNames() {
		if x, ok := askers[stage]; ok {
			list = append(list, stage+" asks "+x.Name)
			priced = priced && x.Price != llm.Price{}
		}
	}
	detail := strings.Join(list, ", ")
	caps := s.Models.Budget.caps()
	if !priced && (caps.Answer.Micros > 0 || caps.Person.Micros > 0 || caps.Day.Micros > 0) {
		return checkup{"", "warning", detail + "; a budget is in dollars and not every model has a price", "write models.price, or a budget in tokens"}
	}
	if caps == (bot.Caps{}) {
		return checkup{"", "warning", detail + "; there is no budget", "write models.budget, or a bill is open at the top"}
	}
	st, err := a.State()
	if err != nil {
		return fine("%s", detail)
	}
	sums, err := st.Store.Ledger().Spent(a.ctx, "", time.Now())
	if err != nil {
		return fault(err, "see database")
	}
	return fine("%s; today %d tokens and $%.2f", detail, sums.Day.Spent.Tokens, float64(sums.Day.Spent.Micros)/1e6)
}
