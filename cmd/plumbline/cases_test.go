package main

import (
	"slices"
	"strings"
	"testing"
	"time"

	"plumbline/bot"
	"plumbline/internal/secret"
	"plumbline/kb"
	"plumbline/kb/flat"
	"plumbline/pipeline/llm"
	"plumbline/pipeline/llm/llmtest"
)

// The public fault cases of retrieval-augmented answers that concern the whole
// pipeline, by their ids; those of single stages stand with the stages.

// talkOf asks a conversation, turn by turn, and returns the answers.
func talkOf(t *testing.T, a *app, texts ...string) (list []bot.Answer) {
	t.Helper()
	p, err := a.Answerer()
	if err != nil {
		t.Fatal(err)
	}
	s := new(bot.Session)
	for i, text := range texts {
		at := devDate.Add(time.Duration(i) * lineApart)
		q := bot.Question{ID: text, Text: text, Channel: "sms", AsOf: devDate, At: at}
		s.Next(&q)
		ans, err := p.Answer(t.Context(), q)
		if err != nil {
			t.Fatal(err)
		}
		s.Remember(bot.Message{Text: text}, ans, at)
		list = append(list, ans)
	}
	return list
}

func allTold(a bot.Answer) string {
	return strings.Join(append([]string{a.Reply.Text}, a.Reply.More...), "\n")
}

func keptChunks(a bot.Answer) (ids []string) {
	for _, c := range a.Chunks {
		if c.Kept {
			ids = append(ids, c.ID)
		}
	}
	return ids
}

// modelApp answers from the packs that ship with models of an echoing server.
func modelApp(t *testing.T, reply func(llmtest.Request) string) *app {
	t.Helper()
	s := llmtest.NewServer(t, llmtest.OpenAI)
	s.Reply(reply)
	end, err := llm.NewEndpoint(llm.EndpointConfig{Kind: llm.KindOpenAI, BaseURL: s.URL(), Key: secret.New(s.Key)})
	if err != nil {
		t.Fatal(err)
	}
	a := devApp(t)
	set, err := a.Settings()
	if err != nil {
		t.Fatal(err)
	}
	set.Models.All.Model = "gpt-4o-mini"
	a.settings.value, a.models.play = set, end
	return a
}

func echoing(r llmtest.Request) string { return llmtest.Echo(r.System(), r.User()) }

// keen is echoing with a judge that finds every chunk right.
func keen(r llmtest.Request) string {
	s := echoing(r)
	if strings.Contains(r.System(), `{"scores"`) {
		s = strings.NewReplacer(`"score":1`, `"score":3`, `"score":2`, `"score":3`).Replace(s)
	}
	return s
}

// Thanks are no question, and "yes please" goes on with what was offered.
func TestR02(t *testing.T) {
	for name, a := range map[string]*app{"extractive": devApp(t), "models": modelApp(t, echoing)} {
		list := talkOf(t, a, "is brown water safe", "thanks!", "ok gracias")
		for _, x := range list[1:] {
			if len(x.Trace.Retrievals) > 0 || len(x.Claims) > 0 || len(x.Reply.Text) > 160 {
				t.Errorf("%s: %q got %d searches, %d claims: %q", name, x.Trace.Question, len(x.Trace.Retrievals), len(x.Claims), x.Reply.Text)
			}
			if n, _, _ := asking(x); n > 0 {
				t.Errorf("%s: %q asked models %d times", name, x.Trace.Question, n)
			}
		}
		offer := talkOf(t, a, "is the wildfire smoke bad for my kid today outside", "yes please")
		if offer[0].Offer == nil {
			t.Fatalf("%s: %q offers nothing: %q", name, offer[0].Trace.Question, offer[0].Reply.Text)
		}
	}
}

// Three questions in one message: each has its evidence in the context, or is
// named as not found.
func TestR11(t *testing.T) {
	split := func(r llmtest.Request) string {
		if strings.Contains(r.System(), `"standalone"`) {
			return `{"language":"en","kind":"question","danger":"none","danger_words":"","questions":[{"asked":"What's the lead limit","standalone":"What is the legal limit for lead in drinking water?"},{"asked":"how do I test my well","standalone":"How do I test my private well?"},{"asked":"who do I call","standalone":"Who do I call about my water?"}]}`
		}
		return keen(r)
	}
	for name, a := range map[string]*app{"extractive": devApp(t), "models": modelApp(t, split)} {
		x := talkOf(t, a, "What's the lead limit, and how do I test my well, and who do I call about it?")[0]
		found := map[int]bool{}
		for i, r := range x.Trace.Retrievals {
			if r.Why == "question" && slices.ContainsFunc(r.Found, func(f bot.Found) bool { return slices.Contains(keptChunks(x), f.Chunk) }) {
				found[i] = true
			}
		}
		if len(x.Trace.Understood.Parts) != 3 || len(found) != 3 && x.Status != bot.PartlyAnswered {
			t.Errorf("%s: %d parts, evidence for %d, status %s: %q", name, len(x.Trace.Understood.Parts), len(found), x.Status, allTold(x))
		}
		if len(x.Reply.Text) > 306 {
			t.Errorf("%s: the first reply has %d characters", name, len(x.Reply.Text))
		}
	}
}

