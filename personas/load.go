package personas

import (
	"cmp"
	"embed"
	"errors"
	"fmt"
	"io/fs"
	"path"
	"slices"
	"strings"

	"plumbline/bot"
	"plumbline/internal/jsonpos"
)

//go:embed data/*.json
var files embed.FS

// Default returns the personas that come with the program.
func Default() (*Set, error) {
	data, err := fs.Sub(files, "data")
	if err != nil {
		return nil, fmt.Errorf("open personas: %w", err)
	}
	return Load(data)
}

// Faults are all that is wrong with a folder of personas. It wraps
// bot.ErrInvalid.
type Faults struct {
	List []jsonpos.Fault // by file, line and column
}

// Error returns one line a fault: file:line:column: path: what is wrong; what
// to do.
func (f *Faults) Error() string { return jsonpos.Lines(f.List) }

// Unwrap returns bot.ErrInvalid.
func (f *Faults) Unwrap() error { return bot.ErrInvalid }

// The files beside those of personas.
const (
	toneFile     = "tone.json"
	feelingsFile = "feelings.json"
	wordsFile    = "guard.json"
)

// maxFile is how large one file may be, in bytes.
const maxFile = 1 << 20

// tone is tone.json.
type tone struct {
	Never    Phrases `json:"never"`
	Proposed Phrases `json:"proposed"` // words by which a claim says that it is a proposal
	NotYet   Phrases `json:"not_yet"`  // and that it starts later
}

// Load reads the personas of a folder: a file ID.json for each, tone.json,
// feelings.json and guard.json. What a persona says is checked: its length and
// its alphabet, that it holds no figure, no negation where none may stand and
// no word that is never said. The error is a *Faults that lists everything.
func Load(fsys fs.FS) (*Set, error) {
	l := loader{fsys: fsys}
	var t tone
	var fl feelingsData
	var gw guardData
	l.read(toneFile, &t)
	feelingsDoc := l.read(feelingsFile, &fl)
	wordsDoc := l.read(wordsFile, &gw)
	s := &Set{never: t.Never, standing: map[Standing]*finder{Proposed: {}, NotYet: {}}}
	for _, lang := range languages {
		s.standing[Proposed].add(0, t.Proposed[lang]...)
		s.standing[NotYet].add(0, t.NotYet[lang]...)
	}

	entries, err := fs.ReadDir(fsys, ".")
	if err != nil {
		l.fault(".", "it cannot be read: "+reason(err), "")
	}
	docs := make(map[string]*jsonpos.Document)
	for _, e := range entries {
		id, isJSON := strings.CutSuffix(e.Name(), ".json")
		switch e.Name() {
		case toneFile, feelingsFile, wordsFile:
			continue
		}
		if !isJSON {
			l.fault(e.Name(), "only .json files stand here", "move it elsewhere")
			continue
		}
		var p Persona
		doc := l.read(e.Name(), &p)
		if doc == nil {
			continue
		}
		if p.ID != id {
			l.at(doc, jsonpos.Root.Key("id"), fmt.Sprintf("the persona is called %q, its file %q", p.ID, id), "call both the same")
		}
		docs[p.ID] = doc
		s.personas = append(s.personas, p)
	}
	slices.SortFunc(s.personas, func(a, b Persona) int { return cmp.Compare(a.ID, b.ID) })
	if _, ok := docs[Plain]; !ok {
		l.fault(Plain+".json", "the file is missing", "every set has a persona without a voice")
	}
	if feelingsDoc != nil {
		s.feelings = l.feelings(feelingsDoc, fl)
	}
	if wordsDoc != nil {
		s.words = l.guardWords(wordsDoc, gw)
	}
	for i := range s.personas {
		l.persona(docs[s.personas[i].ID], s, &s.personas[i])
	}
	s.asks = l.asks(docs, s.personas)
	if len(l.faults) > 0 {
		jsonpos.Sort(l.faults)
		return nil, &Faults{l.faults}
	}
	return s, nil
}

type loader struct {
	fsys   fs.FS
	faults []jsonpos.Fault
}

func (l *loader) fault(name, what, do string) {
	l.faults = append(l.faults, jsonpos.Fault{File: name, What: what, Do: do})
}

func (l *loader) at(doc *jsonpos.Document, p jsonpos.Path, what, do string) {
	l.faults = append(l.faults, doc.Fault(p, what, do))
}

// read decodes a file; it returns nil if there is nothing to go on with.
func (l *loader) read(name string, into any) *jsonpos.Document {
	info, err := fs.Stat(l.fsys, name)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		l.fault(name, "the file is missing", "")
		return nil
	case err == nil && !info.Mode().IsRegular():
		l.fault(name, "it is not a file", "")
		return nil
	case err == nil && info.Size() > maxFile:
		l.fault(name, fmt.Sprintf("it is larger than %d MB", maxFile>>20), "shorten it")
		return nil
	}
	data, err := fs.ReadFile(l.fsys, name)
	if err != nil {
		l.fault(name, "it cannot be read: "+reason(err), "")
		return nil
	}
	doc, faults := jsonpos.Parse(path.Base(name), data)
	l.faults = append(l.faults, faults...)
	if len(faults) > 0 {
		return nil
	}
	l.faults = append(l.faults, doc.Decode(into)...)
	return doc
}

// reason is what went wrong, without the operation and the path.
func reason(err error) string {
	if pe, ok := errors.AsType[*fs.PathError](err); ok {
		err = pe.Err
	}
	return strings.ToValidUTF8(err.Error(), "?")
}

// asks lists the phrases by which people ask for personas, longest first, and
// finds those that ask for two.
func (l *loader) asks(docs map[string]*jsonpos.Document, personas []Persona) []ask {
	var list []ask
	owner := make(map[string]string)
	for _, p := range personas {
		for _, set := range []struct {
			name  string
			of    Phrases
			whole bool
		}{{"asks", p.Asks, true}, {"phrases", p.Phrases, false}} {
			at := jsonpos.Root.Key(set.name)
			for _, lang := range languages {
				if len(set.of[lang]) == 0 {
					l.at(docs[p.ID], at.Key(string(lang)), "there is no phrase in this language", "write at least one")
				}
				for i, text := range set.of[lang] {
					words := textsOf(text)
					key := strings.Join(words, " ")
					here := at.Key(string(lang)).Index(i)
					switch was, taken := owner[key]; {
					case key == "":
						l.at(docs[p.ID], here, "the phrase has no words", "")
					case taken && was != p.ID:
						l.at(docs[p.ID], here, fmt.Sprintf("%q asks for %q too", text, was), "take it from one of them")
					case !set.whole && len(words) < 2:
						l.at(docs[p.ID], here, fmt.Sprintf("%q is one word, and would be found in questions", text), "move it to asks")
					}
					owner[key] = p.ID
					list = append(list, ask{words, set.whole, p.ID})
				}
			}
		}
	}
	slices.SortStableFunc(list, func(a, b ask) int { return cmp.Compare(len(b.words), len(a.words)) })
	return list
}
