package queuetest

import (
	"context"
	"errors"
	"fmt"
	"reflect"
	"slices"
	"testing"
	"time"

	"plumbline/bot"
)

func testInbox(t *testing.T, open Open) {
	t.Run("Empty", func(t *testing.T) { newDesk(t, open).idle() })

	t.Run("JobSaysEverything", func(t *testing.T) {
		d := newDesk(t, open)
		session := bot.Session{Persona: "p", Seen: []string{"a"}}
		if err := d.Update(t.Context(), "ann", func(s *bot.Session) error { *s = session; return nil }); err != nil {
			t.Fatal(err)
		}
		m := bot.Message{
			ID: "SM1", From: bot.Address{Channel: "sms", User: "u", Thread: "th"}, Text: "¿hola?\n\"x\"",
			Media: []bot.Medium{bot.Image, bot.Audio}, Language: bot.Spanish, At: Start.Add(-time.Second),
		}
		d.put("ann", bot.Arrival{Message: m, Urgent: true, Word: bot.WordHelp}, bot.Queued)
		d.Add(time.Second)
		got := d.next(m.Text)
		if got.Seq == 0 || got.Fence == 0 {
			t.Errorf("Next has seq %d and fence %d, want both", got.Seq, got.Fence)
		}
		want := bot.Job{
			Seq: got.Seq, Fence: got.Fence, Tries: 1, Person: "ann", Message: m, Joined: 1, Urgent: true, Word: bot.WordHelp,
			Receipt: bot.Queued, Received: Start, New: true, Session: session,
		}
		if !reflect.DeepEqual(got, want) {
			t.Errorf("Next = %+v, want %+v", got, want)
		}
	})

	t.Run("RefusesNobodys", func(t *testing.T) {
		d := newDesk(t, open)
		whole := d.said("ann", "x")
		noID, noChannel := whole, whole
		noID.Message.ID, noChannel.Message.From.Channel = "", ""
		for _, tt := range []struct {
			what, person string
			a            bot.Arrival
		}{{"no person", "", whole}, {"no id", "ann", noID}, {"no channel", "ann", noChannel}} {
			if _, err := d.Put(t.Context(), tt.person, tt.a); !errors.Is(err, bot.ErrInvalid) {
				t.Errorf("Put with %s = %v, want ErrInvalid", tt.what, err)
			}
		}
	})

	t.Run("HeedsContext", func(t *testing.T) {
		d := newDesk(t, open)
		ctx, cancel := context.WithCancel(t.Context())
		cancel()
		if _, err := d.Put(ctx, "ann", d.said("ann", "x")); !errors.Is(err, context.Canceled) {
			t.Errorf("Put with a cancelled context = %v", err)
		}
		d.idle()
	})

	// One message is one, however often its channel brings it: at once, once
	// it was answered, ten minutes later (cases T09, S01).
	t.Run("SameIDIsRepeated", func(t *testing.T) {
		d := newDesk(t, open)
		a := d.said("ann", "one")
		d.put("ann", a, bot.Queued)
		d.put("ann", a, bot.Repeated)
		j := d.next("one")
		d.put("ann", a, bot.Repeated)
		d.finish(j)
		d.put("ann", a, bot.Repeated)
		d.Add(10 * time.Minute)
		a.Message.Text = "other words"
		d.put("ann", a, bot.Repeated)
		d.idle()
		a.Message.From.Channel = "whatsapp"
		d.put("ann", a, bot.Queued)
	})

	t.Run("IDIsKnownFor48Hours", func(t *testing.T) {
		d := newDesk(t, open)
		a := d.said("ann", "one")
		d.put("ann", a, bot.Queued)
		d.finish(d.next("one"))
		d.Add(48*time.Hour - time.Second)
		sweep := func(want int) {
			t.Helper()
			if n, err := d.Sweep(t.Context(), d.Now().Add(time.Hour)); n != want || err != nil {
				t.Fatalf("Sweep = %d, %v, want %d", n, err, want)
			}
		}
		sweep(0)
		d.put("ann", a, bot.Repeated)
		d.Add(2 * time.Second)
		sweep(1)
		d.put("ann", a, bot.Queued)
	})

	t.Run("SweepLeavesWhatWaits", func(t *testing.T) {
		d := newDesk(t, open)
		d.answer("ann", "given up", bot.Outcome{Parked: "why"})
		d.answer("ann", "answered", bot.Outcome{Replies: []bot.Reply{{Text: "reply"}}})
		d.say("ann", "waits")
		d.Add(72 * time.Hour)
		if n, err := d.Sweep(t.Context(), d.Now()); n != 1 || err != nil {
			t.Errorf("Sweep = %d, %v, want 1: the message that was answered", n, err)
		}
		d.next("waits")
		d.accept("reply")
		if list, err := d.Parked(t.Context()); len(list) != 1 || err != nil {
			t.Errorf("Parked = %v, %v, want the one that was given up", list, err)
		}
	})

	// Case D01.
	t.Run("OnePersonOneAtATimeInOrder", func(t *testing.T) {
		d := newDesk(t, open)
		for _, text := range []string{"one", "two", "three"} {
			d.say("ann", text)
		}
		for _, text := range []string{"one", "two", "three"} {
			j := d.next(text)
			d.idle()
			d.finish(j)
		}
		d.idle()
	})

	t.Run("PersonsAtATime", func(t *testing.T) {
		d := newDesk(t, open)
		d.say("ann", "a")
		d.say("bob", "b")
		a, b := d.next("a"), d.next("b")
		d.finish(b)
		d.finish(a)
		d.idle()
	})

	t.Run("PersonsTakeTurns", func(t *testing.T) {
		d := newDesk(t, open)
		for i := range 3 {
			d.say("ann", fmt.Sprint("a", i))
		}
		d.say("bob", "b0")
		d.say("bob", "b1")
		for _, want := range []string{"a0", "b0", "a1", "b1", "a2"} {
			d.finish(d.next(want))
		}
		// Who was served much before does not pay for it later, and who comes
		// new does not overtake for it.
		d.say("ann", "a3")
		d.say("cyd", "c0")
		d.say("bob", "b2")
		for _, want := range []string{"a3", "c0", "b2"} {
			d.finish(d.next(want))
		}
	})

	t.Run("UrgentFirst", func(t *testing.T) {
		d := newDesk(t, open)
		d.say("bob", "b")
		d.say("ann", "a1")
		d.say("ann", "a2")
		d.cry("ann", "help")
		d.finish(d.next("help"))
		for _, want := range []string{"b", "a1", "a2"} {
			d.finish(d.next(want))
		}
	})

	t.Run("UrgentBesideWhatIsInHand", func(t *testing.T) {
		d := newDesk(t, open)
		d.say("ann", "a1")
		a1 := d.next("a1")
		d.say("ann", "a2")
		d.cry("ann", "help")
		help := d.next("help")
		d.finish(a1)
		d.idle() // a2 does not go beside help
		d.finish(help)
		d.next("a2")
	})

	t.Run("UrgentIsNotHeldByAnothersMany", func(t *testing.T) {
		d := newDesk(t, open)
		d.say("cyd", "c")
		for i := range 3 {
			d.cry("ann", fmt.Sprint("help", i))
		}
		d.cry("bob", "fire")
		for _, want := range []string{"help0", "fire", "help1", "help2", "c"} {
			d.next(want)
		}
	})

	t.Run("UrgentOnly", func(t *testing.T) {
		d := newDesk(t, open)
		d.say("ann", "a")
		l := d.leased()
		l.Urgent = true
		if j, err := d.Next(t.Context(), l); !errors.Is(err, bot.ErrNotFound) {
			t.Errorf("Next of urgent ones = %q, %v, want ErrNotFound", j.Message.Text, err)
		}
		d.cry("bob", "help")
		if j, err := d.Next(t.Context(), l); err != nil || j.Message.Text != "help" {
			t.Errorf("Next of urgent ones = %q, %v, want help", j.Message.Text, err)
		}
		d.next("a")
	})

	t.Run("LeaseEnds", func(t *testing.T) {
		d := newDesk(t, open)
		d.say("ann", "one")
		d.say("ann", "two")
		old := d.next("one")
		d.Add(lease - time.Millisecond)
		d.idle()
		d.Add(time.Millisecond)
		j := d.next("one") // and not two
		if j.Fence <= old.Fence || j.Tries != 2 || j.Seq != old.Seq {
			t.Errorf("Next again has seq %d, fence %d, tries %d, want %d, more than %d, 2", j.Seq, j.Fence, j.Tries, old.Seq, old.Fence)
		}
		d.oldJob(old)
		d.finish(j, "reply")
		d.oldJob(old)
		d.accept("reply")
		d.quiet()
		d.finish(d.next("two"))
	})

	t.Run("HolderIsHolderUntilTakenFrom", func(t *testing.T) {
		d := newDesk(t, open)
		d.say("ann", "one")
		j := d.next("one")
		d.Add(2 * lease)
		d.finish(j)
		d.idle()
	})

	t.Run("Extend", func(t *testing.T) {
		for _, urgent := range []bool{false, true} {
			d := newDesk(t, open)
			a := d.said("ann", "one")
			a.Urgent = urgent
			d.put("ann", a, bot.Queued)
			d.say("ann", "two")
			j := d.next("one")
			d.Add(lease / 2)
			if err := d.Extend(t.Context(), j, d.Now().Add(lease)); err != nil {
				t.Fatalf("Extend: %v", err)
			}
			d.Add(lease - time.Millisecond)
			d.idle()
			d.Add(time.Millisecond)
			d.next("one")
			d.conflict("Extend of an old job", d.Extend(t.Context(), j, d.Now().Add(lease)))
		}
	})

	t.Run("FinishedOnce", func(t *testing.T) {
		d := newDesk(t, open)
		d.say("ann", "one")
		j := d.next("one")
		d.finish(j, "reply")
		d.oldJob(j)
		d.accept("reply")
		d.quiet()
		d.Add(2 * lease)
		d.idle()
	})

	t.Run("Return", func(t *testing.T) {
		for _, urgent := range []bool{false, true} {
			d := newDesk(t, open)
			a := d.said("ann", "one")
			a.Urgent = urgent
			d.put("ann", a, bot.Queued)
			d.say("ann", "two")
			d.say("bob", "b")
			old := d.next("one")
			if err := d.Return(t.Context(), old, d.Now().Add(time.Second), "model is down"); err != nil {
				t.Fatalf("Return: %v", err)
			}
			d.oldJob(old)
			d.finish(d.next("b")) // others go on
			d.idle()              // and two waits for one
			d.Add(time.Second)
			j := d.next("one")
			if j.Tries != 2 || j.Fence <= old.Fence {
				t.Errorf("Next after Return has tries %d, fence %d, want 2, more than %d", j.Tries, j.Fence, old.Fence)
			}
			d.oldJob(old)
			d.finish(j)
			d.next("two")
		}
	})

	t.Run("Parked", func(t *testing.T) {
		d := newDesk(t, open)
		d.say("ann", "bad")
		d.say("ann", "good")
		d.end(d.next("bad"), bot.Outcome{Parked: "three tries", Replies: []bot.Reply{{Text: "sorry"}}})
		d.Add(time.Second)
		d.say("bob", "worse")
		d.finish(d.next("good"), "good's reply")
		j := d.next("worse")
		d.end(j, bot.Outcome{Parked: "no try"})
		d.oldJob(j)
		list, err := d.Parked(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		for i := range list {
			list[i].Seq = 0
		}
		want := []bot.Parked{
			{Channel: "sms", Person: "bob", Tries: 1, Why: "no try", At: Start.Add(time.Second)},
			{Channel: "sms", Person: "ann", Tries: 1, Why: "three tries", At: Start},
		}
		if !slices.Equal(list, want) {
			t.Errorf("Parked = %+v, want %+v", list, want)
		}
		d.accept("sorry")
		d.accept("good's reply")
	})

	t.Run("Requeue", func(t *testing.T) {
		d := newDesk(t, open)
		for _, text := range []string{"bad", "two", "three"} {
			d.say("ann", text)
		}
		bad := d.next("bad")
		d.end(bad, bot.Outcome{Parked: "why", Replies: []bot.Reply{{Text: "sorry"}}})
		two := d.next("two")
		if err := d.Requeue(t.Context(), bad.Seq); err != nil {
			t.Fatalf("Requeue: %v", err)
		}
		if list, err := d.Parked(t.Context()); len(list) > 0 || err != nil {
			t.Errorf("Parked after Requeue = %v, %v, want none", list, err)
		}
		if err := d.Requeue(t.Context(), bad.Seq); !errors.Is(err, bot.ErrNotFound) {
			t.Errorf("Requeue of what is not parked = %v, want ErrNotFound", err)
		}
		d.idle() // two is in hand
		d.finish(two)
		j := d.next("bad")
		if j.Tries != 1 {
			t.Errorf("tries after Requeue = %d, want 1", j.Tries)
		}
		d.finish(j, "answer")
		d.next("three")
		d.accept("sorry")
		d.accept("answer")
	})

	t.Run("Depth", func(t *testing.T) {
		d := newDesk(t, open)
		want := func(want bot.Depth) {
			t.Helper()
			if got, err := d.Depth(t.Context(), d.Now()); got != want || err != nil {
				t.Errorf("Depth = %+v, %v, want %+v", got, err, want)
			}
		}
		want(bot.Depth{})
		d.say("ann", "bad")
		d.end(d.next("bad"), bot.Outcome{Parked: "why"})
		want(bot.Depth{Parked: 1})
		d.say("ann", "a1")
		d.Add(time.Second)
		d.say("ann", "a2")
		d.cry("bob", "help")
		want(bot.Depth{Waiting: 3, Urgent: 1, Parked: 1, Oldest: time.Second})
		d.next("help")
		want(bot.Depth{Waiting: 3, Urgent: 1, Leased: 1, Parked: 1, Oldest: time.Second})
		d.finish(d.next("a1"))
		want(bot.Depth{Waiting: 2, Urgent: 1, Leased: 1, Parked: 1})
		d.Add(lease)
		want(bot.Depth{Waiting: 2, Urgent: 1, Parked: 1, Oldest: lease})
	})

	t.Run("Ready", func(t *testing.T) {
		d := newDesk(t, open)
		signal := func(what string, want bool) {
			t.Helper()
			got := false
			select {
			case <-d.InboxReady():
				got = true
			default:
			}
			if got != want {
				t.Errorf("after %s a signal is there: %t, want %t", what, got, want)
			}
		}
		signal("nothing", false)
		a := d.said("ann", "one")
		d.put("ann", a, bot.Queued)
		signal("Put", true)
		d.put("ann", a, bot.Repeated)
		signal("Put of a repeat", false)
		d.say("ann", "two")
		d.say("bob", "b")
		signal("Puts", true)
		signal("Puts, again", false)
		j := d.next("one")
		signal("Next with more to do", true)
		b := d.next("b")
		signal("Next of the last", false)
		d.finish(j)
		signal("Finish", true)
		if err := d.Return(t.Context(), b, d.Now(), ""); err != nil {
			t.Fatal(err)
		}
		signal("Return", true)
	})
}

// oldJob wants every method to refuse j.
func (d *desk) oldJob(j bot.Job) {
	d.t.Helper()
	ctx := d.t.Context()
	d.conflict("Extend of an old job", d.Extend(ctx, j, d.Now().Add(time.Hour)))
	d.conflict("Return of an old job", d.Return(ctx, j, d.Now(), ""))
	d.conflict("Finish of an old job", d.Finish(ctx, j, bot.Outcome{
		Replies: []bot.Reply{{Text: "a second reply"}}, Consent: bot.OptOut, Told: true, Forget: true, Parked: "why",
		Remember: func(s *bot.Session) error { s.Persona = "changed"; return nil },
	}))
}
