// Package web is the phone page: a chat in the browser that looks and costs
// like texting the hotline, with the organiser's view of an answer beside it
// and a page that traces how it came about. It works without script; with
// script, replies appear as they come.
//
// A text that is posted is put into the [Mailbox], handed to a [bot.Receiver]
// and acknowledged. The reply comes back through [Phone.Send].
package web
