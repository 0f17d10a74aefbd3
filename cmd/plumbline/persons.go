package main

import (
	"slices"
	"strings"

	"plumbline/bot"
	"plumbline/channels/sms"
	"plumbline/sessions/keyring"
)

// persons returns the names of whom what stands for: a person of the list, or
// an address. It returns none if what is neither.
func (a *app) persons(st *state, what string) ([]string, error) {
	if _, ok := keyring.NameKey(what); ok {
		return []string{what}, nil
	}
	addr, ok, err := address(what)
	if err != nil || !ok {
		return nil, err
	}
	names, err := st.Store.Persons(a.ctx, addr)
	if err != nil {
		return nil, err
	}
	// By text a person is one of whoever they write to: of our own numbers even
	// where nothing else is known of them any more.
	s, err := a.Settings()
	if err != nil {
		return nil, err
	}
	for _, number := range []string{s.Twilio.Number, s.Twilio.WhatsApp} {
		if number != "" && (addr.Channel == sms.SMS || addr.Channel == sms.WhatsApp) {
			addr.Thread = number
			names = append(names, st.Store.Keys().Persons(addr)...)
		}
	}
	slices.Sort(names)
	return slices.Compact(names), nil
}

// somebody is persons where nothing else than a person will do.
func (a *app) somebody(st *state, what string) ([]string, error) {
	names, err := a.persons(st, what)
	if err == nil && names == nil {
		err = usage("write an address such as sms:+19735550100, or a person as sessions list shows them")
	}
	return names, err
}

// address reads CHANNEL:USER. It is not ok if there is no such channel. Its
// errors do not repeat what it was given.
func address(s string) (_ bot.Address, ok bool, err error) {
	channel, user, found := strings.Cut(s, ":")
	if !found || !slices.Contains([]string{"sms", "whatsapp", "slack", "web", "console"}, channel) {
		return bot.Address{}, false, nil
	}
	if channel == "sms" || channel == "whatsapp" {
		user = strings.Map(func(r rune) rune {
			if strings.ContainsRune(" .-()\u00a0", r) {
				return -1
			}
			return r
		}, user)
		digits := strings.TrimPrefix(user, "+")
		if digits == user || len(digits) < 7 || len(digits) > 15 || strings.Trim(digits, "0123456789") != "" {
			return bot.Address{}, true, usage("this is no telephone number with its country: write it as %s:+19735550100", channel)
		}
	}
	if user == "" {
		return bot.Address{}, true, usage("there is no user after %s:", channel)
	}
	return bot.Address{Channel: channel, User: user}, true, nil
}
