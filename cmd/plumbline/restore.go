package main

import (
	"archive/tar"
	"bufio"
	"bytes"
	"compress/gzip"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path"
	"path/filepath"
	"runtime"
	"strings"
	"time"

	"plumbline/internal/lockfile"
	"plumbline/sessions/keyring"
	"plumbline/sessions/sqlstore"
)

type restoreCmd struct {
	File  string `arg:"" help:"A file that backup wrote"`
	Force bool   `help:"Replace what the state folder holds"`
}

// Help shows examples.
func (restoreCmd) Help() string {
	return `Examples:
  plumbline restore /var/backups/plumbline-2026-11-30.tar.gz
  PLUMBLINE_DATA=/srv/plumbline plumbline restore today.tar.gz --force

Stop the service first. Everything in the file is checked before anything is
replaced. Packs and settings are put into the state folder: the command says how
to use them.`
}

// restored are the names that a restore puts into the state folder.
var restored = []string{databaseFile, keysFile, settingsFile, packsDir}

func (c *restoreCmd) Run(a *app) error {
	dir, err := stateDir(a.getenv, runtime.GOOS)
	if err != nil {
		return err
	}
	f, err := os.Open(c.File)
	if err != nil {
		return fmt.Errorf("restore: %w", err)
	}
	defer func() { _ = f.Close() }()
	lock, err := lockState(dir, lockfile.Exclusive)
	if err != nil {
		return err
	}
	defer func() { _ = lock.Close() }()
	for _, name := range append([]string{restoringFile}, restored...) {
		if _, err := os.Lstat(filepath.Join(dir, name)); err == nil && !c.Force {
			return fmt.Errorf("%w: %s holds %s; --force replaces what is there", errRefused, dir, name)
		}
	}
	staged, err := os.MkdirTemp(dir, ".restore-*") // 0700
	if err != nil {
		return fmt.Errorf("restore: %w", err)
	}
	defer func() { _ = os.RemoveAll(staged) }()
	m, err := unpackBackup(a.ctx, f, staged)
	if err != nil {
		return fmt.Errorf("%w: %s: %w", errRefused, c.File, err)
	}
	if err := a.tryState(staged); err != nil {
		return fmt.Errorf("%w: %s: %w", errRefused, c.File, err)
	}
	if err := swapState(dir, staged); err != nil {
		return fmt.Errorf("restore: %w; run it again with --force", err)
	}
	out := struct {
		State    string `json:"state"`
		Made     string `json:"made"`
		Files    int    `json:"files"`
		Packs    string `json:"packs"`    // the folder to give to --packs; empty if none was backed up
		Settings string `json:"settings"` // the file to give to --settings
	}{State: dir, Made: m.Made.UTC().Format("2006-01-02T15:04:05Z"), Files: len(m.Files)}
	for _, item := range m.Files {
		switch {
		case item.Name == settingsFile:
			out.Settings = filepath.Join(dir, settingsFile)
		case strings.HasPrefix(item.Name, packsDir+"/"):
			out.Packs = filepath.Join(dir, packsDir)
		}
	}
	if a.globals.JSON {
		return writeJSON(a.std.Out, out)
	}
	fmt.Fprintf(a.std.Out, "%s is as it was at %s: %d files.\n", dir, out.Made, out.Files)
	if out.Packs != "" {
		fmt.Fprintf(a.std.Out, "The packs: --packs %s, or PLUMBLINE_PACKS.\n", out.Packs)
	}
	if out.Settings != "" {
		fmt.Fprintf(a.std.Out, "The settings: --settings %s, or PLUMBLINE_SETTINGS.\n", out.Settings)
	}
	return nil
}

// maxManifest is the most bytes of a manifest.
const maxManifest = 16 << 20

// unpackBackup writes what the archive holds into dir, which is empty, and
// checks all of it: that nothing is missing, more, changed, or would be
// elsewhere.
func unpackBackup(ctx context.Context, r io.Reader, dir string) (m manifest, err error) {
	buffered := bufio.NewReader(r)
	z, err := gzip.NewReader(buffered)
	if err != nil {
		return m, fmt.Errorf("this is no backup: %w", err)
	}
	z.Multistream(false)
	t := tar.NewReader(z)
	head, err := t.Next()
	if err != nil || head.Name != manifestFile || head.Typeflag != tar.TypeReg || head.Size > maxManifest {
		return m, fmt.Errorf("this is no backup: it does not begin with %s", manifestFile)
	}
	b, err := io.ReadAll(io.LimitReader(t, maxManifest))
	if err != nil {
		return m, fmt.Errorf("it is damaged: %w", err)
	}
	dec := json.NewDecoder(bytes.NewReader(b))
	if err := dec.Decode(&m); err != nil {
		return m, fmt.Errorf("its %s cannot be read: %w", manifestFile, err)
	}
	if m.Format != backupFormat {
		return m, fmt.Errorf("it has format %d, and this release reads %d", m.Format, backupFormat)
	}
	want := map[string]backupItem{}
	for _, item := range m.Files {
		if err := item.allowed(); err != nil {
			return m, err
		}
		if _, twice := want[item.Name]; twice {
			return m, fmt.Errorf("it lists %q twice", item.Name)
		}
		want[item.Name] = item
	}
	for _, name := range []string{databaseFile, keysFile} {
		if _, ok := want[name]; !ok {
			return m, fmt.Errorf("it has no %s", name)
		}
	}
	for {
		if err := ctx.Err(); err != nil {
			return m, err
		}
		head, err := t.Next()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return m, fmt.Errorf("it is cut short or damaged: %w", err)
		}
		item, ok := want[head.Name]
		if !ok || head.Typeflag != tar.TypeReg {
			return m, fmt.Errorf("it holds %q, which its %s does not list as a file", head.Name, manifestFile)
		}
		delete(want, head.Name)
		if err := item.restore(t, dir); err != nil {
			return m, err
		}
	}
	for name := range want {
		return m, fmt.Errorf("it lacks %q", name)
	}
	if _, err := io.Copy(io.Discard, z); err != nil { // the sum at its end
		return m, fmt.Errorf("it is cut short or damaged: %w", err)
	}
	if _, err := buffered.Peek(1); !errors.Is(err, io.EOF) {
		return m, errors.New("something follows its end")
	}
	return m, nil
}

