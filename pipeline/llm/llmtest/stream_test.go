package llmtest

import (
	"strings"
	"testing"
	"unicode/utf8"
)

func (s *Server) streamed(t *testing.T, usage bool) got {
	t.Helper()
	body := s.hello().with("stream", true)
	if usage {
		body.with("stream_options", fields{"include_usage": usage})
	}
	got := s.ask(t, body)
	if got.err != nil || got.status != 200 || !strings.HasPrefix(got.header.Get("Content-Type"), "text/event-stream") {
		t.Fatalf("stream = %d %v %q, %v, want one", got.status, got.header, got.body, got.err)
	}
	return got
}

// A stream says the role, the text in parts, the reason why it ends, the usage
// if asked, and that it is done.
func TestStream(t *testing.T) {
	for _, kind := range kinds {
		for _, usage := range []bool{false, true} {
			s := NewServer(t, kind)
			got := s.streamed(t, usage)
			events := got.events()
			if kind == Azure {
				if first := events[0]; !strings.Contains(first, `"choices":[]`) || !strings.Contains(first, "prompt_filter_results") {
					t.Errorf("%s: first event = %s, want what was found in the prompt", kind, first)
				}
				events = events[1:]
			}
			if first := parse(t, events[0]); first.Object != "chat.completion.chunk" || first.Choices[0].Delta.Role != "assistant" {
				t.Errorf("%s: event = %s, want the role", kind, events[0])
			}
			last := len(events) - 1
			if events[last] != "[DONE]" {
				t.Errorf("%s: last event = %s, want [DONE]", kind, events[last])
			}
			if usage {
				last--
				r := parse(t, events[last])
				if r.Choices == nil || len(r.Choices) != 0 || r.Usage == nil || r.Usage.Prompt != 8 || r.Usage.Completion != 16 {
					t.Errorf("%s: event = %s, want usage of 8 and 16, and no choice", kind, events[last])
				}
			} else if strings.Contains(got.body, "prompt_tokens") {
				t.Errorf("%s: stream tells usage without being asked", kind)
			}
			if r := parse(t, events[last-1]); r.Choices[0].Finish != "stop" || r.Choices[0].Delta.Content != nil {
				t.Errorf("%s: event = %s, want the finish alone", kind, events[last-1])
			}
			if text := got.text(t); text != Sentence || len(events) < 6 {
				t.Errorf("%s: %d events say %q, want %q in parts", kind, len(events), text, Sentence)
			}
			if null := strings.Count(got.body, `"usage":null`); usage != (null > 0) && kind == OpenAI {
				t.Errorf("%s: %d events with usage null, asked %t", kind, null, usage)
			}
		}
	}
}

func TestStrangeStream(t *testing.T) {
	for _, tt := range []struct {
		trouble Trouble
		want    func(body string) bool
	}{
		{KeepAlive, func(b string) bool { return strings.HasPrefix(b, ": keep-alive\n\ndata: {") }},
		{CRLF, func(b string) bool { return strings.Count(b, "\r\n") == strings.Count(b, "\n") }},
		{Tight, func(b string) bool { return strings.HasPrefix(b, "data:{") }},
		{SplitRune, func(b string) bool { return true }},
		{NoDone, func(b string) bool { return !strings.Contains(b, "[DONE]") }},
		{EarlyUsage, func(b string) bool {
			return strings.Contains(b, `"finish_reason":"stop"}],"usage":{"prompt_tokens":8`) && strings.Count(b, "prompt_tokens") == 1
		}},
		{All(KeepAlive, CRLF), func(b string) bool { return strings.HasPrefix(b, ": keep-alive\r\n\r\ndata: {") }},
	} {
		t.Run(tt.trouble.String(), func(t *testing.T) {
			s := NewServer(t, OpenAI)
			s.Next(tt.trouble)
			got := s.streamed(t, true)
			if text := got.text(t); text != Sentence || !tt.want(got.body) {
				t.Errorf("stream = %q in %q, want %q", text, got.body, Sentence)
			}
		})
	}
}

// Each read of a split event is no whole rune.
func TestSplitRune(t *testing.T) {
	s := NewServer(t, OpenAI)
	s.Next(All(SplitRune, Says("水")))
	hr := s.call(t, s.hello().with("stream", true))
	body := open(t, hr)
	split := false
	buf := make([]byte, 4096)
	for {
		n, err := body.Read(buf)
		split = split || !utf8.Valid(buf[:n])
		if err != nil {
			break
		}
	}
	if !split {
		t.Error("every read is whole, want one that ends within a rune")
	}
}

func TestErrorMidway(t *testing.T) {
	for _, tt := range []struct {
		trouble Trouble
		kind    Kind
		last    string
		done    bool
	}{
		{ErrorMidway, OpenAI, `data: {"error":{"message":"The server had an error processing your request.","type":"server_error"`, false},
		{ErrorMidway, VLLM, `data: {"error":{"message":"The server had an error processing your request.","type":"InternalServerError"`, true},
		{ErrorEvent, OpenAI, "event: error\ndata: {\"error\":", false},
		{ErrorEvent, VLLM, "event: error\ndata: {\"error\":", true},
	} {
		s := NewServer(t, tt.kind)
		s.For(nil, tt.trouble)
		got := s.streamed(t, false)
		if !strings.Contains(got.body, tt.last) || strings.Contains(got.body, "[DONE]") != tt.done || strings.Contains(got.body, `"stop"`) {
			t.Errorf("%v: stream = %s, want half and %s, done %t", tt.trouble, got.body, tt.last, tt.done)
		}
		if text := got.text(t); text == "" || text == Sentence || !strings.HasPrefix(Sentence, text) {
			t.Errorf("%v: streamed %q, want a part of %q", tt.trouble, text, Sentence)
		}
		if got := s.ask(t, s.hello()); got.status != 200 || !strings.HasPrefix(got.body, `{"error":{`) {
			t.Errorf("%v: answer = %d %s, want an error under 200", tt.trouble, got.status, got.body)
		}
	}
}
