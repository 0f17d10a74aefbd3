package personas

import (
	"slices"
	"strings"
	"testing"
	"unicode/utf8"
)

func TestWordsOf(t *testing.T) {
	for _, tt := range []struct{ text, want string }{
		{"", ""},
		{"Don't drink it!", "dont drink it"},
		{"EPA's goal, the U.S. rule", "epa goal the us rule"},
		{"8:30 a.m. to 4:30 p.m.", "8 30 am to 4 30 pm"},
		{"4.0 ppt of 1,300 or 0,3", "4.0 ppt of 1300 or 0 3"},
		{"10% or $5 at ½ cup", "10 % or $ 5 at 1 2 cup"},
		{"1½ is 1 1/2, ≥ 5 µg", "1 1 2 is 1 1 2 at least 5 ug"},
		{"Año, ¿qué más?", "ano que mas"},
		{"P.L.2021 and PM2.5", "p l 2021 and pm2 5"},
		{"NSF/ANSI 53", "nsf ansi 53"},
		{"e\u0301l", "el"},
	} {
		if got := strings.Join(textsOf(tt.text), " "); got != tt.want {
			t.Errorf("textsOf(%q) = %q, want %q", tt.text, got, tt.want)
		}
	}
}

func TestWordGaps(t *testing.T) {
	ws := wordsOf("No. Boil it, cool it: wait\nThen (maybe) drink; fine")
	var got []string
	for _, w := range ws {
		got = append(got, w.text+" "+[]string{"joined", "listed", "paused", "stopped", "starting"}[w.gap])
	}
	want := []string{
		"no starting", "boil stopped", "it joined", "cool listed", "it joined", "wait paused", "then stopped", "maybe paused", "drink paused", "fine stopped",
	}
	if !slices.Equal(got, want) {
		t.Errorf("wordsOf() = %q, want %q", got, want)
	}
}

func TestFinder(t *testing.T) {
	var f finder
	f.add(1, "at least", "more than")
	f.add(2, "prohib*", "not more than", "*ly")
	f.add(3, "least common")
	for _, tt := range []struct {
		text string
		want []hit
	}{
		{"At least five, more than ten", []hit{{1, 0, 2}, {1, 3, 5}}},
		{"it is prohibited", []hit{{2, 2, 3}}},
		{"not more than two", []hit{{2, 0, 3}}},
		{"no more. Than that", nil},
		{"at least common", []hit{{1, 0, 2}}},
		{"", nil},
	} {
		if got := f.all(wordsOf(tt.text)); !slices.Equal(got, tt.want) {
			t.Errorf("all(%q) = %v, want %v", tt.text, got, tt.want)
		}
	}
}

func FuzzWordsOf(f *testing.F) {
	f.Add("Don't! U.S. 1,300 ½ cup \xff a.b.c.d.e.f.g.h")
	f.Add("No.   Boil’s 'x' ’s")
	f.Fuzz(func(t *testing.T, s string) {
		at := 0
		for _, w := range wordsOf(s) {
			if w.Start < at && !strings.ContainsRune(signs, []rune(w.In(s))[0]) || w.End > len(s) || w.Start >= w.End {
				t.Fatalf("wordsOf(%q): %q is at %v, after byte %d", s, w.text, w.Span, at)
			}
			if w.text == "" || utf8.ValidString(s) && !utf8.ValidString(w.In(s)) {
				t.Fatalf("wordsOf(%q) has the word %q at %v", s, w.text, w.Span)
			}
			at = w.End
		}
	})
}
