package kb

import (
	"fmt"
	"iter"
	"slices"
	"strings"
	"unicode"

	"golang.org/x/text/unicode/norm"

	"plumbline/bot"
	"plumbline/internal/jsonpos"
)

// A Library is the packs that a program has installed, ready to be looked up.
// Nothing in it changes: two goroutines may use it, and what it returns is not
// to be written to.
type Library struct {
	onlyApproved bool

	packs      []*Pack
	chunks     map[string]Chunk
	order      []string // ids of chunks, in the packs' order
	paragraphs map[string]entry
	phones     map[string]phoneEntry
	steps      map[string]NextStep
	parents    map[string]string // of jurisdictions
	places     []string          // jurisdictions in the packs' order
}

// An entry is a paragraph and where it comes from.
type entry struct {
	paragraph Paragraph
	source    Source // with the paragraph's provenance and jurisdiction
	chunk     string
}

type phoneEntry struct {
	phone Phone
	pack  string
}

// A Chunk is a subsection: what retrieval finds as one.
type Chunk struct {
	ID         string // pack/subsection
	Pack       string
	Document   string // Document.ID
	Section    Section
	Subsection Subsection
}

// Heading returns the chunk's section and subheading in lang, else in English.
func (c Chunk) Heading(lang string) string {
	return c.Section.Heading.In(lang) + ": " + c.Subsection.Heading.In(lang)
}

// NewLibrary joins packs in the order given; the first is the default. The ids
// of paragraphs, phones, next steps and scope rules must be unique across
// them, and a jurisdiction that two packs name must lie in the same place;
// otherwise the error is a *Faults naming both.
func NewLibrary(packs ...*Pack) (*Library, error) {
	l, faults := join(packs...)
	if len(faults) > 0 {
		jsonpos.Sort(faults)
		return nil, &Faults{faults, bot.ErrInvalid}
	}
	return l, nil
}

// join joins packs even if there are faults.
func join(packs ...*Pack) (*Library, []jsonpos.Fault) {
	l := &Library{packs: packs, chunks: make(map[string]Chunk), paragraphs: make(map[string]entry),
		phones: make(map[string]phoneEntry), steps: make(map[string]NextStep), parents: make(map[string]string)}
	j := joiner{first: make(map[place]*Pack)}
	for _, p := range packs {
		j.pack = p
		j.add("pack", p.Manifest.Name)
		for _, pl := range p.Manifest.Places {
			j.jurisdiction(l, pl)
		}
		for _, d := range p.Documents {
			for _, s := range d.Sections {
				for _, sub := range s.Subsections {
					l.addChunk(&j, Chunk{p.Manifest.Name + "/" + sub.ID, p.Manifest.Name, d.ID, s, sub}, d.Source)
				}
			}
		}
		for _, ph := range p.Contacts.Phones {
			j.add(kindPhone, ph.ID)
			l.phones[ph.ID] = phoneEntry{ph, p.Manifest.Name}
		}
		for _, n := range p.Guidance.NextSteps {
			j.add(kindNextStep, n.ID)
			l.steps[n.ID] = n
		}
		for _, r := range p.Scope {
			j.add(kindScope, r.ID)
		}
	}
	return l, j.faults
}

// A joiner notes which pack an id came from first.
type joiner struct {
	pack   *Pack
	first  map[place]*Pack
	faults []jsonpos.Fault
}

func (j *joiner) add(kind, id string) {
	before, ok := j.first[place{kind, id}]
	if !ok {
		j.first[place{kind, id}] = j.pack
		return
	}
	j.fault(kind, id, fmt.Sprintf("%s %q stands in %s too", kind, id, before.where(kind, id)), "give one of them another id")
}

func (j *joiner) fault(kind, id, what, do string) {
	pos := j.pack.position(kind, id)
	f := jsonpos.Fault{File: pos.file, Line: pos.line, Column: 1, What: what, Do: do}
	if pos.line == 0 {
		f.File = j.pack.Manifest.Name
	}
	j.faults = append(j.faults, f)
}

