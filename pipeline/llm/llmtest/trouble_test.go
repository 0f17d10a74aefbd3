package llmtest

import (
	"context"
	"errors"
	"io"
	"net/http"
	"strings"
	"syscall"
	"testing"
	"time"
)

// A call that goes wrong once goes right the next time.
func TestTroubleOfHTTP(t *testing.T) {
	at := time.Date(2026, 11, 30, 9, 0, 0, 0, time.UTC)
	for _, tt := range []struct {
		trouble Trouble
		kind    Kind
		status  int
		header  string // name and value
		want    string
	}{
		{Status(500), OpenAI, 500, "Content-Type application/json", `"type":"server_error","param":null,"code":null}`},
		{Status(403), OpenAI, 403, "", `"type":"invalid_request_error"`},
		{Status(503), Azure, 503, "", `{"error":{"code":"503","message":`},
		{Status(500), Ollama, 500, "", `"type":"api_error"`},
		{Status(500), VLLM, 500, "", `"type":"InternalServerError","param":null,"code":500`},
		{Status(500), LlamaCpp, 500, "", `"type":"server_error"`},
		{Status(503), LlamaCpp, 503, "", `{"error":{"code":503,"message":"Loading model","type":"unavailable_error"}}`},
		{Leaky(400), OpenAI, 400, "", `Be brief.Is the desk open?`},
		{Leaky(400), OpenAI, 400, "", `Request with key sk-fake-`},
		{RateLimited(1500 * time.Millisecond), OpenAI, 429, "Retry-After 2", `"code":"rate_limit_exceeded"`},
		{RateLimited(time.Second), Azure, 429, "Retry-After 1", `"code":"429"`},
		{RateLimitedUntil(at), OpenAI, 429, "Retry-After Mon, 30 Nov 2026 09:00:00 GMT", `"code":"rate_limit_exceeded"`},
		{NoQuota, OpenAI, 429, "Retry-After ", `"code":"insufficient_quota"`},
		{FilteredPrompt, Azure, 400, "", `"code":"content_filter"`},
		{BadGateway, OpenAI, 502, "Content-Type text/html", "<h1>502 Bad Gateway</h1>"},
		{StringError, OpenAI, 400, "", `{"error":"invalid request"}`},
		{NoMessage, OpenAI, 500, "", `{"error":{"code":"x"}}`},
		{ErrorUnder200, OpenAI, 200, "", `{"error":{"message":"model not loaded"}}`},
		{HTMLUnder200, OpenAI, 200, "Content-Type text/html", "<h1>Sign in</h1>"},
		{Garbage, OpenAI, 200, "Content-Type application/json", "\xff\xfe"},
	} {
		t.Run(tt.trouble.String()+"/"+string(tt.kind), func(t *testing.T) {
			for _, stream := range []bool{false, true} {
				s := NewServer(t, tt.kind)
				s.Next(tt.trouble)
				got := s.ask(t, s.hello().with("stream", stream))
				name, value, _ := strings.Cut(tt.header, " ")
				if got.status != tt.status || !strings.Contains(got.body, tt.want) || got.header.Get(name) != value {
					t.Errorf("ask = %d %v %q, want %d, %s and %q", got.status, got.header, got.body, tt.status, tt.header, tt.want)
				}
				if r := s.Requests()[0]; r.Status != tt.status {
					t.Errorf("Status = %d, want %d", r.Status, tt.status)
				}
				if got := s.ask(t, s.hello()).says(t); got != Sentence {
					t.Errorf("next reply = %q, want %q", got, Sentence)
				}
			}
		})
	}
}

