package safety

import (
	"bytes"
	"cmp"
	"encoding/json"
	"flag"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"slices"
	"strings"
	"testing"
)

var update = flag.Bool("update", false, "learn core/cues.json from the labelled messages")

const none = "none"

// A learner fits points to labelled messages: multinomial logistic regression,
// a fixed number of passes in a fixed order.
type learner struct {
	classes []string // none is the last
	packs   bool     // for the routes of packs
	weights map[string][]float64
	bias    []float64
}

type example struct {
	names  []string
	values []float64
	class  int
}

// examples gives the features of rows; other routes count as none.
func (l *learner) examples(r *Router, rows []row) []example {
	var out []example
	for _, row := range rows {
		m := r.newMatcher(tokenize([]string{row.Text}))
		e := example{class: slices.Index(l.classes, row.Route)}
		if e.class < 0 {
			e.class = len(l.classes) - 1
		}
		norm := 0.0
		for _, f := range m.features(l.packs) {
			e.names = append(e.names, f.name)
			e.values = append(e.values, float64(f.weight))
			norm += float64(f.weight * f.weight)
		}
		for i := range e.values {
			e.values[i] /= math.Sqrt(norm)
		}
		out = append(out, e)
	}
	return out
}

func (l *learner) fit(examples []example) {
	l.weights, l.bias = map[string][]float64{}, make([]float64, len(l.classes))
	seen := map[string]int{}
	for _, e := range examples {
		for _, name := range e.names {
			if seen[name]++; seen[name] == leastSeen {
				l.weights[name] = make([]float64, len(l.classes))
			}
		}
	}
	weights := make([][][]float64, len(examples)) // of each example's features, nil if too rare
	for k, e := range examples {
		for _, name := range e.names {
			weights[k] = append(weights[k], l.weights[name])
		}
	}
	decay := 5e-4
	if l.packs {
		decay = 1e-4 // few messages to learn from
	}
	order := rand.New(rand.NewPCG(1, 2)).Perm(len(examples))
	p := make([]float64, len(l.classes))
	for pass := range 15 {
		rate := 3 / (1 + 0.2*float64(pass))
		for k := range order {
			at := order[(k+pass*31)%len(order)]
			e := examples[at]
			copy(p, l.bias)
			for i, w := range weights[at] {
				for c := range w {
					p[c] += w[c] * e.values[i]
				}
			}
			top, sum := slices.Max(p), 0.0
			for c := range p {
				p[c] = math.Exp(p[c] - top)
				sum += p[c]
			}
			for c := range p {
				p[c] /= sum
			}
			p[e.class]--
			for c := range p {
				l.bias[c] -= rate * 0.1 * p[c]
			}
			for i, w := range weights[at] {
				for c := range w {
					w[c] -= rate * (p[c]*e.values[i] + decay*w[c])
				}
			}
		}
	}
}

const (
	pointScale = 100
	over       = -120 // log odds against none, times pointScale: rather one alarm too many
	overOther  = -80  // of a route that is not critical
	overPinned = -40  // of a pinned route, whose text is only part of an answer
	leastPoint = 40   // smaller ones are dropped
	leastSeen  = 2    // messages that hold a feature
)

// cues gives the points learned.
func (l *learner) cues() Cues {
	out := Cues{Of: map[string]Cue{}}
	if !l.packs {
		out.Quiet = quietWords
	}
	last := len(l.classes) - 1
	for c, route := range l.classes[:last] {
		least := overOther
		switch {
		case l.packs:
			least = overPinned
		case slices.Contains(criticalRoutes, route):
			least = over
		}
		cue := Cue{Bias: int(math.Round(pointScale * (l.bias[c] - l.bias[last]))), Over: least, Unless: cueUnless(route), Points: map[string]int{}}
		for name, w := range l.weights {
			if points := int(math.Round(pointScale * (w[c] - w[last]))); points >= leastPoint || points <= -leastPoint {
				cue.Points[name] = points
			}
		}
		out.Of[route] = cue
	}
	return out
}

var quietWords = strings.Fields("please pls plz help thanks thank thx ty gracias favor ayuda ayudenme auxilio hello hi hola")

// cueUnless says when points are not asked: what a rule of the route would not
// fire on either.
func cueUnless(route string) []string {
	study := []string{"@study", "@homework"}
	elsewhere := slices.Concat(study, []string{"@over", "@afar", "@asks_general", "@organisation"})
	switch route {
	case "self_harm":
		return append(study, "@caller_training", "@organisation", "@over & @recovered", "@air_color")
	case "violence", "threat":
		return slices.Concat(elsewhere, []string{"@caller_training"})
	case "notice_dnd", "notice_boil":
		return slices.Concat(study, []string{"@over", "@afar_place", "@asks_general", "@general_notice", "@other_sign", "@kin_afar", "@no_notice"})
	case "child_lead":
		return slices.Concat(elsewhere, []string{"@stats", "@resolved_lead", "@water_result"})
	case "dialysis":
		return slices.Concat(elsewhere, []string{"@no_one_alive"})
	case "formula_hazard":
		return elsewhere
	case "life_threat", "blue_baby", "swallowed", "fumes":
		elsewhere = append(elsewhere, "@animal_acts", "@thing_acts")
	}
	if route == "life_threat" {
		elsewhere = append(elsewhere, "@thing_fails")
	} else {
		elsewhere = append(elsewhere, "@air_color")
	}
	return slices.Concat(elsewhere, []string{"@caller_training", "@fiction", "@long_ago"})
}

