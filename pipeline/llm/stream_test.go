package llm_test

import (
	"context"
	"strings"
	"testing"

	"plumbline/bot"
	"plumbline/pipeline"
	"plumbline/pipeline/llm"
)

// drip streams what a model says a few bytes at a time.
type drip struct {
	says
	cut int // bytes a piece
}

func (m drip) Complete(ctx context.Context, r llm.Request, stream func(string) error) (llm.Reply, error) {
	reply, err := m.says.Complete(ctx, r, nil)
	for s := reply.Text; stream != nil && err == nil && s != ""; {
		n := min(m.cut, len(s))
		err, s = stream(s[:n]), s[n:]
	}
	return reply, err
}

// What is shown while a reply comes passed its gate, comes in order, and stands
// in what is sent in the end.
func TestStreamShowsWhatIsTold(t *testing.T) {
	for _, channel := range []string{"slack", "sms"} {
		for _, lie := range []bool{false, true} {
			for _, cut := range []int{1, 7, 10_000} {
				b := newBench(t, drip{says(func(r llm.Request) (string, error) {
					s, err := echo(r)
					if r.Stage == llm.StageTell && lie {
						i := strings.LastIndex(s, `"text":"`) + len(`"text":"`)
						s = s[:i] + "The water is safe. " + s[i:]
					}
					return s, err
				}), cut})
				var shown []string
				a, err := pipeline.New(b.config).Answer(t.Context(), bot.Question{
					ID: "q", Text: "what is causing lead in drinking water?", Channel: channel, AsOf: today, Show: func(s string) { shown = append(shown, s) },
				})
				if err != nil {
					t.Fatal(err)
				}
				at := 0
				for _, s := range shown {
					i := strings.Index(a.Reply.Text[at:], s)
					if i < 0 {
						t.Errorf("%s, lie %t: showed %q, which does not follow in %q", channel, lie, s, a.Reply.Text)
						break
					}
					at += i + len(s)
				}
				least := map[string]int{"slack": 4, "sms": 1}[channel]
				if lie {
					least--
				}
				if len(shown) < least {
					t.Errorf("%s, lie %t, %d bytes a piece: %d parts shown, want %d or more of %q", channel, lie, cut, len(shown), least, a.Reply.Text)
				}
			}
		}
	}
}
