package queuetest

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"plumbline/bot"
)

var joining = bot.IntakeRules{Debounce: 3 * time.Second, Patience: 10 * time.Second}

func (d *desk) sayUnder(r bot.IntakeRules, person, text string) {
	d.t.Helper()
	a := d.said(person, text)
	a.Rules = r
	d.put(person, a, bot.Queued)
}

func testRules(t *testing.T, open Open) {
	t.Run("TextsThatFollowAreOne", func(t *testing.T) {
		d := newDesk(t, open)
		a := d.said("ann", "is my")
		a.Rules, a.Message.Media = joining, []bot.Medium{bot.Image}
		d.put("ann", a, bot.Queued)
		d.Add(2 * time.Second)
		only := d.said("ann", "") // a picture alone
		only.Rules, only.Message.Media = joining, []bot.Medium{bot.Video}
		d.put("ann", only, bot.Queued)
		d.Add(3 * time.Second)
		d.sayUnder(joining, "ann", "tea safe")
		d.Add(3*time.Second - time.Millisecond)
		d.idle()
		d.Add(time.Millisecond)
		j := d.next("is my\ntea safe")
		if j.Joined != 3 || j.Message.ID != "m1" || !j.Message.At.Equal(Start) || !j.Received.Equal(Start) {
			t.Errorf("joined %d, id %s, at %v, received %v, want 3, m1 and the time of the first", j.Joined, j.Message.ID, j.Message.At, j.Received)
		}
		if want := []bot.Medium{bot.Image, bot.Video}; !slices.Equal(j.Message.Media, want) {
			t.Errorf("media = %v, want %v", j.Message.Media, want)
		}
		d.put("ann", only, bot.Repeated)
		d.finish(j, "reply")
		d.put("ann", only, bot.Repeated)
		d.idle()
		d.accept("reply")
		d.quiet()
		if depth, err := d.Depth(t.Context(), d.Now()); depth != (bot.Depth{}) || err != nil {
			t.Errorf("Depth = %+v, %v, want nothing", depth, err)
		}
	})

	t.Run("TextsApartAreTwo", func(t *testing.T) {
		d := newDesk(t, open)
		d.sayUnder(joining, "ann", "one")
		d.Add(3*time.Second + time.Millisecond)
		d.sayUnder(joining, "ann", "two")
		d.sayUnder(joining, "bob", "b")
		d.finish(d.next("one"))
		d.idle()
		d.Add(3 * time.Second)
		d.next("b")
		d.next("two")
	})

	t.Run("PatienceEnds", func(t *testing.T) {
		d := newDesk(t, open)
		for i := range 4 { // at 0, 2.5, 5, 7.5 seconds
			d.sayUnder(joining, "ann", fmt.Sprint(i))
			if i < 3 {
				d.Add(2500 * time.Millisecond)
			}
		}
		d.Add(2500*time.Millisecond - time.Millisecond)
		d.idle()
		d.Add(time.Millisecond)
		d.next("0\n1\n2\n3")
	})

	t.Run("NoRulesJoinNothing", func(t *testing.T) {
		d := newDesk(t, open)
		d.say("ann", "one")
		d.say("ann", "two")
		d.sayUnder(joining, "ann", "three")
		d.say("ann", "four")
		for _, want := range []string{"one", "two", "three", "four"} {
			d.finish(d.next(want))
		}
	})

	t.Run("AWordEndsARun", func(t *testing.T) {
		d := newDesk(t, open)
		d.sayUnder(joining, "ann", "one")
		d.sayUnder(joining, "ann", "two")
		w := d.said("ann", "MORE")
		w.Rules, w.Word = joining, bot.WordMore
		d.put("ann", w, bot.Queued)
		d.sayUnder(joining, "ann", "three")
		d.finish(d.next("one\ntwo")) // at once: nothing can join it
		j := d.next("MORE")
		if j.Word != bot.WordMore || j.Joined != 1 {
			t.Errorf("word %q of %d texts, want %q of 1", j.Word, j.Joined, bot.WordMore)
		}
		d.finish(j)
		d.idle()
		d.Add(3 * time.Second)
		d.next("three")
	})

	t.Run("AWordIsReadyAtOnce", func(t *testing.T) {
		d := newDesk(t, open)
		w := d.said("ann", "STOP")
		w.Rules, w.Word = joining, bot.WordStop
		d.put("ann", w, bot.Queued)
		d.next("STOP")
	})

	t.Run("UrgentIsNeverJoined", func(t *testing.T) {
		d := newDesk(t, open)
		d.sayUnder(joining, "ann", "one")
		a := d.said("ann", "help")
		a.Rules, a.Urgent = joining, true
		d.put("ann", a, bot.Queued)
		d.sayUnder(joining, "ann", "two")
		d.finish(d.next("help"))
		d.Add(3 * time.Second)
		d.finish(d.next("one"))
		d.next("two")
	})

	t.Run("EightTextsAtMost", func(t *testing.T) {
		d := newDesk(t, open)
		var texts []string
		for i := range 9 {
			texts = append(texts, fmt.Sprint(i))
			d.sayUnder(joining, "ann", texts[i])
		}
		d.Add(3 * time.Second)
		d.finish(d.next(strings.Join(texts[:8], "\n")))
		d.next("8")
	})

	t.Run("FourThousandCharactersAtMost", func(t *testing.T) {
		d := newDesk(t, open)
		long, fits, over := strings.Repeat("ñ", 2000), strings.Repeat("ñ", 1999), "x"
		d.sayUnder(joining, "ann", long)
		d.sayUnder(joining, "ann", fits) // 4,000 with the line break
		d.sayUnder(joining, "ann", over)
		huge := strings.Repeat("y", 5000)
		d.sayUnder(joining, "bob", huge)
		d.Add(3 * time.Second)
		d.finish(d.next(long + "\n" + fits))
		d.finish(d.next(huge)) // whole
		d.finish(d.next(over))
		for _, text := range []string{fits, fits, over} { // 4,001 with the line breaks
			d.sayUnder(joining, "cyd", text)
		}
		d.Add(3 * time.Second)
		d.finish(d.next(fits + "\n" + fits))
		d.next(over)
	})

	t.Run("ARunWaitsForWhatIsBeforeIt", func(t *testing.T) {
		d := newDesk(t, open)
		d.say("ann", "first")
		first := d.next("first")
		d.sayUnder(joining, "ann", "one")
		d.sayUnder(joining, "ann", "two")
		d.Add(3 * time.Second)
		d.idle()
		d.say("ann", "last")
		d.idle()
		d.finish(first)
		d.finish(d.next("one\ntwo"))
		last := d.next("last")
		d.sayUnder(joining, "ann", "three")
		d.say("ann", "four") // closes three's run, which waits all the same
		d.idle()
		d.finish(last)
		d.next("three")
	})

	t.Run("WhatWasHandedOutIsClosed", func(t *testing.T) {
		d := newDesk(t, open)
		d.sayUnder(joining, "ann", "one")
		d.sayUnder(joining, "ann", "two")
		d.Add(3 * time.Second)
		d.next("one\ntwo")
		d.sayUnder(joining, "ann", "three")
		d.Add(lease)
		j := d.next("one\ntwo") // its holder crashed
		if j.Joined != 2 || j.Tries != 2 {
			t.Errorf("joined %d, tries %d, want 2, 2", j.Joined, j.Tries)
		}
		if err := d.Return(t.Context(), j, d.Now(), "why"); err != nil {
			t.Fatal(err)
		}
		d.sayUnder(joining, "ann", "four")
		d.Add(3 * time.Second)
		j = d.next("one\ntwo")
		d.end(j, bot.Outcome{Parked: "why"})
		if list, err := d.Parked(t.Context()); len(list) != 1 || err != nil {
			t.Errorf("Parked = %+v, %v, want one job", list, err)
		}
		depth := func(want bot.Depth) {
			t.Helper()
			got, err := d.Depth(t.Context(), d.Now())
			if got.Oldest = 0; got != want || err != nil {
				t.Errorf("Depth = %+v, %v, want %+v", got, err, want)
			}
		}
		depth(bot.Depth{Waiting: 2, Parked: 1})
		if err := d.Requeue(t.Context(), j.Seq); err != nil {
			t.Fatal(err)
		}
		depth(bot.Depth{Waiting: 4})
		d.finish(d.next("one\ntwo"))
		d.finish(d.next("three"))
		d.next("four")
	})

	repeats := bot.IntakeRules{Repeat: 30 * time.Second}
	t.Run("SameWordsAreRepeated", func(t *testing.T) {
		d := newDesk(t, open)
		again := func(person, text string, want bot.Receipt) {
			t.Helper()
			a := d.said(person, text)
			a.Rules = repeats
			d.put(person, a, want)
		}
		again("ann", "Is it safe?", bot.Queued)
		again("ann", "is it  safe? ", bot.Repeated)
		again("ann", "is it safe? 15", bot.Queued)
		again("bob", "Is it safe?", bot.Queued)
		again("ann", "", bot.Queued) // a picture, and another
		again("ann", "", bot.Queued)
		d.Add(29 * time.Second)
		again("ann", "Is it safe?", bot.Repeated)
		// A repeat does not make a later message one.
		d.Add(time.Second)
		again("ann", "Is it safe?", bot.Queued)
		d.say("ann", "Is it safe?") // under no rule
	})

	t.Run("ARepeatIsKnownByItsIDToo", func(t *testing.T) {
		d := newDesk(t, open)
		d.sayUnder(repeats, "ann", "x")
		a := d.said("ann", "x")
		a.Rules = repeats
		d.put("ann", a, bot.Repeated)
		d.Add(time.Hour)
		d.put("ann", a, bot.Repeated)
		d.finish(d.next("x"))
		d.idle()
	})

	t.Run("WordsAndUrgentAreNeverRepeats", func(t *testing.T) {
		d := newDesk(t, open)
		for range 2 {
			w := d.said("ann", "MORE")
			w.Rules, w.Word = repeats, bot.WordMore
			d.put("ann", w, bot.Queued)
			u := d.said("ann", "help")
			u.Rules, u.Urgent = repeats, true
			d.put("ann", u, bot.Queued)
		}
	})
}
