package llmtest

import (
	"encoding/json"
	"fmt"
	"math"
	"net/http"
	"strconv"
	"strings"
	"time"
)

// A Trouble is a way in which a call goes wrong, or strangely.
type Trouble struct {
	name  string
	alter func(*answer)
}

// String names the trouble.
func (t Trouble) String() string { return t.name }

// All is several troubles at once.
func All(troubles ...Trouble) Trouble {
	var names []string
	for _, t := range troubles {
		names = append(names, t.name)
	}
	return Trouble{strings.Join(names, "+"), func(a *answer) {
		for _, t := range troubles {
			t.alter(a)
		}
	}}
}

// Says makes the model say something else.
func Says(text string) Trouble {
	return Trouble{"Says", func(a *answer) { a.text = text }}
}

// Errors of HTTP.

// Status answers with a status and an error in the vendor's shape.
func Status(code int) Trouble {
	return Trouble{fmt.Sprint("Status", code), func(a *answer) {
		typ := "server_error"
		if code < 500 {
			typ = "invalid_request_error"
		}
		message := "The server had an error while processing your request. Sorry about that!"
		if a.kind == LlamaCpp && code == http.StatusServiceUnavailable {
			message = "Loading model"
		}
		if a.kind == Azure {
			a.raw = gateway(code, strconv.Itoa(code), message)
			return
		}
		a.raw = shape(a.kind, a.flat, &fault{status: code, message: message, typ: typ})
	}}
}

// Leaky is Status with an error that quotes the prompt and the key.
func Leaky(code int) Trouble {
	return Trouble{fmt.Sprint("Leaky", code), func(a *answer) {
		message := fmt.Sprintf("Request with key %s and prompt %q cannot be served.", a.key, a.request.System()+a.request.User())
		a.raw = shape(a.kind, a.flat, &fault{status: code, message: message, code: a.key})
	}}
}

// RateLimited is a 429 that says after how many seconds to ask again.
func RateLimited(after time.Duration) Trouble {
	return Trouble{"RateLimited", func(a *answer) { a.limit(strconv.Itoa(int(math.Ceil(after.Seconds())))) }}
}

// RateLimitedUntil is a 429 that says at what time to ask again.
func RateLimitedUntil(t time.Time) Trouble {
	return Trouble{"RateLimitedUntil", func(a *answer) { a.limit(t.UTC().Format(http.TimeFormat)) }}
}

func (a *answer) limit(after string) {
	const message = "Rate limit reached for the model on requests per min (RPM): Limit 3, Used 3, Requested 1."
	if a.kind == Azure {
		a.raw = gateway(http.StatusTooManyRequests, "429", message)
	} else {
		a.raw = shape(a.kind, a.flat, &fault{status: http.StatusTooManyRequests, message: message, typ: "requests", code: "rate_limit_exceeded"})
	}
	a.raw.header = http.Header{"Retry-After": {after}}
}

// body is a trouble that answers with something other than a completion.
func body(name string, status int, kind, text string) Trouble {
	return Trouble{name, func(a *answer) { a.raw = page(status, kind, text) }}
}

const html = "<html>\r\n<head><title>502 Bad Gateway</title></head>\r\n<body><center><h1>502 Bad Gateway</h1></center></body>\r\n</html>\r\n"

var (
	// NoQuota is a 429 for want of money.
	NoQuota = Trouble{"NoQuota", func(a *answer) {
		a.raw = shape(OpenAI, false, &fault{
			status:  http.StatusTooManyRequests,
			message: "You exceeded your current quota, please check your plan and billing details.",
			typ:     "insufficient_quota", code: "insufficient_quota",
		})
	}}

	// FilteredPrompt is a 400 for what the prompt says, as Azure tells it.
	FilteredPrompt = body("FilteredPrompt", http.StatusBadRequest, "application/json",
		`{"error":{"message":"The response was filtered due to the prompt triggering Azure OpenAI's content management policy.","type":null,"param":"prompt","code":"content_filter","status":400,"innererror":{"code":"ResponsibleAIPolicyViolation","content_filter_result":{"hate":{"filtered":true,"severity":"high"}}}}}`)

	// BadGateway is a 502 of a proxy, in HTML.
	BadGateway = body("BadGateway", http.StatusBadGateway, "text/html", html)

	// StringError is a 400 whose error is a string.
	StringError = body("StringError", http.StatusBadRequest, "application/json", `{"error":"invalid request"}`)

	// NoMessage is a 500 whose error has no message.
	NoMessage = body("NoMessage", http.StatusInternalServerError, "application/json", `{"error":{"code":"x"}}`)

	// ErrorUnder200 is an error that says that all is well.
	ErrorUnder200 = body("ErrorUnder200", http.StatusOK, "application/json", `{"error":{"message":"model not loaded"}}`)

	// HTMLUnder200 is a page in place of a reply.
	HTMLUnder200 = body("HTMLUnder200", http.StatusOK, "text/html", strings.ReplaceAll(html, "502 Bad Gateway", "Sign in"))

	// Garbage is a body that is neither JSON nor UTF-8.
	Garbage = body("Garbage", http.StatusOK, "application/json", "{\"id\":\"chatcmpl-1\",\"choices\":[{\"mess\xff\xfe\x00 }")
)

// Broken and slow connections.

var (
	// Reset breaks the connection before any answer.
	Reset = Trouble{"Reset", func(a *answer) { a.breaks = resetBefore }}

	// ResetMidway resets the connection after half of the body or of the stream.
	ResetMidway = Trouble{"ResetMidway", func(a *answer) { a.breaks = resetMidway }}

	// CutMidway closes the connection after half of the body or of the stream.
	CutMidway = Trouble{"CutMidway", func(a *answer) { a.breaks = cutMidway }}

	// Gzip compresses the answer, asked or not.
	Gzip = Trouble{"Gzip", func(a *answer) { a.gzip = true }}
)

