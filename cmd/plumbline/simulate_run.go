package main

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"net"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"time"

	"plumbline/channels/sms"
	"plumbline/channels/sms/smstest"
	"plumbline/internal/gsm7"
)

// What a simulated service is called by.
const (
	simAccount = "AC000000000000000000000000000000aa"
	simToken   = "5150c0de5150c0de5150c0de5150c0de"
	simNumber  = "+12005550100" // an area code that no person of the simulation has
	simURL     = "https://simulation.example.org"
)

// simChaos is what --chaos is.
var simChaos = smstest.Chaos{
	Twice: 0.1, Again: 0.1, Hold: 0.05, HangUp: 0.1, Throttle: 0.03, Unavailable: 0.03, CutBefore: 0.02, CutAfter: 0.03, Slow: 0.03,
	CallbackEarly: 0.1, CallbackTwice: 0.1, CallbackDrop: 0.05, CallbackReorder: 0.1, Spread: 2 * time.Second,
}

// deadShare is the share of phones that texts do not reach, with chaos.
const deadShare = 0.02

// A talk is one person's conversation as it goes.
type talk struct {
	phone  *smstest.Phone
	script script
	dead   bool
	min    int // texts that should have come so far
	max    int
	stops  int // times that they opted out
	failed error
}

// A recorder adds up how long things took.
type recorder struct {
	mu       sync.Mutex
	ack      []time.Duration
	reply    []time.Duration
	sent     int
	answered int
}

// hold holds the conversation.
func (t *talk) hold(ctx context.Context, rec *recorder, patience time.Duration) {
	for _, s := range t.script.steps {
		before := len(t.phone.Texts())
		m := smstest.Message{Body: s.text, Mark: s.mark}
		if s.picture {
			m.Media = []smstest.Media{{URL: "https://example.org/picture", ContentType: "image/jpeg"}}
		}
		began := time.Now()
		sent, err := t.phone.Send(ctx, m)
		if err != nil {
			t.failed = err
			return
		}
		if s.mark == smstest.Stop {
			t.stops++
		}
		rec.mu.Lock()
		rec.sent++
		rec.ack = append(rec.ack, sent.Acked.Sub(began))
		rec.mu.Unlock()
		t.min, t.max = t.min+s.min, t.max+s.max
		took := time.Duration(0)
		if s.min > 0 && !t.dead && !s.hurry {
			wait, cancel := context.WithTimeout(ctx, patience)
			texts, err := t.phone.Wait(wait, func(list []smstest.Text) bool { return len(list) >= t.min })
			cancel()
			if err != nil {
				return // lost, as the end will show
			}
			if len(texts) > before {
				took = max(0, texts[before].At.Sub(sent.Acked))
			}
		}
		rec.mu.Lock()
		rec.answered++
		if took > 0 {
			rec.reply = append(rec.reply, took)
		}
		rec.mu.Unlock()
	}
}

// judge counts what came of the conversation in the end.
func (t *talk) judge(texts []smstest.Text, afterStop int, sum *simulation) {
	seen := map[string]int{}
	for _, x := range texts {
		sum.Texts++
		sum.Segments += gsm7.Count(x.Body).Segments
		if seen[x.Body]++; seen[x.Body] > 1 { // nobody is to be told the same twice
			sum.Doubled++
			sum.note(t, "has one text twice")
		}
	}
	if afterStop > t.stops { // one each time says that they opted out
		sum.AfterStop += afterStop - t.stops
		sum.note(t, fmt.Sprintf("has %d texts after STOP", afterStop))
	}
	if t.dead {
		return
	}
	if n := len(seen); n < t.min || n > t.max {
		sum.Lost += max(0, t.min-n)
		sum.Doubled += max(0, n-t.max)
		sum.note(t, fmt.Sprintf("has %d texts, and %d to %d should have come", n, t.min, t.max))
	}
	for _, s := range t.script.steps {
		if s.says != "" && !slices.ContainsFunc(texts, func(x smstest.Text) bool { return strings.Contains(x.Body, s.says) }) {
			sum.Lost++ // something else came in its place
			sum.note(t, fmt.Sprintf("has no text with %q", s.says))
		}
	}
}