// What a trouble does to a completion and to a stream.
func TestTroubleOfReply(t *testing.T) {
	half := string([]rune(Sentence)[:len([]rune(Sentence))/2])
	for _, tt := range []struct {
		trouble Trouble
		kind    Kind
		want    string // in the body
		text    string // of the reply, streamed or not
		finish  string
	}{
		{Says("other"), OpenAI, `"content":"other"`, "other", "stop"},
		{NullContent, OpenAI, `"content":null`, "", "stop"},
		{PartsContent, OpenAI, `"content":[{"text":"` + Sentence + `","type":"text"}]`, "", "stop"},
		{EmptyContent, OpenAI, `"content":""`, "", "stop"},
		{ReasoningAlone, VLLM, `"reasoning_content":"First,`, "", "stop"},
		{Reasoning, VLLM, `"reasoning_content":"First,`, Sentence, "stop"},
		{Reasoning, Ollama, `"reasoning":"First,`, Sentence, "stop"},
		{Think, Ollama, `<think>`, "<think>\n" + Musing + "\n</think>\n\n" + Sentence, "stop"},
		{ThinkTail, Ollama, `</think>`, Musing + "\n</think>\n\n" + Sentence, "stop"},
		{ThinkOpen, Ollama, `<think>`, "<think>\n" + Musing + "\n" + Sentence, "stop"},
		{CutOff, OpenAI, `"finish_reason":"length"`, half, "length"},
		{Starved, OpenAI, `"finish_reason":"length"`, "", "length"},
		{Filtered, OpenAI, `"finish_reason":"content_filter"`, half, "content_filter"},
		{Refusal, OpenAI, `"refusal":"I'm sorry, I can't assist with that."`, "", "stop"},
		{FloatUsage, OpenAI, `"usage":{"prompt_tokens":8.0,"completion_tokens":16.0,"total_tokens":24.0}`, Sentence, "stop"},
		{FloatCreated, OpenAI, `"created":1700000000.5`, Sentence, "stop"},
		{NullFinish, OpenAI, `"finish_reason":null`, Sentence, ""},
		{DuplicateKeys, OpenAI, `"content":"` + Decoy + `","content":"` + Sentence + `"`, Sentence, "stop"},
		{Gzip, OpenAI, Sentence, Sentence, "stop"},
		{All(CutOff, FloatCreated), OpenAI, `"created":1700000000.5`, half, "length"},
		{Huge(1000), OpenAI, `"content":"` + strings.Repeat("a", 1000) + `"`, strings.Repeat("a", 1000), "stop"},
	} {
		t.Run(tt.trouble.String()+"/"+string(tt.kind), func(t *testing.T) {
			s := NewServer(t, tt.kind)
			s.For(nil, tt.trouble)
			got := s.ask(t, s.hello())
			if text := got.says(t); text != tt.text || !strings.Contains(got.body, tt.want) {
				t.Errorf("reply = %q in %s, want %q and %s", text, got.body, tt.text, tt.want)
			}
			if finish := parse(t, got.body).Choices[0].Finish; finish != tt.finish {
				t.Errorf("finish = %q, want %q", finish, tt.finish)
			}
			got = s.ask(t, s.hello().with("stream", true).with("stream_options", fields{"include_usage": true}))
			if text := got.text(t); text != tt.text {
				t.Errorf("streamed reply = %q in %s, want %q", text, got.body, tt.text)
			}
			var finish, aside string
			for _, data := range got.events() {
				if data == "[DONE]" {
					continue
				}
				for _, c := range parse(t, data).Choices {
					finish += c.Finish
					aside += c.Delta.ReasoningContent + c.Delta.Reasoning + c.Delta.Refusal
				}
			}
			if finish != tt.finish {
				t.Errorf("streamed finish = %q, want %q", finish, tt.finish)
			}
			switch tt.trouble.String() {
			case "Reasoning", "ReasoningAlone":
				if aside != Musing {
					t.Errorf("streamed reasoning = %q, want %q", aside, Musing)
				}
			case "Refusal":
				if aside != "I'm sorry, I can't assist with that." {
					t.Errorf("streamed refusal = %q, want one", aside)
				}
			case "FloatUsage", "FloatCreated", "NullContent", "PartsContent":
				if !strings.Contains(got.body, tt.want) {
					t.Errorf("stream = %s, want %s in it", got.body, tt.want)
				}
			case "Huge", "DuplicateKeys":
				if n := strings.Count(got.body, Decoy); tt.trouble.String() == "Huge" && len(got.events()) != 5 || n > 0 != (tt.trouble.String() == "DuplicateKeys") {
					t.Errorf("stream = %s, want one part, or each content twice", got.body)
				}
			case "Gzip":
				for _, stream := range []bool{false, true} {
					hr := s.call(t, s.hello().with("stream", stream))
					hr.Header.Set("Accept-Encoding", "identity")
					if got := do(t, hr); got.header.Get("Content-Encoding") != "gzip" || !strings.HasPrefix(got.body, "\x1f\x8b") {
						t.Errorf("answer = %v %.10q, want gzip", got.header, got.body)
					}
				}
			}
		})
	}
}

