package text

import (
	"regexp"
	"slices"
	"strings"
)

// A Reaction is the emotional reaction of a text to the person it is written
// to, by the levels of EPITOME (Sharma and others, EMNLP 2020): 0 none; 1 weak,
// warmth or concern that does not name a feeling of the writer's ("that sounds
// scary", "it makes sense to be upset", "you are not alone"); 2 strong, a
// feeling that the writer says they have for the person ("I'm so sorry", "I'm
// glad you told someone").
type Reaction struct {
	Level int
	Spans []Span // the words that tell, in order, at their level or below
}

// EmotionWords is how many words of a text EPITOME's classifier reads, nearly:
// 64 tokens.
const EmotionWords = 48

// Emotion finds the emotional reaction of an English or Spanish text; for
// another language, or none, it tries both. It goes by phrases and knows no
// more: it is a stand-in for the classifier, whose weights nobody publishes.
// What it hears is a feeling toward the person, never one about a thing
// ("scared of heights"), of others ("people are worried"), under a condition
// ("if you are worried, call"), denied, or between quotation marks. Courtesy
// ("sorry for the delay", "happy to help") counts for nothing. Warmth said in
// other words than its own, and irony, it does not hear: fit to compare many
// texts, not to grade one.
func Emotion(s, lang string) Reaction {
	f := feltText(s)
	var r Reaction
	for _, l := range []string{"en", "es"} {
		if l != lang && (lang == "en" || lang == "es") {
			continue
		}
		for level := 2; level >= 1; level-- {
			for _, p := range reactions[l][level-1] {
				for _, at := range p.FindAllStringSubmatchIndex(f.text, -1) {
					from, to := at[2], at[3]
					if !f.idle(l, from, to) {
						r.Level = max(r.Level, level)
						r.Spans = append(r.Spans, f.span(from, to))
					}
				}
			}
		}
	}
	slices.SortFunc(r.Spans, func(a, b Span) int { return a.Start - b.Start })
	r.Spans = slices.CompactFunc(r.Spans, func(a, b Span) bool { return b.Start < a.End })
	return r
}

// FirstWords is what s holds of its first n words.
func FirstWords(s string, n int) string {
	words := Words(s)
	if len(words) <= n {
		return s
	}
	return s[:words[n].Start]
}

// A felt is a text as its feelings are looked for: words in lower case without
// accents and apostrophes, " , " for a pause and " . " for the end of a
// sentence, one space between all and one at each end.
type felt struct {
	text string
	ends []int // in text, after each piece
	at   []Span
}

func feltText(s string) felt {
	var b strings.Builder
	var f felt
	b.WriteByte(' ')
	add := func(piece string, at Span) {
		b.WriteString(piece)
		f.ends, f.at = append(f.ends, b.Len()), append(f.at, at)
		b.WriteByte(' ')
	}
	add(".", Span{})
	quotes := quoted(s)
	ends := Sentences(s)
	for _, t := range tokens(s) {
		for len(ends) > 0 && t.Start >= ends[0].End {
			add(".", Span{t.Start, t.Start})
			ends = ends[1:]
		}
		for len(quotes) > 0 && t.Start >= quotes[0].End {
			quotes = quotes[1:]
		}
		if len(quotes) > 0 && quotes[0].Holds(t.Span) {
			continue
		}
		switch {
		case t.kind == wordToken:
			add(strings.ReplaceAll(t.text, "'", ""), t.Span)
		case t.kind == numberToken:
			add(t.text, t.Span)
		case strings.Contains(".!?;¡¿", t.text):
			add(map[bool]string{true: "?", false: "."}[t.text == "?"], t.Span)
		case strings.Contains(",:()-", t.text) && (t.text != "-" || t.gap):
			add(",", t.Span)
		}
	}
	add(".", Span{len(s), len(s)})
	f.text = b.String()
	return f
}

// span is what bytes [from, to) of the text were in the original.
func (f felt) span(from, to int) Span {
	a, _ := slices.BinarySearch(f.ends, from+1)
	z, _ := slices.BinarySearch(f.ends, to)
	z = min(z, len(f.at)-1)
	return Span{f.at[min(a, z)].Start, f.at[z].End}
}

// idle reports whether what stands at [from, to) is under a condition, denied,
// asked, or another's.
func (f felt) idle(lang string, from, to int) bool {
	before := f.text[:from]
	clause := before[strings.LastIndexAny(before, ".?")+1:]
	if rest := f.text[to:]; strings.HasPrefix(strings.TrimLeft(rest, " "), "?") {
		return true
	}
	return idleBefore[lang].MatchString(clause)
}

// quotedLength is how long a quotation may be, in bytes.
const quotedLength = 400

// quoted finds what stands between quotation marks. A mark without its other
// half opens nothing; an apostrophe inside a word is none.
func quoted(s string) []Span {
	var list []Span
	pairs := map[string]string{"\"": "\"", "“": "”", "”": "”", "«": "»", "'": "'", "‘": "’", "„": "“"}
	marks := quoteMark.FindAllStringIndex(s, -1)
	for i := 0; i < len(marks); i++ {
		m := marks[i]
		open := s[m[0]:m[1]]
		end, ok := pairs[open]
		if !ok || single(open) && inWord(s, m) {
			continue
		}
		for k := i + 1; k < len(marks) && marks[k][0]-m[0] < quotedLength; k++ {
			if s[marks[k][0]:marks[k][1]] == end && !(single(end) && inWord(s, marks[k])) {
				list = append(list, Span{m[0], marks[k][1]})
				i = k
				break
			}
		}
	}
	return list
}

var quoteMark = regexp.MustCompile("[\"“”„«»'‘’]")

func single(mark string) bool { return mark == "'" || mark == "‘" || mark == "’" }

// inWord reports whether letters stand on both sides of s[m[0]:m[1]].
func inWord(s string, m []int) bool {
	before, after := letterEnds.MatchString(s[max(0, m[0]-4):m[0]]), letterBegins.MatchString(s[m[1]:min(len(s), m[1]+4)])
	return before && after
}

var (
	letterEnds   = regexp.MustCompile(`\pL$`)
	letterBegins = regexp.MustCompile(`^\pL`)
)