func (j *joiner) jurisdiction(l *Library, p Jurisdiction) {
	before, ok := l.parents[p.ID]
	if !ok {
		j.first[place{kindJurisdiction, p.ID}] = j.pack
		l.parents[p.ID] = p.Parent
		l.places = append(l.places, p.ID)
		return
	}
	if before != p.Parent {
		j.fault(kindJurisdiction, p.ID, fmt.Sprintf("%q lies in %q, but in %q in %s", p.ID, p.Parent, before,
			j.first[place{kindJurisdiction, p.ID}].where(kindJurisdiction, p.ID)), "agree on one")
	}
}

func (l *Library) addChunk(j *joiner, c Chunk, source string) {
	l.chunks[c.ID] = c
	l.order = append(l.order, c.ID)
	if c.Subsection.Source != "" {
		source = c.Subsection.Source
	}
	for _, p := range c.Subsection.Paragraphs {
		j.add(kindParagraph, p.ID)
		s := j.pack.source(first(p.Source, source))
		s.Jurisdiction = first(p.Jurisdiction, s.Jurisdiction)
		if p.Provenance != nil {
			s.Provenance = *p.Provenance
		}
		l.paragraphs[p.ID] = entry{p, s, c.ID}
	}
}

// first returns a, or b if a is empty.
func first(a, b string) string {
	if a != "" {
		return a
	}
	return b
}

// source returns the source with the id; a zero one if there is none.
func (p *Pack) source(id string) Source {
	for _, s := range p.Sources {
		if s.ID == id {
			return s
		}
	}
	return Source{}
}

// paragraphs yields every paragraph with the id of its source.
func (p *Pack) paragraphs() iter.Seq2[*Paragraph, string] {
	return func(yield func(*Paragraph, string) bool) {
		for i := range p.Documents {
			d := &p.Documents[i]
			for _, s := range d.Sections {
				for _, sub := range s.Subsections {
					for k := range sub.Paragraphs {
						q := &sub.Paragraphs[k]
						if !yield(q, first(q.Source, first(sub.Source, d.Source))) {
							return
						}
					}
				}
			}
		}
	}
}

// position is where an id stands; zero for a pack that was not loaded.
func (p *Pack) position(kind, id string) position { return p.places[place{kind, id}] }

// where says where an id stands: a file and line, else the pack's name.
func (p *Pack) where(kind, id string) string {
	if pos := p.position(kind, id); pos.line > 0 {
		return fmt.Sprintf("%s:%d", pos.file, pos.line)
	}
	return "pack " + p.Manifest.Name
}

// Packs returns the packs, the default first.
func (l *Library) Packs() []*Pack { return slices.Clone(l.packs) }

// Pack returns the pack called name; the default for an empty name.
func (l *Library) Pack(name string) (*Pack, bool) {
	for _, p := range l.packs {
		if name == "" || p.Manifest.Name == name {
			return p, true
		}
	}
	return nil, false
}

// Chunk returns the chunk with the id, pack/subsection.
func (l *Library) Chunk(id string) (Chunk, bool) {
	c, ok := l.chunks[id]
	return c, ok
}

// Chunks yields every chunk, in the order of the packs and their files.
func (l *Library) Chunks() iter.Seq[Chunk] {
	return func(yield func(Chunk) bool) {
		for _, id := range l.order {
			if !yield(l.chunks[id]) {
				return
			}
		}
	}
}

// Paragraph returns the paragraph with the id.
func (l *Library) Paragraph(id string) (Paragraph, bool) {
	e, ok := l.paragraphs[id]
	return e.paragraph, ok
}

// ChunkOf returns the chunk that the paragraph with the id stands in.
func (l *Library) ChunkOf(paragraph string) (Chunk, bool) {
	e, ok := l.paragraphs[paragraph]
	if !ok {
		return Chunk{}, false
	}
	return l.chunks[e.chunk], true
}

// Source returns where p comes from: its own source, else its subsection's,
// else its document's, with p's provenance where it has one and p's
// jurisdiction.
func (l *Library) Source(p Paragraph) (Source, bool) {
	e, ok := l.paragraphs[p.ID]
	return e.source, ok && e.source.ID != ""
}

