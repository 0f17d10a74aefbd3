package web_test

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"regexp"
	"strings"
	"testing"

	"plumbline/bot"
	"plumbline/channels/web"
)

// answering is a line whose every reply tells an answer.
func answering(status bot.Status) *line {
	return &line{reply: func(text string) bot.Delivery {
		return bot.Delivery{Text: "You said: " + text, Language: bot.English, Status: status, Answer: "a"}
	}}
}

var traceLink = regexp.MustCompile(`href="/trace/([^"]+)"`)

func TestOrganisersView(t *testing.T) {
	l := answering(bot.AnsweredWithLimits)
	srv, c := start(t, l, nil)
	if page := get(t, c, srv.URL+"/"); !strings.Contains(page, "Once a question is answered") {
		t.Error("before an answer the view does not say what it is for")
	}
	_, page := send(t, c, srv.URL, "first")
	for _, want := range []string{
		"Answered, with limits", "Told by cityhall: Brown water is mostly iron.", "I can&#39;t see your child.",
		`<b>US EPA</b>, <a href="https://www.epa.gov/lead" rel="noreferrer">Basic Information about Lead</a>, 2024-10`, "advice given for the whole country",
		"<blockquote>Brown water is mostly iron and manganese.</blockquote>", "&lt;b&gt;Forged&lt;/b&gt;", "hearsay",
		"Is the time known?", "Still open", "Closed by", "a second search found it", "causal, ",
	} {
		if !strings.Contains(page, want) {
			t.Errorf("the view lacks %q:\n%s", want, page)
		}
	}
	if strings.Contains(page, "javascript:") || strings.Contains(page, "<b>Forged") {
		t.Error("a source's address that is not https is a link, or its name markup")
	}
	if verdict, unknown := strings.Index(page, "Answered, with limits"), strings.Index(page, "What is not known"); verdict > unknown {
		t.Error("the verdict is not first")
	}
	first := traceLink.FindStringSubmatch(page)[1]

	// A later answer takes its place; the earlier one can be chosen.
	_, page = send(t, c, srv.URL, "second")
	if second := traceLink.FindStringSubmatch(page)[1]; second == first {
		t.Error("the view shows the first answer after the second")
	}
	for _, path := range []string{"/?answer=", "/organiser?answer="} {
		if page := get(t, c, srv.URL+path+url.QueryEscape(first)); traceLink.FindStringSubmatch(page)[1] != first {
			t.Errorf("GET %s%s does not show that answer", path, first)
		}
	}
	if page := get(t, c, srv.URL+"/organiser"); strings.Contains(page, "<html") {
		t.Error("GET /organiser is a whole page, want the view alone")
	}

	// Nobody else sees it.
	other := browser(t)
	get(t, other, srv.URL+"/")
	if page := get(t, other, srv.URL+"/?answer="+url.QueryEscape(first)); strings.Contains(page, "US EPA") {
		t.Error("another visitor sees the answer")
	}
	if res, err := other.Get(srv.URL + "/trace/" + first); err != nil || res.StatusCode != http.StatusNotFound {
		t.Errorf("another visitor's GET /trace = %v, %v; want 404", res.StatusCode, err)
	}
}

func TestOrganisersViewOfStatuses(t *testing.T) {
	for _, status := range bot.Statuses() {
		srv, c := start(t, answering(status), func(c *web.Config) { c.Answers = fixed{sampleOf(status)} })
		_, page := send(t, c, srv.URL, "hello")
		if !strings.Contains(page, `<div class="verdict `+string(status)+`">`) || strings.Contains(page, "</svg>"+string(status)) {
			t.Errorf("%s has no words in the view", status)
		}
		if retold := strings.Contains(page, "Told by cityhall"); retold == (status == bot.Emergency) {
			t.Errorf("%s: the answer is retold: %t; an emergency alone is not", status, retold)
		}
	}
}

// fixed is Answers with one answer, or an error.
type fixed struct {
	answer func() (bot.Answer, error)
}

func (f fixed) Answer(context.Context, string, string) (bot.Answer, error) { return f.answer() }

func sampleOf(status bot.Status) func() (bot.Answer, error) {
	return func() (bot.Answer, error) {
		a := sample("a")
		a.Status = status
		return a, nil
	}
}

