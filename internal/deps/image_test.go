package deps

import (
	"os"
	"path"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/goccy/go-yaml"
)

func read(t *testing.T, name string) string {
	t.Helper()
	data, err := os.ReadFile(path.Join(root, name))
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}

// find returns what the one group of pattern matches in the file, once.
func find(t *testing.T, name, pattern string) string {
	t.Helper()
	found := regexp.MustCompile(`(?m)`+pattern).FindAllStringSubmatch(read(t, name), -1)
	if len(found) != 1 {
		t.Fatalf("%s has %d lines like %s, want 1", name, len(found), pattern)
	}
	return found[0][1]
}

func TestGoVersion(t *testing.T) {
	want := find(t, "go.mod", `^go (\d+\.\d+)\.\d+$`)
	if got := find(t, "Dockerfile", `^FROM golang:(\S+) AS build$`); got != want {
		t.Errorf("Dockerfile builds with Go %s, want %s as in go.mod", got, want)
	}
	if got := find(t, "tools/go.mod", `^go (\d+\.\d+)\.\d+$`); got != want {
		t.Errorf("tools/go.mod asks for Go %s, want %s as in go.mod", got, want)
	}
	for line := range strings.Lines(read(t, "go.mod")) {
		if strings.HasPrefix(line, "toolchain") {
			t.Errorf("go.mod says %q: some machines cannot fetch another toolchain", line)
		}
	}
}

// TestBuildContext holds .dockerignore to the tree: the image's build sees
// every package of ours.
func TestBuildContext(t *testing.T) {
	let := strings.Split(read(t, ".dockerignore"), "\n")
	for _, f := range goFiles(t) {
		top, _, _ := strings.Cut(f.path, "/")
		if !slices.Contains(let, "!"+top) {
			t.Errorf(".dockerignore keeps %s out of the build", f.path)
		}
	}
}

func TestCompose(t *testing.T) {
	var compose struct {
		Services map[string]struct {
			Build       string
			Init        bool
			Command     []string
			Environment map[string]string
			NetworkMode string   `yaml:"network_mode"`
			ReadOnly    bool     `yaml:"read_only"`
			CapDrop     []string `yaml:"cap_drop"`
			SecurityOpt []string `yaml:"security_opt"`
			Restart     string
			StopGrace   string `yaml:"stop_grace_period"`
			Volumes     []string
		}
		Volumes map[string]struct{}
	}
	if err := yaml.UnmarshalWithOptions([]byte(read(t, "compose.yaml")), &compose, yaml.Strict()); err != nil {
		t.Fatalf("compose.yaml:\n%v", err)
	}
	if len(compose.Services) != 1 {
		t.Errorf("compose.yaml has %d services, want plumbline alone", len(compose.Services))
	}
	service := compose.Services["plumbline"]
	if service.NetworkMode != "host" {
		t.Errorf("compose.yaml has network_mode %q, want host: the service is for this machine alone", service.NetworkMode)
	}
	if !service.ReadOnly || !slices.Equal(service.CapDrop, []string{"ALL"}) {
		t.Errorf("compose.yaml: read_only %t, cap_drop %q, want true and all", service.ReadOnly, service.CapDrop)
	}
	if volume := find(t, "Dockerfile", `^VOLUME (\S+)$`); !slices.Contains(service.Volumes, "data:"+volume) {
		t.Errorf("compose.yaml mounts %q, want the image's volume %s: what was acknowledged must outlive the container", service.Volumes, volume)
	}
	if user := find(t, "Dockerfile", `^USER (\d+):\d+$`); user == "0" {
		t.Error("the image runs as root")
	}
}

// TestSettings holds the container files to the program: what they set, it
// reads.
func TestSettings(t *testing.T) {
	var program strings.Builder
	for _, f := range goFiles(t) {
		if under(f.path, "cmd") {
			program.Write(f.data)
		}
	}
	for _, name := range []string{"Dockerfile", "compose.yaml"} {
		for _, setting := range regexp.MustCompile(`PLUMBLINE_[A-Z_]+`).FindAllString(read(t, name), -1) {
			if !strings.Contains(program.String(), setting) {
				t.Errorf("%s sets %s, which nothing under cmd reads", name, setting)
			}
		}
	}
}
