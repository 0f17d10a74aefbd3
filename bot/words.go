package bot

import (
	_ "embed"
	"encoding/json"
	"regexp"
	"slices"
	"strings"
	"unicode"

	"plumbline/internal/text"
)

// A Word is a command that a whole message can be, such as MORE.
type Word string

// The words. What people write for them is in words.json.
const (
	WordNone     Word = ""
	WordStop     Word = "stop"
	WordStart    Word = "start"
	WordYes      Word = "yes" // START for someone who opted out, the crisis text after one, an answer otherwise
	WordHelp     Word = "help"
	WordMore     Word = "more"
	WordWhy      Word = "why"
	WordSources  Word = "sources"
	WordPerson   Word = "person"
	WordForget   Word = "forget"
	WordMyData   Word = "my_data"
	WordEnglish  Word = "english"
	WordSpanish  Word = "spanish"
	WordIdentity Word = "identity" // "who is this"
	WordPrivacy  Word = "privacy"  // "who reads this", "will you tell my landlord"
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

// maxPrivacyWords is how long a question about privacy may be: a longer one
// asks something else too.
const maxPrivacyWords = 14

// Hear returns the word that text is, as a whole, and the language that it is
// in; WordNone if it is none. Case, accents, punctuation and emoji do not
// matter: "¡MÁS!" is MORE, "how do I stop lead" is nothing.
func Hear(message string) (Word, Language) {
	if len(message) > 400 {
		return WordNone, ""
	}
	folded := foldWords(message)
	if h, ok := phrases[folded]; ok {
		return h.word, h.lang
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
func foldWords(s string) string {
	s = strings.ToLower(text.FoldAccents(text.Normalize(s)))
	var b strings.Builder
	gap := false
	for _, r := range s {
		switch {
		case unicode.IsLetter(r) || unicode.IsDigit(r):
			if gap && b.Len() > 0 {
				b.WriteByte(' ')
			}
			gap = false
			b.WriteRune(r)
		case r == '\'':
		default:
			gap = true
		}
	}
	return b.String()
}
