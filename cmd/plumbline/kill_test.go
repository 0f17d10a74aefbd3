package main

import (
	"bufio"
	"context"
	crand "crypto/rand"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"net/http/cookiejar"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"
)

// A process is a service of its own, as an operator runs it.
type process struct {
	t    *testing.T
	args []string
	env  []string
	addr string
	cmd  *exec.Cmd
	out  sync.WaitGroup
}

// newProcess makes a service with state in dir and the settings given. It does
// not run yet.
func newProcess(t *testing.T, dir, yaml string) *process {
	t.Helper()
	ports, err := freePorts(1)
	if err != nil {
		t.Fatal(err)
	}
	addr := ports[0]
	file := filepath.Join(t.TempDir(), "settings.yaml")
	if err := os.WriteFile(file, []byte(yaml), 0o600); err != nil {
		t.Fatal(err)
	}
	return &process{t: t, addr: addr, args: []string{"plumbline", "serve", "--addr", addr, "--settings", file, "--as-of", "2026-11-30"}, env: []string{"PLUMBLINE_DATA=" + dir}}
}

// start runs the service and returns when it is ready.
func (p *process) start() {
	p.t.Helper()
	self, err := os.Executable()
	if err != nil {
		p.t.Fatal(err)
	}
	p.cmd = &exec.Cmd{Path: self, Args: p.args, Env: append(os.Environ(), p.env...)}
	r, err := p.cmd.StderrPipe()
	if err != nil {
		p.t.Fatal(err)
	}
	if err := p.cmd.Start(); err != nil {
		p.t.Fatal(err)
	}
	p.out.Go(func() {
		for sc := bufio.NewScanner(r); sc.Scan(); {
			if s := sc.Text(); strings.Contains(s, "level=ERROR") || strings.Contains(s, "panic") || strings.Contains(s, "plumbline:") {
				p.t.Log(s)
			}
		}
	})
	for deadline := time.Now().Add(time.Minute); ; time.Sleep(20 * time.Millisecond) {
		res, err := http.Get("http://" + p.addr + "/readyz")
		if err == nil {
			_ = res.Body.Close()
			if res.StatusCode == http.StatusOK {
				return
			}
		}
		if time.Now().After(deadline) {
			p.t.Fatalf("the service is not ready: %v", err)
		}
	}
}

// end sends the service a signal and waits until it has gone.
func (p *process) end(s os.Signal) error {
	_ = p.cmd.Process.Signal(s)
	p.out.Wait()
	return p.cmd.Wait()
}

// The service is killed at random moments of a hundred conversations: what it
// acknowledged is answered, once, and in order.
func TestKilledAtRandom(t *testing.T) {
	t.Parallel() // it waits for processes most of the time
	conversations, kills := 100, 8
	if *long {
		conversations, kills = 400, 100
	}
	p := newProcess(t, t.TempDir(), "intake: {debounce: 0s, patience: 0s}\n")
	p.start()

	var busy atomic.Int64
	busy.Store(int64(conversations))
	ctx, cancel := context.WithTimeout(t.Context(), 9*time.Minute)
	defer cancel()
	killed := make(chan int)
	go func() {
		n := 0
		for ; n < kills || busy.Load() > 0 && n < 10*kills; n++ {
			time.Sleep(time.Duration(rand.IntN(1000)) * time.Millisecond)
			_ = p.end(syscall.SIGKILL)
			p.start()
		}
		killed <- n
	}()

	texts := []string{"is there a safe amount of lead in water", "does boiling water remove lead", "MORE", "what is pfas"}
	clients := make([]*http.Client, conversations)
	turns := make(chan int)
	var wg sync.WaitGroup
	for range 6 {
		wg.Go(func() {
			for i := range turns {
				jar, err := cookiejar.New(nil)
				if err != nil {
					t.Error(err)
					return
				}
				// The redirect is followed by hand: a text is taken once its answer is 303.
				clients[i] = &http.Client{Jar: jar, Timeout: 10 * time.Second, CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
				page(ctx, t, clients[i], p.addr)
				for _, text := range texts[:2+i%3] {
					post(ctx, t, clients[i], p.addr, text)
				}
				busy.Add(-1)
			}
		})
	}
	for i := range conversations {
		turns <- i
	}
	close(turns)
	wg.Wait()
	n := <-killed
	t.Logf("killed %d times", n)

	lost, doubled := 0, 0
	last := time.Now().Add(lease + 15*time.Second) // what was begun when the service was killed waits no longer than that
	for i, c := range clients {
		want := 2 + i%3
		answers, notices := 0, 0
		var shown string
		for try := 0; (try == 0 || time.Now().Before(last)) && (answers < want || notices < 1); time.Sleep(50 * time.Millisecond) {
			try++
			shown = page(ctx, t, c, p.addr)
			answers, notices = strings.Count(shown, `data-answer="`), strings.Count(shown, "automated water line, not a person. Text PERSON")
		}
		lost += max(0, want-answers)
		doubled += max(0, answers-want)
		if answers != want || notices != 1 {
			t.Errorf("conversation %d has %d answers to %d texts and was told %d times who this is", i, answers, want, notices)
			if dir := os.Getenv("PLUMBLINE_SHOTS"); dir != "" {
				_ = os.WriteFile(filepath.Join(dir, fmt.Sprintf("killed-%d.html", i)), []byte(shown), 0o600)
			}
		}
	}
	if lost+doubled > 0 {
		t.Errorf("%d lost, %d doubled", lost, doubled)
	}
	if err := p.end(syscall.SIGTERM); err != nil {
		t.Errorf("told to stop, the service ends with %v, want 0", err)
	}
}

// page gets the phone page, again and again while the service is down.
func page(ctx context.Context, t *testing.T, c *http.Client, addr string) string {
	t.Helper()
	for ctx.Err() == nil {
		req, err := http.NewRequestWithContext(ctx, http.MethodGet, "http://"+addr+"/", nil)
		if err != nil {
			t.Error(err)
			return ""
		}
		if res, err := c.Do(req); err == nil {
			b, err := io.ReadAll(res.Body)
			_ = res.Body.Close()
			if err == nil && res.StatusCode == http.StatusOK {
				return string(b)
			}
		}
		time.Sleep(50 * time.Millisecond)
	}
	t.Errorf("the page did not come: %v", ctx.Err())
	return ""
}

// post sends a text until it is taken: the same form, as a browser sends it
// again after a connection was cut.
func post(ctx context.Context, t *testing.T, c *http.Client, addr, text string) {
	t.Helper()
	nonce := crand.Text()
	for ctx.Err() == nil {
		req, err := http.NewRequestWithContext(ctx, http.MethodPost, "http://"+addr+"/messages", strings.NewReader(url.Values{"text": {text}, "nonce": {nonce}}.Encode()))
		if err != nil {
			t.Error(err)
			return
		}
		req.Header.Set("Content-Type", "application/x-www-form-urlencoded")
		if res, err := c.Do(req); err == nil {
			_, err := io.Copy(io.Discard, res.Body)
			_ = res.Body.Close()
			if err == nil && res.StatusCode == http.StatusSeeOther {
				return
			}
		}
		time.Sleep(50 * time.Millisecond)
	}
	t.Errorf("a text was not taken: %v", ctx.Err())
}
