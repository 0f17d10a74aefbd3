package main

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"context"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/rogpeppe/go-internal/testscript"

	"plumbline/bot"
	"plumbline/internal/lockfile"
	"plumbline/sessions/keyring"
)

// stateCmds are the commands of scripts about the state folder.
var stateCmds = map[string]func(*testscript.TestScript, bool, []string){
	"mode": mode, "kept": kept, "goeson": goesOn, "jsonlines": jsonLines, "leftovers": leftovers, "badbackups": badBackups, "for": forEach, "hold": hold, "release": release,
	"preparekey": prepareKey, "copydir": copyDir,
}

// mode FILE OCTAL wants those permissions.
func mode(ts *testscript.TestScript, neg bool, args []string) {
	info, err := os.Stat(ts.MkAbs(args[0]))
	ts.Check(err)
	if got := fmt.Sprintf("%o", info.Mode().Perm()); (got == args[1]) == neg {
		ts.Fatalf("%s has mode %s, want %s", args[0], got, args[1])
	}
}

// inState calls do with the state in a folder, as a service that is asked at
// the time now.
func inState(ctx context.Context, dir string, do func(*state) error) error {
	a := &app{ctx: ctx, std: stdio{Err: io.Discard}, getenv: func(string) string { return "" }}
	st, err := a.openState(dir, lockfile.Shared)
	if err != nil {
		return err
	}
	return errors.Join(do(st), st.Close())
}

var caller = bot.Address{Channel: "sms", User: "+19735550100"}

// finish has one message taken in and finished with o.
func finish(ctx context.Context, st *state, m bot.Message, o bot.Outcome) error {
	now := time.Now()
	if _, err := st.Store.Put(ctx, st.Keys.Person(m.From), bot.Arrival{Message: m}); err != nil {
		return err
	}
	j, err := st.Store.Next(ctx, bot.Lease{Owner: "test", Now: now.Add(time.Second), Until: now.Add(time.Hour)})
	if err != nil {
		return err
	}
	if j.Message.ID != m.ID {
		return fmt.Errorf("got job %s, want %s", j.Message.ID, m.ID)
	}
	return st.Store.Finish(ctx, j, o)
}

// sample is a message that is recorded as it is, and is awkward in JSON lines.
const sample = "Sample 215805592 on 20260812-09 read 250 300 1000; lead 0.015, copper 1.3, 90 percent of homes, ZIP 60601-1234\u2028\u2029\"q\" \\ 😀 a<b>&\nand\ttab"

// kept DIR puts into the state folder what a service keeps of one person: two
// turns, and a session with something for MORE.
func kept(ts *testscript.TestScript, neg bool, args []string) {
	ctx := context.Background()
	ts.Check(inState(ctx, ts.MkAbs(args[0]), func(st *state) error {
		answer := &bot.Answer{ID: "turn-1", Status: bot.Answered, Trace: &bot.Trace{Question: "brown", Retrievals: []bot.RetrievalRecord{{Query: "brown"}}}}
		reply := bot.Reply{Text: "Call 973-733-3654.", More: []string{"There is more."}, Status: bot.Answered, Answer: "turn-1"}
		return errors.Join(
			finish(ctx, st, bot.Message{ID: "m1", From: caller, Text: "my name is Keziah Okonkwo, call 862-555-0147. brown"}, bot.Outcome{
				Answer: answer, Review: "look", Replies: []bot.Reply{reply}, Remember: func(s *bot.Session) error { s.Pending = reply; return nil },
			}),
			finish(ctx, st, bot.Message{ID: "m2", From: caller, Text: sample}, bot.Outcome{}),
		)
	}))
}

// goeson DIR wants the session that kept made: MORE sends what was pending.
func goesOn(ts *testscript.TestScript, neg bool, args []string) {
	ctx := context.Background()
	ts.Check(inState(ctx, ts.MkAbs(args[0]), func(st *state) error {
		c := &bot.Conversation{Now: time.Now}
		o, err := c.Handle(ctx, st.Store, st.Keys.Person(caller), bot.Message{ID: "m9", From: caller, Text: "MORE"})
		if err != nil {
			return err
		}
		if len(o.Replies) != 1 || o.Replies[0].Text != "There is more." {
			return fmt.Errorf("MORE sends %+v", o.Replies)
		}
		return nil
	}))
}

