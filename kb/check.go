package kb

import (
	"fmt"
	"slices"
	"strings"
	"time"
)

// A Severity says what a finding keeps from happening.
type Severity string

// The severities, gravest first.
const (
	Error   Severity = "error"   // the pack is not to be used so
	Warning Severity = "warning" // a person should decide
	Note    Severity = "note"    // a person should know
)

// A Finding is one thing that a check found in a pack.
type Finding struct {
	Severity Severity `json:"severity"`
	Rule     string   `json:"rule"`
	Pack     string   `json:"pack"`
	File     string   `json:"file,omitempty"` // empty for a pack that was not loaded from files
	Line     int      `json:"line,omitempty"`
	ID       string   `json:"id"`
	Text     string   `json:"text"`
}

// String returns f as one line.
func (f Finding) String() string {
	where := f.Pack
	if f.File != "" {
		where = fmt.Sprintf("%s:%d", f.File, f.Line)
	}
	return fmt.Sprintf("%s: %s: %s: %s: %s", where, f.Severity, f.Rule, f.ID, f.Text)
}

// Errors counts the findings that are errors.
func Errors(findings []Finding) int {
	n := 0
	for _, f := range findings {
		if f.Severity == Error {
			n++
		}
	}
	return n
}

// How long a confirmation of a telephone number is good for, in days.
const (
	ConfirmedFor       = 180
	ConfirmedForSafety = 30

	// confirmSoon is the share of that time, at its end, in which the number is
	// due.
	confirmSoon = 6
)

// Check tells the telephone numbers that somebody must confirm: an error when
// the last confirmation is ConfirmedFor days old on the day at, or
// ConfirmedForSafety for a number of a safety route, and a warning in the last
// sixth of that time. A pack without safety rules and local numbers is an
// error. Findings come in the order of the packs and their files.
func Check(l *Library, at Date) []Finding {
	var list []Finding
	for _, p := range l.Packs() {
		list = append(list, p.checkLocalNumbers()...)
		for _, ph := range p.Contacts.Phones {
			if f, ok := p.checkPhone(ph, at); ok {
				list = append(list, f)
			}
		}
	}
	return list
}

// finding is about what has the id.
func (p *Pack) finding(sev Severity, rule, kind, id, format string, args ...any) Finding {
	pos := p.position(kind, id)
	return Finding{sev, rule, p.Manifest.Name, pos.file, pos.line, id, fmt.Sprintf(format, args...)}
}

func (p *Pack) checkLocalNumbers() []Finding {
	if len(strings.Trim(string(p.Safety), " \t\r\n{}[]")) > 0 {
		return nil
	}
	return []Finding{p.finding(Error, "local-numbers", "", "safety", "the pack has no safety rules and no local numbers: it is refused")}
}

func (p *Pack) checkPhone(ph Phone, at Date) (Finding, bool) {
	age, limit := days(ph.Confirmed.On, at), ConfirmedFor
	if ph.Safety {
		limit = ConfirmedForSafety
	}
	said := fmt.Sprintf("%s was confirmed on %s (%s, by %s)", ph.Number, ph.Confirmed.On, ph.Confirmed.How, ph.Confirmed.By)
	finding := func(sev Severity, format string, args ...any) (Finding, bool) {
		return p.finding(sev, "phone-age", kindPhone, ph.ID, "%s, "+format, append([]any{said}, args...)...), true
	}
	switch {
	case age < 0:
		return finding(Warning, "a day that has not come")
	case age >= limit:
		return finding(Error, "%d days ago: it is good for %d", age, limit)
	case age >= limit-limit/confirmSoon:
		return finding(Warning, "%d days ago: due in %d days", age, limit-age)
	}
	return Finding{}, false
}

// days counts the days from one date to another.
func days(from, to Date) int {
	return int(to.Time().Sub(from.Time()) / (24 * time.Hour))
}

// sortFindings puts findings in the order of their places, as the packs have
// them, and otherwise leaves them as they are.
func sortFindings(l *Library, list []Finding) {
	order := make(map[string]int)
	for i, p := range l.packs {
		order[p.Manifest.Name] = i
	}
	slices.SortStableFunc(list, func(a, b Finding) int {
		if c := order[a.Pack] - order[b.Pack]; c != 0 {
			return c
		}
		if c := strings.Compare(a.File, b.File); c != 0 {
			return c
		}
		return a.Line - b.Line
	})
}
