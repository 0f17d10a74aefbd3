package main

import (
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
	addr := c.Addr
	if addr == "" {
		addr = s.Serve.Addr
	}
	host, port, err := net.SplitHostPort(addr)
	if err != nil {
		return usage("--addr %q is not HOST:PORT, such as 127.0.0.1:8080", addr)
	}
	if ip := net.ParseIP(host); host == "" || ip != nil && ip.IsUnspecified() {
		host = "127.0.0.1"
	}
	req, err := http.NewRequestWithContext(a.ctx, http.MethodGet, "http://"+net.JoinHostPort(host, port)+"/readyz", nil)
	if err != nil {
		return fmt.Errorf("ask the service: %w", err)
	}
	res, err := (&http.Client{Timeout: healthWait}).Do(req)
	if err != nil {
		return fmt.Errorf("no service answers on %s; start it with plumbline serve, or name its address with --addr", addr)
	}
	defer func() { _ = res.Body.Close() }()
	b, _ := io.ReadAll(io.LimitReader(res.Body, 4096))
	if res.StatusCode != http.StatusOK {
		return fmt.Errorf("the service on %s is not ready: %s", addr, strings.TrimSpace(string(b)))
	}
	if a.globals.JSON {
		return writeJSON(a.std.Out, map[string]any{"ready": true})
	}
	fmt.Fprintln(a.std.Out, "ready")
	return nil
}
