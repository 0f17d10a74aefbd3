package deps

import (
	"fmt"
	"go/parser"
	"go/token"
	"path"
	"slices"
	"strconv"
	"strings"
	"testing"
)

const module = "plumbline"

// may says, for each family of ours, which other families its packages may
// import outside tests. Leaves under internal are open to all. Within a family
// a package may import those above and below it, not those beside it.
var may = map[string][]string{
	"bot":              {},
	"channels":         {"bot", "internal/web"},
	"sessions":         {"bot", "sessions/keyring", "internal/web"},
	"sessions/keyring": {"bot"},
	"kb":               {"bot"},
	"personas":         {"bot"},
	"pipeline":         {"bot", "kb", "personas", "internal/web"},
	"cmd":              {"bot", "channels", "sessions", "sessions/keyring", "kb", "personas", "pipeline", "internal/web"},

	"internal":     {}, // a leaf
	"internal/web": {"bot"},
}

// onlyIn says where a package, ours or not, may be imported, tests included.
var onlyIn = map[string][]string{
	"plumbline/kb/minilm/weights": {"cmd", "kb/minilm/weights"},

	"github.com/RediSearch/redisearch-go": {"kb/redisearch"},
	"github.com/gomodule/redigo":          {"kb/redisearch"},
	"github.com/redis/go-redis":           {"kb/redisearch", "sessions/redisstore"},
	"github.com/jackc/pgx":                {"sessions/sqlstore"},
	"modernc.org/sqlite":                  {"sessions/sqlstore"},
	"github.com/sashabaranov/go-openai":   {"pipeline/llm"},
	"github.com/slack-go/slack":           {"channels/slack"},
	"github.com/twilio/twilio-go":         {"channels/sms"},
	"github.com/alecthomas/kong":          {"cmd"},
}

// inTests are modules that only tests may import, and packages named for
// tests, such as kbtest.
var inTests = []string{
	"plumbline/internal/need",
	"github.com/alicebob/miniredis",
	"github.com/chromedp",
	"github.com/google/go-cmp",
	"github.com/rogpeppe/go-internal",
	"go.uber.org/goleak",
	"pgregory.net/rapid",
}

// importFault says what is wrong with package from, a path from the root,
// importing imp, or returns "". inTest says whether a test file does it.
func importFault(from, imp string, inTest bool) string {
	for what, where := range onlyIn {
		if under(imp, what) && !underAny(from, where) {
			return fmt.Sprintf("%s is imported only in %v", what, where)
		}
	}
	if inTest || testPackage(from) {
		inTest = true
	} else if slices.ContainsFunc(inTests, func(m string) bool { return under(imp, m) }) {
		return imp + " is for tests"
	}
	to, ours := strings.CutPrefix(imp, module+"/")
	if !ours {
		return ""
	}
	if inTest && !testPackage(from) {
		return ""
	}
	if testPackage(to) && !testPackage(from) && !under(from, "cmd") {
		return to + " is for tests"
	}
	if under(from, to) || under(to, from) {
		return ""
	}
	fam, toFam := family(from), family(to)
	allowed, ok := may[fam]
	switch {
	case !ok:
		return "there is no rule for the family " + fam
	case fam == toFam && fam != "internal":
		return fmt.Sprintf("packages of %s do not import those beside them", fam)
	case toFam == "internal" && fam != "internal", slices.Contains(allowed, toFam):
		return ""
	case fam == "internal":
		return "leaves under internal import nothing of ours"
	}
	return fmt.Sprintf("of ours, %s imports only %v and leaves under internal", fam, allowed)
}

// family returns the longest key of may that pkg lies under, or else its first
// element.
func family(pkg string) string {
	best, _, _ := strings.Cut(pkg, "/")
	for f := range may {
		if under(pkg, f) && len(f) > len(best) {
			best = f
		}
	}
	return best
}

// testPackage reports whether pkg is one that holds tests for others to run.
func testPackage(pkg string) bool { return strings.HasSuffix(pkg, "test") }

