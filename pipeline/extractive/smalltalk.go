package extractive

import (
	"regexp"

	"plumbline/bot"
	"plumbline/kb"
)

// Small talk is heard as a whole message only, folded: "thanks, but is it safe"
// is a question.
var smallTalk = []struct {
	id    string
	heard *regexp.Regexp
	say   kb.Text // {about} is what the pack covers
}{
	{"greeting", regexp.MustCompile(`^(hi|hello|hey|yo|good (morning|afternoon|evening)|hola|buenos dias|buenas( tardes| noches)?|q tal|que tal)( there| amig[oa])?$`), kb.Text{
		"en": "Hello. This is an automated line. Text your question: I can look up {about}.",
		"es": "Hola. Le responde una computadora. Mande su pregunta: le puedo ayudar con {about}.",
	}},
	{"help", regexp.MustCompile(`^(help|help me|sos|ayuda|ayudeme|auxilio|socorro|info)$`), kb.Text{
		"en": "Is someone in danger? Call 911 now. Swallowed something bad? Poison Help 1-800-222-1222. Another question? Just text it. This is an automated line.",
		"es": "¿Hay peligro? Llame al 911 YA. Si se ha tragado algo malo: Poison Help 1-800-222-1222. ¿Otra pregunta? Mande su pregunta. Le responde una computadora.",
	}},
	{"thanks", regexp.MustCompile(`^(ok |okay )?(thanks|thank you|thx|ty|thank u|gracias|muchas gracias|mil gracias|ok gracias)( so much| a lot| very much| por todo)?( ok)?$`), kb.Text{
		"en": "You're welcome. Text me when you have another question.",
		"es": "De nada. Mande otra pregunta cuando quiera.",
	}},
	{"nod", regexp.MustCompile(`^(ok|okay|k|kk|yes|yeah|yep|y|no|nope|n|sure|cool|got it|si|claro|dale|vale|bueno|esta bien)$`), kb.Text{
		"en": "OK. Text me your next question any time.",
		"es": "Está bien. Mande otra pregunta cuando quiera.",
	}},
	{"identity", regexp.MustCompile(`^((is this|are you|r u|am i (talking|texting) to) (a |an )?(real )?(person|human|bot|robot|computer|machine|ai|someone real)|who (is this|are you|am i talking to)|(eres|es usted|usted es|es) (una? )?(persona|robot|maquina|computadora|bot)|quien (es|eres|habla)|con quien hablo)( or (a )?(person|human|bot|robot))?$`), kb.Text{
		"en": "I am an automated service, not a person. What I say is quoted from sources; text SOURCES after an answer to see them.",
		"es": "Le responde una computadora, no una persona. Lo que digo viene de fuentes; mande FUENTES para verlas.",
	}},
}

// link matches a message that is nothing but an address of the web.
var link = regexp.MustCompile(`(?i)^(https?://|www\.)\S+$`)

var openNoLink = kb.Text{
	"en": "I can't open links. Write your question in a few words: I can look up {about}.",
	"es": "No puedo abrir enlaces. Escriba su pregunta en pocas palabras: le puedo ayudar con {about}.",
}

// talk returns what to say to small talk and its id; empty for a question.
func talk(folded string, lang bot.Language) (id, say string) {
	for _, s := range smallTalk {
		if s.heard.MatchString(folded) {
			return s.id, s.say.In(string(lang))
		}
	}
	return "", ""
}
