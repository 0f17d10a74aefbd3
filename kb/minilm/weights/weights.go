// Package weights is all-MiniLM-L6-v2 itself, 45 MB that every program that
// imports this package carries. README.md says where it comes from and LICENSE
// under which terms.
package weights

import (
	_ "embed"
	"sync"

	"plumbline/kb/minilm"
)

// Strings, not byte slices: they stay in the read-only pages of the program,
// shared and never copied.
var (
	//go:embed minilm.f16
	weights string

	//go:embed vocab.txt
	vocabulary string
)

var load = sync.OnceValues(func() (*minilm.Model, error) {
	return minilm.New(weights, vocabulary)
})

// Load returns the model, the same for all callers. Any number of goroutines
// may call it.
func Load() (*minilm.Model, error) { return load() }

// Vocabulary returns the model's word pieces, one a line, for other weights of
// the same model.
func Vocabulary() string { return vocabulary }
