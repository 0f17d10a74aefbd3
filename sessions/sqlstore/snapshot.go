package sqlstore

import (
	"context"
	"fmt"
	"os"

	"plumbline/bot"
)

// Snapshot writes a copy of the database, as it is at one moment, to a new file
// of mode 0600. Others may read and write meanwhile. On error there is no file.
func (s *Store) Snapshot(ctx context.Context, file string) (err error) {
	f, err := os.OpenFile(file, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o600)
	if err != nil {
		return fmt.Errorf("copy database: %w", err)
	}
	defer func() {
		if err != nil {
			_ = os.Remove(file)
			err = fmt.Errorf("copy database: %w", kind(err))
		}
	}()
	if err := f.Close(); err != nil {
		return err
	}
	if _, err := s.read.ExecContext(ctx, "VACUUM INTO $1", file); err != nil { // into an empty file it may
		return err
	}
	f, err = os.OpenFile(file, os.O_RDWR, 0)
	if err != nil {
		return err
	}
	defer func() { _ = f.Close() }()
	return f.Sync()
}

// Check reads the whole database and returns an error that wraps
// [bot.ErrInvalid] if it is damaged.
func (s *Store) Check(ctx context.Context) error {
	var first string
	if err := s.read.QueryRowContext(ctx, "PRAGMA integrity_check(1)").Scan(&first); err != nil {
		return fmt.Errorf("check database: %w", kind(err))
	}
	if first != "ok" {
		return fmt.Errorf("check database: it is damaged: %w", bot.ErrInvalid)
	}
	return nil
}
