package queuetest

import (
	"errors"
	"fmt"
	"slices"
	"testing"
	"time"

	"pgregory.net/rapid"

	"plumbline/bot"
)

// A machine is a simple model of an inbox beside the inbox: it knows which jobs
// may be handed out at any time, and wants every call to do what it would.
type machine struct {
	*desk
	t    *rapid.T
	jobs []*modelJob // in the order of arrival
	seen []arrivalOf
	old  []bot.Job // whose holders lost them or brought them back
	run  int
}

type arrivalOf struct {
	person string
	a      bot.Arrival
}

// A modelJob is what the model knows of one message.
type modelJob struct {
	person  string
	id      string
	seq     int64 // once it was handed out
	urgent  bool
	due     time.Time // or the end of the lease
	replies int
	held    *bot.Job // who has it, if anyone
	tries   int
	fence   int64
	state   string // "", "done" or "parked"
}

func testMachine(t *testing.T, open Open) {
	var d *desk // one for all runs, as long as they leave it empty
	run, dirty := 0, true
	rapid.Check(t, func(rt *rapid.T) {
		if dirty {
			d = newDesk(t, open)
		}
		run, dirty = run+1, true
		m := &machine{desk: d, run: run}
		does := func(f func()) func(*rapid.T) { return func(rt *rapid.T) { m.t = rt; f() } }
		rt.Repeat(map[string]func(*rapid.T){
			"put":      does(m.putAny),
			"put more": does(m.putAny),
			"putAgain": does(m.putAgain),
			"next":     does(m.nextAny),
			"next too": does(m.nextAny),
			"finish":   does(func() { m.finishJob(m.anyHeld(), "") }),
			"park":     does(func() { m.finishJob(m.anyHeld(), "why") }),
			"return":   does(m.returnAny),
			"extend":   does(m.extendAny),
			"requeue":  does(m.requeueAny),
			"old":      does(m.oldAny),
			"wait":     does(func() { m.Add(time.Duration(rapid.IntRange(1, 90).Draw(m.t, "seconds")) * time.Second) }),
			"":         does(m.check),
		})
		m.t = rt
		m.drain()
		dirty = false
	})
}

func (m *machine) fatal(format string, args ...any) {
	m.t.Helper()
	m.t.Fatalf(format, args...)
}

func (m *machine) putAny() {
	person := fmt.Sprintf("run %d person %d", m.run, rapid.IntRange(0, 3).Draw(m.t, "person"))
	id := fmt.Sprintf("run %d message %d", m.run, len(m.jobs))
	urgent := rapid.IntRange(0, 4).Draw(m.t, "urgent") == 0
	a := bot.Arrival{Message: bot.Message{ID: id, From: from(person), Text: id}, Urgent: urgent}
	if r, err := m.Put(m.desk.t.Context(), person, a); r != bot.Queued || err != nil {
		m.fatal("Put = %q, %v, want queued", r, err)
	}
	m.seen = append(m.seen, arrivalOf{person, a})
	m.jobs = append(m.jobs, &modelJob{person: person, id: id, urgent: urgent, due: m.Now()})
}

func (m *machine) putAgain() {
	if len(m.seen) == 0 {
		return
	}
	s := rapid.SampledFrom(m.seen).Draw(m.t, "message")
	if r, err := m.Put(m.desk.t.Context(), s.person, s.a); r != bot.Repeated || err != nil {
		m.fatal("Put again = %q, %v, want repeated", r, err)
	}
}

// mayGo reports whether j may be handed out.
func (m *machine) mayGo(j *modelJob) bool {
	now := m.Now()
	if j.state != "" || j.due.After(now) {
		return false
	}
	if j.urgent {
		return true
	}
	for _, o := range m.jobs {
		if o.person != j.person || o.state != "" || o == j {
			continue
		}
		if o.held != nil && o.due.After(now) {
			return false // something of the person is in hand
		}
		if slices.Index(m.jobs, o) < slices.Index(m.jobs, j) {
			return false // not the first
		}
	}
	return true
}

func (m *machine) nextAny() { m.nextJob(rapid.IntRange(0, 4).Draw(m.t, "only urgent") == 0) }

// nextJob reports whether there was one.
func (m *machine) nextJob(onlyUrgent bool) bool {
	l := m.leased()
	l.Urgent = onlyUrgent
	got, err := m.Next(m.desk.t.Context(), l)
	var may []string
	urgent := false
	var j *modelJob
	for _, o := range m.jobs {
		if m.mayGo(o) && (o.urgent || !onlyUrgent) {
			may = append(may, o.id)
			urgent = urgent || o.urgent
			if o.id == got.Message.ID {
				j = o
			}
		}
	}
	switch {
	case len(may) == 0:
		if !errors.Is(err, bot.ErrNotFound) {
			m.fatal("Next = %q, %v, want ErrNotFound", got.Message.ID, err)
		}
		return false
	case err != nil || j == nil || urgent && !j.urgent:
		m.fatal("Next = %q, %v, want one of %q, urgent %t", got.Message.ID, err, may, urgent)
	}
	if got.Person != j.person || got.Urgent != j.urgent || got.Tries != j.tries+1 || got.Fence <= j.fence {
		m.fatal("Next = %+v, want one like %+v, tried once more, with a higher fence", got, j)
	}
	if j.held != nil {
		m.old = append(m.old, *j.held)
	}
	j.held, j.due, j.tries, j.fence, j.seq = &got, l.Until, got.Tries, got.Fence, got.Seq
	return true
}

