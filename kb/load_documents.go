package kb

import (
	"fmt"
	"maps"
	"net/url"
	"slices"
	"strings"
	"unicode/utf8"
)

func (c *checker) manifest(a at, folder string) {
	m := &c.pack.Manifest
	switch {
	case !idShape.MatchString(m.Name):
		c.fault(a.key("name"), fmt.Sprintf("%.90q is not a name", m.Name), writeIDs)
	case folder != "." && folder != m.Name:
		c.fault(a.key("name"), fmt.Sprintf("the pack is called %q, its folder %q", m.Name, folder), "call both the same")
	}
	c.manifestLanguages(a.key("languages"), m.Languages)
	c.text(a.key("title"), m.Title)
	c.text(a.key("description"), m.Description)
	c.text(a.key("about"), m.About)
	for i, j := range m.Places {
		b := a.key("jurisdictions").index(i)
		c.id(b.key("id"), kindJurisdiction, j.ID)
		if j.Parent != "" {
			c.ref(b.key("parent"), j.Parent, kindJurisdiction)
		}
		c.text(b.key("name"), j.Name)
		c.words(b.key("forms"), j.Forms)
	}
	c.ref(a.key("home"), m.Home, kindJurisdiction)
	c.nesting(a.key("jurisdictions"), m.Places)
}

func (c *checker) manifestLanguages(a at, langs []string) {
	for i, lang := range langs {
		switch {
		case !tagShape.MatchString(lang):
			c.fault(a.index(i), fmt.Sprintf("%.20q is not a language", lang), `write its tag, such as "en"`)
		case slices.Contains(langs[:i], lang):
			c.fault(a.index(i), fmt.Sprintf("%q stands twice", lang), "delete one")
		default:
			if !slices.Contains(c.languages, lang) {
				c.languages = append(slices.Clip(c.languages), lang)
			}
		}
	}
	for _, lang := range requiredLanguages {
		if !slices.Contains(langs, lang) {
			c.fault(a, fmt.Sprintf("%q is missing: every pack speaks it", lang), "add it, and the texts")
			return
		}
	}
}

// nesting tells the jurisdictions that lie in themselves.
func (c *checker) nesting(a at, places []Jurisdiction) {
	parent := make(map[string]string)
	for _, j := range places {
		parent[j.ID] = j.Parent
	}
	for i, j := range places {
		steps, id := []string{j.ID}, j.Parent
		for id != "" && !slices.Contains(steps, id) {
			steps = append(steps, id)
			id = parent[id]
		}
		// Of one circle, only its first place tells it.
		if id != j.ID || slices.ContainsFunc(places[:i], func(o Jurisdiction) bool { return slices.Contains(steps, o.ID) }) {
			continue
		}
		c.fault(a.index(i).key("parent"), fmt.Sprintf("%q lies in itself: %s", j.ID, strings.Join(append(steps, id), " in ")), "take one parent away")
	}
}

func (c *checker) sources(a at) {
	if len(c.pack.Sources) == 0 {
		c.bare(a, "there is no source", "")
	}
	for i := range c.pack.Sources {
		s, b := &c.pack.Sources[i], a.index(i)
		c.id(b.key("id"), kindSource, s.ID)
		c.said(b.key("agency"), s.Agency)
		c.said(b.key("title"), s.Title)
		c.url(b.key("url"), s.URL)
		if _, err := ParseDate(s.Date); err != nil && s.Date != "undated" {
			c.fault(b.key("date"), fmt.Sprintf("%.40q is not a date", s.Date), `write it as printed: "2024-10-30", "2024-10", "2019" or "undated"`)
		}
		if s.Jurisdiction != "" {
			c.ref(b.key("jurisdiction"), s.Jurisdiction, kindJurisdiction)
		}
		c.validity(b.key("validity"), s.Validity)
		c.provenance(b.key("provenance"), &s.Provenance)
	}
}

func (c *checker) url(a at, s string) {
	u, err := url.Parse(s)
	switch {
	case err != nil || strings.ContainsAny(s, " \t\n<>\""):
		c.fault(a, fmt.Sprintf("%.90q is not a URL", s), "")
	case u.Scheme == "":
		c.fault(a, fmt.Sprintf("the URL %.90q is not whole", s), "begin it with https://")
	case u.Scheme != "https" && u.Scheme != "http":
		c.fault(a, fmt.Sprintf("the URL begins with %q", u.Scheme+":"), "use https: or http:")
	case u.Hostname() == "":
		c.fault(a, fmt.Sprintf("the URL %.90q names no host", s), "")
	case u.User != nil:
		c.fault(a, "the URL holds a user name", "delete it")
	}
}

