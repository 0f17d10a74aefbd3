package main

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"time"

	"plumbline/bot"
	"plumbline/kb"
	"plumbline/kb/flat"
	"plumbline/kb/minilm"
	"plumbline/kb/minilm/weights"
	"plumbline/kb/packs"
	"plumbline/personas"
	"plumbline/pipeline"
	"plumbline/pipeline/extractive"
	"plumbline/pipeline/llm"
	"plumbline/pipeline/safety"
)

// errInput is the error of what a person typed or piped in.
var errInput = errors.New("input")

// An app builds what commands need, each thing when it is first asked for.
type app struct {
	ctx     context.Context
	std     stdio
	getenv  func(string) string
	globals globals

	board  bot.NoticeBoard // that answers heed; set before Answerer is called
	models modelSource     // the same
	ledger bot.Ledger      // the same: of what models cost
	alarm  func(bot.Alarm) // the same
	stages *llm.Stages     // that ask models; nil where none does, and before Answerer is called

	settings once[settings]
	library  once[*kb.Library]
	model    once[kb.Embedder]
	index    once[indexed]
	router   once[*safety.Router]
	personas once[*personas.Set]
	answerer once[*pipeline.Pipeline]
	public   once[[]string]
	state    once[*state]
}

// Close closes what was opened.
func (a *app) Close() error {
	if a.state.value == nil {
		return nil
	}
	return a.state.value.Close()
}

// A once remembers what it built, or why it could not.
type once[T any] struct {
	sync.Once
	value T
	err   error
}

func (o *once[T]) get(build func() (T, error)) (T, error) {
	o.Do(func() { o.value, o.err = build() })
	return o.value, o.err
}

func (a *app) asOf() time.Time {
	if !a.globals.AsOf.IsZero() {
		return a.globals.AsOf.Time
	}
	return time.Now()
}

// Settings returns the settings file's settings over the defaults.
func (a *app) Settings() (settings, error) {
	return a.settings.get(func() (settings, error) { return loadSettings(a.globals.Settings, a.getenv) })
}

// Library returns the built-in packs and those of --packs.
func (a *app) Library() (*kb.Library, error) {
	return a.library.get(func() (*kb.Library, error) {
		s, err := a.Settings()
		if err != nil {
			return nil, err
		}
		var list []*kb.Pack
		var errs []error
		load := func(fsys fs.FS, dir string) {
			p, err := kb.Load(fsys, dir)
			if err != nil {
				errs = append(errs, err)
				return
			}
			list = append(list, p)
		}
		for _, name := range packs.Names() {
			load(packs.Files, name)
		}
		if dir := a.globals.Packs; dir != "" {
			if _, err := os.Stat(filepath.Join(dir, "pack.json")); err == nil {
				load(os.DirFS(filepath.Dir(filepath.Clean(dir))), filepath.Base(filepath.Clean(dir)))
			} else {
				entries, err := os.ReadDir(dir)
				if err != nil {
					return nil, fmt.Errorf("read packs: %w", err)
				}
				found := false
				for _, e := range entries {
					if _, err := os.Stat(filepath.Join(dir, e.Name(), "pack.json")); err == nil {
						found = true
						load(os.DirFS(dir), e.Name())
					}
				}
				if !found {
					return nil, fmt.Errorf("%s holds no pack: a pack is a folder with pack.json in it", dir)
				}
			}
		}
		if len(errs) > 0 {
			return nil, errors.Join(errs...)
		}
		at := slices.IndexFunc(list, func(p *kb.Pack) bool { return p.Manifest.Name == s.Pack })
		if at < 0 {
			return nil, fmt.Errorf("settings: pack is %q, which is not installed", s.Pack)
		}
		list[0], list[at] = list[at], list[0] // the default comes first
		return kb.NewLibrary(list...)
	})
}

