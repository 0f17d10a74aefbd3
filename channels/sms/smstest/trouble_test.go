package smstest_test

import (
	"context"
	"errors"
	"net/http"
	"strings"
	"testing"
	"time"

	"plumbline/channels/sms/smstest"
)

func TestFail(t *testing.T) {
	f := start(t)
	for _, tt := range []struct {
		trouble smstest.Trouble
		status  int
		code    any // nil for no JSON
		after   string
	}{
		{smstest.Throttled, 429, 20429.0, ""},
		{smstest.ThrottledWait(1500 * time.Millisecond), 429, 20429.0, "2"},
		{smstest.OptedOut, 400, 21610.0, ""},
		{smstest.InvalidNumber, 400, 21211.0, ""},
		{smstest.NotMobile, 400, 21614.0, ""},
		{smstest.TooLong, 400, 21617.0, ""},
		{smstest.NotPermitted, 400, 21408.0, ""},
		{smstest.Broken, 500, 20500.0, ""},
		{smstest.Garbled, 503, nil, ""},
		{smstest.Refuse(20003), 401, 20003.0, ""},
		{smstest.Refuse(30034), 400, 30034.0, ""},
	} {
		f.Fail(tt.trouble)
		for range 2 { // it stays
			res, body := f.call(http.MethodPost, messagesAt, form())
			if res.StatusCode != tt.status || body["code"] != tt.code || res.Header.Get("Retry-After") != tt.after {
				t.Errorf("create that is %s answers %d %v, Retry-After %q; want %d with code %v, %q", tt.trouble, res.StatusCode, body, res.Header.Get("Retry-After"), tt.status, tt.code, tt.after)
			}
			if html := strings.HasPrefix(res.Header.Get("Content-Type"), "text/html"); html != (tt.code == nil) {
				t.Errorf("create that is %s answers with %q", tt.trouble, res.Header.Get("Content-Type"))
			}
		}
	}
	rejections := f.Rejections()
	if len(rejections) != 22 || rejections[0].Trouble != "throttled" || rejections[0].To != theirs || rejections[0].Arrived.IsZero() {
		t.Errorf("rejections %+v, want 22", rejections)
	}
	if got := f.Stats(); got.Troubled != 22 || got.Refused != 0 || got.Taken != 0 || got.Creates != 22 {
		t.Errorf("Stats = %+v, want 22 that met trouble", got)
	}
	f.Fail(smstest.None)
	f.create()
	f.faultless()
}

func TestFailCuts(t *testing.T) {
	f := start(t)
	for _, tt := range []struct {
		trouble smstest.Trouble
		taken   bool
		hangs   bool
	}{
		{smstest.CutBefore, false, false},
		{smstest.CutAfter, true, false},
		{smstest.Hang, false, true},
		{smstest.HangAfter, true, true},
	} {
		before := len(f.Creates())
		f.Fail(tt.trouble)
		ctx, cancel := context.WithCancel(t.Context())
		if tt.hangs {
			time.AfterFunc(50*time.Millisecond, cancel)
		}
		_, _, err := f.try(http.MethodPost, messagesAt, form(), func(r *http.Request) { *r = *r.WithContext(ctx) })
		if err == nil || errors.Is(err, context.Canceled) != tt.hangs {
			t.Errorf("create that is %s: %v, want an error; of giving up: %t", tt.trouble, err, tt.hangs)
		}
		cancel()
		taken := f.Creates()[before:]
		if len(taken) == 1 != tt.taken || tt.taken && !taken[0].Unheard {
			t.Errorf("create that is %s: taken %+v, want that it is: %t", tt.trouble, taken, tt.taken)
		}
	}
	if n := len(f.Phone(theirs).Texts()); n != 2 {
		t.Errorf("the phone has %d texts, want 2", n)
	}
	if got := f.Stats(); got.Unheard != 2 || got.Troubled != 2 {
		t.Errorf("Stats = %+v", got)
	}
	f.faultless()
}

// What is wrong with a request is said whatever else is.
func TestFailAndFault(t *testing.T) {
	f := start(t)
	f.Fail(smstest.Broken)
	if res, body := f.call(http.MethodPost, messagesAt, form("To", "")); res.StatusCode != 400 || body["code"] != 21604.0 {
		t.Errorf("create without To answers %d %v, want 400 with code 21604", res.StatusCode, body)
	}
}

func TestNext(t *testing.T) {
	f := start(t)
	f.Fail(smstest.Broken)
	f.Next(smstest.None, smstest.Throttled, smstest.Slow(time.Millisecond))
	for i, want := range []int{201, 429, 201, 500, 500} {
		if res, _ := f.call(http.MethodPost, messagesAt, form()); res.StatusCode != want {
			t.Errorf("create %d answers %d, want %d", i, res.StatusCode, want)
		}
	}
}

func TestFailReads(t *testing.T) {
	f := start(t)
	f.FailReads(smstest.Garbled)
	if res, _ := f.call(http.MethodGet, messagesAt, nil); res.StatusCode != 503 {
		t.Errorf("a list answers %d, want 503", res.StatusCode)
	}
	f.FailReads(smstest.CutBefore)
	if _, _, err := f.try(http.MethodGet, messagesAt, nil); err == nil {
		t.Error("a list that is cut off answers")
	}
	f.create()
	f.FailReads(smstest.None)
	if res, _ := f.call(http.MethodGet, messagesAt, nil); res.StatusCode != 200 {
		t.Errorf("a list answers %d, want 200", res.StatusCode)
	}
}

// A create that hangs ends with the fake.
func TestCloseWhileHanging(t *testing.T) {
	f := start(t)
	f.Fail(smstest.Hang)
	done := make(chan error, 1)
	go func() {
		_, _, err := f.try(http.MethodPost, messagesAt, form())
		done <- err
	}()
	for f.Stats().Troubled == 0 {
		if t.Context().Err() != nil {
			t.Fatal("the create did not arrive")
		}
		time.Sleep(time.Millisecond)
	}
	f.Close()
	if err := <-done; err == nil {
		t.Error("a create that hangs was answered by Close")
	}
}
