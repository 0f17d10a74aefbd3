package sqlstore

import (
	"reflect"
	"regexp"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"

	"plumbline/bot"
	"plumbline/internal/redact"
)

// A redactor takes one person's details out of what is recorded of one turn.
// What it finds in their message by the words around it is taken out wherever
// it stands alone, too: in a query, or in a list of words that a rule fired on.
type redactor struct {
	redact  func(string) string
	asked   string // the message, redacted
	details []detail
}

// A detail is something personal that the message held.
type detail struct {
	key   string // its letters and digits, folded
	sign  string // what takes its place: [NAME]
	clear bool   // it is personal whatever stands around it; else a part of a name or an address
}

func newRedactor(redact func(string) string, m bot.Message) *redactor {
	r := &redactor{redact: redact}
	r.asked = r.redact(m.Text)
	open := map[string]bool{} // words that the message has outside of details
	for _, w := range wordsOf(signs.ReplaceAllString(r.asked, " ")) {
		open[w.key] = true
	}
	add := func(key, sign string, clear bool) {
		if len(key) >= 3 && !slices.ContainsFunc(r.details, func(d detail) bool { return d.key == key }) {
			r.details = append(r.details, detail{key, sign, clear})
		}
	}
	add(keyOf(m.From.User), "[ADDRESS]", true)
	for _, f := range taken(m.Text, r.asked) {
		words := wordsOf(f.text)
		whole := keyOf(f.text)
		add(whole, f.sign, len(words) > 1 || strings.ContainsFunc(whole, unicode.IsDigit))
		for _, w := range words {
			if !open[w.key] {
				add(w.key, f.sign, false)
			}
		}
	}
	r.asked = r.text(m.Text)
	// The longest first, so that a whole goes before its parts.
	slices.SortStableFunc(r.details, func(a, b detail) int { return len(b.key) - len(a.key) })
	return r
}

// signs are what a redacted text has in place of details.
var signs = regexp.MustCompile(`\[[A-Z_]+\]`)

// A stood is what a sign of a redacted text stands for.
type stood struct{ text, sign string }

// taken returns what redacting made of message took out.
func taken(message, redacted string) (list []stood) {
	at := signs.FindAllStringIndex(redacted, -1)
	if len(at) == 0 || message == redacted {
		return nil
	}
	pattern, end := `(?s)^`, 0
	for _, m := range at {
		pattern += regexp.QuoteMeta(redacted[end:m[0]]) + `(.+?)`
		end = m[1]
	}
	re, err := regexp.Compile(pattern + regexp.QuoteMeta(redacted[end:]) + `$`)
	if err != nil { // too many for a pattern: each text is still redacted by itself
		return nil
	}
	for i, s := range re.FindStringSubmatch(message) {
		if i > 0 {
			list = append(list, stood{s, redacted[at[i-1][0]:at[i-1][1]]})
		}
	}
	return list
}

// id is a message's or an answer's id; if it holds the person's address, hash
// of it.
func (r *redactor) id(id string, from bot.Address, hash func(string) string) string {
	if user := keyOf(from.User); len(user) >= 3 && strings.Contains(keyOf(id), user) {
		return hash(id)
	}
	return id
}

// text redacts what stands as it was written: a detail is taken out as a whole,
// or by what stands around it, and a part of a name where it is written as one.
// A person called Rose does not change what we said of a rose, nor one who lives
// in a town what we said of the town.
func (r *redactor) text(s string) string { return r.takeOut(s, true) }

// words redacts what was made of the person's words, in whatever order and form.
func (r *redactor) words(s string) string { return r.takeOut(s, false) }

func (r *redactor) takeOut(s string, clear bool) string {
	s = r.redact(s)
	if s == "" || len(r.details) == 0 {
		return s
	}
	words := wordsOf(s)
	var b strings.Builder
	end := 0
	for i := 0; i < len(words); i++ {
		n, sign := r.match(words[i:], clear)
		if n == 0 || inSign(s, words[i]) {
			continue
		}
		b.WriteString(s[end:words[i].start] + sign)
		i += n - 1
		end = words[i].end
	}
	return b.String() + s[end:]
}

// match returns how many of the words at the beginning of words are a detail.
func (r *redactor) match(words []word, clear bool) (n int, sign string) {
	for _, d := range r.details {
		if clear && !d.clear && !(d.sign == "["+redact.Name+"]" && words[0].capital) {
			continue
		}
		rest := d.key
		for i, w := range words {
			var ok bool
			if rest, ok = strings.CutPrefix(rest, w.key); !ok {
				break
			}
			if rest == "" {
				return i + 1, d.sign
			}
		}
	}
	return 0, ""
}