// note keeps what was wrong with a conversation, of the first few.
func (s *simulation) note(t *talk, what string) {
	if len(s.Notes) < 20 {
		s.Notes = append(s.Notes, t.script.name+": "+what)
	}
}

// simulate plays Twilio and people, and counts what comes of it.
func (c *simulateSMSCmd) simulate(a *app) (sum simulation, err error) {
	began := time.Now()
	set, err := a.Settings()
	if err != nil {
		return sum, err
	}
	sum.Conversations, sum.Seed = c.Conversations, c.Seed
	cfg := smstest.Config{
		Account: smstest.Account{SID: simAccount, Token: simToken, Numbers: []smstest.Number{{Phone: simNumber}}}, Keywords: smstest.Off,
		Public: simURL, Seed: rand.Uint64(), // another each time, since a service of --against knows messages by their SIDs
		Retry: smstest.Retry{Count: 5, On: []string{"all"}, Pause: 3 * time.Second}, Timeout: 40 * time.Second, Workers: 32, // while it starts again
	}
	var svc *simService
	if c.Against {
		t := set.Twilio
		u, err := url.Parse(t.API)
		if err != nil || !t.on() || t.real() {
			return sum, fmt.Errorf("%w: twilio.api is not an address of this machine: --against would text people", errRefused)
		}
		cfg.Listen, cfg.Public, cfg.Dial = u.Host, strings.TrimRight(set.Public.URL, "/"), "http://"+set.Public.Addr
		cfg.Account = smstest.Account{SID: t.Account, Token: t.token.Reveal(), Numbers: []smstest.Number{{Phone: t.Number}}}
		if t.Service != "" {
			cfg.Account.Services = []smstest.Service{{SID: t.Service, Senders: []string{t.Number}, OnNumber: true}}
		}
	} else {
		ports, err := freePorts(3)
		if err != nil {
			return sum, err
		}
		cfg.Listen, cfg.Dial = ports[2], "http://"+ports[1]
		if svc, err = newSimService(a, ports, c.Keep); err != nil {
			return sum, err
		}
		defer func() { err = errors.Join(err, svc.close()) }()
	}
	cfg.Inbound, cfg.Voice = cfg.Public+sms.MessagePath, cfg.Public+sms.VoicePath
	v, err := smstest.New(cfg)
	if err != nil {
		return sum, err
	}
	defer v.Close()
	if svc != nil {
		if err := svc.start(a.ctx); err != nil {
			return sum, err
		}
	}
	talks := c.talks(v)
	if c.Chaos {
		if err := v.SetChaos(simChaos); err != nil {
			return sum, err
		}
	}
	rec := new(recorder)
	var running atomic.Int64
	running.Store(int64(len(talks)))
	ctx, cancel := context.WithCancel(a.ctx)
	defer cancel()
	killed := make(chan error, 1)
	go func() {
		n, err := c.killer(ctx, svc, &running)
		sum.Kills = n
		killed <- err
	}()
	var wg sync.WaitGroup
	tick := time.NewTicker(time.Duration(float64(time.Second) / c.Rate))
	defer tick.Stop()
	for _, t := range talks {
		wg.Go(func() { defer running.Add(-1); t.hold(ctx, rec, c.Patience) })
		select {
		case <-tick.C:
		case <-ctx.Done():
		}
	}
	wg.Wait()
	if err := <-killed; err != nil {
		return sum, err
	}
	if err := a.ctx.Err(); err != nil {
		return sum, err
	}
	// What is late, or sent twice, is still to come: as long as a lease lasts and
	// a delivery may be posted again.
	if err := v.SetChaos(smstest.Chaos{}); err != nil {
		return sum, err
	}
	grace := time.NewTimer(6 * time.Second)
	if sum.Kills > 0 {
		grace.Reset(lease + 6*time.Second)
	}
	defer grace.Stop()
	select {
	case <-grace.C:
	case <-a.ctx.Done():
	}
	after := map[string]int{}
	for _, m := range v.Creates() {
		if m.AfterStop {
			after[m.To]++
		}
	}
	for _, t := range talks {
		if t.failed != nil {
			return sum, fmt.Errorf("a message was not taken: %w", t.failed)
		}
		t.judge(t.phone.Texts(), after[t.phone.Address()], &sum)
	}
	sum.Sent, sum.Answered = rec.sent, rec.answered
	sum.vendor(v)
	sum.LatencyMS, sum.AckMS = percentilesOf(rec.reply), percentilesOf(rec.ack)
	sum.TookS = time.Since(began).Seconds()
	if svc != nil {
		if err := svc.stop(); err != nil {
			return sum, err
		}
		sum.LogLines, sum.Logged = svc.read()
	}
	return sum, nil
}

