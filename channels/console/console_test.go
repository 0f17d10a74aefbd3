package console_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"sync"
	"testing"
	"time"

	"go.uber.org/goleak"

	"plumbline/bot"
	"plumbline/channels/channeltest"
	"plumbline/channels/console"
)

// A terminal takes what is written, a text a write, and fails as it is told.
type terminal struct {
	mu    sync.Mutex
	fault channeltest.Fault
	moved sync.Cond
	wrote []string
}

func newTerminal(t *testing.T) *terminal {
	term := new(terminal)
	term.moved.L = &term.mu
	t.Cleanup(func() { term.fail(channeltest.None) })
	return term
}

func (t *terminal) fail(f channeltest.Fault) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.fault = f
	t.moved.Broadcast()
}

func (t *terminal) Write(b []byte) (int, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	for t.fault == channeltest.Hanging {
		t.moved.Wait()
	}
	switch t.fault {
	case channeltest.Permanent:
		return 0, fmt.Errorf("write: %w", io.ErrClosedPipe)
	case channeltest.CutBefore:
		return 0, errors.New("input/output error")
	}
	t.wrote = append(t.wrote, string(b))
	return len(b), nil
}

func (t *terminal) String() string {
	t.mu.Lock()
	defer t.mu.Unlock()
	return strings.Join(t.wrote, "")
}

// has is the texts that were shown as they are shown in a pipe.
func (t *terminal) has() (texts []channeltest.Text) {
	t.mu.Lock()
	defer t.mu.Unlock()
	for i, w := range t.wrote {
		if i > 0 {
			w = strings.TrimPrefix(w, "\n")
		}
		texts = append(texts, channeltest.Text{Text: strings.TrimSuffix(w, "\n")})
	}
	return texts
}

func TestSender(t *testing.T) {
	const no = "a terminal has no vendor behind it"
	channeltest.Run(t, func(t *testing.T) channeltest.Harness {
		term := newTerminal(t)
		return channeltest.Harness{
			Sender: console.New(console.Options{Out: term}), To: bot.Address{Channel: "sms", User: "+12015550123"},
			Longest: console.Longest, Has: term.has, Fail: term.fail,
			Cannot: map[channeltest.Fault]string{
				channeltest.Throttled: no, channeltest.Wait: no, channeltest.Denied: no, channeltest.Broken: no, channeltest.Garbled: no,
				channeltest.CutAfter: "what a terminal took it does not deny",
			},
		}
	})
}

// A line answers what it receives: "a" and the text, as many times as the text
// has words, after a moment.
type hotline struct {
	c    *console.Console
	mu   sync.Mutex
	got  []bot.Message
	owed int
	wg   sync.WaitGroup
	err  error
}

func (h *hotline) Receive(ctx context.Context, m bot.Message) error {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.err != nil {
		return h.err
	}
	h.got = append(h.got, m)
	h.owed++
	n := len(h.got)
	h.wg.Go(func() {
		time.Sleep(time.Duration(max(0, 30-10*n)) * time.Millisecond) // later ones are faster
		if m.Text != "silence" {
			for i := range strings.Fields(m.Text) {
				_, _ = h.c.Send(context.WithoutCancel(ctx), bot.Delivery{
					Key: fmt.Sprint(m.ID, i), To: m.From, Text: "to " + m.Text, Language: bot.English, Status: bot.Answered, Offers: []bot.Word{bot.WordMore},
				})
			}
		}
		h.mu.Lock()
		h.owed--
		h.mu.Unlock()
		h.c.Moved()
	})
	return nil
}

func (h *hotline) answered(context.Context) (bool, error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.owed == 0, nil
}

// open returns a console that reads in, and the hotline behind it.
func open(t *testing.T, in io.Reader, change func(*console.Options)) (*console.Console, *hotline, *terminal, *bytes.Buffer) {
	h, term, errs, n := new(hotline), newTerminal(t), new(bytes.Buffer), 0
	o := console.Options{
		Receiver: h, From: bot.Address{Channel: "sms", User: "you"}, In: in, Out: term, Err: errs, Now: time.Now, Answered: h.answered,
		NewID: func() string { n++; return fmt.Sprint("m", n) },
	}
	if change != nil {
		change(&o)
	}
	h.c = console.New(o)
	t.Cleanup(h.wg.Wait)
	return h.c, h, term, errs
}

func TestPipeAnswersLineByLine(t *testing.T) {
	defer goleak.VerifyNone(t)
	c, h, term, errs := open(t, strings.NewReader("one\n\n  two words \r\nsilence\nlast, without an end"), func(o *console.Options) { o.Language = bot.Spanish })
	if err := c.Run(t.Context()); err != nil {
		t.Fatalf("Run = %v", err)
	}
	want := "to one\n" + strings.Repeat("\nto two words\n", 2) + strings.Repeat("\nto last, without an end\n", 4)
	if got := term.String(); got != want || errs.Len() > 0 {
		t.Errorf("a pipe shows %q and says %q, want %q and nothing", got, errs, want)
	}
	seen := map[string]bool{}
	for _, m := range h.got {
		if m.ID == "" || seen[m.ID] || m.From.User != "you" || m.Language != bot.Spanish || m.At.IsZero() {
			t.Errorf("received %+v, want an id of its own, a sender, a language and a time", m)
		}
		seen[m.ID] = true
	}
}

