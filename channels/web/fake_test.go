package web_test

import (
	"context"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/http/cookiejar"
	"net/http/httptest"
	"net/url"
	"regexp"
	"strings"
	"sync"
	"testing"
	"time"

	"plumbline/bot"
	"plumbline/channels/web"
)

// line is a service that answers texts with what reply says, some time after
// it took them: the phone page's Receiver and Answers.
type line struct {
	t     *testing.T
	phone *web.Phone
	reply func(text string) bot.Delivery // nil: "You said: ..."

	mu       sync.Mutex
	err      error // what Receive returns
	hold     chan struct{}
	received []bot.Message
	seen     map[string]bool
	answers  map[string]bot.Answer // by visitor and id
	work     sync.WaitGroup
}

func (l *line) Receive(ctx context.Context, m bot.Message) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.err != nil {
		return l.err
	}
	if l.seen[m.ID] {
		return nil
	}
	l.seen[m.ID] = true
	l.received = append(l.received, m)
	hold := l.hold
	l.work.Go(func() {
		if hold != nil {
			select {
			case <-hold:
			case <-l.t.Context().Done(): // the test is over
			}
		}
		l.send(m)
	})
	return nil
}

func (l *line) send(m bot.Message) {
	d := bot.Delivery{Text: "You said: " + m.Text, Language: bot.English, Status: bot.Answered, Offers: []bot.Word{bot.WordMore, bot.WordSources}}
	if l.reply != nil {
		d = l.reply(m.Text)
	}
	d.Key, d.To, d.Asked = m.ID+"/0", m.From, m.At
	if d.Answer != "" {
		id := d.Answer
		d.Answer += "-" + m.ID
		a := sample(id)
		a.ID, a.Language, a.Trace.Question = d.Answer, d.Language, m.Text
		l.mu.Lock()
		l.answers[m.From.User+" "+a.ID] = a
		l.mu.Unlock()
	}
	if _, err := l.phone.Send(context.WithoutCancel(l.t.Context()), d); err != nil {
		l.t.Errorf("Send(%q) = %v, want nil", d.Key, err)
	}
}

func (l *line) Answer(_ context.Context, visitor, id string) (bot.Answer, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if a, ok := l.answers[visitor+" "+id]; ok {
		return a, nil
	}
	return bot.Answer{}, fmt.Errorf("answer %s: %w", id, bot.ErrNotFound)
}

func (l *line) messages() []bot.Message {
	l.mu.Lock()
	defer l.mu.Unlock()
	return append([]bot.Message(nil), l.received...)
}

func (l *line) fail(err error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.err = err
}

// start serves a phone page whose texts l answers. change may alter its Config.
func start(t *testing.T, l *line, change func(*web.Config)) (*httptest.Server, *http.Client) {
	t.Helper()
	l.t, l.seen, l.answers = t, map[string]bool{}, map[string]bot.Answer{}
	c := web.Config{
		Receiver: l, Mailbox: new(web.Memory), Log: slog.New(slog.NewTextHandler(t.Output(), nil)), Now: time.Now,
		Name:    web.Text{bot.English: "Water line", bot.Spanish: "Línea del agua"},
		Prompts: []web.Text{{bot.English: "is my water ok", bot.Spanish: "mi agua está bien"}},
		Choices: []web.Choice{
			{Label: web.Text{bot.English: "City hall", bot.Spanish: "El municipio"}, Text: web.Text{bot.English: "talk to me like city hall", bot.Spanish: "háblame como el municipio"}},
			{Label: web.Text{bot.English: "Español"}, Text: web.Text{bot.English: "ESPAÑOL"}},
			{Label: web.Text{bot.English: "English"}, Text: web.Text{bot.Spanish: "ENGLISH"}},
		},
		Cents: 0.83, Answers: l, Heartbeat: time.Hour, // what is seen is seen because something woke the page
		Retell: func(_ context.Context, a bot.Answer, persona string) (bot.Reply, error) {
			return bot.Reply{Text: "Told by " + persona + ": " + a.Reply.Text}, nil
		},
	}
	if change != nil {
		change(&c)
	}
	l.phone = web.New(c)
	srv := httptest.NewServer(l.phone.Routes())
	t.Cleanup(func() {
		l.phone.Close()
		srv.Close()
		l.work.Wait()
	})
	return srv, browser(t)
}

// demo makes a page say that it is one.
func demo(c *web.Config) { c.Demo = true }

// browser returns a client that keeps cookies.
func browser(t *testing.T) *http.Client {
	t.Helper()
	jar, err := cookiejar.New(nil)
	if err != nil {
		t.Fatal(err)
	}
	return &http.Client{Jar: jar}
}

func read(t *testing.T, res *http.Response, err error) (status int, page string) {
	t.Helper()
	if err != nil {
		t.Fatalf("request: %v", err)
	}
	defer res.Body.Close()
	b, err := io.ReadAll(res.Body)
	if err != nil {
		t.Fatalf("read %s: %v", res.Request.URL, err)
	}
	return res.StatusCode, string(b)
}

func get(t *testing.T, c *http.Client, u string) string {
	t.Helper()
	res, err := c.Get(u)
	status, page := read(t, res, err)
	if status != http.StatusOK {
		t.Fatalf("GET %s = %d, want 200", u, status)
	}
	return page
}

// send posts a text as the page's form does, without script. Extra are other
// fields, in pairs.
func send(t *testing.T, c *http.Client, u, text string, extra ...string) (status int, page string) {
	t.Helper()
	form := url.Values{"text": {text}}
	for i := 0; i < len(extra); i += 2 {
		form.Set(extra[i], extra[i+1])
	}
	res, err := c.PostForm(u+"/messages", form)
	return read(t, res, err)
}

