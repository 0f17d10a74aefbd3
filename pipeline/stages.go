package pipeline

import (
	"context"

	"plumbline/bot"
	"plumbline/kb"
)

// An Understander reads a message before retrieval: its language, the
// questions in it (three at most, each made to stand alone with the help of
// the conversation), and whether a rule of the pack settles it. It sets
// Language, Understanding and Rule.
type Understander interface {
	Understand(ctx context.Context, d *Draft) error
}

// A Judge is the prognostic check: it scores how much each candidate helps to
// answer the question, 0 to 3 (the paper, A.2). Scores do not depend on which
// candidates are scored together. It sets Score, Reason and the Relevance of
// the passages of each candidate given, and nothing else.
type Judge interface {
	Judge(ctx context.Context, d *Draft, candidates []*Candidate) error
}

// Passing is the prognostic score from which a chunk is kept (the paper, A.2).
const Passing = 2

// An Auditor is the diagnostic check (the paper, 3.3 and A.3).
type Auditor interface {
	// Classify says which reasoning strategy the question calls for, and how
	// strongly each was meant.
	Classify(ctx context.Context, d *Draft) (bot.Strategy, map[bot.Strategy]float64, error)

	// Audit asks each question of the template of the passages given: a finding
	// each, in the template's order, and which of its failure modes the passages
	// show. A question is answered only by a sentence that stands in a passage.
	Audit(ctx context.Context, d *Draft, template kb.Strategy, passages []Passage) (bot.Audit, error)

	// Narrow makes of each open gap a query for a second retrieval.
	Narrow(ctx context.Context, d *Draft, gaps []bot.Gap) ([]string, error)
}

// An Overlapper is a Judge that may begin before the question is classified. It
// waits for [Draft.Classified] before it reads the strategy.
type Overlapper interface{ Overlaps() bool }

// A Generator turns what was kept and what is open into claims and
// limitations, most important first. It sets Claims, Limitations and Status.
// A claim without evidence is dropped by the pipeline, and the trace says so.
type Generator interface {
	Generate(ctx context.Context, d *Draft) error
}

// A Teller says claims and limitations in a persona's voice. It sets Pieces.
type Teller interface {
	Tell(ctx context.Context, d *Draft) error
}
