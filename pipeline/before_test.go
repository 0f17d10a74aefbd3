package pipeline

import "testing"

func TestBefore(t *testing.T) {
	got := before([]Piece{{Text: "Core."}, {Text: "Core, later."}}, []Piece{{Text: "One."}, {Text: "Source of one.", With: 1}, {Text: "Two."}, {Text: "Source of two.", With: 3}})
	if len(got) != 6 || got[3].With != 3 || got[5].With != 5 || got[2].With != 0 {
		t.Errorf("before() = %+v, want each source with its claim", got)
	}
}
