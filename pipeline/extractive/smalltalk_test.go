package extractive

import (
	"testing"

	"plumbline/bot"
	"plumbline/pipeline"
)

func TestTalk(t *testing.T) {
	for _, tt := range []struct{ text, id string }{
		{"Hi!", "greeting"}, {"Good morning", "greeting"}, {"¡Hola!", "greeting"}, {"buenas tardes", "greeting"},
		{"thank you so much", "thanks"}, {"Gracias.", "thanks"}, {"HELP!", "help"}, {"Ayuda", "help"}, {"help my water is brown", ""}, {"ok thanks", "thanks"},
		{"are you a real person?", "identity"}, {"r u a bot", "identity"}, {"¿Quién es?", "identity"}, {"es una persona o", ""},
		{"ok", "nod"}, {"No.", "nod"}, {"¡Sí!", "nod"}, {"no water", ""}, {"hi is my water ok", ""}, {"thanks but is it safe to drink", ""}, {"who are you to tell me", ""}, {"hey my water is brown", ""},
		{"gracias y el plomo", ""}, {"", ""}, {"is this a lead pipe", ""},
	} {
		if id, say := talk(pipeline.Fold(tt.text), bot.English); id != tt.id || (say != "") != (id != "") {
			t.Errorf("talk(%q) = %q, %q; want %q", tt.text, id, say, tt.id)
		}
	}
}