// vendor takes over what the fake counted. That nobody answers while the service
// is killed is no fault of its own.
func (s *simulation) vendor(v *smstest.Server) {
	n := v.Stats()
	s.Posts, s.Undeliverable = n.Webhooks, n.Failed
	s.Vendor = map[string]int{"repeated": n.Repeats, "hung up": n.HangUps, "retried": n.Retries, "failed": n.Troubled, "unheard": n.Unheard, "statuses dropped": n.Dropped, "statuses": n.Callbacks}
	s.Faults = map[string]int{}
	for _, f := range v.Faults() {
		if s.Kills > 0 && f.Where != "create" && f.Code >= 11200 && f.Code < 11300 {
			continue
		}
		s.Faults[fmt.Sprintf("%s %d: %s", f.Where, f.Code, f.Why)]++
	}
}

// talks are the conversations to hold.
func (c *simulateSMSCmd) talks(v *smstest.Server) (list []*talk) {
	r := rand.New(rand.NewPCG(c.Seed, 2))
	for i := range c.Conversations {
		number := testNumber(i)
		t := &talk{phone: v.Phone(number), script: scripts[i%len(scripts)]}
		if c.Chaos && r.Float64() < deadShare {
			t.dead = true
			v.Undeliverable(number, []int{30003, 30005, 30006, 30008}[r.IntN(4)])
		}
		list = append(list, t)
	}
	return list
}

// killer kills the service and starts it again, at random moments while people
// text, and returns how often.
func (c *simulateSMSCmd) killer(ctx context.Context, svc *simService, running *atomic.Int64) (n int, err error) {
	r := rand.New(rand.NewPCG(c.Seed, 3))
	most := time.Duration(float64(c.Conversations) / c.Rate * float64(time.Second) / float64(max(1, c.Kills)))
	most = min(max(most, 2*time.Second), 20*time.Second)
	for n < c.Kills && running.Load() > 0 {
		t := time.NewTimer(time.Duration(r.Int64N(int64(most))))
		select {
		case <-ctx.Done():
			t.Stop()
			return n, nil
		case <-t.C:
		}
		svc.kill()
		n++
		if err := svc.start(ctx); err != nil {
			return n, err
		}
	}
	return n, nil
}

// freePorts returns addresses of this machine that nobody listens on.
func freePorts(n int) (list []string, err error) {
	for range n {
		l, err := net.Listen("tcp", "127.0.0.1:0")
		if err != nil {
			return nil, err
		}
		defer func() { _ = l.Close() }()
		list = append(list, l.Addr().String())
	}
	return list, nil
}

// A simService is a service of the simulation's own.
type simService struct {
	program string
	dir     string
	addr    string
	log     *os.File
	cmd     *exec.Cmd
}

