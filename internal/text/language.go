package text

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// A Guess says which language a text is in.
type Guess struct {
	// Lang is en, es, pt, fr, ht or ar, and empty where the text does not tell:
	// too short (ok, 12 ppb), mixed, or another language.
	Lang string

	// Confidence is from 0 to 1: how far the winner leads the next, and on how
	// much. It is 0 if Lang is empty.
	Confidence float64

	// Votes is the weight for each language that had any.
	Votes map[string]float64
}

var languages = [...]string{"en", "es", "pt", "fr", "ht"}

// Places in languages.
const (
	english = iota
	spanish
	portuguese
	french
	creole
)

// What it takes to name a language.
const (
	leastVote = 0.6  // votes for the winner: one word that two languages have
	leastLead = 0.25 // votes by which it leads the next
	leastPart = 0.1  // the lead as a part of the winner's and the next's votes
)

// Language guesses the language of a text as short as a text message, accents
// missing and words misspelt. Common words vote, texting spellings (q, xq, u,
// plz) among them; letters and endings that one language has vote a little;
// Arabic goes by its script. Persian and Urdu are not taken for Arabic.
func Language(s string) Guess {
	if lang, part := arabic(s); part > 0.5 {
		if lang == "" {
			return Guess{}
		}
		return Guess{Lang: lang, Confidence: part, Votes: map[string]float64{lang: part}}
	}
	var votes [len(languages)]float64
	for _, t := range languageWords(s) {
		w := t.text
		if v, ok := commonWords[w]; ok {
			for i := range votes {
				votes[i] += v[i]
			}
		} else {
			voteByShape(&votes, w)
		}
		voteByLetters(&votes, t.In(s))
	}
	for _, r := range s {
		if r == '¿' || r == '¡' {
			votes[spanish] += 1
		}
	}
	return decide(votes)
}

func decide(votes [len(languages)]float64) Guess {
	best, second := 0, -1
	for i := 1; i < len(votes); i++ {
		if votes[i] > votes[best] {
			best = i
		}
	}
	for i := range votes {
		if i != best && (second < 0 || votes[i] > votes[second]) {
			second = i
		}
	}
	g := Guess{Votes: make(map[string]float64)}
	for i, v := range votes {
		if v > 0 {
			g.Votes[languages[i]] = v
		}
	}
	lead := votes[best] - votes[second]
	if votes[best] < leastVote || lead < leastLead || lead < leastPart*(votes[best]+votes[second]) {
		return g
	}
	g.Lang = languages[best]
	g.Confidence = lead / (votes[best] + votes[second]) * votes[best] / (votes[best] + 1)
	return g
}

// arabic is "ar" and the part of the letters that are of the Arabic script, or
// "" if letters of Persian or Urdu are among them.
func arabic(s string) (lang string, part float64) {
	script, letters := 0, 0
	lang = "ar"
	for _, r := range s {
		if !unicode.IsLetter(r) {
			continue
		}
		letters++
		if unicode.Is(unicode.Arabic, r) {
			script++
			if strings.ContainsRune("پچژگکیٹڈڑےۀ", r) {
				lang = ""
			}
		}
	}
	if letters == 0 {
		return "", 0
	}
	return lang, float64(script) / float64(letters)
}

// maxLanguageWords is how many words of a text vote.
const maxLanguageWords = 400

// languageWords are the words that may vote: not URLs, addresses or names with
// digits inside.
func languageWords(s string) []token {
	if len(s) > 16*maxLanguageWords {
		s = s[:16*maxLanguageWords]
		for len(s) > 0 && !utf8.ValidString(s[len(s)-1:]) {
			s = s[:len(s)-1]
		}
	}
	r := newReader(s)
	var words []token
	for i, t := range r.toks {
		if t.kind == wordToken && !strings.ContainsAny(t.text, "0123456789") && len(words) < maxLanguageWords {
			words = append(words, r.joined(i))
		}
	}
	return words
}

// joined is the word at token i, with the slash of w/ or w/o.
func (r *reader) joined(i int) token {
	t := r.toks[i]
	if t.text == "w" && r.isMark(i+1, "/") && r.touches(i+1) {
		t.text = "w/"
	}
	return t
}

// voteByShape lets the ending or the letters of a word that is not common vote
// for the language that has the like.
func voteByShape(votes *[len(languages)]float64, w string) {
	if len(w) < 4 {
		return
	}
	for _, s := range shapes {
		var hit bool
		switch {
		case strings.HasPrefix(s.part, "-"):
			hit = strings.HasSuffix(w, s.part[1:])
		default:
			hit = strings.Contains(w, s.part)
		}
		if hit {
			for i := range votes {
				votes[i] += s.votes[i]
			}
		}
	}
}

// voteByLetters lets letters that few languages have vote.
func voteByLetters(votes *[len(languages)]float64, w string) {
	if isASCII(w) {
		return
	}
	for _, r := range w {
		switch unicode.ToLower(r) {
		case 'ñ':
			votes[spanish] += 1
		case 'ã', 'õ':
			votes[portuguese] += 1
		case 'ç':
			votes[portuguese] += 0.6
			votes[french] += 0.4
		case 'ê', 'ô', 'â':
			votes[portuguese] += 0.4
			votes[french] += 0.4
		case 'û', 'î', 'œ', 'ë', 'ï':
			votes[french] += 0.6
		case 'è':
			votes[french] += 0.3
			votes[creole] += 0.4
		case 'ò':
			votes[creole] += 0.8
		case 'í', 'ó', 'ú', 'á':
			votes[spanish] += 0.3
			votes[portuguese] += 0.2
		}
	}
}
