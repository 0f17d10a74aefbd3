package sessions

import (
	"bytes"
	"compress/flate"
	_ "embed"
	"encoding/json"
	"fmt"
	"io"
	"slices"
	"strings"
	"sync"
	"time"

	"plumbline/bot"
)

// Budget is the most bytes of an encoded session.
const Budget = 2048

// maxPlain is the most bytes of a session before compression: what compresses
// well must not be a burden when it is read.
const maxPlain = 32 << 10

// The first byte of an encoded session says how to read the rest. A release
// reads the versions of those before it; what a later one wrote is ErrInvalid.
const version1 = 1 // JSON with short names, deflated with dictionary1

// dictionary1 is text like that of sessions, which deflate refers to. It is
// part of version 1 and never changes: another text is another version.
//
//go:embed dictionary1.txt
var dictionary1 []byte

// A stored is a session as version 1 writes it. Fields may be added; their
// names stay.
type stored struct {
	Language bot.Language `json:"l,omitempty"`
	Choice   bot.Language `json:"k,omitempty"`
	Persona  string       `json:"p,omitempty"`
	Standing bot.Route    `json:"r,omitempty"`
	Crisis   bot.Route    `json:"c,omitempty"`
	CrisisAt int64        `json:"t,omitempty"`
	Clarify  bool         `json:"q,omitempty"` // something was asked back
	Back     string       `json:"b,omitempty"` // what
	Pack     string       `json:"g,omitempty"`
	Offer    *storedOffer `json:"f,omitempty"`
	Told     storedReply  `json:"d,omitzero"`
	Pending  storedReply  `json:"n,omitzero"`
	History  []storedTurn `json:"h,omitempty"`
	Seen     []string     `json:"s,omitempty"`
}

type storedOffer struct {
	Pack  string   `json:"g,omitempty"`
	Words []string `json:"w,omitempty"`
}

// unnamed is what was asked back by a release that did not write what.
const unnamed = "?"

type storedReply struct {
	Text     string       `json:"x,omitempty"`
	More     []string     `json:"m,omitempty"`
	Why      []string     `json:"w,omitempty"`
	Sources  []string     `json:"o,omitempty"`
	Language bot.Language `json:"l,omitempty"`
	Status   bot.Status   `json:"u,omitempty"`
	Answer   string       `json:"a,omitempty"`
	Review   string       `json:"v,omitempty"`
}

// IsZero lets JSON leave a reply out.
func (r storedReply) IsZero() bool {
	return r.Text == "" && len(r.More)+len(r.Why)+len(r.Sources) == 0 && r.Language == "" && r.Status == "" && r.Answer == "" && r.Review == ""
}

type storedTurn struct {
	Asked  string   `json:"a,omitempty"`
	Said   string   `json:"d,omitempty"`
	Topic  string   `json:"o,omitempty"`
	Chunks []string `json:"c,omitempty"`
	At     int64    `json:"t,omitempty"`
}

// Encode returns s as stores keep it, in [Budget] bytes at most. Times are kept
// to the millisecond, and an empty list is as none. What does not fit is left
// out in this order, each thing only if the rest is still too long without
// those before it:
//
//   - exchanges before the last two, oldest first
//   - Seen, oldest first
//   - WHY
//   - SOURCES but the first, from the end
//   - MORE, from the end
//   - the exchange before the last, then the last
//   - the rest of the last reply
//   - of what an emergency was told, all but the text
//
// A session that is still too long then is not one that a conversation made:
// what is left of its texts is cut short.
func Encode(s bot.Session) ([]byte, error) {
	st := store(s)
	b, err := st.encode()
	if err != nil || b != nil {
		return b, err
	}
	// As few cuts as are enough, by halves: each makes the session smaller but
	// for a few bytes of chance.
	all := st.cuts()
	lo, hi := 1, len(all)
	for lo <= hi {
		mid := (lo + hi) / 2
		cut := st
		for _, c := range all[:mid] {
			c(&cut)
		}
		got, err := cut.encode()
		if err != nil {
			return nil, err
		}
		if got != nil {
			b, hi = got, mid-1
		} else {
			lo = mid + 1
		}
	}
	if b == nil {
		return nil, fmt.Errorf("encode session: it does not fit: %w", bot.ErrInvalid)
	}
	return b, nil
}

// cuts returns what to leave out of s, step by step. A cut replaces lists and
// changes none.
func (s stored) cuts() (cuts []func(*stored)) {
	add := func(n int, cut func(*stored)) {
		for range n {
			cuts = append(cuts, cut)
		}
	}
	oldest := func(s *stored) { s.History = s.History[1:] }
	add(max(0, len(s.History)-2), oldest)
	add(len(s.Seen), func(s *stored) { s.Seen = s.Seen[1:] })
	add(1, func(s *stored) {
		s.Pending.Why, s.Pending.Review = nil, ""
		s.Told.Why, s.Told.Sources, s.Told.Review = nil, nil, ""
	})
	add(max(0, len(s.Pending.Sources)-1), func(s *stored) { s.Pending.Sources = s.Pending.Sources[:len(s.Pending.Sources)-1] })
	add(len(s.Pending.More), func(s *stored) { s.Pending.More = s.Pending.More[:len(s.Pending.More)-1] })
	add(min(2, len(s.History)), oldest)
	add(1, func(s *stored) { s.Pending = storedReply{} })
	add(1, func(s *stored) {
		s.Told = storedReply{Text: s.Told.Text, Language: s.Told.Language, Status: s.Told.Status}
	})
	add(1, func(s *stored) {
		const word, text = 64, 640
		s.Language, s.Choice = bot.Language(short(string(s.Language), word)), bot.Language(short(string(s.Choice), word))
		s.Persona = short(s.Persona, word)
		s.Standing, s.Crisis = bot.Route(short(string(s.Standing), word)), bot.Route(short(string(s.Crisis), word))
		s.Told = storedReply{Text: short(s.Told.Text, text), Language: bot.Language(short(string(s.Told.Language), word)), Status: bot.Status(short(string(s.Told.Status), word))}
	})
	return cuts
}

