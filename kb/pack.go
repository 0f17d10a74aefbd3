package kb

import "cmp"

// A Pack is one domain: a folder with
//
//	pack.json          what it is, its languages and its places
//	sources.json       every source that a paragraph may cite
//	documents/*.json   sections, subsections and paragraphs
//	strategies.json    what an answer needs, by kind of question
//	contacts.json      agencies and phone records
//	safety.json        rules and local numbers of the safety routes (read by pipeline/safety)
//	cues.json          points that its tests learned for those routes (likewise; may be missing)
//	scope.json         questions that no document answers
//	guidance.json      action matrix, next steps, glossary, persona facts
//	asking.json        what is asked back, offered, refuted or set against each other (may be missing)
//	probes.json        questions that the pack should answer
//	questions.json     questions that a paragraph answers, as people ask them (may be missing)
//	beyond.json        questions near the domain that no source answers (may be missing)
//	names.json         what no telling may exchange, add or lose (may be missing)
//	vectors.bin        embeddings of its texts, by content (made by `kb vectors`)
//
// All JSON is strict: an unknown or repeated field is a fault.
type Pack struct {
	Manifest   Manifest
	Sources    []Source
	Documents  []Document
	Strategies []Strategy
	Contacts   Contacts
	Scope      []ScopeRule
	Guidance   Guidance
	Asking     Asking
	Probes     []Probe
	Questions  map[string]map[string][]string // by paragraph and language
	Beyond     map[string][]string            // by language
	Names      []Name                         // what no telling may exchange, add or lose
	Safety     []byte                         // safety.json as it stands
	Cues       []byte                         // cues.json as it stands; empty if there is none
	Vectors    []byte                         // vectors.bin as it stands; nil if there is none
	Version    string                         // hash of the content, vectors aside: equal packs, equal versions

	places map[place]position // where ids stand; set by Load
}

// Text is one text in several languages, by tag. English is required.
type Text map[string]string

// In returns t in lang, else in English.
func (t Text) In(lang string) string {
	if s := t[lang]; s != "" {
		return s
	}
	return t["en"]
}

// A Manifest is pack.json.
type Manifest struct {
	Name        string         `json:"name"` // the folder's name
	Title       Text           `json:"title"`
	Description Text           `json:"description"`
	Languages   []string       `json:"languages"`
	Places      []Jurisdiction `json:"jurisdictions"`
	Home        string         `json:"home"`  // where an asker lives unless they say otherwise
	About       Text           `json:"about"` // what it covers, to be said: "tap water: lead, boil notices, ..."
}

// A Jurisdiction is a place that rules and advice hold in. It lies in Parent;
// one without a parent stands beside the others.
type Jurisdiction struct {
	ID     string              `json:"id"`
	Parent string              `json:"parent,omitempty"`
	Name   Text                `json:"name"`
	Forms  map[string][]string `json:"forms,omitempty"` // how people call it
}

// A Source is a document that somebody published.
type Source struct {
	ID           string     `json:"id"`
	Agency       string     `json:"agency"`
	Title        string     `json:"title"`
	URL          string     `json:"url"`
	Date         string     `json:"date"` // as printed: "2024-10-30", "2024-10", "2019" or "undated"
	Licence      string     `json:"licence,omitempty"`
	Jurisdiction string     `json:"jurisdiction,omitempty"` // whose advice it is; a paragraph may say otherwise
	Validity     *Validity  `json:"validity,omitempty"`
	Provenance   Provenance `json:"provenance"`
	Out          string     `json:"out_of_area,omitempty"` // set when its advice was given elsewhere: "Flint, MI"
}

// A Validity is when something holds. Effective and Expires bound it: in force
// on Effective, no longer on Expires.
type Validity struct {
	Effective    Date   `json:"effective,omitzero"`
	Expires      Date   `json:"expires,omitzero"`
	SupersededBy string `json:"superseded_by,omitempty"` // a paragraph id
	Proposed     bool   `json:"proposed,omitempty"`      // not law; worded as a proposal
}

// A Provenance says how a source was read.
type Provenance struct {
	How  string `json:"how"`                              // primary (the page itself), official-copy, secondary (quoted by another)
	On   Date   `json:"on"`                               // the day
	Open bool   `json:"open_before_publishing,omitempty"` // the cited page itself was not opened: an operator must
}

// A Document is one file of documents/.
type Document struct {
	ID       string    `json:"id"`
	Title    Text      `json:"title"`
	Source   string    `json:"source,omitempty"` // default for its paragraphs
	Sections []Section `json:"sections"`
}

// A Section groups subsections under one heading.
type Section struct {
	ID          string       `json:"id"`
	Heading     Text         `json:"heading"`
	Subsections []Subsection `json:"subsections"`
}

