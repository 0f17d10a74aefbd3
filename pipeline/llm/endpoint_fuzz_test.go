package llm

import (
	"encoding/json"
	"strings"
	"testing"
	"unicode/utf8"

	openai "github.com/sashabaranov/go-openai"
)

func TestStripThinking(t *testing.T) {
	for _, tt := range []struct {
		name, text, want string
		orphan           bool
	}{
		{"None", "a < b, a<b>c</b>", "a < b, a<b>c</b>", false},
		{"Balanced", "<think>x</think>\n\na", "a", false},
		{"Amid", "a <think>x</think>b", "a b", false},
		{"Twice", "<think>x</think>a<reasoning>y</reasoning>b", "ab", false},
		{"Open", "a<think>x", "a", false},
		{"Orphan", "x</think>a", "a", true},
		{"OrphanAfter", "<think>x</think>y</think>a", "a", true},
		{"Nested", "<think>x<think>y</think>z</think>a", "a", true},
		{"Other", "<think>x</reasoning>y</think>a", "a", false},
		{"Thinking", "<thinking>x</thinking>a", "a", false},
		{"Case", "<Think>x</THINK >a", "a", false},
		{"NotATag", "<thinker>a</thinker>", "<thinker>a</thinker>", false},
		{"Unfinished", "a<think", "a<think", false},
		{"AngleInside", "<think><<</think>a", "a", false},
		{"WhiteSpace", " \n a \n", "a \n", false},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if got, orphan := stripThinking(tt.text); got != tt.want || orphan != tt.orphan {
				t.Errorf("stripThinking(%q) = %q, %t, want %q, %t", tt.text, got, orphan, tt.want, tt.orphan)
			}
		})
	}
}

// Wherever a stream is cut, its parts join to what is kept of the whole, but for
// those before a tag that ends what was not begun.
func FuzzThinkFilter(f *testing.F) {
	for _, s := range []string{
		"<think>x</think>a", "a<think>x", "x</think>a", "a <reasoning>x</reasoning >b<", "<thinking>\n</thinking>\n\n{\"a\":1}",
		"<<think>></think>>", "</think></think>", "<think", "a</thi", " \n<think>x</think> \n b",
	} {
		for _, cut := range []string{"\x01", "\x03\x01", ""} {
			f.Add(s, []byte(cut), true)
			f.Add(s, []byte(cut), false)
		}
	}
	f.Fuzz(func(t *testing.T, text string, cuts []byte, hold bool) {
		want, wantOrphan := stripThinking(text)
		filter := thinkFilter{hold: hold}
		var got string
		var orphan bool
		for i, rest := 0, text; rest != ""; i++ {
			n := len(rest)
			if i < len(cuts) {
				n = min(n, int(cuts[i])%8)
			} else if len(cuts) > 0 {
				n = min(n, 1+int(cuts[0])%8)
			}
			pass, void := filter.write(rest[:n])
			if void {
				got, orphan = "", true
			}
			got += pass
			rest = rest[n:]
		}
		got += filter.end()
		if got != want || orphan != wantOrphan {
			t.Errorf("%q cut at %v, hold %t: parts join to %q, orphan %t, want %q, %t", text, cuts, hold, got, orphan, want, wantOrphan)
		}
		if hold && strings.HasPrefix(strings.ToLower(strings.TrimSpace(got)), "<think>") {
			t.Errorf("%q: a tag is left in %q", text, got)
		}
	})
}

// Whatever a server says, go-openai can decode what is made of it, and it says
// the same.
func FuzzReadSaid(f *testing.F) {
	for _, s := range []string{
		`{"choices":[{"message":{"content":"a"},"finish_reason":"stop"}],"usage":{"prompt_tokens":1.0,"completion_tokens":"2"}}`,
		`{"choices":[{"delta":{"content":[{"type":"text","text":"a"}],"reasoning":"x"},"finish_reason":null}],"created":1.5}`,
		`{"choices":[{"message":{"refusal":"no"}}]}`, `{"error":{"code":429,"innererror":{"code":"x"}}}`, `{"error":"x"}`,
		`{"object":"error","code":"insufficient_quota"}`, `{"choices":[{"index":1}]}`, `{"choices":[{"error":{"code":500}}]}`, `[]`, `<html>`,
		`{"usage":{"prompt_tokens":1e999}}`, "{\"choices\":[{\"message\":{\"content\":\"\xff\"}}]}",
	} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, b []byte) {
		for _, field := range []string{"message", "delta"} {
			s, ok := readSaid(b, field)
			if !ok {
				if len(b) > 0 && b[0] == '{' && json.Valid(b) {
					t.Errorf("readSaid(%q): not an object", b)
				}
				continue
			}
			if e := s.failed; e != nil {
				if _, known := knownCodes[e.code]; e.code != "" && !known || e.param != "" && !knownParams[e.param] {
					t.Errorf("readSaid(%q) keeps %q, %q of the server's", b, e.code, e.param)
				}
			}
			if s.in < 0 || s.out < 0 || s.choices < 0 || !utf8.ValidString(s.text) {
				t.Errorf("readSaid(%q) = %+v", b, s)
			}
			var whole openai.ChatCompletionResponse
			if err := json.Unmarshal(s.whole(), &whole); err != nil {
				t.Fatalf("whole of %q: %v", b, err)
			}
			if got := whole.Choices[0]; got.Message.Content != s.text || string(got.FinishReason) != s.finish || whole.Usage.PromptTokens != s.in {
				t.Errorf("whole of %q says %+v, want %+v", b, got, s)
			}
			var chunk openai.ChatCompletionStreamResponse
			if err := json.Unmarshal(s.chunk(), &chunk); err != nil {
				t.Fatalf("chunk of %q: %v", b, err)
			}
			if s.choices > 0 && chunk.Choices[0].Delta.Content != s.text {
				t.Errorf("chunk of %q says %+v, want %+v", b, chunk, s)
			}
		}
	})
}
