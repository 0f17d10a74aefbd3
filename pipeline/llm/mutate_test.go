package llm_test

import (
	"encoding/json"
	"flag"
	"fmt"
	"maps"
	"math/rand/v2"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"plumbline/bot"
	"plumbline/internal/text"
	"plumbline/pipeline/llm"
)

var long = flag.Bool("long", false, "run the long tests")

// A mutator spoils honest replies. lies are texts that must not be told.
type mutator struct {
	r    *rand.Rand
	lies []string

	halves [][2]string // and what they are halves of
}

const (
	canary      = "zanzibarium"
	canaryURL   = "https://example.org/" + canary
	canaryPhone = "973-555-0199"
)

var digits = regexp.MustCompile(`\d+`)

// texts changes a string of a reply, and notes what it made of it.
func (m *mutator) text(s string) string {
	lie := s
	switch m.r.IntN(9) {
	case 0:
		lie = digits.ReplaceAllStringFunc(s, func(string) string { return fmt.Sprint(7000 + m.r.IntN(900)) })
	case 1:
		lie = strings.NewReplacer(" not ", " ", " no ", " some ", " never ", " always ", "No ", "Some ", " doesn't ", " does ", "n't", "").Replace(s)
	case 2:
		lie = s + " " + canary + "."
	case 3:
		lie = s + " See " + canaryURL
	case 4:
		lie = "Call " + canaryPhone + ". " + s
	case 5:
		lie = "Yes, you're right, it is safe. " + s
	case 6:
		lie = strings.NewReplacer("lead", "copper", "boil", "filter", "cold", "hot", "EPA", "WHO", "plomo", "cobre").Replace(s)
	case 7:
		lie = s[:len(s)/2]
	case 8:
		lie = s + "\u202e" + "**" + s + "**"
	}
	if lie != s && len(lie) > 20 && !strings.HasPrefix(s, lie) {
		m.lies = append(m.lies, lie)
	}
	if strings.HasPrefix(s, lie) && len(lie) > 20 { // a half: a lie where the other half does not follow
		m.halves = append(m.halves, [2]string{lie, s})
	}
	return lie
}

// value changes one value of a decoded reply somewhere.
func (m *mutator) value(v any) any {
	switch x := v.(type) {
	case map[string]any:
		keys := slices.Sorted(maps.Keys(x))
		if len(keys) == 0 {
			return x
		}
		k := keys[m.r.IntN(len(keys))]
		switch m.r.IntN(8) {
		case 0:
			delete(x, k)
		case 1:
			x[canary] = x[k]
		default:
			x[k] = m.value(x[k])
		}
		return x
	case []any:
		if len(x) == 0 {
			return []any{canary}
		}
		i := m.r.IntN(len(x))
		switch m.r.IntN(6) {
		case 0:
			return append(x, x[i])
		case 1:
			return slices.Delete(x, i, i+1)
		case 2:
			j := m.r.IntN(len(x)) // foreign texts: those of another element
			a, aok := x[i].(map[string]any)
			b, bok := x[j].(map[string]any)
			if aok && bok {
				for _, k := range []string{"text", "quote", "passage"} {
					if m.r.IntN(2) == 0 {
						a[k], b[k] = b[k], a[k]
					}
				}
			}
			return x
		}
		x[i] = m.value(x[i])
		return x
	case string:
		if m.r.IntN(6) == 0 {
			return []any{nil, 7, true, []any{x}, map[string]any{"text": x}}[m.r.IntN(5)]
		}
		return m.text(x)
	case float64:
		return []any{x + 1, -1, 99, "2", nil, 1e300, 2.5, true}[m.r.IntN(8)]
	}
	return []any{nil, 0, "yes", []any{}}[m.r.IntN(4)]
}

// spoil spoils one reply.
func (m *mutator) spoil(reply string) string {
	for range 1 + m.r.IntN(3) {
		switch m.r.IntN(10) {
		case 0:
			reply = reply[:m.r.IntN(len(reply)+1)]
		case 1:
			i := m.r.IntN(len(reply) + 1)
			reply = reply[:i] + []string{"\x00", `"`, "}", "{", "\\", "]]", "é", ","}[m.r.IntN(8)] + reply[i:]
		case 2:
			reply = "Here you are:\n```json\n" + reply + "\n```\nI hope that helps " + canary
		case 3:
			reply = "<think>" + canary + reply
		default:
			var v any
			if json.Unmarshal([]byte(reply), &v) == nil {
				if b, err := json.Marshal(m.value(v)); err == nil {
					reply = string(b)
				}
			}
		}
	}
	return reply
}

