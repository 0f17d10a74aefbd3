package gsm7

import (
	"strings"
	"testing"
	"unicode/utf8"
)

// The public fault cases of counting and splitting, by their ids.
func TestCases(t *testing.T) {
	for _, tt := range []struct {
		id, text, encoding string
		units, segments    int
	}{
		{"T28", "this is a " + strings.Repeat("]", 75) + "😀", UCS2, 87, 2}, // signs of two septets are one unit here
		{"T29", strings.Repeat("a", 159) + "€", GSM7, 161, 2},
		{"T29", strings.Repeat("a", 158) + "€", GSM7, 160, 1},
		{"T29", strings.Repeat("{", 80), GSM7, 160, 1},
		{"T29", strings.Repeat("{", 81), GSM7, 162, 2},
	} {
		if got := Count(tt.text); got.Encoding != tt.encoding || got.Units != tt.units || got.Segments != tt.segments {
			t.Errorf("%s: Count(%.20q) = %s, %d units, %d segments; want %s, %d, %d", tt.id, tt.text, got.Encoding, got.Units, got.Segments, tt.encoding, tt.units, tt.segments)
		}
	}
	// T32: no part begins or ends within a character.
	for _, text := range []string{strings.Repeat("x", 66) + "😀" + strings.Repeat("y", 200), strings.Repeat("ñ", 300) + strings.Repeat("—", 300)} {
		parts := SplitText(text, Limit{Segments: 1})
		if joined := strings.Join(parts, ""); joined != text || len(parts) < 2 {
			t.Errorf("T32: %d parts join to %.20q, want %.20q", len(parts), joined, text)
		}
		for _, p := range parts {
			if !utf8.ValidString(p) || strings.ContainsRune(p, utf8.RuneError) || Count(p).Segments != 1 {
				t.Errorf("T32: part %q is broken or longer than a segment", p)
			}
		}
	}
}
