package sqlstore_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"plumbline/bot"
	"plumbline/sessions/keyring"
	"plumbline/sessions/sqlstore"
)

// planted is what one person wrote, and what of it must be nowhere.
const planted = "Hi, my name is Keziah Okonkwo, I live at 48 Fernwood Terrace apt 3B. The city line 973-733-3654 said 15 ppb, call me on 862-555-0147 or mail keziah.ok@example.org"

var secrets = []string{"keziah", "okonkwo", "fernwood", "48 f", "555-0147", "5550147", "862-555", "example.org", "19735550100", "9735550100"}

// leaks returns the secrets that b holds.
func leaks(b []byte) (found []string) {
	low := bytes.ToLower(b)
	for _, s := range secrets {
		if bytes.Contains(low, []byte(s)) {
			found = append(found, s)
		}
	}
	return found
}

// fill puts text into every string that a turn's detail could hold of a
// person's words.
func fill(v reflect.Value, text string, told bool) {
	switch v.Kind() {
	case reflect.String:
		if v.Type() == reflect.TypeFor[string]() {
			v.SetString(text)
		}
	case reflect.Pointer:
		v.Set(reflect.New(v.Type().Elem()))
		fill(v.Elem(), text, told)
	case reflect.Slice:
		v.Set(reflect.MakeSlice(v.Type(), 2, 2))
		fill(v.Index(0), text, told)
		fill(v.Index(1), text, told)
	case reflect.Struct:
		for i := range v.NumField() {
			f := v.Type().Field(i)
			if f.IsExported() && !sqlstore.Ours(v.Type(), f.Name) && (told || !sqlstore.Told(v.Type(), f.Name)) {
				fill(v.Field(i), text, told)
			}
		}
	}
}

func answer(t *testing.T, text string, told bool) *bot.Answer {
	t.Helper()
	var d bot.TurnDetail
	fill(reflect.ValueOf(&d).Elem(), text, told)
	d.Trace.Variant, d.Trace.Versions = bot.DiagExplicit, map[string]string{"binary": "v1"}
	return &bot.Answer{
		ID: "a1", Status: bot.Answered, Route: "formula", Language: bot.English, Persona: "plain", Strategy: bot.Causal, Pack: "p",
		Claims: d.Claims, Limitations: d.Limitations, Gaps: d.Gaps, Chunks: d.Chunks, Trace: d.Trace, Reply: bot.Reply{More: d.More},
	}
}

// Nothing that a person wrote of themselves is on disk, in whatever field of an
// answer it went round; what the pack says is.
func TestRecordIsRedacted(t *testing.T) {
	dir := t.TempDir()
	file := filepath.Join(dir, "record.db")
	s := openFile(t, file, options())
	person := s.Keys().Person(annAt)
	onDisk := func(when string) {
		t.Helper()
		for _, suffix := range []string{"", "-wal", "-shm"} {
			b, err := os.ReadFile(file + suffix)
			if err != nil && !errors.Is(err, os.ErrNotExist) {
				t.Fatal(err)
			}
			if found := leaks(b); found != nil {
				t.Errorf("%s %s holds %q", when, filepath.Base(file)+suffix, found)
			}
		}
	}
	for i, text := range []string{
		planted, strings.ToLower(planted), "okonkwo", "OKONKWO, keziah", "Okonkwó", "862 555 0147", "8625550147", "of keziah ok example.org", "terrace fernwood", "48 fernwood",
		"unknown words: fernwood okonkwo; +19735550100",
	} {
		o := bot.Outcome{
			Answer: answer(t, text, i < 2), Review: "asked for " + text, Parked: text,
			Replies: []bot.Reply{{Text: "Dear " + planted, Review: text}, {Text: "Call 973-733-3654."}},
		}
		o.Answer.ID = fmt.Sprint("a", i)
		j := bot.Job{Seq: int64(i), Person: person, Message: bot.Message{ID: fmt.Sprint("m", i), From: annAt, Text: planted}, Received: noon}
		if err := s.Record(t.Context(), j, o); err != nil {
			t.Fatal(err)
		}
		r, err := s.Turn(t.Context(), o.Answer.ID)
		if err != nil {
			t.Fatal(err)
		}
		b, err := json.Marshal(r)
		if err != nil {
			t.Fatal(err)
		}
		if found := leaks(b); found != nil {
			t.Errorf("the record of %q holds %q: %s", text, found, b)
		}
		if want := "Hi, my name is [NAME], I live at [ADDRESS]. The city line 973-733-3654 said 15 ppb, call me on [PHONE] or mail [EMAIL]"; r.Asked != want {
			t.Errorf("asked = %q, want %q", r.Asked, want)
		}
		if len(r.Said) != 2 || r.Said[1] != "Call 973-733-3654." {
			t.Errorf("said = %q, want the pack's number kept", r.Said)
		}
	}
	onDisk("after recording")
	if e, err := s.Erase(t.Context(), []string{person}); err != nil || e["turns"] != 11 {
		t.Errorf("Erase = %v, %v; want 11 turns", e, err)
	}
	onDisk("after erasing")
	if b, err := os.ReadFile(file); err != nil || bytes.Contains(b, []byte("The city line")) {
		t.Errorf("what was erased is still in the file (%v)", err)
	}
	if b, err := os.ReadFile(file + "-wal"); err == nil && bytes.Contains(b, []byte("The city line")) {
		t.Error("what was erased is still in the log")
	}
}

