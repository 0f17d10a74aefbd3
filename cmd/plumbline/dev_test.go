package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"plumbline/bot"
	"plumbline/internal/gsm7"
	"plumbline/kb"
	"plumbline/pipeline/eval"
)

var devDate = time.Date(2026, 11, 30, 0, 0, 0, 0, time.UTC)

func devApp(t testing.TB) *app {
	t.Helper()
	return &app{ctx: t.Context(), std: stdio{In: strings.NewReader(""), Out: t.Output(), Err: t.Output()}, getenv: func(string) string { return "" }, globals: globals{AsOf: day{devDate}}}
}

// A devQuestion is a line of the dev question files.
type devQuestion struct {
	eval.Question
	Channel string   `json:"channel"`
	Keys    []string `json:"key_numbers"`
}

func devQuestions(t testing.TB, file string) (list []devQuestion) {
	t.Helper()
	f, err := os.Open("testdata/" + file)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	if err := eachLine(f, func(q devQuestion) error { list = append(list, q); return nil }); err != nil {
		t.Fatal(err)
	}
	return list
}

// Retrieval finds no less than the reference that the design was chosen on:
// docs/design.md has the figures and the intervals.
func TestRetrievalOnDevQuestions(t *testing.T) {
	a := devApp(t)
	lib, err := a.Library()
	if err != nil {
		t.Fatal(err)
	}
	retrievers, err := a.Retrievers()
	if err != nil {
		t.Fatal(err)
	}
	var questions []eval.Question
	for _, q := range devQuestions(t, "questions-dev.jsonl") {
		questions = append(questions, q.Question)
	}
	for _, tt := range []struct {
		retriever, lang string
		n               int
		top5, top8      float64
	}{
		{"fused", "en", 78, 0.91, 0.94}, {"fused", "es", 6, 0.999, 0.999},
		{"heading-first", "en", 78, 0.75, 0.77},
	} {
		for _, r := range retrievers {
			if r.Name() != tt.retriever {
				continue
			}
			res, err := eval.Retrieval(t.Context(), lib, r, "", tt.lang, kb.DateOf(devDate), questions, []int{5, 8})
			if err != nil {
				t.Fatal(err)
			}
			t.Logf("%s %s: %+v", tt.retriever, tt.lang, res.Recall)
			if res.Questions != tt.n || res.Recall[0].Mean < tt.top5 || res.Recall[1].Mean < tt.top8 {
				t.Errorf("%s %s on %d questions: %.3f in the top 5, %.3f in the top 8; want %d, at least %.3f, %.3f; missed %+v",
					tt.retriever, tt.lang, res.Questions, res.Recall[0].Mean, res.Recall[1].Mean, tt.n, tt.top5, tt.top8, res.Missed)
			}
		}
	}
}