func (c *checker) validity(a at, v *Validity) {
	switch {
	case v == nil:
	case *v == Validity{}:
		c.bare(a, "it says nothing", "delete it")
	case v.Effective != 0 && v.Expires != 0 && v.Effective >= v.Expires:
		c.fault(a.key("expires"), fmt.Sprintf("it expires on %s, not after it takes effect on %s", v.Expires, v.Effective), "mend one of the dates")
	}
	if v != nil && v.SupersededBy != "" {
		c.ref(a.key("superseded_by"), v.SupersededBy, kindParagraph)
	}
}

// The ways in which a source can have been read.
const (
	HowPrimary   = "primary"
	HowCopy      = "official-copy"
	HowSecondary = "secondary"
)

func (c *checker) provenance(a at, p *Provenance) {
	if p == nil {
		return
	}
	if !slices.Contains([]string{HowPrimary, HowCopy, HowSecondary}, p.How) {
		c.fault(a.key("how"), fmt.Sprintf("%.40q is not a way to read a source", p.How), "write primary, official-copy or secondary")
	}
	if p.On == 0 {
		c.fault(a.key("on"), "the day is empty", "")
	}
}

func (c *checker) document(a at, d *Document) {
	c.id(a.key("id"), kindDocument, d.ID)
	c.text(a.key("title"), d.Title)
	c.sourceOf(a.key("source"), d.Source)
	if len(d.Sections) == 0 {
		c.bare(a.key("sections"), "there is no section", "")
	}
	for i, s := range d.Sections {
		b := a.key("sections").index(i)
		c.id(b.key("id"), "section of "+d.ID, s.ID)
		c.text(b.key("heading"), s.Heading)
		if len(s.Subsections) == 0 {
			c.bare(b.key("subsections"), "there is no subsection", "")
		}
		for j := range s.Subsections {
			c.subsection(b.key("subsections").index(j), &s.Subsections[j], d.Source)
		}
	}
}

// sourceOf checks a default source; there need not be one.
func (c *checker) sourceOf(a at, id string) {
	if id != "" {
		c.ref(a, id, kindSource)
	}
}

func (c *checker) subsection(a at, s *Subsection, source string) {
	c.id(a.key("id"), kindSubsection, s.ID)
	c.text(a.key("heading"), s.Heading)
	c.words(a.key("aliases"), s.Aliases)
	c.sourceOf(a.key("source"), s.Source)
	if s.Source != "" {
		source = s.Source
	}
	if len(s.Paragraphs) == 0 {
		c.bare(a.key("paragraphs"), "there is no paragraph", "")
	}
	for i := range s.Paragraphs {
		c.paragraph(a.key("paragraphs").index(i), &s.Paragraphs[i], source)
	}
}

func (c *checker) paragraph(a at, p *Paragraph, source string) {
	c.id(a.key("id"), kindParagraph, p.ID)
	switch {
	case p.Topic == "":
		c.fault(a.key("topic"), "the topic is empty", "")
	case !idShape.MatchString(p.Topic):
		c.fault(a.key("topic"), fmt.Sprintf("%.90q is not a topic", p.Topic), writeIDs)
	case !has(c.ids, place{kindTopic, p.Topic}):
		c.ids[place{kindTopic, p.Topic}] = a.doc.Fault(a.key("topic").path, "", "")
	}
	if p.Source == "" && source == "" {
		c.fault(a.key("source"), "the paragraph has no source, nor its subsection or document", "name one")
	}
	c.sourceOf(a.key("source"), p.Source)
	c.ref(a.key("jurisdiction"), p.Jurisdiction, kindJurisdiction)
	c.validity(a.key("validity"), p.Validity)
	c.said(a.key("as_of"), p.AsOf)
	c.provenance(a.key("provenance"), p.Provenance)
	c.wordings(a, p)
	for i, v := range p.Caveats {
		b := a.key("caveats").index(i).key("text")
		if v.Travels {
			c.text(b, v.Text)
			continue
		}
		// One that stays is for those who look into a source: English will do.
		c.tags(b, slices.Collect(maps.Keys(v.Text)))
		c.filled(b.key("en"), v.Text["en"], has(v.Text, "en"))
		for _, lang := range c.languages {
			if has(v.Text, lang) {
				c.filled(b.key(lang), v.Text[lang], true)
			}
		}
	}
	c.refList(a.key("siblings"), p.Siblings, kindParagraph)
	for i, id := range p.Siblings {
		if id == p.ID {
			c.fault(a.key("siblings").index(i), "a paragraph is not its own sibling", "delete it")
		}
	}
	for i, n := range p.Numbers {
		b := a.key("numbers").index(i)
		c.said(b.key("value"), n.Value)
		c.said(b.key("what"), n.What)
	}
}

