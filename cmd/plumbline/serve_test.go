package main

import (
	"bufio"
	"context"
	"io"
	"maps"
	"net/http"
	"net/http/cookiejar"
	"net/url"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"plumbline/channels/channeltest"
)

// serving starts `plumbline serve` with args and returns its address, what it
// logs at debug level, and a function that stops it and returns its exit code.
func serving(t *testing.T, args ...string) (addr string, log *channeltest.Log, stop func() int) {
	t.Helper()
	return servingWith(t, nil, args...)
}

// servingWith is serving with more in the environment.
func servingWith(t *testing.T, more map[string]string, args ...string) (addr string, log *channeltest.Log, stop func() int) {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	r, w := io.Pipe()
	code := make(chan int, 1)
	env := map[string]string{"PLUMBLINE_DATA": t.TempDir(), "PLUMBLINE_LOG_LEVEL": "debug"}
	maps.Copy(env, more)
	log = new(channeltest.Log)
	go func() {
		code <- run(ctx, args, func(k string) string { return env[k] }, stdio{In: strings.NewReader(""), Out: w, Err: log})
		w.Close()
	}()
	line, err := bufio.NewReader(r).ReadString('\n')
	go func() { _, _ = io.Copy(io.Discard, r) }() // what else it says
	addr = regexp.MustCompile(`http://[0-9.:]+`).FindString(line)
	if err != nil || addr == "" {
		cancel()
		t.Fatalf("serve says %q, %v; exit code %d\n%s", line, err, <-code, log)
	}
	return addr, log, func() int { cancel(); return <-code }
}

// The main job on a fresh machine: open the page, text, read the answer. At
// debug level no line of the log holds what was texted, or by whom.
func TestServe(t *testing.T) {
	addr, log, stop := serving(t, "serve", "--addr", "127.0.0.1:0", "--as-of", "2026-11-30")
	jar, err := cookiejar.New(nil)
	if err != nil {
		t.Fatal(err)
	}
	c := &http.Client{Jar: jar}
	get := func(path string) string {
		t.Helper()
		res, err := c.Get(addr + path)
		if err != nil {
			t.Fatalf("GET %s: %v", path, err)
		}
		defer res.Body.Close()
		b, err := io.ReadAll(res.Body)
		if err != nil || res.StatusCode != http.StatusOK {
			t.Fatalf("GET %s: %s, %v", path, res.Status, err)
		}
		return string(b)
	}
	get("/")
	for _, tt := range []struct{ text, want string }{
		{"my water is brown is my baby ok??", "973-733-3654"},
		{"MORE", "Virginia"},
		{"SOURCES", "Nov 30, 2026"},
		{"cuanto tiempo hiervo el agua", "1 minuto"},
		{"my name is Keziah Okonkwo, call me at 973-555-0142 about lead", "lead"},
		{"my dad is not breathing", "Call 911 now."},
	} {
		res, err := c.PostForm(addr+"/messages", url.Values{"text": {tt.text}})
		if err != nil || res.StatusCode != http.StatusOK {
			t.Fatalf("text %q: %v, %v", tt.text, res.Status, err)
		}
		res.Body.Close()
		shown := ""
		for deadline := time.Now().Add(30 * time.Second); !strings.Contains(shown, tt.want); time.Sleep(50 * time.Millisecond) {
			if shown = get("/"); time.Now().After(deadline) {
				t.Fatalf("after %q the page lacks %q:\n%s", tt.text, tt.want, log)
			}
		}
	}
	if got := get("/readyz"); got != "ready\n" {
		t.Errorf("GET /readyz = %q", got)
	}
	if got := get("/healthz"); got != "ok\n" {
		t.Errorf("GET /healthz = %q", got)
	}
	got := get("/metrics")
	for _, want := range []string{`plumbline_answers_total{channel="web",status="emergency",language="en"} 1`, `plumbline_messages_total{channel="web",receipt="queued"} 6`, "plumbline_stage_seconds", `plumbline_deliveries_total{channel="web",state="accepted"} 7`, `plumbline_queue{queue="inbox",state="waiting"}`} {
		if !strings.Contains(got, want) {
			t.Errorf("/metrics lacks %s", want)
		}
	}
	if code := stop(); code != exitDone {
		t.Errorf("serve exits with %d when it is stopped, want 0", code)
	}
	logged := log.String()
	if !strings.Contains(logged, "level=DEBUG") || !strings.Contains(logged, "message answered") {
		t.Errorf("the log lacks what it should tell:\n%s", logged)
	}
	cookies := jar.Cookies(&url.URL{Scheme: "http", Host: strings.TrimPrefix(addr, "http://"), Path: "/"})
	secrets := []string{"brown", "baby", "breathing", "hiervo", "Keziah", "Okonkwo", "973-555", "555-0142", "5550142", "Virginia", "973-733-3654"}
	for _, k := range cookies {
		secrets = append(secrets, k.Value)
	}
	if len(cookies) == 0 {
		t.Error("the visitor has no name")
	}
	for line := range strings.Lines(logged + got) {
		for _, s := range secrets {
			if strings.Contains(line, s) {
				t.Errorf("the log or the metrics hold %q: %s", s, line)
			}
		}
		if lastFour.MatchString(line) {
			t.Errorf("the log or the metrics hold the end of a number: %s", line)
		}
	}
}

// lastFour is the end of the number that TestServe texts, as a masked number
// shows it. Within a longer number it is a duration's or a size's.
var lastFour = regexp.MustCompile(`(^|[^0-9A-Fa-f.])0142($|[^0-9A-Fa-f])`)

func TestLastFour(t *testing.T) {
	for line, want := range map[string]bool{
		"to=***0142": true, "from=XXX-0142.": true, "phone 0142\n": true, `from="0142"`: true, "0142": true, "num=(0142)": true,
		"took=1.310142ms": false, "took=1.014291ms": false, `go_gc_duration_seconds{quantile="0.75"} 0.000142015`: false, "go_memstats_alloc_bytes_total 10142229944": false,
		"to=web:c0142f": false,
	} {
		if got := lastFour.MatchString(line); got != want {
			t.Errorf("lastFour in %q = %v, want %v", line, got, want)
		}
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
				_, _, stop := serving(t, "serve", "--addr", "127.0.0.1:0")
				if code := stop(); code != exitDone {
					t.Errorf("exit code %d", code)
				}
			default:
				var out strings.Builder
				data := t.TempDir()
				code := run(t.Context(), words(rest), func(k string) string { return map[string]string{"PLUMBLINE_DATA": data}[k] }, stdio{In: strings.NewReader(""), Out: &out, Err: t.Output()})
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
