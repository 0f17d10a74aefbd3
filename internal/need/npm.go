package need

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"context"
	"crypto/sha512"
	"encoding/base64"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// An NPM is a version of a package of the npm registry.
type NPM struct {
	Name, Version string
	Integrity     string // of its archive: sha512- and the hash in base 64, as the registry states it
}

// File returns a file of the package, such as "package/axe.min.js". npm fetches
// the archive once; it is kept in the user's cache folder, and read only if it
// has the Integrity.
func (p NPM) File(t testing.TB, name string) []byte {
	t.Helper()
	dir, err := os.UserCacheDir()
	if err != nil {
		dir = t.TempDir()
	}
	archive, err := p.archive(t.Context(), filepath.Join(dir, "plumbline", "npm"), npmPack)
	if err != nil {
		missing(t, "SKIPPED: %v", err)
	}
	b, err := fileOf(archive, name)
	if err != nil {
		t.Fatalf("read %s of %s %s: %v", name, p.Name, p.Version, err)
	}
	return b
}

// archive returns the package's archive from dir, where pack puts it if it is
// not there.
func (p NPM) archive(ctx context.Context, dir string, pack func(ctx context.Context, spec, dir string) error) ([]byte, error) {
	kept := filepath.Join(dir, strings.ReplaceAll(p.Name, "/", "-")+"-"+p.Version+".tgz")
	if b, err := os.ReadFile(kept); err == nil && p.intact(b) {
		return b, nil
	}
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return nil, err
	}
	into, err := os.MkdirTemp(dir, "pack")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(into)
	if err := pack(ctx, p.Name+"@"+p.Version, into); err != nil {
		return nil, fmt.Errorf("npm does not give %s %s: %w", p.Name, p.Version, err)
	}
	packed, err := filepath.Glob(filepath.Join(into, "*.tgz"))
	if err != nil || len(packed) != 1 {
		return nil, fmt.Errorf("npm packed %d archives of %s, want 1", len(packed), p.Name)
	}
	b, err := os.ReadFile(packed[0])
	if err != nil {
		return nil, err
	}
	if !p.intact(b) {
		return nil, fmt.Errorf("the archive of %s %s is not the one that is pinned", p.Name, p.Version)
	}
	return b, os.Rename(packed[0], kept)
}

func (p NPM) intact(archive []byte) bool {
	sum := sha512.Sum512(archive)
	return p.Integrity == "sha512-"+base64.StdEncoding.EncodeToString(sum[:])
}

// npmPack has npm put the archive of a package into dir. It runs nothing of
// the package.
func npmPack(ctx context.Context, spec, dir string) error {
	ctx, cancel := context.WithTimeout(ctx, 2*time.Minute)
	defer cancel()
	cmd := exec.CommandContext(ctx, "npm", "pack", "--ignore-scripts", "--silent", "--pack-destination", dir, spec)
	cmd.Dir = dir
	out, err := cmd.CombinedOutput()
	if err != nil {
		return fmt.Errorf("npm pack: %w: %s", err, bytes.TrimSpace(out))
	}
	return nil
}

// fileOf returns a file of an archive of npm's.
func fileOf(archive []byte, name string) ([]byte, error) {
	z, err := gzip.NewReader(bytes.NewReader(archive))
	if err != nil {
		return nil, err
	}
	for r := tar.NewReader(z); ; {
		h, err := r.Next()
		if err != nil {
			return nil, err // io.EOF where it is not there
		}
		if h.Name == name {
			return io.ReadAll(io.LimitReader(r, 32<<20))
		}
	}
}