func TestQuitEndsWithoutReadingOn(t *testing.T) {
	c, h, _, _ := open(t, io.MultiReader(strings.NewReader("one\n /quit \ntwo\n"), strings.NewReader("three\n")), nil)
	if err := c.Run(t.Context()); err != nil || len(h.got) != 1 {
		t.Errorf("Run = %v with %d messages, want only what came before /quit", err, len(h.got))
	}
}

func TestLinesThatHoldNoMessage(t *testing.T) {
	long := strings.Repeat("x", 1<<20)
	for _, typed := range []bool{false, true} {
		in := "one\n" + long + "\nni\xf1o\n" + strings.Repeat("é", bot.MaxText+1) + "\n" + strings.Repeat("é", bot.MaxText) + "\n"
		c, h, _, errs := open(t, strings.NewReader(in), func(o *console.Options) { o.Typed = typed })
		err := c.Run(t.Context())
		if errors.Is(err, bot.ErrInvalid) == typed {
			t.Errorf("typed %t: Run = %v, want ErrInvalid if nobody was there", typed, err)
		}
		said := errs.String()
		for _, want := range []string{"1048577 bytes", "not UTF-8", "16001 characters", "Nothing was sent"} {
			if !strings.Contains(said, want) {
				t.Errorf("typed %t: said %q, want %q in it", typed, said, want)
			}
		}
		if strings.Contains(said, "line 2") == typed || strings.Count(said, "\n") != 3 {
			t.Errorf("typed %t: said %q, want a line each, with its number if nobody typed it", typed, said)
		}
		if len(h.got) != 2 || h.got[1].Text != strings.Repeat("é", bot.MaxText) {
			t.Errorf("typed %t: %d messages were received, want the two that hold one", typed, len(h.got))
		}
	}
}

// A person may write on while an answer is on its way, and is asked again when
// all answers are there.
func TestTypedDoesNotWait(t *testing.T) {
	r, w := io.Pipe()
	c, h, term, _ := open(t, r, func(o *console.Options) {
		o.Typed, o.Look = true, console.Look{Terminal: true, Width: func() int { return 40 }}
	})
	done := make(chan error, 1)
	go func() { done <- c.Run(t.Context()) }()
	if _, err := io.WriteString(w, "one\ntwo\n"); err != nil {
		t.Fatal(err)
	}
	h.wg.Wait()
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	if err := <-done; err != nil {
		t.Fatalf("Run = %v", err)
	}
	got := term.String()
	if len(h.got) != 2 || !strings.Contains(got, "to one\n  1 segment, 6 units, GSM-7\n  You can text: MORE\n\n") {
		t.Errorf("a terminal shows:\n%s", got)
	}
	if i, j := strings.Index(got, "to one"), strings.Index(got, "to two"); i < 0 || j < 0 {
		t.Errorf("a terminal shows:\n%s\nwant both answers", got)
	}
	if !strings.Contains(got, "you> ") || !strings.HasSuffix(got, "\n") {
		t.Errorf("a terminal shows:\n%q\nwant a prompt, and its line ended", got)
	}
}

func TestCancelled(t *testing.T) {
	for _, typed := range []bool{false, true} {
		r, w := io.Pipe()
		c, _, _, _ := open(t, r, func(o *console.Options) { o.Typed = typed })
		ctx, cancel := context.WithCancel(t.Context())
		done := make(chan error, 1)
		go func() { done <- c.Run(ctx) }()
		cancel()
		if err := <-done; (err == nil) != typed || err != nil && !errors.Is(err, context.Canceled) {
			t.Errorf("typed %t: Run that is cancelled = %v", typed, err)
		}
		_ = w.Close()
	}
}

func TestWhatEndsIt(t *testing.T) {
	no := errors.New("no")
	c, h, _, _ := open(t, strings.NewReader("one\n"), nil)
	h.err = no
	if err := c.Run(t.Context()); !errors.Is(err, no) {
		t.Errorf("Run with a receiver that takes nothing = %v, want its error", err)
	}
	for _, f := range []channeltest.Fault{channeltest.CutBefore, channeltest.Permanent} {
		c, _, term, _ := open(t, strings.NewReader("one\ntwo\n"), nil)
		term.fail(f)
		if err := c.Run(t.Context()); !errors.Is(err, bot.ErrUnavailable) || errors.Is(err, bot.ErrInvalid) {
			t.Errorf("Run with an output that is %s = %v, want ErrUnavailable", f, err)
		}
	}
	c, _, _, _ = open(t, strings.NewReader("one\n"), func(o *console.Options) {
		o.Answered = func(context.Context) (bool, error) { return false, no }
	})
	if err := c.Run(t.Context()); !errors.Is(err, no) {
		t.Errorf("Run that cannot look for answers = %v, want the error", err)
	}
	c, _, _, _ = open(t, io.MultiReader(strings.NewReader("one\n"), errReader{no}), nil)
	if err := c.Run(t.Context()); !errors.Is(err, no) {
		t.Errorf("Run that cannot read = %v, want the error", err)
	}
}

type errReader struct{ err error }

func (r errReader) Read([]byte) (int, error) { return 0, r.err }