// What a person is called does not change what we told them.
func TestRecordKeepsWhatWasSaid(t *testing.T) {
	s := open(t)
	said := "A rose may be watered: Newark says 15 ppb on Oak Street. Call 973-733-3654."
	a := &bot.Answer{ID: "a", Claims: []bot.Claim{{Text: said, Evidence: []bot.Evidence{{Quote: said}}}}, Trace: &bot.Trace{
		Question: "my name is Mary Rose, can i water roses", Understood: &bot.Understanding{Parts: []bot.Part{{Standalone: "mary rose water roses", FromTurn: "my name is Zelda Quist, and u07annak asks"}}},
	}}
	j := bot.Job{Message: bot.Message{ID: "m", From: bot.Address{Channel: "slack", User: "U07ANNAK"}, Text: "my name is Mary Rose, can i water roses"}}
	if err := s.Record(t.Context(), j, bot.Outcome{Answer: a, Replies: []bot.Reply{{Text: said}}}); err != nil {
		t.Fatal(err)
	}
	r, err := s.Turn(t.Context(), "a")
	if err != nil {
		t.Fatal(err)
	}
	if r.Said[0] != said || r.Detail.Claims[0].Text != said || r.Detail.Claims[0].Evidence[0].Quote != said {
		t.Errorf("said %q, claim %+v; want %q", r.Said, r.Detail.Claims, said)
	}
	if got := r.Detail.Trace.Understood.Parts[0].Standalone; got != "[NAME] water roses" {
		t.Errorf("the question made to stand alone is %q, want %q", got, "[NAME] water roses")
	}
	if got := r.Detail.Trace.Understood.Parts[0].FromTurn; got != "my name is [NAME], and [ADDRESS] asks" {
		t.Errorf("what an earlier turn gave is %q; want the name and the user taken out", got)
	}
	if a.Trace.Understood.Parts[0].Standalone != "mary rose water roses" {
		t.Error("recording changes the answer that it is given")
	}
}

