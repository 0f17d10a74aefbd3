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
			Replies: []bot.Reply{{Text: "reply"}}, Consent: bot.OptOut, Told: true,
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
		if err := d.Settle(t.Context(), "sms", "F", bot.Delivered, ""); err != nil {
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

func testConsent(t *testing.T, open Open) {
	stop := bot.Outcome{Consent: bot.OptOut, Replies: []bot.Reply{{Text: "you are out"}}}

	t.Run("StopIsConfirmedAndHolds", func(t *testing.T) {
		d := newDesk(t, open)
		d.answer("ann", "q", bot.Outcome{Replies: []bot.Reply{{Text: "late"}}})
		d.post("ann", "news")
		d.answer("ann", "STOP", stop)
		d.state("news", bot.Failed)
		d.accept("you are out")
		d.quiet()
		d.post("ann", "more news")
		d.state("more news", bot.Failed)
		d.say("ann", "hello")
		j := d.next("hello")
		if !j.OptedOut {
			t.Error("the next job says that the person did not opt out")
		}
		d.finish(j, "an answer all the same")
		d.quiet()
		d.post("bob", "b")
		d.accept("b")
	})

	t.Run("StopTwice", func(t *testing.T) {
		d := newDesk(t, open)
		d.answer("ann", "STOP", stop)
		d.answer("ann", "STOP", bot.Outcome{Consent: bot.OptOut})
		d.accept("you are out")
		d.quiet()
	})

	t.Run("StartRestores", func(t *testing.T) {
		d := newDesk(t, open)
		d.answer("ann", "STOP", stop)
		d.answer("ann", "START", bot.Outcome{Consent: bot.OptIn, Replies: []bot.Reply{{Text: "you are in"}}})
		d.accept("you are out")
		d.accept("you are in")
		d.post("ann", "news")
		d.accept("news")
		d.say("ann", "hello")
		if j := d.next("hello"); j.OptedOut {
			t.Error("the next job says that the person opted out")
		}
	})

	t.Run("WhatIsInHandIsNotHandedOutAgain", func(t *testing.T) {
		d := newDesk(t, open)
		for _, person := range []string{"ann", "bob", "cyd"} {
			d.post(person, "to "+person)
		}
		ann, bob, cyd := d.take("to ann"), d.take("to bob"), d.take("to cyd")
		for _, person := range []string{"ann", "bob", "cyd"} {
			d.answer(person, "STOP", bot.Outcome{Consent: bot.OptOut})
		}
		if err := d.Accept(t.Context(), ann, "A"); err != nil { // had left
			t.Errorf("Accept of what was in hand: %v", err)
		}
		if err := d.Again(t.Context(), bob, d.Now(), "busy"); err != nil {
			t.Errorf("Again of what was in hand: %v", err)
		}
		d.Add(lease)
		d.quiet()
		d.state("to ann", bot.Accepted)
		d.state("to bob", bot.Failed)
		d.state("to cyd", bot.Failed)
		d.conflict("Accept after the lease", d.Accept(t.Context(), cyd, "C"))
	})

	t.Run("ForgetKeepsTheOptOut", func(t *testing.T) {
		d := newDesk(t, open)
		d.answer("ann", "STOP", bot.Outcome{Consent: bot.OptOut})
		d.answer("ann", "FORGET", bot.Outcome{Forget: true})
		d.post("ann", "news")
		d.quiet()
		d.say("ann", "hello")
		if j := d.next("hello"); !j.OptedOut || !j.New {
			t.Errorf("opted out %t, new %t, want true, true", j.OptedOut, j.New)
		}
	})

	t.Run("StopAndForgetAtOnce", func(t *testing.T) {
		d := newDesk(t, open)
		o := stop
		o.Forget = true
		d.answer("ann", "both", o)
		d.accept("you are out")
		d.post("ann", "news")
		d.quiet()
	})
}
