package flat

import (
	"cmp"
	"slices"

	"plumbline/kb"
)

// A group is the rows that no filter tells apart. Rows are sorted by what
// filters look at, so a group is a span of them, and a filter is decided once
// a group: a few dozen in a knowledge base of thousands of records.
type group struct {
	span
	pack, language, jurisdiction string
	field                        kb.Field
	until                        kb.Date
}

// A span is the rows from low up to high.
type span struct{ low, high int }

func byGroup(a, b kb.Record) int {
	return cmp.Or(
		cmp.Compare(a.Language, b.Language),
		cmp.Compare(a.Field, b.Field),
		cmp.Compare(a.Pack, b.Pack),
		cmp.Compare(a.Jurisdiction, b.Jurisdiction),
		cmp.Compare(a.Until, b.Until),
		cmp.Compare(a.ID, b.ID),
	)
}

// groupsOf needs records in the order of byGroup.
func groupsOf(records []kb.Record) (groups []group) {
	for i, r := range records {
		g := group{span{i, i + 1}, r.Pack, r.Language, r.Jurisdiction, r.Field, r.Until}
		if n := len(groups); n > 0 {
			last := &groups[n-1]
			if g.span = last.span; g == *last {
				last.high++
				continue
			}
			g.span = span{i, i + 1}
		}
		groups = append(groups, g)
	}
	return groups
}

func (g group) passes(f kb.Filter) bool {
	return allows(f.Packs, g.pack) &&
		allows(f.Languages, g.language) &&
		allows(f.Fields, g.field) &&
		(g.jurisdiction == "" || allows(f.Jurisdictions, g.jurisdiction)) &&
		(f.Valid == 0 || g.until == 0 || g.until > f.Valid)
}

func allows[T comparable](wanted []T, v T) bool {
	return len(wanted) == 0 || slices.Contains(wanted, v)
}

// spans returns the rows that pass f, as few spans in order.
func (t *table) spans(f kb.Filter) (spans []span) {
	for _, g := range t.groups {
		if !g.passes(f) {
			continue
		}
		if n := len(spans); n > 0 && spans[n-1].high == g.low {
			spans[n-1].high = g.high
			continue
		}
		spans = append(spans, g.span)
	}
	return spans
}
