package safety

import (
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strconv"
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
// texts MORE all the same gets. lang is "en", "es" or "other"; "other" takes the
// language that the message is in if the core has a text for it. An emergency's
// first message holds the numbers of all routes that fired, the emergency number
// before the others; if they do not fit into 306 characters, the rest comes
// first in more. Without a route both are empty.
func (r *Router) Text(v Verdict, lang string) (first string, more []string) {
	rank, ok := r.rank[v.Route]
	if !ok {
		return "", nil
	}
	route := r.routes[rank]
	reply := route.reply(v)
	first = r.text(reply.First, lang, v.Spoken)
	for _, id := range reply.More {
		more = append(more, r.text(id, lang, v.Spoken))
	}
	if route.Kind == pinned {
		for _, id := range v.Also {
			also := r.routes[r.rank[id]]
			text := r.text(also.reply(v).First, lang, v.Spoken)
			if also.Kind == emergency {
				// The words of the person at risk come first, the danger's after.
				first, text = text, first
			}
			more = append([]string{text}, more...)
		}
		return first, more
	}
	var adds []string
	for _, id := range v.Also {
		also := r.routes[r.rank[id]]
		if also.Kind != emergency || also.Add == "" {
			continue
		}
		add := r.text(also.Add, lang, v.Spoken)
		if !slices.ContainsFunc(r.numbersIn(add), func(n string) bool { return !slices.Contains(r.numbersIn(first), n) }) && len(r.numbersIn(add)) > 0 {
			continue
		}
		adds = append(adds, add)
	}
	if len(adds) > 0 && route.Lead != "" {
		first = r.text(route.Lead, lang, v.Spoken) + " " + first
	}
	var rest []string
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

// checkTexts checks that routes have texts, and that texts name known numbers.
func (b *builder) checkTexts() {
	for i, route := range b.r.routes {
		file, path := b.owner["route "+route.ID], "$.routes ("+route.ID+")"
		if len(route.Replies) == 0 {
			b.faults.add(file, path+".replies", "empty")
			continue
		}
		ids := []string{}
		for j, reply := range route.Replies {
			at := path + ".replies[" + strconv.Itoa(j) + "]"
			conditions := len(reply.Person) + len(reply.Hazard) + len(reply.Group)
			if last := j == len(route.Replies)-1; last && conditions > 0 {
				b.faults.add(file, at, "the last reply must have no conditions")
			}
			b.needText(file, at+".first", reply.First, true)
			for _, id := range reply.More {
				b.needText(file, at+".more", id, true)
			}
		}
		for _, id := range append(ids, route.Add, route.Lead) {
			if id != "" {
				b.needText(file, path, id, true)
			}
		}
		_ = i
	}
	for _, id := range sortedKeys(b.r.texts) {
		b.text(id)
	}
}

// needText checks that a text exists in every answered language.
func (b *builder) needText(file, path, id string, _ bool) {
	byLang, ok := b.r.texts[id]
	if !ok {
		b.faults.add(file, path, "no text %q", id)
		return
	}
	for _, lang := range sortedKeys(b.r.languages) {
		if !b.r.languages[lang].answered {
			continue
		}
		if _, ok := b.r.fill(byLang[lang], lang); !ok {
			b.faults.add(file, path, "text %q has no variant in %q that can be sent without a number nobody gave", id, lang)
		}
	}
}

func (b *builder) text(id string) {
	file := b.owner["text "+id]
	for _, lang := range sortedKeys(b.r.texts[id]) {
		path := "$.texts." + id + "." + lang
		if _, ok := b.r.languages[lang]; !ok && lang != otherKey {
			b.faults.add(file, path, "language %q is not among the core's", lang)
		}
		for i, s := range b.r.texts[id][lang] {
			for _, n := range numberForm.FindAllString(s, -1) {
				if !b.r.isNumber(n) {
					b.faults.add(file, path+"["+strconv.Itoa(i)+"]", "number %s is not among the numbers", n)
				}
			}
		}
	}
}
