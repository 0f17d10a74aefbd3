package main

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
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
		if err := json.Unmarshal(bytes.TrimPrefix(sc.Bytes(), []byte("\uFEFF")), &v); err != nil {
			return fmt.Errorf(`%w line %d is not what is read here: write a JSON object a line, such as {"id":"1","text":"..."}: %w`, errInput, n, bot.ErrInvalid)
		}
		if err := do(v); err != nil {
			return fmt.Errorf("line %d: %w", n, err)
		}
	}
	if err := sc.Err(); err != nil {
		if errors.Is(err, bufio.ErrTooLong) {
			return fmt.Errorf("%w line %d is longer than %d bytes: %w", errInput, n+1, maxLine, bot.ErrInvalid)
		}
		return fmt.Errorf("read line %d: %w", n+1, err)
	}
	return nil
}

// readFile reads a file of at most limit bytes. Pipes and devices are refused:
// they may have no end.
func readFile(name string, limit int64) ([]byte, error) {
	info, err := os.Stat(name)
	if err != nil {
		return nil, err
	}
	if !info.Mode().IsRegular() {
		return nil, fmt.Errorf("%s is not a file", name)
	}
	if info.Size() > limit {
		return nil, fmt.Errorf("%s is %d bytes long, more than %d: is it the right file?", name, info.Size(), limit)
	}
	return os.ReadFile(name)
}

// writeJSON writes v as one line.
func writeJSON(w io.Writer, v any) error {
	enc := json.NewEncoder(w)
	enc.SetEscapeHTML(false)
	return enc.Encode(v)
}
