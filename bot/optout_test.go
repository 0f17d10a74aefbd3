package bot_test

import (
	"encoding/json"
	"hash/fnv"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"plumbline/bot"
)

// An optout is a line of testdata/optout.jsonl.
type optout struct {
	Text, Lang, Want, Why string
}

func optouts(t testing.TB) (list []optout) {
	t.Helper()
	lines(t, "testdata/optout.jsonl", func(b []byte) {
		var o optout
		if err := json.Unmarshal(b, &o); err != nil {
			t.Fatalf("%s: %v", b, err)
		}
		list = append(list, o)
	})
	return list
}

// lines calls f for each line of a file.
func lines(t testing.TB, name string, f func([]byte)) {
	t.Helper()
	b, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(string(b)) {
		f([]byte(line))
	}
}

// heardStop names what Hear makes of a text, as Want does.
func heardStop(text string) string {
	switch word, _ := bot.Hear(text); word {
	case bot.WordStop:
		return "stop"
	case bot.WordUnsureStop:
		return "unsure"
	}
	return "none"
}

// Of messages that ask us to stop 96 in 100 are heard, in each half of them,
// and of the others none is.
//
// Do not expect as much of strangers. The first half was tuned for; the second
// was not, but the same person wrote it, and the first measurement heard 97 in
// 100 of it. Three sets whose reason begins with "fresh" were written later,
// unlike what was there, each measured once before it was learned from. Of those
// that ask us to stop 17 of 33, 22 of 36 and 18 of 35 were heard, and 17, 25 and
// 23 heard or asked about; none of the 107 that ask nothing was heard, and one was
// asked about.
func TestOptOut(t *testing.T) {
	var halves [2]map[[2]string]int
	for i := range halves {
		halves[i] = map[[2]string]int{}
	}
	total := map[string]int{}
	for _, o := range optouts(t) {
		h := fnv.New32a()
		h.Write([]byte(o.Text))
		got := heardStop(o.Text)
		halves[h.Sum32()>>7&1][[2]string{o.Want, got}]++
		total[o.Want]++
		switch {
		case o.Want == "none" && got != "none":
			t.Errorf("Hear(%q) = %s, want none: %s", o.Text, got, o.Why)
		case o.Want != got:
			t.Logf("Hear(%q) = %s, not %s: %s", o.Text, got, o.Want, o.Why)
		}
	}
	for want, least := range map[string]int{"stop": 250, "unsure": 60, "none": 250} {
		if total[want] < least {
			t.Errorf("%d texts want %s, expected %d at least", total[want], want, least)
		}
	}
	for i, n := range halves {
		count := func(want, got string) float64 { return float64(n[[2]string{want, got}]) }
		of := func(want string) float64 { return count(want, "stop") + count(want, "unsure") + count(want, "none") }
		recall := count("stop", "stop") / of("stop")
		heard := recall + count("stop", "unsure")/of("stop")
		precision := count("stop", "stop") / (count("stop", "stop") + count("unsure", "stop") + count("none", "stop"))
		asked := count("unsure", "unsure") / of("unsure")
		t.Logf("half %d: stop heard %.3f, or asked about %.3f, of what is heard right %.3f; unsure heard %.3f", i+1, recall, heard, precision, asked)
		if recall < 0.96 || heard < 0.97 || precision < 0.98 || asked < 0.97 {
			t.Errorf("half %d of optout.jsonl: stop %.3f, stop or unsure %.3f, precision %.3f, unsure %.3f", i+1, recall, heard, precision, asked)
		}
	}
}

// What may be someone in danger is never heard as STOP, nor asked about.
func TestDangerIsNoOptOut(t *testing.T) {
	for _, text := range []string{
		"make it stop", "Please make it stop!!", "i want it to stop", "i just want this to stop", "I want everything to stop", "i need it to end",
		"I want it all to end", "i want to end it", "end it", "just end it", "end it all", "end this", "please end this", "just end", "let it end", "i want to end this",
		"i can't go on", "i cant do this anymore", "i cant take it no more", "i give up", "i want out", "get me out of here", "take me out of here",
		"im so done", "im done with life", "im done, its over", "how do i end it", "how do i make it stop", "is there a way to end it", "how do i stop this pain",
		"leave me alone he is hitting me", "stop hitting me", "stop hurting us", "make him stop", "he wont stop texting me", "stop threatening me", "get off me stop",
		"he stopped breathing", "stop my baby choking", "please stop the bleeding", "stop he has a knife", "unsubscribe from life", "remove me from this world", "cancel my life",
		"quiero que pare", "que pare ya", "que paren", "quiero parar", "quiero terminar con todo", "quiero terminar", "quiero salir de aqui", "sáquenme de aquí",
		"ya no quiero vivir", "ya no quiero", "ya no quiero nada", "no quiero mas", "no puedo más", "ya no puedo mas", "no aguanto más", "que se acabe todo", "como termino esto",
		"no me busquen", "ya no me busquen", "dejenme", "déjenme morir", "ya basta me duele", "dejame en paz me esta pegando", "paren a mi esposo", "me quiero morir",
		"nao quero mais viver", "mwen pa vle viv anko",
	} {
		if got := heardStop(text); got != "none" {
			t.Errorf("Hear(%q) = %s, want none", text, got)
		}
	}
}

