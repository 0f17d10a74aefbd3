package kb

import (
	"os"
	"path"
	"strings"
	"testing"
	"testing/fstest"
)

// withAsking is the good pack of testdata with an asking.json.
func withAsking(t *testing.T, asking string) fstest.MapFS {
	t.Helper()
	out := fstest.MapFS{}
	for _, name := range []string{"pack", "sources", "strategies", "contacts", "safety", "scope", "guidance", "probes", "documents/hours", "documents/loans"} {
		file := path.Join("library-hours", name+".json")
		data, err := os.ReadFile(path.Join("testdata", file))
		if err != nil {
			t.Fatal(err)
		}
		out[file] = &fstest.MapFile{Data: data}
	}
	out["library-hours/asking.json"] = &fstest.MapFile{Data: []byte(asking)}
	return out
}

const goodAsking = `{
  "offer": {"any": {"en": ["\\bbooks?\\b"]}, "words": {"en": ["BOOKS"], "es": ["LIBROS"]}, "say": {"en": "Reply BOOKS.", "es": "Responda LIBROS."}},
  "matrix": {
    "hazards": [{"id": "wet", "name": {"en": "rain", "es": "lluvia"}, "any": {"en": ["\\brain\\b"]}}],
    "uses": [{"id": "book", "name": {"en": "book", "es": "libro"}, "any": {"en": ["\\bbook\\b"]}}],
    "default": "book",
    "opposite": [{"do": "ask", "bars": "ask"}],
    "told": {"fixed.x": ["wet"]}
  },
  "clarify": [{"id": "clarify.card", "any": {"en": ["\\bcard\\b"]}, "say": {"en": "Keep it.", "es": "Guarde eso."}, "cite": ["loan.limit"], "ask": {"en": "Lost?", "es": "¿Se ha perdido?"}, "next": "next.desk",
    "answers": [{"any": {"en": ["\\blost\\b"]}, "means": {"en": "I lost my card", "es": "Perdí mi tarjeta"}}]}],
  "premises": [{"id": "premise.open", "any": {"en": ["\\ball night\\b"]}, "say": {"en": "No.", "es": "No."}, "cite": ["hours.weekday"]}]
}`

func TestAskingLoads(t *testing.T) {
	p, err := Load(withAsking(t, goodAsking), "library-hours")
	if err != nil {
		t.Fatal(err)
	}
	if len(p.Asking.Clarify) != 1 || p.Asking.Offer == nil || len(p.Asking.Premises) != 1 || p.Asking.Matrix.Default != "book" {
		t.Errorf("Load read %+v", p.Asking)
	}
	without, err := Load(os.DirFS("testdata"), "library-hours")
	if err != nil {
		t.Fatal(err)
	}
	if p.Version == without.Version {
		t.Error("asking.json does not count for the version")
	}
	lib, err := NewLibrary(p)
	if err != nil {
		t.Fatal(err)
	}
	rows, err := Rows(lib, ExportOptions{})
	if err != nil {
		t.Fatal(err)
	}
	got := map[string][]string{}
	for _, r := range rows {
		got[r.ID] = r.Texts
	}
	for id, text := range map[string]string{"clarify.card": "Lost?", "premise.open": "No.", "offer.library-hours": "Reply BOOKS."} {
		if !strings.Contains(strings.Join(got[id], "|"), text) {
			t.Errorf("exported %s = %q, want %q in it", id, got[id], text)
		}
	}
}

func TestAskingFaults(t *testing.T) {
	for _, tt := range []struct{ name, old, new, want string }{
		{"NumberInSay", `"en": "Keep it."`, `"en": "Keep it 3 days."`, "$.clarify[0].say.en: a text of ours holds a number"},
		{"NumberInAsk", `"en": "Lost?"`, `"en": "Lost 1?"`, "$.clarify[0].ask.en: a text of ours holds a number"},
		{"NumberInVerdict", `"say": {"en": "No."`, `"say": {"en": "No, 9."`, "$.premises[0].say.en: a text of ours holds a number"},
		{"Unknown", `"cite": ["hours.weekday"]`, `"cite": ["hours.weekdya"]`, `$.premises[0].cite[0]: there is no paragraph "hours.weekdya"`},
		{"NoCite", `"cite": ["hours.weekday"]`, `"cite": []`, "$.premises[0].cite: there is no paragraph"},
		{"NoNext", `"next": "next.desk"`, `"next": "next.dekc"`, `$.clarify[0].next: there is no next step`},
		{"Prefix", `"id": "clarify.card"`, `"id": "card"`, `the id of a question asked back begins with "clarify."`},
		{"Pattern", `\\bcard\\b`, `(`, "$.clarify[0].any.en[0]: it is not a pattern"},
		{"MatchesAll", `\\brain\\b`, `x*`, "$.matrix.hazards[0].any.en[0]: the pattern matches every message"},
		{"Hazard", `"id": "wet"`, `"id": "dry"`, `no action is for the hazard "dry"`},
		{"ToldHazard", `["wet"]}`, `["dry"]}`, `$.matrix.told`},
		{"Default", `"default": "book"`, `"default": "read"`, `$.matrix.default: "read" is none of the uses`},
		{"Do", `{"do": "ask"`, `{"do": "burn"`, `$.matrix.opposite[0].do: no action says "burn"`},
		{"OneLanguage", `"es": ["LIBROS"]`, `"es": []`, "$.offer.words: there is no word that accepts in es"},
		{"NoAnswer", `[{"any": {"en": ["\\blost\\b"]}, "means": {"en": "I lost my card", "es": "Perdí mi tarjeta"}}]`, `[]`, "$.clarify[0].answers: there is no answer"},
		{"Spanish", `, "es": "¿Se ha perdido?"`, ``, "$.clarify[0].ask.es: the text is missing"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if strings.Count(goodAsking, tt.old) != 1 {
				t.Fatalf("%q stands %d times", tt.old, strings.Count(goodAsking, tt.old))
			}
			_, err := Load(withAsking(t, strings.Replace(goodAsking, tt.old, tt.new, 1)), "library-hours")
			if err == nil || !strings.Contains(err.Error(), tt.want) {
				t.Errorf("Load = %v, want %q", err, tt.want)
			}
		})
	}
}
