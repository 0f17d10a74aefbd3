package safety

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"
)

// maxRunes is how much of one message is read: its first and its last half.
// No SMS is longer; what is longer is somebody's document.
const maxRunes = 16_000

// maxForm is the longest token that is compared with words.
const maxForm = 32

// A token is one word of a message, folded to lower case without accents or
// apostrophes, so that "Isn’t" is "isnt" and "Bebé" is "bebe".
type token struct {
	text       string
	message    int // index into the messages given to tokenize
	start, end int // code points of that message
	part       int // counts what lies between . ! ? ; line ends, " / " and messages
	sentence   int // counts what lies between . ! ? ; only
}

// tokenize splits messages into tokens. Digits are split from the letters after
// them ("3yo" is 3, yo), an apostrophe lost to a space is put back ("isn t"),
// and a lone slash between spaces separates like the end of a message.
func tokenize(messages []string) []token {
	var tokens []token
	part, sentence := 0, 0
	for i, m := range messages {
		tokens, sentence, part = tokenizeOne(tokens, m, i, sentence, part)
		part++
	}
	return joinApostrophes(tokens)
}

func tokenizeOne(tokens []token, m string, message, sentence, part int) (_ []token, _, _ int) {
	total := utf8.RuneCountInString(m)
	var word strings.Builder
	start, digits := 0, false
	flush := func(end int) {
		if word.Len() > 0 {
			tokens = append(tokens, token{text: word.String(), message: message, start: start, end: end, part: part, sentence: sentence})
			word.Reset()
		}
	}
	at, prev, skipped := -1, ' ', false
	for i, r := range m {
		at++
		if total > maxRunes && at >= maxRunes/2 && at < total-maxRunes/2 {
			if !skipped {
				flush(at)
				skipped = true
				part++
				sentence++
			}
			continue
		}
		next := nextRune(m, i, r)
		folded, kind := foldRune(r)
		switch kind {
		case inWord:
			if isDigit := r >= '0' && r <= '9'; word.Len() == 0 {
				start, digits = at, isDigit
			} else if digits && !isDigit {
				flush(at)
				start, digits = at, isDigit
			}
			word.WriteString(folded)
		case nothing:
		case between:
			flush(at)
			switch {
			case r == '\n' || r == '\r', r == '/' && unicode.IsSpace(prev) && unicode.IsSpace(next):
				part++
			case strings.ContainsRune(".!?;¿¡…؟", r) && !(r == '.' && unicode.IsLetter(next)) && !unicode.IsDigit(next):
				part++
				sentence++
			}
		}
		prev = r
	}
	flush(at + 1)
	return tokens, sentence, part
}

func nextRune(m string, i int, r rune) rune {
	size := utf8.RuneLen(r)
	if r == utf8.RuneError {
		_, size = utf8.DecodeRuneInString(m[i:])
	}
	if i+size >= len(m) {
		return ' '
	}
	next, _ := utf8.DecodeRuneInString(m[i+size:])
	return next
}

type runeKind int

const (
	between runeKind = iota // separates words
	inWord                  // part of a word
	nothing                 // neither: an accent, an apostrophe, a zero width joiner
)

// foldRune gives what a code point adds to a word.
func foldRune(r rune) (string, runeKind) {
	switch {
	case r >= 'a' && r <= 'z', r >= '0' && r <= '9':
		return string(r), inWord
	case r >= 'A' && r <= 'Z':
		return string(r + 'a' - 'A'), inWord
	case r == '\'' || r == '’' || r == '‘' || r == '`' || r == '´' || r == 'ʼ' || r == '\u0640':
		return "", nothing
	case r < utf8.RuneSelf || r == utf8.RuneError:
		return "", between
	case unicode.Is(unicode.Mn, r) || unicode.Is(unicode.Cf, r):
		return "", nothing
	}
	var b strings.Builder
	for _, d := range norm.NFKD.String(string(r)) {
		if unicode.IsLetter(d) || unicode.IsDigit(d) {
			b.WriteRune(unicode.ToLower(d))
		}
	}
	if b.Len() == 0 {
		return "", between
	}
	return b.String(), inWord
}

// joinApostrophes puts "isn t", "i m" and "she s" together again.
func joinApostrophes(tokens []token) []token {
	out := tokens[:0]
	for _, t := range tokens {
		if len(out) > 0 {
			last := &out[len(out)-1]
			if last.message == t.message && last.part == t.part && t.start-last.end == 1 && apostropheLost(last.text, t.text) {
				last.text += t.text
				last.end = t.end
				continue
			}
		}
		out = append(out, t)
	}
	return out
}

func apostropheLost(before, after string) bool {
	switch after {
	case "t":
		return len(before) > 2 && strings.HasSuffix(before, "n")
	case "m":
		return before == "i"
	case "s":
		return len(before) > 1 && len(before) < 6
	}
	return false
}

// squeeze shortens runs of three or more of a letter ("heeelp") to n of it.
func squeeze(word string, n int) string {
	runes := []rune(word)
	var out []rune
	for i := 0; i < len(runes); {
		j := i
		for j < len(runes) && runes[j] == runes[i] {
			j++
		}
		run := runes[i:j]
		if len(run) >= 3 {
			run = run[:n]
		}
		out = append(out, run...)
		i = j
	}
	return string(out)
}

var leet = strings.NewReplacer("0", "o", "1", "i", "3", "e", "4", "a", "5", "s", "7", "t")

// unleet gives a word whose letters are in part digits ("su1cide") with the
// letters that they stand for. Words shorter than three, and those that end with
// a digit ("apt3"), are left as they are.
func unleet(word string) string {
	last := len(word) - 1
	if last < 2 || word[last] >= '0' && word[last] <= '9' || !strings.ContainsAny(word, "013457") {
		return word
	}
	return leet.Replace(word)
}

// edits is the optimal string alignment distance between a and b, or limit+1
// once it is more than limit.
func edits(a, b []rune, limit int) int {
	if d := len(a) - len(b); d > limit || -d > limit {
		return limit + 1
	}
	var rows [3][maxForm + 3]int
	older, prev, row := &rows[0], &rows[1], &rows[2]
	for j := 0; j <= len(b); j++ {
		prev[j] = j
	}
	for i := 1; i <= len(a); i++ {
		row[0] = i
		best := row[0]
		for j := 1; j <= len(b); j++ {
			cost := 1
			if a[i-1] == b[j-1] {
				cost = 0
			}
			row[j] = min(prev[j]+1, row[j-1]+1, prev[j-1]+cost)
			if i > 1 && j > 1 && a[i-1] == b[j-2] && a[i-2] == b[j-1] {
				row[j] = min(row[j], older[j-2]+1)
			}
			best = min(best, row[j])
		}
		if best > limit {
			return limit + 1
		}
		older, prev, row = prev, row, older
	}
	return min(prev[len(b)], limit+1)
}
