package kb

import (
	"bytes"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"path"
	"slices"
	"strings"

	"plumbline/bot"
	"plumbline/internal/jsonpos"
)

// What a pack's folder may hold. More is a fault.
const (
	MaxFileSize  = 8 << 20 // bytes of one JSON file
	MaxDocuments = 1000
	maxVectors   = 256 << 20 // bytes of vectors.bin
)

// Faults are all that is wrong with a pack, or with packs together. It wraps
// bot.ErrInvalid, or bot.ErrNotFound when there is no such folder.
type Faults struct {
	List []jsonpos.Fault // by file, line and column
	kind error
}

// Error returns one line a fault: file:line:column: path: what is wrong; what
// to do.
func (f *Faults) Error() string { return jsonpos.Lines(f.List) }

// Unwrap returns the kind of error that f is.
func (f *Faults) Unwrap() error { return f.kind }

// files are the JSON files of a pack beside its documents; those that are
// optional may be missing.
var files = []struct {
	name     string
	optional bool
	into     func(*Pack) any
}{
	{"pack.json", false, func(p *Pack) any { return &p.Manifest }},
	{"sources.json", false, func(p *Pack) any { return &p.Sources }},
	{"strategies.json", false, func(p *Pack) any { return &p.Strategies }},
	{"contacts.json", false, func(p *Pack) any { return &p.Contacts }},
	{"safety.json", false, func(p *Pack) any { return &p.Safety }},
	{"cues.json", true, func(p *Pack) any { return &p.Cues }},
	{"scope.json", true, func(p *Pack) any { return &p.Scope }},
	{"guidance.json", false, func(p *Pack) any { return &p.Guidance }},
	{"asking.json", true, func(p *Pack) any { return &p.Asking }},
	{"probes.json", true, func(p *Pack) any { return &p.Probes }},
	{"questions.json", true, func(p *Pack) any { return &p.Questions }},
	{"beyond.json", true, func(p *Pack) any { return &p.Beyond }},
	{"names.json", true, func(p *Pack) any { return &p.Names }},
}

const vectorsFile = "vectors.bin"

// Load reads the pack in folder dir of fsys and checks all that can be checked
// without knowing what it is about: syntax, required texts and languages, ids
// and what refers to them, dates, patterns, numbers' shapes. Its error is a
// *Faults that lists everything. Of safety.json it checks only that there is
// something in it. vectors.bin is read, not checked: see Fill.
func Load(fsys fs.FS, dir string) (*Pack, error) {
	l := loader{fsys: fsys, dir: dir, pack: new(Pack)}
	if !l.folder() {
		return nil, l.err()
	}
	c := newChecker(l.pack)
	for _, f := range files {
		doc, ok := l.read(f.name, f.optional, f.into(l.pack))
		if ok {
			c.docs[f.name] = doc
		} else {
			c.unread[f.name] = true
		}
	}
	l.documents(c)
	l.vectors()
	c.faulty(l.faults)
	c.run(path.Base(path.Clean(dir)))
	l.faults = append(l.faults, c.faults...)
	if len(l.faults) > 0 {
		return nil, l.err()
	}
	l.pack.places = c.places()
	l.pack.Version = l.pack.version()
	return l.pack, nil
}

// version hashes what the pack says, however its files are laid out.
func (p *Pack) version() string {
	compact := func(b []byte) []byte {
		var out bytes.Buffer
		if json.Compact(&out, b) != nil {
			return b
		}
		return out.Bytes()
	}
	h := sha256.New()
	enc := json.NewEncoder(h)
	for _, part := range []any{p.Manifest, p.Sources, p.Documents, p.Strategies, p.Contacts, p.Scope, p.Guidance, p.Asking, p.Probes, compact(p.Safety), compact(p.Cues)} {
		// The parts are made of texts, lists and maps, which always encode.
		_ = enc.Encode(part)
	}
	if len(p.Beyond) > 0 {
		_ = enc.Encode(p.Beyond)
	}
	if len(p.Questions) > 0 {
		_ = enc.Encode(p.Questions)
	}
	if len(p.Names) > 0 {
		_ = enc.Encode(p.Names)
	}
	return fmt.Sprintf("%x", h.Sum(nil)[:8])
}

type loader struct {
	fsys   fs.FS
	dir    string
	pack   *Pack
	faults []jsonpos.Fault
	kind   error
}

func (l *loader) err() error {
	jsonpos.Sort(l.faults)
	if l.kind == nil {
		l.kind = bot.ErrInvalid
	}
	return &Faults{l.faults, l.kind}
}

func (l *loader) fault(name, what, do string) {
	l.faults = append(l.faults, jsonpos.Fault{File: name, What: what, Do: do})
}

