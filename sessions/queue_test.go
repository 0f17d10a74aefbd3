package sessions_test

import (
	"context"
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"plumbline/bot"
	"plumbline/sessions"
	"plumbline/sessions/sessiontest"
)

var start = time.Date(2026, 11, 30, 12, 0, 0, 0, time.UTC)

// A desk is a queue in a test, with a clock that is moved by hand.
type desk struct {
	*sessions.Queue
	t   *testing.T
	now time.Time
	n   int
}

func newDesk(t *testing.T) *desk {
	d := &desk{t: t, now: start}
	d.Queue = sessions.NewQueue(func() time.Time { return d.now })
	return d
}

func (d *desk) lease() bot.Lease {
	return bot.Lease{Owner: "o", Now: d.now, Until: d.now.Add(time.Minute)}
}

// put puts a text and wants what becomes of it.
func (d *desk) put(person, text string, a bot.Arrival, want bot.Receipt) {
	d.t.Helper()
	if d.n++; a.Message.ID == "" {
		a.Message.ID = fmt.Sprint("m", d.n)
	}
	a.Message.From, a.Message.Text, a.Message.At = bot.Address{Channel: "sms", User: "user of " + person}, text, d.now
	if got, err := d.Put(d.t.Context(), person, a); got != want || err != nil {
		d.t.Fatalf("Put(%s, %q) = %q, %v, want %q", person, text, got, err, want)
	}
}

func (d *desk) say(person, text string) {
	d.t.Helper()
	d.put(person, text, bot.Arrival{}, bot.Queued)
}

// next wants the next job to have a text; "" for none.
func (d *desk) next(want string) bot.Job {
	d.t.Helper()
	j, err := d.Next(d.t.Context(), d.lease())
	if want == "" {
		if !errors.Is(err, bot.ErrNotFound) {
			d.t.Fatalf("Next = %q, %v, want ErrNotFound", j.Message.Text, err)
		}
		return j
	}
	if err != nil || j.Message.Text != want {
		d.t.Fatalf("Next = %q, %v, want %q", j.Message.Text, err, want)
	}
	return j
}

// finish finishes j with texts.
func (d *desk) finish(j bot.Job, o bot.Outcome, texts ...string) {
	d.t.Helper()
	for _, s := range texts {
		o.Replies = append(o.Replies, bot.Reply{Text: s})
	}
	if err := d.Finish(d.t.Context(), j, o); err != nil {
		d.t.Fatalf("Finish(%q): %v", j.Message.Text, err)
	}
}

// take wants the next text to be want; "" for none.
func (d *desk) take(want string) bot.Delivery {
	d.t.Helper()
	got, err := d.Take(d.t.Context(), []string{"sms"}, d.lease())
	if want == "" && errors.Is(err, bot.ErrNotFound) {
		return got
	}
	if err != nil || got.Text != want {
		d.t.Fatalf("Take = %q, %v, want %q", got.Text, err, want)
	}
	return got
}

func (d *desk) accept(want string) {
	d.t.Helper()
	if err := d.Accept(d.t.Context(), d.take(want), "v-"+want); err != nil {
		d.t.Fatalf("Accept(%q): %v", want, err)
	}
}

func TestQueueSessions(t *testing.T) {
	sessiontest.Run(t, func(t *testing.T, o sessiontest.Options) bot.SessionStore {
		q := sessions.NewQueue(time.Now)
		q.TTL, q.Now = o.TTL, o.Now
		return q
	})
}

