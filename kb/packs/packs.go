// Package packs holds the domain packs that come with the program. A pack is a
// folder here with pack.json in it: adding one is adding its folder.
package packs

import (
	"embed"
	"io/fs"
	"path"
)

// Files holds a folder for each of Names.
//
//go:embed all:*
var Files embed.FS

// Names lists the packs, in the order of their names.
func Names() []string {
	manifests, _ := fs.Glob(Files, "*/pack.json") // the pattern is well formed
	names := make([]string, len(manifests))
	for i, m := range manifests {
		names[i] = path.Dir(m)
	}
	return names
}
