// Package sqlstore keeps the inbox, the outbox, sessions, the record and what
// models cost in an SQL database: one SQLite file, with nothing to install. It
// implements [bot.Inbox], [bot.Outbox] and [bot.SessionStore], and its [Ledger]
// a [bot.Ledger].
//
// What a method has returned for is on disk: SQLite runs with a write-ahead
// log and synchronous=FULL, and calls that come together share one commit. Only
// [Store.Keep] leaves its value to be synced by the change that follows.
// Words and addresses are sealed by the keyring and dropped once they are not
// needed; a person is a keyed hash. Statements are those that Postgres takes
// too; times are milliseconds since 1970.
package sqlstore

import (
	"context"
	"database/sql"
	"embed"
	"errors"
	"fmt"
	"io/fs"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"time"

	"github.com/pressly/goose/v3"
	"modernc.org/sqlite"
	sqlite3 "modernc.org/sqlite/lib"

	"plumbline/bot"
	"plumbline/sessions/keyring"
)

//go:embed migrations/*.sql
var migrations embed.FS

// Options are what a store needs beside its database.
type Options struct {
	Keys   *keyring.Ring // those of the database, or a new ring for a new one
	Now    func() time.Time
	TTL    time.Duration            // how long a session is remembered after its last change; 0 for ever
	Redact func(text string) string // takes personal details out of what the record keeps; puts [TYPE] in their place
	Lost   func(err error)          // is told of what could not be read and counts as not there; err holds nobody's words. May be nil
}

// A Store is an open database. Make one with [Open]. It is safe for concurrent
// use, and several processes of one machine may have the same file open.
type Store struct {
	opts  Options
	dir   string // that the file is in
	read  *sql.DB
	write *sql.DB // one connection

	mu     sync.RWMutex // held to read while a change is put into queue
	closed bool
	queue  chan *change
	done   sync.WaitGroup

	statements statements
	unsynced   bool // the writing connection does not wait for the disk; only the goroutine that commits uses it

	inboxReady, outboxReady chan struct{}
}

// A change is one caller's work within a commit that several share.
type change struct {
	ctx   context.Context
	do    func(ctx context.Context, tx *sql.Tx) error
	later bool // a change that follows puts it on disk
	err   chan error
}

// Open opens the SQLite file, makes it (mode 0600) if it is not there, and
// brings its tables up to date. Its error wraps [bot.ErrInvalid] if the file is
// no database of ours, one of a newer release, or one that other keys belong to.
func Open(ctx context.Context, file string, opts Options) (_ *Store, err error) {
	defer func() {
		if err != nil {
			err = fmt.Errorf("open database: %w", kind(err))
		}
	}()
	f, err := os.OpenFile(file, os.O_CREATE|os.O_RDWR, 0o600)
	if err != nil {
		return nil, err
	}
	if err := f.Close(); err != nil {
		return nil, err
	}
	s := &Store{
		opts: opts, dir: filepath.Dir(file), queue: make(chan *change, 1024),
		inboxReady: make(chan struct{}, 1), outboxReady: make(chan struct{}, 1),
	}
	if s.write, err = connect(file, "immediate", 1); err != nil {
		return nil, err
	}
	if err = migrate(ctx, s.write); err != nil {
		_ = s.write.Close()
		return nil, err
	}
	if s.read, err = connect(file, "deferred", 4); err != nil {
		_ = s.write.Close()
		return nil, err
	}
	if err = s.useKey(ctx); err != nil {
		return nil, errors.Join(err, s.read.Close(), s.write.Close())
	}
	s.done.Go(s.commit)
	return s, nil
}

// Keys returns the ring of s, with the key in use that the database names. It
// is the one that names persons; the ring that [Open] was given may have a
// newer key.
func (s *Store) Keys() *keyring.Ring { return s.opts.Keys }

func connect(file, lock string, conns int) (*sql.DB, error) {
	q := url.Values{"_txlock": {lock}, "_pragma": {
		"busy_timeout(10000)", "journal_mode(WAL)", "synchronous(FULL)", "foreign_keys(1)", "secure_delete(1)", "temp_store(memory)",
	}}
	db, err := sql.Open("sqlite", (&url.URL{Scheme: "file", Opaque: (&url.URL{Path: file}).EscapedPath(), RawQuery: q.Encode()}).String())
	if err != nil {
		return nil, err
	}
	db.SetMaxOpenConns(conns)
	db.SetMaxIdleConns(conns)
	return db, nil
}

func migrate(ctx context.Context, db *sql.DB) error {
	dir, err := fs.Sub(migrations, "migrations")
	if err != nil {
		return err
	}
	p, err := goose.NewProvider(goose.DialectSQLite3, db, dir, goose.WithDisableGlobalRegistry(true))
	if err != nil {
		return err
	}
	if _, err := p.Up(ctx); err != nil {
		return fmt.Errorf("bring the tables up to date: %w", err)
	}
	have, err := p.GetDBVersion(ctx)
	if err != nil {
		return err
	}
	sources := p.ListSources()
	if newest := sources[len(sources)-1].Version; have > newest {
		return fmt.Errorf("the database is of a newer release (version %d, this release knows %d): %w", have, newest, bot.ErrInvalid)
	}
	return nil
}

// Close waits for the changes that are under way and closes the database.
// Changes that come later return [bot.ErrUnavailable].
func (s *Store) Close() error {
	s.mu.Lock()
	closed := s.closed
	s.closed = true
	if !closed {
		close(s.queue)
	}
	s.mu.Unlock()
	s.done.Wait()
	return errors.Join(s.read.Close(), s.statements.close(), s.write.Close())
}

