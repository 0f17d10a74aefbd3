// Package webtest is what every web.Mailbox must do, as a test.
package webtest

import (
	"context"
	"errors"
	"fmt"
	"reflect"
	"sync"
	"testing"
	"time"

	"plumbline/bot"
	"plumbline/channels/web"
)

var at = time.Date(2026, 11, 30, 9, 0, 0, 0, time.UTC)

// Run tests the empty mailboxes that open returns.
func Run(t *testing.T, open func(t *testing.T) web.Mailbox) {
	for _, tt := range []struct {
		name string
		test func(*testing.T, web.Mailbox)
	}{
		{"Order", testOrder},
		{"Whole", testWhole},
		{"SameKey", testSameKey},
		{"Last100", testLast100},
		{"Visitors", testVisitors},
		{"Remove", testRemove},
		{"Clear", testClear},
		{"CallersOwn", testCallersOwn},
		{"Done", testDone},
		{"AtOnce", testAtOnce},
	} {
		t.Run(tt.name, func(t *testing.T) { tt.test(t, open(t)) })
	}
}

func add(t *testing.T, m web.Mailbox, visitor string, bubbles ...web.Bubble) {
	t.Helper()
	for _, b := range bubbles {
		if err := m.Add(t.Context(), visitor, b); err != nil {
			t.Fatalf("Add(%q, %+v) = %v, want nil", visitor, b, err)
		}
	}
}

func list(t *testing.T, m web.Mailbox, visitor string) []web.Bubble {
	t.Helper()
	bubbles, err := m.List(t.Context(), visitor)
	if err != nil {
		t.Fatalf("List(%q) = %v, want nil", visitor, err)
	}
	return bubbles
}

func wantKeys(t *testing.T, m web.Mailbox, visitor string, want ...string) {
	t.Helper()
	got := []string{}
	for _, b := range list(t, m, visitor) {
		got = append(got, b.Key)
	}
	if fmt.Sprint(got) != fmt.Sprint(want) {
		t.Errorf("List(%q) has the keys %v, want %v", visitor, got, want)
	}
}

// Bubbles stand as they were added, whatever their times say.
func testOrder(t *testing.T, m web.Mailbox) {
	wantKeys(t, m, "ann")
	add(t, m, "ann", web.Bubble{Key: "b", At: at}, web.Bubble{Key: "a", At: at.Add(-time.Hour)}, web.Bubble{Key: "c", At: at})
	wantKeys(t, m, "ann", "b", "a", "c")
}

func testWhole(t *testing.T, m web.Mailbox) {
	want := []web.Bubble{
		{Key: "in/1", Mine: true, Text: "¿Qué? <b>\U0001F642\n\"'\x00 end", At: at.Add(123456 * time.Microsecond)},
		{Key: "out/1", Text: "reply", Language: bot.Spanish, Status: bot.AnsweredWithLimits, Offers: []bot.Word{bot.WordMore, bot.WordWhy}, Answer: "a-1", At: at},
		{Key: "out/2", At: at},
	}
	add(t, m, "ann", want...)
	got := list(t, m, "ann")
	if len(got) != len(want) {
		t.Fatalf("List has %d bubbles, want %d", len(got), len(want))
	}
	for i := range want {
		if !got[i].At.Equal(want[i].At) {
			t.Errorf("bubble %d is of %v, want %v", i, got[i].At, want[i].At)
		}
		got[i].At = want[i].At
		if len(got[i].Offers) == 0 {
			got[i].Offers = nil
		}
		if !reflect.DeepEqual(got[i], want[i]) {
			t.Errorf("bubble %d = %+v, want %+v", i, got[i], want[i])
		}
	}
}

func testSameKey(t *testing.T, m web.Mailbox) {
	add(t, m, "ann", web.Bubble{Key: "a", Text: "first", At: at}, web.Bubble{Key: "b", At: at}, web.Bubble{Key: "a", Text: "second", At: at})
	wantKeys(t, m, "ann", "a", "b")
	if got := list(t, m, "ann")[0].Text; got != "first" {
		t.Errorf("after a second Add with its key the bubble says %q, want %q", got, "first")
	}
}

