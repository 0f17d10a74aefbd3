// Package kbtest is the contract of [kb.Index], written as tests that every
// index must pass, and an embedder that needs no model.
package kbtest

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"plumbline/bot"
	"plumbline/kb"
)

// An Option allows for what an index cannot help.
type Option func(*suite)

// Tolerance sets how far a score of Nearest may be from the true cosine. It is
// 1e-6 unless set: what float32 makes of some hundred numbers.
func Tolerance(cosine float64) Option {
	return func(s *suite) { s.tolerance = cosine }
}

type suite struct {
	open      func(t *testing.T) kb.Index
	tolerance float64
}

// Run runs the contract against the indexes that open returns. Each is empty,
// of no version, and apart from the others; open closes it by t.Cleanup.
func Run(t *testing.T, open func(t *testing.T) kb.Index, opts ...Option) {
	s := &suite{open: open, tolerance: 1e-6}
	for _, opt := range opts {
		opt(s)
	}
	t.Run("Replace", s.replace)
	t.Run("Refuse", s.refuse)
	t.Run("Nearest", s.nearest)
	t.Run("Filter", s.filter)
	t.Run("Match", s.match)
	t.Run("MatchTakesAnyText", s.matchTakesAnyText)
	t.Run("SwapUnderLoad", s.swapUnderLoad)
	t.Run("Cancelled", s.cancelled)
}

// everything is a k above any number of records here.
const everything = 1000

func (s *suite) fill(t *testing.T, records ...kb.Record) kb.Index {
	t.Helper()
	x := s.open(t)
	replace(t, x, "1", records)
	return x
}

func replace(t *testing.T, x kb.Index, version string, records []kb.Record) {
	t.Helper()
	if err := x.Replace(t.Context(), version, records); err != nil {
		t.Fatalf("Replace(%q, %d records): %v", version, len(records), err)
	}
}

func nearest(t *testing.T, x kb.Index, v []float32, k int, least float64, f kb.Filter) []kb.Hit {
	t.Helper()
	hits, err := x.Nearest(t.Context(), v, k, least, f)
	if err != nil {
		t.Fatalf("Nearest(%d numbers, k %d, min %v, %+v): %v", len(v), k, least, f, err)
	}
	return hits
}

func match(t *testing.T, x kb.Index, text string, k int, f kb.Filter) []kb.Hit {
	t.Helper()
	hits, err := x.Match(t.Context(), text, k, f)
	if err != nil {
		t.Fatalf("Match(%.80q, k %d, %+v): %v", text, k, f, err)
	}
	for i, h := range hits {
		if h.Score <= 0 || i > 0 && h.Score > hits[i-1].Score {
			t.Errorf("Match(%.80q): hit %d scores %v, want above 0 and best first", text, i, h.Score)
		}
	}
	return hits
}

// ids returns the records of hits in order, separated by spaces.
func ids(hits []kb.Hit) string {
	var all []string
	for _, h := range hits {
		all = append(all, h.Record)
	}
	return strings.Join(all, " ")
}

func sorted(hits []kb.Hit) []kb.Hit {
	return slices.SortedFunc(slices.Values(hits), func(a, b kb.Hit) int { return strings.Compare(a.Record, b.Record) })
}

// at returns a record with a vector, in English, by the name of its id.
func at(id string, vector ...float32) kb.Record {
	return kb.Record{
		ID: id, Chunk: "chunk " + id, Pack: "water", Field: kb.FieldBody, Language: "en", Text: id, Vector: vector,
	}
}

// says returns a record with a text.
func says(id, language, text string) kb.Record {
	r := at(id, 1, 0, 0)
	r.Language, r.Text = language, text
	return r
}

func (s *suite) replace(t *testing.T) {
	first := []kb.Record{at("lead", 1, 0, 0), at("copper", 0, 1, 0)}
	second := []kb.Record{at("boil", 0, 0, 0, 1)}
	look := func(t *testing.T, x kb.Index, version string, want string, v ...float32) {
		t.Helper()
		if got := x.Version(); got != version {
			t.Errorf("Version() = %q, want %q", got, version)
		}
		if got := ids(sorted(nearest(t, x, v, everything, -1, kb.Filter{}))); got != want {
			t.Errorf("Nearest finds %q, want %q", got, want)
		}
		if got := ids(sorted(match(t, x, "lead copper boil", everything, kb.Filter{}))); got != want {
			t.Errorf("Match finds %q, want %q", got, want)
		}
	}
	t.Run("NothingBefore", func(t *testing.T) { look(t, s.open(t), "", "", 1, 0, 0) })
	t.Run("IsSeen", func(t *testing.T) {
		x := s.open(t)
		replace(t, x, "2026-11-30", first)
		look(t, x, "2026-11-30", "copper lead", 1, 0, 0)
	})
	t.Run("DropsWhatWas", func(t *testing.T) { // and its dimension
		x := s.fill(t, first...)
		replace(t, x, "2", second)
		look(t, x, "2", "boil", 1, 0, 0, 0)
	})
	t.Run("SameVersionAgain", func(t *testing.T) {
		x := s.fill(t, first...)
		replace(t, x, "1", second)
		look(t, x, "1", "boil", 1, 0, 0, 0)
	})
	t.Run("BackToOldVersion", func(t *testing.T) {
		x := s.fill(t, first...)
		replace(t, x, "2", second)
		replace(t, x, "1", first)
		look(t, x, "1", "copper lead", 1, 0, 0)
	})
	t.Run("ByNothing", func(t *testing.T) {
		x := s.fill(t, first...)
		replace(t, x, "2", nil)
		look(t, x, "2", "", 1, 0, 0)
		replace(t, x, "3", second)
		look(t, x, "3", "boil", 1, 0, 0, 0)
	})
	t.Run("KeepsNoSlice", func(t *testing.T) {
		mine := []kb.Record{at("lead", 1, 0, 0), at("copper", 0, 1, 0)}
		x := s.fill(t, mine...)
		mine[0].Vector[0], mine[0].Vector[1] = 0, 1
		mine[1] = at("boil", 1, 0, 0)
		if got := ids(nearest(t, x, []float32{1, 0, 0}, everything, 0.5, kb.Filter{})); got != "lead" {
			t.Errorf("Nearest after the caller's records changed finds %q, want lead", got)
		}
	})
}

