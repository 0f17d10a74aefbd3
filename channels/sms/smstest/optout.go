package smstest

import "strings"

// Keywords is who heeds words such as STOP.
type Keywords int

// Default is what a number does of itself: Twilio heeds the words and answers
// them, and the webhook says nothing of it. Advanced is Advanced Opt-Out of a
// Messaging Service: the webhook says OptOutType. With Off nobody does.
const (
	Default Keywords = iota
	Advanced
	Off
)

// The kinds of keyword, as OptOutType says them. A whole message counts, in any
// case.
const (
	stopWord  = "STOP"
	startWord = "START"
	helpWord  = "HELP"
)

var keywords = map[string]string{
	"STOP": stopWord, "STOPALL": stopWord, "UNSUBSCRIBE": stopWord, "END": stopWord, "QUIT": stopWord, "CANCEL": stopWord,
	"REVOKE": stopWord, "OPTOUT": stopWord,
	"START": startWord, "YES": startWord, "UNSTOP": startWord,
	"HELP": helpWord, "INFO": helpWord,
}

// keyword is the kind of keyword that a message is; empty if it is none.
func keyword(body string) string { return keywords[strings.ToUpper(strings.TrimSpace(body))] }

// answersTo are what Twilio answers of itself.
var answersTo = map[string]string{
	stopWord:  "You have successfully been unsubscribed. You will not receive any more messages from this number. Reply START to resubscribe.",
	startWord: "You have successfully been re-subscribed to messages from this number. Reply HELP for help. Reply STOP to unsubscribe. Msg&Data Rates May Apply.",
	helpWord:  "Reply STOP to unsubscribe. Msg&Data Rates May Apply.",
}

// An optOut is that of a person from a sender: a number, or the SID of a
// Messaging Service, of which it holds for all senders.
type optOut struct{ sender, person string }

// scope is the opt-out that would keep d from a person. WhatsApp knows none.
func (s *Server) scope(channel, number string, d draft) optOut {
	switch {
	case channel == whatsApp:
		return optOut{}
	case d.service != nil:
		return optOut{d.service.SID, number}
	}
	return s.scopeOf(d.from, number)
}

// scopeOf is the opt-out of a person from a sender.
func (s *Server) scopeOf(sender, person string) optOut {
	if m := s.account.serviceOf(sender); m != nil {
		sender = m.SID
	}
	return optOut{sender, person}
}

// OptedOut reports whether Twilio keeps a sender of ours, or the Messaging
// Service that it is of, from writing to a number.
func (s *Server) OptedOut(sender, number string) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	_, person := split(number)
	return s.optOuts[s.scopeOf(sender, person)]
}

// heed does what Twilio does of itself with a message and returns its
// OptOutType. s.mu is held.
func (s *Server) heed(p *Phone, to, body string) string {
	channel, person := split(p.address)
	word := keyword(body)
	if s.config.Keywords == Off || word == "" || channel == whatsApp {
		return ""
	}
	out := s.scopeOf(to, person)
	was := s.optOuts[out]
	answered := word == helpWord && !was
	switch word {
	case stopWord:
		s.optOuts[out], answered = true, !was
	case startWord:
		delete(s.optOuts, out)
		answered = was
	}
	if answered {
		p.box.replies++
		p.box.receive(Text{SID: s.sid("SM", "keyword", p.address, p.box.replies), From: to, Body: answersTo[word], At: s.config.Now(), Vendor: true})
	}
	if s.config.Keywords == Advanced && s.account.serviceOf(to) != nil {
		return word
	}
	return ""
}
