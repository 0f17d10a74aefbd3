package main

import (
	"reflect"
	"slices"
	"testing"
	"time"

	"plumbline/bot"
	"plumbline/sessions"
)

// Sessions of real answers fit their budget whole, or nearly so: whatever is
// asked next, MORE, WHY, SOURCES and the last two exchanges are there.
func TestSessionsOfDevAnswersFit(t *testing.T) {
	a := devApp(t)
	p, err := a.Answerer()
	if err != nil {
		t.Fatal(err)
	}
	var sizes []int
	cut := 0
	for _, channel := range []string{"sms", "slack"} {
		var s bot.Session
		for i, q := range devQuestions(t, "questions-dev.jsonl") {
			if i%6 == 0 { // conversations of six questions
				s = bot.Session{}
			}
			now := devDate.Add(time.Duration(i) * time.Minute)
			ans, err := p.Answer(t.Context(), bot.Question{
				ID: "0197a3c5-7f6e-7b41-9d3a-3c1f0b8e9a77", Text: q.Text, Channel: channel, AsOf: devDate, History: s.History, Seen: s.Seen, Standing: s.Standing, At: now,
			})
			if err != nil {
				t.Fatal(err)
			}
			s.Remember(bot.Message{Text: q.Text}, ans, now)
			if n := len(s.History); n > 0 {
				s.History[n-1].Said = ans.Reply.Text // as much as a summary could say
			}
			b, err := sessions.Encode(s)
			if err != nil {
				t.Fatal(err)
			}
			sizes = append(sizes, len(b))
			got, err := sessions.Decode(b)
			if err != nil {
				t.Fatal(err)
			}
			if !reflect.DeepEqual(got, s) {
				cut++
			}
			last := s.History[max(0, len(s.History)-2):]
			if kept := got.History[max(0, len(got.History)-2):]; !reflect.DeepEqual(got.Pending, s.Pending) || !reflect.DeepEqual(kept, last) && len(last) > 0 {
				t.Errorf("%s on %s: the session of %d bytes lacks something of the last answer or the last two exchanges", q.ID, channel, len(b))
			}
			s = got
		}
	}
	slices.Sort(sizes)
	at := func(share float64) int { return sizes[int(share*float64(len(sizes)-1))] }
	t.Logf("%d sessions, in bytes: median %d, 90 %% %d, 99 %% %d, largest %d; %d were cut", len(sizes), at(.5), at(.9), at(.99), at(1), cut)
	if at(1) > sessions.Budget {
		t.Errorf("the largest session takes %d bytes", at(1))
	}
}