// Model returns the embedding model: the built-in one, or that of --weights.
func (a *app) Model() (kb.Embedder, error) {
	return a.model.get(func() (kb.Embedder, error) {
		if a.globals.Weights == "" {
			m, err := weights.Load()
			if err != nil {
				return nil, fmt.Errorf("load the built-in model: %w", err)
			}
			return m, nil
		}
		b, err := readFile(a.globals.Weights, 1<<30)
		if err != nil {
			return nil, fmt.Errorf("load model: %w", err)
		}
		m, err := minilm.New(string(b), weights.Vocabulary())
		if err != nil {
			return nil, fmt.Errorf("load model %s: %w", a.globals.Weights, err)
		}
		return m, nil
	})
}

// indexed is an index in service and the embedder that knows its texts.
type indexed struct {
	index kb.Index
	emb   kb.Embedder
}

// Index returns the embedded index over all packs.
func (a *app) Index() (indexed, error) {
	return a.index.get(func() (indexed, error) {
		lib, err := a.Library()
		if err != nil {
			return indexed{}, err
		}
		model, err := a.Model()
		if err != nil {
			return indexed{}, err
		}
		records, beyond := kb.Records(lib), kb.Beyond(lib)
		n := len(records)
		records = append(records, beyond...)
		filled, err := kb.Fill(a.ctx, lib, records, model, nil)
		if err != nil {
			return indexed{}, err
		}
		for _, w := range filled.Warnings {
			fmt.Fprintln(a.std.Err, "plumbline: warning:", w)
		}
		ix := flat.New()
		version := ""
		for _, p := range lib.Packs() {
			version += p.Version
		}
		if err := ix.Replace(a.ctx, version, records[:n]); err != nil {
			return indexed{}, fmt.Errorf("build index: %w", err)
		}
		return indexed{ix, kb.Known(model, records)}, nil
	})
}

// Router returns the safety rules of the core and of every pack.
func (a *app) Router() (*safety.Router, error) {
	return a.router.get(func() (*safety.Router, error) {
		lib, err := a.Library()
		if err != nil {
			return nil, err
		}
		var rules []safety.Rules
		var errs []error
		for _, p := range lib.Packs() {
			r, err := safety.ParseRules(p.Manifest.Name+"/safety.json", p.Safety)
			if err != nil {
				errs = append(errs, err)
				continue
			}
			if len(p.Cues) > 0 {
				cues, err := safety.ParseRules(p.Manifest.Name+"/cues.json", p.Cues)
				if err != nil {
					errs = append(errs, err)
					continue
				}
				r = append(r, cues...)
			}
			rules = append(rules, r)
		}
		if len(errs) > 0 {
			return nil, errors.Join(errs...)
		}
		return safety.New(safety.Core(), rules...)
	})
}

// Retrievers returns the retrievers, the default first.
func (a *app) Retrievers() ([]pipeline.Retriever, error) {
	s, err := a.Settings()
	if err != nil {
		return nil, err
	}
	ix, err := a.Index()
	if err != nil {
		return nil, err
	}
	all := []pipeline.Retriever{
		pipeline.Fused{Index: ix.index, Embedder: ix.emb, Weights: s.Retrieval.Weights, Depth: s.Retrieval.Depth},
		pipeline.HeadingFirst{Index: ix.index, Embedder: ix.emb, Threshold: s.Retrieval.Threshold},
	}
	if s.Retrieval.Default == all[1].Name() {
		all[0], all[1] = all[1], all[0]
	}
	return all, nil
}

