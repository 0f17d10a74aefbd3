package bot

import (
	_ "embed"
	"encoding/json"
	"fmt"
	"math/bits"
	"slices"
	"strings"
	"sync"
)

//go:embed optout.json
var optoutJSON []byte

// maxAskWords is how long a message is read as asking us to stop. Each of its
// words must be accounted for, so length alone makes no false alarm.
const maxAskWords = 24

// maxOtherWords is how many words beside a firm ask may say what nobody knows,
// so that the person is asked.
const maxOtherWords = 6

// hearsStop reports whether a message, folded by foldSigns, as a whole asks us
// to stop writing, and in which language: clearly, or perhaps, so that the
// person should be asked. One that asks or tells anything else too does neither.
func hearsStop(folded string) (clear, unsure bool, lang Language) {
	words := strings.Fields(folded)
	if len(words) == 0 || len(words) > maxAskWords {
		return false, false, ""
	}
	for _, g := range asks() {
		c, u := g.hear(words)
		if c {
			return true, false, g.lang
		}
		if u && !unsure {
			unsure, lang = true, g.lang
		}
	}
	return false, unsure, lang
}

// An askGrammar says how people of one language ask us to stop writing.
type askGrammar struct {
	lang      Language
	spellings map[string]string // what is written, to what is meant
	near      []string          // long words that are known with one slip in them
	weighty   map[string]bool   // words that a message with words we do not know must not have
	numbers   map[string]int    // of the words that forms name, or that are no slip
	pieces    []askPiece
	begins    [][]int // for the number of a word, the pieces that may begin with it
	wild      []int   // the pieces that may begin with any word
}

// An askPiece is one thing that a part of a message may be.
type askPiece struct {
	kind  askKind
	asked asked
	form  askForm
}

type askKind int

const (
	askFirm   askKind = iota // an ask in any company, even among words that we do not know
	askPlain                 // an ask in any company that we know
	askBare                  // a word that asks, if only polite words are with it
	askUnsure                // what perhaps asks
	askPolite                // company that asks nothing
	askFill                  // company that asks nothing, and makes a bare ask unsure
	askLead                  // the beginning of a plain ask
)

// asked says whether a question mark stands right behind a piece.
type asked int

const (
	either asked = iota
	never
	always
)

// An askForm is a way to write a piece: items one behind the other.
type askForm []askItem

// An askItem is one of its words, phrases and parts.
type askItem struct {
	words   []int
	phrases [][]int
	parts   [][]askForm
	any     bool // any word at all
	may     bool // or nothing
	many    bool // or several
}

// hear tells what words as a whole ask.
func (g *askGrammar) hear(words []string) (clear, unsure bool) {
	const start = 1
	var said [maxAskWords]int
	r := askReading{g: g, said: said[:len(words)]}
	for i, w := range words {
		r.said[i] = -1
		if w == "?" {
			r.marks |= start << i
			continue
		}
		r.words |= start << i
		w = g.spell(w)
		if !g.weighty[w] {
			r.light |= start << i
		}
		if n, ok := g.numbers[w]; ok {
			r.said[i] = n
		}
	}
	r.at = make([]uint32, len(g.numbers))
	for i, n := range r.said {
		if n >= 0 {
			r.at[n] |= start << i
		}
	}
	end := uint32(start) << len(words)
	every := r.row(start, askLead)
	if every&end == 0 {
		return false, r.besides(every, end)
	}
	if r.row(r.step(every, askFirm, askPlain), askLead)&end != 0 {
		return true, false
	}
	if r.row(r.step(r.row(start, askPolite), askBare, askBare), askPolite)&end&^(r.marks<<1) != 0 {
		return true, false
	}
	return false, r.row(r.step(r.row(start, askFill), askBare, askUnsure), askFill)&end != 0
}

// An askReading is a message of less than 32 words as the forms are held to it.
// A set of places in it is a number, of which bit i is the place before word i.
// All places that a form has come to are followed at once: the cost grows with
// the grammar and the message, never with the ways to read it.
type askReading struct {
	g     *askGrammar
	said  []int    // the number of each word of the message, or -1
	at    []uint32 // where each word of the grammar stands
	words uint32   // where any word stands,
	marks uint32   // and where a question mark does
	light uint32   // where a word stands that is not weighty
}

// besides reports whether there is a firm ask in a message that has a few other
// words, all of them light. every are the places that pieces lead to from the
// start.
func (r *askReading) besides(every, end uint32) bool {
	if r.marks != 0 {
		return false
	}
	before, after := every, uint32(0)
	freshBefore, freshAfter := before, uint32(0)
	for range maxOtherWords + 1 {
		freshAfter |= r.row(r.step(freshBefore, askFirm, askFirm), askLead) &^ after
		after |= freshAfter
		if after&end != 0 {
			return true
		}
		freshBefore = r.row((before&r.light)<<1&^before, askLead) &^ before
		before |= freshBefore
		freshAfter = r.row((after&r.light)<<1&^after, askLead) &^ after
		after |= freshAfter
	}
	return after&end != 0
}

