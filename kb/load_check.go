package kb

import (
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"
	"unicode"

	"golang.org/x/text/unicode/norm"

	"plumbline/internal/jsonpos"
)

// The kinds of things that have ids.
const (
	kindSource       = "source"
	kindDocument     = "document"
	kindSubsection   = "subsection"
	kindParagraph    = "paragraph"
	kindPhone        = "phone"
	kindNextStep     = "next step"
	kindJurisdiction = "jurisdiction"
	kindAgency       = "agency"
	kindTopic        = "topic"
	kindScope        = "scope rule"
	kindLimit        = "standing limitation"
	kindClarify      = "question asked back"
	kindPremise      = "premise"
	kindStrategy     = "strategy"
	kindTerm         = "term"
	kindLocal        = "local fact"
	kindProbe        = "probe"
	kindName         = "name"
)

// requiredLanguages are those that every pack speaks.
var requiredLanguages = []string{"en", "es"}

// A place names something with an id, a position where it stands.
type place struct{ kind, id string }

type position struct {
	file string
	line int
}

// A checker finds what is wrong with the meaning of a pack.
type checker struct {
	pack      *Pack
	docs      map[string]*jsonpos.Document // by file name
	documents []*jsonpos.Document          // as Pack.Documents
	unread    map[string]bool              // files that could not be decoded: what they declare is not known
	told      map[string]bool              // file and path of faults told already
	languages []string
	ids       map[place]jsonpos.Fault // where each stands
	refs      []reference
	faults    []jsonpos.Fault
}

// A reference is an id that must be of one of kinds.
type reference struct {
	at    at
	kinds []string
	id    string
}

// An at is a value of a file.
type at struct {
	doc  *jsonpos.Document
	path jsonpos.Path
}

func (a at) key(name string) at { return at{a.doc, a.path.Key(name)} }
func (a at) index(i int) at     { return at{a.doc, a.path.Index(i)} }

func newChecker(p *Pack) *checker {
	return &checker{pack: p, docs: make(map[string]*jsonpos.Document), unread: make(map[string]bool),
		told: make(map[string]bool), ids: make(map[place]jsonpos.Fault)}
}

// faulty notes faults that were told, so that what follows from them is not.
func (c *checker) faulty(faults []jsonpos.Fault) {
	for _, f := range faults {
		c.told[f.File+string(f.Path)] = true
	}
}

// fault tells what is wrong at a, unless a fault of a or of what holds it was
// told.
func (c *checker) fault(a at, what, do string) {
	for p := a.path; p != jsonpos.Root; p = p.Parent() {
		if c.told[a.doc.File()+string(p)] {
			return
		}
	}
	c.told[a.doc.File()+string(a.path)] = true
	c.faults = append(c.faults, a.doc.Fault(a.path, what, do))
}

// bare tells that there is nothing in a, unless what was there had a fault.
func (c *checker) bare(a at, what, do string) {
	within := a.doc.File() + string(a.path)
	for told := range c.told {
		if strings.HasPrefix(told, within+".") || strings.HasPrefix(told, within+"[") {
			return
		}
	}
	c.fault(a, what, do)
}

// places is where ids stand, for those who have only the pack.
func (c *checker) places() map[place]position {
	out := make(map[place]position, len(c.ids))
	for id, f := range c.ids {
		out[id] = position{f.File, f.Line}
	}
	return out
}

// root is the top of the file called name; false if it was not read.
func (c *checker) root(name string) (at, bool) {
	doc, ok := c.docs[name]
	return at{doc, jsonpos.Root}, ok
}

