package main

import (
	"bytes"
	"errors"
	"maps"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"
)

func TestMain(m *testing.M) {
	testscript.Main(m, map[string]func(){"plumbline": main})
}

func TestScripts(t *testing.T) {
	cmds := map[string]func(*testscript.TestScript, bool, []string){
		"exits":    exits,
		"oneline":  oneline,
		"cut":      cut,
		"longarg":  longarg,
		"latin1":   latin1,
		"longline": longline,
	}
	maps.Copy(cmds, stateCmds)
	testscript.Run(t, testscript.Params{
		Dir:                 "testdata/script",
		RequireExplicitExec: true,
		Cmds:                cmds,
		Setup: func(e *testscript.Env) error {
			wd, err := os.Getwd()
			if err != nil {
				return err
			}
			e.Setenv("CMD", wd)
			e.Setenv("REPO", wd+"/../..")
			return nil
		},
	})
}

// exits CODE COMMAND ARGS... runs a command and wants that exit code.
func exits(ts *testscript.TestScript, neg bool, args []string) {
	want, err := strconv.Atoi(args[0])
	ts.Check(err)
	err = ts.Exec(args[1], args[2:]...)
	got := 0
	var exit *exec.ExitError
	if errors.As(err, &exit) {
		got = exit.ExitCode()
	} else if err != nil {
		ts.Fatalf("run %q: %v", args[1:], err)
	}
	if (got == want) == neg {
		ts.Fatalf("%q exits with %d, want %d", args[1:], got, want)
	}
}

// oneline FILE wants one line in FILE, beginning with the program's name.
func oneline(ts *testscript.TestScript, neg bool, args []string) {
	s := ts.ReadFile(args[0])
	if strings.Count(s, "\n") != 1 || !strings.HasPrefix(s, "plumbline: ") {
		ts.Fatalf("%s is not one line of plumbline's: %q", args[0], s)
	}
}

// cut FROM TO N writes the first N bytes of FROM to TO.
func cut(ts *testscript.TestScript, neg bool, args []string) {
	b, err := os.ReadFile(ts.MkAbs(args[0]))
	ts.Check(err)
	n, err := strconv.Atoi(args[2])
	ts.Check(err)
	ts.Check(os.WriteFile(ts.MkAbs(args[1]), b[:n], 0o600))
}

// longarg N COMMAND... runs a command whose last argument is N bytes long.
func longarg(ts *testscript.TestScript, neg bool, args []string) {
	n, err := strconv.Atoi(args[0])
	ts.Check(err)
	exits(ts, neg, append(args[1:], strings.Repeat("a ", n/2)))
}

// latin1 FILE writes a JSON line that is not UTF-8.
func latin1(ts *testscript.TestScript, neg bool, args []string) {
	ts.Check(os.WriteFile(ts.MkAbs(args[0]), []byte("{\"id\":\"a\",\"text\":\"ni\xf1o\"}\n"), 0o600))
}

// longline FILE writes a line of 1 MB, then STOP.
func longline(ts *testscript.TestScript, neg bool, args []string) {
	ts.Check(os.WriteFile(ts.MkAbs(args[0]), []byte(strings.Repeat("x", 1<<20-1)+"\nSTOP\n"), 0o600))
}

func TestReportGivesEachKindItsCode(t *testing.T) {
	for _, tt := range []struct {
		err  error
		code int
		text string
	}{
		{usage("no %s", "query"), exitUsage, "plumbline: no query\n"},
		{errRefused, exitRefused, "plumbline: refused\n"},
		{errors.Join(errors.New("a"), errors.New("b")), exitFailed, "plumbline: a\nplumbline: b\n"},
	} {
		var b bytes.Buffer
		if code := report(&b, tt.err); code != tt.code || b.String() != tt.text {
			t.Errorf("report(%v) = %d, %q; want %d, %q", tt.err, code, b.String(), tt.code, tt.text)
		}
	}
}