func TestNoChoices(t *testing.T) {
	s := NewServer(t, OpenAI)
	s.For(nil, NoChoices)
	if got := s.ask(t, s.hello()); got.status != 200 || !strings.Contains(got.body, `"choices":[]`) {
		t.Errorf("answer = %d %s, want 200 with no choices", got.status, got.body)
	}
	got := s.ask(t, s.hello().with("stream", true))
	if strings.Contains(got.body, `"choices":[{`) || !strings.Contains(got.body, "[DONE]") {
		t.Errorf("stream = %s, want no choices, and an end", got.body)
	}
}

func TestNoUsage(t *testing.T) {
	s := NewServer(t, OpenAI)
	s.For(nil, NoUsage)
	if got := s.ask(t, s.hello()); strings.Contains(got.body, "usage") {
		t.Errorf("answer = %s, want no usage", got.body)
	}
	if got := s.ask(t, s.hello().with("stream", true).with("stream_options", fields{"include_usage": true})); strings.Contains(got.body, "prompt_tokens") {
		t.Errorf("stream = %s, want no usage", got.body)
	}
}

func TestBroken(t *testing.T) {
	for _, stream := range []bool{false, true} {
		for _, tt := range []struct {
			trouble Trouble
			err     error
			begun   bool
		}{
			{Reset, syscall.ECONNRESET, false},
			{ResetMidway, syscall.ECONNRESET, true},
			{CutMidway, io.ErrUnexpectedEOF, true},
		} {
			s := NewServer(t, OpenAI)
			s.Next(tt.trouble)
			got := s.ask(t, s.hello().with("stream", stream))
			if !errors.Is(got.err, tt.err) {
				t.Errorf("%v, stream %t: err = %v, want %v", tt.trouble, stream, got.err, tt.err)
			}
			if r := s.Requests()[0]; (r.Status == 0) == tt.begun {
				t.Errorf("%v, stream %t: Status = %d, want 0 if nothing was answered", tt.trouble, stream, r.Status)
			}
			if begun := strings.Contains(got.body, "chatcmpl-1"); begun != tt.begun || strings.Contains(got.body, "finish_reason\":\"stop") {
				t.Errorf("%v, stream %t: body = %q, want half of it: %t", tt.trouble, stream, got.body, tt.begun)
			}
			if stream && tt.begun && !strings.HasPrefix(Sentence, got.text(t)) {
				t.Errorf("%v: streamed %q, want the begin of %q", tt.trouble, got.text(t), Sentence)
			}
		}
	}
}

// A slow answer takes its time, and ends when nobody waits for it.
func TestSlow(t *testing.T) {
	const wait = 30 * time.Millisecond
	s := NewServer(t, OpenAI)
	s.Next(Slow(wait), SlowStream(wait/10), Slow(time.Hour), SlowStream(time.Hour))
	start := time.Now()
	s.ask(t, s.hello()).says(t)
	if took := time.Since(start); took < wait {
		t.Errorf("Slow(%v) took %v", wait, took)
	}
	start = time.Now()
	got := s.ask(t, s.hello().with("stream", true))
	if took := time.Since(start); took < wait/10*time.Duration(len(got.events())-1) {
		t.Errorf("SlowStream(%v) took %v for %d events", wait/10, took, len(got.events()))
	}
	for _, begun := range []bool{false, true} {
		hr := s.call(t, s.hello().with("stream", true))
		client := http.Client{Timeout: wait}
		response, err := client.Do(hr)
		if (err == nil) != begun {
			t.Fatalf("Do = %v, want headers: %t", err, begun)
		}
		if begun {
			if _, err = io.ReadAll(response.Body); err == nil {
				t.Errorf("ReadAll = nil, want a time-out")
			}
			response.Body.Close()
		}
	}
}

// Nothing rests for a caller who has gone.
func TestRest(t *testing.T) {
	s := NewServer(t, OpenAI)
	ctx, cancel := context.WithCancel(t.Context())
	hr := s.call(t, s.hello()).WithContext(ctx)
	if !s.rest(hr, 0) || !s.rest(hr, time.Millisecond) {
		t.Error("rest = false for a caller who is there")
	}
	time.AfterFunc(time.Millisecond, cancel)
	if s.rest(hr, time.Hour) || s.rest(hr, 0) {
		t.Error("rest = true for a caller who has gone")
	}
}
