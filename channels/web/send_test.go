package web_test

import (
	"context"
	"fmt"
	"log/slog"
	"strings"
	"sync"
	"testing"
	"time"

	"plumbline/bot"
	"plumbline/channels/channeltest"
	"plumbline/channels/web"
)

// A shaky mailbox fails as it is told.
type shaky struct {
	web.Memory
	mu    sync.Mutex
	fault channeltest.Fault
}

func (s *shaky) fail(f channeltest.Fault) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.fault = f
}

func (s *shaky) Add(ctx context.Context, visitor string, b web.Bubble) error {
	s.mu.Lock()
	fault := s.fault
	s.mu.Unlock()
	switch fault {
	case channeltest.CutBefore:
		return fmt.Errorf("disk: %w", bot.ErrUnavailable)
	case channeltest.Hanging:
		<-ctx.Done()
		return ctx.Err()
	}
	if err := s.Memory.Add(ctx, visitor, b); err != nil {
		return err
	}
	if fault == channeltest.CutAfter {
		return fmt.Errorf("disk: %w", bot.ErrUnavailable)
	}
	return nil
}

func TestSender(t *testing.T) {
	const no = "a mailbox of our own has no vendor behind it"
	channeltest.Run(t, func(t *testing.T) channeltest.Harness {
		box := new(shaky)
		var log strings.Builder
		p := web.New(web.Config{Mailbox: box, Log: slog.New(slog.NewTextHandler(&log, &slog.HandlerOptions{Level: slog.LevelDebug})), Now: time.Now})
		t.Cleanup(p.Close)
		to := bot.Address{Channel: "web", User: "GOOD2ANDSECRET3NAMEOFVISIT"}
		return channeltest.Harness{
			Sender: p, To: to, Longest: web.Longest, Fail: box.fail, Logged: log.String,
			Has: func() (texts []channeltest.Text) {
				list, err := box.List(context.Background(), to.User)
				if err != nil {
					t.Fatal(err)
				}
				for _, b := range list {
					texts = append(texts, channeltest.Text{Text: b.Text})
				}
				return texts
			},
			Cannot: map[channeltest.Fault]string{
				channeltest.Throttled: no, channeltest.Wait: no, channeltest.Denied: no, channeltest.Permanent: no, channeltest.Broken: no, channeltest.Garbled: no,
			},
		}
	})
}
