package queuetest

import (
	"errors"
	"reflect"
	"testing"
	"time"

	"plumbline/bot"
)

func testOutbox(t *testing.T, open Open) {
	t.Run("Empty", func(t *testing.T) { newDesk(t, open).quiet() })

	t.Run("DeliverySaysEverything", func(t *testing.T) {
		d := newDesk(t, open)
		in := bot.Delivery{
			Key: "k", Person: "ann", To: bot.Address{Channel: "sms", User: "u", Thread: "th"}, Text: "¿hola?\n\"x\"", Language: bot.Spanish,
			Answer: "a", Status: bot.PartlyAnswered, Offers: []bot.Word{bot.WordMore}, Urgent: true, Unasked: true, Asked: Start.Add(-time.Hour), Expires: Start.Add(time.Hour),
		}
		d.send(in)
		d.state("k", bot.Composed)
		d.Add(time.Second)
		got := d.take(in.Text)
		d.state("k", bot.Sending)
		want := in
		want.Seq, want.Fence, want.Tries, want.Composed = got.Seq, got.Fence, 1, Start
		if !reflect.DeepEqual(got, want) || got.Seq == 0 || got.Fence == 0 {
			t.Errorf("Take = %+v, want %+v", got, want)
		}
		if _, _, err := d.Delivery(t.Context(), "other"); !errors.Is(err, bot.ErrNotFound) {
			t.Errorf("Delivery of what is not known = %v, want ErrNotFound", err)
		}
	})

	t.Run("RefusesNobodys", func(t *testing.T) {
		d := newDesk(t, open)
		for _, v := range []bot.Delivery{
			{Person: "ann", To: from("ann"), Text: "x"}, {Key: "k", To: from("ann"), Text: "x"},
			{Key: "k", Person: "ann", Text: "x"}, {Key: "k", Person: "ann", To: from("ann")},
		} {
			if err := d.Post(t.Context(), v); !errors.Is(err, bot.ErrInvalid) {
				t.Errorf("Post(%q, %q, %q) = %v, want ErrInvalid", v.Key, v.Person, v.Text, err)
			}
		}
	})

	// Case E18: approved twice, sent once.
	t.Run("OneKeyIsOneText", func(t *testing.T) {
		d := newDesk(t, open)
		v := bot.Delivery{Key: "k", Person: "ann", To: from("ann"), Text: "x"}
		d.send(v)
		d.send(v)
		d.accept("x")
		d.send(v)
		d.Add(2 * lease)
		d.quiet()
		d.state("k", bot.Accepted)
	})

	t.Run("OnePersonOneAtATimeInOrder", func(t *testing.T) {
		d := newDesk(t, open)
		d.post("ann", "a1")
		d.post("ann", "a2")
		d.post("bob", "b")
		a1 := d.take("a1")
		b := d.take("b")
		d.quiet()
		if err := d.Fail(t.Context(), a1, "no such number"); err != nil {
			t.Fatal(err)
		}
		d.accept("a2")
		if err := d.Accept(t.Context(), b, "B"); err != nil {
			t.Fatal(err)
		}
		d.quiet()
	})

	t.Run("UrgentFirst", func(t *testing.T) {
		d := newDesk(t, open)
		d.post("bob", "b")
		d.post("ann", "a1")
		a1 := func() bot.Delivery { d.accept("b"); return d.take("a1") }()
		d.post("ann", "a2")
		d.send(bot.Delivery{Key: "u1", Person: "ann", To: from("ann"), Text: "u1", Urgent: true})
		d.send(bot.Delivery{Key: "u2", Person: "ann", To: from("ann"), Text: "u2", Urgent: true})
		u1 := d.take("u1") // does not wait for a1
		d.quiet()          // u2 waits for u1, a2 for both
		if err := d.Accept(t.Context(), a1, "A1"); err != nil {
			t.Fatal(err)
		}
		d.quiet()
		if err := d.Again(t.Context(), u1, d.Now().Add(time.Second), "busy"); err != nil {
			t.Fatal(err)
		}
		d.quiet() // a2 goes after the urgent ones
		d.Add(time.Second)
		for _, want := range []string{"u1", "u2", "a2"} {
			d.accept(want)
		}
	})

	t.Run("UrgentOnly", func(t *testing.T) {
		d := newDesk(t, open)
		d.post("ann", "a")
		l := d.leased()
		l.Urgent = true
		if v, err := d.Take(t.Context(), []string{"sms"}, l); !errors.Is(err, bot.ErrNotFound) {
			t.Errorf("Take of urgent ones = %q, %v, want ErrNotFound", v.Text, err)
		}
		d.send(bot.Delivery{Key: "u", Person: "bob", To: from("bob"), Text: "u", Urgent: true})
		if v, err := d.Take(t.Context(), []string{"sms"}, l); err != nil || v.Text != "u" {
			t.Errorf("Take of urgent ones = %q, %v, want u", v.Text, err)
		}
	})

	t.Run("Channels", func(t *testing.T) {
		d := newDesk(t, open)
		for _, v := range []bot.Delivery{
			{Key: "1", Person: "ann", To: bot.Address{Channel: "slack", User: "u"}, Text: "1"},
			{Key: "2", Person: "bob", To: bot.Address{Channel: "sms", User: "u"}, Text: "2"},
			{Key: "3", Person: "cyd", To: bot.Address{Channel: "web", User: "u"}, Text: "3"},
			{Key: "4", Person: "dan", To: bot.Address{Channel: "web", User: "u"}, Text: "4", Urgent: true},
		} {
			d.send(v)
		}
		for _, tt := range []struct {
			channels []string
			want     string
		}{{nil, ""}, {[]string{"console"}, ""}, {[]string{"sms"}, "2"}, {[]string{"sms"}, ""}, {[]string{"slack", "web"}, "4"}, {[]string{"web", "slack"}, "1"}, {[]string{"web"}, "3"}} {
			v, err := d.Take(t.Context(), tt.channels, d.leased())
			if v.Text != tt.want || (err != nil) != (tt.want == "") || err != nil && !errors.Is(err, bot.ErrNotFound) {
				t.Errorf("Take(%v) = %q, %v, want %q", tt.channels, v.Text, err, tt.want)
			}
		}
	})

	t.Run("WhatIsHeldBackKeepsNoAnswerWaiting", func(t *testing.T) {
		d := newDesk(t, open)
		d.send(bot.Delivery{Key: "n1", Person: "ann", To: from("ann"), Text: "n1", Unasked: true})
		d.send(bot.Delivery{Key: "n2", Person: "ann", To: from("ann"), Text: "n2", Unasked: true})
		n1 := d.take("n1")
		d.post("ann", "a")
		d.quiet()
		if err := d.Again(t.Context(), n1, d.Now().Add(8*time.Hour), "quiet hours"); err != nil {
			t.Fatal(err)
		}
		a := d.take("a")
		d.quiet()
		if err := d.Again(t.Context(), a, d.Now().Add(9*time.Hour), "busy"); err != nil {
			t.Fatal(err)
		}
		d.Add(8 * time.Hour)
		d.accept("n1")
		d.accept("n2")
		d.send(bot.Delivery{Key: "n3", Person: "ann", To: from("ann"), Text: "n3", Unasked: true})
		d.quiet() // n3 came after a
		d.Add(time.Hour)
		d.accept("a")
		d.accept("n3")
	})

	t.Run("LeaseEndsWithoutAWord", func(t *testing.T) {
		d := newDesk(t, open)
		d.post("ann", "a1")
		d.post("ann", "a2")
		old := d.take("a1")
		taken := d.Now()
		d.Add(lease - time.Millisecond)
		d.quiet()
		d.Add(time.Millisecond)
		v := d.take("a1")
		if !v.Tried || !v.LastTried.Equal(taken) || v.Tries != 2 || v.Fence <= old.Fence || v.Key != old.Key {
			t.Errorf("Take again: tried %t at %v, tries %d, fence %d, want true at %v, 2, more than %d", v.Tried, v.LastTried, v.Tries, v.Fence, taken, old.Fence)
		}
		d.oldText(old)
		// It stays doubtful, though this worker knows that its own try failed.
		if err := d.Again(t.Context(), v, d.Now(), "busy"); err != nil {
			t.Fatal(err)
		}
		d.oldText(v)
		v = d.take("a1")
		if !v.Tried || !v.LastTried.Equal(taken) {
			t.Errorf("Take after Again: tried %t at %v, want true at %v", v.Tried, v.LastTried, taken)
		}
		if err := d.Accept(t.Context(), v, "A1"); err != nil {
			t.Fatal(err)
		}
		d.oldText(v)
		d.accept("a2")
	})

	t.Run("HolderIsHolderUntilTakenFrom", func(t *testing.T) {
		d := newDesk(t, open)
		d.post("ann", "a")
		v := d.take("a")
		d.Add(2 * lease)
		if err := d.Accept(t.Context(), v, "A"); err != nil {
			t.Errorf("Accept after the lease: %v", err)
		}
		d.quiet()
	})

	t.Run("Again", func(t *testing.T) {
		d := newDesk(t, open)
		d.post("ann", "a1")
		d.post("ann", "a2")
		v := d.take("a1")
		if err := d.Again(t.Context(), v, d.Now().Add(time.Second), "busy"); err != nil {
			t.Fatal(err)
		}
		d.state("a1", bot.Sending)
		d.quiet()
		d.Add(time.Second)
		v = d.take("a1")
		if v.Tried || v.Tries != 2 {
			t.Errorf("Take after Again: tried %t, tries %d, want false, 2", v.Tried, v.Tries)
		}
	})

	t.Run("Settle", func(t *testing.T) {
		settle := func(t *testing.T, d *desk, s bot.DeliveryState) {
			t.Helper()
			if err := d.Settle(t.Context(), bot.Settlement{Channel: "sms", VendorID: "vendor's a", State: s, Why: "why"}); err != nil {
				t.Errorf("Settle(%s): %v", s, err)
			}
		}
		for _, tt := range []struct {
			name string
			told []bot.DeliveryState
			want bot.DeliveryState
		}{
			{"Delivered", []bot.DeliveryState{bot.Delivered, bot.Delivered}, bot.Delivered},
			{"Failed", []bot.DeliveryState{bot.Failed, bot.Failed}, bot.Failed},
			{"FailedLate", []bot.DeliveryState{bot.Delivered, bot.Failed}, bot.Delivered},
			{"DeliveredLate", []bot.DeliveryState{bot.Failed, bot.Delivered}, bot.Failed},
		} {
			t.Run(tt.name, func(t *testing.T) {
				d := newDesk(t, open)
				d.post("ann", "a")
				d.accept("a")
				d.state("a", bot.Accepted)
				for _, s := range tt.told {
					settle(t, d, s)
				}
				d.state("a", tt.want)
			})
		}
		t.Run("NotKnown", func(t *testing.T) {
			d := newDesk(t, open)
			d.post("ann", "a")
			d.accept("a")
			d.post("bob", "b")
			if err := d.Accept(t.Context(), d.take("b"), ""); err != nil { // a vendor without names
				t.Fatal(err)
			}
			for _, tt := range []struct{ channel, id string }{{"sms", "other"}, {"whatsapp", "vendor's a"}} {
				if err := d.Settle(t.Context(), bot.Settlement{Channel: tt.channel, VendorID: tt.id, State: bot.Delivered}); !errors.Is(err, bot.ErrNotFound) {
					t.Errorf("Settle(%s, %q) = %v, want ErrNotFound", tt.channel, tt.id, err)
				}
			}
			d.state("a", bot.Accepted)
			d.state("b", bot.Accepted)
			for _, s := range []bot.DeliveryState{bot.Composed, bot.Sending, "lost"} {
				if err := d.Settle(t.Context(), bot.Settlement{Channel: "sms", VendorID: "vendor's a", State: s}); !errors.Is(err, bot.ErrInvalid) {
					t.Errorf("Settle(%s) = %v, want ErrInvalid", s, err)
				}
			}
		})
	})

	// The vendor tells of a text by its key before the worker who had it, or in
	// place of one that was killed.
	t.Run("SettleByKey", func(t *testing.T) {
		d := newDesk(t, open)
		tell := func(key, id string, s bot.DeliveryState) error {
			return d.Settle(t.Context(), bot.Settlement{Channel: "sms", Key: key, VendorID: id, State: s})
		}
		d.post("ann", "a")
		d.post("ann", "b")
		a := d.take("a")
		if known, err := d.Known(t.Context(), "sms", "A"); known || err != nil {
			t.Errorf("Known = %t, %v before the vendor told, want false", known, err)
		}
		if err := tell("a", "A", bot.Accepted); err != nil {
			t.Fatal(err)
		}
		d.state("a", bot.Accepted)
		if known, err := d.Known(t.Context(), "sms", "A"); !known || err != nil {
			t.Errorf("Known = %t, %v, want true", known, err)
		}
		if known, err := d.Known(t.Context(), "whatsapp", "A"); known || err != nil {
			t.Errorf("Known of another channel = %t, %v, want false", known, err)
		}
		if err := d.Accept(t.Context(), a, "A"); err != nil {
			t.Errorf("Accept of what the vendor told = %v", err)
		}
		d.conflict("Accept under another name", d.Accept(t.Context(), a, "A2"))
		d.conflict("Settle under another name", tell("a", "A2", bot.Delivered))
		d.state("a", bot.Accepted)
		if err := tell("a", "A", bot.Delivered); err != nil {
			t.Fatal(err)
		}
		d.state("a", bot.Delivered)
		b := d.take("b") // nothing of a keeps it waiting
		d.Add(2 * lease)
		if err := tell("b", "B", bot.Delivered); err != nil { // its worker was killed
			t.Fatal(err)
		}
		d.quiet()
		d.state("b", bot.Delivered)
		if err := d.Fail(t.Context(), b, "late"); !errors.Is(err, bot.ErrConflict) {
			t.Errorf("Fail of what was delivered = %v, want ErrConflict", err)
		}
		if err := tell("c", "C", bot.Accepted); !errors.Is(err, bot.ErrNotFound) {
			t.Errorf("Settle of a key that is not known = %v, want ErrNotFound", err)
		}
		for _, v := range []bot.Settlement{{Key: "a", VendorID: "A", State: bot.Delivered}, {Channel: "sms", Key: "a", State: bot.Delivered}} {
			if err := d.Settle(t.Context(), v); !errors.Is(err, bot.ErrInvalid) {
				t.Errorf("Settle(%+v) = %v, want ErrInvalid", v, err)
			}
		}
	})

	t.Run("VendorSaysOptedOut", func(t *testing.T) {
		d := newDesk(t, open)
		d.post("ann", "a")
		d.post("ann", "b")
		d.accept("a")
		for range 2 {
			err := d.Settle(t.Context(), bot.Settlement{Channel: "sms", VendorID: "vendor's a", State: bot.Failed, Why: "21610", OptedOut: true})
			if err != nil {
				t.Fatal(err)
			}
		}
		d.state("a", bot.Failed)
		d.state("b", bot.Failed)
		list, err := d.Decisions(t.Context(), "ann")
		if len(list) != 1 || list[0].Consent != bot.OptOut || list[0].Cause != "vendor 21610" || err != nil {
			t.Errorf("the ledger has %+v, %v, want an opt-out by the vendor", list, err)
		}
	})

	t.Run("DoubtIsKept", func(t *testing.T) {
		d := newDesk(t, open)
		d.post("ann", "a")
		v := d.take("a")
		v.Tried, v.LastTried = true, d.Now()
		d.Add(time.Second)
		if err := d.Again(t.Context(), v, d.Now(), "cut off"); err != nil {
			t.Fatal(err)
		}
		if v = d.take("a"); !v.Tried || !v.LastTried.Equal(Start) {
			t.Errorf("Take after a try in doubt: tried %t at %v, want true at %v", v.Tried, v.LastTried, Start)
		}
	})

	t.Run("Expires", func(t *testing.T) {
		d := newDesk(t, open)
		d.send(bot.Delivery{Key: "k", Person: "ann", To: from("ann"), Text: "x", Expires: d.Now().Add(time.Minute)})
		d.post("ann", "y")
		d.Add(time.Minute)
		d.accept("y")
		d.state("k", bot.Failed)
	})

	t.Run("FailedSaysWhy", func(t *testing.T) {
		d := newDesk(t, open)
		d.post("ann", "a")
		if err := d.Fail(t.Context(), d.take("a"), "no such number"); err != nil {
			t.Fatal(err)
		}
		if s, why, err := d.Delivery(t.Context(), "a"); s != bot.Failed || why != "no such number" || err != nil {
			t.Errorf("Delivery = %q, %q, %v, want failed, no such number", s, why, err)
		}
		d.Add(2 * lease)
		d.quiet()
	})

	t.Run("Backlog", func(t *testing.T) {
		d := newDesk(t, open)
		want := func(want bot.Depth) {
			t.Helper()
			if got, err := d.Backlog(t.Context(), d.Now()); got != want || err != nil {
				t.Errorf("Backlog = %+v, %v, want %+v", got, err, want)
			}
		}
		want(bot.Depth{})
		d.post("ann", "a")
		d.Add(time.Second)
		d.send(bot.Delivery{Key: "u", Person: "bob", To: from("bob"), Text: "u", Urgent: true})
		want(bot.Depth{Waiting: 2, Urgent: 1, Oldest: time.Second})
		d.accept("u")
		d.take("a")
		want(bot.Depth{Waiting: 1, Leased: 1, Oldest: time.Second})
	})

	t.Run("Sweep", func(t *testing.T) {
		d := newDesk(t, open)
		d.post("ann", "a")
		d.accept("a")
		d.post("ann", "b")
		d.Add(49 * time.Hour)
		if n, err := d.Sweep(t.Context(), d.Now()); n != 1 || err != nil {
			t.Errorf("Sweep = %d, %v, want 1", n, err)
		}
		d.accept("b")
	})

	t.Run("Ready", func(t *testing.T) {
		d := newDesk(t, open)
		signal := func(what string) {
			t.Helper()
			select {
			case <-d.OutboxReady():
			default:
				t.Errorf("after %s there is no signal", what)
			}
		}
		d.post("ann", "a")
		signal("Post")
		d.answer("bob", "q", bot.Outcome{Replies: []bot.Reply{{Text: "r"}}})
		signal("Finish")
		v := d.take("a")
		signal("Take with more to do")
		if err := d.Again(t.Context(), v, d.Now(), ""); err != nil {
			t.Fatal(err)
		}
		signal("Again")
		d.accept("a")
		signal("Accept")
	})
}

// oldText wants every method to refuse v.
func (d *desk) oldText(v bot.Delivery) {
	d.t.Helper()
	ctx := d.t.Context()
	d.conflict("Accept of an old text", d.Accept(ctx, v, "X"))
	d.conflict("Fail of an old text", d.Fail(ctx, v, "why"))
	d.conflict("Again of an old text", d.Again(ctx, v, d.Now(), ""))
}