// jsonlines FILE N wants N lines, each one JSON object, also for readers that
// end lines elsewhere.
func jsonLines(ts *testscript.TestScript, neg bool, args []string) {
	text := ts.ReadFile(args[0])
	if strings.ContainsAny(text, "\u2028\u2029\u0085\r") || !strings.HasSuffix(text, "\n") {
		ts.Fatalf("%s has line ends within lines, or none at its end", args[0])
	}
	lines := strings.Split(strings.TrimSuffix(text, "\n"), "\n")
	if fmt.Sprint(len(lines)) != args[1] {
		ts.Fatalf("%s has %d lines, want %s", args[0], len(lines), args[1])
	}
	for _, l := range lines {
		var v map[string]any
		ts.Check(json.Unmarshal([]byte(l), &v))
		if asked := fmt.Sprint(v["asked"]); strings.HasPrefix(asked, "Sample") && asked != sample {
			ts.Fatalf("%s has %q, want %q", args[0], asked, sample)
		}
	}
}

// leftovers DIR wants nothing in a state folder that does not belong there.
func leftovers(ts *testscript.TestScript, neg bool, args []string) {
	entries, err := os.ReadDir(ts.MkAbs(args[0]))
	ts.Check(err)
	for _, e := range entries {
		switch name := e.Name(); name {
		case databaseFile, databaseFile + "-wal", databaseFile + "-shm", keysFile, lockFile, settingsFile, packsDir, "backup.lock":
		default:
			ts.Fatalf("%s holds %s", args[0], name)
		}
	}
}

// for DIR exits CODE COMMAND... runs a command on every file of a folder.
func forEach(ts *testscript.TestScript, neg bool, args []string) {
	entries, err := os.ReadDir(ts.MkAbs(args[0]))
	ts.Check(err)
	if len(entries) == 0 {
		ts.Fatalf("%s is empty", args[0])
	}
	for _, e := range entries {
		ts.Logf("%s", e.Name())
		exits(ts, neg, append(append([]string{}, args[2:]...), filepath.Join(args[0], e.Name())))
	}
}

// preparekey DIR does the first half of a rotation of keys.
func prepareKey(ts *testscript.TestScript, neg bool, args []string) {
	ts.Check(inState(context.Background(), ts.MkAbs(args[0]), func(st *state) error {
		return st.Keys.Rotate(time.Now()).Write(filepath.Join(st.Dir, keysFile))
	}))
}

// copydir FROM TO copies a folder.
func copyDir(ts *testscript.TestScript, neg bool, args []string) {
	ts.Check(os.CopyFS(ts.MkAbs(args[1]), os.DirFS(ts.MkAbs(args[0]))))
}

var held *lockfile.Lock

// hold DIR holds the state folder as a service does, until release.
func hold(ts *testscript.TestScript, neg bool, args []string) {
	l, err := lockState(ts.MkAbs(args[0]), lockfile.Shared)
	ts.Check(err)
	held = l
}

func release(ts *testscript.TestScript, neg bool, args []string) { ts.Check(held.Close()) }

// An entry is one of an archive.
type entry struct {
	tar.Header
	body []byte
}

