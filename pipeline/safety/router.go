package safety

import (
	"cmp"
	"embed"
	"maps"
	"slices"
	"strconv"
	"strings"
)

//go:embed core/*.json
var coreFiles embed.FS

// Core returns the rules, routes, national numbers and fixed texts that are in
// every binary. It panics only if the files it was built with are broken, which
// a test of this package rules out.
func Core() Rules {
	var core Rules
	names, err := coreFiles.ReadDir("core")
	if err != nil {
		panic(err)
	}
	for _, n := range names {
		path := "core/" + n.Name()
		data, err := coreFiles.ReadFile(path)
		if err != nil {
			panic(err)
		}
		rules, err := ParseRules(path, data)
		if err != nil {
			panic(err)
		}
		core = append(core, rules...)
	}
	return core
}

// A Router tells emergencies from other messages by rules. It holds no state:
// any number of goroutines may use it, and the same input gives the same verdict.
type Router struct {
	words     *vocabulary
	spellings map[string][]string
	known     map[string]bool
	languages map[string]language
	patterns  int // how many there are
	idioms    []pattern
	concepts  []concept // each after those that it mentions
	rules     []rule
	cues      []cue // in order of route
	quiet     map[string]bool
	routes    []Route
	rank      map[string]int // of a route
	person    []mark
	hazard    []mark
	group     []mark
	numbers   map[string]Number
	texts     map[string]map[string][]string
}

type language struct {
	answered bool
	words    map[string]bool
	script   string
}

// A pattern is a sequence of steps and where it was written.
type pattern struct {
	id         int
	lang       string
	seq        []node
	needs      [][]int32 // see needs
	file, path string
}

type concept struct {
	name     string
	core     bool
	patterns []pattern
	except   []pattern
	but      []pattern
}

// An expression is patterns that must all match.
type expression []pattern

type rule struct {
	id, route  string
	when       []expression
	unless     []expression
	unlessText []expression
	file, path string
}

type mark struct {
	is     string
	when   []expression
	routes []string
}

// New joins the core with packs. A pack may add numbers, texts, routes, rules
// (of core routes too), concepts and marks, and may use the core's concepts;
// whatever would take from the core or change it is refused. The
// error wraps ErrRules and names the file, the JSON path and what is wrong of
// every fault.
func New(core Rules, packs ...Rules) (*Router, error) {
	b := &builder{
		r: &Router{
			words: newVocabulary(), spellings: map[string][]string{}, known: map[string]bool{}, quiet: map[string]bool{},
			languages: map[string]language{}, rank: map[string]int{},
			numbers: map[string]Number{}, texts: map[string]map[string][]string{},
		},
		owner:    map[string]string{},
		concepts: map[string]*concept{},
	}
	for _, f := range core {
		b.languages(f)
	}
	for _, f := range core {
		b.core(f)
	}
	b.inPack = true
	for _, pack := range packs {
		for _, f := range pack {
			b.pack(f)
		}
	}
	b.link()
	b.checkTexts()
	if err := b.faults.err(); err != nil {
		return nil, err
	}
	return b.r, nil
}

type builder struct {
	r        *Router
	faults   faults
	owner    map[string]string // "rule x", "route y" and so on, to the file that defined it
	concepts map[string]*concept
	order    []string // names of concepts as they were defined
	inPack   bool
}

// claim notes that a file defines id, or says that it may not.
func (b *builder) claim(kind, id, file, path string) bool {
	switch was, taken := b.owner[kind+" "+id]; {
	case id == "":
		b.faults.add(file, path, "a %s without a name", kind)
		return false
	case taken:
		b.faults.add(file, path, "%s %q is already in %s, which may not be changed", kind, id, was)
		return false
	}
	b.owner[kind+" "+id] = file
	return true
}

func (b *builder) languages(f File) {
	for _, code := range sortedKeys(f.Languages) {
		path := "$.languages." + code
		if !b.claim("language", code, f.Name, path) {
			continue
		}
		l := language{answered: f.Languages[code].Answered, words: map[string]bool{}, script: f.Languages[code].Script}
		for _, t := range tokenize([]string{f.Languages[code].Words}) {
			l.words[t.text] = true
		}
		b.r.languages[code] = l
	}
}

