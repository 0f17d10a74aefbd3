package sessions_test

import (
	"bytes"
	"compress/flate"
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"flag"
	"fmt"
	"os"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"plumbline/bot"
	"plumbline/sessions"
)

var (
	noon   = time.Date(2026, 11, 30, 12, 0, 0, 0, time.UTC)
	update = flag.Bool("update", false, "write golden files anew")
)

const dictionary1Sum = "f8ba3b4f13bd955bd0d5a58622a6d43d7f852b4e20cb6547e42e31d5d5057f0d"

// filled returns a session in which nothing is zero.
func filled(t *testing.T) bot.Session {
	t.Helper()
	var s bot.Session
	n := 0
	var fill func(v reflect.Value)
	fill = func(v reflect.Value) {
		n++
		switch {
		case v.Type() == reflect.TypeFor[time.Time]():
			v.Set(reflect.ValueOf(noon.Add(time.Duration(n) * time.Millisecond)))
		case v.Kind() == reflect.String:
			v.SetString(fmt.Sprintf("%s %d ñ<&> \u2028", v.Type().Name(), n))
		case v.Kind() == reflect.Bool:
			v.SetBool(true)
		case v.CanInt():
			v.SetInt(int64(n))
		case v.Kind() == reflect.Slice:
			v.Set(reflect.MakeSlice(v.Type(), 2, 2))
			fill(v.Index(0))
			fill(v.Index(1))
		case v.Kind() == reflect.Pointer:
			v.Set(reflect.New(v.Type().Elem()))
			fill(v.Elem())
		case v.Kind() == reflect.Struct:
			for i := range v.NumField() {
				fill(v.Field(i))
			}
		default:
			t.Fatalf("a session holds a %s: teach the codec and this test", v.Type())
		}
	}
	fill(reflect.ValueOf(&s).Elem())
	return s
}

// A field that is added to a session is encoded too.
func TestCodecKeepsEveryField(t *testing.T) {
	want := filled(t)
	b, err := sessions.Encode(want)
	if err != nil {
		t.Fatal(err)
	}
	if got, err := sessions.Decode(b); err != nil || !reflect.DeepEqual(got, want) {
		t.Errorf("Decode(Encode(s)) = %+v, %v; want %+v", got, err, want)
	}
	var zero bot.Session
	b, err = sessions.Encode(zero)
	if got, err2 := sessions.Decode(b); err != nil || err2 != nil || !reflect.DeepEqual(got, zero) || len(b) > 16 {
		t.Errorf("of the zero session Decode(Encode(s)) = %+v, %v, %v by %d bytes", got, err, err2, len(b))
	}
}

