package minilm

import (
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"
)

// tokenizer is WordPiece for BERT's uncased vocabularies. Text is cleaned,
// stripped of accents, set in lower case, split at spaces and punctuation,
// and each word cut into the longest pieces that the vocabulary holds.
type tokenizer struct {
	pieces  []string // by id
	ids     map[string]int32
	longest int // bytes of the longest piece
	max     int // pieces of a text, first and last included

	classes classes

	unknown, first, last int32

	// special holds the pieces that a text may spell out, "[CLS]" say. The
	// reference has five; for people's text there are none.
	special []string
}

// specialPieces are what the reference takes for more than text.
var specialPieces = []string{"[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]"}

// maxWord is the longest word in characters that is looked at; longer ones
// are unknown.
const maxWord = 100

func newTokenizer(vocabulary string, longest int) (*tokenizer, error) {
	pieces := strings.Split(strings.TrimRight(vocabulary, "\n"), "\n")
	t := &tokenizer{pieces: pieces, ids: make(map[string]int32, len(pieces)), max: longest, classes: newClasses()}
	for i, p := range pieces {
		if _, twice := t.ids[p]; twice {
			return nil, fmt.Errorf("vocabulary holds %q twice", p)
		}
		t.ids[p] = int32(i)
		t.longest = max(t.longest, len(p))
	}
	for name, id := range map[string]*int32{"[UNK]": &t.unknown, "[CLS]": &t.first, "[SEP]": &t.last} {
		var ok bool
		if *id, ok = t.ids[name]; !ok {
			return nil, fmt.Errorf("vocabulary lacks %s", name)
		}
	}
	return t, nil
}

// encode appends the ids of text to ids. It reads no further than it needs.
func (t *tokenizer) encode(ids []int32, text string) []int32 {
	s := segmenter{t: t, ids: append(ids, t.first), end: len(ids) + t.max - 1}
	for text != "" && !s.full() {
		plain, id, rest := t.cutSpecial(text)
		s.segment(plain)
		if id >= 0 {
			s.ids = append(s.ids, id)
		}
		text = rest
	}
	if s.full() {
		s.ids = s.ids[:s.end]
	}
	return append(s.ids, t.last)
}

// cutSpecial cuts text at the first special piece, whose id is -1 if there is
// none.
func (t *tokenizer) cutSpecial(text string) (plain string, id int32, rest string) {
	plain, id = text, -1
	for _, p := range t.special {
		if i := strings.Index(plain, p); i >= 0 {
			plain, id, rest = text[:i], t.ids[p], text[i+len(p):]
		}
	}
	return plain, id, rest
}

// segmenter collects the pieces of one text.
type segmenter struct {
	t    *tokenizer
	ids  []int32
	end  int // ids wanted
	word []rune
	long bool // word goes on after what is kept of it
}

func (s *segmenter) full() bool { return len(s.ids) >= s.end }

// chunk is how many bytes are cleaned before they are looked at.
const chunk = 1024

// segment appends the pieces of text, which holds no special ones.
func (s *segmenter) segment(text string) {
	var clean strings.Builder
	for _, r := range text {
		switch {
		case r == '\t' || r == '\n' || r == '\r':
			clean.WriteByte(' ')
		case s.t.classes.control(r):
			continue
		case unicode.IsSpace(r):
			clean.WriteByte(' ')
		case ideograph(r):
			clean.WriteByte(' ')
			clean.WriteRune(r)
			clean.WriteByte(' ')
		default:
			clean.WriteRune(r)
			continue
		}
		// After a space nothing combines with what was before it.
		if clean.Len() >= chunk {
			s.words(clean.String())
			if s.full() {
				return
			}
			clean.Reset()
		}
	}
	s.words(clean.String())
}

// words splits cleaned text, which ends where a word does.
func (s *segmenter) words(clean string) {
	for _, r := range norm.NFD.String(clean) {
		if s.full() {
			return
		}
		if s.t.classes.accent(r) {
			continue
		}
		r = unicode.ToLower(r)
		switch {
		case unicode.IsSpace(r):
			s.flush()
		case s.t.classes.punctuation(r):
			s.flush()
			s.word = append(s.word, r)
			s.flush()
		case len(s.word) < maxWord:
			s.word = append(s.word, r)
		default:
			s.long = true
		}
	}
	s.flush()
}

// flush appends the pieces of the word, or the unknown one where the
// vocabulary has no way to spell it.
func (s *segmenter) flush() {
	if len(s.word) > 0 {
		before := len(s.ids)
		if s.long || !s.spell() {
			s.ids = append(s.ids[:before], s.t.unknown)
		}
	}
	s.word, s.long = s.word[:0], false
}

func (s *segmenter) spell() bool {
	var buf [2 + utf8.UTFMax*maxWord]byte
	for start := 0; start < len(s.word); {
		b := buf[:0]
		if start > 0 {
			b = append(b, "##"...)
		}
		var ends [maxWord]int // bytes in b after each rune
		stop := start
		for stop < len(s.word) && len(b) < s.t.longest {
			b = utf8.AppendRune(b, s.word[stop])
			ends[stop] = len(b)
			stop++
		}
		for ; stop > start; stop-- {
			if id, ok := s.t.ids[string(b[:ends[stop-1]])]; ok {
				s.ids = append(s.ids, id)
				break
			}
		}
		if stop == start {
			return false
		}
		start = stop
	}
	return true
}
