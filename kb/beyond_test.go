package kb

import (
	"slices"
	"strings"
	"testing"
	"testing/fstest"
)

// What lies beyond a pack is a record each, in the languages' order, and part
// of its version and of its vectors' texts.
func TestBeyond(t *testing.T) {
	files := goodFiles(t)
	without, err := Load(files, "library-hours")
	if err != nil {
		t.Fatal(err)
	}
	files["library-hours/beyond.json"] = &fstest.MapFile{Data: []byte(`{"es": ["¿venden café?"], "en": ["do you sell coffee", "is there parking"]}`)}
	with, err := Load(files, "library-hours")
	if err != nil {
		t.Fatalf("Load with beyond.json: %v", err)
	}
	l, err := NewLibrary(with)
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, r := range Beyond(l) {
		got = append(got, r.Pack+" "+r.Language+" "+r.Text)
		if !slices.Contains(with.texts(), r.Text) {
			t.Errorf("the texts to embed lack %q", r.Text)
		}
		if r.Chunk != "" || r.Field != "" {
			t.Errorf("Beyond: %+v stands for a chunk", r)
		}
	}
	want := []string{"library-hours en do you sell coffee", "library-hours en is there parking", "library-hours es ¿venden café?"}
	if !slices.Equal(got, want) {
		t.Errorf("Beyond = %q, want %q", got, want)
	}
	if with.Version == without.Version {
		t.Errorf("version %s with and without beyond.json", with.Version)
	}
}

func TestBeyondFaults(t *testing.T) {
	for _, tt := range []struct{ name, json, want string }{
		{"Language", `{"fr": ["ouvert?"]}`, `does not declare the language "fr"`},
		{"Twice", `{"en": ["is there parking", "is there parking"]}`, "$.en[1]: \"is there parking\" stands here twice"},
		{"Empty", `{"en": [""]}`, "$.en[0]: the text is empty"},
	} {
		files := goodFiles(t)
		files["library-hours/beyond.json"] = &fstest.MapFile{Data: []byte(tt.json)}
		if got := strings.Join(faultLines(t, files, "library-hours"), "\n"); !strings.Contains(got, tt.want) {
			t.Errorf("%s: Load says %q, want %q in it", tt.name, got, tt.want)
		}
	}
}