func (b *builder) core(f File) {
	for _, token := range sortedKeys(f.Spellings) {
		b.r.spellings[token] = strings.Fields(f.Spellings[token])
	}
	for _, line := range f.Known {
		for _, t := range tokenize([]string{line}) {
			b.r.known[t.text] = true
		}
	}
	for i, s := range f.Idioms {
		b.r.idioms = append(b.r.idioms, b.pattern(s, anyKey, f.Name, "$.idioms["+strconv.Itoa(i)+"]")...)
	}
	b.r.person = append(b.r.person, b.marks(f.Marks.Person, f.Name, "$.marks.person")...)
	for _, w := range f.Cues.Quiet {
		b.r.quiet[w] = true
	}
	b.shared(f)
}

// pack adds a pack's file, and refuses what only the core may say.
func (b *builder) pack(f File) {
	for path, present := range map[string]bool{
		"$.languages": len(f.Languages) > 0, "$.spellings": len(f.Spellings) > 0, "$.known": len(f.Known) > 0,
		"$.idioms": len(f.Idioms) > 0, "$.marks.person": len(f.Marks.Person) > 0,
		"$.cues.quiet": len(f.Cues.Quiet) > 0,
	} {
		if present {
			b.faults.add(f.Name, path, "only the core may have this: it would change what core rules see")
		}
	}
	b.shared(f)
}

func (b *builder) shared(f File) {
	for _, name := range sortedKeys(f.Concepts) {
		b.concept(name, f.Concepts[name], f.Name)
	}
	for i, route := range f.Routes {
		path := "$.routes[" + strconv.Itoa(i) + "]"
		if b.claim("route", route.ID, f.Name, path+".id") {
			b.r.rank[route.ID] = len(b.r.routes)
			b.r.routes = append(b.r.routes, route)
		}
		if route.Kind != emergency && route.Kind != pinned {
			b.faults.add(f.Name, path+".kind", "%q is neither %q nor %q", route.Kind, emergency, pinned)
		}
	}
	for i, r := range f.Rules {
		path := "$.rules[" + strconv.Itoa(i) + "]"
		b.claim("rule", r.ID, f.Name, path+".id")
		if len(r.When) == 0 {
			b.faults.add(f.Name, path+".when", "empty: the rule would never match")
		}
		b.r.rules = append(b.r.rules, rule{
			id: r.ID, route: r.Route, file: f.Name, path: path,
			when:       b.expressions(r.When, f.Name, path+".when"),
			unless:     b.expressions(r.Unless, f.Name, path+".unless"),
			unlessText: b.expressions(r.UnlessText, f.Name, path+".unless_text"),
		})
	}
	b.r.hazard = append(b.r.hazard, b.marks(f.Marks.Hazard, f.Name, "$.marks.hazard")...)
	b.r.group = append(b.r.group, b.marks(f.Marks.Group, f.Name, "$.marks.group")...)
	for _, route := range sortedKeys(f.Cues.Of) {
		path := "$.cues.of." + route
		if b.claim("cue", route, f.Name, path) {
			c := f.Cues.Of[route]
			b.r.cues = append(b.r.cues, cue{route, b.inPack, c.Bias, c.Over, b.expressions(c.Unless, f.Name, path+".unless"), c.Points})
		}
	}
	for _, id := range sortedKeys(f.Numbers) {
		b.number(id, f.Numbers[id], f.Name)
	}
	for _, id := range sortedKeys(f.Texts) {
		if b.claim("text", id, f.Name, "$.texts."+id) {
			b.r.texts[id] = f.Texts[id]
		}
	}
}

// number adds a phone number. Packs may name one number twice if they agree.
func (b *builder) number(id string, n Number, file string) {
	path := "$.numbers." + id
	if was, ok := b.r.numbers[id]; ok && b.inPack && was.Number == n.Number && maps.Equal(was.Name, n.Name) {
		return
	}
	if n.Number == "" {
		b.faults.add(file, path+".number", "empty")
	}
	if b.claim("number", id, file, path) {
		b.r.numbers[id] = n
	}
}

func (b *builder) concept(name string, byLang map[string][]string, file string) {
	path := "$.concepts." + name
	if !b.claim("concept", name, file, path) {
		return
	}
	c := &concept{name: name, core: !b.inPack}
	b.concepts[name] = c
	b.order = append(b.order, name)
	for _, lang := range sortedKeys(byLang) {
		at := path + "." + lang
		if _, known := b.r.languages[lang]; !known && lang != anyKey && lang != exceptKey && lang != butKey {
			b.faults.add(file, at, "language %q is not among the core's", lang)
			continue
		}
		for i, s := range byLang[lang] {
			ps := b.pattern(s, lang, file, at+"["+strconv.Itoa(i)+"]")
			switch lang {
			case exceptKey:
				c.except = append(c.except, ps...)
			case butKey:
				c.but = append(c.but, ps...)
			default:
				c.patterns = append(c.patterns, ps...)
			}
		}
	}
}

