// Package keyring holds the keys that keep people's addresses and words apart
// from the record: a hash key, so that a person can be told from another
// without an address, and a sealing key for what must be read again.
//
// Keys have numbers. One is in use: it hashes and seals. Older ones still open
// and still find people, until they are dropped. A newer one was prepared: it
// comes into use when the database that the ring belongs to says so ([Ring.At]),
// so that key file and database need not change at one moment.
package keyring

import (
	"crypto/aes"
	"crypto/cipher"
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"time"

	"plumbline/bot"
)

// A Ring is a set of keys. It is safe for concurrent use: it never changes.
type Ring struct {
	keys []key // oldest first
	use  int   // the one in use
}

type key struct {
	id      uint32
	made    time.Time
	hash    []byte
	sealing cipher.AEAD
	seal    []byte
}

// keySize is the length of each key in bytes: HMAC-SHA256 and AES-256.
const keySize = 32

// New returns a ring with one new key.
func New(now time.Time) *Ring { return new(Ring).Rotate(now) }

// Rotate returns a ring that has a new key beside those of r, in use. r stays
// as it is.
func (r *Ring) Rotate(now time.Time) *Ring {
	id := uint32(1)
	if n := len(r.keys); n > 0 {
		id = r.keys[n-1].id + 1
	}
	k := key{id: id, made: now.UTC().Truncate(time.Second), hash: make([]byte, keySize), seal: make([]byte, keySize)}
	_, _ = rand.Read(k.hash) // never fails
	_, _ = rand.Read(k.seal)
	k.sealing = aead(k.seal)
	return &Ring{append(r.keys[:len(r.keys):len(r.keys)], k), len(r.keys)}
}

// Last returns r with its newest key in use.
func (r *Ring) Last() *Ring { return &Ring{r.keys, len(r.keys) - 1} }

// At returns r with the key in use that mark names, as [Ring.Mark] gave it. Its
// error wraps [bot.ErrNotFound] if r has no such key.
func (r *Ring) At(mark string) (*Ring, error) {
	for i, k := range r.keys {
		if k.mark() == mark {
			return &Ring{r.keys, i}, nil
		}
	}
	number, _, _ := strings.Cut(mark, ":")
	return nil, fmt.Errorf("key %s is not in the key file: %w", number, bot.ErrNotFound)
}

// Mark names the key in use, and says nothing of what it is. Keys of other
// rings have other marks, even if their number is the same.
func (r *Ring) Mark() string { return r.keys[r.use].mark() }

func (k key) mark() string { return fmt.Sprintf("%d:%s", k.id, k.mac("mark", "")[:16]) }

// Keep returns a ring of those keys of r whose number is in ids, and the one
// in use. What the others sealed or hashed is no longer found by it.
func (r *Ring) Keep(ids ...uint32) *Ring {
	kept := new(Ring)
	for i, k := range r.keys {
		if i == r.use {
			kept.use = len(kept.keys)
		} else if !slices.Contains(ids, k.id) {
			continue
		}
		kept.keys = append(kept.keys, k)
	}
	return kept
}

// A Key says what may be told of a key.
type Key struct {
	ID   uint32
	Made time.Time
}

// Keys lists the keys of r, oldest first.
func (r *Ring) Keys() (list []Key) {
	for _, k := range r.keys {
		list = append(list, Key{k.id, k.made})
	}
	return list
}

// InUse returns the key in use.
func (r *Ring) InUse() Key { return Key{r.keys[r.use].id, r.keys[r.use].made} }

func aead(seal []byte) cipher.AEAD {
	block, err := aes.NewCipher(seal)
	if err != nil {
		panic(err) // the length is checked when a key is read
	}
	a, err := cipher.NewGCMWithRandomNonce(block)
	if err != nil {
		panic(err)
	}
	return a
}

// Person returns the name of whoever is at a: a keyed hash, the same for as
// long as the same key is in use. [NameKey] tells which.
func (r *Ring) Person(a bot.Address) string { return r.keys[r.use].person(a) }

