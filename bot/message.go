package bot

import (
	"crypto/sha256"
	"fmt"
	"log/slog"
	"time"
)

// A Language is a BCP 47 primary tag, such as "en". The empty Language means
// not known.
type Language string

// The languages that answers are written in. Others are recognised and given
// a fixed text.
const (
	English Language = "en"
	Spanish Language = "es"
)

// An Address is where one person can be reached. The zero Address reaches
// nobody. It holds a phone number or an account name: log it, never its fields.
type Address struct {
	Channel string // "sms" (RCS too), "whatsapp", "slack", "web" or "console"
	User    string // the channel's own name for the person
	Thread  string // empty where the channel has no threads; by text, the number or service of ours that they write to
}

// Key names the conversation at a. Keys of different addresses differ. A Key
// holds the address in clear: stores keep a keyed hash of it.
func (a Address) Key() string {
	return fmt.Sprintf("%s/%q/%q", a.Channel, a.User, a.Thread)
}

// LogValue lets a be logged: it ties the lines of one conversation together
// within a deployment without writing down whom they are about.
func (a Address) LogValue() slog.Value {
	sum := sha256.Sum256([]byte(a.Key()))
	return slog.StringValue(fmt.Sprintf("%s:%x", a.Channel, sum[:3]))
}

// Format hides the person under every fmt verb.
func (a Address) Format(w fmt.State, _ rune) { fmt.Fprint(w, a.LogValue().String()) }

// A Medium is a kind of attachment. What it shows is not read.
type Medium string

// The kinds of attachment that get different words.
const (
	Image Medium = "image"
	Audio Medium = "audio"
	Video Medium = "video"
	File  Medium = "file"
)

// A Message is one thing that a person said to us.
type Message struct {
	ID       string // the channel's id; two messages of a channel with one ID are one message
	From     Address
	Text     string   // as the person wrote it, valid UTF-8; may be empty when Media is not
	Media    []Medium // attachments, in order
	Language Language // chosen by the person or the channel; empty to go by the text
	Heard    Word     // what the channel's vendor heard the whole message to be and answered itself: we do not answer it once more; empty if it did not
	At       time.Time
}

// LogValue lets a message be logged without its words.
func (m Message) LogValue() slog.Value {
	return slog.GroupValue(slog.String("id", m.ID), slog.Any("from", m.From.LogValue()))
}

// A Reply is what we say back, fitted to one channel.
type Reply struct {
	Text     string   // the first message as sent
	More     []string // what MORE sends, a message each
	Why      []string // what WHY sends: how the answer was worked out
	Sources  []string // what SOURCES sends: agency, title, date, how it was read
	Language Language
	Status   Status
	Answer   string // ID of the Answer that it tells; empty for a fixed text
	Review   string // why a member of staff should look; empty if they need not
}

// Offers returns the words that get more of r, in the order in which they are
// shown. An emergency offers nothing: it is for calling, not for reading on.
func (r Reply) Offers() (words []Word) {
	if r.Status == Emergency {
		return nil
	}
	for _, o := range []struct {
		word  Word
		texts []string
	}{{WordMore, r.More}, {WordWhy, r.Why}, {WordSources, r.Sources}} {
		if len(o.texts) > 0 {
			words = append(words, o.word)
		}
	}
	return words
}
