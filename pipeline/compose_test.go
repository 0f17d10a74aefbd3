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
		{"AllFit", []pipeline.Piece{{"One.", pipeline.KeepClaim}, {"Two.", pipeline.KeepNext}}, "en", "One. Two.", nil},
		{"BlankIsNoPiece", []pipeline.Piece{{" ", pipeline.KeepOpening}, {"One.", pipeline.KeepClaim}}, "en", "One.", nil},
		{"KeepsByUrgencyInReadingOrder", []pipeline.Piece{
			{"Opening.", pipeline.KeepOpening}, {long("claim", 20), pipeline.KeepClaim}, {long("context", 20), pipeline.KeepContext}, {long("limit", 20), pipeline.KeepLimit},
		}, "en", "Opening. " + long("claim", 20) + " " + long("limit", 20) + " Reply MORE.", []string{long("context", 20)}},
		{"AnOpeningThatDoesNotFitIsNotSaidLater", []pipeline.Piece{
			{long("opening", 10), pipeline.KeepOpening}, {long("claim", 45), pipeline.KeepClaim}, {"Next.", pipeline.KeepNext},
		}, "en", long("claim", 45) + " Next.", nil},
		{"AFixedTextOffersMoreItself", []pipeline.Piece{
			{long("danger", 30) + ". Reply MORE for babies.", pipeline.KeepDanger}, {long("claim", 30), pipeline.KeepClaim},
		}, "en", long("danger", 30) + ". Reply MORE for babies.", []string{long("claim", 30)}},
		{"TooLongForOneMessage", []pipeline.Piece{{long("word", 100), pipeline.KeepClaim}}, "en", "", nil},
		{"SpanishIsFoldedWhereItSavesASegment", []pipeline.Piece{{long("ácido", 20), pipeline.KeepClaim}}, "es", long("acido", 20), nil},
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
