package sqlstore_test

import (
	"bufio"
	"context"
	"errors"
	"flag"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"plumbline/bot"
	"plumbline/sessions/keyring"
)

var long = flag.Bool("long", false, "kill the store for minutes, not seconds")

// killedDir tells a test process that it is to be killed, and where to work.
const killedDir = "PLUMBLINE_TEST_KILLED_DIR"

// TestKill kills a process that takes in and answers messages, at random
// moments. What it said that it had taken in must be there once, and what it
// said that it had answered must have been answered once.
func TestKill(t *testing.T) {
	if dir := os.Getenv(killedDir); dir != "" {
		toBeKilled(t, dir)
		return
	}
	dir := t.TempDir()
	keys, err := keyring.Ensure(filepath.Join(dir, "keys"), noon)
	if err != nil {
		t.Fatal(err)
	}
	span := 6 * time.Second
	if *long {
		span = 5 * time.Minute
	}
	rng := rand.New(rand.NewPCG(uint64(time.Now().UnixNano()), 0))
	put, answered := map[string]bool{}, map[string]bool{}
	kills := 0
	for began := time.Now(); time.Since(began) < span && !t.Failed(); kills++ {
		killOne(t, dir, kills, time.Duration(rng.IntN(400))*time.Millisecond, put, answered)
	}

	// Later, another process answers the rest and sends all.
	clock := func() time.Time { return time.Now().Add(time.Hour) }
	s := openAt(t, filepath.Join(dir, "p.db"), clock, keys)
	for id := range put {
		if r, err := s.Put(t.Context(), personOf(id), arrivalOf(id)); r != bot.Repeated || err != nil {
			t.Errorf("Put(%s) = %q, %v, want repeated: it was taken in", id, r, err)
		}
	}
	var mu sync.Mutex
	replies := map[string]int{}
	last := map[string]int{} // of each person, the number of the text that was sent last
	var wg sync.WaitGroup
	for range 6 {
		wg.Go(func() {
			for answerOne(t, s, clock, nil) {
			}
		})
	}
	wg.Wait()
	for range 6 {
		wg.Go(func() {
			for {
				now := clock()
				d, err := s.Take(t.Context(), []string{"sms"}, bot.Lease{Now: now, Until: now.Add(time.Minute)})
				if errors.Is(err, bot.ErrNotFound) {
					return
				}
				var run, person, n int
				if err == nil {
					_, err = fmt.Sscanf(d.Text, "%d-%d-%d", &run, &person, &n)
				}
				if err != nil {
					t.Errorf("take reply %q: %v", d.Text, err)
					return
				}
				mu.Lock()
				replies[d.Text]++
				if order := run*1_000_000 + n; order < last[d.Person] {
					t.Errorf("reply %s went out after a later one of its person", d.Text)
				} else {
					last[d.Person] = order
				}
				mu.Unlock()
				if err := s.Accept(t.Context(), d, d.Key); err != nil {
					t.Errorf("accept reply %q: %v", d.Text, err)
				}
			}
		})
	}
	wg.Wait()
	for id := range put {
		if replies[id] == 0 {
			t.Errorf("%s was taken in and never answered", id)
		}
	}
	for id := range answered {
		if replies[id] == 0 {
			t.Errorf("%s was answered and its reply is not there", id)
		}
	}
	for id, n := range replies {
		if n > 1 {
			t.Errorf("%s was answered %d times", id, n)
		}
	}
	t.Logf("%d kills, %d messages taken in, %d of them answered before a kill, %d replies", kills, len(put), len(answered), len(replies))
	if kills < 3 || len(put) < 50 || len(answered) < 20 {
		t.Errorf("%d kills, %d messages, %d answers are too few to tell", kills, len(put), len(answered))
	}
}

// killOne starts a process, kills it once it has worked for a while, and notes
// what it said.
func killOne(t *testing.T, dir string, run int, after time.Duration, put, answered map[string]bool) {
	cmd := exec.CommandContext(t.Context(), os.Args[0], "-test.run=^TestKill$")
	cmd.Env = append(os.Environ(), killedDir+"="+dir, fmt.Sprint("PLUMBLINE_TEST_RUN=", run))
	var stderr strings.Builder
	cmd.Stderr = &stderr
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	works := false
	lines := bufio.NewScanner(out)
	for lines.Scan() {
		what, id, _ := strings.Cut(lines.Text(), " ")
		switch what {
		case "put":
			put[id] = true
		case "answered":
			answered[id] = true
		default:
			continue
		}
		if !works {
			works = true
			time.AfterFunc(after, func() { _ = cmd.Process.Kill() })
		}
	}
	err = cmd.Wait()
	var exit *exec.ExitError
	if !works || !errors.As(err, &exit) || exit.ExitCode() != -1 {
		t.Errorf("run %d ended with %v, want it killed: %s", run, err, stderr.String())
	}
}

// toBeKilled takes in and answers messages and says so, until it is killed.
func toBeKilled(t *testing.T, dir string) {
	keys, err := keyring.Read(filepath.Join(dir, "keys"))
	if err != nil {
		t.Fatal(err)
	}
	run := os.Getenv("PLUMBLINE_TEST_RUN")
	s := openAt(t, filepath.Join(dir, "p.db"), time.Now, keys)
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Second) // nobody kills us
	defer cancel()
	var mu sync.Mutex
	say := func(what, id string) {
		mu.Lock()
		defer mu.Unlock()
		fmt.Println(what, id)
	}
	var wg sync.WaitGroup
	for person := range 6 {
		wg.Go(func() {
			pace := time.NewTicker(20 * time.Millisecond)
			defer pace.Stop()
			for n := 0; ctx.Err() == nil; n++ {
				<-pace.C
				id := fmt.Sprintf("%s-%d-%d", run, person, n)
				r, err := s.Put(ctx, personOf(id), arrivalOf(id))
				if err == nil && r == bot.Queued {
					say("put", id)
				}
			}
		})
	}
	for range 3 {
		wg.Go(func() {
			for ctx.Err() == nil {
				answerOne(t, s, time.Now, say)
			}
		})
	}
	wg.Wait()
}

// answerOne answers one message and reports whether one was due.
func answerOne(t *testing.T, s bot.Inbox, clock func() time.Time, say func(what, id string)) bool {
	now := clock()
	j, err := s.Next(t.Context(), bot.Lease{Owner: "w", Now: now, Until: now.Add(time.Second)})
	if errors.Is(err, bot.ErrNotFound) {
		return false
	}
	if err == nil {
		err = s.Finish(t.Context(), j, bot.Outcome{Replies: []bot.Reply{{Text: j.Message.ID}}})
	}
	if err != nil && !errors.Is(err, bot.ErrConflict) {
		t.Errorf("answer: %v", err)
	}
	if err == nil && say != nil {
		say("answered", j.Message.ID)
	}
	return true
}

// A message's id is the run, the person and the number of the message.
func personOf(id string) string { return "person " + strings.Split(id, "-")[1] }

func arrivalOf(id string) bot.Arrival {
	return bot.Arrival{Message: bot.Message{ID: id, From: bot.Address{Channel: "sms", User: personOf(id)}, Text: "text of " + id, At: noon}}
}