func (c *checker) wordings(a at, p *Paragraph) {
	c.tags(a.key("exact"), slices.Collect(maps.Keys(p.Exact)))
	c.tags(a.key("plain"), slices.Collect(maps.Keys(p.Plain)))
	for _, lang := range c.languages {
		exact, plain := a.key("exact").key(lang), a.key("plain").key(lang)
		w, ok := p.Exact[lang]
		if !ok {
			c.fault(exact, "the exact wording is missing in this language", "")
		} else {
			c.wording(exact, w)
			if w.Partial {
				c.fault(exact.key("partial"), "an exact wording is never partial", "delete it")
			}
		}
		if w, ok := p.Plain[lang]; ok {
			c.wording(plain, w)
		}
	}
}

func (c *checker) wording(a at, w Wording) {
	c.said(a.key("text"), w.Text)
	for i, s := range w.Alone {
		b := a.key("alone").index(i)
		switch {
		case strings.TrimSpace(s) == "":
			c.fault(b, "the text is empty", "")
		case !strings.Contains(w.Text, s):
			c.fault(b, "it does not stand in the text", "copy the sentence from the text")
		case !isSentence(w.Text, s):
			c.fault(b, "it is not a whole sentence of the text", "copy the sentence from its first word to its last mark")
		case slices.Contains(w.Alone[:i], s):
			c.fault(b, "it stands twice", "delete one")
		}
	}
	if w.Approved != nil {
		c.said(a.key("approved").key("by"), w.Approved.By)
		if w.Approved.On == 0 {
			c.fault(a.key("approved").key("on"), "the day is empty", "")
		}
	}
}

// isSentence reports whether part is one or more whole sentences of text.
func isSentence(text, part string) bool {
	for start := 0; ; {
		i := strings.Index(text[start:], part)
		if i < 0 {
			return false
		}
		i += start
		before, after := text[:i], text[i+len(part):]
		begins := before == "" || strings.HasSuffix(before, " ") && endsSentence(strings.TrimSuffix(before, " "))
		ends := after == "" || strings.HasPrefix(after, " ") && endsSentence(part)
		if begins && ends {
			return true
		}
		_, n := utf8.DecodeRuneInString(text[i:])
		start = i + n
	}
}

func endsSentence(s string) bool {
	s = strings.TrimRight(s, `"')”’»]`)
	return strings.HasSuffix(s, ".") || strings.HasSuffix(s, "!") || strings.HasSuffix(s, "?") || strings.HasSuffix(s, ":") || strings.HasSuffix(s, ";")
}

// supersession tells the paragraphs that supersede each other in a circle,
// their sources' word for it included.
func (c *checker) supersession() {
	next := make(map[string]string)
	var order []string
	for p, source := range c.pack.paragraphs() {
		by := ""
		if v := p.Validity; v != nil {
			by = v.SupersededBy
		}
		if i := slices.IndexFunc(c.pack.Sources, func(s Source) bool { return s.ID == source }); i >= 0 && by == "" {
			if v := c.pack.Sources[i].Validity; v != nil {
				by = v.SupersededBy
			}
		}
		if by != "" && has(c.ids, place{kindParagraph, p.ID}) && !has(next, p.ID) {
			next[p.ID] = by
			order = append(order, p.ID)
		}
	}
	for i, start := range order {
		steps, id := []string{start}, next[start]
		for id != "" && !slices.Contains(steps, id) {
			steps = append(steps, id)
			id = next[id]
		}
		// Of one circle, only its first paragraph tells it.
		if id != start || slices.ContainsFunc(order[:i], func(o string) bool { return slices.Contains(steps, o) }) {
			continue
		}
		where := c.ids[place{kindParagraph, start}]
		a := at{c.docFor(where.File), where.Path}
		c.fault(a, fmt.Sprintf("%q supersedes itself: %s", start, strings.Join(append(steps, id), " by ")), "take one away")
	}
}
