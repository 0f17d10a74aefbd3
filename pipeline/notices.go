package pipeline

import (
	"context"
	"fmt"
	"slices"
	"time"

	"plumbline/bot"
	"plumbline/kb"
	"plumbline/pipeline/safety"
)

// lapsedAge is how long after it lapsed an answer says that a notice has.
const lapsedAge = 24 * time.Hour

// notices looks up what staff have posted. A notice that the pack bars other
// advice for counts as if the asker had named it, for as long as it is in force.
func (p *Pipeline) notices(ctx context.Context, d *Draft, v *safety.Verdict) {
	if p.c.Board == nil || d.Question.Pack != p.c.Library.Packs()[0].Manifest.Name {
		return // notices are the deployment's own
	}
	_ = p.step(d, "notices", "rules", func() (string, error) {
		now := p.c.Now()
		in, err := p.c.Board.InForce(ctx, now)
		if err != nil {
			return "", err // an answer without notices is better than none; the trace says so
		}
		out, err := p.c.Board.Lapsed(ctx, now, lapsedAge)
		if err != nil {
			return "", err
		}
		d.Posted, d.Lapsed = in, out
		return fmt.Sprintf("%d in force, %d lapsed lately", len(in), len(out)), nil
	})
	pack, _ := p.c.Library.Pack(d.Question.Pack)
	for _, n := range d.Posted {
		i := slices.IndexFunc(pack.Guidance.Barred, func(b kb.Bar) bool { return b.Route == n.Kind })
		if i < 0 || v.Route != "" {
			continue
		}
		v.Route, v.Pinned, d.Stands, d.Barred = n.Kind, true, true, true
		d.Allowed = append(d.Allowed, pack.Guidance.Barred[i].Tell...)
		d.Trace.Safety.Route = bot.Route(n.Kind)
		d.Trace.Safety.Rules = append(d.Trace.Safety.Rules, bot.RuleMatch{Rule: "notice " + n.ID, Words: "in force"})
	}
}

// announce tells the notices in force before everything else, with their hour, and
// of those that lapsed lately that they have.
func (p *Pipeline) announce(d *Draft, lang bot.Language) (pieces []Piece) {
	if d.Status == bot.OutOfScope || d.Status == bot.RefusedForSafety {
		return nil
	}
	say := func(n bot.Notice, format kb.Text, args ...any) {
		text := fmt.Sprintf(format.In(string(lang)), args...)
		d.Claims = slices.Insert(d.Claims, len(pieces), bot.Claim{Text: text, Role: bot.Danger, Evidence: []bot.Evidence{{Chunk: "notice", Paragraph: "notice." + n.ID, Quote: n.Text[lang], Source: n.Source}}})
		pieces = append(pieces, Piece{Text: text, Keep: KeepDanger})
	}
	zone := p.c.Zone
	if zone == nil {
		zone = time.Local
	}
	for _, n := range d.Posted {
		say(n, noticeNow, n.Area, hour(n.Start.In(zone), lang), n.Text[lang])
	}
	if len(d.Posted) == 0 && len(d.Lapsed) > 0 {
		n := d.Lapsed[0] // the newest will do
		say(n, noticeLapsed, hour(n.Start.In(zone), lang), n.Area, n.Source.Agency)
	}
	return pieces
}

var (
	noticeNow    = kb.Text{"en": "%s, since %s: %s", "es": "%s, desde %s: %s"}
	noticeLapsed = kb.Text{
		"en": "The notice of %s (%s) is no longer posted here. Before you act as if it is over, ask who issued it: %s.",
		"es": "El aviso de %s (%s) se ha quitado de este servicio. Antes de actuar como si todo estuviera bien, pregunte a quien lo ha dado: %s.",
	}
)

// hour is when a notice began, as people say it.
func hour(t time.Time, lang bot.Language) string {
	if lang == bot.Spanish {
		months := [...]string{"enero", "febrero", "marzo", "abril", "mayo", "junio", "julio", "agosto", "septiembre", "octubre", "noviembre", "diciembre"}
		return fmt.Sprintf("las %s del %d de %s", t.Format("15:04"), t.Day(), months[t.Month()-1])
	}
	return t.Format("3:04 PM, Jan 2")
}
