package pipeline_test

import (
	"context"
	"os"
	"slices"
	"strings"
	"testing"

	"plumbline/bot"
	"plumbline/kb"
	"plumbline/pipeline"
)

func both(s string) kb.Text { return kb.Text{"en": s, "es": s} }

func en(patterns ...string) map[string][]string { return map[string][]string{"en": patterns} }

// guided is a bench whose pack asks back, decides a premise and has hazards.
func guided(t *testing.T) *bench {
	t.Helper()
	b := newBench(t)
	p, err := kb.Load(os.DirFS("../kb/testdata"), "library-hours")
	if err != nil {
		t.Fatal(err)
	}
	p.Asking = kb.Asking{
		Offer: &kb.Offer{Any: en(`\bbooks?\b`), Words: map[string][]string{"en": {"BOOKS"}}, Say: both("Reply BOOKS.")},
		Clarify: []kb.Clarify{{
			ID: "clarify.card", Any: en(`\bmy card\b`), Unless: en(`\b(lost|expired)\b`), Say: both("Keep the card."), Cite: []string{"loan.limit"}, Ask: both("Is it lost or expired?"), Next: "next.desk",
			Answers: []kb.Meant{{Any: en(`\blost\b`), Means: both("how many books can i take")}, {Any: en(`\bno idea\b`)}},
		}},
		Premises: []kb.Premise{{ID: "premise.open", Any: en(`\bso the library is open all night\b`), Say: both("No."), Cite: []string{"hours.weekday"}}},
		Matrix: kb.Matrix{
			Hazards:  []kb.Named{{ID: "wet", Name: both("rain"), Any: en(`\brain\b`)}, {ID: "late", Name: both("late"), Any: en(`\blate\b`)}},
			Uses:     []kb.Named{{ID: "book", Name: both("book"), Any: en(`\bbook\b`)}, {ID: "shelf", Name: both("shelf"), Any: en(`\bshelf\b`)}},
			Default:  "book",
			Opposite: []kb.Opposite{{Do: "dry", Bars: "return"}},
		},
	}
	p.Guidance.Actions = []kb.Action{{Hazard: "wet", Use: "book", Do: "dry", Paragraph: "loan.wet"}, {Hazard: "late", Use: "book", Do: "return", Paragraph: "loan.limit"}}
	lib, err := kb.NewLibrary(p)
	if err != nil {
		t.Fatal(err)
	}
	if b.config.Guide, err = pipeline.NewGuide(lib); err != nil {
		t.Fatal(err)
	}
	b.lib, b.config.Library = lib, lib
	return b
}

// The safe action first, then one question, never two in a row; a short answer
// is joined with what was asked.
func TestClarify(t *testing.T) {
	b := guided(t)
	first := b.ask(t, bot.Question{Text: "what about my card"})
	if first.Clarify != "clarify.card" || first.Trace.Understood.Clarify != "clarify.card" || first.Status != bot.PartlyAnswered {
		t.Fatalf("clarify = %q, in the trace %q, %s", first.Clarify, first.Trace.Understood.Clarify, first.Status)
	}
	say, ask := strings.Index(first.Reply.Text, "Keep the card."), strings.Index(first.Reply.Text, "Is it lost or expired?")
	if say != 0 || ask < say || !slices.Contains(paragraphs(first), "loan.limit") {
		t.Errorf("reply = %q: want the safe action, then the question", first.Reply.Text)
	}
	history := []bot.Exchange{{Asked: "what about my card"}}
	for _, tt := range []struct{ text, asked string }{
		{"lost", "what about my card. lost. how many books can i take"},
		{"no idea", "what about my card. no idea"},
		{"when does the library open", "when does the library open"},
		{"it was lost " + strings.Repeat("and then ", 8), "it was lost " + strings.TrimSpace(strings.Repeat("and then ", 8))},
	} {
		a := b.ask(t, bot.Question{Text: tt.text, History: history, Clarify: "clarify.card"})
		if a.Asked != tt.asked || a.Clarify != "" {
			t.Errorf("after the question %q asks %q, want %q; asked back %q", tt.text, a.Asked, tt.asked, a.Clarify)
		}
	}
	if a := b.ask(t, bot.Question{Text: "lost", History: history}); a.Asked != "lost" {
		t.Errorf("%q is joined though nothing was asked: %q", "lost", a.Asked)
	}
	if a := b.ask(t, bot.Question{Text: "my card expired"}); a.Clarify != "" {
		t.Error("asked for what the message says")
	}
	b.config.Guide = nil
	if a := b.ask(t, bot.Question{Text: "what about my card"}); a.Clarify != "" {
		t.Error("a nil guide asks")
	}
}