// field returns the value of the first hidden field of that name in the form
// that a person writes in.
func field(t *testing.T, page, name string) string {
	t.Helper()
	_, form, _ := strings.Cut(page, `id="write"`)
	found := regexp.MustCompile(`name="` + name + `" value="([^"]*)"`).FindStringSubmatch(form)
	if found == nil {
		t.Fatalf("the page has no field %q:\n%s", name, page)
	}
	return found[1]
}

// sample is an answer with something in every part of its trace.
func sample(id string) bot.Answer {
	source := bot.Source{Agency: "US EPA", Title: "Basic Information about Lead", URL: "https://www.epa.gov/lead", Date: "2024-10", How: "primary", Read: "2026-11-30", Note: "advice given for the whole country"}
	forged := bot.Source{Agency: `<b>Forged</b>`, Title: "Click me", URL: "javascript:alert(1)", Date: "undated", How: "hearsay"}
	return bot.Answer{
		ID: id, Status: bot.AnsweredWithLimits, Language: bot.English, Persona: "neighbor", Strategy: bot.Causal,
		Reply: bot.Reply{Text: "Brown water is mostly iron. Call 201-555-0123.", More: []string{"Run the cold tap."}, Why: []string{"By two sources."}, Sources: []string{"US EPA."}},
		Claims: []bot.Claim{
			{Text: "Brown water is mostly iron.", Role: bot.Direct, Evidence: []bot.Evidence{{Chunk: "c1", Paragraph: "disc.cause", Quote: "Brown water is mostly iron and manganese.", Source: source}}},
			{Text: "A forged claim.", Role: bot.Danger, Evidence: []bot.Evidence{{Chunk: "c2", Paragraph: "p2", Quote: "A forged claim.", Source: forged}}},
		},
		Limitations: []bot.Limitation{{Text: "I can't see your child.", Gap: "causal.person"}},
		Gaps: []bot.Gap{
			{Question: "Is the cause named?", ID: "causal.cause", Strategy: bot.Causal, Iteration: 1, ClosedBy: "disc.cause", Reason: "a second search found it"},
			{Question: "Is the time known?", ID: "causal.time", Strategy: bot.Causal, Iteration: 2},
		},
		Chunks: []bot.Chunk{
			{ID: "c1", Heading: "Brown water: Causes", Paragraphs: []string{"disc.cause"}, Score: 3, Kept: true, Via: []string{"heading"}, Similarity: 0.71, Reason: "near"},
			{ID: "c2", Heading: "Bathing: Adults", Paragraphs: []string{"p2"}, Score: 1, Via: []string{"body"}, Similarity: 0.41, Reason: "far"},
		},
		Trace: &bot.Trace{
			Answer: id, Question: "my water is brown", AsOf: "2026-11-30", Variant: bot.DiagExplicit, Retriever: "fused",
			Versions: map[string]string{"binary": "dev", "model": "m-1"}, Started: time.Date(2026, 11, 30, 9, 0, 0, 0, time.UTC),
			Safety: &bot.SafetyRecord{Route: "pinned", Rules: []bot.RuleMatch{{Rule: "rule.one", Words: "brown"}}},
			Understood: &bot.Understanding{Language: bot.English, Guessed: "by its words", Parts: []bot.Part{{Asked: "and it?", Standalone: "is brown water safe", FromTurn: "brown water"}},
				Sentiment: "frightened", Strategy: bot.Causal, Votes: map[bot.Strategy]float64{bot.Causal: 0.75, bot.Regulatory: 0.25}},
			Retrievals: []bot.RetrievalRecord{
				{Query: "is brown water safe", Why: "question", Iteration: 1, Found: []bot.Found{{Chunk: "c1", Score: 0.71, Via: []string{"heading"}}, {Chunk: "c2", Score: 0.41, Via: []string{"body"}}}},
				{Query: "when does it end", Why: "causal.time", Iteration: 2, Fallback: true},
			},
			Audits:  []bot.Audit{{Strategy: bot.Causal, Iteration: 1, Findings: []bot.Finding{{ID: "causal.cause", Question: "Is the cause named?", Answered: true, Paragraph: "disc.cause", Sentence: "Mostly iron.", Why: "relevance 0.56"}, {ID: "causal.time", Question: "Is the time known?", Why: "no sentence"}, {ID: "causal.control", Question: "Is there a comparison?", Idle: true, Why: "it makes no sense here"}}, Failures: []string{"says that but not how"}}},
			Gates:   []bot.GateRecord{{Stage: "tell", What: "part 1 (claim)", Outcome: "lost number 15", Did: "told in its own words"}},
			Dropped: []bot.DroppedClaim{{Text: "Dropped claim", Reason: "its span is not in the evidence"}},
			Guard:   &bot.GuardRecord{Passed: true, Repaired: true, Faults: []string{"a number was lost"}},
			Stop:    "two passes were made",
			Steps: []bot.Step{
				{Stage: "retrieve", Family: "fused", Iteration: 1, Took: 8 * time.Millisecond, Note: "2 chunks"},
				{Stage: "judge", Family: "model", Iteration: 2, Took: 24 * time.Millisecond, Model: "small-1", Tokens: bot.Tokens{In: 100, Out: 20}, Cost: 0.0012, FellBack: "the model was busy",
					Calls: []bot.Call{{Stage: "judge", Model: "small-1", Chars: 400, Tokens: bot.Tokens{In: 100, Out: 20}, Cost: 0.0012, Took: 20 * time.Millisecond, Tries: 3, Failed: "busy"}, {Stage: "judge", Model: "small-1", Repair: true}}},
			},
		},
	}
}