// What this release writes the next must read: the golden file was written by
// the first release that wrote version 1 and is never written anew for it.
func TestCodecReadsVersion1(t *testing.T) {
	const file = "testdata/session1.hex"
	want := bot.Session{
		Language: bot.Spanish, Persona: "neighbor", Standing: "notice", Crisis: "fumes", CrisisAt: noon, Clarify: "?", // what, that release did not write
		Told:    bot.Reply{Text: "Salga de ahí.", Status: bot.Emergency},
		Pending: bot.Reply{Text: "Hierva 1 minuto.", More: []string{"uno", "dos"}, Why: []string{"w"}, Sources: []string{"s"}, Language: bot.Spanish, Status: bot.Answered, Answer: "id", Review: "r"},
		History: []bot.Exchange{{Asked: "¿cuánto?", Said: "1 minuto", Topic: "t", Chunks: []string{"a/b"}, At: noon}},
		Seen:    []string{"a/b", "a/c"},
	}
	dict, err := os.ReadFile("dictionary1.txt")
	if sum := fmt.Sprintf("%x", sha256.Sum256(dict)); err != nil || sum != dictionary1Sum {
		t.Errorf("dictionary1.txt has sum %s, %v; it never changes: make a new version with another", sum, err)
	}
	if *update {
		b, err := sessions.Encode(want)
		if err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, []byte(hex.EncodeToString(b)+"\n"), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	b, err := hex.DecodeString(strings.TrimSpace(string(text)))
	if err != nil {
		t.Fatal(err)
	}
	if got, err := sessions.Decode(b); err != nil || !reflect.DeepEqual(got, want) {
		t.Errorf("Decode of version 1 = %+v, %v; want %+v", got, err, want)
	}
}

func texts(n, size int) (list []string) {
	for range n {
		var b strings.Builder
		for b.Len() < size {
			b.WriteString(rand.Text())
		}
		list = append(list, b.String()[:size])
	}
	return list
}

// What does not fit goes in the order that Encode states.
func TestCodecDropsInOrder(t *testing.T) {
	exchanges := func(n int) (list []bot.Exchange) {
		for _, s := range texts(n, 250) {
			list = append(list, bot.Exchange{Asked: s})
		}
		return list
	}
	base := bot.Session{Language: bot.English, Persona: "plain", Pending: bot.Reply{Text: "answer"}, Told: bot.Reply{Text: "told"}}
	type counts struct{ history, seen, why, sources, more int }
	for _, tt := range []struct {
		name string
		s    func(*bot.Session)
		want func(c counts) bool
	}{
		{"Fits", func(s *bot.Session) {}, func(c counts) bool { return c == counts{4, 10, 1, 3, 3} }},
		{"OldExchangesFirst", func(s *bot.Session) { s.History = exchanges(12) }, func(c counts) bool {
			return c.history > 2 && c.history < 12 && c.seen == 10 && c.why == 1 && c.sources == 3 && c.more == 3
		}},
		{"ThenSeen", func(s *bot.Session) { s.Seen = texts(50, 80) }, func(c counts) bool {
			return c.history == 2 && c.seen > 0 && c.seen < 50 && c.why == 1 && c.sources == 3 && c.more == 3
		}},
		{"ThenWhy", func(s *bot.Session) { s.Pending.Why = texts(1, 3000) }, func(c counts) bool {
			return c == counts{2, 0, 0, 3, 3}
		}},
		{"ThenSources", func(s *bot.Session) { s.Pending.Sources = texts(10, 300) }, func(c counts) bool {
			return c.history == 2 && c.seen == 0 && c.why == 0 && c.sources >= 1 && c.sources < 10 && c.more == 3
		}},
		{"ThenMore", func(s *bot.Session) { s.Pending.More = texts(20, 300) }, func(c counts) bool {
			return c.history == 2 && c.seen == 0 && c.why == 0 && c.sources == 1 && c.more > 1 && c.more < 20
		}},
		{"ThenTheLastExchanges", func(s *bot.Session) { s.History = exchanges(2); s.History[0].Said = texts(1, 3500)[0] }, func(c counts) bool {
			return c == counts{1, 0, 0, 1, 0}
		}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			s := base
			s.History, s.Seen = exchanges(4), texts(10, 10)
			s.Pending.Why, s.Pending.Sources, s.Pending.More = texts(1, 20), texts(3, 20), texts(3, 100)
			tt.s(&s)
			before := fmt.Sprintf("%+v", s)
			b, err := sessions.Encode(s)
			if err != nil || len(b) > sessions.Budget {
				t.Fatalf("Encode = %d bytes, %v", len(b), err)
			}
			if fmt.Sprintf("%+v", s) != before {
				t.Error("Encode changes the session that it is given")
			}
			got, err := sessions.Decode(b)
			if err != nil {
				t.Fatal(err)
			}
			c := counts{len(got.History), len(got.Seen), len(got.Pending.Why), len(got.Pending.Sources), len(got.Pending.More)}
			if !tt.want(c) || got.Pending.Text != "answer" || got.Told.Text != "told" || got.Persona != "plain" {
				t.Errorf("kept %+v, %q, %q", c, got.Pending.Text, got.Told.Text)
			}
			if n := len(got.History); !reflect.DeepEqual(got.History, s.History[len(s.History)-n:]) && n > 0 {
				t.Error("the exchanges kept are not the last ones")
			}
			if n := len(got.Seen); n > 0 && !slices.Equal(got.Seen, s.Seen[len(s.Seen)-n:]) {
				t.Error("the chunks kept are not the last ones")
			}
			if !slices.Equal(got.Pending.More, s.Pending.More[:len(got.Pending.More)]) && len(got.Pending.More) > 0 {
				t.Error("what is kept of MORE is not its beginning")
			}
		})
	}
}

