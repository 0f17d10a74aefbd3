package bot_test

import (
	"slices"
	"testing"

	"plumbline/bot"
)

func TestReplyOffers(t *testing.T) {
	one := []string{"text"}
	for _, tt := range []struct {
		name  string
		reply bot.Reply
		want  []bot.Word
	}{
		{"Nothing", bot.Reply{Text: "x"}, nil},
		{"All", bot.Reply{Sources: one, Why: one, More: one}, []bot.Word{bot.WordMore, bot.WordWhy, bot.WordSources}},
		{"One", bot.Reply{Why: one}, []bot.Word{bot.WordWhy}},
		{"Emergency", bot.Reply{More: one, Status: bot.Emergency}, nil},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if got := tt.reply.Offers(); !slices.Equal(got, tt.want) {
				t.Errorf("%+v offers %q, want %q", tt.reply, got, tt.want)
			}
		})
	}
}