func testLast100(t *testing.T, m web.Mailbox) {
	for i := range web.MaxBubbles + 7 {
		add(t, m, "ann", web.Bubble{Key: fmt.Sprint(i), At: at})
	}
	got := list(t, m, "ann")
	if len(got) != web.MaxBubbles || got[0].Key != "7" || got[len(got)-1].Key != "106" {
		t.Errorf("after 107 bubbles List has %d, from %s to %s; want 100, from 7 to 106", len(got), got[0].Key, got[len(got)-1].Key)
	}
}

// A visitor sees their own bubbles alone; keys are theirs too.
func testVisitors(t *testing.T, m web.Mailbox) {
	add(t, m, "ann", web.Bubble{Key: "a", Text: "ann's", At: at})
	add(t, m, "bob", web.Bubble{Key: "a", Text: "bob's", At: at})
	for visitor, want := range map[string]string{"ann": "ann's", "bob": "bob's"} {
		if got := list(t, m, visitor); len(got) != 1 || got[0].Text != want {
			t.Errorf("List(%q) = %+v, want the one bubble %q", visitor, got, want)
		}
	}
	wantKeys(t, m, "an")
}

func testRemove(t *testing.T, m web.Mailbox) {
	add(t, m, "ann", web.Bubble{Key: "a", At: at}, web.Bubble{Key: "b", At: at})
	add(t, m, "bob", web.Bubble{Key: "a", At: at})
	for range 2 {
		if err := m.Remove(t.Context(), "ann", "a"); err != nil {
			t.Errorf("Remove = %v, want nil", err)
		}
	}
	wantKeys(t, m, "ann", "b")
	wantKeys(t, m, "bob", "a")
	add(t, m, "ann", web.Bubble{Key: "a", At: at})
	wantKeys(t, m, "ann", "b", "a")
}

func testClear(t *testing.T, m web.Mailbox) {
	add(t, m, "ann", web.Bubble{Key: "a", At: at})
	add(t, m, "bob", web.Bubble{Key: "b", At: at})
	for range 2 {
		if err := m.Clear(t.Context(), "ann"); err != nil {
			t.Errorf("Clear = %v, want nil", err)
		}
	}
	wantKeys(t, m, "ann")
	wantKeys(t, m, "bob", "b")
	add(t, m, "ann", web.Bubble{Key: "a", At: at})
	wantKeys(t, m, "ann", "a")
}

func testCallersOwn(t *testing.T, m web.Mailbox) {
	add(t, m, "ann", web.Bubble{Key: "a", Text: "said", Offers: []bot.Word{bot.WordMore}, At: at})
	got := list(t, m, "ann")
	got[0].Text, got[0].Offers[0] = "changed", bot.WordStop
	if again := list(t, m, "ann")[0]; again.Text != "said" || again.Offers[0] != bot.WordMore {
		t.Errorf("what a caller did to a list is in the mailbox: %+v", again)
	}
}

func testDone(t *testing.T, m web.Mailbox) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if err := m.Add(ctx, "ann", web.Bubble{Key: "a", At: at}); !errors.Is(err, context.Canceled) {
		t.Errorf("Add with a context that is done = %v, want context.Canceled", err)
	}
	if _, err := m.List(ctx, "ann"); !errors.Is(err, context.Canceled) {
		t.Errorf("List with a context that is done = %v, want context.Canceled", err)
	}
	wantKeys(t, m, "ann")
}

func testAtOnce(t *testing.T, m web.Mailbox) {
	var wg sync.WaitGroup
	for i := range 8 {
		wg.Go(func() {
			for j := range 5 {
				if err := m.Add(t.Context(), "ann", web.Bubble{Key: fmt.Sprint(j), At: at}); err != nil {
					t.Errorf("Add = %v", err)
				}
				if err := m.Add(t.Context(), "ann", web.Bubble{Key: fmt.Sprint(i, "/", j), At: at}); err != nil {
					t.Errorf("Add = %v", err)
				}
				if _, err := m.List(t.Context(), "ann"); err != nil {
					t.Errorf("List = %v", err)
				}
			}
		})
	}
	wg.Wait()
	if n := len(list(t, m, "ann")); n != 45 {
		t.Errorf("8 goroutines that add 5 keys of their own and 5 in common leave %d bubbles, want 45", n)
	}
}
