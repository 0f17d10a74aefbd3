package main

import (
	"fmt"
	"maps"
	"slices"

	"plumbline/bot"
	"plumbline/kb"
	"plumbline/pipeline/safety"
)

type kbListCmd struct{}

func (c *kbListCmd) Run(a *app) error {
	lib, err := a.Library()
	if err != nil {
		return err
	}
	for _, p := range kb.List(lib) {
		if a.globals.JSON {
			if err := writeJSON(a.std.Out, p); err != nil {
				return err
			}
			continue
		}
		fmt.Fprintf(a.std.Out, "%s: %s\n  home %s; %d chunks, %d paragraphs, %d sources, %d phone records, %d next steps, %d probes\n",
			p.Name, p.Title.In("en"), p.Home, p.Chunks, p.Paragraphs, p.Sources, p.Phones, p.NextSteps, p.Probes)
		for _, lang := range p.Languages {
			fmt.Fprintf(a.std.Out, "  %s: %d wordings, %d not approved\n", lang, p.Wordings[lang], p.Unapproved[lang])
		}
	}
	return nil
}

type kbExportCmd struct {
	Pack string `help:"Only this pack" placeholder:"NAME"`
}

// Help shows examples.
func (kbExportCmd) Help() string {
	return `Examples:
  plumbline kb export > rows.jsonl
  plumbline kb export --pack wildfire-smoke

Writes {id, texts, parts, caveats, source, valid}, a line each: texts[0] is the
exact English, parts are sentences that are true and safe alone. Whatever an
answer says with a number cites one of these.`
}

func (c *kbExportCmd) Run(a *app) error {
	lib, err := a.Library()
	if err != nil {
		return err
	}
	router, err := a.Router()
	if err != nil {
		return err
	}
	return kb.Export(lib, a.std.Out, kb.ExportOptions{Pack: c.Pack, Fixed: fixedRows(router)})
}

// fixedRows are the fixed texts of the safety rules as rows of an export.
func fixedRows(router *safety.Router) (rows []kb.Row) {
	texts := map[string]map[string]string{}
	for _, t := range router.FixedTexts() {
		texts[t.ID] = t.Texts
	}
	for _, t := range bot.FixedTexts() {
		texts[t.ID] = map[string]string{}
		for lang, text := range t.Texts {
			texts[t.ID][string(lang)] = text
		}
	}
	src := bot.FixedSource
	for _, id := range slices.Sorted(maps.Keys(texts)) {
		row := kb.Row{ID: id, Source: &src}
		if en, ok := texts[id]["en"]; ok {
			row.Texts = append(row.Texts, en)
		}
		for _, lang := range slices.Sorted(maps.Keys(texts[id])) {
			if lang != "en" {
				row.Texts = append(row.Texts, texts[id][lang])
			}
		}
		rows = append(rows, row)
	}
	return rows
}

type kbLintCmd struct {
	All bool `help:"Show notes too, unapproved wordings among them"`
}

// Help shows examples.
func (kbLintCmd) Help() string {
	return `Examples:
  plumbline kb lint
  plumbline kb lint --all --json

The exit code is 3 if there is an error.`
}

func (c *kbLintCmd) Run(a *app) error {
	lib, err := a.Library()
	if err != nil {
		return err
	}
	if _, err := a.Router(); err != nil { // the safety rules are checked as they are read
		return err
	}
	return c.report(a, kb.Lint(lib, kb.DateOf(a.asOf())))
}

func (c *kbLintCmd) report(a *app, findings []kb.Finding) error {
	count := map[kb.Severity]int{}
	for _, f := range findings {
		count[f.Severity]++
		switch {
		case a.globals.JSON:
			if err := writeJSON(a.std.Out, f); err != nil {
				return err
			}
		case c.All || f.Severity != kb.Note:
			fmt.Fprintln(a.std.Out, f)
		}
	}
	if !a.globals.JSON {
		fmt.Fprintf(a.std.Out, "%d errors, %d warnings, %d notes\n", count[kb.Error], count[kb.Warning], count[kb.Note])
	}
	if n := kb.Errors(findings); n > 0 {
		return fmt.Errorf("%w: %d errors", errRefused, n)
	}
	return nil
}

type kbCheckCmd struct{}

// Help shows examples.
func (kbCheckCmd) Help() string {
	return `Examples:
  plumbline kb check
  plumbline kb check --as-of 2027-06-01

Goes red (exit code 3) 180 days after a phone number was last confirmed, 30 for
the numbers of safety routes.`
}

func (c *kbCheckCmd) Run(a *app) error {
	lib, err := a.Library()
	if err != nil {
		return err
	}
	return (&kbLintCmd{}).report(a, kb.Check(lib, kb.DateOf(a.asOf())))
}