// A Subsection is a chunk: what retrieval finds as one.
type Subsection struct {
	ID         string              `json:"id"` // unique in the pack
	Heading    Text                `json:"heading"`
	Aliases    map[string][]string `json:"aliases,omitempty"` // other ways to ask for it, by language
	Source     string              `json:"source,omitempty"`  // default for its paragraphs
	Paragraphs []Paragraph         `json:"paragraphs"`
}

// A Paragraph is one fact with its wordings. Its id is the fact's.
type Paragraph struct {
	ID           string             `json:"id"`
	Topic        string             `json:"topic"`
	Source       string             `json:"source,omitempty"` // a Source.ID; else the subsection's, else the document's
	Jurisdiction string             `json:"jurisdiction"`     // where it holds
	Validity     *Validity          `json:"validity,omitempty"`
	AsOf         string             `json:"as_of"`
	Volatile     bool               `json:"volatile,omitempty"`   // to be looked up again before each release
	Provenance   *Provenance        `json:"provenance,omitempty"` // where it differs from the source's
	Exact        map[string]Wording `json:"exact"`                // by language; English and Spanish
	Plain        map[string]Wording `json:"plain,omitempty"`      // as a neighbour would text it
	Caveats      []Caveat           `json:"caveats,omitempty"`
	Siblings     []string           `json:"siblings,omitempty"` // paragraphs whose numbers a plain wording may use
	Numbers      []Number           `json:"numbers,omitempty"`
	Note         string             `json:"note,omitempty"` // the editor's: what was mended and why
}

// Text is the exact wording in lang, or in English where lang has none.
func (p Paragraph) Text(lang string) string { return cmp.Or(p.Exact[lang].Text, p.Exact["en"].Text) }

// A Wording is one way to say a paragraph.
type Wording struct {
	Text     string    `json:"text"`
	Alone    []string  `json:"alone,omitempty"`   // sentences of Text that are true and safe by themselves
	Partial  bool      `json:"partial,omitempty"` // says only part of the exact text
	Approved *Approval `json:"approved,omitempty"`
}

// An Approval is a named person's word that a wording may go out.
type Approval struct {
	By string `json:"by"`
	On Date   `json:"on"`
}

// A Caveat limits a paragraph. One that Travels changes what a person should
// do, and so is part of every wording.
type Caveat struct {
	Text    Text `json:"text"`
	Travels bool `json:"travels,omitempty"`
}

// A Number is a figure of a paragraph and what it measures.
type Number struct {
	Value string `json:"value"`
	Unit  string `json:"unit,omitempty"`
	What  string `json:"what"`
}

// A Strategy is the template of one reasoning strategy (the paper, A.3.1).
type Strategy struct {
	ID        string              `json:"id"` // default, causal, regulatory, comparative or explanatory
	Questions []Diagnostic        `json:"questions"`
	Failures  []string            `json:"failure_modes"`
	Cues      map[string][]string `json:"cues,omitempty"`   // words and phrases that speak for it, by language
	Topics    []string            `json:"topics,omitempty"` // whose paragraphs it asks for before others as near
}

// A Diagnostic is one question that the evidence must answer.
type Diagnostic struct {
	ID         string              `json:"id"`
	Question   string              `json:"question"`
	Limitation Text                `json:"limitation"`      // what we say while it is open
	Signs      map[string][]string `json:"signs,omitempty"` // words that a sentence answering it tends to hold

	// When holds patterns, by language and as in ScopeRule. While the question
	// is open, Limitation is told only to an asker whose message one of them
	// matches; to everyone if there is none. Staff see the gap all the same.
	When map[string][]string `json:"when,omitempty"`
}

// Contacts is contacts.json.
type Contacts struct {
	Agencies []Agency `json:"agencies"`
	Phones   []Phone  `json:"phones"`
}

// An Agency is who is responsible for what.
type Agency struct {
	ID           string   `json:"id"`
	Name         Text     `json:"name"`
	Short        string   `json:"short,omitempty"`
	Role         Text     `json:"role"`
	Jurisdiction string   `json:"jurisdiction"`
	URL          string   `json:"url,omitempty"`
	Phones       []string `json:"phones,omitempty"`
}

// A Phone is one number as we may give it. Its id begins with "phone.".
type Phone struct {
	ID           string       `json:"id"`
	Number       string       `json:"number"`
	Who          Text         `json:"who"`
	Hours        Text         `json:"hours,omitempty"` // empty: not known
	Languages    []string     `json:"languages,omitempty"`
	Say          Text         `json:"say"`              // the sentence that gives it
	Safety       bool         `json:"safety,omitempty"` // a number of a safety route: confirmed every 30 days, not 180
	Jurisdiction string       `json:"jurisdiction"`
	Source       string       `json:"source"`
	Confirmed    Confirmation `json:"confirmed"`
	Note         string       `json:"note,omitempty"`
}

