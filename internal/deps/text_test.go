package deps

import (
	"bytes"
	"fmt"
	"path"
	"regexp"
	"strings"
	"testing"
)

var (
	// Folders of the machine that someone worked on.
	machine = regexp.MustCompile(`(^|[^A-Za-z0-9_.~-])(/(work|farm|root)/[a-z.]|/(home|Users)/[a-z]+/)`)

	// Where packages come from is each machine's own setting.
	registry = regexp.MustCompile(`(proxy|sum)\.golang\.org|pypi\.org|pythonhosted\.org|registry\.npmjs|repo1?\.maven|static\.crates\.io|index\.crates\.io|deb\.debian\.org`)

	// A North American number as people write it. Digits alone, or with spaces
	// alone between them, are readings as often.
	phone = regexp.MustCompile(`(^|[^0-9.+-])(1[-. ])?(\([2-9][0-9]{2}\)[-. ]?|[2-9][0-9]{2}[-.])[2-9][0-9]{2}[-. ][0-9]{4}([^0-9]|$)|` +
		`\+1[-. ]?\(?[2-9][0-9]{2}\)?[-. ]?[2-9][0-9]{2}[-. ]?[0-9]{4}([^0-9]|$)`)
)

// nobodys reports whether a number of ten digits is no person's: made up
// (555-01xx) or toll-free.
func nobodys(digits string) bool {
	switch digits[:3] {
	case "800", "833", "844", "855", "866", "877", "888":
		return true
	}
	return digits[3:8] == "55501"
}

// textFaults lists what a file says that it should not. known holds the last
// ten digits of numbers that a pack gives.
func textFaults(f file, known map[string]bool) []string {
	var faults []string
	n := 0
	for line := range bytes.Lines(f.data) {
		n++
		if found := machine.Find(line); found != nil {
			faults = append(faults, fmt.Sprintf("%s:%d: %q is a path of one machine", f.path, n, found))
		}
		if found := registry.Find(line); found != nil {
			faults = append(faults, fmt.Sprintf("%s:%d: %q is a registry's host", f.path, n, found))
		}
		for _, d := range phones(line) {
			if !nobodys(d) && !known[d] {
				faults = append(faults, fmt.Sprintf("%s:%d: number %s is neither 555-01xx, nor toll-free, nor in a pack", f.path, n, d))
			}
		}
	}
	return faults
}

// phones returns the last ten digits of each phone number in text.
func phones(text []byte) []string {
	var list []string
	for _, found := range phone.FindAll(text, -1) {
		var digits []byte
		for _, c := range found {
			if c >= '0' && c <= '9' {
				digits = append(digits, c)
			}
		}
		list = append(list, string(digits[len(digits)-10:]))
	}
	return list
}

func TestText(t *testing.T) {
	list := textFiles(t)
	known := map[string]bool{}
	for _, f := range list {
		if under(f.path, "kb/packs") && path.Ext(f.path) == ".json" {
			for _, d := range phones(f.data) {
				known[d] = true
			}
		}
	}
	for _, f := range list {
		for _, fault := range textFaults(f, known) {
			t.Error(fault)
		}
	}
}

func TestTextFaults(t *testing.T) {
	known := map[string]bool{"9735550000": true}
	for _, tt := range []struct {
		text string
		want string // part of the one fault; empty: none
	}{
		{"see ../shared/spec.md, kb/work/x and https://example.org/work/x", ""},
		{"see /wo" + "rk/main", "path"},
		{"`/home/" + "ann/x`", "path"},
		{"/home in general", ""},
		{"from proxy." + "golang.org", "registry"},
		{"call 201-555-0123 or +12015550199 or (201) 555-0100", ""},
		{"call 973-555-" + "0000", ""},
		{"call 1-800-555-1212", ""},
		{"call 201-555-" + "0200", "2015550200"},
		{"call (201) 867-" + "5309.", "2018675309"},
		{"to +1201867" + "5309", "2018675309"},
		{"1-201-867-" + "5309", "2018675309"},
		{"+1 (201) 867-" + "5309", "2018675309"},
		{"digits 2018675309, 1.201.867.53091, 2026-11-30 and 250 300 1000", ""},
	} {
		got := textFaults(file{"a.md", []byte("\n" + tt.text)}, known)
		switch {
		case tt.want == "" && len(got) > 0:
			t.Errorf("textFaults(%q) = %q, want none", tt.text, got)
		case tt.want != "" && (len(got) != 1 || !strings.Contains(got[0], "a.md:2: ") || !strings.Contains(got[0], tt.want)):
			t.Errorf("textFaults(%q) = %q, want one that says %q", tt.text, got, tt.want)
		}
	}
}
