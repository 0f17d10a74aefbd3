package pipeline_test

import (
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"plumbline/bot"
	"plumbline/internal/gsm7"
	"plumbline/pipeline"
)

func TestCompose(t *testing.T) {
	sms := pipeline.FitOf("sms")
	long := func(word string, n int) string { return strings.TrimSpace(strings.Repeat(word+" ", n)) }
	for _, tt := range []struct {
		name   string
		pieces []pipeline.Piece
		lang   bot.Language
		first  string
		more   []string
	}{
		{"Nothing", nil, "en", "", nil},
		{"AllFit", []pipeline.Piece{{Text: "One.", Keep: pipeline.KeepClaim}, {Text: "Two.", Keep: pipeline.KeepNext}}, "en", "One. Two.", nil},
		{"BlankIsNoPiece", []pipeline.Piece{{Text: " ", Keep: pipeline.KeepOpening}, {Text: "One.", Keep: pipeline.KeepClaim}}, "en", "One.", nil},
		{"KeepsByUrgencyInReadingOrder", []pipeline.Piece{
			{Text: "Opening.", Keep: pipeline.KeepOpening}, {Text: long("claim", 20), Keep: pipeline.KeepClaim}, {Text: long("context", 20), Keep: pipeline.KeepContext}, {Text: long("limit", 20), Keep: pipeline.KeepLimit},
		}, "en", "Opening. " + long("claim", 20) + " " + long("limit", 20) + " Reply MORE.", []string{long("context", 20)}},
		{"AnOpeningThatDoesNotFitIsNotSaidLater", []pipeline.Piece{
			{Text: long("opening", 10), Keep: pipeline.KeepOpening}, {Text: long("claim", 45), Keep: pipeline.KeepClaim}, {Text: "Next.", Keep: pipeline.KeepNext},
		}, "en", long("claim", 45) + " Next.", nil},
		{"AFixedTextOffersMoreItself", []pipeline.Piece{
			{Text: long("danger", 30) + ". Reply MORE for babies.", Keep: pipeline.KeepDanger}, {Text: long("claim", 30), Keep: pipeline.KeepClaim},
		}, "en", long("danger", 30) + ". Reply MORE for babies.", []string{long("claim", 30)}},
		{"WhatIsForLaterIsNeverFirst", []pipeline.Piece{{Text: "One.", Keep: pipeline.KeepClaim}, {Text: "Two.", Keep: pipeline.KeepLater}}, "en", "One. Reply MORE.", []string{"Two."}},
		{"APointerGoesWithWhatItPointsAt", []pipeline.Piece{
			{Text: long("word", 70), Keep: pipeline.KeepClaim}, {Text: "That one.", Keep: pipeline.KeepNext, With: 1}, {Text: "Two.", Keep: pipeline.KeepLimit},
		}, "en", "Two. Reply MORE.", []string{}},
		{"TooLongForOneMessage", []pipeline.Piece{{Text: long("word", 100), Keep: pipeline.KeepClaim}}, "en", "", nil},
		{"SpanishIsFoldedWhereItSavesASegment", []pipeline.Piece{{Text: long("ácido", 20), Keep: pipeline.KeepClaim}}, "es", long("acido", 20), nil},
	} {
		t.Run(tt.name, func(t *testing.T) {
			first, more := pipeline.Compose(tt.pieces, tt.lang, sms)
			if tt.name == "TooLongForOneMessage" {
				if got := strings.Join(append([]string{first}, more...), ""); !strings.HasPrefix(got, "word word") || !sms.First.Holds(first) {
					t.Errorf("Compose of a long piece = %q, %q; want its beginning, within the limit", first, more)
				}
				return
			}
			if tt.name == "AnOpeningThatDoesNotFitIsNotSaidLater" {
				for _, m := range append([]string{first}, more...) {
					if strings.Contains(m, "opening") {
						t.Errorf("Compose = %q, %q; want no opening", first, more)
					}
				}
				return
			}
			if tt.name == "APointerGoesWithWhatItPointsAt" {
				if first != tt.first || strings.Contains(strings.Join(more, " "), "That one.") {
					t.Errorf("Compose = %q, %q; want %q and no pointer", first, more, tt.first)
				}
				return
			}
			if first != tt.first || !slices.Equal(more, tt.more) {
				t.Errorf("Compose = %q, %q; want %q, %q", first, more, tt.first, tt.more)
			}
		})
	}
}

// Whatever the pieces, messages stay within the limit and every piece that is
// sent is sent whole.
func TestComposeNeverCutsAPiece(t *testing.T) {
	fit := pipeline.FitOf("sms")
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(1, 12).Draw(t, "n")
		var pieces []pipeline.Piece
		for i := range n {
			words := rapid.SliceOfN(rapid.StringMatching(`[a-z]{1,9}|[0-9]{1,3} ppb|973-555-01[0-9]{2}`), 1, 22).Draw(t, "words")
			pieces = append(pieces, pipeline.Piece{
				Text: "#" + string(rune('A'+i)) + " " + strings.Join(words, " ") + ".",
				Keep: rapid.IntRange(pipeline.KeepDanger, pipeline.KeepContext).Draw(t, "keep"),
			})
		}
		first, more := pipeline.Compose(pieces, bot.English, fit)
		if !fit.First.Holds(first) {
			t.Fatalf("first message takes %+v, want at most %+v", gsm7.Count(first), fit.First)
		}
		all := append([]string{first}, more...)
		for _, m := range more {
			if !fit.More.Holds(m) {
				t.Fatalf("a further message takes %+v, want at most %+v: %q", gsm7.Count(m), fit.More, m)
			}
		}
		if len(more) > fit.Most {
			t.Fatalf("%d further messages, want at most %d", len(more), fit.Most)
		}
		for _, p := range pieces {
			if gsm7.Count(p.Text).Units > fit.First.Units {
				continue
			}
			whole, begun := 0, 0
			for _, m := range all {
				whole += strings.Count(m, p.Text)
				begun += strings.Count(m, p.Text[:3])
			}
			if begun != whole {
				t.Fatalf("piece %q is begun %d times and whole %d times in %q", p.Text, begun, whole, all)
			}
		}
	})
}