func TestQueueInbox(t *testing.T) {
	t.Run("JobSaysEverything", func(t *testing.T) {
		d := newDesk(t)
		d.say("ann", "first")
		d.finish(d.next("first"), bot.Outcome{Told: true, Remember: func(s *bot.Session) error { s.Persona = "p"; return nil }})
		d.put("ann", "x", bot.Arrival{Message: bot.Message{ID: "SM", Language: bot.Spanish}, Urgent: true, Word: bot.WordHelp}, bot.Queued)
		received := d.now
		d.now = d.now.Add(time.Second)
		got := d.next("x")
		want := bot.Job{Seq: got.Seq, Fence: got.Fence, Tries: 1, Person: "ann", Joined: 1, Urgent: true, Word: bot.WordHelp, Receipt: bot.Queued,
			Received: received, Session: bot.Session{Persona: "p"},
			Message: bot.Message{ID: "SM", From: bot.Address{Channel: "sms", User: "user of ann"}, Text: "x", Language: bot.Spanish, At: received}}
		if got.Seq == 0 || got.Fence == 0 || !reflect.DeepEqual(got, want) {
			t.Errorf("Next = %+v, want %+v", got, want)
		}
	})
	t.Run("Refuses", func(t *testing.T) {
		d := newDesk(t)
		if _, err := d.Put(t.Context(), "ann", bot.Arrival{}); !errors.Is(err, bot.ErrInvalid) {
			t.Errorf("Put of nothing = %v, want ErrInvalid", err)
		}
		ctx, cancel := context.WithCancel(t.Context())
		cancel()
		a := bot.Arrival{Message: bot.Message{ID: "a", From: bot.Address{Channel: "sms"}}}
		if _, err := d.Put(ctx, "ann", a); !errors.Is(err, context.Canceled) {
			t.Errorf("Put with a cancelled context = %v", err)
		}
		d.next("")
	})
	t.Run("SameIDIsRepeated", func(t *testing.T) {
		d := newDesk(t)
		a := bot.Arrival{Message: bot.Message{ID: "same"}}
		d.put("ann", "x", a, bot.Queued)
		d.put("ann", "x", a, bot.Repeated)
		d.finish(d.next("x"), bot.Outcome{})
		d.now = d.now.Add(48*time.Hour - 1)
		d.put("ann", "other words", a, bot.Repeated)
		d.next("")
		d.now = d.now.Add(2 * time.Hour)
		d.put("ann", "x", a, bot.Queued)
	})
	t.Run("OneAtATimeInOrder", func(t *testing.T) {
		d := newDesk(t)
		d.say("ann", "1")
		d.say("ann", "2")
		j := d.next("1")
		d.next("")
		if err := d.Return(t.Context(), j, d.now.Add(time.Second), "why"); err != nil {
			t.Fatal(err)
		}
		d.next("") // not even the second while the first waits
		d.now = d.now.Add(time.Second)
		if j = d.next("1"); j.Tries != 2 {
			t.Errorf("Tries = %d when handed out again, want 2", j.Tries)
		}
		d.finish(j, bot.Outcome{})
		d.next("2")
	})
	t.Run("PersonsTakeTurns", func(t *testing.T) {
		d := newDesk(t)
		for _, s := range []string{"a1", "a2", "a3"} {
			d.say("ann", s)
		}
		d.say("bob", "b1")
		for _, want := range []string{"a1", "b1", "a2", "a3"} {
			d.finish(d.next(want), bot.Outcome{})
		}
	})
	t.Run("UrgentOvertakes", func(t *testing.T) {
		d := newDesk(t)
		for _, s := range []string{"1", "2"} {
			d.say("ann", s)
		}
		d.next("1")
		d.say("bob", "b")
		d.put("ann", "help!", bot.Arrival{Urgent: true}, bot.Queued)
		j := d.next("help!") // though another of hers is in hand
		d.next("b")
		d.next("") // "2" waits for "1"
		d.finish(j, bot.Outcome{})
		d.next("")
		l := d.lease()
		l.Urgent = true
		if _, err := d.Next(t.Context(), l); !errors.Is(err, bot.ErrNotFound) {
			t.Errorf("Next(urgent) = %v, want ErrNotFound", err)
		}
	})
	t.Run("LeaseEnds", func(t *testing.T) {
		d := newDesk(t)
		d.say("ann", "x")
		old := d.next("x")
		d.now = d.now.Add(50 * time.Second)
		if err := d.Extend(t.Context(), old, d.now.Add(time.Minute)); err != nil {
			t.Fatal(err)
		}
		d.now = d.now.Add(time.Minute - 1)
		d.next("")
		d.now = d.now.Add(1)
		if j := d.next("x"); j.Fence <= old.Fence || j.Tries != 2 {
			t.Errorf("fence %d after %d, tries %d, want more and 2", j.Fence, old.Fence, j.Tries)
		}
		for what, err := range map[string]error{
			"Extend": d.Extend(t.Context(), old, d.now), "Return": d.Return(t.Context(), old, d.now, ""), "Finish": d.Finish(t.Context(), old, bot.Outcome{}),
		} {
			if !errors.Is(err, bot.ErrConflict) {
				t.Errorf("%s by the old holder = %v, want ErrConflict", what, err)
			}
		}
		d.next("")
	})
	t.Run("FailedOutcomeChangesNothing", func(t *testing.T) {
		d, no := newDesk(t), errors.New("no")
		d.say("ann", "x")
		j := d.next("x")
		o := bot.Outcome{Replies: []bot.Reply{{Text: "r"}}, Remember: func(*bot.Session) error { return no }}
		if err := d.Finish(t.Context(), j, o); !errors.Is(err, no) {
			t.Fatalf("Finish = %v, want the error of Remember", err)
		}
		if err := d.Finish(t.Context(), j, bot.Outcome{Consent: "maybe"}); !errors.Is(err, bot.ErrInvalid) {
			t.Errorf("Finish with consent \"maybe\" = %v, want ErrInvalid", err)
		}
		d.take("")
		d.finish(j, bot.Outcome{}, "r")
		d.accept("r")
	})
	t.Run("Parked", func(t *testing.T) {
		d := newDesk(t)
		d.say("ann", "x")
		d.say("ann", "y")
		j := d.next("x")
		d.finish(j, bot.Outcome{Parked: "why"})
		list, err := d.Parked(t.Context())
		if want := (bot.Parked{Seq: j.Seq, Channel: "sms", Person: "ann", Tries: 1, Why: "why", At: d.now}); err != nil || len(list) != 1 || list[0] != want {
			t.Errorf("Parked = %+v, %v, want %+v", list, err, want)
		}
		d.now = d.now.Add(time.Second)
		d.next("y")
		got, err := d.Depth(t.Context(), d.now)
		if want := (bot.Depth{Waiting: 1, Leased: 1, Parked: 1, Oldest: time.Second}); got != want || err != nil {
			t.Errorf("Depth = %+v, %v, want %+v", got, err, want)
		}
	})
}

