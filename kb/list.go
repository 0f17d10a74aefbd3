package kb

import "iter"

// PackCounts says what a pack holds.
type PackCounts struct {
	Name       string         `json:"name"`
	Title      Text           `json:"title"`
	Version    string         `json:"version"`
	Languages  []string       `json:"languages"`
	Home       string         `json:"home"`
	Documents  int            `json:"documents"`
	Sources    int            `json:"sources"`
	Chunks     int            `json:"chunks"`
	Paragraphs int            `json:"paragraphs"`
	Wordings   map[string]int `json:"wordings"`   // by language, exact and plain
	Unapproved map[string]int `json:"unapproved"` // of those
	Phones     int            `json:"phones"`
	NextSteps  int            `json:"next_steps"`
	Probes     int            `json:"probes"`
}

// List counts what each pack of the library holds, in the packs' order.
func List(l *Library) []PackCounts {
	var list []PackCounts
	for _, p := range l.Packs() {
		m := p.Manifest
		c := PackCounts{Name: m.Name, Title: m.Title, Version: p.Version, Languages: m.Languages, Home: m.Home,
			Documents: len(p.Documents), Sources: len(p.Sources), Phones: len(p.Contacts.Phones),
			NextSteps: len(p.Guidance.NextSteps), Probes: len(p.Probes),
			Wordings: make(map[string]int), Unapproved: make(map[string]int)}
		for _, lang := range m.Languages {
			c.Wordings[lang], c.Unapproved[lang] = 0, 0
		}
		for _, d := range p.Documents {
			for _, s := range d.Sections {
				c.Chunks += len(s.Subsections)
			}
		}
		for q := range p.paragraphs() {
			c.Paragraphs++
			for w := range q.phrases(m.Languages) {
				c.Wordings[w.Language]++
				if w.Approved == nil {
					c.Unapproved[w.Language]++
				}
			}
		}
		list = append(list, c)
	}
	return list
}

// phrases yields the wordings of p: by language in the order given, exact
// before plain.
func (p *Paragraph) phrases(langs []string) iter.Seq[Phrase] {
	return func(yield func(Phrase) bool) {
		for _, lang := range langs {
			if w, ok := p.Exact[lang]; ok && !yield(Phrase{w, FormExact, lang}) {
				return
			}
			if w, ok := p.Plain[lang]; ok && !yield(Phrase{w, FormPlain, lang}) {
				return
			}
		}
	}
}
