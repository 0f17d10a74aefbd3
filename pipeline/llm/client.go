package llm

import (
	"context"
	"errors"
	"fmt"
	"time"

	"plumbline/bot"
	"plumbline/pipeline"
)

// The stages that may ask a model.
const (
	StageUnderstand = "understand"
	StageJudge      = "judge"
	StageClassify   = "classify"
	StageAudit      = "audit"
	StageNarrow     = "narrow"
	StageGenerate   = "generate"
	StageTell       = "tell"
)

// StageNames lists the stages in the order in which they ask.
func StageNames() []string {
	return []string{StageUnderstand, StageClassify, StageJudge, StageAudit, StageNarrow, StageGenerate, StageTell}
}

// A Price is what tokens cost, in US dollars a million.
type Price struct {
	In  float64 `json:"in" yaml:"in"`
	Out float64 `json:"out" yaml:"out"`
}

// Of is what a call costs, in US dollars.
func (p Price) Of(t bot.Tokens) float64 {
	return (float64(t.In)*p.In + float64(t.Out)*p.Out) / 1e6
}

// An Asker is which model a stage asks, and how.
type Asker struct {
	Model     Model
	Name      string        // of the model
	Preset    Preset        // what its server takes
	Wishes    Wishes        // what the operator says otherwise
	T         *float64      // temperature; nil for the server's own
	Effort    string        // of reasoning; empty for the server's own
	MaxTokens int           // of a reply; 0 for the server's own
	Timeout   time.Duration // of a call, retries included; 0 for the answer's deadline alone
	Price     Price
	MaxPrompt int  // most characters of a prompt; 0 for MaxPrompt
	Each      bool // the judge: one call a chunk
	Criteria  bool // the generator: the criteria of a good answer are in its prompt
}

// request is what the stage's server is sent: it asks for schema in the way
// that the server takes.
func (a Asker) request(stage string, messages []Message, schema *Schema) Request {
	r := a.Preset.Fill(Request{
		Stage: stage, Model: a.Name, Messages: messages, Schema: schema,
		Temperature: a.T, Effort: a.Effort, MaxTokens: a.MaxTokens,
	}, a.Wishes)
	if r.Mode != ModeSchema {
		r.Messages = withShape(messages, schema)
	}
	return r
}

// MaxPrompt is the most characters of a prompt unless an Asker says otherwise:
// some six thousand tokens.
const MaxPrompt = 24000

// A prompt of so many characters in which one token would stand for more than
// so many of them was not read whole: some servers drop its beginning, and the
// instructions with it, without a word.
const (
	longPrompt   = 5000
	mostPerToken = 6
)

// guessOut is how many tokens a reply is taken to have before it is there,
// where nothing limits it.
const guessOut = 1500

// A Client asks models on behalf of stages: it pays from the budgets, notes
// each call in the trace and asks once more where a reply will not do. It is
// safe for concurrent use.
type Client struct {
	Askers map[string]Asker // by stage; a stage that is not in it asks no model
	Ledger bot.Ledger       // of what models cost; nil for no budgets
	Caps   bot.Caps
	Alarm  func(bot.Alarm) // told of each threshold of a cap that is crossed; nil for nobody
	Now    func() time.Time
}

// errNoModel says that a stage asks no model: its twin does the work, and that
// is nothing to tell of.
var errNoModel = errors.New("the stage asks no model")

// asks reports whether a stage asks a model.
func (c *Client) asks(stage string) bool {
	_, ok := c.Askers[stage]
	return ok
}

// most is how many characters a prompt of a stage may have.
func (c *Client) most(stage string) int {
	if n := c.Askers[stage].MaxPrompt; n > 0 {
		return n
	}
	return MaxPrompt
}

// ask asks the model of a stage for a T. check looks over what the schema
// cannot say and may mend it; its error goes back to the model, once, as does
// what Decode finds. The error is a Failure, errNoModel or ctx's.
func ask[T any](ctx context.Context, c *Client, d *pipeline.Draft, stage string, messages []Message, check func(*T) error) (T, error) {
	return askStream(ctx, c, d, stage, messages, check, nil, false)
}

// askAgain is ask for what a gate did not let through: it is a repair, and not
// asked a third time.
func askAgain[T any](ctx context.Context, c *Client, d *pipeline.Draft, stage string, messages []Message, check func(*T) error) (T, error) {
	return askStream(ctx, c, d, stage, messages, check, nil, true)
}

// askStream is ask with a look at the reply as it comes. What is asked again is
// not streamed.
func askStream[T any](ctx context.Context, c *Client, d *pipeline.Draft, stage string, messages []Message, check func(*T) error, stream func(string) error, again bool) (T, error) {
	var none T
	a, ok := c.Askers[stage]
	if !ok {
		return none, errNoModel
	}
	if !d.Until.IsZero() {
		var cancel context.CancelFunc
		ctx, cancel = context.WithDeadline(ctx, d.Until)
		defer cancel()
	}
	if a.Timeout > 0 {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeout(ctx, a.Timeout)
		defer cancel()
	}
	schema, err := SchemaOf[T](stage)
	if err != nil {
		panic(fmt.Sprintf("schema of stage %s: %v", stage, err)) // a mistake in a type of ours; every one is tried by a test
	}
	r := a.request(stage, messages, schema)
	for try := range 2 {
		reply, failed := c.complete(ctx, d, a, r, again || try > 0, stream)
		if failed != nil {
			return none, failed
		}
		value, fault := Decode[T](reply.Text, schema)
		if fault == nil && check != nil {
			fault = check(&value)
		}
		if fault == nil {
			return value, nil
		}
		d.FailCall(r.Key(), string(Malformed))
		if again {
			break
		}
		r.Messages = append(r.Messages[:len(r.Messages):len(r.Messages)],
			Message{"assistant", cut(reply.Text, 4000)},
			Message{"user", "That reply cannot be used: " + fault.Error() + ". Answer once more, with the JSON object alone, whole and without these faults."})
		stream = nil
	}
	return none, &Failure{Reason: Malformed}
}

