package bm25

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"testing"

	"pgregory.net/rapid"
)

func TestSearch(t *testing.T) {
	docs := [][]string{
		{"lead", "pipe"},
		{"copper", "pipe"},
		{"lead", "pipe"},
		{},
		{"boil", "water"},
	}
	ix := New(docs, K1, B)
	odd := func(doc int) bool { return doc%2 == 1 }
	for _, tt := range []struct {
		name  string
		query []string
		k     int
		keep  func(int) bool
		want  string
	}{
		{"BestFirstTiesByIndex", []string{"pipe", "lead"}, 9, nil, "0[pipe lead] 2[pipe lead] 1[pipe]"},
		{"CutsTies", []string{"lead"}, 1, nil, "0[lead]"},
		{"TermsOnceInQueryOrder", []string{"water", "boil", "water", "kettle"}, 9, nil, "4[water boil]"},
		{"Keep", []string{"pipe", "lead"}, 9, odd, "1[pipe]"},
		{"UnknownTerm", []string{"kettle"}, 9, nil, ""},
		{"NoTerms", nil, 9, nil, ""},
		{"NoneWanted", []string{"pipe"}, 0, nil, ""},
		{"LessThanNone", []string{"pipe"}, -1, nil, ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			got := ""
			for i, h := range search(t, ix, tt.query, tt.k, tt.keep) {
				if i > 0 {
					got += " "
				}
				got += fmt.Sprintf("%d%v", h.Doc, h.Terms)
			}
			if got != tt.want {
				t.Errorf("Search(%q, %d) = %q, want %q", tt.query, tt.k, got, tt.want)
			}
		})
	}
}

func TestSearchWithoutDocuments(t *testing.T) {
	for _, docs := range [][][]string{nil, {{}, {}}} {
		if got := search(t, New(docs, K1, B), []string{"lead"}, 3, nil); len(got) != 0 {
			t.Errorf("Search in %q = %v, want nothing", docs, got)
		}
	}
}

func TestSearchHeedsContext(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	ix := New([][]string{{"lead"}}, K1, B)
	if _, err := ix.Search(ctx, []string{"lead"}, 3, nil); !errors.Is(err, context.Canceled) {
		t.Errorf("Search with a cancelled context: error %v, want context.Canceled", err)
	}
}

// The whole ranking equals the formula, written out and fully sorted, and a
// filter takes hits away without changing others.
func TestSearchIsFormula(t *testing.T) {
	words := rapid.SliceOfN(rapid.SampledFrom([]string{"a", "b", "c", "d", "e"}), 0, 6)
	rapid.Check(t, func(rt *rapid.T) {
		docs := rapid.SliceOfN(words, 0, 40).Draw(rt, "docs")
		query := words.Draw(rt, "query")
		k := rapid.IntRange(0, 45).Draw(rt, "k")
		k1 := rapid.Float64Range(0, 3).Draw(rt, "k1")
		b := rapid.Float64Range(0, 1).Draw(rt, "b")
		hidden := rapid.IntRange(0, 40).Draw(rt, "hidden")
		keep := func(doc int) bool { return doc != hidden }

		var want []Hit
		for doc := range docs {
			if s := formula(docs, query, doc, k1, b); s > 0 && keep(doc) {
				want = append(want, Hit{Doc: doc, Score: s})
			}
		}
		got := search(t, New(docs, k1, b), query, k, keep)
		if len(got) != min(k, len(want)) {
			rt.Fatalf("%d hits, want %d", len(got), min(k, len(want)))
		}
		slices.SortStableFunc(want, func(x, y Hit) int { return cmp.Compare(y.Score, x.Score) })
		for i, h := range got {
			if math.Abs(h.Score-want[i].Score) > 1e-9 {
				rt.Errorf("hit %d: %v, want the score %v", i, h, want[i].Score)
			}
			if s := formula(docs, query, h.Doc, k1, b); math.Abs(h.Score-s) > 1e-9 || !keep(h.Doc) {
				rt.Errorf("hit %d: %v, want the score %v and not %d", i, h, s, hidden)
			}
			if i > 0 && h.Score == got[i-1].Score && h.Doc <= got[i-1].Doc {
				rt.Errorf("hit %d: %v after %v, want ties by lower index", i, h, got[i-1])
			}
		}
	})
}

func formula(docs [][]string, query []string, doc int, k1, b float64) (sum float64) {
	var total float64
	for _, d := range docs {
		total += float64(len(d))
	}
	for _, term := range query {
		var n, tf float64
		for i, d := range docs {
			if slices.Contains(d, term) {
				n++
			}
			for _, w := range d {
				if i == doc && w == term {
					tf++
				}
			}
		}
		if tf == 0 {
			continue
		}
		all := float64(len(docs))
		norm := k1 * (1 - b + b*float64(len(docs[doc]))/(total/all))
		sum += math.Log(1+(all-n+0.5)/(n+0.5)) * tf * (k1 + 1) / (tf + norm)
	}
	return sum
}
