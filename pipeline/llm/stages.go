package llm

import (
	"cmp"
	"context"
	"slices"
	"strings"

	"plumbline/internal/redact"
	"plumbline/kb"
	"plumbline/personas"
	"plumbline/pipeline"
)

// Twin are the stages that do the work where no model does.
type Twin interface {
	pipeline.Understander
	pipeline.Judge
	pipeline.Auditor
	pipeline.Generator

	// Finish adds to claims what every answer has: after what holds now what
	// will, the limitations, the next step.
	Finish(ctx context.Context, d *pipeline.Draft) error
}

// Stages are the stages that ask models. Each asks if the client has a model
// for it; where there is none, and where no reply will do, its twin does the
// work and the trace says why. They are safe for concurrent use.
type Stages struct {
	Client  *Client
	Twin    Twin
	Voices  *pipeline.Voices // the twin that tells
	Set     *personas.Set
	Library *kb.Library
	Routes  []string // of the emergencies that a model may raise
}

// twin says that a stage's twin does the work, and whether that is ctx's fault.
func (s *Stages) twin(ctx context.Context, d *pipeline.Draft, stage string, err error) error {
	if ctx.Err() != nil {
		return ctx.Err()
	}
	if s.Client.asks(stage) {
		d.FallBack(stage, why(err))
	}
	return nil
}

// person is what somebody wrote, without personal details: no prompt needs them.
func (s *Stages) person(d *pipeline.Draft, text string) string {
	out, _ := redact.Redact(text, s.public(d)...)
	return out
}

// public are the telephone numbers that the pack gives out.
func (s *Stages) public(d *pipeline.Draft) (list []string) {
	pack, ok := s.Library.Pack(d.Question.Pack)
	if !ok {
		return nil
	}
	for _, p := range pack.Contacts.Phones {
		list = append(list, p.Number)
	}
	return list
}

// about is what the pack is about.
func (s *Stages) about(d *pipeline.Draft) string {
	pack, _ := s.Library.Pack(d.Question.Pack)
	return pack.Manifest.About.In("en")
}

// asked are the questions of the message, as prompts have them.
func (s *Stages) asked(d *pipeline.Draft) (list []string) {
	for _, p := range d.Understanding.Parts {
		q := s.person(d, p.Asked)
		if p.Leans == 1 {
			q = s.person(d, p.Standalone)
		}
		list = append(list, cut(q, mostAsked))
	}
	if whole := cut(s.person(d, d.Question.Text), mostAsked); !slices.Contains(list, whole) && d.Reads == d.Language {
		list = append(list, whole) // the person's own words say whom it is about
	}
	return list
}

// mostAsked is how much of what somebody wrote a prompt has beside its data, in
// characters.
const mostAsked = 1200

// A shown is a passage as a prompt has it.
type shown struct {
	N      int
	Text   string
	Source string
	State  string // empty where it is in force
	of     pipeline.Passage
	chunk  string
	part   int
}

// show numbers the passages, the most relevant first, while there is room.
func show(candidates []*pipeline.Candidate, lang string, narrow bool, lib *kb.Library, left *room) (list []shown) {
	for _, c := range candidates {
		for _, p := range c.Passages {
			list = append(list, shown{of: p, chunk: c.Chunk.ID, part: c.Part})
		}
	}
	slices.SortStableFunc(list, func(a, b shown) int { return cmp.Compare(b.of.Relevance, a.of.Relevance) })
	for i := range list {
		x := &list[i]
		x.N = i + 1
		x.Text = pipeline.Quote(lib, x.chunk, x.of.Paragraph, lang, narrow).Text
		x.Source = x.of.Source.Agency
		if y := x.of.Source.Date; len(y) >= 4 && strings.Trim(y[:4], "0123456789") == "" {
			x.Source += ", " + y[:4]
		}
		switch x.of.State {
		case kb.Proposed:
			x.State = "only proposed"
		case kb.NotYet:
			x.State = "in force from " + lib.Validity(x.of.Paragraph).Effective.String()
		}
		if int(*left) < len([]rune(x.Text)) {
			return list[:i] // whole passages or none: half a sentence can be read wrong
		}
		left.take(x.Text)
	}
	return list
}

// Overlaps implements [pipeline.Overlapper]: there is something to wait for
// where both ask a model.
func (s *Stages) Overlaps() bool {
	return s.Client.asks(StageJudge) && s.Client.asks(StageClassify)
}

// classified waits until the strategy is known.
func classified(ctx context.Context, d *pipeline.Draft) error {
	if d.Classified == nil {
		return nil
	}
	select {
	case <-d.Classified:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

var _ pipeline.Overlapper = (*Stages)(nil)
