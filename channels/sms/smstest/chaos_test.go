package smstest_test

import (
	"fmt"
	"maps"
	"net/http"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"plumbline/channels/sms/smstest"
)

// storm is much of everything.
var storm = smstest.Chaos{
	Twice: 0.2, Again: 0.2, Hold: 0.2, HangUp: 0.2,
	Throttle: 0.15, Unavailable: 0.15, CutBefore: 0.15, CutAfter: 0.15, Slow: 0.15,
	CallbackEarly: 0.2, CallbackTwice: 0.2, CallbackDrop: 0.2, CallbackReorder: 0.3,
	Spread: 3 * time.Millisecond,
}

// converse has people write and a service answer each message by a create of its
// own, which it repeats until it is heard that it was taken. It returns what
// happened to each person.
func converse(t *testing.T, seed uint64, people, messages int) (*fake, map[string]string) {
	t.Helper()
	f := start(t, with(smstest.Service{}), func(c *smstest.Config) { c.Seed, c.Chaos = seed, storm })
	service := f.Account().Services[0].SID
	var mu sync.Mutex
	course := map[string]string{}
	note := func(person, what string) {
		mu.Lock()
		defer mu.Unlock()
		course[person] += what + " "
	}
	var wg sync.WaitGroup
	for i := range people {
		person := fmt.Sprintf("+1973555%04d", 101+i) // up to 0199
		wg.Go(func() {
			for n := range messages {
				sent, err := f.Phone(person).Text(t.Context(), fmt.Sprint("question ", n))
				if err != nil {
					t.Errorf("Text: %v", err)
				}
				note(person, sent.SID[:6])
				pairs := []string{"To", person, "Body", fmt.Sprint("answer ", n), "StatusCallback", statusAt}
				if n%2 == 0 {
					pairs = append(pairs, "From", "", "MessagingServiceSid", service)
				}
				for range 100 {
					res, body, err := f.try(http.MethodPost, messagesAt, form(pairs...))
					if err != nil {
						note(person, "cut")
						continue
					}
					note(person, fmt.Sprint(res.StatusCode))
					if res.StatusCode == http.StatusCreated {
						note(person, body["sid"].(string)[:6])
						break
					}
				}
			}
		})
	}
	wg.Wait()
	f.drain()
	for _, s := range f.Sent() {
		note(s.From, fmt.Sprint("attempts ", s.Attempts))
	}
	f.faultless()
	return f, course
}

func TestChaosKeepsPromises(t *testing.T) {
	const people, each = 40, 5
	f, _ := converse(t, 7, people, each)
	got := f.Stats()
	if got.Inbound != people*each || got.Acked != got.Inbound || got.Lost != 0 {
		t.Errorf("Stats = %+v, want all that came in acknowledged", got)
	}
	// Each message is posted with one name, one token and one content, whatever
	// befell it.
	seen := map[string]request{}
	webhooks := 0
	for _, r := range f.service.requests("/message") {
		webhooks++
		sid := r.form.Get("MessageSid")
		if first, ok := seen[sid]; ok && (first.form.Encode() != r.form.Encode() || first.header.Get("I-Twilio-Idempotency-Token") != r.header.Get("I-Twilio-Idempotency-Token")) {
			t.Errorf("message %s came as %v and as %v", sid, first.form, r.form)
		}
		seen[sid] = r
	}
	if len(seen) != people*each || webhooks > got.Webhooks || got.Webhooks != people*each+got.Repeats {
		t.Errorf("%d messages in %d webhooks, Stats %+v, want %d and the repeats", len(seen), webhooks, got, people*each)
	}
	// What was taken once is with the phone once, in the order of taking.
	has := map[string][]string{}
	for _, c := range f.Creates() {
		has[c.To] = append(has[c.To], c.SID)
	}
	taken := 0
	for person, want := range has {
		taken += len(want)
		var sids []string
		for _, text := range f.Phone(person).Texts() {
			sids = append(sids, text.SID)
		}
		if !slices.Equal(sids, want) {
			t.Errorf("a phone has %q, want %q", sids, want)
		}
	}
	if taken != got.Taken || got.Delivered != taken || taken != people*each+got.Unheard {
		t.Errorf("%d were taken, Stats = %+v, want %d and those that were not heard of", taken, got, people*each)
	}
	if got.Creates != got.Taken+got.Troubled || len(f.Rejections()) != got.Troubled {
		t.Errorf("Stats = %+v with %d rejections, want creates to be taken or to meet trouble", got, len(f.Rejections()))
	}
	// Of all that can befall, something did.
	for name, n := range map[string]int{"repeats": got.Repeats, "hang-ups": got.HangUps, "trouble": got.Troubled, "unheard": got.Unheard, "dropped": got.Dropped} {
		if n == 0 {
			t.Errorf("no %s, want some", name)
		}
	}
	kinds := map[string]bool{}
	for _, r := range f.Rejections() {
		kinds[r.Trouble] = true
	}
	if want := []string{"cut before", "garbled", "throttled"}; !slices.Equal(slices.Sorted(maps.Keys(kinds)), want) {
		t.Errorf("creates met %v, want %q", kinds, want)
	}
	reordered := false
	for _, c := range f.Creates() {
		said := strings.Join(f.said(c.SID), " ")
		d, s := strings.Index(said, "delivered"), strings.Index(said, "sent")
		reordered = reordered || d >= 0 && s > d
	}
	if !reordered {
		t.Error("no callbacks came in another order, want some")
	}
}

