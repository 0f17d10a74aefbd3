package sqlstore_test

import (
	"errors"
	"os"
	"path/filepath"
	"syscall"
	"testing"

	"plumbline/bot"
	"plumbline/internal/need"
)

// On a full disk the store says that it takes nothing, and when there is room
// again that it does; what it asks the disk leaves nothing behind.
func TestWritableOnFullDisk(t *testing.T) {
	need.Root(t)
	dir := t.TempDir()
	if err := syscall.Mount("tmpfs", dir, "tmpfs", 0, "size=2m"); err != nil {
		t.Fatalf("mount a small disk: %v", err)
	}
	t.Cleanup(func() {
		if err := syscall.Unmount(dir, 0); err != nil {
			t.Errorf("unmount: %v", err)
		}
	})
	s := openFile(t, filepath.Join(dir, "p.db"), options())
	if err := s.Writable(t.Context()); err != nil {
		t.Errorf("Writable with room on the disk = %v, want nil", err)
	}
	// A little is left: a page, and no message.
	fill, err := os.Create(filepath.Join(dir, "fill"))
	if err != nil {
		t.Fatal(err)
	}
	for err == nil {
		_, err = fill.Write(make([]byte, 4096))
	}
	info, err := fill.Stat()
	if err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(fill.Truncate(info.Size()-64<<10), fill.Close()); err != nil {
		t.Fatal(err)
	}
	if err := s.Writable(t.Context()); !errors.Is(err, bot.ErrUnavailable) || !errors.Is(err, syscall.ENOSPC) {
		t.Errorf("Writable on a full disk = %v, want %v and %v", err, bot.ErrUnavailable, syscall.ENOSPC)
	}
	if err := os.Remove(fill.Name()); err != nil {
		t.Fatal(err)
	}
	if err := s.Writable(t.Context()); err != nil {
		t.Errorf("Writable with room again = %v, want nil", err)
	}
	if left, err := filepath.Glob(filepath.Join(dir, ".room-*")); err != nil || len(left) > 0 {
		t.Errorf("Writable leaves %q, %v", left, err)
	}
}
