package console_test

import (
	"encoding/json"
	"io"
	"strings"
	"testing"
	"time"

	"plumbline/bot"
	"plumbline/channels/console"
)

func TestShow(t *testing.T) {
	columns := func(n int) func() int { return func() int { return n } }
	plain := bot.Delivery{Text: "first\nsecond", Language: bot.English, Status: bot.Answered, Offers: []bot.Word{bot.WordMore, bot.WordWhy, bot.WordSources}}
	spanish := bot.Delivery{Text: "¿Sí?", Language: bot.Spanish, Status: bot.Answered, Offers: []bot.Word{bot.WordMore, bot.WordWhy, bot.WordSources}}
	urgent := bot.Delivery{Text: "Call 911", Language: bot.English, Status: bot.Emergency, Offers: []bot.Word{bot.WordMore}}
	for _, tt := range []struct {
		name    string
		channel string
		look    console.Look
		d       bot.Delivery
		want    string
	}{
		{"Pipe", "sms", console.Look{}, plain, "first\nsecond\n"},
		{"Terminal", "sms", console.Look{Terminal: true}, plain, "first\nsecond\n  1 segment, 12 units, GSM-7\n  You can text: MORE, WHY, SOURCES\n\n"},
		{"NoSegmentsElsewhere", "slack", console.Look{Terminal: true}, plain, "first\nsecond\n  You can text: MORE, WHY, SOURCES\n\n"},
		{"Spanish", "sms", console.Look{Terminal: true}, spanish, "¿Sí?\n  1 segment, 4 units, UCS-2\n  Puede mandar: MAS, POR QUE, FUENTES\n\n"},
		{"Color", "sms", console.Look{Terminal: true, Color: true}, bot.Delivery{Text: "x"}, "x\n\x1b[2m  1 segment, 1 units, GSM-7\x1b[0m\n\n"},
		{"Emergency", "sms", console.Look{Terminal: true, Color: true}, urgent, "\x1b[1mCall 911\x1b[0m\n\n"},
		{"EmergencyWithoutColor", "sms", console.Look{Terminal: true}, urgent, "Call 911\n\n"},
		{"Wraps", "web", console.Look{Terminal: true, Width: columns(10)}, bot.Delivery{Text: "123456789 1 3456 89 año👶 x"}, "123456789\n1 3456 89\naño👶 x\n\n"},
		{"WrapsWide", "web", console.Look{Terminal: true, Width: columns(10)}, bot.Delivery{Text: "日本 日本 日本"}, "日本 日本\n日本\n\n"},
		{"LongWord", "web", console.Look{Terminal: true, Width: columns(5)}, bot.Delivery{Text: "a https://example.org b"}, "a\nhttps://example.org\nb\n\n"},
		{"NoWiderThanReadable", "web", console.Look{Terminal: true, Width: columns(500)}, bot.Delivery{Text: strings.Repeat("1234 ", 30)}, strings.TrimRight(strings.Repeat("1234 ", 20), " ") + "\n" + strings.TrimRight(strings.Repeat("1234 ", 10), " ") + "\n\n"},
		{"SteersNothing", "web", console.Look{Terminal: true}, bot.Delivery{Text: "a\x1b[2Jb\u202ec"}, "a [2Jb c\n\n"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			term := newTerminal(t)
			c := console.New(console.Options{From: bot.Address{Channel: tt.channel, User: "you"}, Out: term, Look: tt.look})
			if _, err := c.Send(t.Context(), tt.d); err != nil {
				t.Fatalf("Send = %v", err)
			}
			if got := term.String(); got != tt.want {
				t.Errorf("shown as %q, want %q", got, tt.want)
			}
		})
	}
}

func TestShowJSON(t *testing.T) {
	term := newTerminal(t)
	c := console.New(console.Options{Out: term, Look: console.Look{JSON: true, Terminal: true}})
	for _, d := range []bot.Delivery{
		{Key: "1", Text: "a\n<b>", Language: bot.English, Status: bot.Answered, Answer: "A", Offers: []bot.Word{bot.WordMore}},
		{Key: "2", Text: "b"},
	} {
		if _, err := c.Send(t.Context(), d); err != nil {
			t.Fatalf("Send = %v", err)
		}
	}
	want := `{"text":"a\n<b>","status":"answered","language":"en","answer":"A","offers":["more"],"encoding":"GSM-7","segments":1,"units":5}` + "\n" +
		`{"text":"b","status":"","language":"","answer":"","offers":[],"encoding":"GSM-7","segments":1,"units":1}` + "\n"
	if got := term.String(); got != want {
		t.Errorf("shown as\n%s\nwant\n%s", got, want)
	}
	for line := range strings.Lines(term.String()) {
		if !json.Valid([]byte(line)) {
			t.Errorf("%q is not JSON", line)
		}
	}
}

// What is piped in is shown on a terminal beside its answer, but nothing is
// asked for.
func TestPipeToTerminal(t *testing.T) {
	c, _, term, _ := open(t, strings.NewReader("one\n"), func(o *console.Options) { o.Look.Terminal = true })
	if err := c.Run(t.Context()); err != nil {
		t.Fatalf("Run = %v", err)
	}
	want := "you> one\nto one\n  1 segment, 6 units, GSM-7\n  You can text: MORE\n\n"
	if got := term.String(); got != want {
		t.Errorf("shown as %q, want %q", got, want)
	}
}

// A text that comes while the prompt stands there does not stand behind it, and
// the prompt comes back.
func TestTextAtThePrompt(t *testing.T) {
	r, w := io.Pipe()
	c, _, term, _ := open(t, r, func(o *console.Options) { o.Typed, o.Look.Terminal = true, true })
	done := make(chan error, 1)
	go func() { done <- c.Run(t.Context()) }()
	for !strings.HasSuffix(term.String(), "\n\nyou> ") {
		time.Sleep(time.Millisecond)
	}
	before := term.String()
	if _, err := c.Send(t.Context(), bot.Delivery{Key: "k", Text: "a note"}); err != nil {
		t.Fatalf("Send = %v", err)
	}
	c.Moved()
	want := before + "\na note\n  1 segment, 6 units, GSM-7\n\nyou> "
	for deadline := time.Now().Add(5 * time.Second); term.String() != want && time.Now().Before(deadline); {
		time.Sleep(time.Millisecond)
	}
	_ = w.Close()
	if err := <-done; err != nil {
		t.Fatalf("Run = %v", err)
	}
	if got := term.String(); got != want+"\n" {
		t.Errorf("shown as %q, want %q and the line ended", got, want)
	}
}