// complete makes one call and books it.
func (c *Client) complete(ctx context.Context, d *pipeline.Draft, a Asker, r Request, repair bool, stream func(string) error) (Reply, error) {
	if d.Tightened() {
		return Reply{}, &Failure{Reason: OverBudget}
	}
	if err := ctx.Err(); err != nil {
		return Reply{}, err
	}
	out := r.MaxTokens
	if out == 0 {
		out = guessOut
	}
	chars := r.Chars()
	want := amount(a.Price, bot.Tokens{In: chars/3 + 1, Out: out})
	if !d.Pay(want, c.Caps.Answer) {
		if !repair {
			d.Tighten()
		}
		return Reply{}, &Failure{Reason: OverBudget}
	}
	booked := want
	defer func() { d.Paid(want, booked) }()
	var held bot.Reservation
	if c.Ledger != nil {
		var err error
		held, err = c.Ledger.Reserve(ctx, d.Question.Person, c.Now(), want, c.Caps)
		var spent *bot.SpentError
		switch {
		case errors.As(err, &spent):
			booked = bot.Amount{}
			c.tell(spent.Before, spent.After)
			if !repair { // what is told already is not cut for want of a repair
				d.Tighten()
			}
			return Reply{}, &Failure{Reason: OverBudget, Err: err}
		case err != nil:
			booked = bot.Amount{}
			if ctx.Err() != nil {
				return Reply{}, ctx.Err()
			}
			return Reply{}, &Failure{Reason: OverBudget, Err: err} // what cannot be booked is not spent
		}
		c.tell(held.Before, held.After)
	}
	start := c.Now()
	reply, err := a.Model.Complete(ctx, r, stream)
	if in := reply.Tokens.In; err == nil && chars > longPrompt && in > 0 && float64(chars) > mostPerToken*float64(in) {
		err = &Failure{Reason: CutPrompt}
	}
	call := bot.Call{
		Stage: r.Stage, Model: a.Name, Key: r.Key(), Chars: chars, Tokens: reply.Tokens, Cost: a.Price.Of(reply.Tokens),
		Took: c.Now().Sub(start), Tries: reply.Tries, Repair: repair, Said: reply.Text,
	}
	if err != nil {
		call.Failed = why(err)
		call.Said = ""
	}
	call.Said = cut(call.Said, mostSaid)
	d.Note(call)
	booked = bot.Amount{Tokens: int64(reply.Tokens.In + reply.Tokens.Out), Micros: micros(call.Cost)}
	if err != nil && reply.Tokens == (bot.Tokens{}) && worked(err) {
		booked = bot.Amount{Tokens: want.Tokens * int64(max(reply.Tries, 1)), Micros: want.Micros * int64(max(reply.Tries, 1))}
	}
	if c.Ledger != nil {
		// It was spent, whatever became of the caller. What cannot be settled
		// stays set aside.
		if before, after, e := c.Ledger.Settle(context.WithoutCancel(ctx), held, booked); e == nil {
			c.tell(before, after)
		}
	}
	return reply, err
}

// mostSaid is how much of a reply a trace keeps, in characters.
const mostSaid = 8000

// worked reports whether a server may have worked on a request whose reply did
// not come whole, and charge for it.
func worked(err error) bool {
	switch ReasonOf(err) {
	case Unreachable, Busy, NoQuota, Open, NotAllowed, NotFound, BadRequest, NotRecorded, OverBudget, Down:
		return false
	}
	return true
}

// tell tells the operator of the thresholds that a booking crossed.
func (c *Client) tell(before, after bot.Sums) {
	if c.Alarm == nil {
		return
	}
	for _, a := range bot.Alarms(before, after, c.Caps) {
		c.Alarm(a)
	}
}

func micros(usd float64) int64 { return int64(usd*1e6 + 0.5) }

func amount(p Price, t bot.Tokens) bot.Amount {
	return bot.Amount{Tokens: int64(t.In + t.Out), Micros: micros(p.Of(t))}
}

// why is the reason of an error, as a trace names it.
func why(err error) string {
	if r := ReasonOf(err); r != "" {
		return string(r)
	}
	if errors.Is(err, context.DeadlineExceeded) || errors.Is(err, context.Canceled) {
		return string(TimedOut)
	}
	return string(Unreachable)
}

// cut is the first n characters of s.
func cut(s string, n int) string {
	if r := []rune(s); len(r) > n {
		return string(r[:n])
	}
	return s
}