// room is the least that must be free on the disk for [Store.Writable]: some
// messages with their answers. The database may have a page left when nothing
// that anybody texts fits any more.
const room = 256 << 10

// Writable reports, as an error, why nothing can be put on disk.
func (s *Store) Writable(ctx context.Context) error {
	if err := s.room(); err != nil {
		return fmt.Errorf("look for room on the disk: %w: %w", bot.ErrUnavailable, err)
	}
	return s.change(ctx, func(ctx context.Context, tx *sql.Tx) error {
		_, err := tx.ExecContext(ctx, "UPDATE ring SET mark = mark")
		return err
	})
}

// room writes and removes a file beside the database.
func (s *Store) room() (err error) {
	f, err := os.CreateTemp(s.dir, ".room-*")
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, f.Close(), os.Remove(f.Name())) }()
	_, err = f.Write(make([]byte, room))
	return err
}

// maxBatch is how many changes share a commit at most.
const maxBatch = 256

// commit runs changes, those that wait together in one transaction, so that
// they wait for the disk once. It ends when the queue is closed and empty.
func (s *Store) commit() {
	batch := make([]*change, 0, maxBatch)
	for c := range s.queue {
		batch = append(batch[:0], c)
	more:
		for len(batch) < maxBatch {
			select {
			case c, ok := <-s.queue:
				if !ok {
					break more
				}
				batch = append(batch, c)
			default:
				break more
			}
		}
		s.commitBatch(batch)
		s.statements.compile(context.Background(), s.write)
	}
}

func (s *Store) commitBatch(batch []*change) {
	ctx := context.Background() // a caller who leaves must not undo the others' work
	errs := make([]error, len(batch))
	err := func() error {
		if err := s.sync(ctx, slices.ContainsFunc(batch, func(c *change) bool { return !c.later })); err != nil {
			return err
		}
		tx, err := s.write.BeginTx(ctx, nil)
		if err != nil {
			return err
		}
		defer func() { _ = tx.Rollback() }()
		for i, c := range batch {
			if errs[i] = c.ctx.Err(); errs[i] != nil {
				continue
			}
			if _, err := s.exec(ctx, tx, "SAVEPOINT change"); err != nil {
				return err
			}
			if errs[i] = c.do(ctx, tx); errs[i] != nil {
				if _, err := s.exec(ctx, tx, "ROLLBACK TO change"); err != nil {
					return err
				}
			}
			if _, err := s.exec(ctx, tx, "RELEASE change"); err != nil {
				return err
			}
		}
		return tx.Commit()
	}()
	for i, c := range batch {
		if err != nil && errs[i] == nil {
			errs[i] = err
		}
		c.err <- errs[i]
	}
}

// sync says whether the next commit is to be on disk when it returns. If so it
// takes all that came before it along: they are in the same log.
func (s *Store) sync(ctx context.Context, now bool) error {
	if now == !s.unsynced {
		return nil
	}
	query := "PRAGMA synchronous = FULL"
	if !now {
		query = "PRAGMA synchronous = NORMAL"
	}
	if _, err := s.write.ExecContext(ctx, query); err != nil {
		return err
	}
	s.unsynced = !now
	return nil
}

// change runs do in a transaction and returns once it is on disk, or undone:
// do's own error undoes it. do must use the context that it is given and no
// connection but tx.
func (s *Store) change(ctx context.Context, do func(ctx context.Context, tx *sql.Tx) error) error {
	return s.run(ctx, &change{ctx: ctx, do: do, err: make(chan error, 1)})
}

// changeLater is change without waiting for the disk: what do wrote outlives the
// process, but the machine only with the next change.
func (s *Store) changeLater(ctx context.Context, do func(ctx context.Context, tx *sql.Tx) error) error {
	return s.run(ctx, &change{ctx: ctx, do: do, later: true, err: make(chan error, 1)})
}

func (s *Store) run(ctx context.Context, c *change) error {
	if err := s.enqueue(ctx, c); err != nil {
		return err
	}
	return kind(<-c.err)
}

func (s *Store) enqueue(ctx context.Context, c *change) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	s.mu.RLock()
	defer s.mu.RUnlock()
	if s.closed {
		return fmt.Errorf("database is closed: %w", bot.ErrUnavailable)
	}
	select {
	case <-ctx.Done():
		return ctx.Err()
	case s.queue <- c:
		return nil
	}
}

// kind gives errors of the database the kinds that callers know.
func kind(err error) error {
	var e *sqlite.Error
	switch {
	case err == nil:
		return nil
	case errors.Is(err, sql.ErrNoRows):
		return fmt.Errorf("%w: %w", bot.ErrNotFound, err)
	case errors.Is(err, sql.ErrConnDone):
		return fmt.Errorf("%w: %w", bot.ErrUnavailable, err)
	case errors.As(err, &e):
		switch e.Code() & 0xff {
		case sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED, sqlite3.SQLITE_FULL, sqlite3.SQLITE_IOERR, sqlite3.SQLITE_CANTOPEN, sqlite3.SQLITE_READONLY:
			return fmt.Errorf("%w: %w", bot.ErrUnavailable, err)
		case sqlite3.SQLITE_NOTADB, sqlite3.SQLITE_CORRUPT:
			return fmt.Errorf("%w: %w", bot.ErrInvalid, err)
		}
	}
	return err
}

// ms is t as it is stored; 0 for the zero time.
func ms(t time.Time) int64 {
	if t.IsZero() {
		return 0
	}
	return t.UnixMilli()
}

// at is the time that ms stored.
func at(ms int64) time.Time {
	if ms == 0 {
		return time.Time{}
	}
	return time.UnixMilli(ms).UTC()
}
