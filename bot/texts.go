package bot

import (
	"cmp"
	_ "embed"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"

	"plumbline/internal/text"
)

//go:embed texts.json
var textsJSON []byte

// texts are the conversation's own texts, by id ("fixed.stop") and language.
var texts = func() map[string]map[Language]string {
	m := map[string]map[Language]string{}
	if err := json.Unmarshal(textsJSON, &m); err != nil {
		panic(err) // part of the binary; a test reads it
	}
	return m
}()

// FixedSource is the source of texts that are ours and not a document's.
var FixedSource = Source{Agency: "Plumbline", Title: "Fixed safety texts", Date: "2026-11-30", How: "primary", Read: "2026-11-30"}

// A FixedText is a text that is sent as it is, but for [NAME] and the like.
type FixedText struct {
	ID    string
	Texts map[Language]string
}

// FixedTexts lists the conversation's own texts in order of id, for export and
// approval.
func FixedTexts() []FixedText {
	var list []FixedText
	for _, id := range slices.Sorted(maps.Keys(texts)) {
		list = append(list, FixedText{id, maps.Clone(texts[id])})
	}
	return list
}

// A House is who runs the line, as fixed texts name them. What is empty is not
// said: a sentence that would name it is left out.
type House struct {
	Name     string              // "Newark Water Coalition"
	Phone    string              // of the staff
	KeepDays int                 // how long the record keeps a turn
	Sharing  map[Language]string // who else is shown what people text
}

// Called is who runs the line as texts name them: Name, or Plumbline if there
// is none.
func (h House) Called() string { return cmp.Or(h.Name, "Plumbline") }

// Text returns the fixed text id in lang, or in English if there is none.
func (h House) Text(id string, lang Language) string {
	byLanguage, ok := texts[id]
	if !ok {
		panic("no fixed text " + id)
	}
	t, ok := byLanguage[lang]
	if !ok {
		lang, t = English, byLanguage[English]
	}
	slots := map[string]string{"[NAME]": h.Called(), "[PHONE]": h.Phone, "[KEEP]": keeping(h.KeepDays, lang), "[SHARING]": h.Sharing[lang]}
	t = strings.TrimPrefix(t, "[SHARING] ")
	var said []string
	if s := slots["[SHARING]"]; s != "" && strings.HasPrefix(byLanguage[lang], "[SHARING]") {
		said = append(said, s)
	}
sentences:
	for _, span := range text.Sentences(t) {
		s := span.In(t)
		for slot, v := range slots {
			if !strings.Contains(s, slot) {
				continue
			}
			if v == "" {
				continue sentences
			}
			s = strings.ReplaceAll(s, slot, v)
		}
		said = append(said, s)
	}
	return strings.Join(said, " ")
}

// keeping says how long days are, months rounded up, in words without accents
// that texts would lose.
func keeping(days int, lang Language) string {
	n, unit := days, map[Language][2]string{English: {"day", "days"}, Spanish: {"dia", "dias"}}
	switch {
	case days <= 0:
		return ""
	case days >= 60:
		n, unit = (days*12+364)/365, map[Language][2]string{English: {"month", "months"}, Spanish: {"mes", "meses"}}
	}
	if n == 1 {
		return "1 " + unit[lang][0]
	}
	return fmt.Sprintf("%d %s", n, unit[lang][1])
}
