package main

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/google/uuid"

	"plumbline/bot"
	"plumbline/pipeline"
)

type askCmd struct {
	Question  []string `arg:"" optional:"" help:"The question, or - to read JSON lines {id, text, session, channel, lang}"`
	Pack      string   `help:"Domain pack to answer from" placeholder:"NAME"`
	Variant   string   `help:"Pipeline: baseline, prog, diag-imp or diag-exp" default:"diag-exp"`
	Retriever string   `help:"Retriever: fused or heading-first" placeholder:"NAME"`
	Persona   string   `help:"Voice of the answer: neighbor, cityhall or plain (the channel's if left out)" placeholder:"NAME"`
	Lang      string   `help:"Language of the answer: en or es (told by the words if left out)" placeholder:"LANG" enum:",en,es" default:""`
	Channel   string   `help:"Channel that the reply is fitted to: sms, whatsapp, slack, web or console" default:"sms" enum:"sms,whatsapp,slack,web,console"`
	Place     string   `help:"Where the asker lives, as the pack names it" placeholder:"PLACE"`
	Trace     bool     `help:"Show how the answer came about"`
}

// Help shows examples.
func (askCmd) Help() string {
	return `Examples:
  plumbline ask "my water is brown is my baby ok??"
  plumbline ask --json --trace "what is the legal limit for lead"
  plumbline ask - < questions.jsonl

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

func (c *askCmd) Run(a *app) error {
	text := strings.TrimSpace(strings.Join(c.Question, " "))
	if text == "" {
		return usage("there is no question; write it after ask, or - to read JSON lines")
	}
	answerer, err := a.Answerer()
	if err != nil {
		return err
	}
	if text != "-" {
		q := c.question(a)
		q.ID, q.Text = uuid.Must(uuid.NewV7()).String(), text
		ans, err := c.answer(a.ctx, answerer, q)
		if err != nil {
			return err
		}
		return c.write(a, ans)
	}
	// Sessions live for the run.
	sessions := map[string]*bot.Session{}
	return eachLine(a.std.In, func(l askLine) error {
		q := c.question(a)
		q.ID, q.Text = l.ID, l.Text
		if l.Channel != "" {
			q.Channel = l.Channel
		}
		if l.Lang != "" {
			q.Language = bot.Language(l.Lang)
		}
		now := time.Now()
		var s *bot.Session
		if l.Session != "" {
			if s = sessions[l.Session]; s == nil {
				s = new(bot.Session)
				sessions[l.Session] = s
			}
			q.At = now
			if reply, heard := s.Hear(l.Text, now); heard {
				ans := bot.Answer{ID: l.ID, Status: reply.Status, Language: reply.Language, Reply: reply, Trace: new(bot.Trace)}
				return c.write(a, ans)
			}
			s.Next(&q)
		}
		ans, err := c.answer(a.ctx, answerer, q)
		if err != nil {
			return err
		}
		if s != nil {
			s.Remember(bot.Message{Text: l.Text}, ans, now)
		}
		return c.write(a, ans)
	})
}

func (c *askCmd) question(a *app) bot.Question {
	return bot.Question{
		Channel: c.Channel, Language: bot.Language(c.Lang), Persona: c.Persona, Pack: c.Pack, Jurisdiction: c.Place,
		Variant: bot.Variant(c.Variant), Retriever: c.Retriever, AsOf: a.asOf(),
	}
}

// answer asks, and marks what the asker got wrong as input.
func (c *askCmd) answer(ctx context.Context, p *pipeline.Pipeline, q bot.Question) (bot.Answer, error) {
	ans, err := p.Answer(ctx, q)
	if err != nil && ctx.Err() == nil {
		return ans, fmt.Errorf("%w: %w", errInput, err)
	}
	return ans, err
}

func (c *askCmd) write(a *app, ans bot.Answer) error {
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