// badbackups FILE DIR makes archives out of a good one that must be refused.
func badBackups(ts *testscript.TestScript, neg bool, args []string) {
	good := []byte(ts.ReadFile(args[0]))
	dir := ts.MkAbs(args[1])
	ts.Check(os.Mkdir(dir, 0o700))
	write := func(name string, b []byte) { ts.Check(os.WriteFile(filepath.Join(dir, name), b, 0o600)) }
	for _, n := range []int{0, 1, 20, len(good) / 3, len(good) / 2, len(good) - 9, len(good) - 1} {
		write(fmt.Sprintf("cut-%d", n), good[:n])
	}
	write("followed", append(bytes.Clone(good), "more"...))
	write("twice", append(bytes.Clone(good), good...))
	for _, at := range []int{len(good) / 4, len(good) / 2, len(good) - 6} {
		b := bytes.Clone(good)
		b[at] ^= 0x10
		write(fmt.Sprintf("flipped-%d", at), b)
	}
	entries, err := readEntries(good)
	ts.Check(err)
	changed := func(name string, how func(list []entry) []entry) {
		var list []entry
		for _, e := range entries {
			list = append(list, entry{e.Header, bytes.Clone(e.body)})
		}
		write(name, archive(ts, how(list)))
	}
	changed("tampered", func(list []entry) []entry { list[1].body[5000] ^= 1; return list })
	changed("lacks-keys", func(list []entry) []entry { return append(list[:2:2], list[3:]...) })
	changed("lacks-pack", func(list []entry) []entry { return list[:len(list)-1] })
	changed("other-keys", func(list []entry) []entry {
		list[2].body = keyring.New(time.Now()).Bytes()
		return listed(list)
	})
	changed("no-database", func(list []entry) []entry {
		list[1].body = []byte("no database")
		return listed(list)
	})
	changed("no-manifest", func(list []entry) []entry { return list[1:] })
	changed("unlisted", func(list []entry) []entry {
		return append(list, entry{*header("packs/more.json", 2, time.Now()), []byte("{}")})
	})
	changed("file-twice", func(list []entry) []entry { return append(list, list[1]) })
	changed("symlink", func(list []entry) []entry {
		last := &list[len(list)-1]
		last.body = nil
		list = listed(list)
		last.Typeflag, last.Linkname = tar.TypeSymlink, "/etc/passwd"
		return list
	})
	for i, bad := range []string{"../outside", "packs/../../outside", "/outside", "packs/../plumbline.db", "packs\\x", "lock", "packs/C:x", "packs/a/../b", "restoring"} {
		changed(fmt.Sprintf("path-%d", i), func(list []entry) []entry {
			last := &list[len(list)-1]
			list[0].body = bytes.ReplaceAll(list[0].body, []byte(fmt.Sprintf("%q", last.Name)), must(json.Marshal(bad)))
			list[0].Size = int64(len(list[0].body))
			last.Name = bad
			return list
		})
	}
	changed("format", func(list []entry) []entry {
		list[0].body = bytes.Replace(list[0].body, []byte(`"format": 1`), []byte(`"format": 2`), 1)
		return list
	})
}

// listed makes the manifest agree with the other entries.
func listed(list []entry) []entry {
	var m manifest
	if err := json.Unmarshal(list[0].body, &m); err != nil {
		panic(err)
	}
	for i := range m.Files {
		e := &list[i+1]
		e.Size = int64(len(e.body))
		m.Files[i].Size, m.Files[i].SHA256 = e.Size, fmt.Sprintf("%x", sha256.Sum256(e.body))
	}
	list[0].body = must(json.Marshal(m))
	list[0].Size = int64(len(list[0].body))
	return list
}

func must(b []byte, err error) []byte {
	if err != nil {
		panic(err)
	}
	return b
}

func readEntries(b []byte) (list []entry, err error) {
	z, err := gzip.NewReader(bytes.NewReader(b))
	if err != nil {
		return nil, err
	}
	t := tar.NewReader(z)
	for {
		h, err := t.Next()
		if errors.Is(err, io.EOF) {
			return list, nil
		}
		if err != nil {
			return nil, err
		}
		body, err := io.ReadAll(t)
		if err != nil {
			return nil, err
		}
		list = append(list, entry{*h, body})
	}
}

func archive(ts *testscript.TestScript, list []entry) []byte {
	var b bytes.Buffer
	z := gzip.NewWriter(&b)
	w := tar.NewWriter(z)
	for _, e := range list {
		ts.Check(w.WriteHeader(&e.Header))
		_, err := w.Write(e.body)
		ts.Check(err)
	}
	ts.Check(errors.Join(w.Close(), z.Close()))
	return b.Bytes()
}

func TestStateDir(t *testing.T) {
	for _, tt := range []struct {
		goos string
		env  map[string]string
		want string
	}{
		{"linux", map[string]string{"HOME": "/h"}, "/h/.local/state/plumbline"},
		{"linux", map[string]string{"HOME": "/h", "XDG_STATE_HOME": "/x"}, "/x/plumbline"},
		{"linux", map[string]string{"HOME": "/h", "XDG_STATE_HOME": "relative"}, "/h/.local/state/plumbline"},
		{"linux", map[string]string{"HOME": "/h", "PLUMBLINE_DATA": "/d"}, "/d"},
		{"darwin", map[string]string{"HOME": "/h", "XDG_STATE_HOME": "/x"}, "/h/Library/Application Support/plumbline"},
		{"windows", map[string]string{"HOME": "/h", "LocalAppData": "/l"}, "/l/plumbline"},
		{"linux", nil, ""}, {"darwin", nil, ""}, {"windows", nil, ""},
	} {
		got, err := stateDir(func(k string) string { return tt.env[k] }, tt.goos)
		if filepath.ToSlash(got) != tt.want || (err == nil) != (tt.want != "") {
			t.Errorf("stateDir on %s with %v = %q, %v; want %q", tt.goos, tt.env, got, err, tt.want)
		}
	}
}
