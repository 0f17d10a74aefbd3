package llm_test

import (
	"slices"
	"strings"
	"sync"
	"testing"

	"plumbline/bot"
	"plumbline/internal/gsm7"
	"plumbline/pipeline/llm"
	"plumbline/sessions"
)

// When a budget is spent answers go on without models, in one segment; the
// operator is told at 80 % and at 100 %, once each; an emergency costs nothing
// and comes all the same.
func TestBudget(t *testing.T) {
	for _, tt := range []struct {
		name string
		caps bot.Caps
		cap  bot.Cap
	}{
		{"Day", bot.Caps{Day: bot.Amount{Tokens: 40_000}}, bot.DayCap},
		{"DayMoney", bot.Caps{Day: bot.Amount{Micros: 90_000}}, bot.DayCap},
		{"Person", bot.Caps{Person: bot.Amount{Tokens: 40_000}}, bot.PersonCap},
	} {
		t.Run(tt.name, func(t *testing.T) {
			b := newBench(t, says(echo))
			var mu sync.Mutex
			var alarms []bot.Alarm
			ledger := new(sessions.Ledger)
			b.client.Ledger, b.client.Caps = ledger, tt.caps
			b.client.Alarm = func(a bot.Alarm) {
				mu.Lock()
				defer mu.Unlock()
				alarms = append(alarms, a)
			}
			asked, spent := 0, false
			for ; asked < 20 && !spent; asked++ {
				a := b.ask(t, bot.Question{Text: "does boiling water remove lead", Person: "p1"})
				for _, s := range a.Trace.Steps {
					spent = spent || s.FellBack == string(llm.OverBudget)
				}
			}
			if !spent || asked < 2 {
				t.Fatalf("after %d answers the budget is spent: %t", asked, spent)
			}
			a := b.ask(t, bot.Question{Text: "does boiling water remove lead", Person: "p1"})
			if n, _, _ := calls(a); n[llm.StageGenerate] != 0 || n[llm.StageTell] != 0 {
				t.Errorf("with the budget spent models were asked: %v", n)
			}
			// The answer's own sentence, in one segment; not a lesser claim that fits.
			if c := gsm7.Count(a.Reply.Text); c.Segments != 1 || !a.Status.Supported() || !strings.Contains(a.Reply.Text, "Boiling does not remove lead.") {
				t.Errorf("with the budget spent the reply has %d segments, status %s: %q", c.Segments, a.Status, a.Reply.Text)
			}
			if a := b.ask(t, bot.Question{Text: "my baby is not breathing", Person: "p1"}); a.Status != bot.Emergency || !strings.Contains(a.Reply.Text, "911") {
				t.Errorf("an emergency got %s: %q", a.Status, a.Reply.Text)
			}
			if want := []bot.Alarm{{Cap: tt.cap, Percent: 80}, {Cap: tt.cap, Percent: 100}}; !slices.Equal(alarms, want) {
				t.Errorf("the operator was told %v, want %v", alarms, want)
			}
			other := b.ask(t, bot.Question{Text: "does boiling water remove lead", Person: "p2"})
			if n, _, _ := calls(other); (n[llm.StageTell] > 0) != (tt.cap == bot.PersonCap) {
				t.Errorf("somebody else's answer took %v", n)
			}
			sums, err := ledger.Spent(t.Context(), "p1", b.client.Now())
			if err != nil || !sums.Day.Spent.Within(tt.caps.Day) && tt.cap == bot.DayCap || !sums.Person.Spent.Within(tt.caps.Person) && tt.cap == bot.PersonCap {
				t.Errorf("spent %+v of %+v, %v", sums, tt.caps, err)
			}
		})
	}
}

// An answer's own cap ends its calls; the next answer has its own again.
func TestBudgetOfAnAnswer(t *testing.T) {
	b := newBench(t, says(echo))
	b.client.Caps = bot.Caps{Answer: bot.Amount{Tokens: 6000}}
	for range 2 {
		a := b.ask(t, bot.Question{Text: "does boiling water remove lead"})
		tokens := 0
		fell := false
		for _, s := range a.Trace.Steps {
			tokens += s.Tokens.In + s.Tokens.Out
			fell = fell || s.FellBack == string(llm.OverBudget)
		}
		if tokens == 0 || tokens > 6000 || !fell || !a.Status.Supported() {
			t.Errorf("%d tokens of 6000, fell back %t, status %s", tokens, fell, a.Status)
		}
	}
}
