package main

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"time"

	"plumbline/bot"
	"plumbline/channels/web"
	"plumbline/sessions"
)

type serveCmd struct {
	Addr string `help:"Address to listen on (127.0.0.1:8080 if left out; port 0 takes a free one)" placeholder:"HOST:PORT" env:"PLUMBLINE_ADDR"`
}

// Help shows examples.
func (serveCmd) Help() string {
	return `Examples:
  plumbline serve
  plumbline serve --addr 127.0.0.1:0

Open the address that it prints and text a question. Nothing has to be set up:
no key, no server, no network.`
}

// drain is how long answers under way may take when the service stops.
const drain = 20 * time.Second

func (c *serveCmd) Run(a *app) error {
	s, err := a.Settings()
	if err != nil {
		return err
	}
	addr := c.Addr
	if addr == "" {
		addr = s.Serve.Addr
	}
	host, _, err := net.SplitHostPort(addr)
	if err != nil {
		return usage("--addr %q is not HOST:PORT, such as 127.0.0.1:8080", addr)
	}
	if ip := net.ParseIP(host); host != "localhost" && (ip == nil || !ip.IsLoopback()) {
		return fmt.Errorf("%w: %s is not this machine alone: the wordings are not approved yet, so the page stays on 127.0.0.1", errRefused, host)
	}
	answerer, err := a.Answerer()
	if err != nil {
		return err
	}
	lib, err := a.Library()
	if err != nil {
		return err
	}
	log := slog.New(slog.NewTextHandler(a.std.Err, nil))
	conversation, err := a.Conversation(answerer)
	if err != nil {
		return err
	}
	pack := lib.Packs()[0]
	var prompts []string
	for _, t := range pack.Guidance.Prompts {
		prompts = append(prompts, t.In("en"))
	}
	phone := web.New(talk{conversation, new(sessions.Memory)}, pack.Manifest.Title.In("en"), prompts, log, time.Now)
	mux := http.NewServeMux()
	mux.HandleFunc("GET /healthz", func(w http.ResponseWriter, r *http.Request) { fmt.Fprintln(w, "ok") })
	mux.Handle("/", phone.Routes())

	l, err := net.Listen("tcp", addr)
	if err != nil {
		return fmt.Errorf("listen on %s: %w; name another with --addr", addr, err)
	}
	srv := &http.Server{Handler: mux, ReadHeaderTimeout: 10 * time.Second, ReadTimeout: 30 * time.Second, IdleTimeout: 2 * time.Minute, ErrorLog: slog.NewLogLogger(log.Handler(), slog.LevelWarn)}
	fmt.Fprintf(a.std.Out, "Open http://%s and text a question. Ctrl-C stops.\n", l.Addr())
	done := make(chan error, 1)
	go func() { done <- srv.Serve(l) }()
	select {
	case err := <-done:
		return fmt.Errorf("serve: %w", err)
	case <-a.ctx.Done():
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(a.ctx), drain)
	defer cancel()
	if err := srv.Shutdown(ctx); err != nil {
		return fmt.Errorf("drain: %w", err)
	}
	if err := <-done; err != nil && !errors.Is(err, http.ErrServerClosed) {
		return fmt.Errorf("serve: %w", err)
	}
	return nil
}

// talk answers at once, from sessions in memory.
type talk struct {
	conversation *bot.Conversation
	sessions     bot.SessionStore
}

// Handle implements [web.Handler].
func (t talk) Handle(ctx context.Context, m bot.Message) (bot.Outcome, error) {
	return t.conversation.Handle(ctx, t.sessions, m.From.Key(), m)
}