// The same seed gives each person the same course, whatever the others do; and
// another seed another one.
func TestChaosFollowsFromSeed(t *testing.T) {
	_, one := converse(t, 1, 20, 3)
	_, again := converse(t, 1, 20, 3)
	if !maps.Equal(one, again) {
		for person := range one {
			if one[person] != again[person] {
				t.Errorf("with one seed a person has the course\n%s\nand then\n%s", one[person], again[person])
				break
			}
		}
	}
	_, other := converse(t, 2, 20, 3)
	if maps.Equal(one, other) {
		t.Error("two seeds give one course, want another")
	}
}

// Each repeat is one request more.
func TestChaosRepeats(t *testing.T) {
	for _, tt := range []struct {
		name  string
		chaos smstest.Chaos
		want  int // attempts
	}{
		{"None", smstest.Chaos{}, 1},
		{"Twice", smstest.Chaos{Twice: 1}, 2},
		{"Again", smstest.Chaos{Again: 1}, 2},
		{"HangUp", smstest.Chaos{HangUp: 1}, 2},
		{"All", smstest.Chaos{Twice: 1, Again: 1, HangUp: 1}, 4},
	} {
		f := start(t, func(c *smstest.Config) { c.Chaos = tt.chaos; c.Chaos.Spread = time.Millisecond })
		if _, err := f.Phone(theirs).Text(t.Context(), "hi"); err != nil {
			t.Errorf("%s: Text = %v", tt.name, err)
		}
		f.drain()
		if got := f.Sent()[0]; got.Attempts != tt.want || f.Stats().Repeats != tt.want-1 || got.Acked.IsZero() {
			t.Errorf("%s: Sent = %+v, Stats = %+v, want %d attempts", tt.name, got, f.Stats(), tt.want)
		}
		f.faultless()
	}
}

func TestChaosEarly(t *testing.T) {
	f := start(t, func(c *smstest.Config) { c.Chaos.CallbackEarly = 1 })
	f.create("StatusCallback", statusAt)
	if n := len(f.service.requests("/status")); n != 2 {
		t.Errorf("%d callbacks before the answer, want both", n)
	}
	if err := f.SetChaos(smstest.Chaos{CallbackDrop: 1}); err != nil {
		t.Fatal(err)
	}
	f.create("StatusCallback", statusAt)
	f.drain()
	if n := len(f.service.requests("/status")); n != 2 || f.Stats().Dropped != 2 {
		t.Errorf("%d callbacks, %d dropped, want none more", n, f.Stats().Dropped)
	}
}

// A message that chaos holds is overtaken.
func TestChaosHold(t *testing.T) {
	f := start(t, func(c *smstest.Config) { c.Chaos = smstest.Chaos{Hold: 0.5, Spread: 100 * time.Millisecond} })
	var ms []smstest.Message
	for i := range 12 {
		ms = append(ms, smstest.Message{Body: fmt.Sprintf("%02d", i)})
	}
	if _, err := f.Phone(theirs).Burst(t.Context(), ms...); err != nil {
		t.Fatal(err)
	}
	var came []string
	for _, r := range f.service.requests("/message") {
		came = append(came, r.form.Get("Body"))
	}
	if len(came) != 12 || slices.IsSorted(came) {
		t.Errorf("messages came as %q, want all, in another order", came)
	}
}

func TestChaosRefused(t *testing.T) {
	for _, c := range []smstest.Chaos{{Twice: -0.1}, {CallbackDrop: 1.1}, {Throttle: 0.6, CutAfter: 0.6}, {Spread: -1}} {
		if _, err := smstest.New(smstest.Config{Chaos: c}); err == nil {
			t.Errorf("New takes chaos %+v, want it refused", c)
		}
	}
	f := start(t)
	if err := f.SetChaos(smstest.Chaos{Slow: 2}); err == nil {
		t.Error("SetChaos takes a probability of 2, want it refused")
	}
}
