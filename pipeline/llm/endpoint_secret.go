package llm

import (
	"fmt"
	"io"
)

// A Secret is a key. It cannot be printed or marshalled, whatever the verb, nor
// by what holds it. The zero Secret is none.
type Secret struct {
	reveal func() string // fmt does not call Format on what lies in an unexported field, nor this
}

// NewSecret returns a Secret that holds s.
func NewSecret(s string) Secret {
	if s == "" {
		return Secret{}
	}
	return Secret{func() string { return s }}
}

// text is the secret itself, for a header.
func (s Secret) text() string {
	if s.reveal == nil {
		return ""
	}
	return s.reveal()
}

// Format implements fmt.Formatter.
func (Secret) Format(w fmt.State, _ rune) { io.WriteString(w, "[secret]") }

// MarshalText implements encoding.TextMarshaler.
func (Secret) MarshalText() ([]byte, error) { return []byte("[secret]"), nil }