// reallyAsk are texts of the corpora that ask us to stop, or may, and why.
var reallyAsk = map[string]string{
	"stop":                                       "the word",
	"stop texting me":                            "us, in so many words",
	"stop texting":                               "us, in so many words",
	"dont text me":                               "us, in so many words",
	"ya no quiero mensajes":                      "us, in so many words",
	"nao quero mais receber mensagem":            "us, in so many words",
	"mwen pa vle resevwa mesaj anko":             "us, in so many words",
	"bombardeo de mensajes, ya no manden":        "us, with a complaint",
	"leave me alone":                             "said to a text, and to nobody else",
	"dejeme en paz":                              "said to a text, and to nobody else",
	"wrong number":                               "this phone is somebody else's",
	"numero equivocado":                          "this phone is somebody else's",
	"take me off":                                "the list",
	"take me off the list":                       "the list",
	"ya no quiero estar en la lista":             "the list",
	"nao quero mais ficar na lista":              "the list",
	"ya no me manden nada, borrenme de la lista": "the list",
	"shoot, wrong number":                        "unsure: they may have the wrong one themselves",
	"dont text me after 9":                       "unsure: at some hours",
	"end chat":                                   "unsure: this talk, or all",
	"end my account":                             "unsure: ours, or the utility's",
	"i want to cancel":                           "unsure: ours, or the utility's",
	"quiero cancelar":                            "unsure: ours, or the utility's",
	"ya no quiero el servicio":                   "unsure: ours, or the utility's",
	"quero cancelar o servico":                   "unsure: ours, or the utility's",
}

// Nothing that people ask us, or write to us in an emergency, is heard as STOP.
func TestOptOutCorpora(t *testing.T) {
	seen := map[string]bool{}
	n := 0
	check := func(where, text, route string) {
		for _, s := range append(strings.Split(text, " / "), text) { // " / " stands between two messages
			n++
			got := heardStop(s)
			if got == "none" {
				continue
			}
			seen[s] = true
			if _, ok := reallyAsk[s]; !ok || route != "none" {
				t.Errorf("%s: Hear(%q) = %s, want none; its route is %q", where, s, got, route)
			}
		}
	}
	for _, pattern := range []string{"../cmd/plumbline/testdata/questions*.jsonl", "../pipeline/safety/testdata/*.jsonl"} {
		for _, name := range glob(t, pattern) {
			lines(t, name, func(b []byte) {
				q := struct{ Text, Route string }{Route: "none"}
				if err := json.Unmarshal(b, &q); err != nil {
					t.Fatalf("%s: %v", name, err)
				}
				check(name, q.Text, q.Route)
			})
		}
	}
	for _, file := range []string{"questions.json", "beyond.json", "asking.json"} {
		for _, name := range glob(t, "../kb/packs/*/"+file) {
			b, err := os.ReadFile(name)
			if err != nil {
				t.Fatal(err)
			}
			var v any
			if err := json.Unmarshal(b, &v); err != nil {
				t.Fatalf("%s: %v", name, err)
			}
			walk(v, func(s string) { check(name, s, "none") })
		}
	}
	if n < 10000 {
		t.Errorf("%d texts were read, want 10,000 and more", n)
	}
	for s, why := range reallyAsk {
		if !seen[s] {
			t.Errorf("%q (%s) is an exception and is heard nowhere", s, why)
		}
	}
}

func glob(t *testing.T, pattern string) []string {
	t.Helper()
	list, err := filepath.Glob(pattern)
	if err != nil || len(list) == 0 {
		t.Fatalf("no file is %s (%v)", pattern, err)
	}
	return list
}

// walk calls f for every string in v.
func walk(v any, f func(string)) {
	switch v := v.(type) {
	case string:
		f(v)
	case []any:
		for _, e := range v {
			walk(e, f)
		}
	case map[string]any:
		for _, e := range v {
			walk(e, f)
		}
	}
}