// newSimService makes a service that does not run yet. ports are its own, its
// public one and Twilio's.
func newSimService(a *app, ports []string, logFile string) (*simService, error) {
	program, err := os.Executable()
	if err != nil {
		return nil, fmt.Errorf("find this program: %w", err)
	}
	dir, err := os.MkdirTemp("", "plumbline-simulate-")
	if err != nil {
		return nil, err
	}
	if logFile == "" {
		logFile = filepath.Join(dir, "log")
	}
	log, err := os.OpenFile(logFile, os.O_CREATE|os.O_TRUNC|os.O_RDWR, 0o600)
	if err != nil {
		return nil, errors.Join(err, os.RemoveAll(dir))
	}
	s := &simService{program: program, dir: dir, addr: ports[0], log: log}
	yaml := fmt.Sprintf(`house: {name: "Simulation", phone: "973-555-0199", zone: UTC}
public: {url: %q, addr: %q}
twilio: {account: %s, number: %q, api: "http://%s", rate: 10000, quiet: {from: "", until: ""}}
intake: {debounce: 0s, patience: 0s}
serve: {addr: %q}
log: {level: debug}
`, simURL, ports[1], simAccount, simNumber, ports[2], ports[0])
	if err := os.WriteFile(filepath.Join(dir, "settings.yaml"), []byte(yaml), 0o600); err != nil {
		return nil, errors.Join(err, s.close())
	}
	return s, nil
}

// start starts the service and returns once it is ready.
func (s *simService) start(ctx context.Context) error {
	s.cmd = &exec.Cmd{
		Path: s.program, Args: []string{"plumbline", "serve", "--settings", filepath.Join(s.dir, "settings.yaml")}, Stderr: s.log,
		Env: append(os.Environ(), "PLUMBLINE_DATA="+filepath.Join(s.dir, "data"), "PLUMBLINE_TWILIO_TOKEN="+simToken),
	}
	if err := s.cmd.Start(); err != nil {
		return fmt.Errorf("start the service: %w", err)
	}
	ctx, cancel := context.WithTimeout(ctx, time.Minute)
	defer cancel()
	t := time.NewTicker(20 * time.Millisecond)
	defer t.Stop()
	for {
		if ready, _, err := askReady(ctx, s.addr); err == nil && ready {
			return nil
		}
		select {
		case <-ctx.Done():
			return fmt.Errorf("the service is not ready: %w; --keep FILE keeps its log", ctx.Err())
		case <-t.C:
		}
	}
}

// kill kills the service as a machine does that loses its power.
func (s *simService) kill() {
	_ = s.cmd.Process.Kill()
	_ = s.cmd.Wait()
	s.cmd = nil
}

// stop stops it as an operator does.
func (s *simService) stop() error {
	if s.cmd == nil {
		return nil
	}
	if err := s.cmd.Process.Signal(syscall.SIGTERM); err != nil {
		return fmt.Errorf("stop the service: %w", err)
	}
	err := s.cmd.Wait()
	s.cmd = nil
	if err != nil {
		return fmt.Errorf("stop the service: %w", err)
	}
	return nil
}

func (s *simService) close() error {
	if s.cmd != nil {
		s.kill()
	}
	return errors.Join(s.log.Close(), os.RemoveAll(s.dir))
}

// anyNumber is a telephone number of the simulation, as logs may write it.
var anyNumber = regexp.MustCompile(`555[-. ]?01[0-9]{2}($|[^0-9a-f])`)

// read counts the lines of the log, and those that hold a number or what somebody
// texted.
func (s *simService) read() (lines, bad int) {
	var said []string
	for _, sc := range scripts {
		for _, st := range sc.steps {
			if len(st.text) > 12 {
				said = append(said, st.text)
			}
		}
	}
	said = append(said, simToken, "automated water line", "unsubscribed", "Call 911")
	if _, err := s.log.Seek(0, io.SeekStart); err != nil {
		return 0, 1
	}
	sc := bufio.NewScanner(s.log)
	sc.Buffer(nil, 1<<20)
	for sc.Scan() {
		lines++
		line := sc.Text()
		if anyNumber.MatchString(line) || slices.ContainsFunc(said, func(t string) bool { return strings.Contains(line, t) }) {
			bad++
		}
	}
	return lines, bad
}
