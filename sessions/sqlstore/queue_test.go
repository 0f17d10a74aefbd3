package sqlstore_test

import (
	"bytes"
	"database/sql"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"testing"
	"time"

	"plumbline/bot"
	"plumbline/sessions/keyring"
	"plumbline/sessions/queuetest"
	"plumbline/sessions/sqlstore"
)

// openAt opens file, at a clock, and closes it with the test.
func openAt(t testing.TB, file string, now func() time.Time, keys *keyring.Ring) *sqlstore.Store {
	t.Helper()
	s, err := sqlstore.Open(t.Context(), file, sqlstore.Options{Keys: keys, Now: now, Redact: func(string) string { return "[TEXT]" }})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := s.Close(); err != nil {
			t.Errorf("Close: %v", err)
		}
	})
	return s
}

func TestQueue(t *testing.T) {
	queuetest.Run(t, func(t *testing.T, now func() time.Time) queuetest.Store {
		return openAt(t, filepath.Join(t.TempDir(), "p.db"), now, keyring.New(noon))
	})
}

// raw opens the file beside the store, to see what stands in it.
func raw(t *testing.T, file string) *sql.DB {
	t.Helper()
	db, err := sql.Open("sqlite", file)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = db.Close() })
	return db
}

// rows runs a query and returns each row's columns, printed.
func rows(t *testing.T, db *sql.DB, query string) (list []string) {
	t.Helper()
	r, err := db.QueryContext(t.Context(), query)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = r.Close() }()
	for r.Next() {
		var s string
		if err := r.Scan(&s); err != nil {
			t.Fatal(err)
		}
		list = append(list, s)
	}
	if err := r.Err(); err != nil {
		t.Fatal(err)
	}
	return list
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

const annHash = "hash-of-ann"

// one has ann's message taken in and handed out.
func one(t *testing.T, s *sqlstore.Store, id, text string, word bot.Word) bot.Job {
	t.Helper()
	m := bot.Message{ID: id, From: bot.Address{Channel: "sms", User: "+12015550123"}, Text: text, At: noon}
	if r, err := s.Put(t.Context(), annHash, bot.Arrival{Message: m, Word: word}); r != bot.Queued || err != nil {
		t.Fatalf("Put = %q, %v, want queued", r, err)
	}
	j, err := s.Next(t.Context(), bot.Lease{Owner: "w", Now: noon, Until: noon.Add(time.Minute)})
	must(t, err)
	return j
}

func takeOne(t *testing.T, s *sqlstore.Store) bot.Delivery {
	t.Helper()
	d, err := s.Take(t.Context(), []string{"sms"}, bot.Lease{Owner: "w", Now: noon, Until: noon.Add(time.Minute)})
	must(t, err)
	return d
}

// TestWordsAreSealedAndDropped looks for words and numbers in the files while
// they are needed, and for what was sealed in the rows once they are not. What
// the record keeps, redacted, is another matter.
func TestWordsAreSealedAndDropped(t *testing.T) {
	file := filepath.Join(t.TempDir(), "p.db")
	s := openAt(t, file, func() time.Time { return noon }, keyring.New(noon))
	db := raw(t, file)
	const query = `SELECT (SELECT count(*) FROM inbox WHERE message IS NOT NULL) || ' ' || (SELECT count(*) FROM outbox WHERE content IS NOT NULL)`
	step := func(what, want string, words ...string) {
		t.Helper()
		for _, name := range []string{file, file + "-wal"} {
			b, err := os.ReadFile(name)
			must(t, err)
			for _, secret := range append(words, "5550123") {
				if bytes.Contains(b, []byte(secret)) {
					t.Errorf("after %s %q stands in %s", what, secret, filepath.Base(name))
				}
			}
		}
		if got := rows(t, db, query); got[0] != want {
			t.Errorf("after %s inbox and outbox hold %s texts, want %s", what, got[0], want)
		}
	}
	j := one(t, s, "m1", "it is brownish", bot.WordNone)
	step("Next", "1 0", "brownish")
	must(t, s.Finish(t.Context(), j, bot.Outcome{Replies: []bot.Reply{{Text: "reply"}, {Text: "reply"}}}))
	step("Finish", "0 2")
	must(t, s.Accept(t.Context(), takeOne(t, s), "V"))
	step("Accept", "0 1")
	must(t, s.Fail(t.Context(), takeOne(t, s), "no such number"))
	step("Fail", "0 0")
	must(t, s.Finish(t.Context(), one(t, s, "m2", "it is brownish", bot.WordNone), bot.Outcome{Parked: "why"}))
	step("parking", "1 0")
	must(t, s.Finish(t.Context(), one(t, s, "m3", "STOP", bot.WordStop), bot.Outcome{Consent: bot.OptOut, Despite: true, Replies: []bot.Reply{{Text: "x"}}}))
	step("STOP", "1 1")
	must(t, s.Finish(t.Context(), one(t, s, "m4", "q", bot.WordNone), bot.Outcome{Replies: []bot.Reply{{Text: "to one who opted out"}}}))
	step("a reply to one who opted out", "1 1")
	must(t, s.Post(t.Context(), bot.Delivery{Key: "k", Person: "bob", To: bot.Address{Channel: "sms", User: "+12015550123"}, Text: "Burble"}))
	step("Post", "1 2", "Burble")
}

