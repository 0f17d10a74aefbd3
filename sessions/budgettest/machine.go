package budgettest

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"testing"
	"time"

	"pgregory.net/rapid"

	"plumbline/bot"
)

// A machine is a simple model of a ledger beside the ledger: it keeps every
// reservation and adds them up anew each time.
type machine struct {
	Store
	t     *rapid.T
	test  *testing.T
	first time.Time // of the days of this run
	run   int
	caps  bot.Caps
	calls []*modelCall
	told  map[string]map[bot.Alarm]bool // by day, or person and day

	overrun bool // a call cost more than was set aside for it
}

// A modelCall is what the model knows of one reservation.
type modelCall struct {
	bot.Reservation
	person  string // empty once erased
	day     int
	amount  bot.Amount // set aside, or what it cost
	settled bool
}

func testMachine(t *testing.T, open Open) {
	st := open(t) // one for all runs: each has days and persons of its own
	run := 0
	rapid.Check(t, func(rt *rapid.T) {
		run++
		m := &machine{Store: st, t: rt, test: t, run: run, first: start.Add(time.Duration(run) * 10 * day), told: map[string]map[bot.Alarm]bool{}}
		m.caps = bot.Caps{Person: m.amount("person cap", 40), Day: m.amount("day cap", 80)}
		does := func(f func()) func(*rapid.T) { return func(rt *rapid.T) { m.t = rt; f() } }
		rt.Repeat(map[string]func(*rapid.T){
			"reserve":      does(m.reserve),
			"reserve more": does(m.reserve),
			"settle":       does(m.settle),
			"erase":        does(m.erase),
			"":             does(m.check),
		})
	})
}

func (m *machine) amount(name string, most int64) bot.Amount {
	part := rapid.Int64Range(0, most)
	return bot.Amount{Tokens: part.Draw(m.t, name+" tokens"), Micros: part.Draw(m.t, name+" micros")}
}

// at is some time of a day.
func (m *machine) at(d int) time.Time {
	return m.first.Truncate(day).Add(time.Duration(d)*day + time.Duration(rapid.Int64Range(0, int64(day-1)).Draw(m.t, "of the day")))
}

func (m *machine) someone() (string, int) {
	person := ""
	if n := rapid.IntRange(0, 2).Draw(m.t, "person"); n > 0 {
		person = fmt.Sprintf("run %d person %d", m.run, n)
	}
	return person, rapid.IntRange(0, 1).Draw(m.t, "day")
}

// spent adds up what was spent.
func (m *machine) spent(person string, d int) (personal, deployment bot.Amount) {
	for _, c := range m.calls {
		if c.day != d {
			continue
		}
		deployment = deployment.Plus(c.amount)
		if c.person == person && person != "" {
			personal = personal.Plus(c.amount)
		}
	}
	return personal, deployment
}

func (m *machine) reserve() {
	person, d := m.someone()
	want := m.amount("want", 15)
	personal, deployment := m.spent(person, d)
	wantCap := bot.Cap("")
	if person != "" && !personal.Plus(want).Within(m.caps.Person) {
		wantCap = bot.PersonCap
	}
	if !deployment.Plus(want).Within(m.caps.Day) {
		wantCap = bot.DayCap
	}
	r, err := m.Reserve(m.test.Context(), person, m.at(d), want, m.caps)
	var e *bot.SpentError
	switch {
	case err == nil && wantCap == "":
		m.calls = append(m.calls, &modelCall{Reservation: r, person: person, day: d, amount: want})
		m.tell(person, d, r.Before, r.After)
	case errors.As(err, &e) && e.Cap == wantCap:
		m.tell(person, d, e.Before, e.After)
		if !m.told[fmt.Sprint(d)][bot.Alarm{Cap: bot.DayCap, Percent: 100}] && wantCap == bot.DayCap {
			m.t.Fatalf("the day's cap refused %v and nobody was told", want)
		}
	default:
		m.t.Fatalf("Reserve(%q, %v) with %v and %v spent of %+v = %+v, %v, want cap %q", person, want, personal, deployment, m.caps, r, err, wantCap)
	}
}

func (m *machine) settle() {
	if len(m.calls) == 0 {
		return
	}
	c := rapid.SampledFrom(m.calls).Draw(m.t, "call")
	cost := m.amount("cost", 20)
	before, after, err := m.Settle(m.test.Context(), c.Reservation, cost)
	if c.settled {
		if !errors.Is(err, bot.ErrConflict) {
			m.t.Fatalf("Settle(%d) twice = %v, want ErrConflict", c.ID, err)
		}
		return
	}
	if err != nil {
		m.t.Fatalf("Settle(%d, %v) = %v", c.ID, cost, err)
	}
	m.overrun = m.overrun || cost.Tokens > c.amount.Tokens || cost.Micros > c.amount.Micros
	c.amount, c.settled = cost, true
	personal, deployment := m.spent(c.person, c.day)
	if after.Person.Spent != personal || after.Day.Spent != deployment {
		m.t.Fatalf("Settle(%d, %v) leaves %v and %v spent, want %v and %v", c.ID, cost, after.Person.Spent, after.Day.Spent, personal, deployment)
	}
	m.tell(c.person, c.day, before, after)
}

// tell wants an alarm told the first time that a peak reaches it, and not again.
func (m *machine) tell(person string, d int, before, after bot.Sums) {
	for _, a := range bot.Alarms(before, after, m.caps) {
		key := fmt.Sprint(d)
		if a.Cap == bot.PersonCap {
			key = fmt.Sprint(person, " ", d)
		}
		if m.told[key] == nil {
			m.told[key] = map[bot.Alarm]bool{}
		}
		if m.told[key][a] {
			m.t.Fatalf("%+v is told twice", a)
		}
		m.told[key][a] = true
	}
}

func (m *machine) erase() {
	if rapid.IntRange(0, 2).Draw(m.t, "rarely") > 0 {
		return
	}
	person, _ := m.someone()
	if person == "" {
		return
	}
	if err := m.Erase(m.test.Context(), person); err != nil {
		m.t.Fatalf("Erase: %v", err)
	}
	for _, c := range m.calls {
		if c.person == person {
			c.person = ""
		}
	}
	for d := range 2 {
		delete(m.told, fmt.Sprint(person, " ", d))
	}
}

// check compares all sums with the model's.
func (m *machine) check() {
	persons := map[string]bool{"": true}
	for _, c := range m.calls {
		persons[c.person] = true
	}
	for d := range 2 {
		for _, person := range slices.Sorted(maps.Keys(persons)) {
			got, err := m.Spent(m.test.Context(), person, m.first.Add(time.Duration(d)*day))
			personal, deployment := m.spent(person, d)
			if err != nil || got.Person.Spent != personal || got.Day.Spent != deployment {
				m.t.Fatalf("Spent(%q, day %d) = %+v, %v, want %v and %v spent", person, d, got, err, personal, deployment)
			}
			for _, t := range []bot.Tally{got.Person, got.Day} {
				if t.Peak.Tokens < t.Spent.Tokens || t.Peak.Micros < t.Spent.Micros {
					m.t.Fatalf("the peak of %q is %v, below %v", person, t.Peak, t.Spent)
				}
			}
			if !m.overrun && (!got.Person.Spent.Within(m.caps.Person) || !got.Day.Spent.Within(m.caps.Day)) {
				m.t.Fatalf("day %d of %q passes the caps %+v: %+v", d, person, m.caps, got)
			}
		}
	}
}
