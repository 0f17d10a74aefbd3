package main

import (
	"fmt"
	"strings"

	"plumbline/bot"
	"plumbline/internal/text"
	"plumbline/kb"
	"plumbline/pipeline"
)

type kbSearchCmd struct {
	Query     []string `arg:"" optional:"" help:"What to look for, or - to read JSON lines {id, text}"`
	Pack      string   `help:"Only this pack (the default pack if left out; all for every pack)" placeholder:"NAME"`
	Retriever string   `help:"Retriever: fused or heading-first" placeholder:"NAME"`
	K         int      `help:"Most chunks to show" default:"8"`
	Lang      string   `help:"Language of the question: en or es (told by the words if left out)" placeholder:"LANG"`
	Place     string   `help:"Where the asker lives, as the pack names it" placeholder:"PLACE"`
}

// Help shows examples.
func (kbSearchCmd) Help() string {
	return `Examples:
  plumbline kb search "does boiling remove lead"
  plumbline kb search --retriever heading-first --json "lead service line"`
}

// A searchResult is one line of `kb search --json`.
type searchResult struct {
	ID       string      `json:"id,omitempty"`
	Results  []searchHit `json:"results"`
	Fallback bool        `json:"fallback"`
	Wider    string      `json:"wider,omitempty"`
}

type searchHit struct {
	ID         string   `json:"id"`
	Heading    string   `json:"heading"`
	Score      float64  `json:"score"`
	Via        []string `json:"via"`
	Why        string   `json:"why"`
	Paragraphs []string `json:"paragraphs"`
}

func (c *kbSearchCmd) Run(a *app) error {
	query := strings.TrimSpace(strings.Join(c.Query, " "))
	if query == "" {
		return usage("there is no query; write it after search, or - to read JSON lines")
	}
	if c.K < 1 {
		return usage("--k is %d; write 1 or more", c.K)
	}
	lib, err := a.Library()
	if err != nil {
		return err
	}
	retrievers, err := a.Retrievers()
	if err != nil {
		return err
	}
	r := retrievers[0]
	for _, other := range retrievers {
		if other.Name() == c.Retriever {
			r = other
		}
	}
	if c.Retriever != "" && r.Name() != c.Retriever {
		return usage("there is no retriever %q, only fused and heading-first", c.Retriever)
	}
	if query != "-" {
		res, err := c.search(a, lib, r, query)
		if err != nil {
			return err
		}
		return c.write(a, res)
	}
	return eachLine(a.std.In, func(l struct {
		ID   string `json:"id"`
		Text string `json:"text"`
	}) error {
		res, err := c.search(a, lib, r, l.Text)
		if err != nil {
			return err
		}
		res.ID = l.ID
		return c.write(a, res)
	})
}

func (c *kbSearchCmd) search(a *app, lib *kb.Library, r pipeline.Retriever, query string) (searchResult, error) {
	if err := pipeline.CheckQuestion(query); err != nil {
		return searchResult{}, fmt.Errorf("%w: %w", errInput, err)
	}
	f := kb.Filter{Valid: kb.DateOf(a.asOf())}
	var glossary []kb.Term
	home := c.Place
	for _, p := range lib.Packs() {
		if c.Pack != "all" && p != first(lib.Pack(c.Pack)) {
			continue
		}
		f.Packs = append(f.Packs, p.Manifest.Name)
		glossary = append(glossary, p.Guidance.Glossary...)
		if home == "" {
			home = p.Manifest.Home
		}
	}
	if len(f.Packs) == 0 {
		return searchResult{}, fmt.Errorf("%w: there is no pack %q: %w", errInput, c.Pack, bot.ErrInvalid)
	}
	f.Jurisdictions = lib.Jurisdictions(home)
	lang := c.Lang
	if lang == "" {
		lang = text.Language(query).Lang
	}
	if lang != "es" {
		lang = "en"
	}
	wider := pipeline.Widen(glossary, query, lang)
	got, err := r.Retrieve(a.ctx, pipeline.Query{Text: query, Wider: wider, Language: lang, Filter: f, K: c.K})
	if err != nil {
		return searchResult{}, err
	}
	res := searchResult{Results: []searchHit{}, Fallback: got.Fallback, Wider: wider}
	for _, found := range got.Found {
		chunk, _ := lib.Chunk(found.Chunk)
		hit := searchHit{ID: found.Chunk, Heading: chunk.Heading(lang), Score: found.Score, Via: found.Names(), Why: found.Why(), Paragraphs: []string{}}
		for _, p := range chunk.Subsection.Paragraphs {
			hit.Paragraphs = append(hit.Paragraphs, p.ID)
		}
		res.Results = append(res.Results, hit)
	}
	return res, nil
}

func first[T any](v T, _ bool) T { return v }

func (c *kbSearchCmd) write(a *app, res searchResult) error {
	if a.globals.JSON {
		return writeJSON(a.std.Out, res)
	}
	w := a.std.Out
	if res.Fallback {
		fmt.Fprintln(w, "no heading was near enough: these are by full text")
	}
	if len(res.Results) == 0 {
		fmt.Fprintln(w, "nothing found")
	}
	for _, h := range res.Results {
		fmt.Fprintf(w, "%.3f  %s\n       %s\n       %s\n", h.Score, h.Heading, h.ID, h.Why)
	}
	return nil
}
