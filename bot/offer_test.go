package bot_test

import (
	"context"
	"testing"

	"plumbline/bot"
)

// A guide answers from the pack that is asked; the home pack offers the other
// and asks back.
type guide struct{ oracle }

func (g *guide) Answer(ctx context.Context, q bot.Question) (bot.Answer, error) {
	a, err := g.oracle.Answer(ctx, q)
	a.Pack, a.Asked = q.Pack, q.Text
	if q.Pack == "" {
		a.Pack = "home"
	}
	if q.Text == "about stars" && q.Pack != "stars" {
		a.Offer = &bot.Offer{Pack: "stars", Words: []string{"STARS", "ESTRELLAS"}}
	}
	if q.Text == "which" {
		a.Clarify = "clarify.which"
	}
	return a, err
}

// converse is a conversation with g: it returns what to call with each message.
func converse(t *testing.T, g *guide) func(text string) {
	ch := newChat(t)
	ch.c.Answerer = g
	return func(text string) { ch.say(text) }
}

func TestConversationTakesOffer(t *testing.T) {
	for _, word := range []string{"STARS", "stars!", "Estrellas", "yes", "Sí.", "ok"} {
		g := new(guide)
		say := converse(t, g)
		for _, text := range []string{"about trees", "about stars", word, "and the moon"} {
			say(text)
		}
		taken := g.asked[2]
		if taken.Text != "about stars" || taken.Pack != "stars" || len(taken.History) != 1 {
			t.Errorf("%q asks %q of pack %q with %d turns before; want what was offered, of stars", word, taken.Text, taken.Pack, len(taken.History))
		}
		if last := g.asked[3]; last.Pack != "stars" || last.Text != "and the moon" {
			t.Errorf("after %q, %q is asked of pack %q; want stars", word, last.Text, last.Pack)
		}
		if g.asked[0].Pack != "" || g.asked[1].Pack != "" {
			t.Error("the first questions went to another pack")
		}
	}
}

// An offer that is not taken at once is gone.
func TestOfferLapses(t *testing.T) {
	g := new(guide)
	say := converse(t, g)
	for _, text := range []string{"about stars", "about trees", "stars"} {
		say(text)
	}
	if last := g.asked[2]; last.Text != "stars" || last.Pack != "" {
		t.Errorf("a late word asks %q of %q, want it as written, of the default", last.Text, last.Pack)
	}
}

func TestConversationRemembersWhatWasAskedBack(t *testing.T) {
	g := new(guide)
	say := converse(t, g)
	for _, text := range []string{"which", "this one", "another"} {
		say(text)
	}
	if got := []string{g.asked[0].Clarify, g.asked[1].Clarify, g.asked[2].Clarify}; got[0] != "" || got[1] != "clarify.which" || got[2] != "" {
		t.Errorf("what was asked back, by question: %q; want it at the second alone", got)
	}
}
