package pipeline_test

import (
	"context"
	"errors"
	"os"
	"strings"
	"testing"
	"time"

	"plumbline/bot"
	"plumbline/kb"
	"plumbline/kb/flat"
	"plumbline/kb/kbtest"
	"plumbline/personas"
	"plumbline/pipeline"
	"plumbline/pipeline/extractive"
	"plumbline/pipeline/safety"
)

var today = time.Date(2026, 11, 30, 12, 0, 0, 0, time.UTC)

// A bench is the pipeline on the made-up pack of kb's tests, with an embedder
// in which texts are near when they share words.
type bench struct {
	lib    *kb.Library
	config pipeline.Config
}

func newBench(t *testing.T) *bench {
	t.Helper()
	p, err := kb.Load(os.DirFS("../kb/testdata"), "library-hours")
	if err != nil {
		t.Fatalf("load pack: %v", err)
	}
	lib, err := kb.NewLibrary(p)
	if err != nil {
		t.Fatalf("library: %v", err)
	}
	emb := kbtest.Words{}
	records := kb.Records(lib)
	if _, err := kb.Fill(t.Context(), lib, records, emb, nil); err != nil {
		t.Fatalf("vectors: %v", err)
	}
	ix := flat.New()
	if err := ix.Replace(t.Context(), "1", records); err != nil {
		t.Fatalf("index: %v", err)
	}
	stages, err := extractive.New(t.Context(), lib, kb.Known(emb, records), extractive.Calibration{Strong: 0.45, Fair: 0.3, Faint: 0.15, Answer: 0.3, Audit: 0.5, Aside: 0.7, Claim: 0.6, Claims: 6, Wide: 6})
	if err != nil {
		t.Fatalf("stages: %v", err)
	}
	router, err := safety.New(safety.Core())
	if err != nil {
		t.Fatalf("safety: %v", err)
	}
	set, err := personas.Default()
	if err != nil {
		t.Fatalf("personas: %v", err)
	}
	return &bench{lib, pipeline.Config{
		Library: lib, Safety: router, Understand: stages, Judge: stages, Audit: stages, Generate: stages, Tell: pipeline.NewVoices(set, lib), K: 8, Keep: 3, Room: 2400, Share: 0.5,
		Retrievers: []pipeline.Retriever{
			pipeline.Fused{Index: ix, Embedder: emb, Weights: pipeline.DefaultWeights},
			pipeline.HeadingFirst{Index: ix, Embedder: emb, Threshold: pipeline.Threshold},
		},
		Now: func() time.Time { return today },
	}}
}

func (b *bench) ask(t *testing.T, q bot.Question) bot.Answer {
	t.Helper()
	if q.AsOf.IsZero() {
		q.AsOf = today
	}
	a, err := pipeline.New(b.config).Answer(t.Context(), q)
	if err != nil {
		t.Fatalf("Answer(%q): %v", q.Text, err)
	}
	return a
}

func paragraphs(a bot.Answer) (ids []string) {
	for _, c := range a.Claims {
		for _, e := range c.Evidence {
			ids = append(ids, e.Paragraph)
		}
	}
	return ids
}

// Whatever is asked, what is told is quoted: each quote is a wording of the
// paragraph that it names, and the paragraph is of a chunk that was kept.
func TestClaimsQuoteKeptEvidence(t *testing.T) {
	b := newBench(t)
	for _, q := range []string{"when does the library open", "how many books can i take", "is the library open on sunday", "cuántos libros puedo llevar", "what does it cost when a book is late"} {
		for _, retriever := range []string{"fused", "heading-first"} {
			for _, variant := range bot.Variants() {
				a := b.ask(t, bot.Question{ID: "q", Text: q, Retriever: retriever, Variant: variant})
				kept := map[string]bool{}
				for _, c := range a.Chunks {
					for _, p := range c.Paragraphs {
						kept[p] = kept[p] || c.Kept
					}
				}
				for _, c := range a.Claims {
					if len(c.Evidence) == 0 {
						t.Errorf("%q: claim %q has no evidence", q, c.Text)
					}
					for _, e := range c.Evidence {
						if strings.HasPrefix(e.Paragraph, "next.") {
							continue
						}
						p, ok := b.lib.Paragraph(e.Paragraph)
						if !ok || !kept[e.Paragraph] {
							t.Errorf("%q: claim cites %s, known %v, kept %v", q, e.Paragraph, ok, kept[e.Paragraph])
						}
						found := false
						for _, lang := range []string{"en", "es"} {
							for _, w := range b.lib.Wordings(p, lang) {
								found = found || w.Text == e.Quote
							}
						}
						if !found {
							t.Errorf("%q: %q is no wording of %s", q, e.Quote, e.Paragraph)
						}
						if e.Source.Agency == "" || e.Source.Title == "" {
							t.Errorf("%q: evidence of %s has no source: %+v", q, e.Paragraph, e.Source)
						}
					}
				}
				if a.Status.Supported() && len(a.Claims) == 0 {
					t.Errorf("%q: status %s without a claim", q, a.Status)
				}
			}
		}
	}
}

