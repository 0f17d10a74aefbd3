package deps

import (
	"bytes"
	"io/fs"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"strings"
	"testing"
)

const root = "../.."

// A file is one of the repository's files.
type file struct {
	path string // from the root, with slashes
	data []byte
}

// files returns the files below the root that keep says to read. What git
// ignores is left out, and so are the modules of other folders unless keep
// wants them.
func files(t *testing.T, keep func(path string) bool) []file {
	t.Helper()
	ignored := map[string]bool{}
	out, err := exec.CommandContext(t.Context(), "git", "-C", root, "ls-files", "-oi", "--exclude-standard", "--directory").Output()
	if err == nil { // without git, whatever lies here counts
		for line := range strings.Lines(string(out)) {
			ignored[strings.Trim(line, "/\n")] = true
		}
	}
	var list []file
	err = filepath.WalkDir(root, func(name string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		rel, err := filepath.Rel(root, name)
		if err != nil {
			return err
		}
		rel = filepath.ToSlash(rel)
		switch {
		case ignored[rel] || rel == ".git":
			if d.IsDir() {
				return fs.SkipDir
			}
			return nil
		case !d.Type().IsRegular() || !keep(rel):
			return nil
		}
		data, err := os.ReadFile(name)
		if err != nil {
			return err
		}
		list = append(list, file{rel, data})
		return nil
	})
	if err != nil {
		t.Fatalf("read the repository: %v", err)
	}
	if len(list) == 0 {
		t.Fatal("no file of the repository was found")
	}
	return list
}

// goFiles returns the Go files of this module.
func goFiles(t *testing.T) []file {
	t.Helper()
	return files(t, func(name string) bool {
		return path.Ext(name) == ".go" && !under(name, "tools") && !strings.Contains(name, "testdata/")
	})
}

// textFiles returns the files that a person can read.
func textFiles(t *testing.T) []file {
	t.Helper()
	var list []file
	for _, f := range files(t, func(name string) bool { return path.Ext(name) != ".f16" }) {
		if bytes.IndexByte(f.data[:min(len(f.data), 8000)], 0) < 0 {
			list = append(list, f)
		}
	}
	return list
}

// under reports whether name is folder or lies in it.
func under(name, folder string) bool {
	return name == folder || strings.HasPrefix(name, folder+"/")
}

// underAny reports whether name is one of the folders or lies in one.
func underAny(name string, folders []string) bool {
	for _, f := range folders {
		if under(name, f) {
			return true
		}
	}
	return false
}
