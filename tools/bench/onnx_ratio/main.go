// Command onnx_ratio embeds texts for ratio.py, which times it beside ONNX
// Runtime. With -first it embeds one text and ends; without, it answers each
// line of standard input, a JSON list of texts to be embedded one after the
// other, with {"ns": what that took, "vectors": [...]}.
package main

import (
	"bufio"
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"io"
	"os"
	"runtime"
	"time"

	"plumbline/kb/minilm/weights"
)

func main() {
	first := flag.String("first", "", "embed this `text` and end")
	flag.Parse()
	if err := run(context.Background(), *first, os.Stdin, os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, "onnx_ratio:", err)
		os.Exit(1)
	}
}

func run(ctx context.Context, first string, in io.Reader, out io.Writer) error {
	runtime.GOMAXPROCS(1)
	m, err := weights.Load()
	if err != nil {
		return err
	}
	if first != "" {
		v, err := m.Embed(ctx, []string{first})
		if err != nil {
			return err
		}
		_, err = fmt.Fprintln(out, v[0][:4])
		return err
	}
	lines := bufio.NewReader(in)
	for {
		line, err := lines.ReadBytes('\n')
		if err == io.EOF {
			return nil
		}
		if err != nil {
			return err
		}
		var texts []string
		if err := json.Unmarshal(line, &texts); err != nil {
			return fmt.Errorf("request: %w", err)
		}
		var reply struct {
			NS      int64       `json:"ns"`
			Vectors [][]float32 `json:"vectors"`
		}
		start := time.Now()
		for _, t := range texts {
			v, err := m.Embed(ctx, []string{t})
			if err != nil {
				return err
			}
			reply.Vectors = append(reply.Vectors, v[0])
		}
		reply.NS = time.Since(start).Nanoseconds()
		if err := json.NewEncoder(out).Encode(reply); err != nil {
			return err
		}
	}
}
