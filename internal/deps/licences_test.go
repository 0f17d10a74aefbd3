package deps

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// Words by which a licence is known: permissive ones, and those that would
// bind whoever passes the program on.
var (
	permissive = regexp.MustCompile(`(?i)` + strings.Join([]string{
		`Apache License\s+Version 2\.0`,
		`Permission is hereby granted, free of charge, to any person obtaining`, // MIT
		`Redistribution and use in source and binary forms, with or without`,    // BSD
		`Permission to use, copy, modify, and(/or)? distribute this software`,   // ISC, 0BSD
		`free and unencumbered software released into the public domain`,        // Unlicense
		`CC0 1\.0 Universal`,
	}, "|"))
	copyleft = regexp.MustCompile(`(?i)` + strings.Join([]string{
		`GNU (Lesser |Library |Affero )?General Public License`,
		`Mozilla Public License`,
		`Eclipse Public License`,
		`Common Development and Distribution License`,
		`European Union Public Licence`,
		`Server Side Public License`,
		`Business Source License`,
		`ShareAlike`,
	}, "|"))
	licenceFile = regexp.MustCompile(`(?i)licen[cs]e|^copying`)
)

// looked are licence files that say more than a form can tell, and what a person
// who read them found. A hash would tell when they change, and so does the
// version: each holds for the one that go.mod asks for.
var looked = map[string]string{
	"modernc.org/sqlite v1.62.0 LICENSE-SQLITE":       "public domain: the C that was translated",
	"modernc.org/sqlite v1.62.0 LICENSE-3RD-PARTY.md": "what is linked is BSD, MIT or public domain; the Mozilla licence is of a module in its graph that is compiled into nothing",
	"modernc.org/memory v1.12.1 LICENSE-LOGO":         "where a picture in the repository is from; it is in no program",
}

// licenceFault says what is wrong with the licence that text is, or returns "".
func licenceFault(text string) string {
	text = strings.Join(strings.Fields(text), " ")
	if found := copyleft.FindString(text); found != "" {
		return "it names the " + found
	}
	if !permissive.MatchString(text) {
		return "it is none that we know to be permissive"
	}
	return ""
}

// TestLicences reads the licences of all the modules that the programs are
// built from, on each system that check.sh builds for.
func TestLicences(t *testing.T) {
	seen := map[string]string{} // module to its folder
	for _, system := range []string{"linux", "darwin", "windows"} {
		cmd := exec.CommandContext(t.Context(), "go", "list", "-deps", "-f", "{{with .Module}}{{if not .Main}}{{.Path}}@{{.Version}} {{.Dir}}{{end}}{{end}}", "./cmd/...")
		cmd.Dir = root
		cmd.Env = append(os.Environ(), "GOOS="+system, "CGO_ENABLED=0")
		var stderr strings.Builder
		cmd.Stderr = &stderr
		out, err := cmd.Output()
		if err != nil {
			t.Fatalf("list the modules of the programs for %s: %v\n%s", system, err, stderr.String())
		}
		for line := range strings.Lines(string(out)) {
			if path, dir, ok := strings.Cut(strings.TrimSpace(line), " "); ok {
				seen[path] = dir
			}
		}
	}
	if len(seen) == 0 {
		t.Fatal("the programs seem to use no modules")
	}
	for path, dir := range seen {
		entries, err := os.ReadDir(dir)
		if err != nil {
			t.Errorf("%s: %v", path, err)
			continue
		}
		entries = slices.DeleteFunc(entries, func(e os.DirEntry) bool { return e.IsDir() || !licenceFile.MatchString(e.Name()) })
		if len(entries) == 0 {
			t.Errorf("%s has no licence file", path)
		}
		for _, e := range entries {
			text, err := os.ReadFile(filepath.Join(dir, e.Name()))
			if err != nil {
				t.Errorf("%s: %v", path, err)
				continue
			}
			if _, ok := looked[strings.Replace(path, "@", " ", 1)+" "+e.Name()]; ok {
				continue
			}
			if fault := licenceFault(string(text)); fault != "" {
				t.Errorf("%s: %s: %s", path, e.Name(), fault)
			}
		}
	}
}

func TestLicenceFault(t *testing.T) {
	ours, err := os.ReadFile(root + "/LICENSE")
	if err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct {
		text string
		want bool // a fault
	}{
		{string(ours), false},
		{"Permission is hereby granted, free of charge,\nto any person obtaining a copy", false},
		{"Mozilla Public License Version 2.0", true},
		{"GNU GENERAL PUBLIC LICENSE\nVersion 3", true},
		{"GNU\n  Lesser General Public License. Redistribution and use in source and binary forms, with or without", true},
		{"All rights reserved.", true},
		{"", true},
	} {
		if got := licenceFault(tt.text); (got != "") != tt.want {
			t.Errorf("licenceFault(%.40q) = %q, want a fault: %t", tt.text, got, tt.want)
		}
	}
}

// TestNotice holds NOTICE to the tree: whatever file it speaks of is there.
func TestNotice(t *testing.T) {
	text, err := os.ReadFile(root + "/NOTICE")
	if err != nil {
		t.Fatal(err)
	}
	paths := 0
	for line := range strings.Lines(string(text)) {
		line = strings.TrimSuffix(line, "\n")
		if !strings.Contains(line, "/") || strings.ContainsAny(line, " ") {
			continue // prose
		}
		paths++
		if _, err := os.Stat(filepath.Join(root, line)); err != nil {
			t.Errorf("NOTICE speaks of %s: %v", line, err)
		}
	}
	if paths == 0 {
		t.Error("NOTICE names no file")
	}
}
