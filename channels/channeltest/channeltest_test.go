package channeltest

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"
	"unicode/utf8"

	"plumbline/bot"
)

const longest = 300

// A vendor is a made-up one: a server on loopback that takes JSON.
type vendor struct {
	*httptest.Server

	mu    sync.Mutex
	fault Fault
	texts []Text
	ids   map[string]string // by key
	free  chan struct{}     // closed when the vendor ends: what hangs ends
}

func newVendor(t testing.TB) *vendor {
	v := &vendor{ids: map[string]string{}, free: make(chan struct{})}
	v.Server = httptest.NewServer(v)
	t.Cleanup(func() { close(v.free); v.Close() })
	return v
}

func (v *vendor) fail(f Fault) {
	v.mu.Lock()
	defer v.mu.Unlock()
	v.fault = f
}

func (v *vendor) has() []Text {
	v.mu.Lock()
	defer v.mu.Unlock()
	return slices.Clone(v.texts)
}

func (v *vendor) take(key, text string) (id string, fault Fault) {
	v.mu.Lock()
	defer v.mu.Unlock()
	if v.fault != None && v.fault != CutAfter {
		return "", v.fault
	}
	id, had := v.ids[key]
	if !had || key == "" {
		v.texts = append(v.texts, Text{key, text})
		id = fmt.Sprint("v", len(v.texts))
		v.ids[key] = id
	}
	return id, v.fault
}

func (v *vendor) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	var m struct{ Key, To, Text string }
	if err := json.NewDecoder(r.Body).Decode(&m); err != nil || m.To != "+12015550123" {
		http.Error(w, "bad request", http.StatusBadRequest)
		return
	}
	id, fault := v.take(m.Key, m.Text)
	switch fault {
	case Throttled:
		w.WriteHeader(http.StatusTooManyRequests)
	case Wait:
		w.Header().Set("Retry-After", "7")
		w.WriteHeader(http.StatusTooManyRequests)
	case Denied:
		w.WriteHeader(http.StatusForbidden)
	case Permanent:
		w.WriteHeader(http.StatusBadRequest)
	case Broken:
		w.WriteHeader(http.StatusServiceUnavailable)
	case Garbled:
		fmt.Fprint(w, "<html>sorry</html>")
	case CutBefore, CutAfter:
		panic(http.ErrAbortHandler)
	case Hanging:
		select {
		case <-v.free:
		case <-r.Context().Done():
		}
	default:
		_ = json.NewEncoder(w).Encode(map[string]string{"id": id})
	}
}

// An adapter sends to a vendor, and does one thing wrong.
type adapter struct {
	url    string
	log    *slog.Logger
	wrong  string
	mu     sync.Mutex
	last   string
	held   []bot.Delivery
	shared bot.Delivery
	turns  chan struct{} // full while another is under way
}

func (a *adapter) Send(ctx context.Context, d bot.Delivery) (string, error) {
	switch a.wrong {
	case "loses what is not ASCII":
		d.Text = strings.Map(func(r rune) rune { return map[bool]rune{true: r, false: '?'}[r < utf8.RuneSelf] }, d.Text)
	case "trims":
		d.Text = strings.TrimSpace(strings.ReplaceAll(d.Text, "\n\n", "\n"))
	case "escapes":
		d.Text = strings.ReplaceAll(d.Text, "&", "&amp;")
	case "sends nothing":
		return d.Key, nil
	case "cuts":
		if n := utf8.RuneCountInString(d.Text); n > longest {
			d.Text = string([]rune(d.Text)[:longest])
		}
	case "counts bytes":
		if len(d.Text) > longest {
			return "", fmt.Errorf("too long: %w", bot.ErrInvalid)
		}
	case "heeds no context":
		ctx = context.WithoutCancel(ctx)
	case "tells the vendor no key":
		d.Key = ""
	case "takes the text for the key":
		d.Key = d.Text
	case "makes a key of each try":
		d.Key = fmt.Sprint(d.Key, d.Tries)
	case "is slow to notice":
		if errors.Is(ctx.Err(), context.Canceled) {
			time.Sleep(2 * soon)
		}
	case "shares what it sends":
		a.mu.Lock()
		a.shared = d
		a.mu.Unlock()
		select { // wait for another to change it
		case a.turns <- struct{}{}:
		case <-a.turns:
		case <-time.After(20 * time.Millisecond):
		}
		a.mu.Lock()
		d = a.shared
		a.mu.Unlock()
	case "sends the last but one":
		a.mu.Lock()
		d.Text, a.last = a.last, d.Text
		a.mu.Unlock()
		if d.Text == "" {
			return "v0", nil
		}
	case "sends the second first":
		if n := len(d.Text); n > 0 && strings.ContainsRune("02468", rune(d.Text[n-1])) {
			a.mu.Lock()
			a.held = append(a.held, d)
			a.mu.Unlock()
			return d.Key, nil
		}
		a.mu.Lock()
		held := a.held
		a.held = nil
		a.mu.Unlock()
		for _, h := range held {
			defer func() { _, _ = a.call(context.WithoutCancel(ctx), h) }()
		}
	case "logs the text":
		a.log.Debug("sending", "text", d.Text)
	case "logs the number":
		a.log.Debug("sending", "to", strings.TrimPrefix(d.To.User, "+"))
	}
	a.log.DebugContext(ctx, "sending", "to", d.To)
	if n := utf8.RuneCountInString(d.Text); n == 0 || n > longest && a.wrong != "sends what is too long" {
		return "", fmt.Errorf("send text of %d characters: %w", n, bot.ErrInvalid)
	}
	id, err := a.call(ctx, d)
	if a.wrong == "gives one name to all" && err == nil {
		id = "v"
	}
	if a.wrong == "names nothing" {
		id = ""
	}
	switch {
	case err == nil:
		return id, nil
	case a.wrong == "tells the number":
		return "", fmt.Errorf("send to %s: %w", d.To.User, err)
	case a.wrong == "tells the text":
		return "", fmt.Errorf("send %q: %w", d.Text, err)
	case a.wrong == "says nothing of why":
		return "", errors.New("send text: it failed")
	case a.wrong == "takes all for temporary" && ctx.Err() == nil:
		return "", fmt.Errorf("send text: %w", bot.ErrUnavailable)
	case a.wrong == "takes all for permanent" && ctx.Err() == nil:
		return "", fmt.Errorf("send text: %w", bot.ErrInvalid)
	case a.wrong == "gives two kinds" && ctx.Err() == nil:
		return "", fmt.Errorf("send text: %w, %w", err, bot.ErrConflict)
	case a.wrong == "takes cancelling for a fault" && ctx.Err() != nil:
		return "", fmt.Errorf("send text: %w", bot.ErrUnavailable)
	case a.wrong == "swallows errors":
		return "v", nil
	}
	return "", fmt.Errorf("send text: %w", err)
}

