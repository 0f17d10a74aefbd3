package safety

import (
	"errors"
	"slices"
	"strings"
	"testing"
	"unicode/utf16"
)

// gsm7 is the GSM 03.38 alphabet; the second string costs two septets each.
const (
	gsm7       = "@£$¥èéùìòÇ\nØø\rÅåΔ_ΦΓΛΩΠΨΣΘΞÆæßÉ !\"#¤%&'()*+,-./0123456789:;<=>?¡ABCDEFGHIJKLMNOPQRSTUVWXYZÄÖÑÜ§¿abcdefghijklmnopqrstuvwxyzäöñüà"
	gsm7Escape = "^{}\\[~]|€"
)

// septets counts what a text costs; ok is false if it is not GSM-7.
func septets(s string) (n int, ok bool) {
	for _, r := range s {
		switch {
		case strings.ContainsRune(gsm7, r):
			n++
		case strings.ContainsRune(gsm7Escape, r):
			n += 2
		default:
			return 0, false
		}
	}
	return n, true
}

// fold is what smart encoding does to Spanish before it is sent.
var fold = strings.NewReplacer("á", "a", "í", "i", "ó", "o", "ú", "u", "Á", "A", "Í", "I", "Ó", "O", "Ú", "U")

func TestFixedTextsFit(t *testing.T) {
	r := newRouter(t)
	slots := map[string]string{"NAME": "Newark Water Coalition", "PHONE": "973-555-0100"}
	texts := r.FixedTexts()
	if len(texts) < 40 {
		t.Fatalf("FixedTexts() has %d, want all of them", len(texts))
	}
	for _, f := range texts {
		if !strings.HasPrefix(f.ID, "fixed.") {
			t.Errorf("FixedTexts() has id %q, want fixed.…", f.ID)
		}
		for lang := range f.Texts {
			s, err := r.Fixed(f.ID, lang, slots)
			if err != nil {
				t.Errorf("Fixed(%q, %q) = %v", f.ID, lang, err)
				continue
			}
			if lang == "ar" {
				if n := len(utf16.Encode([]rune(s))); n > 134 {
					t.Errorf("Fixed(%q, ar) takes %d units, want at most 134", f.ID, n)
				}
				continue
			}
			if n, ok := septets(fold.Replace(s)); !ok || n > maxText {
				t.Errorf("Fixed(%q, %q) takes %d septets, GSM-7 %v; want at most %d: %q", f.ID, lang, n, ok, maxText, s)
			}
			if strings.ContainsAny(s, "{}[]") {
				t.Errorf("Fixed(%q, %q) = %q, want no open slot", f.ID, lang, s)
			}
		}
	}
}

// TestTextsAreAsApproved holds lengths that safety.md counted, so that no word
// changes unnoticed.
func TestTextsAreAsApproved(t *testing.T) {
	r := newRouter(t)
	for id, want := range map[string][2]int{
		"fixed.life_threat": {154, 143}, "fixed.fumes": {193, 195}, "fixed.blue_baby": {190, 191}, "fixed.self_harm": {178, 189},
		"fixed.gas_fire": {176, 174}, "fixed.carbon_monoxide": {185, 194}, "fixed.notice_dnd": {269, 259}, "fixed.dialysis": {269, 267},
		"fixed.child_lead": {239, 242}, "fixed.violence": {254, 232}, "fixed.threat": {212, 216}, "fixed.tampering": {173, 161},
		"fixed.swallowed.child": {224, 238}, "fixed.notice_boil": {286, 302}, "fixed.notice_boil.more": {286, 291},
	} {
		for i, lang := range []string{"en", "es"} {
			s, err := r.Fixed(id, lang, nil)
			if err != nil {
				t.Fatal(err)
			}
			if n, _ := septets(fold.Replace(s)); n != want[i] {
				t.Errorf("Fixed(%q, %q) takes %d septets, want %d: %q", id, lang, n, want[i], s)
			}
		}
	}
}

// TestFirstNumber holds the number that stands first in each emergency's text.
func TestFirstNumber(t *testing.T) {
	r := newRouter(t)
	for _, route := range r.routes {
		if route.Kind != emergency {
			continue
		}
		want := "911"
		if route.ID == "self_harm" {
			want = "988"
		}
		for _, lang := range []string{"en", "es"} {
			for _, person := range []string{"child", "self", "adult", "unknown"} {
				first, _ := r.Text(Verdict{Route: route.ID, Emergency: true, Person: person}, lang)
				if numbers := r.numbersIn(first); len(numbers) == 0 || numbers[0] != want {
					t.Errorf("Text(%s, %s, %s) names %v, want %s first", route.ID, person, lang, numbers, want)
				}
			}
		}
		for _, spoken := range []string{"pt", "ht", "fr", "ar", "xx"} {
			first, more := r.Text(Verdict{Route: route.ID, Emergency: true, Spoken: spoken, Lang: "other"}, "other")
			if numbers := r.numbersIn(first); len(numbers) == 0 || numbers[0] != "911" || more != nil {
				t.Errorf("Text(%s) for %s = %q, want 911 first and no more", route.ID, spoken, first)
			}
			if has := strings.Contains(first, "988"); route.ID == "self_harm" && !has {
				t.Errorf("Text(self_harm) for %s = %q, want 988 as well", spoken, first)
			}
		}
	}
}

