package channeltest

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"

	"plumbline/bot"
)

// delivers: a text reaches the person as it is written, whatever is in it.
func delivers(c *call) {
	texts := []string{
		"x",
		"The tap ran brown. Run it for 5 minutes.",
		"¿Está su bebé enfermo? Llame: año, pingüino, ¡ya!",
		"One 🚰 and a family 👩‍👩‍👧‍👦, then é as two characters: e\u0301",
		"first line\n\nthird line\n- a dash\ttab",
		`{"json":true} <b>&amp; 50% + 1 "quoted" \n $HOME`,
		"*bold* _low_ <@U0> `code` ~",
		strings.Repeat("long text ", c.h.Longest/10) + strings.Repeat("x", c.h.Longest%10),
	}
	ids := map[string]string{}
	var want []string
	for _, text := range texts {
		d := c.delivery(text)
		id := c.send(d)
		if other, ok := ids[id]; ok && id != "" {
			c.Errorf("Send gives %.20q and %.20q the same name %q", text, other, id)
		}
		ids[id] = text
		want = append(want, text)
	}
	c.has(want...)
	for i, got := range c.h.Has() {
		if key := fmt.Sprintf("key-%s-%d", c.Name(), i+1); got.Key != "" && got.Key != key {
			c.Errorf("the vendor was told key %q, want %q", got.Key, key)
		}
	}
}

// tooLong: what the vendor would cut or refuse is not sent at all, and neither
// is what has no words.
func tooLong(c *call) {
	for _, text := range []string{strings.Repeat("x", c.h.Longest+1), strings.Repeat("é", c.h.Longest+1), ""} {
		if _, err := c.h.Sender.Send(c.Context(), c.delivery(text)); !errors.Is(err, bot.ErrInvalid) {
			c.Errorf("Send of %d characters = %v, want ErrInvalid (the longest is %d)", len([]rune(text)), err, c.h.Longest)
		}
	}
	c.has()
	text := strings.Repeat("é", c.h.Longest) // characters are counted, not bytes
	c.send(c.delivery(text))
	c.has(text)
}

// throttled: a vendor that is asked too often is unavailable for as long as it
// says.
func throttled(c *call) {
	if c.can(Throttled) {
		if _, err := c.h.Sender.Send(c.Context(), c.delivery("one")); !errors.Is(err, bot.ErrUnavailable) {
			c.Errorf("Send to a vendor that is throttled = %v, want ErrUnavailable", err)
		}
		c.has()
	}
	if c.can(Wait) {
		var wait bot.RetryAfter
		_, err := c.h.Sender.Send(c.Context(), c.delivery("two"))
		if !errors.Is(err, bot.ErrUnavailable) || !errors.As(err, &wait) || wait.Wait != c.h.Wait || c.h.Wait <= 0 {
			c.Errorf("Send to a vendor that says to wait %v = %v, want ErrUnavailable and a RetryAfter of that", c.h.Wait, err)
		}
		c.has()
	}
	c.recovers()
}

// recovers wants the next text to be sent once the vendor is well.
func (c *call) recovers() {
	c.Helper()
	c.h.Fail(None)
	before := len(c.h.Has())
	c.send(c.delivery("after"))
	if got := c.h.Has(); len(got) != before+1 || got[len(got)-1].Text != "after" {
		c.Errorf("the person has %.60q once the vendor is well, want %q last", got, "after")
	}
}

// denied: whom we may not write to is told apart from what went wrong.
func denied(c *call) { c.failsAs(Denied, bot.ErrDenied) }

// permanent: what no retry will help is not tried again.
func permanent(c *call) { c.failsAs(Permanent, bot.ErrInvalid) }

// temporary: what a retry may help is tried again.
func temporary(c *call) {
	for _, f := range []Fault{Broken, Garbled, CutBefore} {
		c.failsAs(f, bot.ErrUnavailable)
	}
	if c.can(CutAfter) {
		if _, err := c.h.Sender.Send(c.Context(), c.delivery("cut")); !errors.Is(err, bot.ErrUnavailable) {
			c.Errorf("Send to a vendor that is %s = %v, want ErrUnavailable", CutAfter, err)
		}
		c.recovers()
	}
}

// failsAs wants an error of that kind and no other, and nothing sent.
func (c *call) failsAs(f Fault, want error) {
	c.Helper()
	if !c.can(f) {
		return
	}
	before := len(c.h.Has())
	_, err := c.h.Sender.Send(c.Context(), c.delivery("fails"))
	for _, kind := range []error{bot.ErrDenied, bot.ErrInvalid, bot.ErrUnavailable, bot.ErrNotFound, bot.ErrConflict, bot.ErrExhausted} {
		if errors.Is(err, kind) != (kind == want) {
			c.Errorf("Send to a vendor that is %s = %v, want the kind %q alone", f, err, want)
		}
	}
	if got := c.h.Has(); len(got) != before {
		c.Errorf("the person has %.60q after a vendor that is %s, want nothing more", got, f)
	}
	c.recovers()
}

// soon is how long a sender may take to notice that its context is done.
const soon = time.Second

// cancelled: a sender returns soon after its context is done, with its error,
// and one whose context is done already sends nothing.
func cancelled(c *call) {
	done, cancel := context.WithCancel(c.Context())
	cancel()
	if err := c.within(done, c.delivery("not to be sent")); !errors.Is(err, context.Canceled) {
		c.Errorf("Send with a cancelled context = %v, want %v", err, context.Canceled)
	}
	c.has()
	if !c.can(Hanging) {
		return
	}
	defer c.h.Fail(None)
	ctx, cancel := context.WithCancel(c.Context())
	defer cancel()
	stop := time.AfterFunc(50*time.Millisecond, cancel)
	defer stop.Stop()
	if err := c.within(ctx, c.delivery("hangs")); !errors.Is(err, context.Canceled) {
		c.Errorf("Send that is cancelled while the vendor hangs = %v, want %v", err, context.Canceled)
	}
	late, cancel := context.WithTimeout(c.Context(), 50*time.Millisecond)
	defer cancel()
	if err := c.within(late, c.delivery("hangs too")); !errors.Is(err, context.DeadlineExceeded) {
		c.Errorf("Send whose time is over while the vendor hangs = %v, want %v", err, context.DeadlineExceeded)
	}
}