// Persons returns the names that whoever is at a has or had, that by the key in
// use first, then those by older keys.
func (r *Ring) Persons(a bot.Address) (names []string) {
	for i := r.use; i >= 0; i-- {
		names = append(names, r.keys[i].person(a))
	}
	return names
}

// nameKey is how many digits of a person's name are the number of the key.
const nameKey = 4

// NameKey returns the number of the key that made a person's name. It is not ok
// if name is no such name.
func NameKey(name string) (id uint32, ok bool) {
	if len(name) != 32 || strings.Trim(name, "0123456789abcdef") != "" {
		return 0, false
	}
	n, err := strconv.ParseUint(name[:nameKey], 16, 16)
	return uint32(n), err == nil
}

// Hash returns a keyed hash of text, to tell whether two texts are the same
// without keeping them.
func (r *Ring) Hash(text string) string { return r.keys[r.use].mac("text", text) }

func (k key) person(a bot.Address) string {
	return fmt.Sprintf("%0*x", nameKey, k.id) + k.mac("person", a.Key())[nameKey:]
}

func (k key) mac(kind, text string) string {
	m := hmac.New(sha256.New, k.hash)
	_, _ = io.WriteString(m, kind+"\x00"+text)
	return hex.EncodeToString(m.Sum(nil)[:16])
}

// Seal encrypts b with the key in use. What it returns differs each time.
func (r *Ring) Seal(b []byte) []byte {
	k := r.keys[r.use]
	return k.sealing.Seal(binary.BigEndian.AppendUint32(nil, k.id), nil, b, nil)
}

// Open decrypts what Seal returned. Its error wraps [bot.ErrNotFound] if the
// key is not in r and [bot.ErrInvalid] if the text was changed.
func (r *Ring) Open(sealed []byte) ([]byte, error) {
	id, ok := SealKey(sealed)
	if !ok {
		return nil, fmt.Errorf("open sealed text: too short: %w", bot.ErrInvalid)
	}
	for _, k := range r.keys {
		if k.id != id {
			continue
		}
		b, err := k.sealing.Open(nil, nil, sealed[4:], nil)
		if err != nil {
			return nil, fmt.Errorf("open sealed text: key %d does not fit: %w", id, bot.ErrInvalid)
		}
		return b, nil
	}
	return nil, fmt.Errorf("open sealed text: key %d: %w", id, bot.ErrNotFound)
}

// SealKey returns the number of the key that sealed a text. It is not ok if it
// is no sealed text.
func SealKey(sealed []byte) (id uint32, ok bool) {
	if len(sealed) < 4 {
		return 0, false
	}
	return binary.BigEndian.Uint32(sealed), true
}

// Format hides the keys under every fmt verb.
func (r *Ring) Format(w fmt.State, _ rune) { _, _ = io.WriteString(w, "[keys]") }

// A file is a key file's JSON.
type file struct {
	Keys []fileKey `json:"keys"`
}

type fileKey struct {
	ID   uint32    `json:"id"`
	Made time.Time `json:"made"`
	Hash string    `json:"hash"`
	Seal string    `json:"seal"`
}

// Read reads a key file. Its error wraps [bot.ErrInvalid] if it is not one, or
// if others than its owner may read it, and fs.ErrNotExist if it is not there.
func Read(name string) (*Ring, error) {
	info, err := os.Stat(name)
	if err != nil {
		return nil, fmt.Errorf("read keys: %w", err)
	}
	if !info.Mode().IsRegular() {
		return nil, fmt.Errorf("read keys: %s is not a file: %w", name, bot.ErrInvalid)
	}
	if runtime.GOOS != "windows" && info.Mode().Perm()&0o077 != 0 { // there the folder's list of who may read it counts
		return nil, fmt.Errorf("read keys: others may read %s: run chmod 600 on it: %w", name, bot.ErrInvalid)
	}
	b, err := os.ReadFile(name)
	if err != nil {
		return nil, fmt.Errorf("read keys: %w", err)
	}
	r, err := Parse(b)
	if err != nil {
		return nil, fmt.Errorf("read keys: %s: %w", name, err)
	}
	return r, nil
}