// Answerer returns the pipeline.
func (a *app) Answerer() (*pipeline.Pipeline, error) {
	return a.answerer.get(func() (*pipeline.Pipeline, error) {
		s, err := a.Settings()
		if err != nil {
			return nil, err
		}
		lib, err := a.Library()
		if err != nil {
			return nil, err
		}
		router, err := a.Router()
		if err != nil {
			return nil, err
		}
		retrievers, err := a.Retrievers()
		if err != nil {
			return nil, err
		}
		ix, err := a.Index()
		if err != nil {
			return nil, err
		}
		stages, err := extractive.New(a.ctx, lib, ix.emb, extractive.Defaults)
		if err != nil {
			return nil, err
		}
		guide, err := pipeline.NewGuide(lib)
		if err != nil {
			return nil, err
		}
		set, err := a.Personas()
		if err != nil {
			return nil, err
		}
		var names []string
		for _, p := range set.All() {
			names = append(names, p.ID)
		}
		versions := map[string]string{"binary": version, "model": ix.emb.Name()}
		for _, p := range lib.Packs() {
			versions[p.Manifest.Name] = p.Version
		}
		c := pipeline.Config{
			Library: lib, Safety: router, Understand: stages, Retrievers: retrievers, Judge: stages, Audit: stages,
			Generate: stages, Guide: guide, Board: a.board, Zone: s.House.zone, Personas: s.Personas, Voices: names,
			K: s.Retrieval.K, Keep: s.Retrieval.Keep, Room: s.Retrieval.Room, Share: s.Retrieval.Share, Rise: s.Retrieval.Rise, Accents: !s.Twilio.Fold, Now: time.Now, Versions: versions,
		}
		voices := pipeline.NewVoices(set, lib)
		c.Tell, c.Retell = voices, voices // who looks at an answer again asks no model
		if s.Models.asks() {
			askers, err := a.Askers()
			if err != nil {
				return nil, err
			}
			if caps := s.Models.Budget.caps(); a.ledger == nil && (caps.Person != bot.Amount{} || caps.Day != bot.Amount{}) {
				st, err := a.State()
				if err != nil {
					return nil, err
				}
				a.ledger = st.Store.Ledger() // what a command asks costs as much
				a.alarm = func(x bot.Alarm) {
					fmt.Fprintf(a.std.Err, "plumbline: warning: models have cost %d %% of what they may for the %s today\n", x.Percent, x.Cap)
				}
			}
			a.stages = &llm.Stages{
				Client: &llm.Client{Askers: askers, Ledger: a.ledger, Caps: s.Models.Budget.caps(), Alarm: a.alarm, Now: time.Now},
				Twin:   stages, Voices: voices, Set: set, Library: lib, Routes: router.Emergencies(),
			}
			m := a.stages
			c.Understand, c.Judge, c.Audit, c.Generate, c.Tell, c.Deadline = m, m, m, m, m, s.Models.Deadline
		}
		return pipeline.New(c), nil
	})
}

// Conversation returns what decides on messages, with answers of answerer.
func (a *app) Conversation(answerer bot.Answerer) (*bot.Conversation, error) {
	set, err := a.Personas()
	if err != nil {
		return nil, err
	}
	router, err := a.Router()
	if err != nil {
		return nil, err
	}
	urgent := func(text string) bool {
		v := router.Triage(safety.Input{Text: text})
		if !v.Emergency {
			return false
		}
		// "Forget me" shares its words with worse; who asks us to stop, in a message
		// that says nothing else, may share more than that.
		switch word, _ := bot.Hear(text); word {
		case bot.WordNone, bot.WordPrivacy, bot.WordUnsureStop:
			return true
		case bot.WordStop, bot.WordReaction:
			return false
		}
		return !v.Learned()
	}
	s, err := a.Settings()
	if err != nil {
		return nil, err
	}
	var grave []bot.Route
	for _, id := range router.Emergencies() {
		grave = append(grave, bot.Route(id))
	}
	return &bot.Conversation{Answerer: answerer, House: s.house(), Asked: set.Asked, Urgent: urgent, Grave: grave, Now: time.Now, AsOf: a.globals.AsOf.Time}, nil
}

// Personas returns the voices.
func (a *app) Personas() (*personas.Set, error) { return a.personas.get(personas.Default) }

var _ bot.Answerer = (*pipeline.Pipeline)(nil)
