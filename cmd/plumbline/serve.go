package main

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"os"
	"strconv"
	"sync"
	"time"

	"plumbline/bot"
	"plumbline/channels/sms"
	"plumbline/channels/web"
	"plumbline/kb"
	"plumbline/sessions/sqlstore"
)

type serveCmd struct {
	Addr string `help:"Address to listen on (127.0.0.1:8080 if left out; port 0 takes a free one)" placeholder:"HOST:PORT"`
}

// Help shows examples.
func (serveCmd) Help() string {
	return `Examples:
  plumbline serve
  plumbline serve --addr 127.0.0.1:0

Open the address that it prints and text a question. Nothing has to be set up:
no key, no server, no network.`
}

const (
	drain   = 20 * time.Second // how long what is under way may take when the service stops
	late    = 10 * time.Minute // an answer later than this says so
	lease   = 15 * time.Second // how long what a killed service had begun waits for another, or for the next start
	sweep   = 24 * time.Hour   // how often what is no longer kept is deleted
	history = 30 * 24 * time.Hour

	keep     = 4 * time.Hour // how long a text is tried for that a vendor does not take for now
	couriers = 8             // texts that are handed over at once
)

// Run implements the command.
func (c *serveCmd) Run(a *app) error {
	s, err := a.Settings()
	if err != nil {
		return err
	}
	addr, host, _, err := serviceAddr(c.Addr, s)
	if err != nil {
		return err
	}
	if ip := net.ParseIP(host); host != "localhost" && (ip == nil || !ip.IsLoopback()) {
		return fmt.Errorf("%w: %s is not this machine alone: the wordings are not approved yet, so the page stays on 127.0.0.1", errRefused, host)
	}
	sv, err := a.newService(s)
	if err != nil {
		return err
	}
	l, err := net.Listen("tcp", addr)
	if err != nil {
		return fmt.Errorf("listen on %s: %w; name another with --addr", addr, err)
	}
	if sv.texter != nil {
		if sv.public, err = net.Listen("tcp", s.Public.Addr); err != nil {
			_ = l.Close()
			return fmt.Errorf("listen on %s: %w; name another in public.addr", s.Public.Addr, err)
		}
	}
	fmt.Fprintf(a.std.Out, "Open http://%s and text a question. Ctrl-C stops.\n", l.Addr())
	if sv.texter != nil {
		fmt.Fprintf(a.std.Out, "Twilio's webhooks are heard on http://%s for %s.\n", sv.public.Addr(), s.Public.URL)
	}
	return sv.run(a.ctx, l)
}

// A service is everything that runs while the program serves.
type service struct {
	log     *slog.Logger
	store   *sqlstore.Store
	intake  *bot.Intake
	desk    *bot.Desk
	courier *bot.Courier
	phone   *web.Phone
	meters  *meters
	policy  sqlstore.Policy
	texter  *texter      // nil without Twilio
	public  net.Listener // of texter
	now     func() time.Time
}

func (a *app) newService(s settings) (*service, error) {
	st, err := a.State()
	if err != nil {
		return nil, err
	}
	log, meters := logger(a, s.Log), newMeters()
	a.board, a.ledger, a.alarm = st.Store, st.Store.Ledger(), alarm(log, meters)
	answerer, err := a.Answerer()
	if err != nil {
		return nil, err
	}
	lib, err := a.Library()
	if err != nil {
		return nil, err
	}
	if s.Twilio.real() {
		lib.OnlyApproved() // before anybody asks
	}
	conversation, err := a.Conversation(answerer)
	if err != nil {
		return nil, err
	}
	conversation.Late = late
	conversation.Introduce = func(channel string) bool { return channel != "slack" }
	conversation.Write = s.write
	store, now := st.Store, time.Now
	sv := &service{log: log, store: store, meters: meters, now: now, policy: s.policy()}
	if a.stages != nil {
		sv.meters.circuits(a.stages.Client.Askers)
	}
	sv.intake = &bot.Intake{
		Inbox: store, Person: store.Keys().Person, Urgent: conversation.Urgent, Log: log, Seen: sv.meters.received,
		Rules: func(string) bot.IntakeRules { return s.rules() },
	}
	owner := hostname() + "/" + strconv.Itoa(os.Getpid())
	sv.desk = &bot.Desk{
		Inbox: store, Decide: conversation.Decide, Workers: s.workers(), Owner: owner, Lease: lease, Wake: store.InboxReady(), Now: now, Log: log, Done: sv.meters.decided,
	}
	var prompts []web.Text
	for _, t := range lib.Packs()[0].Guidance.Prompts {
		prompts = append(prompts, inBoth(t))
	}
	house := s.house()
	choices, err := a.choices()
	if err != nil {
		return nil, err
	}
	retell := func(ctx context.Context, a bot.Answer, persona string) (bot.Reply, error) {
		return answerer.Retell(ctx, a, persona, "slack") // where organisers read: there is room
	}
	sv.phone = web.New(web.Config{
		Receiver: sv.intake, Mailbox: boxes{store}, Log: log, Now: now, Name: web.Text{bot.English: house.Called()}, Topic: inBoth(lib.Packs()[0].Manifest.Title), Prompts: prompts, Choices: choices, Cents: s.Serve.Cents,
		Demo: true, Answers: told{store}, Retell: retell,
	})
	conversation.Show = func(j bot.Job) func(string) {
		if j.Message.From.Channel != "web" {
			return nil
		}
		return sv.phone.Writing(j.Message.From.User)
	}
	senders := map[string]bot.Sender{"web": sv.phone}
	if s.Twilio.on() {
		if sv.texter, err = newTexter(s, sv.intake, store, meters, log); err != nil {
			return nil, err
		}
		senders[sms.SMS], senders[sms.WhatsApp] = sv.texter.sender, sv.texter.sender
	}
	sv.courier = &bot.Courier{
		Outbox: store, Senders: senders, Consent: store, Owner: owner, Lease: lease, Limit: lease / 2, Keep: keep, Workers: couriers, Wake: store.OutboxReady(), Now: now, Log: log, Done: sv.meters.sent,
		Pace: s.pace, Hold: s.hold, Lead: s.lead,
	}
	return sv, nil
}