// The page is there whatever fails behind the view.
func TestOrganisersViewFailing(t *testing.T) {
	for _, tt := range []struct {
		name   string
		change func(*web.Config)
		want   string
	}{
		{"NotKept", func(c *web.Config) {
			c.Answers = fixed{func() (bot.Answer, error) { return bot.Answer{}, fmt.Errorf("secret: %w", bot.ErrNotFound) }}
		}, "is not kept any more"},
		{"Down", func(c *web.Config) {
			c.Answers = fixed{func() (bot.Answer, error) { return bot.Answer{}, errors.New("secret") }}
		}, "cannot be shown right now"},
		{"NoRetelling", func(c *web.Config) {
			c.Retell = func(context.Context, bot.Answer, string) (bot.Reply, error) { return bot.Reply{}, errors.New("secret") }
		}, "As it was told"},
		{"NilRetell", func(c *web.Config) { c.Retell = nil }, "Brown water is mostly iron. Call 201-555-0123."},
		{"Bare", func(c *web.Config) {
			c.Answers = fixed{func() (bot.Answer, error) {
				return bot.Answer{ID: "a", Status: bot.NotInSources, Reply: bot.Reply{Text: "I do not know."}}, nil
			}}
		}, "This answer states nothing from a source."},
	} {
		t.Run(tt.name, func(t *testing.T) {
			srv, c := start(t, answering(bot.Answered), tt.change)
			status, page := send(t, c, srv.URL, "hello")
			if status != http.StatusOK || !strings.Contains(page, tt.want) || !strings.Contains(page, "You said: hello") || strings.Contains(page, "secret") {
				t.Errorf("the page is %d and lacks %q or the conversation:\n%s", status, tt.want, page)
			}
		})
	}
}

func TestTracePage(t *testing.T) {
	srv, c := start(t, answering(bot.AnsweredWithLimits), nil)
	get(t, c, srv.URL+"/")
	_, page := send(t, c, srv.URL, "my <i>water</i> is brown")
	page = get(t, c, srv.URL+traceLink.FindString(page)[len(`href="`):len(traceLink.FindString(page))-1])
	at := 0
	for _, want := range []string{ // in the order of what happened
		"worked out in 32.0 ms",
		"my &lt;i&gt;water&lt;/i&gt; is brown", "2026-11-30", "by its words", "is brown water safe", "frightened", "by votes of causal 0.75, regulatory 0.25", "rule.one",
		"Searched for “is brown water safe”", "Brown water: Causes", "0.71", "Searched for “when does it end”", "causal.time", "no heading was near enough", "Nothing was found.",
		`id="kept"`, "3 of 3", "Brown water: Causes", "near", `id="aside"`, "1 of 3", "Bathing: Adults", "far",
		`id="missing"`, "Is the cause named?", "Mostly iron.", "relevance 0.56", "Is the time known?", "no sentence", "Does not apply", "Is there a comparison?", "says that but not how", "a second search found it", "two passes were made",
		`id="claimed"`, "US EPA", "Dropped claim", "its span is not in the evidence",
		`id="limited"`, "I can&#39;t see your child.", "causal.person", "told in its own words if need be", "a number was lost",
		`id="said"`, "“neighbor”", "Call 201-555-0123.", "1 segment", "On MORE", "Run the cold tap.", "On WHY", "On SOURCES",
		`id="checked"`, "lost number 15", "told in its own words",
		`id="times"`, "retrieve", "8.0 ms", "2 chunks", "judge (2)", "model, small-1", "24.0 ms", "without its model: the model was busy", "small-1, busy: 100 tokens in, 20 out, 20.0 ms, $0.0012, 3 tries", "small-1, asked again", "32.0 ms", "$0.0012", "m-1",
	} {
		i := strings.Index(page[at:], want)
		if i < 0 {
			t.Fatalf("the trace page lacks %q after byte %d:\n%s", want, at, page[at:])
		}
		at += i
	}
	if strings.Contains(page, "javascript:") || strings.Contains(page, "<i>water") {
		t.Error("a source's address that is not https is a link, or a question markup")
	}
	for _, path := range []string{"/trace/other", "/trace/%3Cscript%3E"} {
		res, err := c.Get(srv.URL + path)
		if status, page := read(t, res, err); status != http.StatusNotFound || !strings.Contains(page, "No such answer") {
			t.Errorf("GET %s = %d, want 404 and a page that says so", path, status)
		}
	}
}

// A fixed text has hardly any trace; its page says so.
func TestTracePageOfLittle(t *testing.T) {
	for name, trace := range map[string]*bot.Trace{"empty": {}, "none": nil} {
		srv, c := start(t, answering(bot.Emergency), func(c *web.Config) {
			c.Answers = fixed{func() (bot.Answer, error) {
				return bot.Answer{ID: "a", Status: bot.Emergency, Reply: bot.Reply{Text: "Call 911 now."}, Trace: trace}, nil
			}}
		})
		get(t, c, srv.URL+"/")
		_, page := send(t, c, srv.URL, "hello")
		if linked := traceLink.MatchString(page); linked != (trace != nil) {
			t.Errorf("%s trace: the view links to it: %t", name, linked)
		}
		res, err := c.Get(srv.URL + "/trace/a")
		status, page := read(t, res, err)
		if trace == nil && status != http.StatusNotFound {
			t.Errorf("no trace: GET /trace/a = %d, want 404", status)
		}
		if trace != nil && (status != http.StatusOK || !strings.Contains(page, "the answer is a fixed text") || !strings.Contains(page, "Call 911 now.")) {
			t.Errorf("empty trace: GET /trace/a = %d:\n%s", status, page)
		}
	}
}
