package bot

import (
	_ "embed"
	"encoding/json"
	"regexp"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"plumbline/internal/text"
)

// A Word is a command that a whole message can be, such as MORE.
type Word string

// The words. What people write for them is in words.json.
const (
	WordNone       Word = ""
	WordStop       Word = "stop"
	WordStart      Word = "start"
	WordUnsureStop Word = "unsure_stop" // perhaps STOP: the person is asked once
	WordReaction   Word = "reaction"    // a phone's word that somebody liked a text: nothing is said to it
	WordYes        Word = "yes"         // START for someone who opted out, the crisis text after one, an answer otherwise
	WordHelp       Word = "help"
	WordMore       Word = "more"
	WordWhy        Word = "why"
	WordSources    Word = "sources"
	WordPerson     Word = "person"
	WordForget     Word = "forget"
	WordMyData     Word = "my_data"
	WordEnglish    Word = "english"
	WordSpanish    Word = "spanish"
	WordIdentity   Word = "identity" // "who is this"
	WordPrivacy    Word = "privacy"  // "who reads this", "will you tell my landlord"
)

//go:embed words.json
var wordsJSON []byte

//go:embed privacy.json
var privacyJSON []byte

// phrases maps what is heard, folded, to its word and language.
var phrases = func() map[string]heard {
	var file map[Word]map[Language][]string
	if err := json.Unmarshal(wordsJSON, &file); err != nil {
		panic(err) // part of the binary; a test reads it
	}
	m := map[string]heard{}
	for word, byLanguage := range file {
		for lang, list := range byLanguage {
			for _, p := range list {
				m[p] = heard{word, lang}
			}
		}
	}
	return m
}()

type heard struct {
	word Word
	lang Language
}

// asksWhoIsTold are questions whether we tell someone else, by language. They
// begin a message: "will you tell me" is no such question.
var asksWhoIsTold = func() map[Language][]*regexp.Regexp {
	var file map[string]map[Language]string
	if err := json.Unmarshal(privacyJSON, &file); err != nil {
		panic(err)
	}
	m := map[Language][]*regexp.Regexp{}
	for _, byLanguage := range file {
		for lang, form := range byLanguage {
			m[lang] = append(m[lang], regexp.MustCompile(form))
		}
	}
	return m
}()

// reaction is what phones text in place of a sign that somebody put to a text:
// Liked "...". The text that it quotes is one that was answered or is ours.
var reaction = regexp.MustCompile(`(?s)^(?:Liked|Loved|Disliked|Laughed at|Emphasized|Questioned|Removed an? [a-z ]{3,20} from|Reacted .{1,12} to|(?:Le|No le) (?:gust|encant)ó|Se rió de|Enfatizó|Cuestionó|[^\pL\pN]{1,12} to) +[“"«].*[”"»]$`)

// maxPrivacyWords is how long a question about privacy may be: a longer one
// asks something else too.
const maxPrivacyWords = 14

// Hear returns the word that message is, as a whole, and the language that it is
// in; WordNone if it is none. Case, accents, punctuation and emoji do not
// matter: "¡MÁS!" is MORE, "how do I stop lead" is nothing. Whoever asks us to
// stop writing in words of their own says STOP as well; a question mark may make
// that WordUnsureStop.
func Hear(message string) (Word, Language) {
	if reaction.MatchString(strings.TrimSpace(message)) {
		return WordReaction, ""
	}
	if len(message) > 400 {
		return WordNone, ""
	}
	signed := foldSigns(message)
	folded := withoutSigns(signed)
	h, known := phrases[folded]
	if known && !(h.word == WordStop && strings.Contains(signed, "?")) {
		return h.word, h.lang
	}
	switch clear, unsure, lang := hearsStop(signed); {
	case clear:
		return WordStop, lang
	case unsure:
		return WordUnsureStop, lang
	case known: // asked: "end?"
		return WordUnsureStop, h.lang
	}
	if n := strings.Count(folded, " ") + 1; n <= maxPrivacyWords {
		for _, lang := range []Language{English, Spanish} {
			if slices.ContainsFunc(asksWhoIsTold[lang], func(re *regexp.Regexp) bool { return re.MatchString(folded) }) {
				return WordPrivacy, lang
			}
		}
	}
	return WordNone, ""
}

// foldWords writes the words of s in lower case without accents, apostrophes
// and signs, a space between them.
func foldWords(s string) string { return withoutSigns(foldSigns(s)) }

// foldSigns is foldWords, but question marks, and a "#" with no word behind it,
// are words too.
func foldSigns(s string) string {
	if !plain(s) {
		s = text.FoldAccents(text.Normalize(s))
	}
	s = strings.ToLower(s)
	var b strings.Builder
	b.Grow(len(s))
	gap := false
	write := func(r rune) {
		if gap && b.Len() > 0 {
			b.WriteByte(' ')
		}
		gap = false
		b.WriteRune(r)
	}
	for i, r := range s {
		switch {
		case unicode.IsLetter(r) || unicode.IsDigit(r):
			write(r)
		case r == '\'' || r == '`':
		case r == '?' || r == '#' && !startsWord(s[i+1:]):
			gap = true
			write(r)
			gap = true
		default:
			gap = true
		}
	}
	return b.String()
}

// plain reports whether s is printable ASCII, of which Normalize changes nothing
// that words are made of but "`", which is an apostrophe.
func plain(s string) bool {
	for i := range len(s) {
		if s[i] < ' ' || s[i] > '~' {
			return false
		}
	}
	return true
}

// withoutSigns takes the words that are signs out of what foldSigns wrote.
func withoutSigns(folded string) string {
	if !strings.ContainsAny(folded, "?#") {
		return folded
	}
	return strings.Join(slices.DeleteFunc(strings.Fields(folded), func(w string) bool { return w == "?" || w == "#" }), " ")
}

func startsWord(s string) bool {
	r, _ := utf8.DecodeRuneInString(s)
	return unicode.IsLetter(r) || unicode.IsDigit(r)
}
