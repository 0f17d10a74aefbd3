package pipeline

import (
	"context"
	"fmt"
	"slices"
	"time"

	"plumbline/bot"
	"plumbline/kb"
)

// Retell tells an answer that was given before in the voice of persona, fitted
// to channel: the same claims and limitations, nothing looked up again. An
// answer that made no claims in a voice, such as a fixed text, is told as it
// was. Its error wraps [bot.ErrInvalid] if there is no such persona.
func (p *Pipeline) Retell(ctx context.Context, a bot.Answer, persona, channel string) (bot.Reply, error) {
	var fixed []Piece
	d := &Draft{
		Question: bot.Question{ID: a.ID, Channel: channel, Persona: persona, Pack: a.Pack, Language: a.Language},
		Language: a.Language, Status: a.Status, Limitations: a.Limitations, Gaps: a.Gaps, Trace: new(bot.Trace),
	}
	for _, c := range a.Claims {
		if len(c.Evidence) > 0 && c.Evidence[0].Chunk == "fixed" {
			fixed = append(fixed, Piece{Text: c.Text, Keep: KeepDanger})
			continue
		}
		d.Claims = append(d.Claims, c)
	}
	if len(d.Claims) == 0 || a.Status == bot.Emergency || a.Trace == nil {
		return a.Reply, nil
	}
	if !slices.Contains(p.c.Voices, persona) {
		return bot.Reply{}, fmt.Errorf("retell answer %s: there is no persona %q: %w", a.ID, persona, bot.ErrInvalid)
	}
	asOf, err := time.Parse(time.DateOnly, a.Trace.AsOf)
	if err != nil {
		return bot.Reply{}, fmt.Errorf("retell answer %s: %w: %w", a.ID, err, bot.ErrInvalid)
	}
	d.Question.Text, d.Question.AsOf, d.Filter.Valid = a.Trace.Question, asOf, kb.DateOf(asOf)
	if a.Trace.Understood != nil {
		d.Understanding = *a.Trace.Understood
	}
	d.Pinned = len(fixed) > 0
	tell := p.c.Tell
	if p.c.Retell != nil {
		tell = p.c.Retell
	}
	if err := tell.Tell(ctx, d); err != nil {
		return bot.Reply{}, fmt.Errorf("retell answer %s: %w", a.ID, err)
	}
	r := a.Reply
	r.Text, r.More = Compose(before(fixed, d.Pieces), d.Language, p.fit(channel))
	return r, nil
}
