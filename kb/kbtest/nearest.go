package kbtest

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"plumbline/kb"
)

func (s *suite) nearest(t *testing.T) {
	t.Run("SaysWhatItFound", func(t *testing.T) {
		r := kb.Record{
			ID: `water/lead:{1} *?#0`, Chunk: "water/lead basics", Paragraph: "lead.no-safe-level", Pack: "water",
			Field: kb.FieldParagraph, Language: "en", Text: "No level is safe.", Vector: []float32{0.6, 0.8},
		}
		got := nearest(t, s.fill(t, r), []float32{1, 0}, 1, 0, kb.Filter{})
		want := kb.Hit{Record: r.ID, Chunk: r.Chunk, Paragraph: r.Paragraph, Field: r.Field, Score: 0.6}
		if len(got) != 1 || got[0].Record != want.Record || got[0].Chunk != want.Chunk ||
			got[0].Paragraph != want.Paragraph || got[0].Field != want.Field || len(got[0].Terms) != 0 ||
			math.Abs(got[0].Score-want.Score) > s.tolerance {
			t.Errorf("Nearest = %+v, want %+v", got, want)
		}
	})

	half := s.fill(t,
		at("same", 1, 0, 0, 0), at("half", 0.5, 0.5, 0.5, 0.5), at("less", 0.25, 0.9682458, 0, 0),
		at("paper", 0.51, 0.8601744, 0, 0), at("under", 0.5099, 0, 0.8602337, 0), at("never", -1, 0, 0, 0))
	q := []float32{1, 0, 0, 0}
	for _, tt := range []struct {
		name  string
		k     int
		least float64
		want  string
	}{
		{"BestFirst", everything, -1, "same paper under half less never"},
		{"UpToK", 2, -1, "same paper"},
		{"NoneWanted", 0, -1, ""},
		{"LessThanNone", -1, -1, ""},
		{"MinIsInclusive", everything, 0.5, "same paper under half"},
		{"AboveMin", everything, float64(math.Nextafter32(0.5, 1)), "same paper under"},
		{"ThresholdOfThePaper", everything, 0.51, "same paper"}, // 0.51 is no float64 of a float32
		{"KAndMin", 1, 0.51, "same"},
		{"NothingThatNear", everything, 1.5, ""},
		{"NoMin", everything, -5, "same paper under half less never"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if got := ids(nearest(t, half, q, tt.k, tt.least, kb.Filter{})); got != tt.want {
				t.Errorf("Nearest(k %d, min %v) finds %q, want %q", tt.k, tt.least, got, tt.want)
			}
		})
	}

	t.Run("TiesByRecord", func(t *testing.T) {
		x := s.fill(t, at("e", 0.6, 0.8), at("b", 0.6, 0.8), at("f", 1, 0), at("d", 0.6, 0.8), at("a", 0.6, 0.8), at("c", 0.6, 0.8))
		for k, want := range map[int]string{everything: "f a b c d e", 4: "f a b c", 2: "f a"} {
			if got := ids(nearest(t, x, []float32{1, 0}, k, -1, kb.Filter{})); got != want {
				t.Errorf("Nearest(k %d) of equals finds %q, want %q", k, got, want)
			}
		}
	})

	for _, size := range []struct{ records, dim int }{{1, 1}, {7, 3}, {300, 16}, {200, 384}} {
		t.Run(fmt.Sprintf("IsBruteForce/%dx%d", size.records, size.dim), func(t *testing.T) {
			s.isBruteForce(t, size.records, size.dim)
		})
	}
}

func (s *suite) isBruteForce(t *testing.T, n, dim int) {
	random := rand.New(rand.NewPCG(7, uint64(n)))
	records := make([]kb.Record, n)
	for i := range records {
		records[i] = anyRecord(random, fmt.Sprintf("r%03d", (i*37)%n), dim)
		if i > 0 && random.IntN(8) == 0 {
			records[i].Vector = records[random.IntN(i)].Vector
		}
	}
	x := s.fill(t, records...)
	rapid.Check(t, func(rt *rapid.T) {
		seed := rapid.Uint64().Draw(rt, "seed of the query")
		k := rapid.IntRange(0, n+3).Draw(rt, "k")
		least := rapid.SampledFrom([]float64{-1, -0.2, 0, 0.1, 0.3, 0.51, 1.1}).Draw(rt, "min")
		f := anyFilter(rt)
		q := anyVector(rand.New(rand.NewPCG(seed, 0)), dim)

		got, err := x.Nearest(t.Context(), q, k, least, f)
		if err != nil {
			rt.Fatalf("Nearest: %v", err)
		}
		if err := s.isNearest(got, records, q, k, least, f); err != nil {
			rt.Errorf("Nearest(%v, k %d, min %v, %+v) finds %q: %v", q, k, least, f, ids(got), err)
		}
	})
}

