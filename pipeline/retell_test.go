package pipeline

import (
	"context"
	"strings"
	"testing"

	"plumbline/bot"
)

// tells tells nothing but its pieces.
type tells []Piece

func (p tells) Tell(_ context.Context, d *Draft) error {
	d.Pieces = p
	return nil
}

// A source goes with its claim where a fixed text stands before them as well.
func TestRetellKeepsSourcesWithClaims(t *testing.T) {
	claim := strings.TrimSpace(strings.Repeat("lead ", 59)) + "."
	p := &Pipeline{c: Config{Voices: []string{"scientist"}, Tell: tells{{Text: claim, Keep: KeepClaim}, {Text: "Source of it.", Keep: KeepOpening, With: 1}}}}
	r, err := p.Retell(t.Context(), bot.Answer{
		ID: "1", Language: bot.English, Status: bot.Answered, Trace: &bot.Trace{AsOf: "2026-11-30"},
		Claims: []bot.Claim{
			{Text: "Do not drink it.", Evidence: []bot.Evidence{{Chunk: "fixed", Paragraph: "core.one"}}},
			{Text: claim, Evidence: []bot.Evidence{{Chunk: "lead"}}},
		},
	}, "scientist", "sms")
	if err != nil {
		t.Fatal(err)
	}
	if want := "Do not drink it. Reply MORE."; r.Text != want {
		t.Errorf("Retell = %q, want %q: the source without its claim is not sent", r.Text, want)
	}
	if len(r.More) == 0 || !strings.HasPrefix(r.More[0], claim) {
		t.Errorf("Retell leaves %q for MORE, want the claim first", r.More)
	}
}