// run serves on l until ctx is done. Then it takes in nothing more, finishes
// what is under way and leaves the rest in the inbox.
func (sv *service) run(ctx context.Context, l net.Listener) error {
	srv := newServer(sv.routes(), sv.log)
	srv.RegisterOnShutdown(sv.phone.Close)
	work, stop := context.WithCancel(context.WithoutCancel(ctx))
	ctx, fail := context.WithCancelCause(ctx)
	defer fail(nil)
	var wg, out sync.WaitGroup
	if sv.public != nil {
		out.Go(func() {
			if err := serveUntil(ctx, newServer(sv.open(), sv.log), sv.public, " what is public", func() {}); err != nil {
				fail(err)
			}
		})
	}
	wg.Go(func() { sv.desk.Run(work) })
	wg.Go(func() { sv.courier.Run(work) })
	wg.Go(func() { sv.retain(work) })
	defer wg.Wait()
	defer stop()
	err := serveUntil(ctx, srv, l, "", func() {
		sv.log.InfoContext(ctx, "stopping")
		out.Wait() // nothing is taken in any more
	})
	if cause := context.Cause(ctx); err == nil && !errors.Is(cause, context.Canceled) {
		err = cause
	}
	return err
}

// serveUntil serves on l until ctx is done, then calls last, takes nothing in
// any more and lets what is under way end. Errors name what it serves.
func serveUntil(ctx context.Context, srv *http.Server, l net.Listener, what string, last func()) error {
	done := make(chan error, 1)
	go func() { done <- srv.Serve(l) }()
	select {
	case err := <-done:
		return fmt.Errorf("serve%s: %w", what, err)
	case <-ctx.Done():
	}
	last()
	end, cancel := context.WithTimeout(context.WithoutCancel(ctx), drain)
	defer cancel()
	if err := srv.Shutdown(end); err != nil {
		return fmt.Errorf("drain%s: %w", what, err)
	}
	if err := <-done; err != nil && !errors.Is(err, http.ErrServerClosed) {
		return fmt.Errorf("serve%s: %w", what, err)
	}
	return nil
}

func newServer(h http.Handler, log *slog.Logger) *http.Server {
	return &http.Server{Handler: h, ReadHeaderTimeout: 10 * time.Second, ReadTimeout: 30 * time.Second, IdleTimeout: 2 * time.Minute, ErrorLog: slog.NewLogLogger(log.Handler(), slog.LevelWarn)}
}

// routes are the pages and what operators ask: /healthz (the process lives),
// /readyz (it can take messages in), /metrics.
func (sv *service) routes() http.Handler {
	mux := http.NewServeMux()
	mux.HandleFunc("GET /healthz", func(w http.ResponseWriter, r *http.Request) { fmt.Fprintln(w, "ok") })
	mux.HandleFunc("GET /readyz", func(w http.ResponseWriter, r *http.Request) {
		ctx, cancel := context.WithTimeout(r.Context(), healthWait)
		defer cancel()
		if err := sv.store.Writable(ctx); err != nil {
			sv.log.ErrorContext(ctx, "not ready", "err", err)
			http.Error(w, "the database does not take messages", http.StatusServiceUnavailable)
			return
		}
		fmt.Fprintln(w, "ready")
	})
	mux.HandleFunc("GET /metrics", func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "text/plain; version=0.0.4; charset=utf-8")
		if err := sv.meters.write(r.Context(), w, sv.store, sv.store, sv.now()); err != nil {
			sv.log.ErrorContext(r.Context(), "metrics not written", "err", err)
		}
	})
	mux.Handle("/", sv.phone.Routes())
	return mux
}

// retain deletes what is no longer kept, soon after the start and then daily.
func (sv *service) retain(ctx context.Context) {
	t := time.NewTimer(time.Minute)
	defer t.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-t.C:
		}
		r, err := sv.store.Retain(ctx, sv.policy)
		if err == nil {
			_, err = sv.store.Sweep(ctx, sv.now().Add(-history))
		}
		switch {
		case err == nil:
			sv.log.InfoContext(ctx, "old records deleted", "turns", r.Turns, "sessions", r.Sessions)
		case ctx.Err() == nil:
			sv.log.ErrorContext(ctx, "old records not deleted", "err", err)
		}
		t.Reset(sweep)
	}
}

// logger writes what operators need to know, and nobody's words.
func logger(a *app, s logSettings) *slog.Logger {
	opts := &slog.HandlerOptions{Level: s.Level}
	if s.Format == "json" {
		return slog.New(slog.NewJSONHandler(a.std.Err, opts))
	}
	return slog.New(slog.NewTextHandler(a.std.Err, opts))
}

func hostname() string {
	name, err := os.Hostname()
	if err != nil {
		return "here"
	}
	return name
}

func inBoth(t kb.Text) web.Text { return web.Text{bot.English: t.In("en"), bot.Spanish: t.In("es")} }
