package web

import (
	"fmt"
	"html/template"
	"strings"

	"plumbline/bot"
	"plumbline/internal/gsm7"
)

// chrome is what the page says of its own. Both languages stand in the page,
// and the language of the document says which is shown: a conversation that
// changes its language changes the page without loading it anew.
var chrome = map[string]Text{
	"automated":    {bot.English: "Automated line, not a person.", bot.Spanish: "Línea automática, no una persona."},
	"emergency":    {bot.English: "Emergency? Call", bot.Spanish: "¿Emergencia? Llame al"},
	"demo":         {bot.English: "Demo: wordings not yet approved.", bot.Spanish: "Demo: textos aún sin aprobar."},
	"skip":         {bot.English: "To the text box", bot.Spanish: "Al cuadro de texto"},
	"messages":     {bot.English: "Messages", bot.Spanish: "Mensajes"},
	"hello":        {bot.English: "Text a question in your own words.", bot.Spanish: "Mande su pregunta con sus propias palabras."},
	"for-example":  {bot.English: "For example:", bot.Spanish: "Por ejemplo:"},
	"you":          {bot.English: "You:", bot.Spanish: "Usted:"},
	"how":          {bot.English: "See the evidence", bot.Spanish: "Ver la evidencia"},
	"writing":      {bot.English: "Your text is in. The reply is on its way.", bot.Spanish: "Su texto llegó. La respuesta está en camino."},
	"check":        {bot.English: "Check for the reply", bot.Spanish: "Ver si ya hay respuesta"},
	"late":         {bot.English: "No reply yet. Your text is kept; the reply will appear here.", bot.Spanish: "Aún sin respuesta. Su texto está guardado; la respuesta aparecerá aquí."},
	"offline":      {bot.English: "Not connected. Trying again.", bot.Spanish: "Sin conexión. Se intenta de nuevo."},
	"unsent":       {bot.English: "We could not reach the line, so your text may not be sent. It is still in the box: send it again. It will not count twice.", bot.Spanish: "No hay conexión con la línea y quizás su texto no salió. Sigue en el cuadro: mándelo otra vez. No contará dos veces."},
	"not-taken":    {bot.English: "Your text was not taken: the line is not working right now. It is still in the box: send it again in a moment. In an emergency call 911.", bot.Spanish: "Su texto no se recibió: la línea no funciona ahora. Sigue en el cuadro: mándelo otra vez en un momento. En una emergencia llame al 911."},
	"not-accepted": {bot.English: "Your text was not accepted. It is still in the box: change it and send it again. In an emergency call 911.", bot.Spanish: "Su texto no se aceptó. Sigue en el cuadro: cámbielo y mándelo otra vez. En una emergencia llame al 911."},
	"too-long":     {bot.English: "That is more than one text can hold: 1,600 characters. Nothing was sent and all of it is still in the box: make it shorter, or send it in parts. In an emergency call 911.", bot.Spanish: "Es más de lo que cabe en un texto: 1,600 caracteres. No se mandó nada y todo sigue en el cuadro: acórtelo o mándelo por partes. En una emergencia llame al 911."},
	"far-too-long": {bot.English: "That is far more than one text can hold: 1,600 characters. Nothing was sent. Go back to find what you wrote, and send a part of it. In an emergency call 911.", bot.Spanish: "Es mucho más de lo que cabe en un texto: 1,600 caracteres. No se mandó nada. Vuelva atrás para ver lo que escribió y mande una parte. En una emergencia llame al 911."},
	"your-text":    {bot.English: "Your text", bot.Spanish: "Su texto"},
	"send":         {bot.English: "Send", bot.Spanish: "Enviar"},
	"more-ways":    {bot.English: "Voice, language, start over", bot.Spanish: "Voz, idioma, empezar de nuevo"},
	"voice":        {bot.English: "Voice and language", bot.Spanish: "Voz e idioma"},
	"start-over":   {bot.English: "Start over", bot.Spanish: "Empezar de nuevo"},

	"organiser":         {bot.English: "For organisers", bot.Spanish: "Para quien organiza"},
	"behind":            {bot.English: "Behind the answer", bot.Spanish: "Detrás de la respuesta"},
	"nothing-yet":       {bot.English: "Once a question is answered, its evidence stands here: what the sources say, what they leave open, and how the answer was worked out.", bot.Spanish: "Cuando haya una respuesta, aquí estará su evidencia: qué dicen las fuentes, qué dejan abierto y cómo se llegó a la respuesta."},
	"not-kept":          {bot.English: "What stands behind this answer is not kept any more.", bot.Spanish: "Lo que sostiene esta respuesta ya no se guarda."},
	"not-now":           {bot.English: "What stands behind this answer cannot be shown right now.", bot.Spanish: "Lo que sostiene esta respuesta no se puede mostrar ahora."},
	"city-hall":         {bot.English: "For the council record", bot.Spanish: "Para el acta del concejo"},
	"as-told":           {bot.English: "As it was told", bot.Spanish: "Tal como se dijo"},
	"not-known":         {bot.English: "What is not known", bot.Spanish: "Lo que no se sabe"},
	"claims":            {bot.English: "What the sources say", bot.Spanish: "Lo que dicen las fuentes"},
	"no-claims":         {bot.English: "This answer states nothing from a source.", bot.Spanish: "Esta respuesta no afirma nada de una fuente."},
	"gaps":              {bot.English: "Gaps in the evidence", bot.Spanish: "Huecos en la evidencia"},
	"none-open":         {bot.English: "The audit left no question open.", bot.Spanish: "La revisión no dejó preguntas abiertas."},
	"undated":           {bot.English: "undated", bot.Spanish: "sin fecha"},
	"no-gaps":           {bot.English: "The audit found no gap in the evidence.", bot.Spanish: "La revisión no halló huecos en la evidencia."},
	"closed-by":         {bot.English: "Closed by", bot.Spanish: "Cerrado por"},
	"still-open":        {bot.English: "Still open", bot.Spanish: "Sigue abierto"},
	"pass":              {bot.English: "pass", bot.Spanish: "vuelta"},
	"read-on":           {bot.English: "read", bot.Spanish: "leído"},
	"trace":             {bot.English: "Trace this answer step by step", bot.Spanish: "Seguir esta respuesta paso a paso"},
	"role-danger":       {bot.English: "Danger", bot.Spanish: "Peligro"},
	"role-direct":       {bot.English: "Answer", bot.Spanish: "Respuesta"},
	"role-context":      {bot.English: "Context", bot.Spanish: "Contexto"},
	"role-next":         {bot.English: "Next step", bot.Spanish: "Siguiente paso"},
	"how-primary":       {bot.English: "the source itself", bot.Spanish: "la fuente misma"},
	"how-secondary":     {bot.English: "as others quote it", bot.Spanish: "según otros la citan"},
	"how-official-copy": {bot.English: "an official copy", bot.Spanish: "una copia oficial"},

	"status-answered":             {bot.English: "Answered", bot.Spanish: "Respondida"},
	"status-answered_with_limits": {bot.English: "Answered, with limits", bot.Spanish: "Respondida, con límites"},
	"status-partly_answered":      {bot.English: "Partly answered", bot.Spanish: "Respondida en parte"},
	"status-not_in_sources":       {bot.English: "Not in the sources", bot.Spanish: "No está en las fuentes"},
	"status-local_only":           {bot.English: "Only someone there can know", bot.Spanish: "Solo se sabe en el lugar"},
	"status-out_of_scope":         {bot.English: "Not what this line is for", bot.Spanish: "No es para esta línea"},
	"status-refused_for_safety":   {bot.English: "Refused for safety", bot.Spanish: "Negada por seguridad"},
	"status-emergency":            {bot.English: "Emergency", bot.Spanish: "Emergencia"},
	"status-technical_failure":    {bot.English: "A fault of ours", bot.Spanish: "Una falla nuestra"},
}

