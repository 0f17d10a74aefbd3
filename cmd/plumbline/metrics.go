package main

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"log/slog"
	"time"

	"github.com/VictoriaMetrics/metrics"

	"plumbline/bot"
	"plumbline/channels/sms"
	"plumbline/internal/gsm7"
	"plumbline/pipeline/llm"
)

// meters count what the service does, for Prometheus. Labels are of small fixed
// sets: nobody's words or address is among them.
type meters struct{ set *metrics.Set }

func newMeters() *meters { return &meters{metrics.NewSet()} }

// received counts a message that was taken in.
func (m *meters) received(msg bot.Message, r bot.Receipt) {
	m.set.GetOrCreateCounter(fmt.Sprintf(`plumbline_messages_total{channel=%q,receipt=%q}`, msg.From.Channel, r)).Inc()
}

// decided counts what came of a job, with its stages and gaps.
func (m *meters) decided(j bot.Job, o bot.Outcome, took time.Duration, err error) {
	result := "done"
	switch {
	case err != nil:
		result = "failed"
	case o.Parked != "":
		result = "parked"
	}
	m.set.GetOrCreateCounter(fmt.Sprintf(`plumbline_jobs_total{channel=%q,result=%q}`, j.Message.From.Channel, result)).Inc()
	m.set.GetOrCreateHistogram(fmt.Sprintf(`plumbline_job_seconds{urgent="%t"}`, j.Urgent)).Update(took.Seconds())
	if err != nil || o.Answer == nil {
		return
	}
	a := o.Answer
	m.set.GetOrCreateCounter(fmt.Sprintf(`plumbline_answers_total{channel=%q,status=%q,language=%q}`, j.Message.From.Channel, a.Status, a.Language)).Inc()
	if a.Route != "" {
		m.set.GetOrCreateCounter(fmt.Sprintf(`plumbline_routes_total{route=%q}`, a.Route)).Inc()
	}
	if a.Trace != nil {
		for _, s := range a.Trace.Steps {
			m.set.GetOrCreateHistogram(fmt.Sprintf(`plumbline_stage_seconds{stage=%q,family=%q}`, s.Stage, s.Family)).Update(s.Took.Seconds())
			if s.FellBack != "" {
				m.set.GetOrCreateCounter(fmt.Sprintf(`plumbline_stage_fallbacks_total{stage=%q,reason=%q}`, s.Stage, s.FellBack)).Inc()
			}
			for _, c := range s.Calls {
				result := cmp.Or(c.Failed, "used")
				m.set.GetOrCreateCounter(fmt.Sprintf(`plumbline_model_calls_total{stage=%q,result=%q,repair="%t"}`, c.Stage, result, c.Repair)).Inc()
				m.set.GetOrCreateHistogram(fmt.Sprintf(`plumbline_model_seconds{stage=%q}`, c.Stage)).Update(c.Took.Seconds())
				m.set.GetOrCreateCounter(fmt.Sprintf(`plumbline_model_tokens_total{stage=%q,way="in"}`, c.Stage)).Add(c.Tokens.In)
				m.set.GetOrCreateCounter(fmt.Sprintf(`plumbline_model_tokens_total{stage=%q,way="out"}`, c.Stage)).Add(c.Tokens.Out)
				m.set.GetOrCreateFloatCounter(fmt.Sprintf(`plumbline_model_dollars_total{stage=%q}`, c.Stage)).Add(c.Cost)
			}
		}
		for _, g := range a.Trace.Gates {
			passed := g.Outcome == "passed" || g.Outcome == "supported"
			m.set.GetOrCreateCounter(fmt.Sprintf(`plumbline_gates_total{stage=%q,passed="%t"}`, g.Stage, passed)).Inc()
		}
	}
	for _, g := range a.Gaps {
		state := "closed"
		if g.Open() {
			state = "open"
		}
		m.set.GetOrCreateCounter(fmt.Sprintf(`plumbline_gaps_total{strategy=%q,state=%q}`, g.Strategy, state)).Inc()
	}
}

