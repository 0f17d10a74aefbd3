// Package bm25 ranks texts by the words that they share with a query.
//
// The score of a document is the sum over the query's terms, each as often as
// the query repeats it, of
//
//	ln(1 + (N-n+0.5)/(n+0.5)) * tf*(k1+1) / (tf + k1*(1 - b + b*len/avglen))
//
// with N documents, of which n hold the term: BM25 with Lucene's idf, which
// stays positive for common words, and the factor k1+1 of the original
// (Robertson et al. 1994).
package bm25

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"slices"
)

// The usual parameters.
const (
	K1 = 1.2
	B  = 0.75
)

// An Index holds documents as counts of terms. It does not change and may be
// used by many goroutines.
type Index struct {
	terms    map[string]int // to the fields below
	words    []string
	postings [][]posting // by document
	weights  []float64   // a term's idf times k1+1
	norms    []float64   // a document's k1*(1 - b + b*len/avglen)
}

type posting struct {
	doc int32
	tf  int32
}

// New returns an index of documents, each a list of terms. The index keeps
// none of the slices.
func New(docs [][]string, k1, b float64) *Index {
	ix := &Index{terms: make(map[string]int), norms: make([]float64, len(docs))}
	var total float64
	for doc, terms := range docs {
		total += float64(len(terms))
		for _, t := range terms {
			id, ok := ix.terms[t]
			if !ok {
				id = len(ix.postings)
				ix.terms[t] = id
				ix.postings = append(ix.postings, nil)
				ix.words = append(ix.words, t)
			}
			ps := ix.postings[id]
			if n := len(ps); n > 0 && ps[n-1].doc == int32(doc) {
				ps[n-1].tf++
				continue
			}
			ix.postings[id] = append(ps, posting{int32(doc), 1})
		}
	}
	average := 1.0 // of documents without terms, which no query finds
	if total > 0 {
		average = total / float64(len(docs))
	}
	for doc, terms := range docs {
		ix.norms[doc] = k1 * (1 - b + b*float64(len(terms))/average)
	}
	ix.weights = make([]float64, len(ix.postings))
	for id, ps := range ix.postings {
		n := float64(len(ps))
		ix.weights[id] = math.Log1p((float64(len(docs))-n+0.5)/(n+0.5)) * (k1 + 1)
	}
	return ix
}

// A Hit is a document that shares terms with a query.
type Hit struct {
	Doc   int // index into New's docs
	Score float64
	Terms []string // those shared, each once, in query order
}

// Search returns the k best documents for which keep holds, best first, ties
// by lower index; a nil keep holds for all. Documents that share no term with
// the query are left out. What keep drops still counts in N, n and avglen: a
// filter changes no score. The error is ctx's, wrapped.
func (ix *Index) Search(ctx context.Context, query []string, k int, keep func(doc int) bool) ([]Hit, error) {
	if k <= 0 {
		return nil, nil
	}
	ids, repeats := ix.known(query)
	scores := make([]float64, len(ix.norms))
	for i, id := range ids {
		if err := ctx.Err(); err != nil {
			return nil, fmt.Errorf("score terms: %w", err)
		}
		w := ix.weights[id] * repeats[i]
		for _, p := range ix.postings[id] {
			tf := float64(p.tf)
			scores[p.doc] += w * tf / (tf + ix.norms[p.doc])
		}
	}
	hits := best(scores, k, keep)
	at := make(map[int32]int, len(hits))
	for i, h := range hits {
		at[int32(h.Doc)] = i
	}
	for _, id := range ids {
		for _, p := range ix.postings[id] {
			if i, ok := at[p.doc]; ok {
				hits[i].Terms = append(hits[i].Terms, ix.words[id])
			}
		}
	}
	return hits, nil
}

// known returns the terms of query that a document holds, each once, and how
// often the query holds them.
func (ix *Index) known(query []string) (ids []int, repeats []float64) {
	seen := make(map[int]int)
	for _, t := range query {
		id, ok := ix.terms[t]
		if !ok {
			continue
		}
		i, ok := seen[id]
		if !ok {
			i = len(ids)
			seen[id] = i
			ids, repeats = append(ids, id), append(repeats, 0)
		}
		repeats[i]++
	}
	return ids, repeats
}

// best returns the k best of the documents that score above 0.
func best(scores []float64, k int, keep func(doc int) bool) []Hit {
	k = min(k, len(scores))
	var hits []Hit
	order := func() {
		slices.SortFunc(hits, func(a, b Hit) int {
			return cmp.Or(cmp.Compare(b.Score, a.Score), cmp.Compare(a.Doc, b.Doc))
		})
		hits = hits[:min(len(hits), k)]
	}
	floor := 0.0
	for doc, score := range scores {
		if score <= floor || keep != nil && !keep(doc) {
			continue
		}
		hits = append(hits, Hit{Doc: doc, Score: score})
		if len(hits) >= 2*k { // later ones that equal the k-th lose to it
			order()
			floor = hits[k-1].Score
		}
	}
	order()
	return hits
}
