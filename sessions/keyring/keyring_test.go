package keyring_test

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"plumbline/bot"
	"plumbline/sessions/keyring"
)

var (
	noon = time.Date(2026, 11, 30, 12, 0, 0, 0, time.UTC)
	ann  = bot.Address{Channel: "sms", User: "+19735550100"}
	bob  = bot.Address{Channel: "sms", User: "+19735550101"}
)

func TestPersons(t *testing.T) {
	r := keyring.New(noon)
	if first, again := r.Person(ann), r.Person(ann); first != again || first == r.Person(bob) || len(first) != 32 {
		t.Errorf("Person(ann), Person(bob) = %q, %q; want two names of 32 digits", r.Person(ann), r.Person(bob))
	}
	if keyring.New(noon).Person(ann) == r.Person(ann) {
		t.Error("two rings give one person one name")
	}
	old := r.Person(ann)
	r2 := r.Rotate(noon.Add(time.Hour))
	if got := r2.Persons(ann); !slices.Equal(got, []string{r2.Person(ann), old}) || got[0] == old {
		t.Errorf("Persons after rotation = %q, want a new name and then %q", got, old)
	}
	if got := r2.Keep().Persons(ann); !slices.Equal(got, []string{r2.Person(ann)}) {
		t.Errorf("Persons by the key in use = %q, want %q alone", got, r2.Person(ann))
	}
	if len(r.Keys()) != 1 || len(r2.Keys()) != 2 {
		t.Errorf("rings of %d and %d keys, want 1 and 2", len(r.Keys()), len(r2.Keys()))
	}
	for name, want := range map[string]uint32{old: 1, r2.Person(ann): 2} {
		if id, ok := keyring.NameKey(name); id != want || !ok {
			t.Errorf("NameKey(%q) = %d, %t; want %d", name, id, ok, want)
		}
	}
	for _, bad := range []string{"", "sms:+19735550100", old[1:], old + "0", strings.Repeat("g", 32)} {
		if id, ok := keyring.NameKey(bad); ok {
			t.Errorf("NameKey(%q) = %d, want not ok", bad, id)
		}
	}
}

// The mark of a key brings it into use, and that of another ring does not.
func TestAt(t *testing.T) {
	r1 := keyring.New(noon)
	r2 := r1.Rotate(noon.Add(time.Hour))
	r3 := r2.Rotate(noon.Add(2 * time.Hour))
	file, err := keyring.Parse(r3.Bytes())
	if err != nil || file.InUse().ID != 3 {
		t.Fatalf("Parse = %v, key %d in use; want 3", err, file.InUse().ID)
	}
	at2, err := file.At(r2.Mark())
	if err != nil || at2.Person(ann) != r2.Person(ann) || at2.InUse() != r2.InUse() {
		t.Errorf("At(mark of 2) = key %+v, %v", at2.InUse(), err)
	}
	if got := at2.Persons(ann); !slices.Equal(got, []string{r2.Person(ann), r1.Person(ann)}) {
		t.Errorf("Persons at key 2 = %q, want nothing by the key that is only prepared", got)
	}
	if id, _ := keyring.SealKey(at2.Seal(nil)); id != 2 {
		t.Errorf("at key 2 texts are sealed with key %d", id)
	}
	if _, err := at2.Open(r3.Seal([]byte("x"))); err != nil {
		t.Errorf("Open of what the prepared key sealed: %v", err)
	}
	if at2.Last().Person(ann) != r3.Person(ann) {
		t.Error("Last does not bring the newest key into use")
	}
	if got := at2.Keep(3).Keys(); len(got) != 2 || got[0].ID != 2 || got[1].ID != 3 || at2.Keep(3).InUse().ID != 2 {
		t.Errorf("Keep(3) at key 2 keeps %+v", got)
	}
	for _, mark := range []string{keyring.New(noon).Mark(), "", "1:", "2"} {
		if _, err := r1.At(mark); !errors.Is(err, bot.ErrNotFound) {
			t.Errorf("At(%q) = %v, want ErrNotFound", mark, err)
		}
	}
}

