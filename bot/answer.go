package bot

import (
	"time"
)

// A Status is a rung of the answerability ladder: what became of a question.
// It is one type everywhere: messages, pages, logs, record and evaluation.
type Status string

// The rungs.
const (
	Answered           Status = "answered"             // the evidence answers it
	AnsweredWithLimits Status = "answered_with_limits" // it does, and the answer says what it lacks
	PartlyAnswered     Status = "partly_answered"      // some of what was asked is answered
	NotInSources       Status = "not_in_sources"       // no source of ours answers it
	LocalOnly          Status = "local_only"           // only someone on the spot can know
	OutOfScope         Status = "out_of_scope"         // not what this service is for
	RefusedForSafety   Status = "refused_for_safety"   // saying it would do harm
	Emergency          Status = "emergency"            // a fixed text, 911 or the like first
	TechnicalFailure   Status = "technical_failure"    // we could not work it out; our fault, and said so
)

// Statuses lists the ladder in its order.
func Statuses() []Status {
	return []Status{Answered, AnsweredWithLimits, PartlyAnswered, NotInSources, LocalOnly, OutOfScope, RefusedForSafety, Emergency, TechnicalFailure}
}

// Supported reports whether an answer of this status rests on evidence.
func (s Status) Supported() bool {
	return s == Answered || s == AnsweredWithLimits || s == PartlyAnswered
}

// A Route is the safety route that a message took, empty for none. The routes
// are data: the core set in the binary and those that packs add.
type Route string

// A Strategy is the kind of reasoning that a question calls for (the paper,
// section 3.3). Its template says what evidence an answer needs.
type Strategy string

// The paper's strategies; Default is the template of the implicit variant.
const (
	Default     Strategy = "default"
	Causal      Strategy = "causal"
	Regulatory  Strategy = "regulatory"
	Comparative Strategy = "comparative"
	Explanatory Strategy = "explanatory"
)

// A Variant is a configuration of the pipeline that evaluation compares (the
// paper, section 4.1).
type Variant string

// The variants.
const (
	Baseline     Variant = "baseline" // one pass, every retrieved chunk to the generator
	Prognostic   Variant = "prog"     // with the relevance check
	DiagImplicit Variant = "diag-imp" // with the audit by the default template
	DiagExplicit Variant = "diag-exp" // with the audit by the strategy's template; what we run
)

// Variants lists the variants in the paper's order.
func Variants() []Variant {
	return []Variant{Baseline, Prognostic, DiagImplicit, DiagExplicit}
}

// A Question is what the pipeline is asked.
type Question struct {
	ID           string // names the answer and its trace
	Text         string // the message, as written
	Channel      string // which limits the reply is fitted to; "sms" if empty
	Language     Language
	Persona      string // empty for the channel's default
	Pack         string // the domain pack; empty for the default
	Jurisdiction string // where the asker lives, as the pack names it; empty for the pack's home
	Variant      Variant
	Retriever    string       // empty for the default
	AsOf         time.Time    // the date that validity is judged at
	Standing     Route        // a safety route that an earlier message took and that still holds; empty for none
	Recent       []string     // the person's texts of the last moments, oldest first, for safety
	History      []Exchange   // oldest first
	At           time.Time    // when it was asked; zero if that does not matter
	Seen         []string     // ids of chunks that this conversation has used, oldest first
	Clarify      string       // what our last reply asked back, as Answer.Clarify had it; empty for nothing
	Show         func(string) // shows a part of the reply as soon as it is sure, in order; what is sent in the end holds it; nil for nobody
	Person       string       // who asks, as a keyed hash, for what models may cost; empty for nobody
}

// An Exchange is one question of a conversation and what we said to it.
type Exchange struct {
	Asked  string // as asked, without personal details
	Said   string // the claims told, in short
	Topic  string // what it was about, for follow-ups
	Chunks []string
	At     time.Time
}

// A Source is where evidence comes from.
type Source struct {
	Agency string `json:"agency"`
	Title  string `json:"title"`
	URL    string `json:"url"`
	Date   string `json:"date"`            // as printed: "2024-10", "2019", "undated"
	How    string `json:"how,omitempty"`   // primary, official-copy or secondary: how it was read
	Read   string `json:"read,omitempty"`  // the day it was read, YYYY-MM-DD
	Note   string `json:"note,omitempty"`  // what a reader should know of it
	Place  string `json:"place,omitempty"` // the jurisdiction that it speaks for
}

// Evidence ties a claim to the words that support it. Quote stands verbatim in
// Paragraph, as a whole wording or as a sentence that the pack marks safe alone.
type Evidence struct {
	Chunk     string `json:"chunk"`
	Paragraph string `json:"paragraph"`
	Quote     string `json:"quote"`
	Source    Source `json:"source"`
}

// A Claim is one statement of an answer. A claim with no evidence is never told.
type Claim struct {
	Text     string     `json:"text"`
	Evidence []Evidence `json:"evidence"`
	Role     Role       `json:"role,omitempty"`
}

// A Role says how much a claim matters when not all fit in a first reply.
type Role string

// The roles, most urgent first.
const (
	Danger  Role = "danger"  // harm if it is not said
	Direct  Role = "direct"  // answers what was asked
	Context Role = "context" // helps to understand it
	Next    Role = "next"    // the step to take
)

// A Gap is a diagnostic question that the evidence leaves open.
type Gap struct {
	Question  string   `json:"question"`
	ID        string   `json:"id"` // of the question within its template
	Strategy  Strategy `json:"strategy"`
	Iteration int      `json:"iteration"` // 1 or 2: when it was found
	ClosedBy  string   `json:"closed_by"` // the paragraph whose sentence answers it; empty while open
	Reason    string   `json:"reason,omitempty"`
}

// Open reports whether nothing has answered g.
func (g Gap) Open() bool { return g.ClosedBy == "" }

// A Limitation is an open gap in words that a person understands.
type Limitation struct {
	Text string `json:"text"`
	Gap  string `json:"gap"` // Gap.ID, or the id of the rule that states it
}

// A Chunk is a passage that an answer considered: what retrieval found, how it
// was judged, and whether its words reached the generator.
type Chunk struct {
	ID         string   `json:"id"`
	Heading    string   `json:"heading"` // section and subheading
	Paragraphs []string `json:"paragraphs"`
	Score      int      `json:"score"` // the prognostic score, 0 to 3
	Kept       bool     `json:"kept"`
	Via        []string `json:"via"`                  // what found it: heading, alias, body, paragraph, text
	Similarity float64  `json:"similarity,omitempty"` // the retriever's score
	Iteration  int      `json:"iteration,omitempty"`
	Reason     string   `json:"reason,omitempty"`
}

// An Offer is another pack that an answer offers the question to: whoever
// writes one of Words back, or yes, is answered from it.
type Offer struct {
	Pack  string
	Words []string
}

// An Answer is what the pipeline worked out, whole: the claims as evidence
// supports them, what remains open, and how they are told.
type Answer struct {
	ID           string
	Status       Status
	Route        Route
	Standing     Route // that holds for the questions that follow
	Language     Language
	Persona      string
	Strategy     Strategy
	Pack         string
	Asked        string // the question that it answers: the message, whole where it answered what we asked back
	Clarify      string // names what it asks back; empty for nothing
	Offer        *Offer // nil for none
	Reply        Reply
	Claims       []Claim
	Limitations  []Limitation
	Gaps         []Gap
	Chunks       []Chunk
	Iterations   int
	ContextChars int // characters of the kept paragraphs' exact text
	Trace        *Trace
}
