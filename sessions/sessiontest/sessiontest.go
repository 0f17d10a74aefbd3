// Package sessiontest is the contract of a session store, written as tests.
package sessiontest

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"strconv"
	"sync"
	"testing"
	"time"

	"plumbline/bot"
)

// Options are what a store is opened with.
type Options struct {
	TTL time.Duration    // how long a session is remembered after its last change; 0 for ever
	Now func() time.Time // the time by which TTL is judged
}

// Run runs the contract against the stores that open returns, each empty.
func Run(t *testing.T, open func(t *testing.T, o Options) bot.SessionStore) {
	run(t, func(t *testing.T) bot.SessionStore { return open(t, Options{Now: time.Now}) })
	t.Run("TTL", func(t *testing.T) { ttl(t, open) })
}

func run(t *testing.T, open func(t *testing.T) bot.SessionStore) {
	full := bot.Session{
		Language: bot.Spanish, Persona: "neighbor", Seen: []string{"a", "b"},
		History: []bot.Exchange{{Asked: "¿cómo?", Said: "así", Topic: "t", Chunks: []string{"a"}, At: time.Date(2026, 11, 30, 12, 0, 0, 0, time.UTC)}},
		Pending: bot.Reply{Text: "x", More: []string{"y"}, Why: []string{"w"}, Sources: []string{"s"}, Language: bot.Spanish, Status: bot.Answered, Answer: "id"},
		Crisis:  "route", CrisisAt: time.Date(2026, 11, 30, 12, 0, 0, 0, time.UTC), Clarify: "clarify.x", Pack: "p", Offer: &bot.Offer{Pack: "p", Words: []string{"w"}},
	}
	set := func(t *testing.T, st bot.SessionStore, key string, s bot.Session) {
		t.Helper()
		if err := st.Update(t.Context(), key, func(got *bot.Session) error { *got = s; return nil }); err != nil {
			t.Fatalf("Update(%s): %v", key, err)
		}
	}
	load := func(t *testing.T, st bot.SessionStore, key string) bot.Session {
		t.Helper()
		s, err := st.Load(t.Context(), key)
		if err != nil {
			t.Fatalf("Load(%s): %v", key, err)
		}
		return s
	}
	t.Run("NewIsEmpty", func(t *testing.T) {
		if got := load(t, open(t), "nobody"); !reflect.DeepEqual(got, bot.Session{}) {
			t.Errorf("Load of a new key = %+v, want the zero Session", got)
		}
	})
	t.Run("KeepsEveryField", func(t *testing.T) {
		st := open(t)
		set(t, st, "k", full)
		if got := load(t, st, "k"); !reflect.DeepEqual(got, full) {
			t.Errorf("Load = %+v, want %+v", got, full)
		}
		if got := load(t, st, "other"); !reflect.DeepEqual(got, bot.Session{}) {
			t.Errorf("Load(other) = %+v, want nothing of k", got)
		}
	})
	t.Run("KeepsToItsBudget", func(t *testing.T) {
		st := open(t)
		big := full
		big.Pending.Text = "the answer"
		for i := range 200 {
			big.History = append(big.History, bot.Exchange{Asked: fmt.Sprint("question ", i, rand.Text()), Said: rand.Text()})
			big.Seen = append(big.Seen, rand.Text())
			big.Pending.More = append(big.Pending.More, rand.Text())
		}
		set(t, st, "k", big)
		got := load(t, st, "k")
		if got.Pending.Text != "the answer" || got.Persona != full.Persona || len(got.Pending.More) == 0 {
			t.Errorf("of a session that is too big Load = %+v; want persona, answer and some of MORE kept", got)
		}
		if n := len(got.History); n != 0 && got.History[n-1].Asked != big.History[len(big.History)-1].Asked {
			t.Errorf("the last exchange kept is %q, want the last there was", got.History[n-1].Asked)
		}
		if b, err := json.Marshal(got); err != nil || len(b) > 6000 {
			t.Errorf("a session of %d bytes came back, %v; want it cut to 2 KiB", len(b), err)
		}
	})
	t.Run("FailedUpdateChangesNothing", func(t *testing.T) {
		st, no := open(t), errors.New("no")
		set(t, st, "k", full)
		err := st.Update(t.Context(), "k", func(s *bot.Session) error { s.Persona = "changed"; return no })
		if !errors.Is(err, no) {
			t.Errorf("Update = %v, want the error of fn", err)
		}
		if got := load(t, st, "k").Persona; got != full.Persona {
			t.Errorf("persona = %q after a failed update, want %q", got, full.Persona)
		}
	})
	t.Run("LoadedIsACopy", func(t *testing.T) {
		st := open(t)
		set(t, st, "k", full)
		s := load(t, st, "k")
		s.Seen[0], s.History[0].Asked = "changed", "changed"
		if got := load(t, st, "k"); !reflect.DeepEqual(got, full) {
			t.Errorf("Load = %+v after a caller changed its copy, want %+v", got, full)
		}
	})
	t.Run("UpdatesDoNotInterleave", func(t *testing.T) {
		st := open(t)
		var wg sync.WaitGroup
		for range 40 {
			wg.Go(func() {
				err := st.Update(t.Context(), "k", func(s *bot.Session) error {
					n, _ := strconv.Atoi(s.Persona)
					s.Persona = strconv.Itoa(n + 1)
					return nil
				})
				if err != nil {
					t.Errorf("Update: %v", err)
				}
			})
		}
		wg.Wait()
		if got := load(t, st, "k").Persona; got != "40" {
			t.Errorf("count after 40 updates = %s", got)
		}
	})
	t.Run("Forget", func(t *testing.T) {
		st := open(t)
		set(t, st, "k", full)
		for range 2 { // the second forgets what is not there
			if err := st.Forget(t.Context(), "k"); err != nil {
				t.Fatalf("Forget: %v", err)
			}
		}
		if got := load(t, st, "k"); !reflect.DeepEqual(got, bot.Session{}) {
			t.Errorf("Load after Forget = %+v, want nothing", got)
		}
	})
	t.Run("HeedsContext", func(t *testing.T) {
		st := open(t)
		ctx, cancel := context.WithCancel(t.Context())
		cancel()
		if _, err := st.Load(ctx, "k"); !errors.Is(err, context.Canceled) {
			t.Errorf("Load with a cancelled context = %v", err)
		}
		if err := st.Update(ctx, "k", func(*bot.Session) error { return nil }); !errors.Is(err, context.Canceled) {
			t.Errorf("Update with a cancelled context = %v", err)
		}
	})
}

