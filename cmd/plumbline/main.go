// Plumbline answers consequential science questions from a knowledge base that
// it carries, for people who text a hotline or ask in Slack.
//
// `plumbline serve` is the service, `plumbline ask QUESTION` one answer;
// `plumbline --help` lists the rest.
package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"strings"
	"syscall"

	"github.com/alecthomas/kong"

	"plumbline/bot"
)

// The exit codes.
const (
	exitDone    = 0
	exitFailed  = 1
	exitUsage   = 2
	exitRefused = 3
)

// version is set by the linker in releases.
var version = "dev"

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	go func() { // a second signal ends the program at once
		<-ctx.Done()
		stop()
	}()
	std := stdio{In: os.Stdin, Out: os.Stdout, Err: os.Stderr}
	os.Exit(run(ctx, os.Args[1:], os.Getenv, std))
}

// stdio is where a command reads and writes.
type stdio struct {
	In       io.Reader
	Out, Err io.Writer
}

// errRefused is the error of a check that found something.
var errRefused = errors.New("refused")

// errUsage is the error of a command that was asked for wrongly.
var errUsage = errors.New("wrong use")

func usage(format string, args ...any) error {
	return fmt.Errorf("%w: "+format, append([]any{errUsage}, args...)...)
}

// run is main with its surroundings passed in. It returns the exit code.
func run(ctx context.Context, args []string, getenv func(string) string, std stdio) int {
	var c cli
	out := &sink{w: std.Out}
	std.Out = out
	exited := -1
	parser, err := kong.New(&c,
		kong.Name("plumbline"),
		kong.Description("Answers science questions that matter to the person asking, from sources it can show."),
		kong.Writers(std.Out, std.Err),
		kong.Exit(func(code int) { exited = code; panic(exit{}) }),
		kong.Vars{"version": version},
		kong.UsageOnError(),
		kong.ConfigureHelp(kong.HelpOptions{Compact: true, Summary: true, WrapUpperBound: 100}),
	)
	if err != nil {
		fmt.Fprintln(std.Err, "plumbline:", err)
		return exitFailed
	}
	command, err := parse(parser, args)
	if exited >= 0 { // --help or --version
		return exited
	}
	if err != nil {
		fmt.Fprintf(std.Err, "plumbline: %v; see plumbline --help\n", err)
		return exitUsage
	}
	a := &app{ctx: ctx, std: std, getenv: getenv, globals: c.globals}
	err = errors.Join(command.Run(a, parser), a.Close())
	if err == nil && out.err != nil {
		err = fmt.Errorf("write the output: %w", out.err)
	}
	if err != nil {
		return report(std.Err, err)
	}
	return exitDone
}

// A sink remembers that something could not be written.
type sink struct {
	w   io.Writer
	err error
}

func (s *sink) Write(b []byte) (int, error) {
	n, err := s.w.Write(b)
	if err != nil {
		s.err = err
	}
	return n, err
}

// exit unwinds kong when it would leave the program.
type exit struct{}

func parse(parser *kong.Kong, args []string) (command *kong.Context, err error) {
	defer func() {
		if r := recover(); r != nil {
			if _, ok := r.(exit); !ok {
				panic(r)
			}
		}
	}()
	return parser.Parse(args)
}

// report says what went wrong, a line each, and returns the exit code.
func report(w io.Writer, err error) int {
	code := exitFailed
	switch {
	case errors.Is(err, errRefused):
		code = exitRefused
	case errors.Is(err, errUsage):
		code = exitUsage
	case errors.Is(err, context.Canceled):
		err = errors.New("interrupted")
	case errors.Is(err, bot.ErrInvalid) && errors.Is(err, errInput):
		code = exitUsage
	}
	text := strings.TrimPrefix(err.Error(), errUsage.Error()+": ")
	text = strings.TrimSuffix(strings.TrimPrefix(text, errInput.Error()+": "), ": "+bot.ErrInvalid.Error())
	for line := range strings.Lines(text) {
		fmt.Fprintln(w, "plumbline:", strings.TrimRight(line, "\n"))
	}
	return code
}