// anyHeld draws a job that someone has, in the lease or after it.
func (m *machine) anyHeld() *modelJob {
	var list []*modelJob
	for _, j := range m.jobs {
		if j.held != nil && j.state == "" {
			list = append(list, j)
		}
	}
	if len(list) == 0 {
		return nil
	}
	return list[rapid.IntRange(0, len(list)-1).Draw(m.t, "job")]
}

func (m *machine) finishJob(j *modelJob, park string) {
	if j == nil {
		return
	}
	err := m.Finish(m.desk.t.Context(), *j.held, bot.Outcome{Parked: park, Replies: []bot.Reply{{Text: j.id}}})
	if err != nil {
		m.fatal("Finish: %v", err)
	}
	m.old = append(m.old, *j.held)
	j.held, j.state = nil, "done"
	j.replies++
	if park != "" {
		j.state = "parked"
	}
}

func (m *machine) returnAny() {
	j := m.anyHeld()
	if j == nil {
		return
	}
	until := m.Now().Add(time.Duration(rapid.IntRange(0, 60).Draw(m.t, "seconds")) * time.Second)
	if err := m.Return(m.desk.t.Context(), *j.held, until, "why"); err != nil {
		m.fatal("Return: %v", err)
	}
	m.old = append(m.old, *j.held)
	j.held, j.due = nil, until
}

func (m *machine) extendAny() {
	j := m.anyHeld()
	if j == nil {
		return
	}
	until := m.Now().Add(time.Duration(rapid.IntRange(0, 90).Draw(m.t, "seconds")) * time.Second)
	if err := m.Extend(m.desk.t.Context(), *j.held, until); err != nil {
		m.fatal("Extend: %v", err)
	}
	j.due = until
}

func (m *machine) requeueAny() {
	list, err := m.Parked(m.desk.t.Context())
	if err != nil {
		m.fatal("Parked: %v", err)
	}
	var parked []*modelJob
	for _, j := range m.jobs {
		if j.state == "parked" {
			parked = append(parked, j)
		}
	}
	if len(list) != len(parked) {
		m.fatal("Parked lists %d jobs, want %d", len(list), len(parked))
	}
	if len(list) == 0 {
		return
	}
	m.requeue(rapid.SampledFrom(parked).Draw(m.t, "parked"))
}

func (m *machine) requeue(j *modelJob) {
	if err := m.Requeue(m.desk.t.Context(), j.seq); err != nil {
		m.fatal("Requeue: %v", err)
	}
	j.state, j.due, j.tries = "", m.Now(), 0
}

func (m *machine) oldAny() {
	if len(m.old) == 0 {
		return
	}
	j := rapid.SampledFrom(m.old).Draw(m.t, "old job")
	ctx := m.desk.t.Context()
	for call, err := range map[string]error{
		"Extend": m.Extend(ctx, j, m.Now().Add(time.Hour)),
		"Return": m.Return(ctx, j, m.Now(), ""),
		"Finish": m.Finish(ctx, j, bot.Outcome{Replies: []bot.Reply{{Text: "twice"}}}),
	} {
		if !errors.Is(err, bot.ErrConflict) {
			m.fatal("%s of an old job = %v, want ErrConflict", call, err)
		}
	}
}

// check wants the inbox to count what the model counts.
func (m *machine) check() {
	var want bot.Depth
	for _, j := range m.jobs {
		switch j.state {
		case "":
			want.Waiting++
			if j.urgent {
				want.Urgent++
			}
			if j.held != nil && j.due.After(m.Now()) {
				want.Leased++
			}
		case "parked":
			want.Parked++
		}
	}
	got, err := m.Depth(m.desk.t.Context(), m.Now())
	got.Oldest = 0
	if err != nil || got != want {
		m.fatal("Depth = %+v, %v, want %+v", got, err, want)
	}
}

// drain answers what waits, and wants what was answered to be in the outbox, as
// often as it was.
func (m *machine) drain() {
	for _, j := range m.jobs {
		if j.state == "parked" {
			m.requeue(j)
		}
	}
	m.Add(time.Hour)
	for m.nextJob(false) {
		for _, j := range m.jobs {
			if j.state == "" && j.held != nil {
				m.finishJob(j, "")
			}
		}
	}
	m.check()
	for _, j := range m.jobs {
		if j.state != "done" {
			m.fatal("%q was never handed out", j.id)
		}
	}
	replies := map[string]int{}
	for {
		v, err := m.Take(m.desk.t.Context(), []string{"sms"}, m.leased())
		if errors.Is(err, bot.ErrNotFound) {
			break
		}
		if err != nil {
			m.fatal("Take: %v", err)
		}
		if err := m.Accept(m.desk.t.Context(), v, v.Key); err != nil {
			m.fatal("Accept: %v", err)
		}
		replies[v.Text]++
	}
	for _, j := range m.jobs {
		if replies[j.id] != j.replies {
			m.fatal("%q has %d replies, want %d", j.id, replies[j.id], j.replies)
		}
		delete(replies, j.id)
	}
	if len(replies) > 0 {
		m.fatal("there are replies %v that nobody made", replies)
	}
}