// write gives cues as JSON: a line for each route, its weightiest points first.
func (c Cues) write() []byte {
	var b bytes.Buffer
	quiet, _ := json.Marshal(append([]string{}, c.Quiet...))
	fmt.Fprintf(&b, "{\"cues\": {\n  \"quiet\": %s,\n  \"of\": {", quiet)
	for i, route := range sortedKeys(c.Of) {
		cue := c.Of[route]
		unless, _ := json.Marshal(cue.Unless)
		fmt.Fprintf(&b, "%s\n    %q: {\"bias\": %d, \"over\": %d, \"unless\": %s, \"points\": {", comma(i), route, cue.Bias, cue.Over, unless)
		names := sortedKeys(cue.Points)
		slices.SortStableFunc(names, func(a, b string) int { return cmp.Compare(cue.Points[b], cue.Points[a]) })
		for j, name := range names {
			key, _ := json.Marshal(name)
			fmt.Fprintf(&b, "%s%s:%d", comma(j), key, cue.Points[name])
		}
		b.WriteString("}}")
	}
	b.WriteString("\n  }\n}}\n")
	return b.Bytes()
}

func comma(i int) string {
	if i == 0 {
		return ""
	}
	return ","
}

// classes gives the routes of a kind, then none.
func classes(r *Router, kind string) []string {
	var out []string
	for _, route := range r.routes {
		if route.Kind == kind {
			out = append(out, route.ID)
		}
	}
	return append(out, none)
}

// TestCues holds what the points alone tell of messages that they were not
// learned from: each quarter of the given labelled messages is judged by points
// learned from the rest and from our own messages.
func TestCues(t *testing.T) {
	for _, tt := range []struct {
		kind, file        string
		packs             bool
		recall, precision float64
	}{
		{emergency, "core/cues.json", false, 0.93, 0.95},
		{pinned, "../../kb/packs/drinking-water/cues.json", true, 0.85, 0.85},
	} {
		t.Run(tt.kind, func(t *testing.T) {
			r := newRouter(t)
			dev, own := rows(t, "safety-dev.jsonl"), rows(t, "safety-own.jsonl")
			if tt.kind == emergency {
				own = slices.Concat(own, ordinary(t))
			}
			l := &learner{classes: classes(r, tt.kind), packs: tt.packs}
			if *update {
				l.fit(l.examples(r, slices.Concat(own, dev)))
				if err := os.WriteFile(tt.file, l.cues().write(), 0o644); err != nil {
					t.Fatal(err)
				}
			}
			recall, precision := crossValidate(t, r, l, dev, l.examples(r, own))
			if recall < tt.recall || precision < tt.precision {
				t.Errorf("points alone: recall %.3f and precision %.3f, want at least %.2f and %.2f", recall, precision, tt.recall, tt.precision)
			}
		})
	}
}

func crossValidate(t *testing.T, r *Router, l *learner, dev []row, own []example) (recall, precision float64) {
	examples := l.examples(r, dev)
	var hit, right, missed, alarms, critical int
	const folds = 4
	for fold := range folds {
		learn := slices.Clone(own)
		for i, e := range examples {
			if i%folds != fold {
				learn = append(learn, e)
			}
		}
		l.fit(learn)
		judge := *r
		judge.cues = nil
		learned := l.cues()
		for _, route := range sortedKeys(learned.Of) {
			c := learned.Of[route]
			i := slices.IndexFunc(r.cues, func(c cue) bool { return c.route == route })
			if i < 0 {
				t.Fatalf("no points for %s: run go test -run TestCues -update", route)
			}
			judge.cues = append(judge.cues, cue{route, l.packs, c.Bias, c.Over, r.cues[i].unless, c.Points})
		}
		for i, row := range dev {
			if i%folds != fold {
				continue
			}
			match, fires := judge.newMatcher(tokenize([]string{row.Text})).cue(l.packs, 0)
			switch wanted := slices.Contains(l.classes[:len(l.classes)-1], row.Route); {
			case wanted && fires:
				hit++
				if match.Route == row.Route || slices.Contains(row.Also, match.Route) {
					right++
				} else {
					fmt.Fprintf(t.Output(), "wrong %s %s as %s: %s\n", row.ID, row.Route, match.Route, row.Text)
				}
			case wanted:
				missed++
				if slices.Contains(criticalRoutes, row.Route) {
					critical++
				}
				fmt.Fprintf(t.Output(), "missed %s %s: %s\n", row.ID, row.Route, row.Text)
			case row.Route == none && fires:
				alarms++
				fmt.Fprintf(t.Output(), "false alarm %s %s: %s\n", row.ID, match.Route, row.Text)
			}
		}
	}
	recall = float64(hit) / float64(hit+missed)
	precision = float64(hit) / float64(hit+alarms)
	fmt.Fprintf(t.Output(), "points alone, learned elsewhere: recall %.3f (%d of %d on the right route), precision %.3f, %d critical missed\n", recall, right, hit, precision, critical)
	return recall, precision
}
