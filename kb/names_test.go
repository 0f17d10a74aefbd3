package kb

import (
	"strings"
	"testing"
	"testing/fstest"
)

const goodNames = `[
  {"id": "rain", "kind": "weather", "forms": {"en": ["rain*"], "es": ["lluvia"]}, "not": {"en": ["rain check"]}},
  {"id": "closed", "kind": "sign", "forms": {"en": ["closed sign"], "es": ["letrero de cerrado"]}, "written": {"en": ["Do Not Enter"]}}
]`

// What no telling may exchange is part of a pack and of its version.
func TestNamesLoad(t *testing.T) {
	files := goodFiles(t)
	without, err := Load(files, goodPack)
	if err != nil {
		t.Fatal(err)
	}
	files[goodPack+"/names.json"] = &fstest.MapFile{Data: []byte(goodNames)}
	with, err := Load(files, goodPack)
	if err != nil {
		t.Fatalf("Load with names.json: %v", err)
	}
	if len(with.Names) != 2 || with.Names[0].Not["en"][0] != "rain check" || with.Names[1].Written["en"][0] != "Do Not Enter" {
		t.Errorf("Load read %+v", with.Names)
	}
	if with.Version == without.Version {
		t.Errorf("version %s with and without names.json", with.Version)
	}
}

func TestNamesFaults(t *testing.T) {
	for _, tt := range []struct{ name, old, new, want string }{
		{"IDTwice", `"id": "closed"`, `"id": "rain"`, `names.json:3:10: $[1].id: name "rain" stands in`},
		{"IDShape", `"id": "closed"`, `"id": "Closed Sign"`, `$[1].id: "Closed Sign" is not an id`},
		{"NoKind", `"kind": "sign", `, ``, `$[1].kind: "kind" is missing`},
		{"KindShape", `"kind": "sign"`, `"kind": "Road Sign"`, `$[1].kind: "Road Sign" is not a name`},
		{"NoForm", `"es": ["lluvia"]`, `"es": []`, "$[0].forms.es: there is no form"},
		{"EmptyForm", `"lluvia"`, `"*"`, "$[0].forms.es[0]: the form is empty"},
		{"BlankForm", `"lluvia"`, `""`, "$[0].forms.es[0]: the text is empty"},
		{"Shared", `"closed sign"`, `"Lluvia"`, `$[1].forms.en[0]: "Lluvia" is a form of "rain" too`},
		{"SharedButForAccents", `"closed sign"`, `"lluvía"`, `$[1].forms.en[0]: "lluvía" is a form of "rain" too`},
		{"SharedButForHyphen", `"closed sign"`, `"closed sign", "letrero-de-cerrado", "rain*"`, `$[1].forms.en[2]: "rain*" is a form of "rain" too`},
		{"SharedWritten", `"written": {"en": ["Do Not Enter"]}}`, `"written": {"en": ["Do Not Enter"]}},
  {"id": "barred", "kind": "sign", "forms": {"en": ["barred"], "es": ["prohibido"]}, "written": {"es": ["Do Not Enter"]}}`, `$[2].written.es[0]: "Do Not Enter" is a form of "closed" too`},
		{"NotItself", `"rain check"`, `"rain*"`, `$[0].not.en[0]: "rain*" is a form of "rain"`},
		{"Unknown", `"kind": "sign"`, `"kinds": "sign"`, `$[1].kinds`},
		{"Language", `"not": {"en"`, `"not": {"fr"`, `does not declare the language "fr"`},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if strings.Count(goodNames, tt.old) != 1 {
				t.Fatalf("%q stands %d times", tt.old, strings.Count(goodNames, tt.old))
			}
			files := goodFiles(t)
			files[goodPack+"/names.json"] = &fstest.MapFile{Data: []byte(strings.Replace(goodNames, tt.old, tt.new, 1))}
			if got := strings.Join(faultLines(t, files, goodPack), "\n"); !strings.Contains(got, tt.want) {
				t.Errorf("Load says %q, want %q in it", got, tt.want)
			}
		})
	}
}