func (a *adapter) call(ctx context.Context, d bot.Delivery) (string, error) {
	body, err := json.Marshal(map[string]string{"Key": d.Key, "To": d.To.User, "Text": d.Text})
	if err != nil {
		return "", err
	}
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, a.url, bytes.NewReader(body))
	if err != nil {
		return "", err
	}
	resp, err := http.DefaultClient.Do(req)
	if ctx.Err() != nil {
		return "", ctx.Err()
	}
	if err != nil {
		return "", fmt.Errorf("reach the vendor: %w", bot.ErrUnavailable)
	}
	defer resp.Body.Close()
	switch resp.StatusCode {
	case http.StatusOK:
	case http.StatusTooManyRequests:
		if resp.Header.Get("Retry-After") == "7" && a.wrong != "forgets the wait" {
			return "", bot.RetryAfter{Wait: 7 * time.Second}
		}
		return "", bot.ErrUnavailable
	case http.StatusForbidden:
		return "", bot.ErrDenied
	case http.StatusBadRequest:
		return "", bot.ErrInvalid
	default:
		return "", bot.ErrUnavailable
	}
	var answer struct{ ID string }
	if err := json.NewDecoder(resp.Body).Decode(&answer); err != nil && a.wrong != "takes any page for an answer" {
		return "", fmt.Errorf("read the vendor's answer: %w", bot.ErrUnavailable)
	}
	return answer.ID, nil
}

// open returns a harness whose adapter does that thing wrong.
func open(t testing.TB, wrong string) Harness {
	v := newVendor(t)
	var log Log
	return Harness{
		Sender:  &adapter{url: v.URL, wrong: wrong, log: slog.New(slog.NewTextHandler(&log, &slog.HandlerOptions{Level: slog.LevelDebug})), turns: make(chan struct{})},
		To:      bot.Address{Channel: "sms", User: "+12015550123"},
		Longest: longest, Has: v.has, Fail: v.fail, Wait: 7 * time.Second, Logged: log.String,
	}
}

func TestAdapter(t *testing.T) {
	Run(t, func(t *testing.T) Harness { return open(t, "") })
}

// A recorder notes what a test says, and fails nothing.
type recorder struct {
	testing.TB
	mu     sync.Mutex
	failed []string
	logged []string
}

func (r *recorder) note(list *[]string, format string, args ...any) {
	r.mu.Lock()
	defer r.mu.Unlock()
	*list = append(*list, fmt.Sprintf(format, args...))
}

func (r *recorder) Helper()                           {}
func (r *recorder) Errorf(format string, args ...any) { r.note(&r.failed, format, args...) }
func (r *recorder) Logf(format string, args ...any)   { r.note(&r.logged, format, args...) }
func (r *recorder) Fatalf(format string, args ...any) {
	r.note(&r.failed, format, args...)
	runtime.Goexit()
}

