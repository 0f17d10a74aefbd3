package llm_test

import (
	"context"
	"io/fs"
	"sync"
	"testing"
	"time"

	"plumbline/bot"
	"plumbline/kb"
	"plumbline/kb/flat"
	"plumbline/kb/kbtest"
	"plumbline/kb/packs"
	"plumbline/personas"
	"plumbline/pipeline"
	"plumbline/pipeline/extractive"
	"plumbline/pipeline/llm"
	"plumbline/pipeline/llm/llmtest"
	"plumbline/pipeline/safety"
)

var today = time.Date(2026, 11, 30, 12, 0, 0, 0, time.UTC)

// A says is a model that says what a function makes of a request.
type says func(llm.Request) (string, error)

func (f says) Complete(ctx context.Context, r llm.Request, stream func(string) error) (llm.Reply, error) {
	if err := ctx.Err(); err != nil {
		return llm.Reply{}, err
	}
	text, err := f(r)
	if err == nil && stream != nil {
		err = stream(text)
	}
	if err != nil {
		return llm.Reply{}, err
	}
	return llm.Reply{Text: text, Model: r.Model, Finish: "stop", Tokens: bot.Tokens{In: r.Chars() / 4, Out: len(text) / 4}, Tries: 1}, nil
}

// echo copies, as llmtest.Echo does.
func echo(r llm.Request) (string, error) {
	return llmtest.Echo(r.Messages[0].Content, r.Messages[1].Content), nil
}

// parts are what every bench shares: the packs that ship, with an embedder in
// which texts are near when they share words.
type parts struct {
	lib    *kb.Library
	twin   *extractive.Stages
	voices *pipeline.Voices
	set    *personas.Set
	router *safety.Router
	find   []pipeline.Retriever
	guide  *pipeline.Guide
}

var shared = sync.OnceValues(func() (*parts, error) {
	ctx := context.Background()
	var list []*kb.Pack
	for _, name := range packs.Names() {
		p, err := kb.Load(fs.FS(packs.Files), name)
		if err != nil {
			return nil, err
		}
		list = append(list, p)
	}
	lib, err := kb.NewLibrary(list...)
	if err != nil {
		return nil, err
	}
	emb := kbtest.Words{}
	records, beyond := kb.Records(lib), kb.Beyond(lib)
	n := len(records)
	records = append(records, beyond...)
	if _, err := kb.Fill(ctx, lib, records, emb, nil); err != nil {
		return nil, err
	}
	ix := flat.New()
	if err := ix.Replace(ctx, "1", records[:n]); err != nil {
		return nil, err
	}
	known := kb.Known(emb, records)
	twin, err := extractive.New(ctx, lib, known, extractive.Defaults)
	if err != nil {
		return nil, err
	}
	router, err := safety.New(safety.Core())
	if err != nil {
		return nil, err
	}
	set, err := personas.Default()
	if err != nil {
		return nil, err
	}
	guide, err := pipeline.NewGuide(lib)
	if err != nil {
		return nil, err
	}
	return &parts{lib, twin, pipeline.NewVoices(set, lib), set, router, []pipeline.Retriever{pipeline.Fused{Index: ix, Embedder: known, Weights: pipeline.DefaultWeights}}, guide}, nil
})

// A bench is the pipeline with models.
type bench struct {
	*parts
	client *llm.Client
	config pipeline.Config
}

// newBench has every stage, or those that are named, ask m.
func newBench(t testing.TB, m llm.Model, stages ...string) *bench {
	t.Helper()
	p, err := shared()
	if err != nil {
		t.Fatal(err)
	}
	if len(stages) == 0 {
		stages = llm.StageNames()
	}
	preset, err := llm.PresetOf(llm.KindOpenAI)
	if err != nil {
		t.Fatal(err)
	}
	b := &bench{parts: p, client: &llm.Client{Askers: map[string]llm.Asker{}, Now: time.Now}}
	for _, s := range stages {
		b.client.Askers[s] = llm.Asker{Model: m, Name: "test", Preset: preset, T: new(float64), Price: llm.Price{In: 1, Out: 10}}
	}
	all := &llm.Stages{Client: b.client, Twin: p.twin, Voices: p.voices, Set: p.set, Library: p.lib, Routes: p.router.Emergencies()}
	b.config = pipeline.Config{
		Library: p.lib, Safety: p.router, Understand: all, Judge: all, Audit: all, Generate: all, Tell: all, Retrievers: p.find, Guide: p.guide,
		K: 12, Keep: 12, Room: 3600, Share: 0.62, Rise: 0.14, Now: time.Now, Personas: map[string]string{"": "neighbor", "slack": "cityhall"}, Voices: []string{"neighbor", "cityhall", "plain"},
	}
	return b
}

func (b *bench) ask(t testing.TB, q bot.Question) bot.Answer {
	t.Helper()
	if q.AsOf.IsZero() {
		q.AsOf = today
	}
	if q.ID == "" {
		q.ID = "q"
	}
	a, err := pipeline.New(b.config).Answer(t.Context(), q)
	if err != nil {
		t.Fatalf("Answer(%q): %v", q.Text, err)
	}
	return a
}

// calls counts the calls of an answer, by stage; repairs apart.
func calls(a bot.Answer) (n map[string]int, all, repairs int) {
	n = map[string]int{}
	for _, s := range a.Trace.Steps {
		for _, c := range s.Calls {
			if c.Repair {
				repairs++
				continue
			}
			n[c.Stage]++
			all++
		}
	}
	return n, all, repairs
}
