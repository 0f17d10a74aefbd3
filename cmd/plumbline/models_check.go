package main

import (
	"fmt"
	"time"

	"plumbline/bot"
	"plumbline/pipeline"
	"plumbline/pipeline/llm"
)

type modelsCmd struct {
	Check modelsCheckCmd `cmd:"" help:"Ask each stage's model something small, and all of them one answer"`
}

type modelsCheckCmd struct {
	modelFlags
	Question string `arg:"" optional:"" help:"What to answer with all stages (the pack's first example if left out)"`
	NoAnswer bool   `help:"Only the small questions"`
}

// Help shows examples.
func (modelsCheckCmd) Help() string {
	return `Examples:
  plumbline models check --model gpt-5.2 --model judge=gpt-4o-mini
  OPENAI_BASE_URL=http://localhost:11434/v1 plumbline models check --model-kind ollama --model mistral:7b

It asks the model of each stage a small question and says whether the JSON came
as asked, how long it took and what it cost. Then it answers one question with
all stages, and judges what was found for it twice: all chunks in one call, and
each in its own. The exit code is 3 if a stage cannot use its model.`
}

// A modelsReport is what models check --json writes.
type modelsReport struct {
	Probes    []llm.Probe    `json:"probes"`
	Answer    *modelsAnswer  `json:"answer,omitempty"`
	Agreement *llm.Agreement `json:"agreement,omitempty"`
	Problem   string         `json:"problem,omitempty"` // why there is no agreement
}

type modelsAnswer struct {
	Question string            `json:"question"`
	Status   bot.Status        `json:"status"`
	Calls    int               `json:"calls"`
	Repairs  int               `json:"repairs"`
	Chars    int               `json:"prompt_chars"`
	Tokens   bot.Tokens        `json:"tokens"`
	Cost     float64           `json:"cost_usd"`
	Took     time.Duration     `json:"took_ns"`
	FellBack map[string]string `json:"fell_back"` // why, by stage
}

// Run implements the command.
func (c *modelsCheckCmd) Run(a *app) error {
	if err := c.modelFlags.apply(a); err != nil {
		return err
	}
	s, err := a.Settings()
	if err != nil {
		return err
	}
	if !s.Models.asks() {
		return usage("no stage asks a model; name one with --model, OPENAI_MODEL or models.model in the settings")
	}
	p, err := a.Answerer()
	if err != nil {
		return err
	}
	var r modelsReport
	if r.Probes, err = a.stages.Client.Probe(a.ctx); err != nil {
		return err
	}
	if !c.NoAnswer {
		if err := c.answer(a, p, &r); err != nil {
			return err
		}
	}
	if err := a.saveRecording(c.Record, c.Question); err != nil {
		return err
	}
	if err := c.write(a, r); err != nil {
		return err
	}
	for _, x := range r.Probes {
		if !x.OK() {
			return fmt.Errorf("%w: not every stage can use its model", errRefused)
		}
	}
	return nil
}

// answer answers a question with all stages, and judges what it found both ways.
func (c *modelsCheckCmd) answer(a *app, p *pipeline.Pipeline, r *modelsReport) error {
	lib, err := a.Library()
	if err != nil {
		return err
	}
	if c.Question == "" {
		c.Question = "What is this about?"
		if list := lib.Packs()[0].Guidance.Prompts; len(list) > 0 {
			c.Question = list[0].In("en")
		}
	}
	start := time.Now()
	ans, d, err := p.Draft(a.ctx, bot.Question{ID: "models-check", Text: c.Question, Channel: "sms", AsOf: a.asOf()})
	if err != nil {
		return err
	}
	m := &modelsAnswer{Question: c.Question, Status: ans.Status, Took: time.Since(start), FellBack: map[string]string{}}
	for _, s := range ans.Trace.Steps {
		if s.FellBack != "" {
			m.FellBack[s.Stage] = s.FellBack
		}
		for _, x := range s.Calls {
			m.Calls++
			if x.Repair {
				m.Repairs++
			}
			m.Chars += x.Chars
			m.Tokens.In += x.Tokens.In
			m.Tokens.Out += x.Tokens.Out
			m.Cost += x.Cost
		}
	}
	r.Answer = m
	if _, ok := a.stages.Client.Askers[llm.StageJudge]; !ok || len(d.Candidates) == 0 {
		return nil
	}
	d.Until = time.Time{} // the answer is out
	agreement, err := a.stages.Agree(a.ctx, d)
	if err != nil {
		if a.ctx.Err() != nil {
			return a.ctx.Err()
		}
		r.Problem = "judging each chunk alone: " + string(llm.ReasonOf(err))
		return nil
	}
	r.Agreement = &agreement
	return nil
}

func (c *modelsCheckCmd) write(a *app, r modelsReport) error {
	if a.globals.JSON {
		return writeJSON(a.std.Out, r)
	}
	w := a.std.Out
	fmt.Fprintf(w, "%-11s %-24s %-7s %-7s %9s %9s  %s\n", "stage", "model", "asked", "JSON", "seconds", "dollars", "")
	for _, p := range r.Probes {
		fmt.Fprintf(w, "%-11s %-24s %-7s %-7s %9.2f %9.5f  %s\n", p.Stage, p.Model, p.Mode, p.Shape, p.Took.Seconds(), p.Cost, p.Failed)
	}
	if m := r.Answer; m != nil {
		fmt.Fprintf(w, "\n%q: %s, %d calls and %d repairs, %d characters of prompts, %d + %d tokens, $%.4f, %.1f s\n",
			m.Question, m.Status, m.Calls-m.Repairs, m.Repairs, m.Chars, m.Tokens.In, m.Tokens.Out, m.Cost, m.Took.Seconds())
		for _, stage := range llm.StageNames() {
			if why := m.FellBack[stage]; why != "" {
				fmt.Fprintf(w, "  %s did without its model: %s\n", stage, why)
			}
		}
	}
	if g := r.Agreement; g != nil {
		fmt.Fprintf(w, "\nThe judge, all chunks in one call against each in its own: %d of %d kept or set aside alike, %d of %d with the same score\n", g.Alike, g.Chunks, g.Same, g.Chunks)
	}
	if r.Problem != "" {
		fmt.Fprintln(w, r.Problem)
	}
	return nil
}