func TestRecordReadsBack(t *testing.T) {
	s := open(t)
	a := answer(t, "plain words", true)
	j := bot.Job{Seq: 1, Person: "p", Word: bot.WordNone, Received: noon.Add(-time.Second), Message: bot.Message{ID: "m", From: annAt, Text: "is lead bad"}}
	if err := s.Record(t.Context(), j, bot.Outcome{Answer: a, Replies: []bot.Reply{{Text: "yes"}}, Review: "look"}); err != nil {
		t.Fatal(err)
	}
	r, err := s.Turn(t.Context(), "a1")
	if err != nil {
		t.Fatal(err)
	}
	trace := *a.Trace
	trace.Answer = "a1"
	want := bot.TurnRecord{
		ID: "a1", Person: "p", Channel: "sms", Received: noon.Add(-time.Second), Finished: noon, Asked: "is lead bad", Said: []string{"yes"},
		Status: bot.Answered, Route: "formula", Language: bot.English, Persona: "plain", Strategy: bot.Causal, Variant: bot.DiagExplicit, Pack: "p", Review: "look",
		Detail: &bot.TurnDetail{More: a.Reply.More, Claims: a.Claims, Limitations: a.Limitations, Gaps: a.Gaps, Chunks: a.Chunks, Trace: &trace},
	}
	if !reflect.DeepEqual(r, want) {
		t.Errorf("Turn = %+v\nwant %+v", r, want)
	}
	if _, err := s.Turn(t.Context(), "none"); !errors.Is(err, bot.ErrNotFound) {
		t.Errorf("Turn of none = %v, want ErrNotFound", err)
	}

	// A word that needs no answer; an id that another channel has used; one
	// that holds the address; a turn of someone who asks to be forgotten.
	record := func(j bot.Job, o bot.Outcome) {
		t.Helper()
		if err := s.Record(t.Context(), j, o); err != nil {
			t.Errorf("record: %v", err)
		}
	}
	j = bot.Job{Seq: 2, Person: "p", Word: bot.WordMore, Message: bot.Message{ID: "a1", From: bot.Address{Channel: "web", User: "u"}, Text: "MORE"}}
	record(j, bot.Outcome{Replies: []bot.Reply{{Text: "more", Language: bot.Spanish, Status: bot.Answered}}})
	record(j, bot.Outcome{}) // the same job again
	record(bot.Job{Seq: 3, Person: "p", Message: bot.Message{ID: "wamid." + annAt.User, From: annAt}}, bot.Outcome{})
	record(bot.Job{Seq: 4, Person: "p", Word: bot.WordForget, Message: bot.Message{ID: "m4", From: annAt}}, bot.Outcome{Forget: true})
	list, err := s.Turns(t.Context(), bot.TurnFilter{})
	if err != nil || len(list) != 3 {
		t.Fatalf("Turns = %d, %v; want 3", len(list), err)
	}
	for _, r := range list {
		if leaks([]byte(r.ID)) != nil || r.Detail != nil {
			t.Errorf("the list has %+v; want no address and no detail", r)
		}
	}
	if r, err := s.Turn(t.Context(), "a1@web-2"); err != nil || r.Word != bot.WordMore || r.Language != bot.Spanish || r.Detail != nil || r.Said[0] != "more" {
		t.Errorf("the turn of MORE = %+v, %v", r, err)
	}
}

