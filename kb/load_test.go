package kb

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path"
	"slices"
	"strings"
	"testing"
	"testing/fstest"
	"unicode/utf8"

	"plumbline/bot"
)

// goodPack is the folder of the pack that tests begin with.
const goodPack = "library-hours"

// goodFiles returns the files of the good pack, each free to be changed.
func goodFiles(t testing.TB) fstest.MapFS {
	t.Helper()
	files := make(fstest.MapFS)
	err := fs.WalkDir(os.DirFS("testdata"), goodPack, func(name string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		data, err := os.ReadFile(path.Join("testdata", name))
		files[name] = &fstest.MapFile{Data: data, Mode: 0o644}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return files
}

// change replaces old, which must stand once, in a file of the good pack.
func change(t testing.TB, files fstest.MapFS, name, old, new string) {
	t.Helper()
	f := files[path.Join(goodPack, name)]
	if n := strings.Count(string(f.Data), old); n != 1 {
		t.Fatalf("%q stands %d times in %s, want once", old, n, name)
	}
	f.Data = []byte(strings.Replace(string(f.Data), old, new, 1))
}

// faultLines loads the pack and returns its faults, a line each.
func faultLines(t testing.TB, fsys fs.FS, dir string) []string {
	t.Helper()
	p, err := Load(fsys, dir)
	if err == nil {
		return nil
	}
	if p != nil {
		t.Errorf("Load gives a pack beside the error %v", err)
	}
	faults, ok := errors.AsType[*Faults](err)
	if !ok {
		t.Fatalf("Load: error %v is no *Faults", err)
	}
	if !errors.Is(err, bot.ErrInvalid) && !errors.Is(err, bot.ErrNotFound) {
		t.Errorf("Load: error %v is of no kind", err)
	}
	lines := strings.Split(err.Error(), "\n")
	if len(lines) != len(faults.List) {
		t.Errorf("Load: %d lines for %d faults", len(lines), len(faults.List))
	}
	for i := range lines {
		lines[i] = strings.TrimPrefix(lines[i], goodPack+"/")
	}
	return lines
}

func TestLoadBadPacks(t *testing.T) {
	for _, tt := range badPacks {
		t.Run(tt.name, func(t *testing.T) {
			files := goodFiles(t)
			change(t, files, tt.file, tt.old, tt.new)
			if got := faultLines(t, files, goodPack); !slices.Equal(got, tt.want) {
				t.Errorf("%s with %q for %q: Load faults:\n%s\nwant:\n%s", tt.file, tt.new, tt.old, strings.Join(got, "\n"), strings.Join(tt.want, "\n"))
			}
		})
	}
}

func TestLoadBadFolders(t *testing.T) {
	dir := func(t *testing.T) string {
		t.Helper()
		root := t.TempDir()
		if err := os.CopyFS(root, goodFiles(t)); err != nil {
			t.Fatal(err)
		}
		return root
	}
	in := func(root, name string) string { return path.Join(root, goodPack, name) }
	for _, tt := range []struct {
		name   string
		dir    string
		change func(root string) error
		kind   error
		want   []string
	}{
		{"None", "no-such-pack", nil, bot.ErrNotFound, []string{"no-such-pack: there is no such folder"}},
		{"Outside", "../" + goodPack, nil, bot.ErrInvalid, []string{"../library-hours: this is not a path within the packs; name a folder, without . or .."}},
		{"File", goodPack + "/pack.json", nil, bot.ErrInvalid, []string{"pack.json: it is not a folder; name the folder that holds pack.json"}},
		{"Empty", goodPack, func(root string) error {
			return errors.Join(os.RemoveAll(in(root, "")), os.Mkdir(in(root, ""), 0o755))
		}, bot.ErrInvalid, []string{
			"contacts.json: the file is missing",
			"documents: there is no document; write at least one .json file",
			"guidance.json: the file is missing",
			"pack.json: the file is missing",
			"safety.json: the file is missing",
			"sources.json: the file is missing",
			"strategies.json: the file is missing"}},
		{"Optional", goodPack, func(root string) error {
			return errors.Join(os.Remove(in(root, "scope.json")), os.Remove(in(root, "probes.json")))
		}, nil, nil},
		{"NoSafety", goodPack, func(root string) error { return os.Remove(in(root, "safety.json")) }, bot.ErrInvalid,
			[]string{"safety.json: the file is missing"}},
		{"ZeroBytes", goodPack, func(root string) error { return os.WriteFile(in(root, "sources.json"), nil, 0o644) }, bot.ErrInvalid,
			[]string{"sources.json:1:1: the file is empty; write a JSON value"}},
		{"FiftyMegabytes", goodPack, func(root string) error { return os.Truncate(in(root, "documents/loans.json"), 50<<20) }, bot.ErrInvalid,
			[]string{"documents/loans.json: it is larger than 8 MB; split it"}},
		{"LinkLoop", goodPack, func(root string) error {
			return errors.Join(os.Remove(in(root, "probes.json")), os.Symlink("probes.json", in(root, "probes.json")))
		}, bot.ErrInvalid, []string{"probes.json: it cannot be read: too many levels of symbolic links"}},
		{"DocumentsLinkLoop", goodPack, func(root string) error {
			return errors.Join(os.RemoveAll(in(root, "documents")), os.Symlink("documents", in(root, "documents")))
		}, bot.ErrInvalid, []string{"documents: it cannot be read: too many levels of symbolic links; it holds the pack's documents"}},
		{"FileIsFolder", goodPack, func(root string) error {
			return errors.Join(os.Remove(in(root, "contacts.json")), os.Mkdir(in(root, "contacts.json"), 0o755))
		}, bot.ErrInvalid, []string{"contacts.json: it is not a file"}},
		{"FolderIsFile", goodPack, func(root string) error {
			return errors.Join(os.RemoveAll(in(root, "documents")), os.WriteFile(in(root, "documents"), nil, 0o644))
		}, bot.ErrInvalid, []string{"documents: it cannot be read: not a directory; it holds the pack's documents"}},
		{"NoDocuments", goodPack, func(root string) error {
			return errors.Join(os.RemoveAll(in(root, "documents")), os.Mkdir(in(root, "documents"), 0o755))
		}, bot.ErrInvalid, []string{"documents: there is no document; write at least one .json file"}},
		{"OtherFiles", goodPack, func(root string) error {
			return errors.Join(os.WriteFile(in(root, "README.md"), nil, 0o644),
				os.WriteFile(in(root, "documents/.hidden"), nil, 0o644),
				os.WriteFile(in(root, "documents/notes.txt"), nil, 0o644),
				os.Mkdir(in(root, "documents/old"), 0o755),
				os.WriteFile(in(root, "source.json"), nil, 0o644),
				os.WriteFile(in(root, "hours.json"), nil, 0o644))
		}, bot.ErrInvalid, []string{
			"documents/notes.txt: only .json files stand here; move it elsewhere",
			"documents/old: only .json files stand here; move it elsewhere",
			"hours.json: a pack has no such file; delete it, or move it to documents",
			"source.json: a pack has no such file; did you mean sources.json?"}},
		{"Renamed", "annex", func(root string) error { return os.Rename(in(root, ""), path.Join(root, "annex")) }, bot.ErrInvalid,
			[]string{`annex/pack.json:2:11: $.name: the pack is called "library-hours", its folder "annex"; call both the same`}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			root := dir(t)
			if tt.change != nil {
				if err := tt.change(root); err != nil {
					t.Fatal(err)
				}
			}
			if got := faultLines(t, os.DirFS(root), tt.dir); !slices.Equal(got, tt.want) {
				t.Errorf("Load(%q) faults:\n%s\nwant:\n%s", tt.dir, strings.Join(got, "\n"), strings.Join(tt.want, "\n"))
			}
			if _, err := Load(os.DirFS(root), tt.dir); !errors.Is(err, tt.kind) {
				t.Errorf("Load(%q) error %v, want one that is %v", tt.dir, err, tt.kind)
			}
		})
	}
}

func TestLoadManyDocuments(t *testing.T) {
	files := goodFiles(t)
	for i := range MaxDocuments {
		files[fmt.Sprintf("%s/documents/x%04d.json", goodPack, i)] = &fstest.MapFile{Data: []byte("{}")}
	}
	got := faultLines(t, files, goodPack)
	const want = "documents: it holds more than 1000 documents; join some"
	if !slices.Contains(got, want) {
		t.Errorf("Load of %d documents: faults begin %q, want %q among them", MaxDocuments+2, got[0], want)
	}
}

// TestLoadTellsAll holds Load to telling the faults of every file at once.
func TestLoadTellsAll(t *testing.T) {
	files := goodFiles(t)
	var want []string
	for _, name := range []string{"UnknownHome", "SourceHow", "AliasEmpty", "AloneNotThere", "PhoneShape", "ScopePattern", "NextStepCite", "ProbeStatus", "SafetySyntax"} {
		i := slices.IndexFunc(badPacks, func(b badPack) bool { return b.name == name })
		change(t, files, badPacks[i].file, badPacks[i].old, badPacks[i].new)
		want = append(want, badPacks[i].want...)
	}
	slices.Sort(want)
	if got := faultLines(t, files, goodPack); !slices.Equal(got, want) {
		t.Errorf("Load faults:\n%s\nwant:\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
}

// TestLoadTellsNoFollowUps holds Load to not telling what only follows from a
// file that could not be read.
func TestLoadTellsNoFollowUps(t *testing.T) {
	files := goodFiles(t)
	change(t, files, "documents/loans.json", `{"en": "Wet books",`, `{"fr": "Livres", "en": "Wet books",`)
	for _, name := range []string{"pack.json", "sources.json", "strategies.json", "contacts.json", "guidance.json", "documents/hours.json"} {
		f := files[path.Join(goodPack, name)]
		f.Data = f.Data[:len(f.Data)-2]
	}
	got := faultLines(t, files, goodPack)
	if len(got) != 6 || slices.ContainsFunc(got, func(s string) bool { return !strings.HasSuffix(s, "the file ends in the middle; is it cut short?") }) {
		t.Errorf("Load of a pack with six files cut short:\n%s\nwant one fault each", strings.Join(got, "\n"))
	}
}

func TestLoadGoodPack(t *testing.T) {
	p, err := Load(os.DirFS("testdata"), goodPack)
	if err != nil {
		t.Fatal(err)
	}
	w := p.Documents[0].Sections[0].Subsections[0].Paragraphs[0].Exact["en"]
	if w.Text != "The library in Ashford is open for 9 hours a day. It opens on Monday to Friday." || w.Approved == nil || w.Approved.On != 20261110 {
		t.Errorf("the first exact wording is %+v", w)
	}
	if len(p.Sources) != 3 || len(p.Strategies) != 5 || len(p.Contacts.Phones) != 2 || len(p.Scope) != 1 || len(p.Probes) != 2 || len(p.Documents) != 2 {
		t.Errorf("Load read %d sources, %d strategies, %d phones, %d scope rules, %d probes, %d documents",
			len(p.Sources), len(p.Strategies), len(p.Contacts.Phones), len(p.Scope), len(p.Probes), len(p.Documents))
	}
	if string(p.Safety) != `{"slots": {"desk": "phone.desk"}, "rules": []}` {
		t.Errorf("Safety is %q", p.Safety)
	}
	if p.Vectors != nil {
		t.Errorf("Vectors has %d bytes of a file that is not there", len(p.Vectors))
	}
	files := goodFiles(t)
	files[goodPack+"/vectors.bin"] = &fstest.MapFile{Data: []byte("anything")}
	if p, err := Load(files, goodPack); err != nil || string(p.Vectors) != "anything" {
		t.Errorf("Load with vectors.bin: %v, %v; want its bytes, unchecked", p, err)
	}
}

func TestVersion(t *testing.T) {
	version := func(change func(fstest.MapFS)) string {
		files := goodFiles(t)
		change(files)
		p, err := Load(files, goodPack)
		if err != nil {
			t.Fatal(err)
		}
		return p.Version
	}
	same := version(func(fstest.MapFS) {})
	if len(same) != 16 {
		t.Errorf("the version is %q, want 16 hexadecimal digits", same)
	}
	if got := version(func(files fstest.MapFS) {
		for name, f := range files {
			if path.Ext(name) == ".json" {
				var out bytes.Buffer
				if err := json.Indent(&out, f.Data, "", "\t"); err != nil {
					t.Fatal(err)
				}
				f.Data = out.Bytes()
			}
		}
		files[goodPack+"/vectors.bin"] = &fstest.MapFile{Data: []byte("x")}
	}); got != same {
		t.Errorf("the version of the pack laid out otherwise is %s, want %s", got, same)
	}
	for _, b := range [][3]string{
		{"pack.json", "The town library", "The library"}, {"sources.json", "Town of Ashford", "Ashford"}, {"documents/loans.json", "7 days", "8 days"},
		{"strategies.json", `["why"]`, `["how"]`}, {"contacts.json", `"safety": true,`, ""}, {"scope.json", "my homework", "homework"},
		{"guidance.json", `"do": "ask"`, `"do": "avoid"`}, {"probes.json", `"lang": "es"`, `"lang": "en"`}, {"safety.json", "[]", "[1]"},
	} {
		if got := version(func(files fstest.MapFS) { change(t, files, b[0], b[1], b[2]) }); got == same {
			t.Errorf("the version does not change when %s does", b[0])
		}
	}
}

// FuzzLoad holds Load to saying what is wrong, whatever a file holds.
func FuzzLoad(f *testing.F) {
	good := goodFiles(f)
	var names []string
	for name := range good {
		names = append(names, name)
	}
	slices.Sort(names)
	for i, name := range names {
		f.Add(i, 0, 0, good[name].Data)
		f.Add(i, 40, 7, []byte(`"x"`))
		f.Add(i, len(good[name].Data)/2, 1000, []byte{})
	}
	// data takes the place of n bytes of one file.
	f.Fuzz(func(t *testing.T, which, at, n int, data []byte) {
		files := maps.Clone(good)
		name := names[abs(which)%len(names)]
		file := &fstest.MapFile{Data: good[name].Data, Mode: 0o644}
		files[name] = file
		at = abs(at) % (len(file.Data) + 1)
		n = min(abs(n), len(file.Data)-at)
		file.Data = slices.Concat(file.Data[:at], data, file.Data[at+n:])
		p, err := Load(files, goodPack)
		if err != nil {
			faults, ok := errors.AsType[*Faults](err)
			if !ok || len(faults.List) == 0 || p != nil {
				t.Fatalf("Load gives %v and the error %v, want only *Faults", p, err)
			}
			for _, fault := range faults.List {
				if fault.File == "" || fault.What == "" || strings.Contains(fault.String(), "\n") || !utf8.ValidString(fault.String()) {
					t.Errorf("fault %+v is not one that a person can use", fault)
				}
			}
			return
		}
		l, err := NewLibrary(p)
		if err != nil {
			t.Fatalf("NewLibrary refuses a pack that loads: %v", err)
		}
		seen := make(map[string]bool)
		for _, r := range Records(l) {
			if r.Text == "" || seen[r.ID] {
				t.Errorf("record %q is empty or stands twice", r.ID)
			}
			seen[r.ID] = true
		}
	})
}

func abs(n int) int {
	if n < 0 {
		return -(n + 1)
	}
	return n
}
