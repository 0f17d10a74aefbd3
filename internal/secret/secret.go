// Package secret holds keys and tokens so that they cannot be printed.
package secret

import (
	"fmt"
	"io"
)

// A Text is a key, a token or a password. It cannot be printed or marshalled,
// whatever the verb, nor by what holds it. The zero Text is none.
type Text struct {
	get func() string
}

// New returns a Text that holds s.
func New(s string) Text {
	if s == "" {
		return Text{}
	}
	return Text{func() string { return s }}
}

// Reveal returns what t holds, for those who send or check it.
func (t Text) Reveal() string {
	if t.get == nil {
		return ""
	}
	return t.get()
}

// IsZero reports whether t is none.
func (t Text) IsZero() bool { return t.get == nil }

// Format hides t under every verb.
func (Text) Format(w fmt.State, _ rune) { io.WriteString(w, "[secret]") }

// MarshalText hides t.
func (Text) MarshalText() ([]byte, error) { return []byte("[secret]"), nil }
