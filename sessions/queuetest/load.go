package queuetest

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"plumbline/bot"
)

// Fill puts n texts of as many persons into st, with many hands.
func Fill(t testing.TB, st bot.Inbox, n int) {
	t.Helper()
	var next atomic.Int64
	var wg sync.WaitGroup
	for range 64 {
		wg.Go(func() {
			for i := next.Add(1); i <= int64(n); i = next.Add(1) {
				person := fmt.Sprint("person ", i)
				m := bot.Message{ID: fmt.Sprint("fill ", i), From: from(person), Text: "a question of some length, as people ask it", At: Start}
				if r, err := st.Put(t.Context(), person, bot.Arrival{Message: m}); r != bot.Queued || err != nil {
					t.Errorf("Put(%s) = %q, %v, want queued", person, r, err)
					return
				}
			}
		})
	}
	wg.Wait()
}

func testLoad(t *testing.T, open Open) {
	t.Run("ManyOfOneDoNotHoldUpOthers", func(t *testing.T) {
		d := newDesk(t, open)
		var wg sync.WaitGroup
		for i := range 500 {
			a := d.said("ann", fmt.Sprint("ann ", i))
			wg.Go(func() {
				if _, err := d.Put(t.Context(), "ann", a); err != nil {
					t.Errorf("Put: %v", err)
				}
			})
		}
		wg.Wait()
		for i := range 20 {
			d.say(fmt.Sprint("other ", i), "q")
		}
		others := 0
		for range 40 {
			j, err := d.Next(t.Context(), d.leased())
			if err != nil {
				t.Fatal(err)
			}
			if j.Person != "ann" {
				others++
			}
			d.finish(j)
		}
		if others != 20 {
			t.Errorf("of 20 others %d were served within the first 40 jobs, want all", others)
		}
	})

	t.Run("UrgentIsNextAmong15000", func(t *testing.T) {
		d := newDesk(t, open)
		Fill(t, d, 15000)
		d.next("a question of some length, as people ask it")
		d.cry("ann", "help")
		d.next("help")
	})

	t.Run("CrashesAndRepeats", func(t *testing.T) { testCrashes(t, open) })
}

// testCrashes has four workers answer 2,000 messages of 150 persons, a tenth of
// which come twice, and four send the replies. One try in twenty ends in a
// crash: nobody says what became of it. Every message must be answered once and
// every reply sent, each person's in order.
func testCrashes(t *testing.T, open Open) {
	const messages, persons, workers = 2000, 150, 4
	d := newDesk(t, open)
	rng := rand.New(rand.NewPCG(1, 2))
	in := map[string][]bot.Arrival{}
	want := map[string][]string{} // the texts of each person
	for i := range messages {
		person := fmt.Sprint("person ", rng.IntN(persons))
		a := d.said(person, fmt.Sprint(i))
		want[person] = append(want[person], a.Message.Text)
		in[person] = append(in[person], a)
		if rng.IntN(10) == 0 {
			in[person] = append(in[person], in[person][rng.IntN(len(in[person]))])
		}
	}

	var put sync.WaitGroup
	for person, list := range in {
		put.Go(func() {
			for _, a := range list {
				if _, err := d.Put(t.Context(), person, a); err != nil {
					t.Errorf("Put: %v", err)
				}
			}
		})
	}
	put.Wait()

	work := func(seed uint64, step func(crash bool) error) {
		rng := rand.New(rand.NewPCG(seed, 0))
		for range 20 * messages {
			err := step(rng.IntN(20) == 0)
			switch {
			case errors.Is(err, bot.ErrNotFound):
				return
			case errors.Is(err, bot.ErrConflict): // it took too long
			case err != nil:
				t.Errorf("worker: %v", err)
				return
			}
		}
	}
	ask := func(crash bool) error {
		j, err := d.Next(t.Context(), d.leased())
		if err != nil || crash {
			return err
		}
		return d.Finish(t.Context(), j, bot.Outcome{Replies: []bot.Reply{{Text: j.Message.Text}}})
	}
	var mu sync.Mutex
	got := map[string][]string{}
	send := func(crash bool) error {
		v, err := d.Take(t.Context(), []string{"sms"}, d.leased())
		if err != nil || crash {
			return err
		}
		mu.Lock()
		got[v.Person] = append(got[v.Person], v.Text)
		mu.Unlock()
		return d.Accept(t.Context(), v, v.Key)
	}
	waiting := func(depth func(context.Context, time.Time) (bot.Depth, error)) bool {
		got, err := depth(t.Context(), d.Now())
		if err != nil {
			t.Fatal(err)
		}
		return got.Waiting > 0
	}
	for _, part := range []struct {
		step  func(crash bool) error
		depth func(context.Context, time.Time) (bot.Depth, error)
	}{{ask, d.Depth}, {send, d.Backlog}} {
		for round := uint64(0); waiting(part.depth) && !t.Failed(); round++ {
			if round == 100 {
				t.Fatal("there is no end to it")
			}
			var wg sync.WaitGroup
			for i := range uint64(workers) {
				wg.Go(func() { work(round*workers+i, part.step) })
			}
			wg.Wait()
			d.Add(2 * lease) // what those who crashed had is free
		}
	}
	total := 0
	for person, texts := range want {
		total += len(got[person])
		if !slices.Equal(got[person], texts) {
			t.Errorf("replies to %s = %v, want %v", person, got[person], texts)
		}
	}
	if total != messages {
		t.Errorf("%d replies were sent, want %d", total, messages)
	}
}
