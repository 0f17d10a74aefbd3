package pipeline

import (
	"slices"
	"testing"
)

// Pieces go on pointing at what they did when others come before them.
func TestBefore(t *testing.T) {
	got := before([]Piece{{Text: "a"}, {Text: "b", With: 1}}, Piece{Text: "x"}, Piece{Text: "y"})
	want := []Piece{{Text: "x"}, {Text: "y"}, {Text: "a"}, {Text: "b", With: 3}}
	if !slices.Equal(got, want) {
		t.Errorf("before = %+v, want %+v", got, want)
	}
}
