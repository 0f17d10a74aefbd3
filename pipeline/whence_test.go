package pipeline

import (
	"slices"
	"strings"
	"testing"

	"plumbline/bot"
	"plumbline/internal/text"
)

func TestDay(t *testing.T) {
	for _, tt := range []struct {
		date   string
		en, es string
	}{
		{"2021-01-19", "Jan 19, 2021", "19 ene 2021"},
		{"2024-10", "Oct 2024", "oct 2024"},
		{"2019", "2019", "2019"},
		{"undated", "", ""},
		{"", "", ""},
	} {
		if en, es := day(tt.date, bot.English), day(tt.date, bot.Spanish); en != tt.en || es != tt.es {
			t.Errorf("day(%q) = %q, %q, want %q, %q", tt.date, en, es, tt.en, tt.es)
		}
	}
}

// TestWhy: who says so first, who else, how much was read, what is open.
func TestWhy(t *testing.T) {
	claim := func(chunk string, agencies ...string) (c bot.Claim) {
		for _, a := range agencies {
			c.Evidence = append(c.Evidence, bot.Evidence{Chunk: chunk, Source: bot.Source{Agency: a, Date: "2024-10"}})
		}
		return c
	}
	chunks := []bot.Chunk{{ID: "a", Kept: true}, {ID: "b"}, {ID: "c"}}
	gap := []bot.Limitation{{Text: "I can't see the desk."}}
	for _, tt := range []struct {
		name string
		a    bot.Answer
		lang bot.Language
		want []string
	}{
		{"One", bot.Answer{Status: bot.Answered, Chunks: chunks, Claims: []bot.Claim{claim("a", "City Library (copy)")}, Limitations: gap}, "en",
			[]string{"What I told you is from City Library, 2024. I read 3 passages for you and used 1. I can't see the desk. Text SOURCES to see each one."}},
		{"Many", bot.Answer{Status: bot.Answered, Chunks: chunks, Claims: []bot.Claim{claim("a", "A"), claim("a", "B", "A", "C", "D", "E", "F")}}, "en",
			[]string{"What I told you first is from A, 2024. The rest is from B; C; D and 2 more. I read 3 passages for you and used 1. Text SOURCES to see each one."}},
		{"Fixed", bot.Answer{Status: bot.Answered, Chunks: chunks, Claims: []bot.Claim{claim("fixed", "Us"), claim("a", "A")}}, "en",
			[]string{"The safety words at the start were written by people ahead of time. The rest is from A. I read 3 passages for you and used 1. Text SOURCES to see each one."}},
		{"Spanish", bot.Answer{Status: bot.LocalOnly, Chunks: chunks, Claims: []bot.Claim{claim("a", "A")}}, "es",
			[]string{"Lo que le dije es de A, 2024. Busqué en 3 textos y usé 1. Mande FUENTES para ver cada una."}},
		{"NotInSources", bot.Answer{Status: bot.NotInSources, Chunks: chunks}, "en",
			[]string{"I read 3 passages for you. None of them answers what you asked, so I did not guess."}},
		{"OutOfScope", bot.Answer{Status: bot.OutOfScope}, "en", nil},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if got := why(tt.a, tt.lang, FitOf("sms")); !slices.Equal(got, tt.want) {
				t.Errorf("why() = %q, want %q", got, tt.want)
			}
		})
	}
}

func TestSubjects(t *testing.T) {
	for _, tt := range []struct{ about, lang, want string }{
		{"the library", "en", "the library"},
		{"the library: cards, hours", "en", "the library: cards, hours"},
		{"the library: cards, hours, rooms, fines, and books", "en", "the library: cards, hours, rooms and more"},
		{"la biblioteca: horas, salas, multas, libros", "es", "la biblioteca: horas, salas, multas y más"},
	} {
		if got := subjects(tt.about, tt.lang); got != tt.want {
			t.Errorf("subjects(%q) = %q, want %q", tt.about, got, tt.want)
		}
	}
}

// TestSayingsAreEasy: what is said without a claim is for everybody.
func TestSayingsAreEasy(t *testing.T) {
	for _, say := range sayings {
		en := text.Measure(strings.ReplaceAll(say.In("en"), "{about}", "the library: cards and late fines, hours, rooms and more"))
		es := text.MeasureES(strings.ReplaceAll(say.In("es"), "{about}", "la biblioteca: horas, salas, multas y más"))
		if *en.Grade > 5 || *es.Flesch < 70 {
			t.Errorf("%q has grade %.1f and Fernández Huerta %.0f, want 5 at most and 70 at least", say, *en.Grade, *es.Flesch)
		}
	}
	for _, say := range []map[string]string{whyFixed, whyOnly, whyFirst, whyRest, whyRead, whyNone, whyAsk} {
		if g := text.Measure(say["en"]).Grade; *g > 5 {
			t.Errorf("%q has grade %.1f, want 5 at most", say["en"], *g)
		}
	}
}
