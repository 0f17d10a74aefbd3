package llm

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"plumbline/bot"
	"plumbline/kb"
	"plumbline/pipeline"
)

type sortedAs struct {
	Strategy string `json:"strategy" enum:"causal,regulatory,comparative,explanatory"`
}

// Classify implements [pipeline.Auditor]. A model is asked where a template is
// chosen by it: in the explicit variant.
func (s *Stages) Classify(ctx context.Context, d *pipeline.Draft) (bot.Strategy, map[bot.Strategy]float64, error) {
	strategy, votes, err := s.Twin.Classify(ctx, d)
	if err != nil || !s.Client.asks(StageClassify) || d.Question.Variant != bot.DiagExplicit {
		return strategy, votes, err
	}
	got, failed := ask[sortedAs](ctx, s.Client, d, StageClassify, prompt(StageClassify, struct{ Questions []string }{s.asked(d)}), nil)
	if failed != nil {
		return strategy, votes, s.twin(ctx, d, StageClassify, failed)
	}
	return bot.Strategy(got.Strategy), map[bot.Strategy]float64{bot.Strategy(got.Strategy): 1}, nil
}

type audited struct {
	Findings []auditedNeed `json:"findings"`
	Failures []int         `json:"failures"`
}

type auditedNeed struct {
	ID       string `json:"id"`
	Applies  bool   `json:"applies"`
	Answered bool   `json:"answered"`
	Passage  int    `json:"passage"`
	Quote    string `json:"quote"`
}

// Audit implements [pipeline.Auditor]. A need is met only by a quote that
// stands in a passage; what the model says without one leaves it open.
func (s *Stages) Audit(ctx context.Context, d *pipeline.Draft, t kb.Strategy, passages []pipeline.Passage) (bot.Audit, error) {
	if !s.Client.asks(StageAudit) || len(passages) == 0 {
		return s.Twin.Audit(ctx, d, t, passages)
	}
	type numbered struct {
		N    int
		Text string
	}
	data := struct {
		Strategy  string
		Questions []string
		Needs     []kb.Diagnostic
		Failures  []string
		Passages  []numbered
	}{t.ID, s.asked(d), t.Questions, t.Failures, nil}
	left := room(s.Client.most(StageAudit) - 5000)
	lang := string(d.Read())
	var texts []string
	for i, p := range passages {
		w := p.Paragraph.Text(lang)
		if int(left) < len([]rune(w)) {
			break
		}
		texts = append(texts, left.take(w))
		data.Passages = append(data.Passages, numbered{i + 1, w})
	}
	got, failed := ask(ctx, s.Client, d, StageAudit, prompt(StageAudit, data), func(a *audited) error {
		for _, q := range t.Questions {
			n := 0
			for _, f := range a.Findings {
				if f.ID == q.ID {
					n++
				}
			}
			if n != 1 {
				return fmt.Errorf("findings has %s %d times, not once", q.ID, n)
			}
		}
		for _, f := range a.Findings {
			if f.Answered && (f.Passage < 1 || f.Passage > len(texts)) {
				return fmt.Errorf("there is no passage %d", f.Passage)
			}
		}
		return nil
	})
	if failed != nil {
		if err := s.twin(ctx, d, StageAudit, failed); err != nil {
			return bot.Audit{}, err
		}
		return s.Twin.Audit(ctx, d, t, passages)
	}
	idle := 0 // needs that are said not to apply
	for i := range got.Findings {
		if f := &got.Findings[i]; !f.Applies && !f.Answered {
			idle++
		}
	}
	if 2*idle > len(t.Questions) {
		for i := range got.Findings { // an audit that waves most of it through is none
			got.Findings[i].Applies = true
		}
	}
	var out bot.Audit
	for _, q := range t.Questions {
		at := slices.IndexFunc(got.Findings, func(f auditedNeed) bool { return f.ID == q.ID })
		out.Findings = append(out.Findings, s.finding(d, q, got.Findings[at], passages[:len(texts)], texts))
	}
	for _, n := range got.Failures {
		if n >= 1 && n <= len(t.Failures) && !slices.Contains(out.Failures, t.Failures[n-1]) {
			out.Failures = append(out.Failures, t.Failures[n-1])
		}
	}
	return out, nil
}

// finding holds one finding to the passages.
func (s *Stages) finding(d *pipeline.Draft, q kb.Diagnostic, got auditedNeed, passages []pipeline.Passage, texts []string) bot.Finding {
	f := bot.Finding{ID: q.ID, Question: q.Question, Why: "the model finds no sentence that answers it"}
	if !got.Answered {
		if f.Idle = !got.Applies; f.Idle {
			f.Why = "the model says that it makes no sense for this question"
		}
		return f
	}
	at, outcome := Locate(got.Quote, got.Passage-1, texts)
	if at >= 0 && !Says(got.Quote, texts[at]) {
		at, outcome = -1, Absent
	}
	did := "kept"
	switch outcome {
	case Supported:
	case Misattributed:
		did = "moved"
	default:
		did = "dropped"
	}
	d.Gate(bot.GateRecord{Stage: StageAudit, What: "quote for " + q.ID, Outcome: string(outcome), Did: did})
	if at < 0 {
		f.Why = "the model's quote is " + string(outcome)
		return f
	}
	p := passages[at]
	f.Answered, f.Paragraph, f.Sentence, f.Score = true, p.Paragraph.ID, strings.TrimSpace(got.Quote), p.Relevance
	f.Why = "the model's quote stands in it"
	return f
}

type narrowed struct {
	Queries []narrowedGap `json:"queries"`
}

type narrowedGap struct {
	Gap   string `json:"gap"`
	Query string `json:"query"`
}

// Narrow implements [pipeline.Auditor].
func (s *Stages) Narrow(ctx context.Context, d *pipeline.Draft, gaps []bot.Gap) ([]string, error) {
	if !s.Client.asks(StageNarrow) || len(gaps) == 0 {
		return s.Twin.Narrow(ctx, d, gaps)
	}
	data := struct {
		About     string
		Questions []string
		Gaps      []bot.Gap
	}{s.about(d), s.asked(d), gaps}
	got, failed := ask(ctx, s.Client, d, StageNarrow, prompt(StageNarrow, data), func(n *narrowed) error {
		for _, g := range gaps {
			at := slices.IndexFunc(n.Queries, func(q narrowedGap) bool { return q.Gap == g.ID })
			if at < 0 {
				return fmt.Errorf("queries has nothing for %s", g.ID)
			}
			if q := strings.TrimSpace(n.Queries[at].Query); q == "" || len([]rune(q)) > maxStandalone {
				return fmt.Errorf("the query for %s is empty or too long", g.ID)
			}
		}
		return nil
	})
	if failed != nil {
		if err := s.twin(ctx, d, StageNarrow, failed); err != nil {
			return nil, err
		}
		return s.Twin.Narrow(ctx, d, gaps)
	}
	queries := make([]string, len(gaps))
	for i, g := range gaps {
		at := slices.IndexFunc(got.Queries, func(q narrowedGap) bool { return q.Gap == g.ID })
		queries[i] = strings.TrimSpace(got.Queries[at].Query)
	}
	return queries, nil
}
