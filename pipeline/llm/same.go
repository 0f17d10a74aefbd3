package llm

import (
	"fmt"
	"slices"
	"strings"
	"unicode"

	"plumbline/bot"
	"plumbline/internal/bm25"
)

// Whether a text says what another says cannot be told from its words in
// general: "almost", "only when" and "later" turn good advice into bad and are
// everyday words. So a model may change the words of a part only in ways that a
// person has looked at: a word or phrase for one of the same group, words that
// carry nothing, contractions, forms of the same word, the end of a sentence.
// All other words must stand, each once more and in the same order.

// groups are words and phrases that may stand for each other, by language.
var groups = map[bot.Language][][]string{
	bot.English: {
		{"usually", "normally", "typically", "generally", "as a rule", "in general"},
		{"largest", "biggest", "greatest"},
		{"corrode", "wear away", "corrode wear away"},
		{"gets into", "gets in", "enters", "get into", "get in", "enter"},
		{"percent", "%", "per cent"},
		{"need to", "have to", "must"},
		{"children", "kids"},
		{"child", "kid"},
		{"right away", "at once", "immediately"},
		{"speak with", "speak to", "talk to", "talk with"},
		{"phone", "telephone"},
		{"obtain", "get"},
		{"purchase", "buy"},
		{"utilize", "use"},
		{"assist", "help"},
		{"requires", "needs"},
		{"additional", "extra", "further"},
		{"attempt", "try"},
		{"commence", "start", "begin"},
		{"replace", "swap out"},
		{"physician", "doctor"},
		{"consume", "eat or drink"},
		{"residence", "home"},
		{"simple to", "easy to"},
		{"recognize", "spot"},
		{"was", "were"},
		{"reduce", "cut"},
		{"reduces", "cuts"},
		{"remove", "take out", "get rid of", "take away"},
		{"removes", "takes out", "gets rid of", "takes away"},
		{"harmful", "bad for you"},
		{"sufficient", "enough"},
		{"approximately", "about"},
		{"however", "but"},
		{"often", "many times"},
		{"several", "a few"},
		{"warning signs", "signs"},
		{"dull gray", "dull grey"},
		{"yearly", "every year", "each year", "annual"},
		{"homeowner", "owner of the home"},
		{"choose", "pick"},
		{"odor", "smell"},
		{"leach", "seep"},
		{"leached", "seeped"},
		{"leaches", "seeps"},
		{"puncture", "poke a hole in"},
	},
	bot.Spanish: {
		{"normalmente", "por lo general", "generalmente", "en general", "suele ser"},
		{"mayor", "mas grande"},
		{"acumular", "juntar"},
		{"beber", "tomar", "consumir"},
		{"niños", "hijos pequeños"},
		{"de inmediato", "enseguida", "ahora mismo", "en seguida"},
		{"por ciento", "%"},
		{"telefono", "numero de telefono"},
		{"vivienda", "casa", "hogar"},
		{"medico", "doctor", "doctora"},
		{"reducir", "bajar", "disminuir"},
		{"quitar", "eliminar", "sacar"},
		{"quita", "elimina", "saca"},
		{"obtener", "conseguir"},
		{"adquirir", "comprar"},
		{"adicional", "extra"},
		{"aproximadamente", "unos", "unas", "cerca de", "alrededor de"},
		{"sin embargo", "pero", "aun asi"},
		{"anual", "cada año", "de cada año"},
		{"llave", "grifo"},
		{"plomeria", "tuberia", "cañeria"},
		{"utilizar", "usar"},
		{"requiere", "necesita"},
		{"fue", "fueron"},
	},
}

// light are words that may come and go: they carry nothing that the others do
// not. A sentence may be ended and gone on with them.
var light = map[bot.Language]string{
	bot.English: "a an the this that these those it its they them is are be being am do does of and also too please you your there which happens happen",
	bot.Spanish: "el la los las lo un una unos unas este esta esto estos estas ese esa eso esos esas es son esta estan ser sea sean de del y e que su sus usted le les se tambien favor ahi",
}

// contractions and what they stand for.
var contractions = strings.NewReplacer(
	"can't", "can not", "cannot", "can not", "won't", "will not", "shan't", "shall not", "n't", " not",
	"it's", "it is", "that's", "that is", "there's", "there is", "here's", "here is", "what's", "what is", "you're", "you are", "they're", "they are", "we're", "we are", "i'm", "i am",
	"you'll", "you will", "it'll", "it will", "they'll", "they will", "you've", "you have", "we've", "we have", "they've", "they have", "let's", "let us",
)

