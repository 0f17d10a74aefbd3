package lockfile_test

import (
	"bufio"
	"errors"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"testing"

	"plumbline/internal/lockfile"
)

// With PLUMBLINE_LOCK set this program takes that lock and holds it until it is
// killed.
func TestMain(m *testing.M) {
	name := os.Getenv("PLUMBLINE_LOCK")
	if name == "" {
		os.Exit(m.Run())
	}
	l, err := lockfile.Exclusive(name)
	if err != nil {
		os.Exit(1)
	}
	_, _ = os.Stdout.WriteString("held\n")
	_, _ = io.Copy(io.Discard, os.Stdin)
	runtime.KeepAlive(l)
}

func TestLocks(t *testing.T) {
	name := filepath.Join(t.TempDir(), "lock")
	take := func(what string, how func(string) (*lockfile.Lock, error), want error) *lockfile.Lock {
		t.Helper()
		l, err := how(name)
		if !errors.Is(err, want) {
			t.Fatalf("%s = %v, want %v", what, err, want)
		}
		return l
	}
	give := func(l *lockfile.Lock) {
		t.Helper()
		if err := l.Close(); err != nil {
			t.Fatal(err)
		}
	}
	a := take("Shared", lockfile.Shared, nil)
	b := take("Shared beside another", lockfile.Shared, nil)
	take("Exclusive beside shared", lockfile.Exclusive, lockfile.ErrHeld)
	give(a)
	take("Exclusive beside one shared", lockfile.Exclusive, lockfile.ErrHeld)
	give(b)
	c := take("Exclusive", lockfile.Exclusive, nil)
	take("Shared beside exclusive", lockfile.Shared, lockfile.ErrHeld)
	take("Exclusive beside exclusive", lockfile.Exclusive, lockfile.ErrHeld)
	give(c)
	give(take("Exclusive after all", lockfile.Exclusive, nil))
	if _, err := lockfile.Shared(filepath.Join(name, "x")); err == nil || errors.Is(err, lockfile.ErrHeld) {
		t.Errorf("Shared where no file can be = %v, want another error", err)
	}
}

// A program that is killed holds nothing.
func TestKilled(t *testing.T) {
	name := filepath.Join(t.TempDir(), "lock")
	cmd := exec.CommandContext(t.Context(), os.Args[0])
	cmd.Env = append(os.Environ(), "PLUMBLINE_LOCK="+name)
	if _, err := cmd.StdinPipe(); err != nil {
		t.Fatal(err)
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	if line, err := bufio.NewReader(out).ReadString('\n'); line != "held\n" {
		t.Fatalf("the other says %q, %v", line, err)
	}
	if _, err := lockfile.Shared(name); !errors.Is(err, lockfile.ErrHeld) {
		t.Errorf("Shared while another has it = %v, want ErrHeld", err)
	}
	if err := cmd.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	_ = cmd.Wait()
	l, err := lockfile.Exclusive(name)
	if err != nil {
		t.Fatalf("Exclusive after the other was killed = %v", err)
	}
	if err := l.Close(); err != nil {
		t.Error(err)
	}
}
