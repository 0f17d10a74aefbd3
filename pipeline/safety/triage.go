package safety

import (
	"cmp"
	"slices"
	"strings"
	"unicode"
)

// maxRecent is how many earlier messages are read with the one that came.
const maxRecent = 4

// Input is what a person wrote.
type Input struct {
	Text string

	// Recent holds earlier texts of the same person within a short time,
	// oldest first: people split what they say. The last four are read.
	Recent []string

	// Lang is the person's language if known; it decides when the words do not.
	Lang string
}

// A Verdict says what the rules make of a message.
type Verdict struct {
	// Route is the first route that fired, by precedence; empty if none.
	Route string

	// Emergency: the fixed text is the whole answer; nothing is retrieved.
	Emergency bool

	// Pinned: the fixed text is the protective core of an ordinary answer.
	Pinned bool

	// Also lists the other routes that fired, by precedence.
	Also []string

	// Lang is the language to answer in: one that the core answers in ("en",
	// "es"), or "other".
	Lang string

	// Spoken is the language that the message seems to be in ("pt").
	Spoken string

	// Person, Hazard and Group are marks of the message: who is in danger as
	// the asker named them ("child", "baby", "adult", "self" or "unknown"),
	// what the pinned text must not get wrong ("lead"), and a group that needs
	// a word of its own ("immune"). Hazard and Group may be empty.
	Person, Hazard, Group string

	// Echo: Recent alone leads to the same routes; Text added nothing.
	Echo bool

	// Why lists every rule that fired, for the trace.
	Why []Match

	// Numbers are the phone numbers of the first text, in the order in which
	// they stand.
	Numbers []string
}

// Learned reports whether points that tests learned made the verdict, and no
// rule: of a short text, such as a word that we hear or an answer to a question
// of ours, they see too little. Rules hold for every word that somebody writes.
func (v Verdict) Learned() bool {
	return len(v.Why) > 0 && !slices.ContainsFunc(v.Why, func(m Match) bool { return !m.Learned })
}

// A Match is one rule that fired. Lang is the language of the words that it
// knew, or empty.
type Match struct {
	Rule  string
	Route string
	Lang  string
	Spans []Span

	Learned bool // points that tests learned, under the rule's name
}

// A Span is code points [Start, End) of Recent[Message], or of Text if Message
// is len(Recent).
type Span struct {
	Message    int
	Start, End int
}

// Triage decides the route of a message. It takes any bytes; of a message longer
// than 16,000 code points it reads the first and the last half of that.
func (r *Router) Triage(in Input) Verdict {
	skip := max(len(in.Recent)-maxRecent, 0)
	messages := append(slices.Clone(in.Recent[skip:]), in.Text)
	last := len(messages) - 1

	isEmergency := func(m Match) bool { return r.routes[r.rank[m.Route]].Kind == emergency }
	// Each suffix is read by itself, so that an earlier text can complete a
	// later one but never excuse it. Only an emergency is put together so: what
	// else an earlier text meant was answered then.
	fired := map[string]Match{}
	fresh := false
	var whole, own *matcher
	for from := last; from >= 0; from-- {
		m := r.newMatcher(tokenize(messages[from:]))
		for _, match := range m.rules() {
			if from != last && !isEmergency(match) {
				continue
			}
			for i := range match.Spans {
				match.Spans[i].Message += from + skip
				fresh = fresh || match.Spans[i].Message == last+skip
			}
			if _, ok := fired[match.Rule]; !ok {
				fired[match.Rule] = match
			}
		}
		if from == last {
			own = m
		}
		whole = m
	}

	v := Verdict{}
	for _, rule := range r.rules {
		if match, ok := fired[rule.id]; ok {
			v.Why = append(v.Why, match)
		}
	}
	for _, packs := range []bool{false, true} {
		if slices.ContainsFunc(v.Why, isEmergency) || packs && len(v.Why) > 0 {
			break
		}
		least := 0.0
		if len(v.Why) > 0 {
			least = doubt
		}
		match, ok := whole.cue(packs, least)
		if ok && whole != own && !isEmergency(match) {
			ok = false
		}
		if !ok && whole != own {
			match, ok = own.cue(packs, least)
			for i := range match.Spans {
				match.Spans[i].Message += last
			}
		}
		if ok {
			for i := range match.Spans {
				match.Spans[i].Message += skip
				fresh = fresh || match.Spans[i].Message == last+skip
			}
			v.Why = append(v.Why, match)
		}
	}
	for _, match := range v.Why {
		if !slices.Contains(v.Also, match.Route) {
			v.Also = append(v.Also, match.Route)
		}
	}
	slices.SortFunc(v.Also, func(a, b string) int { return cmp.Compare(r.rank[a], r.rank[b]) })
	v.Spoken = r.spoken(own.tokens, inMessage(v.Why, last+skip), in.Lang)
	if v.Spoken == "" {
		v.Spoken = cmp.Or(strings.ToLower(in.Lang), r.spoken(whole.tokens, v.Why, ""), r.fallback())
	}
	v.Lang = otherKey
	if r.languages[v.Spoken].answered {
		v.Lang = v.Spoken
	}
	if len(v.Also) == 0 {
		return v
	}
	v.Route, v.Also = v.Also[0], v.Also[1:]
	if len(v.Also) == 0 {
		v.Also = nil
	}
	v.Emergency = r.routes[r.rank[v.Route]].Kind == emergency
	v.Pinned = !v.Emergency
	v.Echo = !fresh
	routes := append([]string{v.Route}, v.Also...)
	v.Person = whole.mark(r.person, routes)
	if v.Person == "" {
		v.Person = "unknown"
	}
	v.Hazard = whole.mark(r.hazard, routes)
	v.Group = whole.mark(r.group, routes)
	first, _ := r.Text(v, v.Lang)
	v.Numbers = r.numbersIn(first)
	return v
}

