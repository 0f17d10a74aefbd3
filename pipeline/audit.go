package pipeline

import (
	"cmp"
	"context"
	"fmt"
	"slices"

	"plumbline/bot"
	"plumbline/kb"
)

// MaxIterations is the most retrieval passes of one answer (the paper, 3.3).
const MaxIterations = 2

// audit runs the diagnostic check and fills gaps: by what was set aside, then
// by a second retrieval. d.Trace.Stop says why it ended.
func (p *Pipeline) audit(ctx context.Context, d *Draft) error {
	template, err := p.template(d)
	if err != nil {
		return err
	}
	d.Strategy = template
	if len(d.Kept()) == 0 {
		d.Trace.Stop = "nothing was kept to audit"
		return nil
	}
	if err := p.ask(ctx, d); err != nil {
		return err
	}
	open := p.open(d)
	if len(open) == 0 {
		d.Trace.Stop = "the evidence left no gap"
		return nil
	}
	if err := p.fillFromAside(ctx, d); err != nil {
		return err
	}
	if open = p.open(d); len(open) == 0 {
		d.Trace.Stop = "what was set aside closed every gap"
		return nil
	}
	found, err := p.secondPass(ctx, d, open)
	if err != nil {
		return err
	}
	left := len(p.open(d))
	switch {
	case left == 0:
		d.Trace.Stop = "the second retrieval closed every gap"
	case found == 0:
		d.Trace.Stop = fmt.Sprintf("the second retrieval found nothing new; %d gaps stay open", left)
	default:
		d.Trace.Stop = fmt.Sprintf("two iterations are the most; %d gaps stay open", left)
	}
	return nil
}

// classify says which strategy the question calls for: before the prognostic
// check, which leans to what that strategy asks for.
func (p *Pipeline) classify(ctx context.Context, d *Draft) error {
	return p.step(d, "classify", "extractive", func() (string, error) {
		s, votes, err := p.c.Audit.Classify(ctx, d)
		d.Understanding.Strategy, d.Understanding.Votes = s, votes
		return string(s), err
	})
}

// template returns the one to audit by: the default one for the implicit
// variant, the strategy's for the explicit one.
func (p *Pipeline) template(d *Draft) (kb.Strategy, error) {
	pack, _ := p.c.Library.Pack(d.Question.Pack)
	want := bot.Default
	if d.Question.Variant == bot.DiagExplicit {
		want = d.Understanding.Strategy
	}
	for _, t := range pack.Strategies {
		if t.ID == string(want) {
			return t, nil
		}
	}
	return kb.Strategy{}, fmt.Errorf("pack %s has no strategy %s: %w", pack.Manifest.Name, want, bot.ErrInvalid)
}

// ask audits what is kept and records a gap for each question left open, or
// closes one that is answered now.
func (p *Pipeline) ask(ctx context.Context, d *Draft) error {
	return p.step(d, "audit", "extractive", func() (string, error) {
		audit, err := p.c.Audit.Audit(ctx, d, d.Strategy, passages(d.Kept()))
		if err != nil {
			return "", err
		}
		p.settle(d, audit, "")
		return fmt.Sprintf("%d questions, %d open", len(audit.Findings), len(p.open(d))), nil
	})
}

// settle records an audit in the trace and updates the gaps. Findings about
// gaps that are closed already change nothing.
func (p *Pipeline) settle(d *Draft, audit bot.Audit, why string) (closed []string) {
	audit.Strategy, audit.Iteration = bot.Strategy(d.Strategy.ID), d.Iteration
	d.Trace.Audits = append(d.Trace.Audits, audit)
	for _, f := range audit.Findings {
		at := slices.IndexFunc(d.Gaps, func(g bot.Gap) bool { return g.ID == f.ID })
		switch {
		case at < 0 && !f.Answered && !f.Idle:
			d.Gaps = append(d.Gaps, bot.Gap{Question: f.Question, ID: f.ID, Strategy: bot.Strategy(d.Strategy.ID), Iteration: d.Iteration, Reason: f.Why})
		case at >= 0 && f.Answered && d.Gaps[at].Open():
			d.Gaps[at].ClosedBy, d.Gaps[at].Reason = f.Paragraph, cmp.Or(why, "second retrieval")+": "+f.Why
			closed = append(closed, f.Paragraph)
		}
	}
	return closed
}

func (p *Pipeline) open(d *Draft) (gaps []bot.Gap) {
	for _, g := range d.Gaps {
		if g.Open() {
			gaps = append(gaps, g)
		}
	}
	return gaps
}

// openOnly is the template with only the questions that are open.
func (p *Pipeline) openOnly(d *Draft) kb.Strategy {
	t := d.Strategy
	t.Questions = slices.DeleteFunc(slices.Clone(t.Questions), func(q kb.Diagnostic) bool {
		return !slices.ContainsFunc(p.open(d), func(g bot.Gap) bool { return g.ID == q.ID })
	})
	return t
}

// fillFromAside audits what was set aside for the open questions: chunks, and
// paragraphs of kept ones. What answers one is kept.
func (p *Pipeline) fillFromAside(ctx context.Context, d *Draft) error {
	return p.step(d, "fill", "extractive", func() (string, error) {
		aside := beside(d.Candidates)
		if len(aside) == 0 {
			return "nothing was set aside", nil
		}
		audit, err := p.c.Audit.Audit(ctx, d, p.openOnly(d), aside)
		if err != nil {
			return "", err
		}
		closed := p.settle(d, audit, "set aside")
		d.take(d.Candidates, closed, "set aside at first; answers a gap")
		return fmt.Sprintf("%d gaps closed by what was set aside", len(closed)), nil
	})
}

// secondPass retrieves for each open gap, judges what is new, and audits again.
// It returns how many new chunks were found.
func (p *Pipeline) secondPass(ctx context.Context, d *Draft, open []bot.Gap) (found int, err error) {
	d.Iteration = MaxIterations
	before := len(d.Candidates)
	var queries []string
	err = p.step(d, "narrow", "extractive", func() (string, error) {
		queries, err = p.c.Audit.Narrow(ctx, d, open)
		return fmt.Sprintf("%d queries", len(queries)), err
	})
	if err != nil {
		return 0, err
	}
	for i, query := range queries {
		if err := p.search(ctx, d, 0, bot.Part{Asked: query, Standalone: query}, open[i].ID); err != nil {
			return 0, err
		}
	}
	fresh := d.Candidates[before:]
	if len(fresh) == 0 {
		return 0, nil
	}
	err = p.step(d, "judge", "extractive", func() (string, error) {
		if err := p.c.Judge.Judge(ctx, d, fresh); err != nil {
			return "", err
		}
		for _, c := range fresh {
			d.Trace.Judgements = append(d.Trace.Judgements, bot.Judgement{Chunk: c.Chunk.ID, Score: c.Score, Reason: c.Reason, Iteration: d.Iteration})
		}
		return fmt.Sprintf("%d new chunks", len(fresh)), nil
	})
	if err != nil {
		return 0, err
	}
	err = p.step(d, "audit", "extractive", func() (string, error) {
		audit, err := p.c.Audit.Audit(ctx, d, p.openOnly(d), beside(fresh))
		if err != nil {
			return "", err
		}
		closed := p.settle(d, audit, "")
		d.take(fresh, closed, "second retrieval; answers a gap")
		return fmt.Sprintf("%d gaps closed", len(closed)), nil
	})
	return len(fresh), err
}
