package extractive

import (
	"bufio"
	"encoding/json"
	"os"
	"slices"
	"strings"
	"testing"

	"plumbline/bot"
	"plumbline/kb"
	"plumbline/kb/kbtest"
	"plumbline/pipeline"
)

// shipped returns the stages on a pack that comes with the program.
func shipped(t testing.TB, name string) (*Stages, *kb.Library) {
	t.Helper()
	p, err := kb.Load(os.DirFS("../../kb/packs"), name)
	if err != nil {
		t.Fatalf("load %s: %v", name, err)
	}
	lib, err := kb.NewLibrary(p)
	if err != nil {
		t.Fatal(err)
	}
	s, err := New(t.Context(), lib, kbtest.Words{}, Defaults)
	if err != nil {
		t.Fatal(err)
	}
	return s, lib
}

func lines[T any](t *testing.T, file string) (list []T) {
	t.Helper()
	f, err := os.Open(file)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	for sc := bufio.NewScanner(f); sc.Scan(); {
		var v T
		if err := json.Unmarshal(sc.Bytes(), &v); err != nil {
			t.Fatalf("%s: %v", file, err)
		}
		list = append(list, v)
	}
	return list
}

// The cues tell the strategy of most dev questions; fewer than before means that
// a change of cues cost some.
func TestClassifyOnDevQuestions(t *testing.T) {
	type question struct{ ID, Text, Lang, Strategy, Expected string }
	for _, set := range []struct {
		file, pack string
		least      float64
	}{{"questions-dev.jsonl", "drinking-water", 0.80}, {"questions-smoke-dev.jsonl", "wildfire-smoke", 0.90}} {
		s, _ := shipped(t, set.pack)
		right, all := 0, 0
		for _, q := range lines[question](t, "../../cmd/plumbline/testdata/"+set.file) {
			if q.Expected != "answer" {
				continue
			}
			d := &pipeline.Draft{Question: bot.Question{Pack: set.pack}, Language: bot.Language(q.Lang)}
			d.Understanding.Parts = []bot.Part{{Asked: q.Text, Standalone: q.Text}}
			got, _, err := s.Classify(t.Context(), d)
			if err != nil {
				t.Fatal(err)
			}
			all++
			if string(got) == q.Strategy {
				right++
			}
		}
		t.Logf("%s: %d of %d", set.pack, right, all)
		if float64(right) < set.least*float64(all) {
			t.Errorf("%s: %d of %d strategies right, want %.0f %%", set.pack, right, all, 100*set.least)
		}
	}
}

// Each scope rule fires where it should and stays silent beside it.
func TestScopeRules(t *testing.T) {
	type row struct{ Text, Lang, Rule string }
	for pack, file := range map[string]string{"drinking-water": "scope-drinking-water.jsonl", "wildfire-smoke": "scope-wildfire-smoke.jsonl"} {
		s, _ := shipped(t, pack)
		wrong := 0
		for _, r := range lines[row](t, "testdata/"+file) {
			got := ""
			if rule, _ := s.scope(pack, r.Text); rule != nil {
				got = rule.ID
			}
			if got != r.Rule {
				wrong++
				t.Errorf("%s: scope(%q) = %q, want %q", pack, r.Text, got, r.Rule)
			}
			if wrong > 20 {
				t.Fatal("and so on")
			}
		}
	}
}

func TestParts(t *testing.T) {
	s, _ := shipped(t, "drinking-water")
	for _, tt := range []struct {
		lang, text string
		want       []string
	}{
		{"en", "my water is brown is my baby ok??", []string{"my water is brown is my baby ok??"}},
		{"en", "does newark add fluoride and is 0.7 safe", []string{"does newark add fluoride", "is 0.7 safe"}},
		{"en", "what is lead? how do i test my water? who pays for the pipe?", []string{"what is lead", "how do i test my water", "who pays for the pipe?"}},
		{"en", "what is lead? how do i test water? who pays for pipes? when is the deadline for pipes?", []string{"what is lead? how do i test water? who pays for pipes? when is the deadline for pipes?"}},
		{"en", "hi! does boiling and filtering remove lead", []string{"hi! does boiling and filtering remove lead"}},
		{"es", "que son los pfas y cual es el limite de pfas", []string{"que son los pfas", "cual es el limite de pfas"}},
		{"en", "", []string{""}},
	} {
		d := &pipeline.Draft{Question: bot.Question{Pack: "drinking-water", Text: tt.text}, Language: bot.Language(tt.lang)}
		var got []string
		for _, p := range s.parts(d, tt.text) {
			got = append(got, p.Asked)
		}
		if strings.Join(got, "|") != strings.Join(tt.want, "|") {
			t.Errorf("parts(%q) = %q, want %q", tt.text, got, tt.want)
		}
	}
}

