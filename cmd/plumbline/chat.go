package main

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/google/uuid"

	"plumbline/bot"
	"plumbline/channels/console"
	"plumbline/sessions"
	"plumbline/sessions/keyring"
)

type chatCmd struct {
	Persona string `help:"Voice of the answers until another is asked for (the channel's if left out)" placeholder:"NAME"`
	Lang    string `help:"Language of what is typed: en or es (told by the words if left out)" placeholder:"LANG" enum:",en,es" default:""`
	Pack    string `help:"Domain pack to answer from" placeholder:"NAME"`
	Channel string `help:"Channel that replies are fitted to: sms, whatsapp, slack, web or console" default:"sms" enum:"sms,whatsapp,slack,web,console"`
	Name    string `help:"Who is typing: each name is a conversation of its own" default:"you" placeholder:"NAME"`
}

// Help shows examples.
func (chatCmd) Help() string {
	return `Examples:
  plumbline chat
  plumbline chat --persona cityhall --channel slack
  printf 'is brown water safe\nMORE\nSTOP\n' | plumbline chat

Each line is a text, answered as the line would answer it: MORE, WHY, SOURCES,
HELP, STOP and START, ENGLISH, ESPANOL, "talk to me like city hall" and the rest
work. From a pipe, each line waits for the answer to the one before. /quit or
Ctrl-D leaves. What is said is forgotten at the end.`
}

// A queue is where messages and texts wait.
type queue interface {
	bot.Inbox
	bot.Outbox
	InboxReady() <-chan struct{}
	OutboxReady() <-chan struct{}
}

func (c *chatCmd) Run(a *app) error {
	if strings.TrimSpace(c.Name) == "" {
		return usage("--name is empty")
	}
	conversation, err := c.conversation(a)
	if err != nil {
		return err
	}
	var q queue = sessions.NewQueue(time.Now)
	log := slog.New(slog.NewTextHandler(a.std.Err, &slog.HandlerOptions{Level: slog.LevelWarn}))
	typed, _ := terminal(a.std.In)
	shown, width := terminal(a.std.Out)
	now := time.Now
	var lines atomic.Int64
	if !typed { // as in ask, each line of a pipe is a turn of its own
		start := now()
		conversation.Now = func() time.Time { return start.Add(time.Duration(lines.Load()) * lineApart) }
		now = func() time.Time { lines.Add(1); return conversation.Now() }
	}

	screen := console.New(console.Options{
		Receiver: &bot.Intake{Inbox: q, Person: keyring.New(time.Now()).Person, Urgent: conversation.Urgent, Log: log},
		From:     bot.Address{Channel: c.Channel, User: c.Name},
		Language: bot.Language(c.Lang),
		NewID:    func() string { return uuid.Must(uuid.NewV7()).String() },
		Now:      now,
		Answered: func(ctx context.Context) (bool, error) { return idle(ctx, q) },
		In:       a.std.In, Out: a.std.Out, Err: a.std.Err, Typed: typed,
		Look: console.Look{
			Terminal: shown, Width: width, JSON: a.globals.JSON,
			Color: shown && a.getenv("NO_COLOR") == "" && a.getenv("TERM") != "dumb",
		},
	})
	desk := &bot.Desk{
		Inbox: q, Decide: conversation.Decide, Owner: "chat", Wake: q.InboxReady(), Now: time.Now, Log: log,
		Done: func(bot.Job, bot.Outcome, time.Duration, error) { screen.Moved() },
	}
	courier := &bot.Courier{
		Outbox: q, Senders: map[string]bot.Sender{c.Channel: screen}, Owner: "chat", Wake: q.OutboxReady(), Now: time.Now, Log: log,
		Done: func(bot.Delivery, bot.DeliveryState, time.Duration, error) { screen.Moved() },
	}
	ctx, cancel := context.WithCancel(a.ctx)
	var work sync.WaitGroup
	work.Go(func() { desk.Run(ctx) })
	work.Go(func() { courier.Run(ctx) })
	err = screen.Run(a.ctx)
	cancel()
	work.Wait()
	if errors.Is(err, bot.ErrInvalid) {
		err = fmt.Errorf("%w: %w", errInput, err)
	}
	return err
}

// conversation is what decides on messages, as the flags say.
func (c *chatCmd) conversation(a *app) (*bot.Conversation, error) {
	set, err := a.Personas()
	if err != nil {
		return nil, err
	}
	if _, ok := set.Persona(c.Persona); !ok && c.Persona != "" {
		var ids []string
		for _, p := range set.All() {
			ids = append(ids, p.ID)
		}
		return nil, usage("there is no persona %q, only %s", c.Persona, strings.Join(ids, ", "))
	}
	lib, err := a.Library()
	if err != nil {
		return nil, err
	}
	var packs []string
	for _, p := range lib.Packs() {
		packs = append(packs, p.Manifest.Name)
	}
	if c.Pack != "" && !slices.Contains(packs, c.Pack) {
		return nil, usage("there is no pack %q, only %s", c.Pack, strings.Join(packs, ", "))
	}
	answerer, err := a.Answerer()
	if err != nil {
		return nil, err
	}
	flags := &askCmd{Pack: c.Pack, Persona: c.Persona, Variant: string(bot.DiagExplicit)}
	return a.Conversation(asked{answerer, flags, a.asOf()})
}

// idle reports whether nothing waits in q: first what came in, for what comes
// of that waits in the outbox then.
func idle(ctx context.Context, q queue) (bool, error) {
	now := time.Now()
	in, err := q.Depth(ctx, now)
	if err != nil || in.Waiting > 0 {
		return false, err
	}
	out, err := q.Backlog(ctx, now)
	if err != nil {
		return false, fmt.Errorf("look into the outbox: %w", err)
	}
	return out.Waiting == 0, nil
}
