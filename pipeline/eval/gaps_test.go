package eval

import (
	"context"
	"errors"
	"slices"
	"testing"

	"plumbline/bot"
)

// scripted answers with the audits that stand for a question's text.
type scripted map[string][]bot.Audit

func (s scripted) Answer(_ context.Context, q bot.Question) (bot.Answer, error) {
	audits, ok := s[q.Text]
	if !ok {
		return bot.Answer{}, bot.ErrInvalid
	}
	return bot.Answer{Trace: &bot.Trace{Audits: audits}}, nil
}

func TestGaps(t *testing.T) {
	audit := func(s bot.Strategy, iteration int, answered map[string]bool) bot.Audit {
		a := bot.Audit{Strategy: s, Iteration: iteration}
		for id, is := range answered {
			a.Findings = append(a.Findings, bot.Finding{ID: id, Answered: is})
		}
		return a
	}
	answers := scripted{
		"no gap": {audit(bot.Causal, 1, map[string]bool{"a": true, "b": true})},
		"two gaps": {audit(bot.Causal, 1, map[string]bool{"a": false, "b": false, "c": true}), audit(bot.Causal, 1, map[string]bool{"a": true, "b": false}),
			audit(bot.Causal, 2, map[string]bool{"b": true})},
		"stays": {audit(bot.Explanatory, 1, map[string]bool{"d": false}), audit(bot.Explanatory, 2, map[string]bool{"d": false})},
		"rule":  nil,
	}
	got, err := Gaps(t.Context(), answers, []Question{{Text: "no gap"}, {Text: "two gaps"}, {Text: "stays"}, {Text: "rule"}}, bot.Question{})
	if err != nil {
		t.Fatal(err)
	}
	want := []GapRow{
		{Strategy: bot.Causal, Questions: 2, Rerun: 1, Opened: 2, Aside: 1, Open1: 1, Second: 1, Open2: 0},
		{Strategy: bot.Explanatory, Questions: 1, Rerun: 1, Opened: 1, Open1: 1, Open2: 1},
		{Strategy: "all", Questions: 3, Rerun: 2, Opened: 3, Aside: 1, Open1: 2, Second: 1, Open2: 1},
	}
	if !slices.Equal(got, want) {
		t.Errorf("Gaps = %+v, want %+v", got, want)
	}
	if _, err := Gaps(t.Context(), answers, []Question{{ID: "q", Text: "unknown"}}, bot.Question{}); !errors.Is(err, bot.ErrInvalid) {
		t.Errorf("Gaps of what cannot be asked: error %v, want %v", err, bot.ErrInvalid)
	}
}