// Slow waits before the headers, for no longer than someone wants the answer.
func Slow(d time.Duration) Trouble {
	return Trouble{"Slow", func(a *answer) { a.wait = d }}
}

// SlowStream waits between the parts of a stream.
func SlowStream(d time.Duration) Trouble {
	return Trouble{"SlowStream", func(a *answer) { a.gap = d }}
}

// Huge is a reply of n bytes, in a stream as one part.
func Huge(n int) Trouble {
	return Trouble{"Huge", func(a *answer) { a.text, a.whole = strings.Repeat("a", n), true }}
}

// Strange completions.

// Musing is what a model thinks. It holds JSON that is no reply.
const Musing = "First, what is asked? Perhaps {\"draft\": true}. No, better not."

var (
	// NoChoices is a completion without one.
	NoChoices = Trouble{"NoChoices", func(a *answer) { a.noChoices = true }}

	// NullContent has null for content.
	NullContent = Trouble{"NullContent", func(a *answer) { a.content = null }}

	// PartsContent has the text in an array of parts.
	PartsContent = Trouble{"PartsContent", func(a *answer) {
		a.content = []any{map[string]string{"type": "text", "text": a.text}}
	}}

	// EmptyContent says nothing.
	EmptyContent = Trouble{"EmptyContent", func(a *answer) { a.text = "" }}

	// Reasoning comes in a field of its own, before the reply.
	Reasoning = Trouble{"Reasoning", func(a *answer) { a.reasoning = Musing }}

	// ReasoningAlone is reasoning and no reply.
	ReasoningAlone = Trouble{"ReasoningAlone", func(a *answer) { a.reasoning, a.text = Musing, "" }}

	// Think puts reasoning in tags before the reply.
	Think = Trouble{"Think", func(a *answer) { a.text = "<think>\n" + Musing + "\n</think>\n\n" + a.text }}

	// ThinkTail lacks the opening tag, which the template had put in the prompt.
	ThinkTail = Trouble{"ThinkTail", func(a *answer) { a.text = Musing + "\n</think>\n\n" + a.text }}

	// ThinkOpen lacks the closing tag: no telling where the reply begins.
	ThinkOpen = Trouble{"ThinkOpen", func(a *answer) { a.text = "<think>\n" + Musing + "\n" + a.text }}

	// CutOff ends halfway, for length.
	CutOff = Trouble{"CutOff", func(a *answer) {
		r := []rune(a.text)
		a.text, a.finish = string(r[:len(r)/2]), "length"
	}}

	// Starved ends before the reply begins: reasoning used up the limit.
	Starved = Trouble{"Starved", func(a *answer) { a.text, a.finish = "", "length" }}

	// Filtered ends halfway, for what it says.
	Filtered = Trouble{"Filtered", func(a *answer) {
		r := []rune(a.text)
		a.text, a.finish = string(r[:len(r)/2]), "content_filter"
	}}

	// Refusal is a reply that refuses, in its field.
	Refusal = Trouble{"Refusal", func(a *answer) { a.refusal = "I'm sorry, I can't assist with that." }}

	// FloatUsage counts tokens in floats.
	FloatUsage = Trouble{"FloatUsage", func(a *answer) {
		if u, ok := a.usage.(usage); ok {
			a.usage = usage{float(u.Prompt), float(u.Completion), float(u.Total)}
		}
	}}

	// NoUsage does not count tokens.
	NoUsage = Trouble{"NoUsage", func(a *answer) { a.usage = nil }}

	// FloatCreated has a part of a second.
	FloatCreated = Trouble{"FloatCreated", func(a *answer) { a.created = json.RawMessage("1700000000.5") }}

	// NullFinish does not say why it ended.
	NullFinish = Trouble{"NullFinish", func(a *answer) { a.finish = nil }}

	// DuplicateKeys has each content twice, a Decoy first.
	DuplicateKeys = Trouble{"DuplicateKeys", func(a *answer) { a.duplicates = true }}
)

func float(n any) json.RawMessage { return json.RawMessage(fmt.Sprint(n, ".0")) }

// Strange streams. A call that does not stream does not notice.

var (
	// KeepAlive has a comment before each event.
	KeepAlive = Trouble{"KeepAlive", func(a *answer) { a.comments = true }}

	// CRLF ends lines with two characters.
	CRLF = Trouble{"CRLF", func(a *answer) { a.crlf = true }}

	// Tight has no space behind "data:".
	Tight = Trouble{"Tight", func(a *answer) { a.tight = true }}

	// SplitRune writes an event that holds a rune of several bytes in two, within it.
	SplitRune = Trouble{"SplitRune", func(a *answer) { a.splitRune = true }}

	// NoDone ends without [DONE].
	NoDone = Trouble{"NoDone", func(a *answer) { a.noDone = true }}

	// EarlyUsage has usage in the event that finishes, not in one behind it.
	EarlyUsage = Trouble{"EarlyUsage", func(a *answer) { a.early = true }}

	// ErrorMidway has an error as an event halfway, which ends the stream but for
	// [DONE] from VLLM. A call that does not stream gets it under 200.
	ErrorMidway = Trouble{"ErrorMidway", func(a *answer) {
		a.fails = shape(a.kind, a.flat, &fault{
			status:  http.StatusInternalServerError,
			message: "The server had an error processing your request.",
			typ:     "server_error",
		})
	}}

	// ErrorEvent is ErrorMidway in an event that is called error.
	ErrorEvent = Trouble{"ErrorEvent", func(a *answer) { ErrorMidway.alter(a); a.event = "error" }}
)
