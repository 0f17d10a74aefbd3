// Package console is a conversation at a terminal, for one person: each line
// that they type is a message, and replies are shown as they would be sent.
package console

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
	"syscall"
	"time"
	"unicode/utf8"

	"plumbline/bot"
)

// Longest is how many characters [Console.Send] takes in one text.
const Longest = 40000

// maxLine is the longest line, in bytes, that can hold a message.
const maxLine = 4 * bot.MaxText

// quit is the line that ends the conversation.
const quit = "/quit"

// keepKeys is how many deliveries a Console knows not to show again.
const keepKeys = 1000

// A Console takes in what is typed and shows what is sent. It implements
// [bot.Sender]. Make one with [New].
type Console struct {
	opts  Options
	moved chan struct{} // has a value after something may have been answered
	lost  chan error    // why nothing can be shown any more

	pen    chan struct{} // holds a value while someone writes
	screen screen        // of whoever has the pen
	shown  map[string]bool
	keys   []string // of shown, oldest first

	count, unsent int // lines that were read, and those that could not be sent; Run's alone
}

// Options are what a Console needs. Language, Typed and Look may be left out; a
// Console that only sends needs no more than Out and From.
type Options struct {
	Receiver bot.Receiver
	From     bot.Address      // who types; replies are fitted to its channel
	Language bot.Language     // of what is typed; empty to go by the words
	NewID    func() string    // returns another one each time
	Now      func() time.Time // called once for each message

	// Answered reports whether all that was received is answered and shown.
	// Call [Console.Moved] whenever that may have changed.
	Answered func(context.Context) (bool, error)

	In  io.Reader
	Out io.Writer // replies
	Err io.Writer // what is said about lines that cannot be sent

	// Typed says that a person types In: they are asked for lines, may write on
	// before the answer is there, and hear at once what is wrong with a line.
	// Otherwise each line waits for the answer to the one before.
	Typed bool

	Look Look
}

// New returns a Console.
func New(o Options) *Console {
	return &Console{
		opts: o, moved: make(chan struct{}, 1), lost: make(chan error, 1), pen: make(chan struct{}, 1),
		screen: screen{out: o.Out, look: o.Look, asks: o.Typed && o.Look.Terminal, cost: o.From.Channel == "sms"}, shown: map[string]bool{},
	}
}

// Moved says that a message may have been answered, or a reply shown.
func (c *Console) Moved() {
	select {
	case c.moved <- struct{}{}:
	default:
	}
}

// A line is what was read of In.
type line struct {
	text string
	err  error // why it cannot be sent; io.EOF after the last line
}

// Run takes in lines until In ends, /quit, or ctx is done, waits for the answers
// to them, and returns. Its error wraps [bot.ErrInvalid] only if some lines could
// not be sent and nobody was there to hear it, [bot.ErrUnavailable] if replies
// cannot be shown. When ctx is done it does not wait:
// that is an error unless a person typed. A read of In that blocks goes on after
// that; close In to end it.
func (c *Console) Run(ctx context.Context) error {
	lines := make(chan line)
	stop := make(chan struct{})
	defer close(stop)
	go func() {
		r := bufio.NewReaderSize(c.opts.In, maxLine)
		for {
			l := readLine(r)
			select {
			case lines <- l:
			case <-stop:
				return
			}
			if l.err != nil && !errors.Is(l.err, bot.ErrInvalid) {
				return
			}
		}
	}()
	err := c.loop(ctx, lines)
	if e := c.write(ctx, func(s *screen) error { return s.leave() }); err == nil {
		err = e
	}
	switch {
	case ctx.Err() != nil && c.opts.Typed:
		return nil
	case err != nil:
		return err
	case c.unsent > 0 && !c.opts.Typed:
		return fmt.Errorf("%d of %d lines could not be sent: %w", c.unsent, c.count, bot.ErrInvalid)
	}
	return nil
}

func (c *Console) loop(ctx context.Context, lines <-chan line) error {
	if err := c.write(ctx, func(s *screen) error { return s.open(c.opts.From.Channel) }); err != nil {
		return err
	}
	answered, ended := true, false
	for {
		if answered {
			if ended {
				return nil
			}
			if err := c.write(ctx, func(s *screen) error { return s.ask() }); err != nil {
				return err
			}
		}
		in := lines
		if ended || !answered && !c.opts.Typed {
			in = nil
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case err := <-c.lost:
			return fmt.Errorf("show reply: %w: %w", bot.ErrUnavailable, err)
		case <-c.moved:
		case l := <-in:
			var err error
			if ended, err = c.take(ctx, l); err != nil {
				return err
			}
		}
		var err error
		if answered, err = c.opts.Answered(ctx); err != nil {
			return fmt.Errorf("look for answers: %w", err)
		}
	}
}

