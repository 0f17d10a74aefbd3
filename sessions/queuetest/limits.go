package queuetest

import (
	"errors"
	"fmt"
	"sync"
	"testing"
	"time"

	"plumbline/bot"
)

func testLimits(t *testing.T, open Open) {
	limited := bot.IntakeRules{Limits: []bot.Limit{{Count: 10, Per: time.Minute}}, Silence: time.Hour}
	try := func(d *desk, r bot.IntakeRules, person, text string, want bot.Receipt) {
		d.t.Helper()
		a := d.said(person, text)
		a.Rules = r
		d.put(person, a, want)
	}

	// Case D15: thirty at once, ten are let through.
	t.Run("ThirtyAtOnce", func(t *testing.T) {
		d := newDesk(t, open)
		var mu sync.Mutex
		got := map[bot.Receipt]int{}
		var wg sync.WaitGroup
		for i := range 30 {
			a := d.said("ann", fmt.Sprint(i))
			a.Rules = limited
			wg.Go(func() {
				r, err := d.Put(t.Context(), "ann", a)
				if err != nil {
					t.Errorf("Put: %v", err)
				}
				mu.Lock()
				defer mu.Unlock()
				got[r]++
			})
		}
		wg.Wait()
		if got[bot.Queued] != 10 || got[bot.Limited] != 1 || got[bot.Silenced] != 19 {
			t.Errorf("30 Puts = %v, want 10 queued, 1 limited, 19 silenced", got)
		}
		jobs := map[bot.Receipt]int{}
		for range 11 {
			j, err := d.Next(t.Context(), d.leased())
			if err != nil {
				t.Fatal(err)
			}
			jobs[j.Receipt]++
			d.finish(j)
		}
		d.idle()
		if jobs[bot.Queued] != 10 || jobs[bot.Limited] != 1 {
			t.Errorf("jobs = %v, want 10 queued, 1 limited", jobs)
		}
	})

	t.Run("SilenceThenHeardAgain", func(t *testing.T) {
		d := newDesk(t, open)
		for i := range 10 {
			try(d, limited, "ann", fmt.Sprint(i), bot.Queued)
		}
		try(d, limited, "ann", "10", bot.Limited)
		try(d, limited, "bob", "b", bot.Queued)
		d.Add(time.Hour - time.Millisecond)
		try(d, limited, "ann", "11", bot.Silenced)
		d.Add(time.Millisecond)
		for i := range 10 {
			try(d, limited, "ann", fmt.Sprint(12+i), bot.Queued)
		}
		try(d, limited, "ann", "22", bot.Limited)
	})

	t.Run("EachLimitHolds", func(t *testing.T) {
		d := newDesk(t, open)
		r := bot.IntakeRules{Limits: []bot.Limit{{Count: 2, Per: time.Minute}, {Count: 3, Per: time.Hour}}, Silence: time.Minute}
		try(d, r, "ann", "0", bot.Queued)
		d.Add(time.Minute)
		try(d, r, "ann", "1", bot.Queued)
		try(d, r, "ann", "2", bot.Queued)
		d.Add(time.Minute)
		try(d, r, "ann", "3", bot.Limited) // the third within the hour was the last
		d.Add(58 * time.Minute)
		try(d, r, "ann", "4", bot.Queued) // the first is an hour ago
	})

	t.Run("ToldOnceWithoutSilenceToo", func(t *testing.T) {
		d := newDesk(t, open)
		r := bot.IntakeRules{Limits: []bot.Limit{{Count: 1, Per: time.Minute}}}
		try(d, r, "ann", "0", bot.Queued)
		try(d, r, "ann", "1", bot.Limited)
		try(d, r, "ann", "2", bot.Silenced)
		d.Add(time.Minute)
		try(d, r, "ann", "3", bot.Queued)
	})

	t.Run("OutsideLimits", func(t *testing.T) {
		d := newDesk(t, open)
		one := bot.IntakeRules{Limits: []bot.Limit{{Count: 1, Per: time.Minute}}, Silence: time.Hour}
		outside := func() {
			t.Helper()
			for _, w := range []bot.Word{bot.WordStop, bot.WordStart, bot.WordHelp, bot.WordForget, bot.WordPerson} {
				a := d.said("ann", string(w))
				a.Rules, a.Word = one, w
				d.put("ann", a, bot.Queued)
			}
			a := d.said("ann", "fire")
			a.Rules, a.Urgent = one, true
			d.put("ann", a, bot.Queued)
		}
		outside()
		try(d, one, "ann", "0", bot.Queued) // they did not count
		a := d.said("ann", "more")
		a.Rules, a.Word = one, bot.WordMore
		d.put("ann", a, bot.Limited) // other words do
		outside()
		try(d, one, "ann", "2", bot.Silenced)
		outside()
	})

	t.Run("ALimitedIsNotJoinedAndNotHeldBack", func(t *testing.T) {
		d := newDesk(t, open)
		r := joining
		r.Limits, r.Silence = []bot.Limit{{Count: 2, Per: time.Minute}}, time.Hour
		try(d, r, "ann", "0", bot.Queued)
		try(d, r, "ann", "1", bot.Queued)
		try(d, r, "ann", "2", bot.Limited)
		d.finish(d.next("0\n1"))
		if j := d.next("2"); j.Receipt != bot.Limited {
			t.Errorf("receipt of the job = %q, want %q", j.Receipt, bot.Limited)
		}
	})

	t.Run("WhatWasSilencedIsNoRepeat", func(t *testing.T) {
		d := newDesk(t, open)
		r := bot.IntakeRules{Limits: []bot.Limit{{Count: 1, Per: time.Second}}, Silence: time.Second, Repeat: time.Minute}
		try(d, r, "ann", "0", bot.Queued)
		try(d, r, "ann", "1", bot.Limited)
		try(d, r, "ann", "q", bot.Silenced)
		d.Add(time.Second)
		try(d, r, "ann", "q", bot.Queued)
	})

	// Case T23: an auto-responder is answered at most once, and a real question
	// later is.
	t.Run("AutoResponder", func(t *testing.T) {
		d := newDesk(t, open)
		r := limited
		r.Repeat = 10 * time.Minute
		jobs := 0
		for i := range 20 {
			a := d.said("ann", "I'm driving and will reply later")
			a.Rules = r
			if _, err := d.Put(t.Context(), "ann", a); err != nil {
				t.Fatal(err)
			}
			for {
				j, err := d.Next(t.Context(), d.leased())
				if errors.Is(err, bot.ErrNotFound) {
					break
				}
				if err != nil {
					t.Fatal(err)
				}
				jobs++
				d.finish(j, fmt.Sprint("reply ", i))
			}
			d.Add(6 * time.Second)
		}
		if jobs != 1 {
			t.Errorf("20 texts of an auto-responder made %d jobs, want 1", jobs)
		}
		try(d, r, "ann", "is it safe?", bot.Queued)
		d.next("is it safe?")
	})

	t.Run("Block", func(t *testing.T) {
		d := newDesk(t, open)
		block := func(until time.Time) {
			t.Helper()
			if err := d.Block(t.Context(), "ann", "abuse", until); err != nil {
				t.Fatalf("Block: %v", err)
			}
		}
		d.say("ann", "before")
		block(d.Now().Add(time.Hour))
		a := d.said("ann", "one")
		d.put("ann", a, bot.Blocked)
		d.put("ann", a, bot.Repeated)
		d.cry("ann", "fire")
		d.say("bob", "b")
		d.finish(d.next("fire"))
		d.finish(d.next("before")) // was taken in before
		d.finish(d.next("b"))
		d.idle()
		d.Add(time.Hour)
		d.say("ann", "two")
		block(time.Time{})
		d.Add(1000 * time.Hour)
		d.put("ann", d.said("ann", "three"), bot.Blocked)
		if err := d.Unblock(t.Context(), "ann"); err != nil {
			t.Fatalf("Unblock: %v", err)
		}
		d.say("ann", "four")
		for _, who := range []string{"", "ann"} {
			if err := d.Block(t.Context(), who, "", time.Time{}); !errors.Is(err, bot.ErrInvalid) {
				t.Errorf("Block(%q) without a reason = %v, want ErrInvalid", who, err)
			}
		}
	})

	t.Run("StopOfABlockedPersonHolds", func(t *testing.T) {
		d := newDesk(t, open)
		if err := d.Block(t.Context(), "ann", "abuse", d.Now().Add(time.Hour)); err != nil {
			t.Fatal(err)
		}
		d.post("ann", "news")
		w := d.said("ann", "STOP")
		w.Word = bot.WordStop
		d.put("ann", w, bot.Blocked)
		d.quiet()
		d.state("news", bot.Failed)
		d.Add(time.Hour)
		d.say("ann", "hello")
		if j := d.next("hello"); !j.OptedOut {
			t.Error("the job says that the person did not opt out")
		}
	})

	t.Run("StopOfABlockedPersonLetsAnEarlierConfirmationGo", func(t *testing.T) {
		d := newDesk(t, open)
		d.post("ann", "news")
		d.take("news") // by one who crashed
		d.answer("ann", "STOP", bot.Outcome{Consent: bot.OptOut, Despite: true, Replies: []bot.Reply{{Text: "you are out"}}})
		if err := d.Block(t.Context(), "ann", "abuse", time.Time{}); err != nil {
			t.Fatal(err)
		}
		d.Add(lease)
		w := d.said("ann", "STOP")
		w.Word = bot.WordStop
		d.put("ann", w, bot.Blocked)
		d.accept("you are out")
		d.quiet()
		d.state("news", bot.Failed)
	})
}