// allowed refuses names that are not those of a backup.
func (b backupItem) allowed() error {
	switch b.Name {
	case databaseFile, keysFile, settingsFile:
		return nil
	}
	if strings.HasPrefix(b.Name, packsDir+"/") && path.Clean(b.Name) == b.Name && filepath.IsLocal(filepath.FromSlash(b.Name)) && !strings.ContainsAny(b.Name, "\\:\x00") {
		return nil
	}
	return fmt.Errorf("it lists %q, which is no name in a backup", b.Name)
}

// restore writes the file from r, which must be what the manifest says.
func (b backupItem) restore(r io.Reader, dir string) error {
	file := filepath.Join(dir, filepath.FromSlash(b.Name))
	if err := os.MkdirAll(filepath.Dir(file), 0o700); err != nil {
		return err
	}
	f, err := os.OpenFile(file, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o600)
	if err != nil {
		return err
	}
	sum := sha256.New()
	n, err := io.Copy(io.MultiWriter(f, sum), io.LimitReader(r, b.Size+1))
	if err == nil {
		err = f.Sync()
	}
	if err := errors.Join(err, f.Close()); err != nil {
		return fmt.Errorf("%s: it is cut short or damaged: %w", b.Name, err)
	}
	if n != b.Size || hex.EncodeToString(sum.Sum(nil)) != b.SHA256 {
		return fmt.Errorf("%s is not what %s says: the backup was changed or damaged", b.Name, manifestFile)
	}
	return nil
}

// tryState opens the state in dir and reads all of its database.
func (a *app) tryState(dir string) (err error) {
	ring, err := keyring.Read(filepath.Join(dir, keysFile))
	if err != nil {
		return err
	}
	store, err := sqlstore.Open(a.ctx, filepath.Join(dir, databaseFile), sqlstore.Options{Keys: ring, Now: time.Now, Redact: func(string) string { return "" }})
	if err != nil {
		return err
	}
	return errors.Join(store.Check(a.ctx), store.Close())
}

// swapState puts what is in staged into dir. A file in dir says so while it
// goes on: if it is interrupted, nothing uses the folder until it is done again.
func swapState(dir, staged string) error {
	mark := filepath.Join(dir, restoringFile)
	f, err := os.OpenFile(mark, os.O_CREATE|os.O_WRONLY, 0o600)
	if err != nil {
		return err
	}
	if err := errors.Join(f.Sync(), f.Close(), syncFolder(dir)); err != nil {
		return err
	}
	old, err := os.MkdirTemp(dir, ".replaced-*")
	if err != nil {
		return err
	}
	for _, name := range append([]string{databaseFile + "-wal", databaseFile + "-shm"}, restored...) {
		if err := os.Rename(filepath.Join(dir, name), filepath.Join(old, name)); err != nil && !errors.Is(err, os.ErrNotExist) {
			return err
		}
	}
	for _, name := range restored {
		if err := os.Rename(filepath.Join(staged, name), filepath.Join(dir, name)); err != nil && !errors.Is(err, os.ErrNotExist) {
			return err
		}
	}
	if err := syncFolder(dir); err != nil {
		return err
	}
	entries, err := os.ReadDir(dir)
	if err != nil {
		return err
	}
	for _, e := range entries { // what was there, and what restores left that did not finish
		if n := e.Name(); strings.HasPrefix(n, ".replaced-") || strings.HasPrefix(n, ".restore-") {
			if err := os.RemoveAll(filepath.Join(dir, n)); err != nil {
				return err
			}
		}
	}
	return errors.Join(os.Remove(mark), syncFolder(dir))
}

// syncFolder makes the names in dir last, where that can be done.
func syncFolder(dir string) error {
	d, err := os.Open(dir)
	if err != nil {
		return err
	}
	_ = d.Sync()
	return d.Close()
}
