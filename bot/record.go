package bot

import "time"

// A TurnRecord is what the record keeps of one message and what came of it,
// for staff. All of it is redacted: it holds no telephone number, name or
// address of the person who wrote.
type TurnRecord struct {
	ID       string    `json:"id"`     // of the answer, or of the message if none was made
	Person   string    `json:"person"` // a keyed hash
	Channel  string    `json:"channel"`
	Received time.Time `json:"received"`
	Finished time.Time `json:"finished"`
	Asked    string    `json:"asked"`
	Said     []string  `json:"said"` // the texts as sent, in order
	Word     Word      `json:"word,omitempty"`
	Status   Status    `json:"status,omitempty"`
	Route    Route     `json:"route,omitempty"`
	Language Language  `json:"language,omitempty"`
	Persona  string    `json:"persona,omitempty"`
	Strategy Strategy  `json:"strategy,omitempty"`
	Variant  Variant   `json:"variant,omitempty"`
	Pack     string    `json:"pack,omitempty"`
	Review   string    `json:"review,omitempty"` // why a member of staff should look
	Parked   string    `json:"parked,omitempty"` // why it was given up

	Detail *TurnDetail `json:"detail,omitempty"` // nil if no question was answered, or it was not asked for
}

// A TurnDetail is how an answer came about.
type TurnDetail struct {
	More        []string     `json:"more,omitempty"` // what MORE would send
	Claims      []Claim      `json:"claims,omitempty"`
	Limitations []Limitation `json:"limitations,omitempty"`
	Gaps        []Gap        `json:"gaps,omitempty"`
	Chunks      []Chunk      `json:"chunks,omitempty"`
	Trace       *Trace       `json:"trace,omitempty"`
}

// A TurnFilter chooses turns of the record. Its zero value chooses all.
type TurnFilter struct {
	Person string
	Since  time.Time // finished then or later
	Until  time.Time // finished earlier
	Status Status
	Route  Route
	Review bool   // only those that a member of staff should look at
	Before string // only those that finished before the turn of this ID
	Limit  int    // the most turns to return; 0 for 100
	Detail bool   // with their details
}
