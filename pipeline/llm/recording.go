package llm

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"sync"

	"plumbline/bot"
)

// A Recording is what models were asked and said in one case: a file that a
// person can read. It holds no key and no address of a server, and of prompts
// what prompts hold: no personal details.
type Recording struct {
	Case      string     `json:"case,omitempty"` // what was asked of the service
	Exchanges []Exchange `json:"exchanges"`
}

// An Exchange is one request and its reply.
type Exchange struct {
	Key     string  `json:"key"`     // Request.Key
	Request Request `json:"-"`       // as Asked tells it
	Asked   asking  `json:"request"` // the request, line by line
	Said    lines   `json:"reply"`
	Finish  string  `json:"finish,omitempty"`
	// Tokens as the server counted them.
	Tokens bot.Tokens `json:"tokens"`
}

// An asking is a request with its texts line by line.
type asking struct {
	Request
	Messages []linedMessage `json:"messages"`
}

type linedMessage struct {
	Role    string `json:"role"`
	Content lines  `json:"content"`
}

// lines is a text that is written as a list of its lines.
type lines string

// MarshalJSON implements [json.Marshaler].
func (l lines) MarshalJSON() ([]byte, error) { return encodeJSON(strings.Split(string(l), "\n")) }

// UnmarshalJSON implements [json.Unmarshaler].
func (l *lines) UnmarshalJSON(b []byte) error {
	var list []string
	if err := json.Unmarshal(b, &list); err != nil {
		return err
	}
	*l = lines(strings.Join(list, "\n"))
	return nil
}

// encodeJSON is json.Marshal without escaping <, > and &, which a person reads.
func encodeJSON(v any) ([]byte, error) {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if err := e.Encode(v); err != nil {
		return nil, err
	}
	return bytes.TrimRight(b.Bytes(), "\n"), nil
}

func exchangeOf(r Request, reply Reply) Exchange {
	x := Exchange{Key: r.Key(), Request: r, Asked: asking{Request: r}, Said: lines(reply.Text), Finish: reply.Finish, Tokens: reply.Tokens}
	for _, m := range r.Messages {
		x.Asked.Messages = append(x.Asked.Messages, linedMessage{m.Role, lines(m.Content)})
	}
	return x
}

// Encode writes a recording as its file has it.
func (r Recording) Encode() ([]byte, error) {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	e.SetIndent("", " ")
	if err := e.Encode(r); err != nil {
		return nil, fmt.Errorf("write recording: %w", err)
	}
	return b.Bytes(), nil
}

// DecodeRecording reads what Encode wrote. A request whose key is not that of
// its contents was changed by hand, and is an error that wraps bot.ErrInvalid:
// its reply answers another question.
func DecodeRecording(data []byte) (Recording, error) {
	var r Recording
	dec := json.NewDecoder(bytes.NewReader(data))
	dec.DisallowUnknownFields()
	if err := dec.Decode(&r); err != nil {
		return r, fmt.Errorf("read recording: %w: %w", err, bot.ErrInvalid)
	}
	for i := range r.Exchanges {
		x := &r.Exchanges[i]
		x.Request = x.Asked.Request
		x.Request.Messages = nil
		for _, m := range x.Asked.Messages {
			x.Request.Messages = append(x.Request.Messages, Message{m.Role, string(m.Content)})
		}
		if s := x.Request.Schema; s != nil { // indented in the file
			var b bytes.Buffer
			if err := json.Compact(&b, s.JSON); err != nil {
				return r, fmt.Errorf("read recording: exchange %d: schema: %w: %w", i+1, err, bot.ErrInvalid)
			}
			x.Request.Schema = &Schema{s.Name, b.Bytes()}
		}
		if key := x.Request.Key(); key != x.Key {
			return r, fmt.Errorf("read recording: exchange %d (%s) has the key %s, its request %s: %w", i+1, x.Request.Stage, x.Key, key, bot.ErrInvalid)
		}
	}
	return r, nil
}

// A Recorder notes what models are asked and say. Failures are not recorded.
// The zero Recorder is ready.
type Recorder struct {
	mu   sync.Mutex
	list []Exchange
}

// Of returns m with r beside it.
func (r *Recorder) Of(m Model) Model { return recorded{m, r} }

type recorded struct {
	Model
	by *Recorder
}

// Complete implements [Model].
func (m recorded) Complete(ctx context.Context, q Request, stream func(string) error) (Reply, error) {
	reply, err := m.Model.Complete(ctx, q, stream)
	if err == nil {
		m.by.mu.Lock()
		defer m.by.mu.Unlock()
		m.by.list = append(m.by.list, exchangeOf(q, reply))
	}
	return reply, err
}

// Exchanges are what was recorded, in the order of the stages and then as they
// ended: calls that run at once come out alike each time.
func (r *Recorder) Exchanges() []Exchange {
	r.mu.Lock()
	defer r.mu.Unlock()
	list := slices.Clone(r.list)
	rank := func(x Exchange) int { return slices.Index(StageNames(), x.Request.Stage) }
	slices.SortStableFunc(list, func(a, b Exchange) int { return cmp.Compare(rank(a), rank(b)) })
	return list
}

// A Player is a Model that says again what was recorded, and fails with
// NotRecorded where nothing was. It is safe for concurrent use.
type Player struct {
	replies map[string]Reply
}

// NewPlayer returns a player of recordings. Of two replies to one request the
// first counts.
func NewPlayer(recordings ...Recording) *Player {
	p := &Player{replies: map[string]Reply{}}
	for _, r := range recordings {
		for _, x := range r.Exchanges {
			if _, ok := p.replies[x.Key]; !ok {
				p.replies[x.Key] = Reply{Text: string(x.Said), Model: x.Request.Model, Finish: x.Finish, Tokens: x.Tokens, Tries: 1}
			}
		}
	}
	return p
}

// LoadPlayer returns a player of a file, or of the files of a folder that end
// in .json.
func LoadPlayer(name string) (*Player, error) {
	files := []string{name}
	if info, err := os.Stat(name); err == nil && info.IsDir() {
		if files, err = filepath.Glob(filepath.Join(name, "*.json")); err != nil {
			return nil, fmt.Errorf("load recordings: %w", err)
		}
		if len(files) == 0 {
			return nil, fmt.Errorf("load recordings: %s holds no .json file: %w", name, bot.ErrInvalid)
		}
	}
	var list []Recording
	for _, f := range files {
		data, err := os.ReadFile(f)
		if errors.Is(err, fs.ErrNotExist) {
			return nil, fmt.Errorf("load recordings: there is no %s: %w", f, bot.ErrNotFound)
		}
		if err != nil {
			return nil, fmt.Errorf("load recordings: %w", err)
		}
		r, err := DecodeRecording(data)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", path.Base(f), err)
		}
		list = append(list, r)
	}
	return NewPlayer(list...), nil
}

// Complete implements [Model]. A stream is played word by word.
func (p *Player) Complete(ctx context.Context, r Request, stream func(string) error) (Reply, error) {
	if err := ctx.Err(); err != nil {
		return Reply{}, err
	}
	reply, ok := p.replies[r.Key()]
	if !ok {
		return Reply{}, &Failure{Reason: NotRecorded}
	}
	if stream != nil {
		for word := range strings.SplitAfterSeq(reply.Text, " ") {
			if err := stream(word); err != nil {
				return Reply{}, err
			}
		}
	}
	return reply, nil
}
