package eval

import (
	"context"
	"fmt"
	"time"

	"plumbline/bot"
)

// A GapRow says what the diagnostic check did for the questions of one strategy
// (the paper, Table 2). Gaps are counted over all audited questions.
type GapRow struct {
	Strategy  bot.Strategy `json:"strategy"` // "all" for the sum
	Questions int          `json:"questions"`
	Rerun     int          `json:"rerun"`  // of those, with a second retrieval
	Opened    int          `json:"opened"` // gaps that the first audit found
	Aside     int          `json:"closed_aside"`
	Open1     int          `json:"open_1"` // after the first iteration
	Second    int          `json:"closed_second"`
	Open2     int          `json:"open_2"` // after the second
}

// add counts the audits of one answer.
func (r *GapRow) add(t *bot.Trace) {
	r.Questions++
	open := map[string]bool{}
	rerun := false
	for i, a := range t.Audits {
		rerun = rerun || a.Iteration > 1
		for _, f := range a.Findings {
			switch {
			case i == 0 && !f.Answered:
				open[f.ID] = true
				r.Opened++
			case i > 0 && f.Answered && open[f.ID]:
				delete(open, f.ID)
				if a.Iteration > 1 {
					r.Second++
				} else {
					r.Aside++
				}
			}
		}
	}
	for _, s := range t.Retrievals { // one that found nothing new is audited no further
		rerun = rerun || s.Iteration > 1
	}
	if rerun {
		r.Rerun++
	}
	r.Open2 += len(open)
	r.Open1 = r.Opened - r.Aside
}

// Gaps asks each question and counts the gaps that were opened and closed, by
// the template that audited, strategies in their usual order and the sum last.
// Questions that no audit reached (a rule settled them, nothing was kept) count
// nowhere. A follow-up is asked after the question before it.
func Gaps(ctx context.Context, answerer bot.Answerer, questions []Question, like bot.Question) ([]GapRow, error) {
	rows := map[bot.Strategy]*GapRow{}
	sum := &GapRow{Strategy: "all"}
	sessions := map[string]*bot.Session{}
	for _, q := range questions {
		ask := like
		ask.ID, ask.Text = q.ID, q.Text
		s := new(bot.Session)
		if q.Pair != nil {
			if sessions[q.Pair.ID] == nil {
				sessions[q.Pair.ID] = s
			}
			s = sessions[q.Pair.ID]
		}
		ask.History, ask.Seen, ask.Standing = s.History, s.Seen, s.Standing
		a, err := answerer.Answer(ctx, ask)
		if err != nil {
			return nil, fmt.Errorf("question %s: %w", q.ID, err)
		}
		s.Remember(bot.Message{Text: q.Text}, a, time.Time{})
		if len(a.Trace.Audits) == 0 {
			continue
		}
		by := a.Trace.Audits[0].Strategy
		if rows[by] == nil {
			rows[by] = &GapRow{Strategy: by}
		}
		rows[by].add(a.Trace)
		sum.add(a.Trace)
	}
	var list []GapRow
	for _, s := range []bot.Strategy{bot.Default, bot.Causal, bot.Regulatory, bot.Comparative, bot.Explanatory} {
		if r := rows[s]; r != nil {
			list = append(list, *r)
		}
	}
	return append(list, *sum), nil
}
