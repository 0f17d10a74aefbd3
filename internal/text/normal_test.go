package text

import (
	"testing"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"
	"pgregory.net/rapid"
)

func TestFoldAccents(t *testing.T) {
	for _, tt := range []struct{ text, want string }{
		{"plain", "plain"},
		{"Niño CAFÉ ç ü À", "Nino CAFE c u A"},
		{"nin\u0303o", "nino"},
		{"هل الماءُ", "هل الماءُ"},
		{"नि 水", "नि 水"},
		{"µg ½", "µg ½"},
	} {
		if got := FoldAccents(tt.text); got != tt.want {
			t.Errorf("FoldAccents(%q) = %q, want %q", tt.text, got, tt.want)
		}
	}
}

func TestNormalize(t *testing.T) {
	for _, tt := range []struct{ text, want string }{
		{"", ""},
		{"plain text", "plain text"},
		{"  two  spaces\tand tab ", "two spaces and tab"},
		{"15\u00a0ppb\u202fx", "15 ppb x"},
		{"a \n b\n\n\n c", "a\nb\n\nc"},
		{"a\r\nb\u2028c", "a\nb\nc"},
		{"“Don’t” «x» `y`", `"Don't" "x" 'y'`},
		{"40–60 — −5 first‑draw", "40-60 - -5 first-draw"},
		{"fil\u00adter\u200bed\ufeff", "filtered"},
		{"½ cup, 1½ cups, 1⁄2", "1/2 cup, 1 1/2 cups, 1/2"},
		{"10² m³ H₂O 10₂", "10^2 m3 H2O 10^2"},
		{"µg μg", "ug ug"},
		{"Brita® ＡＢＣ１２ ﬁlter", "Brita ABC12 filter"},
		{"cafe\u0301 niño", "café niño"},
		{"15 ℃", "15 °C"},
		{"a\xffb", "a\ufffdb"},
	} {
		got := Normalize(tt.text)
		if got != tt.want {
			t.Errorf("Normalize(%q) = %q, want %q", tt.text, got, tt.want)
		}
		if again := Normalize(got); again != got {
			t.Errorf("Normalize(%q) = %q, want it unchanged", got, again)
		}
	}
}

func TestNormalizeProperties(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		text := rapid.OneOf(rapid.String(), numberyText()).Draw(t, "text")
		checkNormalize(t, text)
	})
}

func checkNormalize(t interface{ Errorf(string, ...any) }, text string) {
	got := Normalize(text)
	if again := Normalize(got); again != got {
		t.Errorf("Normalize(Normalize(%q)) = %q, want %q", text, again, got)
	}
	if !utf8.ValidString(got) || !norm.NFKC.IsNormalString(got) {
		t.Errorf("Normalize(%q) = %q, want valid text in NFKC", text, got)
	}
}

func FuzzNormalize(f *testing.F) {
	f.Add("1½²₃ “x” \u00a0\u00ad\n\n \xff ﷺ ʹ")
	f.Fuzz(func(t *testing.T, text string) { checkNormalize(t, text) })
}