func (c *checker) run(folder string) {
	c.languages = requiredLanguages
	if a, ok := c.root("pack.json"); ok {
		c.manifest(a, folder)
	}
	if a, ok := c.root("sources.json"); ok {
		c.sources(a)
	}
	for i, doc := range c.documents {
		c.document(at{doc, jsonpos.Root}, &c.pack.Documents[i])
	}
	if a, ok := c.root("strategies.json"); ok {
		c.strategies(a)
	}
	if a, ok := c.root("contacts.json"); ok {
		c.contacts(a)
	}
	if a, ok := c.root("safety.json"); ok {
		c.safety(a)
	}
	if a, ok := c.root("scope.json"); ok {
		c.scope(a)
	}
	if a, ok := c.root("guidance.json"); ok {
		c.guidance(a)
	}
	if a, ok := c.root("asking.json"); ok {
		c.asking(a)
	}
	if a, ok := c.root("probes.json"); ok {
		c.probes(a)
	}
	if a, ok := c.root("questions.json"); ok {
		c.questions(a)
	}
	if a, ok := c.root("beyond.json"); ok {
		c.beyond(a)
	}
	if a, ok := c.root("names.json"); ok {
		c.names(a)
	}
	c.references()
	c.supersession()
	for _, name := range slices.Sorted(maps.Keys(c.docs)) {
		if name != "safety.json" {
			c.characters(c.docs[name])
		}
	}
	for _, doc := range c.documents {
		c.characters(doc)
	}
}

var (
	idShape    = regexp.MustCompile(`^[a-z0-9]+([._-][a-z0-9]+)*$`)
	placeShape = regexp.MustCompile(`^[A-Za-z0-9]+([._-][A-Za-z0-9]+)*$`)
	tagShape   = regexp.MustCompile(`^[a-z]{2,3}$`)
)

const (
	maxID = 80

	writeIDs = "use lower-case letters and digits, with single '.', '-' or '_' between them"
)

// reserved are the beginnings of ids that name other things than paragraphs
// where both stand side by side.
var reserved = []string{"clarify.", "limit.", "offer.", "phone.", "premise.", "next.", "fixed.", "scope.", "term."}

// id checks the id at a, notes it and tells if it was used before.
func (c *checker) id(a at, kind, id string) {
	shape, do := idShape, writeIDs
	if kind == kindJurisdiction {
		shape, do = placeShape, "use letters and digits, with single '.', '-' or '_' between them"
	}
	switch {
	case id == "":
		c.fault(a, "the id is empty", "")
		return
	case len(id) > maxID || !shape.MatchString(id):
		c.fault(a, fmt.Sprintf("%.90q is not an id", id), do)
	}
	switch prefix := map[string]string{kindPhone: "phone.", kindNextStep: "next.", kindLimit: "limit.", kindClarify: "clarify.", kindPremise: "premise."}[kind]; {
	case prefix != "" && (!strings.HasPrefix(id, prefix) || id == prefix):
		c.fault(a, fmt.Sprintf("the id of a %s begins with %q, %q does not", kind, prefix, id), fmt.Sprintf("call it %q", prefix+id))
	case kind == kindParagraph || kind == kindLocal:
		for _, r := range reserved {
			if strings.HasPrefix(id, r) {
				c.fault(a, fmt.Sprintf("the id of a %s does not begin with %q", kind, r), "call it something else")
			}
		}
	}
	c.unique(a, kind, id)
}

func (c *checker) unique(a at, kind, id string) {
	if before, ok := c.ids[place{kind, id}]; ok {
		where := fmt.Sprintf("%s:%d", before.File, before.Line)
		c.fault(a, fmt.Sprintf("%s %q stands in %s too", kind, id, where), "give one of them another id")
		return
	}
	c.ids[place{kind, id}] = a.doc.Fault(a.path, "", "")
}

// ref notes that id at a must be of one of kinds.
func (c *checker) ref(a at, id string, kinds ...string) {
	c.refs = append(c.refs, reference{a, kinds, id})
}

func (c *checker) refList(a at, ids []string, kinds ...string) {
	for i, id := range ids {
		c.ref(a.index(i), id, kinds...)
		if slices.Contains(ids[:i], id) {
			c.fault(a.index(i), fmt.Sprintf("%q stands twice", id), "delete one")
		}
	}
}

// declaredIn says which file declares a kind of id.
var declaredIn = map[string]string{
	kindSource: "sources.json", kindParagraph: "documents", kindTopic: "documents", kindPhone: "contacts.json",
	kindNextStep: "guidance.json", kindJurisdiction: "pack.json", kindStrategy: "strategies.json",
}

