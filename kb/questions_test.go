package kb

import (
	"strings"
	"testing"
	"testing/fstest"
)

// A question that a paragraph answers is a name of its chunk, in force as the
// paragraph is.
func TestQuestions(t *testing.T) {
	files := goodFiles(t)
	p, err := Load(files, "library-hours")
	if err != nil {
		t.Fatal(err)
	}
	id := p.Documents[0].Sections[0].Subsections[0].Paragraphs[0].ID
	files["library-hours/questions.json"] = &fstest.MapFile{Data: []byte(`{"` + id + `": {"en": ["can i come in now", "are you open"], "es": ["¿abren hoy?"]}}`)}
	with, err := Load(files, "library-hours")
	if err != nil {
		t.Fatalf("Load with questions.json: %v", err)
	}
	if with.Version == p.Version {
		t.Errorf("version %s with and without questions.json", with.Version)
	}
	l, err := NewLibrary(with)
	if err != nil {
		t.Fatal(err)
	}
	found, wording := map[string]Record{}, Record{}
	for _, r := range Records(l) {
		switch {
		case r.Field == FieldAlias && r.Paragraph == id:
			found[r.Language+" "+r.Text] = r
		case r.Field == FieldParagraph && r.Paragraph == id:
			wording = r
		}
	}
	for _, want := range []string{"en can i come in now", "en are you open", "es ¿abren hoy?"} {
		r, ok := found[want]
		if !ok || r.Chunk != wording.Chunk || r.From != wording.From || r.Until != wording.Until || r.Jurisdiction != wording.Jurisdiction {
			t.Errorf("the record of %q is %+v, want one in force as %+v", want, r, wording)
		}
	}
	if len(found) != 3 {
		t.Errorf("%d records of questions, want 3", len(found))
	}
}

func TestQuestionsFaults(t *testing.T) {
	for _, tt := range []struct{ name, json, want string }{
		{"NoParagraph", `{"nothing.here": {"en": ["are you open"]}}`, "nothing.here"},
		{"Empty", `{"nothing.here": {"en": [""]}}`, "the text is empty"},
		{"Twice", `{"nothing.here": {"en": ["open?", "open?"]}}`, `"open?" stands here twice`},
	} {
		files := goodFiles(t)
		files["library-hours/questions.json"] = &fstest.MapFile{Data: []byte(tt.json)}
		if got := strings.Join(faultLines(t, files, "library-hours"), "\n"); !strings.Contains(got, tt.want) {
			t.Errorf("%s: Load says %q, want %q in it", tt.name, got, tt.want)
		}
	}
}
