package kbtest

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"plumbline/kb"
)

var (
	english = kb.Filter{Languages: []string{"en"}}
	spanish = kb.Filter{Languages: []string{"es"}}
)

func (s *suite) match(t *testing.T) {
	x := s.fill(t,
		says("boil", "en", "Boil the water for 1 minute."),
		says("bottled", "en", "Use bottled water for formula."),
		says("copper", "en", "Copper pipes and a corroded fitting"),
		says("lead", "en", "Lead gets into tap water from old lead pipes, solder and fittings."),
		says("limit", "en", "The limit for PFOA is 4.0 ppt, and for copper 1,300 ppb."),
		says("short", "en", "Nitrate"),
		says("tie-b", "en", "Flush the tap."),
		says("tie-c", "en", "Flush the tap."),
		says("tie-a", "en", "Flush the tap."),
		says("hervir", "es", "Hierva el agua por 1 minuto."),
		says("niños", "es", "El plomo daña a los niños pequeños."),
		says("tubería", "es", "El plomo sale de las tuberías viejas y causa contaminación."),
		says("dlo", "ht", "Bouyi dlo a anvan ou bwè li."),
	)
	for _, tt := range []struct {
		name, text string
		k          int
		filter     kb.Filter
		want       string // in order
	}{
		{"Plural", "boils", 9, english, "boil"},
		{"Singular", "pipe", 9, english, "copper lead"},
		{"Form", "corroding", 9, english, "copper"},
		{"Case", "NITRATES", 9, english, "short"},
		{"MoreWordsFirst", "old lead pipes", 9, english, "lead copper"},
		{"RarerWordFirst", "water minute", 9, english, "boil bottled lead"},
		{"ShorterTextFirst", "pipes", 9, english, "copper lead"},
		{"TiesByRecord", "flush", 9, english, "tie-a tie-b tie-c"},
		{"CutsTies", "flush", 2, english, "tie-a tie-b"},
		{"UpToK", "flush pipes", 1, english, "copper"},
		{"NoneWanted", "flush", 0, english, ""},
		{"LessThanNone", "flush", -1, english, ""},
		{"FunctionWordsAside", "what is the nitrate", 9, english, "short"},
		{"NoSuchWord", "radon", 9, english, ""},
		{"Number", "4.0", 9, english, "limit"},
		{"NumberWithUnit", "1300ppb", 9, english, "limit"},
		{"SpanishSingular", "tubería", 9, spanish, "tubería"},
		{"SpanishForm", "pequeñas", 9, spanish, "niños"},
		{"SpanishWithoutAccent", "tuberia", 9, spanish, "tubería"},
		{"SpanishPlural", "contaminaciones", 9, spanish, "tubería"},
		{"SpanishWithoutAccentInCion", "contaminacion", 9, spanish, "tubería"},
		{"SpanishWithoutTilde", "ninos", 9, spanish, "niños"},
		{"SpanishCombiningAccent", "tuberi\u0301a", 9, spanish, "tubería"},
		{"SpanishMoreWordsFirst", "plomo en tuberias", 9, spanish, "tubería niños"},
		{"OtherLanguage", "bouyi DLO", 9, kb.Filter{Languages: []string{"ht"}}, "dlo"},
		{"OnlyThatLanguage", "plomo", 9, english, ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if got := ids(match(t, x, tt.text, tt.k, tt.filter)); got != tt.want {
				t.Errorf("Match(%q, k %d, %q) finds %q, want %q", tt.text, tt.k, tt.filter.Languages, got, tt.want)
			}
		})
	}

	for name, tt := range map[string]struct {
		languages []string
		want      string // sorted: scores of two languages need not compare
	}{
		"AllLanguagesUnlessNamed": {nil, "boil dlo hervir niños tubería"},
		"SeveralLanguages":        {[]string{"ht", "en"}, "boil dlo"},
	} {
		t.Run(name, func(t *testing.T) {
			got := ids(sorted(match(t, x, "boil hierva bouyi plomo", 9, kb.Filter{Languages: tt.languages})))
			if got != tt.want {
				t.Errorf("Match in %q finds %q, want %q", tt.languages, got, tt.want)
			}
		})
	}
	t.Run("UpToKOfAllLanguages", func(t *testing.T) {
		if got := match(t, x, "boil hierva bouyi plomo", 2, kb.Filter{}); len(got) != 2 {
			t.Errorf("Match(k 2) finds %q, want 2 records", ids(got))
		}
	})
	t.Run("SaysWhatItFound", func(t *testing.T) {
		r := kb.Record{
			ID: "water/lead#0", Chunk: "water/lead", Paragraph: "lead.pipes", Pack: "water",
			Field: kb.FieldParagraph, Language: "en", Text: "Old lead pipes hold lead.", Vector: []float32{1, 0, 0},
		}
		got := match(t, s.fill(t, r, at("other", 1, 0, 0)), "why do pipes leach lead, lead", 1, kb.Filter{})
		if len(got) != 1 || got[0].Record != r.ID || got[0].Chunk != r.Chunk ||
			got[0].Paragraph != r.Paragraph || got[0].Field != r.Field {
			t.Fatalf("Match = %+v, want what %+v says", got, r)
		}
		if want := []string{"pipe", "lead"}; !slices.Equal(got[0].Terms, want) {
			t.Errorf("Terms = %q, want the stems %q, each once, in query order", got[0].Terms, want)
		}
	})
	t.Run("TermsAreThoseThatHit", func(t *testing.T) {
		for _, h := range match(t, x, "old pipes for the minute", 9, english) {
			want := map[string]string{"lead": "old pipe", "copper": "pipe", "boil": "minut"}[h.Record]
			if got := strings.Join(h.Terms, " "); got != want {
				t.Errorf("Terms of %s = %q, want %q", h.Record, got, want)
			}
		}
	})
}

