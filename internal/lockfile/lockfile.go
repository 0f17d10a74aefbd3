// Package lockfile keeps programs of one machine from using a folder at one
// time in ways that do not go together. The lock is the kernel's: it ends with
// the program, however that ends. The file stays.
package lockfile

import (
	"errors"
	"fmt"
	"os"
)

// ErrHeld is the error of a lock that another holds in a way that excludes it.
var ErrHeld = errors.New("locked by another")

// A Lock is held until it is closed.
type Lock struct{ f *os.File }

// Shared locks the file name, made with mode 0600 if it is not there, together
// with others who do so. It does not wait: its error wraps [ErrHeld] if someone
// has it exclusively.
func Shared(name string) (*Lock, error) { return open(name, false) }

// Exclusive locks the file name for the caller alone. It does not wait: its
// error wraps [ErrHeld] if anyone has it.
func Exclusive(name string) (*Lock, error) { return open(name, true) }

func open(name string, exclusive bool) (*Lock, error) {
	f, err := os.OpenFile(name, os.O_CREATE|os.O_RDWR, 0o600)
	if err != nil {
		return nil, fmt.Errorf("lock: %w", err)
	}
	if err := lock(f, exclusive); err != nil {
		return nil, errors.Join(fmt.Errorf("lock %s: %w", name, err), f.Close())
	}
	return &Lock{f}, nil
}

// Close gives the lock back.
func (l *Lock) Close() error { return l.f.Close() }