// Whatever a session holds, it is encoded within the budget, and decoded.
func TestCodecAlwaysFits(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		str := rapid.Custom(func(t *rapid.T) string {
			s := rapid.String().Draw(t, "text")
			return strings.Repeat(s, rapid.SampledFrom([]int{0, 1, 1, 1, 30, 4000}).Draw(t, "times"))
		})
		list := rapid.SliceOfN(str, 0, 30)
		rep := rapid.Custom(func(t *rapid.T) bot.Reply {
			return bot.Reply{Text: str.Draw(t, "reply"), More: list.Draw(t, "more"), Why: list.Draw(t, "why"), Sources: list.Draw(t, "sources"), Review: str.Draw(t, "review")}
		})
		s := bot.Session{
			Persona: str.Draw(t, "persona"), Crisis: bot.Route(str.Draw(t, "crisis")), Told: rep.Draw(t, "told"), Pending: rep.Draw(t, "pending"),
			Seen: list.Draw(t, "seen"), CrisisAt: time.UnixMilli(rapid.Int64().Draw(t, "at")),
		}
		for range rapid.IntRange(0, 12).Draw(t, "turns") {
			s.History = append(s.History, bot.Exchange{Asked: str.Draw(t, "asked"), Said: str.Draw(t, "said"), Chunks: list.Draw(t, "chunks")})
		}
		b, err := sessions.Encode(s)
		if err != nil || len(b) > sessions.Budget {
			t.Fatalf("Encode = %d bytes, %v", len(b), err)
		}
		if _, err := sessions.Decode(b); err != nil {
			t.Fatalf("Decode(Encode(s)): %v", err)
		}
	})
}

func TestDecodeRefuses(t *testing.T) {
	b, err := sessions.Encode(filled(t))
	if err != nil {
		t.Fatal(err)
	}
	later := bytes.Clone(b)
	later[0]++
	var bomb bytes.Buffer
	bomb.WriteByte(1)
	w, err := flate.NewWriter(&bomb, flate.BestCompression)
	if err != nil {
		t.Fatal(err)
	}
	_, _ = w.Write([]byte(`{"p":"` + strings.Repeat("a", 1<<24) + `"}`))
	_ = w.Close()
	for name, bad := range map[string][]byte{"nothing": nil, "version alone": {1}, "later version": later, "cut": b[:len(b)/2], "text": []byte("\x01hello"), "bomb": bomb.Bytes()} {
		if s, err := sessions.Decode(bad); !errors.Is(err, bot.ErrInvalid) || !reflect.DeepEqual(s, bot.Session{}) {
			t.Errorf("Decode of %s = %+v, %v; want ErrInvalid", name, s, err)
		}
	}
}

func FuzzDecode(f *testing.F) {
	b, err := sessions.Encode(bot.Session{Persona: "plain", History: []bot.Exchange{{Asked: "x", At: noon}}})
	if err != nil {
		f.Fatal(err)
	}
	f.Add(b)
	f.Add([]byte{})
	f.Add([]byte{1, 0})
	f.Fuzz(func(t *testing.T, b []byte) {
		s, err := sessions.Decode(b)
		if err != nil {
			if !errors.Is(err, bot.ErrInvalid) {
				t.Errorf("Decode = %v, want ErrInvalid", err)
			}
			return
		}
		again, err := sessions.Encode(s)
		if err != nil || len(again) > sessions.Budget {
			t.Errorf("Encode of what was decoded = %d bytes, %v", len(again), err)
		}
	})
}
