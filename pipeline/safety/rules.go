package safety

import (
	"errors"
	"fmt"
)

// Rules are files of rules that belong together: the core's, or a pack's.
type Rules []File

// A File is one file of rules.
type File struct {
	Name string // for errors
	Form
}

// A Form is what a file of rules holds, in the core and in packs alike. The
// package comment explains the patterns.
type Form struct {
	// Languages are those that rules reach. Core only.
	Languages map[string]Language `json:"languages"`

	// Spellings maps a token to the words that it may also stand for, spaces
	// between: "q": "que". Core only.
	Spellings map[string]string `json:"spellings"`

	// Known lists words that are never taken for a misspelling of another.
	// Core only: a word here makes a rule see less.
	Known []string `json:"known"`

	// Idioms are patterns whose words count for nothing: "gas station". Core only.
	Idioms []string `json:"idioms"`

	// Concepts are named lists of patterns by language ("any" fits all).
	// "except" lists patterns that, where they overlap, cancel a match; "but"
	// lists patterns that, anywhere in the text, cancel every match.
	Concepts map[string]map[string][]string `json:"concepts"`

	// Marks say what else the words tell, for the choice of a text.
	Marks Marks `json:"marks"`

	// Routes stand in order of precedence; those of packs follow the core's.
	Routes []Route `json:"routes"`

	Rules []Rule `json:"rules"`

	// Cues are points for words, for what no rule foresees. Core only.
	Cues Cues `json:"cues"`

	// Numbers are phone numbers by id; texts name them as {id} and {id.name}.
	Numbers map[string]Number `json:"numbers"`

	// Texts hold the fixed texts by id and language ("other" stands for every
	// language without one). Of several variants the first whose numbers are
	// all known is sent.
	Texts map[string]map[string][]string `json:"texts"`
}

// A Language is known by its commonest words or by its script.
type Language struct {
	// Answered languages have texts of their own for every route.
	Answered bool   `json:"answered"`
	Words    string `json:"words"`
	Script   string `json:"script"` // a name of unicode.Scripts
}

// Marks are tried in order; the first that matches is taken.
type Marks struct {
	Person []Mark `json:"person"` // core only
	Hazard []Mark `json:"hazard"`
	Group  []Mark `json:"group"`
}

// A Mark holds where one of When matches.
type Mark struct {
	Is   string   `json:"is"`
	When []string `json:"when"`
	// Routes, if any, are the routes for which the mark is looked for.
	Routes []string `json:"routes"`
}

// A Route is one kind of emergency or warning and the texts that answer it.
type Route struct {
	ID   string `json:"id"`
	Kind string `json:"kind"` // "emergency" or "pinned"

	// Replies are tried in order; the first whose conditions hold is taken.
	// The last has none.
	Replies []Reply `json:"replies"`

	// Add is the id of the sentence that an emergency text of another route
	// carries when this route fired as well.
	Add string `json:"add"`

	// Elsewhere is the id of the text in languages that are not answered.
	Elsewhere string `json:"elsewhere"`

	// Lead is the id of the words put before the first text when other
	// emergencies fired too, because the text's own first number is not theirs.
	Lead string `json:"lead"`
}

// A Reply names texts: the first message and what a person who texts MORE gets.
type Reply struct {
	Person []string `json:"person"`
	Hazard []string `json:"hazard"`
	Group  []string `json:"group"`
	First  string   `json:"first"`
	More   []string `json:"more"`
}

// A Rule sends a message to its route where one of When matches.
type Rule struct {
	ID    string `json:"id"`
	Route string `json:"route"`

	// When and the two below hold patterns joined with "&": each must match,
	// not far from the first.
	When []string `json:"when"`

	// Unless cancels a match within the same sentence, UnlessText anywhere.
	Unless     []string `json:"unless"`
	UnlessText []string `json:"unless_text"`

	Note string `json:"note"`
}

// A Number is a phone number and what it is called.
type Number struct {
	Number string            `json:"number"`
	Name   map[string]string `json:"name"`
	Source string            `json:"source"`
}

const (
	emergency = "emergency"
	pinned    = "pinned"
	exceptKey = "except"
	butKey    = "but"
	anyKey    = "any"
	otherKey  = "other"
)

// ParseRules reads one file of rules. It refuses what it does not know: unknown
// or doubled fields and values of the wrong kind. The error wraps ErrRules and
// names the file, the JSON path and what is wrong of every fault.
func ParseRules(name string, data []byte) (Rules, error) {
	var form Form
	if err := decodeStrict(data, &form); err != nil {
		return nil, fmt.Errorf("%w: %w", ErrRules, prefixAll(name, err))
	}
	return Rules{{name, form}}, nil
}

// ErrRules is the kind of every error about rules: asking again will not help.
var ErrRules = errors.New("safety rules")

// faults collects what is wrong, to be told all at once.
type faults []error

func (f *faults) add(file, path, format string, args ...any) {
	*f = append(*f, fmt.Errorf("%s: %s: %s", file, path, fmt.Sprintf(format, args...)))
}

func (f faults) err() error {
	if len(f) == 0 {
		return nil
	}
	return fmt.Errorf("%w: %w", ErrRules, errors.Join(f...))
}

func prefixAll(name string, err error) error {
	joined, ok := err.(interface{ Unwrap() []error })
	if !ok {
		return fmt.Errorf("%s: %w", name, err)
	}
	var out []error
	for _, e := range joined.Unwrap() {
		out = append(out, fmt.Errorf("%s: %w", name, e))
	}
	return errors.Join(out...)
}
