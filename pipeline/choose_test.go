package pipeline

import (
	"slices"
	"strings"
	"testing"

	"plumbline/bot"
	"plumbline/kb"
)

// What is kept is nearly as relevant as the best of its question, fits the
// room, and is shared out between the questions of a message.
func TestChoose(t *testing.T) {
	passage := func(id string, relevance float64, size int) Passage {
		return Passage{Paragraph: kb.Paragraph{ID: id, Exact: map[string]kb.Wording{"en": {Text: strings.Repeat("x", size)}}}, Relevance: relevance}
	}
	chunk := func(part, score int, answers bool, list ...Passage) *Candidate {
		return &Candidate{Part: part, Score: score, Answers: answers, Passages: list}
	}
	for _, tt := range []struct {
		name       string
		room, keep int
		candidates []*Candidate
		kept       string // paragraphs
		spare      string
	}{
		{"NearTheBest", 1000, 9, []*Candidate{chunk(0, 3, true, passage("a", 0.8, 100), passage("b", 0.3, 100)), chunk(0, 2, false, passage("c", 0.5, 100))}, "a c", "b"},
		{"NearerTheFuller", 1000, 9, []*Candidate{chunk(0, 3, true, passage("a", 0.8, 900), passage("b", 0.5, 50)), chunk(0, 2, false, passage("c", 0.6, 50))}, "a c", "b"},
		{"NotPassed", 1000, 9, []*Candidate{chunk(0, 3, true, passage("a", 0.8, 100)), chunk(0, 1, false, passage("b", 0.8, 100))}, "a", ""},
		{"NothingAnswers", 1000, 9, []*Candidate{chunk(0, 3, false, passage("a", 0.8, 100)), chunk(0, 2, false, passage("b", 0.8, 100))}, "", ""},
		{"OnePartAnswers", 1000, 9, []*Candidate{chunk(0, 3, false, passage("a", 0.8, 100)), chunk(1, 2, true, passage("b", 0.5, 100))}, "b", ""},
		{"Room", 250, 9, []*Candidate{chunk(0, 3, true, passage("a", 0.8, 100), passage("b", 0.7, 200), passage("c", 0.6, 100))}, "a c", "b"},
		{"Chunks", 1000, 1, []*Candidate{chunk(0, 3, true, passage("a", 0.7, 100)), chunk(0, 3, true, passage("b", 0.8, 100))}, "b", ""},
		{"InTurn", 300, 9, []*Candidate{chunk(0, 3, true, passage("a", 0.9, 100), passage("b", 0.9, 100), passage("c", 0.9, 100)), chunk(1, 3, true, passage("d", 0.5, 100))}, "a b d", "c"},
		{"AllBarred", 1000, 9, []*Candidate{chunk(0, 3, true), chunk(0, 3, false, passage("a", 0.9, 100))}, "", ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			New(Config{Room: tt.room, Keep: tt.keep, Share: 0.5, Rise: 0.2}).choose(tt.candidates)
			var kept, spare []string
			for _, c := range tt.candidates {
				for _, x := range c.Passages {
					if c.Kept {
						kept = append(kept, x.Paragraph.ID)
					}
				}
				for _, x := range c.Spare {
					spare = append(spare, x.Paragraph.ID)
				}
			}
			if !slices.Equal(kept, strings.Fields(tt.kept)) || !slices.Equal(spare, strings.Fields(tt.spare)) {
				t.Errorf("choose keeps %q and spares %q, want %q and %q", kept, spare, tt.kept, tt.spare)
			}
		})
	}
}

// What closes a gap comes into the context, from a spare paragraph or a chunk
// that was set aside, and as much that is least relevant goes, never the best.
func TestTake(t *testing.T) {
	passage := func(id string, relevance float64, kept bool) Passage {
		return Passage{Paragraph: kb.Paragraph{ID: id, Exact: map[string]kb.Wording{"en": {Text: strings.Repeat("x", 100)}}}, Relevance: relevance, Kept: kept}
	}
	for _, tt := range []struct{ name, closing, kept string }{
		{"Spare", "e", "a b c e"},
		{"SetAside", "f", "a b c f"},
		{"Both", "e f", "a b c e f"}, // of three best none gives way
		{"Nothing", "", "a b c d"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			d := &Draft{Candidates: []*Candidate{
				{Kept: true, Score: 3, Passages: []Passage{passage("a", 0.9, true), passage("b", 0.8, true), passage("c", 0.7, true)}, Spare: []Passage{passage("e", 0.5, false)}},
				{Kept: true, Score: 2, Passages: []Passage{passage("d", 0.6, true)}},
				{Score: 2, Passages: []Passage{passage("f", 0.4, false), passage("g", 0.4, false)}},
			}}
			closing := strings.Fields(tt.closing)
			for _, id := range closing {
				d.Gaps = append(d.Gaps, bot.Gap{ClosedBy: id})
			}
			d.take(d.Candidates, closing, "closes a gap")
			var got []string
			for _, x := range passages(d.Kept()) {
				got = append(got, x.Paragraph.ID)
				if !x.Kept {
					t.Errorf("%s is in the context and not marked so", x.Paragraph.ID)
				}
			}
			slices.Sort(got)
			if !slices.Equal(got, strings.Fields(tt.kept)) {
				t.Errorf("take(%q) leaves %q, want %q", tt.closing, got, tt.kept)
			}
		})
	}
}
