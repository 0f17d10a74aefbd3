package personas

import (
	"fmt"
	"maps"
	"math/big"
	"slices"
	"strconv"
	"strings"
	"unicode"

	"plumbline/bot"
	"plumbline/internal/bm25"
	"plumbline/internal/jsonpos"
	"plumbline/internal/text"
)

// guardData is guard.json: the words that the guard weighs, in any domain.
// Phrases are as in feelings.json.
type guardData struct {
	Soft []struct { // what says no without a negation
		ID   string   `json:"id"`
		Must bool     `json:"must,omitempty"` // to lose or add it is a fault
		En   []string `json:"en"`
		Es   []string `json:"es"`
	} `json:"soft"`
	Bounds struct {
		Up       Phrases `json:"up"`
		Down     Phrases `json:"down"`
		WeakUp   Phrases `json:"weak_up"` // may stand for the others, and mean other things too
		WeakDown Phrases `json:"weak_down"`
	} `json:"bounds"`
	Opposites []struct {
		Argument bool    `json:"argument,omitempty"` // turned only beside the same words
		A        Phrases `json:"a"`
		B        Phrases `json:"b"`
	} `json:"opposites"`
	Hedges      Phrases `json:"hedges"` // whatever leaves room for doubt
	Hedged      Phrases `json:"hedged"` // what may not be lost without one of them
	Certain     Phrases `json:"certain"`
	Assurances  Phrases `json:"assurances"`
	Conditions  Phrases `json:"conditions"`
	Conditional Phrases `json:"conditional"` // what may not be lost without one of them
	Doubts      Phrases `json:"doubts"`      // what says that something is not known
	Days        []struct {
		ID    string   `json:"id"`
		Forms []string `json:"forms"`
	} `json:"days"`
	Light     Phrases                            `json:"light"`     // too light to tell what a clause is about
	Dependent Phrases                            `json:"dependent"` // negations that go with another one: no ... ninguna
	Numbers   map[bot.Language]map[string]string `json:"numbers"`   // number words that mean a number without a unit too
	Capitals  Phrases                            `json:"capitals"`  // written in capitals, and no name
}

// guardWords is guardData made ready.
type guardWords struct {
	soft                                                                finder
	softIDs                                                             []string
	softMust                                                            []bool
	bounds                                                              finder // by up, down, weakUp and weakDown
	opposites                                                           finder // 2*pair for a, 2*pair+1 for b
	arguments                                                           []bool // by pair
	hedges, hedged, certain, assured, conditions, conditional, doubting finder
	numbers                                                             map[bot.Language]map[string]string
	days                                                                finder
	dayIDs                                                              []string
	light                                                               map[bot.Language]map[string]bool // stems
	dependent                                                           map[string]bool
	capitals                                                            map[string]bool
}

// The bounds.
const (
	up = iota
	down
	weakUp
	weakDown
)

