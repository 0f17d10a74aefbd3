package main

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"net"
	"strconv"
	"strings"
	"time"
)

// A conn speaks RESP2 to one server.
type conn struct {
	net.Conn
	r *bufio.Reader
	w *bufio.Writer
}

// dial waits up to 10 s for a server that is just starting.
func dial(ctx context.Context, addr string) (*conn, error) {
	ctx, cancel := context.WithTimeout(ctx, 10*time.Second)
	defer cancel()
	for {
		c, err := new(net.Dialer).DialContext(ctx, "tcp", addr)
		if err == nil {
			return &conn{c, bufio.NewReaderSize(c, 1<<16), bufio.NewWriterSize(c, 1<<20)}, nil
		}
		select {
		case <-ctx.Done():
			return nil, err
		case <-time.After(100 * time.Millisecond):
		}
	}
}

func (c *conn) do(args ...string) (any, error) {
	c.send(args...)
	return c.receive()
}

// send buffers a command; receive sends what is buffered.
func (c *conn) send(args ...string) {
	fmt.Fprintf(c.w, "*%d\r\n", len(args))
	for _, a := range args {
		fmt.Fprintf(c.w, "$%d\r\n", len(a))
		c.w.WriteString(a)
		c.w.WriteString("\r\n")
	}
}

func (c *conn) receive() (any, error) {
	if err := c.w.Flush(); err != nil {
		return nil, err
	}
	line, err := c.r.ReadString('\n')
	if err != nil {
		return nil, err
	}
	line = strings.TrimSuffix(line, "\r\n")
	if line == "" {
		return nil, fmt.Errorf("empty reply")
	}
	kind, rest := line[0], line[1:]
	switch kind {
	case '+':
		return rest, nil
	case '-':
		return nil, fmt.Errorf("server says %s", rest)
	}
	n, err := strconv.Atoi(rest)
	if err != nil {
		return nil, fmt.Errorf("reply %q: %w", line, err)
	}
	switch {
	case kind == ':':
		return n, nil
	case kind == '$' && n >= 0:
		b := make([]byte, n+2)
		_, err := io.ReadFull(c.r, b)
		return string(b[:n]), err
	case kind == '*' && n >= 0:
		items := make([]any, n)
		for i := range items {
			if items[i], err = c.receive(); err != nil {
				return nil, err
			}
		}
		return items, nil
	}
	return nil, nil
}
