// Package sessiontest is the contract of a session store, written as tests.
package sessiontest

import (
	"context"
	"errors"
	"reflect"
	"strconv"
	"sync"
	"testing"
	"time"

	"plumbline/bot"
)

// Run runs the contract against the stores that open returns, each empty.
func Run(t *testing.T, open func(t *testing.T) bot.SessionStore) {
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
