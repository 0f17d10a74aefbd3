package queuetest

import (
	"errors"
	"slices"
	"sync"
	"testing"
	"time"

	"plumbline/bot"
)

func testConsent(t *testing.T, open Open) {
	stop := bot.Outcome{Consent: bot.OptOut, Despite: true, Replies: []bot.Reply{{Text: "you are out"}}}

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

// hears puts a message that is a word, and returns its job.
func (d *desk) hears(person string, w bot.Word, heard bot.Word) {
	d.t.Helper()
	a := d.said(person, string(w))
	a.Word, a.Message.Heard = w, heard
	d.put(person, a, bot.Queued)
}

// testArrivals: what a person decides by a message holds from its arrival on.
func testArrivals(t *testing.T, open Open) {
	out := bot.Outcome{Despite: true, Replies: []bot.Reply{{Text: "you are out"}}}

	t.Run("StopHoldsWhileAnAnswerIsWorkedOn", func(t *testing.T) {
		d := newDesk(t, open)
		d.say("bob", "b")
		d.say("ann", "q1")
		d.next("b")
		q1 := d.next("q1")
		d.say("ann", "q2")
		d.post("ann", "news")
		d.hears("ann", bot.WordStop, "")
		d.state("news", bot.Failed)
		d.finish(q1, "a1")  // which is not sent any more
		j := d.next("stop") // before q2
		if j.Decided != bot.OptOut || !j.OptedOut || j.Urgent {
			t.Errorf("the job of STOP: decided %q, opted out %t, urgent %t; want opt_out, true, false", j.Decided, j.OptedOut, j.Urgent)
		}
		d.end(j, out)
		if q2 := d.next("q2"); !q2.OptedOut || q2.Decided != "" {
			t.Errorf("the job after it: opted out %t, decided %q; want true, nothing", q2.OptedOut, q2.Decided)
		}
		v := d.take("you are out")
		if !v.Urgent || !v.Expires.Equal(d.Now().Add(bot.ConfirmWithin)) {
			t.Errorf("the confirmation: urgent %t, expires %v; want true, in five minutes", v.Urgent, v.Expires)
		}
		if err := d.MaySend(t.Context(), v); err != nil {
			t.Errorf("MaySend of the confirmation = %v", err)
		}
		d.quiet()
	})

	t.Run("StopGoesFirst", func(t *testing.T) {
		d := newDesk(t, open)
		d.say("bob", "b")
		d.say("ann", "q")
		d.hears("ann", bot.WordStop, "")
		l := d.leased()
		l.Urgent = true
		if j, err := d.Next(t.Context(), l); err != nil || j.Decided != bot.OptOut {
			t.Fatalf("Next of urgent ones = %q, %v, want STOP", j.Message.Text, err)
		}
		d.next("b")
	})

	t.Run("Decisions", func(t *testing.T) {
		d := newDesk(t, open)
		for _, tt := range []struct {
			word, heard bot.Word
			want        bot.Consent
			out         bool
		}{
			{bot.WordYes, "", "", false},
			{bot.WordStart, "", "", false},
			{bot.WordStop, "", bot.OptOut, true},
			{bot.WordStop, "", "", true},
			{bot.WordMore, "", "", true},
			{bot.WordYes, "", bot.OptIn, false},
			{bot.WordStop, bot.WordStop, bot.OptOut, true},
			{bot.WordStart, bot.WordStart, bot.OptIn, false},
			{bot.WordYes, bot.WordStart, "", false}, // an answer to us
		} {
			d.hears("ann", tt.word, tt.heard)
			j := d.next(string(tt.word))
			if j.Decided != tt.want || j.OptedOut != tt.out {
				t.Errorf("%q: decided %q, opted out %t; want %q, %t", tt.word, j.Decided, j.OptedOut, tt.want, tt.out)
			}
			d.finish(j)
		}
		d.cry("ann", "stop breathing") // an emergency decides nothing
		d.say("bob", "x")
		book := func(person, channel string, c bot.Consent, cause string) {
			t.Helper()
			if err := d.Decide(t.Context(), person, channel, c, cause); err != nil {
				t.Errorf("Decide(%q, %q): %v", c, cause, err)
			}
		}
		d.post("bob", "news")
		book("bob", "whatsapp", bot.OptIn, "never asked")
		book("bob", "whatsapp", bot.OptOut, "vendor 21610")
		book("bob", "whatsapp", bot.OptOut, "vendor 21610")
		d.state("news", bot.Failed)
		for _, bad := range [][2]string{{"", "x"}, {"bob", ""}} {
			if err := d.Decide(t.Context(), bad[0], "sms", bot.OptOut, bad[1]); !errors.Is(err, bot.ErrInvalid) {
				t.Errorf("Decide(%q, cause %q) = %v, want ErrInvalid", bad[0], bad[1], err)
			}
		}
		if err := d.Decide(t.Context(), "bob", "sms", "maybe", "x"); !errors.Is(err, bot.ErrInvalid) {
			t.Errorf("Decide(maybe) = %v, want ErrInvalid", err)
		}
		var got []string
		list, err := d.Decisions(t.Context(), "")
		if err != nil {
			t.Fatal(err)
		}
		for _, v := range list {
			got = append(got, v.Person+" "+v.Channel+" "+string(v.Consent)+" "+v.Cause)
			if !v.At.Equal(d.Now()) {
				t.Errorf("entered at %v, want %v", v.At, d.Now())
			}
		}
		want := []string{"ann sms opt_out stop", "ann sms opt_in yes", "ann sms opt_out vendor stop", "ann sms opt_in vendor start", "bob whatsapp opt_out vendor 21610"}
		if !slices.Equal(got, want) {
			t.Errorf("the ledger has %q, want %q", got, want)
		}
		if list, err := d.Decisions(t.Context(), "bob"); len(list) != 1 || err != nil {
			t.Errorf("Decisions(bob) = %v, %v, want one", list, err)
		}
	})

	t.Run("StopWaitsForWhatIsInHand", func(t *testing.T) {
		d := newDesk(t, open)
		d.post("ann", "a1")
		d.post("ann", "a2")
		v := d.take("a1")
		if err := d.MaySend(t.Context(), v); err != nil {
			t.Errorf("MaySend = %v, want nil", err)
		}
		var wg sync.WaitGroup
		a := d.said("ann", "STOP")
		a.Word = bot.WordStop
		done := make(chan struct{})
		wg.Go(func() {
			defer close(done)
			if _, err := d.Put(t.Context(), "ann", a); err != nil {
				t.Error(err)
			}
		})
		for d.MaySend(t.Context(), v) == nil { // until STOP holds
			<-time.After(time.Millisecond)
		}
		if err := d.MaySend(t.Context(), v); !errors.Is(err, bot.ErrOptedOut) || !errors.Is(err, bot.ErrDenied) {
			t.Errorf("MaySend after STOP = %v, want ErrOptedOut", err)
		}
		select {
		case <-done:
			t.Error("Put of STOP returned while a text was in hand")
		case <-time.After(30 * time.Millisecond):
		}
		if err := d.Accept(t.Context(), v, "A1"); err != nil { // it had left
			t.Fatal(err)
		}
		wg.Wait()
		d.state("a2", bot.Failed)
		if err := d.MaySend(t.Context(), v); !errors.Is(err, bot.ErrConflict) {
			t.Errorf("MaySend of what was accepted = %v, want ErrConflict", err)
		}
	})

	t.Run("ConfirmationInTimeOrNotAtAll", func(t *testing.T) {
		d := newDesk(t, open)
		d.hears("ann", bot.WordStop, "")
		d.end(d.next("stop"), out)
		v := d.take("you are out")
		if err := d.Again(t.Context(), v, d.Now().Add(bot.ConfirmWithin-time.Second), "busy"); err != nil {
			t.Fatal(err)
		}
		d.Add(bot.ConfirmWithin)
		d.quiet()
		if s, why, err := d.Delivery(t.Context(), v.Key); s != bot.Failed || why != "too late" || err != nil {
			t.Errorf("the confirmation is %q (%s), %v, want failed, too late", s, why, err)
		}
	})

	t.Run("AskedAgainAfterStart", func(t *testing.T) {
		d := newDesk(t, open)
		r := bot.IntakeRules{Repeat: time.Hour, Same: bot.Limit{Count: 1, Per: time.Hour}}
		d.hears("ann", bot.WordStop, "")
		d.finish(d.next("stop"))
		d.sayUnder(r, "ann", "is it safe")
		d.finish(d.next("is it safe")) // nothing is said to it
		d.hears("ann", bot.WordStart, "")
		d.finish(d.next("start"))
		d.sayUnder(r, "ann", "is it safe") // this is answered
		d.finish(d.next("is it safe"), "yes")
	})

	t.Run("SameWordsOfAMachine", func(t *testing.T) {
		d := newDesk(t, open)
		r := bot.IntakeRules{Same: bot.Limit{Count: 2, Per: time.Hour}}
		say := func(text string, want bot.Receipt) {
			t.Helper()
			a := d.said("ann", text)
			a.Rules = r
			d.put("ann", a, want)
			d.Add(time.Minute)
		}
		say("I'm driving", bot.Queued)
		say("I'm  DRIVING", bot.Queued)
		say("I'm driving", bot.Silenced)
		say("another thing", bot.Queued)
		d.Add(time.Hour)
		say("I'm driving", bot.Queued)
		for range 3 { // a word is always heard
			a := d.said("ann", "MORE")
			a.Word, a.Rules = bot.WordMore, r
			d.put("ann", a, bot.Queued)
		}
	})
}
