// Package sms is the way in and out by text message: SMS, RCS and WhatsApp
// through Twilio.
//
// A [Hook] takes in what Twilio posts: messages of residents, what became of
// our texts, and calls. Each request is verified, recorded and then
// acknowledged, in that order. A [Sender] hands texts to Twilio, and where it
// is in doubt whether Twilio has one already, asks before it does so again. An
// [Account] reads what the operator has set up there.
package sms