// A limitation is told where the question calls for it, and only of its topics.
func TestLimitations(t *testing.T) {
	s, lib := shipped(t, "drinking-water")
	claim := func(id string) bot.Claim {
		if _, ok := lib.Paragraph(id); !ok {
			t.Fatalf("there is no paragraph %s", id)
		}
		return bot.Claim{Role: bot.Direct, Evidence: []bot.Evidence{{Paragraph: id}}}
	}
	for _, tt := range []struct{ text, paragraph, want string }{
		{"does my tap have lead", "lead.invisible", "limit.own-tap"},
		{"what does lead taste like", "lead.invisible", ""},
		{"does brita remove lead", "filt.lead53", "limit.brand"},
		{"does my tap have lead", "filt.42", ""},
		{"can we sue", "right.citizen", "limit.legal"},
	} {
		d := &pipeline.Draft{Question: bot.Question{Pack: "drinking-water", Text: tt.text}, Language: bot.English, Claims: []bot.Claim{claim(tt.paragraph)}}
		got := ""
		if list := s.limitations(d); len(list) > 0 {
			got = list[0].Gap
		}
		if got != tt.want {
			t.Errorf("limitations(%q, %s) = %q, want %q", tt.text, tt.paragraph, got, tt.want)
		}
	}
}

// A score's reason says all that went into it: here, that the strategy asks for
// the chunk's topic.
func TestJudgeTellsTopic(t *testing.T) {
	s, lib := shipped(t, "drinking-water")
	for pack, strategies := range s.topics {
		for strategy, topics := range strategies {
			for c := range lib.Chunks() {
				if len(topics) == 0 {
					continue
				}
				p := c.Subsection.Paragraphs[0]
				d := &pipeline.Draft{Question: bot.Question{Pack: pack}, Language: bot.English}
				d.Understanding.Strategy = bot.Strategy(strategy)
				d.Understanding.Parts = []bot.Part{{Asked: "lead in the water", Standalone: "lead in the water"}}
				got := &pipeline.Candidate{Chunk: c, Passages: []pipeline.Passage{{Paragraph: p}}}
				if err := s.Judge(t.Context(), d, []*pipeline.Candidate{got}); err != nil {
					t.Fatalf("Judge(%s): %v", p.ID, err)
				}
				const told = "; of a topic that the strategy asks for"
				if want := slices.Contains(topics, p.Topic); strings.HasSuffix(got.Reason, told) != want {
					t.Errorf("Judge(%s) for %s: reason %q, to end with %q: %t", p.ID, strategy, got.Reason, told, want)
				}
			}
		}
	}
}

func TestVocabulary(t *testing.T) {
	s, _ := shipped(t, "drinking-water")
	v := s.words["en"]
	if u := v.unknown(v.set("jupiter saturn")); u != 1 {
		t.Errorf("unknown share of words that no source has = %v, want 1", u)
	}
	if u := v.unknown(v.set("lead water")); u != 0 {
		t.Errorf("unknown share of known words = %v, want 0", u)
	}
	if u := v.unknown(v.set("the of")); u != 0 {
		t.Errorf("unknown share of no words = %v, want 0", u)
	}
	if c := v.cover(v.set("lead pipe"), v.set("pipes of lead")); c != 1 {
		t.Errorf("cover = %v, want 1", c)
	}
	if rare, common := v.idf("chloramin"), v.idf("water"); rare <= common {
		t.Errorf("idf of a rare word %v is not above that of a common one %v", rare, common)
	}
}

// Who hears what holds now hears what takes its place, if that was kept.
func TestSuccessor(t *testing.T) {
	s, lib := shipped(t, "drinking-water")
	now, _ := lib.Paragraph("rule.al15")
	then, ok := lib.Paragraph("rule.al10")
	if !ok || lib.Validity(now).SupersededBy != then.ID {
		t.Fatalf("%s is superseded by %q, want %s", now.ID, lib.Validity(now).SupersededBy, then.ID)
	}
	d := &pipeline.Draft{Candidates: []*pipeline.Candidate{{Kept: true, Passages: []pipeline.Passage{{Paragraph: now, State: kb.Current}, {Paragraph: then, State: kb.NotYet}}}}}
	if got, ok := s.successor(d, now); !ok || got.ID != then.ID {
		t.Errorf("successor of %s = %q, %v; want %s", now.ID, got.ID, ok, then.ID)
	}
	if _, ok := s.successor(d, then); ok {
		t.Errorf("%s has a successor", then.ID)
	}
	d.Candidates[0].Kept = false
	if _, ok := s.successor(d, now); ok {
		t.Error("a successor is told that was not kept")
	}
}
