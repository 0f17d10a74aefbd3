package kbtest

import (
	"context"
	"errors"
	"math"
	"testing"

	"plumbline/internal/vec"
)

func TestWords(t *testing.T) {
	for _, tt := range []struct {
		name, a, b string
		want       float64
	}{
		{"Same", "lead pipes", "lead pipes", 1},
		{"CaseOrderRepeats", "Lead pipes, lead!", "PIPES lead", 1},
		{"English", "Where does the lead come from?", "leads", 1 / math.Sqrt(2)},
		{"Spanish", "¿Hay plomo en la tubería?", "plomos tuberias", 1},
		{"Half", "boil water", "boil milk", 0.5},
		{"Nothing", "boil water", "lead pipes", 0},
		{"NoWords", "the 💧", "", 1},
		{"NoWordsAndWords", "the", "lead", 0},
	} {
		t.Run(tt.name, func(t *testing.T) {
			vs, err := Words{}.Embed(t.Context(), []string{tt.a, tt.b})
			if err != nil {
				t.Fatalf("Embed: %v", err)
			}
			for _, v := range vs {
				if n := vec.Dot(v, v); len(v) != (Words{}).Dim() || math.Abs(float64(n)-1) > 1e-6 {
					t.Errorf("vector of %d numbers with square %v, want %d and 1", len(v), n, Words{}.Dim())
				}
			}
			if got := float64(vec.Dot(vs[0], vs[1])); math.Abs(got-tt.want) > 1e-6 {
				t.Errorf("cosine of %q and %q = %v, want %v", tt.a, tt.b, got, tt.want)
			}
		})
	}
}

func TestWordsHeedsContext(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := (Words{}).Embed(ctx, []string{"lead"}); !errors.Is(err, context.Canceled) {
		t.Errorf("Embed with a cancelled context: error %v, want context.Canceled", err)
	}
}
