package main

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"time"

	"plumbline/bot"
	"plumbline/internal/lockfile"
	"plumbline/internal/redact"
	"plumbline/sessions/keyring"
	"plumbline/sessions/sqlstore"
)

// The files of a state folder.
const (
	databaseFile  = "plumbline.db"
	keysFile      = "keys.json"
	lockFile      = "lock"      // held shared by whoever has the database open, alone by whoever replaces it
	restoringFile = "restoring" // is there while the others are being replaced
)

// A state is what this machine remembers: a folder with the database and the
// keys that belong to it. Close it.
type state struct {
	Dir   string
	Keys  *keyring.Ring // Store.Keys(): the key in use is the one that the database names
	Store *sqlstore.Store
	lock  *lockfile.Lock
}

// Close closes the database and gives the folder back.
func (s *state) Close() error { return errors.Join(s.Store.Close(), s.lock.Close()) }

// State returns the state folder's database and keys, open until the command
// ends. Other commands and services may have them open at the same time, but
// none that replaces them.
func (a *app) State() (*state, error) {
	return a.state.get(func() (*state, error) {
		dir, err := stateDir(a.getenv, runtime.GOOS)
		if err != nil {
			return nil, err
		}
		return a.openState(dir, lockfile.Shared)
	})
}

// OnlyState is State for a command that no other may run beside.
func (a *app) OnlyState() (*state, error) {
	return a.state.get(func() (*state, error) {
		dir, err := stateDir(a.getenv, runtime.GOOS)
		if err != nil {
			return nil, err
		}
		return a.openState(dir, lockfile.Exclusive)
	})
}

func (a *app) openState(dir string, how func(string) (*lockfile.Lock, error)) (_ *state, err error) {
	lock, err := lockState(dir, how)
	if err != nil {
		return nil, err
	}
	defer func() {
		if err != nil {
			err = errors.Join(err, lock.Close())
		}
	}()
	if _, err := os.Stat(filepath.Join(dir, restoringFile)); err == nil {
		return nil, fmt.Errorf("%w: a restore into %s did not finish: run plumbline restore --force again", errRefused, dir)
	}
	keys := filepath.Join(dir, keysFile)
	database := filepath.Join(dir, databaseFile)
	ring, err := keyring.Read(keys)
	if errors.Is(err, fs.ErrNotExist) {
		if _, err := os.Stat(database); err == nil {
			return nil, fmt.Errorf("%s is missing beside %s: put it back, or restore both from a backup", keysFile, database)
		}
		ring, err = keyring.Ensure(keys, time.Now())
	}
	if err != nil {
		return nil, err
	}
	opts, err := a.storeOptions(ring)
	if err != nil {
		return nil, err
	}
	store, err := sqlstore.Open(a.ctx, database, opts)
	if err != nil {
		return nil, fmt.Errorf("%w (%s)", err, database)
	}
	return &state{Dir: dir, Keys: store.Keys(), Store: store, lock: lock}, nil
}

// storeOptions are those of every store that is opened.
func (a *app) storeOptions(ring *keyring.Ring) (sqlstore.Options, error) {
	s, err := a.Settings()
	if err != nil {
		return sqlstore.Options{}, err
	}
	return sqlstore.Options{
		Keys: ring, Now: time.Now, TTL: time.Duration(s.Record.Hours) * time.Hour,
		Redact: func(text string) string {
			public, _ := a.publicDetails() // none if there are no packs: then they are taken out, too
			clean, _ := redact.Redact(text, public...)
			return clean
		},
		Lost: func(err error) { fmt.Fprintln(a.std.Err, "plumbline: warning:", err) },
	}, nil
}

// lockState makes the folder if it is not there and locks it.
func lockState(dir string, how func(string) (*lockfile.Lock, error)) (*lockfile.Lock, error) {
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return nil, fmt.Errorf("make the state folder: %w", err)
	}
	l, err := how(filepath.Join(dir, lockFile))
	if errors.Is(err, lockfile.ErrHeld) {
		return nil, fmt.Errorf("%w: another plumbline uses %s: stop it first", errRefused, dir)
	}
	return l, err
}

// stateDir is where state is kept: PLUMBLINE_DATA, else the folder that the
// system has for it. It never depends on the working directory.
func stateDir(getenv func(string) string, goos string) (string, error) {
	if dir := getenv("PLUMBLINE_DATA"); dir != "" {
		return filepath.Abs(dir)
	}
	base, home := "", getenv("HOME")
	switch {
	case goos == "windows":
		base = getenv("LocalAppData")
	case goos == "darwin" && home != "":
		base = filepath.Join(home, "Library", "Application Support")
	case goos == "darwin":
	case filepath.IsAbs(getenv("XDG_STATE_HOME")):
		base = getenv("XDG_STATE_HOME")
	case home != "":
		base = filepath.Join(home, ".local", "state")
	}
	if base == "" {
		return "", fmt.Errorf("there is no folder to keep state in: set PLUMBLINE_DATA: %w", bot.ErrInvalid)
	}
	return filepath.Join(base, "plumbline"), nil
}