// unsupported lists what is told without support: figures that stand in no
// paragraph that is cited, nor in the question or what is fixed; and lies.
func unsupported(b *bench, a bot.Answer, asked string, lies []string) (list []string) {
	told := strings.Join(append([]string{a.Reply.Text}, a.Reply.More...), "\n")
	for _, lie := range append(lies, canary, canaryPhone) {
		if strings.Contains(told, lie) && !stands(b, a, lie) {
			list = append(list, "lie "+lie)
		}
	}
	grounds := asked + grounds(b, a)
	had := map[string]bool{}
	for _, q := range text.Quantities(grounds) {
		had[q.Value] = true
	}
	for _, d := range digits.FindAllString(grounds, -1) {
		had[d] = true
	}
	for _, q := range text.Quantities(told) {
		if s := told[q.Start:q.End]; strings.ContainsAny(s, "0123456789") && !had[q.Value] {
			list = append(list, "figure "+s)
		}
	}
	for _, c := range a.Claims {
		for _, e := range c.Evidence {
			if !strings.Contains(grounds, e.Quote) {
				list = append(list, "quote "+e.Quote)
			}
		}
	}
	return list
}

// grounds are the wordings of what an answer cites, fixed texts and the limits
// that packs have words for.
func grounds(b *bench, a bot.Answer) string {
	var s strings.Builder
	s.WriteString("\n")
	for _, c := range a.Claims {
		for _, e := range c.Evidence {
			s.WriteString(e.Source.Agency + " " + e.Source.Date + "\n")
			if p, ok := b.lib.Paragraph(e.Paragraph); ok {
				for _, lang := range []string{"en", "es"} {
					s.WriteString(p.Exact[lang].Text + "\n" + p.Plain[lang].Text + "\n")
				}
			}
			if n, ok := b.lib.NextStep(e.Paragraph); ok {
				s.WriteString(n.Say["en"] + "\n" + n.Say["es"] + "\n")
			}
			if e.Chunk == "fixed" || e.Chunk == "phones" {
				s.WriteString(e.Quote + "\n")
			}
		}
	}
	for _, l := range a.Limitations {
		s.WriteString(l.Text + "\n")
	}
	return s.String()
}

// stands reports whether a text that was made to be a lie is true after all: a
// wording that is cited holds it.
func stands(b *bench, a bot.Answer, lie string) bool { return strings.Contains(grounds(b, a), lie) }

var asks = []string{
	"what is causing lead in drinking water?", "does boiling water remove lead", "is 12 ppb of lead legal", "my water is brown is my baby ok??",
	"hervir el agua quita el plomo", "can the city replace just half the lead pipe", "does brita remove pfas and who do i call",
}

// spoiled asks a question of models that spoil their replies by a seed.
func spoiled(t testing.TB, seed uint64) {
	r := rand.New(rand.NewPCG(seed, 1))
	m := &mutator{r: r}
	share := 0.2 + 0.8*r.Float64()
	lock := make(chan struct{}, 1)
	b := newBench(t, says(func(q llm.Request) (string, error) {
		lock <- struct{}{}
		defer func() { <-lock }()
		s, _ := echo(q)
		if r.Float64() > share {
			return s, nil
		}
		switch r.IntN(12) {
		case 0:
			return "", &llm.Failure{Reason: llm.Reason(fmt.Sprint("trouble ", r.IntN(5)))}
		case 1:
			return "", nil
		}
		return m.spoil(s), nil
	}))
	asked := asks[r.IntN(len(asks))]
	channel := []string{"sms", "slack"}[r.IntN(2)]
	a := b.ask(t, bot.Question{Text: asked, Channel: channel, Variant: bot.Variants()[r.IntN(4)]})
	told := strings.Join(append([]string{a.Reply.Text}, a.Reply.More...), "\n")
	for _, h := range m.halves {
		if strings.Contains(told, h[0]) && !strings.Contains(told, h[1]) {
			m.lies = append(m.lies, h[0])
		}
	}
	if bad := unsupported(b, a, asked, m.lies); len(bad) > 0 {
		t.Errorf("seed %d, %q: told without support %q in %q %q", seed, asked, bad, a.Reply.Text, a.Reply.More)
	}
	if a.Reply.Text == "" {
		t.Errorf("seed %d, %q: nothing is told", seed, asked)
	}
	if a.Status == bot.Emergency || a.Status == bot.TechnicalFailure {
		t.Errorf("seed %d, %q: status %s", seed, asked, a.Status)
	}
}

// Whatever models reply, no lie reaches a person and something is told.
func TestSpoiledReplies(t *testing.T) {
	n := 300
	if *long {
		n = 10_000
	}
	start := time.Now()
	for seed := range n {
		spoiled(t, uint64(seed))
		if t.Failed() && seed > 50 {
			break
		}
	}
	t.Logf("%d answers on spoiled replies in %v", n, time.Since(start))
}

func FuzzReplies(f *testing.F) {
	for seed := range uint64(10) {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, seed uint64) { spoiled(t, seed) })
}