// The whole, from text to reply, on every dev question: the rung of the ladder,
// what a reply may cost, and that each quote stands in what is exported.
func TestAnswersToDevQuestions(t *testing.T) {
	a := devApp(t)
	p, err := a.Answerer()
	if err != nil {
		t.Fatal(err)
	}
	lib, err := a.Library()
	if err != nil {
		t.Fatal(err)
	}
	texts := exported(t)
	for _, set := range []struct {
		file, pack string
		least      int     // of the answerable questions that must be answered
		evidence   float64 // the least that is kept of what a complete answer needs, a question
		context    int     // the most characters of it, a question
	}{{"questions-dev.jsonl", "drinking-water", 84, 0.95, 2240}, {"questions-smoke-dev.jsonl", "wildfire-smoke", 10, 0.95, 2240}} {
		sessions := map[string]*bot.Session{}
		answered, answerable, evidence, chars := 0, 0, 0.0, 0
		for _, q := range devQuestions(t, set.file) {
			name := q.ID
			if q.Pair != nil {
				name = q.Pair.ID
			}
			s := sessions[name]
			if s == nil {
				s = new(bot.Session)
				sessions[name] = s
			}
			ans, err := p.Answer(t.Context(), bot.Question{ID: q.ID, Text: q.Text, Channel: q.Channel, Pack: set.pack, AsOf: devDate, History: s.History})
			if err != nil {
				t.Fatalf("%s: %v", q.ID, err)
			}
			s.Remember(bot.Message{Text: q.Text}, ans, time.Time{})
			switch q.Expected {
			case "answer":
				if ans.Status.Supported() {
					answered++
				}
				answerable++
				evidence += inContext(ans, q.Facts)
				chars += ans.ContextChars
			case "emergency":
				for _, key := range q.Keys {
					if ans.Status != bot.Emergency || !slices.ContainsFunc(strings.Split(key, "|"), func(k string) bool { return strings.Contains(ans.Reply.Text, k) }) {
						t.Errorf("%s: %s, %q; want an emergency with %s", q.ID, ans.Status, ans.Reply.Text, key)
					}
				}
			default:
				if ans.Status.Supported() || ans.Status == bot.Emergency {
					t.Errorf("%s %q (%s): %s", q.ID, q.Text, q.Expected, ans.Status)
				}
			}
			if c := gsm7.Count(ans.Reply.Text); q.Channel == "sms" && (c.Segments > 2 || c.Encoding != gsm7.GSM7) {
				t.Errorf("%s: the first reply takes %d segments of %s", q.ID, c.Segments, c.Encoding)
			}
			for _, c := range ans.Claims {
				for _, e := range c.Evidence {
					if step, ok := lib.NextStep(e.Paragraph); ok && ans.Status.Supported() {
						for _, id := range step.Cite {
							if p, ok := lib.Paragraph(id); ok && lib.Valid(p, kb.DateOf(devDate)).Told() && inContext(ans, []string{id}) == 0 {
								t.Errorf("%s: %s rests on %s, which is not in the context", q.ID, e.Paragraph, id)
							}
						}
					}
					if !slices.Contains(texts[e.Paragraph], e.Quote) {
						t.Errorf("%s: %q does not stand in %s as exported", q.ID, e.Quote, e.Paragraph)
					}
				}
			}
		}
		t.Logf("%s: %d answered", set.pack, answered)
		if answered < set.least {
			t.Errorf("%s: %d questions answered, want at least %d", set.pack, answered, set.least)
		}
		mean := evidence / float64(answerable)
		t.Logf("%s: evidence %.3f in %d characters", set.pack, mean, chars/answerable)
		if mean < set.evidence || chars > set.context*answerable {
			t.Errorf("%s: %.3f of the needed evidence kept in %d characters, want at least %.2f in at most %d", set.pack, mean, chars/answerable, set.evidence, set.context)
		}
	}
}

// inContext is the share of the paragraphs needed that went into an answer's context.
func inContext(a bot.Answer, needed []string) float64 {
	n := 0
	for _, id := range needed {
		if slices.ContainsFunc(a.Chunks, func(c bot.Chunk) bool { return c.Kept && slices.Contains(c.Paragraphs, id) }) {
			n++
		}
	}
	return float64(n) / float64(len(needed))
}

// exported returns the texts and parts of every row of `kb export`.
func exported(t *testing.T) map[string][]string {
	t.Helper()
	var out bytes.Buffer
	if code := run(t.Context(), []string{"kb", "export"}, func(string) string { return "" }, stdio{In: strings.NewReader(""), Out: &out, Err: t.Output()}); code != exitDone {
		t.Fatalf("kb export: exit code %d", code)
	}
	rows := map[string][]string{}
	dec := json.NewDecoder(&out)
	for dec.More() {
		var r struct {
			ID    string
			Texts []string
			Parts []string
		}
		if err := dec.Decode(&r); err != nil {
			t.Fatal(fmt.Errorf("kb export: %w", err))
		}
		rows[r.ID] = append(r.Texts, r.Parts...)
	}
	return rows
}
