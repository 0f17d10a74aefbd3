package main

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"

	"plumbline/bot"
	"plumbline/channels/web"
	"plumbline/sessions/sqlstore"
)

// boxes keeps what phones show in the database.
type boxes struct{ store *sqlstore.Store }

func (b boxes) person(visitor string) string {
	return b.store.Keys().Person(bot.Address{Channel: "web", User: visitor})
}

// Add implements [web.Mailbox].
func (b boxes) Add(ctx context.Context, visitor string, bubble web.Bubble) error {
	v, err := json.Marshal(bubble)
	if err != nil {
		return fmt.Errorf("keep bubble: %w", err)
	}
	return b.store.Keep(ctx, b.person(visitor), bubble.Key, v, web.MaxBubbles)
}

// Remove implements [web.Mailbox].
func (b boxes) Remove(ctx context.Context, visitor, key string) error {
	return b.store.Discard(ctx, b.person(visitor), key)
}

// List implements [web.Mailbox].
func (b boxes) List(ctx context.Context, visitor string) ([]web.Bubble, error) {
	values, err := b.store.Kept(ctx, b.person(visitor))
	if err != nil {
		return nil, err
	}
	var list []web.Bubble
	for _, v := range values {
		var bubble web.Bubble
		if err := json.Unmarshal(v, &bubble); err != nil {
			return nil, fmt.Errorf("read bubble: %w", err)
		}
		list = append(list, bubble)
	}
	return list, nil
}

// Clear implements [web.Mailbox].
func (b boxes) Clear(ctx context.Context, visitor string) error {
	return b.store.Discard(ctx, b.person(visitor), "")
}

// told finds the answers that the record keeps.
type told struct{ store *sqlstore.Store }

// Answer implements [web.Answers].
func (t told) Answer(ctx context.Context, visitor, id string) (bot.Answer, error) {
	r, err := t.store.Turn(ctx, id)
	if err != nil {
		return bot.Answer{}, err
	}
	persons := t.store.Keys().Persons(bot.Address{Channel: "web", User: visitor})
	if !slices.Contains(persons, r.Person) || r.Detail == nil {
		return bot.Answer{}, fmt.Errorf("answer %s: %w", id, bot.ErrNotFound)
	}
	return answerOf(r), nil
}

// answerOf is the answer that a turn of the record tells of.
func answerOf(r bot.TurnRecord) bot.Answer {
	d := r.Detail
	a := bot.Answer{
		ID: r.ID, Status: r.Status, Route: r.Route, Language: r.Language, Persona: r.Persona, Strategy: r.Strategy, Pack: r.Pack,
		Claims: d.Claims, Limitations: d.Limitations, Gaps: d.Gaps, Chunks: d.Chunks, Trace: d.Trace,
		Reply: bot.Reply{More: d.More, Language: r.Language, Status: r.Status, Answer: r.ID},
	}
	if len(r.Said) > 0 {
		a.Reply.Text = r.Said[0]
	}
	return a
}

// choices are the voices and languages that the page offers, as texts that the
// conversation understands.
func (a *app) choices() ([]web.Choice, error) {
	set, err := a.Personas()
	if err != nil {
		return nil, err
	}
	list := []web.Choice{
		{Label: web.Text{bot.English: "Español", bot.Spanish: "English"}, Text: web.Text{bot.English: "ESPAÑOL", bot.Spanish: "ENGLISH"}},
	}
	for _, p := range set.All() {
		if len(p.Phrases[bot.English]) == 0 || len(p.Phrases[bot.Spanish]) == 0 {
			continue
		}
		list = append(list, web.Choice{
			Label: web.Text{bot.English: p.Name.In(bot.English), bot.Spanish: p.Name.In(bot.Spanish)},
			Text:  web.Text{bot.English: p.Phrases[bot.English][0], bot.Spanish: p.Phrases[bot.Spanish][0]},
		})
	}
	return list, nil
}
