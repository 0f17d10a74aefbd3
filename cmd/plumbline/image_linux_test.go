package main

import (
	"net/http"
	"net/http/cookiejar"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"plumbline/internal/need"
)

// The program needs nothing but itself: as nobody in particular, in a folder
// that holds only it and a place for state, as in its container image, it
// serves, checks its own health and stops.
func TestEmptyRoot(t *testing.T) {
	need.Root(t)
	t.Parallel() // it waits for processes most of the time
	// The folder and those above must be open to nobody in particular.
	root, err := os.MkdirTemp("", "plumbline-root-")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.RemoveAll(root) })
	build := exec.CommandContext(t.Context(), "go", "build", "-o", filepath.Join(root, "plumbline"), ".")
	build.Env = append(os.Environ(), "CGO_ENABLED=0")
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("go build: %v\n%s", err, out)
	}
	const nobody = 65532 // as in the Dockerfile
	data := filepath.Join(root, "data")
	for _, err := range []error{os.Mkdir(data, 0o700), os.Chown(data, nobody, nobody), os.Chmod(root, 0o555)} {
		if err != nil {
			t.Fatal(err)
		}
	}
	in := func(args ...string) *exec.Cmd {
		cmd := &exec.Cmd{
			Path: "/plumbline", Args: append([]string{"plumbline"}, args...), Dir: "/", Env: []string{"PLUMBLINE_DATA=/data"},
			SysProcAttr: &syscall.SysProcAttr{Chroot: root, Credential: &syscall.Credential{Uid: nobody, Gid: nobody}},
		}
		cmd.Stderr = t.Output()
		return cmd
	}
	p := newProcess(t, "", "")
	serve := in("serve", "--addr", p.addr, "--as-of", "2026-11-30")
	if err := serve.Start(); err != nil {
		t.Fatal(err)
	}
	stopped := make(chan error, 1)
	go func() { stopped <- serve.Wait() }()
	healthy := func() error { return in("health", "--addr", p.addr).Run() }
	for deadline := time.Now().Add(time.Minute); ; time.Sleep(100 * time.Millisecond) {
		err := healthy()
		if err == nil {
			break
		}
		if time.Now().After(deadline) {
			t.Fatalf("health: %v", err)
		}
	}
	jar, err := cookiejar.New(nil)
	if err != nil {
		t.Fatal(err)
	}
	c := &http.Client{Jar: jar, Timeout: 10 * time.Second, CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
	page(t.Context(), t, c, p.addr)
	post(t.Context(), t, c, p.addr, "my dad is not breathing")
	for deadline := time.Now().Add(time.Minute); !strings.Contains(page(t.Context(), t, c, p.addr), "Call 911 now."); time.Sleep(50 * time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatal("no answer came")
		}
	}
	if err := serve.Process.Signal(syscall.SIGTERM); err != nil {
		t.Fatal(err)
	}
	if err := <-stopped; err != nil {
		t.Errorf("told to stop, the service ends with %v, want 0", err)
	}
	if err := healthy(); err == nil {
		t.Error("a service that has stopped is healthy")
	}
	if left, err := os.ReadDir(data); err != nil || len(left) == 0 {
		t.Errorf("state is %v, %v; want a database and keys", left, err)
	}
}