// matchTakesAnyText throws query languages and broken text at Match. Words in
// it are found, and nothing else happens.
func (s *suite) matchTakesAnyText(t *testing.T) {
	x := s.fill(t,
		says("lead", "en", "lead pipes 50"), says("copper", "en", "copper wire"),
		says("plomo", "es", "plomo viejo"), says("emoji", "en", "💧 drops of [x] at 50% 💧"))
	const leadAndCopper = "copper lead"
	for _, tt := range []struct{ name, text, want string }{
		{"Empty", "", ""},
		{"Spaces", " \t\r\n\u00a0\u2003", ""},
		{"StopWords", "what is the of and", ""},
		{"Punctuation", `?!.,;:-_/\|()[]{}<>"'*~^%$#@&=+`, ""},
		{"Emoji", "💧🚰👩‍👧", ""},
		{"Nul", "\x00", ""},
		{"KNN", `*=>[KNN 9 @v $b] -"(|@{`, ""},
		{"Everything", "*", ""},
		{"Prefix", "copp* lea*", ""},
		{"Wildcard", "w'lea?' %copper%", "copper"},
		{"Fuzzy", "%leed%", ""},
		{"Percent", "50%", "emoji lead"},
		{"Semicolon", "lead;copper", leadAndCopper},
		{"Brackets", "[x]", "emoji"},
		{"Braces", "{lead} {copper}", leadAndCopper},
		{"NoNegation", "-lead -copper", leadAndCopper},
		{"NoField", "@text:lead @language:{es}", "lead"},
		{"NoParameter", "$lead $BLOB $", "lead"},
		{"NoQuotes", `"copper lead`, leadAndCopper},
		{"NoUnion", "lead|copper", leadAndCopper},
		{"NoOptional", "~lead", "lead"},
		{"NoGroup", "(lead (copper", leadAndCopper},
		{"NoAttributes", "lead=>{$weight: 0; $inorder: true}", "lead"},
		{"NoOperators", "lead AND NOT copper OR NEAR", leadAndCopper},
		{"Backslashes", `lead\ copper\`, leadAndCopper},
		{"Quotes", "'lead' ’copper’", leadAndCopper},
		{"InvalidUTF8", "\xff\xfelead\xc3(\xa0copper", leadAndCopper},
		{"NulBetween", "lead\x00copper", leadAndCopper},
		{"LineBreaks", "lead\r\ncopper\r\nFLUSHALL\r\n", leadAndCopper},
		{"EmojiBetween", "💧lead💧copper💧", leadAndCopper},
		{"FullWidth", "ＬＥＡＤ", "lead"},
		{"Template", "{{.Lead}} <script>copper</script>", leadAndCopper},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if got := ids(sorted(match(t, x, tt.text, 9, english))); got != tt.want {
				t.Errorf("Match(%q) finds %q, want %q", tt.text, got, tt.want)
			}
			for _, h := range match(t, x, tt.text, 9, kb.Filter{}) {
				if h.Record == "plomo" {
					t.Errorf("Match(%q) in all languages finds %s", tt.text, h.Record)
				}
			}
		})
	}

	var distinct strings.Builder
	for i := 0; distinct.Len() < 100_000; i++ {
		fmt.Fprintf(&distinct, "%cx%dy ", 'a'+i%26, i)
	}
	for name, long := range map[string]string{
		"OneWord100kB":      strings.Repeat("a", 100_000) + " lead",
		"RepeatedWord100kB": strings.Repeat("lead ", 20_000),
		"ManyWords100kB":    distinct.String() + "lead",
		"Parentheses100kB":  strings.Repeat("(", 50_000) + "lead" + strings.Repeat(")", 50_000),
	} {
		t.Run(name, func(t *testing.T) {
			if got := ids(match(t, x, long, 1, english)); got != "lead" {
				t.Errorf("Match(100 kB) finds %q, want lead", got)
			}
		})
	}
}
