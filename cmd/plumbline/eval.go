package main

import (
	"context"
	"fmt"
	"os"

	"plumbline/bot"
	"plumbline/kb"
	"plumbline/kb/flat"
	"plumbline/pipeline/eval"
)

type evalCmd struct {
	Retrieval evalRetrievalCmd `cmd:"" help:"Measure retrieval on a question file"`
	Gaps      evalGapsCmd      `cmd:"" help:"Count the gaps that the audit opens and closes on a question file"`
	Tune      evalTuneCmd      `cmd:"" help:"Try weights of fused retrieval on the pack's own aliases"`
	Text      evalTextCmd      `cmd:"" help:"Measure how a text reads"`
}

type evalRetrievalCmd struct {
	File string `arg:"" help:"Question file: JSON lines with id, text, lang, expected, expected_facts and pair" type:"path"`
	Pack string `help:"Domain pack" placeholder:"NAME"`
}

// Help shows examples.
func (evalRetrievalCmd) Help() string {
	return `Examples:
  plumbline eval retrieval --as-of 2026-11-30 cmd/plumbline/testdata/questions-dev.jsonl

The share of the needed chunks among the first 5 and the first 8, for each
retriever and language, with a 95 % bootstrap interval over questions.`
}

func readQuestions(file string) (list []eval.Question, err error) {
	f, err := os.Open(file)
	if err != nil {
		return nil, fmt.Errorf("open questions: %w", err)
	}
	defer f.Close()
	return list, eachLine(f, func(q eval.Question) error { list = append(list, q); return nil })
}

func (c *evalRetrievalCmd) Run(a *app) error {
	questions, err := readQuestions(c.File)
	if err != nil {
		return err
	}
	lib, err := a.Library()
	if err != nil {
		return err
	}
	retrievers, err := a.Retrievers()
	if err != nil {
		return err
	}
	for _, lang := range []bot.Language{bot.English, bot.Spanish} {
		for _, r := range retrievers {
			res, err := eval.Retrieval(a.ctx, lib, r, c.Pack, string(lang), kb.DateOf(a.asOf()), questions, []int{5, 8})
			if err != nil {
				return err
			}
			if a.globals.JSON {
				if err := writeJSON(a.std.Out, res); err != nil {
					return err
				}
				continue
			}
			fmt.Fprintf(a.std.Out, "%-14s %s  %3d questions", r.Name(), lang, res.Questions)
			for _, k := range res.Recall {
				fmt.Fprintf(a.std.Out, "  top %d: %.3f (%.3f to %.3f)", k.K, k.Mean, k.Low, k.High)
			}
			fmt.Fprintln(a.std.Out)
		}
	}
	return nil
}

type evalGapsCmd struct {
	File    string `arg:"" help:"Question file: JSON lines with id, text and pair" type:"path"`
	Pack    string `help:"Domain pack" placeholder:"NAME"`
	Variant string `help:"Pipeline: diag-imp or diag-exp" default:"diag-exp" enum:"diag-imp,diag-exp"`
}

// Help shows examples.
func (evalGapsCmd) Help() string {
	return `Examples:
  plumbline eval gaps --as-of 2026-11-30 cmd/plumbline/testdata/questions-dev.jsonl

By strategy: how many questions were audited and how many retrieved again; the
gaps that the first audit opened, those closed by what was set aside and by the
second retrieval, and those open after each iteration.`
}

func (c *evalGapsCmd) Run(a *app) error {
	questions, err := readQuestions(c.File)
	if err != nil {
		return err
	}
	answerer, err := a.Answerer()
	if err != nil {
		return err
	}
	rows, err := eval.Gaps(a.ctx, answerer, questions, bot.Question{Channel: "sms", Pack: c.Pack, Variant: bot.Variant(c.Variant), AsOf: a.asOf()})
	if err != nil {
		return fmt.Errorf("%w: %w", errInput, err)
	}
	if !a.globals.JSON {
		fmt.Fprintf(a.std.Out, "%-12s %9s %6s %6s %6s %6s %6s %6s\n", "strategy", "questions", "rerun", "opened", "aside", "open 1", "second", "open 2")
	}
	for _, r := range rows {
		if a.globals.JSON {
			if err := writeJSON(a.std.Out, r); err != nil {
				return err
			}
			continue
		}
		fmt.Fprintf(a.std.Out, "%-12s %9d %6d %6d %6d %6d %6d %6d\n", r.Strategy, r.Questions, r.Rerun, r.Opened, r.Aside, r.Open1, r.Second, r.Open2)
	}
	return nil
}

type evalTuneCmd struct {
	Pack   string `help:"Domain pack" placeholder:"NAME"`
	Trials int    `help:"Sets of weights to try" default:"60"`
	Seed   uint64 `help:"Seed of the draw" default:"1"`
}

// Help shows examples.
func (evalTuneCmd) Help() string {
	return `Examples:
  plumbline eval tune --trials 60 --json

Tries weights for fused retrieval on the pack's own aliases, each asked as a
question with a fifth of the aliases, itself among them, left out of the index,
and cross-validates the choice over five parts. It takes minutes.`
}

func (c *evalTuneCmd) Run(a *app) error {
	lib, err := a.Library()
	if err != nil {
		return err
	}
	ix, err := a.Index()
	if err != nil {
		return err
	}
	open := func(ctx context.Context, records []kb.Record) (kb.Index, error) {
		ix := flat.New()
		return ix, ix.Replace(ctx, "tune", records)
	}
	t, err := eval.Tune(a.ctx, lib, c.Pack, kb.Known(ix.emb, nil), open, c.Trials, c.Seed, nil)
	if err != nil {
		return err
	}
	if a.globals.JSON {
		return writeJSON(a.std.Out, t)
	}
	show := func(name string, t eval.Trial) {
		fmt.Fprintf(a.std.Out, "%-9s top 5 %.3f  top 8 %.3f  score %.4f  %+v\n", name, t.Top5, t.Top8, t.Score, t.Weights)
	}
	fmt.Fprintf(a.std.Out, "%d aliases asked as questions\n", t.Aliases)
	show("in use", t.Default)
	show("held out", t.HeldOut)
	show("best", t.Best)
	for _, n := range t.Near {
		show("", n)
	}
	return nil
}