// verdicts runs the contract against h and returns which tests failed.
func verdicts(t *testing.T, h func() Harness) (failed []string, all *recorder) {
	all = &recorder{TB: t}
	for _, c := range contract {
		r := &recorder{TB: t}
		done := make(chan struct{})
		go func() {
			defer close(done)
			c.check(&call{TB: r, h: h()})
		}()
		<-done
		if len(r.failed) > 0 {
			failed = append(failed, c.name)
		}
		all.failed, all.logged = append(all.failed, r.failed...), append(all.logged, r.logged...)
	}
	return failed, all
}

// Each thing that an adapter may do wrong is found, by the test that is meant
// to find it and by no more than are named; together they fail every test.
func TestFaultyAdaptersAreFound(t *testing.T) {
	var mu sync.Mutex
	seen := map[string]bool{}
	t.Run("each", func(t *testing.T) {
		eachFaulty(t, func(test string) { mu.Lock(); defer mu.Unlock(); seen[test] = true })
	})
	for _, c := range contract {
		if !seen[c.name] {
			t.Errorf("no faulty adapter fails %s", c.name)
		}
	}
}

func eachFaulty(t *testing.T, see func(test string)) {
	for _, tt := range []struct {
		wrong string
		want  string // the tests that fail
	}{
		{"loses what is not ASCII", "Delivers TooLong"},
		{"trims", "Delivers"},
		{"escapes", "Delivers"},
		{"sends nothing", "Delivers TooLong Throttled Denied Permanent Temporary Cancelled Idempotent Order NoAddressInErrors Concurrent"},
		{"names nothing", "Delivers TooLong Throttled Denied Permanent Temporary Idempotent Order Concurrent"},
		{"gives one name to all", "Delivers Concurrent"},
		{"cuts", "TooLong NoAddressInErrors"},
		{"counts bytes", "TooLong"},
		{"sends what is too long", "TooLong NoAddressInErrors"},
		{"forgets the wait", "Throttled"},
		{"says nothing of why", "Throttled Denied Permanent Temporary Cancelled"},
		{"takes all for temporary", "Denied Permanent Throttled"},
		{"takes all for permanent", "Throttled Denied Temporary"},
		{"gives two kinds", "Denied Permanent Temporary"},
		{"swallows errors", "Throttled Denied Permanent Temporary Cancelled Idempotent NoAddressInErrors"},
		{"takes any page for an answer", "Temporary NoAddressInErrors"},
		{"heeds no context", "Cancelled NoAddressInErrors"},
		{"is slow to notice", "Cancelled"},
		{"takes cancelling for a fault", "Cancelled"},
		{"tells the vendor no key", "Idempotent"},
		{"makes a key of each try", "Delivers Idempotent Concurrent"},
		{"takes the text for the key", "Delivers Idempotent Concurrent Temporary"},
		{"sends the second first", "Order"},
		{"sends the last but one", "Cancelled Delivers TooLong Throttled Denied Permanent Temporary Idempotent Order NoAddressInErrors Concurrent"},
		{"tells the number", "NoAddressInErrors"},
		{"tells the text", "NoAddressInErrors"},
		{"logs the text", "NoAddressInErrors"},
		{"logs the number", "NoAddressInErrors"},
		{"shares what it sends", "Concurrent"},
	} {
		t.Run(strings.ReplaceAll(tt.wrong, " ", "-"), func(t *testing.T) {
			t.Parallel()
			got, all := verdicts(t, func() Harness { return open(t, tt.wrong) })
			want := strings.Fields(tt.want)
			for _, name := range got {
				see(name)
			}
			slices.Sort(got)
			slices.Sort(want)
			if !slices.Equal(got, want) {
				t.Errorf("an adapter that %s fails %q, want %q:\n%s", tt.wrong, got, want, strings.Join(all.failed[:min(len(all.failed), 5)], "\n"))
			}
		})
	}
}

// What a vendor cannot do is told, with the reason, and is not asked of it.
func TestNotApplicableIsTold(t *testing.T) {
	cannot := map[Fault]string{}
	for _, f := range Faults() {
		cannot[f] = "no such thing as " + string(f)
	}
	h := func() Harness {
		h := open(t, "takes the text for the key")
		h.Cannot, h.NotOnce, h.Logged = cannot, "it knows no keys", nil
		fail := h.Fail
		h.Fail = func(f Fault) {
			if f != None {
				t.Errorf("the vendor was told to be %q, which it cannot", f)
			}
			fail(f)
		}
		return h
	}
	failed, all := verdicts(t, h)
	if slices.Contains(failed, "Idempotent") || slices.Contains(failed, "Cancelled") {
		t.Errorf("failed %q, want none for what does not apply", failed)
	}
	said := strings.Join(all.logged, "\n")
	for _, want := range append(Faults(), "one delivery twice", "the log") {
		if !strings.Contains(said, "not applicable: "+string(want)) {
			t.Errorf("the log does not say that %q is not applicable:\n%s", want, said)
		}
	}
	cannot[Denied] = ""
	if failed, _ := verdicts(t, h); !slices.Contains(failed, "Denied") {
		t.Errorf("failed %q, want Denied for a fault that is left out without a reason", failed)
	}
}
