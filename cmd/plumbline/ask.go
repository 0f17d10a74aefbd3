package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/google/uuid"

	"plumbline/bot"
	"plumbline/pipeline"
	"plumbline/sessions"
)

type askCmd struct {
	Question  []string `arg:"" optional:"" help:"The question, or - to read JSON lines {id, text, session, channel, lang}"`
	Pack      string   `help:"Domain pack to answer from" placeholder:"NAME"`
	Variant   string   `help:"Pipeline: baseline, prog, diag-imp or diag-exp" default:"diag-exp"`
	Retriever string   `help:"Retriever: fused or heading-first" placeholder:"NAME"`
	Persona   string   `help:"Voice of the answer: neighbor, cityhall or plain (the channel's if left out)" placeholder:"NAME"`
	Lang      string   `help:"Language of the answer: en or es (told by the words if left out)" placeholder:"LANG" enum:",en,es" default:""`
	Channel   string   `help:"Channel that the reply is fitted to: sms, whatsapp, slack, web or console" default:"sms" enum:"sms,whatsapp,slack,web,console"`
	Session   string   `help:"Continue the conversation of this name, kept on this machine" placeholder:"NAME"`
	Place     string   `help:"Where the asker lives, as the pack names it" placeholder:"PLACE"`
	Trace     bool     `help:"Show how the answer came about"`
	modelFlags
}

// Help shows examples.
func (askCmd) Help() string {
	return `Examples:
  plumbline ask "my water is brown is my baby ok??"
  plumbline ask --json --trace "what is the legal limit for lead"
  plumbline ask --session me "is there a safe amount of lead" && plumbline ask --session me MORE
  plumbline ask - < questions.jsonl
  plumbline ask --model gpt-5.2 --model judge=gpt-4o-mini --record lead.json "what is causing lead in drinking water?"
  plumbline ask --model gpt-5.2 --model judge=gpt-4o-mini --play lead.json "what is causing lead in drinking water?"

The exit code is 0 whenever the answer is honest, "not in our sources" and
emergencies included.`
}

// A line is what ask reads with -.
type askLine struct {
	ID      string `json:"id"`
	Text    string `json:"text"`
	Session string `json:"session"`
	Channel string `json:"channel"`
	Lang    string `json:"lang"`
}

func (c *askCmd) Run(a *app) (err error) {
	text := strings.TrimSpace(strings.Join(c.Question, " "))
	if text == "" {
		return usage("there is no question; write it after ask, or - to read JSON lines")
	}
	if err := c.modelFlags.apply(a); err != nil {
		return err
	}
	answerer, err := a.Answerer()
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, a.saveRecording(c.Record, text)) }()
	conversation, err := a.Conversation(asked{answerer, c, a.asOf()})
	if err != nil {
		return err
	}
	var store bot.SessionStore = new(sessions.Memory) // sessions live for the run
	now := time.Now()
	conversation.Now = func() time.Time { return now }
	name := func(l askLine) string { return l.Session }
	if c.Session != "" {
		if text == "-" {
			return usage("--session is for one question; lines name their own, with \"session\"")
		}
		st, err := a.State()
		if err != nil {
			return err
		}
		store = st.Store
		name = func(l askLine) string {
			return st.Keys.Person(bot.Address{Channel: "ask", User: l.Session})
		}
	}
	ask := func(l askLine) error {
		now = now.Add(lineApart)
		if l.Channel == "" {
			l.Channel = c.Channel
		}
		if l.Lang == "" {
			l.Lang = c.Lang
		}
		key := name(l)
		if l.Session == "" {
			key = "alone " + l.ID
			defer func() { _ = store.Forget(a.ctx, key) }()
		}
		m := bot.Message{ID: l.ID, From: bot.Address{Channel: l.Channel, User: key}, Text: l.Text, Language: bot.Language(l.Lang), At: now}
		o, err := conversation.Handle(a.ctx, store, key, m)
		if err != nil {
			if a.ctx.Err() == nil {
				err = fmt.Errorf("%w: %w", errInput, err)
			}
			return err
		}
		return c.write(a, *o.Answer)
	}
	if text != "-" {
		now = now.Add(-lineApart) // it is asked now
		return ask(askLine{ID: uuid.Must(uuid.NewV7()).String(), Text: text, Session: c.Session})
	}
	return eachLine(a.std.In, ask)
}

// lineApart is how far apart in time the lines of a conversation are taken to
// be: each is a turn, not part of a message that was split.
const lineApart = 2 * time.Minute

// asked is an answerer that is asked as the flags of ask say.
type asked struct {
	pipeline *pipeline.Pipeline
	flags    *askCmd
	asOf     time.Time
}

// Answer implements [bot.Answerer].
func (p asked) Answer(ctx context.Context, q bot.Question) (bot.Answer, error) {
	c := p.flags
	q.Pack, q.Jurisdiction, q.Variant, q.Retriever, q.AsOf = cmp.Or(c.Pack, q.Pack), c.Place, bot.Variant(c.Variant), c.Retriever, p.asOf
	if q.Persona == "" {
		q.Persona = c.Persona
	}
	return p.pipeline.Answer(ctx, q)
}

func (c *askCmd) write(a *app, ans bot.Answer) error {
	for _, s := range ans.Trace.Steps {
		if s.FellBack != "" {
			fmt.Fprintf(a.std.Err, "plumbline: warning: stage %s did without its model: %s\n", s.Stage, s.FellBack)
		}
	}
	if a.globals.JSON {
		return writeJSON(a.std.Out, wireOf(ans, c.Trace))
	}
	w := a.std.Out
	fmt.Fprintln(w, ans.Reply.Text)
	for _, m := range ans.Reply.More {
		fmt.Fprintf(w, "\nMORE: %s\n", m)
	}
	for _, s := range ans.Reply.Sources {
		fmt.Fprintf(w, "\nSOURCES: %s\n", s)
	}
	if c.Trace {
		writeTrace(w, ans)
	}
	return nil
}
