package sms_test

import (
	"errors"
	"os"
	"testing"

	"plumbline/bot"
	"plumbline/channels/sms"
	"plumbline/internal/need"
	"plumbline/internal/secret"
)

// Twilio itself, by an account's test credentials: it checks what it is asked,
// answers as it would, and sends nothing. Its magic numbers stand for what may
// be wrong with one.
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
		{"+15005550006", "+15005550006", nil, ""},
		{"+15005550006", "+15005550001", bot.ErrInvalid, "invalid (21211)"},
		{"+15005550006", "+15005550002", bot.ErrInvalid, "invalid (21612)"},
		{"+15005550006", "+15005550003", bot.ErrDenied, "denied (21408)"},
		{"+15005550006", "+15005550004", bot.ErrOptedOut, "denied (21610)"},
		{"+15005550006", "+15005550009", bot.ErrInvalid, "invalid (21614)"},
		{"+15005550008", "+15005550006", bot.ErrUnavailable, "unavailable (21611)"},
	} {
		d := delivery("A test of the line. Nobody is sent this.")
		d.To.User, d.To.Thread = tt.to, tt.from
		id, err := sender.Send(t.Context(), d)
		if tt.kind == nil && (err != nil || id == "") || tt.kind != nil && (!errors.Is(err, tt.kind) || bot.Why(err) != tt.why) {
			t.Errorf("from %s to %s: %q, %v (%s); want %v, %s", tt.from, tt.to, id, err, bot.Why(err), tt.kind, tt.why)
		}
	}
}
