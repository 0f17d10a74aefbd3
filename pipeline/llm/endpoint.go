package llm

import (
	"context"
	"io"
	"net/http"
	"strings"
	"sync"
	"time"
	"unicode/utf8"

	openai "github.com/sashabaranov/go-openai"

	"plumbline/bot"
	"plumbline/internal/secret"
)

// An Endpoint is a Model on one server that speaks OpenAI's chat completions.
// It asks once: it neither retries nor limits how long a server may take, which
// is what ctx and [Steady] are for. It is safe for concurrent use.
//
// Beside a Failure that says CutOff, Filtered or Empty, the Reply holds what
// was spent and no text.
//
// A reply that opens in the midst of reasoning, with a tag that ends it and
// none that begins it, cannot be told from text while it streams. Text of a
// model that is known for it is held back until the tag or the end comes. If
// one is caught at it, the reply is Garbled, its parts are to be taken back,
// and the model is known from then on.
type Endpoint struct {
	preset  Preset
	base    string // without a slash at its end
	version string // api-version of Azure; empty for none
	key     secret.Text
	usage   bool // stream_options is sent
	http    *http.Client
	now     func() time.Time
	opens   sync.Map // names of models whose replies open in reasoning
}

// Complete implements Model.
func (e *Endpoint) Complete(ctx context.Context, r Request, stream func(part string) error) (Reply, error) {
	if err := ctx.Err(); err != nil {
		return Reply{}, ended(err)
	}
	body, err := e.body(r, stream != nil)
	if err != nil {
		return Reply{}, &Failure{Reason: BadRequest} // a schema that is not JSON
	}
	x := &exchange{e: e, body: body, stream: stream != nil}
	var got heard
	if stream == nil {
		got, err = e.whole(ctx, r, x)
	} else {
		got, err = e.parts(ctx, r, x, stream)
	}
	if err != nil {
		return Reply{}, e.failed(ctx, err)
	}
	return got.reply(r, x.status)
}

// Close drops connections that are idle. The Endpoint may be used after it.
func (e *Endpoint) Close() error {
	e.http.CloseIdleConnections()
	return nil
}

// heard is what a server said, once go-openai has decoded it.
type heard struct {
	model   string
	text    string // without reasoning
	raw     int    // characters of content and reasoning
	finish  string
	refused bool
	in, out int // tokens, 0 if the server does not tell
}

// whole asks for a reply in one piece.
func (e *Endpoint) whole(ctx context.Context, r Request, x *exchange) (heard, error) {
	resp, err := e.client(r, x).CreateChatCompletion(ctx, openai.ChatCompletionRequest{})
	if err != nil {
		return heard{}, err
	}
	if len(resp.Choices) == 0 {
		return heard{}, &Failure{Reason: Garbled, Status: x.status}
	}
	c := resp.Choices[0]
	text, orphan := stripThinking(c.Message.Content)
	if orphan {
		e.opens.Store(r.Model, true)
	}
	return heard{
		model: resp.Model, text: text, finish: string(c.FinishReason), refused: c.Message.Refusal != "",
		raw: utf8.RuneCountInString(c.Message.Content) + utf8.RuneCountInString(c.Message.ReasoningContent),
		in:  resp.Usage.PromptTokens, out: resp.Usage.CompletionTokens,
	}, nil
}

// callerError is an error of the caller's stream function, which is returned as
// it is.
type callerError struct{ error }

func (e callerError) Unwrap() error { return e.error }

// parts asks for a reply in parts and hands each on as it comes.
func (e *Endpoint) parts(ctx context.Context, r Request, x *exchange, stream func(part string) error) (heard, error) {
	s, err := e.client(r, x).CreateChatCompletionStream(ctx, openai.ChatCompletionRequest{})
	if err != nil {
		return heard{}, err
	}
	defer s.Close()

	var got heard
	var text strings.Builder
	filter := thinkFilter{hold: e.opensInReasoning(r.Model)}
	pass := func(part string, orphan bool) error {
		if orphan {
			e.opens.Store(r.Model, true)
			if text.Len() > 0 {
				return &Failure{Reason: Garbled, Status: x.status}
			}
		}
		if part == "" {
			return nil
		}
		text.WriteString(part)
		if err := stream(part); err != nil {
			return callerError{err}
		}
		return nil
	}
	for {
		chunk, err := s.Recv()
		if err == io.EOF {
			break
		}
		if err != nil {
			return heard{}, err
		}
		if chunk.Model != "" {
			got.model = chunk.Model
		}
		if u := chunk.Usage; u != nil {
			got.in, got.out = max(got.in, u.PromptTokens), max(got.out, u.CompletionTokens)
		}
		for _, c := range chunk.Choices {
			if c.FinishReason != "" {
				got.finish = string(c.FinishReason)
			}
			got.refused = got.refused || c.Delta.Refusal != ""
			got.raw += utf8.RuneCountInString(c.Delta.Content) + utf8.RuneCountInString(c.Delta.ReasoningContent)
			if c.Delta.ReasoningContent != "" {
				filter.release()
			}
			if err := pass(filter.write(c.Delta.Content)); err != nil {
				return heard{}, err
			}
		}
	}
	if err := pass(filter.end(), false); err != nil {
		return heard{}, err
	}
	got.text = text.String()
	return got, nil
}

// opensInReasoning reports whether the model's replies are known to open in
// the midst of reasoning.
func (e *Endpoint) opensInReasoning(model string) bool {
	if _, ok := e.opens.Load(model); ok {
		return true
	}
	return opensInReasoning(model)
}

// reply judges what was heard.
func (h heard) reply(r Request, status int) (Reply, error) {
	reply := Reply{
		Text: h.text, Model: plainName(h.model), Finish: h.finish, Tries: 1,
		Tokens: bot.Tokens{In: h.in, Out: h.out},
	}
	if reply.Tokens.In == 0 {
		reply.Tokens.In = quarter(r.Chars())
	}
	if reply.Tokens.Out == 0 {
		reply.Tokens.Out = quarter(h.raw)
	}
	var reason Reason
	switch {
	case h.refused || h.finish == "content_filter":
		reason = Filtered
	case h.finish == "length":
		reason = CutOff
	case strings.TrimSpace(h.text) == "":
		reason = Empty
	default:
		return reply, nil
	}
	reply.Text = ""
	return reply, &Failure{Reason: reason, Status: status}
}

// quarter is about how many tokens n characters are.
func quarter(n int) int { return (n + 3) / 4 }

// plainName returns a model's name as a server tells it, or "" if it is not
// such as a name would be.
func plainName(s string) string {
	if len(s) > 128 {
		return ""
	}
	for _, c := range s {
		switch {
		case 'a' <= c && c <= 'z', 'A' <= c && c <= 'Z', '0' <= c && c <= '9', strings.ContainsRune("-_.:/@+", c):
		default:
			return ""
		}
	}
	return s
}