func TestSeal(t *testing.T) {
	r := keyring.New(noon)
	words := []byte("my kid is sick")
	a, b := r.Seal(words), r.Seal(words)
	if bytes.Equal(a, b) || bytes.Contains(a, words) {
		t.Error("sealed texts show that they are the same, or show the text")
	}
	got, err := r.Open(a)
	if err != nil || !bytes.Equal(got, words) {
		t.Errorf("Open = %q, %v; want %q", got, err, words)
	}
	for i := range a {
		bad := bytes.Clone(a)
		bad[i] ^= 1
		if _, err := r.Open(bad); !errors.Is(err, bot.ErrInvalid) && !errors.Is(err, bot.ErrNotFound) {
			t.Errorf("Open of a text changed at %d = %v, want an error", i, err)
		}
	}
	for n := range a {
		if _, err := r.Open(a[:n]); err == nil {
			t.Errorf("Open of %d bytes of %d is no error", n, len(a))
		}
	}
	r2 := r.Rotate(noon)
	if got, err := r2.Open(a); err != nil || !bytes.Equal(got, words) {
		t.Errorf("Open after rotation = %q, %v; want %q", got, err, words)
	}
	for sealed, want := range map[string]uint32{string(a): 1, string(r2.Seal(words)): 2} {
		if id, ok := keyring.SealKey([]byte(sealed)); id != want || !ok {
			t.Errorf("SealKey = %d, %t; want %d", id, ok, want)
		}
	}
	if _, err := r2.Keep().Open(a); !errors.Is(err, bot.ErrNotFound) {
		t.Errorf("Open by a ring without the key = %v, want ErrNotFound", err)
	}
}

func TestFile(t *testing.T) {
	name := filepath.Join(t.TempDir(), "keys.json")
	if _, err := keyring.Read(name); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("Read of no file = %v, want fs.ErrNotExist", err)
	}
	var wg sync.WaitGroup
	names := make([]string, 8)
	for i := range names { // all that start at once get one key
		wg.Go(func() {
			r, err := keyring.Ensure(name, noon)
			if err != nil {
				t.Errorf("Ensure: %v", err)
				return
			}
			names[i] = r.Person(ann)
		})
	}
	wg.Wait()
	if len(slices.Compact(names)) != 1 {
		t.Errorf("persons by eight that started at once: %q, want one", names)
	}
	info, err := os.Stat(name)
	if err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("mode = %v, %v; want 0600", info.Mode(), err)
	}
	r, err := keyring.Read(name)
	if err != nil {
		t.Fatal(err)
	}
	if err := r.Rotate(noon).Write(name); err != nil {
		t.Fatal(err)
	}
	if got, err := keyring.Read(name); err != nil || len(got.Keys()) != 2 || got.Persons(ann)[1] != names[0] {
		t.Errorf("Read after rotation: %v", err)
	}
	if left, _ := os.ReadDir(filepath.Dir(name)); len(left) != 1 {
		t.Errorf("%d files are left, want the key file alone", len(left))
	}
	if err := os.Chmod(name, 0o644); err != nil {
		t.Fatal(err)
	}
	if _, err := keyring.Read(name); !errors.Is(err, bot.ErrInvalid) {
		t.Errorf("Read of a file for everybody = %v, want ErrInvalid", err)
	}
}

func TestParseRefuses(t *testing.T) {
	good := string(keyring.New(noon).Bytes())
	for _, bad := range []string{"", "{}", "[]", `{"keys":[]}`, `{"keys":[{"id":1}]}`, good[:len(good)/2]} {
		if _, err := keyring.Parse([]byte(bad)); !errors.Is(err, bot.ErrInvalid) {
			t.Errorf("Parse of a bad file = %v, want ErrInvalid", err)
		}
	}
}

func TestKeysAreNotShown(t *testing.T) {
	r := keyring.New(noon)
	if got := fmt.Sprintf("%v %+v %#v %s", r, r, r, r); got != "[keys] [keys] [keys] [keys]" {
		t.Errorf("a ring is printed as %q", got)
	}
}