// A Confirmation says when somebody last checked a number, and how.
type Confirmation struct {
	On  Date   `json:"on"`
	By  string `json:"by"`
	How string `json:"how"` // called, read on the agency's page, read in a source
}

// A ScopeRule settles a question before retrieval. It fires when a pattern of
// Any matches and none of Unless does. Patterns are RE2, matched without case
// and accents on text with single spaces.
type ScopeRule struct {
	ID     string              `json:"id"`
	Status string              `json:"status"` // out_of_scope, local_only, refused_for_safety or not_in_sources
	Any    map[string][]string `json:"any"`    // by language
	Unless map[string][]string `json:"unless,omitempty"`
	Say    Text                `json:"say"`            // without numbers: those come from Cite
	Cite   []string            `json:"cite,omitempty"` // paragraphs told as claims, in order
	Next   string              `json:"next,omitempty"` // a NextStep.ID

	// Holds says, by safety route, what still holds while nobody here can know
	// ("until it is lifted, ..."). A rule that has it for the route that fired, or
	// that an earlier message took, answers beside that route. What stands under
	// Otherwise is told where no such route did.
	Holds map[string]Text `json:"holds,omitempty"`
}

// Otherwise is the key of ScopeRule.Holds for no route.
const Otherwise = "otherwise"

// Guidance is guidance.json.
type Guidance struct {
	Actions   []Action    `json:"actions"`
	NextSteps []NextStep  `json:"next_steps"`
	Glossary  []Term      `json:"glossary"`
	Local     []LocalFact `json:"local"`
	Prompts   []Text      `json:"prompts"` // questions to suggest

	// Barred says what is not told once a safety route fired.
	Barred []Bar `json:"barred,omitempty"`

	// Standing says what else is said and looked for while a route holds.
	Standing []Stand `json:"standing,omitempty"`

	// Limits are what no document can say and the asker must hear.
	Limits []Limit `json:"limits,omitempty"`
}

// A Stand is a route that holds for the questions that follow without barring
// what else is told: they are searched with Context, and their answers begin
// with Remind, which holds no number.
type Stand struct {
	Route   string `json:"route"`
	Context Text   `json:"context"`
	Remind  Text   `json:"remind"`
}

// A Bar keeps advice for one hazard from someone who faces another: once Route
// fired, only the paragraphs of Tell are told beside its fixed text. With
// Carries it holds for the questions that follow, until another route fires.
type Bar struct {
	Route   string   `json:"route"`
	Tell    []string `json:"tell,omitempty"`
	Carries bool     `json:"carries,omitempty"`
}

// A Limit is a standing limitation, such as that nobody here can see the
// asker's tap. It is told with an answer about one of Topics to a question that
// a pattern of Any matches and none of Unless does (as in ScopeRule). Its words
// hold no number.
type Limit struct {
	ID     string              `json:"id"` // begins with "limit."
	Topics []string            `json:"topics"`
	Any    map[string][]string `json:"any"`
	Unless map[string][]string `json:"unless,omitempty"`
	Say    Text                `json:"say"`
	Cite   []string            `json:"cite,omitempty"` // paragraphs that its words rest on
}

// An Action is one cell of the action matrix: what to do about a hazard in a
// use by a person. Where two hazards of a question give opposite Do, both are
// named first.
type Action struct {
	Hazard    string `json:"hazard"`
	Use       string `json:"use"`              // drink, cook, formula, bathe, brush, dishes, laundry, pets, ...
	Person    string `json:"person,omitempty"` // empty: anyone
	Do        string `json:"do"`               // boil, do_not_boil, filter, bottled, avoid, ok, ask
	Paragraph string `json:"paragraph"`        // that says so
}

// A NextStep is one thing that a renter without money or a car can do today.
// Its id begins with "next.".
type NextStep struct {
	ID     string   `json:"id"`
	Topics []string `json:"topics"`
	Say    Text     `json:"say"`
	Cite   []string `json:"cite,omitempty"` // paragraphs and phones that its numbers come from
}

// A Term is a word that people do not know.
type Term struct {
	Term      Text                `json:"term"`
	Means     Text                `json:"means"`
	Forms     map[string][]string `json:"forms,omitempty"`
	Paragraph string              `json:"paragraph,omitempty"` // that the meaning is taken from
}

// A LocalFact is what a persona may lean on: who answers for what here.
type LocalFact struct {
	ID   string   `json:"id"`
	Text Text     `json:"text"`
	Cite []string `json:"cite,omitempty"`
}

// A Probe is a question that the pack should answer, for checks.
type Probe struct {
	ID       string   `json:"id"`
	Text     string   `json:"text"`
	Language string   `json:"lang"`
	Strategy string   `json:"strategy,omitempty"`
	Status   string   `json:"status"`
	Needs    []string `json:"needs,omitempty"` // paragraphs
}
