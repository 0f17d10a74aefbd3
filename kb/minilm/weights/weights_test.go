package weights

import (
	"compress/gzip"
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"os"
	"strings"
	"testing"

	"plumbline/internal/vec"
	"plumbline/kb/minilm/blob"
)

// The committed files are those that README.md names, whole.
func TestFilesAreThoseOfTheReadme(t *testing.T) {
	readme, err := os.ReadFile("README.md")
	if err != nil {
		t.Fatal(err)
	}
	for name, file := range map[string]string{"minilm.f16": weights, "vocab.txt": vocabulary} {
		row := fmt.Sprintf("| `%x` |", sha256.Sum256([]byte(file)))
		if !strings.Contains(string(readme), row) {
			t.Errorf("README.md has no hash of %s, of %d bytes: %s", name, len(file), row)
		}
	}
	if err := blob.VerifySum(weights); err != nil {
		t.Errorf("VerifySum(minilm.f16): %v", err)
	}
}

func TestLoad(t *testing.T) {
	m, err := Load()
	if err != nil {
		t.Fatal(err)
	}
	if again, err := Load(); again != m || err != nil {
		t.Errorf("Load() again = %p, %v, want %p", again, err, m)
	}
	f, err := os.Open("../testdata/reference.json.gz")
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	z, err := gzip.NewReader(f)
	if err != nil {
		t.Fatal(err)
	}
	var want struct {
		Texts   []string    `json:"texts"`
		Vectors [][]float32 `json:"vectors"`
	}
	if err := json.NewDecoder(z).Decode(&want); err != nil {
		t.Fatal(err)
	}
	const few = 30 // package minilm's tests take them all
	got, err := m.Embed(t.Context(), want.Texts[:few])
	if err != nil {
		t.Fatal(err)
	}
	for i, v := range got {
		if cosine := vec.Dot(v, want.Vectors[i]); !(cosine >= 0.99999) {
			t.Errorf("Embed(%q) has cosine %v with the reference, want 0.99999 or more", want.Texts[i], cosine)
		}
	}
}
