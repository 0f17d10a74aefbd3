package llm

import (
	"regexp"
	"strings"
	"unicode"
	"unicode/utf8"

	"plumbline/bot"
	"plumbline/personas"
	"plumbline/pipeline"
)

// sayable says what is wrong with a text that a model would tell a claim in, ""
// if nothing is: it must hold what the claim holds and add nothing.
func (s *Stages) sayable(d *pipeline.Draft, claim bot.Claim, told string) string {
	if fault := wellFormed(told); fault != "" {
		return fault
	}
	if agrees(told) && !agrees(claim.Text) {
		return "it agrees or disagrees with the asker"
	}
	if faults := s.Voices.Guard(d.Question.Pack).Check([]bot.Claim{claim}, nil, []string{told}); len(faults) > 0 {
		return faultsOf(faults)
	}
	return differs(claim.Text, told, d.Language)
}

func faultsOf(faults []personas.Fault) string {
	var list []string
	for _, f := range faults {
		list = append(list, f.String())
	}
	const most = 6
	return strings.Join(list[:min(len(list), most)], "; ")
}

// wellFormed says why a text cannot be told at all.
func wellFormed(s string) string {
	switch {
	case strings.TrimSpace(s) == "":
		return "it is empty"
	case !utf8.ValidString(s):
		return "it is not text"
	case strings.ContainsFunc(s, func(r rune) bool {
		return unicode.IsControl(r) || unicode.Is(unicode.Cf, r) || unicode.Is(unicode.Co, r)
	}):
		return "it has control characters or line breaks"
	case markup.MatchString(s):
		return "it has markup"
	}
	return ""
}

// markup matches what a plain text message does not have.
var markup = regexp.MustCompile("```|\\*\\*|</?[a-zA-Z]|\\[[^\\]]*\\]\\(|^#{1,6} |^[-*] ")

// agreements begin a text by agreeing with the asker or not: what is so, the
// evidence says, and a premise that it contradicts must not be affirmed.
var agreements = regexp.MustCompile(`(?i)^\W*(yes|yep|yeah|no|nope|correct|right|true|exactly|absolutely|indeed|sure|of course|certainly|definitely|great|good news|that'?s right|that is right|that'?s (true|correct)|that is (true|correct)|you'?re right|you are (right|correct)|i agree|don'?t worry|no worries|` +
	`s[ií]|no|claro|correcto|cierto|exacto|as[ií] es|por supuesto|desde luego|tiene raz[oó]n|tienes raz[oó]n|de acuerdo|buenas noticias|no se preocupe|no te preocupes)\b`)

// agrees reports whether a text begins so.
func agrees(s string) bool {
	at := agreements.FindString(strings.TrimSpace(s))
	if at == "" {
		return false
	}
	// "No source says" and "No amount of lead" deny nothing that was asked.
	rest := strings.TrimSpace(s)[len(at):]
	if low := strings.ToLower(strings.TrimSpace(at)); low == "no" || low == "si" || low == "sure" || low == "right" || low == "true" {
		return rest == "" || strings.ContainsAny(rest[:1], ",.;:!")
	}
	return true
}
