package llm

import (
	"encoding/json"
	"slices"
	"strings"

	"plumbline/pipeline"
)

// encode writes a reply as the model might have.
func encode(v any) string {
	b, err := json.Marshal(v)
	if err != nil {
		return "{}"
	}
	return string(b)
}

// objects finds the objects of a list in JSON that comes in pieces: each as soon
// as it is whole. It reads no more than the braces and strings.
type objects struct {
	text   strings.Builder
	from   int // where the innermost list element began
	at     int // how far text was read
	depth  int
	quoted bool
	escape bool
}

// add takes in the next piece and returns the objects at depth two that it
// completes: {"parts": [{…}, {…}]}.
func (o *objects) add(piece string) (whole []string) {
	o.text.WriteString(piece)
	s := o.text.String()
	for ; o.at < len(s); o.at++ {
		c := s[o.at]
		switch {
		case o.escape:
			o.escape = false
		case o.quoted && c == '\\':
			o.escape = true
		case c == '"':
			o.quoted = !o.quoted
		case o.quoted:
		case c == '{':
			if o.depth++; o.depth == 2 {
				o.from = o.at
			}
		case c == '}':
			if o.depth == 2 {
				whole = append(whole, s[o.from:o.at+1])
			}
			o.depth--
		}
	}
	return whole
}

// mostStreamed is how much of a reply is looked at while it comes.
const mostStreamed = 64 << 10

// stream looks at a reply as it comes and shows what passes its gate, part by
// part in reading order: a part that was shown is told as it was shown,
// whatever the rest of the reply is. It is nil if nobody looks, or where texts
// that are not told yet come before the parts.
func (t *teller) stream() func(string) error {
	d := t.d
	ours := d.Pinned || len(d.Lead) > 0 || len(d.Posted) > 0 || len(d.Lapsed) > 0 || d.Around != nil || d.Premise != nil
	if d.Question.Show == nil || ours {
		return nil
	}
	var o objects
	shown := 0
	return func(piece string) error {
		if o.text.Len()+len(piece) > mostStreamed {
			return nil
		}
		for _, s := range o.add(piece) {
			var p retoldPart
			if json.Unmarshal([]byte(s), &p) != nil || p.Part < 1 || p.Part > len(t.parts) {
				continue
			}
			t.take(retold{Parts: []retoldPart{p}})
		}
		shown = t.show(shown)
		return nil
	}
}

// show shows the parts that passed, from the one at index from on, as long as
// each is sure to stand in the first message; it returns the first that is not.
func (t *teller) show(from int) int {
	for ; from < len(t.parts); from++ {
		said, ok := t.passed[from]
		if !ok {
			return from
		}
		piece := &t.d.Pieces[t.parts[from].piece]
		was := *piece
		piece.Text, piece.Or = said, nil // what is shown is what is sent
		if !pipeline.Sure(t.d, t.parts[from].piece, func(i int) bool {
			at := slices.IndexFunc(t.parts, func(p partShown) bool { return p.piece == i })
			return at < 0 || at == from || t.shown[at]
		}) {
			*piece = was
			return from
		}
		t.shown[from] = true
		t.d.Question.Show(said)
	}
	return from
}
