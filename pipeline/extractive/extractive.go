// Package extractive is the family of stages that needs no model server: it
// measures nearness with sentence vectors and shared words, and says only what
// a source says, in wordings that the pack holds. It is the embedded default
// and what the service falls back to.
package extractive

import (
	"context"
	"fmt"
	"math"
	"slices"
	"strings"

	"plumbline/bot"
	"plumbline/internal/bm25"
	"plumbline/kb"
	"plumbline/pipeline"
)

// Stages are the extractive stages on one library. They are safe for
// concurrent use.
type Stages struct {
	lib       *kb.Library
	emb       kb.Embedder
	words     map[string]vocabulary // by language
	rules     map[string][]scopeRule
	templates map[string]map[string]template // by pack and strategy
	topics    map[string]map[string][]string // that a strategy asks for, by pack and strategy
	limits    map[string][]limitRule         // by pack
	beyond    map[string][]stranger          // by pack and language
	c         Calibration
}

// Calibration holds the figures that the checks compare with. They were set on
// the dev questions; docs/design.md says how.
type Calibration struct {
	Strong float64 // nearness from which a chunk answers directly (3)
	Fair   float64 // from which it helps (2)
	Faint  float64 // from which it is about the same thing (1)

	// Something is said on the strength of a chunk if its nearness and the
	// cosine of its best name, times Name, are Answer above the cosine of the
	// nearest question that no source answers, or above Stranger if that is
	// further.
	Answer, Name, Stranger float64

	// A passage's relevance: how near it is by itself, what share of the
	// question's words it holds, how near its chunk is.
	Close, Holds, Chunk float64
	Audit               float64 // share of the most relevant passage's relevance that an answering sentence's passage needs
	Aside               float64 // the same where the passage is not in the context
	Band                float64 // what it adds to a passage's relevance to speak of the range that the question's value lies in, and takes away to speak of others
	Asked               float64 // what it adds to a chunk's nearness, and to its passages' relevance, to be of a topic that the strategy asks for
	Claim               float64 // share of the best passage's relevance that a claim needs
	Claims              int     // most claims, told in short wordings
	Wide                int     // most claims, told in exact ones
}

// Defaults are the figures in use.
var Defaults = Calibration{Strong: 0.62, Fair: 0.33, Faint: 0.25, Answer: 0.15, Name: 0.5, Stranger: 0.45, Close: 0.20, Holds: 0.10, Chunk: 0.70, Audit: 0.55, Aside: 0.72, Band: 0.14, Asked: 0.08, Claim: 0.675, Claims: 6, Wide: 4}

// New returns the stages. emb should know the vectors of the wordings and of
// [kb.Beyond] already ([kb.Known]): the checks ask for many.
func New(ctx context.Context, lib *kb.Library, emb kb.Embedder, c Calibration) (*Stages, error) {
	s := &Stages{lib: lib, emb: emb, c: c, words: map[string]vocabulary{}}
	for _, lang := range []bot.Language{bot.English, bot.Spanish} {
		s.words[string(lang)] = newVocabulary(lib, string(lang))
	}
	rules, err := compileScope(lib)
	if err != nil {
		return nil, err
	}
	s.rules = rules
	if err := s.compileTemplates(); err != nil {
		return nil, err
	}
	if err := s.compileLimits(); err != nil {
		return nil, err
	}
	if err := s.readBeyond(ctx); err != nil {
		return nil, err
	}
	return s, nil
}

// A vocabulary is how rare each stem is among the paragraphs of one language.
type vocabulary struct {
	terms bm25.Terms
	count map[string]int
	of    int
}

func newVocabulary(lib *kb.Library, lang string) vocabulary {
	v := vocabulary{terms: bm25.Builder(lang), count: map[string]int{}}
	for c := range lib.Chunks() {
		for _, p := range c.Subsection.Paragraphs {
			v.of++
			for t := range v.set(c.Heading(lang) + " " + p.Exact[lang].Text + " " + p.Plain[lang].Text) {
				v.count[t]++
			}
		}
		for _, a := range c.Subsection.Aliases[lang] {
			for t := range v.set(a) {
				if v.count[t] == 0 {
					v.count[t] = 1 // known, if only as people say it
				}
			}
		}
	}
	v.terms = bm25.For(lang) // from here on many goroutines may use it
	return v
}

func (v vocabulary) set(text string) map[string]bool {
	set := map[string]bool{}
	for _, t := range v.terms(text) {
		set[t] = true
	}
	return set
}

// idf is the weight of a stem: Lucene's, positive for every stem.
func (v vocabulary) idf(t string) float64 {
	n := float64(v.count[t])
	return math.Log(1 + (float64(v.of)-n+0.5)/(n+0.5))
}

// cover is the share of the question's weight that text holds, 0 to 1.
func (v vocabulary) cover(question map[string]bool, text map[string]bool) float64 {
	return v.share(question, func(t string) bool { return text[t] })
}

// unknown is the share of the question's weight in stems that nothing in the
// packs holds, 0 to 1.
func (v vocabulary) unknown(question map[string]bool) float64 {
	return v.share(question, func(t string) bool { return v.count[t] == 0 })
}

// share is the share of the stems' weight in those that are counted, 0 to 1.
func (v vocabulary) share(stems map[string]bool, counts func(stem string) bool) float64 {
	var all, some float64
	for t := range stems {
		w := v.idf(t)
		all += w
		if counts(t) {
			some += w
		}
	}
	if all == 0 {
		return 0
	}
	return some / all
}

