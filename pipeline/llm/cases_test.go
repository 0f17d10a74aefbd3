package llm_test

import (
	"strings"
	"sync"
	"testing"
	"time"

	"plumbline/bot"
	"plumbline/pipeline/llm"
)

// A long conversation and long chunks stay within the most that a prompt may
// have: old turns go first, the instructions and the question stay (L19).
func TestL19(t *testing.T) {
	const most = 10_000
	var history []bot.Exchange
	for i := range 60 {
		history = append(history, bot.Exchange{Asked: "turn " + strings.Repeat("about my old pipes and the water ", 20), Said: strings.Repeat("We said a lot. ", 60), At: today.Add(time.Duration(i-60) * time.Minute)})
	}
	history = append(history, bot.Exchange{Asked: "the newest turn is about galvanized pipe", Said: "It was.", At: today})
	var mu sync.Mutex
	newest := false
	b := newBench(t, says(func(r llm.Request) (string, error) {
		mu.Lock()
		defer mu.Unlock()
		if n := r.Chars(); n > most {
			t.Errorf("%s: a prompt of %d characters, want at most %d", r.Stage, n, most)
		}
		if len(r.Messages[0].Content) < 400 || r.Stage != llm.StageTell && !strings.Contains(r.Messages[1].Content, "causing lead in drinking water") {
			t.Errorf("%s: instructions of %d characters, question in %.200q", r.Stage, len(r.Messages[0].Content), r.Messages[1].Content)
		}
		if r.Stage == llm.StageUnderstand {
			newest = strings.Contains(r.Messages[1].Content, "galvanized")
		}
		return echo(r)
	}))
	for stage, a := range b.client.Askers {
		a.MaxPrompt = most
		b.client.Askers[stage] = a
	}
	a := b.ask(t, bot.Question{Text: "what is causing lead in drinking water?", History: history, At: today.Add(time.Minute)})
	if !a.Status.Supported() || !newest {
		t.Errorf("status %s; the newest turn is in the prompt: %t", a.Status, newest)
	}

	// A server that reads only a part of the prompt and says so by its count is
	// not believed.
	b = newBench(t, cut{says(echo)})
	a = b.ask(t, bot.Question{Text: "what is causing lead in drinking water?"})
	for _, s := range a.Trace.Steps {
		if s.Stage == "judge" && s.FellBack != string(llm.CutPrompt) {
			t.Errorf("judge fell back for %q, want %s", s.FellBack, llm.CutPrompt)
		}
	}
}

// Harmless forms of the same figures pass the gates (R10).
func TestR10(t *testing.T) {
	forms := strings.NewReplacer(" percent", "%", "1,000", "1000", "mg/L", "mg/l")
	b := newBench(t, says(func(r llm.Request) (string, error) {
		s, err := echo(r)
		if r.Stage == llm.StageTell {
			s = forms.Replace(s)
		}
		return s, err
	}))
	seen := 0
	for _, q := range []string{"what share of a child's lead comes from water", "what is the legal limit for lead in mg/l", "how much did homeowners pay for new lines at first"} {
		a := b.ask(t, bot.Question{Text: q, Channel: "slack"})
		for _, g := range a.Trace.Gates {
			if g.Stage == llm.StageTell && g.Outcome != "passed" && strings.HasPrefix(g.What, "part") {
				t.Errorf("%q: %s: %s", q, g.What, g.Outcome)
			}
		}
		told := a.Reply.Text + strings.Join(a.Reply.More, " ")
		for _, form := range []string{"%", "1000", "mg/l"} {
			if strings.Contains(told, form) {
				seen++
			}
		}
	}
	if seen == 0 {
		t.Error("no answer holds a changed form: the test shows nothing")
	}
}
