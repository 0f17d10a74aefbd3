package safety

import (
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"
	"unicode/utf8"
)

// maxText is how many characters two segments of GSM-7 hold: the most that is
// said in one message.
const maxText = 306

var (
	slotForm   = regexp.MustCompile(`\{([a-z0-9_]+)(\.name)?\}`)
	numberForm = regexp.MustCompile(`(?:\b1-)?\b\d{3}-\d{3}-\d{4}\b|\b(?:911|988|\d{5})\b`)
	ownerForm  = regexp.MustCompile(`\[[A-Z]+\]`)
)

// Text gives the texts for a verdict: the first message, and what a person who
// texts MORE gets (an emergency text never offers it). lang is "en", "es" or
// "other"; "other" takes the language that the message is in if the core has a
// text for it.
//
// An emergency's first message holds the numbers of all emergencies that fired,
// the emergency number before the others; what passes 306 characters comes first
// in more. The texts of other pinned routes come first in a pinned route's more.
// Without a route both are empty.
func (r *Router) Text(v Verdict, lang string) (first string, more []string) {
	rank, ok := r.rank[v.Route]
	if !ok {
		return "", nil
	}
	route := r.routes[rank]
	if !r.languages[lang].answered && route.Elsewhere != "" {
		return r.text(route.Elsewhere, lang, v.Spoken), nil
	}
	reply := route.reply(v)
	first = r.text(reply.First, lang, v.Spoken)
	for _, id := range reply.More {
		more = append(more, r.text(id, lang, v.Spoken))
	}
	var rest []string
	if route.Kind == pinned {
		for _, id := range v.Also {
			if also, ok := r.rank[id]; ok {
				rest = append(rest, r.text(r.routes[also].reply(v).First, lang, v.Spoken))
			}
		}
		return first, append(rest, more...)
	}
	adds := r.adds(v, first, lang)
	if route.Lead != "" && r.several(v) {
		first = r.text(route.Lead, lang, v.Spoken) + " " + first
	}
	for _, add := range adds {
		if utf8.RuneCountInString(first)+1+utf8.RuneCountInString(add) <= maxText {
			first += " " + add
		} else {
			rest = append(rest, add)
		}
	}
	if len(rest) > 0 {
		more = append([]string{strings.Join(rest, " ")}, more...)
	}
	return first, more
}

// several tells whether another emergency fired too.
func (r *Router) several(v Verdict) bool {
	return slices.ContainsFunc(v.Also, func(id string) bool {
		rank, ok := r.rank[id]
		return ok && r.routes[rank].Kind == emergency
	})
}

// adds gives the sentences of the other emergencies that fired, but for those
// whose numbers the first text holds already.
func (r *Router) adds(v Verdict, first, lang string) []string {
	var out []string
	held := r.numbersIn(first)
	for _, id := range v.Also {
		rank, ok := r.rank[id]
		if !ok || r.routes[rank].Kind != emergency || r.routes[rank].Add == "" {
			continue
		}
		add := r.text(r.routes[rank].Add, lang, v.Spoken)
		numbers := r.numbersIn(add)
		isNew := func(n string) bool { return !slices.Contains(held, n) }
		if len(numbers) == 0 || slices.ContainsFunc(numbers, isNew) {
			out = append(out, add)
			held = append(held, numbers...)
		}
	}
	return out
}

// reply gives the first reply whose conditions hold.
func (route Route) reply(v Verdict) Reply {
	holds := func(want []string, got string) bool { return len(want) == 0 || slices.Contains(want, got) }
	for _, reply := range route.Replies {
		if holds(reply.Person, v.Person) && holds(reply.Hazard, v.Hazard) && holds(reply.Group, v.Group) {
			return reply
		}
	}
	return route.Replies[len(route.Replies)-1]
}

// text gives a text in lang, with its numbers. A text without words for lang is
// given in those for any other language, then in the first there is.
func (r *Router) text(id, lang, spoken string) string {
	byLang := r.texts[id]
	keys := []string{lang}
	if !r.languages[lang].answered {
		keys = []string{spoken, otherKey}
	}
	keys = append(keys, r.fallback())
	for _, key := range keys {
		if s, ok := r.fill(byLang[key], key); ok {
			return s
		}
	}
	return ""
}

// fill gives the first variant whose numbers are all known.
func (r *Router) fill(variants []string, lang string) (string, bool) {
	for _, s := range variants {
		known := true
		s = slotForm.ReplaceAllStringFunc(s, func(slot string) string {
			parts := slotForm.FindStringSubmatch(slot)
			n, ok := r.numbers[parts[1]]
			value := n.Number
			if parts[2] != "" {
				value = n.Name[lang]
			}
			known = known && ok && value != ""
			return value
		})
		if known {
			return s, true
		}
	}
	return "", false
}

// Fixed gives the fixed text id in lang, its [NAME] and the like filled from
// slots. A language without a text of its own gets the text for other languages
// if there is one. Errors wrap ErrRules: an unknown id, no text in lang, or
// a slot that is missing.
func (r *Router) Fixed(id, lang string, slots map[string]string) (string, error) {
	byLang, ok := r.texts[id]
	if !ok {
		return "", fmt.Errorf("%w: no fixed text %q", ErrRules, id)
	}
	s, ok := r.fill(byLang[lang], lang)
	if !ok && !r.languages[lang].answered {
		s, ok = r.fill(byLang[otherKey], lang)
	}
	if !ok {
		return "", fmt.Errorf("%w: fixed text %q has no words for language %q", ErrRules, id, lang)
	}
	var missing []string
	s = ownerForm.ReplaceAllStringFunc(s, func(slot string) string {
		value, ok := slots[strings.Trim(slot, "[]")]
		if !ok {
			missing = append(missing, slot)
		}
		return value
	})
	if len(missing) > 0 {
		return "", fmt.Errorf("%w: fixed text %q needs %s", ErrRules, id, strings.Join(missing, ", "))
	}
	return s, nil
}

// A FixedText is one text as it is sent, but for [NAME] and the like.
type FixedText struct {
	ID      string            // "fixed.life_threat"
	Texts   map[string]string // by language
	Numbers []string          // that stand in the first of them, in order
}

// FixedTexts lists all fixed texts in order of id, for export and approval.
func (r *Router) FixedTexts() []FixedText {
	var out []FixedText
	for _, id := range sortedKeys(r.texts) {
		t := FixedText{ID: id, Texts: map[string]string{}}
		for lang, variants := range r.texts[id] {
			if s, ok := r.fill(variants, lang); ok {
				t.Texts[lang] = s
			}
		}
		t.Numbers = r.numbersIn(t.Texts[r.fallback()])
		out = append(out, t)
	}
	return out
}

// PhoneNumbers gives the phone numbers by id.
func (r *Router) PhoneNumbers() map[string]Number { return maps.Clone(r.numbers) }

// numbersIn gives the phone numbers in a text in their order.
func (r *Router) numbersIn(text string) []string {
	var out []string
	for _, n := range numberForm.FindAllString(text, -1) {
		if r.isNumber(n) && !slices.Contains(out, n) {
			out = append(out, n)
		}
	}
	return out
}

func (r *Router) isNumber(s string) bool {
	for _, n := range r.numbers {
		if n.Number == s {
			return true
		}
	}
	return false
}