// guardWords checks guard.json and makes it ready.
func (l *loader) guardWords(doc *jsonpos.Document, d guardData) *guardWords {
	w := &guardWords{
		numbers: d.Numbers, light: make(map[bot.Language]map[string]bool),
		dependent: make(map[string]bool), capitals: make(map[string]bool),
	}
	for i, s := range d.Soft {
		w.soft.add(i, slices.Concat(s.En, s.Es)...)
		w.softIDs = append(w.softIDs, s.ID)
		w.softMust = append(w.softMust, s.Must)
	}
	both := func(p Phrases) []string { return slices.Concat(p[bot.English], p[bot.Spanish]) }
	w.bounds.add(up, both(d.Bounds.Up)...)
	w.bounds.add(down, both(d.Bounds.Down)...)
	w.bounds.add(weakUp, both(d.Bounds.WeakUp)...)
	w.bounds.add(weakDown, both(d.Bounds.WeakDown)...)
	for i, o := range d.Opposites {
		w.opposites.add(2*i, both(o.A)...)
		w.opposites.add(2*i+1, both(o.B)...)
		w.arguments = append(w.arguments, o.Argument)
	}
	for _, set := range []struct {
		into *finder
		of   Phrases
	}{
		{&w.hedges, d.Hedges}, {&w.hedged, d.Hedged}, {&w.certain, d.Certain}, {&w.assured, d.Assurances},
		{&w.conditions, d.Conditions}, {&w.conditional, d.Conditional}, {&w.doubting, d.Doubts},
	} {
		set.into.add(0, both(set.of)...)
	}
	for lang, numbers := range d.Numbers {
		for word, value := range numbers {
			if _, err := strconv.Atoi(value); err != nil {
				l.at(doc, jsonpos.Root.Key("numbers").Key(string(lang)).Key(word), fmt.Sprintf("%q is not a number", value), "write digits")
			}
		}
	}
	for i, day := range d.Days {
		w.days.add(i, day.Forms...)
		w.dayIDs = append(w.dayIDs, day.ID)
	}
	for _, lang := range languages {
		w.light[lang] = make(map[string]bool)
		for _, stem := range bm25.For(string(lang))(strings.Join(d.Light[lang], " ")) {
			w.light[lang][stem] = true
		}
	}
	for _, word := range both(d.Dependent) {
		w.dependent[word] = true
	}
	for _, c := range both(d.Capitals) {
		w.capitals[c] = true
	}
	return w
}

// A reading is what the guard sees in one text.
type reading struct {
	text      string
	lang      bot.Language // Spanish, or else English
	words     []word
	clauses   []clause
	of        []int // by word, its clause
	numbers   []number
	dates     []text.Date
	phones    []text.Phone
	links     []link
	names     []named
	days      []hit
	negators  []negator
	stems     map[string]bool
	opposites []hit
	assured   []assurance
}

// A clause is a part of a sentence between punctuation and conjunctions.
type clause struct {
	from, to int // words
	sentence int
	stems    map[string]bool
}

// A number is a quantity, a code (unit "code") or a number word.
type number struct {
	text.Span
	value, unit string
	bound       int // up, down, weakUp, weakDown or -1
	clause      int
	inWords     bool
}

// A link is a web or e-mail address in one spelling.
type link struct {
	text.Span
	key string
}

// The kinds of a named.
const (
	agency = iota
	location
	hazard
)

// notName is the id of what holds a form of a name and is none.
const notName = -1

// A named is a name of the tables.
type named struct {
	text.Span
	kind, id int
	part     bool // of a longer name: Newark in Newark Water
}

// A negator is a negation, or a soft one: soft is its index, -1 for a hard one.
type negator struct {
	text.Span
	word   string
	soft   int
	clause int
	at     int // its first word
	scope  map[string]bool
	leans  bool // on another negation before it in its clause: no ... ninguna
}

// An assurance says that something is safe, or with denied that it is not.
type assurance struct {
	text.Span
	word   string
	clause int
	denied bool
}

// read reads a text.
func (g *Guard) read(s string) *reading {
	r := &reading{text: s, words: wordsOf(s), lang: bot.English}
	if text.Language(s).Lang == "es" {
		r.lang = bot.Spanish
	}
	r.clause(g.words)
	r.dates = text.Dates(s)
	r.phones = text.Phones(s)
	for _, p := range text.URLs(s) {
		key := strings.ToLower(p.In(s))
		key = strings.TrimPrefix(strings.TrimPrefix(key, "https://"), "http://")
		r.links = append(r.links, link{p, strings.TrimSuffix(strings.TrimPrefix(key, "www."), "/")})
	}
	for _, p := range text.Emails(s) {
		r.links = append(r.links, link{p, strings.ToLower(p.In(s))})
	}
	r.readNumbers(g.words)
	r.readNames(g)
	r.readDays(g.words)
	r.readNegators(g.words)
	r.readOpposites(g.words)
	r.readAssurances(g.words)
	return r
}

// readAll reads texts as one.
func (g *Guard) readAll(list []*reading) *reading {
	if len(list) == 1 {
		return list[0]
	}
	texts := make([]string, len(list))
	for i, r := range list {
		texts[i] = r.text
	}
	return g.read(strings.Join(texts, "\n\n"))
}

