package kbtest

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"pgregory.net/rapid"

	"plumbline/kb"
)

// filter looks through each filter by both queries.
func (s *suite) filter(t *testing.T) {
	with := func(id string, change func(*kb.Record)) kb.Record {
		r := at(id, 1, 0, 0)
		r.Text = "water"
		change(&r)
		return r
	}
	x := s.fill(t,
		with("plain", func(*kb.Record) {}),
		with("smoke", func(r *kb.Record) { r.Pack = "smoke" }),
		with("spanish", func(r *kb.Record) { r.Language = "es" }),
		with("heading", func(r *kb.Record) { r.Field = kb.FieldHeading }),
		with("paragraph", func(r *kb.Record) { r.Field = kb.FieldParagraph }),
		with("nj", func(r *kb.Record) { r.Jurisdiction = "us-nj" }),
		with("newark", func(r *kb.Record) { r.Jurisdiction = "newark" }),
		with("who", func(r *kb.Record) { r.Jurisdiction = "who" }),
		with("ended", func(r *kb.Record) { r.Until = 20211231 }),
		with("ends-now", func(r *kb.Record) { r.Until = 20261130 }),
		with("ends-next", func(r *kb.Record) { r.From, r.Until = 20200101, 20261201 }),
		with("to-come", func(r *kb.Record) { r.From = 20271101 }),
		with("odd-pack", func(r *kb.Record) { r.Pack = `a,b|{c} -"d"*@e:(f)` }),
		with("odd-place", func(r *kb.Record) { r.Jurisdiction = "Newark, NJ (Essex) | $p" }),
	)
	const all = "ended ends-next ends-now heading newark nj odd-pack odd-place paragraph plain smoke spanish to-come who"
	for _, tt := range []struct {
		name   string
		filter kb.Filter
		want   string // sorted
	}{
		{"None", kb.Filter{}, all},
		{"Pack", kb.Filter{Packs: []string{"smoke"}}, "smoke"},
		{"Packs", kb.Filter{Packs: []string{"smoke", "water", "smoke"}},
			"ended ends-next ends-now heading newark nj odd-place paragraph plain smoke spanish to-come who"},
		{"NoSuchPack", kb.Filter{Packs: []string{"fire"}}, ""},
		{"PackIsNoPattern", kb.Filter{Packs: []string{"smo*", "s|smoke", "*"}}, ""},
		{"OddPack", kb.Filter{Packs: []string{`a,b|{c} -"d"*@e:(f)`}}, "odd-pack"},
		{"PartOfOddPack", kb.Filter{Packs: []string{"a", "b|{c}"}}, ""},
		{"Language", kb.Filter{Languages: []string{"es"}}, "spanish"},
		{"Languages", kb.Filter{Languages: []string{"es", "ht"}, Fields: []kb.Field{kb.FieldBody}}, "spanish"},
		{"Field", kb.Filter{Fields: []kb.Field{kb.FieldHeading}}, "heading"},
		{"Fields", kb.Filter{Fields: []kb.Field{kb.FieldHeading, kb.FieldParagraph, kb.FieldAlias}}, "heading paragraph"},
		{"Jurisdiction", kb.Filter{Jurisdictions: []string{"newark"}},
			"ended ends-next ends-now heading newark odd-pack paragraph plain smoke spanish to-come"},
		{"Jurisdictions", kb.Filter{Jurisdictions: []string{"us-nj", "newark"}, Fields: []kb.Field{kb.FieldBody}, Packs: []string{"water"}},
			"ended ends-next ends-now newark nj plain spanish to-come"},
		{"NoSuchJurisdiction", kb.Filter{Jurisdictions: []string{"mars"}, Valid: 20261130, Packs: []string{"water"}, Languages: []string{"en"}},
			"ends-next heading paragraph plain to-come"},
		{"OddJurisdiction", kb.Filter{Jurisdictions: []string{"Newark, NJ (Essex) | $p"}, Packs: []string{"water"}, Languages: []string{"en"}, Fields: []kb.Field{kb.FieldBody}},
			"ended ends-next ends-now odd-place plain to-come"},
		{"ValidToday", kb.Filter{Valid: 20261130},
			"ends-next heading newark nj odd-pack odd-place paragraph plain smoke spanish to-come who"},
		{"ValidDayBefore", kb.Filter{Valid: 20261129},
			"ends-next ends-now heading newark nj odd-pack odd-place paragraph plain smoke spanish to-come who"},
		{"ValidLongAgo", kb.Filter{Valid: 19990101}, all},
		{"Combined", kb.Filter{
			Packs: []string{"water"}, Languages: []string{"en"}, Fields: []kb.Field{kb.FieldBody},
			Jurisdictions: []string{"who"}, Valid: 20261130,
		}, "ends-next plain to-come who"},
		{"CombinedToNothing", kb.Filter{Packs: []string{"smoke"}, Languages: []string{"es"}}, ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if got := ids(nearest(t, x, []float32{1, 0, 0}, everything, 0.5, tt.filter)); got != tt.want {
				t.Errorf("Nearest(%+v) finds %q, want %q", tt.filter, got, tt.want)
			}
			if got := ids(sorted(match(t, x, "water", everything, tt.filter))); got != tt.want {
				t.Errorf("Match(%+v) finds %q, want %q", tt.filter, got, tt.want)
			}
		})
	}

	t.Run("MatchPassesSame", func(t *testing.T) {
		random := rand.New(rand.NewPCG(11, 13))
		records := make([]kb.Record, 200)
		for i := range records {
			records[i] = anyRecord(random, fmt.Sprintf("r%03d", i), 2)
		}
		x := s.fill(t, records...)
		rapid.Check(t, func(rt *rapid.T) {
			f := anyFilter(rt)
			var want []kb.Hit
			for _, r := range records {
				if passes(r, f) {
					want = append(want, kb.Hit{Record: r.ID})
				}
			}
			got, err := x.Match(t.Context(), "water", everything, f)
			if err != nil {
				rt.Fatalf("Match(%+v): %v", f, err)
			}
			if ids(sorted(got)) != ids(want) {
				rt.Errorf("Match(%+v) finds %q, want %q", f, ids(sorted(got)), ids(want))
			}
		})
	})
}
