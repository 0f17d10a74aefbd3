package main

import (
	"fmt"
	"io"
	"maps"
	"slices"
	"time"

	"plumbline/channels/sms/smstest"
)

type simulateCmd struct {
	SMS simulateSMSCmd `cmd:"" name:"sms" help:"Hold conversations by text message with a service, through a fake of Twilio"`
}

type simulateSMSCmd struct {
	Conversations int           `help:"How many people text" default:"50"`
	Rate          float64       `help:"Conversations begun a second" default:"10"`
	Chaos         bool          `help:"Deliveries come twice, late and out of order, connections break, the vendor fails"`
	Kills         int           `help:"Kill the service that often at random moments, and start it again" default:"0"`
	Seed          uint64        `help:"Seed of all that is random" default:"1"`
	Patience      time.Duration `help:"The longest to wait for a reply" default:"2m"`
	Against       bool          `help:"Drive the service that runs with these settings, in place of one of its own; twilio.api says where to be Twilio"`
	Keep          string        `help:"Write the service's log to this file" placeholder:"FILE"`
}

// Help shows examples.
func (simulateSMSCmd) Help() string {
	return `Examples:
  plumbline simulate sms
  plumbline simulate sms --conversations 200 --chaos --kills 3
  plumbline simulate sms --json --seed 7

Starts a service with a state folder of its own and texts it: questions in two
languages, MORE, emergencies, pictures, STOP while an answer is worked on, START
again. Then it says what was sent, answered, doubled, lost, and sent after a STOP
was acknowledged, and whether any line of the service's log, at debug level, holds
a number or a text. The exit code is 3 if something was doubled, lost, sent after
a STOP or logged.

With --against the service is one that runs already with the same --settings:
twilio.api must be an address of this machine, on which Twilio is played.`
}

// A simulation is what came of conversations by text.
type simulation struct {
	Conversations int            `json:"conversations"`
	Seed          uint64         `json:"seed"`
	Kills         int            `json:"kills"`
	Sent          int            `json:"sent"`          // messages of people
	Posts         int            `json:"posts"`         // times that the vendor posted them
	Answered      int            `json:"answered"`      // messages that got what they should
	Texts         int            `json:"texts"`         // texts that phones got
	Segments      int            `json:"segments"`      // of them
	Doubled       int            `json:"doubled"`       // texts that a phone got once too often
	Lost          int            `json:"lost"`          // texts that a phone should have got
	AfterStop     int            `json:"after_stop"`    // texts that the vendor took after a STOP was acknowledged, its confirmation aside
	Undeliverable int            `json:"undeliverable"` // texts that the vendor took and could not deliver
	Logged        int            `json:"logged"`        // lines of the log that hold a number or a text
	LogLines      int            `json:"log_lines"`
	Faults        map[string]int `json:"faults"`     // what the vendor found wrong with what the service did
	Vendor        map[string]int `json:"vendor"`     // how often the vendor failed, by how
	LatencyMS     percentiles    `json:"latency_ms"` // from the acknowledgement of a message to its first reply
	AckMS         percentiles    `json:"ack_ms"`     // from a message's post to its acknowledgement
	TookS         float64        `json:"took_s"`
	Notes         []string       `json:"notes,omitempty"` // what was wrong, of the first few conversations
}

type percentiles struct {
	P50 float64 `json:"p50"`
	P90 float64 `json:"p90"`
	P99 float64 `json:"p99"`
	Max float64 `json:"max"`
}

func percentilesOf(list []time.Duration) (p percentiles) {
	if len(list) == 0 {
		return p
	}
	slices.Sort(list)
	at := func(share float64) float64 {
		return float64(list[min(len(list)-1, int(share*float64(len(list))))].Microseconds()) / 1000
	}
	return percentiles{at(0.5), at(0.9), at(0.99), at(1)}
}

// wrong reports whether something happened that must not.
func (s *simulation) wrong() bool {
	return s.Doubled+s.Lost+s.AfterStop+s.Logged+len(s.Faults) > 0
}

func (s *simulation) print(w io.Writer) error {
	_, err := fmt.Fprintf(w, `%d conversations, %d messages, posted %d times, the service killed %d times, %.0f s
answered     %6d   lost %d, doubled %d, after STOP %d
texts        %6d   %d segments; %d more could not be delivered
reply        p50 %.0f ms, p90 %.0f ms, p99 %.0f ms, max %.0f ms from the acknowledgement
acknowledged p50 %.1f ms, p90 %.1f ms, p99 %.1f ms, max %.1f ms
log          %6d lines, %d with a number or a text
`, s.Conversations, s.Sent, s.Posts, s.Kills, s.TookS, s.Answered, s.Lost, s.Doubled, s.AfterStop, s.Texts, s.Segments, s.Undeliverable,
		s.LatencyMS.P50, s.LatencyMS.P90, s.LatencyMS.P99, s.LatencyMS.Max, s.AckMS.P50, s.AckMS.P90, s.AckMS.P99, s.AckMS.Max, s.LogLines, s.Logged)
	for _, m := range []struct {
		what string
		of   map[string]int
	}{{"vendor failed", s.Vendor}, {"vendor found wrong", s.Faults}} {
		for _, k := range slices.Sorted(maps.Keys(m.of)) {
			if err == nil {
				_, err = fmt.Fprintf(w, "%s: %s %d\n", m.what, k, m.of[k])
			}
		}
	}
	for _, n := range s.Notes {
		if err == nil {
			_, err = fmt.Fprintln(w, n)
		}
	}
	return err
}

