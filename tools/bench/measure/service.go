package measure

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

// Options say how to start a service.
type Options struct {
	Program  string
	Dir      string // of its settings and its log
	Data     string // of its state
	Settings string
	Env      []string // beside ours
}

// A Service is plumbline serve in a process of its own.
type Service struct {
	URL   string
	Ready time.Duration // from its start to its being ready

	cmd *exec.Cmd
	out *bufio.Reader
	log string // file of what it logs
}

var address = regexp.MustCompile(`http://[0-9.:]+`)

// Start runs a service and returns once it is ready.
func Start(ctx context.Context, o Options) (_ *Service, err error) {
	settings := filepath.Join(o.Dir, "settings.yaml")
	if err := os.WriteFile(settings, []byte(o.Settings), 0o600); err != nil {
		return nil, err
	}
	s := &Service{cmd: exec.CommandContext(ctx, o.Program, "serve", "--addr", "127.0.0.1:0", "--settings", settings), log: filepath.Join(o.Dir, "log")}
	s.cmd.Env = append(append(os.Environ(), o.Env...), "PLUMBLINE_DATA="+o.Data)
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
	s.out = bufio.NewReader(out)
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
	if s.URL, err = s.Address(); err != nil {
		return nil, err
	}
	for ; time.Since(began) < time.Minute; time.Sleep(time.Millisecond) {
		if _, err = s.get(ctx, "/readyz"); err == nil {
			s.Ready = time.Since(began)
			return s, nil
		}
	}
	return nil, err
}

// Address reads the next address that the service prints. The first is URL.
func (s *Service) Address() (string, error) {
	line, err := s.out.ReadString('\n')
	if err != nil {
		return "", err
	}
	if u := address.FindString(line); u != "" {
		return u, nil
	}
	return "", fmt.Errorf("no address in %q", line)
}

// Stop has the service finish what is under way, and waits until it has ended.
func (s *Service) Stop() error {
	_ = s.cmd.Process.Signal(syscall.SIGTERM)
	if err := s.cmd.Wait(); err != nil {
		return fmt.Errorf("stop the service: %w; it says: %s", err, s.last())
	}
	return nil
}

// last is the end of the log.
func (s *Service) last() string {
	b, _ := os.ReadFile(s.log)
	return string(b[max(0, len(b)-1000):])
}

func (s *Service) get(ctx context.Context, path string) (string, error) {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, s.URL+path, nil)
	if err != nil {
		return "", err
	}
	res, err := Client.Do(req)
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

// Counts are what a service counts of a channel, and of itself.
type Counts struct {
	Queued, Done, Parked int           // messages taken in and jobs ended since the start
	Sent                 int           // texts that their vendor took since the start
	Waiting              int           // not answered yet
	Unsent               int           // answered, and not with their vendor yet
	CPU                  time.Duration // that it has used
	Memory               int           // that it holds, in megabytes; 0 if it does not say
}

// Counts asks for the counts of now.
func (s *Service) Counts(ctx context.Context, channel string) (c Counts, err error) {
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
	count := func(name, label, value string) int {
		return int(of[fmt.Sprintf(`%s{channel=%q,%s=%q}`, name, channel, label, value)])
	}
	return Counts{
		Queued:  count("plumbline_messages_total", "receipt", "queued"),
		Done:    count("plumbline_jobs_total", "result", "done"),
		Parked:  count("plumbline_jobs_total", "result", "parked"),
		Sent:    count("plumbline_deliveries_total", "state", "accepted"),
		Waiting: int(of[`plumbline_queue{queue="inbox",state="waiting"}`]),
		Unsent:  int(of[`plumbline_queue{queue="outbox",state="waiting"}`]),
		CPU:     time.Duration(of["process_cpu_seconds_total"] * float64(time.Second)),
		Memory:  int(of["process_resident_memory_bytes"] / (1 << 20)),
	}, nil
}

// Drained waits until nothing waits, but no longer than limit, and returns the
// last counts.
func (s *Service) Drained(ctx context.Context, channel string, limit time.Duration) (Counts, error) {
	for began := time.Now(); ; time.Sleep(100 * time.Millisecond) {
		c, err := s.Counts(ctx, channel)
		if err != nil || c.Waiting+c.Unsent == 0 || time.Since(began) > limit {
			return c, err
		}
	}
}