// A question mark makes a carrier's word a question; it takes nothing from who
// says plainly what is to stop.
func TestOptOutQuestion(t *testing.T) {
	for text, want := range map[string]string{
		"stop?": "unsure", "¿Parar?": "unsure", "end?": "unsure", "STOP!?": "unsure", "stop now?": "unsure", "unsubscribe？": "unsure", "wrong number?": "unsure",
		"stop": "stop", "who is this? stop": "stop", "enough": "unsure", "enough?": "none", "will you stop texting me?": "stop", "¿me pueden dejar de escribir?": "stop",
		"wrong #": "stop", "take my # off your list": "stop", "#stop": "stop", "can I stop?": "none", "¿puedo parar?": "none", "how do I stop?": "none",
	} {
		if got := heardStop(text); got != want {
			t.Errorf("Hear(%q) = %s, want %s", text, got, want)
		}
	}
}

// STOP is answered in the language that it was asked in.
func TestOptOutLanguage(t *testing.T) {
	for text, want := range map[string]bot.Language{
		"stop texting me": bot.English, "stop por favor": bot.Spanish, "no me escriban": bot.Spanish, "no gracias": bot.Spanish, "no thanks": bot.English,
		"pare de me mandar mensagens por favor": "pt", "désabonnez-moi": "fr", "move nimewo": "ht",
	} {
		if _, got := bot.Hear(text); got != want {
			t.Errorf("Hear(%q) is in %q, want %q", text, got, want)
		}
	}
}

// The file has no fault that would go unseen: a kind that there is not, a part
// that nothing names.
func TestOptOutFile(t *testing.T) {
	b, err := os.ReadFile("optout.json")
	if err != nil {
		t.Fatal(err)
	}
	var file struct {
		About     []string
		Spellings map[string]map[string][]string
		Near      map[string][]string
		NotNear   map[string][]string `json:"not_near"`
		Weighty   map[string][]string
		Parts     map[string]map[string][]string
		Asks      []struct {
			Lang, Kind, Question, Why string
			Forms                     []string
		}
	}
	d := json.NewDecoder(strings.NewReader(string(b)))
	d.DisallowUnknownFields()
	if err := d.Decode(&file); err != nil {
		t.Fatal(err)
	}
	said := map[string]string{}
	for lang, parts := range file.Parts {
		for _, forms := range parts {
			said[lang] += strings.Join(forms, " ")
		}
	}
	for _, a := range file.Asks {
		said[a.Lang] += strings.Join(a.Forms, " ")
		if !strings.Contains(" firm plain bare unsure ", " "+a.Kind+" ") || a.Why == "" || file.Parts[a.Lang] == nil ||
			a.Question != "" && a.Question != "unsure" && a.Question != "none" {
			t.Errorf("asks of %s, %q: kind %q, question %q", a.Lang, a.Why, a.Kind, a.Question)
		}
	}
	for lang, parts := range file.Parts {
		for name := range parts {
			if name != "polite" && name != "fill" && name != "lead" && !strings.Contains(said[lang], "{"+name+"}") {
				t.Errorf("part %s of %s is named by nothing", name, lang)
			}
		}
		if s := said[lang]; s != strings.ToLower(s) || strings.ContainsAny(s, "'áéíóúñ.,!") {
			t.Errorf("forms of %s are not written as they are compared", lang)
		}
	}
	for lang, words := range file.Spellings {
		meant := map[string]string{}
		for to, list := range words {
			for _, w := range list {
				if other, ok := meant[w]; ok {
					t.Errorf("%q is both %q and %q in %s", w, to, other, lang)
				}
				meant[w] = to
			}
		}
	}
}

// BenchmarkHear is the cost of what arrives with each message.
func BenchmarkHear(b *testing.B) {
	for name, text := range map[string]string{
		"Question": "is there a safe amount of lead in water",
		"Long":     "can you tell me if my tap water is safe for my baby, they dug up the street last week and it came out brown this morning",
		"Spanish":  "¿el agua no para de salir café, la puedo tomar?",
		"Near":     "how do i stop lead from getting in my water",
		"Stop":     "STOP",
		"Ask":      "please stop sending me these messages i never signed up for this thank you",
	} {
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				bot.Hear(text)
			}
		})
	}
}

// Neither case nor signs around a message change what is heard, question marks
// apart.
func FuzzHear(f *testing.F) {
	for _, o := range optouts(f) {
		f.Add(o.Text)
	}
	f.Add("take my # off\u0301 ﬁn ＳＴＯＰ?")
	f.Fuzz(func(t *testing.T, text string) {
		word, lang := bot.Hear(text)
		if len(text) > 380 || word == bot.WordReaction { // which phones write in one form
			return
		}
		for _, form := range []string{"  " + text + " !.. ", "\n" + text + " 🙂", strings.Map(swapCase, text)} {
			if got, gotLang := bot.Hear(form); got != word || gotLang != lang {
				t.Errorf("Hear(%q) = %q, %q; of %q it is %q, %q", form, got, gotLang, text, word, lang)
			}
		}
	})
}

// swapCase changes the case of a letter of ASCII.
func swapCase(r rune) rune {
	if r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' {
		return r ^ ' '
	}
	return r
}