func TestImports(t *testing.T) {
	for _, f := range goFiles(t) {
		parsed, err := parser.ParseFile(token.NewFileSet(), f.path, f.data, parser.ImportsOnly)
		if err != nil {
			t.Errorf("%v", err)
			continue
		}
		from := path.Dir(f.path)
		if _, ok := may[family(from)]; !ok {
			t.Errorf("%s: there is no rule for the family %s", f.path, family(from))
		}
		for _, spec := range parsed.Imports {
			imp, err := strconv.Unquote(spec.Path.Value)
			if err != nil {
				t.Errorf("%s: import %s: %v", f.path, spec.Path.Value, err)
				continue
			}
			if fault := importFault(from, imp, strings.HasSuffix(f.path, "_test.go")); fault != "" {
				t.Errorf("%s imports %s: %s", f.path, imp, fault)
			}
		}
	}
}

func TestImportFault(t *testing.T) {
	for _, tt := range []struct {
		from, imp string
		inTest    bool
		want      bool // a fault
	}{
		{"bot", "fmt", false, false},
		{"bot", "plumbline/internal/text", false, false},
		{"bot", "plumbline/kb", false, true},
		{"bot", "plumbline/kb", true, false},
		{"bot", "plumbline/internal/web", false, true},
		{"channels/sms", "plumbline/bot", false, false},
		{"channels/sms", "plumbline/channels", false, false},
		{"channels/sms", "plumbline/channels/slack", false, true},
		{"channels/sms", "plumbline/channels/channeltest", false, true},
		{"channels/sms", "plumbline/channels/channeltest", true, false},
		{"channels/sms", "plumbline/sessions", false, true},
		{"channels/web", "plumbline/internal/web", false, false},
		{"sessions/review", "plumbline/kb", false, true},
		{"sessions/review", "plumbline/internal/web", false, false},
		{"kb", "plumbline/bot", false, false},
		{"kb/flat", "plumbline/kb", false, false},
		{"kb/flat", "plumbline/pipeline", false, true},
		{"kb/kbtest", "plumbline/kb", false, false},
		{"kb/kbtest", "plumbline/pipeline", false, true},
		{"kb/kbtest", "pgregory.net/rapid", false, false},
		{"kb/flat", "pgregory.net/rapid", false, true},
		{"kb/flat", "pgregory.net/rapid", true, false},
		{"kb/minilm", "plumbline/kb/minilm/blob", false, false},
		{"kb/minilm/weights", "plumbline/kb/minilm", false, false},
		{"kb/minilm", "plumbline/kb/minilm/weights", false, true},
		{"kb/minilm", "plumbline/kb/minilm/weights", true, true},
		{"pipeline", "plumbline/kb/minilm/weights", true, true},
		{"cmd/plumbline", "plumbline/kb/minilm/weights", false, false},
		{"cmd/plumbline", "plumbline/channels/sms/smstest", false, false},
		{"personas", "plumbline/kb", false, true},
		{"pipeline/llm", "plumbline/personas", false, false},
		{"pipeline/llm", "plumbline/sessions", false, true},
		{"pipeline/llm", "github.com/sashabaranov/go-openai", false, false},
		{"pipeline", "github.com/sashabaranov/go-openai", false, true},
		{"pipeline/eval", "github.com/sashabaranov/go-openai/jsonschema", true, true},
		{"cmd/plumbline", "github.com/redis/go-redis/v9", false, true},
		{"sessions/redisstore", "github.com/redis/go-redis/v9", false, false},
		{"sessions/redisstore/lua", "github.com/redis/go-redis/v9", true, false},
		{"channels/slack", "github.com/slack-go/slack/slackevents", false, false},
		{"channels/web", "github.com/slack-go/slack", false, true},
		{"internal/text", "plumbline/internal/gsm7", false, true},
		{"internal/text", "plumbline/bot", false, true},
		{"internal/web", "plumbline/bot", false, false},
		{"internal/web", "plumbline/internal/text", false, false},
		{"internal/web", "plumbline/kb", false, true},
		{"simulate", "plumbline/bot", false, true},
	} {
		if got := importFault(tt.from, tt.imp, tt.inTest); (got != "") != tt.want {
			t.Errorf("importFault(%q, %q, %t) = %q, want a fault: %t", tt.from, tt.imp, tt.inTest, got, tt.want)
		}
	}
}