// Phone returns the phone record with the id.
func (l *Library) Phone(id string) (Phone, bool) {
	e, ok := l.phones[id]
	return e.phone, ok
}

// PhoneSource returns where a phone record comes from.
func (l *Library) PhoneSource(p Phone) (Source, bool) {
	e, ok := l.phones[p.ID]
	if !ok {
		return Source{}, false
	}
	pack, _ := l.Pack(e.pack)
	s := pack.source(p.Source)
	s.Jurisdiction = first(p.Jurisdiction, s.Jurisdiction)
	return s, s.ID != ""
}

// NextStep returns the next step with the id.
func (l *Library) NextStep(id string) (NextStep, bool) {
	n, ok := l.steps[id]
	return n, ok
}

// NextStepsFor returns the next steps of the pack for a topic, in its order.
func (l *Library) NextStepsFor(pack, topic string) (steps []NextStep) {
	p, ok := l.Pack(pack)
	if !ok {
		return nil
	}
	for _, n := range p.Guidance.NextSteps {
		if slices.Contains(n.Topics, topic) {
			steps = append(steps, n)
		}
	}
	return steps
}

// Jurisdictions returns the places whose rules and advice hold for someone at
// home: home, what it lies in, and those that lie in nothing, such as WHO.
// Home comes first. Of a home that no pack knows only the latter are left.
func (l *Library) Jurisdictions(home string) []string {
	var list []string
	for id := home; id != "" && !slices.Contains(list, id); id = l.parents[id] {
		if _, ok := l.parents[id]; !ok {
			break
		}
		list = append(list, id)
	}
	for _, id := range l.places {
		if l.parents[id] == "" && !slices.Contains(list, id) {
			list = append(list, id)
		}
	}
	return list
}

// A Form is a way to word a paragraph.
type Form string

// The forms.
const (
	FormPlain Form = "plain" // as a neighbour would text it
	FormExact Form = "exact" // as the source means it, whole
)

// A Phrase is one wording of a paragraph and what it is.
type Phrase struct {
	Wording
	Form     Form
	Language string
}

// OnlyApproved leaves out plain wordings that nobody approved from now on: real
// people are told none. Call it before l is used.
func (l *Library) OnlyApproved() { l.onlyApproved = true }

// Wordings returns the wordings of p in lang, the plain one first if there is
// one. After [Library.OnlyApproved] a plain wording that nobody approved is left
// out; the exact one stays, for it is what is left to say.
func (l *Library) Wordings(p Paragraph, lang string) []Phrase {
	var list []Phrase
	if w, ok := p.Plain[lang]; ok && (w.Approved != nil || !l.onlyApproved) {
		list = append(list, Phrase{w, FormPlain, lang})
	}
	if w, ok := p.Exact[lang]; ok {
		list = append(list, Phrase{w, FormExact, lang})
	}
	return list
}

// Bot returns s as an answer shows it. Note is in English: channels that
// speak to people word it from the Source itself.
func (s Source) Bot() bot.Source {
	var notes []string
	if s.Out != "" {
		notes = append(notes, "advice given for "+s.Out)
	}
	if s.Provenance.Open {
		notes = append(notes, "the cited page itself was not opened")
	}
	return bot.Source{Agency: s.Agency, Title: s.Title, URL: s.URL, Date: s.Date, How: s.Provenance.How,
		Read: s.Provenance.On.String(), Note: strings.Join(notes, "; "), Place: s.Jurisdiction}
}

// slugOf turns a term into the last part of an id: "Action level" is
// action-level.
func slugOf(term string) string {
	var b strings.Builder
	for _, r := range norm.NFD.String(strings.ToLower(term)) {
		switch {
		case 'a' <= r && r <= 'z' || '0' <= r && r <= '9':
			b.WriteRune(r)
		case unicode.Is(unicode.Mn, r):
		case b.Len() > 0 && !strings.HasSuffix(b.String(), "-"):
			b.WriteByte('-')
		}
	}
	return strings.TrimSuffix(b.String(), "-")
}