// An asked is what the judge needs to know of a part of the question.
type asked struct {
	vector  []float32
	stems   map[string]bool
	unknown float64 // share of the stems' weight that nothing in the packs holds
	figures []value // of the whole question
	beyond  stranger
	strange float64 // how near beyond is
}

// Judge implements [pipeline.Judge]. A chunk's score rests on the question and
// that chunk alone: how near retrieval found it and its best name is, how much
// of the question's weight its words hold, and how much no source knows.
func (s *Stages) Judge(ctx context.Context, d *pipeline.Draft, candidates []*pipeline.Candidate) error {
	lang := string(d.Read())
	v := s.words[lang]
	figures := figuresIn(d.Question.Text)
	for part := range d.Understanding.Parts {
		question := d.Understanding.Parts[part].Asked
		if d.Understanding.Parts[part].Leans == 1 {
			question = d.Understanding.Parts[part].Standalone
		}
		if d.Around != nil {
			question += " " + d.Around.Context.In(lang)
		}
		qv, err := s.emb.Embed(ctx, []string{question})
		if err != nil {
			return fmt.Errorf("embed question: %w", err)
		}
		stems := v.set(question)
		q := asked{vector: qv[0], stems: stems, unknown: v.unknown(stems), figures: figures}
		q.beyond, q.strange = s.nearestStranger(d.Question.Pack, lang, q.vector)
		for _, c := range candidates {
			if c.Part != part {
				continue
			}
			if err := s.judge(ctx, d, c, q); err != nil {
				return err
			}
		}
	}
	return nil
}

func (s *Stages) judge(ctx context.Context, d *pipeline.Draft, c *pipeline.Candidate, q asked) error {
	lang := string(d.Read())
	v := s.words[lang]
	names := append([]string{c.Chunk.Heading(lang)}, c.Chunk.Subsection.Aliases[lang]...)
	texts := slices.Clone(names)
	for _, p := range c.Passages {
		texts = append(texts, p.Paragraph.Exact[lang].Text, p.Paragraph.Plain[lang].Text)
	}
	known := s.questions(c, lang)
	words := len(texts)
	texts = append(texts, known.texts...)
	vs, err := s.emb.Embed(ctx, texts)
	if err != nil {
		return fmt.Errorf("embed passages: %w", err)
	}
	name := 0.0
	for i := range names {
		name = max(name, cosine(q.vector, vs[i]))
	}
	asked := make([]float64, len(c.Passages)) // the best cosine of the questions that a passage answers
	for i, at := range known.of {
		asked[at] = max(asked[at], cosine(q.vector, vs[words+i]))
		name = max(name, asked[at])
	}
	share := v.cover(q.stems, v.set(strings.Join(texts[:words], " ")))
	near, best := 0.70*c.Found.Score+0.15*name+0.15*share, 0.0
	for i := range c.Passages {
		at := len(names) + 2*i
		close := max(cosine(q.vector, vs[at]), cosine(q.vector, vs[at+1]), asked[i])
		best = max(best, close)
		holds := v.cover(q.stems, v.set(texts[at]+" "+texts[at+1]))
		c.Passages[i].Relevance = s.c.Close*close + s.c.Holds*holds + s.c.Chunk*near + s.c.Band*float64(fits(q.figures, bandsIn(texts[at])))
	}
	near -= 0.12 * q.unknown
	if q.unknown > 0.64 { // most of what was asked is strange to every source
		near -= 0.08
	}
	topic := s.asks(d, c)
	if topic {
		near += s.c.Asked
		for i := range c.Passages {
			c.Passages[i].Relevance += s.c.Asked
		}
	}
	switch {
	case near >= s.c.Strong:
		c.Score = 3
	case near >= s.c.Fair:
		c.Score = 2
	case near >= s.c.Faint:
		c.Score = 1
	default:
		c.Score = 0
	}
	c.Answers = near+s.c.Name*name-max(q.strange, s.c.Stranger) >= s.c.Answer
	c.Reason = fmt.Sprintf("nearness %.2f: found with %.2f, best passage %.2f, name %.2f, holds %.0f %% of the question's words", near, c.Found.Score, best, name, 100*share)
	if q.unknown > 0 {
		c.Reason += fmt.Sprintf("; no source knows %.0f %% of them", 100*q.unknown)
	}
	if q.strange > s.c.Stranger {
		c.Reason += fmt.Sprintf("; %.2f from %q, which no source answers", q.strange, q.beyond.text)
	}
	if topic {
		c.Reason += "; of a topic that the strategy asks for"
	}
	return nil
}

// known are the questions that a candidate's passages answer.
type known struct {
	texts []string
	of    []int // the passage that each is answered by
}

func (s *Stages) questions(c *pipeline.Candidate, lang string) (k known) {
	pack, _ := s.lib.Pack(c.Chunk.Pack)
	for i, p := range c.Passages {
		for _, q := range pack.Questions[p.Paragraph.ID][lang] {
			k.texts, k.of = append(k.texts, q), append(k.of, i)
		}
	}
	return k
}

// asks reports whether the question's strategy asks for a topic of the chunk.
func (s *Stages) asks(d *pipeline.Draft, c *pipeline.Candidate) bool {
	topics := s.topics[d.Question.Pack][string(d.Understanding.Strategy)]
	return slices.ContainsFunc(c.Passages, func(p pipeline.Passage) bool { return slices.Contains(topics, p.Paragraph.Topic) })
}

func cosine(a, b []float32) float64 {
	var sum float32
	for i := range a {
		sum += a[i] * b[i]
	}
	return float64(sum)
}