// breakers begin a clause.
var breakers = map[string]bool{
	"and": true, "but": true, "because": true, "so": true, "if": true, "unless": true, "while": true, "though": true, "although": true, "than": true,
	"y": true, "e": true, "pero": true, "porque": true, "si": true, "aunque": true, "mientras": true, "sino": true,
}

// clause cuts the words into clauses and stems them.
func (r *reading) clause(w *guardWords) {
	r.stems = make(map[string]bool)
	r.of = make([]int, len(r.words))
	sentence := -1
	for i, w := range r.words {
		if w.gap >= stopped {
			sentence++
		}
		if w.gap >= listed || breakers[w.text] {
			r.clauses = append(r.clauses, clause{from: i, sentence: sentence})
		}
		k := len(r.clauses) - 1
		r.of[i] = k
		r.clauses[k].to = i + 1
	}
	for i := range r.clauses {
		c := &r.clauses[i]
		c.stems = r.stemsIn(w, c.from, c.to)
		for s := range c.stems {
			r.stems[s] = true
		}
	}
}

// stemsIn returns the stems of the telling words among words [from, to).
func (r *reading) stemsIn(w *guardWords, from, to int) map[string]bool {
	m := make(map[string]bool)
	if from >= to {
		return m
	}
	for _, stem := range bm25.For(string(r.lang))(r.span(from, to).In(r.text)) {
		if !w.light[r.lang][stem] {
			m[stem] = true
		}
	}
	return m
}

// wordsIn returns the words [from, to) that have a byte in p.
func (r *reading) wordsIn(p text.Span) (from, to int) {
	from, _ = slices.BinarySearchFunc(r.words, p.Start, func(w word, at int) int {
		if w.End <= at {
			return -1
		}
		return 1
	})
	to = from
	for to < len(r.words) && r.words[to].Start < p.End {
		to++
	}
	return from, to
}

// clauseAt returns the clause that holds the span's first word, -1 for none.
func (r *reading) clauseAt(p text.Span) int {
	if i, to := r.wordsIn(p); i < to {
		return r.of[i]
	}
	return -1
}

// span is the span of words [from, to).
func (r *reading) span(from, to int) text.Span {
	return text.Span{Start: r.words[from].Start, End: r.words[to-1].End}
}

// value writes equal numbers alike: 4.0 is 4, 1940s is 1940, 1/2 is 0.5.
func value(s string) string {
	s = strings.TrimSuffix(s, "s")
	whole, fraction, mixed := strings.Cut(s, " ")
	sum, ok := new(big.Rat).SetString(whole)
	if ok && mixed {
		var part *big.Rat
		if part, ok = new(big.Rat).SetString(fraction); ok {
			sum.Add(sum, part)
		}
	}
	if !ok || len(s) > 30 {
		return s
	}
	if sum.IsInt() {
		return sum.RatString()
	}
	f, _ := sum.Float64()
	return strconv.FormatFloat(f, 'f', -1, 64)
}