// row returns the places to which pieces up to a kind lead from some.
func (r *askReading) row(from uint32, to askKind) uint32 {
	reached := from
	for fresh := from; fresh != 0; {
		fresh = ((fresh&r.marks)<<1 | r.step(fresh, 0, to)) &^ reached
		reached |= fresh
	}
	return reached
}

// step returns the places to which one piece leads, of a kind between two.
func (r *askReading) step(from uint32, first, last askKind) (to uint32) {
	for from &= r.words; from != 0; from &= from - 1 {
		at := bits.TrailingZeros32(from)
		var begins []int
		if n := r.said[at]; n >= 0 {
			begins = r.g.begins[n]
		}
		for _, list := range [...][]int{begins, r.g.wild} {
			for _, i := range list {
				if p := &r.g.pieces[i]; p.kind >= first && p.kind <= last {
					to |= r.piece(p, 1<<at)
				}
			}
		}
	}
	return to
}

func (r *askReading) piece(p *askPiece, from uint32) uint32 {
	if p.asked == always && r.marks == 0 {
		return 0
	}
	to := r.form(p.form, from)
	switch p.asked {
	case never:
		to &^= r.marks
	case always:
		to = (to & r.marks) << 1
	}
	return to
}

func (r *askReading) form(f askForm, from uint32) uint32 {
	for i := 0; i < len(f) && from != 0; i++ {
		from = r.item(&f[i], from)
	}
	return from
}

func (r *askReading) forms(list []askForm, from uint32) (to uint32) {
	for _, f := range list {
		to |= r.form(f, from)
	}
	return to
}

func (r *askReading) item(it *askItem, from uint32) (reached uint32) {
	for from != 0 {
		var to uint32
		for _, w := range it.words {
			to |= from & r.at[w]
		}
		if it.any {
			to |= from & r.words
		}
		to <<= 1
		for _, phrase := range it.phrases {
			at := from
			for _, w := range phrase {
				at = (at & r.at[w]) << 1
			}
			to |= at
		}
		for _, part := range it.parts {
			to |= r.forms(part, from)
		}
		if it.may {
			to |= from
		}
		if !it.many {
			return to
		}
		from = to &^ reached
		reached |= to
	}
	return reached
}

// spell returns the word that w is meant to be.
func (g *askGrammar) spell(w string) string {
	if w[0] >= '0' && w[0] <= '9' && len(w) >= 3 && strings.Trim(w, "0123456789") == "" {
		return "000"
	}
	w = squeeze(w) // "stoooop"
	if meant, ok := g.spellings[w]; ok {
		return meant
	}
	if _, ok := g.numbers[w]; ok {
		return w
	}
	for _, long := range g.near {
		if oneSlip(w, long) {
			return long
		}
	}
	return w
}

// squeeze writes a letter once that stands three times or more in a row.
func squeeze(w string) string {
	thrice := false
	for i := 2; i < len(w); i++ {
		thrice = thrice || w[i] == w[i-1] && w[i] == w[i-2]
	}
	if !thrice {
		return w
	}
	var b strings.Builder
	for i := 0; i < len(w); {
		j := i + 1
		for j < len(w) && w[j] == w[i] {
			j++
		}
		if j-i >= 3 {
			b.WriteByte(w[i])
		} else {
			b.WriteString(w[i:j])
		}
		i = j
	}
	return b.String()
}

// oneSlip reports whether a is b with one byte left out, put in, changed, or
// swapped with the next.
func oneSlip(a, b string) bool {
	if len(a) > len(b) {
		a, b = b, a
	}
	if len(b)-len(a) > 1 {
		return false
	}
	i := 0
	for i < len(a) && a[i] == b[i] {
		i++
	}
	if len(a) < len(b) {
		return a[i:] == b[i+1:]
	}
	return i == len(a) || a[i+1:] == b[i+1:] ||
		i+1 < len(a) && a[i] == b[i+1] && a[i+1] == b[i] && a[i+2:] == b[i+2:]
}

