package llm_test

import (
	"context"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"plumbline/bot"
	"plumbline/pipeline/llm"
)

// A slow model takes its time, and hears when nobody waits any more.
type slow struct {
	llm.Model
	wait time.Duration
	only []string // stages; empty for all
}

func (s slow) Complete(ctx context.Context, r llm.Request, stream func(string) error) (llm.Reply, error) {
	if len(s.only) > 0 && !slices.Contains(s.only, r.Stage) {
		return s.Model.Complete(ctx, r, stream)
	}
	select {
	case <-time.After(s.wait):
		return s.Model.Complete(ctx, r, stream)
	case <-ctx.Done():
		return llm.Reply{}, ctx.Err()
	}
}

// With models that take half a minute an answer goes out within the deadline,
// and says which stages did without.
func TestDeadline(t *testing.T) {
	newBench(t, says(echo)) // what is shared is built outside the bubble
	for _, tt := range []struct {
		name    string
		slow    time.Duration
		timeout time.Duration
		only    []string
		within  time.Duration
		models  []string // stages that a model did all the same
	}{
		{"AllSlow", 30 * time.Second, 0, nil, 25 * time.Second, nil},
		{"OneSlow", 30 * time.Second, 4 * time.Second, []string{llm.StageJudge}, 25 * time.Second, []string{"generate", "tell"}},
		{"AFewSeconds", 2 * time.Second, 0, nil, 25 * time.Second, []string{"understand", "generate", "tell"}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				c := newBench(t, slow{says(echo), tt.slow, tt.only})
				c.config.Deadline = 25 * time.Second
				for stage, a := range c.client.Askers {
					a.Timeout = tt.timeout
					c.client.Askers[stage] = a
				}
				start := time.Now()
				a := c.ask(t, bot.Question{Text: "does boiling water remove lead"})
				if took := time.Since(start); took > tt.within {
					t.Errorf("answered after %v, want %v", took, tt.within)
				}
				if !a.Status.Supported() || a.Reply.Text == "" {
					t.Errorf("status %s, reply %q", a.Status, a.Reply.Text)
				}
				for _, s := range a.Trace.Steps {
					switch {
					case slices.Contains(tt.models, s.Stage) && s.Family != "model":
						t.Errorf("%s was done by the %s family: %s", s.Stage, s.Family, s.FellBack)
					case len(s.Calls) > 0 && s.Family != "model" && s.FellBack == "":
						t.Errorf("%s fell back and does not say why", s.Stage)
					}
				}
			})
		})
	}
}

// What does not depend on each other runs at once: the question is classified
// while chunks are judged.
func TestRunsAtOnce(t *testing.T) {
	newBench(t, says(echo))
	synctest.Test(t, func(t *testing.T) {
		b := newBench(t, slow{says(echo), time.Second, []string{llm.StageClassify, llm.StageJudge}})
		b.config.Deadline = 25 * time.Second
		start := time.Now()
		a := b.ask(t, bot.Question{Text: "does boiling water remove lead"})
		n, _, _ := calls(a)
		if took := time.Since(start); n["classify"] != 1 || n["judge"] == 0 || took > time.Duration(n["judge"])*time.Second+500*time.Millisecond {
			t.Errorf("answered after %v with calls %v, want a second a judge: classify takes one beside it", took, n)
		}
	})
}

// cut is a model whose server counts no more than a part of the prompt.
type cut struct{ says }

func (m cut) Complete(ctx context.Context, r llm.Request, stream func(string) error) (llm.Reply, error) {
	reply, err := m.says.Complete(ctx, r, stream)
	reply.Tokens.In = min(reply.Tokens.In, 500)
	return reply, err
}