// short is the longest beginning of s of at most n bytes that cuts no rune.
func short(s string, n int) string {
	if len(s) <= n {
		return s
	}
	return strings.ToValidUTF8(s[:n], "")
}

// deflaters keeps writers: each holds much memory.
var deflaters = sync.Pool{New: func() any {
	w, err := flate.NewWriterDict(nil, flate.BestCompression, dictionary1)
	if err != nil {
		panic(err) // the level is a constant
	}
	return w
}}

// encode returns nil if s does not fit.
func (s stored) encode() ([]byte, error) {
	var plain bytes.Buffer
	enc := json.NewEncoder(&plain)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(s); err != nil {
		return nil, fmt.Errorf("encode session: %w", err)
	}
	if plain.Len() > maxPlain {
		return nil, nil
	}
	out := bytes.NewBuffer([]byte{version1})
	w := deflaters.Get().(*flate.Writer)
	defer deflaters.Put(w)
	w.Reset(out)
	if _, err := w.Write(bytes.TrimSuffix(plain.Bytes(), []byte("\n"))); err != nil {
		return nil, fmt.Errorf("encode session: %w", err)
	}
	if err := w.Close(); err != nil {
		return nil, fmt.Errorf("encode session: %w", err)
	}
	if out.Len() > Budget {
		return nil, nil
	}
	return out.Bytes(), nil
}

// Decode reads what Encode of this release or one before it returned. Its
// error wraps [bot.ErrInvalid].
func Decode(b []byte) (bot.Session, error) {
	if len(b) == 0 || b[0] != version1 {
		return bot.Session{}, fmt.Errorf("decode session: no version that this release knows: %w", bot.ErrInvalid)
	}
	r := flate.NewReaderDict(bytes.NewReader(b[1:]), dictionary1)
	plain, err := io.ReadAll(io.LimitReader(r, maxPlain+1))
	if err != nil || len(plain) > maxPlain {
		return bot.Session{}, fmt.Errorf("decode session: it is damaged: %w", bot.ErrInvalid)
	}
	var s stored
	if err := json.Unmarshal(plain, &s); err != nil {
		return bot.Session{}, fmt.Errorf("decode session: it is damaged: %w", bot.ErrInvalid)
	}
	return s.session(), nil
}

// store is s as version 1 writes it. It shares lists with s.
func store(s bot.Session) stored {
	st := stored{
		Language: s.Language, Choice: s.Choice, Persona: s.Persona, Standing: s.Standing, Crisis: s.Crisis, CrisisAt: ms(s.CrisisAt),
		Clarify: s.Clarify != "", Back: s.Clarify, Pack: s.Pack, Told: storedReply(s.Told), Pending: storedReply(s.Pending), Seen: s.Seen,
	}
	if s.Offer != nil {
		st.Offer = &storedOffer{s.Offer.Pack, s.Offer.Words}
	}
	for _, e := range s.History {
		st.History = append(st.History, storedTurn{e.Asked, e.Said, e.Topic, e.Chunks, ms(e.At)})
	}
	return st
}

func (s stored) session() bot.Session {
	out := bot.Session{
		Language: s.Language, Choice: s.Choice, Persona: s.Persona, Standing: s.Standing, Crisis: s.Crisis, CrisisAt: at(s.CrisisAt),
		Clarify: s.Back, Pack: s.Pack, Told: reply(s.Told), Pending: reply(s.Pending), Seen: some(s.Seen),
	}
	if s.Clarify && s.Back == "" {
		out.Clarify = unnamed
	}
	if s.Offer != nil {
		out.Offer = &bot.Offer{Pack: s.Offer.Pack, Words: some(s.Offer.Words)}
	}
	for _, e := range s.History {
		out.History = append(out.History, bot.Exchange{Asked: e.Asked, Said: e.Said, Topic: e.Topic, Chunks: some(e.Chunks), At: at(e.At)})
	}
	return out
}

func reply(r storedReply) bot.Reply {
	r.More, r.Why, r.Sources = some(r.More), some(r.Why), some(r.Sources)
	return bot.Reply(r)
}

// some is s, or nil if it is empty.
func some(s []string) []string {
	if len(s) == 0 {
		return nil
	}
	return slices.Clip(s)
}

// ms is t in milliseconds since 1970; 0 for the zero time.
func ms(t time.Time) int64 {
	if t.IsZero() {
		return 0
	}
	return t.UnixMilli()
}

// at is the time that ms wrote.
func at(ms int64) time.Time {
	if ms == 0 {
		return time.Time{}
	}
	return time.UnixMilli(ms).UTC()
}