func TestAnswersInTheAskersLanguage(t *testing.T) {
	b := newBench(t)
	if a := b.ask(t, bot.Question{Text: "cuántos libros puedo llevar con la tarjeta"}); a.Language != bot.Spanish || !strings.Contains(a.Reply.Text, "libros") {
		t.Errorf("answer to Spanish = %s, %q", a.Language, a.Reply.Text)
	}
	if a := b.ask(t, bot.Question{Text: "how many books can i take"}); a.Language != bot.English || !strings.Contains(a.Reply.Text, "books") {
		t.Errorf("answer to English = %s, %q", a.Language, a.Reply.Text)
	}
}

func TestAbstains(t *testing.T) {
	b := newBench(t)
	for _, q := range []string{"why is jupiter striped", "🙏🙏", "...", "qual é a capital da França e do Brasil?"} {
		a := b.ask(t, bot.Question{Text: q})
		if a.Status.Supported() || len(a.Claims) > 0 || a.Reply.Text == "" {
			t.Errorf("Answer(%q) = %s, %q with %d claims; want words and no claim", q, a.Status, a.Reply.Text, len(a.Claims))
		}
	}
}

// What no longer holds at the date is not told; before that it is.
func TestValidityAtTheDate(t *testing.T) {
	b := newBench(t)
	old, ok := b.lib.Paragraph("hours.old")
	if !ok {
		t.Fatal("the pack has no hours.old")
	}
	expires := b.lib.Validity(old).Expires.Time()
	for _, tt := range []struct {
		at   time.Time
		told bool
	}{{expires.AddDate(0, 0, -1), true}, {expires, false}, {expires.AddDate(1, 0, 0), false}} {
		a := b.ask(t, bot.Question{Text: old.Exact["en"].Text, AsOf: tt.at})
		got := false
		for _, id := range paragraphs(a) {
			got = got || id == "hours.old"
		}
		if got != tt.told {
			t.Errorf("at %s hours.old is told: %v, want %v", tt.at.Format(time.DateOnly), got, tt.told)
		}
	}
}

// Elsewhere, what holds in one place only is not told.
func TestPlaces(t *testing.T) {
	b := newBench(t)
	a := b.ask(t, bot.Question{Text: "when does the library open on monday", Jurisdiction: "Shire"})
	for _, id := range paragraphs(a) {
		if p, ok := b.lib.Paragraph(id); ok && p.Jurisdiction == "Ashford" {
			t.Errorf("someone in the Shire is told %s, which holds in Ashford", id)
		}
	}
}

func TestScopeRule(t *testing.T) {
	b := newBench(t)
	a := b.ask(t, bot.Question{Text: "please write my homework!"})
	if a.Status != bot.OutOfScope || !strings.HasPrefix(a.Reply.Text, "This line is about the library only.") {
		t.Errorf("answer = %s, %q; want the rule's", a.Status, a.Reply.Text)
	}
	if ids := paragraphs(a); len(ids) == 0 || ids[0] != "hours.weekday" {
		t.Errorf("claims cite %q, want what the rule cites first", ids)
	}
	if a := b.ask(t, bot.Question{Text: "can the librarian write my homework"}); a.Trace.Understood.Rule != "" {
		t.Errorf("rule %s fired in spite of its unless", a.Trace.Understood.Rule)
	}
}

type broken struct{ err error }

func (broken) Name() string { return "fused" }
func (b broken) Retrieve(context.Context, pipeline.Query) (pipeline.Retrieval, error) {
	return pipeline.Retrieval{}, b.err
}

