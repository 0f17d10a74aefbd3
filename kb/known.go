package kb

import "context"

// Known returns an embedder that has the vectors of records at hand and asks
// emb only for other texts. What it returns is not to be written to.
func Known(emb Embedder, records []Record) Embedder {
	k := known{Embedder: emb, vectors: make(map[string][]float32, len(records))}
	for _, r := range records {
		if len(r.Vector) == emb.Dim() {
			k.vectors[r.embedded()] = r.Vector
		}
	}
	return k
}

type known struct {
	Embedder
	vectors map[string][]float32
}

// Embed implements [Embedder].
func (k known) Embed(ctx context.Context, texts []string) ([][]float32, error) {
	out := make([][]float32, len(texts))
	var rest []string
	var at []int
	for i, t := range texts {
		if v, ok := k.vectors[t]; ok {
			out[i] = v
			continue
		}
		rest = append(rest, t)
		at = append(at, i)
	}
	if len(rest) == 0 {
		return out, ctx.Err()
	}
	vs, err := k.Embedder.Embed(ctx, rest)
	if err != nil {
		return nil, err
	}
	for i, v := range vs {
		out[at[i]] = v
	}
	return out, nil
}

// embedded is the text that the record's vector stands for.
func (r Record) embedded() string {
	if r.Embeds != "" {
		return r.Embeds
	}
	return r.Text
}
