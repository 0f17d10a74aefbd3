package smstest_test

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"plumbline/channels/sms/smstest"
)

func TestWait(t *testing.T) {
	f := start(t)
	p := f.Phone(theirs)
	done := make(chan []smstest.Text, 1)
	go func() {
		texts, err := p.Wait(t.Context(), func(texts []smstest.Text) bool { return len(texts) == 2 })
		if err != nil {
			t.Errorf("Wait = %v", err)
		}
		done <- texts
	}()
	f.create("Body", "one")
	f.create("Body", "other", "To", "+19735550102")
	f.create("Body", "two")
	if texts := <-done; len(texts) != 2 || texts[1].Body != "two" {
		t.Errorf("Wait = %+v, want both", texts)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if texts, err := p.Wait(ctx, func([]smstest.Text) bool { return false }); !errors.Is(err, context.Canceled) || len(texts) != 2 {
		t.Errorf("Wait with a context that is done = %d texts, %v, want what there is and %v", len(texts), err, context.Canceled)
	}
	go f.Close()
	if _, err := p.Wait(t.Context(), func([]smstest.Text) bool { return false }); err == nil {
		t.Error("Wait outlives the fake")
	}
}

func TestConfigRefused(t *testing.T) {
	for _, c := range []smstest.Config{
		{Inbound: "https://bot example"}, {Listen: "127.0.0.1:x"}, {Retry: smstest.Retry{Count: 6}}, {Retry: smstest.Retry{On: []string{"sometimes"}}},
		{Account: smstest.Account{SID: "AC"}}, {Account: smstest.Account{Numbers: []smstest.Number{{Phone: "1"}}}},
		{Account: smstest.Account{Services: []smstest.Service{{Senders: []string{"+19735550188"}}}}},
	} {
		if s, err := smstest.New(c); err == nil {
			s.Close()
			t.Errorf("New(%+v) is taken, want it refused", c)
		}
	}
}

// settled waits until so many goroutines are left.
func settled(t *testing.T, want int) {
	t.Helper()
	for end := time.Now().Add(5 * time.Second); runtime.NumGoroutine() > want; {
		if time.Now().After(end) {
			b := make([]byte, 1<<20)
			t.Errorf("%d goroutines are left, want %d:\n%s", runtime.NumGoroutine(), want, b[:runtime.Stack(b, true)])
			return
		}
		runtime.Gosched()
		time.Sleep(time.Millisecond)
	}
}

// When a fake is closed nothing of it runs, whatever was under way.
func TestCloseLeavesNothing(t *testing.T) {
	service := newService(t)
	service.answers(func(w http.ResponseWriter, r request) { <-r.ctx.Done() })
	before := runtime.NumGoroutine()
	s, err := smstest.New(smstest.Config{Inbound: hookAt, Dial: service.URL, Chaos: smstest.Chaos{Again: 1, Twice: 1, Spread: time.Minute}})
	if err != nil {
		t.Fatal(err)
	}
	f := &fake{s, t, service, &http.Client{Transport: new(http.Transport)}}
	for range 30 {
		f.create("StatusCallback", statusAt)
	}
	var wg sync.WaitGroup
	for range 5 {
		wg.Go(func() {
			if _, err := f.Phone(theirs).Text(t.Context(), "hi"); err == nil {
				t.Error("a message to a service that hangs is taken")
			}
		})
		f.Fail(smstest.Hang)
		wg.Go(func() {
			if _, _, err := f.try(http.MethodPost, messagesAt, form()); err == nil {
				t.Error("a create that hangs is answered")
			}
		})
	}
	for f.Stats().Webhooks < 10 || f.Stats().Troubled < 5 {
		time.Sleep(time.Millisecond)
	}
	f.Close()
	f.Close()
	wg.Wait()
	f.client.CloseIdleConnections()
	service.CloseClientConnections()
	settled(t, before)
	if n := len(f.Creates()); n != 30 {
		t.Errorf("%d creates are on record once it is closed, want 30", n)
	}
	if _, err := f.Phone(theirs).Text(t.Context(), "hi"); err == nil {
		t.Error("a message to a fake that is closed is taken")
	}
}

// Many people write at once, while the account, the troubles and the records are
// looked at and changed.
func TestConcurrent(t *testing.T) {
	f := start(t)
	const people, each = 50, 4
	f.service.answers(func(w http.ResponseWriter, r request) {
		if r.form.Has("Body") {
			f.create("To", r.form.Get("From"), "Body", "re: "+r.form.Get("Body"), "StatusCallback", statusAt)
		}
		twiml(empty)(w, r)
	})
	var wg sync.WaitGroup
	for i := range people {
		wg.Go(func() {
			p := f.Phone(fmt.Sprintf("+1973555%04d", 101+i))
			for n := range each {
				if _, err := p.Text(t.Context(), fmt.Sprint(n)); err != nil {
					t.Errorf("Text: %v", err)
				}
			}
			texts, err := p.Wait(t.Context(), func(texts []smstest.Text) bool { return len(texts) == each })
			if err != nil {
				t.Errorf("Wait: %v", err)
			}
			var got []string
			for _, text := range texts {
				got = append(got, strings.TrimPrefix(text.Body, "re: "))
			}
			if !slices.IsSorted(got) {
				t.Errorf("a person has %q, want them in order", got)
			}
		})
	}
	stop := make(chan struct{})
	var looks sync.WaitGroup
	looks.Go(func() {
		for {
			select {
			case <-stop:
				return
			default:
			}
			_, _, _, _, _, _ = f.Account(), f.Stats(), f.Sent(), f.Creates(), f.Faults(), f.Rejections()
			f.Fail(smstest.None)
			f.Undeliverable("+19735550199", 30003)
			if err := f.Edit(func(a *smstest.Account) { a.Name += "x" }); err != nil {
				t.Errorf("Edit: %v", err)
			}
			f.call(http.MethodGet, messagesAt+"?PageSize=5", nil)
		}
	})
	wg.Wait()
	close(stop)
	looks.Wait()
	f.drain()
	got := f.Stats()
	if got.Acked != people*each || got.Taken != people*each || got.Delivered != people*each || got.Callbacks != 2*people*each {
		t.Errorf("Stats = %+v, want %d of all and two callbacks each", got, people*each)
	}
	f.faultless()
}