// A stage that is down: our fault, said as that, its error not shown; an
// emergency is answered all the same.
func TestFailsClosed(t *testing.T) {
	b := newBench(t)
	b.config.Retrievers = []pipeline.Retriever{broken{errors.New("dial 10.0.0.1: refused")}}
	a := b.ask(t, bot.Question{Text: "when does the library open"})
	if a.Status != bot.TechnicalFailure || len(a.Claims) > 0 {
		t.Errorf("answer = %s with %d claims, want a technical failure with none", a.Status, len(a.Claims))
	}
	if !strings.Contains(a.Reply.Text, "911") || strings.Contains(a.Reply.Text, "10.0.0.1") {
		t.Errorf("reply = %q; want our words with 911, not the error", a.Reply.Text)
	}
	if !strings.Contains(a.Trace.Stop, "refused") {
		t.Errorf("trace says %q, want why", a.Trace.Stop)
	}
	a = b.ask(t, bot.Question{Text: "my dad is not breathing"})
	if a.Status != bot.Emergency || !strings.HasPrefix(a.Reply.Text, "Call 911 now") {
		t.Errorf("emergency = %s, %q", a.Status, a.Reply.Text)
	}
}

type liar struct{ pipeline.Generator }

func (l liar) Generate(ctx context.Context, d *pipeline.Draft) error {
	if err := l.Generator.Generate(ctx, d); err != nil {
		return err
	}
	d.Claims = append(d.Claims,
		bot.Claim{Text: "The library is open 90 hours a day."},
		bot.Claim{Text: "The library is open 90 hours a day.", Evidence: []bot.Evidence{{Paragraph: "hours.weekday", Quote: "The library is open 90 hours a day."}}},
		bot.Claim{Text: "x", Evidence: []bot.Evidence{{Paragraph: "no.such", Quote: "x"}}})
	return nil
}

func TestDropsClaimsWithoutEvidence(t *testing.T) {
	b := newBench(t)
	b.config.Generate = liar{b.config.Generate}
	a := b.ask(t, bot.Question{Text: "when does the library open"})
	if len(a.Trace.Dropped) != 3 {
		t.Errorf("dropped %+v, want the three made up", a.Trace.Dropped)
	}
	for _, text := range append([]string{a.Reply.Text}, a.Reply.More...) {
		if strings.Contains(text, "90 hours") {
			t.Errorf("told %q", text)
		}
	}
}

func TestRefusesWhatCannotBeAsked(t *testing.T) {
	b := newBench(t)
	p := pipeline.New(b.config)
	for _, q := range []bot.Question{
		{Text: "caf\xe9"}, {Text: strings.Repeat("a", pipeline.MaxQuestion+1)}, {Text: "x", Pack: "none"},
		{Text: "x", Variant: "best"}, {Text: "x", Retriever: "none"},
	} {
		if _, err := p.Answer(t.Context(), q); !errors.Is(err, bot.ErrInvalid) {
			t.Errorf("Answer(%.20q, %s %s %s) = %v, want bot.ErrInvalid", q.Text, q.Pack, q.Variant, q.Retriever, err)
		}
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := p.Answer(ctx, bot.Question{Text: "when does the library open"}); !errors.Is(err, context.Canceled) {
		t.Errorf("Answer with a cancelled context = %v", err)
	}
}

func TestFollowUpLeansOnTheTurnBefore(t *testing.T) {
	b := newBench(t)
	a := b.ask(t, bot.Question{Text: "and for how long", History: []bot.Exchange{{Asked: "how many books can i take"}}})
	part := a.Trace.Understood.Parts[0]
	if part.FromTurn != "how many books can i take" || !strings.Contains(part.Standalone, "books") {
		t.Errorf("part = %+v, want the turn before in it", part)
	}
}

// The record of the safety rules says whether somebody wrote one of them.
func TestSafetyRecordTellsLearned(t *testing.T) {
	b := newBench(t)
	for text, want := range map[string]bool{"he keeps throwing up": true, "im scared of him": false, "when does the library open": false} {
		a := b.ask(t, bot.Question{ID: "q", Text: text})
		if got := a.Trace.Safety.Learned(); got != want || want && a.Status != bot.Emergency {
			t.Errorf("%q: learned %t, status %s; want %t, and an emergency if so", text, got, a.Status, want)
		}
	}
}