// offers are the words that get more of a reply, as people text them.
var offers = map[bot.Word]Text{
	bot.WordMore:    {bot.English: "MORE", bot.Spanish: "MAS"},
	bot.WordWhy:     {bot.English: "WHY", bot.Spanish: "POR QUE"},
	bot.WordSources: {bot.English: "SOURCES", bot.Spanish: "FUENTES"},
	bot.WordPerson:  {bot.English: "PERSON", bot.Spanish: "PERSONA"},
	bot.WordHelp:    {bot.English: "HELP", bot.Spanish: "AYUDA"},
	bot.WordYes:     {bot.English: "YES", bot.Spanish: "SI"},
}

// both is t in both languages; the style sheet shows one.
func both(t Text) template.HTML {
	en, es := t.In(bot.English), t.In(bot.Spanish)
	if en == es {
		return template.HTML(template.HTMLEscapeString(en))
	}
	return template.HTML(fmt.Sprintf(`<span class="en" lang="en">%s</span><span class="es" lang="es">%s</span>`,
		template.HTMLEscapeString(en), template.HTMLEscapeString(es)))
}

// words are the page's own words of that name, in both languages.
func (p *Phone) words(name string) (template.HTML, error) {
	t, ok := chrome[name]
	if !ok {
		return "", fmt.Errorf("the page has no words %q", name)
	}
	return both(t), nil
}

// named is the page's name for a value of ours, such as a status, or the value
// itself if it is a new one.
func named(kind string, value any) template.HTML {
	if t, ok := chrome[fmt.Sprint(kind, value)]; ok {
		return both(t)
	}
	return template.HTML(template.HTMLEscapeString(fmt.Sprint(value)))
}

// cost is what sending a text takes, in both languages.
func (p *Phone) cost(c gsm7.Cost) template.HTML {
	say := func(segment, segments, units string) string {
		if c.Segments != 1 {
			segment = segments
		}
		s := fmt.Sprintf("%d %s, %d %s, %s", c.Segments, segment, c.Units, units, c.Encoding)
		if p.config.Cents > 0 {
			s += fmt.Sprintf(", %.2f¢", p.config.Cents*float64(c.Segments))
		}
		return strings.ReplaceAll(s, ", ", " · ")
	}
	return both(Text{bot.English: say("segment", "segments", "units"), bot.Spanish: say("segmento", "segmentos", "unidades")})
}