// within sends d and returns its error, or errSlow if it does not return soon
// after ctx is done.
func (c *call) within(ctx context.Context, d bot.Delivery) error {
	result := make(chan error, 1)
	go func() {
		_, err := c.h.Sender.Send(ctx, d)
		result <- err
	}()
	select {
	case err := <-result:
		return err
	case <-ctx.Done():
	}
	select {
	case err := <-result:
		return err
	case <-time.After(soon):
		return errSlow
	}
}

var errSlow = fmt.Errorf("it did not return within %v of its context being done", soon)

// idempotent: two calls with one key reach the person once, also if the first
// was cut off after the vendor took it.
func idempotent(c *call) {
	if c.h.NotOnce != "" {
		c.Logf("not applicable: one delivery twice: %s", c.h.NotOnce)
		return
	}
	d := c.delivery("once")
	first := c.send(d)
	if second := c.send(again(d)); second != first {
		c.Errorf("one delivery is called %q and then %q, want one name", first, second)
	}
	c.has("once")
	other := c.delivery("once") // the same words, and another delivery
	c.send(other)
	c.has("once", "once")
	if !c.can(CutAfter) {
		return
	}
	cut := c.delivery("cut off")
	if _, err := c.h.Sender.Send(c.Context(), cut); err == nil {
		c.Errorf("Send to a vendor that is %s is no error, want one", CutAfter)
	}
	c.h.Fail(None)
	c.send(again(cut))
	c.has("once", "once", "cut off")
}

// order: texts that are sent one after the other are had in that order.
func order(c *call) {
	var want []string
	for i := range 20 {
		text := fmt.Sprintf("text %02d", i)
		c.send(c.delivery(text))
		want = append(want, text)
	}
	c.has(want...)
}

// noAddressInErrors: neither the person's number nor their text stands in an
// error or in the log, whatever went wrong.
func noAddressInErrors(c *call) {
	const words = "Secret-Words-Of-The-Answer"
	secrets := []string{words, c.h.To.User, c.h.To.Thread}
	clean := func(what, s string) {
		for _, secret := range secrets {
			for _, form := range forms(secret) {
				if strings.Contains(s, form) {
					c.Errorf("%s holds %q: %.300s", what, form, s)
				}
			}
		}
	}
	try := func(ctx context.Context, what, text string) {
		err := c.within(ctx, c.delivery(text))
		if err != nil {
			clean("the error of a vendor that is "+what, err.Error())
			clean("the error of a vendor that is "+what+", with %+v and %#v,", fmt.Sprintf("%+v %#v", err, err))
		} else if what != "well" {
			c.Errorf("Send to a vendor that is %s is no error, want one", what)
		}
	}
	try(c.Context(), "well", words)
	try(c.Context(), "sent what is too long", strings.Repeat(words, c.h.Longest/len(words)+1))
	done, cancel := context.WithCancel(c.Context())
	cancel()
	try(done, "not waited for", words)
	for _, f := range Faults() {
		if !c.can(f) {
			continue
		}
		ctx, cancel := context.WithCancel(c.Context())
		if f == Hanging {
			time.AfterFunc(50*time.Millisecond, cancel)
		}
		try(ctx, string(f), words)
		cancel()
	}
	c.h.Fail(None)
	if c.h.Logged == nil {
		c.Logf("not applicable: the log: the adapter has none")
		return
	}
	clean("the log", c.h.Logged())
}

// forms is how s may stand in a text: as it is, and as URLs and forms write it.
func forms(s string) []string {
	if s == "" {
		return nil
	}
	list := []string{s}
	if digits := strings.TrimPrefix(s, "+"); digits != s && digits != "" {
		list = append(list, digits, "%2B"+digits)
	}
	return list
}

// concurrent: several may send at once; each text arrives once and whole, and
// each has a name of its own.
func concurrent(c *call) {
	const n = 25
	var deliveries []bot.Delivery
	var want []string
	for i := range n {
		d := c.delivery(fmt.Sprintf("text %02d ", i) + strings.Repeat(string(rune('a'+i)), min(40, c.h.Longest-10)))
		deliveries, want = append(deliveries, d), append(want, d.Text)
	}
	ids := make([]string, n)
	var wg sync.WaitGroup
	for i, d := range deliveries {
		wg.Go(func() {
			id, err := c.h.Sender.Send(c.Context(), d)
			if err != nil {
				c.Errorf("Send(%.40q) beside others = %v, want it sent", d.Text, err)
			}
			ids[i] = id
		})
	}
	wg.Wait()
	var got []string
	for _, text := range c.h.Has() {
		got = append(got, text.Text)
		if i := slices.Index(want, text.Text); i >= 0 && text.Key != "" && text.Key != deliveries[i].Key {
			c.Errorf("the vendor was told key %q with %.40q, want %q", text.Key, text.Text, deliveries[i].Key)
		}
	}
	slices.Sort(got)
	if !slices.Equal(got, want) {
		c.Errorf("the person has %d texts %.400q, want each of %d once", len(got), got, n)
	}
	slices.Sort(ids)
	if n := len(slices.Compact(ids)); n != len(deliveries) {
		c.Errorf("%d deliveries have %d names, want one each", len(deliveries), n)
	}
}