// folder reports whether the pack's folder can be read, and names the JSON
// files at its top that a pack has no use for.
func (l *loader) folder() bool {
	if !fs.ValidPath(l.dir) {
		l.fault(l.dir, "this is not a path within the packs", "name a folder, without . or ..")
		return false
	}
	info, err := fs.Stat(l.fsys, l.dir)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		l.kind = bot.ErrNotFound
		l.fault(l.dir, "there is no such folder", "")
		return false
	case err != nil:
		l.fault(l.dir, "it cannot be read: "+reason(err), "")
		return false
	case !info.IsDir():
		l.fault(l.dir, "it is not a folder", "name the folder that holds pack.json")
		return false
	}
	entries, err := fs.ReadDir(l.fsys, l.dir)
	if err != nil {
		l.fault(l.dir, "it cannot be read: "+reason(err), "")
		return false
	}
	var names []string
	for _, f := range files {
		names = append(names, strings.TrimSuffix(f.name, ".json"))
	}
	for _, e := range entries {
		stem, isJSON := strings.CutSuffix(e.Name(), ".json")
		if !isJSON || slices.Contains(names, stem) {
			continue
		}
		do := "delete it, or move it to documents"
		if near := jsonpos.Nearest(stem, names); near != "" {
			do = fmt.Sprintf("did you mean %s.json?", near)
		}
		l.fault(l.path(e.Name()), "a pack has no such file", do)
	}
	return true
}

func (l *loader) path(name string) string { return path.Join(l.dir, name) }

// read reads and decodes one JSON file; ok says whether it was decoded,
// perhaps with faults.
func (l *loader) read(name string, optional bool, into any) (doc *jsonpos.Document, ok bool) {
	data, ok := l.bytes(name, MaxFileSize, optional)
	if !ok {
		return nil, false
	}
	doc, faults := jsonpos.Parse(l.path(name), data)
	l.faults = append(l.faults, faults...)
	if len(faults) > 0 {
		return doc, false
	}
	l.faults = append(l.faults, doc.Decode(into)...)
	return doc, true
}

// bytes reads a file of at most limit bytes.
func (l *loader) bytes(name string, limit int64, optional bool) ([]byte, bool) {
	full := l.path(name)
	info, err := fs.Stat(l.fsys, full)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		if !optional {
			l.fault(full, "the file is missing", "")
		}
		return nil, false
	case err != nil:
		l.fault(full, "it cannot be read: "+reason(err), "")
		return nil, false
	case !info.Mode().IsRegular():
		l.fault(full, "it is not a file", "")
		return nil, false
	}
	f, err := l.fsys.Open(full)
	if err != nil {
		l.fault(full, "it cannot be read: "+reason(err), "")
		return nil, false
	}
	defer f.Close()
	data, err := io.ReadAll(io.LimitReader(f, limit+1))
	if err != nil {
		l.fault(full, "it cannot be read: "+reason(err), "")
		return nil, false
	}
	if int64(len(data)) > limit {
		l.fault(full, fmt.Sprintf("it is larger than %d MB", limit>>20), "split it")
		return nil, false
	}
	return data, true
}

// reason is what went wrong, without the operation and the path.
func reason(err error) string {
	if pe, ok := errors.AsType[*fs.PathError](err); ok {
		err = pe.Err
	}
	return strings.ToValidUTF8(err.Error(), "?")
}

func (l *loader) documents(c *checker) {
	const folder = "documents"
	entries, err := fs.ReadDir(l.fsys, l.path(folder))
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		c.unread[folder] = true
		l.fault(l.path(folder), "it cannot be read: "+reason(err), "it holds the pack's documents")
		return
	}
	n := 0
	for _, e := range entries {
		name := path.Join(folder, e.Name())
		if strings.HasPrefix(e.Name(), ".") {
			continue
		}
		if path.Ext(name) != ".json" {
			l.fault(l.path(name), "only .json files stand here", "move it elsewhere")
			continue
		}
		if n++; n > MaxDocuments {
			l.fault(l.path(folder), fmt.Sprintf("it holds more than %d documents", MaxDocuments), "join some")
			return
		}
		var d Document
		doc, ok := l.read(name, false, &d)
		if !ok {
			c.unread[folder] = true
			continue
		}
		l.pack.Documents = append(l.pack.Documents, d)
		c.documents = append(c.documents, doc)
	}
	if n == 0 {
		c.unread[folder] = true
		l.fault(l.path(folder), "there is no document", "write at least one .json file")
	}
}

func (l *loader) vectors() {
	data, ok := l.bytes(vectorsFile, maxVectors, true)
	if ok {
		l.pack.Vectors = data
	}
}