// maxID is the highest number of a key: names hold four digits of it.
const maxID = 0xffff

// Parse reads the contents of a key file. The newest key is in use.
func Parse(b []byte) (*Ring, error) {
	var f file
	if err := json.Unmarshal(b, &f); err != nil {
		return nil, fmt.Errorf("not a key file: %w", bot.ErrInvalid)
	}
	r := new(Ring)
	for i, fk := range f.Keys {
		hash, err1 := hex.DecodeString(fk.Hash)
		seal, err2 := hex.DecodeString(fk.Seal)
		if err1 != nil || err2 != nil || len(hash) != keySize || len(seal) != keySize {
			return nil, fmt.Errorf("key %d is not whole: restore the file from a backup: %w", fk.ID, bot.ErrInvalid)
		}
		if i > 0 && fk.ID <= r.keys[i-1].id || fk.ID < 1 || fk.ID > maxID {
			return nil, fmt.Errorf("key %d is out of order: %w", fk.ID, bot.ErrInvalid)
		}
		r.keys = append(r.keys, key{id: fk.ID, made: fk.Made, hash: hash, seal: seal, sealing: aead(seal)})
	}
	if len(r.keys) == 0 {
		return nil, fmt.Errorf("there is no key in it: %w", bot.ErrInvalid)
	}
	return r.Last(), nil
}

// Bytes returns the contents of a key file. They are secret.
func (r *Ring) Bytes() []byte {
	var f file
	for _, k := range r.keys {
		f.Keys = append(f.Keys, fileKey{k.id, k.made, hex.EncodeToString(k.hash), hex.EncodeToString(k.seal)})
	}
	b, err := json.MarshalIndent(f, "", "  ")
	if err != nil {
		panic(err) // strings and numbers only
	}
	return append(b, '\n')
}

// Write writes a key file that only its owner may read. The file is there
// whole, and on disk, or as it was.
func (r *Ring) Write(name string) (err error) {
	defer func() {
		if err != nil {
			err = fmt.Errorf("write keys: %w", err)
		}
	}()
	tmp, err := os.CreateTemp(filepath.Dir(name), ".keys-*") // mode 0600
	if err != nil {
		return err
	}
	defer func() { _ = os.Remove(tmp.Name()) }()
	_, err = tmp.Write(r.Bytes())
	if err == nil {
		err = tmp.Sync()
	}
	if e := tmp.Close(); err == nil {
		err = e
	}
	if err != nil {
		return err
	}
	if err := os.Rename(tmp.Name(), name); err != nil {
		return err
	}
	return syncDir(filepath.Dir(name))
}

// Ensure reads the key file, or makes one if there is none.
func Ensure(name string, now time.Time) (*Ring, error) {
	r, err := Read(name)
	if !errors.Is(err, fs.ErrNotExist) {
		return r, err
	}
	r = New(now)
	// Two that start at once must not each keep a key of their own: whoever
	// links first has made it.
	tmp := name + "-" + rand.Text()
	if err := r.Write(tmp); err != nil {
		return nil, err
	}
	defer func() { _ = os.Remove(tmp) }()
	if err := os.Link(tmp, name); err != nil && !errors.Is(err, fs.ErrExist) {
		return nil, fmt.Errorf("write keys: %w", err)
	}
	if err := syncDir(filepath.Dir(name)); err != nil {
		return nil, fmt.Errorf("write keys: %w", err)
	}
	return Read(name)
}

// syncDir makes the names in dir last. Where a folder cannot be synced, as on
// Windows, it does nothing.
func syncDir(dir string) error {
	d, err := os.Open(dir)
	if err != nil {
		return err
	}
	defer func() { _ = d.Close() }()
	_ = d.Sync()
	return nil
}
