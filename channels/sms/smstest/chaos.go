package smstest

import (
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"fmt"
	"math/rand/v2"
	"time"
)

// Chaos is how often things go wrong that go wrong at Twilio, each a
// probability from 0 to 1. It breaks none of Twilio's promises: a message that
// was taken reaches the phone once, a webhook that is sent again has the same
// MessageSid, and each message has at least one attempt that waits for the
// answer.
//
// What happens to a message follows from [Config].Seed, the number and how many
// messages of that number went before, whatever else goes on meanwhile.
type Chaos struct {
	// Webhooks.
	Twice  float64 // sent twice at the same time
	Again  float64 // sent once more, up to Spread later
	Hold   float64 // held for up to Spread, so that later ones overtake it
	HangUp float64 // sent, the reply not waited for, and sent once more

	// Creates; together at most 1.
	Throttle    float64 // refused: 429
	Unavailable float64 // refused: 503
	CutBefore   float64 // cut off, not taken
	CutAfter    float64 // taken, then cut off
	Slow        float64 // taken, and answered up to Spread later

	// Status callbacks.
	CallbackEarly   float64 // before the answer to the create; given up after a second
	CallbackTwice   float64
	CallbackDrop    float64
	CallbackReorder float64 // those of one message

	Spread time.Duration // the longest delay; 2 s if zero
}

// check says what is wrong with c.
func (c Chaos) check() error {
	for _, p := range []float64{
		c.Twice, c.Again, c.Hold, c.HangUp, c.Throttle, c.Unavailable, c.CutBefore, c.CutAfter, c.Slow,
		c.CallbackEarly, c.CallbackTwice, c.CallbackDrop, c.CallbackReorder,
		c.Throttle + c.Unavailable + c.CutBefore + c.CutAfter + c.Slow,
	} {
		if !(p >= 0 && p <= 1+1e-9) {
			return fmt.Errorf("chaos: a probability, or those of creates together, is %v: want 0 to 1", p)
		}
	}
	if c.Spread < 0 {
		return fmt.Errorf("chaos: the spread is %v", c.Spread)
	}
	return nil
}

func (c Chaos) spread() time.Duration {
	if c.Spread == 0 {
		return 2 * time.Second
	}
	return c.Spread
}

// SetChaos changes the chaos from now on.
func (s *Server) SetChaos(c Chaos) error {
	if err := c.check(); err != nil {
		return err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.chaos = c
	return nil
}

// digest is what the seed makes of a name and a number.
func (s *Server) digest(what, name string, n int) [sha256.Size]byte {
	return sha256.Sum256(fmt.Appendf(nil, "%d|%s|%s|%d", s.config.Seed, what, name, n))
}

// sid is a name such as Twilio gives, of a prefix and 32 hexadecimal digits.
func (s *Server) sid(prefix, what, name string, n int) string {
	d := s.digest(prefix+what, name, n)
	return prefix + hex.EncodeToString(d[:16])
}

// dice are thrown for the n-th of what concerns name.
func (s *Server) dice(what, name string, n int) dice {
	d := s.digest(what, name, n)
	return dice{rand.New(rand.NewPCG(binary.LittleEndian.Uint64(d[:]), binary.LittleEndian.Uint64(d[8:])))}
}

type dice struct{ *rand.Rand }

// falls throws once.
func (d dice) falls(p float64) bool { return d.Float64() < p }

// delay is one of up to limit.
func (d dice) delay(limit time.Duration) time.Duration {
	return time.Duration(d.Float64() * float64(limit))
}

// A webhookFate is what befalls one inbound message.
type webhookFate struct {
	twice, hangUp bool
	hold, again   time.Duration // zero for not
}

// webhookFate throws for the n-th message of a phone. All dice fall each time,
// so that one probability has no say in another.
func (s *Server) webhookFate(c Chaos, phone string, n int) webhookFate {
	d := s.dice("webhook", phone, n)
	f := webhookFate{twice: d.falls(c.Twice), hangUp: d.falls(c.HangUp)}
	if hold := d.delay(c.spread()); d.falls(c.Hold) {
		f.hold = hold
	}
	if again := d.delay(c.spread()); d.falls(c.Again) {
		f.again = again
	}
	return f
}

// createFate throws for the n-th create to a number.
func (s *Server) createFate(c Chaos, to string, n int) Trouble {
	d := s.dice("create", to, n)
	at, wait := d.Float64(), d.delay(c.spread())
	for _, may := range []struct {
		p float64
		t Trouble
	}{
		{c.Throttle, Throttled}, {c.Unavailable, Garbled}, {c.CutBefore, CutBefore}, {c.CutAfter, CutAfter}, {c.Slow, Slow(wait)},
	} {
		if at < may.p {
			return may.t
		}
		at -= may.p
	}
	return None
}

// A callbackFate is what befalls the callbacks of one message.
type callbackFate struct {
	early       bool
	order       []int // in which its callbacks are sent
	twice, drop []bool
}

// callbackFate throws for a message with so many callbacks.
func (s *Server) callbackFate(c Chaos, sid string, callbacks int) callbackFate {
	d := s.dice("callback", sid, 0)
	f := callbackFate{early: d.falls(c.CallbackEarly)}
	order := d.Perm(callbacks)
	if !d.falls(c.CallbackReorder) {
		for i := range order {
			order[i] = i
		}
	}
	f.order = order
	for range callbacks {
		f.twice = append(f.twice, d.falls(c.CallbackTwice))
		f.drop = append(f.drop, d.falls(c.CallbackDrop))
	}
	return f
}
