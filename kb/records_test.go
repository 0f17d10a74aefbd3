package kb

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

var update = flag.Bool("update", false, "rewrite golden files")

// golden compares got with testdata/name; with -update it writes it there.
func golden(t *testing.T, name, got string) {
	t.Helper()
	file := filepath.Join("testdata", name)
	if *update {
		if err := os.WriteFile(file, []byte(got), 0o666); err != nil {
			t.Fatal(err)
		}
		return
	}
	want, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if got != string(want) {
		t.Errorf("%s: got:\n%s\nwant:\n%s\nIf the change is meant, run go test -update and read the diff.", file, got, want)
	}
}

func TestRecords(t *testing.T) {
	l := goodLibrary(t)
	var b strings.Builder
	for _, r := range Records(l) {
		fmt.Fprintf(&b, "%s\n  %s %s %s in %q, from %q until %q, paragraph %q\n", r.ID, r.Pack, r.Field, r.Language, r.Jurisdiction, r.From, r.Until, r.Paragraph)
		fmt.Fprintf(&b, "  | %s\n", strings.ReplaceAll(r.Text, "\n", "\n  | "))
		if r.Embeds != "" {
			fmt.Fprintf(&b, "  ~ %s\n", strings.ReplaceAll(r.Embeds, "\n", "\n  ~ "))
		}
		if r.Vector != nil {
			t.Errorf("record %s has a vector", r.ID)
		}
		if _, ok := l.Chunk(r.Chunk); !ok {
			t.Errorf("record %s is of no chunk: %q", r.ID, r.Chunk)
		}
	}
	golden(t, "records.golden", b.String())
}

// TestRecordIDs holds ids to staying when other things come and go.
func TestRecordIDs(t *testing.T) {
	ids := func(l *Library) (list []string) {
		for _, r := range Records(l) {
			list = append(list, r.ID)
		}
		return list
	}
	before := ids(goodLibrary(t))
	after := ids(changedLibrary(t,
		[3]string{"documents/hours.json", `["when does the library open", "library hours"]`, `["opening times", "when does the library open", "library hours"]`},
		[3]string{"documents/loans.json", `"id": "loan.fee",`, `"id": "loan.fee", "plain": {"en": {"text": "No fee for 7 days, then 5 cents a day."}},`}))
	for _, id := range before {
		if !slices.Contains(after, id) {
			t.Errorf("record %s is gone after an alias and a wording came", id)
		}
	}
	if len(after) != len(before)+2 {
		t.Errorf("%d records after an alias and a wording came, want %d", len(after), len(before)+2)
	}
}

// TestRecordsOfSameWording holds Records to one record for a plain wording
// that says no other than the exact one.
func TestRecordsOfSameWording(t *testing.T) {
	l := changedLibrary(t, [3]string{"documents/loans.json", `"id": "loan.fee",`,
		`"id": "loan.fee", "plain": {"en": {"text": "There is no fee for the first 7 days. After that it is 5 cents a day."}},`})
	if got, want := len(Records(l)), len(Records(goodLibrary(t))); got != want {
		t.Errorf("%d records, want %d", got, want)
	}
}

// TestRecordsOfMixedChunk holds a chunk's own records to the whole time that
// any of its paragraphs holds, and to no one jurisdiction if they differ.
func TestRecordsOfMixedChunk(t *testing.T) {
	for _, tt := range []struct {
		name, source, validity string
		from, until            Date
	}{
		{"OpenEnd", "millbrook-damp", "", 0, 0},
		{"LaterEnd", "millbrook-damp", `"validity": {"effective": "2025", "expires": "2040"},`, 20200101, 20400101},
		{"EarlierEnd", "millbrook-damp", `"validity": {"effective": "2019", "expires": "2022"},`, 20190101, 20300101},
	} {
		l := changedLibrary(t, [3]string{"documents/loans.json", `"id": "loan.fee",`, `"id": "loan.fee", "source": "` + tt.source + `", ` + tt.validity})
		for _, r := range Records(l) {
			if r.Chunk == "library-hours/loans.books" && r.Field != FieldParagraph &&
				(r.From != tt.from || r.Until != tt.until || r.Jurisdiction != "") {
				t.Errorf("%s: record %s is in %q from %q until %q, want anywhere from %q until %q", tt.name, r.ID, r.Jurisdiction, r.From, r.Until, tt.from, tt.until)
			}
		}
	}
}