// inSign reports whether w is the word of a sign.
func inSign(s string, w word) bool {
	return w.start > 0 && s[w.start-1] == '[' && w.end < len(s) && s[w.end] == ']' && strings.ToUpper(s[w.start:w.end]) == s[w.start:w.end]
}

// A word is a run of letters and digits.
type word struct {
	start, end int
	key        string // lower case, without accents
	capital    bool   // it begins with one
}

func wordsOf(s string) (list []word) {
	start := -1
	for i, r := range s + " " {
		in := unicode.IsLetter(r) || unicode.IsDigit(r) || unicode.Is(unicode.Mn, r)
		switch {
		case in && start < 0:
			start = i
		case !in && start >= 0:
			first, _ := utf8.DecodeRuneInString(s[start:])
			list = append(list, word{start, i, fold(s[start:i]), unicode.IsUpper(first)})
			start = -1
		}
	}
	return list
}

// keyOf is the letters and digits of s, folded.
func keyOf(s string) string {
	var b strings.Builder
	for _, w := range wordsOf(s) {
		b.WriteString(w.key)
	}
	return b.String()
}

// fold is s in lower case, without accents.
func fold(s string) string {
	return strings.Map(func(r rune) rune {
		if unicode.Is(unicode.Mn, r) {
			return -1
		}
		return unicode.ToLower(r)
	}, norm.NFD.String(s))
}

// ours are the fields that never hold a person's words: names, dates, and what
// stands in a pack. All other strings of an answer are redacted as the person's
// words, those of fields to come too, but for what was written to be told.
var ours = map[reflect.Type][]string{
	reflect.TypeFor[bot.Claim]():         {"Evidence"},
	reflect.TypeFor[bot.Limitation]():    {"Gap"},
	reflect.TypeFor[bot.Gap]():           {"ID", "Question", "ClosedBy"},
	reflect.TypeFor[bot.Chunk]():         {"ID", "Heading", "Paragraphs", "Via"},
	reflect.TypeFor[bot.Trace]():         {"Answer", "AsOf", "Retriever", "Versions"},
	reflect.TypeFor[bot.Step]():          {"Stage", "Family", "Model"},
	reflect.TypeFor[bot.RuleMatch]():     {"Rule"},
	reflect.TypeFor[bot.Understanding](): {"Rule"},
	reflect.TypeFor[bot.Found]():         {"Chunk", "Via"},
	reflect.TypeFor[bot.Judgement]():     {"Chunk"},
	reflect.TypeFor[bot.Call]():          {"Stage", "Model", "Key", "Failed"},
	reflect.TypeFor[bot.GateRecord]():    {"Stage"},
	reflect.TypeFor[bot.Finding]():       {"ID", "Question", "Paragraph", "Sentence"},
}

// told are the fields of what was written to be told.
var told = map[reflect.Type][]string{
	reflect.TypeFor[bot.TurnDetail]():   {"More"},
	reflect.TypeFor[bot.Claim]():        {"Text"},
	reflect.TypeFor[bot.Limitation]():   {"Text"},
	reflect.TypeFor[bot.DroppedClaim](): {"Text"},
}

// detail redacts a copy of d.
func (r *redactor) detail(d bot.TurnDetail) *bot.TurnDetail {
	v := r.copy(reflect.ValueOf(d), r.words)
	return v.Addr().Interface().(*bot.TurnDetail)
}

// copy returns a copy of v that can be set, its strings redacted by how.
func (r *redactor) copy(v reflect.Value, how func(string) string) reflect.Value {
	c := reflect.New(v.Type()).Elem()
	c.Set(v)
	switch v.Kind() {
	case reflect.String:
		if v.Type() == reflect.TypeFor[string]() { // the others, such as bot.Status, are words of ours
			c.SetString(how(v.String()))
		}
	case reflect.Pointer:
		if !v.IsNil() {
			c.Set(r.copy(v.Elem(), how).Addr())
		}
	case reflect.Slice:
		if v.IsNil() {
			break
		}
		c.Set(reflect.MakeSlice(v.Type(), v.Len(), v.Len()))
		for i := range v.Len() {
			c.Index(i).Set(r.copy(v.Index(i), how))
		}
	case reflect.Map:
		if v.IsNil() {
			break
		}
		c.Set(reflect.MakeMapWithSize(v.Type(), v.Len()))
		for k, e := range v.Seq2() {
			c.SetMapIndex(r.copy(k, how), r.copy(e, how))
		}
	case reflect.Struct:
		for i := range v.NumField() {
			f := v.Type().Field(i)
			switch {
			case !f.IsExported(), slices.Contains(ours[v.Type()], f.Name):
			case slices.Contains(told[v.Type()], f.Name):
				c.Field(i).Set(r.copy(v.Field(i), r.text))
			default:
				c.Field(i).Set(r.copy(v.Field(i), r.words))
			}
		}
	}
	return c
}
