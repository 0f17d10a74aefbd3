package llmtest

import (
	"encoding/json"
	stdhtml "html"
	"regexp"
	"strconv"
	"strings"
)

// Echo is a model that does what Plumbline's stages ask and no more: it copies.
// It finds the first passages relevant, answers each need with the first
// sentence of the first passage, claims the first passages in their own words
// and says each part as it stands. Anything else it answers with "I don't
// know.".
func Echo(system, user string) string {
	list := func(tag string) (out []string) {
		for _, m := range regexp.MustCompile(`(?s)<`+tag+`\b[^>]*>(.*?)</`+tag+`>`).FindAllStringSubmatch(user, -1) {
			out = append(out, stdhtml.UnescapeString(strings.TrimSpace(m[1])))
		}
		return out
	}
	ids := func() []string {
		out := []string{}
		for _, m := range regexp.MustCompile(`(?m)^- ([a-z-]+\.[a-z-]+): `).FindAllStringSubmatch(user, -1) {
			out = append(out, m[1])
		}
		return out
	}
	type object = map[string]any
	var reply any
	switch {
	case strings.Contains(system, `"standalone"`):
		asked := strings.Join(list("message"), " ")
		reply = object{"language": "en", "kind": "question", "danger": "none", "danger_words": "", "questions": []object{{"asked": asked, "standalone": asked}}}
	case strings.Contains(system, `{"strategy"`):
		reply = object{"strategy": "causal"}
	case strings.Contains(system, `{"scores"`):
		var scores []object
		for i := range list("chunk") {
			scores = append(scores, object{"chunk": i + 1, "score": max(1, 3-i/2)})
		}
		reply = object{"scores": scores}
	case strings.Contains(system, `{"findings"`):
		passages := list("passage")
		var findings []object
		for i, id := range ids() {
			f := object{"id": id, "applies": true, "answered": false, "passage": 0, "quote": ""}
			if i%2 == 0 && len(passages) > 0 {
				f = object{"id": id, "applies": true, "answered": true, "passage": 1, "quote": firstSentence(passages[0])}
			}
			findings = append(findings, f)
		}
		reply = object{"findings": findings, "failures": []int{1}}
	case strings.Contains(system, `{"queries"`):
		var queries []object
		for _, id := range ids() {
			queries = append(queries, object{"gap": id, "query": "what else is known about it"})
		}
		reply = object{"queries": queries}
	case strings.Contains(system, `"claims"`):
		var claims []object
		for i, p := range list("passage") {
			if i == 4 {
				break
			}
			role := "context"
			if i == 0 {
				role = "direct"
			}
			claims = append(claims, object{"passage": i + 1, "quote": p, "text": p, "role": role})
		}
		reply = object{"answered": "yes", "claims": claims, "limits": ids()}
	case strings.Contains(system, `"parts"`):
		var parts []object
		for i, p := range list("part") {
			parts = append(parts, object{"part": i + 1, "text": p})
		}
		reply = object{"parts": parts}
	case strings.Contains(system, `"count"`):
		reply = object{"word": "tap", "count": 3, "list": []string{"A", "moon"}}
	default:
		return "I don't know."
	}
	b, err := json.Marshal(reply)
	if err != nil {
		return strconv.Quote(err.Error())
	}
	return string(b)
}

func firstSentence(s string) string {
	if i := strings.Index(s, ". "); i > 0 {
		return s[:i+1]
	}
	return s
}
