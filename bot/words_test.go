package bot_test

import (
	"encoding/json"
	"os"
	"strings"
	"testing"

	"plumbline/bot"
	"plumbline/internal/gsm7"
	"plumbline/internal/text"
)

func TestHear(t *testing.T) {
	for _, tt := range []struct {
		text string
		want bot.Word
	}{
		{"STOP", bot.WordStop}, {"sToP", bot.WordStop}, {" stop. ", bot.WordStop}, {"Stop!!! 😡", bot.WordStop}, {"STOP ALL", bot.WordStop},
		{"please stop", bot.WordStop}, {"don't text me", bot.WordStop}, {"Don’t text me again", bot.WordStop}, {"ALTO", bot.WordStop},
		{"¡No me escriba más!", bot.WordStop}, {"OPT-OUT", bot.WordStop}, {"arrêt", bot.WordStop},
		{"how do I stop lead", bot.WordNone}, {"stop lead", bot.WordNone}, {"can I stop boiling now", bot.WordNone}, {"when will they stop the water", bot.WordNone},
		{"end of the boil notice?", bot.WordNone}, {"cancel my water account", bot.WordNone}, {"cómo paro la fuga", bot.WordNone}, {"no quiero más plomo", bot.WordNone},
		{"START", bot.WordStart}, {"unstop", bot.WordStart}, {"Empezar", bot.WordStart}, {"start flushing", bot.WordNone},
		{"YES", bot.WordYes}, {"Sí", bot.WordYes}, {"si hiervo el agua", bot.WordNone}, {"yes it is brown", bot.WordNone},
		{"HELP", bot.WordHelp}, {"help!!", bot.WordHelp}, {"SOS", bot.WordHelp}, {"¡Ayuda!", bot.WordHelp}, {"INFO", bot.WordHelp}, {"help my baby drank bleach", bot.WordNone},
		{"MORE", bot.WordMore}, {"más", bot.WordMore}, {"more?", bot.WordMore}, {"tell me more", bot.WordMore}, {"more about lead", bot.WordNone},
		{"why?", bot.WordWhy}, {"¿por qué?", bot.WordWhy}, {"why is it brown", bot.WordNone}, {"SOURCES", bot.WordSources}, {"fuentes", bot.WordSources},
		{"PERSON", bot.WordPerson}, {"Persona", bot.WordPerson}, {"can I talk to a person?", bot.WordPerson}, {"is a person at risk", bot.WordNone},
		{"FORGET", bot.WordForget}, {"Olvidar", bot.WordForget}, {"I forget which filter I bought", bot.WordNone}, {"forget it", bot.WordNone},
		{"MY DATA", bot.WordMyData}, {"mis datos", bot.WordMyData}, {"ESPAÑOL", bot.WordSpanish}, {"espanol", bot.WordSpanish}, {"in English please", bot.WordEnglish},
		{"who is this?", bot.WordIdentity}, {"r u a bot", bot.WordNone}, {"are you a bot", bot.WordIdentity}, {"¿Es usted una persona?", bot.WordIdentity},
		{"who reads this", bot.WordPrivacy}, {"will you tell my landlord I complained?", bot.WordPrivacy}, {"are you going to report me to ICE", bot.WordPrivacy},
		{"¿le va a decir a mi casero?", bot.WordPrivacy}, {"van a llamar a la migra", bot.WordPrivacy}, {"do you share this with the police", bot.WordPrivacy},
		{"soy indocumentada me van a reportar", bot.WordPrivacy}, {"will I be deported", bot.WordPrivacy}, {"can i get evicted for complaining", bot.WordPrivacy}, {"nos pueden deportar por preguntar", bot.WordPrivacy},
		{"will you tell me if my water is safe", bot.WordNone}, {"can you tell me who to call", bot.WordNone}, {"do I have to tell my landlord", bot.WordNone},
		{"can my landlord share the cost", bot.WordNone}, {"does the city report lead", bot.WordNone}, {"me puede decir si es segura", bot.WordNone},
		{"", bot.WordNone}, {"😀", bot.WordNone}, {strings.Repeat("stop ", 500), bot.WordNone},
	} {
		if got, _ := bot.Hear(tt.text); got != tt.want {
			t.Errorf("Hear(%.60q) = %q, want %q", tt.text, got, tt.want)
		}
	}
}

// No phrase means two things, and each is written as it is compared.
func TestWordsFile(t *testing.T) {
	b, err := os.ReadFile("words.json")
	if err != nil {
		t.Fatal(err)
	}
	var file map[bot.Word]map[bot.Language][]string
	if err := json.Unmarshal(b, &file); err != nil {
		t.Fatal(err)
	}
	seen := map[string]bot.Word{}
	for word, byLanguage := range file {
		for lang, list := range byLanguage {
			for _, p := range list {
				if other, ok := seen[p]; ok {
					t.Errorf("%q is both %s and %s", p, other, word)
				}
				seen[p] = word
				for _, form := range []string{p, strings.ToUpper(p), "  " + p + "!! "} {
					if got, gotLang := bot.Hear(form); got != word || gotLang != lang {
						t.Errorf("Hear(%q) = %q, %q; want %q, %q", form, got, gotLang, word, lang)
					}
				}
			}
		}
	}
	for _, p := range []string{"stop", "stopall", "unsubscribe", "cancel", "end", "quit", "revoke", "optout", "start", "unstop", "help", "info"} {
		if _, ok := seen[p]; !ok {
			t.Errorf("%q, which carriers know, is not among the words", p)
		}
	}
}

// Fixed texts fit two segments with a long name, in both languages, and nothing
// of them is lost when they are folded for a phone. One is spoken.
func TestFixedTexts(t *testing.T) {
	long := bot.House{Name: "Newark Water Coalition", Phone: "973-555-0199", KeepDays: 365, Sharing: map[bot.Language]string{
		bot.English: "We tell nobody outside the coalition what you text.", bot.Spanish: "No decimos a nadie de afuera lo que usted escribe.",
	}}
	for _, f := range bot.FixedTexts() {
		for _, lang := range []bot.Language{bot.English, bot.Spanish} {
			for _, h := range []bot.House{long, {}} {
				got := h.Text(f.ID, lang)
				if c := gsm7.Count(got); f.ID != "fixed.voice" && (c.Encoding != "GSM-7" || c.Units > 306) {
					t.Errorf("%s in %s is %d %s units: %q; want 306 of GSM-7 at most", f.ID, lang, c.Units, c.Encoding, got)
				}
				if got == "" || strings.ContainsAny(got, "[]") || strings.Contains(got, "  ") {
					t.Errorf("%s in %s reads %q", f.ID, lang, got)
				}
			}
		}
		if en := f.Texts[bot.English]; f.ID != "fixed.first_contact" { // whose wording was given to us
			if r := text.Measure(en); r.Grade != nil && *r.Grade > 5 {
				t.Errorf("%s is of grade %.1f: %q; want 5 at most", f.ID, *r.Grade, en)
			}
		}
	}
	if got := (bot.House{}).Text("fixed.person", bot.English); strings.Contains(got, "call .") || strings.Contains(got, "[PHONE]") {
		t.Errorf("without a number: %q", got)
	}
	if got := long.Text("fixed.privacy", bot.Spanish); !strings.HasPrefix(got, "No decimos a nadie") || !strings.Contains(got, "12 meses") {
		t.Errorf("fixed.privacy = %q", got)
	}
}
