package personas

import (
	"slices"
	"strings"
	"testing"
	"unicode"

	"plumbline/bot"
	"plumbline/internal/gsm7"
	"plumbline/internal/text"
)

func TestPersona(t *testing.T) {
	s := testSet(t)
	for _, tt := range []struct {
		id, want string
		ok       bool
	}{
		{"neighbor", "neighbor", true},
		{"cityhall", "cityhall", true},
		{"plain", "plain", true},
		{"", "plain", false},
		{"pirate", "plain", false},
	} {
		if p, ok := s.Persona(tt.id); p.ID != tt.want || ok != tt.ok {
			t.Errorf("Persona(%q) = %q, %t, want %q, %t", tt.id, p.ID, ok, tt.want, tt.ok)
		}
	}
	var ids []string
	for _, p := range s.All() {
		ids = append(ids, p.ID)
	}
	if want := []string{"cityhall", "neighbor", "plain"}; !slices.Equal(ids, want) {
		t.Errorf("All() = %q, want %q", ids, want)
	}
}

func TestAsked(t *testing.T) {
	s := testSet(t)
	for _, tt := range []struct {
		message, id, rest string
		ok                bool
	}{
		{"NEIGHBOR", "neighbor", "", true},
		{"neighbour please!", "", "", false},
		{"city hall", "cityhall", "", true},
		{"City Hall.", "cityhall", "", true},
		{"Plain", "plain", "", true},
		{"vecino", "neighbor", "", true},
		{"Alcaldía", "cityhall", "", true},
		{"alcaldia", "cityhall", "", true},
		{"sencillo por favor", "plain", "", true},
		{"talk to me like a neighbor: is my water ok?", "neighbor", "is my water ok", true},
		{"what is lead? explain like city hall", "cityhall", "what is lead", true},
		{"explíqueme como un vecino qué es el plomo", "neighbor", "qué es el plomo", true},
		{"just give me the facts", "plain", "", true},
		// Questions that only hold the words.
		{"who at city hall fixes pipes", "", "", false},
		{"my neighbor says bottled water has more lead", "", "", false},
		{"is plain water ok for my baby", "", "", false},
		{"mi vecino dice que el agua es mala", "", "", false},
		{"", "", "", false},
		{"??", "", "", false},
	} {
		if id, rest, ok := s.Asked(tt.message); id != tt.id || rest != tt.rest || ok != tt.ok {
			t.Errorf("Asked(%q) = %q, %q, %t, want %q, %q, %t", tt.message, id, rest, ok, tt.id, tt.rest, tt.ok)
		}
	}
}

func TestBreaches(t *testing.T) {
	s := testSet(t)
	neighbor, _ := s.Persona("neighbor")
	cityhall, _ := s.Persona("cityhall")
	for _, tt := range []struct {
		p       Persona
		told    string
		grounds []string
		want    []string
	}{
		{neighbor, "Don't worry, that is normal.", nil, []string{"don't worry", "normal"}},
		{neighbor, "DONT WORRY!", nil, []string{"don't worry"}},
		{neighbor, "That pipe is normally the biggest source.", nil, nil},
		{neighbor, "It is 100% safe.", nil, []string{"100% safe"}},
		{neighbor, "No se preocupe: es normal.", nil, []string{"no se preocupe", "normal"}},
		{neighbor, "My kids drink it.", nil, []string{"my kids"}},
		{neighbor, "A normal water heater.", []string{"In a normal water heater"}, nil},
		{neighbor, "That sounds scary.", nil, nil},
		{cityhall, "That is scary. I'm sorry.", nil, []string{"scary", "i'm sorry"}},
		{cityhall, "Lo siento.", nil, []string{"lo siento"}},
		{neighbor, "", nil, nil},
	} {
		if got := s.Breaches(tt.p, tt.told, tt.grounds...); !slices.Equal(got, tt.want) {
			t.Errorf("Breaches(%s, %q, %q) = %q, want %q", tt.p.ID, tt.told, tt.grounds, got, tt.want)
		}
	}
}