// pattern parses s; its top alternatives become patterns of their own, which
// are faster to rule out.
func (b *builder) pattern(s, lang, file, path string) []pattern {
	seq, err := b.r.words.parsePattern(s)
	if err != nil {
		b.faults.add(file, path, "%v in %q", err, s)
		return nil
	}
	if len(seq) != 1 || seq[0].kind != groupNode {
		return []pattern{b.newPattern(lang, seq, file, path)}
	}
	var out []pattern
	for _, alt := range seq[0].alts {
		out = append(out, b.newPattern(lang, alt, file, path))
	}
	return out
}

func (b *builder) newPattern(lang string, seq []node, file, path string) pattern {
	p := pattern{b.r.patterns, lang, seq, needs(seq), file, path}
	b.r.patterns++
	return p
}

func (b *builder) expressions(list []string, file, path string) []expression {
	var out []expression
	for i, s := range list {
		at := path + "[" + strconv.Itoa(i) + "]"
		var e expression
		for _, term := range strings.Split(s, "&") {
			seq, err := b.r.words.parsePattern(term)
			if err != nil {
				b.faults.add(file, at, "%v in %q", err, term)
				continue
			}
			e = append(e, b.newPattern(anyKey, seq, file, at))
		}
		out = append(out, e)
	}
	return out
}

func (b *builder) marks(list []Mark, file, path string) []mark {
	var out []mark
	for i, m := range list {
		at := path + "[" + strconv.Itoa(i) + "]"
		out = append(out, mark{m.Is, b.expressions(m.When, file, at+".when"), m.Routes})
	}
	return out
}

// link puts concepts in order, resolves what patterns mention and checks that
// rules lead to routes.
func (b *builder) link() {
	index := map[string]int{}
	state := map[string]int{} // 1 being visited, 2 done
	var visit func(name string, from pattern)
	each := func(p pattern) {
		refs(p.seq, func(n *node) { visit(n.name, p) })
	}
	visit = func(name string, from pattern) {
		c := b.concepts[name]
		switch {
		case c == nil:
			b.faults.add(from.file, from.path, "unknown concept @%s", name)
			return
		case state[name] == 1:
			b.faults.add(from.file, from.path, "concept @%s leads back to itself", name)
			return
		case state[name] == 2:
			return
		}
		state[name] = 1
		for _, p := range slices.Concat(c.patterns, c.except, c.but) {
			each(p)
		}
		state[name] = 2
		index[name] = len(b.r.concepts)
		b.r.concepts = append(b.r.concepts, *c)
	}
	for _, name := range b.order {
		visit(name, pattern{})
	}
	resolve := func(p pattern) {
		each(p)
		refs(p.seq, func(n *node) { n.concept = index[n.name] })
	}
	for _, c := range b.r.concepts {
		for _, p := range slices.Concat(c.patterns, c.except, c.but) {
			resolve(p)
		}
	}
	for _, p := range b.r.idioms {
		resolve(p)
	}
	for _, e := range b.allExpressions() {
		for _, p := range e {
			resolve(p)
		}
	}
	for _, r := range b.r.rules {
		if _, ok := b.r.rank[r.route]; !ok {
			b.faults.add(r.file, r.path+".route", "unknown route %q", r.route)
		}
	}
	for _, c := range b.r.cues {
		if _, ok := b.r.rank[c.route]; !ok {
			b.faults.add(b.owner["cue "+c.route], "$.cues.of."+c.route, "unknown route %q", c.route)
		}
	}
}

func (b *builder) allExpressions() []expression {
	var out []expression
	for _, r := range b.r.rules {
		out = append(out, slices.Concat(r.when, r.unless, r.unlessText)...)
	}
	for _, c := range b.r.cues {
		out = append(out, c.unless...)
	}
	for _, m := range slices.Concat(b.r.person, b.r.hazard, b.r.group) {
		out = append(out, m.when...)
	}
	return out
}

func sortedKeys[K cmp.Ordered, V any](m map[K]V) []K {
	return slices.Sorted(maps.Keys(m))
}

// Emergencies lists the ids of the routes whose text is the whole answer, in
// their order.
func (r *Router) Emergencies() (ids []string) {
	for _, route := range r.routes {
		if route.Kind == emergency {
			ids = append(ids, route.ID)
		}
	}
	return ids
}

// Routes lists the ids of all routes, in their order.
func (r *Router) Routes() []string {
	ids := make([]string, 0, len(r.routes))
	for _, route := range r.routes {
		ids = append(ids, route.ID)
	}
	return ids
}
