package minilm

import (
	"fmt"
	"testing"
)

func TestBlocksAreEven(t *testing.T) {
	for _, tt := range []struct {
		rows int
		want string
	}{
		{1, "[1]"}, {5, "[5]"}, {6, "[6]"}, {7, "[4 3]"}, {8, "[4 4]"}, {12, "[6 6]"}, {13, "[5 4 4]"}, {19, "[5 5 5 4]"},
	} {
		var got []int
		for left := tt.rows; left > 0; left -= got[len(got)-1] {
			got = append(got, block(left))
		}
		if fmt.Sprint(got) != tt.want {
			t.Errorf("%d rows go in blocks of %v, want %s", tt.rows, got, tt.want)
		}
	}
}