func TestQueueRules(t *testing.T) {
	joining := bot.Arrival{Rules: bot.IntakeRules{Debounce: 3 * time.Second, Patience: 7 * time.Second}}
	t.Run("Debounce", func(t *testing.T) {
		d := newDesk(t)
		d.put("ann", "is my", joining, bot.Queued)
		d.now = d.now.Add(3 * time.Second)
		d.put("ann", "tea", joining, bot.Queued)
		d.now = d.now.Add(3 * time.Second)
		d.put("ann", "safe", joining, bot.Queued)
		d.now = d.now.Add(time.Second - 1) // patience ends at 7
		d.next("")
		d.now = d.now.Add(1)
		j := d.next("is my\ntea\nsafe")
		if j.Joined != 3 || j.Message.ID != "m1" || !j.Received.Equal(start) {
			t.Errorf("joined %d, id %s, received %v, want 3, m1, %v", j.Joined, j.Message.ID, j.Received, start)
		}
		d.put("ann", "late", joining, bot.Queued) // what was handed out is closed
		d.put("ann", "x", bot.Arrival{Message: bot.Message{ID: "m3"}}, bot.Repeated)
		d.finish(j, bot.Outcome{})
		d.put("ann", "x", bot.Arrival{Message: bot.Message{ID: "m3"}}, bot.Repeated)
	})
	t.Run("WordsAndEmergenciesAreNotJoined", func(t *testing.T) {
		d := newDesk(t)
		word, urgent := joining, joining
		word.Word, urgent.Urgent = bot.WordMore, true
		d.put("ann", "one", joining, bot.Queued)
		d.put("ann", "MORE", word, bot.Queued)
		d.put("ann", "help!", urgent, bot.Queued)
		d.finish(d.next("help!"), bot.Outcome{})
		d.finish(d.next("one"), bot.Outcome{}) // at once: nothing can join it any more
		d.next("MORE")
	})
	t.Run("Repeat", func(t *testing.T) {
		d := newDesk(t)
		a := bot.Arrival{Rules: bot.IntakeRules{Repeat: time.Minute}}
		d.put("ann", "Is it safe", a, bot.Queued)
		d.put("ann", "is  it SAFE", a, bot.Repeated)
		d.put("bob", "is it safe", a, bot.Queued)
		word, urgent := a, a
		word.Word, urgent.Urgent = bot.WordMore, true
		for range 2 {
			d.put("ann", "more", word, bot.Queued)
			d.put("ann", "fire", urgent, bot.Queued)
		}
		d.now = d.now.Add(time.Minute)
		d.put("ann", "is it safe", a, bot.Queued)
	})
	t.Run("Limits", func(t *testing.T) {
		d := newDesk(t)
		a := bot.Arrival{Rules: bot.IntakeRules{Limits: []bot.Limit{{Count: 2, Per: time.Minute}}, Silence: time.Hour}}
		d.put("ann", "1", a, bot.Queued)
		d.put("ann", "2", a, bot.Queued)
		d.put("ann", "3", a, bot.Limited)
		d.put("ann", "4", a, bot.Silenced)
		urgent, stop := a, a
		urgent.Urgent, stop.Word = true, bot.WordStop
		d.put("ann", "fire", urgent, bot.Queued)
		d.put("ann", "STOP", stop, bot.Queued)
		d.put("bob", "b", a, bot.Queued)
		d.now = d.now.Add(time.Hour - 1)
		d.put("ann", "5", a, bot.Silenced)
		d.now = d.now.Add(1)
		d.put("ann", "6", a, bot.Queued)
		d.finish(d.next("fire"), bot.Outcome{})
		d.finish(d.next("STOP"), bot.Outcome{}) // goes first, too
		d.finish(d.next("1"), bot.Outcome{})
		d.finish(d.next("b"), bot.Outcome{})
		d.finish(d.next("2"), bot.Outcome{})
		if j := d.next("3"); j.Receipt != bot.Limited {
			t.Errorf("Receipt = %q, want %q", j.Receipt, bot.Limited)
		}
	})
}