func TestPremise(t *testing.T) {
	b := guided(t)
	a := b.ask(t, bot.Question{Text: "so the library is open all night", Persona: "plain"})
	if !strings.HasPrefix(a.Reply.Text, "No. ") || paragraphs(a)[0] != "hours.weekday" || !a.Status.Supported() {
		t.Errorf("answer = %s, %q, resting on %q; want No. and hours.weekday first", a.Status, a.Reply.Text, paragraphs(a))
	}
}

// Advice stands behind what forbids it, and no claim says it without.
func TestOpposites(t *testing.T) {
	b := guided(t)
	a := b.ask(t, bot.Question{Text: "a book with rain on it, and late"})
	ids := paragraphs(a)
	if len(ids) < 2 || ids[0] != "loan.limit" || ids[1] != "loan.wet" {
		t.Errorf("claims rest on %q, want what forbids first", ids)
	}
	for _, c := range a.Claims[:min(2, len(a.Claims))] {
		if c.Role != bot.Danger || !strings.Contains(a.Reply.Text, c.Text) {
			t.Errorf("claim %q has role %s; reply %q", c.Text, c.Role, a.Reply.Text)
		}
	}
	if a := b.ask(t, bot.Question{Text: "a book with rain on it"}); len(a.Claims) > 0 && a.Claims[0].Role == bot.Danger {
		t.Error("one hazard alone is opposed")
	}
}

// An adder adds a claim of a paragraph.
type adder struct {
	pipeline.Generator
	lib       *kb.Library
	paragraph string
}

func (a adder) Generate(ctx context.Context, d *pipeline.Draft) error {
	if err := a.Generator.Generate(ctx, d); err != nil {
		return err
	}
	p, _ := a.lib.Paragraph(a.paragraph)
	chunk, _ := a.lib.ChunkOf(a.paragraph)
	c := pipeline.Quote(a.lib, chunk.ID, p, "en", true)
	c.Role = bot.Context
	d.Claims = append(d.Claims, c)
	return nil
}

// Advice for a use that was not named is not told where another hazard forbids
// it, unless it was asked for.
func TestWithholdsForbiddenAdvice(t *testing.T) {
	b := guided(t)
	b.config.Generate = adder{b.config.Generate, b.lib, "loan.wet"}
	for text, told := range map[string]bool{"rain on the shelf and when does the library open": true, "rain on the shelf, late, and when does the library open": false} {
		a := b.ask(t, bot.Question{Text: text})
		dropped := slices.ContainsFunc(a.Trace.Dropped, func(d bot.DroppedClaim) bool { return strings.Contains(d.Reason, "forbids") })
		if slices.Contains(paragraphs(a), "loan.wet") != told || dropped == told {
			t.Errorf("%q: claims rest on %q, dropped %+v; want loan.wet told: %v", text, paragraphs(a), a.Trace.Dropped, told)
		}
	}
}

func TestNewGuideRefusesPatterns(t *testing.T) {
	p, err := kb.Load(os.DirFS("../kb/testdata"), "library-hours")
	if err != nil {
		t.Fatal(err)
	}
	p.Asking.Premises = []kb.Premise{{ID: "premise.x", Any: en(`(`)}}
	lib, err := kb.NewLibrary(p)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := pipeline.NewGuide(lib); err == nil || !strings.Contains(err.Error(), "premise.x") {
		t.Errorf("NewGuide = %v, want an error that names the rule", err)
	}
}
