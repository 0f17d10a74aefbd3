package pipeline_test

import (
	"context"
	"slices"
	"strings"
	"testing"

	"plumbline/bot"
	"plumbline/kb"
	"plumbline/pipeline"
)

// A script is an auditor that is told which paragraph answers which question.
type script struct {
	strategy bot.Strategy
	answers  map[string]string // question id to paragraph
	narrowed []string
}

func (s *script) Classify(context.Context, *pipeline.Draft) (bot.Strategy, map[bot.Strategy]float64, error) {
	return s.strategy, nil, nil
}

func (s *script) Audit(_ context.Context, _ *pipeline.Draft, t kb.Strategy, passages []pipeline.Passage) (out bot.Audit, _ error) {
	for _, q := range t.Questions {
		f := bot.Finding{ID: q.ID, Question: q.Question}
		for _, p := range passages {
			if s.answers[q.ID] == p.Paragraph.ID {
				f.Answered, f.Paragraph, f.Sentence = true, p.Paragraph.ID, p.Paragraph.Exact["en"].Text
			}
		}
		out.Findings = append(out.Findings, f)
	}
	return out, nil
}

func (s *script) Narrow(_ context.Context, _ *pipeline.Draft, gaps []bot.Gap) (queries []string, _ error) {
	for _, g := range gaps {
		s.narrowed = append(s.narrowed, g.ID)
		queries = append(queries, "what happens when a book gets wet")
	}
	return queries, nil
}

// A marker is a judge that is told the scores.
type marker map[string]int

func (m marker) Judge(_ context.Context, _ *pipeline.Draft, list []*pipeline.Candidate) error {
	for _, c := range list {
		c.Score, c.Answers, c.Reason = m[c.Chunk.Subsection.ID], m[c.Chunk.Subsection.ID] == 3, "marked"
		for i := range c.Passages {
			c.Passages[i].Relevance = float64(m[c.Chunk.Subsection.ID]) / 3
		}
	}
	return nil
}

// What an audit leaves open is filled from what was set aside, then by a second
// retrieval; a gap is closed only by the paragraph that answers it; the trace
// says why it ended.
func TestAuditFillsGaps(t *testing.T) {
	const definition, scope = "explanatory.1", "explanatory.2"
	scores := marker{"opening.weekdays": 3, "opening.sundays": 1, "loans.books": 0, "loans.wet": 1}
	for _, tt := range []struct {
		name       string
		answers    map[string]string
		closed     map[string]string // of the gaps; "" open
		iterations int
		stop       string
	}{
		{"NoGap", map[string]string{definition: "hours.weekday", scope: "hours.weekday"}, nil, 1, "no gap"},
		{"SetAside", map[string]string{definition: "hours.weekday", scope: "hours.sunday"}, map[string]string{scope: "hours.sunday"}, 1, "set aside closed"},
		{"SecondRetrieval", map[string]string{definition: "hours.weekday", scope: "loan.wet"}, map[string]string{scope: "loan.wet"}, 2, "second retrieval closed"},
		{"StaysOpen", map[string]string{definition: "hours.weekday"}, map[string]string{scope: ""}, 2, "1 gaps stay open"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			b := newBench(t)
			audit := &script{strategy: bot.Explanatory, answers: tt.answers}
			b.config.Audit, b.config.Judge = audit, scores
			b.config.Retrievers = []pipeline.Retriever{twice{
				first:  []string{"library-hours/opening.weekdays", "library-hours/opening.sundays"},
				second: []string{"library-hours/opening.weekdays", "library-hours/loans.wet"},
			}}
			a := b.ask(t, bot.Question{Text: "when does the library open"})
			got := map[string]string{}
			for _, g := range a.Gaps {
				got[g.ID] = g.ClosedBy
			}
			if len(got) != len(tt.closed) {
				t.Errorf("gaps = %v, want %v", got, tt.closed)
			}
			for id, by := range tt.closed {
				if g, ok := got[id]; !ok || g != by {
					t.Errorf("gap %s closed by %q (there: %v), want %q", id, g, ok, by)
				}
				if by == "" {
					continue
				}
				chunk, _ := b.lib.ChunkOf(by)
				i := slices.IndexFunc(a.Chunks, func(c bot.Chunk) bool { return c.ID == chunk.ID })
				if i < 0 || !a.Chunks[i].Kept || !slices.Equal(a.Chunks[i].Paragraphs, []string{by}) {
					t.Errorf("the chunk of %s is %+v; want it kept with that paragraph alone", by, a.Chunks[max(0, i)])
				}
			}
			if a.Iterations != tt.iterations || !strings.Contains(a.Trace.Stop, tt.stop) {
				t.Errorf("%d iterations, stop %q; want %d, %q", a.Iterations, a.Trace.Stop, tt.iterations, tt.stop)
			}
			if tt.iterations == 2 && !slices.Equal(audit.narrowed, []string{scope}) {
				t.Errorf("narrowed %q, want the open gap alone", audit.narrowed)
			}
		})
	}
}

// The variants differ in what they check.
func TestVariants(t *testing.T) {
	for _, tt := range []struct {
		variant bot.Variant
		judged  bool
		audited string // the template's id
	}{
		{bot.Baseline, false, ""}, {bot.Prognostic, true, ""}, {bot.DiagImplicit, true, "default"}, {bot.DiagExplicit, true, "explanatory"},
	} {
		b := newBench(t)
		b.config.Audit = &script{strategy: bot.Explanatory}
		a := b.ask(t, bot.Question{Text: "when does the library open", Variant: tt.variant})
		audited := ""
		if len(a.Trace.Audits) > 0 {
			audited = string(a.Trace.Audits[0].Strategy)
		}
		if (len(a.Trace.Judgements) > 0) != tt.judged || audited != tt.audited {
			t.Errorf("%s: %d judgements, audited by %q; want judged %v, by %q", tt.variant, len(a.Trace.Judgements), audited, tt.judged, tt.audited)
		}
		if tt.variant == bot.Baseline && slices.ContainsFunc(a.Chunks, func(c bot.Chunk) bool { return !c.Kept }) {
			t.Error("the baseline drops a chunk")
		}
	}
}

// twice is a retriever that finds one list for the question, another for gaps.
type twice struct{ first, second []string }

func (twice) Name() string { return "fused" }

func (r twice) Retrieve(_ context.Context, q pipeline.Query) (out pipeline.Retrieval, _ error) {
	list := r.first
	if strings.Contains(q.Text, "wet") {
		list = r.second
	}
	for i, id := range list {
		out.Found = append(out.Found, pipeline.Found{Chunk: id, Score: 1 - float64(i)/10})
	}
	return out, nil
}
