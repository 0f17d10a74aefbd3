package main

import (
	"bufio"
	"context"
	"io"
	"net/http"
	"net/http/cookiejar"
	"net/url"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// serving starts `plumbline serve` with args and returns its address and a
// function that stops it and returns its exit code.
func serving(t *testing.T, args ...string) (addr string, stop func() int) {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	r, w := io.Pipe()
	code := make(chan int, 1)
	go func() {
		code <- run(ctx, args, func(string) string { return "" }, stdio{In: strings.NewReader(""), Out: w, Err: t.Output()})
		w.Close()
	}()
	line, err := bufio.NewReader(r).ReadString('\n')
	addr = regexp.MustCompile(`http://[0-9.:]+`).FindString(line)
	if err != nil || addr == "" {
		cancel()
		t.Fatalf("serve says %q, %v; exit code %d", line, err, <-code)
	}
	return addr, func() int { cancel(); return <-code }
}

// The main job on a fresh machine: open the page, text, read the answer.
func TestServe(t *testing.T) {
	addr, stop := serving(t, "serve", "--addr", "127.0.0.1:0", "--as-of", "2026-11-30")
	jar, err := cookiejar.New(nil)
	if err != nil {
		t.Fatal(err)
	}
	c := &http.Client{Jar: jar}
	text := func(s string) string {
		t.Helper()
		res, err := c.PostForm(addr+"/messages", url.Values{"text": {s}})
		if err != nil {
			t.Fatalf("text %q: %v", s, err)
		}
		defer res.Body.Close()
		b, err := io.ReadAll(res.Body)
		if err != nil || res.StatusCode != http.StatusOK {
			t.Fatalf("text %q: %s, %v", s, res.Status, err)
		}
		return string(b)
	}
	for _, tt := range []struct{ text, want string }{
		{"my water is brown is my baby ok??", "973-733-3654"},
		{"MORE", "Virginia"},
		{"SOURCES", "Nov 30, 2026"},
		{"my dad is not breathing", "Call 911 now."},
		{"cuanto tiempo hiervo el agua", "1 minuto"},
	} {
		if page := text(tt.text); !strings.Contains(page, tt.want) {
			t.Errorf("after %q the page lacks %q", tt.text, tt.want)
		}
	}
	if res, err := c.Get(addr + "/healthz"); err != nil || res.StatusCode != http.StatusOK {
		t.Errorf("GET /healthz = %v, %v", res, err)
	}
	if code := stop(); code != exitDone {
		t.Errorf("serve exits with %d when it is stopped, want 0", code)
	}
}

var fence = regexp.MustCompile("(?s)```sh\n(.*?)```")

// The commands of the README do what it says: they end with 0.
func TestReadmeCommands(t *testing.T) {
	readme, err := os.ReadFile("../../README.md")
	if err != nil {
		t.Fatal(err)
	}
	t.Chdir("../..")
	var commands []string
	for _, block := range fence.FindAllStringSubmatch(string(readme), -1) {
		commands = append(commands, strings.Split(strings.TrimSpace(block[1]), "\n")...)
	}
	for _, want := range []string{"go run ./cmd/plumbline serve", "./check.sh"} {
		if !slices.Contains(commands, want) {
			t.Errorf("the README lacks %q", want)
		}
	}
	for _, line := range commands {
		t.Run(line, func(t *testing.T) {
			rest, ok := strings.CutPrefix(line, "go run ./cmd/plumbline ")
			switch {
			case line == "./check.sh": // it runs this test
				if info, err := os.Stat("check.sh"); err != nil || info.Mode()&0o100 == 0 {
					t.Errorf("check.sh cannot be run: %v", err)
				}
			case !ok:
				t.Errorf("this command is not tested")
			case rest == "serve":
				_, stop := serving(t, "serve", "--addr", "127.0.0.1:0")
				if code := stop(); code != exitDone {
					t.Errorf("exit code %d", code)
				}
			default:
				var out strings.Builder
				code := run(t.Context(), words(rest), func(string) string { return "" }, stdio{In: strings.NewReader(""), Out: &out, Err: t.Output()})
				if code != exitDone || out.Len() == 0 {
					t.Errorf("exit code %d, %d bytes", code, out.Len())
				}
			}
		})
	}
}

var quoted = regexp.MustCompile(`"[^"]*"|\S+`)

// words splits a command line at spaces outside double quotes.
func words(line string) (args []string) {
	for _, w := range quoted.FindAllString(line, -1) {
		args = append(args, strings.Trim(w, `"`))
	}
	return args
}
