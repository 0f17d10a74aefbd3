package flat

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"sort"

	"plumbline/internal/bm25"
	"plumbline/kb"
)

// A text is the full text of the records of one language, a corpus of its own.
type text struct {
	language string
	terms    bm25.Terms
	index    *bm25.Index
	rows     []int // of the index's documents, which are ordered by record id
}

// textsOf needs records in the order of byGroup.
func textsOf(ctx context.Context, records []kb.Record) (texts []text, err error) {
	for i := 0; i < len(records); {
		tx := text{language: records[i].Language, terms: bm25.For(records[i].Language)}
		for ; i < len(records) && records[i].Language == tx.language; i++ {
			tx.rows = append(tx.rows, i)
		}
		slices.SortFunc(tx.rows, func(a, b int) int { return cmp.Compare(records[a].ID, records[b].ID) })
		docs, terms := make([][]string, len(tx.rows)), bm25.Builder(tx.language)
		for doc, row := range tx.rows {
			if err := ctx.Err(); err != nil {
				return nil, err
			}
			docs[doc] = terms(records[row].Text)
		}
		tx.index = bm25.New(docs, bm25.K1, bm25.B)
		texts = append(texts, tx)
	}
	return texts, nil
}

// Match implements [kb.Index]. Each language is a corpus of its own; the query
// is stemmed anew for each, and what was found is ranked together. A filter
// changes no score.
func (x *Index) Match(ctx context.Context, query string, k int, f kb.Filter) ([]kb.Hit, error) {
	if err := ctx.Err(); err != nil {
		return nil, fmt.Errorf("match text: %w", err)
	}
	t := x.now.Load()
	spans := t.spans(f)
	var hits []kb.Hit
	for _, tx := range t.texts {
		if !allows(f.Languages, tx.language) {
			continue
		}
		keep := func(doc int) bool { return within(spans, tx.rows[doc]) }
		found, err := tx.index.Search(ctx, tx.terms(query), k, keep)
		if err != nil {
			return nil, fmt.Errorf("match text: %w", err)
		}
		for _, m := range found {
			h := t.rows[tx.rows[m.Doc]]
			h.Score, h.Terms = m.Score, m.Terms
			hits = append(hits, h)
		}
	}
	slices.SortFunc(hits, func(a, b kb.Hit) int {
		return cmp.Or(cmp.Compare(b.Score, a.Score), cmp.Compare(a.Record, b.Record))
	})
	return hits[:min(len(hits), max(k, 0))], nil
}

// within reports whether row is in one of spans, which are in order.
func within(spans []span, row int) bool {
	i := sort.Search(len(spans), func(i int) bool { return spans[i].high > row })
	return i < len(spans) && spans[i].low <= row
}