// isNearest says what is wrong with hits, given the tolerance.
func (s *suite) isNearest(hits []kb.Hit, records []kb.Record, q []float32, k int, least float64, f kb.Filter) error {
	cosines := make(map[string]float64) // of what may be found
	for _, r := range records {
		if passes(r, f) {
			cosines[r.ID] = cosine(r.Vector, q)
		}
	}
	worst := math.Inf(1)
	found := make(map[string]bool)
	for i, h := range hits {
		c, ok := cosines[h.Record]
		switch {
		case !ok:
			return fmt.Errorf("%s does not pass the filter", h.Record)
		case found[h.Record]:
			return fmt.Errorf("%s is there twice", h.Record)
		case math.Abs(h.Score-c) > s.tolerance:
			return fmt.Errorf("%s scores %v, want %v", h.Record, h.Score, c)
		case c < least-s.tolerance:
			return fmt.Errorf("%s scores %v, below min", h.Record, h.Score)
		case i > 0 && h.Score > hits[i-1].Score:
			return fmt.Errorf("%s scores above the hit before it", h.Record)
		case i > 0 && h.Score == hits[i-1].Score && h.Record < hits[i-1].Record:
			return fmt.Errorf("%s ties with the hit before it, of a higher id", h.Record)
		}
		found[h.Record] = true
		worst = min(worst, c)
	}
	if len(hits) > k {
		return fmt.Errorf("%d hits", len(hits))
	}
	for id, c := range cosines {
		switch {
		case found[id] || c < least+s.tolerance:
		case len(hits) < k:
			return fmt.Errorf("%s of cosine %v is missing", id, c)
		case k > 0 && c > worst+2*s.tolerance:
			return fmt.Errorf("%s of cosine %v is missing, above one of %v", id, c, worst)
		}
	}
	return nil
}

func cosine(a, b []float32) float64 {
	var dot, aa, bb float64
	for i := range a {
		x, y := float64(a[i]), float64(b[i])
		dot, aa, bb = dot+x*y, aa+x*x, bb+y*y
	}
	return dot / math.Sqrt(aa*bb)
}

// unit returns v at length 1.
func unit(v []float32) []float32 {
	var square float64
	for _, x := range v {
		square += float64(x) * float64(x)
	}
	u := make([]float32, len(v))
	for i, x := range v {
		u[i] = float32(float64(x) / math.Sqrt(square))
	}
	return u
}

func anyVector(random *rand.Rand, dim int) []float32 {
	v := make([]float32, dim)
	for i := range v {
		v[i] = float32(random.NormFloat64())
	}
	return unit(v)
}

// What records hold and filters ask for. The last of each is in no record.
var (
	packs         = []string{"drinking-water", "wildfire-smoke", "none"}
	languages     = []string{"en", "es", "ht", "none"}
	fields        = []kb.Field{kb.FieldHeading, kb.FieldAlias, kb.FieldBody, kb.FieldParagraph, "none"}
	jurisdictions = []string{"", "us", "us-nj", "newark", "none"}
	days          = []kb.Date{0, 20261129, 20261130, 20261201, 20271101}
)

func anyRecord(random *rand.Rand, id string, dim int) kb.Record {
	return kb.Record{
		ID:           id,
		Chunk:        "chunk " + id,
		Pack:         packs[random.IntN(len(packs)-1)],
		Field:        fields[random.IntN(len(fields)-1)],
		Language:     languages[random.IntN(len(languages)-1)],
		Jurisdiction: jurisdictions[random.IntN(len(jurisdictions)-1)],
		From:         days[random.IntN(len(days))],
		Until:        days[random.IntN(len(days))],
		Text:         "water",
		Vector:       anyVector(random, dim),
	}
}

func anyFilter(rt *rapid.T) kb.Filter {
	return kb.Filter{
		Packs:         someOf(rt, "packs", packs),
		Languages:     someOf(rt, "languages", languages),
		Fields:        someOf(rt, "fields", fields),
		Jurisdictions: someOf(rt, "jurisdictions", jurisdictions[1:]),
		Valid:         rapid.SampledFrom(days).Draw(rt, "valid"),
	}
}

// someOf draws some of all, and mostly none.
func someOf[T any](rt *rapid.T, name string, all []T) []T {
	return rapid.SliceOfN(rapid.SampledFrom(all), 0, 2).Draw(rt, name)
}

// passes is the filter as kb documents it.
func passes(r kb.Record, f kb.Filter) bool {
	in := func(wanted []string, v string) bool { return len(wanted) == 0 || slices.Contains(wanted, v) }
	return in(f.Packs, r.Pack) && in(f.Languages, r.Language) &&
		(len(f.Fields) == 0 || slices.Contains(f.Fields, r.Field)) &&
		(r.Jurisdiction == "" || in(f.Jurisdictions, r.Jurisdiction)) &&
		!(f.Valid != 0 && r.Until != 0 && r.Until <= f.Valid)
}
