package main

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"time"
)

type healthCmd struct {
	Addr string `help:"Address that the service listens on (that of the settings if left out)" placeholder:"HOST:PORT"`
}

// Help shows examples.
func (healthCmd) Help() string {
	return `Examples:
  plumbline health
  plumbline health --addr 127.0.0.1:8080

Exits with 0 if the service answers and is ready, with 1 if not: the health
check of a container that holds nothing but this program.`
}

// healthWait is how long the service may take to say that it is ready.
const healthWait = 5 * time.Second

func (c *healthCmd) Run(a *app) error {
	s, err := a.Settings()
	if err != nil {
		return err
	}
	addr, host, port, err := serviceAddr(c.Addr, s)
	if err != nil {
		return err
	}
	if ip := net.ParseIP(host); host == "" || ip != nil && ip.IsUnspecified() {
		host = "127.0.0.1"
	}
	ready, said, err := askReady(a.ctx, net.JoinHostPort(host, port))
	if err != nil {
		return fmt.Errorf("no service answers on %s; start it with plumbline serve, or name its address with --addr", addr)
	}
	if !ready {
		return fmt.Errorf("the service on %s is not ready: %s", addr, said)
	}
	if a.globals.JSON {
		return writeJSON(a.std.Out, map[string]any{"ready": true})
	}
	fmt.Fprintln(a.std.Out, "ready")
	return nil
}

// serviceAddr is the address that the service listens on: the flag's, or that of
// the settings.
func serviceAddr(flag string, s settings) (addr, host, port string, err error) {
	addr = cmp.Or(flag, s.Serve.Addr)
	host, port, err = net.SplitHostPort(addr)
	if err != nil {
		err = usage("--addr %q is not HOST:PORT, such as 127.0.0.1:8080", addr)
	}
	return addr, host, port, err
}

// askReady asks the service on addr whether it is ready, and returns what it
// said. An error means that none answers.
func askReady(ctx context.Context, addr string) (ready bool, said string, err error) {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, "http://"+addr+"/readyz", nil)
	if err != nil {
		return false, "", fmt.Errorf("ask the service: %w", err)
	}
	res, err := (&http.Client{Timeout: healthWait}).Do(req)
	if err != nil {
		return false, "", fmt.Errorf("ask the service: %w", err)
	}
	defer func() { _ = res.Body.Close() }()
	b, _ := io.ReadAll(io.LimitReader(res.Body, 4096))
	return res.StatusCode == http.StatusOK, strings.TrimSpace(string(b)), nil
}
