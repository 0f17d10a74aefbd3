package queuetest

import (
	"errors"
	"reflect"
	"strings"
	"testing"
	"time"

	"plumbline/bot"
)

func testOutcome(t *testing.T, open Open) {
	t.Run("RepliesGoOutInOrder", func(t *testing.T) {
		d := newDesk(t, open)
		a := d.said("ann", "one")
		a.Message.ID, a.Message.From.Thread, a.Urgent = "id-2015550123", "th", true
		d.put("ann", a, bot.Queued)
		d.Add(time.Second)
		j := d.next("one")
		d.Add(time.Second)
		full := bot.Reply{
			Text: "uno", More: []string{"m"}, Why: []string{"w"}, Sources: []string{"s"}, Language: bot.Spanish, Status: bot.Answered, Answer: "a",
		}
		bare := bot.Reply{Text: "dos", Language: bot.Spanish}
		d.end(j, bot.Outcome{Replies: []bot.Reply{full, bare}})
		var keys []string
		for _, r := range []bot.Reply{full, bare} {
			v := d.take(r.Text)
			d.quiet()
			if strings.Contains(v.Key, "5550123") || v.Key == "" {
				t.Errorf("key %q is empty or tells the message's id", v.Key)
			}
			keys = append(keys, v.Key)
			w := bot.Delivery{
				Seq: v.Seq, Fence: v.Fence, Tries: 1, Key: v.Key, Person: "ann", To: a.Message.From, Text: r.Text, Language: bot.Spanish,
				Answer: r.Answer, Status: r.Status, Urgent: true, Composed: Start.Add(2 * time.Second), Asked: Start,
			}
			if r.Answer != "" {
				w.Offers = []bot.Word{bot.WordMore, bot.WordWhy, bot.WordSources}
			}
			if !reflect.DeepEqual(v, w) || v.Fence == 0 {
				t.Errorf("Take = %+v, want %+v", v, w)
			}
			if err := d.Accept(t.Context(), v, r.Text); err != nil {
				t.Fatal(err)
			}
		}
		if keys[0] == keys[1] {
			t.Errorf("both replies have the key %s", keys[0])
		}
	})

	t.Run("Remember", func(t *testing.T) {
		d := newDesk(t, open)
		d.answer("ann", "one", bot.Outcome{Remember: func(s *bot.Session) error { s.Persona = "p"; return nil }})
		d.say("bob", "b")
		if j := d.next("b"); j.Session.Persona != "" {
			t.Errorf("persona of another = %q", j.Session.Persona)
		}
		d.say("ann", "two")
		if j := d.next("two"); j.Session.Persona != "p" {
			t.Errorf("persona in the next job = %q, want p", j.Session.Persona)
		}
		if s, err := d.Load(t.Context(), "ann"); s.Persona != "p" || err != nil {
			t.Errorf("Load = %+v, %v, want persona p", s, err)
		}
	})

	t.Run("AllOrNothing", func(t *testing.T) {
		d := newDesk(t, open)
		d.post("ann", "earlier")
		d.say("ann", "one")
		j, no := d.next("one"), errors.New("no")
		err := d.Finish(t.Context(), j, bot.Outcome{
			Replies: []bot.Reply{{Text: "reply"}}, Consent: bot.OptOut, Despite: true, Told: true,
			Remember: func(s *bot.Session) error { s.Persona = "p"; return no },
		})
		if !errors.Is(err, no) {
			t.Errorf("Finish = %v, want the error of Remember", err)
		}
		d.accept("earlier")
		d.quiet()
		if s, err := d.Load(t.Context(), "ann"); s.Persona != "" || err != nil {
			t.Errorf("Load = %+v, %v, want nothing", s, err)
		}
		d.Add(lease)
		again := d.next("one")
		if again.OptedOut || !again.New {
			t.Errorf("opted out %t, new %t after a Finish that failed, want false, true", again.OptedOut, again.New)
		}
		d.finish(again, "reply")
		d.accept("reply")
	})

	t.Run("UnknownConsentIsRefused", func(t *testing.T) {
		d := newDesk(t, open)
		d.say("ann", "one")
		j := d.next("one")
		if err := d.Finish(t.Context(), j, bot.Outcome{Consent: "maybe"}); !errors.Is(err, bot.ErrInvalid) {
			t.Errorf("Finish with consent %q = %v, want ErrInvalid", "maybe", err)
		}
		d.finish(j)
	})

	t.Run("Told", func(t *testing.T) {
		d := newDesk(t, open)
		for _, tt := range []struct{ told, wasNew bool }{{false, true}, {true, true}, {false, false}} {
			d.say("ann", "x")
			j := d.next("x")
			if j.New != tt.wasNew {
				t.Errorf("New = %t, want %t", j.New, tt.wasNew)
			}
			d.end(j, bot.Outcome{Told: tt.told})
		}
	})

	t.Run("Forget", func(t *testing.T) {
		d := newDesk(t, open)
		d.answer("ann", "one", bot.Outcome{
			Told: true, Replies: []bot.Reply{{Text: "r1"}}, Remember: func(s *bot.Session) error { s.Persona = "p"; return nil },
		})
		d.answer("ann", "bad", bot.Outcome{Parked: "why"})
		d.say("bob", "b")
		d.end(d.next("b"), bot.Outcome{Told: true, Remember: func(s *bot.Session) error { s.Persona = "b"; return nil }})
		w := d.said("ann", "FORGET")
		w.Word = bot.WordForget
		d.put("ann", w, bot.Queued)
		d.say("ann", "later")
		d.end(d.next("FORGET"), bot.Outcome{
			Forget: true, Replies: []bot.Reply{{Text: "forgotten"}}, Remember: func(s *bot.Session) error { s.Persona = "q"; return nil },
		})
		if s, err := d.Load(t.Context(), "ann"); !reflect.DeepEqual(s, bot.Session{}) || err != nil {
			t.Errorf("Load = %+v, %v, want nothing", s, err)
		}
		if s, err := d.Load(t.Context(), "bob"); s.Persona != "b" || err != nil {
			t.Errorf("Load of another = %+v, %v, want persona b", s, err)
		}
		if list, err := d.Parked(t.Context()); len(list) > 0 || err != nil {
			t.Errorf("Parked = %+v, %v, want none", list, err)
		}
		d.put("ann", w, bot.Repeated) // the channel tries again
		j := d.next("later")          // came after it
		if !j.New || j.OptedOut {
			t.Errorf("new %t, opted out %t after FORGET, want true, false", j.New, j.OptedOut)
		}
		d.finish(j, "r2")
		d.accept("r1")
		v := d.take("forgotten")
		if v.To != from("ann") {
			t.Error("the confirmation goes elsewhere")
		}
		if err := d.Accept(t.Context(), v, "F"); err != nil {
			t.Fatal(err)
		}
		d.accept("r2")
		if err := d.Settle(t.Context(), bot.Settlement{Channel: "sms", VendorID: "F", State: bot.Delivered}); err != nil {
			t.Errorf("Settle of the confirmation: %v", err)
		}
	})

	t.Run("ForgetForgetsRepeats", func(t *testing.T) {
		d := newDesk(t, open)
		r := bot.IntakeRules{Repeat: time.Hour, Limits: []bot.Limit{{Count: 2, Per: time.Hour}}}
		d.sayUnder(r, "ann", "one")
		d.finish(d.next("one"))
		d.answer("ann", "FORGET", bot.Outcome{Forget: true})
		d.sayUnder(r, "ann", "one")
	})
}
