package main

import (
	"context"
	"crypto/rand"
	"crypto/sha256"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"sync"
	"time"

	"plumbline/bot"
	"plumbline/channels/web"
	"plumbline/kb"
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

// segmentCents is about what a segment costs in the US, carriers' fees aside.
const segmentCents = 0.83

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
	key := rand.Text()
	conversation := &bot.Conversation{
		Answerer: answerer, Sessions: new(sessions.Memory), Now: time.Now, AsOf: a.globals.AsOf.Time,
		Key: func(addr bot.Address) string {
			return fmt.Sprintf("%x", sha256.Sum256([]byte(key+addr.Key())))
		},
	}
	pack := lib.Packs()[0]
	var prompts []web.Text
	for _, t := range pack.Guidance.Prompts {
		prompts = append(prompts, inBoth(t))
	}
	direct := &direct{conversation: conversation, answerer: answerer, answers: map[string]bot.Answer{}}
	direct.phone = web.New(web.Config{
		Receiver: direct, Mailbox: new(web.Memory), Log: log, Now: time.Now, Name: inBoth(pack.Manifest.Title), Prompts: prompts,
		Cents: segmentCents, Demo: true, Answers: direct, Retell: direct.retell,
	})
	mux := http.NewServeMux()
	mux.HandleFunc("GET /healthz", func(w http.ResponseWriter, r *http.Request) { fmt.Fprintln(w, "ok") })
	mux.Handle("/", direct.phone.Routes())

	l, err := net.Listen("tcp", addr)
	if err != nil {
		return fmt.Errorf("listen on %s: %w; name another with --addr", addr, err)
	}
	srv := &http.Server{Handler: mux, ReadHeaderTimeout: 10 * time.Second, ReadTimeout: 30 * time.Second, IdleTimeout: 2 * time.Minute, ErrorLog: slog.NewLogLogger(log.Handler(), slog.LevelWarn)}
	srv.RegisterOnShutdown(direct.phone.Close)
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

// direct answers each text of the phone page while it is taken in, and keeps
// the answers for as long as the process lives.
type direct struct {
	conversation *bot.Conversation
	answerer     bot.Answerer
	phone        *web.Phone

	mu      sync.Mutex
	answers map[string]bot.Answer // by visitor and id
}

// Receive implements [bot.Receiver].
func (d *direct) Receive(ctx context.Context, m bot.Message) error {
	turn, err := d.conversation.Handle(ctx, m)
	if err != nil {
		return err
	}
	if a := turn.Answer; a.ID != "" {
		d.mu.Lock()
		d.answers[m.From.User+" "+a.ID] = a
		d.mu.Unlock()
	}
	r := turn.Reply
	out := bot.Delivery{Key: m.ID, To: m.From, Text: r.Text, Language: r.Language, Answer: r.Answer, Status: r.Status, Asked: m.At}
	for _, offer := range []struct {
		word  bot.Word
		texts []string
	}{{bot.WordMore, r.More}, {bot.WordWhy, r.Why}, {bot.WordSources, r.Sources}} {
		if len(offer.texts) > 0 {
			out.Offers = append(out.Offers, offer.word)
		}
	}
	_, err = d.phone.Send(ctx, out)
	return err
}

// Answer implements [web.Answers].
func (d *direct) Answer(_ context.Context, visitor, id string) (bot.Answer, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if a, ok := d.answers[visitor+" "+id]; ok {
		return a, nil
	}
	return bot.Answer{}, fmt.Errorf("answer %s: %w", id, bot.ErrNotFound)
}

func (d *direct) retell(ctx context.Context, a bot.Answer, persona string) (bot.Reply, error) {
	asOf, err := time.Parse(time.DateOnly, a.Trace.AsOf)
	if err != nil {
		return bot.Reply{}, fmt.Errorf("retell answer %s: %w", a.ID, err)
	}
	told, err := d.answerer.Answer(ctx, bot.Question{Text: a.Trace.Question, Channel: "slack", Language: a.Language, Persona: persona, Variant: a.Trace.Variant, AsOf: asOf})
	return told.Reply, err
}

func inBoth(t kb.Text) web.Text { return web.Text{bot.English: t.In("en"), bot.Spanish: t.In("es")} }
