package sms

import (
	"regexp"
	"strings"

	"plumbline/bot"
)

// The channels of this package, as [bot.Address] names them. What comes by RCS
// is of the same channel as SMS: Twilio sends to a number by the better of the
// two, and an opt-out holds for both (changelog of 15 March 2026).
const (
	SMS      = "sms"
	WhatsApp = "whatsapp"
)

const (
	whatsAppPrefix = "whatsapp:"
	rcsPrefix      = "rcs:"
)

var (
	e164     = regexp.MustCompile(`^\+[1-9][0-9]{6,14}$`)
	whatsApp = regexp.MustCompile(`^\+?[A-Za-z0-9._-]{6,64}$`) // a number, or the name that stands for one
)

// addressOf reads who wrote, and to whom, of a message. It reports false for
// whom nothing can be sent: a short code, a name in place of a number, or
// ourselves. home is our own number, for a sender that is not one.
func addressOf(from, to, home string) (bot.Address, bool) {
	from, to = strings.TrimSpace(from), strings.TrimSpace(to)
	channel, user := SMS, from
	if name, ok := strings.CutPrefix(from, whatsAppPrefix); ok {
		channel, user = WhatsApp, name
		if !whatsApp.MatchString(user) {
			return bot.Address{}, false
		}
	} else {
		user = strings.TrimPrefix(from, rcsPrefix)
		if !e164.MatchString(user) {
			return bot.Address{}, false
		}
	}
	ours := strings.TrimPrefix(strings.TrimPrefix(to, whatsAppPrefix), rcsPrefix)
	if !e164.MatchString(ours) { // an RCS agent, which stands for our number
		ours = home
	}
	if ours == user {
		return bot.Address{}, false
	}
	return bot.Address{Channel: channel, User: user, Thread: ours}, true
}

// dialled is a number or name of channel as Twilio calls it.
func dialled(channel, number string) string {
	if channel == WhatsApp {
		return whatsAppPrefix + number
	}
	return number
}