// A sameness compares texts in one language.
type sameness struct {
	phrases map[string][]phrase // by first word, the longest first
	light   map[string]bool
	terms   bm25.Terms
}

type phrase struct {
	words []string
	as    string
}

var samenesses = func() map[bot.Language]*sameness {
	m := map[bot.Language]*sameness{}
	for lang, list := range groups {
		s := &sameness{phrases: map[string][]phrase{}, light: map[string]bool{}, terms: bm25.For(string(lang))}
		for _, w := range split(light[lang]) {
			s.light[w] = true
		}
		for i, group := range list {
			for _, p := range group {
				if words := split(p); len(words) > 0 {
					s.phrases[words[0]] = append(s.phrases[words[0]], phrase{words, fmt.Sprintf("=%d", i)})
				}
			}
		}
		for first := range s.phrases {
			slices.SortStableFunc(s.phrases[first], func(a, b phrase) int { return len(b.words) - len(a.words) })
		}
		m[lang] = s
	}
	return m
}()

// split returns the words of a text: folded, contractions written out, figures
// as they are but for separators of thousands.
func split(s string) []string {
	s = contractions.Replace(strings.ToLower(plainMarks(s)))
	s = foldAccents.Replace(s)
	var words []string
	var b strings.Builder
	runes := []rune(s)
	digit := func(i int) bool { return i >= 0 && i < len(runes) && unicode.IsDigit(runes[i]) }
	for i, r := range runes {
		switch {
		case unicode.IsLetter(r) || unicode.IsDigit(r):
			b.WriteRune(r)
		case r == ',' && digit(i-1) && digit(i+1): // 1,300
		case (r == '.' || r == ':' || r == '/') && digit(i-1) && digit(i+1):
			b.WriteRune(r)
		default:
			if b.Len() > 0 {
				words = append(words, b.String())
				b.Reset()
			}
			if strings.ContainsRune("%$<>=+°#@", r) || unicode.IsSymbol(r) {
				words = append(words, string(r))
			}
		}
	}
	if b.Len() > 0 {
		words = append(words, b.String())
	}
	return words
}

var foldAccents = strings.NewReplacer("á", "a", "é", "e", "í", "i", "ó", "o", "ú", "u", "ü", "u")

// sequence is what a text says, word by word: groups by their number, forms of
// a word by its stem, light words left out.
func (s *sameness) sequence(text string) (list []string) {
	words := split(text)
	for i := 0; i < len(words); {
		n := 0
		for _, p := range s.phrases[words[i]] {
			if i+len(p.words) <= len(words) && slices.Equal(words[i:i+len(p.words)], p.words) {
				list, n = append(list, p.as), len(p.words)
				break
			}
		}
		if n > 0 {
			i += n
			continue
		}
		w := words[i]
		i++
		if s.light[w] {
			continue
		}
		if stems := s.terms(w); len(stems) == 1 && !strings.ContainsAny(w, "0123456789") {
			w = stems[0]
		}
		list = append(list, w)
	}
	return list
}

// differs says where told says something else than part, "" if nowhere: the
// first word that is not the part's at its place.
func differs(part, told string, lang bot.Language) string {
	s, ok := samenesses[lang]
	if !ok {
		return "there are no words of that language to compare"
	}
	a, b := s.sequence(part), s.sequence(told)
	if slices.Equal(a, b) {
		return ""
	}
	// The signs of enumerations and the breaks of sentences aside, the words are
	// the same or they are not.
	i := 0
	for i < len(a) && i < len(b) && a[i] == b[i] {
		i++
	}
	at := func(list []string, i int) string {
		if i >= len(list) {
			return "the end"
		}
		if strings.HasPrefix(list[i], "=") && len(list[i]) > 1 {
			var n int
			if _, err := fmt.Sscanf(list[i], "=%d", &n); err == nil && n < len(groups[lang]) {
				return fmt.Sprintf("%q", groups[lang][n][0])
			}
		}
		return fmt.Sprintf("%q", list[i])
	}
	return fmt.Sprintf("where the part says %s it says %s", at(a, i), at(b, i))
}
