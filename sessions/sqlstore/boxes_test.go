package sqlstore_test

import (
	"fmt"
	"slices"
	"testing"

	"plumbline/bot"
)

func TestBoxes(t *testing.T) {
	st := open(t)
	kept := func(person string) (list []string) {
		t.Helper()
		values, err := st.Kept(t.Context(), person)
		if err != nil {
			t.Fatalf("Kept(%s): %v", person, err)
		}
		for _, v := range values {
			list = append(list, string(v))
		}
		return list
	}
	for i := range 7 {
		for range 2 { // the second changes nothing
			if err := st.Keep(t.Context(), "ann", fmt.Sprint("k", i), fmt.Append(nil, "v", i), 5); err != nil {
				t.Fatal(err)
			}
		}
	}
	if err := st.Keep(t.Context(), "ann", "k6", []byte("other"), 5); err != nil {
		t.Fatal(err)
	}
	if err := st.Keep(t.Context(), "bob", "k6", []byte("bob's"), 5); err != nil {
		t.Fatal(err)
	}
	if got, want := kept("ann"), []string{"v2", "v3", "v4", "v5", "v6"}; !slices.Equal(got, want) {
		t.Errorf("ann's box holds %q, want the last five, each once: %q", got, want)
	}
	if err := st.Discard(t.Context(), "ann", "k3"); err != nil {
		t.Fatal(err)
	}
	if got := kept("ann"); slices.Contains(got, "v3") || len(got) != 4 {
		t.Errorf("without k3 the box holds %q", got)
	}
	if err := st.Discard(t.Context(), "ann", ""); err != nil {
		t.Fatal(err)
	}
	if got := kept("ann"); len(got) != 0 {
		t.Errorf("discarded, the box holds %q", got)
	}
	if got := kept("bob"); !slices.Equal(got, []string{"bob's"}) {
		t.Errorf("bob's box holds %q, want his own", got)
	}
}

// What a phone shows is put on disk by the message that follows: one wait, not
// two. Whatever else is written waits.
func TestKeepLeavesTheDiskToTheNext(t *testing.T) {
	st := open(t)
	keep := func() error { return st.Keep(t.Context(), "ann", "k", []byte("v"), 5) }
	put := func() error {
		_, err := st.Put(t.Context(), "ann", bot.Arrival{Message: bot.Message{ID: "1", From: bot.Address{Channel: "web", User: "ann"}, Text: "hello"}})
		return err
	}
	for _, tt := range []struct {
		name string
		do   func() error
		want bool
	}{
		{"Put", put, true},
		{"Keep", keep, false},
		{"Keep again", keep, false},
		{"Put after Keep", put, true},
		{"both in one commit", func() error { return st.Together(t.Context()) }, true},
		{"Keep at last", keep, false},
		{"Discard", func() error { return st.Discard(t.Context(), "ann", "k") }, true},
	} {
		if err := tt.do(); err != nil {
			t.Fatalf("%s: %v", tt.name, err)
		}
		if got, err := st.Waits(t.Context()); err != nil || got != tt.want {
			t.Errorf("%s: the commit waited for the disk: %t, %v, want %t", tt.name, got, err, tt.want)
		}
	}
}
