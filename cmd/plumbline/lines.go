package main

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"unicode/utf8"

	"plumbline/bot"
)

// maxLine is the longest line of JSON that is read.
const maxLine = 1 << 20

// eachLine decodes JSON lines into T and calls do for each. Empty lines are
// skipped. A line that is no such object is an errInput that names it.
func eachLine[T any](r io.Reader, do func(T) error) error {
	sc := bufio.NewScanner(r)
	sc.Buffer(make([]byte, 64<<10), maxLine)
	n := 0
	for sc.Scan() {
		n++
		if len(sc.Bytes()) == 0 {
			continue
		}
		if !utf8.Valid(sc.Bytes()) {
			return fmt.Errorf("%w line %d is not UTF-8: %w", errInput, n, bot.ErrInvalid)
		}
		var v T
		if err := json.Unmarshal(sc.Bytes(), &v); err != nil {
			return fmt.Errorf("%w line %d: %v: %w", errInput, n, err, bot.ErrInvalid)
		}
		if err := do(v); err != nil {
			return fmt.Errorf("line %d: %w", n, err)
		}
	}
	if err := sc.Err(); err != nil {
		return fmt.Errorf("%w line %d: %v (lines are at most %d bytes): %w", errInput, n+1, err, maxLine, bot.ErrInvalid)
	}
	return nil
}

// writeJSON writes v as one line.
func writeJSON(w io.Writer, v any) error {
	enc := json.NewEncoder(w)
	enc.SetEscapeHTML(false)
	return enc.Encode(v)
}
