package deps

import (
	"bytes"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"path"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"unicode"
)

// maxLines is how long a Go file that a person wrote may be.
const maxLines = 600

// general are the families that serve any domain: what they say of one stands
// in a pack's files, never in Go.
var general = []string{"bot", "channels", "sessions", "kb", "personas", "pipeline"}

// domainWords are words that only a pack says. They are looked for in
// identifiers and string literals, as whole words.
var domainWords = []string{
	"water", "faucet", "faucets", "plumbing", "pfas", "nitrate", "nitrates", "chlorine", "chloramine", "fluoride",
	"smoke", "wildfire", "wildfires", "aqi",
	"newark", "flint",
}

var (
	generated  = regexp.MustCompile(`(?m)^// Code generated .* DO NOT EDIT\.$`)
	unfinished = regexp.MustCompile(`\b(TODO|FIXME|XXX)\b|(?i:not (yet )?implemented)`)
)

// sourceFaults lists what a Go file holds that it should not.
func sourceFaults(f file) []string {
	fset := token.NewFileSet()
	parsed, err := parser.ParseFile(fset, f.path, f.data, parser.ParseComments|parser.SkipObjectResolution)
	if err != nil {
		return []string{err.Error()}
	}
	inTest := strings.HasSuffix(f.path, "_test.go")
	pkg := path.Dir(f.path)

	var faults []string
	fault := func(at token.Pos, format string, args ...any) {
		faults = append(faults, fmt.Sprintf("%s: %s", fset.Position(at), fmt.Sprintf(format, args...)))
	}

	if n := bytes.Count(f.data, []byte("\n")); n > maxLines && !generated.Match(f.data) {
		faults = append(faults, fmt.Sprintf("%s: %d lines are more than %d", f.path, n, maxLines))
	}
	for _, group := range parsed.Comments {
		if found := unfinished.FindString(group.Text()); found != "" {
			fault(group.Pos(), "%q is left open", found)
		}
	}
	for _, decl := range parsed.Decls {
		switch d := decl.(type) {
		case *ast.FuncDecl:
			if d.Recv == nil && d.Name.Name == "init" {
				fault(d.Pos(), "nothing happens in init: whoever needs it calls it")
			}
		case *ast.GenDecl:
			for _, spec := range d.Specs {
				if at := registers(spec); at.IsValid() {
					fault(at, "nothing registers itself: a call into a blank variable")
				}
			}
		}
	}
	ast.Inspect(parsed, func(n ast.Node) bool {
		sel, ok := n.(*ast.SelectorExpr)
		if !ok {
			return true
		}
		x, ok := sel.X.(*ast.Ident)
		switch {
		case !ok:
		case !inTest && x.Name == "time" && sel.Sel.Name == "Sleep":
			fault(sel.Pos(), "time.Sleep does not heed a context")
		case inTest && slices.Contains([]string{"t", "b", "f"}, x.Name) && slices.Contains([]string{"Skip", "Skipf", "SkipNow"}, sel.Sel.Name):
			fault(sel.Pos(), "a test that skips goes unseen: internal/need and check.sh tell of it")
		}
		return true
	})
	if !inTest && !testPackage(pkg) && underAny(pkg, general) {
		ast.Inspect(parsed, func(n ast.Node) bool {
			var text string
			switch n := n.(type) {
			case *ast.ImportSpec:
				return false
			case *ast.Ident:
				text = n.Name
			case *ast.BasicLit:
				if n.Kind == token.STRING {
					text, _ = strconv.Unquote(n.Value)
				}
			}
			for _, w := range words(text) {
				if slices.Contains(domainWords, w) {
					fault(n.Pos(), "%q is a pack's word", w)
				}
			}
			return true
		})
	}
	return faults
}

// registers returns where spec calls a function for its effects only.
func registers(spec ast.Spec) token.Pos {
	v, ok := spec.(*ast.ValueSpec)
	if !ok || v.Type != nil {
		return token.NoPos
	}
	for i, value := range v.Values {
		if _, call := value.(*ast.CallExpr); call && len(v.Names) > i && v.Names[i].Name == "_" {
			return value.Pos()
		}
	}
	return token.NoPos
}

// words splits text into lower-case words, at what is no letter and before
// each capital that follows a small letter.
func words(text string) []string {
	var list []string
	var word []rune
	small := false
	for _, r := range text + " " {
		if !unicode.IsLetter(r) || small && unicode.IsUpper(r) {
			if len(word) > 0 {
				list = append(list, strings.ToLower(string(word)))
			}
			word = word[:0]
		}
		if unicode.IsLetter(r) {
			word = append(word, r)
		}
		small = unicode.IsLower(r)
	}
	return list
}

func TestSource(t *testing.T) {
	for _, f := range goFiles(t) {
		for _, fault := range sourceFaults(f) {
			t.Error(fault)
		}
	}
}

func TestSourceFaults(t *testing.T) {
	for _, tt := range []struct {
		name, path, code string
		want             string // part of the one fault; empty: none
	}{
		{"Fine", "bot/a.go", "// V is fine.\nvar V = len(`pipeline watermark`)", ""},
		{"Interface", "bot/a.go", "var _ error = (*fault)(nil)", ""},
		{"Init", "bot/a.go", "func init() {}", "init"},
		{"Method", "bot/a.go", "func (x T) init() {}", ""},
		{"Registers", "bot/a.go", "var _ = add(1)", "registers"},
		{"Open", "bot/a.go", "// TO" + "DO: more.\nvar V = 1", "left open"},
		{"Literal", "kb/a.go", "var V = `drinking-water`", `"water"`},
		{"Identifier", "pipeline/x/a.go", "func isWildfire() {}", `"wildfire"`},
		{"Comment", "pipeline/x/a.go", "// V holds water.\nvar V = 1", ""},
		{"Pack", "cmd/plumbline/a.go", "var V = `drinking-water`", ""},
		{"InTest", "kb/a_test.go", "var V = `water`", ""},
		{"ForTests", "kb/kbtest/a.go", "var V = `water`", ""},
		{"Sleep", "bot/a.go", "func f() { time.Sleep(1) }", "Sleep"},
		{"SleepInTest", "bot/a_test.go", "func f() { time.Sleep(1) }", ""},
		{"Skip", "bot/a_test.go", "func f(t *testing.T) { t.Ski" + "p(1) }", "skips"},
		{"Long", "bot/a.go", strings.Repeat("\n", maxLines), "lines"},
		{"LongGenerated", "bot/a.go", "// Code generated by x. DO NOT EDIT.\n" + strings.Repeat("\n", maxLines), ""},
		{"NotGo", "bot/a.go", "func {", "expected"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			got := sourceFaults(file{tt.path, []byte("package p\n\n" + tt.code + "\n")})
			switch {
			case tt.want == "" && len(got) > 0:
				t.Errorf("sourceFaults(%q) = %q, want none", tt.code, got)
			case tt.want != "" && (len(got) == 0 || !strings.Contains(got[0], tt.want)):
				t.Errorf("sourceFaults(%q) = %q, want one that says %q", tt.code, got, tt.want)
			}
		})
	}
}
