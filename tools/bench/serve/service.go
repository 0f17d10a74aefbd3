package main

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"syscall"
	"time"
)

// A service is plumbline serve in a process of its own.
type service struct {
	cmd   *exec.Cmd
	url   string
	log   string        // file of what it logs
	ready time.Duration // from its start to its being ready
}

var address = regexp.MustCompile(`http://[0-9.:]+`)

// start runs the service with its state in data and returns once it is ready.
func start(ctx context.Context, program, data, dir string) (_ *service, err error) {
	settings := filepath.Join(dir, "settings.yaml")
	// Nothing is held back to be joined, and nobody is turned away.
	if err := os.WriteFile(settings, []byte("intake: {debounce: 0s, patience: 0s, limits: []}\n"), 0o600); err != nil {
		return nil, err
	}
	s := &service{cmd: exec.CommandContext(ctx, program, "serve", "--addr", "127.0.0.1:0", "--settings", settings), log: filepath.Join(dir, "log")}
	s.cmd.Env = append(os.Environ(), "PLUMBLINE_DATA="+data)
	log, err := os.Create(s.log)
	if err != nil {
		return nil, err
	}
	defer func() { _ = log.Close() }()
	s.cmd.Stderr = log
	out, err := s.cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}
	began := time.Now()
	if err := s.cmd.Start(); err != nil {
		return nil, err
	}
	defer func() {
		if err != nil {
			_ = s.cmd.Process.Kill()
			_ = s.cmd.Wait()
			err = fmt.Errorf("start the service: %w; it says: %s", err, s.last())
		}
	}()
	line, err := bufio.NewReader(out).ReadString('\n')
	if err != nil {
		return nil, err
	}
	if s.url = address.FindString(line); s.url == "" {
		return nil, fmt.Errorf("no address in %q", line)
	}
	for ; time.Since(began) < time.Minute; time.Sleep(time.Millisecond) {
		if _, err = s.get(ctx, "/readyz"); err == nil {
			s.ready = time.Since(began)
			return s, nil
		}
	}
	return nil, err
}

func (s *service) stop() error {
	_ = s.cmd.Process.Signal(syscall.SIGTERM)
	if err := s.cmd.Wait(); err != nil {
		return fmt.Errorf("stop the service: %w; it says: %s", err, s.last())
	}
	return nil
}

// last is the end of the log.
func (s *service) last() string {
	b, _ := os.ReadFile(s.log)
	return string(b[max(0, len(b)-1000):])
}

func (s *service) get(ctx context.Context, path string) (string, error) {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, s.url+path, nil)
	if err != nil {
		return "", err
	}
	res, err := client.Do(req)
	if err != nil {
		return "", err
	}
	defer func() { _ = res.Body.Close() }()
	b, err := io.ReadAll(res.Body)
	if err == nil && res.StatusCode != http.StatusOK {
		err = fmt.Errorf("GET %s: %s", path, res.Status)
	}
	return string(b), err
}

// counts are what the service counts of itself.
type counts struct {
	queued, done, parked int // messages taken in and jobs ended since the start
	waiting              int // not answered yet
	unsent               int // answered, and not on the page yet
	memory, most         float64
}

func (s *service) counts(ctx context.Context) (c counts, err error) {
	text, err := s.get(ctx, "/metrics")
	if err != nil {
		return c, err
	}
	of := map[string]float64{}
	for line := range strings.Lines(text) {
		if name, value, ok := strings.Cut(strings.TrimSpace(line), " "); ok {
			of[name], _ = strconv.ParseFloat(value, 64)
		}
	}
	return counts{
		queued:  int(of[`plumbline_messages_total{channel="web",receipt="queued"}`]),
		done:    int(of[`plumbline_jobs_total{channel="web",result="done"}`]),
		parked:  int(of[`plumbline_jobs_total{channel="web",result="parked"}`]),
		waiting: int(of[`plumbline_queue{queue="inbox",state="waiting"}`]),
		unsent:  int(of[`plumbline_queue{queue="outbox",state="waiting"}`]),
		memory:  of["process_resident_memory_bytes"],
		most:    of["process_resident_memory_peak_bytes"],
	}, nil
}

// memory is what the service holds, in megabytes; 0 if it does not say.
func (s *service) memory(ctx context.Context) int {
	c, _ := s.counts(ctx)
	return int(c.memory / (1 << 20))
}

// drained waits until nothing waits, but no longer than limit, and returns the
// last counts.
func (s *service) drained(ctx context.Context, limit time.Duration) (counts, error) {
	for began := time.Now(); ; time.Sleep(100 * time.Millisecond) {
		c, err := s.counts(ctx)
		if err != nil || c.waiting+c.unsent == 0 || time.Since(began) > limit {
			return c, err
		}
	}
}
