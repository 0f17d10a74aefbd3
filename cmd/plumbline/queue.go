package main

import (
	"fmt"
	"strconv"
	"time"

	"plumbline/bot"
)

type queueCmd struct {
	Status  queueStatusCmd  `cmd:"" help:"Count what waits to be answered and to be sent"`
	Parked  queueParkedCmd  `cmd:"" help:"List the messages that were given up"`
	Again   queueAgainCmd   `cmd:"" help:"Give a message that was given up another chance"`
	Block   queueBlockCmd   `cmd:"" help:"Answer a person no more, emergencies aside"`
	Unblock queueUnblockCmd `cmd:"" help:"Answer a blocked person again"`
	Blocks  queueBlocksCmd  `cmd:"" help:"List who is blocked, why and until when"`
}

type queueStatusCmd struct{}

// Help shows examples.
func (queueStatusCmd) Help() string {
	return `Examples:
  plumbline queue status
  plumbline queue status --json`
}

// A depthWire is what waits, as --json writes it.
type depthWire struct {
	Queue   string  `json:"queue"` // inbox or outbox
	Waiting int     `json:"waiting"`
	Urgent  int     `json:"urgent"`
	Leased  int     `json:"leased"`
	Parked  int     `json:"parked"`
	Oldest  float64 `json:"oldest_seconds"`
}

// Run implements the command.
func (queueStatusCmd) Run(a *app) error {
	st, err := a.State()
	if err != nil {
		return err
	}
	now := time.Now()
	in, err := st.Store.Depth(a.ctx, now)
	if err != nil {
		return err
	}
	out, err := st.Store.Backlog(a.ctx, now)
	if err != nil {
		return err
	}
	for _, q := range []struct {
		name string
		d    bot.Depth
	}{{"inbox", in}, {"outbox", out}} {
		w := depthWire{q.name, q.d.Waiting, q.d.Urgent, q.d.Leased, q.d.Parked, q.d.Oldest.Seconds()}
		if a.globals.JSON {
			if err := writeJSON(a.std.Out, w); err != nil {
				return err
			}
			continue
		}
		fmt.Fprintf(a.std.Out, "%-7s %d wait (%d urgent), %d in hand, %d given up; the oldest for %v\n", w.Queue, w.Waiting, w.Urgent, w.Leased, w.Parked, q.d.Oldest.Round(time.Second))
	}
	return nil
}

type queueParkedCmd struct{}

// Help shows examples.
func (queueParkedCmd) Help() string {
	return `Examples:
  plumbline queue parked
  plumbline queue parked --json`
}

// Run implements the command.
func (queueParkedCmd) Run(a *app) error {
	st, err := a.State()
	if err != nil {
		return err
	}
	list, err := st.Store.Parked(a.ctx)
	if err != nil {
		return err
	}
	for _, p := range list {
		if a.globals.JSON {
			w := struct {
				Seq     int64     `json:"seq"`
				Channel string    `json:"channel"`
				Person  string    `json:"person"`
				Tries   int       `json:"tries"`
				Why     string    `json:"why"`
				At      time.Time `json:"at"`
			}{p.Seq, p.Channel, p.Person, p.Tries, p.Why, p.At}
			if err := writeJSON(a.std.Out, w); err != nil {
				return err
			}
			continue
		}
		fmt.Fprintf(a.std.Out, "%6d  %s  %s  %s: %s\n", p.Seq, p.At.Local().Format(time.DateTime), p.Channel, p.Person, p.Why)
	}
	if len(list) == 0 && !a.globals.JSON {
		fmt.Fprintln(a.std.Out, "No message was given up.")
	}
	return nil
}

type queueAgainCmd struct {
	Seq string `arg:"" help:"The message, as queue parked names it"`
}

// Help shows examples.
func (queueAgainCmd) Help() string {
	return `Examples:
  plumbline queue again 17`
}

// Run implements the command.
func (c *queueAgainCmd) Run(a *app) error {
	seq, err := strconv.ParseInt(c.Seq, 10, 64)
	if err != nil {
		return usage("%q is not the number of a message; queue parked lists them", c.Seq)
	}
	st, err := a.State()
	if err != nil {
		return err
	}
	if err := st.Store.Requeue(a.ctx, seq); err != nil {
		return err
	}
	if a.globals.JSON {
		return writeJSON(a.std.Out, map[string]any{"seq": seq, "state": "waiting"})
	}
	fmt.Fprintln(a.std.Out, "It waits to be answered again.")
	return nil
}

type queueBlockCmd struct {
	Person string        `arg:"" help:"An address such as sms:+19735550100, or a person as sessions list shows them"`
	Why    string        `help:"The reason, for those who look later" required:"" placeholder:"TEXT"`
	For    time.Duration `help:"How long, such as 24h (until unblock if left out)" placeholder:"TIME"`
}

// Help shows examples.
func (queueBlockCmd) Help() string {
	return `Examples:
  plumbline queue block sms:+19735550100 --why "sends what a machine writes" --for 24h

What waits already is still answered, and so is an emergency.`
}

// Run implements the command.
func (c *queueBlockCmd) Run(a *app) error {
	if c.For < 0 {
		return usage("--for is %v; write a time such as 24h", c.For)
	}
	var until time.Time
	if c.For > 0 {
		until = time.Now().Add(c.For)
	}
	return eachName(a, c.Person, "blocked", func(st *state, name string) error { return st.Store.Block(a.ctx, name, c.Why, until) })
}

type queueUnblockCmd struct {
	Person string `arg:"" help:"An address such as sms:+19735550100, or a person as queue blocks shows them"`
}

// Help shows examples.
func (queueUnblockCmd) Help() string {
	return `Examples:
  plumbline queue unblock sms:+19735550100`
}

// Run implements the command.
func (c *queueUnblockCmd) Run(a *app) error {
	return eachName(a, c.Person, "not blocked", func(st *state, name string) error { return st.Store.Unblock(a.ctx, name) })
}

// eachName does one thing to each name that a person has.
func eachName(a *app, person, done string, do func(*state, string) error) error {
	st, err := a.State()
	if err != nil {
		return err
	}
	names, err := a.somebody(st, person)
	if err != nil {
		return err
	}
	for _, n := range names {
		if err := do(st, n); err != nil {
			return err
		}
	}
	if a.globals.JSON {
		return writeJSON(a.std.Out, map[string]any{"state": done})
	}
	fmt.Fprintf(a.std.Out, "That person is %s.\n", done)
	return nil
}

type queueBlocksCmd struct{}

// Help shows examples.
func (queueBlocksCmd) Help() string {
	return `Examples:
  plumbline queue blocks`
}

// Run implements the command.
func (queueBlocksCmd) Run(a *app) error {
	st, err := a.State()
	if err != nil {
		return err
	}
	list, err := st.Store.Blocks(a.ctx)
	if err != nil {
		return err
	}
	for _, b := range list {
		if a.globals.JSON {
			w := struct {
				Person string    `json:"person"`
				Why    string    `json:"why"`
				Until  time.Time `json:"until,omitzero"`
			}{b.Person, b.Why, b.Until}
			if err := writeJSON(a.std.Out, w); err != nil {
				return err
			}
			continue
		}
		until := "until unblock"
		if !b.Until.IsZero() {
			until = "until " + b.Until.Local().Format(time.DateTime)
		}
		fmt.Fprintf(a.std.Out, "%s  %s: %s\n", b.Person, until, b.Why)
	}
	if len(list) == 0 && !a.globals.JSON {
		fmt.Fprintln(a.std.Out, "Nobody is blocked.")
	}
	return nil
}