// rules gives the rules that fire.
func (m *matcher) rules() []Match {
	var out []Match
	for _, rule := range m.r.rules {
		if slices.ContainsFunc(rule.unlessText, m.anywhere) {
			continue
		}
		for _, e := range rule.when {
			spans := m.all(e, func(spans []span) bool {
				parts := m.parts(spans)
				return !slices.ContainsFunc(rule.unless, func(u expression) bool { return m.within(u, parts) })
			})
			if spans != nil {
				out = append(out, m.match(rule, spans))
				break
			}
		}
	}
	return out
}

func (m *matcher) anywhere(e expression) bool {
	return m.all(e, func([]span) bool { return true }) != nil
}

func (m *matcher) match(rule rule, spans []span) Match {
	out := Match{Rule: rule.id, Route: rule.route}
	for _, s := range spans {
		out.Lang = cmp.Or(out.Lang, s.lang)
		first, last := m.tokens[s.start], m.tokens[s.end-1]
		if first.message == last.message {
			out.Spans = append(out.Spans, Span{first.message, first.start, last.end})
			continue
		}
		for _, t := range m.tokens[s.start:s.end] {
			if n := len(out.Spans); n > 0 && out.Spans[n-1].Message == t.message && t.start >= out.Spans[n-1].End {
				out.Spans[n-1].End = t.end
			} else {
				out.Spans = append(out.Spans, Span{t.message, t.start, t.end})
			}
		}
	}
	return out
}

// mark gives the first mark that holds.
func (m *matcher) mark(marks []mark, routes []string) string {
	for _, k := range marks {
		wanted := len(k.routes) == 0 || slices.ContainsFunc(k.routes, func(r string) bool { return slices.Contains(routes, r) })
		if wanted && slices.ContainsFunc(k.when, m.anywhere) {
			return k.is
		}
	}
	return ""
}

// inMessage returns those of the matches that hold words of message n.
func inMessage(why []Match, n int) (in []Match) {
	for _, m := range why {
		if slices.ContainsFunc(m.Spans, func(s Span) bool { return s.Message == n }) {
			in = append(in, m)
		}
	}
	return in
}

// spoken guesses the language of tokens by their common words, their script and
// the rules that fired; between equals it is known. It is empty if nothing tells.
func (r *Router) spoken(tokens []token, why []Match, known string) string {
	score := map[string]int{}
	for _, t := range tokens {
		letter, _ := firstRune(t.text)
		for code, l := range r.languages {
			switch {
			case l.words[t.text]:
				score[code] += 2
			case l.script != "" && unicode.Is(unicode.Scripts[l.script], letter):
				score[code] += 2
			}
		}
	}
	for _, m := range why {
		if m.Lang != "" {
			score[m.Lang]++
		}
	}
	best := ""
	for _, code := range sortedKeys(r.languages) {
		switch {
		case score[code] == 0:
		case best == "", score[code] > score[best], score[code] == score[best] && code == known:
			best = code
		}
	}
	return best
}

// fallback is the first language that is answered.
func (r *Router) fallback() string {
	for _, code := range sortedKeys(r.languages) {
		if r.languages[code].answered {
			return code
		}
	}
	return otherKey
}

func firstRune(s string) (rune, bool) {
	for _, r := range s {
		return r, true
	}
	return 0, false
}