// A Spanish question finds what the English one does and is answered in
// Spanish, numbers untouched; the next English question is answered in English.
func TestR12(t *testing.T) {
	english := func(r llmtest.Request) string {
		if strings.Contains(r.System(), `"standalone"`) && strings.Contains(r.User(), "plomo") {
			return `{"language":"es","kind":"question","danger":"none","danger_words":"","questions":[{"asked":"límite de plomo","standalone":"what is the limit for lead in water"}]}`
		}
		return echoing(r)
	}
	for name, a := range map[string]*app{"extractive": devApp(t), "models": modelApp(t, english)} {
		list := talkOf(t, a, "¿Cuál es el límite de plomo en el agua?", "what is the limit for lead in water")
		es, en := list[0], list[1]
		if es.Language != bot.Spanish || en.Language != bot.English || name == "extractive" && (!strings.Contains(allTold(es), "15 ppb") || !strings.Contains(allTold(en), "15 ppb")) {
			t.Errorf("%s: %s %q, then %s %q", name, es.Language, allTold(es), en.Language, allTold(en))
		}
		if strings.Contains(es.Reply.Text, " the ") || strings.Contains(en.Reply.Text, " el ") {
			t.Errorf("%s: languages are mixed: %q, %q", name, es.Reply.Text, en.Reply.Text)
		}
		if !slices.ContainsFunc(keptChunks(es), func(id string) bool { return slices.Contains(keptChunks(en), id) }) {
			t.Errorf("%s: evidence %v in Spanish, %v in English", name, keptChunks(es), keptChunks(en))
		}
	}
}

// Nearness is a similarity: the same text is 1, one that shares nothing 0.
func TestR14(t *testing.T) {
	ix := flat.New()
	e1, e2 := make([]float32, 384), make([]float32, 384)
	e1[0], e2[1] = 1, 1
	if err := ix.Replace(t.Context(), "1", []kb.Record{{ID: "same", Chunk: "same", Pack: "p", Field: kb.FieldHeading, Language: "en", Text: "a", Vector: e1}, {ID: "other", Chunk: "other", Pack: "p", Field: kb.FieldHeading, Language: "en", Text: "b", Vector: e2}}); err != nil {
		t.Fatal(err)
	}
	hits, err := ix.Nearest(t.Context(), e1, 10, 0.75, kb.Filter{Packs: []string{"p"}, Languages: []string{"en"}, Fields: []kb.Field{kb.FieldHeading}})
	if err != nil || len(hits) != 1 || hits[0].Chunk != "same" || hits[0].Score < 0.999 {
		t.Errorf("Nearest above 0.75 = %+v, %v, want the same text alone, with 1", hits, err)
	}
}

// Shorthand is understood, and a word of ours is not taken for somebody else's.
func TestR15(t *testing.T) {
	expand := func(r llmtest.Request) string {
		if strings.Contains(r.System(), `"standalone"`) {
			return `{"language":"en","kind":"question","danger":"none","danger_words":"","questions":[{"asked":"limt 4 pb","standalone":"what is the limit for lead in water"}]}`
		}
		return keen(r)
	}
	x := talkOf(t, modelApp(t, expand), "whats da limt 4 pb n h2o")[0]
	if q := x.Trace.Retrievals[0].Query; !strings.Contains(q, "lead") || !strings.Contains(allTold(x), "lead") {
		t.Errorf("searched for %q, told %q", q, allTold(x))
	}
	// A rewriter that makes another question of it is not followed.
	astray := func(r llmtest.Request) string {
		if strings.Contains(r.System(), `"standalone"`) {
			return `{"language":"en","kind":"question","danger":"none","danger_words":"","questions":[{"asked":"PE pipe","standalone":"Are private equity funds of 1999 a safe investment?"}]}`
		}
		return echoing(r)
	}
	x = talkOf(t, modelApp(t, astray), "PE pipe safe for water?")[0]
	if q := x.Trace.Retrievals[0].Query; !strings.Contains(q, "PE pipe") {
		t.Errorf("searched for %q, want the person's own words", q)
	}
}

// A change of subject does not drag the old one along.
func TestR16(t *testing.T) {
	lead := []string{"is lead in my water bad", "how do i test for lead", "who pays for a lead pipe", "does boiling remove lead", "what about lead in my school"}
	for name, a := range map[string]*app{"extractive": devApp(t), "models": modelApp(t, echoing)} {
		list := talkOf(t, a, append(lead, "when is trash pickup?")...)
		x := list[len(list)-1]
		if x.Status.Supported() || strings.Contains(allTold(x), "ppb") {
			t.Errorf("%s: %s, %q", name, x.Status, allTold(x))
		}
		for _, r := range x.Trace.Retrievals {
			if name == "models" && strings.Contains(r.Query, "lead") {
				t.Errorf("%s: searched for %q", name, r.Query)
			}
		}
	}
}