func TestQueueOutbox(t *testing.T) {
	t.Run("DeliverySaysEverything", func(t *testing.T) {
		d := newDesk(t)
		d.say("ann", "x")
		received := d.now
		d.now = d.now.Add(time.Second)
		r := bot.Reply{Text: "r", Language: bot.Spanish, Status: bot.Answered, Answer: "A", More: []string{"m"}}
		d.finish(d.next("x"), bot.Outcome{Replies: []bot.Reply{r}})
		got := d.take("r")
		want := bot.Delivery{Seq: got.Seq, Fence: 1, Tries: 1, Key: got.Key, Person: "ann", To: bot.Address{Channel: "sms", User: "user of ann"}, Text: "r",
			Language: bot.Spanish, Answer: "A", Status: bot.Answered, Offers: []bot.Word{bot.WordMore}, Composed: d.now, Asked: received}
		if got.Seq == 0 || got.Key == "" || strings.Contains(got.Key, "m1") || !reflect.DeepEqual(got, want) {
			t.Errorf("Take = %+v, want %+v", got, want)
		}
	})
	t.Run("InOrderUrgentFirst", func(t *testing.T) {
		d := newDesk(t)
		d.say("ann", "x")
		d.finish(d.next("x"), bot.Outcome{}, "1", "2", "3")
		first := d.take("1")
		d.take("")
		d.put("ann", "fire", bot.Arrival{Urgent: true}, bot.Queued)
		d.finish(d.next("fire"), bot.Outcome{}, "call")
		urgent := d.take("call") // though another of hers is in hand
		if err := d.Again(t.Context(), first, d.now, "busy"); err != nil {
			t.Fatal(err)
		}
		d.take("")
		if err := d.Accept(t.Context(), urgent, "v"); err != nil {
			t.Fatal(err)
		}
		for _, want := range []string{"1", "2", "3"} {
			d.accept(want)
		}
		d.take("")
		if got, err := d.Backlog(t.Context(), d.now); got != (bot.Depth{}) || err != nil {
			t.Errorf("Backlog = %+v, %v, want nothing", got, err)
		}
	})
	t.Run("OtherChannelsAreLeft", func(t *testing.T) {
		d := newDesk(t)
		d.say("ann", "x")
		d.finish(d.next("x"), bot.Outcome{}, "r")
		if got, err := d.Take(t.Context(), []string{"slack"}, d.lease()); !errors.Is(err, bot.ErrNotFound) {
			t.Errorf("Take(slack) = %q, %v, want ErrNotFound", got.Text, err)
		}
	})
	t.Run("LeaseEnds", func(t *testing.T) {
		d := newDesk(t)
		d.say("ann", "x")
		d.finish(d.next("x"), bot.Outcome{}, "r")
		old := d.take("r")
		d.now = d.now.Add(time.Minute)
		if again := d.take("r"); !again.Tried || !again.LastTried.Equal(old.Composed) || again.Key != old.Key || again.Tries != 2 {
			t.Errorf("handed out again as %+v, want it to say that it was tried", again)
		}
		for what, err := range map[string]error{
			"Accept": d.Accept(t.Context(), old, "v"), "Fail": d.Fail(t.Context(), old, ""), "Again": d.Again(t.Context(), old, d.now, ""),
		} {
			if !errors.Is(err, bot.ErrConflict) {
				t.Errorf("%s by the old holder = %v, want ErrConflict", what, err)
			}
		}
	})
	t.Run("Settle", func(t *testing.T) {
		d := newDesk(t)
		d.say("ann", "x")
		d.finish(d.next("x"), bot.Outcome{}, "r")
		got := d.take("r")
		if err := d.Accept(t.Context(), got, "V"); err != nil {
			t.Fatal(err)
		}
		state := func(want bot.DeliveryState) {
			t.Helper()
			if s, _, err := d.Delivery(t.Context(), got.Key); s != want || err != nil {
				t.Errorf("state = %q, %v, want %q", s, err, want)
			}
		}
		state(bot.Accepted)
		if err := d.Settle(t.Context(), bot.Settlement{Channel: "slack", VendorID: "V", State: bot.Failed}); !errors.Is(err, bot.ErrNotFound) {
			t.Errorf("Settle of another channel's = %v, want ErrNotFound", err)
		}
		for _, s := range []bot.DeliveryState{bot.Delivered, bot.Failed} { // the second comes late
			if err := d.Settle(t.Context(), bot.Settlement{Channel: "sms", VendorID: "V", State: s}); err != nil {
				t.Fatal(err)
			}
			state(bot.Delivered)
		}
	})
	t.Run("Post", func(t *testing.T) {
		d := newDesk(t)
		post := bot.Delivery{Key: "k", Person: "ann", To: bot.Address{Channel: "sms", User: "u"}, Text: "note", Unasked: true}
		for range 2 {
			if err := d.Post(t.Context(), post); err != nil {
				t.Fatal(err)
			}
		}
		d.say("ann", "x")
		d.finish(d.next("x"), bot.Outcome{}, "r")
		if err := d.Again(t.Context(), d.take("note"), d.now.Add(time.Hour), "quiet hours"); err != nil {
			t.Fatal(err)
		}
		d.accept("r") // an answer does not wait for what nobody asked for
		d.take("")
		d.now = d.now.Add(time.Hour)
		d.accept("note")
		d.take("")
		post.Text = ""
		if err := d.Post(t.Context(), post); !errors.Is(err, bot.ErrInvalid) {
			t.Errorf("Post of no text = %v, want ErrInvalid", err)
		}
	})
}

