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
		{"AStepThatDoesNotFitEndsTheFirstOfMore", []pipeline.Piece{
			{Text: long("claim", 45), Keep: pipeline.KeepClaim}, {Text: long("context", 20), Keep: pipeline.KeepContext}, {Text: long("further", 30), Keep: pipeline.KeepContext}, {Text: long("step", 10), Keep: pipeline.KeepNext},
		}, "en", long("claim", 45) + " Reply MORE.", []string{long("context", 20) + " " + long("step", 10), long("further", 30)}},
		{"WhatWouldBeLeftOutIsPackedTighter", []pipeline.Piece{
			{Text: long("claim", 48), Keep: pipeline.KeepClaim}, {Text: long("a", 70), Keep: pipeline.KeepContext}, {Text: long("b", 120), Keep: pipeline.KeepContext},
			{Text: long("c", 70), Keep: pipeline.KeepContext}, {Text: long("d", 120), Keep: pipeline.KeepContext}, {Text: long("e", 30), Keep: pipeline.KeepContext}, {Text: long("step", 5), Keep: pipeline.KeepNext},
		}, "en", long("claim", 48) + " Reply MORE.", []string{long("a", 70) + " " + long("c", 70) + " " + long("step", 5), long("b", 120) + " " + long("e", 30), long("d", 120)}},
		{"AStepGoesWhereItLeavesLessOut", []pipeline.Piece{
			{Text: long("claim", 48), Keep: pipeline.KeepClaim}, {Text: long("a", 40), Keep: pipeline.KeepContext}, {Text: long("b", 80), Keep: pipeline.KeepContext},
			{Text: long("c", 82), Keep: pipeline.KeepContext}, {Text: long("d", 80), Keep: pipeline.KeepContext}, {Text: long("step", 24), Keep: pipeline.KeepNext},
		}, "en", long("claim", 48) + " Reply MORE.", []string{long("a", 40) + " " + long("b", 80), long("c", 82) + " " + long("step", 24), long("d", 80)}},
		{"AnOpeningFallsBackOnAShorterOne", []pipeline.Piece{
			{Text: long("opening", 5), Keep: pipeline.KeepOpening, Or: []string{"Op.", "O."}}, {Text: long("claim", 48), Keep: pipeline.KeepClaim}, {Text: long("context", 20), Keep: pipeline.KeepContext},
		}, "en", "Op. " + long("claim", 48) + " Reply MORE.", []string{long("context", 20)}},
		{"AShortHintMakesRoomForAnOpening", []pipeline.Piece{
			{Text: "Opens.", Keep: pipeline.KeepOpening}, {Text: long("claim", 49), Keep: pipeline.KeepClaim}, {Text: long("context", 20), Keep: pipeline.KeepContext},
		}, "en", "Opens. " + long("claim", 49) + " MORE.", []string{long("context", 20)}},
		{"AnOpeningComesBeforeAFrame", []pipeline.Piece{
			{Text: "That is long.", Keep: pipeline.KeepOpening, Or: []string{"Oh."}}, {Text: long("claim", 47), Keep: pipeline.KeepClaim}, {Text: "Frame. Step.", Keep: pipeline.KeepNext, Or: []string{"Step."}},
		}, "en", "That is long. " + long("claim", 47) + " Step.", nil},
		{"ACourtesyComesAfterContext", []pipeline.Piece{
			{Text: "Courtesy.", Keep: pipeline.KeepCourtesy}, {Text: long("claim", 47), Keep: pipeline.KeepClaim}, {Text: long("c", 10) + ".", Keep: pipeline.KeepContext},
		}, "en", long("claim", 47) + " " + long("c", 10) + ".", nil},
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

// Where there is room each thing is a paragraph; what belongs together stays so.
func TestComposeParagraphs(t *testing.T) {
	first, more := pipeline.Compose([]pipeline.Piece{
		{Text: "Opening.", Keep: pipeline.KeepOpening}, {Text: "One.", Keep: pipeline.KeepClaim}, {Text: "Source of one.", Keep: pipeline.KeepOpening, With: 2},
		{Text: "Two.", Keep: pipeline.KeepContext}, {Text: "Limit.", Keep: pipeline.KeepLimit}, {Text: "Another.", Keep: pipeline.KeepLimit}, {Text: "Step.", Keep: pipeline.KeepNext},
	}, "en", pipeline.FitOf("slack"))
	if want := "Opening. One. Source of one.\n\nTwo.\n\nLimit. Another.\n\nStep."; first != want || len(more) > 0 {
		t.Errorf("Compose = %q, %q; want %q", first, more, want)
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

// Whatever the pieces and their shorter forms: one form of each is said at the
// most, what could not be said first is in MORE, and nothing is over the limit.
func TestComposeForms(t *testing.T) {
	fit := pipeline.FitOf("sms")
	rapid.Check(t, func(t *rapid.T) {
		var pieces []pipeline.Piece
		for i := range rapid.IntRange(1, 9).Draw(t, "n") {
			name := string(rune('A' + i))
			p := pipeline.Piece{Text: strings.TrimSpace(strings.Repeat(name+"x ", rapid.IntRange(1, 40).Draw(t, "long"))), Keep: rapid.IntRange(pipeline.KeepDanger, pipeline.KeepLater).Draw(t, "keep")}
			if n := len(strings.Fields(p.Text)); n > 1 && rapid.Bool().Draw(t, "or") {
				p.Or = []string{strings.TrimSpace(strings.Repeat(name+"y ", rapid.IntRange(1, n-1).Draw(t, "short")))}
			}
			pieces = append(pieces, p)
		}
		first, more := pipeline.Compose(pieces, bot.English, fit)
		all := append([]string{first}, more...)
		for _, m := range all {
			if !fit.First.Holds(m) {
				t.Fatalf("Compose(%+v): a message takes %+v: %q", pieces, gsm7.Count(m), m)
			}
		}
		joined := strings.Join(all, " ")
		for i, p := range pieces {
			name := string(rune('A' + i))
			said := 0
			for _, form := range append([]string{p.Text}, p.Or...) {
				if strings.Contains(joined, form) {
					said++
				}
			}
			opens := p.Keep == pipeline.KeepOpening || p.Keep == pipeline.KeepCourtesy
			switch {
			case said > 1 || strings.Contains(joined, name+"x") && strings.Contains(joined, name+"y"):
				t.Fatalf("Compose(%+v) = %q: piece %d is said in two forms", pieces, all, i)
			case said == 0 && !opens && len(more) < fit.Most:
				t.Fatalf("Compose(%+v) = %q: piece %d is lost", pieces, all, i)
			}
		}
	})
}
