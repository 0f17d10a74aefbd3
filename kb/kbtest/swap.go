package kbtest

import (
	"context"
	"fmt"
	"sync"
	"sync/atomic"
	"testing"

	"plumbline/kb"
)

// swapUnderLoad replaces the whole index again and again while others read.
// Every record carries its version, and versions differ in size: a query must
// see all of one version and nothing of another.
func (s *suite) swapUnderLoad(t *testing.T) {
	const swaps, readers = 20, 3
	size := func(version int) int { return 20 + version%3 }
	recordsOf := func(version int) (records []kb.Record) {
		for i := range size(version) {
			r := at(fmt.Sprintf("r%02d", i), 1, float32(i), 0)
			if version%2 == 1 {
				r = at(fmt.Sprintf("r%02d of %d", i, version), float32(i), 0, 1)
			}
			r.Chunk = fmt.Sprint(version)
			r.Text = "lead pipes"
			r.Vector = unit(r.Vector)
			records = append(records, r)
		}
		return records
	}
	// whole returns the version that hits are, all of it.
	whole := func(hits []kb.Hit) (version int, err error) {
		if len(hits) == 0 {
			return 0, fmt.Errorf("nothing found")
		}
		for _, h := range hits {
			if h.Chunk != hits[0].Chunk {
				return 0, fmt.Errorf("versions %s and %s in one result", hits[0].Chunk, h.Chunk)
			}
		}
		fmt.Sscan(hits[0].Chunk, &version)
		if len(hits) != size(version) {
			return 0, fmt.Errorf("%d of the %d records of version %d", len(hits), size(version), version)
		}
		return version, nil
	}

	x := s.open(t)
	replace(t, x, "0", recordsOf(0))
	queries := []struct {
		name string
		ask  func(context.Context) ([]kb.Hit, error)
	}{
		{"Nearest", func(ctx context.Context) ([]kb.Hit, error) {
			return x.Nearest(ctx, []float32{1, 1, 1}, everything, -1, kb.Filter{})
		}},
		{"Match", func(ctx context.Context) ([]kb.Hit, error) {
			return x.Match(ctx, "pipe", everything, kb.Filter{})
		}},
		{"Nearest with a filter", func(ctx context.Context) ([]kb.Hit, error) {
			return x.Nearest(ctx, []float32{1, 1, 1}, everything, -1, kb.Filter{Packs: []string{"water"}, Languages: []string{"en"}})
		}},
	}
	var done atomic.Bool
	var asked [readers]atomic.Int64
	var wg sync.WaitGroup
	for reader := range readers {
		wg.Go(func() {
			last := 0
			for i := reader; !done.Load(); i++ {
				q := queries[i%len(queries)]
				hits, err := q.ask(t.Context())
				if err != nil {
					t.Errorf("%s under load: %v", q.name, err)
					return
				}
				version, err := whole(hits)
				if err != nil {
					t.Errorf("%s under load: %v", q.name, err)
					return
				}
				if version < last {
					t.Errorf("%s under load: version %d after %d", q.name, version, last)
					return
				}
				last = version
				asked[reader].Add(1)
			}
		})
	}
	for version := 1; version <= swaps; version++ {
		before := asked[version%readers].Load()
		replace(t, x, fmt.Sprint(version), recordsOf(version))
		for !t.Failed() && asked[version%readers].Load() == before {
			// Until somebody has read; each reader reads or fails the test.
			if _, err := x.Match(t.Context(), "pipe", 1, kb.Filter{}); err != nil {
				t.Errorf("Match between swaps: %v", err)
			}
		}
		if got := x.Version(); got != fmt.Sprint(version) {
			t.Errorf("Version() after Replace = %q, want %d", got, version)
		}
	}
	done.Store(true)
	wg.Wait()
	for reader := range asked {
		if asked[reader].Load() == 0 && !t.Failed() {
			t.Errorf("reader %d read nothing: the test says nothing", reader)
		}
	}
}
