package safety

import (
	"strings"
	"testing"
)

// TestProbes asks by kinds of writing what no labelled file asks in such a form.
func TestProbes(t *testing.T) {
	r := newRouter(t)
	filler := strings.Repeat("so anyway i was telling my neighbor about the meter and the man said to come back on monday and then we talked about the garden ", 8)
	for _, tt := range []struct{ kind, text, want string }{
		{"fragment", "he's blue", "life_threat"},
		{"fragment", "no respira", "life_threat"},
		{"fragment", "not breathing", "life_threat"},
		{"fragment", "nao respira", "life_threat"},
		{"fragment", "li pa respire", "life_threat"},
		{"fragment", "drank bleach", "swallowed"},
		{"capitals", "MY SON IS NOT BREATHING", "life_threat"},
		{"capitals", "SE TOMO EL CLORO", "swallowed"},
		{"repeated letters", "heeelp shes nooot breathiiing", "life_threat"},
		{"repeated letters", "ayudaaa se muereee mi papaaa", "life_threat"},
		{"digits for letters", "su1cide thoughts", "self_harm"},
		{"digits for letters", "i want to d1e", "self_harm"},
		{"digits for letters", "my kid drank bl3ach", "swallowed"},
		{"typing errors", "she swalowed beach cleaner bleech", "swallowed"},
		{"typing errors", "hes unconsious and wont repsond", "life_threat"},
		{"no accents", "mi bebe se puso azul y le falta el aire", "blue_baby"},
		{"text speak", "kms", "self_harm"},
		{"text speak", "my bro od'd", "life_threat"},
		{"dictated", filler + "and my husband is on the floor not breathing " + filler, "life_threat"},
		{"dictated", filler + "and my little girl drank the bleach " + filler, "swallowed"},
		{"a child writes", "my mommy wont wake up im 6", "life_threat"},
		{"a child writes", "tengo 8 y mi papa le pega a mi mama", "violence"},
		{"somebody said", "my friend said she wants to kill herself", "self_harm"},
		{"Puerto Rico", "a mami le dio un yeyo y no reacciona", "life_threat"},
		{"Dominican Republic", "el tiguere se guindo y no respira", "life_threat"},
		{"Mexico", "mi jefita se desmayo y no vuelve en si", "life_threat"},
		{"Ecuador", "mi ñaño se tomo el veneno", "swallowed"},
		{"Brazil", "meu nenem engasgou e ta roxo", "life_threat"},
		{"Brazil", "minha filha bebeu agua sanitaria", "swallowed"},
		{"Haiti", "pitit mwen an bwe klowoks", "swallowed"},

		{"news", "saw on cnn that a man drank bleach", ""},
		{"news", "en las noticias dijeron que un niño tomo cloro", ""},
		{"a thing", "the printer wont wake up", ""},
		{"a thing", "se desmayo la planta con este calor", ""},
		{"a thing", "our pump is gasping", ""},
		{"solved", "we had a gas leak in march, pseg fixed it the same day", ""},
		{"solved", "my son drank shampoo when he was 2, hes 19 now", ""},
		{"with a permit", "crew painting the water tower, they have a permit", ""},
		{"whom to call", "if i ever smell gas who do i call", ""},
		{"time taken", "me tomo 2 horas llegar", ""},
	} {
		if v := r.Triage(Input{Text: tt.text}); v.Route != tt.want {
			t.Errorf("%s: Triage(%.80q).Route = %q %v, want %q", tt.kind, tt.text, v.Route, ids(v.Why), tt.want)
		}
	}
}

// TestHighLead: a result of 45 or more is for a doctor now; a part of a number,
// or one below, is not 45.
func TestHighLead(t *testing.T) {
	r := newRouter(t)
	for _, tt := range []struct {
		text string
		high bool
	}{
		{"my sons blood lead came back 47", true},
		{"bll 45", true},
		{"nivel de plomo 52 en la sangre de mi hija", true},
		{"my sons blood lead came back 44", false},
		{"my sons blood lead came back 5.47", false},
		{"my sons blood lead came back 8", false},
	} {
		v := r.Triage(Input{Text: tt.text})
		first, _ := r.Text(v, v.Lang)
		now := strings.Contains(first, "doctor now") || strings.Contains(first, "doctor YA")
		if v.Route != "child_lead" || now != tt.high {
			t.Errorf("Text(Triage(%q)) = route %q, %q; want child_lead, doctor now %v", tt.text, v.Route, first, tt.high)
		}
	}
}
