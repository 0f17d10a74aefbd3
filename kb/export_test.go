package kb

import (
	"bytes"
	"encoding/json"
	"errors"
	"slices"
	"strings"
	"testing"

	"plumbline/bot"
)

func TestExport(t *testing.T) {
	l := goodLibrary(t)
	var b bytes.Buffer
	fixed := []Row{{ID: "fixed.stop", Texts: []string{"You get no more texts <from> us.", "Ya no recibe textos."}}}
	if err := Export(l, &b, ExportOptions{Fixed: fixed}); err != nil {
		t.Fatal(err)
	}
	golden(t, "export.golden", b.String())

	// What a scorer relies on: the fields, the exact English first, lists that
	// are lists, one row an id.
	seen := make(map[string]bool)
	for line := range strings.Lines(b.String()) {
		var row map[string]any
		if err := json.Unmarshal([]byte(line), &row); err != nil {
			t.Fatalf("%q: %v", line, err)
		}
		id, _ := row["id"].(string)
		if id == "" || seen[id] {
			t.Errorf("row %q has no id, or one that stands before", line)
		}
		seen[id] = true
		texts, _ := row["texts"].([]any)
		if len(texts) == 0 {
			t.Errorf("row %s has no text", id)
		}
		for _, field := range []string{"parts", "caveats"} {
			if _, ok := row[field].([]any); !ok {
				t.Errorf("row %s: %s is %v, want a list", id, field, row[field])
			}
		}
		if _, ok := row["valid"].(map[string]any); !ok || len(row) != 6 {
			t.Errorf("row %s has %d fields, valid %v", id, len(row), row["valid"])
		}
		if p, ok := l.Paragraph(id); ok && texts[0] != p.Exact["en"].Text {
			t.Errorf("row %s begins with %q, want the exact English %q", id, texts[0], p.Exact["en"].Text)
		}
	}
	for _, id := range []string{"hours.weekday", "phone.desk", "next.desk", "scope.homework", "term.library-hours.library-card", "local.who-runs", "fixed.stop"} {
		if !seen[id] {
			t.Errorf("no row %s", id)
		}
	}
}

func TestExportOfOnePack(t *testing.T) {
	l := goodLibrary(t)
	all, err := Rows(l, ExportOptions{})
	if err != nil {
		t.Fatal(err)
	}
	one, err := Rows(l, ExportOptions{Pack: goodPack})
	if err != nil || len(one) != len(all) {
		t.Errorf("Rows of the pack = %d rows, %v, want %d", len(one), err, len(all))
	}
	if rows, err := Rows(l, ExportOptions{Pack: "annex"}); !errors.Is(err, bot.ErrNotFound) || rows != nil {
		t.Errorf("Rows of a pack that is not there = %d rows, %v, want ErrNotFound", len(rows), err)
	}
	if err := Export(l, new(bytes.Buffer), ExportOptions{Pack: "annex"}); !errors.Is(err, bot.ErrNotFound) {
		t.Errorf("Export of a pack that is not there: %v, want ErrNotFound", err)
	}
	if err := Export(l, full{}, ExportOptions{}); err == nil || !strings.HasPrefix(err.Error(), "export hours.weekday: ") {
		t.Errorf("Export to a full disk: %v", err)
	}
}

// full takes nothing.
type full struct{}

func (full) Write([]byte) (int, error) { return 0, errors.New("no space") }

func TestRowIDs(t *testing.T) {
	if got := ScopeID(ScopeRule{ID: "scope.pool"}); got != "scope.pool" {
		t.Errorf("ScopeID of scope.pool = %q", got)
	}
	if got := LocalID(LocalFact{ID: "local.mayor"}); got != "local.mayor" {
		t.Errorf("LocalID of local.mayor = %q", got)
	}
	if got := TermID("water", Term{Term: Text{"en": "mg/L"}}); got != "term.water.mg-l" {
		t.Errorf("TermID of mg/L = %q", got)
	}
}

func TestList(t *testing.T) {
	got, err := json.MarshalIndent(List(goodLibrary(t)), "", "  ")
	if err != nil {
		t.Fatal(err)
	}
	golden(t, "list.golden", string(got)+"\n")
}

func TestCheck(t *testing.T) {
	// phone.desk was confirmed on 2026-11-01, phone.fire, a safety number, on
	// 2026-11-20.
	l := goodLibrary(t)
	for _, tt := range []struct {
		at   Date
		want []string
	}{
		{20261031, []string{
			"warning: phone-age: phone.desk: 973-555-0101 was confirmed on 2026-11-01 (called, by A. Reader), a day that has not come",
			"warning: phone-age: phone.fire: 911 was confirmed on 2026-11-20 (read on the agency's page, by A. Reader), a day that has not come"}},
		{20261120, nil},
		{20261214, nil},
		{20261215, []string{"warning: phone-age: phone.fire: 911 was confirmed on 2026-11-20 (read on the agency's page, by A. Reader), 25 days ago: due in 5 days"}},
		{20261219, []string{"warning: phone-age: phone.fire: 911 was confirmed on 2026-11-20 (read on the agency's page, by A. Reader), 29 days ago: due in 1 days"}},
		{20261220, []string{"error: phone-age: phone.fire: 911 was confirmed on 2026-11-20 (read on the agency's page, by A. Reader), 30 days ago: it is good for 30"}},
		{20270329, []string{"error: phone-age: phone.fire: 911 was confirmed on 2026-11-20 (read on the agency's page, by A. Reader), 129 days ago: it is good for 30"}},
		{20270429, []string{
			"warning: phone-age: phone.desk: 973-555-0101 was confirmed on 2026-11-01 (called, by A. Reader), 179 days ago: due in 1 days",
			"error: phone-age: phone.fire: 911 was confirmed on 2026-11-20 (read on the agency's page, by A. Reader), 160 days ago: it is good for 30"}},
		{20270430, []string{
			"error: phone-age: phone.desk: 973-555-0101 was confirmed on 2026-11-01 (called, by A. Reader), 180 days ago: it is good for 180",
			"error: phone-age: phone.fire: 911 was confirmed on 2026-11-20 (read on the agency's page, by A. Reader), 161 days ago: it is good for 30"}},
	} {
		var got []string
		for _, f := range Check(l, tt.at) {
			got = append(got, string(f.Severity)+": "+f.Rule+": "+f.ID+": "+f.Text)
			if f.File == "" || f.Line == 0 {
				t.Errorf("Check(%s): finding %+v names no file and line", tt.at, f)
			}
		}
		if !slices.Equal(got, tt.want) {
			t.Errorf("Check(%s):\n%s\nwant:\n%s", tt.at, strings.Join(got, "\n"), strings.Join(tt.want, "\n"))
		}
	}
}
