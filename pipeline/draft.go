// Package pipeline works out answers: a question becomes claims that quote
// evidence, limitations that come from what the evidence leaves open, and a
// trace of every step. The method is the paper's (section 3): retrieve, check
// what was found for relevance (prognostic), audit it for what it lacks
// (diagnostic), fill the gaps, generate, communicate.
//
// Steps sit behind small interfaces with two families of implementation:
// pipeline/extractive needs no model server and only ever says what a source
// says; pipeline/llm asks models and falls back to the first.
package pipeline

import (
	"cmp"
	"slices"
	"time"

	"plumbline/bot"
	"plumbline/kb"
)

// A Draft is an answer in the making. Each stage reads what earlier stages set
// and sets its own fields; no stage changes Question.
type Draft struct {
	Question bot.Question
	Language bot.Language // that the answer is written in
	Reads    bot.Language // that the question is written in, as far as it is one that packs are written in
	Filter   kb.Filter    // what may answer: packs, places, the date

	Understanding bot.Understanding
	Heard         []bot.Part    // the questions in the person's own words, where a model put others in their place; for rules
	Rule          *kb.ScopeRule // the pack's rule that settles it; nil for none

	Candidates []*Candidate // the running history of chunks, in the order found
	Strategy   kb.Strategy
	Gaps       []bot.Gap
	Iteration  int

	Status      bot.Status
	Claims      []bot.Claim
	Limitations []bot.Limitation
	Direct      int       // how many claims answer what was asked, where that is known; a first message keeps them before the rest
	Barred      bool      // only the paragraphs of Allowed may be told
	Allowed     []string  // where Barred
	Stands      bool      // the route is of an earlier message
	Standing    bot.Route // that holds for what follows
	Around      *kb.Stand // of a route that an earlier message took; nil for none

	Premise *kb.Premise // that the claims decide; nil for none
	Lead    []bot.Claim // told before the telling: advice that stands against other advice
	Clarify string      // names what is asked back; empty for nothing
	Offer   *bot.Offer  // of another pack; nil for none

	Pinned  bool     // a protective core is said before the claims
	Core    []string // that core, and what of it goes to MORE
	Persona string   // that told it
	Pieces  []Piece  // the telling, in the order in which it is read

	Posted []bot.Notice // in force: told before all else
	Lapsed []bot.Notice // lately

	Until      time.Time       // when models are asked no more; zero for never
	Classified <-chan struct{} // closed once the strategy is known, where that is worked out beside the judge; nil where it is known before
	Hint       bot.Status      // what a model takes the message for, told only where no source answers; empty for nothing
	Raised     string          // an emergency that a model read in the message and no rule did; empty for none
	RaisedBy   string          // the message's words for it
	Tight      bool            // a budget is spent: the reply is one segment

	Trace *bot.Trace
	meter meter
}

// A Candidate is one chunk of the running history.
type Candidate struct {
	Chunk     kb.Chunk
	Found     Found
	Part      int // the question of the message that found it
	Iteration int
	Score     int  // the prognostic score, 0 to 3
	Answers   bool // near enough for something to be said on its strength; the judge sets it
	Kept      bool
	Reason    string
	Passages  []Passage // of the chunk, in its order, valid at the date; once judged, those that are kept
	Spare     []Passage // of a kept chunk: those that were left out of the context
}

// A Passage is one paragraph of a candidate, and how near it is to the question.
type Passage struct {
	Paragraph kb.Paragraph
	Source    bot.Source
	State     kb.State
	Relevance float64 // 0 to 1, the extractive measure; the judge sets it
	Kept      bool    // it is in the context
}

// Read is the language that the question is read in.
func (d *Draft) Read() bot.Language { return cmp.Or(d.Reads, d.Language) }

// Kept returns the candidates that passed the prognostic check, best first.
func (d *Draft) Kept() []*Candidate {
	var kept []*Candidate
	for _, c := range d.Candidates {
		if c.Kept {
			kept = append(kept, c)
		}
	}
	return kept
}

// holding is the route that fired or, where none did, the one of an earlier
// message that holds.
func (d *Draft) holding() string {
	if r := d.Trace.Safety.Route; r != "" {
		return string(r)
	}
	return string(d.Question.Standing)
}

// candidate returns the candidate of a chunk, nil if retrieval never found it.
func (d *Draft) candidate(chunk string) *Candidate {
	i := slices.IndexFunc(d.Candidates, func(c *Candidate) bool { return c.Chunk.ID == chunk })
	if i < 0 {
		return nil
	}
	return d.Candidates[i]
}