// asks returns what optout.json says, English first.
var asks = sync.OnceValue(func() (list []*askGrammar) {
	var file struct {
		Spellings map[Language]map[string][]string
		Near      map[Language][]string
		NotNear   map[Language][]string `json:"not_near"`
		Weighty   map[Language][]string
		Parts     map[Language]map[string][]string
		Asks      []struct {
			Lang           Language
			Kind, Question string
			Forms          []string
		}
	}
	if err := json.Unmarshal(optoutJSON, &file); err != nil {
		panic(err) // part of the binary; a test reads it
	}
	builders := map[Language]*askBuilder{}
	for _, a := range file.Asks {
		b := builders[a.Lang]
		if b == nil {
			b = &askBuilder{written: file.Parts[a.Lang], built: map[string][]askForm{}}
			b.g = askGrammar{lang: a.Lang, near: file.Near[a.Lang], numbers: map[string]int{}, spellings: map[string]string{}, weighty: map[string]bool{}}
			for _, w := range file.Weighty[a.Lang] {
				b.g.weighty[w] = true
			}
			for meant, list := range file.Spellings[a.Lang] {
				for _, w := range list {
					b.g.spellings[w] = meant
				}
			}
			for _, w := range file.NotNear[a.Lang] {
				b.number(w)
			}
			b.add(askPolite, either, b.part("polite"))
			b.add(askFill, either, b.part("fill"))
			b.add(askLead, either, b.part("lead"))
			builders[a.Lang] = b
			list = append(list, &b.g)
		}
		kind, ok := map[string]askKind{"firm": askFirm, "plain": askPlain, "bare": askBare, "unsure": askUnsure}[a.Kind]
		if !ok {
			panic(fmt.Sprintf("optout.json: an ask of %s is %q", a.Lang, a.Kind))
		}
		forms := b.forms(a.Forms)
		switch a.Question {
		case "unsure":
			b.add(kind, never, forms)
			b.add(askUnsure, always, forms)
		case "none":
			b.add(kind, never, forms)
			b.add(askFill, always, forms)
		default:
			b.add(kind, either, forms)
		}
	}
	for _, b := range builders {
		b.index()
	}
	return list
})

// An askBuilder makes a grammar of what optout.json says of one language.
type askBuilder struct {
	g       askGrammar
	written map[string][]string  // the parts
	built   map[string][]askForm // nil while one is being built
}

func (b *askBuilder) add(kind askKind, when asked, forms []askForm) {
	for _, f := range forms {
		b.g.pieces = append(b.g.pieces, askPiece{kind, when, f})
	}
}

// index notes what pieces may begin with.
func (b *askBuilder) index() {
	b.g.begins = make([][]int, len(b.g.numbers))
	for i, p := range b.g.pieces {
		words, wild := map[int]bool{}, false
		var look func(f askForm)
		look = func(f askForm) {
			for _, it := range f {
				for _, w := range it.words {
					words[w] = true
				}
				for _, phrase := range it.phrases {
					words[phrase[0]] = true
				}
				for _, part := range it.parts {
					for _, f := range part {
						look(f)
					}
				}
				wild = wild || it.any
				if !it.may {
					return
				}
			}
		}
		look(p.form)
		if wild {
			b.g.wild = append(b.g.wild, i)
			continue
		}
		for w := range words {
			b.g.begins[w] = append(b.g.begins[w], i)
		}
	}
}

func (b *askBuilder) number(w string) int {
	n, ok := b.g.numbers[w]
	if !ok {
		n = len(b.g.numbers)
		b.g.numbers[w] = n
	}
	return n
}

func (b *askBuilder) part(name string) []askForm {
	forms, ok := b.built[name]
	if _, given := b.written[name]; ok && forms == nil || !given {
		panic(fmt.Sprintf("optout.json: part %s of %s is missing or holds itself", name, b.g.lang))
	}
	if !ok {
		b.built[name] = nil
		forms = b.forms(b.written[name])
		b.built[name] = forms
	}
	return forms
}

func (b *askBuilder) forms(list []string) []askForm {
	forms := make([]askForm, 0, len(list))
	for _, s := range list {
		var f askForm
		for item := range strings.FieldsSeq(s) {
			f = append(f, b.item(item))
		}
		if !slices.ContainsFunc(f, func(it askItem) bool { return !it.may }) {
			panic(fmt.Sprintf("optout.json: %q of %s may be nothing at all", s, b.g.lang))
		}
		forms = append(forms, f)
	}
	return forms
}

func (b *askBuilder) item(s string) (it askItem) {
	if strings.HasSuffix(s, "*") {
		it.may, it.many = true, true
	} else if strings.HasSuffix(s, "?") {
		it.may = true
	}
	for choice := range strings.SplitSeq(strings.TrimRight(s, "*?"), "|") {
		words := strings.Split(choice, "_")
		switch {
		case choice == "~":
			it.any = true
		case choice[0] == '{':
			it.parts = append(it.parts, b.part(strings.Trim(choice, "{}")))
		case len(words) == 1:
			it.words = append(it.words, b.number(choice))
		default:
			phrase := make([]int, len(words))
			for i, w := range words {
				phrase[i] = b.number(w)
			}
			it.phrases = append(it.phrases, phrase)
		}
	}
	return it
}
