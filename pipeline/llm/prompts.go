package llm

import (
	"embed"
	"fmt"
	"strings"
	"text/template"
)

//go:embed prompts/*.txt
var promptFiles embed.FS

// dataMarks writes text so that it cannot end the element that it stands in.
var dataMarks = strings.NewReplacer("&", "&amp;", "<", "&lt;", ">", "&gt;")

// prompts are the templates, by stage: what stands above the line of dashes is
// the system's message, what stands below the user's.
var prompts = func() map[string][2]*template.Template {
	funcs := template.FuncMap{
		"data": func(s string) string { return dataMarks.Replace(strings.TrimSpace(s)) },
		"inc":  func(i int) int { return i + 1 },
	}
	m := map[string][2]*template.Template{}
	for _, stage := range StageNames() {
		b, err := promptFiles.ReadFile("prompts/" + stage + ".txt")
		if err != nil {
			panic(err) // part of the binary
		}
		system, user, ok := strings.Cut(string(b), "\n---\n")
		if !ok {
			panic("prompts/" + stage + ".txt has no line ---")
		}
		m[stage] = [2]*template.Template{
			template.Must(template.New(stage).Funcs(funcs).Option("missingkey=error").Parse(system)),
			template.Must(template.New(stage).Funcs(funcs).Option("missingkey=error").Parse(user)),
		}
	}
	return m
}()

// prompt fills in the templates of a stage. data is the stage's own type, which
// a test tries out on every template.
func prompt(stage string, data any) []Message {
	var out [2]strings.Builder
	for i, t := range prompts[stage] {
		if err := t.Execute(&out[i], data); err != nil {
			panic(fmt.Sprintf("prompt %s: %v", stage, err))
		}
	}
	return []Message{{"system", strings.TrimSpace(out[0].String())}, {"user", strings.TrimSpace(out[1].String())}}
}

// withShape says in the prompt what the reply must look like, for servers that
// do not take a schema.
func withShape(messages []Message, s *Schema) []Message {
	out := append([]Message(nil), messages...)
	out[0].Content += "\n\nThe JSON object must fit this JSON schema. Write the object alone: no other words, no code fence.\n" + string(s.JSON)
	return out
}

// A room is how many characters data may still take in a prompt.
type room int

// take cuts s to what is left and counts it.
func (r *room) take(s string) string {
	s = cut(s, max(0, int(*r)))
	*r -= room(len([]rune(s)))
	return s
}
