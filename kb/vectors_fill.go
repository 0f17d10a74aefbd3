package kb

import (
	"bytes"
	"context"
	"fmt"

	"plumbline/bot"
	"plumbline/internal/vec"
)

// Filled says where vectors came from.
type Filled struct {
	Shipped  int     // texts whose vector came from a pack's vectors.bin
	Remade   int     // texts that were embedded now
	Warnings []error // why a pack's vectors could not be used: not there, broken, of another model
}

// embedBatch is how many texts are embedded between two reports.
const embedBatch = 32

// Fill sets the vectors of records: from the vectors.bin of the library's
// packs where that was made by emb, else by embedding. Both ways give the same
// bits, so that an index does not depend on what was shipped. A vectors.bin
// that cannot be used is a warning, never an error. progress, which may be
// nil, is told how many of the texts to embed are done. On error some records
// may have vectors.
func Fill(ctx context.Context, l *Library, records []Record, emb Embedder, progress func(done, total int)) (Filled, error) {
	f, byPack := Filled{}, make(map[string]*Vectors)
	for _, p := range l.Packs() {
		v, err := p.vectors(emb)
		if err != nil {
			f.Warnings = append(f.Warnings, err)
			continue
		}
		byPack[p.Manifest.Name] = v
	}
	missing := make(map[string][]int) // text to the records that have it
	var texts []string
	for i := range records {
		if v := byPack[records[i].Pack]; v != nil {
			if row, ok := v.Row(HashText(records[i].embedded())); ok {
				records[i].Vector = row
				f.Shipped++
				continue
			}
		}
		text := records[i].embedded()
		if _, ok := missing[text]; !ok {
			texts = append(texts, text)
		}
		missing[text] = append(missing[text], i)
	}
	rows, err := embedAll(ctx, emb, texts, progress)
	if err != nil {
		return f, fmt.Errorf("embed the texts of the packs: %w", err)
	}
	half := make([]uint16, emb.Dim())
	for i, text := range texts {
		// As vectors.bin would give it back.
		row := make([]float32, emb.Dim())
		vec.Halves(half, rows[i])
		vec.FromHalves(row, half)
		vec.Normalize(row)
		for _, at := range missing[text] {
			records[at].Vector = row
		}
	}
	f.Remade = len(texts)
	return f, nil
}

// vectors reads the pack's vectors.bin, if it is of emb's model.
func (p *Pack) vectors(emb Embedder) (*Vectors, error) {
	const remade = "its texts are embedded now, which takes a while: run kb vectors"
	if p.Vectors == nil {
		return nil, fmt.Errorf("pack %s has no vectors; %s", p.Manifest.Name, remade)
	}
	v, err := ReadVectors(p.Vectors)
	if err != nil {
		return nil, fmt.Errorf("pack %s: %w; %s", p.Manifest.Name, err, remade)
	}
	if v.Model != emb.Name() || v.Dim != emb.Dim() {
		return nil, fmt.Errorf("pack %s: its vectors are of %s (%d), the model here is %s (%d); %s",
			p.Manifest.Name, v.Model, v.Dim, emb.Name(), emb.Dim(), remade)
	}
	return v, nil
}

// embedAll returns the vectors of texts, batch by batch.
func embedAll(ctx context.Context, emb Embedder, texts []string, progress func(done, total int)) ([][]float32, error) {
	rows := make([][]float32, 0, len(texts))
	for len(rows) < len(texts) {
		batch := texts[len(rows):min(len(rows)+embedBatch, len(texts))]
		got, err := emb.Embed(ctx, batch)
		if err != nil {
			return nil, err
		}
		if len(got) != len(batch) {
			return nil, fmt.Errorf("%w: %d vectors of %d texts", bot.ErrInvalid, len(got), len(batch))
		}
		for _, row := range got {
			if len(row) != emb.Dim() {
				return nil, fmt.Errorf("%w: a vector of dimension %d among %d", bot.ErrInvalid, len(row), emb.Dim())
			}
		}
		rows = append(rows, got...)
		if progress != nil {
			progress(len(rows), len(texts))
		}
	}
	return rows, nil
}

// MakeVectors embeds every text of the pack and returns its vectors.bin.
func MakeVectors(ctx context.Context, p *Pack, emb Embedder, progress func(done, total int)) ([]byte, error) {
	texts := p.texts()
	rows, err := embedAll(ctx, emb, texts, progress)
	if err != nil {
		return nil, fmt.Errorf("make vectors of pack %s: %w", p.Manifest.Name, err)
	}
	byHash := make(map[TextHash][]float32, len(rows))
	for i, text := range texts {
		byHash[HashText(text)] = rows[i]
	}
	var out bytes.Buffer
	if err := WriteVectors(&out, emb.Name(), emb.Dim(), byHash); err != nil {
		return nil, fmt.Errorf("make vectors of pack %s: %w", p.Manifest.Name, err)
	}
	return out.Bytes(), nil
}

// texts lists the texts of the pack's records and of what lies beyond it, each
// once.
func (p *Pack) texts() []string {
	l, _ := join(p) // faults do not hinder reading it
	var texts []string
	seen := make(map[string]bool)
	for _, r := range append(Records(l), Beyond(l)...) {
		if text := r.embedded(); !seen[text] {
			seen[text] = true
			texts = append(texts, text)
		}
	}
	return texts
}

// StaleVectors compares the pack's vectors.bin with its texts: how many texts
// of the model called model lack a vector, and how many vectors are of texts
// that are gone. Of a file that cannot be used every text is missing.
func StaleVectors(p *Pack, model string) (missing, extra int) {
	texts := p.texts()
	v, err := ReadVectors(p.Vectors)
	if err != nil || v.Model != model {
		return len(texts), 0
	}
	for _, text := range texts {
		if _, ok := v.Row(HashText(text)); !ok {
			missing++
		}
	}
	return missing, v.Len() - (len(texts) - missing)
}
