package sms

import (
	"context"
	"fmt"
	"log/slog"
	"net/url"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	openapi "github.com/twilio/twilio-go/rest/api/v2010"

	"plumbline/bot"
)

// Longest is how many characters Twilio takes in one message.
const Longest = 1600

// How long a text may wait at Twilio before it is not sent any more, in seconds.
const (
	validAnswer = 4 * 3600
	validUrgent = 3600
)

// SenderConfig is what a [Sender] needs.
type SenderConfig struct {
	Credentials Credentials
	API         string   // where Twilio is; empty for [API]
	Service     string   // the Messaging Service that sends, MG…; empty to send from the number that the person wrote to
	Number      string   // that sends to a person who wrote to none of ours, for want of a service
	PublicURL   string   // to which Twilio tells what became of texts; empty to not be told
	Leads       []string // what a text may begin with that goes out late; see [bot.Courier].Lead
	Known       func(ctx context.Context, channel, vendorID string) (bool, error)
	Now         func() time.Time
	Log         *slog.Logger
}

// A Sender hands texts to Twilio. It implements [bot.Sender] and is safe for
// concurrent use. Twilio has no key that makes a second call one with the
// first; so where it may have a text already ([bot.Delivery].Tried), it is
// asked what it has sent to that person since, and the text is not sent again
// if it is there.
type Sender struct {
	config SenderConfig
	api    *api
}

// NewSender returns a Sender.
func NewSender(c SenderConfig) *Sender {
	return &Sender{config: c, api: newAPI(c.Credentials, c.API)}
}

// Send implements [bot.Sender].
func (s *Sender) Send(ctx context.Context, d bot.Delivery) (vendorID string, err error) {
	text := d.Says()
	switch n := utf8.RuneCountInString(text); {
	case d.To.User == "" || d.Key == "" || strings.TrimSpace(text) == "":
		return "", fmt.Errorf("send text %d: it lacks an address, a key or words: %w", d.Seq, bot.ErrInvalid)
	case n > Longest:
		return "", fmt.Errorf("send text %d: it has %d characters, more than %d: %w", d.Seq, n, Longest, bot.ErrInvalid)
	case !utf8.ValidString(text):
		return "", fmt.Errorf("send text %d: it is not UTF-8: %w", d.Seq, bot.ErrInvalid)
	}
	if d.Tried {
		if vendorID, err = s.find(ctx, d); err != nil {
			return "", fmt.Errorf("ask for text %d: %w", d.Seq, err)
		}
		if vendorID != "" {
			s.config.Log.InfoContext(ctx, "text was with the vendor already", "to", d.To, "id", vendorID)
			return vendorID, nil
		}
	}
	p := new(openapi.CreateMessageParams).SetTo(dialled(d.To.Channel, d.To.User)).SetBody(text)
	if s.config.Service != "" {
		p.SetMessagingServiceSid(s.config.Service)
	} else {
		from := d.To.Thread
		if from == "" {
			from = s.config.Number
		}
		p.SetFrom(dialled(d.To.Channel, from))
	}
	if s.config.PublicURL != "" {
		p.SetStatusCallback(strings.TrimRight(s.config.PublicURL, "/") + StatusPath + "?" + url.Values{"channel": {d.To.Channel}, "key": {d.Key}}.Encode())
	}
	if d.To.Channel == SMS {
		p.SetValidityPeriod(s.validity(d))
	}
	m, err := openapi.NewApiServiceWithClient(s.api.with(ctx)).CreateMessage(p)
	switch {
	case err == nil:
	case bot.Kind(err) == bot.Kind(nil) && ctx.Err() == nil: // an answer that the library cannot read
		return "", fmt.Errorf("send text %d: the vendor's answer cannot be read: %w", d.Seq, bot.ErrInDoubt)
	default:
		return "", fmt.Errorf("send text %d: %w", d.Seq, err)
	}
	if m.Sid == nil || *m.Sid == "" {
		return "", fmt.Errorf("send text %d: the vendor took it and did not name it: %w", d.Seq, bot.ErrInDoubt)
	}
	return *m.Sid, nil
}

// validity is for how many seconds d may wait at Twilio.
func (s *Sender) validity(d bot.Delivery) int {
	v := validAnswer
	if d.Urgent {
		v = validUrgent
	}
	if !d.Expires.IsZero() {
		v = min(v, int(d.Expires.Sub(s.config.Now()).Seconds()))
	}
	return max(v, 5)
}

// skew is by how much Twilio's clock and ours may differ.
const skew = 90 * time.Second

// find returns Twilio's name for d if Twilio has it: a text of ours to the same
// person with the same words, made since the first try, that is no other
// delivery.
func (s *Sender) find(ctx context.Context, d bot.Delivery) (string, error) {
	// DateSent is not asked for: what is queued has none.
	p := new(openapi.ListMessageParams).SetTo(dialled(d.To.Channel, d.To.User)).SetPageSize(100)
	page, err := openapi.NewApiServiceWithClient(s.api.with(ctx)).PageMessage(p, "", "")
	switch {
	case err == nil:
	case bot.Kind(err) == bot.Kind(nil) && ctx.Err() == nil:
		return "", fmt.Errorf("the vendor's list cannot be read: %w", bot.ErrUnavailable)
	default:
		return "", err
	}
	since := d.LastTried
	if d.Composed.Before(since) && !d.Composed.IsZero() {
		since = d.Composed // of several tries the first may be the one that it took
	}
	for _, m := range page.Messages {
		switch {
		case m.Sid == nil || m.Body == nil || m.Direction == nil || !strings.HasPrefix(*m.Direction, "outbound"):
			continue
		case *m.Body != d.Text && !slices.ContainsFunc(s.config.Leads, func(l string) bool { return *m.Body == bot.Delivery{Lead: l, Text: d.Text}.Says() }):
			continue
		}
		if m.DateCreated != nil {
			if at, err := time.Parse(time.RFC1123Z, *m.DateCreated); err == nil && at.Before(since.Add(-skew)) {
				continue
			}
		}
		known := false
		if s.config.Known != nil {
			if known, err = s.config.Known(ctx, d.To.Channel, *m.Sid); err != nil {
				return "", err
			}
		}
		if !known {
			return *m.Sid, nil
		}
	}
	return "", nil
}
