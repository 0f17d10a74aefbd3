package sms_test

import (
	"errors"
	"fmt"
	"os"
	"testing"

	"plumbline/bot"
	"plumbline/channels/sms"
	"plumbline/internal/need"
	"plumbline/internal/secret"
)

// magic is one of Twilio's test numbers, each of which stands for what may be
// wrong with a number.
func magic(n int) string { return fmt.Sprintf("+1%d%d000%d", 500, 555, n) }

// Twilio itself, by an account's test credentials: it checks what it is asked,
// answers as it would, and sends nothing.
func TestRealTwilio(t *testing.T) {
	token := need.Setting(t, "PLUMBLINE_TEST_TWILIO_TOKEN", "what Twilio itself answers, by an account's test credentials (and PLUMBLINE_TEST_TWILIO_ACCOUNT)")
	_, sender, _ := vendor(t, func(c *sms.SenderConfig) {
		c.Credentials, c.API = sms.Credentials{Account: os.Getenv("PLUMBLINE_TEST_TWILIO_ACCOUNT"), Token: secret.New(token)}, sms.API
	})
	for _, tt := range []struct {
		from, to string
		kind     error // nil: it is taken
		why      string
	}{
		{magic(6), magic(6), nil, ""},
		{magic(6), magic(1), bot.ErrInvalid, "invalid (21211)"},
		{magic(6), magic(2), bot.ErrInvalid, "invalid (21612)"},
		{magic(6), magic(3), bot.ErrDenied, "denied (21408)"},
		{magic(6), magic(4), bot.ErrOptedOut, "denied (21610)"},
		{magic(6), magic(9), bot.ErrInvalid, "invalid (21614)"},
		{magic(8), magic(6), bot.ErrUnavailable, "unavailable (21611)"},
	} {
		d := delivery("A test of the line. Nobody is sent this.")
		d.To.User, d.To.Thread = tt.to, tt.from
		id, err := sender.Send(t.Context(), d)
		if tt.kind == nil && (err != nil || id == "") || tt.kind != nil && (!errors.Is(err, tt.kind) || bot.Why(err) != tt.why) {
			t.Errorf("from %s to %s: %q, %v (%s); want %v, %s", tt.from, tt.to, id, err, bot.Why(err), tt.kind, tt.why)
		}
	}
}