// TestForgetLeavesNoName looks for the person in every table after FORGET and
// once its confirmation was sent.
func TestForgetLeavesNoName(t *testing.T) {
	file := filepath.Join(t.TempDir(), "p.db")
	s := openAt(t, file, func() time.Time { return noon }, keyring.New(noon))
	db := raw(t, file)
	named := func() (list []string) {
		for _, table := range rows(t, db, "SELECT m.name FROM sqlite_master m JOIN pragma_table_info(m.name) c WHERE m.type = 'table' AND c.name = 'person' ORDER BY 1") {
			n := rows(t, db, "SELECT count(*) FROM "+table+" WHERE person = '"+annHash+"'")[0]
			if n != "0" {
				list = append(list, table+" "+n)
			}
		}
		return list
	}
	remember := func(s *bot.Session) error { s.Persona = "p"; return nil }
	stop := bot.Outcome{Consent: bot.OptOut, Despite: true, Told: true, Remember: remember, Replies: []bot.Reply{{Text: "you are out"}}}
	must(t, s.Finish(t.Context(), one(t, s, "m1", "STOP", bot.WordStop), stop))
	must(t, s.Finish(t.Context(), one(t, s, "m2", "START", bot.WordStart), bot.Outcome{Consent: bot.OptIn}))
	must(t, s.Finish(t.Context(), one(t, s, "m3", "FORGET", bot.WordForget), bot.Outcome{Forget: true, Remember: remember, Replies: []bot.Reply{{Text: "done"}}}))
	for range 2 {
		must(t, s.Accept(t.Context(), takeOne(t, s), ""))
	}
	if got, want := named(), []string{"consent 2"}; !slices.Equal(got, want) {
		t.Errorf("rows that name a person who was forgotten: %q, want %q", got, want)
	}
	const ledger = "SELECT decision || ' ' || cause || ' ' || channel || ' ' || at FROM consent ORDER BY seq"
	if got, want := rows(t, db, ledger), []string{"opt_out stop sms 1796040000000", "opt_in start sms 1796040000000"}; !slices.Equal(got, want) {
		t.Errorf("ledger = %q, want %q", got, want)
	}
	// Who opted out keeps that, and nothing else.
	must(t, s.Finish(t.Context(), one(t, s, "m4", "STOP", bot.WordStop), bot.Outcome{Consent: bot.OptOut, Despite: true, Told: true, Forget: true}))
	const people = "SELECT person || channel || (address IS NULL) || told || opted_out || (blocked_why IS NULL) || blocked_until || turn || seen FROM people"
	if got, want := rows(t, db, people), []string{annHash + "10110" + "00"}; !slices.Equal(got, want) {
		t.Errorf("people = %q, want %q", got, want)
	}
}