func (s *suite) refuse(t *testing.T) {
	nan, inf := float32(math.NaN()), float32(math.Inf(1))
	old := []kb.Record{at("lead", 1, 0, 0), at("copper", 0, 1, 0)}
	x := s.fill(t, old...)

	for _, tt := range []struct {
		name    string
		records []kb.Record
		names   string // in the error
	}{
		{"RepeatedID", []kb.Record{at("boil", 1, 0, 0), at("other", 1, 0, 0), at("boil", 0, 1, 0)}, "boil"},
		{"ZeroVector", []kb.Record{at("other", 1, 0, 0), at("boil", 0, 0, 0)}, "boil"},
		{"NaN", []kb.Record{at("other", 1, 0, 0), at("boil", nan, 0, 1)}, "boil"},
		{"Inf", []kb.Record{at("other", 1, 0, 0), at("boil", 1, inf, 0)}, "boil"},
		{"MinusInf", []kb.Record{at("other", 1, 0, 0), at("boil", 1, 0, -inf)}, "boil"},
		{"ShortVector", []kb.Record{at("other", 1, 0, 0), at("a", 0, 1, 0), at("boil", 1, 0)}, ""},
		{"LongVector", []kb.Record{at("other", 1, 0, 0), at("a", 0, 1, 0), at("boil", 1, 0, 0, 0)}, ""},
		{"NoVector", []kb.Record{at("other", 1, 0, 0), at("boil")}, ""},
		{"NoVectors", []kb.Record{at("boil")}, "boil"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			err := x.Replace(t.Context(), "2", tt.records)
			if !errors.Is(err, bot.ErrInvalid) || !strings.Contains(fmt.Sprint(err), tt.names) {
				t.Errorf("Replace: error %v, want bot.ErrInvalid that names %q", err, tt.names)
			}
			if got := x.Version(); got != "1" {
				t.Errorf("Version() afterwards = %q, want 1", got)
			}
			if got := ids(nearest(t, x, []float32{1, 0, 0}, everything, -1, kb.Filter{})); got != "lead copper" {
				t.Errorf("Nearest afterwards finds %q, want the old lead and copper", got)
			}
			if got := ids(match(t, x, "copper boil", everything, kb.Filter{})); got != "copper" {
				t.Errorf("Match afterwards finds %q, want the old copper", got)
			}
		})
	}

	for name, v := range map[string][]float32{
		"QueryZero": {0, 0, 0}, "QueryNaN": {1, nan, 0}, "QueryInf": {inf, 0, 0},
		"QueryShort": {1, 0}, "QueryLong": {1, 0, 0, 0}, "QueryNone": nil,
	} {
		t.Run(name, func(t *testing.T) {
			if hits, err := x.Nearest(t.Context(), v, 3, 0, kb.Filter{}); !errors.Is(err, bot.ErrInvalid) {
				t.Errorf("Nearest(%v) = %v, error %v, want bot.ErrInvalid", v, hits, err)
			}
		})
	}
	t.Run("QueryZeroOfNothing", func(t *testing.T) {
		if hits, err := s.open(t).Nearest(t.Context(), []float32{0, 0}, 3, 0, kb.Filter{}); !errors.Is(err, bot.ErrInvalid) {
			t.Errorf("Nearest(0 0) of an empty index = %v, error %v, want bot.ErrInvalid", hits, err)
		}
	})
}

func (s *suite) cancelled(t *testing.T) {
	x := s.fill(t, at("lead", 1, 0, 0))
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	check := func(call string, err error) {
		t.Helper()
		if !errors.Is(err, context.Canceled) {
			t.Errorf("%s with a cancelled context: error %v, want context.Canceled", call, err)
		}
	}
	_, err := x.Nearest(ctx, []float32{1, 0, 0}, 3, 0, kb.Filter{})
	check("Nearest", err)
	_, err = x.Match(ctx, "lead", 3, kb.Filter{})
	check("Match", err)
	check("Replace", x.Replace(ctx, "2", []kb.Record{at("copper", 1, 0, 0)}))
	if got := ids(match(t, x, "lead copper", 3, kb.Filter{})); got != "lead" || x.Version() != "1" {
		t.Errorf("afterwards %q of version %q, want lead of version 1", got, x.Version())
	}
}
