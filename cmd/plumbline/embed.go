package main

import (
	"fmt"
	"os"
	"path/filepath"

	"plumbline/kb"
	"plumbline/kb/minilm"
	"plumbline/pipeline"
)

type kbEmbedCmd struct {
	Text []string `arg:"" optional:"" help:"The text, or - to read JSON lines {id, text}"`
}

// Help shows examples.
func (kbEmbedCmd) Help() string {
	return `Examples:
  plumbline kb embed "lead in tap water"
  plumbline kb embed - < texts.jsonl

Writes {id, text, tokens, vector}, a line a text: the numbers of the word pieces,
[CLS] and [SEP] included, and 384 numbers of length 1 together. To compare with
other implementations, special pieces spelled out in a text count here; in what
people ask they never do.`
}

type embedded struct {
	ID     string    `json:"id,omitempty"`
	Text   string    `json:"text"`
	Tokens []int32   `json:"tokens"`
	Vector []float32 `json:"vector"`
}

// A tokenizer tells the pieces that a model works on.
type tokenizer interface {
	Tokens(text string) (ids []int32, pieces []string)
}

func (c *kbEmbedCmd) Run(a *app) error {
	model, err := a.Model()
	if err != nil {
		return err
	}
	if m, ok := model.(*minilm.Model); ok {
		model = m.Reference()
	}
	return eachText(a, c.Text, "embed", func(l textLine) error {
		if err := pipeline.CheckQuestion(l.Text); err != nil {
			return fmt.Errorf("%w: %w", errInput, err)
		}
		vs, err := model.Embed(a.ctx, []string{l.Text})
		if err != nil {
			return err
		}
		e := embedded{ID: l.ID, Text: l.Text, Vector: vs[0]}
		if t, ok := model.(tokenizer); ok {
			e.Tokens, _ = t.Tokens(l.Text)
		}
		return writeJSON(a.std.Out, e)
	})
}

type kbVectorsCmd struct {
	Dir   string `arg:"" optional:"" help:"Folder of packs to make vectors for" type:"path" default:"kb/packs"`
	Check bool   `help:"Only say whether they are fresh; exit code 3 if not"`
}

// Help shows examples.
func (kbVectorsCmd) Help() string {
	return `Examples:
  plumbline kb vectors kb/packs
  plumbline kb vectors --check kb/packs

Writes vectors.bin into each pack of the folder. Texts whose vectors are missing
are embedded at every start, which takes a while.`
}

func (c *kbVectorsCmd) Run(a *app) error {
	model, err := a.Model()
	if err != nil {
		return err
	}
	manifests, err := filepath.Glob(filepath.Join(c.Dir, "*", "pack.json"))
	if err != nil {
		return usage("%q is not a folder: %v", c.Dir, err)
	}
	dir := c.Dir
	var names []string
	for _, m := range manifests {
		names = append(names, filepath.Base(filepath.Dir(m)))
	}
	if _, err := os.Stat(filepath.Join(dir, "pack.json")); err == nil { // one pack
		names, dir = []string{filepath.Base(dir)}, filepath.Dir(dir)
	}
	if len(names) == 0 {
		return fmt.Errorf("%s holds no pack: a pack is a folder with pack.json in it", c.Dir)
	}
	stale := 0
	for _, name := range names {
		p, err := kb.Load(os.DirFS(dir), name)
		if err != nil {
			return err
		}
		missing, extra := kb.StaleVectors(p, model.Name())
		if missing == 0 && extra == 0 {
			fmt.Fprintf(a.std.Out, "%s: fresh\n", name)
			continue
		}
		if c.Check {
			fmt.Fprintf(a.std.Err, "plumbline: %s: %d texts have no vector, %d vectors no text; run plumbline kb vectors %s\n", name, missing, extra, c.Dir)
			stale++
			continue
		}
		b, err := kb.MakeVectors(a.ctx, p, model, nil)
		if err != nil {
			return err
		}
		if err := writeFile(filepath.Join(dir, name, "vectors.bin"), b); err != nil {
			return err
		}
		fmt.Fprintf(a.std.Out, "%s: made (%d texts had none)\n", name, missing)
	}
	if stale > 0 {
		return fmt.Errorf("%w: %d packs have stale vectors", errRefused, stale)
	}
	return nil
}

// writeFile replaces a file whole: a reader sees the old or the new.
func writeFile(name string, b []byte) error {
	f, err := os.CreateTemp(filepath.Dir(name), ".new-*")
	if err != nil {
		return fmt.Errorf("write %s: %w", name, err)
	}
	defer os.Remove(f.Name())
	if _, err = f.Write(b); err == nil {
		err = f.Chmod(0o644)
	}
	if cerr := f.Close(); err == nil {
		err = cerr
	}
	if err == nil {
		err = os.Rename(f.Name(), name)
	}
	if err != nil {
		return fmt.Errorf("write %s: %w", name, err)
	}
	return nil
}