// readNumbers finds the numbers: quantities, codes and number words that no
// date, telephone number or address holds.
func (r *reading) readNumbers(w *guardWords) {
	var taken []text.Span
	for _, p := range r.phones {
		taken = append(taken, p.Span)
	}
	for _, l := range r.links {
		taken = append(taken, l.Span)
	}
	in := func(p text.Span) bool {
		return slices.ContainsFunc(taken, func(t text.Span) bool { return t.Overlaps(p) })
	}
	quantities := text.Quantities(r.text)
	for _, q := range quantities {
		if slices.ContainsFunc(r.dates, func(d text.Date) bool { return d.Overlaps(q.Span) }) && q.Near == "" {
			continue // told as a date
		}
		n := number{Span: q.Span, value: value(q.Value), unit: unitOf(q.Unit), bound: -1, inWords: !strings.ContainsFunc(q.In(r.text), unicode.IsDigit)}
		r.numbers = append(r.numbers, n)
	}
	for _, q := range quantities {
		taken = append(taken, q.Span)
	}
	for _, d := range r.dates {
		taken = append(taken, d.Span)
	}
	for _, word := range r.words {
		if in(word.Span) {
			continue
		}
		n := number{Span: word.Span, bound: -1}
		switch v, ok := w.numbers[r.lang][word.text]; {
		case ok:
			n.value, n.inWords = v, true
		case strings.ContainsFunc(word.text, unicode.IsDigit):
			n.value = word.text
			if strings.ContainsFunc(word.text, unicode.IsLetter) {
				n.unit = code
			}
		default:
			continue
		}
		r.numbers = append(r.numbers, n)
	}
	slices.SortStableFunc(r.numbers, func(a, b number) int { return a.Start - b.Start })
	for i := range r.numbers {
		n := &r.numbers[i]
		if _, to := r.wordsIn(n.Span); n.unit == "" && to < len(r.words) && (r.words[to].text == "am" || r.words[to].text == "pm") {
			n.unit = r.words[to].text
		}
		n.clause = r.clauseAt(n.Span)
		n.bound = r.boundOf(w, n.Span)
	}
}

// code is the unit of a name with digits: N95.
const code = "code"

// unitOf is the unit as it is compared: people may be called otherwise.
func unitOf(u string) string {
	if u == "person" {
		return ""
	}
	return u
}

// readDays finds days of the week, and months that no date holds.
func (r *reading) readDays(w *guardWords) {
	for _, h := range w.days.all(r.words) {
		p := r.span(h.from, h.to)
		if r.words[h.from].name || r.lang == bot.Spanish {
			if !slices.ContainsFunc(r.dates, func(d text.Date) bool { return d.Overlaps(p) }) {
				r.days = append(r.days, h)
			}
		}
	}
}

// boundOf reads the bound right before or after a number.
func (r *reading) boundOf(w *guardWords, p text.Span) int {
	from, to := r.wordsIn(p)
	for k := max(0, from-5); k < from; k++ {
		h, ok := w.bounds.at(r.words, k)
		if ok && h.to <= from && from-h.to <= 1 && !after[r.words[k].text] && !r.stopsIn(k+1, from) {
			return h.id
		}
	}
	for k := to; k < len(r.words) && k <= to+1; k++ {
		if r.words[k].gap >= stopped {
			break
		}
		// "or more" follows its number; "more than" leads the next one.
		if h, ok := w.bounds.at(r.words, k); ok && after[r.words[k].text] {
			return h.id
		}
	}
	return -1
}

// after are the words that a bound which follows its number begins with.
var after = map[string]bool{"or": true, "and": true, "o": true, "y": true}

// stopsIn reports whether a clause or sentence ends before one of words
// [from, to].
func (r *reading) stopsIn(from, to int) bool {
	for i := from; i <= to && i < len(r.words); i++ {
		if r.words[i].gap >= listed {
			return true
		}
	}
	return false
}

// readNames finds names of the tables. One that shares words with an agency's,
// or a hazard's with a place's, is part of that.
func (r *reading) readNames(g *Guard) {
	taken := make([]bool, len(r.words))
	for kind, f := range []*finder{&g.agencies, &g.places, &g.hazards} {
		for _, h := range f.all(r.words) {
			if h.id == notName {
				continue
			}
			if w := r.words[h.from]; h.to == h.from+1 && g.caps[w.text] && !w.caps {
				continue
			}
			part := slices.Contains(taken[h.from:h.to], true)
			for i := h.from; i < h.to; i++ {
				taken[i] = true
			}
			r.names = append(r.names, named{r.span(h.from, h.to), kind, h.id, part})
		}
	}
}

