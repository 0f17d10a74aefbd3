// Package asm_test holds the committed assembly to its generators.
package asm_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

func TestCommittedAssemblyIsGenerated(t *testing.T) {
	for _, tt := range []struct{ generator, pkg, folder string }{
		{"./vec", "vec", "../../internal/vec"},
		{"./minilm", "minilm", "../../kb/minilm"},
	} {
		t.Run(tt.pkg, func(t *testing.T) {
			// Read, so that go test runs again when it changes.
			if _, err := os.ReadFile(filepath.Join(tt.generator, "main.go")); err != nil {
				t.Fatal(err)
			}
			dir := t.TempDir()
			asm, stubs := filepath.Join(dir, "kernels_amd64.s"), filepath.Join(dir, "kernels_amd64.go")
			cmd := exec.CommandContext(t.Context(), "go", "run", tt.generator, "-out", asm, "-stubs", stubs, "-pkg", tt.pkg)
			if out, err := cmd.CombinedOutput(); err != nil {
				t.Fatalf("%s: %v\n%s", cmd, err, out)
			}
			for _, name := range []string{asm, stubs} {
				want := body(t, name)
				if got := body(t, filepath.Join(tt.folder, filepath.Base(name))); got != want {
					t.Errorf("%s/%s is not what %s writes: run go generate there", tt.folder, filepath.Base(name), tt.generator)
				}
			}
		})
	}
}

// body is a file without its first line, which names the command.
func body(t *testing.T, name string) string {
	t.Helper()
	b, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	_, rest, _ := strings.Cut(string(b), "\n")
	return rest
}