// take takes in a line and reports whether it was the last.
func (c *Console) take(ctx context.Context, l line) (last bool, err error) {
	if errors.Is(l.err, io.EOF) {
		return true, nil
	}
	c.count++
	text := strings.TrimSpace(l.text)
	switch {
	case errors.Is(l.err, bot.ErrInvalid):
		c.unsent++
		where := ""
		if !c.opts.Typed {
			where = fmt.Sprintf("line %d: ", c.count)
		}
		why := strings.TrimSuffix(l.err.Error(), ": "+bot.ErrInvalid.Error())
		return false, c.write(ctx, func(s *screen) error {
			s.asked = false
			_, err := fmt.Fprintf(c.opts.Err, "%s%s. Nothing was sent.\n", where, why)
			return err
		})
	case l.err != nil:
		return false, fmt.Errorf("read what is typed: %w", l.err)
	case text == quit:
		return true, c.write(ctx, func(s *screen) error { s.asked = false; return nil })
	}
	if err := c.write(ctx, func(s *screen) error { return s.typed(text, c.opts.Typed) }); err != nil || text == "" {
		return false, err
	}
	m := bot.Message{ID: c.opts.NewID(), From: c.opts.From, Text: text, Language: c.opts.Language, At: c.opts.Now()}
	if err := c.opts.Receiver.Receive(ctx, m); err != nil {
		return false, err
	}
	return false, nil
}

// readLine reads a line without its end. A line that holds no message is read
// to its end all the same and is [bot.ErrInvalid].
func readLine(r *bufio.Reader) line {
	b, err := r.ReadSlice('\n')
	n := len(b)
	long := errors.Is(err, bufio.ErrBufferFull)
	text := string(b)
	for errors.Is(err, bufio.ErrBufferFull) {
		b, err = r.ReadSlice('\n')
		n += len(b)
	}
	switch {
	case n == 0 && err != nil:
		return line{err: err}
	case err != nil && !errors.Is(err, io.EOF):
		return line{err: err}
	case long:
		return line{err: fmt.Errorf("that line is %d bytes long, and a message has at most %d characters: %w", n, bot.MaxText, bot.ErrInvalid)}
	case !utf8.ValidString(text):
		return line{err: fmt.Errorf("that line is not UTF-8 text: %w", bot.ErrInvalid)}
	}
	text = strings.TrimRight(text, "\r\n")
	if n := utf8.RuneCountInString(text); n > bot.MaxText {
		return line{err: fmt.Errorf("that line has %d characters, and a message at most %d: %w", n, bot.MaxText, bot.ErrInvalid)}
	}
	return line{text: text}
}

// Send implements [bot.Sender]: it shows d. A delivery whose key was shown is
// not shown again. If ctx is done while the terminal does not take the text,
// Send returns, and the text is shown once it does. What the terminal refuses
// ends [Console.Run].
func (c *Console) Send(ctx context.Context, d bot.Delivery) (vendorID string, err error) {
	if n := utf8.RuneCountInString(d.Text); n == 0 || n > Longest {
		return "", fmt.Errorf("show text of %d characters, of at most %d: %w", n, Longest, bot.ErrInvalid)
	}
	if err := ctx.Err(); err != nil {
		return "", fmt.Errorf("show text: %w", err)
	}
	select {
	case c.pen <- struct{}{}:
	case <-ctx.Done():
		return "", fmt.Errorf("show text: %w", ctx.Err())
	}
	done := make(chan error, 1)
	go func() { // a write cannot be taken back, but need not be waited for
		defer func() { <-c.pen }()
		done <- c.show(d)
	}()
	select {
	case err := <-done:
		if err != nil {
			return "", fmt.Errorf("show text: %w", err)
		}
		return "shown-" + d.Key, nil
	case <-ctx.Done():
		return "", fmt.Errorf("show text: %w", ctx.Err())
	}
}

// show shows d unless it was shown. The caller has the pen.
func (c *Console) show(d bot.Delivery) error {
	if c.shown[d.Key] {
		return nil
	}
	if err := c.screen.show(d); err != nil {
		select {
		case c.lost <- err:
		default:
		}
		return refusal(err)
	}
	c.shown[d.Key] = true
	c.keys = append(c.keys, d.Key)
	if len(c.keys) > keepKeys {
		delete(c.shown, c.keys[0])
		c.keys = c.keys[1:]
	}
	return nil
}

// write lets do use the screen once whoever writes is done, which a terminal
// that takes nothing may never be.
func (c *Console) write(ctx context.Context, do func(*screen) error) error {
	select {
	case c.pen <- struct{}{}:
	default:
		select {
		case c.pen <- struct{}{}:
		case <-ctx.Done():
			return ctx.Err()
		}
	}
	defer func() { <-c.pen }()
	return do(&c.screen)
}

// refusal gives the error of a terminal its kind: one that is gone stays gone.
func refusal(err error) error {
	for _, gone := range []error{io.ErrClosedPipe, os.ErrClosed, syscall.EPIPE} {
		if errors.Is(err, gone) {
			return fmt.Errorf("the terminal is gone: %w", bot.ErrInvalid)
		}
	}
	return fmt.Errorf("%w: %w", bot.ErrUnavailable, err)
}