// readNegators finds negations, the soft ones too. A negation within a soft
// one or a bound (a menos que, no more than) is part of it.
func (r *reading) readNegators(w *guardWords) {
	inside := covered(len(r.words), slices.Concat(w.soft.all(r.words), w.bounds.all(r.words)))
	otherwise := slices.Index(w.softIDs, "otherwise")
	for _, h := range w.soft.all(r.words) {
		r.negators = append(r.negators, negator{Span: r.span(h.from, h.to), word: w.softIDs[h.id], soft: h.id, clause: r.of[h.from], at: h.from})
	}
	for _, n := range text.Negations(r.text) {
		i, to := r.wordsIn(n.Span)
		if i == to || inside[i] {
			continue
		}
		found := negator{Span: n.Span, word: n.Word, soft: -1, clause: r.of[i], at: i}
		if _, leads := w.conditional.before(r.words, i); leads && i+1 < len(r.words) && r.words[i+1].gap >= listed {
			found.word, found.soft = "otherwise", otherwise // if not, ...
		}
		r.negators = append(r.negators, found)
	}
	slices.SortStableFunc(r.negators, func(a, b negator) int { return a.Start - b.Start })
	for i := range r.negators {
		n := &r.negators[i]
		n.scope = r.scope(n.clause)
		n.leans = i > 0 && w.dependent[n.word] && r.negators[i-1].soft < 0 && r.negators[i-1].clause == n.clause
	}
}

// scope returns the stems of a clause and of those that carry on its list:
// "do not drink, cook or wash with it".
func (r *reading) scope(k int) map[string]bool {
	m := maps.Clone(r.clauses[k].stems)
	end := k + 1
	for i := k + 1; i < len(r.clauses) && r.carriesOn(i); i++ {
		if r.offers(i) {
			end = i + 1 // the list goes as far as its last "or"
		}
	}
	for _, c := range r.clauses[k+1 : end] {
		maps.Copy(m, c.stems)
	}
	return m
}

// carriesOn reports whether clause i, after a comma, may be a part of a list
// that the clause before it began: it is short or has an "or", and does not
// begin with a subject or a verb of its own.
func (r *reading) carriesOn(i int) bool {
	const few = 3
	c := r.clauses[i]
	first := r.words[c.from]
	if first.gap > listed || ownClause[first.text] || breakers[first.text] {
		return false
	}
	return len(c.stems) <= few || r.offers(i)
}

// offers reports whether a clause has an "or".
func (r *reading) offers(i int) bool {
	c := r.clauses[i]
	return slices.ContainsFunc(r.words[c.from:c.to], func(w word) bool { return alternatives[w.text] })
}

// alternatives join the parts of a denied list.
var alternatives = map[string]bool{"or": true, "nor": true, "o": true, "u": true, "ni": true}

// ownClause are subjects and verbs that a clause of its own begins with.
var ownClause = func() map[string]bool {
	m := make(map[string]bool)
	for w := range strings.FieldsSeq(`it they that this you we i he she these those there
		is are was were be has have had do does did can could may might must should will would
		esto eso usted ellos ellas lo la los las es son fue esta estan tuvo tiene tienen hay puede pueden debe deben se`) {
		m[w] = true
	}
	return m
}()

// readOpposites finds words that have an opposite. The "menos" of "por lo menos"
// is none.
func (r *reading) readOpposites(w *guardWords) {
	inside := make([]bool, len(r.words))
	for _, h := range w.bounds.all(r.words) {
		for i := h.from; i < h.to && h.to > h.from+1; i++ {
			inside[i] = true
		}
	}
	for _, h := range w.opposites.all(r.words) {
		if !inside[h.from] {
			r.opposites = append(r.opposites, h)
		}
	}
}

// readAssurances finds what says that something is safe or is not.
func (r *reading) readAssurances(w *guardWords) {
	for _, h := range w.assured.all(r.words) {
		k := r.of[h.from]
		a := assurance{r.span(h.from, h.to), strings.ToLower(r.span(h.from, h.to).In(r.text)), k, false}
		for _, n := range r.negators {
			if n.soft < 0 && n.clause == k && n.at < h.from {
				a.denied = true
			}
		}
		r.assured = append(r.assured, a)
	}
}