// references tells the ids that name nothing.
func (c *checker) references() {
	known := make(map[string][]string)
	for id := range c.ids {
		known[id.kind] = append(known[id.kind], id.id)
	}
	for _, r := range c.refs {
		if r.id == "" {
			c.fault(r.at, "the id of a "+strings.Join(r.kinds, " or ")+" is empty", "")
			continue
		}
		found := slices.ContainsFunc(r.kinds, func(kind string) bool {
			_, ok := c.ids[place{kind, r.id}]
			return ok || c.unread[declaredIn[kind]]
		})
		if found {
			continue
		}
		var names []string
		for _, kind := range r.kinds {
			names = append(names, known[kind]...)
		}
		slices.Sort(names)
		do := ""
		if near := jsonpos.Nearest(r.id, names); near != "" {
			do = fmt.Sprintf("did you mean %q?", near)
		}
		c.fault(r.at, fmt.Sprintf("there is no %s %.90q", strings.Join(r.kinds, " or "), r.id), do)
	}
}

// text checks a text in every language of the pack.
func (c *checker) text(a at, t Text) {
	c.tags(a, slices.Collect(maps.Keys(t)))
	for _, lang := range c.languages {
		c.filled(a.key(lang), t[lang], has(t, lang))
	}
}

// filled tells if there is no text at a.
func (c *checker) filled(a at, text string, there bool) {
	switch {
	case !there:
		c.fault(a, "the text is missing in this language", "")
	case strings.TrimSpace(text) == "":
		c.fault(a, "the text is empty", "")
	}
}

func has[K comparable, V any](m map[K]V, key K) bool {
	_, ok := m[key]
	return ok
}

// tags checks that every language of a map at a is one of the pack's.
func (c *checker) tags(a at, langs []string) {
	if c.unread["pack.json"] {
		return
	}
	slices.Sort(langs)
	for _, lang := range langs {
		if !slices.Contains(c.languages, lang) {
			c.fault(a.key(lang), fmt.Sprintf("the pack does not declare the language %.20q", lang), "add it to languages in pack.json, or delete it")
		}
	}
}

// words checks lists of texts by language: declared, filled, none twice.
func (c *checker) words(a at, lists map[string][]string) {
	c.tags(a, slices.Collect(maps.Keys(lists)))
	for _, lang := range c.languages {
		for i, w := range lists[lang] {
			c.filled(a.key(lang).index(i), w, true)
			if slices.Contains(lists[lang][:i], w) {
				c.fault(a.key(lang).index(i), fmt.Sprintf("%q stands twice", w), "delete one")
			}
		}
	}
}

// said checks a text that is not in languages.
func (c *checker) said(a at, text string) { c.filled(a, text, true) }

// characters tells what does not belong in a text that people read and that
// quotes are compared with.
func (c *checker) characters(doc *jsonpos.Document) {
	doc.Strings(func(path jsonpos.Path, text string, key bool) {
		a := at{doc, path}
		for _, r := range text {
			if do := strange(r); do != "" {
				c.fault(a, fmt.Sprintf("the character %U stands in it", r), do)
				return
			}
		}
		switch {
		case !norm.NFC.IsNormalString(text):
			c.fault(a, "it has letters and accents apart", "save it in Unicode's composed form, NFC")
		case key || isPattern(path):
		case text != strings.TrimSpace(text):
			c.fault(a, "it begins or ends with a space", "delete the space")
		case strings.Contains(text, "  "):
			c.fault(a, "two spaces stand in a row", "delete one")
		}
	})
}

// isPattern reports whether path leads to a pattern of a scope rule.
func isPattern(path jsonpos.Path) bool {
	return strings.Contains(string(path), ".any.") || strings.Contains(string(path), ".unless.")
}

// strange says what to do about a character that no text of a pack needs;
// empty if it is an ordinary one.
func strange(r rune) string {
	switch {
	case r == ' ' || r < unicode.MaxASCII && unicode.IsPrint(r):
		return ""
	case r == unicode.ReplacementChar:
		return "a letter was lost: look it up"
	case unicode.Is(unicode.Zs, r):
		return "write a plain space"
	case unicode.IsControl(r), unicode.In(r, unicode.Cf, unicode.Co, unicode.Zl, unicode.Zp), r&0xfffe == 0xfffe:
		return "delete it"
	}
	return ""
}
