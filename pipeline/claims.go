package pipeline

import (
	"slices"
	"strings"

	"plumbline/bot"
	"plumbline/kb"
)

// Quote makes a claim of a paragraph: its plain wording where the channel is
// narrow, else the exact one. A paragraph that lacks lang is quoted in English.
func Quote(lib *kb.Library, chunk string, p kb.Paragraph, lang string, narrow bool) bot.Claim {
	phrases := lib.Wordings(p, lang)
	if len(phrases) == 0 {
		phrases = lib.Wordings(p, "en")
	}
	say := phrases[0]
	if !narrow {
		say = phrases[len(phrases)-1]
	}
	src, _ := lib.Source(p)
	return bot.Claim{
		Text:     say.Text,
		Evidence: []bot.Evidence{{Chunk: chunk, Paragraph: p.ID, Quote: say.Text, Source: src.Bot()}},
	}
}

// StepClaim makes a claim of a next step. It quotes the step's own words and
// names the source of what they rest on.
func StepClaim(lib *kb.Library, n kb.NextStep, lang string) bot.Claim {
	say := n.Say.In(lang)
	var src bot.Source
	for _, id := range n.Cite {
		if ph, ok := lib.Phone(id); ok {
			s, _ := lib.PhoneSource(ph)
			src = s.Bot()
			break
		}
		if p, ok := lib.Paragraph(id); ok {
			s, _ := lib.Source(p)
			src = s.Bot()
			break
		}
	}
	return bot.Claim{Text: say, Role: bot.Next, Evidence: []bot.Evidence{{Chunk: "next", Paragraph: n.ID, Quote: say, Source: src}}}
}

// Widen returns text with what the glossary calls its words: each term of
// which text holds a form, and the term's other forms. It returns "" if the
// glossary knows none of them.
func Widen(glossary []kb.Term, text, lang string) string {
	padded := " " + Fold(text) + " "
	var add []string
	for _, t := range glossary {
		names := append([]string{t.Term.In(lang)}, t.Forms[lang]...)
		hit := slices.ContainsFunc(names, func(n string) bool {
			n = Fold(n)
			return n != "" && strings.Contains(padded, " "+n+" ")
		})
		if !hit {
			continue
		}
		for _, n := range names {
			if !strings.Contains(padded, " "+Fold(n)+" ") && !slices.Contains(add, n) {
				add = append(add, n)
			}
		}
	}
	if len(add) == 0 {
		return ""
	}
	return text + " " + strings.Join(add, " ")
}
