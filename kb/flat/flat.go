// Package flat is the embedded [kb.Index]: every record in memory, every query
// answered exactly, no service to run.
//
// Scores of Nearest are float32 dot products of unit vectors, given as float64.
// min is rounded to float32 before it is compared, and is inclusive: a record
// that the papers' threshold of 0.51 should just let in is let in, as by
// RediSearch, whose distances are float32 too. Ties go to the lower record id.
package flat

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"slices"
	"sync/atomic"

	"plumbline/bot"
	"plumbline/kb"
)

// An Index is a [kb.Index] in memory. Readers never wait: Replace builds the
// new records aside and puts them in place at once, so for that moment both
// are held. A query that has begun ends on the records it began with. Of two
// Replaces at once the one that ends last stays.
type Index struct {
	now atomic.Pointer[table]
}

var _ kb.Index = (*Index)(nil)

// New returns an index that holds nothing.
func New() *Index {
	x := new(Index)
	x.now.Store(new(table))
	return x
}

// A table is the records of one version. It does not change.
type table struct {
	version string
	rows    []kb.Hit // what a hit says of its record; scores and terms unset
	vectors matrix   // in the order of rows
	groups  []group  // in the order of rows
	texts   []text   // by language
}

// Version implements [kb.Index].
func (x *Index) Version() string { return x.now.Load().version }

// Replace implements [kb.Index]. Vectors that are not of unit length are
// scaled; those that are, to rounding, stay as they are. It keeps none of the
// slices.
func (x *Index) Replace(ctx context.Context, version string, records []kb.Record) error {
	t, err := build(ctx, version, records)
	if err != nil {
		return fmt.Errorf("replace index by version %q: %w", version, err)
	}
	x.now.Store(t)
	return nil
}

func build(ctx context.Context, version string, records []kb.Record) (*table, error) {
	t := &table{version: version}
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	if len(records) == 0 {
		return t, nil
	}
	if err := unique(records); err != nil {
		return nil, err
	}
	records = slices.Clone(records)
	slices.SortFunc(records, byGroup)

	dim := len(records[0].Vector)
	t.rows = make([]kb.Hit, len(records))
	t.vectors = matrix{dim: dim, data: make([]float32, len(records)*dim), before: t.before}
	for i, r := range records {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		if len(r.Vector) != dim {
			return nil, fmt.Errorf("record %q: vector has %d numbers and that of %q %d: %w",
				r.ID, len(r.Vector), records[0].ID, dim, bot.ErrInvalid)
		}
		if !unit(t.vectors.row(i), r.Vector) {
			return nil, fmt.Errorf("record %q: vector is zero or not finite: %w", r.ID, bot.ErrInvalid)
		}
		t.rows[i] = kb.Hit{Record: r.ID, Chunk: r.Chunk, Paragraph: r.Paragraph, Field: r.Field}
	}
	t.groups = groupsOf(records)
	texts, err := textsOf(ctx, records)
	if err != nil {
		return nil, err
	}
	t.texts = texts
	return t, nil
}

func unique(records []kb.Record) error {
	seen := make(map[string]bool, len(records))
	for _, r := range records {
		if seen[r.ID] {
			return fmt.Errorf("record %q: id repeats: %w", r.ID, bot.ErrInvalid)
		}
		seen[r.ID] = true
	}
	return nil
}

// before orders rows whose scores tie.
func (t *table) before(a, b int32) int {
	return cmp.Compare(t.rows[a].Record, t.rows[b].Record)
}

// Nearest implements [kb.Index]. A min that is not a number is bot.ErrInvalid.
// Many vectors are shared out over the processors.
func (x *Index) Nearest(ctx context.Context, vector []float32, k int, min float64, f kb.Filter) ([]kb.Hit, error) {
	t := x.now.Load()
	q := make([]float32, len(vector))
	switch {
	case !unit(q, vector):
		return nil, fmt.Errorf("find nearest: vector is zero or not finite: %w", bot.ErrInvalid)
	case len(t.rows) > 0 && len(q) != t.vectors.dim:
		return nil, fmt.Errorf("find nearest: vector has %d numbers and the index %d: %w",
			len(q), t.vectors.dim, bot.ErrInvalid)
	case math.IsNaN(min):
		return nil, fmt.Errorf("find nearest: least score is not a number: %w", bot.ErrInvalid)
	}
	found, err := t.vectors.nearest(ctx, q, k, float32(min), t.spans(f))
	if err != nil {
		return nil, fmt.Errorf("find nearest: %w", err)
	}
	hits := make([]kb.Hit, len(found))
	for i, c := range found {
		hits[i] = t.rows[c.row]
		hits[i].Score = float64(c.score)
	}
	return hits, nil
}