// alarm tells the operator that models have cost a share of what they may.
func alarm(log *slog.Logger, m *meters) func(bot.Alarm) {
	return func(x bot.Alarm) {
		m.set.GetOrCreateCounter(fmt.Sprintf(`plumbline_budget_alarms_total{cap=%q,percent="%d"}`, x.Cap, x.Percent)).Inc()
		level := slog.LevelWarn
		if x.Percent >= 100 {
			level = slog.LevelError // answers go on without models
		}
		log.Log(context.Background(), level, "a budget of models is being spent; at 100 percent answers do without them until midnight UTC, or a larger models.budget", "cap", string(x.Cap), "percent", x.Percent)
	}
}

// circuits shows of each stage whether its server is left alone for a while.
func (m *meters) circuits(askers map[string]llm.Asker) {
	for stage, a := range askers {
		s, ok := a.Model.(interface{ State() llm.State })
		if !ok {
			continue
		}
		m.set.GetOrCreateGauge(fmt.Sprintf(`plumbline_model_circuit_open{stage=%q}`, stage), func() float64 {
			if s.State() == llm.StateOpen {
				return 1
			}
			return 0
		})
	}
}

// sent counts what came of handing a text to a vendor.
func (m *meters) sent(d bot.Delivery, s bot.DeliveryState, took time.Duration, err error) {
	m.set.GetOrCreateCounter(fmt.Sprintf(`plumbline_deliveries_total{channel=%q,state=%q}`, d.To.Channel, s)).Inc()
	m.set.GetOrCreateHistogram(fmt.Sprintf(`plumbline_send_seconds{channel=%q}`, d.To.Channel)).Update(took.Seconds())
	if err != nil {
		m.set.GetOrCreateCounter(fmt.Sprintf(`plumbline_send_errors_total{channel=%q,why=%q}`, d.To.Channel, bot.Why(err))).Inc()
	}
	if s == bot.Accepted && d.To.Channel == sms.SMS {
		m.set.GetOrCreateCounter(`plumbline_segments_total`).Add(gsm7.Count(d.Says()).Segments)
	}
}

// settled counts what a vendor told of a text.
func (m *meters) settled(s bot.Settlement) {
	if s.State != bot.Accepted {
		m.set.GetOrCreateCounter(fmt.Sprintf(`plumbline_settlements_total{channel=%q,state=%q,why=%q}`, s.Channel, s.State, s.Why)).Inc()
	}
}

// write writes all meters, and what waits in the queues now.
func (m *meters) write(ctx context.Context, w io.Writer, in bot.Inbox, out bot.Outbox, now time.Time) error {
	inbox, err := in.Depth(ctx, now)
	if err != nil {
		return fmt.Errorf("count the inbox: %w", err)
	}
	outbox, err := out.Backlog(ctx, now)
	if err != nil {
		return fmt.Errorf("count the outbox: %w", err)
	}
	for queue, d := range map[string]bot.Depth{"inbox": inbox, "outbox": outbox} {
		for state, n := range map[string]int{"waiting": d.Waiting, "urgent": d.Urgent, "leased": d.Leased, "parked": d.Parked} {
			m.set.GetOrCreateGauge(fmt.Sprintf(`plumbline_queue{queue=%q,state=%q}`, queue, state), nil).Set(float64(n))
		}
		m.set.GetOrCreateGauge(fmt.Sprintf(`plumbline_queue_oldest_seconds{queue=%q}`, queue), nil).Set(d.Oldest.Seconds())
	}
	m.set.GetOrCreateGauge(fmt.Sprintf(`plumbline_build_info{version=%q}`, version), nil).Set(1)
	m.set.WritePrometheus(w)
	metrics.WriteProcessMetrics(w)
	return nil
}
