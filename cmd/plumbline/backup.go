package main

import (
	"archive/tar"
	"compress/gzip"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"time"

	"plumbline/internal/lockfile"
)

// The names within a backup, beside databaseFile and keysFile.
const (
	manifestFile = "manifest.json" // the first
	settingsFile = "settings.yaml"
	packsDir     = "packs"
)

// backupFormat is the version of the archive's layout.
const backupFormat = 1

// A manifest says what a backup holds.
type manifest struct {
	Format    int          `json:"format"`
	Plumbline string       `json:"plumbline"` // the release that wrote it
	Made      time.Time    `json:"made"`
	Files     []backupItem `json:"files"`
}

// A backupItem is a file of a backup.
type backupItem struct {
	Name   string `json:"name"`
	Size   int64  `json:"size"`
	SHA256 string `json:"sha256"`

	from string // where it is now
}

type backupCmd struct {
	File string `arg:"" help:"The file to write; it must not be there yet"`
}

// Help shows examples.
func (backupCmd) Help() string {
	return `Examples:
  plumbline backup /var/backups/plumbline-2026-11-30.tar.gz
  plumbline --packs packs --settings settings.yaml backup today.tar.gz

The service may run meanwhile: the database is copied as it is at one moment.
The file holds the keys and the packs and settings that are named: with it, all
that is sealed can be read. Only you may read it; keep it so.`
}

func (c *backupCmd) Run(a *app) error {
	st, err := a.State()
	if err != nil {
		return err
	}
	if _, err := os.Lstat(c.File); err == nil {
		return fmt.Errorf("%s is there already; name another file", c.File)
	}
	// One at a time, so that a copy which an interrupted one left can be removed.
	lock, err := lockfile.Exclusive(filepath.Join(st.Dir, "backup.lock"))
	if errors.Is(err, lockfile.ErrHeld) {
		return fmt.Errorf("%w: another backup is being made", errRefused)
	}
	if err != nil {
		return err
	}
	defer func() { _ = lock.Close() }()
	work := filepath.Join(st.Dir, ".backup")
	if err := errors.Join(os.RemoveAll(work), os.Mkdir(work, 0o700)); err != nil {
		return fmt.Errorf("back up: %w", err)
	}
	defer func() { _ = os.RemoveAll(work) }()
	snapshot := filepath.Join(work, databaseFile)
	if err := st.Store.Snapshot(a.ctx, snapshot); err != nil {
		return err
	}
	items := []backupItem{{Name: databaseFile, from: snapshot}, {Name: keysFile, from: filepath.Join(st.Dir, keysFile)}}
	if f := a.globals.Settings; f != "" {
		items = append(items, backupItem{Name: settingsFile, from: f})
	}
	if dir := a.globals.Packs; dir != "" {
		found, err := packFiles(dir)
		if err != nil {
			return fmt.Errorf("back up packs: %w", err)
		}
		items = append(items, found...)
	}
	m := manifest{Format: backupFormat, Plumbline: version, Made: time.Now().UTC().Truncate(time.Second), Files: items}
	for i := range m.Files {
		if err := m.Files[i].measure(); err != nil {
			return fmt.Errorf("back up: %w", err)
		}
	}
	size, err := writeBackup(a.ctx, c.File, m)
	if err != nil {
		return fmt.Errorf("back up: %w", err)
	}
	if a.globals.JSON {
		return writeJSON(a.std.Out, struct {
			File  string       `json:"file"`
			Size  int64        `json:"size"`
			Files []backupItem `json:"files"`
		}{c.File, size, m.Files})
	}
	_, err = fmt.Fprintf(a.std.Out, "%s: %d files, %d bytes. It holds the keys: keep it where only you can read it.\n", c.File, len(m.Files), size)
	return err
}

// packFiles lists the files of a folder of packs, or of one pack, as a backup
// names them: restored, the folder packs can be given to --packs either way.
func packFiles(dir string) (items []backupItem, err error) {
	prefix := packsDir
	if _, err := os.Stat(filepath.Join(dir, "pack.json")); err == nil {
		abs, err := filepath.Abs(dir)
		if err != nil {
			return nil, err
		}
		prefix = path.Join(packsDir, filepath.Base(abs))
	}
	err = fs.WalkDir(os.DirFS(dir), ".", func(name string, e fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case e.IsDir():
		case !e.Type().IsRegular():
			return fmt.Errorf("%s is no plain file", filepath.Join(dir, name))
		default:
			items = append(items, backupItem{Name: path.Join(prefix, name), from: filepath.Join(dir, filepath.FromSlash(name))})
		}
		return nil
	})
	return items, err
}

// measure notes the size and the sum of the file.
func (b *backupItem) measure() error {
	f, err := os.Open(b.from)
	if err != nil {
		return err
	}
	defer func() { _ = f.Close() }()
	sum := sha256.New()
	b.Size, err = io.Copy(sum, f)
	b.SHA256 = hex.EncodeToString(sum.Sum(nil))
	return err
}

// writeBackup writes the archive. The file is there whole, with mode 0600, or
// not at all. It returns its size.
func writeBackup(ctx context.Context, file string, m manifest) (size int64, err error) {
	tmp, err := os.CreateTemp(filepath.Dir(file), ".backup-*") // 0600
	if err != nil {
		return 0, err
	}
	defer func() {
		err = errors.Join(err, tmp.Close())
		_ = os.Remove(tmp.Name())
	}()
	z := gzip.NewWriter(tmp)
	w := tar.NewWriter(z)
	head, err := json.MarshalIndent(m, "", "  ")
	if err != nil {
		return 0, err
	}
	if err := w.WriteHeader(header(manifestFile, int64(len(head)), m.Made)); err != nil {
		return 0, err
	}
	if _, err := w.Write(head); err != nil {
		return 0, err
	}
	for _, item := range m.Files {
		if err := ctx.Err(); err != nil {
			return 0, err
		}
		if err := item.write(w, m.Made); err != nil {
			return 0, err
		}
	}
	if err := errors.Join(w.Close(), z.Close()); err != nil {
		return 0, err
	}
	if err := tmp.Sync(); err != nil {
		return 0, err
	}
	info, err := tmp.Stat()
	if err != nil {
		return 0, err
	}
	return info.Size(), os.Link(tmp.Name(), file) // unlike a rename, it replaces nothing
}

func (b backupItem) write(w *tar.Writer, at time.Time) error {
	f, err := os.Open(b.from)
	if err != nil {
		return err
	}
	defer func() { _ = f.Close() }()
	if err := w.WriteHeader(header(b.Name, b.Size, at)); err != nil {
		return err
	}
	_, err = io.Copy(w, f) // fails if the file is longer than it was
	return err
}

func header(name string, size int64, at time.Time) *tar.Header {
	return &tar.Header{Typeflag: tar.TypeReg, Name: name, Size: size, Mode: 0o600, ModTime: at, Format: tar.FormatPAX}
}
