package llm

import (
	"context"
	"encoding/json"
	"strings"
	"time"

	"plumbline/bot"
	"plumbline/pipeline"
)

// A Probe is what a small question to a stage's model showed.
type Probe struct {
	Stage  string        `json:"stage"`
	Model  string        `json:"model"`
	Mode   Mode          `json:"mode"`             // how it was asked for JSON
	Shape  string        `json:"shape"`            // kept: the JSON alone, as asked; mended: it had to be read leniently; lost: it could not be read
	Failed string        `json:"failed,omitempty"` // why there was no reply
	Took   time.Duration `json:"took_ns"`
	Tokens bot.Tokens    `json:"tokens"`
	Cost   float64       `json:"cost_usd"`
}

// OK reports whether the stage can use the model.
func (p Probe) OK() bool { return p.Failed == "" && p.Shape != "lost" }

type probed struct {
	Word  string   `json:"word" enum:"drip,tap,well"`
	Count int      `json:"count" min:"0" max:"3"`
	List  []string `json:"list" most:"3"`
}

// Probe asks the model of each stage one small question of no consequence, one
// after the other.
func (c *Client) Probe(ctx context.Context) (list []Probe, err error) {
	schema, err := SchemaOf[probed]("probe")
	if err != nil {
		return nil, err
	}
	for _, stage := range StageNames() {
		a, ok := c.Askers[stage]
		if !ok {
			continue
		}
		r := a.request(stage, []Message{
			{"system", `Reply with one JSON object: {"word": one of drip, tap and well, "count": how many letters o are in the text, "list": the first two words of the text}.`},
			{"user", "<text>A moon over one river.</text> The word is tap."},
		}, schema)
		p := Probe{Stage: stage, Model: a.Name, Mode: r.Mode}
		start := c.Now()
		reply, err := a.Model.Complete(ctx, r, nil)
		p.Took, p.Tokens, p.Cost = c.Now().Sub(start), reply.Tokens, a.Price.Of(reply.Tokens)
		switch value, fault := Decode[probed](reply.Text, schema); {
		case err != nil && ctx.Err() != nil:
			return list, ctx.Err()
		case err != nil:
			p.Failed = err.Error()
		case fault != nil:
			p.Shape = "lost"
		case strictly(reply.Text, value):
			p.Shape = "kept"
		default:
			p.Shape = "mended"
		}
		list = append(list, p)
	}
	return list, nil
}

// strictly reports whether text is the JSON of value and nothing else.
func strictly(text string, value probed) bool {
	var same probed
	dec := json.NewDecoder(strings.NewReader(text))
	dec.DisallowUnknownFields()
	return dec.Decode(&same) == nil && !dec.More() && encode(same) == encode(value)
}

// An Agreement is how often a judge decides alike whether it is asked about
// many chunks at once or about each alone.
type Agreement struct {
	Chunks int `json:"chunks"`
	Same   int `json:"same"`  // scores
	Alike  int `json:"alike"` // on which side of pipeline.Passing
}

// Agree has candidates of a draft judged both ways and compares.
func (s *Stages) Agree(ctx context.Context, d *pipeline.Draft) (Agreement, error) {
	many, err := s.scoreBatch(ctx, d, d.Candidates, indexes(len(d.Candidates)))
	if err != nil {
		return Agreement{}, err
	}
	a := Agreement{Chunks: len(many)}
	for i := range d.Candidates {
		one, err := s.scoreBatch(ctx, d, d.Candidates, []int{i})
		if err != nil {
			return a, err
		}
		if one[i] == many[i] {
			a.Same++
		}
		if (one[i] >= pipeline.Passing) == (many[i] >= pipeline.Passing) {
			a.Alike++
		}
	}
	return a, nil
}

func indexes(n int) []int {
	list := make([]int, n)
	for i := range list {
		list[i] = i
	}
	return list
}
