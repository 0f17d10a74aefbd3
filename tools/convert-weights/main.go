// Command convert-weights makes the files of kb/minilm/weights from the
// published ones of all-MiniLM-L6-v2:
//
//	go run ./convert-weights -model model.safetensors -vocab vocab.txt -out ../kb/minilm/weights
//
// It refuses files whose SHA-256 is not that of the published ones. The same
// input gives the same output, byte for byte.
package main

import (
	"crypto/sha256"
	"encoding/hex"
	"flag"
	"fmt"
	"io"
	"os"
	"path/filepath"
)

const (
	modelSum = "53aa51172d142c89d9012cce15ae4d6cc0ca6895895114379cacb4fab128d9db"
	vocabSum = "07eced375cec144d27c900241f3e339478dec958f92fddbc551f295c992038a3"

	modelHeads     = 12
	modelPositions = 256 // its max_seq_length, of the 512 in the file
)

func main() { os.Exit(run(os.Args[1:], os.Stdout, os.Stderr)) }

// run returns the exit status: 0 done, 1 failed, 2 wrong use.
func run(args []string, stdout, stderr io.Writer) int {
	flags := flag.NewFlagSet("convert-weights", flag.ContinueOnError)
	flags.SetOutput(stderr)
	model := flags.String("model", "", "the published `file` model.safetensors")
	vocab := flags.String("vocab", "", "the published `file` vocab.txt")
	out := flags.String("out", "", "the `folder` to write minilm.f16 and vocab.txt to")
	if err := flags.Parse(args); err != nil {
		return 2
	}
	if *model == "" || *vocab == "" || *out == "" || flags.NArg() > 0 {
		flags.Usage()
		return 2
	}
	if err := convertFiles(*model, *vocab, *out, stdout); err != nil {
		fmt.Fprintln(stderr, "convert-weights:", err)
		return 1
	}
	return 0
}

func convertFiles(model, vocab, out string, report io.Writer) error {
	weights, err := readPublished(model, modelSum)
	if err != nil {
		return err
	}
	pieces, err := readPublished(vocab, vocabSum)
	if err != nil {
		return err
	}
	packed, err := convert(weights, string(pieces), modelHeads, modelPositions)
	if err != nil {
		return fmt.Errorf("convert %s: %w", model, err)
	}
	for _, f := range []struct {
		name string
		b    []byte
	}{{"minilm.f16", packed}, {"vocab.txt", pieces}} {
		if err := os.WriteFile(filepath.Join(out, f.name), f.b, 0o644); err != nil {
			return err
		}
		fmt.Fprintf(report, "%x  %s\n", sha256.Sum256(f.b), f.name)
	}
	return nil
}

// readPublished reads a file and holds it to the hash of the published one.
func readPublished(name, sum string) ([]byte, error) {
	b, err := os.ReadFile(name)
	if err != nil {
		return nil, err
	}
	if got := sha256.Sum256(b); hex.EncodeToString(got[:]) != sum {
		return nil, fmt.Errorf("%s has sha256 %x, the published file has %s", name, got, sum)
	}
	return b, nil
}