func TestPrompt(t *testing.T) {
	s := testSet(t)
	for _, p := range s.All() {
		for _, lang := range languages {
			got := s.Prompt(p, Brief{Language: lang, Feeling: Feeling{Sentiment: Frightened}, Characters: 306})
			if strings.ContainsAny(got, "{}") {
				t.Errorf("Prompt(%s, %s) = %q, want every slot filled", p.ID, lang, got)
			}
			want := []string{"306 characters", map[bot.Language]string{"en": "in English", "es": "in Spanish"}[lang], map[bot.Language]string{"en": `"don't worry"`, "es": `"no se preocupe"`}[lang]}
			for _, w := range want {
				if !strings.Contains(got, w) {
					t.Errorf("Prompt(%s, %s) = %q, want %q in it", p.ID, lang, got, w)
				}
			}
		}
	}
}

// said yields every text that a persona says, slots filled.
func said(p Persona, yield func(where string, lang bot.Language, say string)) {
	for _, lang := range languages {
		for _, o := range p.Openings {
			topic := map[bot.Language]string{bot.English: "brown water at the tap", bot.Spanish: "el agua con color"}[lang]
			yield("opening "+string(o.When)+" "+string(o.About), lang, strings.ReplaceAll(o.Say.In(lang), "{topic}", topic))
		}
		for name, f := range map[string]Frame{
			"limit": p.Frames.Limit, "next": p.Frames.Next, "again": p.Frames.Again, "proposed": p.Frames.Proposed,
			"not yet": p.Frames.NotYet, "source": p.Frames.Source, "agencies": p.Frames.Agencies,
		} {
			for _, t := range []Text{f.Wide, f.Narrow} {
				if t != nil {
					yield(name, lang, strings.NewReplacer("{source}", "", "{agencies}", "").Replace(t.In(lang)))
				}
			}
		}
	}
}

// TestSaid holds whatever a persona says of its own to the rules, read anew
// and not by the loader.
func TestSaid(t *testing.T) {
	s := testSet(t)
	n := 0
	for _, p := range s.All() {
		said(p, func(where string, lang bot.Language, say string) {
			n++
			cost := gsm7.Count(say)
			switch {
			case cost.Encoding != gsm7.GSM7:
				t.Errorf("%s: %s (%s) %q is not GSM-7", p.ID, where, lang, say)
			case cost.Units > 45:
				t.Errorf("%s: %s (%s) %q takes %d septets, more than 45", p.ID, where, lang, say, cost.Units)
			case strings.ContainsFunc(say, unicode.IsDigit) || len(text.Quantities(say)) > 0:
				t.Errorf("%s: %s (%s) %q has a number", p.ID, where, lang, say)
			case len(text.Negations(say)) > 0:
				t.Errorf("%s: %s (%s) %q denies something", p.ID, where, lang, say)
			case lang == bot.Spanish && len(gsm7.FoldChangesWord(say)) > 0:
				t.Errorf("%s: %s %q does not survive a fold", p.ID, where, say)
			case len(s.Breaches(p, say)) > 0:
				t.Errorf("%s: %s (%s) %q says %q", p.ID, where, lang, say, s.Breaches(p, say))
			case strings.HasPrefix(where, "opening") && p.ID == "cityhall":
				t.Errorf("%s has an opening: %q", p.ID, say)
			}
		})
	}
	if n < 60 {
		t.Errorf("%d texts were looked at, want those of every persona", n)
	}
	neighbor, _ := s.Persona("neighbor")
	if got := text.Measure(openingsOf(neighbor, bot.English)); got.Grade == nil || *got.Grade > 4 {
		t.Errorf("the neighbor's openings have grade %v, want 4 at most", got.Grade)
	}
}

func openingsOf(p Persona, lang bot.Language) string {
	var list []string
	for _, o := range p.Openings {
		list = append(list, strings.ReplaceAll(o.Say.In(lang), "{topic}", "The water"))
	}
	return strings.Join(list, " ")
}