func TestQueueConsent(t *testing.T) {
	d := newDesk(t)
	d.say("ann", "x")
	d.say("ann", "STOP")
	d.finish(d.next("x"), bot.Outcome{Told: true}, "1", "2")
	held := d.take("1")
	d.finish(d.next("STOP"), bot.Outcome{Consent: bot.OptOut, Despite: true}, "you are out")
	if err := d.Again(t.Context(), held, d.now, "busy"); err != nil { // it was in hand, and has failed now
		t.Fatal(err)
	}
	d.accept("you are out")
	d.take("")
	d.say("ann", "y")
	j := d.next("y")
	if !j.OptedOut || j.New {
		t.Errorf("opted out %t, new %t; want true, false", j.OptedOut, j.New)
	}
	d.finish(j, bot.Outcome{}, "not to be sent")
	d.take("")
	d.say("ann", "FORGET")
	d.finish(d.next("FORGET"), bot.Outcome{Forget: true})
	d.say("ann", "START")
	if j = d.next("START"); !j.OptedOut || !j.New {
		t.Errorf("opted out %t, new %t after FORGET; want both", j.OptedOut, j.New)
	}
	d.finish(j, bot.Outcome{Consent: bot.OptIn}, "you are back")
	d.accept("you are back")
}

func TestQueueForgets(t *testing.T) {
	d := newDesk(t)
	d.say("ann", "x")
	d.finish(d.next("x"), bot.Outcome{Parked: "why", Remember: func(s *bot.Session) error { s.Persona = "p"; return nil }})
	d.say("ann", "FORGET")
	j := d.next("FORGET")
	if j.Session.Persona != "p" {
		t.Fatalf("session = %+v, want what was remembered", j.Session)
	}
	d.finish(j, bot.Outcome{Forget: true, Remember: func(s *bot.Session) error { s.Persona = "q"; return nil }}, "done")
	d.accept("done")
	d.say("ann", "y")
	if j := d.next("y"); !reflect.DeepEqual(j.Session, bot.Session{}) {
		t.Errorf("session after FORGET = %+v, want an empty one", j.Session)
	}
	if list, _ := d.Parked(t.Context()); len(list) != 0 {
		t.Errorf("Parked = %+v after FORGET, want none", list)
	}
}

