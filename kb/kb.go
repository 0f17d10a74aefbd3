// Package kb is the knowledge base: domain packs of documents with their
// sources, dates and wordings, and the index that finds what bears on a
// question. A domain is a folder of JSON; nothing here knows what it is about.
package kb

import (
	"context"
	"fmt"
	"time"
)

// A Field says which view of a chunk a record holds.
type Field string

// The fields. One chunk has a heading and a body in each language, any number
// of aliases, and one paragraph record a wording.
const (
	FieldHeading   Field = "heading"   // section and subheading
	FieldAlias     Field = "alias"     // another way to ask for the chunk
	FieldBody      Field = "body"      // heading and all paragraphs
	FieldParagraph Field = "paragraph" // one wording of one paragraph
)

// A Record is one text of a chunk as an index stores it. IDs are unique within
// an index.
type Record struct {
	ID           string
	Chunk        string
	Paragraph    string // set for FieldParagraph
	Pack         string
	Field        Field
	Language     string
	Jurisdiction string    // empty: anywhere
	From, Until  Date      // in force in [From, Until); zero: open
	Text         string    // what full text matches
	Embeds       string    // what Vector is the embedding of; empty for Text
	Vector       []float32 // unit length, the index's dimension
}

// A Filter narrows a query. Zero fields do not.
type Filter struct {
	Packs         []string
	Languages     []string
	Fields        []Field
	Jurisdictions []string // and records of no jurisdiction
	Valid         Date     // drops records whose Until is at or before it; what is not yet in force stays
}

// A Hit is a record that an index found. Scores compare only within one query.
type Hit struct {
	Record    string // Record.ID
	Chunk     string
	Paragraph string
	Field     Field
	Score     float64  // cosine of Nearest, BM25 of Match
	Terms     []string // Match: the stems that hit, in query order
}

// An Index finds records. It is safe for concurrent use, and a Replace under
// load shows each query wholly the old records or wholly the new.
type Index interface {
	// Replace puts records in place of everything there. It fails with
	// bot.ErrInvalid, leaving the old records in service, when an id repeats, a
	// vector is zero, not finite or of another dimension than the rest.
	Replace(ctx context.Context, version string, records []Record) error

	// Nearest returns up to k records whose cosine with vector is at least min,
	// best first, ties by lower record id. A zero, not finite or wrong-length
	// vector is bot.ErrInvalid. An empty index finds nothing.
	Nearest(ctx context.Context, vector []float32, k int, min float64, f Filter) ([]Hit, error)

	// Match returns up to k records by BM25 over stems of f.Languages (all if
	// none), best first, ties by lower record id. Text is data: no query
	// language gets through. A text without words finds nothing.
	Match(ctx context.Context, text string, k int, f Filter) ([]Hit, error)

	// Version returns what the last Replace named, empty before the first.
	Version() string
}

// An Embedder turns texts into vectors of unit length. Two goroutines may call it.
type Embedder interface {
	// Name names the model and its weights. Vectors of different names do not
	// compare.
	Name() string

	// Dim is the length of every vector.
	Dim() int

	// Embed returns one vector a text, in order. It heeds ctx between texts.
	Embed(ctx context.Context, texts []string) ([][]float32, error)
}

// A Date is a calendar day, as yyyymmdd. The zero Date is none. In JSON it is
// "2027-11-01"; a month or a year alone means its first day.
type Date int

// DateOf returns the day of t in t's location.
func DateOf(t time.Time) Date {
	y, m, d := t.Date()
	return Date(y*10000 + int(m)*100 + d)
}

// ParseDate reads "2027-11-01", "2027-11" or "2027".
func ParseDate(s string) (Date, error) {
	for _, layout := range []string{"2006-01-02", "2006-01", "2006"} {
		if t, err := time.Parse(layout, s); err == nil {
			return DateOf(t), nil
		}
	}
	return 0, fmt.Errorf("%q is not a date such as 2027-11-01, 2027-11 or 2027", s)
}

// Time returns midnight UTC of d.
func (d Date) Time() time.Time {
	return time.Date(int(d)/10000, time.Month(int(d)/100%100), int(d)%100, 0, 0, 0, 0, time.UTC)
}

// String returns d as 2027-11-01, or "" for none.
func (d Date) String() string {
	if d == 0 {
		return ""
	}
	return d.Time().Format(time.DateOnly)
}

// MarshalText and UnmarshalText make a Date a JSON string.
func (d Date) MarshalText() ([]byte, error) { return []byte(d.String()), nil }

// UnmarshalText reads what ParseDate reads; empty is none.
func (d *Date) UnmarshalText(b []byte) (err error) {
	*d = 0
	if len(b) > 0 {
		*d, err = ParseDate(string(b))
	}
	return err
}
