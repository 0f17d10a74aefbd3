package main

import (
	"context"
	"fmt"
	"io"
	"time"

	"github.com/VictoriaMetrics/metrics"

	"plumbline/bot"
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

// sent counts what came of handing a text to a vendor.
func (m *meters) sent(d bot.Delivery, s bot.DeliveryState, took time.Duration, _ error) {
	m.set.GetOrCreateCounter(fmt.Sprintf(`plumbline_deliveries_total{channel=%q,state=%q}`, d.To.Channel, s)).Inc()
	m.set.GetOrCreateHistogram(fmt.Sprintf(`plumbline_send_seconds{channel=%q}`, d.To.Channel)).Update(took.Seconds())
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
