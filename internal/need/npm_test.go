package need

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"context"
	"crypto/sha512"
	"encoding/base64"
	"errors"
	"io"
	"os"
	"path/filepath"
	"testing"
)

// packed is an archive with one file.
func packed(t *testing.T, name, content string) []byte {
	t.Helper()
	var b bytes.Buffer
	z := gzip.NewWriter(&b)
	w := tar.NewWriter(z)
	if err := w.WriteHeader(&tar.Header{Name: name, Mode: 0o600, Size: int64(len(content))}); err != nil {
		t.Fatal(err)
	}
	if _, err := io.WriteString(w, content); err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(w.Close(), z.Close()); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

func TestNPM(t *testing.T) {
	good := packed(t, "package/a.js", "let a")
	sum := sha512.Sum512(good)
	p := NPM{Name: "@scope/a", Version: "1.2.3", Integrity: "sha512-" + base64.StdEncoding.EncodeToString(sum[:])}
	dir := t.TempDir()
	calls := 0
	gives := func(b []byte) func(context.Context, string, string) error {
		return func(_ context.Context, spec, into string) error {
			calls++
			if spec != "@scope/a@1.2.3" {
				t.Errorf("npm is asked for %q", spec)
			}
			return os.WriteFile(filepath.Join(into, "scope-a-1.2.3.tgz"), b, 0o600)
		}
	}
	if _, err := p.archive(t.Context(), dir, gives(packed(t, "package/a.js", "let b"))); err == nil {
		t.Error("an archive that is not the pinned one is taken")
	}
	down := errors.New("down")
	if _, err := p.archive(t.Context(), dir, func(context.Context, string, string) error { return down }); !errors.Is(err, down) {
		t.Errorf("with npm down the error is %v", err)
	}
	for range 2 {
		b, err := p.archive(t.Context(), dir, gives(good))
		if err != nil {
			t.Fatalf("archive = %v", err)
		}
		if got, err := fileOf(b, "package/a.js"); string(got) != "let a" || err != nil {
			t.Errorf("the file holds %q, %v; want %q", got, err, "let a")
		}
		if _, err := fileOf(b, "package/b.js"); err == nil {
			t.Error("a file that is not there is no error")
		}
	}
	if calls != 2 {
		t.Errorf("npm was asked %d times, want 2: once for the wrong archive and once for the right one", calls)
	}
	kept, err := filepath.Glob(filepath.Join(dir, "*"))
	if err != nil || len(kept) != 1 {
		t.Fatalf("the cache holds %q, %v; want one archive", kept, err)
	}
	if err := os.WriteFile(kept[0], []byte("broken"), 0o600); err != nil {
		t.Fatal(err)
	}
	if b, err := p.archive(t.Context(), dir, gives(good)); err != nil || !bytes.Equal(b, good) {
		t.Errorf("an archive that was broken in the cache is not fetched again: %v", err)
	}
}