// TestSeveralRoutes sends all numbers, the emergency number first.
func TestSeveralRoutes(t *testing.T) {
	r := newRouter(t)
	own := map[string]string{"swallowed": "1-800-222-1222", "fumes": "1-800-222-1222", "self_harm": "988", "threat": "988",
		"gas_fire": "1-800-880-7734", "violence": "1-800-572-7233", "tampering": "1-877-927-6337"}
	for i, a := range r.routes {
		for _, b := range r.routes[i+1:] {
			if a.Kind != emergency || b.Kind != emergency {
				continue
			}
			for _, lang := range []string{"en", "es"} {
				first, more := r.Text(Verdict{Route: a.ID, Also: []string{b.ID}, Emergency: true, Person: "child"}, lang)
				if n, ok := septets(fold.Replace(first)); !ok || n > maxText {
					t.Errorf("Text(%s and %s, %s) takes %d septets, want at most %d", a.ID, b.ID, lang, n, maxText)
				}
				numbers := r.numbersIn(first)
				if len(numbers) == 0 || numbers[0] != "911" {
					t.Errorf("Text(%s and %s, %s) = %q, want 911 first", a.ID, b.ID, lang, first)
				}
				all := strings.Join(append(more, first), " ")
				for _, id := range []string{a.ID, b.ID} {
					if n := own[id]; n != "" && !strings.Contains(all, n) {
						t.Errorf("Text(%s and %s, %s) = %q, want %s in it", a.ID, b.ID, lang, all, n)
					}
				}
			}
		}
	}
	v := r.Triage(Input{Text: "I took something from under the sink on purpose. I dont want to be here"})
	first, _ := r.Text(v, v.Lang)
	if !strings.Contains(first, "988") || !slices.Equal(v.Numbers, []string{"911", "1-800-222-1222", "988"}) {
		t.Errorf("Text(on purpose) = %q, numbers %v; want 911, Poison Help and 988", first, v.Numbers)
	}
}

func TestTextByHazard(t *testing.T) {
	r := newRouter(t)
	for text, want := range map[string]string{
		"our pipes are lead can i mix formula with tap":                              "Boiling does not take out lead.",
		"high nitrates in our well, should i boil for his bottle, hes 5 weeks":       "don't boil it",
		"boil notice and i bottle feed what do i do":                                 "ready-to-feed if you can",
		"DO NOT DRINK IN MY CITY AND BABY NEEDS A BOTTLE NOW":                        "even boiled",
		"boil notice, lead pipes and baby formula":                                   "does not take out lead",
		"we're under a boil water advisory and I have a lead line, fix both?":        "does not take out lead",
		"mom is on chemo, boil alert in our town, can she shower":                    "ask your care team",
		"puedo hacer la leche del bebe con agua de la llave, mi tuberia es de plomo": "Hervir no quita el plomo.",
	} {
		v := r.Triage(Input{Text: text})
		if first, _ := r.Text(v, v.Lang); !strings.Contains(first, want) {
			t.Errorf("Text(%q) = %q (%s, hazard %q), want %q in it", text, first, v.Route, v.Hazard, want)
		}
	}
}

func TestFixed(t *testing.T) {
	r := newRouter(t)
	slots := map[string]string{"NAME": "Plumbline"}
	got, err := r.Fixed("fixed.stop", "es", slots)
	if want := "Plumbline: ya no va a recibir textos"; err != nil || !strings.HasPrefix(got, want) {
		t.Errorf("Fixed(stop, es) = %q, %v; want %q…", got, err, want)
	}
	for _, tt := range []struct {
		id, lang, want string
		slots          map[string]string
	}{
		{"fixed.nothing", "en", `no fixed text "fixed.nothing"`, slots},
		{"fixed.stop", "pt", `no words for language "pt"`, slots},
		{"fixed.help", "en", "needs [PHONE]", slots},
		{"fixed.stop", "en", "needs [NAME]", nil},
	} {
		if got, err := r.Fixed(tt.id, tt.lang, tt.slots); !errors.Is(err, ErrRules) || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("Fixed(%q, %q, %v) = %q, %v; want error %q", tt.id, tt.lang, tt.slots, got, err, tt.want)
		}
	}
	if got, err := r.Fixed("fixed.other_language", "de", nil); err != nil || !strings.HasPrefix(got, "Emergency: call 911.") {
		t.Errorf("Fixed(other_language, de) = %q, %v; want the text for any language", got, err)
	}
}