// TestUnreadableIsGivenUp takes away the key that sealed a message and a text:
// others are handed out all the same.
func TestUnreadableIsGivenUp(t *testing.T) {
	file := filepath.Join(t.TempDir(), "p.db")
	s := openAt(t, file, func() time.Time { return noon }, keyring.New(noon))
	db := raw(t, file)
	j := one(t, s, "m0", "zero", bot.WordNone)
	must(t, s.Finish(t.Context(), j, bot.Outcome{Replies: []bot.Reply{{Text: "lost"}, {Text: "kept"}}}))
	m := bot.Message{ID: "m1", From: bot.Address{Channel: "sms", User: "+12015550123"}, Text: "lost"}
	_, err := s.Put(t.Context(), annHash, bot.Arrival{Message: m})
	must(t, err)
	_, err = db.ExecContext(t.Context(), "UPDATE inbox SET message = x'00000009' || message WHERE message IS NOT NULL")
	must(t, err)
	_, err = db.ExecContext(t.Context(), "UPDATE outbox SET content = x'00000009' || content WHERE seq = 1")
	must(t, err)
	if got := one(t, s, "m2", "kept", bot.WordNone); got.Message.Text != "kept" {
		t.Errorf("Next = %q, want kept", got.Message.Text)
	}
	if got := takeOne(t, s); got.Text != "kept" {
		t.Errorf("Take = %q, want kept", got.Text)
	}
	list, err := s.Parked(t.Context())
	if err != nil || len(list) != 1 || list[0].Person != annHash || list[0].Why == "" {
		t.Errorf("Parked = %+v, %v, want the message that cannot be read", list, err)
	}
	if got := rows(t, db, "SELECT state || ' ' || (why <> '') FROM outbox WHERE seq = 1"); got[0] != "failed 1" {
		t.Errorf("the text that cannot be read is %q, want failed, with a reason", got)
	}
}

func TestBlocks(t *testing.T) {
	now := noon
	s := openAt(t, filepath.Join(t.TempDir(), "p.db"), func() time.Time { return now }, keyring.New(noon))
	for _, b := range []sqlstore.Block{{"cyd", "abuse", noon.Add(time.Hour)}, {"ann", "old", time.Time{}}, {"bob", "spam", noon.Add(time.Minute)}, {"ann", "abuse", time.Time{}}, {"dan", "x", time.Time{}}} {
		must(t, s.Block(t.Context(), b.Person, b.Why, b.Until))
	}
	must(t, s.Unblock(t.Context(), "dan"))
	must(t, s.Unblock(t.Context(), "nobody"))
	now = noon.Add(time.Minute)
	got, err := s.Blocks(t.Context())
	want := []sqlstore.Block{{"ann", "abuse", time.Time{}}, {"cyd", "abuse", noon.Add(time.Hour)}}
	if err != nil || !slices.Equal(got, want) {
		t.Errorf("Blocks = %v, %v, want %v", got, err, want)
	}
}

// TestTwoProcesses has two stores on one file hand out each message once.
func TestTwoProcesses(t *testing.T) {
	file := filepath.Join(t.TempDir(), "p.db")
	keys := keyring.New(noon)
	a, b := openAt(t, file, time.Now, keys), openAt(t, file, time.Now, keys)
	const messages = 200
	queuetest.Fill(t, a, messages)
	var mu sync.Mutex
	got := map[string]int{}
	var wg sync.WaitGroup
	for _, s := range []*sqlstore.Store{a, b, a, b} {
		wg.Go(func() {
			for {
				now := time.Now()
				j, err := s.Next(t.Context(), bot.Lease{Now: now, Until: now.Add(time.Minute)})
				if errors.Is(err, bot.ErrNotFound) {
					return
				}
				if err == nil {
					err = s.Finish(t.Context(), j, bot.Outcome{})
				}
				if err != nil {
					t.Errorf("answer: %v", err)
					return
				}
				mu.Lock()
				got[j.Message.ID]++
				mu.Unlock()
			}
		})
	}
	wg.Wait()
	for id, n := range got {
		if n != 1 {
			t.Errorf("%s was answered %d times", id, n)
		}
	}
	if len(got) != messages {
		t.Errorf("%d messages were answered, want %d", len(got), messages)
	}
}
