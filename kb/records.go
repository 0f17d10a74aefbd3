package kb

import (
	"crypto/sha256"
	"fmt"
	"slices"
	"strings"
)

// Records returns what an index holds of the library, without vectors: of each
// chunk in each language of its pack a heading, its aliases, a body and its
// paragraphs' wordings. A body is found by all the chunk's words, aliases and
// plain wordings included; its vector is that of heading and exact wordings.
// They come in the order of the packs and their files, and ids stay the same
// when others come or go.
//
// A paragraph's record is in force as the paragraph is. A chunk's others are
// from the first day that any of its paragraphs holds to the last, and of its
// paragraphs' jurisdiction if they share one. Nothing is left out for its age:
// Filter.Valid does that for the day of a question.
func Records(l *Library) []Record {
	var list []Record
	for c := range l.Chunks() {
		list = append(list, l.recordsOf(c)...)
	}
	return list
}

// Beyond returns a record of each question that a pack says no source answers:
// to be filled with a vector like [Records], and in no index.
func Beyond(l *Library) (list []Record) {
	for _, p := range l.Packs() {
		for _, lang := range p.Manifest.Languages {
			for _, text := range p.Beyond[lang] {
				list = append(list, Record{Pack: p.Manifest.Name, Language: lang, Text: text})
			}
		}
	}
	return list
}

func (l *Library) recordsOf(c Chunk) []Record {
	pack, _ := l.Pack(c.Pack)
	whole := l.span(c)
	var list []Record
	for _, lang := range pack.Manifest.Languages {
		r := whole
		r.Language = lang
		add := func(field Field, id, text string) {
			r.ID, r.Field, r.Text = c.ID+"#"+id, field, text
			list = append(list, r)
		}
		heading := c.Heading(lang)
		add(FieldHeading, "heading."+lang, heading)
		for _, alias := range c.Subsection.Aliases[lang] {
			sum := sha256.Sum256([]byte(alias))
			add(FieldAlias, fmt.Sprintf("alias.%s.%x", lang, sum[:6]), alias)
		}
		for _, p := range c.Subsection.Paragraphs {
			list = append(list, l.questionRecords(c, p, lang, pack.Questions[p.ID][lang])...)
		}
		body, others := []string{heading}, slices.Clone(c.Subsection.Aliases[lang])
		for _, p := range c.Subsection.Paragraphs {
			if w, ok := p.Exact[lang]; ok {
				body = append(body, w.Text)
			}
			if w, ok := p.Plain[lang]; ok {
				others = append(others, w.Text)
			}
		}
		add(FieldBody, "body."+lang, strings.Join(append(slices.Clone(body), others...), "\n"))
		list[len(list)-1].Embeds = strings.Join(body, "\n")
		for _, p := range c.Subsection.Paragraphs {
			list = append(list, l.wordingRecords(c, p, lang)...)
		}
	}
	return list
}

// questionRecords are what a paragraph is asked for with: in force as it is.
func (l *Library) questionRecords(c Chunk, p Paragraph, lang string, questions []string) (list []Record) {
	v := l.Validity(p)
	for _, q := range questions {
		sum := sha256.Sum256([]byte(q))
		list = append(list, Record{ID: fmt.Sprintf("%s#%s.asked.%s.%x", c.ID, p.ID, lang, sum[:6]), Chunk: c.ID, Pack: c.Pack, Paragraph: p.ID,
			Field: FieldAlias, Language: lang, Jurisdiction: p.Jurisdiction, From: v.Effective, Until: l.end(p.ID, v), Text: q})
	}
	return list
}

func (l *Library) wordingRecords(c Chunk, p Paragraph, lang string) []Record {
	v := l.Validity(p)
	r := Record{Chunk: c.ID, Pack: c.Pack, Paragraph: p.ID, Field: FieldParagraph, Language: lang,
		Jurisdiction: p.Jurisdiction, From: v.Effective, Until: l.end(p.ID, v)}
	var list []Record
	add := func(form Form, w Wording) {
		r.ID = fmt.Sprintf("%s#%s.%s.%s", c.ID, p.ID, lang, form)
		r.Text = w.Text
		list = append(list, r)
	}
	exact, ok := p.Exact[lang]
	if ok {
		add(FormExact, exact)
	}
	if plain, has := p.Plain[lang]; has && !(ok && plain.Text == exact.Text) {
		add(FormPlain, plain)
	}
	return list
}

// span is a record of the whole chunk, without field, language and text.
func (l *Library) span(c Chunk) Record {
	r := Record{Chunk: c.ID, Pack: c.Pack}
	for i, p := range c.Subsection.Paragraphs {
		v := l.Validity(p)
		until := l.end(p.ID, v)
		if i == 0 {
			r.From, r.Until, r.Jurisdiction = v.Effective, until, p.Jurisdiction
			continue
		}
		r.From = min(r.From, v.Effective)
		if r.Until != 0 && (until == 0 || until > r.Until) {
			r.Until = until
		}
		if p.Jurisdiction != r.Jurisdiction {
			r.Jurisdiction = ""
		}
	}
	return r
}