func TestTurns(t *testing.T) {
	o := options()
	now := noon
	o.Now = func() time.Time { return now }
	s := openFile(t, filepath.Join(t.TempDir(), "turns.db"), o)
	var all []string // the last first
	for i := range 30 {
		now = noon.Add(time.Duration(i/2) * time.Minute) // two at a time
		a := &bot.Answer{ID: fmt.Sprintf("t%02d", i), Status: bot.Answered, Trace: &bot.Trace{Question: "q"}}
		if i%3 == 0 {
			a.Status, a.Route = bot.Emergency, "fumes"
		}
		out := bot.Outcome{Answer: a}
		if i%5 == 0 {
			out.Review = "look"
		}
		if err := s.Record(t.Context(), bot.Job{Person: fmt.Sprint("p", i%2), Message: bot.Message{ID: a.ID, From: annAt}}, out); err != nil {
			t.Fatal(err)
		}
		all = slices.Insert(all, 0, a.ID)
	}
	pick := func(keep func(i int) bool) (ids []string) {
		for i := 29; i >= 0; i-- {
			if keep(i) {
				ids = append(ids, fmt.Sprintf("t%02d", i))
			}
		}
		return ids
	}
	for _, tt := range []struct {
		name string
		f    bot.TurnFilter
		want []string
	}{
		{"All", bot.TurnFilter{}, all},
		{"Limit", bot.TurnFilter{Limit: 4}, all[:4]},
		{"Person", bot.TurnFilter{Person: "p1"}, pick(func(i int) bool { return i%2 == 1 })},
		{"Status", bot.TurnFilter{Status: bot.Emergency}, pick(func(i int) bool { return i%3 == 0 })},
		{"Route", bot.TurnFilter{Route: "fumes", Person: "p0"}, pick(func(i int) bool { return i%6 == 0 })},
		{"Review", bot.TurnFilter{Review: true}, pick(func(i int) bool { return i%5 == 0 })},
		{"Since", bot.TurnFilter{Since: noon.Add(10 * time.Minute)}, pick(func(i int) bool { return i >= 20 })},
		{"Until", bot.TurnFilter{Until: noon.Add(10 * time.Minute)}, pick(func(i int) bool { return i < 20 })},
		{"None", bot.TurnFilter{Person: "nobody"}, nil},
	} {
		t.Run(tt.name, func(t *testing.T) {
			list, err := s.Turns(t.Context(), tt.f)
			if got := turnIDs(list); err != nil || !slices.Equal(got, tt.want) {
				t.Errorf("Turns(%+v) = %q, %v; want %q", tt.f, got, err, tt.want)
			}
		})
	}
	var got []string
	f := bot.TurnFilter{Limit: 7, Detail: true}
	for {
		list, err := s.Turns(t.Context(), f)
		if err != nil {
			t.Fatal(err)
		}
		if len(list) == 0 {
			break
		}
		if list[0].Detail == nil || list[0].Detail.Trace.Question != "q" {
			t.Errorf("a turn with detail has %+v", list[0].Detail)
		}
		got = append(got, turnIDs(list)...)
		f.Before = got[len(got)-1]
	}
	if !slices.Equal(got, all) {
		t.Errorf("page by page %q, want %q", got, all)
	}
	if _, err := s.Turns(t.Context(), bot.TurnFilter{Before: "none"}); !errors.Is(err, bot.ErrNotFound) {
		t.Errorf("Turns before none = %v, want ErrNotFound", err)
	}
	c, err := s.Conversations(t.Context(), 10)
	if err != nil || len(c) != 2 || c[0].Turns != 15 || c[0].Review != 3 || c[0].Channel != "sms" || c[0].Remembered || !c[0].Last.Equal(now) {
		t.Errorf("Conversations = %+v, %v", c, err)
	}
}

func turnIDs(list []bot.TurnRecord) (ids []string) {
	for _, r := range list {
		ids = append(ids, r.ID)
	}
	return ids
}

func TestSnapshot(t *testing.T) {
	dir := t.TempDir()
	o := options()
	s := openFile(t, filepath.Join(dir, "a.db"), o)
	if err := s.Update(t.Context(), "k", func(s *bot.Session) error { s.Persona = "plain"; return nil }); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	done := make(chan error, 1)
	go func() { // someone writes all the while
		var err error
		for ctx.Err() == nil && err == nil {
			err = s.Update(t.Context(), "other", func(s *bot.Session) error { s.Seen = append(s.Seen, "x"); return nil })
		}
		done <- err
	}()
	copied := filepath.Join(dir, "it's a copy.db")
	if err := s.Snapshot(t.Context(), copied); err != nil {
		t.Fatal(err)
	}
	cancel()
	if err := <-done; err != nil {
		t.Errorf("a change during a snapshot: %v", err)
	}
	if info, err := os.Stat(copied); err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("the copy has mode %v, %v; want 0600", info.Mode(), err)
	}
	if err := s.Snapshot(t.Context(), copied); err == nil {
		t.Error("a snapshot replaces a file")
	}
	c := openFile(t, copied, o)
	if err := c.Check(t.Context()); err != nil {
		t.Error(err)
	}
	if got, err := c.Load(t.Context(), "k"); err != nil || got.Persona != "plain" {
		t.Errorf("Load from the copy = %q, %v; want plain", got.Persona, err)
	}
}

// A database is not opened with the keys of another: persons would have other
// names, and who opted out would not be known.
func TestOpenRefusesOtherKeys(t *testing.T) {
	file := filepath.Join(t.TempDir(), "keys.db")
	o := options()
	if err := openFile(t, file, o).Close(); err != nil {
		t.Fatal(err)
	}
	o.Keys = keyring.New(noon)
	if _, err := sqlstore.Open(t.Context(), file, o); !errors.Is(err, bot.ErrInvalid) || !strings.Contains(err.Error(), "backup") {
		t.Errorf("Open with other keys = %v, want ErrInvalid and what to do", err)
	}
}