// Run implements the command.
func (c *simulateSMSCmd) Run(a *app) error {
	switch {
	case c.Conversations < 1 || c.Conversations > maxPhones:
		return usage("--conversations is %d; write 1 to %d", c.Conversations, maxPhones)
	case !(c.Rate > 0):
		return usage("--rate is %v; write conversations a second", c.Rate)
	case c.Patience <= 0:
		return usage("--patience is %v; write how long to wait for a reply, such as 2m", c.Patience)
	case c.Kills < 0 || c.Kills > 0 && c.Against:
		return usage("--kills is %d; write 0 or more, and 0 with --against, for only a service of its own is killed", c.Kills)
	}
	s, err := c.simulate(a)
	if err != nil {
		return err
	}
	if a.globals.JSON {
		err = writeJSON(a.std.Out, s)
	} else {
		err = s.print(a.std.Out)
	}
	if err == nil && s.wrong() {
		err = fmt.Errorf("%w: %d lost, %d doubled, %d after STOP, %d lines of the log with a number or a text, %d kinds of fault", errRefused, s.Lost, s.Doubled, s.AfterStop, s.Logged, len(s.Faults))
	}
	return err
}

// A step is a message of a script, and the texts that should come of it.
type step struct {
	text     string
	picture  bool
	min, max int          // texts
	hurry    bool         // the next message follows at once
	mark     smstest.Mark // whether it opts out, or in again
	says     string       // what the first of them must hold; empty for anything
}

// A script is what one person says. Nobody in it is told the same text twice.
type script struct {
	name  string
	steps []step
}

// scripts are what people say; a new person is told who this is after the first
// answer, in a text of its own.
var scripts = []script{
	{"question", []step{{text: "does boiling water remove lead", min: 2, max: 2}, {text: "MORE", min: 1, max: 1}, {text: "is there a safe amount of lead in water", min: 1, max: 1}}},
	{"spanish", []step{{text: "cuanto tiempo hiervo el agua", min: 2, max: 2, says: "minuto"}, {text: "FUENTES", min: 1, max: 1}}},
	{"brown", []step{{text: "my water is brown is my baby ok??", min: 2, max: 2}, {text: "talk to me like city hall", min: 1, max: 1}}},
	{"emergency", []step{{text: "my dad is not breathing", min: 1, max: 1, says: "911"}, {text: "does boiling water remove lead", min: 2, max: 2}}},
	{"poison", []step{{text: "what is pfas", min: 2, max: 2}, {text: "my son drank bleach", min: 1, max: 1, says: "1-800-222-1222"}}},
	{"stop", []step{{text: "what is pfas", min: 2, max: 2}, {text: "stop texting me", min: 1, max: 1, mark: smstest.Stop, says: "unsubscribed"}, {text: "does boiling water remove lead"}}},
	{"hurried stop", []step{{text: "is there a safe amount of lead in water", min: 0, max: 2, hurry: true}, {text: "STOP", min: 1, max: 1, mark: smstest.Stop, says: "unsubscribed"}, {text: "MORE"}, {text: "what is pfas"}}},
	{"alto", []step{{text: "el agua sale cafe, la puedo tomar", min: 2, max: 2, hurry: false}, {text: "ALTO", min: 1, max: 1, mark: smstest.Stop, says: "911"}}},
	{"back", []step{{text: "STOP", min: 1, max: 1, mark: smstest.Stop, says: "unsubscribed"}, {text: "START", mark: smstest.Start, min: 1, max: 1, says: "you are back"}, {text: "does boiling water remove lead", min: 2, max: 2}}},
	{"picture", []step{{picture: true, min: 1, max: 1, says: "can't see pictures"}, {text: "is it safe to shower in brown water", min: 2, max: 2}}},
	{"person", []step{{text: "PERSON", min: 1, max: 1, says: "staff"}, {text: "HELP", min: 1, max: 1, says: "911"}}},
	{"forget", []step{{text: "what is pfas", min: 2, max: 2}, {text: "FORGET", min: 1, max: 1, says: "erased"}}},
}

// maxPhones is how many test numbers there are: 555-0100 to 555-0199 of each
// area code but for those of services.
const maxPhones = 70000

// testNumber is the number of the i-th person: 555-01xx of some area code.
func testNumber(i int) string {
	area := 202 + i/100
	return fmt.Sprintf("+1%d55501%02d", area, i%100)
}
