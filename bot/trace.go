package bot

import (
	"slices"
	"time"
)

// A Trace records how an answer came about: every step's inputs, outputs,
// reasons, model, time and cost. It is what staff audit and what evaluation
// measures; nothing an asker is told is missing from it. It holds the person's
// words: whoever stores it redacts it first.
type Trace struct {
	Answer    string            `json:"answer"`
	Question  string            `json:"question"` // as asked
	AsOf      string            `json:"as_of"`    // YYYY-MM-DD
	Variant   Variant           `json:"variant"`
	Retriever string            `json:"retriever"`
	Versions  map[string]string `json:"versions"` // pack → content version, "model" → embedder, "binary" → build
	Started   time.Time         `json:"started"`

	Safety     *SafetyRecord     `json:"safety,omitempty"`
	Understood *Understanding    `json:"understood,omitempty"`
	Retrievals []RetrievalRecord `json:"retrievals,omitempty"`
	Judgements []Judgement       `json:"judgements,omitempty"`
	Audits     []Audit           `json:"audits,omitempty"`
	Dropped    []DroppedClaim    `json:"dropped,omitempty"`
	Guard      *GuardRecord      `json:"guard,omitempty"`
	Gates      []GateRecord      `json:"gates,omitempty"` // what models said and gates made of it
	Stop       string            `json:"stop,omitempty"`  // why gap filling ended
	Steps      []Step            `json:"steps"`
}

// A Step is the running of one stage.
type Step struct {
	Stage     string        `json:"stage"`  // understand, retrieve, judge, audit, fill, generate, tell, guard, compose
	Family    string        `json:"family"` // "extractive", "model" or "rules"
	Iteration int           `json:"iteration,omitempty"`
	Took      time.Duration `json:"took_ns"`
	Model     string        `json:"model,omitempty"` // as the vendor names it
	Tokens    Tokens        `json:"tokens,omitzero"`
	Cost      float64       `json:"cost_usd,omitempty"`
	FellBack  string        `json:"fell_back,omitempty"` // why the extractive twin did the work
	Calls     []Call        `json:"calls,omitempty"`
	Note      string        `json:"note,omitempty"`
}

// A Call is one question to a model.
type Call struct {
	Stage  string        `json:"stage"`
	Model  string        `json:"model"`
	Key    string        `json:"key"`              // names the request, for a player of recorded replies
	Chars  int           `json:"chars"`            // of the prompt
	Tokens Tokens        `json:"tokens,omitzero"`  // read and written
	Cost   float64       `json:"cost_usd"`         // by the operator's price list
	Took   time.Duration `json:"took_ns"`          // retries included
	Tries  int           `json:"tries,omitempty"`  // how often the server was asked
	Repair bool          `json:"repair,omitempty"` // asked again with what was wrong
	Failed string        `json:"failed,omitempty"` // why its reply would not do
	Said   string        `json:"said,omitempty"`   // the reply
}

// A GateRecord is what a gate made of something that a model said.
type GateRecord struct {
	Stage   string `json:"stage"`
	What    string `json:"what"`    // that it looked at: a quote, a claim, a part of the telling
	Outcome string `json:"outcome"` // supported, misattributed, stitched, absent; passed or the faults found
	Did     string `json:"did"`     // kept, moved, replaced by the wording, dropped, repaired
}

// Tokens counts what a model read and wrote.
type Tokens struct {
	In  int `json:"in"`
	Out int `json:"out"`
}

// A SafetyRecord is what the safety rules made of a message.
type SafetyRecord struct {
	Route  Route       `json:"route"`
	Also   []Route     `json:"also,omitempty"`
	Person string      `json:"person,omitempty"` // as the asker named them: child, baby, adult, self
	Hazard string      `json:"hazard,omitempty"`
	Rules  []RuleMatch `json:"rules,omitempty"`
}

// Learned reports whether points that tests learned made the route, and no rule
// that somebody wrote.
func (s *SafetyRecord) Learned() bool {
	return s != nil && len(s.Rules) > 0 && !slices.ContainsFunc(s.Rules, func(m RuleMatch) bool { return !m.Learned })
}

// A RuleMatch is a rule that fired and the words it fired on.
type RuleMatch struct {
	Rule  string `json:"rule"`
	Words string `json:"words"`

	Learned bool `json:"-"` // points that tests learned, under the rule's name
}

// An Understanding is what was made of the message before retrieval.
type Understanding struct {
	Language  Language             `json:"language"`
	Guessed   string               `json:"guessed,omitempty"` // how the language was told
	Parts     []Part               `json:"parts"`             // the questions asked, three at most
	Rule      string               `json:"rule,omitempty"`    // the pack's rule that settled it without retrieval
	Clarify   string               `json:"clarify,omitempty"` // what we need to be told
	Sentiment string               `json:"sentiment,omitempty"`
	Matched   []RuleMatch          `json:"matched,omitempty"`
	Strategy  Strategy             `json:"strategy,omitempty"`
	Votes     map[Strategy]float64 `json:"votes,omitempty"`
}

// A Part is one question of a message, made to stand alone.
type Part struct {
	Asked      string  `json:"asked"`
	Standalone string  `json:"standalone"`
	FromTurn   string  `json:"from_turn,omitempty"` // what of the conversation went into it
	Leans      float64 `json:"leans,omitempty"`     // how much it leans on that, 0 to 1
}

// A RetrievalRecord is one search and what it found, best first.
type RetrievalRecord struct {
	Query     string  `json:"query"`
	Why       string  `json:"why"` // "question", or the id of the gap
	Iteration int     `json:"iteration"`
	Fallback  bool    `json:"fallback"` // the paper's rule fell back to full text
	Found     []Found `json:"found"`
}

// Found is one chunk that a search found.
type Found struct {
	Chunk string   `json:"chunk"`
	Score float64  `json:"score"`
	Via   []string `json:"via"`
	Why   string   `json:"why,omitempty"`
	Seen  bool     `json:"seen,omitempty"` // an earlier search had found it
}

// A Judgement is the prognostic check of one chunk.
type Judgement struct {
	Chunk     string `json:"chunk"`
	Score     int    `json:"score"`
	Kept      bool   `json:"kept"`
	Reason    string `json:"reason"`
	Iteration int    `json:"iteration"`
}

// An Audit is the diagnostic check of the kept evidence, question by question.
type Audit struct {
	Strategy  Strategy  `json:"strategy"`
	Iteration int       `json:"iteration"`
	Findings  []Finding `json:"findings"`
	Failures  []string  `json:"failures,omitempty"` // the template's failure modes that the evidence shows
}

// A Finding is one diagnostic question and the sentence that answers it, if any.
type Finding struct {
	ID        string  `json:"id"`
	Question  string  `json:"question"`
	Answered  bool    `json:"answered"`
	Idle      bool    `json:"idle,omitempty"` // it does not apply to what was asked: no gap
	Paragraph string  `json:"paragraph,omitempty"`
	Sentence  string  `json:"sentence,omitempty"`
	Score     float64 `json:"score,omitempty"`
	Why       string  `json:"why,omitempty"`
}

// A DroppedClaim was worked out and not told.
type DroppedClaim struct {
	Text   string `json:"text"`
	Reason string `json:"reason"`
}

// A GuardRecord says whether the telling kept the claims.
type GuardRecord struct {
	Passed   bool     `json:"passed"`
	Repaired bool     `json:"repaired,omitempty"`
	Faults   []string `json:"faults,omitempty"`
	Own      []string `json:"own,omitempty"` // what the persona says of its own, or might have
}
