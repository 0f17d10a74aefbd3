package main

import (
	"slices"
	"testing"
	"time"

	"plumbline/bot"
)

// BenchmarkAnswer asks the dev questions again and again, all things built, and
// reports the median and the 99th percentile of the whole answer and of each
// stage, in milliseconds. A stage that runs twice in an answer counts as one.
func BenchmarkAnswer(b *testing.B) {
	a := devApp(b)
	p, err := a.Answerer()
	if err != nil {
		b.Fatal(err)
	}
	questions := devQuestions(b, "questions-dev.jsonl")
	took := map[string][]time.Duration{}
	ask := func(q devQuestion) bot.Answer {
		ans, err := p.Answer(b.Context(), bot.Question{ID: q.ID, Text: q.Text, Channel: q.Channel, AsOf: devDate})
		if err != nil {
			b.Fatalf("%s: %v", q.ID, err)
		}
		return ans
	}
	for _, q := range questions {
		ask(q)
	}
	i := 0
	for b.Loop() {
		start := time.Now()
		ans := ask(questions[i%len(questions)])
		took["answer"] = append(took["answer"], time.Since(start))
		i++
		stages := map[string]time.Duration{}
		for _, s := range ans.Trace.Steps {
			stages[s.Stage] += s.Took
		}
		for stage, d := range stages {
			took[stage] = append(took[stage], d)
		}
	}
	for stage, list := range took {
		slices.Sort(list)
		at := func(percent int) float64 { return float64(list[(len(list)-1)*percent/100].Microseconds()) / 1000 }
		b.ReportMetric(at(50), stage+"-p50-ms")
		b.ReportMetric(at(99), stage+"-p99-ms")
	}
}
