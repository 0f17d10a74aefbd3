package sms

import "plumbline/bot"

// kinds are the kinds of Twilio's error codes, as its pages of errors explain
// them. What is the operator's to mend is unavailable, so that texts wait for it.
var kinds = map[string]error{
	"21610": bot.ErrOptedOut,

	// The number, or the text, is such that no retry will help.
	"21211": bot.ErrInvalid, // no telephone number
	"21214": bot.ErrInvalid, // cannot be reached
	"21217": bot.ErrInvalid, // no telephone number
	"21604": bot.ErrInvalid, // no number to send to
	"21612": bot.ErrInvalid, // cannot be reached from our number
	"21614": bot.ErrInvalid, // not a mobile number
	"21635": bot.ErrInvalid, // a landline
	"21602": bot.ErrInvalid, // no text
	"21605": bot.ErrInvalid, // too long
	"21617": bot.ErrInvalid, // too long
	"21658": bot.ErrInvalid, // too long
	"30003": bot.ErrInvalid, // the phone is off or out of reach: Twilio has tried
	"30005": bot.ErrInvalid, // no such phone
	"30006": bot.ErrInvalid, // a landline, or out of reach of the carrier
	"30008": bot.ErrInvalid, // the carrier does not say
	"63003": bot.ErrInvalid, // no such WhatsApp number
	"63016": bot.ErrInvalid, // outside WhatsApp's 24 hours
	"63024": bot.ErrInvalid, // no such WhatsApp number

	// Not allowed, by the carrier or by law.
	"21408": bot.ErrDenied, // not to that country
	"30004": bot.ErrDenied, // the carrier or the person blocks us
	"30007": bot.ErrDenied, // filtered by the carrier
	"30032": bot.ErrDenied, // the toll-free number is not verified
	"30034": bot.ErrDenied, // the number is of no registered campaign
	"63032": bot.ErrDenied, // WhatsApp limits what the person may be sent
	"63033": bot.ErrDenied, // blocked by the person on WhatsApp

	// Too much at once.
	"14107": bot.ErrUnavailable,
	"20429": bot.ErrUnavailable,
	"21611": bot.ErrUnavailable, // the number's queue is full
	"30001": bot.ErrUnavailable, // the same
	"63018": bot.ErrUnavailable,

	// The operator's to mend.
	"20003": bot.ErrUnavailable, // wrong credentials
	"20005": bot.ErrUnavailable, // the account is not active
	"20006": bot.ErrUnavailable,
	"20008": bot.ErrUnavailable, // test credentials
	"20404": bot.ErrUnavailable, // no such account or service
	"21603": bot.ErrUnavailable, // no sender
	"21606": bot.ErrUnavailable, // the number is not the account's
	"21608": bot.ErrUnavailable, // a trial account
	"21609": bot.ErrUnavailable, // the status URL
	"21659": bot.ErrUnavailable, // the number is not the account's
	"21660": bot.ErrUnavailable,
	"21661": bot.ErrUnavailable,
	"21701": bot.ErrUnavailable, // no such Messaging Service
	"21703": bot.ErrUnavailable, // it has no senders
	"21704": bot.ErrUnavailable,
	"21705": bot.ErrUnavailable,
	"21712": bot.ErrUnavailable, // the number is not the service's
	"30002": bot.ErrUnavailable, // the account is suspended
	"63007": bot.ErrUnavailable, // no such WhatsApp sender
}

// mends are the codes that an operator must mend: there is no hurry to retry.
var mends = map[string]bool{
	"20003": true, "20005": true, "20006": true, "20008": true, "20404": true, "21603": true, "21606": true, "21608": true, "21609": true,
	"21659": true, "21660": true, "21661": true, "21701": true, "21703": true, "21704": true, "21705": true, "21712": true, "30002": true, "63007": true,
}

// kindOf is the kind of a code. One that is not known is taken for one that no
// retry will help: a text too few is told, a text too many is not.
func kindOf(code string) error {
	if k, ok := kinds[code]; ok {
		return k
	}
	return bot.ErrInvalid
}
