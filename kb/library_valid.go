package kb

// A State says whether a paragraph holds on a day.
type State string

// The states. Only Current is told as it stands; NotYet is told with its date,
// Proposed as a proposal, the others never as what holds.
const (
	Current    State = "current"
	NotYet     State = "not_yet"
	Proposed   State = "proposed"
	Superseded State = "superseded"
	Expired    State = "expired"
)

// Told reports whether a paragraph in this state may be told at all.
func (s State) Told() bool { return s == Current || s == NotYet || s == Proposed }

// Validity returns when p holds, its source's limits included: the later
// beginning, the earlier end, proposed if either is.
func (l *Library) Validity(p Paragraph) Validity {
	var v Validity
	if p.Validity != nil {
		v = *p.Validity
	}
	s, _ := l.Source(p)
	if s.Validity == nil {
		return v
	}
	v.Effective = max(v.Effective, s.Validity.Effective)
	if v.Expires == 0 || s.Validity.Expires != 0 && s.Validity.Expires < v.Expires {
		v.Expires = s.Validity.Expires
	}
	v.Proposed = v.Proposed || s.Validity.Proposed
	v.SupersededBy = first(v.SupersededBy, s.Validity.SupersededBy)
	return v
}

// Valid returns the state of p on the day at. A paragraph that another one
// supersedes holds until its own end or, if it has none, until the other is in
// force; a proposal supersedes nothing.
func (l *Library) Valid(p Paragraph, at Date) State {
	v := l.Validity(p)
	end := l.end(p.ID, v)
	switch {
	case end != 0 && at >= end && v.SupersededBy != "":
		return Superseded
	case end != 0 && at >= end:
		return Expired
	case v.Proposed:
		return Proposed
	case at < v.Effective:
		return NotYet
	}
	return Current
}

// always is before every day that a pack can name.
const always Date = 1_01_01

// end is the day from which the paragraph with the id and validity no longer
// holds; zero if it has no end.
func (l *Library) end(id string, v Validity) Date {
	by, ok := l.paragraphs[v.SupersededBy]
	if v.Expires != 0 || !ok || v.SupersededBy == id {
		return v.Expires
	}
	next := l.Validity(by.paragraph)
	if next.Proposed {
		return 0
	}
	return max(next.Effective, always)
}
