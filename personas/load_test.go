package personas

import (
	"errors"
	"io/fs"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"plumbline/bot"
	"plumbline/internal/jsonpos"
)

// copyFiles returns the program's files, to be changed.
func copyFiles(t *testing.T) fstest.MapFS {
	t.Helper()
	m := make(fstest.MapFS)
	names, err := fs.Glob(files, "data/*.json")
	if err != nil || len(names) == 0 {
		t.Fatalf("the program's files: %v, %v", names, err)
	}
	for _, name := range names {
		data, err := files.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		m[strings.TrimPrefix(name, "data/")] = &fstest.MapFile{Data: data}
	}
	return m
}

func TestLoadFaults(t *testing.T) {
	for _, tt := range []struct {
		name, file string
		old, new   string   // old stands in the file
		want       []string // parts of the faults, one each
	}{
		{"Syntax", "tone.json", `"never": {`, `"never": {{`, []string{"tone.json:2:"}},
		{"UnknownField", "plain.json", `"grade"`, `"grabe"`, []string{"$.grade: \"grade\" is missing", "did you mean \"grade\"?"}},
		{"IDNotFile", "plain.json", `"id": "plain"`, `"id": "plan"`, []string{`the persona is called "plan", its file "plain"`, "plain.json: the file is missing"}},
		{"Sentiment", "neighbor.json", `"when": "sad", "say"`, `"when": "blue", "say"`, []string{`there is no sentiment "blue"`}},
		{"Person", "neighbor.json", `"when": "sad", "about": "baby"`, `"when": "sad", "about": "cat"`, []string{`there is no person "cat"`}},
		{"Twice", "neighbor.json", `"when": "angry"`, `"when": "confused"`, []string{"there is an opening for this before it"}},
		{"TooLong", "neighbor.json", "That sounds scary.", "That sounds very scary to anyone who has to live with it.", []string{"it takes 57 septets; 45 are left for it"}},
		{"TopicTooLong", "neighbor.json", "{topic} can be scary.", "{topic} can be very scary for us all.", []string{"septets; 21 are left for it"}},
		{"NoTopic", "neighbor.json", "{topic} can be scary.", "It can be scary.", []string{"it does not have the slot {topic} once"}},
		{"Slot", "neighbor.json", "That sounds scary.", "That {sounds} scary.", []string{"it has no slot {sounds}"}},
		{"Digit", "neighbor.json", "That sounds scary.", "That is scary, 1 of us says.", []string{"it has a number"}},
		{"Negation", "neighbor.json", "That sounds scary.", "That is not easy.", []string{`it says "not"`}},
		{"NotGSM", "neighbor.json", "That sounds scary.", "That sounds “scary”.", []string{"it has characters that GSM-7 lacks"}},
		{"Accent", "neighbor.json", "Eso asusta.", "Así asusta.", []string{"it has characters that GSM-7 lacks", "it has á, í, ó or ú"}},
		{"Banned", "neighbor.json", "That sounds scary.", "Calm down.", []string{`it says "calm down", which is never said`}},
		{"TwoSentences", "neighbor.json", "That sounds scary.", "Oh. That is scary.", []string{"it is more than one sentence"}},
		{"Open", "neighbor.json", "That sounds scary.", "That sounds scary", []string{"it does not end with a full stop"}},
		{"Language", "neighbor.json", `"es": "Eso asusta."`, `"fr": "C'est dur."`, []string{`answers are not written in "fr"`, "the text is missing in this language"}},
		{"OnlyNarrow", "cityhall.json", `"limit": {"wide": {"en": "Limit of this answer:", "es": "Alcance de la respuesta:"}, `, `"limit": {`, []string{`"wide" is missing`, "no wide one"}},
		{"Prompt", "plain.json", "{characters}", "{letters}", []string{"a prompt has no slot {letters}"}},
		{"PromptLanguage", "plain.json", "in {language}, without", "in", []string{"it does not say in which language to answer"}},
		{"AskTwice", "plain.json", `"plain voice"`, `"official"`, []string{`"official" asks for "cityhall" too`}},
		{"OneWord", "plain.json", `"skip the small talk"`, `"plainly"`, []string{`"plainly" is one word`}},
		{"FeelingSentiment", "feelings.json", `"id": "sad"`, `"id": "neutral"`, []string{`there is no sentiment "neutral" to tell`}},
		{"FeelingPerson", "feelings.json", `"id": "elder"`, `"id": "self"`, []string{`there is no person "self" to tell`}},
		{"Number", "guard.json", `"two": "2"`, `"two": "two"`, []string{`"two" is not a number`}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			m := copyFiles(t)
			data := string(m[tt.file].Data)
			if !strings.Contains(data, tt.old) {
				t.Fatalf("%s has no %q", tt.file, tt.old)
			}
			m[tt.file] = &fstest.MapFile{Data: []byte(strings.Replace(data, tt.old, tt.new, 1))}
			_, err := Load(m)
			if !errors.Is(err, bot.ErrInvalid) {
				t.Fatalf("Load() = %v, want invalid", err)
			}
			var faults *Faults
			if !errors.As(err, &faults) || !slices.ContainsFunc(faults.List, func(f jsonpos.Fault) bool { return f.File == tt.file }) {
				t.Fatalf("Load() = %v, want faults of %s", err, tt.file)
			}
			for _, want := range tt.want {
				if !strings.Contains(err.Error(), want) {
					t.Errorf("Load() = %v, want %q in it", err, want)
				}
			}
		})
	}
}

func TestLoadMissing(t *testing.T) {
	for _, name := range []string{"tone.json", "feelings.json", "guard.json", "plain.json"} {
		m := copyFiles(t)
		delete(m, name)
		if _, err := Load(m); err == nil || !strings.Contains(err.Error(), name+": the file is missing") {
			t.Errorf("Load() without %s = %v, want that the file is missing", name, err)
		}
	}
	m := copyFiles(t)
	m["notes.txt"] = &fstest.MapFile{}
	if _, err := Load(m); err == nil || !strings.Contains(err.Error(), "only .json files stand here") {
		t.Errorf("Load() with notes.txt = %v, want a fault", err)
	}
}

// TestLoadAllFaults: everything is told at once.
func TestLoadAllFaults(t *testing.T) {
	m := copyFiles(t)
	delete(m, "tone.json")
	m["neighbor.json"] = &fstest.MapFile{Data: []byte(strings.Replace(string(m["neighbor.json"].Data), "Eso asusta.", "Eso asusta 2 veces.", 1))}
	m["extra.json"] = &fstest.MapFile{Data: []byte(`{"id": "extra"`)}
	_, err := Load(m)
	for _, want := range []string{"tone.json", "it has a number", "extra.json:1:15"} {
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("Load() = %v, want %q in it", err, want)
		}
	}
}