// Whatever the workers do, each message is finished once and its text goes out
// once, in order.
func TestQueueConcurrently(t *testing.T) {
	q := sessions.NewQueue(time.Now)
	const persons, each = 5, 20
	var wg, workers sync.WaitGroup
	var mu sync.Mutex
	got := map[string][]string{}
	for p := range persons {
		wg.Go(func() {
			person := fmt.Sprint("p", p)
			for i := range each {
				m := bot.Message{ID: fmt.Sprintf("%d-%d", p, i), From: bot.Address{Channel: "sms", User: person}, Text: fmt.Sprint(i)}
				if r, err := q.Put(t.Context(), person, bot.Arrival{Message: m}); r != bot.Queued || err != nil {
					t.Errorf("Put = %q, %v", r, err)
				}
			}
		})
	}
	left := func() bool {
		in, _ := q.Depth(t.Context(), time.Now())
		out, _ := q.Backlog(t.Context(), time.Now())
		return in.Waiting+out.Waiting > 0
	}
	wg.Wait()
	for range 3 {
		workers.Go(func() {
			for left() {
				l := bot.Lease{Now: time.Now(), Until: time.Now().Add(time.Minute)}
				if j, err := q.Next(t.Context(), l); err == nil {
					if err := q.Finish(t.Context(), j, bot.Outcome{Replies: []bot.Reply{{Text: j.Message.Text}}}); err != nil {
						t.Errorf("Finish: %v", err)
					}
				}
				if d, err := q.Take(t.Context(), []string{"sms"}, l); err == nil {
					mu.Lock()
					got[d.Person] = append(got[d.Person], d.Text)
					mu.Unlock()
					if err := q.Accept(t.Context(), d, d.Key); err != nil {
						t.Errorf("Accept: %v", err)
					}
				}
			}
		})
	}
	workers.Wait()
	var want []string
	for i := range each {
		want = append(want, fmt.Sprint(i))
	}
	for p := range persons {
		if texts := got[fmt.Sprint("p", p)]; !slices.Equal(texts, want) {
			t.Errorf("p%d got %q, want %q", p, texts, want)
		}
	}
}