// ttl holds a store to case D11: a session lives from its last change on.
func ttl(t *testing.T, open func(t *testing.T, o Options) bot.SessionStore) {
	start := time.Date(2026, 11, 30, 12, 0, 0, 0, time.UTC)
	now := start
	st := open(t, Options{TTL: 2 * time.Second, Now: func() time.Time { return now }})
	at := func(ms int, want string, set string) {
		t.Helper()
		now = start.Add(time.Duration(ms) * time.Millisecond)
		s, err := st.Load(t.Context(), "k")
		if err != nil || s.Persona != want {
			t.Errorf("after %d ms Load = %q, %v; want %q", ms, s.Persona, err, want)
		}
		if set == "" {
			return
		}
		err = st.Update(t.Context(), "k", func(s *bot.Session) error {
			if s.Persona != want {
				t.Errorf("after %d ms Update is given %q, want %q", ms, s.Persona, want)
			}
			s.Persona = set
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	at(0, "", "a")
	at(1500, "a", "b") // each change begins the time anew
	at(3000, "b", "c")
	at(4999, "c", "") // reading does not
	at(5000, "", "")
	at(6000, "", "d") // what expired is not gone on with
	at(7999, "d", "")
	if err := st.Update(t.Context(), "other", func(s *bot.Session) error { s.Persona = "x"; return nil }); err != nil {
		t.Fatal(err)
	}
	at(8000, "", "")

	now = start
	st = open(t, Options{Now: func() time.Time { return now }}) // no TTL: for ever
	at(0, "", "a")
	at(1_000_000_000, "a", "")
}
