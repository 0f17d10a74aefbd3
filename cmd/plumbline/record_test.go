package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"testing"
	"time"

	"plumbline/bot"
	"plumbline/internal/lockfile"
)

// Questions that give away who asks, answered by the real pipeline, leave
// nothing of that on disk; and what we told the dev questions is recorded as it
// was told, public numbers and all.
func TestRecordOfRealAnswers(t *testing.T) {
	a := devApp(t)
	p, err := a.Answerer()
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	st, err := a.openState(dir, lockfile.Shared)
	if err != nil {
		t.Fatal(err)
	}
	var traces, rows int
	ask := func(id, text string, history []bot.Exchange) (bot.Answer, bot.TurnRecord) {
		t.Helper()
		ans, err := p.Answer(t.Context(), bot.Question{ID: id, Text: text, AsOf: devDate, History: history, At: devDate})
		if err != nil {
			t.Fatal(err)
		}
		o := bot.Outcome{Answer: &ans, Replies: []bot.Reply{ans.Reply}, Remember: func(s *bot.Session) error {
			s.Pending = ans.Reply
			s.History = append(s.History, bot.Exchange{Asked: text, Said: ans.Reply.Text, At: time.Now()})
			return nil
		}}
		if err := finish(t.Context(), st, bot.Message{ID: id, From: caller, Text: text}, o); err != nil {
			t.Fatal(err)
		}
		r, err := st.Store.Turn(t.Context(), id)
		if err != nil {
			t.Fatal(err)
		}
		return ans, r
	}

	secrets := []string{"keziah", "okonkwo", "fernwood", "5550147", "555-0147", "555 0147", "example.org", "140 metro", "herbert", "hoover", "9735550100"}
	var read bytes.Buffer
	var before string
	for i, text := range []string{
		"My name is Keziah Okonkwo. is lead bad for my baby",
		"my name is keziah okonkwo, we live at 48 Fernwood Terrace, my water is brown is it lead",
		"call me 862-555-0147 how do i get a free filter",
		"862 555 0147 is my cell. do i have a lead pipe at 48 fernwood terrace apt 3",
		"me llamo Keziah Okonkwo, mi numero es 8625550147, cuanto tiempo hiervo el agua",
		"email keziah@example.org the results please, and is boiling enough for lead",
		"my name is Herbert Hoover and we are at 140 metro park suite a rochester ny 14623. May I flush the lead line in March?",
		"my kid keziah drank bleach, we are at 48 Fernwood Terrace, 862-555-0147",
	} {
		var history []bot.Exchange
		if before != "" {
			history = []bot.Exchange{{Asked: before, At: devDate}}
		}
		_, r := ask(fmt.Sprint("planted-", i), text, history)
		b, err := json.Marshal(r)
		if err != nil {
			t.Fatal(err)
		}
		read.Write(b)
		before = text
	}
	for _, s := range secrets {
		if s == "keziah" {
			continue // "my kid keziah" gives no name by its form: see internal/redact
		}
		if at := bytes.Index(bytes.ToLower(read.Bytes()), []byte(s)); at >= 0 {
			t.Errorf("the record holds %q: ...%s...", s, read.Bytes()[max(0, at-80):at+40])
		}
	}
	for _, suffix := range []string{"", "-wal", "-shm"} {
		b, err := os.ReadFile(filepath.Join(dir, databaseFile+suffix))
		if err != nil {
			t.Fatal(err)
		}
		for _, s := range secrets[1:] {
			if bytes.Contains(bytes.ToLower(b), []byte(s)) {
				t.Errorf("%s holds %q", databaseFile+suffix, s)
			}
		}
	}

	for _, q := range devQuestions(t, "questions-dev.jsonl") {
		ans, r := ask(q.ID, q.Text, nil)
		if !slices.Equal(r.Said, []string{ans.Reply.Text}) {
			t.Errorf("%s is recorded as answered %q, want %q", q.ID, r.Said, ans.Reply.Text)
		}
		if !reflect.DeepEqual(r.Detail.More, ans.Reply.More) && len(ans.Reply.More) > 0 {
			t.Errorf("%s is recorded with MORE %q, want %q", q.ID, r.Detail.More, ans.Reply.More)
		}
		for i, c := range r.Detail.Claims {
			if c.Text != ans.Claims[i].Text || !reflect.DeepEqual(c.Evidence, ans.Claims[i].Evidence) {
				t.Errorf("%s is recorded with claim %+v, want %+v", q.ID, c, ans.Claims[i])
			}
		}
		b, err := json.Marshal(r)
		if err != nil {
			t.Fatal(err)
		}
		traces += len(b)
		rows++
	}
	if err := st.Close(); err != nil {
		t.Fatal(err)
	}
	info, err := os.Stat(filepath.Join(dir, databaseFile))
	if err != nil {
		t.Fatal(err)
	}
	t.Logf("%d turns: %d bytes of JSON each, a database of %d bytes", rows, traces/rows, info.Size())
}

// Recording one turn of a real answer, and a session beside it.
func BenchmarkRecord(b *testing.B) {
	a := &app{ctx: b.Context(), std: stdio{Out: b.Output(), Err: b.Output()}, getenv: func(string) string { return "" }, globals: globals{AsOf: day{devDate}}}
	p, err := a.Answerer()
	if err != nil {
		b.Fatal(err)
	}
	ans, err := p.Answer(b.Context(), bot.Question{ID: "q", Text: "my name is Keziah Okonkwo, my water is brown is my baby ok??", AsOf: devDate})
	if err != nil {
		b.Fatal(err)
	}
	st, err := a.openState(b.TempDir(), lockfile.Shared)
	if err != nil {
		b.Fatal(err)
	}
	defer st.Close()
	i := 0
	for b.Loop() {
		i++
		copied := ans
		copied.ID = fmt.Sprint("a", i)
		if err := finish(b.Context(), st, bot.Message{ID: fmt.Sprint("m", i), From: caller, Text: "my name is Keziah Okonkwo, my water is brown is my baby ok??"}, bot.Outcome{Answer: &copied}); err != nil {
			b.Fatal(err)
		}
	}
}
