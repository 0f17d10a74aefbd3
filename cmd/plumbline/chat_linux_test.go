package main

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"strings"
	"sync"
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

// pty opens a pseudo-terminal of that many columns.
func pty(t *testing.T, columns uint16) (control, terminal *os.File) {
	t.Helper()
	control, err := os.OpenFile("/dev/ptmx", os.O_RDWR|unix.O_NOCTTY, 0)
	if err != nil {
		t.Fatalf("open a pseudo-terminal: %v", err)
	}
	t.Cleanup(func() { _ = control.Close() })
	if err := unix.IoctlSetPointerInt(int(control.Fd()), unix.TIOCSPTLCK, 0); err != nil {
		t.Fatalf("unlock the pseudo-terminal: %v", err)
	}
	n, err := unix.IoctlGetInt(int(control.Fd()), unix.TIOCGPTN)
	if err != nil {
		t.Fatalf("name the pseudo-terminal: %v", err)
	}
	terminal, err = os.OpenFile(fmt.Sprintf("/dev/pts/%d", n), os.O_RDWR|unix.O_NOCTTY, 0)
	if err != nil {
		t.Fatalf("open the pseudo-terminal's other end: %v", err)
	}
	t.Cleanup(func() { _ = terminal.Close() })
	if err := unix.IoctlSetWinsize(int(terminal.Fd()), unix.TIOCSWINSZ, &unix.Winsize{Row: 24, Col: columns}); err != nil {
		t.Fatalf("size the pseudo-terminal: %v", err)
	}
	return control, terminal
}

// A watch is what a terminal shows.
type watch struct {
	mu sync.Mutex
	b  bytes.Buffer
}

func (w *watch) read(f *os.File) {
	buf := make([]byte, 4096)
	for {
		n, err := f.Read(buf)
		w.mu.Lock()
		w.b.Write(buf[:n])
		w.mu.Unlock()
		if err != nil {
			return
		}
	}
}

func (w *watch) String() string {
	w.mu.Lock()
	defer w.mu.Unlock()
	return strings.ReplaceAll(w.b.String(), "\r\n", "\n")
}

// prompts waits until a prompt stands at the end, and so many in all.
func (w *watch) prompts(t *testing.T, n int) {
	t.Helper()
	const prompt = "you> "
	for end := time.Now().Add(20 * time.Second); !strings.HasSuffix(w.String(), prompt) || strings.Count(w.String(), prompt) != n; time.Sleep(5 * time.Millisecond) {
		if time.Now().After(end) {
			t.Fatalf("the terminal shows\n%s\nwant prompt %d at the end", w, n)
		}
	}
}

func TestChatAtATerminal(t *testing.T) {
	for _, tt := range []struct {
		name  string
		env   map[string]string
		leave string // what is typed to leave; empty for Ctrl-C
		color bool
	}{
		{"Color", nil, "\x04", true}, // Ctrl-D
		{"NoColor", map[string]string{"NO_COLOR": "1"}, "/quit\n", false},
		{"Dumb", map[string]string{"TERM": "dumb"}, "", false},
	} {
		t.Run(tt.name, func(t *testing.T) {
			control, terminal := pty(t, 60)
			var screen watch
			go screen.read(control)
			ctx, interrupt := context.WithCancel(t.Context())
			defer interrupt()
			exited := make(chan int, 1)
			var errs bytes.Buffer
			go func() {
				exited <- run(ctx, []string{"chat", "--as-of", "2026-11-30"}, func(k string) string { return tt.env[k] }, stdio{terminal, terminal, &errs})
			}()
			write := func(s string) {
				t.Helper()
				if _, err := control.WriteString(s); err != nil {
					t.Fatalf("type %q: %v", s, err)
				}
			}
			screen.prompts(t, 1)
			for i, typed := range []string{"is brown water safe", "my kid drank bleach"} {
				write(typed + "\n")
				screen.prompts(t, i+2)
			}
			write(tt.leave)
			if tt.leave == "" {
				interrupt()
			}
			select {
			case code := <-exited:
				if code != exitDone || errs.Len() > 0 {
					t.Errorf("chat exits with %d and says %q, want %d and nothing", code, &errs, exitDone)
				}
			case <-time.After(20 * time.Second):
				t.Fatal("chat does not leave")
			}
			got := screen.String()
			if strings.Contains(got, "\x1b[") != tt.color {
				t.Errorf("colour %t, want %t:\n%q", !tt.color, tt.color, got)
			}
			for _, want := range []string{"segments, ", "You can text: MORE, WHY, SOURCES"} {
				if !strings.Contains(got, want) {
					t.Errorf("the terminal shows\n%s\nwant %q in it", got, want)
				}
			}
			for line := range strings.Lines(got) {
				plain := strings.NewReplacer("\x1b[1m", "", "\x1b[2m", "", "\x1b[0m", "").Replace(strings.TrimSuffix(line, "\n"))
				if n := len([]rune(plain)); n > 60 {
					t.Errorf("a line of %d columns on a terminal of 60: %q", n, plain)
				}
			}
		})
	}
}
